import GRDBQueries
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Counting, and looking for emptiness.
@Suite(.databases) struct RequestCountTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    @Test func counts() throws {
        try expectCount(Parcel.all(), 3, #"SELECT COUNT(*) FROM "parcel""#)
        try expectCount(Parcel.none(), 0, #"SELECT COUNT(*) FROM "parcel" WHERE 0"#)
        try expectCount(
            Parcel.filter(width == 1), 1, #"SELECT COUNT(*) FROM "parcel" WHERE "width" = 1"#)
        try expectCount(
            Parcel.filter(width == 99), 0, #"SELECT COUNT(*) FROM "parcel" WHERE "width" = 99"#)
        try expectCount(
            Parcel.limit(2), 2, #"SELECT COUNT(*) FROM (SELECT * FROM "parcel" LIMIT 2)"#)
        try expectCount(
            Parcel.limit(0), 0, #"SELECT COUNT(*) FROM (SELECT * FROM "parcel" LIMIT 0)"#)
        try expectCount(
            Parcel.limit(2, offset: 2), 1,
            #"SELECT COUNT(*) FROM (SELECT * FROM "parcel" LIMIT 2 OFFSET 2)"#)
        try expectCount(Parcel.order(width), 3, #"SELECT COUNT(*) FROM "parcel""#)
        try expectCount(
            Parcel.order(width).limit(2), 2,
            #"SELECT COUNT(*) FROM (SELECT * FROM "parcel" LIMIT 2)"#)
        try expectCount(
            Parcel.order(sql: "width").limit(2), 2,
            #"SELECT COUNT(*) FROM (SELECT * FROM "parcel" LIMIT 2)"#)
        try expectCount(Parcel.order(sql: "volume"), 3, #"SELECT COUNT(*) FROM "parcel""#)
        try expectCount(Parcel.order(width).withStableOrder(), 3, #"SELECT COUNT(*) FROM "parcel""#)
        try expectCount(
            Parcel.all().distinct(), 3, #"SELECT COUNT(*) FROM (SELECT DISTINCT * FROM "parcel")"#)
    }

    @Test func distinct() throws {
        let (alias, named) = (TableAlias<Parcel>(), TableAlias<Parcel>(name: "p"))
        try expectCount(Parcel.select(width), 3, #"SELECT COUNT(*) FROM "parcel""#)
        try expectCount(Parcel.select(width, height), 3, #"SELECT COUNT(*) FROM "parcel""#)
        try expectCount(
            Parcel.select(width).distinct(), 3,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT "width" FROM "parcel")"#)
        try expectCount(
            Parcel.select(width, height).distinct(), 3,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT "width", "height" FROM "parcel")"#)
        try expectCount(
            Parcel.select(width + 1).distinct(), 3,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT "width" + 1 FROM "parcel")"#)
        try expectCount(
            Parcel.select(width.forKey("k")).distinct(), 3,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT "width" AS "k" FROM "parcel")"#)
        try expectCount(
            Parcel.select((width + 1).forKey("k")).distinct(), 3,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT "width" + 1 AS "k" FROM "parcel")"#)
        try expectCount(
            Parcel.aliased(alias).select(alias[width.forKey("k")]).distinct(), 3,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT "width" AS "k" FROM "parcel")"#)
        try expectCount(
            Parcel.aliased(alias).select(alias[AllColumns()]).distinct(), 3,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT * FROM "parcel")"#)
        try expectCount(
            Parcel.aliased(named).select(named[(width + 1).forKey("k")]).distinct(), 3,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT "p"."width" + 1 AS "k" FROM "parcel" "p")"#)
        try expectCount(
            Parcel.select(width).distinct().limit(2), 2,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT "width" FROM "parcel" LIMIT 2)"#)
        try expectCount(
            Parcel.select(width).distinct().order(width), 3,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT "width" FROM "parcel")"#)
        try expectCount(
            Parcel.select(width).distinct().filter(height == 2), 1,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT "width" FROM "parcel" WHERE "height" = 2)"#)
        try expectCount(
            Parcel.select(width.sqlExpression).distinct(), 3,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT "width" FROM "parcel")"#)
    }

    @Test func distinctSelections() throws {
        try expectCount(
            Parcel.select(1.databaseValue).distinct(), 1,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT 1 FROM "parcel")"#
        )
        try expectCount(
            Parcel.select(width).distinct().group(height), 3,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT "width" FROM "parcel" GROUP BY "height")"#)
        try expectCount(
            Parcel.select(.rowID).distinct(), 3, #"SELECT COUNT(DISTINCT "rowid") FROM "parcel""#)
        try expectCount(
            Parcel.select(.allColumns).distinct(), 3,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT * FROM "parcel")"#)
        try expectCount(
            Parcel.select(.allColumns(excluding: ["contents"])), 3,
            #"SELECT COUNT(*) FROM "parcel""#)
        try expectCount(
            Parcel.select(.allColumns(excluding: ["contents"])).distinct(), 3,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT "id", "width", "height", "depth", "label", "sentOn", "isFragile", "weight" FROM "parcel")"#
        )
        try expectCount(Parcel.select(.allColumns, .rowID), 3, #"SELECT COUNT(*) FROM "parcel""#)
        try expectCount(
            Parcel.select(.allColumns, .rowID).distinct(), 3,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT *, "rowid" FROM "parcel")"#)
    }

    @Test func selectionsOfSQL() throws {
        try expectCount(
            Parcel.select(sql: "width"), 3, #"SELECT COUNT(*) FROM (SELECT width FROM "parcel")"#)
        try expectCount(
            Parcel.select(sql: "width, height").distinct(), 3,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT width, height FROM "parcel")"#)
        try expectCount(
            Parcel.select(literal: "width").distinct(), 3,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT width FROM "parcel")"#)
        try expectCount(
            Parcel.select(SQL("width")).distinct(), 3,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT width FROM "parcel")"#)
        try expectCount(
            Parcel.select(SQL("width").sqlExpression).distinct(), 3,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT width FROM "parcel")"#)
        try expectCount(
            Parcel.select(max(width)), 1,
            #"SELECT COUNT(*) FROM (SELECT MAX("width") FROM "parcel")"#)
        try expectCount(
            Parcel.select(max(width) + 1), 1,
            #"SELECT COUNT(*) FROM (SELECT MAX("width") + 1 FROM "parcel")"#)
        try expectCount(
            Parcel.select(max(width), min(height)), 1,
            #"SELECT COUNT(*) FROM (SELECT MAX("width"), MIN("height") FROM "parcel")"#)
    }

    @Test func aggregates() throws {
        try expectCount(
            Parcel.select(width, max(height)), 1,
            #"SELECT COUNT(*) FROM (SELECT "width", MAX("height") FROM "parcel")"#)
        try expectCount(
            Parcel.select(count(width)), 1,
            #"SELECT COUNT(*) FROM (SELECT COUNT("width") FROM "parcel")"#)
        try expectCount(
            Parcel.select(count(distinct: width)), 1,
            #"SELECT COUNT(*) FROM (SELECT COUNT(DISTINCT "width") FROM "parcel")"#)
        try expectCount(
            Parcel.select(max(width)).filter(height == 1), 1,
            #"SELECT COUNT(*) FROM (SELECT MAX("width") FROM "parcel" WHERE "height" = 1)"#)
        try expectCount(
            Parcel.select(max(width)).group(height), 3,
            #"SELECT COUNT(*) FROM (SELECT MAX("width") FROM "parcel" GROUP BY "height")"#)
        try expectCount(
            Parcel.select(max(width)).limit(1), 1,
            #"SELECT COUNT(*) FROM (SELECT MAX("width") FROM "parcel" LIMIT 1)"#)
        try expectCount(
            Parcel.select(sql: "MAX(width)"), 1,
            #"SELECT COUNT(*) FROM (SELECT MAX(width) FROM "parcel")"#)
        try expectCount(Parcel.select(width, height), 3, #"SELECT COUNT(*) FROM "parcel""#)
        try expectCount(
            Parcel.select(width, height, depth).limit(1), 1,
            #"SELECT COUNT(*) FROM (SELECT "width", "height", "depth" FROM "parcel" LIMIT 1)"#)
        try expectCount(
            Parcel.select(Parcel.select(max(width))), 3, #"SELECT COUNT(*) FROM "parcel""#)
        try expectCount(
            Parcel.select(Parcel.select(max(width))).distinct(), 1,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT (SELECT MAX("width") FROM "parcel") FROM "parcel")"#
        )
        try expectCount(Parcel.annotated(with: width + 1), 3, #"SELECT COUNT(*) FROM "parcel""#)
        try expectCount(
            Parcel.annotated(with: max(width)), 1,
            #"SELECT COUNT(*) FROM (SELECT *, MAX("width") FROM "parcel")"#)
        try expectCount(
            Parcel.annotated(with: width.forKey("p")).distinct(), 3,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT *, "width" AS "p" FROM "parcel")"#)
    }

    @Test func groups() throws {
        try expectCount(
            Parcel.all().group(width), 3,
            #"SELECT COUNT(*) FROM (SELECT * FROM "parcel" GROUP BY "width")"#)
        try expectCount(
            Parcel.all().group(width).order(height), 3,
            #"SELECT COUNT(*) FROM (SELECT * FROM "parcel" GROUP BY "width")"#)
        try expectCount(
            Parcel.all().group(width).having(max(height) > 1), 2,
            #"SELECT COUNT(*) FROM (SELECT * FROM "parcel" GROUP BY "width" HAVING MAX("height") > 1)"#
        )
        try expectCount(
            Parcel.all().groupByPrimaryKey(), 3,
            #"SELECT COUNT(*) FROM (SELECT * FROM "parcel" GROUP BY "id")"#)
        try expectCount(
            Parcel.all().group([Column]()), 3, #"SELECT COUNT(*) FROM (SELECT * FROM "parcel")"#)
        try expectCount(
            Parcel.all().group(sql: "width"), 3,
            #"SELECT COUNT(*) FROM (SELECT * FROM "parcel" GROUP BY width)"#)
        try expectCount(
            Parcel.select(width).group(width).distinct(), 3,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT "width" FROM "parcel" GROUP BY "width")"#)
        try expectCount(Parcel.filter(key: 1), 1, #"SELECT COUNT(*) FROM "parcel" WHERE "id" = 1"#)
        try expectCount(
            Parcel.filter(key: 1).limit(5), 1,
            #"SELECT COUNT(*) FROM (SELECT * FROM "parcel" WHERE "id" = 1 LIMIT 5)"#)
        try expectCount(
            Parcel.filter(keys: [1, 2]), 2, #"SELECT COUNT(*) FROM "parcel" WHERE "id" IN (1, 2)"#)
    }

    @Test func otherShapes() throws {
        try expectCount(BriefParcel.all(), 3, #"SELECT COUNT(*) FROM "parcel""#)
        try expectCount(
            BriefParcel.all().distinct(), 3,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT "id", "width" FROM "parcel")"#)
        try expectCount(NumberedParcel.all(), 3, #"SELECT COUNT(*) FROM "parcel""#)
        try expectCount(PlainParcel.all(), 3, #"SELECT COUNT(*) FROM "parcel""#)
        try expectCount(
            WidestParcel.all(), 1,
            #"SELECT COUNT(*) FROM (SELECT MAX("width"), 1 AS one FROM "parcel")"#)
        try expectCount(Parcel.selectID(), 3, #"SELECT COUNT(*) FROM "parcel""#)
        try expectCount(
            Parcel.selectID().distinct(), 3, #"SELECT COUNT(DISTINCT "id") FROM "parcel""#)
        try expectCount(
            Slot.selectPrimaryKey(as: Row.self).distinct(), 3,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT "shelf", "place" FROM "slot")"#)
        try expectCount(ParcelView.all(), 3, #"SELECT COUNT(*) FROM "parcelView""#)
        try expectCount(Table("parcel").all(), 3, #"SELECT COUNT(*) FROM "parcel""#)
        try expectCount(
            Table("parcel").filter(width == 1), 1,
            #"SELECT COUNT(*) FROM "parcel" WHERE "width" = 1"#)
        try expectWriteFailure(
            #"SQLite error 1: no such table: phantom - while executing `SELECT COUNT(*) FROM "phantom"`"#
        ) { try Phantom.all().fetchCount($0) }
        try expectCount(
            Parcel.all().adapted { _ in EmptyRowAdapter() }, 3, #"SELECT COUNT(*) FROM "parcel""#)
        try expectCount(
            Parcel.limit(1).adapted { _ in EmptyRowAdapter() }, 1,
            #"SELECT COUNT(*) FROM (SELECT * FROM "parcel" LIMIT 1)"#)
        try expectCount(
            AnyFetchRequest(Parcel.limit(1)), 1,
            #"SELECT COUNT(*) FROM (SELECT * FROM "parcel" LIMIT 1)"#)
        try expectCount(SQLRequest<Int>("SELECT \(1)"), 1, "SELECT COUNT(*) FROM (SELECT 1 )")
        do {
            let alias = TableAlias<Parcel>(name: "p")
            try expectCount(Parcel.aliased(alias), 3, #"SELECT COUNT(*) FROM "parcel" "p""#)
        }
        do {
            let alias = TableAlias<Parcel>(name: "p")
            try expectCount(
                Parcel.aliased(alias).select(width).distinct(), 3,
                #"SELECT COUNT(*) FROM (SELECT DISTINCT "p"."width" FROM "parcel" "p")"#)
        }
        do {
            let alias = TableAlias<Parcel>(name: "p")
            try expectCount(
                Parcel.aliased(alias).order(width).filter(height == 2), 1,
                #"SELECT COUNT(*) FROM "parcel" "p" WHERE "p"."height" = 2"#)
        }
        try expectCount(
            Parcel.with(CommonTableExpression(named: "k", request: Courier.all())).filter(
                width == 1), 1,
            #"SELECT COUNT(*) FROM (WITH "k" AS (SELECT * FROM "courier") SELECT * FROM "parcel" WHERE "width" = 1)"#
        )
        try expectCount(
            Parcel.with(CommonTableExpression(named: "k", request: Courier.all())).limit(1), 1,
            #"SELECT COUNT(*) FROM (WITH "k" AS (SELECT * FROM "courier") SELECT * FROM "parcel" LIMIT 1)"#
        )
    }

    @Test func emptiness() throws {
        try expectFetch("false", #"SELECT EXISTS (SELECT * FROM "parcel")"#) {
            try Parcel.all().isEmpty($0)
        }
        try expectFetch("true", #"SELECT EXISTS (SELECT * FROM "parcel" WHERE 0)"#) {
            try Parcel.none().isEmpty($0)
        }
        try expectFetch("false", #"SELECT EXISTS (SELECT * FROM "parcel" WHERE "width" = 1)"#) {
            try Parcel.filter(width == 1).isEmpty($0)
        }
        try expectFetch("true", #"SELECT EXISTS (SELECT * FROM "parcel" WHERE "width" = 99)"#) {
            try Parcel.filter(width == 99).isEmpty($0)
        }
        try expectFetch("false", #"SELECT EXISTS (SELECT * FROM "parcel" LIMIT 2)"#) {
            try Parcel.limit(2).isEmpty($0)
        }
        try expectFetch("true", #"SELECT EXISTS (SELECT * FROM "parcel" LIMIT 0)"#) {
            try Parcel.limit(0).isEmpty($0)
        }
        try expectFetch("false", #"SELECT EXISTS (SELECT * FROM "parcel" ORDER BY "width")"#) {
            try Parcel.order(width).isEmpty($0)
        }
        try expectFetch("false", #"SELECT EXISTS (SELECT MAX("width") FROM "parcel")"#) {
            try Parcel.select(max(width)).isEmpty($0)
        }
        try expectFetch(
            "true",
            #"SELECT EXISTS (SELECT * FROM "parcel" GROUP BY "width" HAVING MAX("height") > 100)"#
        ) { try Parcel.all().group(width).having(max(height) > 100).isEmpty($0) }
        try expectFetch("false", #"SELECT EXISTS (SELECT DISTINCT "width" FROM "parcel")"#) {
            try Parcel.select(width).distinct().isEmpty($0)
        }
        try expectFetch("false", #"SELECT EXISTS (SELECT * FROM "parcel" WHERE "id" = 1)"#) {
            try Parcel.filter(key: 1).isEmpty($0)
        }
        try expectFetch("false", #"SELECT EXISTS (SELECT * FROM "parcel")"#) {
            try Table("parcel").all().isEmpty($0)
        }
        try expectWriteFailure(
            #"SQLite error 1: no such table: phantom - while executing `SELECT EXISTS (SELECT * FROM "phantom")`"#
        ) { try Phantom.all().isEmpty($0) }
    }

    @Test func existence() throws {
        try expectFetch("true", #"SELECT EXISTS (SELECT * FROM "parcel" WHERE "id" = 1)"#) {
            try Parcel.exists($0, id: 1)
        }
        try expectFetch("true", #"SELECT EXISTS (SELECT * FROM "parcel" WHERE "id" = 1)"#) {
            try Parcel.exists($0, key: 1)
        }
        try expectFetch("false", #"SELECT EXISTS (SELECT * FROM "parcel" WHERE "id" = 9)"#) {
            try Parcel.exists($0, key: 9)
        }
        try expectFetch("true", #"SELECT EXISTS (SELECT * FROM "parcel" WHERE "id" = 1)"#) {
            try Parcel.exists($0, key: ["id": 1])
        }
        try expectFetch(
            "true",
            #"SELECT EXISTS (SELECT * FROM "courier" WHERE ("first" = 'f1') AND ("last" = 'l1'))"#
        ) { try Courier.exists($0, key: ["first": "f1", "last": "l1"]) }
        try expectFetch(
            "true", #"SELECT EXISTS (SELECT * FROM "slot" WHERE ("shelf" = 1) AND ("place" = 'a'))"#
        ) { try Slot.exists($0, key: ["shelf": 1, "place": "a"]) }
        try expectFetch("true", #"SELECT EXISTS (SELECT * FROM "scan" WHERE "rowid" = 1)"#) {
            try Scan.exists($0, key: 1)
        }
        try expectFetch("true", #"SELECT EXISTS (SELECT * FROM "zone" WHERE "code" = 'A')"#) {
            try Zone.exists($0, key: "A")
        }
        try expectFetch("true", #"SELECT EXISTS (SELECT * FROM "parcel" WHERE "id" = 1)"#) {
            try Table("parcel").exists($0, key: 1)
        }
        try expectFetch("false", "") { try Parcel.exists($0, key: noInt) }
        try expectFetch("false", #"SELECT EXISTS (SELECT * FROM "courier" WHERE "email" IS NULL)"#)
        { try Courier.exists($0, key: ["email": nil]) }
    }

    /// Nobody knows what literals hold, wherever they stand in an expression.
    @Test func literals() throws {
        let maximum: SQL = "MAX(width)"
        try expectCount(
            Parcel.select(maximum.forKey("m")), 1,
            #"SELECT COUNT(*) FROM (SELECT MAX(width) AS "m" FROM "parcel")"#)
        try expectCount(
            Parcel.select(maximum + 1), 1,
            #"SELECT COUNT(*) FROM (SELECT (MAX(width)) + 1 FROM "parcel")"#)
        try expectCount(
            Parcel.annotated(with: maximum.forKey("m")), 1,
            #"SELECT COUNT(*) FROM (SELECT *, MAX(width) AS "m" FROM "parcel")"#)
        try expectCount(
            Parcel.select(maximum.forKey("m")).distinct(), 1,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT MAX(width) AS "m" FROM "parcel")"#)
        try expectCount(
            Parcel.select(abs(maximum)).distinct(), 1,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT ABS(MAX(width)) FROM "parcel")"#)
        let rank: SQL = "RANK() OVER (ORDER BY id)"
        try expectCount(
            Parcel.select(rank.forKey("m")).distinct(), 3,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT RANK() OVER (ORDER BY id) AS "m" FROM "parcel")"#
        )
        // Those of a subquery concern the subquery.
        try expectCount(
            Parcel.select(Parcel.select(maximum)), 3, #"SELECT COUNT(*) FROM "parcel""#)
    }

    @Test func aggregatesInWindowFunctions() throws {
        try expectCount(
            Parcel.select(sum(width, filter: max(width) > 0).over()), 1,
            #"SELECT COUNT(*) FROM (SELECT SUM("width") FILTER (WHERE MAX("width") > 0) OVER () FROM "parcel")"#
        )
        let request = Parcel.select(count(.all).over(.named("w")))
            .window(named: "w", SQLWindow(orderBy: [max(width)]))
        try dbQueue.write { db in
            let rows = try request.asRequest(of: Row.self).fetchAll(db)
            try expectEqual(request.fetchCount(db), rows.count)
        }
    }

    @Test func offsetsInDistinctRows() throws {
        let request = Parcel.filter(id < 2).select(width).distinct()
        try expectCount(
            request.limit(10, offset: 1), 0,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT "width" FROM "parcel" WHERE "id" < 2 LIMIT 10 OFFSET 1)"#
        )
        try expectFetch(
            "true",
            #"SELECT EXISTS (SELECT * FROM (SELECT DISTINCT "width" FROM "parcel" WHERE "id" < 2 LIMIT 10 OFFSET 1))"#
        ) { try request.limit(10, offset: 1).isEmpty($0) }
        let same = Parcel.select(id > 0).distinct()
        try dbQueue.write { db in
            try expectTrue(same.limit(10, offset: 1).isEmpty(db))
            try expectTrue(!same.limit(10, offset: 0).isEmpty(db))
            try expectEqual(Parcel.filter(!same.limit(10, offset: 1).exists()).fetchCount(db), 3)
        }
    }

    // MARK: - NULL

    /// NULL is one of the distinct rows, and COUNT(DISTINCT x) would leave it out.
    @Test func distinctRowsWithNull() throws {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER NOT NULL);
                    INSERT INTO t VALUES (1, NULL, 1), (2, 1, 1), (3, 2, 1), (4, 3, 1), (5, 4, 2);
                    CREATE TABLE k (code TEXT PRIMARY KEY);
                    INSERT INTO k VALUES (NULL), (NULL), ('a');
                    CREATE TABLE w (code TEXT PRIMARY KEY) WITHOUT ROWID;
                    INSERT INTO w VALUES ('a'), ('b');
                    CREATE VIEW v AS SELECT NULL AS id, NULL AS b FROM t;
                    """)
            for table in ["t", "k", "w", "v"] { _ = try db.columns(in: table) }
            for table in ["t", "k", "w"] { _ = try db.primaryKey(table) }
        }
        func table(_ name: String, _ column: String) -> QueryInterfaceRequest<Row> {
            Table(name).select(Column(column)).distinct()
        }
        try expectCount(
            table("t", "a"), 5, #"SELECT COUNT(*) FROM (SELECT DISTINCT "a" FROM "t")"#)
        try expectCount(
            table("t", "a").filter(Column("b") == 1), 4,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT "a" FROM "t" WHERE "b" = 1)"#)
        try expectCount(
            Table("t").select(Column("a") + 1).distinct(), 5,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT "a" + 1 FROM "t")"#)
        try expectCount(
            Table("t").select(DatabaseValue.null).distinct(), 1,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT NULL FROM "t")"#)
        // Columns that hold no NULL
        try expectCount(table("t", "b"), 2, #"SELECT COUNT(DISTINCT "b") FROM "t""#)
        try expectCount(table("T", "B"), 2, #"SELECT COUNT(DISTINCT "B") FROM "T""#)
        try expectCount(table("t", "id"), 5, #"SELECT COUNT(DISTINCT "id") FROM "t""#)
        try expectCount(table("t", "rowid"), 5, #"SELECT COUNT(DISTINCT "rowid") FROM "t""#)
        try expectCount(table("w", "code"), 2, #"SELECT COUNT(DISTINCT "code") FROM "w""#)
        // Keys that may hold NULL, and views, whose columns have no constraint
        try expectCount(
            table("k", "code"), 2, #"SELECT COUNT(*) FROM (SELECT DISTINCT "code" FROM "k")"#)
        try expectCount(
            table("v", "b"), 1, #"SELECT COUNT(*) FROM (SELECT DISTINCT "b" FROM "v")"#)
        try expectCount(
            table("v", "id"), 1, #"SELECT COUNT(*) FROM (SELECT DISTINCT "id" FROM "v")"#)
    }
}
