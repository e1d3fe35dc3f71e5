import GRDB
import GRDBTestSupport
import Testing

/// The snippets of the pages "SQLRequest", "SQL", "databaseQuestionMarks(count:)" and
/// "FetchRequest".
@Suite(.databases) struct SQLRequestDocumentTests {
    private struct Player: FetchableRecord {
        var name: String

        init(row: Row) {
            name = row["name"]
        }

        static func filter(name: String) -> SQLRequest<Player> {
            "SELECT * FROM player WHERE name = \(name)"
        }

        static func maximumScore() -> SQLRequest<Int> {
            "SELECT MAX(score) FROM player"
        }
    }

    private func makeQueue() throws -> DatabaseQueue {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, lastName TEXT, score INT);
                    INSERT INTO player VALUES
                        (42, 'Arthur', 'O''Reilly', 10), (43, 'O''Brien', 'Smith', 20);
                    """)
        }
        return dbQueue
    }

    @Test func sqlRequest() throws {
        try makeQueue().read { db in
            try expectSQL(
                """
                SELECT * FROM player WHERE name = 'O''Brien'
                SELECT MAX(score) FROM player
                """
            ) {
                let players = try Player.filter(name: "O'Brien").fetchAll(db)  // [Player]
                let maxScore = try Player.maximumScore().fetchOne(db)  // Int?
                expectEqual(players.map(\.name), ["O'Brien"])
                expectEqual(maxScore, 20)
            }
        }
    }

    @Test func fetchRequest() throws {
        let dbQueue = try makeQueue()
        let lastName = "O'Reilly"

        // SQLRequest
        let request: SQLRequest<Player> = """
            SELECT * FROM player WHERE lastName = \(lastName)
            """

        // Use the request
        try dbQueue.read { db in
            let players = try request.fetchAll(db)  // [Player]
            expectEqual(players.map(\.name), ["Arthur"])
        }
    }

    @Test func sql() throws {
        let dbQueue = try makeQueue()
        try dbQueue.write { db in
            let name: String = "O'Brien"
            let id: Int64 = 42
            let query: SQL = "UPDATE player SET name = \(name) WHERE id = \(id)"

            try expectSQL("UPDATE player SET name = 'O''Brien' WHERE id = 42") {
                try db.execute(literal: query)
            }
            try expectEqual(String.fetchSet(db, sql: "SELECT name FROM player"), ["O'Brien"])
        }
    }

    @Test func questionMarks() throws {
        expectEqual(databaseQuestionMarks(count: 3), "?,?,?")
    }
}
