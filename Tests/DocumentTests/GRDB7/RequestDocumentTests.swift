import GRDB
import GRDBTestSupport
import Testing

/// The pages "QueryInterfaceRequest", "DerivableRequest", "FetchRequest" and
/// "CommonTableExpression".
@Suite(.databases) struct RequestDocumentTests {
    private struct Player: Codable, FetchableRecord, PersistableRecord, Identifiable, Hashable {
        enum Columns {
            static let id = Column(CodingKeys.id)
            static let name = Column(CodingKeys.name)
            static let team = Column(CodingKeys.team)
            static let score = Column(CodingKeys.score)
        }

        var id: Int64
        var name: String
        var team: String?
        var score: Int
    }

    private let id = Column("id")
    private let name = Column("name")
    private let team = Column("team")
    private let score = Column("score")

    private func withPlayers(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, team TEXT, score INTEGER);
                    INSERT INTO player VALUES
                        (1, 'Arthur', 'red', 10), (2, 'O''Reilly', 'red', 30),
                        (3, 'O''Reilly', 'blue', 40), (4, 'Craig', NULL, 20);
                    """)
            // Known before SQL is logged
            _ = try db.primaryKey("player")
            try body(db)
        }
    }

    // MARK: - QueryInterfaceRequest

    @Test func overview() throws {
        try withPlayers { db in
            try expectSQL(
                """
                SELECT * FROM "player" WHERE "name" = 'O''Reilly' ORDER BY "score" DESC
                """
            ) {
                let request =
                    Player
                    .filter { $0.name == "O'Reilly" }
                    .order(\.score.desc)
                let players: [Player] = try request.fetchAll(db)
                expectEqual(players.map(\.id), [3, 2])
            }
        }
    }

    @Test func typesOfFetchedResults() throws {
        try withPlayers { db in
            let reds = Player.filter { $0.team == "red" }
            try expectEqual(
                reds.asRequest(of: Row.self).fetchOne(db),
                ["id": 1, "name": "Arthur", "team": "red", "score": 10])
            try expectEqual(reds.select({ $0.score }, as: Int.self).fetchAll(db), [10, 30])
            try expectSQL(
                """
                SELECT MAX(score) FROM "player" WHERE "team" = 'red'
                SELECT MAX(score) + 1 FROM "player" WHERE "team" = 'red' LIMIT 1
                SELECT "id" FROM "player" WHERE "team" = 'red'
                SELECT "id" FROM "player" WHERE "team" = 'red'
                """
            ) {
                try expectEqual(reds.select(sql: "MAX(score)", as: Int.self).fetchAll(db), [30])
                try expectEqual(
                    reds.select(literal: "MAX(score) + \(1)", as: Int.self).fetchOne(db),
                    31)
                try expectEqual(reds.selectPrimaryKey(as: Int64.self).fetchSet(db), [1, 2])
                try expectEqual(reds.selectID().fetchAll(db), [1, 2])
            }
        }
    }

    @Test func batchDelete() throws {
        try withPlayers { db in
            try expectSQL(
                """
                DELETE FROM "player" WHERE "team" IS NULL RETURNING "id"
                DELETE FROM "player" WHERE "team" = 'blue' RETURNING *
                DELETE FROM "player" WHERE "score" = 10 RETURNING *
                DELETE FROM "player" RETURNING "name"
                """
            ) {
                let ids = try Player.filter { $0.team == nil }.deleteAndFetchIds(db)
                expectEqual(ids, [4])
                let blues = try Player.filter { $0.team == "blue" }.deleteAndFetchAll(db)
                expectEqual(blues.map(\.name), ["O'Reilly"])
                let worst = try Player.filter { $0.score == 10 }.deleteAndFetchSet(db)
                expectEqual(worst, [Player(id: 1, name: "Arthur", team: "red", score: 10)])
                let statement = try Player.all().deleteAndFetchStatement(db, selection: [name])
                try expectEqual(String.fetchAll(statement), ["O'Reilly"])
            }
            try expectEqual(Player.fetchCount(db), 0)
        }
    }

    @Test func batchUpdate() throws {
        try withPlayers { db in
            try expectSQL(
                """
                UPDATE "player" SET "score" = "score" + 1 WHERE "team" = 'red'
                UPDATE "player" SET "score" = 0 WHERE "team" = 'red' RETURNING *
                UPDATE "player" SET "team" = 'green' WHERE "team" IS NULL RETURNING *
                UPDATE "player" SET "score" = "score" * 2 RETURNING "score"
                """
            ) {
                let reds = Player.filter { $0.team == "red" }
                try expectEqual(reds.updateAll(db) { $0.score += 1 }, 2)
                let updated = try reds.updateAndFetchAll(db) { [$0.score.set(to: 0)] }
                expectEqual(updated.map(\.score), [0, 0])
                let set = try Player.filter { $0.team == nil }
                    .updateAndFetchSet(db, [team.set(to: "green")])
                expectEqual(set, [Player(id: 4, name: "Craig", team: "green", score: 20)])
                let statement = try Player.all().updateAndFetchStatement(
                    db, [score *= 2], selection: [score])
                try expectEqual(Int.fetchAll(statement), [0, 0, 80, 40])
            }
        }
    }

    // MARK: - DerivableRequest

    @Test func selectClause() throws {
        try withPlayers { db in
            try expectRequest(
                db, Player.filter(id: 1).annotated { ($0.score * 2).forKey("double") },
                #"SELECT *, "score" * 2 AS "double" FROM "player" WHERE "id" = 1"#,
                ["1|Arthur|red|10|20"])
            try expectRequest(
                db, Player.select(\.id).annotated { [$0.name, $0.team] }.limit(1),
                #"SELECT "id", "name", "team" FROM "player" LIMIT 1"#, ["1|Arthur|red"])
            try expectRequest(
                db, Player.select(literal: "name || \("!")").distinct().order(literal: "name"),
                #"SELECT DISTINCT name || '!' FROM "player" ORDER BY name"#,
                ["Arthur!", "Craig!", "O'Reilly!"])
        }
    }

    @Test func whereClause() throws {
        try withPlayers { db in
            let ids = Player.select(id)
            try expectRequest(
                db, ids.filter(sql: "score > ?", arguments: [10]).filter(literal: "id < \(4)"),
                #"SELECT "id" FROM "player" WHERE (score > 10) AND (id < 4)"#, ["2", "3"])
            try expectRequest(
                db, ids.filter(keys: [1, 4]), #"SELECT "id" FROM "player" WHERE "id" IN (1, 4)"#,
                ["1", "4"])
            try expectRequest(
                db, ids.filter { $0.team != nil }.none(),
                #"SELECT "id" FROM "player" WHERE ("team" IS NOT NULL) AND 0"#, [])
            try expectRequest(
                db, ids.all(), #"SELECT "id" FROM "player""#, ["1", "2", "3", "4"])
        }
    }

    @Test func groupByAndHavingClauses() throws {
        try withPlayers { db in
            let teams = Player.select { [$0.team, sum($0.score)] }
            try expectRequest(
                db, teams.group(\.team).having { count($0.id) > 1 },
                """
                SELECT "team", SUM("score") FROM "player" GROUP BY "team" HAVING COUNT("id") > 1
                """,
                ["red|40"])
            try expectRequest(
                db, teams.group { [$0.team, $0.name] }.having(literal: "SUM(score) > \(20)"),
                """
                SELECT "team", SUM("score") FROM "player" GROUP BY "team", "name" \
                HAVING SUM(score) > 20
                """,
                ["blue|40", "red|30"])
            try expectRequest(
                db, teams.group(sql: "team").having(sql: "SUM(score) < ?", arguments: [30]),
                """
                SELECT "team", SUM("score") FROM "player" GROUP BY team HAVING SUM(score) < 30
                """,
                ["NULL|20"])
            try expectRequest(
                db, teams.groupByPrimaryKey().filter(id: 3),
                #"SELECT "team", SUM("score") FROM "player" WHERE "id" = 3 GROUP BY "id""#,
                ["blue|40"])
        }
    }

    @Test func orderByClause() throws {
        try withPlayers { db in
            let ids = Player.select(id)
            try expectRequest(
                db, ids.order { [$0.name, $0.score.desc] },
                #"SELECT "id" FROM "player" ORDER BY "name", "score" DESC"#,
                ["1", "4", "3", "2"])
            try expectRequest(
                db, ids.order(sql: "name = ? DESC, id", arguments: ["Craig"]),
                #"SELECT "id" FROM "player" ORDER BY name = 'Craig' DESC, id"#,
                ["4", "1", "2", "3"])
            try expectRequest(
                db, ids.orderByPrimaryKey().reversed(),
                #"SELECT "id" FROM "player" ORDER BY "id" DESC"#, ["4", "3", "2", "1"])
            try expectRequest(
                db, ids.order(\.name).unordered(), #"SELECT "id" FROM "player""#,
                ["1", "2", "3", "4"])
            try expectRequest(
                db, ids.order(\.name).withStableOrder(),
                #"SELECT "id" FROM "player" ORDER BY "name", "id""#, ["1", "4", "2", "3"])
        }
    }

    // MARK: - FetchRequest

    @Test func kindsOfFetchRequests() throws {
        try withPlayers { db in
            let name = "O'Reilly"

            // SQLRequest
            let sqlRequest: SQLRequest<Player> = """
                SELECT * FROM player WHERE name = \(name)
                """

            // QueryInterfaceRequest
            let request = Player.filter(Column("name") == name)

            // Use the request
            for request in [AnyFetchRequest(sqlRequest), AnyFetchRequest(request)] {
                let players = try request.fetchAll(db)  // [Player]
                expectEqual(players.map(\.id), [2, 3])
                try expectEqual(request.fetchCount(db), 2)
                try expectEqual(request.fetchSet(db).count, 2)
                try expectEqual(request.fetchCursor(db).next()?.id, 2)
                try expectEqual(Row.fetchOne(db, request)?["score"], 30)
                let prepared = try request.makePreparedRequest(db)
                expectEqual(prepared.statement.arguments, ["O'Reilly"])
                expectNil(prepared.adapter)
            }
        }
    }

    // MARK: - CommonTableExpression

    @Test func commonTableExpressions() throws {
        try withPlayers { db in
            let sql = """
                WITH "best" AS (SELECT * FROM "player" WHERE "score" >= 30) \
                SELECT * FROM "best" ORDER BY "score" DESC
                """
            // From a request
            let best = CommonTableExpression<Player>(
                named: "best", request: Player.filter { $0.score >= 30 })
            expectEqual(best.tableName, "best")
            try expectSQL(sql) {
                let players = try best.all().with(best).order(\.score.desc).fetchAll(db)
                expectEqual(players.map(\.id), [3, 2])
            }
            // From an SQL string, and from an SQL literal
            let scores = [
                CommonTableExpression(
                    named: "best", columns: ["score"],
                    sql: "SELECT score FROM player WHERE score >= ?", arguments: [30]),
                CommonTableExpression(
                    named: "best", columns: ["score"],
                    literal: "SELECT score FROM player WHERE score >= \(30)"),
            ]
            for cte in scores {
                try expectRequest(
                    db, Player.select(id).with(cte).filter { cte.contains($0.score) },
                    """
                    WITH "best"("score") AS (SELECT score FROM player WHERE score >= 30) \
                    SELECT "id" FROM "player" WHERE "score" IN "best"
                    """,
                    ["2", "3"])
                // Joined by an association
                let association = Player.association(to: cte, on: { $0["score"] == $1["score"] })
                try expectRequest(
                    db, Player.select(id).with(cte).joining(required: association),
                    """
                    WITH "best"("score") AS (SELECT score FROM player WHERE score >= 30) \
                    SELECT "player"."id" FROM "player" \
                    JOIN "best" ON "player"."score" = "best"."score"
                    """,
                    ["2", "3"])
            }
        }
    }
}
