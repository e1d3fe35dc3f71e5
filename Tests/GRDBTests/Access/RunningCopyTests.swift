import Dispatch
import Foundation
import GRDB
import GRDBServer
import GRDBTestSupport
import Testing

/// Backups and `VACUUM INTO` of a database that is in use.
@Suite(
    .databases,
    .disabled(if: TestDatabases.encryptsDatabases, "The copies are opened without a key"))
struct RunningCopyTests {
    /// A database of 50 pages or more.
    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer: any DatabaseWriter =
            switch kind {
            case .queue: try TestDatabases.makeQueue(.file)
            case .pool: try TestDatabases.makePool()
            }
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(a);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50)
                    INSERT INTO t SELECT zeroblob(4000) FROM n;
                    """)
        }
        return writer
    }

    private func count(_ path: String) throws -> Int? {
        try TestDatabases.openQueue(path).read {
            try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t")
        }
    }

    // MARK: - Backups

    @Test(arguments: DatabaseKind.allCases)
    func backupReportsItsProgress(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let path = TestDatabases.makePath()
        let steps = Log<String>()
        try await writer.backup(to: path, pagesPerStep: 40) { progress in
            steps.append(
                "\(progress.completedPageCount)/\(progress.totalPageCount) \(progress.isCompleted)")
        }
        expectEqual(steps.elements, ["40/52 false", "52/52 true"])
        expectEqual(try count(path), 50)
        // Again, over the former copy.
        try await writer.write { try $0.execute(sql: "DELETE FROM t WHERE rowid > 10") }
        try await writer.backup(to: path)
        expectEqual(try count(path), 10)
    }

    /// Between two steps, and even while a transaction is open.
    @Test func backupOfAPoolNeverHoldsTheWriter() async throws {
        let dbPool = try makeWriter(.pool)
        let path = TestDatabases.makePath()
        try await dbPool.backup(to: path, pagesPerStep: 10) { progress in
            if progress.isCompleted { return }
            try! dbPool.write { try $0.execute(sql: "INSERT INTO t VALUES (zeroblob(4000))") }
        }
        // The copy is of the state at its beginning.
        expectEqual(try count(path), 50)
        expectEqual(
            try await dbPool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }, 55)
    }

    @Test func snapshotsAreBackedUp() async throws {
        let dbPool = try makeWriter(.pool) as! DatabasePool
        let snapshot = try dbPool.makeSnapshot()
        try await dbPool.write { try $0.execute(sql: "DELETE FROM t") }
        let path = TestDatabases.makePath()
        try await snapshot.backup(to: path)
        expectEqual(try count(path), 50)
    }

    @Test(arguments: DatabaseKind.allCases)
    func cancelledBackupLeavesTheDestinationAsItWas(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let path = TestDatabases.makePath()
        let new = TestDatabases.makePath()
        try await writer.backup(to: path)
        try await writer.write { try $0.execute(sql: "INSERT INTO t SELECT a FROM t") }
        for path in [path, new] {
            let steps = Log<Int>()
            let task = Task {
                try await writer.backup(to: path, pagesPerStep: 10) { progress in
                    steps.append(progress.completedPageCount)
                    if steps.elements.count == 3 { withUnsafeCurrentTask { $0?.cancel() } }
                }
            }
            await expectError(CancellationError.self) { try await task.value }
            expectEqual(steps.elements, [10, 20, 30])
        }
        expectEqual(try count(path), 50)
        expectEqual(
            try await TestDatabases.openQueue(new).read {
                try Int.fetchOne($0, sql: "PRAGMA page_count")
            }, 0)
        try await writer.backup(to: path)
        expectEqual(try count(path), 100)
    }

    @Test(arguments: DatabaseKind.allCases)
    func unwritableDestinationThrows(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let path = TestDatabases.makePath("no/folder.sqlite")
        let error = await expectError(DatabaseError.self) { try await writer.backup(to: path) }
        expectEqual(error?.resultCode, .SQLITE_CANTOPEN)
        // A file that is no database
        let text = TestDatabases.makePath()
        try Data(repeating: 0x61, count: 5000).write(to: URL(fileURLWithPath: text))
        let textError = await expectError(DatabaseError.self) {
            try await writer.backup(to: text)
        }
        expectEqual(textError?.resultCode, .SQLITE_NOTADB)
        expectEqual(
            try await writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }, 50)
    }

    /// A pool would wait, because its readers do.
    @Test func lockedDestinationThrows() async throws {
        let writer = try makeWriter(.queue)
        let destination = try TestDatabases.makeQueue(.file)
        try await destination.write { try $0.execute(sql: "CREATE TABLE old(a)") }
        let path = destination.path
        let isLocked = DispatchSemaphore(value: 0)
        let isOver = DispatchSemaphore(value: 0)
        let group = DispatchGroup()
        Thread.detach(in: group) {
            try! destination.inTransaction(.exclusive) { _ in
                isLocked.signal()
                isOver.wait()
                return .rollback
            }
        }
        await isLocked.waitInTask()
        let error = await expectError(DatabaseError.self) { try await writer.backup(to: path) }
        isOver.signal()
        await group.waitInTask()
        expectEqual(error?.resultCode, .SQLITE_BUSY)
        expectEqual(
            try await destination.read {
                try String.fetchAll($0, sql: "SELECT name FROM sqlite_master")
            },
            ["old"])
    }

    // MARK: - VACUUM INTO

    /// The writer is in use, and in a transaction.
    @Test func poolIsVacuumedWhileItWrites() async throws {
        let dbPool = try makeWriter(.pool)
        let paths = (0..<2).map { _ in TestDatabases.makePath() }
        try await dbPool.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            try dbPool.vacuum(into: paths[0])
        }
        let isWriting = DispatchSemaphore(value: 0)
        let isCopied = DispatchSemaphore(value: 0)
        let group = DispatchGroup()
        Thread.detach(in: group) {
            try! dbPool.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (2)")
                isWriting.signal()
                isCopied.wait()
            }
        }
        await isWriting.waitInTask()
        try await dbPool.vacuum(into: paths[1])
        isCopied.signal()
        await group.waitInTask()
        expectEqual(try paths.map(count), [50, 51])
        expectEqual(
            try await dbPool.write { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }, 52)
        // Through a wrapper as well.
        let path = TestDatabases.makePath()
        try await dbPool.write { _ in try AnyDatabaseWriter(dbPool).vacuum(into: path) }
        expectEqual(try count(path), 52)
    }

    @Test(arguments: DatabaseKind.allCases)
    func unwritableVacuumThrows(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let path = TestDatabases.makePath("no/folder.sqlite")
        let error = expectError(DatabaseError.self) { try writer.vacuum(into: path) }
        expectEqual(error?.resultCode, .SQLITE_CANTOPEN)
        let asyncError = await expectError(DatabaseError.self) {
            try await writer.vacuum(into: path)
        }
        expectEqual(asyncError?.resultCode, .SQLITE_CANTOPEN)
        // The connection still only reads, and works.
        expectEqual(
            try await writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }, 50)
        if kind == .pool {
            try await writer.read { db throws in
                let error = expectError(DatabaseError.self) {
                    try db.execute(sql: "DELETE FROM t")
                }
                expectEqual(error?.resultCode, .SQLITE_READONLY)
            }
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func cancelledVacuumThrows(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let path = TestDatabases.makePath()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await writer.vacuum(into: path)
        }
        await expectError(CancellationError.self) { try await task.value }
        try await writer.vacuum(into: path)
        expectEqual(try count(path), 50)
    }
}
