import GRDBQueries
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Limits, and those of single results.
@Suite(.databases) struct LimitTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    @Test func limit() throws {
        try expectSingle(Parcel.limit(1), #"SELECT * FROM "parcel" LIMIT 1"#, "(1, 1, …)")
        try expectSingle(
            Parcel.limit(2), #"SELECT * FROM "parcel" LIMIT 2"#, "(1, 1, …) (2, 10, …)")
        try expectSingle(Parcel.limit(0), #"SELECT * FROM "parcel" LIMIT 0"#, "")
        try expectSingle(
            Parcel.limit(-1), #"SELECT * FROM "parcel" LIMIT -1"#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expectSingle(
            Parcel.limit(2, offset: 1), #"SELECT * FROM "parcel" LIMIT 2 OFFSET 1"#,
            "(2, 10, …) (3, NULL, …)")
        try expectSingle(
            Parcel.limit(1, offset: 1), #"SELECT * FROM "parcel" LIMIT 1 OFFSET 1"#, "(2, 10, …)")
        try expectSingle(
            Parcel.limit(2, offset: 0), #"SELECT * FROM "parcel" LIMIT 2 OFFSET 0"#,
            "(1, 1, …) (2, 10, …)")
        try expectSingle(
            Parcel.limit(0, offset: 5), #"SELECT * FROM "parcel" LIMIT 0 OFFSET 5"#, "")
        try expectSingle(
            Parcel.limit(2, offset: -1), #"SELECT * FROM "parcel" LIMIT 2 OFFSET -1"#,
            "(1, 1, …) (2, 10, …)")
        try expectSingle(
            Parcel.limit(2).limit(5), #"SELECT * FROM "parcel" LIMIT 5"#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expectSingle(
            Parcel.limit(2, offset: 1).limit(5), #"SELECT * FROM "parcel" LIMIT 5"#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expectSingle(
            Parcel.limit(2).filter(width == 1),
            #"SELECT * FROM "parcel" WHERE "width" = ? LIMIT 2 [1]"#, "(1, 1, …)")
        try expectSingle(
            Parcel.limit(2).order(width), #"SELECT * FROM "parcel" ORDER BY "width" LIMIT 2"#,
            "(3, NULL, …) (1, 1, …)")
        try expectSingle(
            Parcel.limit(2).distinct(), #"SELECT DISTINCT * FROM "parcel" LIMIT 2"#,
            "(1, 1, …) (2, 10, …)")
        try expectSingle(
            Parcel.limit(2).select(max(width)), #"SELECT MAX("width") FROM "parcel" LIMIT 2"#,
            "(10)")
        try expectSingle(
            Parcel.select(max(width)).limit(5), #"SELECT MAX("width") FROM "parcel" LIMIT 5"#,
            "(10)")
        try expectSingle(
            Table("parcel").limit(2), #"SELECT * FROM "parcel" LIMIT 2"#, "(1, 1, …) (2, 10, …)")
        try expectSingle(
            Parcel.limit(Int.max), #"SELECT * FROM "parcel" LIMIT 9223372036854775807"#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
    }

    @Test func aliasedKeysAreSingleResults() throws {
        let (alias, named) = (TableAlias<Parcel>(), TableAlias<Parcel>(name: "p"))
        let parcels = Parcel.aliased(alias)
        for request in [
            parcels.filter(alias[id] == 1), parcels.filter(alias[id == 1]),
            parcels.filter { _ in alias.id == 1 },
        ] {
            try expectSingle(request, #"SELECT * FROM "parcel" WHERE "id" = ? [1]"#, "(1, 1, …)")
        }
        try expectSingle(
            Parcel.aliased(named).filter(named[id] == 1),
            #"SELECT "p".* FROM "parcel" "p" WHERE "p"."id" = ? [1]"#, "(1, 1, …)")
        try expect(
            parcels.filter(alias[width] == 1), #"SELECT * FROM "parcel" WHERE "width" = ? [1]"#)
    }

    @Test func aggregatesAreSingleResults() throws {
        try expectSingle(
            Parcel.select(max(width) + 1), #"SELECT MAX("width") + ? FROM "parcel" [1]"#, "(11)")
        try expectSingle(
            Parcel.select(length(max(label))), #"SELECT LENGTH(MAX("label")) FROM "parcel""#, "(5)")
        try expect(
            Parcel.select(max(width, height)), #"SELECT MAX("width", "height") FROM "parcel""#,
            "(2) (20) (NULL)")
        try expect(Parcel.select(SQL("MAX(width)")), #"SELECT MAX(width) FROM "parcel""#, "(10)")
        try expect(
            Parcel.select(SQL("\(max(width))")), #"SELECT MAX("width") FROM "parcel""#, "(10)")
        try expectSingle(
            Parcel.select(max(width).forKey("m")), #"SELECT MAX("width") AS "m" FROM "parcel""#,
            "(10)")
        try expect(
            Parcel.select(Parcel.select(max(width))),
            #"SELECT (SELECT MAX("width") FROM "parcel") FROM "parcel""#, "(10) (10) (10)")
    }

    @Test func operationsOnAggregatesAreSingleResults() throws {
        try expectSingle(
            Parcel.select(max(width) == 1), #"SELECT MAX("width") = ? FROM "parcel" [1]"#, "(0)")
        try expectSingle(
            Parcel.select(-max(width)), #"SELECT -MAX("width") FROM "parcel""#, "(-10)")
        try expectSingle(
            Parcel.select(!max(width)), #"SELECT NOT MAX("width") FROM "parcel""#, "(0)")
        try expectSingle(
            Parcel.select(max(width) ?? 1), #"SELECT IFNULL(MAX("width"), ?) FROM "parcel" [1]"#,
            "(10)")
        try expectSingle(
            Parcel.select(width + max(height)), #"SELECT "width" + MAX("height") FROM "parcel""#,
            "(30)")
        try expectSingle(
            Parcel.select([max(width), height].joined(operator: .add)),
            #"SELECT MAX("width") + "height" FROM "parcel""#, "(30)")
        try expectSingle(
            Parcel.select(cast(max(width), as: .text)),
            #"SELECT CAST(MAX("width") AS TEXT) FROM "parcel""#, #"("10")"#)
        try expectSingle(
            Parcel.select(max(label).collating(.nocase)),
            #"SELECT MAX("label") COLLATE NOCASE FROM "parcel""#, #"("alpha")"#)
        try expectSingle(
            Parcel.select((1...2).contains(max(width))),
            #"SELECT MAX("width") BETWEEN ? AND ? FROM "parcel" [1, 2]"#, "(0)")
        try expectSingle(
            Parcel.select([1, 2].contains(max(width))),
            #"SELECT MAX("width") IN (?, ?) FROM "parcel" [1, 2]"#, "(0)")
        try expectSingle(
            Parcel.select(max(label).like("x")), #"SELECT MAX("label") LIKE ? FROM "parcel" ["x"]"#,
            "(0)")
        try expectSingle(
            Parcel.select(max(label).lowercased),
            #"SELECT swiftLowercaseString(MAX("label")) FROM "parcel""#, #"("alpha")"#)
        try expectSingle(
            Parcel.select(dateTime(max(sentOn))), #"SELECT DATETIME(MAX("sentOn")) FROM "parcel""#,
            #"("2021-06-15 12:30:00")"#)
    }

    @Test func allAggregatesAreSingleResults() throws {
        try expectSingle(
            Parcel.select(sum(width, filter: height > 1)),
            #"SELECT SUM("width") FILTER (WHERE "height" > ?) FROM "parcel" [1]"#, "(11)")
        try expectSingle(
            Parcel.select(average(width)), #"SELECT AVG("width") FROM "parcel""#, "(5.5)")
        try expectSingle(
            Parcel.select(total(width)), #"SELECT TOTAL("width") FROM "parcel""#, "(11.0)")
        try expectSingle(
            Parcel.select(count(width)), #"SELECT COUNT("width") FROM "parcel""#, "(2)")
        try expectSingle(
            Parcel.select(count(distinct: width)), #"SELECT COUNT(DISTINCT "width") FROM "parcel""#,
            "(2)")
        try expectSingle(
            Parcel.select(Database.jsonGroupArray(width)),
            #"SELECT JSON_GROUP_ARRAY("width") FROM "parcel""#, #"("[1,10,null]")"#)
        try expectSingle(
            Parcel.select(Database.jsonGroupObject(key: label, value: width)),
            #"SELECT JSON_GROUP_OBJECT("label", "width") FROM "parcel""#)
        try expectSingle(
            Parcel.select(Database.json(max(contents))),
            #"SELECT JSON(MAX("contents")) FROM "parcel""#)
        try expectSingle(
            Parcel.select(max(contents).asJSON["a"]),
            #"SELECT MAX("contents") ->> ? FROM "parcel" ["a"]"#, "(1)")
        try expectSingle(
            Parcel.select(coalesce([max(width), height.sqlExpression])),
            #"SELECT COALESCE(MAX("width"), "height") FROM "parcel""#, "(10)")
    }

    @Test func groupedAggregates() throws {
        try expect(
            Parcel.select(max(width)).group(height),
            #"SELECT MAX("width") FROM "parcel" GROUP BY "height""#, "(NULL) (1) (10)")
        try expectSingle(
            Parcel.select(max(width)).filter(height == 1).order(depth),
            #"SELECT MAX("width") FROM "parcel" WHERE "height" = ? ORDER BY "depth" [1]"#, "(NULL)")
        try expectSingle(
            Parcel.select(max(width)).distinct(), #"SELECT DISTINCT MAX("width") FROM "parcel""#,
            "(10)")
        try expect(
            Parcel.select(max(width)).groupByPrimaryKey(),
            #"SELECT MAX("width") FROM "parcel" GROUP BY "id""#, "(1) (10) (NULL)")
        try expect(
            Parcel.all().group(width).having(max(height) > 1),
            #"SELECT * FROM "parcel" GROUP BY "width" HAVING MAX("height") > ? [1]"#,
            "(1, 1, …) (2, 10, …)")
        try expectFailure(
            Parcel.all().order(max(width)),
            #"SQLite error 1: misuse of aggregate: MAX() - while executing `SELECT * FROM "parcel" ORDER BY MAX("width")`"#
        )
        try expect(
            Parcel.annotated(with: Parcel.select(max(width)).forKey("m")),
            #"SELECT *, (SELECT MAX("width") FROM "parcel") AS "m" FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.all().distinct(), #"SELECT DISTINCT * FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expectSingle(
            Courier.select(max(Column("stars"))).filter(key: ["email": "e1"]),
            #"SELECT MAX("stars") FROM "courier" WHERE "email" = ? ["e1"]"#, "(1)")
        try expectSingle(
            SQLRequest<Row>("SELECT 1 UNION SELECT 2"), "SELECT 1 UNION SELECT 2", "(1) (2)")
    }

    @Test func aggregatesOfAliasedTables() throws {
        do {
            let alias = TableAlias<Parcel>(name: "p")
            try expectSingle(
                Parcel.aliased(alias).select(max(alias.width)),
                #"SELECT MAX("p"."width") FROM "parcel" "p""#, "(10)")
        }
        do {
            let alias = TableAlias<Parcel>(name: "p")
            try expectSingle(
                Parcel.aliased(alias).select(alias[max(width)]),
                #"SELECT MAX("p"."width") FROM "parcel" "p""#, "(10)")
        }
    }
}
