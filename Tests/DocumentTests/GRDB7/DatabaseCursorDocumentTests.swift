import GRDB
import GRDBTestSupport
import Testing

/// The snippets of the pages "DatabaseCursor", "Cursor" and "Row".
@Suite(.databases) struct DatabaseCursorDocumentTests {
    private func makeQueue() throws -> DatabaseQueue {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
                    INSERT INTO player VALUES (1, 'Arthur', 10), (2, 'Barbara', 20);
                    """)
        }
        return dbQueue
    }

    @Test func rowsOfAStatement() throws {
        var players: [String] = []
        try makeQueue().read { db in
            let statement = try db.makeStatement(sql: "SELECT * FROM player")
            let rows = try Row.fetchCursor(statement)
            while let row = try rows.next() {
                let id: Int64 = row["id"]
                let name: String = row["name"]
                players.append("\(id) \(name)")
            }
        }
        expectEqual(players, ["1 Arthur", "2 Barbara"])
    }

    @Test func valuesOfSQL() throws {
        var values: [Int] = []
        try makeQueue().read { db in
            let sql = "SELECT score FROM player"
            let scores = try Int.fetchCursor(db, sql: sql)
            while let score = try scores.next() {
                values.append(score)
            }
        }
        expectEqual(values, [10, 20])
    }

    @Test func rowsOfSQL() throws {
        var players: [String] = []
        try makeQueue().read { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT * FROM player
                    """)
            while let row = try rows.next() {
                let id: Int64 = row["id"]
                let name: String = row["name"]
                players.append("\(id) \(name)")
            }
        }
        expectEqual(players, ["1 Arthur", "2 Barbara"])
    }
}
