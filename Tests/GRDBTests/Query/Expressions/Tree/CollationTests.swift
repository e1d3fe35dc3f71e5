import GRDBQueries
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Collations of expressions, filters and orders.
@Suite(.databases) struct CollationTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    @Test func expressions() throws {
        try expect(
            label.collating(.nocase), #""label" COLLATE NOCASE"#, #""alpha" | "Beta" | NULL"#)
        try expect(
            label.collating(.binary), #""label" COLLATE BINARY"#, #""alpha" | "Beta" | NULL"#)
        try expect(label.collating(.rtrim), #""label" COLLATE RTRIM"#, #""alpha" | "Beta" | NULL"#)
        try expect(
            label.collating(Database.CollationName(rawValue: "my coll")),
            #""label" COLLATE "my coll""#, #""alpha" | "Beta" | NULL"#)
        try expect(
            label.collating(.unicodeCompare), #""label" COLLATE swiftCompare"#,
            #""alpha" | "Beta" | NULL"#)
        try expect(
            label.collating(.localizedCaseInsensitiveCompare),
            #""label" COLLATE swiftLocalizedCaseInsensitiveCompare"#, #""alpha" | "Beta" | NULL"#)
        try expect(
            label.collating(DatabaseCollation("my coll") { _, _ in .orderedSame }),
            #""label" COLLATE "my coll""#, #""alpha" | "Beta" | NULL"#)
        try expect(
            label.collating(.nocase).collating(.rtrim), #"("label" COLLATE NOCASE) COLLATE RTRIM"#,
            #""alpha" | "Beta" | NULL"#)
        try expect(
            label.collating(.nocase) && width, #"("label" COLLATE NOCASE) AND "width""#,
            "0 | 0 | NULL")
        try expect(!label.collating(.nocase), #"NOT "label" COLLATE NOCASE"#, "1 | 1 | NULL")
        try expect(-label.collating(.nocase), #"-("label" COLLATE NOCASE)"#, "0 | 0 | NULL")
        try expect((-label).collating(.nocase), #"-("label" COLLATE NOCASE)"#, "0 | 0 | NULL")
        try expect((!label).collating(.nocase), #"NOT "label" COLLATE NOCASE"#, "1 | 1 | NULL")
        try expect(
            length(label.collating(.nocase)), #"LENGTH("label" COLLATE NOCASE)"#, "5 | 4 | NULL")
        try expect(
            length(label).collating(.nocase), #"LENGTH("label") COLLATE NOCASE"#, "5 | 4 | NULL")
        try expect(max(label.collating(.nocase)), #"MAX("label" COLLATE NOCASE)"#, #""Beta""#)
        try expect(
            min(label.collating(.nocase), "x"), #"MIN("label" COLLATE NOCASE, ?) ["x"]"#,
            #""alpha" | "Beta" | NULL"#)
        try expect(
            count(distinct: label.collating(.nocase)), #"COUNT(DISTINCT "label" COLLATE NOCASE)"#,
            "2")
        try expect(
            label.collating(.nocase) ?? "x", #"IFNULL("label" COLLATE NOCASE, ?) ["x"]"#,
            #""alpha" | "Beta" | "x""#)
        try expect(
            (label ?? "x").collating(.nocase), #"IFNULL("label", ?) COLLATE NOCASE ["x"]"#,
            #""alpha" | "Beta" | "x""#)
        try expect(
            Parcel.select(label.collating(.nocase).forKey("k")),
            #"SELECT "label" COLLATE NOCASE AS "k" FROM "parcel""#, #"("alpha") ("Beta") (NULL)"#)
        try expect(
            label.collating(.nocase) == "a" && label.collating(.nocase) == "b",
            #"("label" = ? COLLATE NOCASE) AND ("label" = ? COLLATE NOCASE) ["a", "b"]"#,
            "0 | 0 | NULL")
    }

    @Test func compounds() throws {
        try expect(
            label.collating(.nocase) == "a" || label != "b",
            #"("label" = ? COLLATE NOCASE) OR ("label" <> ?) ["a", "b"]"#, "1 | 1 | NULL")
        try expect(
            label.collating(.nocase) + label.collating(.rtrim),
            #"("label" COLLATE NOCASE) + ("label" COLLATE RTRIM)"#, "0 | 0 | NULL")
        try expect(
            (label.collating(.nocase) + 1).collating(.rtrim),
            #"(("label" COLLATE NOCASE) COLLATE RTRIM) + (? COLLATE RTRIM) [1]"#, "1 | 1 | NULL")
        try expect(
            "x".sqlExpression.collating(.nocase), #"? COLLATE NOCASE ["x"]"#, #""x" | "x" | "x""#)
        try expect(
            cast(label, as: .text).collating(.nocase), #"CAST("label" AS TEXT) COLLATE NOCASE"#,
            #""alpha" | "Beta" | NULL"#)
        try expect(
            [label, label].joined(operator: .concat).collating(.nocase),
            #"("label" COLLATE NOCASE) || ("label" COLLATE NOCASE)"#,
            #""alphaalpha" | "BetaBeta" | NULL"#)
        try expect(
            [label.collating(.nocase), label].joined(operator: .concat),
            #"("label" COLLATE NOCASE) || "label""#, #""alphaalpha" | "BetaBeta" | NULL"#)
        try expect(
            [label.collating(.nocase), label].joined(operator: .and),
            #"("label" COLLATE NOCASE) AND "label""#, "0 | 0 | NULL")
        try expect(
            (width && (height || depth)).collating(.nocase),
            #"("width" COLLATE NOCASE) AND (("height" COLLATE NOCASE) OR ("depth" COLLATE NOCASE))"#,
            "1 | 1 | NULL")
        try expect(
            (width == 1 && label == "x").collating(.nocase),
            #"("width" = ? COLLATE NOCASE) AND ("label" = ? COLLATE NOCASE) [1, "x"]"#,
            "0 | 0 | NULL")
        try expect(
            (width == nil).collating(.nocase), #""width" IS NULL COLLATE NOCASE"#, "0 | 0 | 1")
    }

    @Test func orders() throws {
        try expect(
            label.collating(.nocase) < label.collating(.rtrim),
            #""label" < ("label" COLLATE RTRIM) COLLATE NOCASE"#, "0 | 0 | NULL")
        try expect(
            Parcel.order(label.collating(.nocase)),
            #"SELECT * FROM "parcel" ORDER BY "label" COLLATE NOCASE"#,
            "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.order(label.collating(.nocase).desc, label.collating(.nocase).asc),
            #"SELECT * FROM "parcel" ORDER BY "label" COLLATE NOCASE DESC, "label" COLLATE NOCASE ASC"#,
            "(2, 10, …) (1, 1, …) (3, NULL, …)")
        try expect(
            Parcel.order(label.collating(.nocase)).reversed(),
            #"SELECT * FROM "parcel" ORDER BY "label" COLLATE NOCASE DESC"#,
            "(2, 10, …) (1, 1, …) (3, NULL, …)")
        try expect(
            Parcel.order((label == "x").collating(.nocase).desc),
            #"SELECT * FROM "parcel" ORDER BY "label" = ? COLLATE NOCASE DESC ["x"]"#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.order(label.collating(.nocase).ascNullsLast),
            #"SELECT * FROM "parcel" ORDER BY "label" COLLATE NOCASE ASC NULLS LAST"#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
    }
}
