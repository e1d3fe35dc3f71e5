import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// `joined(operator:)`
@Suite(.databases) struct JoinedExpressionsTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    @Test func concatenation() throws {
        try expect(
            [width, height, depth].joined(operator: .concat), #""width" || "height" || "depth""#,
            #""123" | "10207" | NULL"#)
        try expect(
            [width, height].joined(operator: .concat), #""width" || "height""#,
            #""12" | "1020" | NULL"#)
        try expect([width].joined(operator: .concat), #""width""#, "1 | 10 | NULL")
        try expect([Column]().joined(operator: .concat), #"? [""]"#, #""" | "" | """#)
        try expect([SQLExpression]().joined(operator: .concat), #"? [""]"#, #""" | "" | """#)
        try expect(
            [width, 1.databaseValue, label].joined(operator: .concat),
            #""width" || ? || "label" [1]"#, #""11alpha" | "101Beta" | NULL"#)
        try expect(
            [width, 1.sqlExpression, "x".sqlExpression].joined(operator: .concat),
            #""width" || ? || ? [1, "x"]"#, #""11x" | "101x" | NULL"#)
        try expect(
            [width, [height, depth].joined(operator: .concat)].joined(operator: .concat),
            #""width" || "height" || "depth""#, #""123" | "10207" | NULL"#)
        try expect(
            [[width, height].joined(operator: .concat), depth.sqlExpression].joined(
                operator: .concat), #""width" || "height" || "depth""#, #""123" | "10207" | NULL"#)
        try expect(
            [width + height, depth * 2].joined(operator: .concat),
            #"("width" + "height") || ("depth" * ?) [2]"#, #""36" | "3014" | NULL"#)
        try expect(
            [width && height, depth || width].joined(operator: .concat),
            #"("width" AND "height") || ("depth" OR "width")"#, #""11" | "11" | NULL"#)
        try expect(
            [width == 1, height == 2].joined(operator: .concat),
            #"("width" = ?) || ("height" = ?) [1, 2]"#, #""11" | "00" | NULL"#)
    }

    @Test func operationsOnConcatenations() throws {
        try expect(
            [true.sqlExpression, false.sqlExpression].joined(operator: .concat), "? || ? [1, 0]",
            #""10" | "10" | "10""#)
        try expect(
            [width, height].joined(operator: .concat) == 1, #"("width" || "height") = ? [1]"#,
            "0 | 0 | NULL")
        try expect(
            [width, height].joined(operator: .concat) + 1, #"("width" || "height") + ? [1]"#,
            "13 | 1021 | NULL")
        try expect(
            1 + [width, height].joined(operator: .concat), #"? + ("width" || "height") [1]"#,
            "13 | 1021 | NULL")
        try expect(
            [width, height].joined(operator: .concat) && depth,
            #"("width" || "height") AND "depth""#, "1 | 1 | NULL")
        try expect(
            depth || [width, height].joined(operator: .concat),
            #""depth" OR ("width" || "height")"#, "1 | 1 | NULL")
        try expect(
            ![width, height].joined(operator: .concat), #"NOT ("width" || "height")"#,
            "0 | 0 | NULL")
        try expect(
            -[width, height].joined(operator: .concat), #"-("width" || "height")"#,
            "-12 | -1020 | NULL")
        try expect(
            [-width, ~height].joined(operator: .concat), #"(-"width") || (~"height")"#,
            #""-1-3" | "-10-21" | NULL"#)
    }

    @Test func oddConcatenations() throws {
        try expect(
            [width, height].joined(operator: .concat).collating(.nocase),
            #"("width" COLLATE NOCASE) || ("height" COLLATE NOCASE)"#, #""12" | "1020" | NULL"#)
        try expect(
            [[width].joined(operator: .concat), [height].joined(operator: .concat)].joined(
                operator: .concat), #""width" || "height""#, #""12" | "1020" | NULL"#)
        try expect(
            [[SQLExpression]().joined(operator: .concat), height.sqlExpression].joined(
                operator: .concat), #"? || "height" [""]"#, #""2" | "20" | NULL"#)
        try expect(
            [Parcel.select(max(width)).sqlExpression, height.sqlExpression].joined(
                operator: .concat), #"(SELECT MAX("width") FROM "parcel") || "height""#,
            #""102" | "1020" | NULL"#)
        try expect(
            [width, DatabaseValue.null].joined(operator: .concat), #""width" || NULL"#,
            "NULL | NULL | NULL")
        try expect(![SQLExpression]().joined(operator: .concat), #"NOT ? [""]"#, "1 | 1 | 1")
    }

    @Test func sums() throws {
        try expect(
            [width, height, depth].joined(operator: .add), #""width" + "height" + "depth""#,
            "6 | 37 | NULL")
        try expect([width].joined(operator: .add), #""width""#, "1 | 10 | NULL")
        try expect([Column]().joined(operator: .add), "? [0]", "0 | 0 | 0")
        try expect([SQLExpression]().joined(operator: .add), "? [0]", "0 | 0 | 0")
        try expect(
            [width, 1.sqlExpression, "x".sqlExpression].joined(operator: .add),
            #""width" + ? + ? [1, "x"]"#, "2 | 11 | NULL")
        try expect(
            [[width, height].joined(operator: .add), depth.sqlExpression].joined(operator: .add),
            #"("width" + "height") + "depth""#, "6 | 37 | NULL")
        try expect(
            [width && height, depth || width].joined(operator: .add),
            #"("width" AND "height") + ("depth" OR "width")"#, "2 | 2 | NULL")
        try expect(
            [true.sqlExpression, false.sqlExpression].joined(operator: .add), "? + ? [1, 0]",
            "1 | 1 | 1")
        try expect(
            [width, height].joined(operator: .add) + 1, #"("width" + "height") + ? [1]"#,
            "4 | 31 | NULL")
        try expect(
            1 + [width, height].joined(operator: .add), #"? + ("width" + "height") [1]"#,
            "4 | 31 | NULL")
        try expect(
            [width, height].joined(operator: .add) && depth, #"("width" + "height") AND "depth""#,
            "1 | 1 | NULL")
        try expect(
            ![width, height].joined(operator: .add), #"NOT ("width" + "height")"#, "0 | 0 | NULL")
        try expect(
            [-width, ~height].joined(operator: .add), #"(-"width") + (~"height")"#,
            "-4 | -31 | NULL")
        try expect(
            [[width].joined(operator: .add), [height].joined(operator: .add)].joined(
                operator: .add), #""width" + "height""#, "3 | 30 | NULL")
        try expect(
            [Parcel.select(max(width)).sqlExpression, height.sqlExpression].joined(operator: .add),
            #"(SELECT MAX("width") FROM "parcel") + "height""#, "12 | 30 | NULL")
        try expect(![SQLExpression]().joined(operator: .add), "? [1]", "1 | 1 | 1")
    }

    @Test func products() throws {
        try expect(
            [width, height, depth].joined(operator: .multiply), #""width" * "height" * "depth""#,
            "6 | 1400 | NULL")
        try expect([Column]().joined(operator: .multiply), "? [1]", "1 | 1 | 1")
        try expect([SQLExpression]().joined(operator: .multiply), "? [1]", "1 | 1 | 1")
        try expect(
            [width, 1.sqlExpression, "x".sqlExpression].joined(operator: .multiply),
            #""width" * ? * ? [1, "x"]"#, "0 | 0 | NULL")
        try expect(
            [width + height, depth * 2].joined(operator: .multiply),
            #"("width" + "height") * ("depth" * ?) [2]"#, "18 | 420 | NULL")
        try expect(
            [true.sqlExpression, false.sqlExpression].joined(operator: .multiply), "? * ? [1, 0]",
            "0 | 0 | 0")
        try expect(
            1 + [width, height].joined(operator: .multiply), #"? + ("width" * "height") [1]"#,
            "3 | 201 | NULL")
        try expect(
            ![width, height].joined(operator: .multiply), #"NOT ("width" * "height")"#,
            "0 | 0 | NULL")
        try expect(
            [width, height].joined(operator: .multiply).collating(.nocase),
            #"("width" COLLATE NOCASE) * ("height" COLLATE NOCASE)"#, "2 | 200 | NULL")
        try expect(
            [Parcel.select(max(width)).sqlExpression, height.sqlExpression].joined(
                operator: .multiply), #"(SELECT MAX("width") FROM "parcel") * "height""#,
            "20 | 200 | NULL")
        try expect(![SQLExpression]().joined(operator: .multiply), "? [0]", "0 | 0 | 0")
    }

    @Test func conjunctions() throws {
        try expect(
            [width, height, depth].joined(operator: .and), #""width" AND "height" AND "depth""#,
            "1 | 1 | NULL")
        try expect(
            [width, height].joined(operator: .and), #""width" AND "height""#, "1 | 1 | NULL")
        try expect([width].joined(operator: .and), #""width""#, "1 | 10 | NULL")
        try expect([Column]().joined(operator: .and), "? [1]", "1 | 1 | 1")
        try expect([SQLExpression]().joined(operator: .and), "? [1]", "1 | 1 | 1")
        try expect(
            [width, 1.databaseValue, label].joined(operator: .and),
            #""width" AND ? AND "label" [1]"#, "0 | 0 | NULL")
        try expect(
            [width, 1.sqlExpression, "x".sqlExpression].joined(operator: .and),
            #""width" AND ? AND ? [1, "x"]"#, "0 | 0 | 0")
        try expect(
            [width, [height, depth].joined(operator: .and)].joined(operator: .and),
            #""width" AND "height" AND "depth""#, "1 | 1 | NULL")
        try expect(
            [[width, height].joined(operator: .and), depth.sqlExpression].joined(operator: .and),
            #""width" AND "height" AND "depth""#, "1 | 1 | NULL")
        try expect(
            [width + height, depth * 2].joined(operator: .and),
            #"("width" + "height") AND ("depth" * ?) [2]"#, "1 | 1 | NULL")
        try expect(
            [width && height, depth || width].joined(operator: .and),
            #""width" AND "height" AND ("depth" OR "width")"#, "1 | 1 | NULL")
        try expect(
            [width == 1, height == 2].joined(operator: .and),
            #"("width" = ?) AND ("height" = ?) [1, 2]"#, "1 | 0 | NULL")
    }

    @Test func operationsOnConjunctions() throws {
        try expect(
            [true.sqlExpression, false.sqlExpression].joined(operator: .and), "? AND ? [1, 0]",
            "0 | 0 | 0")
        try expect(
            [width, height].joined(operator: .and) == 1, #"("width" AND "height") = ? [1]"#,
            "1 | 1 | NULL")
        try expect(
            [width, height].joined(operator: .and) + 1, #"("width" AND "height") + ? [1]"#,
            "2 | 2 | NULL")
        try expect(
            1 + [width, height].joined(operator: .and), #"? + ("width" AND "height") [1]"#,
            "2 | 2 | NULL")
        try expect(
            [width, height].joined(operator: .and) && depth, #""width" AND "height" AND "depth""#,
            "1 | 1 | NULL")
        try expect(
            depth || [width, height].joined(operator: .and), #""depth" OR ("width" AND "height")"#,
            "1 | 1 | NULL")
        try expect(
            ![width, height].joined(operator: .and), #"NOT ("width" AND "height")"#, "0 | 0 | NULL")
        try expect(
            -[width, height].joined(operator: .and), #"-("width" AND "height")"#, "-1 | -1 | NULL")
        try expect(
            [-width, ~height].joined(operator: .and), #"(-"width") AND (~"height")"#, "1 | 1 | NULL"
        )
    }

    @Test func oddConjunctions() throws {
        try expect(
            [width, height].joined(operator: .and).collating(.nocase),
            #"("width" COLLATE NOCASE) AND ("height" COLLATE NOCASE)"#, "1 | 1 | NULL")
        try expect(
            [[width].joined(operator: .and), [height].joined(operator: .and)].joined(
                operator: .and), #""width" AND "height""#, "1 | 1 | NULL")
        try expect(
            [[SQLExpression]().joined(operator: .and), height.sqlExpression].joined(operator: .and),
            #"? AND "height" [1]"#, "1 | 1 | NULL")
        try expect(
            [Parcel.select(max(width)).sqlExpression, height.sqlExpression].joined(operator: .and),
            #"(SELECT MAX("width") FROM "parcel") AND "height""#, "1 | 1 | NULL")
        try expect(
            [width, DatabaseValue.null].joined(operator: .and), #""width" AND NULL"#,
            "NULL | NULL | NULL")
        try expect(![SQLExpression]().joined(operator: .and), "? [0]", "0 | 0 | 0")
    }

    @Test func disjunctions() throws {
        try expect(
            [width, height, depth].joined(operator: .or), #""width" OR "height" OR "depth""#,
            "1 | 1 | NULL")
        try expect([Column]().joined(operator: .or), "? [0]", "0 | 0 | 0")
        try expect([SQLExpression]().joined(operator: .or), "? [0]", "0 | 0 | 0")
        try expect(
            [width, 1.sqlExpression, "x".sqlExpression].joined(operator: .or),
            #""width" OR ? OR ? [1, "x"]"#, "1 | 1 | 1")
        try expect(
            [width + height, depth * 2].joined(operator: .or),
            #"("width" + "height") OR ("depth" * ?) [2]"#, "1 | 1 | NULL")
        try expect(
            [true.sqlExpression, false.sqlExpression].joined(operator: .or), "? OR ? [1, 0]",
            "1 | 1 | 1")
        try expect(
            1 + [width, height].joined(operator: .or), #"? + ("width" OR "height") [1]"#,
            "2 | 2 | NULL")
        try expect(
            ![width, height].joined(operator: .or), #"NOT ("width" OR "height")"#, "0 | 0 | NULL")
        try expect(
            [width, height].joined(operator: .or).collating(.nocase),
            #"("width" COLLATE NOCASE) OR ("height" COLLATE NOCASE)"#, "1 | 1 | NULL")
        try expect(
            [Parcel.select(max(width)).sqlExpression, height.sqlExpression].joined(operator: .or),
            #"(SELECT MAX("width") FROM "parcel") OR "height""#, "1 | 1 | 1")
        try expect(![SQLExpression]().joined(operator: .or), "? [1]", "1 | 1 | 1")
    }

    @Test func bitwiseAnd() throws {
        try expect(
            [width, height, depth].joined(operator: .bitwiseAnd), #""width" & "height" & "depth""#,
            "0 | 0 | NULL")
        try expect([width].joined(operator: .bitwiseAnd), #""width""#, "1 | 10 | NULL")
        try expect([Column]().joined(operator: .bitwiseAnd), "? [-1]", "-1 | -1 | -1")
        try expect([SQLExpression]().joined(operator: .bitwiseAnd), "? [-1]", "-1 | -1 | -1")
        try expect(
            [width, 1.sqlExpression, "x".sqlExpression].joined(operator: .bitwiseAnd),
            #""width" & ? & ? [1, "x"]"#, "0 | 0 | NULL")
        try expect(
            [[width, height].joined(operator: .bitwiseAnd), depth.sqlExpression].joined(
                operator: .bitwiseAnd), #""width" & "height" & "depth""#, "0 | 0 | NULL")
        try expect(
            [width && height, depth || width].joined(operator: .bitwiseAnd),
            #"("width" AND "height") & ("depth" OR "width")"#, "1 | 1 | NULL")
        try expect(
            [true.sqlExpression, false.sqlExpression].joined(operator: .bitwiseAnd), "? & ? [1, 0]",
            "0 | 0 | 0")
        try expect(
            [width, height].joined(operator: .bitwiseAnd) + 1, #"("width" & "height") + ? [1]"#,
            "1 | 1 | NULL")
        try expect(
            1 + [width, height].joined(operator: .bitwiseAnd), #"? + ("width" & "height") [1]"#,
            "1 | 1 | NULL")
        try expect(
            [width, height].joined(operator: .bitwiseAnd) && depth,
            #"("width" & "height") AND "depth""#, "0 | 0 | NULL")
        try expect(
            ![width, height].joined(operator: .bitwiseAnd), #"NOT ("width" & "height")"#,
            "1 | 1 | NULL")
        try expect(
            [-width, ~height].joined(operator: .bitwiseAnd), #"(-"width") & (~"height")"#,
            "-3 | -30 | NULL")
        try expect(
            [[width].joined(operator: .bitwiseAnd), [height].joined(operator: .bitwiseAnd)].joined(
                operator: .bitwiseAnd), #""width" & "height""#, "0 | 0 | NULL")
        try expect(
            [Parcel.select(max(width)).sqlExpression, height.sqlExpression].joined(
                operator: .bitwiseAnd), #"(SELECT MAX("width") FROM "parcel") & "height""#,
            "2 | 0 | NULL")
        try expect(![SQLExpression]().joined(operator: .bitwiseAnd), "NOT ? [-1]", "0 | 0 | 0")
    }

    @Test func bitwiseOr() throws {
        try expect(
            [width, height, depth].joined(operator: .bitwiseOr), #""width" | "height" | "depth""#,
            "3 | 31 | NULL")
        try expect([Column]().joined(operator: .bitwiseOr), "? [0]", "0 | 0 | 0")
        try expect([SQLExpression]().joined(operator: .bitwiseOr), "? [0]", "0 | 0 | 0")
        try expect(
            [[width, height].joined(operator: .bitwiseOr), depth.sqlExpression].joined(
                operator: .bitwiseOr), #""width" | "height" | "depth""#, "3 | 31 | NULL")
        try expect(
            [true.sqlExpression, false.sqlExpression].joined(operator: .bitwiseOr), "? | ? [1, 0]",
            "1 | 1 | 1")
        try expect(
            1 + [width, height].joined(operator: .bitwiseOr), #"? + ("width" | "height") [1]"#,
            "4 | 31 | NULL")
        try expect(
            [width, height].joined(operator: .bitwiseOr) && depth,
            #"("width" | "height") AND "depth""#, "1 | 1 | NULL")
        try expect(
            ![width, height].joined(operator: .bitwiseOr), #"NOT ("width" | "height")"#,
            "0 | 0 | NULL")
        try expect(
            [-width, ~height].joined(operator: .bitwiseOr), #"(-"width") | (~"height")"#,
            "-1 | -1 | NULL")
        try expect(
            [Parcel.select(max(width)).sqlExpression, height.sqlExpression].joined(
                operator: .bitwiseOr), #"(SELECT MAX("width") FROM "parcel") | "height""#,
            "10 | 30 | NULL")
        try expect(![SQLExpression]().joined(operator: .bitwiseOr), "? [1]", "1 | 1 | 1")
    }

    @Test func mixedOperators() throws {
        try expect(
            [width, " ".databaseValue, height].joined(operator: .concat),
            #""width" || ? || "height" [" "]"#, #""1 2" | "10 20" | NULL"#)
        try expect(
            [width.sqlExpression, " ".sqlExpression, height.sqlExpression].joined(operator: .concat)
                == "x", #"("width" || ? || "height") = ? [" ", "x"]"#, "0 | 0 | NULL")
        try expect(
            [width * 2, height].joined(operator: .concat), #"("width" * ?) || "height" [2]"#,
            #""22" | "2020" | NULL"#)
        try expect(
            width * [height, depth].joined(operator: .concat), #""width" * ("height" || "depth")"#,
            "23 | 2070 | NULL")
        try expect(
            -[width, height].joined(operator: .concat), #"-("width" || "height")"#,
            "-12 | -1020 | NULL")
        try expect(
            [[width, height].joined(operator: .add), [height, depth].joined(operator: .multiply)]
                .joined(operator: .concat), #"("width" + "height") || ("height" * "depth")"#,
            #""36" | "30140" | NULL"#)
        try expect(
            [[width, height].joined(operator: .and), [height, depth].joined(operator: .or)].joined(
                operator: .and), #""width" AND "height" AND ("height" OR "depth")"#, "1 | 1 | NULL")
        try expect(
            [[width, height].joined(operator: .and), [height, depth].joined(operator: .or)].joined(
                operator: .or), #"("width" AND "height") OR "height" OR "depth""#, "1 | 1 | NULL")
        try expect(
            [width, height].joined(operator: .and) && depth, #""width" AND "height" AND "depth""#,
            "1 | 1 | NULL")
        try expect(
            width && [height, depth].joined(operator: .and), #""width" AND "height" AND "depth""#,
            "1 | 1 | NULL")
        try expect(
            [width, height].joined(operator: .and) || depth, #"("width" AND "height") OR "depth""#,
            "1 | 1 | NULL")
        try expect(
            [width, height].joined(operator: .or) && depth, #"("width" OR "height") AND "depth""#,
            "1 | 1 | NULL")
        try expect(
            [width == 1, height == 2].lazy.map { $0 }.joined(operator: .or),
            #"("width" = ?) OR ("height" = ?) [1, 2]"#, "1 | 0 | NULL")
    }
}
