import GRDB
import GRDBTestSupport
import Testing

/// The page "Table".
@Suite(.databases) struct TableDocumentTests {
    private struct Player: Codable, FetchableRecord, PersistableRecord, Identifiable, Hashable {
        enum Columns {
            static let id = Column(CodingKeys.id)
            static let name = Column(CodingKeys.name)
            static let score = Column(CodingKeys.score)
        }

        var id: Int64
        var name: String
        var score: Int
    }

    private let table = Table("player")
    private let players = Table<Player>("player")
    private let name = Column("name")
    private let score = Column("score")

    private func withPlayers(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (
                        id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, score INTEGER NOT NULL);
                    INSERT INTO player VALUES (1, 'Arthur', 10), (2, 'Barbara', 30), (3, 'Craig', 20);
                    CREATE TABLE number (value INTEGER);
                    INSERT INTO number VALUES (5), (7), (7);
                    """)
            // Known before SQL is logged
            _ = try db.primaryKey("player")
            _ = try db.indexes(on: "player")
            try body(db)
        }
    }

    // MARK: - Counting, existence

    @Test func countingAndExistence() throws {
        expectEqual(table.tableName, "player")
        try withPlayers { db in
            try expectSQL(
                """
                SELECT COUNT(*) FROM "player"
                SELECT EXISTS (SELECT * FROM "player" WHERE "id" = 1)
                SELECT EXISTS (SELECT * FROM "player" WHERE "id" = 4)
                SELECT EXISTS (SELECT * FROM "player" WHERE "name" = 'Arthur')
                """
            ) {
                try expectEqual(table.fetchCount(db), 3)
                try expectTrue(table.exists(db, key: 1))
                try expectTrue(!players.exists(db, id: 4))
                try expectTrue(table.exists(db, key: ["name": "Arthur"]))
            }
        }
    }

    // MARK: - Writes

    @Test func deleting() throws {
        try withPlayers { db in
            try expectSQL(
                """
                DELETE FROM "player" WHERE "id" = 1
                DELETE FROM "player" WHERE "name" = 'Barbara'
                DELETE FROM "player" WHERE "id" IN (1, 2)
                DELETE FROM "player" WHERE ("name" = 'Arthur') OR ("name" = 'Barbara')
                DELETE FROM "player"
                """
            ) {
                try expectTrue(players.deleteOne(db, id: 1))
                try expectTrue(table.deleteOne(db, key: ["name": "Barbara"]))
                try expectEqual(table.deleteAll(db, keys: [1, 2]), 0)
                try expectEqual(
                    table.deleteAll(db, keys: [["name": "Arthur"], ["name": "Barbara"]]),
                    0)
                try expectEqual(table.deleteAll(db), 1)
            }
        }
    }

    @Test func updating() throws {
        try withPlayers { db in
            try expectSQL(
                """
                UPDATE "player" SET "score" = 0
                UPDATE "player" SET "score" = "score" + 1
                UPDATE OR IGNORE "player" SET "name" = 'Same'
                """
            ) {
                try expectEqual(table.updateAll(db, score.set(to: 0)), 3)
                try expectEqual(players.updateAll(db) { $0.score += 1 }, 3)
                try expectEqual(table.updateAll(db, onConflict: .ignore, [name.set(to: "Same")]), 1)
            }
            try expectRequest(
                db, table.all(), #"SELECT * FROM "player""#,
                ["1|Same|1", "2|Barbara|1", "3|Craig|1"])
        }
    }

    // MARK: - Requests

    @Test func requests() throws {
        try withPlayers { db in
            let requests: [(QueryInterfaceRequest<Player>, String, [String])] = [
                (players.filter(id: 1), #"SELECT * FROM "player" WHERE "id" = 1"#, ["1|Arthur|10"]),
                (
                    players.filter(key: ["name": "Craig"]),
                    #"SELECT * FROM "player" WHERE "name" = 'Craig'"#, ["3|Craig|20"]
                ),
                (
                    players.filter { $0.score > 20 },
                    #"SELECT * FROM "player" WHERE "score" > 20"#, ["2|Barbara|30"]
                ),
                (
                    players.filter(sql: "score > ?", arguments: [20]),
                    #"SELECT * FROM "player" WHERE score > 20"#, ["2|Barbara|30"]
                ),
                (
                    players.filter(literal: "score > \(20)"),
                    #"SELECT * FROM "player" WHERE score > 20"#, ["2|Barbara|30"]
                ),
                (
                    players.order(\.score.desc).limit(1),
                    #"SELECT * FROM "player" ORDER BY "score" DESC LIMIT 1"#, ["2|Barbara|30"]
                ),
                (
                    players.orderByPrimaryKey().limit(1, offset: 1),
                    #"SELECT * FROM "player" ORDER BY "id" LIMIT 1 OFFSET 1"#, ["2|Barbara|30"]
                ),
                (
                    players.order(sql: "score").limit(1),
                    #"SELECT * FROM "player" ORDER BY score LIMIT 1"#, ["1|Arthur|10"]
                ),
                (
                    players.order(literal: "ABS(score - \(20))").limit(1),
                    #"SELECT * FROM "player" ORDER BY ABS(score - 20) LIMIT 1"#, ["3|Craig|20"]
                ),
                (
                    players.annotated { ($0.score * 2).forKey("double") }.limit(1),
                    #"SELECT *, "score" * 2 AS "double" FROM "player" LIMIT 1"#,
                    ["1|Arthur|10|20"]
                ),
                (
                    players.aliased(TableAlias(name: "p")).filter(score > 20),
                    #"SELECT "p".* FROM "player" "p" WHERE "p"."score" > 20"#, ["2|Barbara|30"]
                ),
                (players.none(), #"SELECT * FROM "player" WHERE 0"#, []),
            ]
            for (request, sql, rows) in requests {
                try expectRequest(db, request, sql, rows)
            }
        }
    }

    @Test func selections() throws {
        try withPlayers { db in
            try expectSQL(
                """
                SELECT "name" FROM "player"
                SELECT MAX("score") FROM "player"
                SELECT MAX(score) FROM "player"
                SELECT MAX(score) + 1 FROM "player"
                SELECT "id" FROM "player"
                SELECT "id" FROM "player"
                """
            ) {
                try expectEqual(
                    table.select(name, as: String.self).fetchAll(db),
                    ["Arthur", "Barbara", "Craig"])
                try expectEqual(players.select({ max($0.score) }, as: Int.self).fetchAll(db), [30])
                try expectEqual(table.select(sql: "MAX(score)", as: Int.self).fetchAll(db), [30])
                try expectEqual(
                    table.select(literal: "MAX(score) + \(1)", as: Int.self).fetchAll(db),
                    [31])
                try expectEqual(table.selectPrimaryKey(as: Int64.self).fetchAll(db), [1, 2, 3])
                try expectEqual(players.selectID().fetchSet(db), [1, 2, 3])
            }
        }
    }

    // MARK: - Fetching

    @Test func fetching() throws {
        try withPlayers { db in
            // Rows
            try expectEqual(table.fetchAll(db).map { $0["score"] }, [10, 30, 20])
            try expectEqual(table.fetchOne(db), ["id": 1, "name": "Arthur", "score": 10])
            try expectEqual(table.fetchSet(db).count, 3)
            try expectEqual(table.fetchCursor(db).next()?["id"], 1)
            // Values
            let numbers = Table<Int>("number")
            try expectEqual(numbers.fetchAll(db), [5, 7, 7])
            try expectEqual(numbers.fetchOne(db), 5)
            try expectEqual(numbers.fetchSet(db), [5, 7])
            try expectEqual(numbers.fetchCursor(db).next(), 5)
            // Records
            let arthur = Player(id: 1, name: "Arthur", score: 10)
            try expectEqual(players.fetchAll(db).map(\.id), [1, 2, 3])
            try expectEqual(players.fetchOne(db), arthur)
            try expectTrue(players.fetchSet(db).contains(arthur))
            try expectEqual(players.fetchCursor(db).next(), arthur)
        }
    }
}
