import GRDBQueries
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Calls of functions, aggregates and casts: alone, and as parts of other expressions.
@Suite(.databases) struct FunctionCallTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    @Test func casts() throws {
        try expect(cast(width, as: .text), #"CAST("width" AS TEXT)"#, #""1" | "10" | NULL"#)
        try expect(cast(width, as: .real), #"CAST("width" AS REAL)"#, "1.0 | 10.0 | NULL")
        try expect(cast(width, as: .integer), #"CAST("width" AS INTEGER)"#, "1 | 10 | NULL")
        try expect(
            cast(width, as: .blob), #"CAST("width" AS BLOB)"#,
            "Data(1 bytes) | Data(2 bytes) | NULL")
        try expect(
            cast(width, as: Database.StorageClass(rawValue: "DECIMAL(3)")),
            #"CAST("width" AS DECIMAL(3))"#, "1 | 10 | NULL")
        try expect(
            cast(width + height, as: .text), #"CAST("width" + "height" AS TEXT)"#,
            #""3" | "30" | NULL"#)
        try expect(
            cast(width, as: .text) == "1", #"CAST("width" AS TEXT) = ? ["1"]"#, "1 | 0 | NULL")
        try expect(
            cast(Parcel.select(max(width)), as: .text),
            #"CAST((SELECT MAX("width") FROM "parcel") AS TEXT)"#, #""10" | "10" | "10""#)
        try expect(
            cast(width == 1, as: .text), #"CAST("width" = ? AS TEXT) [1]"#, #""1" | "0" | NULL"#)
        try expect(!cast(width, as: .text), #"NOT CAST("width" AS TEXT)"#, "0 | 0 | NULL")
        try expect(-cast(width, as: .text), #"-CAST("width" AS TEXT)"#, "-1 | -10 | NULL")
    }

    @Test func coalescing() throws {
        try expect(coalesce([width, height]), #"COALESCE("width", "height")"#, "1 | 10 | NULL")
        try expect(coalesce([width]), #""width""#, "1 | 10 | NULL")
        try expect(coalesce([Column]()), "NULL", "NULL | NULL | NULL")
        try expect(coalesce([any SQLSpecificExpressible]()), "NULL", "NULL | NULL | NULL")
        try expect(
            coalesce([width, height, depth]), #"COALESCE("width", "height", "depth")"#,
            "1 | 10 | NULL")
        try expect(
            coalesce([width, height, 1.databaseValue] as [any SQLSpecificExpressible]),
            #"COALESCE("width", "height", ?) [1]"#, "1 | 10 | 1")
        try expect(
            coalesce(
                [width, height + 1, Parcel.select(max(width))] as [any SQLSpecificExpressible]),
            #"COALESCE("width", "height" + ?, (SELECT MAX("width") FROM "parcel")) [1]"#,
            "1 | 10 | 10")
        try expect(
            coalesce([width, height]) == 1, #"COALESCE("width", "height") = ? [1]"#, "1 | 0 | NULL")
        try expect(
            coalesce([width, height]) + 1, #"COALESCE("width", "height") + ? [1]"#, "2 | 11 | NULL")
        try expect(
            coalesce([width, height]) ?? 2, #"IFNULL(COALESCE("width", "height"), ?) [2]"#,
            "1 | 10 | 2")
        try expect(!coalesce([width, height]), #"NOT COALESCE("width", "height")"#, "0 | 0 | NULL")
        try expect(!coalesce([width]), #"NOT "width""#, "0 | 0 | NULL")
        try expect(!coalesce([Column]()), "NULL", "NULL | NULL | NULL")
        try expect(coalesce([Column]()) == width, #""width" IS NULL"#, "0 | 0 | 1")
        try expect(width ?? 1, #"IFNULL("width", ?) [1]"#, "1 | 10 | 1")
        try expect(width ?? height, #"IFNULL("width", "height")"#, "1 | 10 | NULL")
        try expect(width ?? noInt, #"IFNULL("width", NULL)"#, "1 | 10 | NULL")
        try expect(width ?? "x", #"IFNULL("width", ?) ["x"]"#, #"1 | 10 | "x""#)
        try expect(
            width ?? (height ?? depth), #"IFNULL("width", IFNULL("height", "depth"))"#,
            "1 | 10 | NULL")
        try expect(
            (width ?? height) ?? depth, #"IFNULL(IFNULL("width", "height"), "depth")"#,
            "1 | 10 | NULL")
        try expect(width ?? height + 1, #"IFNULL("width", "height" + ?) [1]"#, "1 | 10 | NULL")
        try expect((width + 1) ?? 0, #"IFNULL("width" + ?, ?) [1, 0]"#, "2 | 11 | 0")
        try expect((width == 1) ?? false, #"IFNULL("width" = ?, ?) [1, 0]"#, "1 | 0 | 0")
        try expect(-(width ?? 1), #"-IFNULL("width", ?) [1]"#, "-1 | -10 | -1")
        try expect(
            Parcel.select(width).filter(id == 9) ?? 5,
            #"IFNULL((SELECT "width" FROM "parcel" WHERE "id" = ?), ?) [9, 5]"#, "5 | 5 | 5")
        try expect(
            width ?? Parcel.select(max(height)),
            #"IFNULL("width", (SELECT MAX("height") FROM "parcel"))"#, "1 | 10 | 20")
    }

    @Test func aggregates() throws {
        try expect(abs(width), #"ABS("width")"#, "1 | 10 | NULL")
        try expect(abs(width - 5), #"ABS("width" - ?) [5]"#, "4 | 5 | NULL")
        try expect(-abs(width), #"-ABS("width")"#, "-1 | -10 | NULL")
        try expect(length(label), #"LENGTH("label")"#, "5 | 4 | NULL")
        try expect(length(label) > 2, #"LENGTH("label") > ? [2]"#, "1 | 1 | NULL")
        try expect(length(label) + 1, #"LENGTH("label") + ? [1]"#, "6 | 5 | NULL")
        try expect(min(width), #"MIN("width")"#, "1")
        try expect(max(width), #"MAX("width")"#, "10")
        try expect(sum(width), #"SUM("width")"#, "11")
        try expect(total(width), #"TOTAL("width")"#, "11.0")
        try expect(average(width), #"AVG("width")"#, "5.5")
        try expect(count(width), #"COUNT("width")"#, "2")
        try expect(count(distinct: width), #"COUNT(DISTINCT "width")"#, "2")
        try expect(count(id), #"COUNT("id")"#, "3")
        try expect(count(width + height), #"COUNT("width" + "height")"#, "2")
        try expect(count(distinct: width + height), #"COUNT(DISTINCT "width" + "height")"#, "2")
        try expect(count(1.sqlExpression), "COUNT(?) [1]", "3")
        try expect(
            count(Parcel.select(width).limit(1)), #"COUNT((SELECT "width" FROM "parcel" LIMIT 1))"#,
            "3")
    }

    @Test func minimumAndMaximum() throws {
        try expect(min(width, height), #"MIN("width", "height")"#, "1 | 10 | NULL")
        try expect(max(width, height), #"MAX("width", "height")"#, "2 | 20 | NULL")
        try expect(max(width, 1), #"MAX("width", ?) [1]"#, "1 | 10 | NULL")
        try expect(max(width, noInt), #"MAX("width", NULL)"#, "NULL | NULL | NULL")
        try expect(max(width, height, depth), #"MAX("width", "height", "depth")"#, "3 | 20 | NULL")
        try expect(
            max(width, height, 3, "x"), #"MAX("width", "height", ?, ?) [3, "x"]"#,
            #""x" | "x" | NULL"#)
        try expect(
            min(width + 1, height * 2, Parcel.select(max(depth))),
            #"MIN("width" + ?, "height" * ?, (SELECT MAX("depth") FROM "parcel")) [1, 2]"#,
            "2 | 7 | NULL")
        try expect(max(width, height) == 1, #"MAX("width", "height") = ? [1]"#, "0 | 0 | NULL")
        try expect(max(width) == 1, #"MAX("width") = ? [1]"#, "0")
        try expect(
            max(width, filter: height > 2), #"MAX("width") FILTER (WHERE "height" > ?) [2]"#, "10")
    }

    @Test func filteredAggregates() throws {
        try expect(
            min(width, filter: height > 2), #"MIN("width") FILTER (WHERE "height" > ?) [2]"#, "10")
        try expect(
            sum(width, filter: height > 2), #"SUM("width") FILTER (WHERE "height" > ?) [2]"#, "10")
        try expect(
            total(width, filter: height > 2), #"TOTAL("width") FILTER (WHERE "height" > ?) [2]"#,
            "10.0")
        try expect(
            average(width, filter: height > 2), #"AVG("width") FILTER (WHERE "height" > ?) [2]"#,
            "10.0")
        try expect(
            average(width, filter: isFragile), #"AVG("width") FILTER (WHERE "isFragile")"#, "1.0")
        try expect(
            average(width + height, filter: height > 2 && depth < 4),
            #"AVG("width" + "height") FILTER (WHERE ("height" > ?) AND ("depth" < ?)) [2, 4]"#,
            "NULL")
        try expect(
            sum(width, filter: !isFragile), #"SUM("width") FILTER (WHERE NOT "isFragile")"#, "10")
        try expect(
            sum(width, filter: true.sqlExpression), #"SUM("width") FILTER (WHERE ?) [1]"#, "11")
        try expect(
            sum(width, filter: height > 2) + 1,
            #"(SUM("width") FILTER (WHERE "height" > ?)) + ? [2, 1]"#, "11")
        try expect(
            -sum(width, filter: height > 2), #"-(SUM("width") FILTER (WHERE "height" > ?)) [2]"#,
            "-10")
        try expect(
            sum(width, filter: height > 2) == 10,
            #"(SUM("width") FILTER (WHERE "height" > ?)) = ? [2, 10]"#, "1")
        try expect(sum(width) / count(width), #"SUM("width") / COUNT("width")"#, "5")
        try expect(sum(width * height), #"SUM("width" * "height")"#, "202")
        try expect(-sum(width), #"-SUM("width")"#, "-11")
        try expect(!sum(width), #"NOT SUM("width")"#, "0")
        try expect(sum(width) == nil, #"SUM("width") IS NULL"#, "0")
        try expect(
            sum(width) + total(height) - average(depth),
            #"(SUM("width") + TOTAL("height")) - AVG("depth")"#, "28.0")
        try expectSingle(
            Parcel.select(count(width).forKey("n")), #"SELECT COUNT("width") AS "n" FROM "parcel""#,
            "(2)")
        try expect(
            label.capitalized, #"swiftCapitalizedString("label")"#, #""Alpha" | "Beta" | NULL"#)
    }

    @Test func strings() throws {
        try expect(label.lowercased, #"swiftLowercaseString("label")"#, #""alpha" | "beta" | NULL"#)
        try expect(label.uppercased, #"swiftUppercaseString("label")"#, #""ALPHA" | "BETA" | NULL"#)
        try expect(
            label.localizedCapitalized, #"swiftLocalizedCapitalizedString("label")"#,
            #""Alpha" | "Beta" | NULL"#)
        try expect(
            label.localizedLowercased, #"swiftLocalizedLowercaseString("label")"#,
            #""alpha" | "beta" | NULL"#)
        try expect(
            label.localizedUppercased, #"swiftLocalizedUppercaseString("label")"#,
            #""ALPHA" | "BETA" | NULL"#)
        try expect(
            label.lowercased == "alpha", #"swiftLowercaseString("label") = ? ["alpha"]"#,
            "1 | 0 | NULL")
        try expect(
            label.uppercased.like("A%"), #"swiftUppercaseString("label") LIKE ? ["A%"]"#,
            "1 | 0 | NULL")
        try expect(
            (label ?? "x").uppercased, #"swiftUppercaseString(IFNULL("label", ?)) ["x"]"#,
            #""ALPHA" | "BETA" | "X""#)
        try expect(
            label.lowercased.uppercased, #"swiftUppercaseString(swiftLowercaseString("label"))"#,
            #""ALPHA" | "BETA" | NULL"#)
        try expect(
            abs(label.collating(.nocase)), #"ABS("label" COLLATE NOCASE)"#, "0.0 | 0.0 | NULL")
        try expectFailure(
            DatabaseFunction("myF", argumentCount: 1) { _ in 1 }(width), #"myF("width")"#,
            "no such function: myF")
    }

    @Test func customFunctions() throws {
        try expectFailure(
            DatabaseFunction("my F", argumentCount: nil) { _ in 1 }(width, 1, "x", noInt),
            #""my F"("width", ?, ?, NULL) [1, "x"]"#, "no such function: my F")
        try expectFailure(
            DatabaseFunction("myF", argumentCount: 0) { _ in 1 }(), "myF()", "no such function: myF"
        )
        try expectFailure(
            DatabaseFunction("myF", argumentCount: 1) { _ in 1 }(width) + 1,
            #"myF("width") + ? [1]"#, "no such function: myF")
        try expectFailure(
            !DatabaseFunction("myF", argumentCount: 1) { _ in 1 }(width), #"NOT myF("width")"#,
            "no such function: myF")
        try expectFailure(
            DatabaseFunction("myF", argumentCount: 1) { _ in 1 }(width + height),
            #"myF("width" + "height")"#, "no such function: myF")
    }
}
