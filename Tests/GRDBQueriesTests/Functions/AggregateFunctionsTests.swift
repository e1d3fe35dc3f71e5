import GRDBQueries
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct AggregateFunctionsTests {
    private let name = Column("name")
    private let score = Column("score")
    private let team = Column("team")

    /// Expects the value of an aggregate of five players, and that of no player.
    private func expectAggregate(
        _ expression: SQLExpression, sql: String, _ expected: (any DatabaseValueConvertible)?,
        empty: (any DatabaseValueConvertible)? = nil, line: Int = #line
    ) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (name TEXT PRIMARY KEY, team TEXT, score INTEGER);
                    INSERT INTO player VALUES
                        ('c', 'blue', 20), ('a', 'red', 10), ('b', 'red', 20), ('d', 'blue', NULL),
                        ('e', 'red', 40)
                    """)
            let request = Table("player").select(expression, as: DatabaseValue.self)
            try expectSQL(#"SELECT \#(sql) FROM "player""#, line: line) {
                let value = try request.fetchOne(db)
                expectEqual(value, expected?.databaseValue ?? .null, line: line)
            }
            try expectEqual(request.fetchCount(db), 1, line: line)
            let value = try request.filter(SQLExpression.false).fetchOne(db)
            expectEqual(value, empty?.databaseValue ?? .null, line: line)
        }
    }

    @Test func texts() throws {
        try expectAggregate(
            groupConcat(name, orderBy: name), sql: #"GROUP_CONCAT("name" ORDER BY "name")"#,
            "a,b,c,d,e")
        try expectAggregate(
            groupConcat(name, separator: "; ", orderBy: score.desc, name.desc),
            sql: #"GROUP_CONCAT("name", '; ' ORDER BY "score" DESC, "name" DESC)"#,
            "e; c; b; a; d")
        try expectAggregate(
            groupConcat(score, separator: "", orderBy: name, filter: team == "red"),
            sql: #"GROUP_CONCAT("score", '' ORDER BY "name") FILTER (WHERE "team" = 'red')"#,
            "102040")
        try expectAggregate(
            groupConcat(distinct: team, orderBy: team.desc),
            sql: #"GROUP_CONCAT(DISTINCT "team" ORDER BY "team" DESC)"#, "red,blue")
        try expectAggregate(
            length(groupConcat(name)), sql: #"LENGTH(GROUP_CONCAT("name"))"#, 9)
    }

    @Test func percentiles() throws {
        try expectAggregate(median(score), sql: #"MEDIAN("score")"#, 20.0)
        try expectAggregate(
            median(score, filter: team == "red"),
            sql: #"MEDIAN("score") FILTER (WHERE "team" = 'red')"#, 20.0)
        try expectAggregate(
            median(distinct: score, filter: score < 40),
            sql: #"MEDIAN(DISTINCT "score") FILTER (WHERE "score" < 40)"#, 15.0)
        try expectAggregate(percentile(score, 100), sql: #"PERCENTILE("score", 100)"#, 40.0)
        try expectAggregate(
            percentileCont(score, 0.75), sql: #"PERCENTILE_CONT("score", 0.75)"#, 25.0)
        try expectAggregate(
            percentileDisc(score, 0.75, filter: score > 0),
            sql: #"PERCENTILE_DISC("score", 0.75) FILTER (WHERE "score" > 0)"#, 20.0)
    }

    @Test func numbers() throws {
        try expectAggregate(count(.all), sql: "COUNT(*)", 5, empty: 0)
        try expectAggregate(count(score), sql: #"COUNT("score")"#, 4, empty: 0)
        try expectAggregate(
            count(.all, filter: team == "red"), sql: #"COUNT(*) FILTER (WHERE "team" = 'red')"#, 3,
            empty: 0)
        try expectAggregate(
            count(distinct: score, filter: team == "red"),
            sql: #"COUNT(DISTINCT "score") FILTER (WHERE "team" = 'red')"#, 3, empty: 0)
        try expectAggregate(sum(distinct: score), sql: #"SUM(DISTINCT "score")"#, 70)
        try expectAggregate(
            sum(distinct: score, filter: team == "blue"),
            sql: #"SUM(DISTINCT "score") FILTER (WHERE "team" = 'blue')"#, 20)
        try expectAggregate(average(score), sql: #"AVG("score")"#, 22.5)
        try expectAggregate(
            average(distinct: score), sql: #"AVG(DISTINCT "score")"#, 70.0 / 3)
        try expectAggregate(total(score), sql: #"TOTAL("score")"#, 90.0, empty: 0.0)
        try expectAggregate(
            total(distinct: score, filter: score < 40),
            sql: #"TOTAL(DISTINCT "score") FILTER (WHERE "score" < 40)"#, 30.0, empty: 0.0)
        try expectAggregate(max(score), sql: #"MAX("score")"#, 40)
        try expectAggregate(
            min(score, filter: team == "blue"),
            sql: #"MIN("score") FILTER (WHERE "team" = 'blue')"#,
            20)
    }

    @Test func orderedJSON() throws {
        try expectAggregate(
            Database.jsonGroupArray(name, orderBy: score.ascNullsLast, name.desc),
            sql: #"JSON_GROUP_ARRAY("name" ORDER BY "score" ASC NULLS LAST, "name" DESC)"#,
            #"["a","c","b","e","d"]"#, empty: "[]")
        try expectAggregate(
            Database.jsonGroupObject(
                key: name, value: score, orderBy: name.desc, filter: score > 10),
            sql: """
                JSON_GROUP_OBJECT("name", "score" ORDER BY "name" DESC) \
                FILTER (WHERE "score" > 10)
                """, #"{"e":40,"c":20,"b":20}"#, empty: "{}")
    }

    /// One row is fetched from custom aggregates, too.
    @Test func customAggregates() throws {
        struct Count: DatabaseAggregate {
            var count = 0
            mutating func step(_ dbValues: [DatabaseValue]) { count += 1 }
            func finalize() -> (any DatabaseValueConvertible)? { count }
        }
        try TestDatabases.makeQueue().write { db in
            let myCount = DatabaseFunction("myCount", argumentCount: 1, aggregate: Count.self)
            db.add(function: myCount)
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
            let request = Table("t").select(myCount(Column("a")), as: Int.self)
            try expectEqual(request.fetchAll(db), [2])
            try expectEqual(request.fetchCount(db), 1)
        }
    }
}
