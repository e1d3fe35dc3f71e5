import Foundation
import GRDB
import GRDBTestSupport
import Testing

extension QueryInterfaceReadmeTests {
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
            try expectEqual(
                Team.aliased(teamAlias).filter(player.exists()).fetchAll(db).map(\.id),
                [1])
            try expectEqual(
                Team.aliased(teamAlias).filter(!player.exists()).fetchAll(db).map(\.id),
                [2])
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
        try write { db in try expectEqual(coaches.fetchAll(db).map(\.id), [1]) }
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
            expectEqual(names, ["ARTHUR", "BARBARA", "CRAIG"])
            let name = "ARTHUR"
            let request = Player.filter { $0.name.collating(.caseInsensitiveCompare) == name }
            try expectEqual(request.fetchAll(db).map(\.name), ["Arthur"])
            let myFunction = DatabaseFunction("myFunction", argumentCount: 1) { values in
                String.fromDatabaseValue(values[0]).map { String($0.reversed()) }
            }
            db.add(function: myFunction)
            try expectSQL(#"SELECT myFunction("name") FROM "player""#) {
                let names = try String.fetchAll(db, Player.select { myFunction($0.name) })
                expectEqual(names, ["ruhtrA", "arabraB", "giarC"])
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
}
