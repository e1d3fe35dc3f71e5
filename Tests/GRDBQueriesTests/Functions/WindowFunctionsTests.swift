@testable import GRDBQueries
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct WindowFunctionsTests {
    private let name = Column("name")
    private let score = Column("score")
    private let team = Column("team")

    private let players = Table("player").order(Column("name"))

    private func withPlayers(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (name TEXT PRIMARY KEY, team TEXT, score INTEGER);
                    INSERT INTO player VALUES
                        ('a', 'red', 10), ('b', 'red', 20), ('c', 'blue', 20), ('d', 'blue', NULL),
                        ('e', 'red', 30)
                    """)
            try body(db)
        }
    }

    /// Expects the values of an expression for all players, by name.
    private func expectValues(
        _ expression: SQLExpression, sql: String,
        _ expected: [(any DatabaseValueConvertible)?], line: Int = #line
    ) throws {
        try withPlayers { db in
            let request = players.select(expression, as: DatabaseValue.self)
            try expectSQL(
                #"SELECT \#(sql) FROM "player" ORDER BY "name""#, line: line
            ) {
                let values = try request.fetchAll(db)
                let expected = expected.map { $0?.databaseValue ?? .null }
                expectEqual(values, expected, line: line)
            }
            // All rows are kept.
            try expectEqual(request.fetchCount(db), 5, line: line)
        }
    }

    // MARK: - Functions

    @Test func ranks() throws {
        try expectValues(
            rowNumber().over(orderBy: score.desc, name),
            sql: #"ROW_NUMBER() OVER (ORDER BY "score" DESC, "name")"#, [4, 2, 3, 5, 1])
        try expectValues(
            rank().over(orderBy: score.desc), sql: #"RANK() OVER (ORDER BY "score" DESC)"#,
            [4, 2, 2, 5, 1])
        try expectValues(
            denseRank().over(orderBy: score.desc),
            sql: #"DENSE_RANK() OVER (ORDER BY "score" DESC)"#, [3, 2, 2, 4, 1])
        try expectValues(
            percentRank().over(orderBy: score.desc),
            sql: #"PERCENT_RANK() OVER (ORDER BY "score" DESC)"#, [0.75, 0.25, 0.25, 1.0, 0.0])
        try expectValues(
            cumeDist().over(orderBy: score.desc),
            sql: #"CUME_DIST() OVER (ORDER BY "score" DESC)"#, [0.8, 0.6, 0.6, 1.0, 0.2])
        try expectValues(
            ntile(2).over(orderBy: name), sql: #"NTILE(2) OVER (ORDER BY "name")"#,
            [1, 1, 1, 2, 2])
        try expectValues(
            rank().over(partitionBy: team, orderBy: score.desc),
            sql: #"RANK() OVER (PARTITION BY "team" ORDER BY "score" DESC)"#, [3, 2, 1, 2, 1])
    }

    @Test func valuesOfOtherRows() throws {
        try expectValues(
            lag(score).over(orderBy: name), sql: #"LAG("score") OVER (ORDER BY "name")"#,
            [nil, 10, 20, 20, nil])
        try expectValues(
            lag(score, 2).over(orderBy: name), sql: #"LAG("score", 2) OVER (ORDER BY "name")"#,
            [nil, nil, 10, 20, 20])
        try expectValues(
            lag(score, default: 0).over(orderBy: name),
            sql: #"LAG("score", 1, 0) OVER (ORDER BY "name")"#, [0, 10, 20, 20, nil])
        try expectValues(
            lead(score, 3, default: name).over(orderBy: name),
            sql: #"LEAD("score", 3, "name") OVER (ORDER BY "name")"#, [nil, 30, "c", "d", "e"])
        try expectValues(
            firstValue(name).over(partitionBy: team, orderBy: score.desc),
            sql: #"FIRST_VALUE("name") OVER (PARTITION BY "team" ORDER BY "score" DESC)"#,
            ["e", "e", "c", "c", "e"])
        try expectValues(
            lastValue(name).over(
                orderBy: name, frame: .rows(from: .currentRow, to: .unboundedFollowing)),
            sql: """
                LAST_VALUE("name") OVER (ORDER BY "name" \
                ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
                """, ["e", "e", "e", "e", "e"])
        try expectValues(
            nthValue(name, 2).over(orderBy: name),
            sql: #"NTH_VALUE("name", 2) OVER (ORDER BY "name")"#, [nil, "b", "b", "b", "b"])
    }

    @Test func aggregates() throws {
        try expectValues(sum(score).over(), sql: #"SUM("score") OVER ()"#, [80, 80, 80, 80, 80])
        try expectValues(
            count(.all).over(partitionBy: team), sql: #"COUNT(*) OVER (PARTITION BY "team")"#,
            [3, 3, 2, 2, 3])
        try expectValues(
            max(score, filter: score < 30).over(),
            sql: #"MAX("score") FILTER (WHERE "score" < 30) OVER ()"#, [20, 20, 20, 20, 20])
        try expectValues(
            groupConcat(name, separator: "").over(orderBy: name),
            sql: #"GROUP_CONCAT("name", '') OVER (ORDER BY "name")"#,
            ["a", "ab", "abc", "abcd", "abcde"])
        try expectValues(
            median(score).over(partitionBy: team),
            sql: #"MEDIAN("score") OVER (PARTITION BY "team")"#, [20.0, 20.0, 20.0, 20.0, 20.0])
        try expectValues(
            Database.jsonGroupArray(score).over(partitionBy: team, orderBy: name),
            sql: #"JSON_GROUP_ARRAY("score") OVER (PARTITION BY "team" ORDER BY "name")"#,
            ["[10]", "[10,20]", "[20]", "[20,null]", "[10,20,30]"])
        try expectValues(
            score * 100 / sum(score).over(),
            sql: #"("score" * 100) / (SUM("score") OVER ())"#, [12, 25, 25, nil, 37])
    }

    // MARK: - Frames

    @Test func frames() throws {
        func sumOver(_ frame: SQLWindowFrame) -> SQLExpression {
            groupConcat(name, separator: "").over(orderBy: score.desc, name, frame: frame)
        }
        // By score: e, b, c, a, d
        let prefix = #"GROUP_CONCAT("name", '') OVER (ORDER BY "score" DESC, "name""#
        try expectValues(
            sumOver(.rows(from: .unboundedPreceding)),
            sql: "\(prefix) ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)",
            ["ebca", "eb", "ebc", "ebcad", "e"])
        try expectValues(
            sumOver(.rows(from: .preceding(1), to: .following(1))),
            sql: "\(prefix) ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)",
            ["cad", "ebc", "bca", "ad", "eb"])
        try expectValues(
            sumOver(
                .rows(
                    from: .unboundedPreceding, to: .unboundedFollowing, excluding: .currentRow)),
            sql: """
                \(prefix) ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING \
                EXCLUDE CURRENT ROW)
                """, ["ebcd", "ecad", "ebad", "ebca", "bcad"])
    }

    @Test func rangesAndGroups() throws {
        try expectValues(
            count(.all).over(
                orderBy: score, frame: .range(from: .preceding(10), to: .following(10.5))),
            sql: """
                COUNT(*) OVER (ORDER BY "score" RANGE BETWEEN 10 PRECEDING AND 10.5 FOLLOWING)
                """, [3, 4, 4, 1, 3])
        let groups: (SQLWindowFrame.Exclusion?) -> SQLExpression = { exclusion in
            count(.all).over(
                orderBy: self.score,
                frame: .groups(from: .preceding(1), to: .currentRow, excluding: exclusion))
        }
        let prefix = #"COUNT(*) OVER (ORDER BY "score" GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW"#
        try expectValues(groups(nil), sql: "\(prefix))", [2, 3, 3, 1, 3])
        try expectValues(
            groups(.noOthers), sql: "\(prefix) EXCLUDE NO OTHERS)", [2, 3, 3, 1, 3])
        try expectValues(groups(.group), sql: "\(prefix) EXCLUDE GROUP)", [1, 1, 1, 0, 2])
        try expectValues(groups(.ties), sql: "\(prefix) EXCLUDE TIES)", [2, 2, 2, 1, 3])
    }

    // MARK: - Named windows

    @Test func namedWindows() throws {
        try withPlayers { db in
            let request = Table("player")
                .select(
                    name, rank().over(.named("w")),
                    sum(score).over(SQLWindow(basedOn: "team", orderBy: [score.desc]))
                )
                .window(named: "w", SQLWindow(orderBy: [score.desc]))
                .window(named: "team", SQLWindow(partitionBy: [Column("name")]))
                .window(named: "TEAM", SQLWindow(partitionBy: [team]))
                .filter(score != nil)
                .order(name)
                .limit(2)
            try expectSQL(
                """
                SELECT "name", RANK() OVER "w", SUM("score") OVER ("team" ORDER BY "score" DESC) \
                FROM "player" WHERE "score" IS NOT NULL WINDOW "w" AS (ORDER BY "score" DESC), \
                "TEAM" AS (PARTITION BY "team") ORDER BY "name" LIMIT 2
                """
            ) {
                let rows = try request.fetchAll(db).map { row in Array(row.databaseValues) }
                let expected: [[DatabaseValue]] = [
                    ["a".databaseValue, 4.databaseValue, 60.databaseValue],
                    ["b".databaseValue, 2.databaseValue, 50.databaseValue],
                ]
                expectEqual(rows, expected)
            }
            try expectSQL(
                """
                SELECT COUNT(*) FROM (SELECT "name", RANK() OVER "w", \
                SUM("score") OVER ("team" ORDER BY "score" DESC) FROM "player" \
                WHERE "score" IS NOT NULL WINDOW "w" AS (ORDER BY "score" DESC), \
                "TEAM" AS (PARTITION BY "team") LIMIT 2)
                """
            ) {
                try expectEqual(request.fetchCount(db), 2)
            }
        }
    }

    @Test func windowsFollowGroups() throws {
        try withPlayers { db in
            let request = Table("player")
                .window(named: "w", SQLWindow(orderBy: [sum(score).desc]))
                .select(team, rank().over(.named("w")))
                .group(team)
                .having(count(.all) > 0)
            try expectSQL(
                """
                SELECT "team", RANK() OVER "w" FROM "player" GROUP BY "team" \
                HAVING COUNT(*) > 0 WINDOW "w" AS (ORDER BY SUM("score") DESC)
                """
            ) {
                try expectEqual(
                    request.fetchAll(db).map { Array($0.databaseValues) },
                    [
                        ["red".databaseValue, 1.databaseValue],
                        ["blue".databaseValue, 2.databaseValue],
                    ])
            }
        }
    }

    @Test func windowsOfAliasedTables() throws {
        try withPlayers { db in
            let alias = TableAlias(name: "p")
            let request = Table("player").aliased(alias)
                .select(alias[sum(score)].over(.named("w")), as: Int.self)
                .window(named: "w", SQLWindow(partitionBy: [team]))
                .order(name)
            try expectSQL(
                """
                SELECT SUM("p"."score") OVER "w" FROM "player" "p" \
                WINDOW "w" AS (PARTITION BY "p"."team") ORDER BY "p"."name"
                """
            ) {
                try expectEqual(request.fetchAll(db), [60, 60, 20, 20, 60])
            }
        }
    }

    @Test func windowsOfRecords() throws {
        struct Player: TableRecord {
            enum Columns {
                static let team = Column("team")
                static let score = Column("score")
            }
        }
        try withPlayers { db in
            let request = Player.all()
                .select { [$0.team, rowNumber().over(.named("w"))] }
                .window(named: "w") { SQLWindow(partitionBy: [$0.team], orderBy: [$0.score.desc]) }
            try expectSQL(
                """
                SELECT "team", ROW_NUMBER() OVER "w" FROM "player" \
                WINDOW "w" AS (PARTITION BY "team" ORDER BY "score" DESC)
                """
            ) {
                try expectEqual(Row.fetchAll(db, request).map { $0[1] as Int }, [1, 2, 1, 2, 3])
            }
        }
    }

    // MARK: - Counts and misuse

    @Test func countsOfDistinctRanks() throws {
        try withPlayers { db in
            let ranks = Table("player").select(rank().over(orderBy: score), as: Int.self).distinct()
            try expectSQL(
                #"SELECT COUNT(*) FROM (SELECT DISTINCT RANK() OVER (ORDER BY "score") FROM "player")"#
            ) {
                try expectEqual(ranks.fetchCount(db), 4)
            }
            try expectEqual(ranks.fetchAll(db).count, 4)
            // An aggregate in the window makes one row.
            let one = Table("player").select(rank().over(orderBy: sum(score)), as: Int.self)
            try expectEqual(one.fetchCount(db), 1)
            try expectEqual(one.fetchAll(db), [1])
        }
    }

    @Test func misuse() throws {
        try withPlayers { db in
            func message(_ expression: SQLExpression) -> String? {
                expectError(DatabaseError.self) {
                    try Table("player").select(expression, as: DatabaseValue.self).fetchAll(db)
                }?.message
            }
            let misplaced = "over() needs the call of an aggregate function without a window"
            expectEqual(message(score.over()), misplaced)
            expectEqual(message((sum(score) + 1).over()), misplaced)
            expectEqual(message(sum(score).over().over()), misplaced)
            expectEqual(message(abs(score).over()), "ABS() may not be used as a window function")
            expectEqual(message(rank().over(.named("w"))), "no such window: \"w\"")
            expectEqual(
                message(sum(distinct: score).over()),
                "DISTINCT is not supported for window functions")
            expectEqual(message(ntile(0).over()), "argument of ntile must be a positive integer")
            let error = expectError(DatabaseError.self) {
                try Table("player").filter(rank().over() == 1).fetchAll(db)
            }
            expectEqual(error?.message, "misuse of window function RANK()")
        }
    }

    // MARK: - Functions of the same name

    /// Functions of the app are preferred to those without arguments.
    @Test func namesakes() {
        let number = denseRank()
        expectEqual(number, 2)
    }

    @Test func namedWindowsOfRecordTypes() throws {
        struct Player: TableRecord {
            enum Columns {
                static let id = Column("id")
            }
        }
        try DatabaseQueue().write { db in
            try db.execute(
                sql:
                    "CREATE TABLE player (id INTEGER PRIMARY KEY); INSERT INTO player VALUES (7), (8)"
            )
            let window = SQLWindow(orderBy: [Column("id").desc])
            for request in [
                Player.window(named: "w", window),
                Player.window(named: "w") { SQLWindow(orderBy: [$0.id.desc]) },
            ] {
                let ranks = request.select(rank().over(.named("w")), as: Int.self)
                    .order(Column("id"))
                let statement = try ranks.makePreparedRequest(db).statement
                expectEqual(
                    statement.sql,
                    """
                    SELECT RANK() OVER "w" FROM "player" WINDOW "w" AS (ORDER BY "id" DESC) \
                    ORDER BY "id"
                    """)
                try expectEqual(ranks.fetchAll(db), [2, 1])
            }
        }
    }
}

private func denseRank() -> Int { 2 }
