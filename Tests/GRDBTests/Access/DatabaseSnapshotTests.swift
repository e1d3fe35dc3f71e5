import Dispatch
import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabaseSnapshotTests {
    private let dbPool: DatabasePool

    init() throws {
        dbPool = try TestDatabases.makePool()
        try dbPool.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
    }

    /// The two kinds of snapshots, which share most of their behaviour.
    enum Kind: CaseIterable {
        case snapshot, pool

        func make(_ dbPool: DatabasePool) throws -> any DatabaseSnapshotReader {
            switch self {
            case .snapshot: try dbPool.makeSnapshot()
            case .pool: try dbPool.makeSnapshotPool()
            }
        }
    }

    private func values(_ reader: any DatabaseReader) throws -> [Int] {
        try reader.read { try Int.fetchAll($0, sql: "SELECT a FROM t ORDER BY a") }
    }

    private func insert(_ value: Int) throws {
        try dbPool.write { try $0.execute(sql: "INSERT INTO t VALUES (?)", arguments: [value]) }
    }

    // MARK: - Content

    @Test(arguments: Kind.allCases)
    func contentNeverChanges(kind: Kind) throws {
        let snapshot = try kind.make(dbPool)
        try expectEqual(values(snapshot), [1])
        try insert(2)
        try expectEqual(values(snapshot), [1])
        let later = try kind.make(dbPool)
        try dbPool.write { try $0.execute(sql: "DROP TABLE t") }
        try expectEqual(values(snapshot), [1])
        try expectEqual(values(later), [1, 2])
    }

    @Test(arguments: Kind.allCases)
    func contentIsReadAsynchronously(kind: Kind) async throws {
        let snapshot = try kind.make(dbPool)
        try insert(2)
        let asyncCount = try await snapshot.read { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
        }
        expectEqual(asyncCount, 1)
        let unsafeCount = try await snapshot.unsafeRead { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
        }
        expectEqual(unsafeCount, 1)
        func count() throws -> Int? {
            try snapshot.unsafeRead { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
        }
        try expectEqual(count(), 1)
        let counts = Log<Int>()
        for read in [snapshot.asyncRead, snapshot.asyncUnsafeRead] {
            await withCheckedContinuation { continuation in
                read { result in
                    let count = try? Int.fetchOne(result.get(), sql: "SELECT COUNT(*) FROM t")
                    counts.append(count ?? -1)
                    continuation.resume()
                }
            }
        }
        expectEqual(counts.elements, [1, 1])
    }

    /// Checkpoints, even those that reset the WAL file, leave snapshots alone.
    @Test(arguments: Kind.allCases)
    func contentSurvivesCheckpoints(kind: Kind) throws {
        let snapshot = try kind.make(dbPool)
        for index in 2..<300 {
            try insert(index)
            if index % 10 == 0 {
                try dbPool.writeWithoutTransaction { db in
                    let mode: Database.CheckpointMode =
                        [.passive, .full, .restart, .truncate][index / 10 % 4]
                    _ = try db.checkpoint(mode)
                }
            }
        }
        try expectEqual(values(snapshot), [1])
        try dbPool.read { _ throws in try expectEqual(values(snapshot), [1]) }
    }

    /// Also when everything is in the database file already.
    @Test(arguments: Kind.allCases)
    func contentSurvivesWritesAfterACheckpoint(kind: Kind) throws {
        for mode in [Database.CheckpointMode.passive, .full, .restart, .truncate] {
            try dbPool.writeWithoutTransaction { _ = try $0.checkpoint(mode) }
            let expected = try values(dbPool)
            let snapshot = try kind.make(dbPool)
            for index in 0..<20 {
                try insert(index)
                try dbPool.writeWithoutTransaction { _ = try $0.checkpoint() }
            }
            // Several connections of a pool.
            let group = DispatchGroup()
            for _ in 0..<4 {
                Thread.detach(in: group) {
                    do {
                        let values = try snapshot.read { db in
                            letOthersRun(for: 0.01)
                            return try Int.fetchAll(db, sql: "SELECT a FROM t ORDER BY a")
                        }
                        expectEqual(values, expected)
                    } catch {
                        Issue.record("\(mode): \(error)")
                    }
                }
            }
            group.wait()
        }
    }

    @Test(arguments: Kind.allCases)
    func snapshotOfAPoolThatHasNotWritten(kind: Kind) throws {
        let path = dbPool.path
        try dbPool.close()
        let other = try TestDatabases.openPool(path)
        let snapshot = try kind.make(other)
        try expectEqual(values(snapshot), [1])
    }

    @Test(arguments: Kind.allCases)
    func snapshotInAWriteSeesTheLastCommit(kind: Kind) throws {
        let snapshots = try dbPool.writeWithoutTransaction { db in
            var snapshots = [try kind.make(dbPool)]
            try db.inTransaction {
                try db.execute(sql: "DELETE FROM t")
                return .commit
            }
            snapshots.append(try kind.make(dbPool))
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            return snapshots
        }
        try expectEqual(snapshots.map(values), [[1], []])
    }

    @Test func snapshotInAWriteTransactionIsRefused() throws {
        try dbPool.write { _ in
            expectError(
                "SQLite error 21: makeSnapshot() must not be called from inside a transaction."
            ) {
                try dbPool.makeSnapshot()
            }
            expectError(
                "SQLite error 21: makeSnapshotPool() must not be called from inside a transaction."
            ) {
                try dbPool.makeSnapshotPool()
            }
        }
    }

    @Test func snapshotFromDidCommit() throws {
        let snapshots = Log<DatabaseSnapshot>()
        try dbPool.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            db.afterNextTransaction { [unowned dbPool] _ in
                snapshots.append(try! dbPool.makeSnapshot())
            }
        }
        try insert(3)
        try expectEqual(values(snapshots.removeAll()[0]), [1, 2])
    }

    @Test(arguments: Kind.allCases)
    func snapshotInARead(kind: Kind) throws {
        try dbPool.read { db throws in
            _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
            try insert(2)
            // The snapshot is of now, not of the read.
            try expectEqual(values(kind.make(dbPool)), [1, 2])
        }
    }

    // MARK: - Accesses

    @Test(arguments: Kind.allCases)
    func snapshotsAreReadOnly(kind: Kind) throws {
        let snapshot = try kind.make(dbPool)
        expectTrue(snapshot.configuration.readonly)
        expectTrue(snapshot.configuration.allowsUnsafeTransactions)
        expectEqual(snapshot.path, dbPool.path)
        try snapshot.read { db in
            expectTrue(db.isInsideTransaction)
            expectError(
                """
                SQLite error 8: attempt to write a readonly database \
                - while executing `INSERT INTO t VALUES (8)`
                """
            ) {
                try db.execute(sql: "INSERT INTO t VALUES (8)")
            }
            try db.inSavepoint { .commit }
        }
        try expectEqual(values(snapshot), [1])
    }

    @Test(arguments: Kind.allCases)
    func snapshotFindsItselfAgainAfterACommit(kind: Kind) throws {
        let snapshot = try kind.make(dbPool)
        try insert(2)
        try snapshot.read { db in
            try db.execute(sql: "COMMIT")
            expectError("SQLite error 4: Transaction was aborted - while executing `SELECT 1`") {
                try db.execute(sql: "SELECT 1")
            }
        }
        try expectEqual(values(snapshot), [1])
        try snapshot.read { expectTrue($0.isInsideTransaction) }
    }

    /// Nothing is read rather than something else.
    @Test func snapshotThatIsLostSaysSo() throws {
        let snapshot = try dbPool.makeSnapshot()
        try insert(2)
        try snapshot.read { db in
            try db.execute(sql: "COMMIT")
            try dbPool.writeWithoutTransaction { db in
                _ = try db.checkpoint(.truncate)
                try db.execute(sql: "INSERT INTO t VALUES (3)")
            }
        }
        expectError(
            "SQLite error 4: The snapshot is lost, because its transaction was ended"
        ) {
            try values(snapshot)
        }
        try snapshot.close()
    }

    @Test(arguments: Kind.allCases)
    func nestedReads(kind: Kind) throws {
        let snapshot = try kind.make(dbPool)
        try snapshot.read { db throws in
            try snapshot.reentrantRead { #expect($0 === db) }
            try snapshot.unsafeReentrantRead { #expect($0 === db) }
            try expectEqual(values(dbPool), [1])
            try insert(2)
        }
        try snapshot.reentrantRead { db throws in
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 1)
        }
        try dbPool.read { _ throws in try expectEqual(values(snapshot), [1]) }
        try dbPool.write { _ throws in try expectEqual(values(snapshot), [1]) }
    }

    @Test func readsOfAPoolAreNotReentrant() throws {
        let snapshot = try dbPool.makeSnapshotPool()
        try snapshot.read { _ in
            expectError("SQLite error 21: Database methods are not reentrant.") {
                try snapshot.read { _ in }
            }
            expectError("SQLite error 21: Database methods are not reentrant.") {
                try snapshot.close()
            }
        }
    }

    @Test func readsOfASnapshotTrapWhenReentrant() async {
        await #expect(processExitsWith: .failure) {
            let path = FileManager.default.temporaryDirectory
                .appendingPathComponent("\(UUID().uuidString).sqlite").path
            let snapshot = try DatabasePool(path: path).makeSnapshot()
            snapshot.read { _ in snapshot.read { _ in } }
        }
    }

    @Test(arguments: Kind.allCases)
    func cursorsThatAreLeftDoNotHarm(kind: Kind) throws {
        let snapshot = try kind.make(dbPool)
        let cursor = try snapshot.read { db in
            let cursor = try Int.fetchCursor(db, sql: "SELECT a FROM t")
            _ = try cursor.next()
            return Living(cursor)
        }.value
        try expectEqual(values(snapshot), [1])
        withExtendedLifetime(cursor) {}
    }

    @Test(arguments: Kind.allCases)
    func cancelledReadLeavesTheSnapshot(kind: Kind) async throws {
        let snapshot = try kind.make(dbPool)
        let isReading = DispatchSemaphore(value: 0)
        let task = Task {
            try await snapshot.read { db in
                isReading.signal()
                return try Int.fetchOne(db, sql: endlessSQL)
            }
        }
        await isReading.waitInTask()
        task.cancel()
        await expectError(CancellationError.self) { try await task.value }
        try insert(2)
        try expectEqual(values(snapshot), [1])
    }

    @Test(arguments: Kind.allCases)
    func interruptedReadLeavesTheSnapshot(kind: Kind) throws {
        let snapshot = try kind.make(dbPool)
        expectError("SQLite error 9: interrupted - while executing `\(endlessSQL)`") {
            try snapshot.read { db in
                try snapshot.whileInterrupting { try Int.fetchOne(db, sql: endlessSQL) }
            }
        }
        try insert(2)
        try expectEqual(values(snapshot), [1])
    }

    // MARK: - Life

    @Test(arguments: Kind.allCases)
    func snapshotOutlivesItsPool(kind: Kind) throws {
        let snapshot = try kind.make(dbPool)
        try dbPool.close()
        try expectEqual(values(snapshot), [1])
        try snapshot.close()
        try snapshot.close()
        snapshot.interrupt()
        expectError("SQLite error 21: Connection is closed") { try values(snapshot) }
    }

    @Test(arguments: Kind.allCases)
    func closedSnapshotThrowsInTasks(kind: Kind) async throws {
        let snapshot = try kind.make(dbPool)
        try snapshot.close()
        await expectError("SQLite error 21: Connection is closed") {
            try await snapshot.read { _ in }
        }
        expectError("SQLite error 21: Connection is closed") {
            try snapshot.reentrantRead { _ in }
        }
        let log = Log<String>()
        await withCheckedContinuation { continuation in
            snapshot.asyncRead { result in
                log.append("\(result)")
                continuation.resume()
            }
        }
        expectEqual(log.elements, ["failure(SQLite error 21: Connection is closed)"])
    }

    @Test(arguments: Kind.allCases)
    func releasedSnapshotLetsTheFileShrink(kind: Kind) throws {
        do {
            let snapshot = try kind.make(dbPool)
            try insert(2)
            try dbPool.writeWithoutTransaction { db in
                let counts = try db.checkpoint(.truncate)
                #expect(counts.walFrameCount > 0)
            }
            withExtendedLifetime(snapshot) {}
        }
        try dbPool.writeWithoutTransaction { db in
            let counts = try db.checkpoint(.truncate)
            expectEqual(counts.walFrameCount, 0)
        }
    }

    /// Outside of WAL mode, a snapshot holds a lock.
    @Test func snapshotOfADatabaseThatIsNotInWALModeBlocksWriters() throws {
        let dbQueue = try TestDatabases.makeQueue(.file)
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        var configuration = TestDatabases.makeConfiguration()
        configuration.readonly = true
        let snapshot = try TestDatabases.openPool(dbQueue.path, configuration).makeSnapshot()
        expectError("SQLite error 5: database is locked - while executing `COMMIT TRANSACTION`") {
            try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        }
        try expectEqual(values(snapshot), [])
        try snapshot.close()
        try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    }

    @Test func transactionDateIsThatOfTheSnapshot() throws {
        let snapshot = try dbPool.makeSnapshot()
        let date = try snapshot.read { try $0.transactionDate }
        waitForDate(after: date)
        try expectEqual(snapshot.read { try $0.transactionDate }, date)
    }
}
