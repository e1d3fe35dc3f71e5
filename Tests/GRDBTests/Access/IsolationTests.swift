import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// What the guides say on the state that an access sees, and on the accesses that can write.
@Suite(.databases) struct IsolationTests {
    private func makeConfiguration(_ mode: String = "wal") -> Configuration {
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { db in
            if !db.configuration.readonly { try db.execute(sql: "PRAGMA journal_mode = \(mode)") }
        }
        return configuration
    }

    private func makeFile(_ mode: String = "wal") throws -> DatabaseQueue {
        let queue = try TestDatabases.makeQueue(.file, makeConfiguration(mode))
        try queue.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        return queue
    }

    private func count(_ db: Database) throws -> Int? {
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
    }

    /// "A pool fixes the state that a read sees before it calls your closure. A queue fixes it at the first
    /// statement of the closure, so another process can still write between the two."
    @Test(arguments: ["wal", "delete"])
    func aQueueFixesTheStateOfAReadAtTheFirstStatement(mode: String) throws {
        let other = try makeFile(mode)
        let queue = try TestDatabases.openQueue(other.path, makeConfiguration(mode))
        try queue.read { db in
            try other.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
            try expectEqual(count(db), 2)
            if mode == "wal" {
                try other.write { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
            }
            try expectEqual(count(db), 2)
        }
    }

    @Test func aPoolFixesTheStateOfAReadBeforeTheClosure() throws {
        let other = try makeFile()
        let pool = try TestDatabases.openPool(other.path, makeConfiguration())
        try pool.read { db in
            try other.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
            try expectEqual(count(db), 1)
        }
        try expectEqual(pool.read(count), 2)
    }

    /// The table of accesses in the guide on concurrency: `unsafeRead` lifts harmless reads in a queue only.
    @Test func unsafeReadsOfAQueueCanWrite() throws {
        let queue = try makeFile()
        try queue.unsafeRead { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        try queue.unsafeReentrantRead { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
        try expectEqual(queue.read(count), 3)
        let pool = try TestDatabases.openPool(queue.path, makeConfiguration())
        for (isReentrant, number) in [(false, 4), (true, 5)] {
            let sql = "INSERT INTO t VALUES (\(number))"
            let error = expectError(DatabaseError.self) {
                if isReentrant {
                    try pool.unsafeReentrantRead { try $0.execute(sql: sql) }
                } else {
                    try pool.unsafeRead { try $0.execute(sql: sql) }
                }
            }
            expectEqual(error?.resultCode, .SQLITE_READONLY)
        }
        try expectEqual(queue.read(count), 3)
    }

    /// The last connection to close removes the WAL, unless it is read-only.
    @Test func aReadOnlyPoolThatClosesLastLeavesTheWAL() throws {
        let writer = try makeFile()
        var configuration = TestDatabases.makeConfiguration()
        configuration.readonly = true
        let reader = try TestDatabases.openPool(writer.path, configuration)
        try expectEqual(reader.read(count), 1)
        try writer.close()
        try reader.close()
        expectTrue(FileManager.default.fileExists(atPath: writer.path + "-wal"))
        let next = try TestDatabases.openQueue(writer.path, TestDatabases.makeConfiguration())
        try expectEqual(next.read(count), 1)
        try next.close()
        expectTrue(!FileManager.default.fileExists(atPath: writer.path + "-wal"))
    }
}
