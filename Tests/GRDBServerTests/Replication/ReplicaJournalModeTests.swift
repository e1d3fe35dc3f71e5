@testable import GRDBServer
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Litestream restores files in WAL mode, in which readers would stop the follower.
@Suite(
    .databases,
    .disabled(if: TestDatabases.encryptsDatabases, "FollowedFile changes bytes of a plain header"))
struct ReplicaJournalModeTests {
    private func makeFile() throws -> FollowedFile {
        let file = try FollowedFile()
        try file.source.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE t(n)")
        }
        try insert(1, file)
        try file.restore(1)
        try expectEqual(journalModes(file), [2, 2])
        return file
    }

    private func insert(_ number: Int, _ file: FollowedFile) throws {
        try file.source.writeWithoutTransaction { db in
            try db.execute(
                sql: "INSERT INTO t VALUES (?); PRAGMA wal_checkpoint(TRUNCATE)",
                arguments: [number])
        }
    }

    /// The versions of the file format for writing and reading: 1 for the rollback mode, 2 for WAL.
    private func journalModes(_ file: FollowedFile) throws -> [UInt8] {
        let content = try Data(contentsOf: URL(fileURLWithPath: file.path))
        return [content[18], content[19]]
    }

    private func expectRollbackMode(_ file: FollowedFile) throws {
        try expectEqual(journalModes(file), [1, 1])
        for suffix in ["-wal", "-shm", "-journal"] {
            expectTrue(!FileManager.default.fileExists(atPath: file.path + suffix))
        }
    }

    @Test func replicaLeavesWALMode() throws {
        let file = try makeFile()
        let replica = try DatabaseReplica(path: file.path)
        try expectEqual(replica.read { try Int.fetchAll($0, sql: "SELECT n FROM t") }, [1])
        try replica.close()
        try expectRollbackMode(file)
    }

    @Test func switchedFileIsComplete() throws {
        let file = try makeFile()
        // The ID was written a moment after the file: later than that, the file must not look younger.
        try file.ageID(by: -1)
        let before = try FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate]
        let replica = try DatabaseReplica(path: file.path)
        let after = try FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate]
        expectEqual(before as? Date, after as? Date)
        try expectEqual(replica.read { $0.replicaTransactionID }, 1)
        try replica.close()
        try expectRollbackMode(file)
    }

    @Test func replacedFileLeavesWALMode() throws {
        let file = try makeFile()
        let replica = try DatabaseReplica(path: file.path)
        try expectEqual(replica.read { try Int.fetchAll($0, sql: "SELECT n FROM t") }, [1])
        try insert(2, file)
        try file.restore(2)
        try expectEqual(replica.read { try Int.fetchAll($0, sql: "SELECT n FROM t") }, [1, 2])
        try replica.close()
        try expectRollbackMode(file)
    }

    @Test func filesLeftByAReaderAreRemoved() throws {
        let file = try makeFile()
        // A reader that is no replica, and was killed.
        try Data().write(to: URL(fileURLWithPath: file.path + "-wal"))
        let replica = try DatabaseReplica(path: file.path)
        try expectEqual(replica.read { try Int.fetchAll($0, sql: "SELECT n FROM t") }, [1])
        try replica.close()
        try expectRollbackMode(file)
    }
}
