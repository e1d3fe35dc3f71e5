import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct CloseTests {
    private let closed = "SQLite error 21: Connection is closed"
    private let busy = """
        SQLite error 5: unable to close due to unfinalized statements or unfinished backups
        """

    private func makeQueue() throws -> DatabaseQueue {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
        }
        return dbQueue
    }

    private func expectOpen(_ dbQueue: DatabaseQueue) throws {
        let values = try dbQueue.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }
        expectEqual(values, [1, 2])
    }

    // MARK: - Closed connections

    @Test func closedConnectionThrows() throws {
        let dbQueue = try makeQueue()
        try dbQueue.close()
        expectError(closed) { try dbQueue.read { _ in } }
        expectError(closed) { try dbQueue.write { _ in } }
        expectError(closed) { try dbQueue.inTransaction { _ in .commit } }
        expectError(closed) { try dbQueue.barrierWriteWithoutTransaction { _ in } }
        expectError(closed) { try dbQueue.writeWithoutTransaction { try $0.rollback() } }
        expectError(closed) { try dbQueue.unsafeRead { try $0.execute(sql: "SELECT 1") } }
        expectError(closed) { try dbQueue.vacuum() }
        expectError(closed) { try dbQueue.erase() }
        expectError(closed) { try dbQueue.vacuum(into: TestDatabases.makePath()) }
    }

    @Test func closedConnectionThrowsInTasks() async throws {
        let dbQueue = try makeQueue()
        try dbQueue.close()
        await expectError(closed) { try await dbQueue.read { _ in } }
        await expectError(closed) { try await dbQueue.write { _ in } }
        await expectError(closed) { try await dbQueue.writeWithoutTransaction { _ in } }
        await expectError(closed) { try await dbQueue.barrierWriteWithoutTransaction { _ in } }
        await expectError(closed) { try await dbQueue.unsafeRead { _ in } }
        await expectError(closed) { try await dbQueue.vacuum() }
        await expectError(closed) { try await dbQueue.erase() }
    }

    @Test func closedConnectionTellsCallbacks() async throws {
        let dbQueue = try makeQueue()
        try dbQueue.close()
        let log = Log<String>()
        dbQueue.asyncRead { log.append("1 \($0)") }
        dbQueue.asyncUnsafeRead { log.append("2 \($0)") }
        dbQueue.asyncBarrierWriteWithoutTransaction { log.append("3 \($0)") }
        dbQueue.asyncWrite { _ in
            log.append("never")
        } completion: { _, result in
            log.append("4 \(result)")
        }
        let failure = "failure(\(closed))"
        let expected = [
            "1 \(failure)", "2 \(failure)", "3 \(failure)", "4 \(failure)", "5 \(closed)",
        ]
        await withCheckedContinuation { continuation in
            dbQueue.asyncWriteWithoutTransaction { db in
                do { try db.execute(sql: "SELECT 1") } catch { log.append("5 \(error)") }
                continuation.resume()
            }
        }
        expectEqual(log.elements, expected)
    }

    @Test func closedConnectionIsNoPartOfABackup() throws {
        let dbQueue = try makeQueue()
        let other = try makeQueue()
        try dbQueue.close()
        expectError(closed) { try dbQueue.backup(to: other) }
        expectError(closed) { try other.backup(to: dbQueue) }
        try expectOpen(other)
    }

    @Test func closingTwiceIsHarmless() throws {
        let dbQueue = try makeQueue()
        try dbQueue.close()
        expectNoError { try dbQueue.close() }
        dbQueue.interrupt()
        dbQueue.releaseMemory()
        dbQueue.add(transactionObserver: TransactionRecorder())
    }

    @Test func closingRunsNoSQL() throws {
        let dbQueue = try makeQueue()
        try expectSQL("") { try dbQueue.close() }
    }

    @Test func closingFromAnAccessIsAnError() throws {
        let dbQueue = try makeQueue()
        let reentrant = "SQLite error 21: Database methods are not reentrant."
        try dbQueue.read { _ in
            expectError(reentrant) { try dbQueue.close() }
        }
        try dbQueue.write { _ in
            expectError(reentrant) { try dbQueue.close() }
        }
        try expectOpen(dbQueue)
    }

    /// Closing waits for the accesses that were asked for before.
    @Test func closingWaitsForItsTurn() throws {
        let dbQueue = try makeQueue()
        let log = Log<String>()
        for index in 1...3 {
            dbQueue.asyncWriteWithoutTransaction { db in
                letOthersRun(for: 0.01)
                log.append((try? String.fetchOne(db, sql: "SELECT '\(index)'")) ?? "none")
            }
        }
        try dbQueue.close()
        expectEqual(log.elements, ["1", "2", "3"])
    }

    @Test func fileIsFreeAfterClosing() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.journalMode = .wal
        let dbQueue = try TestDatabases.makeQueue(.file, configuration)
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        expectTrue(FileManager.default.fileExists(atPath: dbQueue.path + "-wal"))
        try dbQueue.close()
        expectTrue(!FileManager.default.fileExists(atPath: dbQueue.path + "-wal"))
    }

    // MARK: - Living statements

    @Test func livingStatementPreventsClosing() throws {
        let dbQueue = try makeQueue()
        var statement: Statement? = try dbQueue.read { db in
            try Living(db.makeStatement(sql: "SELECT * FROM t"))
        }.value
        expectError(busy) { try dbQueue.close() }
        try expectOpen(dbQueue)
        expectEqual(statement?.sql, "SELECT * FROM t")
        statement = nil
        try dbQueue.close()
        expectError(closed) { try dbQueue.read { _ in } }
    }

    @Test func livingCachedStatementPreventsClosing() throws {
        let dbQueue = try makeQueue()
        var statement: Statement? = try dbQueue.read { db in
            try Living(db.cachedStatement(sql: "SELECT * FROM t"))
        }.value
        expectError(busy) { try dbQueue.close() }
        try expectOpen(dbQueue)
        expectTrue(statement != nil)
        statement = nil
        try dbQueue.close()
    }

    @Test func livingCursorPreventsClosing() throws {
        let dbQueue = try makeQueue()
        var cursor: RowCursor? = try dbQueue.unsafeRead { db in
            let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM t")
            _ = try cursor.next()
            return Living(cursor)
        }.value
        expectError(busy) { try dbQueue.close() }
        try expectOpen(dbQueue)
        expectTrue(cursor != nil)
        cursor = nil
        try dbQueue.close()
    }

    @Test func cachedStatementsDoNotPreventClosing() throws {
        let dbQueue = try makeQueue()
        try dbQueue.read { db in
            for index in 0..<300 {
                try db.cachedStatement(sql: "SELECT \(index)").execute()
            }
        }
        expectNoError { try dbQueue.close() }
    }

    @Test func copiedRowsDoNotPreventClosing() throws {
        let dbQueue = try makeQueue()
        let rows = try dbQueue.read { try Row.fetchAll($0, sql: "SELECT * FROM t") }
        try dbQueue.close()
        expectEqual(rows.map { $0["a"] as Int }, [1, 2])
    }

    /// The statement keeps the connection, not its owner.
    @Test func statementMayOutliveTheQueue() throws {
        weak var weakQueue: DatabaseQueue?
        var statement: Statement?
        do {
            let dbQueue = try makeQueue()
            weakQueue = dbQueue
            statement = try dbQueue.read { db in
                try Living(db.makeStatement(sql: "SELECT * FROM t"))
            }.value
        }
        expectNil(weakQueue)
        expectEqual(statement?.sql, "SELECT * FROM t")
        expectError("SQLite error 21: Database was not used on the correct thread.") {
            try statement?.execute()
        }
        statement = nil
    }

    @Test func cursorMayOutliveTheQueue() throws {
        var cursor: RowCursor?
        do {
            let dbQueue = try makeQueue()
            cursor = try dbQueue.unsafeRead { db in
                let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM t")
                _ = try cursor.next()
                return Living(cursor)
            }.value
        }
        expectEqual(cursor?.sql, "SELECT * FROM t")
        cursor = nil
    }

    // MARK: - Observers

    @Test func closingReleasesObserversAndFunctions() throws {
        final class Token: Sendable {}
        weak var weakObserver: TransactionRecorder?
        weak var weakFunction: Token?
        weak var weakTrace: Token?
        let dbQueue = try makeQueue()
        do {
            let function = Token()
            let trace = Token()
            let observer = TransactionRecorder()
            (weakObserver, weakFunction, weakTrace) = (observer, function, trace)
            dbQueue.add(transactionObserver: observer, extent: .databaseLifetime)
            dbQueue.writeWithoutTransaction { db in
                db.add(
                    function: DatabaseFunction("f", argumentCount: 0) { _ in
                        _ = function
                        return nil
                    })
                db.trace { _ in _ = trace }
                db.afterNextTransaction { _ in _ = trace }
            }
        }
        expectTrue(weakObserver != nil)
        expectTrue(weakFunction != nil)
        expectTrue(weakTrace != nil)
        try dbQueue.close()
        expectNil(weakObserver)
        expectNil(weakFunction)
        expectNil(weakTrace)
    }

    @Test func closingThatFailsKeepsObservers() throws {
        let dbQueue = try makeQueue()
        let recorder = TransactionRecorder()
        dbQueue.add(transactionObserver: recorder)
        var statement: Statement? = try dbQueue.read { db in
            try Living(db.makeStatement(sql: "SELECT * FROM t"))
        }.value
        expectError(busy) { try dbQueue.close() }
        try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
        expectEqual(recorder.lines(), ["didChange insert main.t 3", "willCommit", "didCommit"])
        expectTrue(statement != nil)
        statement = nil
        try dbQueue.close()
    }
}

/// Lets a statement or a cursor out of its access, which the compiler forbids.
struct Living<Value>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}
