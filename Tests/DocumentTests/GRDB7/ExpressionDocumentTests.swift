import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The pages "Column", "ColumnExpression", "SQLExpression", "SQLSpecificExpressible",
/// "SQLOrderingTerm", "SQLSelectable" and "SQLSubqueryable".
@Suite(.databases) struct ExpressionDocumentTests {
    private struct Player: FetchableRecord, TableRecord {
        var score: Int

        enum Columns {
            static let score = Column("score")
            static let createdAt = Column("createdAt")
        }

        init(row: Row) {
            score = row["score"]
        }
    }

    private enum CodingKeys: String, CodingKey {
        case score, total
    }

    private let name = Column("name")
    private let score = Column("score")
    private let bonus = Column("bonus")

    private func withPlayers(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (name TEXT, score INTEGER, bonus INTEGER, createdAt DATETIME);
                    INSERT INTO player VALUES
                        ('Arthur', 0, 10, '2020-01-23 10:00:00.000'),
                        ('O''Brien', 500, 20, '2020-01-24 10:00:00.000'),
                        (NULL, 1500, NULL, '2020-01-23 18:00:00.000');
                    """)
            // Known before SQL is logged
            _ = try db.columns(in: "player")
            try body(db)
        }
    }

    /// Expects the SQL of an expression, and its value for all players.
    private func expectValues(
        _ expression: SQLExpression, _ sql: String, _ values: [String], line: Int = #line
    ) throws {
        try withPlayers { db in
            try expectRequest(
                db, Table("player").select(expression.forKey("value")),
                #"SELECT \#(sql) AS "value" FROM "player""#, values, line: line)
        }
    }

    // MARK: - Column

    @Test func column() throws {
        try withPlayers { db in
            try expectSQL(
                """
                DELETE FROM "player" WHERE "score" = 0
                SELECT * FROM "player" ORDER BY "score" DESC LIMIT 10
                SELECT MAX("score") FROM "player"
                """
            ) {
                try Player
                    .filter { $0.score == 0 }
                    .deleteAll(db)
                let bestPlayers =
                    try Player
                    .order(\.score.desc)
                    .limit(10)
                    .fetchAll(db)
                expectEqual(bestPlayers.map(\.score), [1500, 500])
                let maximumScore =
                    try Player
                    .select({ max($0.score) }, as: Int.self)
                    .fetchOne(db)
                expectEqual(maximumScore, 1500)
            }
        }
        expectEqual(Column(CodingKeys.score).name, "score")
        expectEqual(Column.rowID.name, "rowid")
        expectEqual(Column.rank.name, "rank")
    }

    @Test func detachedColumns() throws {
        try withPlayers { db in
            let request = Player.select((score + bonus).forKey(CodingKeys.total))
                .filter(bonus != nil)
                .order(Column(CodingKeys.total).detached.desc)
            try expectRequest(
                db, request,
                """
                SELECT "score" + "bonus" AS "total" FROM "player" WHERE "bonus" IS NOT NULL \
                ORDER BY "total" DESC
                """,
                ["520", "10"])
            let alias = TableAlias(name: "p")
            try expectRequest(
                db, request.aliased(alias),
                """
                SELECT "p"."score" + "p"."bonus" AS "total" FROM "player" "p" \
                WHERE "p"."bonus" IS NOT NULL ORDER BY "total" DESC
                """,
                ["520", "10"])
        }
    }

    @Test func assignments() throws {
        try withPlayers { db in
            let assignments: [(ColumnAssignment, String)] = [
                (score.set(to: bonus), #""score" = "bonus""#),
                (score.set(to: nil), #""score" = NULL"#),
                (score += 1, #""score" = "score" + 1"#),
                (score -= bonus, #""score" = "score" - "bonus""#),
                (score *= 2, #""score" = "score" * 2"#),
                (score /= 2, #""score" = "score" / 2"#),
                (score &= 7, #""score" = "score" & 7"#),
                (score |= 8, #""score" = "score" | 8"#),
                (score <<= 1, #""score" = "score" << 1"#),
                (score >>= 1, #""score" = "score" >> 1"#),
            ]
            for (assignment, sql) in assignments {
                try expectSQL(#"UPDATE "player" SET \#(sql) WHERE "name" IS NULL"#) {
                    try Player.filter(name == nil).updateAll(db, assignment)
                }
            }
            // An assignment that does not modify the column
            try expectSQL("") {
                try expectEqual(Player.updateAll(db, score.noOverwrite), 0)
            }
        }
    }

    // MARK: - SQLExpression

    @Test func expressions() throws {
        // Values
        try expectValues(1000.sqlExpression, "1000", ["1000", "1000", "1000"])
        try expectValues(
            "O'Brien".sqlExpression, "'O''Brien'", ["O'Brien", "O'Brien", "O'Brien"])
        // Computed expressions
        try expectValues(
            Column("score") + Column("bonus"), #""score" + "bonus""#, ["10", "520", "NULL"])
        try expectValues(
            (0...1000).contains(Column("score")), #""score" BETWEEN 0 AND 1000"#, ["1", "1", "0"])
        // Literal expression
        let defaultName = "Anonymous"
        try expectValues(
            SQL("IFNULL(name, \(defaultName))").sqlExpression, "IFNULL(name, 'Anonymous')",
            ["Arthur", "O'Brien", "Anonymous"])
        // Subquery
        try expectValues(
            Player.select(max(Column("score"))).sqlExpression,
            #"(SELECT MAX("score") FROM "player")"#, ["1500", "1500", "1500"])
    }

    private func date(_ value: some SQLSpecificExpressible) -> SQLExpression {
        SQL("DATE(\(value))").sqlExpression
    }

    @Test func functionsOfTheApplication() throws {
        try withPlayers { db in
            try expectSQL(
                #"SELECT * FROM "player" WHERE (DATE("createdAt")) = '2020-01-23'"#
            ) {
                let request = Player.filter { date($0.createdAt) == "2020-01-23" }
                try expectEqual(request.fetchAll(db).map(\.score), [0, 1500])
            }
        }
    }

    // MARK: - SQLSpecificExpressible

    @Test func functions() throws {
        try expectValues(
            coalesce([name, bonus, score]), #"COALESCE("name", "bonus", "score")"#,
            ["Arthur", "O'Brien", "1500"])
        try expectValues(min(score, bonus), #"MIN("score", "bonus")"#, ["0", "20", "NULL"])
        try expectValues(max(score, 100), #"MAX("score", 100)"#, ["100", "500", "1500"])
        try expectValues(cast(score, as: .text), #"CAST("score" AS TEXT)"#, ["0", "500", "1500"])
        try expectValues(abs(-score), #"ABS(-"score")"#, ["0", "500", "1500"])
        try expectValues(length(name), #"LENGTH("name")"#, ["6", "7", "NULL"])
        try expectValues(name.like("o'%"), #""name" LIKE 'o''%'"#, ["0", "1", "NULL"])
        try expectValues(
            dateTime(Column("createdAt"), .hour(-10)), #"DATETIME("createdAt", '-10 hours')"#,
            ["2020-01-23 00:00:00", "2020-01-24 00:00:00", "2020-01-23 08:00:00"])
        try expectValues(
            julianDay(Column("createdAt"), .startOfDay),
            #"JULIANDAY("createdAt", 'start of day')"#,
            ["2458871.5", "2458872.5", "2458871.5"])
        try expectValues(
            name.localizedUppercased, #"swiftLocalizedUppercaseString("name")"#,
            ["ARTHUR", "O'BRIEN", "NULL"])
    }

    @Test func operators() throws {
        try expectValues(!(score > 0), #"NOT ("score" > 0)"#, ["1", "0", "0"])
        try expectValues(
            score > 0 && bonus != nil, #"("score" > 0) AND ("bonus" IS NOT NULL)"#,
            ["0", "1", "0"])
        try expectValues(~score, #"~"score""#, ["-1", "-501", "-1501"])
        try expectValues(bonus ?? score, #"IFNULL("bonus", "score")"#, ["10", "20", "1500"])
        try expectValues(score << 1, #""score" << 1"#, ["0", "1000", "3000"])
        try expectValues(score >> 2, #""score" >> 2"#, ["0", "125", "375"])
        try expectValues(1 | score & 4, #"1 | ("score" & 4)"#, ["1", "5", "5"])
    }

    // MARK: - SQLOrderingTerm

    @Test func orderings() throws {
        try withPlayers { db in
            let names = Player.select(name)
            try expectRequest(
                db, names.order(name.asc), #"SELECT "name" FROM "player" ORDER BY "name" ASC"#,
                ["NULL", "Arthur", "O'Brien"])
            try expectRequest(
                db, names.order(name.ascNullsLast),
                #"SELECT "name" FROM "player" ORDER BY "name" ASC NULLS LAST"#,
                ["Arthur", "O'Brien", "NULL"])
            try expectRequest(
                db, names.order(name.desc), #"SELECT "name" FROM "player" ORDER BY "name" DESC"#,
                ["O'Brien", "Arthur", "NULL"])
            try expectRequest(
                db, names.order(name.descNullsFirst),
                #"SELECT "name" FROM "player" ORDER BY "name" DESC NULLS FIRST"#,
                ["NULL", "O'Brien", "Arthur"])
            let ordering: SQLOrdering = (score + 1).sqlOrdering
            try expectRequest(
                db, names.order(ordering).reversed(),
                #"SELECT "name" FROM "player" ORDER BY "score" + 1 DESC"#,
                ["NULL", "O'Brien", "Arthur"])
        }
    }

    // MARK: - SQLSelectable

    @Test func selections() throws {
        try withPlayers { db in
            let player = Player.filter(name == "Arthur")
            try expectRequest(
                db, player.select(.allColumns, .rowID),
                #"SELECT *, "rowid" FROM "player" WHERE "name" = 'Arthur'"#,
                ["Arthur|0|10|2020-01-23 10:00:00.000|1"])
            try expectRequest(
                db, player.select(.allColumns(excluding: ["createdAt", "bonus"])),
                #"SELECT "name", "score" FROM "player" WHERE "name" = 'Arthur'"#, ["Arthur|0"])
            try expectRequest(
                db, player.select(.allColumns(excluding: [Column("createdAt")])),
                #"SELECT "name", "score", "bonus" FROM "player" WHERE "name" = 'Arthur'"#,
                ["Arthur|0|10"])
            let selection: SQLSelection = score.sqlSelection
            try expectRequest(
                db, player.select([selection]),
                #"SELECT "score" FROM "player" WHERE "name" = 'Arthur'"#, ["0"])
        }
    }

    // MARK: - SQLSubqueryable

    @Test func subqueries() throws {
        try withPlayers { db in
            let scores = Player.select(score).filter(bonus != nil)
            let subquery: SQLSubquery = scores.sqlSubquery
            try expectRequest(
                db, Player.select(score).filter(subquery.contains(score)),
                """
                SELECT "score" FROM "player" WHERE "score" IN \
                (SELECT "score" FROM "player" WHERE "bonus" IS NOT NULL)
                """,
                ["0", "500"])
            try expectRequest(
                db, Player.select(count(.all)).filter(!scores.exists()),
                """
                SELECT COUNT(*) FROM "player" WHERE NOT EXISTS \
                (SELECT "score" FROM "player" WHERE "bonus" IS NOT NULL)
                """,
                ["0"])
        }
    }
}
