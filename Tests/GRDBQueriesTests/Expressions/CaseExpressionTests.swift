import GRDB
import GRDBQueries
import GRDBTestSupport
import Testing

@Suite(.databases) struct CaseExpressionTests {
    private let a = Column("a")
    private let b = Column("b")
    private let n = Column("n")
    private let s = Column("s")

    @Test func conditions() throws {
        try expect(
            SQLExpression.case(when: a > 5, then: "big").when(a > 0, then: "small").else("none"),
            sql: #"CASE WHEN "a" > 5 THEN 'big' WHEN "a" > 0 THEN 'small' ELSE 'none' END"#,
            "small")
        try expect(
            SQLExpression.case(when: n, then: 1).else(s),
            sql: #"CASE WHEN "n" THEN 1 ELSE "s" END"#, "Arthur")
        try expectNull(
            SQLExpression.case(when: a == 2, then: 1), sql: #"CASE WHEN "a" = 2 THEN 1 END"#)
        try expectNull(
            SQLExpression.case(when: a == 1, then: nil).else(2),
            sql: #"CASE WHEN "a" = 1 THEN NULL ELSE 2 END"#)
    }

    @Test func operand() throws {
        try expect(
            SQLExpression.case(s, when: "Barbara", then: 1).when("Arthur", then: 2).else(nil),
            sql: #"CASE "s" WHEN 'Barbara' THEN 1 WHEN 'Arthur' THEN 2 ELSE NULL END"#, 2)
        // Nothing equals NULL.
        try expect(
            SQLExpression.case(n, when: DatabaseValue.null, then: 1).else(2),
            sql: #"CASE "n" WHEN NULL THEN 1 ELSE 2 END"#, 2)
    }

    @Test func asOperand() throws {
        let number = SQLExpression.case(when: a == 1, then: 10).else(20)
        try expect(number + 1, sql: #"CASE WHEN "a" = 1 THEN 10 ELSE 20 END + 1"#, 11)
        try expect(-number, sql: #"-CASE WHEN "a" = 1 THEN 10 ELSE 20 END"#, -10)
    }

    @Test func aggregatesOfBranches() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)")
            let request = Table("t").select(
                SQLExpression.case(when: count(.all) > 2, then: "many").else("few"),
                as: String.self)
            // One row is fetched from aggregates.
            try expectEqual(request.fetchAll(db), ["many"])
            try expectEqual(request.fetchCount(db), 1)
            let sumOfOdd = Table("t").select(
                sum(SQLExpression.case(when: a % 2 == 1, then: a).else(0)), as: Int.self)
            try expectSQL(#"SELECT SUM(CASE WHEN ("a" % 2) = 1 THEN "a" ELSE 0 END) FROM "t""#) {
                try expectEqual(sumOfOdd.fetchOne(db), 4)
            }
        }
    }
}

@Suite(.databases) struct RowValueTests {
    private let a = Column("a")
    private let b = Column("b")
    private let n = Column("n")
    private let s = Column("s")

    @Test func comparison() throws {
        try expect(
            rowValue(a, s) == rowValue(1, "Arthur"), sql: #"("a", "s") = (1, 'Arthur')"#, true)
        try expect(rowValue(a, b) < rowValue(1, 0), sql: #"("a", "b") < (1, 0)"#, true)
        try expect(
            rowValue(a, b, s) > rowValue(2, 0, ""), sql: #"("a", "b", "s") > (2, 0, '')"#, false)
        try expect(rowValue(a, b) != rowValue(1, 0), sql: #"("a", "b") <> (1, 0)"#, true)
        try expectNull(rowValue(a, n) == rowValue(1, 0), sql: #"("a", "n") = (1, 0)"#)
        try expect(
            rowValue(a, n) === rowValue(1, DatabaseValue.null), sql: #"("a", "n") IS (1, NULL)"#,
            true)
        try expect(
            rowValue(a, b).isBetween(rowValue(1, -3), and: rowValue(1, -2)),
            sql: #"("a", "b") BETWEEN (1, -3) AND (1, -2)"#, true)
    }

    @Test func membership() throws {
        let pairs = [rowValue(0, 0), rowValue(1, -2.5)]
        try expect(
            pairs.contains(rowValue(a, b)), sql: #"("a", "b") IN (VALUES (0, 0), (1, -2.5))"#, true)
        try expect(
            !pairs.contains(rowValue(b, a)),
            sql: #"("b", "a") NOT IN (VALUES (0, 0), (1, -2.5))"#, true)
        try expect(
            [rowValue(1, -2.5)].contains(rowValue(a, b)), sql: #"("a", "b") = (1, -2.5)"#, true)
        try expect(
            Table("t").select(Column("a"), Column("b")).contains(rowValue(a, b)),
            sql: #"("a", "b") IN (SELECT "a", "b" FROM "t")"#, true)
    }

    @Test func subquery() throws {
        let first = Table("t").select(Column("a"), Column("b")).limit(1)
        try expect(
            rowValue(a, b) == first, sql: #"("a", "b") = (SELECT "a", "b" FROM "t" LIMIT 1)"#, true)
    }

    @Test func misuse() throws {
        try expectFailure(rowValue(a, b), "row value misused")
        try expectFailure(rowValue(a, b) == rowValue(1, 2, 3), "row value misused")
    }

    @Test func resultColumns() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (team, name);
                    INSERT INTO player VALUES ('r', 'a'), ('b', 'b'), ('r', 'c')
                    """)
            let request = Table("player").select(Column("team"), count(.all))
                .group(SQLExpression.resultColumn(1)).order(SQLExpression.resultColumn(2).desc)
            try expectSQL(
                #"SELECT "team", COUNT(*) FROM "player" GROUP BY 1 ORDER BY 2 DESC"#
            ) {
                try expectEqual(request.fetchAll(db).map { $0[0] as String }, ["r", "b"])
            }
        }
    }
}
