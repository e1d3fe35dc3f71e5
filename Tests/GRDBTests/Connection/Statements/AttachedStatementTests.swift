import GRDB
import GRDBTestSupport
import Testing

/// Statements that are kept, and databases that come and go.
@Suite(.databases) struct AttachedStatementTests {
    private struct Player: TableRecord, FetchableRecord, Decodable {
        var id: Int
    }

    @Test func aNewTableHidesThatOfAnAttachedDatabase() throws {
        let old = try TestDatabases.makeQueue(.file)
        try old.write {
            try $0.execute(
                sql: """
                    CREATE TABLE player(id INTEGER PRIMARY KEY);
                    INSERT INTO player VALUES (1), (2)
                    """)
        }
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(sql: TestDatabases.attachment(old.path, as: "old"))
            func counts() throws -> [Int?] {
                try [
                    Player.fetchCount(db), Player.fetchAll(db).count,
                    Player.fetchOne(db, key: 1) == nil ? 0 : 2,
                    Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player"),
                ]
            }
            try expectEqual(counts(), [2, 2, 2, 2])
            try db.execute(sql: "CREATE TABLE main.player(id INTEGER PRIMARY KEY)")
            try expectEqual(counts(), [0, 0, 0, 0])
            try db.execute(sql: "DROP TABLE main.player")
            try expectEqual(counts(), [2, 2, 2, 2])
            try db.execute(sql: "DETACH old")
        }
    }

    @Test func immediateTransactionsLockDatabasesThatWereAttachedLater() throws {
        let other = try TestDatabases.makeQueue(.file)
        try other.write { try $0.execute(sql: "CREATE TABLE t(v)") }
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE u(v)") }
        try dbQueue.writeWithoutTransaction {
            try $0.execute(sql: TestDatabases.attachment(other.path, as: "other"))
        }
        try dbQueue.write { db in
            let error = expectError(DatabaseError.self) {
                try other.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
            }
            expectEqual(error?.resultCode, .SQLITE_BUSY)
            try db.execute(sql: "INSERT INTO other.t VALUES (2)")
        }
        try expectEqual(other.read { try Int.fetchAll($0, sql: "SELECT v FROM t") }, [2])
        try dbQueue.writeWithoutTransaction { try $0.execute(sql: "DETACH other") }
    }
}
