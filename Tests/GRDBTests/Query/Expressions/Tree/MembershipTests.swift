import GRDBQueries
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Ranges and sequences contain expressions.
@Suite(.databases) struct MembershipTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    @Test func ranges() throws {
        try expect((1...10).contains(width), #""width" BETWEEN ? AND ? [1, 10]"#, "1 | 1 | NULL")
        try expect(
            (1..<10).contains(width), #"("width" >= ?) AND ("width" < ?) [1, 10]"#, "1 | 0 | NULL")
        try expect((1...1).contains(width), #""width" BETWEEN ? AND ? [1, 1]"#, "1 | 0 | NULL")
        try expect(
            (1..<1).contains(width), #"("width" >= ?) AND ("width" < ?) [1, 1]"#, "0 | 0 | NULL")
        try expect(
            (1.5...10.5).contains(width), #""width" BETWEEN ? AND ? [1.5, 10.5]"#, "0 | 1 | NULL")
        try expect(
            (1.5..<10.5).contains(width), #"("width" >= ?) AND ("width" < ?) [1.5, 10.5]"#,
            "0 | 1 | NULL")
        try expect(
            ("a"..."m").contains(label), #""label" BETWEEN ? AND ? ["a", "m"]"#, "1 | 0 | NULL")
        try expect(
            ("a"..<"m").contains(label), #"("label" >= ?) AND ("label" < ?) ["a", "m"]"#,
            "1 | 0 | NULL")
        try expect(
            ("a"..."m").contains(label.collating(.nocase)),
            #"("label" COLLATE NOCASE) BETWEEN ? AND ? ["a", "m"]"#, "1 | 1 | NULL")
        try expect(
            ("a"..<"m").contains(label.collating(.nocase)),
            #"("label" >= ? COLLATE NOCASE) AND ("label" < ? COLLATE NOCASE) ["a", "m"]"#,
            "1 | 1 | NULL")
        try expect(
            !("a"..."m").contains(label.collating(.nocase)),
            #"("label" COLLATE NOCASE) NOT BETWEEN ? AND ? ["a", "m"]"#, "0 | 0 | NULL")
        try expect(
            !(1...10).contains(width), #""width" NOT BETWEEN ? AND ? [1, 10]"#, "0 | 0 | NULL")
        try expect(
            !(!(1...10).contains(width)), #""width" BETWEEN ? AND ? [1, 10]"#, "1 | 1 | NULL")
        try expect(
            !(1..<10).contains(width), #"NOT (("width" >= ?) AND ("width" < ?)) [1, 10]"#,
            "0 | 1 | NULL")
        try expect(
            !(!(1..<10).contains(width)), #"NOT (NOT (("width" >= ?) AND ("width" < ?))) [1, 10]"#,
            "1 | 0 | NULL")
    }

    @Test func operationsOnRanges() throws {
        try expect(
            (1...10).contains(width + height), #"("width" + "height") BETWEEN ? AND ? [1, 10]"#,
            "1 | 0 | NULL")
        try expect(
            (1...10).contains(width) && height, #"("width" BETWEEN ? AND ?) AND "height" [1, 10]"#,
            "1 | 1 | NULL")
        try expect(
            (1...10).contains(width) == true, #"("width" BETWEEN ? AND ?) = ? [1, 10, 1]"#,
            "1 | 1 | NULL")
        try expect(
            (1...10).contains(width) == false, #"("width" BETWEEN ? AND ?) = ? [1, 10, 0]"#,
            "0 | 0 | NULL")
        try expect(
            !((1...10).contains(width) == true), #"("width" BETWEEN ? AND ?) <> ? [1, 10, 1]"#,
            "0 | 0 | NULL")
        try expect(
            (1...10).contains(width) + 1, #"("width" BETWEEN ? AND ?) + ? [1, 10, 1]"#,
            "2 | 2 | NULL")
        try expect(
            (1..<10).contains(width) + 1, #"(("width" >= ?) AND ("width" < ?)) + ? [1, 10, 1]"#,
            "2 | 1 | NULL")
        try expect(
            (epoch...Date(timeIntervalSince1970: 1e9)).contains(sentOn),
            #""sentOn" BETWEEN ? AND ? ["1970-01-01 00:00:00.000", "2001-09-09 01:46:40.000"]"#,
            "0 | 0 | NULL")
        try expect(
            (1...10).contains(Parcel.select(max(width))),
            #"(SELECT MAX("width") FROM "parcel") BETWEEN ? AND ? [1, 10]"#, "1 | 1 | 1")
        try expect(
            (1...10).contains(length(label)), #"LENGTH("label") BETWEEN ? AND ? [1, 10]"#,
            "1 | 1 | NULL")
        try expect((1...10).contains(5.sqlExpression), "? BETWEEN ? AND ? [5, 1, 10]", "1 | 1 | 1")
        try expect(
            (1...10).contains(width).collating(.nocase),
            #"("width" COLLATE NOCASE) BETWEEN ? AND ? [1, 10]"#, "1 | 1 | NULL")
    }

    @Test func sequences() throws {
        try expect([1, 2, 3].contains(width), #""width" IN (?, ?, ?) [1, 2, 3]"#, "1 | 0 | NULL")
        try expect([1].contains(width), #""width" = ? [1]"#, "1 | 0 | NULL")
        try expect([Int]().contains(width), "? [0]", "0 | 0 | 0")
        try expect([true, false].contains(width), #""width" IN (?, ?) [1, 0]"#, "1 | 0 | NULL")
        try expect(
            [1, nil, 3].contains(width), #""width" IN (?, NULL, ?) [1, 3]"#, "1 | NULL | NULL")
        try expect([nil as Int?].contains(width), #""width" = NULL"#, "NULL | NULL | NULL")
        try expect([1, nil].contains(width), #""width" IN (?, NULL) [1]"#, "1 | NULL | NULL")
        try expect(
            ["a", "Beta"].contains(label), #""label" IN (?, ?) ["a", "Beta"]"#, "0 | 1 | NULL")
        try expect(["a"].contains(label), #""label" = ? ["a"]"#, "0 | 0 | NULL")
        try expect(
            ["BETA", "b"].contains(label.collating(.nocase)),
            #"("label" COLLATE NOCASE) IN (?, ?) ["BETA", "b"]"#, "0 | 1 | NULL")
        try expect(
            ["BETA"].contains(label.collating(.nocase)), #""label" = ? COLLATE NOCASE ["BETA"]"#,
            "0 | 1 | NULL")
        try expect([String]().contains(label.collating(.nocase)), "? [0]", "0 | 0 | 0")
        try expect(
            !["BETA", "b"].contains(label.collating(.nocase)),
            #"("label" COLLATE NOCASE) NOT IN (?, ?) ["BETA", "b"]"#, "1 | 0 | NULL")
        try expect(
            !["BETA"].contains(label.collating(.nocase)), #""label" <> ? COLLATE NOCASE ["BETA"]"#,
            "1 | 0 | NULL")
    }

    @Test func negatedSequences() throws {
        try expect(
            ![1, 2, 3].contains(width), #""width" NOT IN (?, ?, ?) [1, 2, 3]"#, "0 | 1 | NULL")
        try expect(
            !(![1, 2, 3].contains(width)), #""width" IN (?, ?, ?) [1, 2, 3]"#, "1 | 0 | NULL")
        try expect(![1].contains(width), #""width" <> ? [1]"#, "0 | 1 | NULL")
        try expect(!(![1].contains(width)), #""width" = ? [1]"#, "1 | 0 | NULL")
        try expect(![Int]().contains(width), "? [1]", "1 | 1 | 1")
        try expect(!(![Int]().contains(width)), "? [0]", "0 | 0 | 0")
        try expect(![1, nil].contains(width), #""width" NOT IN (?, NULL) [1]"#, "0 | NULL | NULL")
        try expect(![nil as Int?].contains(width), #""width" <> NULL"#, "NULL | NULL | NULL")
    }

    @Test func kindsOfSequences() throws {
        try expect(Set([7]).contains(width), #""width" = ? [7]"#, "0 | 0 | NULL")
        try expect(
            [1, 2].lazy.map { $0 * 2 }.contains(width), #""width" IN (?, ?) [2, 4]"#, "0 | 0 | NULL"
        )
        try expect(
            (1..<4).map { $0 }.contains(width), #""width" IN (?, ?, ?) [1, 2, 3]"#, "1 | 0 | NULL")
        try expect(
            AnySequence([1, 2]).contains(width), #""width" IN (?, ?) [1, 2]"#, "1 | 0 | NULL")
        try expect(
            stride(from: 1, to: 5, by: 2).contains(width), #""width" IN (?, ?) [1, 3]"#,
            "1 | 0 | NULL")
        try expect(
            [height, depth].contains(width), #""width" IN ("height", "depth")"#, "0 | 0 | NULL")
        try expect([height].contains(width), #""width" = "height""#, "0 | 0 | NULL")
        try expect(
            [width + 1, height * 2].contains(depth),
            #""depth" IN ("width" + ?, "height" * ?) [1, 2]"#, "0 | 0 | NULL")
        try expect(
            [width, height].contains(Parcel.select(max(width))),
            #"(SELECT MAX("width") FROM "parcel") IN ("width", "height")"#, "0 | 1 | NULL")
        try expect(
            [1, 2].contains(Parcel.select(max(width))),
            #"(SELECT MAX("width") FROM "parcel") IN (?, ?) [1, 2]"#, "0 | 0 | 0")
    }

    @Test func operationsOnSequences() throws {
        try expect(
            [1, 2].contains(width + height), #"("width" + "height") IN (?, ?) [1, 2]"#,
            "0 | 0 | NULL")
        try expect(
            [1, 2].contains(width == height), #"("width" = "height") IN (?, ?) [1, 2]"#,
            "0 | 0 | NULL")
        try expect(
            [1, 2].contains(width) && height, #"("width" IN (?, ?)) AND "height" [1, 2]"#,
            "1 | 0 | NULL")
        try expect(
            [1].contains(width) && height, #"("width" = ?) AND "height" [1]"#, "1 | 0 | NULL")
        try expect(
            [1, 2].contains(width) == true, #"("width" IN (?, ?)) = ? [1, 2, 1]"#, "1 | 0 | NULL")
        try expect(
            [1, 2].contains(width) == false, #"("width" IN (?, ?)) = ? [1, 2, 0]"#, "0 | 1 | NULL")
        try expect([1].contains(width) == true, #"("width" = ?) = ? [1, 1]"#, "1 | 0 | NULL")
        try expect(
            [1, 2].contains(width) == nil, #"("width" IN (?, ?)) IS NULL [1, 2]"#, "0 | 0 | 1")
        try expect(
            [1, 2].contains(width) + 1, #"("width" IN (?, ?)) + ? [1, 2, 1]"#, "2 | 1 | NULL")
        try expect(-[1, 2].contains(width), #"-("width" IN (?, ?)) [1, 2]"#, "-1 | 0 | NULL")
        try expect(
            [1, 2].contains(width).collating(.nocase),
            #"("width" COLLATE NOCASE) IN (?, ?) [1, 2]"#, "1 | 0 | NULL")
    }

    @Test func valuesInSequences() throws {
        try expect(
            [width as any SQLExpressible, 1, "x"].contains(label),
            #""label" IN ("width", ?, ?) [1, "x"]"#, "0 | 0 | NULL")
        try expect(
            [1.databaseValue, .null].contains(width), #""width" IN (?, NULL) [1]"#,
            "1 | NULL | NULL")
        try expect([DatabaseValue.null].contains(width), #""width" = NULL"#, "NULL | NULL | NULL")
        try expect(
            [epoch].contains(sentOn), #""sentOn" = ? ["1970-01-01 00:00:00.000"]"#, "0 | 0 | NULL")
        try expect([ParcelSize.small].contains(width), #""width" = ? [1]"#, "1 | 0 | NULL")
        try expect(
            [Parcel.select(max(width)), Parcel.select(min(width))].contains(width),
            #""width" IN ((SELECT MAX("width") FROM "parcel"), (SELECT MIN("width") FROM "parcel"))"#,
            "1 | 1 | NULL")
        try expect(
            [width, height].contains([1, 2].contains(depth)),
            #"("depth" IN (?, ?)) IN ("width", "height") [1, 2]"#, "0 | 0 | NULL")
    }

    @Test func constants() throws {
        try expect(
            [SQL("width"), SQL("height + 1")].contains(3.sqlExpression),
            "? IN (width, height + 1) [3]", "1 | 0 | NULL")
        try expect(
            [width, height].contains(1.sqlExpression), #"? IN ("width", "height") [1]"#,
            "1 | 0 | NULL")
        try expect([width].contains(1.sqlExpression), #"? = "width" [1]"#, "1 | 0 | NULL")
        try expect([1.sqlExpression].contains(2.sqlExpression), "? = ? [2, 1]", "0 | 0 | 0")
        try expect(
            [width, height].contains(DatabaseValue.null), #"NULL IN ("width", "height")"#,
            "NULL | NULL | NULL")
    }
}
