import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The chapter "The Query Interface" of the README.
@Suite(.databases) struct QueryInterfaceReadmeTests {
    private struct Player: Codable, FetchableRecord, PersistableRecord, Identifiable, Hashable {
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

    private struct RestrictedPlayer: TableRecord {
        static let databaseTableName = "player"

        enum Columns {
            static let id = Column("id")
            static let name = Column("name")
        }

        static var databaseSelection: [any SQLSelectable] {
            [Columns.id, Columns.name]
        }
    }

    private struct ShortPlayer: TableRecord {
        static let databaseTableName = "selection"
        static var databaseSelection: [any SQLSelectable] {
            [.allColumns(excluding: ["generatedColumn"])]
        }
    }

    private struct ExtendedPlayer: TableRecord {
        static let databaseTableName = "player"
        static var databaseSelection: [any SQLSelectable] {
            [.allColumns, .rowID]
        }
    }

    private struct Country: Codable, FetchableRecord, PersistableRecord, Identifiable, Hashable {
        enum Columns {
            static let population = Column(CodingKeys.population)
        }

        var isoCode: String
        var population: Int
        var id: String { isoCode }
    }

    private struct Citizenship: Codable, FetchableRecord, PersistableRecord {
        var citizenId: Int64
        var countryCode: String
    }

    private struct Team: Codable, FetchableRecord, PersistableRecord {
        enum Columns {
            static let id = Column(CodingKeys.id)
        }

        var id: Int64
    }

    private struct Planet: TableRecord {
        enum Columns {
            static let temperature = Column("temperature")
            static let mask = Column("mask")
        }
    }

    private struct Rectangle: TableRecord {
        enum Columns {
            static let width = Column("width")
            static let height = Column("height")
        }
    }

    private struct Game: TableRecord {
        enum Columns {
            static let date = Column("date")
        }
    }

    private struct PlayerSelection: TableRecord {
        enum Columns {
            static let playerId = Column("playerId")
        }
    }

    private struct Document: Codable, FetchableRecord, PersistableRecord {
        var content: String
    }

    /// Runs the closure in a database with the tables of the chapter.
    private func write(_ body: (Database) throws -> Void) throws {
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
    private func expect(
        _ request: some FetchRequest, _ sql: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try write { db in
            try expectSQL(sql, sourceLocation: sourceLocation) {
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
                #expect(bestPlayers.map(\.name) == ["Arthur", "Barbara", "Craig"])
                let count = try Player.filter { $0.score >= 1000 }.fetchCount(db)
                #expect(count == 1)
                try Player.filter { $0.team == "Reds" }.updateAll(db) { $0.score += 100 }
                try Player.filter { $0.score == 0 }.deleteAll(db)
            }
            try #expect(Player.fetchAll(db).map(\.score) == [1100, 600])
        }
    }

    @Test func introductionWithSQL() throws {
        try write { db in
            let bestPlayers = try Player.fetchAll(
                db,
                sql: """
                    SELECT * FROM player ORDER BY score DESC LIMIT 10
                    """)
            #expect(bestPlayers.count == 3)
            let minScore = 1000
            let count = try Player.filter(sql: "score >= ?", arguments: [minScore]).fetchCount(db)
            #expect(count == 1)
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
            #expect(rows.count == 3)
            let players: [Player] = try Table<Player>("player").all().fetchAll(db)
            #expect(players.count == 3)
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
            try #expect(Int.fetchOne(db, request) == 1000)
            try #expect(Player.select({ max($0.score) }, as: Int.self).fetchOne(db) == 1000)
        }
        try expect(RestrictedPlayer.all(), #"SELECT "id", "name" FROM "player""#)
        try expect(ExtendedPlayer.all(), #"SELECT *, "rowid" FROM "player""#)
        try write { db in
            let request = try ShortPlayer.all().makePreparedRequest(db)
            #expect(request.statement.sql == #"SELECT "id", "name" FROM "selection""#)
        }
    }

    // MARK: - Operators

    @Test func comparisons() throws {
        try expect(
            Player.filter { $0.name == "Arthur" },
            #"SELECT * FROM "player" WHERE "name" = 'Arthur'"#)
        try expect(
            Player.filter { $0.name == nil }, #"SELECT * FROM "player" WHERE "name" IS NULL"#)
        try expect(
            Player.filter { $0.score === 1000 },
            #"SELECT * FROM "player" WHERE "score" IS 1000"#)
        try expect(
            Rectangle.filter { $0.width < $0.height },
            #"SELECT * FROM "rectangle" WHERE "width" < "height""#)
        let maximumScore = Player.select { max($0.score) }
        try expect(
            Player.filter { $0.score == maximumScore },
            #"SELECT * FROM "player" WHERE "score" = (SELECT MAX("score") FROM "player")"#)
        let literalMaximumScore = SQLRequest<Row>("SELECT max(score) FROM player")
        try expect(
            Player.filter { $0.score == literalMaximumScore },
            #"SELECT * FROM "player" WHERE "score" = (SELECT max(score) FROM player)"#)
    }

    @Test func arithmetic() throws {
        try expect(
            Planet.select { ($0.temperature * 1.8 + 32).forKey("fahrenheit") },
            #"SELECT ("temperature" * 1.8) + 32 AS "fahrenheit" FROM "planet""#)
        try expect(
            Player.select {
                [$0.score, $0.bonus, 1000.databaseValue].joined(operator: .add)
            },
            #"SELECT "score" + "bonus" + 1000 FROM "player""#)
        try expect(
            Planet.select { ($0.mask & 2).forKey("isRocky") },
            #"SELECT "mask" & 2 AS "isRocky" FROM "planet""#)
        try expect(
            Player.select {
                [$0.firstName, " ".databaseValue, $0.lastName].joined(operator: .concat)
            },
            #"SELECT "firstName" || ' ' || "lastName" FROM "player""#)
    }

    @Test func logic() throws {
        try expect(
            Player.filter { !$0.isVerified || $0.score < 1000 },
            #"SELECT * FROM "player" WHERE (NOT "isVerified") OR ("score" < 1000)"#)
        try expect(
            Player.filter {
                [$0.isVerified, $0.score >= 1000, $0.name != nil].joined(operator: .and)
            },
            """
            SELECT * FROM "player" WHERE "isVerified" AND ("score" >= 1000) AND \
            ("name" IS NOT NULL)
            """)
    }

    @Test func inclusion() throws {
        try expect(
            Player.filter { ![1, 2, 3].contains($0.id) },
            #"SELECT * FROM "player" WHERE "id" NOT IN (1, 2, 3)"#)
        try expect(
            Player.filter { (0...1000).contains($0.score) },
            #"SELECT * FROM "player" WHERE "score" BETWEEN 0 AND 1000"#)
        try expect(
            Player.filter { (0..<1000).contains($0.score) },
            #"SELECT * FROM "player" WHERE ("score" >= 0) AND ("score" < 1000)"#)
        try expect(
            Player.filter { ("A"..."N").contains($0.initial) },
            #"SELECT * FROM "player" WHERE "initial" BETWEEN 'A' AND 'N'"#)
        try expect(
            Player.filter { ("A"..<"N").contains($0.initial) },
            #"SELECT * FROM "player" WHERE ("initial" >= 'A') AND ("initial" < 'N')"#)
        let selectedPlayerIds = PlayerSelection.select(\.playerId)
        try expect(
            Player.filter { selectedPlayerIds.contains($0.id) },
            """
            SELECT * FROM "player" WHERE "id" IN (SELECT "playerId" FROM "playerSelection")
            """)
        let literalIds = SQLRequest<Row>("SELECT playerId FROM playerSelection")
        try expect(
            Player.filter { literalIds.contains($0.id) },
            #"SELECT * FROM "player" WHERE "id" IN (SELECT playerId FROM playerSelection)"#)
        let cte = CommonTableExpression(named: "selectedName", literal: "SELECT \("Arthur")")
        try expect(
            Player.with(cte).filter { cte.contains($0.name) },
            """
            WITH "selectedName" AS (SELECT 'Arthur') \
            SELECT * FROM "player" WHERE "name" IN "selectedName"
            """)
    }

    @Test func existence() throws {
        let teamAlias = TableAlias<Team>()
        let player = Player.filter { $0.teamId == teamAlias.id }
        try expect(
            Team.aliased(teamAlias).filter(player.exists()),
            """
            SELECT * FROM "team" WHERE EXISTS \
            (SELECT * FROM "player" WHERE "teamId" = "team"."id")
            """)
        try expect(
            Team.aliased(teamAlias).filter(!player.exists()),
            """
            SELECT * FROM "team" WHERE NOT EXISTS \
            (SELECT * FROM "player" WHERE "teamId" = "team"."id")
            """)
        try write { db in
            try #expect(
                Team.aliased(teamAlias).filter(player.exists()).fetchAll(db).map(\.id) == [1])
            try #expect(
                Team.aliased(teamAlias).filter(!player.exists()).fetchAll(db).map(\.id) == [2])
        }
        let coachAlias = TableAlias<Player>(name: "coach")
        let coachedPlayer = Player.filter { $0.coachId == coachAlias.id }
        try expect(
            Player.aliased(coachAlias).filter(coachedPlayer.exists()),
            """
            SELECT "coach".* FROM "player" "coach" WHERE EXISTS \
            (SELECT * FROM "player" WHERE "coachId" = "coach"."id")
            """)
        let literalPlayer = SQLRequest<Row>("SELECT * FROM player WHERE coachId = \(coachAlias.id)")
        let coaches = Player.aliased(coachAlias).filter(literalPlayer.exists())
        try expect(
            coaches,
            """
            SELECT "coach".* FROM "player" "coach" WHERE EXISTS \
            (SELECT * FROM player WHERE coachId = "coach"."id")
            """)
        try write { db in try #expect(coaches.fetchAll(db).map(\.id) == [1]) }
    }

    @Test func like() throws {
        try expect(
            Player.filter { $0.email.like("%@example.com") },
            #"SELECT * FROM "player" WHERE "email" LIKE '%@example.com'"#)
        try expect(
            Player.filter { $0.email.like("%10\\%%", escape: "\\") },
            #"SELECT * FROM "player" WHERE "email" LIKE '%10\%%' ESCAPE '\'"#)
    }

    @Test func aliases() throws {
        try expect(
            Player.select { ($0.score + $0.bonus).forKey("total") },
            #"SELECT "score" + "bonus" AS "total" FROM "player""#)
        try expect(
            Player
                .select { ($0.score + $0.bonus).forKey("total") }
                .order(Column("total").detached),
            #"SELECT "score" + "bonus" AS "total" FROM "player" ORDER BY "total""#)
        let alias = TableAlias<Player>(name: "p")
        try expect(
            Player.aliased(alias)
                .select { ($0.score + $0.bonus).forKey("total") }
                .order(Column("total").detached),
            """
            SELECT "p"."score" + "p"."bonus" AS "total" FROM "player" "p" ORDER BY "total"
            """)
    }

    // MARK: - Functions

    @Test func functions() throws {
        try expect(
            Player.select { [min($0.score), max($0.score)] },
            #"SELECT MIN("score"), MAX("score") FROM "player""#)
        try expect(Player.select { count($0.name) }, #"SELECT COUNT("name") FROM "player""#)
        try expect(
            Player.select { count(distinct: $0.name) },
            #"SELECT COUNT(DISTINCT "name") FROM "player""#)
        try expect(
            Game.select { julianDay($0.date, .startOfYear) },
            #"SELECT JULIANDAY("date", 'start of year') FROM "game""#)
        try expect(
            Player.select { (cast($0.wins, as: .real) / $0.games).forKey("successRate") },
            #"SELECT CAST("wins" AS REAL) / "games" AS "successRate" FROM "player""#)
        try expect(
            Player.select { $0.name ?? "Anonymous" },
            #"SELECT IFNULL("name", 'Anonymous') FROM "player""#)
        try expect(
            Player.select { $0.name ?? $0.email }, #"SELECT IFNULL("name", "email") FROM "player""#)
    }

    @Test func stringFunctions() throws {
        try write { db in
            let names = try String.fetchAll(db, Player.select { $0.name.uppercased })
            #expect(names == ["ARTHUR", "BARBARA", "CRAIG"])
            let name = "ARTHUR"
            let request = Player.filter { $0.name.collating(.caseInsensitiveCompare) == name }
            try #expect(request.fetchAll(db).map(\.name) == ["Arthur"])
            let myFunction = DatabaseFunction("myFunction", argumentCount: 1) { values in
                String.fromDatabaseValue(values[0]).map { String($0.reversed()) }
            }
            db.add(function: myFunction)
            try expectSQL(#"SELECT myFunction("name") FROM "player""#) {
                let names = try String.fetchAll(db, Player.select { myFunction($0.name) })
                #expect(names == ["ruhtrA", "arabraB", "giarC"])
            }
        }
    }

    // MARK: - Embedded SQL

    @Test func embeddedSelections() throws {
        let sql = #"SELECT IFNULL(name, 'O''Brien'), score FROM "player""#
        let defaultName = "O'Brien"
        try expect(Player.select(sql: "IFNULL(name, 'O''Brien'), score"), sql)
        try expect(Player.select(sql: "IFNULL(name, ?), score", arguments: [defaultName]), sql)
        try expect(Player.select(literal: "IFNULL(name, \(defaultName)), score"), sql)
        let named = #"SELECT IFNULL("name", 'O''Brien') AS displayName, "score" FROM "player""#
        let mixed = Player.select {
            let displayName: SQL = "IFNULL(\($0.name), \(defaultName)) AS displayName"
            return [displayName, $0.score]
        }
        try expect(mixed, named)
        let expression = Player.select {
            let displayName = SQL("IFNULL(\($0.name), \(defaultName))").sqlExpression
            return [displayName.forKey("displayName"), $0.score]
        }
        try expect(
            expression, named.replacingOccurrences(of: "displayName", with: #""displayName""#))
    }

    private func date(_ value: some SQLSpecificExpressible) -> SQLExpression {
        SQL("DATE(\(value))").sqlExpression
    }

    @Test func embeddedFunctions() throws {
        try expect(
            Player.filter { date($0.createdAt) == "2020-01-23" },
            #"SELECT * FROM "player" WHERE (DATE("createdAt")) = '2020-01-23'"#)
    }

    @Test func embeddedConditions() throws {
        let minScore = 1000
        let sql = #"SELECT * FROM "player" WHERE score >= 1000"#
        try expect(Player.filter(sql: "score >= 1000"), sql)
        try expect(Player.filter(sql: "score >= ?", arguments: [minScore]), sql)
        try expect(Player.filter(literal: "score >= \(minScore)"), sql)
        let mixed = Player.filter {
            let scoreCondition: SQL = "\($0.score) >= \(minScore)"
            return scoreCondition && $0.team == "red"
        }
        try expect(
            mixed, #"SELECT * FROM "player" WHERE ("score" >= 1000) AND ("team" = 'red')"#)
    }

    @Test func embeddedOrders() throws {
        let request =
            Player
            .order {
                let total = SQL("(\($0.score) + \($0.bonus))").sqlExpression
                return [total.desc, $0.name]
            }
            .reversed()
        try expect(
            request,
            #"SELECT * FROM "player" ORDER BY ("score" + "bonus") ASC, "name" DESC"#)
    }

    // MARK: - Fetching

    @Test func fetching() throws {
        try write { db in
            let request = Player.filter { $0.score > 0 }
            try #expect(request.fetchCursor(db).next()?.id == 1)
            try #expect(request.fetchAll(db).map(\.id) == [1, 2])
            try #expect(request.fetchSet(db).count == 2)
            try #expect(request.fetchOne(db)?.id == 1)
            try #expect(Player.filter { $0.name == "Arthur" }.fetchOne(db)?.id == 1)
            let scores = Player.select { [min($0.score), max($0.score)] }
            let row = try #require(try Row.fetchOne(db, scores))
            #expect(row[0] as Int? == 0)
            #expect(row[1] as Int? == 1000)
        }
    }

    @Test func fetchingByKey() throws {
        try write { db in
            try expectSQL(
                """
                SELECT * FROM "player" WHERE "id" = 1
                SELECT * FROM "player" WHERE "id" = 1
                SELECT * FROM "country" WHERE "isoCode" IN ('FR', 'US')
                SELECT * FROM "country" WHERE "isoCode" IN ('FR', 'US')
                SELECT * FROM "player" WHERE "email" = 'arthur@example.com'
                SELECT * FROM "citizenship" WHERE ("citizenId" = 1) AND ("countryCode" = 'FR')
                SELECT * FROM "document" WHERE "rowid" = 1
                """
            ) {
                try #expect(Player.find(db, id: 1).name == "Arthur")
                try #expect(Player.fetchOne(db, key: 1)?.name == "Arthur")
                try #expect(Country.fetchAll(db, ids: ["FR", "US"]).count == 2)
                try #expect(Country.fetchSet(db, keys: ["FR", "US"]).count == 2)
                try #expect(Player.fetchOne(db, key: ["email": "arthur@example.com"])?.id == 1)
                try #expect(
                    Citizenship.fetchOne(db, key: ["citizenId": 1, "countryCode": "FR"]) != nil)
                try #expect(Document.fetchOne(db, key: 1)?.content == "text")
            }
        }
    }

    @Test func existenceOfRecords() throws {
        try write { db in
            let request = Player.filter { $0.name == "Nobody" }
            try #expect(request.isEmpty(db))
            try #expect(request.fetchCount(db) == 0)
            try #expect(Player.exists(db, id: 1))
            try #expect(Country.exists(db, id: "FR"))
            try #expect(Player.exists(db, key: 1))
            try #expect(Country.exists(db, key: "FR"))
            try #expect(Player.exists(db, key: ["email": "arthur@example.com"]))
            try #expect(Citizenship.exists(db, key: ["citizenId": 1, "countryCode": "FR"]))
            try #expect(!Citizenship.exists(db, key: ["citizenId": 1, "countryCode": "US"]))
        }
    }

    @Test func counting() throws {
        try write { db in
            try expectSQL(
                """
                SELECT COUNT(*) FROM "player"
                SELECT COUNT(*) FROM "player" WHERE "email" IS NOT NULL
                SELECT COUNT(DISTINCT "name") FROM "player"
                SELECT COUNT(*) FROM (SELECT DISTINCT "name", "score" FROM "player")
                """
            ) {
                try #expect(Player.fetchCount(db) == 3)
                try #expect(Player.filter { $0.email != nil }.fetchCount(db) == 2)
                try #expect(Player.select(\.name).distinct().fetchCount(db) == 3)
                try #expect(Player.select { [$0.name, $0.score] }.distinct().fetchCount(db) == 3)
            }
        }
    }

    // MARK: - Writes

    @Test func deleteRequests() throws {
        try write { db in
            try expectSQL(
                """
                DELETE FROM "player" WHERE "team" = 'Greens'
                DELETE FROM "player" WHERE "id" IN \
                (SELECT "id" FROM "player" ORDER BY "score" LIMIT 1)
                DELETE FROM "player" WHERE "id" = 1
                DELETE FROM "country" WHERE "isoCode" IN ('FR', 'US')
                DELETE FROM "player" WHERE "id" = 1
                DELETE FROM "country" WHERE "isoCode" IN ('FR', 'US')
                DELETE FROM "player" WHERE "email" = 'arthur@example.com'
                DELETE FROM "citizenship" WHERE ("citizenId" = 1) AND ("countryCode" = 'FR')
                DELETE FROM "document" WHERE "rowid" = 1
                DELETE FROM "player"
                DELETE FROM "player"
                """
            ) {
                try #expect(Player.filter { $0.team == "Greens" }.deleteAll(db) == 0)
                try #expect(Player.order(\.score).limit(1).deleteAll(db) == 1)
                try #expect(Player.deleteOne(db, id: 1))
                try #expect(Country.deleteAll(db, ids: ["FR", "US"]) == 2)
                try #expect(!Player.deleteOne(db, key: 1))
                try #expect(Country.deleteAll(db, keys: ["FR", "US"]) == 0)
                try #expect(!Player.deleteOne(db, key: ["email": "arthur@example.com"]))
                try #expect(
                    Citizenship.deleteOne(db, key: ["citizenId": 1, "countryCode": "FR"]))
                try #expect(Document.deleteOne(db, key: 1))
                try #expect(Player.deleteAll(db) == 1)
                try #expect(Table("player").deleteAll(db) == 0)
            }
        }
    }

    @Test func updateRequests() throws {
        try write { db in
            try expectSQL(
                """
                UPDATE "player" SET "score" = 0, "isHealthy" = 1, "bonus" = NULL
                UPDATE "player" SET "score" = 0 WHERE "team" = 'Reds'
                UPDATE "player" SET "isGreat" = 1 WHERE "id" IN \
                (SELECT "id" FROM "player" ORDER BY "score" DESC LIMIT 10)
                UPDATE "country" SET "population" = 67848156 WHERE "isoCode" = 'FR'
                """
            ) {
                try Player.updateAll(db) {
                    [
                        $0.score.set(to: 0),
                        $0.isHealthy.set(to: true),
                        $0.bonus.set(to: nil),
                    ]
                }
                try Player
                    .filter { $0.team == "Reds" }
                    .updateAll(db) { $0.score.set(to: 0) }
                try Player
                    .order(\.score.desc)
                    .limit(10)
                    .updateAll(db) { $0.isGreat.set(to: true) }
                try Country
                    .filter(id: "FR")
                    .updateAll(db) { $0.population.set(to: 67_848_156) }
            }
            try expectSQL(
                """
                UPDATE "player" SET "bonus" = 1
                UPDATE "player" SET "score" = "score" + ("bonus" * 2)
                SELECT * FROM "player"
                UPDATE "player" SET "score" = 3
                UPDATE "player" SET "score" = "score" + ("bonus" * 2)
                SELECT * FROM "player"
                UPDATE OR IGNORE "player" SET "email" = 'same'
                UPDATE "player" SET "score" = 2
                """
            ) {
                try Player.updateAll(db) { $0.bonus.set(to: 1) }
                try Player.updateAll(db) {
                    $0.score.set(to: $0.score + $0.bonus * 2)
                }
                try #expect(Player.fetchAll(db).map(\.score) == [2, 2, 2])
                try Player.updateAll(db) { $0.score.set(to: 3) }
                try Player.updateAll(db) { $0.score += $0.bonus * 2 }
                try #expect(Player.fetchAll(db).map(\.score) == [5, 5, 5])
                try Player.updateAll(db, onConflict: .ignore) { $0.email.set(to: "same") }
                try Table("player").updateAll(db, Column("score").set(to: 2))
            }
        }
    }

    // MARK: - Custom requests

    @Test func customRequests() throws {
        try write { db in
            try #expect(Player.filter(color: "Reds").fetchAll(db).map(\.id) == [1, 2])
            try #expect(Player.filter(otherColor: "Blues").fetchAll(db).map(\.id) == [3])
            let rows = try Player.all().asRequest(of: Row.self).fetchAll(db)
            #expect(rows.count == 3)
        }
    }
}
