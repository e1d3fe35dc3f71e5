import GRDB
import GRDBTestSupport
import Testing

/// The snippets of the page "Statement".
@Suite(.databases) struct StatementDocumentTests {
    private struct Player: FetchableRecord, Equatable {
        var name: String
        var score: Int

        init(name: String, score: Int) {
            self.name = name
            self.score = score
        }

        init(row: Row) {
            name = row["name"]
            score = row["score"]
        }
    }

    private func withPlayers(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE player (name TEXT, score INTEGER)")
            try body(db)
        }
    }

    @Test func buildingAndExecuting() throws {
        try withPlayers { db in
            let insertStatement = try db.makeStatement(
                sql: """
                    INSERT INTO player (name, score) VALUES (:name, :score)
                    """)

            let selectStatement = try db.makeStatement(
                sql: """
                    SELECT * FROM player WHERE name = ?
                    """)

            insertStatement.arguments = ["name": "Arthur", "score": 1000]
            selectStatement.arguments = ["Arthur"]

            try expectSQL("INSERT INTO player (name, score) VALUES ('Arthur', 1000)") {
                try insertStatement.execute()
            }
            let cursor = try Player.fetchCursor(selectStatement)  // A Cursor of Player
            try expectEqual(cursor.next(), Player(name: "Arthur", score: 1000))
            let players = try Player.fetchAll(selectStatement)  // [Player]
            expectEqual(players, [Player(name: "Arthur", score: 1000)])

            try insertStatement.execute(arguments: ["name": "Arthur", "score": 1000])
            let player = try Player.fetchOne(selectStatement, arguments: ["Arthur"])
            expectEqual(player, Player(name: "Arthur", score: 1000))
            try expectEqual(Player.fetchAll(selectStatement).count, 2)
        }
    }

    @Test func interpolation() throws {
        try withPlayers { db in
            let insertStatement = try db.makeStatement(
                literal: "INSERT INTO player VALUES (\("Arthur"), \(1000))")
            let selectStatement = try db.makeStatement(
                literal: "SELECT score FROM player WHERE name = \("Arthur")")
            try insertStatement.execute()
            try expectEqual(Int.fetchOne(selectStatement), 1000)
        }
    }

    @Test func caching() throws {
        try withPlayers { db in
            for score in 1...2 {
                let statement = try db.cachedStatement(sql: "INSERT INTO player VALUES ('a', ?)")
                try statement.execute(arguments: [score])
            }
            for score in 3...4 {
                let statement = try db.cachedStatement(
                    literal: "INSERT INTO player VALUES ('a', \(score))")
                try statement.execute()
            }
            try expectEqual(Int.fetchAll(db, sql: "SELECT score FROM player"), [1, 2, 3, 4])
        }
    }

    @Test func severalStatements() throws {
        try withPlayers { db in
            let statements = try db.allStatements(
                sql: """
                    INSERT INTO player (name, score) VALUES (?, ?);
                    INSERT INTO player (name, score) VALUES (?, ?);
                    """, arguments: ["Arthur", 100, "O'Brien", 1000])
            while let statement = try statements.next() {
                try statement.execute()
            }
            try expectEqual(Int.fetchAll(db, sql: "SELECT score FROM player"), [100, 1000])
        }
    }

    @Test func severalStatementsWithInterpolation() throws {
        try withPlayers { db in
            let statements = try db.allStatements(
                literal: """
                    INSERT INTO player (name, score) VALUES (\("Arthur"), \(100));
                    INSERT INTO player (name, score) VALUES (\("O'Brien"), \(1000));
                    """)
            // An alternative way to iterate all statements
            try statements.forEach { statement in
                try statement.execute()
            }
            try expectEqual(
                String.fetchAll(db, sql: "SELECT name FROM player"),
                ["Arthur", "O'Brien"])
        }
    }

    @Test func resultsOfSeveralStatements() throws {
        try withPlayers { db in
            let statements = try db.allStatements(
                sql: """
                    SELECT 'Arthur' AS name, 1 AS score;
                    SELECT 'Barbara' AS name, 2 AS score;
                    """)
            let players = statements.flatMap { statement in
                try Player.fetchCursor(statement)
            }
            var names: [String] = []
            while let player = try players.next() {
                names.append(player.name)
            }
            expectEqual(names, ["Arthur", "Barbara"])
        }
    }

    @Test func arraysOfStatements() throws {
        try withPlayers { db in
            // OK: Array of statements
            let statements = try Array(
                db.allStatements(
                    sql: """
                        INSERT INTO player VALUES ('Arthur', 1);
                        UPDATE player SET score = 2;
                        """))
            try statements.forEach { try $0.execute() }
            try expectEqual(Int.fetchAll(db, sql: "SELECT score FROM player"), [2])

            // FAILURE: Can't build an array of statements since the INSERT won't
            // compile until CREATE TABLE is executed.
            expectError(
                "SQLite error 1: no such table: team - while executing "
                    + "`INSERT INTO team VALUES ('Reds')`"
            ) {
                try Array(
                    db.allStatements(
                        sql: """
                            CREATE TABLE team (name TEXT);
                            INSERT INTO team VALUES ('Reds');
                            """))
            }
        }
    }
}
