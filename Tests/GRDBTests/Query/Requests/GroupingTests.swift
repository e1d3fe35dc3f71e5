import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// GROUP BY and HAVING.
@Suite(.databases) struct GroupingTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    @Test func group() throws {
        try expect(
            Parcel.all().group(width), #"SELECT * FROM "parcel" GROUP BY "width""#,
            "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.all().group(width, height),
            #"SELECT * FROM "parcel" GROUP BY "width", "height""#,
            "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.all().group([width, height]),
            #"SELECT * FROM "parcel" GROUP BY "width", "height""#,
            "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.all().group([Column]()), #"SELECT * FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.all().group(width).group(height), #"SELECT * FROM "parcel" GROUP BY "height""#,
            "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.all().group(width + 1), #"SELECT * FROM "parcel" GROUP BY "width" + ? [1]"#,
            "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.all().group(sql: "width, height"),
            #"SELECT * FROM "parcel" GROUP BY width, height"#, "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.all().group(sql: "width + ?", arguments: [1]),
            #"SELECT * FROM "parcel" GROUP BY width + ? [1]"#, "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.all().group(literal: "width + \(1)"),
            #"SELECT * FROM "parcel" GROUP BY width + ? [1]"#, "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.all().group(SQL("width"), SQL("height")),
            #"SELECT * FROM "parcel" GROUP BY width, height"#, "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.all().group { $0.width }, #"SELECT * FROM "parcel" GROUP BY "width""#,
            "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.all().group { [$0.width, $0.height] },
            #"SELECT * FROM "parcel" GROUP BY "width", "height""#,
            "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(Parcel.all().group(1), #"SELECT * FROM "parcel" GROUP BY ? [1]"#, "(1, 1, …)")
        try expect(
            Parcel.all().group("x"), #"SELECT * FROM "parcel" GROUP BY ? ["x"]"#, "(1, 1, …)")
        try expect(
            Parcel.all().groupByPrimaryKey(), #"SELECT * FROM "parcel" GROUP BY "id""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Slot.all().groupByPrimaryKey(), #"SELECT * FROM "slot" GROUP BY "rowid""#,
            #"(1, "a", 10) (1, "b", 20) (2, "a", 30)"#)
        try expect(
            Scan.all().groupByPrimaryKey(), #"SELECT * FROM "scan" GROUP BY "rowid""#,
            #"(1, "x") (2, "y")"#)
        try expectFailure(
            ParcelView.all().groupByPrimaryKey(),
            "SQLite error 1: database view parcelView has no primary key")
        try expect(
            Bin.all().groupByPrimaryKey(), #"SELECT * FROM "bin" GROUP BY "shelf", "place""#,
            #"(1, "a", 10) (1, "b", 20) (2, "a", 30)"#)
        try expect(
            Hub.all().groupByPrimaryKey(), #"SELECT * FROM "hub" GROUP BY "rowid""#,
            #"("A", 1) ("B", 2)"#)
        try expect(
            Table("parcel").all().groupByPrimaryKey(), #"SELECT * FROM "parcel" GROUP BY "id""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.all().groupWhenConnected { _ in [width] },
            #"SELECT * FROM "parcel" GROUP BY "width""#, "(3, NULL, …) (1, 1, …) (2, 10, …)")
    }

    @Test func having() throws {
        try expect(
            Parcel.all().group(width).having(max(height) > 1),
            #"SELECT * FROM "parcel" GROUP BY "width" HAVING MAX("height") > ? [1]"#,
            "(1, 1, …) (2, 10, …)")
        try expect(
            Parcel.all().group(width).having(max(height) > 1).having(min(height) > 0),
            #"SELECT * FROM "parcel" GROUP BY "width" HAVING (MAX("height") > ?) AND (MIN("height") > ?) [1, 0]"#,
            "(1, 1, …) (2, 10, …)")
        try expect(
            Parcel.all().group(width).having(max(height) > 1 || min(height) > 1).having(
                min(height) > 0),
            #"SELECT * FROM "parcel" GROUP BY "width" HAVING ((MAX("height") > ?) OR (MIN("height") > ?)) AND (MIN("height") > ?) [1, 1, 0]"#,
            "(1, 1, …) (2, 10, …)")
        try expectFailure(
            Parcel.all().having(max(height) > 1),
            #"SQLite error 1: HAVING clause on a non-aggregate query - while executing `SELECT * FROM "parcel" HAVING MAX("height") > ?`"#
        )
        try expect(
            Parcel.select(width, count(height)).group(width).having(
                sql: "COUNT(height) > ?", arguments: [0]),
            #"SELECT "width", COUNT("height") FROM "parcel" GROUP BY "width" HAVING COUNT(height) > ? [0]"#,
            "(1, 1) (10, 1)")
        try expect(
            Parcel.select(width).group(width).having(literal: "COUNT(height) > \(0)").having(
                width > 1),
            #"SELECT "width" FROM "parcel" GROUP BY "width" HAVING (COUNT(height) > ?) AND ("width" > ?) [0, 1]"#,
            "(10)")
        try expect(
            Parcel.all().group(width).having { max($0.height) > 1 },
            #"SELECT * FROM "parcel" GROUP BY "width" HAVING MAX("height") > ? [1]"#,
            "(1, 1, …) (2, 10, …)")
        try expect(
            Parcel.all().group(width).havingWhenConnected { _ in max(height) > 1 },
            #"SELECT * FROM "parcel" GROUP BY "width" HAVING MAX("height") > ? [1]"#,
            "(1, 1, …) (2, 10, …)")
        try expectSingle(
            Parcel.filter(depth == 3).group(width).having(max(height) > 1).order(width).limit(1),
            #"SELECT * FROM "parcel" WHERE "depth" = ? GROUP BY "width" HAVING MAX("height") > ? ORDER BY "width" LIMIT 1 [3, 1]"#,
            "(1, 1, …)")
        try expectFailure(
            Parcel.all().having(true),
            #"SQLite error 1: HAVING clause on a non-aggregate query - while executing `SELECT * FROM "parcel" HAVING ?`"#
        )
        do {
            let alias = TableAlias<Parcel>(name: "p")
            try expect(
                Parcel.aliased(alias).group(width).having(max(height) > 1),
                #"SELECT "p".* FROM "parcel" "p" GROUP BY "p"."width" HAVING MAX("p"."height") > ? [1]"#,
                "(1, 1, …) (2, 10, …)")
        }
    }
}
