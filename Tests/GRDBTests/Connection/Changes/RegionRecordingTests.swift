import GRDBTestSupport
import Testing

@testable import GRDB

/// `Database.registerAccess(to:)`, and the recording that it feeds.
@Suite(.databases) struct RegionRecordingTests {
    private func makeQueue() throws -> DatabaseQueue {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
            try db.execute(sql: "CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT)")
        }
        return dbQueue
    }

    @Test func recordsStatementsAndRegisteredAccesses() throws {
        try makeQueue().read { db in
            let (count, region) = try db.recordingRegion {
                try db.registerAccess(to: SQLRequest<Row>(sql: "SELECT name FROM team"))
                return try Int.fetchOne(db, sql: "SELECT COUNT(name) FROM player")
            }
            expectEqual(count, 0)
            expectEqual(region.description, "player(name),team(name)")
        }
    }

    @Test func recordingsNest() throws {
        try makeQueue().read { db in
            let (_, outer) = try db.recordingRegion {
                let (_, inner) = try db.recordingRegion {
                    _ = try Row.fetchAll(db, sql: "SELECT name FROM team")
                }
                expectEqual(inner.description, "team(name)")
                _ = try Row.fetchAll(db, sql: "SELECT name FROM player")
            }
            expectEqual(outer.description, "player(name),team(name)")
        }
    }

    /// What is asked of the schema in order to record is not recorded in turn.
    @Test func recordingRunsNoMoreThanOneStatementOfItsOwn() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE player (a)") }
        let sql = try TestDatabases.sql {
            try dbQueue.read { db in
                _ = try db.recordingRegion {
                    _ = try Row.fetchAll(db, sql: "SELECT * FROM player")
                    _ = try Row.fetchAll(db, sql: "SELECT a FROM player")
                }
            }
        }
        expectTrue(sql.count { $0.hasPrefix("PRAGMA") } <= 1)
        expectTrue(sql.contains("SELECT * FROM player"))
        #expect(sql.count < 7)
    }

    @Test func pragmasAreNotRecorded() throws {
        try makeQueue().read { db in
            let (_, region) = try db.recordingRegion {
                _ = try Row.fetchAll(db, sql: "PRAGMA table_info(player)")
            }
            expectTrue(region.isEmpty)
        }
    }

    @Test func regionIsNotEvaluatedWhenNobodyRecords() throws {
        try makeQueue().read { db in
            var isEvaluated = false
            func region() -> DatabaseRegion {
                isEvaluated = true
                return .fullDatabase
            }
            try db.registerAccess(to: region())
            expectTrue(!isEvaluated)
        }
    }
}
