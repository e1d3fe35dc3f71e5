import Dispatch
import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabasePoolWritingTests {
    private let reentrant = "SQLite error 21: Database methods are not reentrant."
    private let dbPool: DatabasePool

    init() throws {
        dbPool = try TestDatabases.makePool()
        try dbPool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
    }

    private func count() throws -> Int? {
        try dbPool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
    }

    @Test func writesInATransactionOfTheGivenKind() throws {
        try expectSQL("BEGIN EXCLUSIVE TRANSACTION\nINSERT INTO t VALUES (1)\nCOMMIT TRANSACTION") {
            try dbPool.writeInTransaction(.exclusive) { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                return .commit
            }
        }
        try dbPool.writeInTransaction { db in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            return .rollback
        }
        try expectEqual(count(), 1)
    }

    @Test func writesAreSerialized() throws {
        let group = DispatchGroup()
        for _ in 0..<8 {
            Thread.detach(in: group) { [dbPool] in
                for _ in 0..<20 {
                    do {
                        try dbPool.write { db in
                            let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
                            try db.execute(
                                sql: "INSERT INTO t VALUES (?)", arguments: [count])
                        }
                    } catch {
                        Issue.record("\(error)")
                    }
                }
            }
        }
        group.wait()
        let values = try dbPool.read { try Int.fetchAll($0, sql: "SELECT a FROM t ORDER BY a") }
        expectEqual(values, Array(0..<160))
    }

    /// The writes of one thread happen in its order, whatever their form.
    @Test func writesOfAThreadKeepTheirOrder() throws {
        for index in 0..<30 {
            let insert: @Sendable (Database) -> Void = { db in
                try! db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [index])
            }
            switch index % 3 {
            case 0: dbPool.asyncWriteWithoutTransaction(insert)
            case 1: dbPool.writeWithoutTransaction(insert)
            default:
                dbPool.asyncWrite {
                    insert($0)
                } completion: { _, _ in
                }
            }
        }
        let values = try dbPool.writeWithoutTransaction { db in
            try Int.fetchAll(db, sql: "SELECT a FROM t ORDER BY rowid")
        }
        expectEqual(values, Array(0..<30))
    }

    @Test func asyncWriteCompletesOnTheWriter() async throws {
        let log = Log<String>()
        for sql in ["INSERT INTO t VALUES (1)", "INSERT INTO nope VALUES (1)"] {
            await withCheckedContinuation { continuation in
                dbPool.asyncWrite { db -> Int in
                    try db.execute(sql: sql)
                    return 1
                } completion: { db, result in
                    log.append("\(db.description) \(db.isInsideTransaction) \(result)")
                    continuation.resume()
                }
            }
        }
        expectEqual(
            log.elements,
            [
                "GRDB.DatabasePool.writer false success(1)",
                """
                GRDB.DatabasePool.writer false failure(SQLite error 1: no such table: nope \
                - while executing `INSERT INTO nope VALUES (1)`)
                """,
            ])
    }

    /// The failure of the commit is that of the write.
    @Test(arguments: DatabaseKind.allCases)
    func asyncWriteTellsAFailedCommit(kind: DatabaseKind) async throws {
        let writer = try TestDatabases.makeWriter(kind)
        try await writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE p(id INTEGER PRIMARY KEY);
                    CREATE TABLE c(a REFERENCES p(id) DEFERRABLE INITIALLY DEFERRED);
                    """)
        }
        let log = Log<String>()
        await withCheckedContinuation { continuation in
            writer.asyncWrite { db in
                try db.execute(sql: "INSERT INTO c VALUES (1)")
            } completion: { db, result in
                let count = try? Int.fetchOne(db, sql: "SELECT COUNT(*) FROM c")
                log.append("\(db.isInsideTransaction) \(count ?? -1) \(result)")
                continuation.resume()
            }
        }
        expectEqual(
            log.elements,
            [
                """
                false 0 failure(SQLite error 19: FOREIGN KEY constraint failed \
                - while executing `COMMIT TRANSACTION`)
                """
            ])
    }

    // MARK: - Barriers

    @Test func barrierWaitsForReadsAndKeepsThemOut() throws {
        let log = Log<String>()
        let isReading = DispatchSemaphore(value: 0)
        let group = DispatchGroup()
        Thread.detach(in: group) { [dbPool] in
            try? dbPool.read { _ in
                isReading.signal()
                letOthersRun()
                log.append("read")
            }
        }
        isReading.wait()
        try dbPool.barrierWriteWithoutTransaction { _ in
            log.append("barrier")
            Thread.detach(in: group) { [dbPool] in
                try? dbPool.read { _ in log.append("later read") }
            }
            letOthersRun()
            log.append("end of barrier")
        }
        group.wait()
        expectEqual(log.elements, ["read", "barrier", "end of barrier", "later read"])
    }

    @Test func barriersOfTasksAndCallbacks() async throws {
        let log = Log<String>()
        let isReading = DispatchSemaphore(value: 0)
        dbPool.asyncRead { _ in
            isReading.signal()
            letOthersRun()
            log.append("read")
        }
        await isReading.waitInTask()
        let value = try await dbPool.barrierWriteWithoutTransaction { db in
            log.append("barrier \(db.isInsideTransaction)")
            return 1
        }
        expectEqual(value, 1)
        await withCheckedContinuation { continuation in
            dbPool.asyncBarrierWriteWithoutTransaction { result in
                log.append("\(result.map(\.description))")
                continuation.resume()
            }
        }
        try await dbPool.read { _ in log.append("read again") }
        expectEqual(
            log.elements,
            [
                "read", "barrier false", "success(\"GRDB.DatabasePool.writer\")", "read again",
            ])
    }

    @Test func barrierErrorsAreThrown() throws {
        expectError(TestError()) {
            try dbPool.barrierWriteWithoutTransaction { _ in throw TestError() }
        }
        try dbPool.read { _ in }
        let none: Int? = try dbPool.barrierWriteWithoutTransaction { _ in nil }
        expectEqual(none, nil)
    }

    @Test func barrierErrorsOfTasksAreThrown() async throws {
        await expectError(TestError()) {
            try await dbPool.barrierWriteWithoutTransaction { _ in throw TestError() }
        }
        try await dbPool.read { _ in }
        let none: Int? = try await dbPool.barrierWriteWithoutTransaction { _ in nil }
        expectEqual(none, nil)
    }

    @Test func barriersAreNotReentrant() throws {
        try dbPool.write { _ in
            expectError(reentrant) { try dbPool.barrierWriteWithoutTransaction { _ in } }
            expectError(reentrant) { try dbPool.erase() }
        }
        try dbPool.barrierWriteWithoutTransaction { _ in
            expectError(reentrant) { try dbPool.barrierWriteWithoutTransaction { _ in } }
            // Nobody writes meanwhile.
            try dbPool.read { _ in }
        }
    }

    /// A barrier waits for reads that write, and for writes that read.
    @Test func barriersDoNotDeadlockWithNestedAccesses() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<120 {
                group.addTask { [dbPool] in
                    switch index % 4 {
                    case 0:
                        try await dbPool.barrierWriteWithoutTransaction { db in
                            try db.execute(sql: "INSERT INTO t VALUES (1)")
                        }
                    case 1:
                        try await dbPool.read { _ in
                            try dbPool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
                        }
                    case 2:
                        try await dbPool.write { db in
                            try db.execute(sql: "INSERT INTO t VALUES (1)")
                            try dbPool.read { _ in }
                        }
                    default:
                        try await dbPool.writeWithoutTransaction { db in
                            try db.execute(sql: "INSERT INTO t VALUES (1)")
                            dbPool.asyncConcurrentRead { result in
                                _ = try? result.get().schemaVersion()
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let count = try await dbPool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
        expectEqual(count, 120)
    }

    @Test func synchronousBarriersDoNotDeadlockWithNestedAccesses() throws {
        let group = DispatchGroup()
        for index in 0..<6 {
            Thread.detach(in: group) { [dbPool] in
                for _ in 0..<20 {
                    do {
                        switch index % 3 {
                        case 0: try dbPool.barrierWriteWithoutTransaction { _ in }
                        case 1: try dbPool.read { _ in try dbPool.write { _ in } }
                        default: try dbPool.write { _ in try dbPool.read { _ in } }
                        }
                    } catch {
                        Issue.record("\(error)")
                    }
                }
            }
        }
        group.wait()
    }

    // MARK: - Other operations

    @Test func eraseLeavesAnEmptyDatabase() throws {
        let snapshot = try dbPool.makeSnapshot()
        try dbPool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        try dbPool.erase()
        let exists = try dbPool.read { try $0.tableExists("t") }
        expectTrue(!exists)
        let mode = try dbPool.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
        expectEqual(mode, "wal")
        let formerCount = try snapshot.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
        expectEqual(formerCount, 0)
    }

    @Test func vacuum() async throws {
        func vacuumAtOnce(into path: String) throws {
            try dbPool.vacuum()
            try dbPool.vacuum(into: path)
        }
        try vacuumAtOnce(into: TestDatabases.makePath())
        try await dbPool.vacuum()
        let path = TestDatabases.makePath()
        try await dbPool.vacuum(into: path)
        let exists = try await TestDatabases.openQueue(path).read { try $0.tableExists("t") }
        expectTrue(exists)
    }

    @Test func poolsAreBackedUp() throws {
        try dbPool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        let destination = try TestDatabases.makePool()
        try destination.read { _ in }
        try dbPool.backup(to: destination)
        let count = try destination.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
        expectEqual(count, 1)
        let mode = try destination.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
        expectEqual(mode, "wal")

        let snapshot = try dbPool.makeSnapshot()
        let snapshotPool = try dbPool.makeSnapshotPool()
        try dbPool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        for reader in [snapshot, snapshotPool] as [any DatabaseReader] {
            let dbQueue = try TestDatabases.makeQueue()
            try reader.backup(to: dbQueue)
            let count = try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
            expectEqual(count, 1)
        }
        expectError(
            "SQLite error 21: The source and the destination of a backup must be distinct"
        ) {
            try dbPool.backup(to: dbPool)
        }
    }

    @Test func poolsAreBackedUpBothWaysAtOnce() throws {
        let other = try TestDatabases.makePool()
        let group = DispatchGroup()
        for (source, destination) in [(dbPool, other), (other, dbPool)] {
            Thread.detach(in: group) {
                for _ in 0..<10 {
                    do {
                        try source.backup(to: destination)
                    } catch {
                        Issue.record("\(error)")
                    }
                }
            }
        }
        group.wait()
    }

    @Test func checkpointsAreNotPreventedByReaders() throws {
        try dbPool.writeWithoutTransaction { db in
            _ = try db.checkpoint(.truncate)
            try db.execute(sql: "INSERT INTO t VALUES (1)")
        }
        let snapshot = try dbPool.makeSnapshot()
        try dbPool.writeWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            let passive = try db.checkpoint()
            #expect(passive.walFrameCount > passive.checkpointedFrameCount)
            // Busy comes back as a result.
            let truncate = try db.checkpoint(.truncate)
            #expect(truncate.walFrameCount > truncate.checkpointedFrameCount)
        }
        try snapshot.close()
        try dbPool.writeWithoutTransaction { db in
            let counts = try db.checkpoint(.truncate)
            #expect(counts == (0, 0))
        }
    }

    /// The counts can't tell: all frames are in the database, and the file was not restarted.
    @Test func checkpointsTellWhetherTheyAreBusy() throws {
        for (mode, isBusy) in [
            (Database.CheckpointMode.passive, false), (.full, false), (.restart, true),
            (.truncate, true),
        ] {
            // A reader that needs nothing from the WAL file is in nobody's way.
            try dbPool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
            let result = try dbPool.read { db in
                _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
                return try dbPool.writeWithoutTransaction { try $0.checkpointResult(mode) }
            }
            expectEqual(result.isBusy, isBusy, "\(mode)")
            expectEqual(result.walFrameCount, result.checkpointedFrameCount)
        }
        try dbPool.writeWithoutTransaction { db in
            let result = try db.checkpointResult(.truncate)
            expectTrue(!result.isBusy)
            expectEqual(result.walFrameCount, 0)
        }
    }

    @Test func observersWatchTheWriterOnly() throws {
        let recorder = TransactionRecorder()
        dbPool.add(transactionObserver: recorder)
        try dbPool.read { _ in }
        expectEqual(recorder.lines(), [])
        try dbPool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        expectEqual(recorder.lines(), ["didChange insert main.t 1", "willCommit", "didCommit"])
        dbPool.remove(transactionObserver: recorder)
    }

    /// Reads may write, and writes read: neither waits for the other when both meet.
    @Test func readsThatWriteMeetWritesThatRead() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.maximumReaderCount = 1
        let dbPool = try TestDatabases.makePool(configuration)
        try dbPool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        let group = DispatchGroup()
        let reading = DispatchSemaphore(value: 0)
        let writing = DispatchSemaphore(value: 0)
        Thread.detach(in: group) {
            try? dbPool.read { _ in
                reading.signal()
                writing.wait()
                try dbPool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
            }
        }
        Thread.detach(in: group) {
            reading.wait()
            try? dbPool.write { _ in
                writing.signal()
                // Let the other one wait for the writer.
                letOthersRun()
                _ = try dbPool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
            }
        }
        expectEqual(group.wait(timeout: .now() + patience), .success)
        try expectEqual(dbPool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }, 1)
    }
}
