import Dispatch
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Counts players: a function that accesses are given by name.
private func countPlayers(_ db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
}

private struct Player {
    static func insert(_ db: Database) throws {
        try db.execute(sql: "INSERT INTO player(name) VALUES ('Arthur')")
    }

    static func fetchCount(_ db: Database) throws -> Int { try countPlayers(db) }
}

@Suite(.databases) struct DatabaseQueueAccessTests {
    private let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)")
        }
    }

    private let insert = "INSERT INTO player(name) VALUES ('Arthur')"

    private func count() throws -> Int {
        try dbQueue.unsafeRead(countPlayers)
    }

    // MARK: - SQL of synchronous accesses

    @Test func readIsADeferredTransaction() throws {
        try expectSQL(
            """
            BEGIN DEFERRED TRANSACTION
            COMMIT TRANSACTION
            BEGIN DEFERRED TRANSACTION
            SELECT 1
            COMMIT TRANSACTION
            """
        ) {
            try dbQueue.read { _ in }
            try dbQueue.read { try $0.execute(sql: "SELECT 1") }
        }
    }

    @Test func readThatThrowsRollsBack() throws {
        expectSQL(
            """
            BEGIN DEFERRED TRANSACTION
            ROLLBACK TRANSACTION
            """
        ) {
            expectError(TestError()) {
                try dbQueue.read { _ in throw TestError() }
            }
        }
    }

    @Test func writeIsAnImmediateTransaction() throws {
        try expectSQL(
            """
            BEGIN IMMEDIATE TRANSACTION
            COMMIT TRANSACTION
            BEGIN IMMEDIATE TRANSACTION
            INSERT INTO player(name) VALUES ('Arthur')
            COMMIT TRANSACTION
            """
        ) {
            try dbQueue.write { _ in }
            try dbQueue.write { try $0.execute(sql: insert) }
        }
        try expectEqual(count(), 1)
    }

    @Test func writeThatThrowsRollsBack() throws {
        expectSQL(
            """
            BEGIN IMMEDIATE TRANSACTION
            INSERT INTO player(name) VALUES ('Arthur')
            ROLLBACK TRANSACTION
            """
        ) {
            expectError(TestError()) {
                try dbQueue.write { db in
                    try db.execute(sql: insert)
                    throw TestError()
                }
            }
        }
        try expectEqual(count(), 0)
    }

    @Test func inTransactionCompletesAsTold() throws {
        try expectSQL(
            """
            BEGIN IMMEDIATE TRANSACTION
            COMMIT TRANSACTION
            BEGIN IMMEDIATE TRANSACTION
            INSERT INTO player(name) VALUES ('Arthur')
            ROLLBACK TRANSACTION
            BEGIN EXCLUSIVE TRANSACTION
            INSERT INTO player(name) VALUES ('Arthur')
            COMMIT TRANSACTION
            BEGIN DEFERRED TRANSACTION
            COMMIT TRANSACTION
            """
        ) {
            try dbQueue.inTransaction { _ in .commit }
            try dbQueue.inTransaction { db in
                try db.execute(sql: insert)
                return .rollback
            }
            try dbQueue.inTransaction(.exclusive) { db in
                try db.execute(sql: insert)
                return .commit
            }
            try dbQueue.inTransaction(.deferred) { _ in .commit }
        }
        try expectEqual(count(), 1)
    }

    @Test func otherAccessesOpenNoTransaction() throws {
        try expectSQL("") {
            dbQueue.inDatabase { expectTrue(!$0.isInsideTransaction) }
            dbQueue.writeWithoutTransaction { expectTrue(!$0.isInsideTransaction) }
            try dbQueue.barrierWriteWithoutTransaction { expectTrue(!$0.isInsideTransaction) }
            dbQueue.unsafeRead { expectTrue(!$0.isInsideTransaction) }
            dbQueue.unsafeReentrantRead { expectTrue(!$0.isInsideTransaction) }
            dbQueue.unsafeReentrantWrite { expectTrue(!$0.isInsideTransaction) }
        }
    }

    @Test func changesBeforeAnErrorRemainWithoutATransaction() throws {
        expectError(TestError()) {
            try dbQueue.writeWithoutTransaction { db in
                try db.execute(sql: insert)
                throw TestError()
            }
        }
        try expectEqual(count(), 1)
    }

    // MARK: - Results

    @Test func accessesReturnTheirResult() throws {
        try expectEqual(dbQueue.read { _ in 1 }, 1)
        try expectEqual(dbQueue.write { _ in 2 }, 2)
        expectEqual(dbQueue.inDatabase { _ in 3 }, 3)
        expectEqual(dbQueue.writeWithoutTransaction { _ in 4 }, 4)
        try expectEqual(dbQueue.barrierWriteWithoutTransaction { _ in 5 }, 5)
        expectEqual(dbQueue.unsafeRead { _ in 6 }, 6)
        do throws(TestError) {
            _ = try dbQueue.unsafeRead { _ throws(TestError) in throw TestError() }
            Issue.record("no error")
        } catch {}
        expectEqual(dbQueue.unsafeReentrantRead { _ in 7 }, 7)
        expectEqual(dbQueue.unsafeReentrantWrite { _ in 8 }, 8)
        try expectEqual(dbQueue.read { _ in nil as Int? }, nil)
    }

    /// A result that is not sendable comes out of a synchronous access.
    @Test func resultsNeedNotBeSendable() throws {
        final class Box {
            var value = 1
        }
        let box = try dbQueue.write { _ in Box() }
        box.value += 1
        expectEqual(box.value, 2)
        // Neither need closures be.
        var values: [Int] = []
        try dbQueue.read { _ in values.append(1) }
        try dbQueue.write { _ in values.append(2) }
        expectEqual(values, [1, 2])
    }

    @Test func accessesTakeFunctions() throws {
        try dbQueue.write(Player.insert)
        try expectEqual(dbQueue.read(countPlayers), 1)
        try expectEqual(dbQueue.read(Player.fetchCount), 1)
        try expectEqual(dbQueue.write(Player.fetchCount), 1)
        try expectEqual(dbQueue.writeWithoutTransaction(countPlayers), 1)
        try expectEqual(dbQueue.inDatabase(countPlayers), 1)
        try expectEqual(dbQueue.unsafeRead(countPlayers), 1)
        try expectEqual(dbQueue.unsafeReentrantRead(countPlayers), 1)
        try expectEqual(dbQueue.unsafeReentrantWrite(countPlayers), 1)
        try expectEqual(dbQueue.barrierWriteWithoutTransaction(countPlayers), 1)
    }

    @Test func asynchronousAccessesTakeFunctions() async throws {
        try await dbQueue.write(Player.insert)
        try await expectEqual(dbQueue.read(countPlayers), 1)
        try await expectEqual(dbQueue.read(Player.fetchCount), 1)
        try await expectEqual(dbQueue.write(Player.fetchCount), 1)
        try await expectEqual(dbQueue.writeWithoutTransaction(countPlayers), 1)
        try await expectEqual(dbQueue.unsafeRead(countPlayers), 1)
        try await expectEqual(dbQueue.barrierWriteWithoutTransaction(countPlayers), 1)
    }

    // MARK: - Asynchronous accesses

    @Test func asynchronousAccessesRunTheSameSQL() async throws {
        try await expectSQL(
            """
            BEGIN DEFERRED TRANSACTION
            COMMIT TRANSACTION
            BEGIN IMMEDIATE TRANSACTION
            INSERT INTO player(name) VALUES ('Arthur')
            COMMIT TRANSACTION
            """
        ) {
            try await dbQueue.read { _ in }
            try await dbQueue.write { try $0.execute(sql: insert) }
            try await dbQueue.writeWithoutTransaction { expectTrue(!$0.isInsideTransaction) }
            try await dbQueue.barrierWriteWithoutTransaction { expectTrue(!$0.isInsideTransaction) }
            try await dbQueue.unsafeRead { expectTrue(!$0.isInsideTransaction) }
        }
    }

    @Test func asynchronousAccessesThatThrowRollBack() async throws {
        await expectSQL(
            """
            BEGIN DEFERRED TRANSACTION
            ROLLBACK TRANSACTION
            BEGIN IMMEDIATE TRANSACTION
            INSERT INTO player(name) VALUES ('Arthur')
            ROLLBACK TRANSACTION
            """
        ) {
            await expectError(TestError()) {
                try await dbQueue.read { _ in throw TestError() }
            }
            await expectError(TestError()) {
                try await dbQueue.write { db in
                    try db.execute(sql: insert)
                    throw TestError()
                }
            }
        }
    }

    @Test func asynchronousReadCanNotWrite() async throws {
        await expectError(
            "SQLite error 8: attempt to write a readonly database - while executing `\(insert)`"
        ) {
            try await dbQueue.read { [insert] db in try db.execute(sql: insert) }
        }
    }

    @Test func asynchronousAccessesFromManyTasksAreSerialized() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<100 {
                group.addTask {
                    if index % 2 == 0 {
                        try await dbQueue.write { db in
                            let count = try countPlayers(db)
                            try db.execute(
                                sql: "INSERT INTO player(name) VALUES (?)", arguments: ["\(count)"])
                        }
                    } else {
                        _ = try await dbQueue.read(countPlayers)
                    }
                }
            }
            try await group.waitForAll()
        }
        try await expectEqual(dbQueue.read(countPlayers), 50)
    }

    @Test func synchronousAccessesFromManyThreadsAreSerialized() throws {
        DispatchQueue.concurrentPerform(iterations: 100) { index in
            if index % 2 == 0 {
                try! dbQueue.write { db in
                    let count = try countPlayers(db)
                    try db.execute(
                        sql: "INSERT INTO player(name) VALUES (?)", arguments: ["\(count)"])
                }
            } else {
                _ = try! dbQueue.read(countPlayers)
            }
        }
        try expectEqual(dbQueue.read(countPlayers), 50)
    }

    // MARK: - Accesses with callbacks

    @Test func asyncReadIsADeferredReadOnlyTransaction() async throws {
        let log = Log<String>()
        let sql = try await TestDatabases.sql {
            dbQueue.asyncRead { [insert] result in
                do {
                    let db = try result.get()
                    log.append("inside: \(db.isInsideTransaction)")
                    try db.execute(sql: insert)
                } catch {
                    log.append("\(error)")
                }
                log.append("end")
            }
            _ = await log.wait(forCount: 3)
            // Waits for the end of the access.
            try await dbQueue.unsafeRead { _ in }
        }
        expectEqual(
            log.elements,
            [
                "inside: true",
                """
                SQLite error 8: attempt to write a readonly database - while executing `\(insert)`
                """,
                "end",
            ])
        expectEqual(sql, ["BEGIN DEFERRED TRANSACTION", insert, "COMMIT TRANSACTION"])
    }

    @Test func asyncUnsafeReadOpensNoTransaction() async throws {
        let log = Log<String>()
        dbQueue.asyncUnsafeRead { result in
            log.append("\(result.map { $0.isInsideTransaction })")
        }
        await expectEqual(log.wait(forCount: 1), ["success(false)"])
    }

    @Test func asyncWriteCommitsBeforeItsCompletion() async throws {
        let log = Log<String>()
        dbQueue.asyncWrite { [insert] db in
            try db.execute(sql: insert)
            return try countPlayers(db)
        } completion: { db, result in
            log.append("\(result) inside: \(db.isInsideTransaction)")
            // The completion may use the connection.
            log.append("\((try? countPlayers(db)) ?? -1)")
        }
        await expectEqual(log.wait(forCount: 2), ["success(1) inside: false", "1"])
    }

    @Test func asyncWriteThatThrowsRollsBackBeforeItsCompletion() async throws {
        let log = Log<String>()
        dbQueue.asyncWrite { [insert] db in
            try db.execute(sql: insert)
            try db.execute(sql: "INSERT INTO nope VALUES (9)")
        } completion: { db, result in
            log.append("\(result) inside: \(db.isInsideTransaction)")
            log.append("\((try? countPlayers(db)) ?? -1)")
        }
        await expectEqual(
            log.wait(forCount: 2),
            [
                """
                failure(SQLite error 1: no such table: nope \
                - while executing `INSERT INTO nope VALUES (9)`) inside: false
                """,
                "0",
            ])
    }

    @Test func asyncWriteReportsAFailedCommit() async throws {
        let log = Log<String>()
        dbQueue.asyncWrite { db in
            try db.execute(
                sql: """
                    CREATE TABLE c(a REFERENCES player(id) DEFERRABLE INITIALLY DEFERRED);
                    INSERT INTO c VALUES (999);
                    """)
        } completion: { _, result in
            log.append("\(result)")
        }
        await expectEqual(
            log.wait(forCount: 1),
            [
                """
                failure(SQLite error 19: FOREIGN KEY constraint failed \
                - while executing `COMMIT TRANSACTION`)
                """
            ])
    }

    @Test func otherAsyncWritesOpenNoTransaction() async throws {
        let log = Log<String>()
        dbQueue.asyncWriteWithoutTransaction { log.append("1 \($0.isInsideTransaction)") }
        dbQueue.asyncBarrierWriteWithoutTransaction { result in
            log.append("2 \(result.map { $0.isInsideTransaction })")
        }
        await expectEqual(log.wait(forCount: 2), ["1 false", "2 success(false)"])
    }

    @Test func callbacksRunInTheirOrder() async throws {
        let log = Log<String>()
        for index in 0..<50 {
            dbQueue.asyncWrite { _ in
                log.append("\(index)")
            } completion: { _, _ in
                log.append("\(index)")
            }
        }
        await expectEqual(log.wait(forCount: 100), (0..<50).flatMap { ["\($0)", "\($0)"] })
    }

    /// The access keeps its queue alive.
    @Test func queueLivesUntilItsLastCallback() async throws {
        let log = Log<String>()
        do {
            let dbQueue = try TestDatabases.makeQueue()
            for index in 0..<10 {
                dbQueue.asyncWriteWithoutTransaction { db in
                    log.append((try? String.fetchOne(db, sql: "SELECT '\(index)'")) ?? "none")
                }
            }
        }
        await expectEqual(log.wait(forCount: 10), (0..<10).map { "\($0)" })
    }

    // MARK: - Isolation

    @Test func readSeesOneMomentOfTheDatabase() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.journalMode = .wal
        let writer = try TestDatabases.makeQueue(.file, configuration)
        try writer.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        let reader = try TestDatabases.openQueue(writer.path, configuration)
        func count(_ db: Database) throws -> Int? {
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
        }
        try reader.read { db in
            try expectEqual(count(db), 1)
            try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
            try expectEqual(count(db), 1)
        }
        try expectEqual(reader.read(count), 2)
        // No such promise is made by unsafe reads.
        try reader.unsafeRead { db in
            try expectEqual(count(db), 2)
            try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
            try expectEqual(count(db), 3)
        }
    }

    @Test func writeShowsAllOrNothing() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.journalMode = .wal
        let writer = try TestDatabases.makeQueue(.file, configuration)
        try writer.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        let reader = try TestDatabases.openQueue(writer.path, configuration)
        func count() throws -> Int? {
            try reader.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
        }
        try writer.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            try expectEqual(count(), 0)
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            try expectEqual(count(), 0)
        }
        try expectEqual(count(), 2)
    }

    // MARK: - Concurrent reads of a writer

    @Test func spawnConcurrentReadSeesTheLastCommit() throws {
        let log = Log<String>()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: insert)
            dbQueue.spawnConcurrentRead { [insert] result in
                do {
                    let db = try result.get()
                    log.append("count: \(try countPlayers(db))")
                    log.append("inside: \(db.isInsideTransaction)")
                    try db.execute(sql: insert)
                } catch {
                    log.append("\(error)")
                }
            }
            expectTrue(!db.isInsideTransaction)
            try db.execute(sql: "DELETE FROM player")
        }
        expectEqual(
            log.elements,
            [
                "count: 1", "inside: true",
                "SQLite error 8: attempt to write a readonly database - while executing `\(insert)`",
            ])
    }

    @Test func spawnConcurrentReadNeedsAnAccess() {
        let log = Log<String>()
        dbQueue.spawnConcurrentRead { log.append("\($0)") }
        expectEqual(
            log.elements,
            [
                "failure(SQLite error 21: Database was not used on the correct thread.)"
            ])
    }

    @Test func spawnConcurrentReadNeedsTheEndOfTheTransaction() throws {
        let log = Log<String>()
        try dbQueue.write { _ in
            dbQueue.spawnConcurrentRead { log.append("\($0)") }
        }
        expectEqual(
            log.elements,
            [
                """
                failure(SQLite error 21: spawnConcurrentRead must not be called from inside a \
                transaction.)
                """
            ])
    }
}
