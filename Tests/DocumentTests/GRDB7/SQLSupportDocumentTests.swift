import GRDB
import GRDBTestSupport
import Testing

/// The snippets of the page "SQL, Prepared Statements, Rows, and Values".
@Suite(.databases) struct SQLSupportDocumentTests {
    struct Player: Decodable {
        var id: Int64
        var name: String
        var score: Int
    }

    private func makeQueue() throws -> DatabaseQueue {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (
                        id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL)
                    """)
        }
        return dbQueue
    }

    @Test func executeStatements() throws {
        let dbQueue = try makeQueue()
        try expectSQL(
            """
            BEGIN IMMEDIATE TRANSACTION
            INSERT INTO player (name, score) VALUES ('Arthur', 500)
            INSERT INTO player (name, score) VALUES ('Barbara', 1000)
            COMMIT TRANSACTION
            """
        ) {
            try dbQueue.write { db in
                try db.execute(
                    sql: """
                        INSERT INTO player (name, score) VALUES (?, ?);
                        INSERT INTO player (name, score) VALUES (?, ?);
                        """, arguments: ["Arthur", 500, "Barbara", 1000])
            }
        }
        let rows = try dbQueue.read { try Row.fetchAll($0, sql: "SELECT name, score FROM player") }
        expectEqual(rows, [["name": "Arthur", "score": 500], ["name": "Barbara", "score": 1000]])
    }

    @Test func iterateACursorOfAStatement() throws {
        let dbQueue = try makeQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: "INSERT INTO player VALUES (1, ?, 10), (2, ?, 20)",
                arguments: ["O'Brien", "O'Brien"])
        }
        var players: [[Int64]] = []
        try dbQueue.read { db in
            let sql = "SELECT id, score FROM player WHERE name = ?"
            let statement = try db.makeStatement(sql: sql)
            let rows = try Row.fetchCursor(statement, arguments: ["O'Brien"])
            while let row = try rows.next() {
                let id: Int64 = row[0]
                let score: Int = row[1]
                players.append([id, Int64(score)])
            }
        }
        expectEqual(players, [[1, 10], [2, 20]])
    }

    @Test func streamlinedRequests() throws {
        let dbQueue = try makeQueue()
        try dbQueue.write { db in
            try db.execute(
                literal: """
                    INSERT INTO player (name, score) VALUES (\("O'Reilly"), \(10)), ('Arthur', 20)
                    """)
        }
        try dbQueue.read { db in
            let players = try Player.filter(name: "O'Reilly").fetchAll(db)  // [Player]
            let maxScore = try Player.maximumScore().fetchOne(db)  // Int?
            expectEqual(players.map(\.name), ["O'Reilly"])
            expectEqual(players.map(\.score), [10])
            expectEqual(maxScore, 20)
        }
    }
}

extension SQLSupportDocumentTests.Player: FetchableRecord {
    static func filter(name: String) -> SQLRequest<Self> {
        "SELECT * FROM player WHERE name = \(name)"
    }

    static func maximumScore() -> SQLRequest<Int> {
        "SELECT MAX(score) FROM player"
    }
}
