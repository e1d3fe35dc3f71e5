import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The chapter "The Query Interface" of the README.
@Suite(.databases) struct QueryInterfaceReadmeTests {
    struct Player: Codable, FetchableRecord, PersistableRecord, Identifiable, Hashable {
        enum Columns {
            static let id = Column(CodingKeys.id)
            static let name = Column(CodingKeys.name)
            static let email = Column(CodingKeys.email)
            static let team = Column(CodingKeys.team)
            static let score = Column(CodingKeys.score)
            static let bonus = Column("bonus")
            static let height = Column("height")
            static let isVerified = Column("isVerified")
            static let isHealthy = Column("isHealthy")
            static let isGreat = Column("isGreat")
            static let initial = Column("initial")
            static let firstName = Column("firstName")
            static let lastName = Column("lastName")
            static let wins = Column("wins")
            static let games = Column("games")
            static let createdAt = Column("createdAt")
            static let teamId = Column("teamId")
            static let coachId = Column("coachId")
        }

        var id: Int64
        var name: String?
        var email: String?
        var team: String?
        var score: Int

        static func filter(color: String) -> SQLRequest<Player> {
            SQLRequest<Player>(
                sql: "SELECT * FROM player WHERE team = ?",
                arguments: [color])
        }

        static func filter(otherColor color: String) -> SQLRequest<Player> {
            "SELECT * FROM player WHERE team = \(color)"
        }
    }

    struct RestrictedPlayer: TableRecord {
        static let databaseTableName = "player"

        enum Columns {
            static let id = Column("id")
            static let name = Column("name")
        }

        static var databaseSelection: [any SQLSelectable] {
            [Columns.id, Columns.name]
        }
    }

    struct ShortPlayer: TableRecord {
        static let databaseTableName = "selection"
        static var databaseSelection: [any SQLSelectable] {
            [.allColumns(excluding: ["generatedColumn"])]
        }
    }

    struct ExtendedPlayer: TableRecord {
        static let databaseTableName = "player"
        static var databaseSelection: [any SQLSelectable] {
            [.allColumns, .rowID]
        }
    }

    struct Country: Codable, FetchableRecord, PersistableRecord, Identifiable, Hashable {
        enum Columns {
            static let population = Column(CodingKeys.population)
        }

        var isoCode: String
        var population: Int
        var id: String { isoCode }
    }

    struct Citizenship: Codable, FetchableRecord, PersistableRecord {
        var citizenId: Int64
        var countryCode: String
    }

    struct Team: Codable, FetchableRecord, PersistableRecord {
        enum Columns {
            static let id = Column(CodingKeys.id)
        }

        var id: Int64
    }

    struct Planet: TableRecord {
        enum Columns {
            static let temperature = Column("temperature")
            static let mask = Column("mask")
        }
    }

    struct Rectangle: TableRecord {
        enum Columns {
            static let width = Column("width")
            static let height = Column("height")
        }
    }

    struct Game: TableRecord {
        enum Columns {
            static let date = Column("date")
        }
    }

    struct PlayerSelection: TableRecord {
        enum Columns {
            static let playerId = Column("playerId")
        }
    }

    struct Document: Codable, FetchableRecord, PersistableRecord {
        var content: String
    }

    /// Runs the closure in a database with the tables of the chapter.
    func write(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (
                        id INTEGER PRIMARY KEY, name TEXT, email TEXT UNIQUE, team TEXT,
                        score INTEGER NOT NULL DEFAULT 0, bonus INTEGER, height REAL,
                        isVerified BOOLEAN, isHealthy BOOLEAN, isGreat BOOLEAN, initial TEXT,
                        firstName TEXT, lastName TEXT, wins INTEGER, games INTEGER,
                        createdAt DATETIME, creationDate DATETIME, teamId INTEGER,
                        coachId INTEGER);
                    INSERT INTO player (id, name, email, team, score, bonus, teamId, coachId)
                    VALUES
                        (1, 'Arthur', 'arthur@example.com', 'Reds', 1000, 10, 1, NULL),
                        (2, 'Barbara', NULL, 'Reds', 500, 20, 1, 1),
                        (3, 'Craig', 'craig@example.com', 'Blues', 0, 30, NULL, 1);
                    CREATE TABLE country (isoCode TEXT PRIMARY KEY, population INTEGER);
                    INSERT INTO country VALUES ('FR', 1), ('US', 2), ('IT', 3);
                    CREATE TABLE citizenship (
                        citizenId INTEGER, countryCode TEXT, PRIMARY KEY (citizenId, countryCode));
                    INSERT INTO citizenship VALUES (1, 'FR'), (2, 'FR');
                    CREATE TABLE team (id INTEGER PRIMARY KEY);
                    INSERT INTO team VALUES (1), (2);
                    CREATE TABLE planet (temperature REAL, mask INTEGER);
                    INSERT INTO planet VALUES (10.0, 7);
                    CREATE TABLE rectangle (width, height);
                    CREATE TABLE game (date);
                    CREATE TABLE playerSelection (playerId);
                    INSERT INTO playerSelection VALUES (2);
                    CREATE TABLE document (content);
                    INSERT INTO document VALUES ('text');
                    CREATE TABLE selection (id, name, generatedColumn AS (id));
                    """)
            for table in ["player", "country", "citizenship", "document"] {
                _ = try db.columns(in: table)
                _ = try db.primaryKey(table)
                _ = try db.indexes(on: table)
            }
            try body(db)
        }
    }

    /// Expects the SQL of a request, and that it runs.
    func expect(
        _ request: some FetchRequest, _ sql: String, file: String = #filePath, line: Int = #line
    ) throws {
        try write { db in
            try expectSQL(sql, file: file, line: line) {
                _ = try Row.fetchAll(db, request)
            }
        }
    }

    // MARK: - Introduction

    @Test func introduction() throws {
        try write { db in
            try expectSQL(
                """
                SELECT * FROM "player" ORDER BY "score" DESC LIMIT 10
                SELECT COUNT(*) FROM "player" WHERE "score" >= 1000
                UPDATE "player" SET "score" = "score" + 100 WHERE "team" = 'Reds'
                DELETE FROM "player" WHERE "score" = 0
                """
            ) {
                let bestPlayers = try Player.order(\.score.desc).limit(10).fetchAll(db)
                expectEqual(bestPlayers.map(\.name), ["Arthur", "Barbara", "Craig"])
                let count = try Player.filter { $0.score >= 1000 }.fetchCount(db)
                expectEqual(count, 1)
                try Player.filter { $0.team == "Reds" }.updateAll(db) { $0.score += 100 }
                try Player.filter { $0.score == 0 }.deleteAll(db)
            }
            try expectEqual(Player.fetchAll(db).map(\.score), [1100, 600])
        }
    }

    @Test func introductionWithSQL() throws {
        try write { db in
            let bestPlayers = try Player.fetchAll(
                db,
                sql: """
                    SELECT * FROM player ORDER BY score DESC LIMIT 10
                    """)
            expectEqual(bestPlayers.count, 3)
            let minScore = 1000
            let count = try Player.filter(sql: "score >= ?", arguments: [minScore]).fetchCount(db)
            expectEqual(count, 1)
        }
    }

    // MARK: - Requests

    @Test func requests() throws {
        try expect(
            Player.filter { $0.email != nil }.order(\.name),
            #"SELECT * FROM "player" WHERE "email" IS NOT NULL ORDER BY "name""#)
        try expect(Player.all(), #"SELECT * FROM "player""#)
        try expect(Table("player").all(), #"SELECT * FROM "player""#)
        try write { db in
            let rows: [Row] = try Table("player").all().fetchAll(db)
            expectEqual(rows.count, 3)
            let players: [Player] = try Table<Player>("player").all().fetchAll(db)
            expectEqual(players.count, 3)
        }
        try expect(Player.none(), #"SELECT * FROM "player" WHERE 0"#)
        try expect(Player.select(\.name, as: String.self), #"SELECT "name" FROM "player""#)
        try expect(Player.selectID(), #"SELECT "id" FROM "player""#)
        try expect(
            Player.filter { $0.name != nil }.selectID(),
            #"SELECT "id" FROM "player" WHERE "name" IS NOT NULL"#)
        try expect(
            Player.annotated { ($0.score + $0.bonus).forKey("total") },
            #"SELECT *, "score" + "bonus" AS "total" FROM "player""#)
        try expect(
            Player.select(\.name, as: String.self).distinct(),
            #"SELECT DISTINCT "name" FROM "player""#)
    }

    @Test func filters() throws {
        try expect(
            Player.filter { [1, 2, 3].contains($0.id) },
            #"SELECT * FROM "player" WHERE "id" IN (1, 2, 3)"#)
        try expect(
            Player.filter { $0.name != nil && $0.height > 1.75 },
            #"SELECT * FROM "player" WHERE ("name" IS NOT NULL) AND ("height" > 1.75)"#)
        try expect(Player.filter(id: 1), #"SELECT * FROM "player" WHERE "id" = 1"#)
        try expect(
            Country.filter(ids: ["FR", "US"]),
            #"SELECT * FROM "country" WHERE "isoCode" IN ('FR', 'US')"#)
        try expect(Player.filter(key: 1), #"SELECT * FROM "player" WHERE "id" = 1"#)
        try expect(
            Country.filter(keys: ["FR", "US"]),
            #"SELECT * FROM "country" WHERE "isoCode" IN ('FR', 'US')"#)
        try expect(
            Citizenship.filter(key: ["citizenId": 1, "countryCode": "FR"]),
            #"SELECT * FROM "citizenship" WHERE ("citizenId" = 1) AND ("countryCode" = 'FR')"#)
        try expect(
            Player.filter(key: ["email": "arthur@example.com"]),
            #"SELECT * FROM "player" WHERE "email" = 'arthur@example.com'"#)
    }

    @Test func groups() throws {
        try expect(
            Player.select { [$0.name, max($0.score)] }.group(\.name),
            #"SELECT "name", MAX("score") FROM "player" GROUP BY "name""#)
        try expect(
            Player.select { [$0.team, max($0.score)] }
                .group(\.team)
                .having { min($0.score) >= 1000 },
            """
            SELECT "team", MAX("score") FROM "player" GROUP BY "team" HAVING MIN("score") >= 1000
            """)
    }

    @Test func orders() throws {
        try expect(Player.order(\.name), #"SELECT * FROM "player" ORDER BY "name""#)
        try expect(Player.order(\.score.desc), #"SELECT * FROM "player" ORDER BY "score" DESC"#)
        try expect(
            Player.order { [$0.score.desc, $0.name] },
            #"SELECT * FROM "player" ORDER BY "score" DESC, "name""#)
        try expect(
            Player.order(\.name.ascNullsLast),
            #"SELECT * FROM "player" ORDER BY "name" ASC NULLS LAST"#)
        try expect(Player.order(\.score).order(\.name), #"SELECT * FROM "player" ORDER BY "name""#)
        try expect(
            Player.order { [$0.score.desc, $0.name] }.reversed(),
            #"SELECT * FROM "player" ORDER BY "score" ASC, "name" DESC"#)
        try expect(Player.all().reversed(), #"SELECT * FROM "player""#)
        try expect(Player.limit(5), #"SELECT * FROM "player" LIMIT 5"#)
        try expect(Player.limit(5, offset: 10), #"SELECT * FROM "player" LIMIT 5 OFFSET 10"#)
    }

    @Test func primaryKeys() throws {
        try expect(Player.selectPrimaryKey(as: Int64.self), #"SELECT "id" FROM "player""#)
        try expect(Country.selectPrimaryKey(as: String.self), #"SELECT "isoCode" FROM "country""#)
        try expect(
            Citizenship.selectPrimaryKey(as: Row.self),
            #"SELECT "citizenId", "countryCode" FROM "citizenship""#)
        try expect(Player.orderByPrimaryKey(), #"SELECT * FROM "player" ORDER BY "id""#)
        try expect(Country.orderByPrimaryKey(), #"SELECT * FROM "country" ORDER BY "isoCode""#)
        try expect(
            Citizenship.orderByPrimaryKey(),
            #"SELECT * FROM "citizenship" ORDER BY "citizenId", "countryCode""#)
    }

    @Test func chains() throws {
        try expect(
            Player.order(\.name).filter { $0.email != nil },
            #"SELECT * FROM "player" WHERE "email" IS NOT NULL ORDER BY "name""#)
        let request =
            Player
            .filter { $0.name != nil }
            .filter { $0.email != nil }
            .order(\.name)
            .reversed()
            .order(\.score)
            .limit(20, offset: 40)
            .limit(10)
        try expect(
            request,
            """
            SELECT * FROM "player" WHERE ("name" IS NOT NULL) AND ("email" IS NOT NULL) \
            ORDER BY "score" LIMIT 10
            """)
        try expect(
            Player
                .select(sql: "DATE(creationDate), COUNT(*)")
                .filter(sql: "name = ?", arguments: ["Arthur"])
                .group(sql: "DATE(creationDate)"),
            """
            SELECT DATE(creationDate), COUNT(*) FROM "player" WHERE name = 'Arthur' \
            GROUP BY DATE(creationDate)
            """)
    }

    @Test func selectedColumns() throws {
        try write { db in
            let request = Player.select { max($0.score) }
            try expectEqual(Int.fetchOne(db, request), 1000)
            try expectEqual(Player.select({ max($0.score) }, as: Int.self).fetchOne(db), 1000)
        }
        try expect(RestrictedPlayer.all(), #"SELECT "id", "name" FROM "player""#)
        try expect(ExtendedPlayer.all(), #"SELECT *, "rowid" FROM "player""#)
        try write { db in
            let request = try ShortPlayer.all().makePreparedRequest(db)
            expectEqual(request.statement.sql, #"SELECT "id", "name" FROM "selection""#)
        }
    }
}
