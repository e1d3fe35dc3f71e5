import Dispatch
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// `VACUUM INTO` of a database that is in use.
@Suite(
    .databases,
    .disabled(if: TestDatabases.encryptsDatabases, "The copies are opened without a key"))
struct RunningVacuumTests {
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
