import GRDBQueries
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Conjunctions are flattened, and negations find a shorter operator where they can.
@Suite(.databases) struct LogicTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    @Test func conjunctionsAndDisjunctions() throws {
        try expect(width && height, #""width" AND "height""#, "1 | 1 | NULL")
        try expect(width || height, #""width" OR "height""#, "1 | 1 | NULL")
        try expect(width && height && depth, #""width" AND "height" AND "depth""#, "1 | 1 | NULL")
        try expect((width && height) && depth, #""width" AND "height" AND "depth""#, "1 | 1 | NULL")
        try expect(width && (height && depth), #""width" AND "height" AND "depth""#, "1 | 1 | NULL")
        try expect(width || height || depth, #""width" OR "height" OR "depth""#, "1 | 1 | NULL")
        try expect((width || height) || depth, #""width" OR "height" OR "depth""#, "1 | 1 | NULL")
        try expect(width || (height || depth), #""width" OR "height" OR "depth""#, "1 | 1 | NULL")
        try expect(width && height || depth, #"("width" AND "height") OR "depth""#, "1 | 1 | NULL")
        try expect(
            width && (height || depth), #""width" AND ("height" OR "depth")"#, "1 | 1 | NULL")
        try expect(width || height && depth, #""width" OR ("height" AND "depth")"#, "1 | 1 | NULL")
        try expect(
            (width || height) && depth, #"("width" OR "height") AND "depth""#, "1 | 1 | NULL")
        try expect(
            (width || height) && (height || depth),
            #"("width" OR "height") AND ("height" OR "depth")"#, "1 | 1 | NULL")
        try expect(
            (width && height) || (height && depth),
            #"("width" AND "height") OR ("height" AND "depth")"#, "1 | 1 | NULL")
        try expect(
            (width && height) && (height && depth),
            #""width" AND "height" AND "height" AND "depth""#, "1 | 1 | NULL")
        try expect(
            (width || height) || (height || depth), #""width" OR "height" OR "height" OR "depth""#,
            "1 | 1 | NULL")
        try expect(
            width == 1 && height == 2, #"("width" = ?) AND ("height" = ?) [1, 2]"#, "1 | 0 | NULL")
        try expect(
            width == 1 && height == 2 && depth == 3,
            #"("width" = ?) AND ("height" = ?) AND ("depth" = ?) [1, 2, 3]"#, "1 | 0 | NULL")
        try expect(
            width == 1 || height == 2 && depth == 3,
            #"("width" = ?) OR (("height" = ?) AND ("depth" = ?)) [1, 2, 3]"#, "1 | 0 | NULL")
        try expect(
            (width == 1 || height == 2) && depth == 3,
            #"(("width" = ?) OR ("height" = ?)) AND ("depth" = ?) [1, 2, 3]"#, "1 | 0 | NULL")
    }

    @Test func operandsThatAreValues() throws {
        try expect(width && true, #""width" AND ? [1]"#, "1 | 1 | NULL")
        try expect(width && false, #""width" AND ? [0]"#, "0 | 0 | 0")
        try expect(true && width, #"? AND "width" [1]"#, "1 | 1 | NULL")
        try expect(false && width, #"? AND "width" [0]"#, "0 | 0 | 0")
        try expect(width || true, #""width" OR ? [1]"#, "1 | 1 | 1")
        try expect(width || false, #""width" OR ? [0]"#, "1 | 1 | NULL")
        try expect(true || width, #"? OR "width" [1]"#, "1 | 1 | 1")
        try expect(false || width, #"? OR "width" [0]"#, "1 | 1 | NULL")
        try expect(width && 1, #""width" AND ? [1]"#, "1 | 1 | NULL")
        try expect(width && 0, #""width" AND ? [0]"#, "0 | 0 | 0")
        try expect(1 && width, #"? AND "width" [1]"#, "1 | 1 | NULL")
        try expect(width && "x", #""width" AND ? ["x"]"#, "0 | 0 | 0")
        try expect(width && noInt, #""width" AND NULL"#, "NULL | NULL | NULL")
        try expect(width && DatabaseValue.null, #""width" AND NULL"#, "NULL | NULL | NULL")
        try expect(true.sqlExpression && width, #"? AND "width" [1]"#, "1 | 1 | NULL")
        try expect(false.sqlExpression && width, #"? AND "width" [0]"#, "0 | 0 | 0")
        try expect(width && true.sqlExpression, #""width" AND ? [1]"#, "1 | 1 | NULL")
        try expect(width && false.sqlExpression, #""width" AND ? [0]"#, "0 | 0 | 0")
        try expect(true.sqlExpression || width, #"? OR "width" [1]"#, "1 | 1 | 1")
        try expect(false.sqlExpression || width, #"? OR "width" [0]"#, "1 | 1 | NULL")
        try expect(width || true.sqlExpression, #""width" OR ? [1]"#, "1 | 1 | 1")
        try expect(width || false.sqlExpression, #""width" OR ? [0]"#, "1 | 1 | NULL")
        try expect(true.sqlExpression && true.sqlExpression, "? AND ? [1, 1]", "1 | 1 | 1")
    }

    @Test func constants() throws {
        try expect(true.sqlExpression, "? [1]", "1 | 1 | 1")
        try expect(false.sqlExpression, "? [0]", "0 | 0 | 0")
        try expect(!true.sqlExpression, "? [0]", "0 | 0 | 0")
        try expect(!false.sqlExpression, "? [1]", "1 | 1 | 1")
        try expect(!(!true.sqlExpression), "? [1]", "1 | 1 | 1")
        try expect(!1.sqlExpression, "? [0]", "0 | 0 | 0")
        try expect(!0.sqlExpression, "? [1]", "1 | 1 | 1")
        try expect(!1.5.sqlExpression, "NOT ? [1.5]", "0 | 0 | 0")
        try expect(!"x".sqlExpression, #"NOT ? ["x"]"#, "1 | 1 | 1")
        try expect(!DatabaseValue.null.sqlExpression, "NULL", "NULL | NULL | NULL")
        try expect(
            DatabaseValue.null.sqlExpression && width, #"NULL AND "width""#, "NULL | NULL | NULL")
        try expect(
            width && DatabaseValue.null.sqlExpression, #""width" AND NULL"#, "NULL | NULL | NULL")
        try expect(1.sqlExpression && width, #"? AND "width" [1]"#, "1 | 1 | NULL")
    }

    @Test func negations() throws {
        try expect(!width, #"NOT "width""#, "0 | 0 | NULL")
        try expect(!(!width), #"NOT (NOT "width")"#, "1 | 1 | NULL")
        try expect(!(!(!width)), #"NOT (NOT (NOT "width"))"#, "0 | 0 | NULL")
        try expect(!isFragile, #"NOT "isFragile""#, "0 | 1 | NULL")
        try expect(!isFragile && !width, #"(NOT "isFragile") AND (NOT "width")"#, "0 | 0 | NULL")
        try expect(!(width && height), #"NOT ("width" AND "height")"#, "0 | 0 | NULL")
        try expect(!(width || height), #"NOT ("width" OR "height")"#, "0 | 0 | NULL")
        try expect(!(!(width && height)), #"NOT (NOT ("width" AND "height"))"#, "1 | 1 | NULL")
        try expect(!(!(width || height)), #"NOT (NOT ("width" OR "height"))"#, "1 | 1 | NULL")
        try expect(
            !(width && height) && depth, #"(NOT ("width" AND "height")) AND "depth""#,
            "0 | 0 | NULL")
        try expect(
            !(width && height) || !(depth && width),
            #"(NOT ("width" AND "height")) OR (NOT ("depth" AND "width"))"#, "0 | 0 | NULL")
        try expect(!(!width && !height), #"NOT ((NOT "width") AND (NOT "height"))"#, "1 | 1 | NULL")
        try expect(!(width + height), #"NOT ("width" + "height")"#, "0 | 0 | NULL")
        try expect(!(-width), #"NOT (-"width")"#, "0 | 0 | NULL")
        try expect(-(!width), #"-(NOT "width")"#, "0 | 0 | NULL")
        try expect(!(width * 2), #"NOT ("width" * ?) [2]"#, "0 | 0 | NULL")
        try expect(!(!(width + height)), #"NOT (NOT ("width" + "height"))"#, "1 | 1 | NULL")
        try expect(
            !(width == 1 && height == 2), #"NOT (("width" = ?) AND ("height" = ?)) [1, 2]"#,
            "0 | 1 | NULL")
        try expect(!(width ?? height), #"NOT IFNULL("width", "height")"#, "0 | 0 | NULL")
        try expect(!length(label), #"NOT LENGTH("label")"#, "0 | 0 | NULL")
        try expect(!max(width), #"NOT MAX("width")"#, "0")
        try expect(!count(width), #"NOT COUNT("width")"#, "0")
        try expect(!(width & height), #"NOT ("width" & "height")"#, "1 | 1 | NULL")
        try expect(!(~width), #"NOT (~"width")"#, "0 | 0 | NULL")
        try expect(~(!width), #"~(NOT "width")"#, "-1 | -1 | NULL")
        try expect(
            !(width == 1) && !(height == 2), #"("width" <> ?) AND ("height" <> ?) [1, 2]"#,
            "0 | 1 | NULL")
        try expect(!width == nil, #"(NOT "width") IS NULL"#, "0 | 0 | 1")
        try expect(!width == 1, #"(NOT "width") = ? [1]"#, "0 | 0 | NULL")
        try expect(!width != 1, #"(NOT "width") <> ? [1]"#, "1 | 1 | NULL")
        try expect((!width) + 1, #"(NOT "width") + ? [1]"#, "1 | 1 | NULL")
        try expect(!width && height, #"(NOT "width") AND "height""#, "0 | 0 | NULL")
        try expect(width && !height, #""width" AND (NOT "height")"#, "0 | 0 | NULL")
        try expect(-width && height, #"(-"width") AND "height""#, "1 | 1 | NULL")
        try expect(width + 1 && height, #"("width" + ?) AND "height" [1]"#, "1 | 1 | NULL")
        try expect(
            (width < 1) && (height > 2), #"("width" < ?) AND ("height" > ?) [1, 2]"#, "0 | 0 | NULL"
        )
        try expect((width && height) == depth, #"("width" AND "height") = "depth""#, "0 | 0 | NULL")
        try expect((width && height) + 1, #"("width" AND "height") + ? [1]"#, "2 | 2 | NULL")
        try expect((width || height) * 2, #"("width" OR "height") * ? [2]"#, "2 | 2 | NULL")
        try expect(width == (height && depth), #""width" = ("height" AND "depth")"#, "1 | 0 | NULL")
        try expect(width + (height && depth), #""width" + ("height" AND "depth")"#, "2 | 11 | NULL")
        try expect(1 + (width || height), #"? + ("width" OR "height") [1]"#, "2 | 2 | NULL")
        try expect(-(width && height), #"-("width" AND "height")"#, "-1 | -1 | NULL")
        try expect(
            (width && height).collating(.nocase),
            #"("width" COLLATE NOCASE) AND ("height" COLLATE NOCASE)"#, "1 | 1 | NULL")
        try expect(length(width && height), #"LENGTH("width" AND "height")"#, "1 | 1 | NULL")
        try expect(!(width === height), #""width" IS NOT "height""#, "1 | 1 | 0")
        try expect(!(1.sqlExpression == 1.sqlExpression), "? <> ? [1, 1]", "0 | 0 | 0")
    }
}
