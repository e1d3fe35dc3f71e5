import GRDBQueries
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Scalar functions and literals that are not about numbers, texts or dates.
@Suite(.databases) struct ScalarFunctionTests {
    private let a = Column("a")
    private let b = Column("b")
    private let n = Column("n")
    private let s = Column("s")
    private let x = Column("x")

    @Test func choice() throws {
        try expect(nullIf(a, 2), sql: #"NULLIF("a", 2)"#, 1)
        try expectNull(nullIf(a, 1), sql: #"NULLIF("a", 1)"#)
        try expect(iif(a > 0, "yes", else: "no"), sql: #"IIF("a" > 0, 'yes', 'no')"#, "yes")
        try expect(iif(n > 0, "yes", else: "no"), sql: #"IIF("n" > 0, 'yes', 'no')"#, "no")
        try expectNull(iif(b > 0, s, else: nil), sql: #"IIF("b" > 0, "s", NULL)"#)
        // Optional expressions are not IFNULL calls.
        try expect(iif(a, Optional(s), else: Column?.none), sql: #"IIF("a", "s", NULL)"#, "Arthur")
    }

    @Test func types() throws {
        try expect(typeOf(a), sql: #"TYPEOF("a")"#, "integer")
        try expect(typeOf(b), sql: #"TYPEOF("b")"#, "real")
        try expect(typeOf(s), sql: #"TYPEOF("s")"#, "text")
        try expect(typeOf(x), sql: #"TYPEOF("x")"#, "blob")
        try expect(typeOf(n), sql: #"TYPEOF("n")"#, "null")
    }

    @Test func between() throws {
        try expect(a.isBetween(b, and: 1), sql: #""a" BETWEEN "b" AND 1"#, true)
        try expect(!a.isBetween(b, and: 1), sql: #""a" NOT BETWEEN "b" AND 1"#, false)
        try expect(a.isBetween(b + 4, and: 3), sql: #""a" BETWEEN ("b" + 4) AND 3"#, false)
        try expectNull(a.isBetween(0, and: n), sql: #""a" BETWEEN 0 AND "n""#)
        try expect(
            s.isBetween("ARA", and: "arz").collating(.nocase),
            sql: #"("s" COLLATE NOCASE) BETWEEN 'ARA' AND 'arz'"#, true)
    }

    @Test func distinctFrom() throws {
        try expect(a.isDistinct(from: n), sql: #""a" IS DISTINCT FROM "n""#, true)
        try expect(n.isDistinct(from: n), sql: #""n" IS DISTINCT FROM "n""#, false)
        try expect(n.isDistinct(from: nil), sql: #""n" IS DISTINCT FROM NULL"#, false)
        try expect(!a.isDistinct(from: 1), sql: #""a" IS NOT DISTINCT FROM 1"#, true)
    }

    @Test func hints() throws {
        try expect(likelihood(a, 0.9), sql: #"LIKELIHOOD("a", 0.9)"#, 1)
        try expect(likelihood(a, 0), sql: #"LIKELIHOOD("a", 0.0)"#, 1)
        try expect(likelihood(a, 1e-9), sql: #"LIKELIHOOD("a", 1e-09)"#, 1)
        try expect(likely(a == 1), sql: #"LIKELY("a" = 1)"#, true)
        try expect(unlikely(n), sql: #"UNLIKELY("n")"#, nil)
        try expectFailure(
            likelihood(a, 2),
            "second argument to LIKELIHOOD() must be a constant between 0.0 and 1.0")
    }

    @Test func literals() throws {
        try expect(SQLExpression.true, sql: "TRUE", 1)
        try expect(!SQLExpression.false, sql: "NOT FALSE", 1)
        try expect(a == SQLExpression.true, sql: #""a" = TRUE"#, 1)
        try TestDatabases.makeQueue().write { db in
            let length: (SQLExpression) throws -> Int? = { expression in
                try SQLRequest<Int>("SELECT LENGTH(\(expression))").fetchOne(db)
            }
            try expectEqual(length(.currentDate), 10)
            try expectEqual(length(.currentTime), 8)
            try expectEqual(length(.currentTimestamp), 19)
        }
    }

    @Test func randomness() throws {
        try expect(length(SQLExpression.randomBlob(16)), sql: "LENGTH(RANDOMBLOB(16))", 16)
        try expect(SQLExpression.zeroBlob(2), sql: "ZEROBLOB(2)", Data([0, 0]))
        try expect(SQLExpression.zeroBlob(a), sql: #"ZEROBLOB("a")"#, Data([0]))
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)")
            let numbers = try Table("t").select(SQLExpression.random(), as: Int64.self).fetchSet(db)
            expectEqual(numbers.count, 3)
            try expectSQL(#"SELECT * FROM "t" ORDER BY RANDOM()"#) {
                try expectEqual(Table("t").order(SQLExpression.random()).fetchAll(db).count, 3)
            }
        }
    }

    @Test func counts() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)")
            let row = try SQLRequest<Row>(
                """
                SELECT \(SQLExpression.changesCount()), \(SQLExpression.totalChangesCount()), \
                \(SQLExpression.lastInsertedRowID())
                """
            ).fetchOne(db)
            expectEqual(row.map { Array($0.databaseValues) }, [3, 3, 3].map(\.databaseValue))
        }
    }
}
