import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Comparison operators.
@Suite(.databases) struct ComparisonTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    @Test func less() throws {
        try expect(width < 1, #""width" < ? [1]"#, "0 | 0 | NULL")
        try expect(1 < width, #"? < "width" [1]"#, "0 | 1 | NULL")
        try expect(width < height, #""width" < "height""#, "1 | 1 | NULL")
        try expect(width < noInt, #""width" < NULL"#, "NULL | NULL | NULL")
        try expect(width < someInt, #""width" < ? [5]"#, "1 | 0 | NULL")
        try expect(width < true, #""width" < ? [1]"#, "0 | 0 | NULL")
        try expect(width < epoch, #""width" < ? ["1970-01-01 00:00:00.000"]"#, "1 | 1 | NULL")
        try expect(!(width < 1), #"NOT ("width" < ?) [1]"#, "1 | 1 | NULL")
        try expect(!(!(width < 1)), #"NOT (NOT ("width" < ?)) [1]"#, "0 | 0 | NULL")
        try expect(!(!(!(width < 1))), #"NOT (NOT (NOT ("width" < ?))) [1]"#, "1 | 1 | NULL")
        try expect((width < height) < depth, #"("width" < "height") < "depth""#, "1 | 1 | NULL")
        try expect(width < (height < depth), #""width" < ("height" < "depth")"#, "0 | 0 | NULL")
        try expect(
            width + 1 < height * 2, #"("width" + ?) < ("height" * ?) [1, 2]"#, "1 | 1 | NULL")
        try expect(
            label.collating(.nocase) < "b", #""label" < ? COLLATE NOCASE ["b"]"#, "1 | 0 | NULL")
        try expect(
            !(label.collating(.nocase) < "b"), #"NOT ("label" < ? COLLATE NOCASE) ["b"]"#,
            "0 | 1 | NULL")
        try expect(width < DatabaseValue.null, #""width" < NULL"#, "NULL | NULL | NULL")
        try expect(
            width < Parcel.select(min(height)), #""width" < (SELECT MIN("height") FROM "parcel")"#,
            "1 | 0 | NULL")
        try expect(
            Parcel.select(min(height)) < width, #"(SELECT MIN("height") FROM "parcel") < "width""#,
            "0 | 1 | NULL")
        try expect((width < 1) == true, #"("width" < ?) = ? [1, 1]"#, "0 | 0 | NULL")
        try expect((width < 1) == false, #"("width" < ?) = ? [1, 0]"#, "1 | 1 | NULL")
        try expect((width < 1) != true, #"("width" < ?) <> ? [1, 1]"#, "1 | 1 | NULL")
        try expect((width < 1) != false, #"("width" < ?) <> ? [1, 0]"#, "0 | 0 | NULL")
        try expect((width < 1) == nil, #"("width" < ?) IS NULL [1]"#, "0 | 0 | 1")
    }

    @Test func lessOrEqual() throws {
        try expect(width <= 1, #""width" <= ? [1]"#, "1 | 0 | NULL")
        try expect(1 <= width, #"? <= "width" [1]"#, "1 | 1 | NULL")
        try expect(width <= height, #""width" <= "height""#, "1 | 1 | NULL")
        try expect(width <= noInt, #""width" <= NULL"#, "NULL | NULL | NULL")
        try expect(width <= someInt, #""width" <= ? [5]"#, "1 | 0 | NULL")
        try expect(width <= true, #""width" <= ? [1]"#, "1 | 0 | NULL")
        try expect(width <= epoch, #""width" <= ? ["1970-01-01 00:00:00.000"]"#, "1 | 1 | NULL")
        try expect(!(width <= 1), #"NOT ("width" <= ?) [1]"#, "0 | 1 | NULL")
        try expect(!(!(width <= 1)), #"NOT (NOT ("width" <= ?)) [1]"#, "1 | 0 | NULL")
        try expect(!(!(!(width <= 1))), #"NOT (NOT (NOT ("width" <= ?))) [1]"#, "0 | 1 | NULL")
        try expect(width <= (height <= depth), #""width" <= ("height" <= "depth")"#, "1 | 0 | NULL")
        try expect(
            label.collating(.nocase) <= "b", #""label" <= ? COLLATE NOCASE ["b"]"#, "1 | 0 | NULL")
        try expect(
            !(label.collating(.nocase) <= "b"), #"NOT ("label" <= ? COLLATE NOCASE) ["b"]"#,
            "0 | 1 | NULL")
        try expect(width <= DatabaseValue.null, #""width" <= NULL"#, "NULL | NULL | NULL")
        try expect(
            Parcel.select(min(height)) <= width,
            #"(SELECT MIN("height") FROM "parcel") <= "width""#, "0 | 1 | NULL")
        try expect((width <= 1) == true, #"("width" <= ?) = ? [1, 1]"#, "1 | 0 | NULL")
        try expect((width <= 1) == false, #"("width" <= ?) = ? [1, 0]"#, "0 | 1 | NULL")
        try expect((width <= 1) != true, #"("width" <= ?) <> ? [1, 1]"#, "0 | 1 | NULL")
        try expect((width <= 1) != false, #"("width" <= ?) <> ? [1, 0]"#, "1 | 0 | NULL")
        try expect((width <= 1) == nil, #"("width" <= ?) IS NULL [1]"#, "0 | 0 | 1")
    }

    @Test func greater() throws {
        try expect(width > 1, #""width" > ? [1]"#, "0 | 1 | NULL")
        try expect(1 > width, #"? > "width" [1]"#, "0 | 0 | NULL")
        try expect(width > height, #""width" > "height""#, "0 | 0 | NULL")
        try expect(width > noInt, #""width" > NULL"#, "NULL | NULL | NULL")
        try expect(width > someInt, #""width" > ? [5]"#, "0 | 1 | NULL")
        try expect(width > true, #""width" > ? [1]"#, "0 | 1 | NULL")
        try expect(width > epoch, #""width" > ? ["1970-01-01 00:00:00.000"]"#, "0 | 0 | NULL")
        try expect(!(width > 1), #"NOT ("width" > ?) [1]"#, "1 | 0 | NULL")
        try expect(!(!(width > 1)), #"NOT (NOT ("width" > ?)) [1]"#, "0 | 1 | NULL")
        try expect(!(!(!(width > 1))), #"NOT (NOT (NOT ("width" > ?))) [1]"#, "1 | 0 | NULL")
        try expect(width > (height > depth), #""width" > ("height" > "depth")"#, "1 | 1 | NULL")
        try expect(
            label.collating(.nocase) > "b", #""label" > ? COLLATE NOCASE ["b"]"#, "0 | 1 | NULL")
        try expect(
            !(label.collating(.nocase) > "b"), #"NOT ("label" > ? COLLATE NOCASE) ["b"]"#,
            "1 | 0 | NULL")
        try expect(width > DatabaseValue.null, #""width" > NULL"#, "NULL | NULL | NULL")
        try expect(
            Parcel.select(min(height)) > width, #"(SELECT MIN("height") FROM "parcel") > "width""#,
            "1 | 0 | NULL")
        try expect((width > 1) == true, #"("width" > ?) = ? [1, 1]"#, "0 | 1 | NULL")
        try expect((width > 1) == false, #"("width" > ?) = ? [1, 0]"#, "1 | 0 | NULL")
        try expect((width > 1) != true, #"("width" > ?) <> ? [1, 1]"#, "1 | 0 | NULL")
        try expect((width > 1) != false, #"("width" > ?) <> ? [1, 0]"#, "0 | 1 | NULL")
        try expect((width > 1) == nil, #"("width" > ?) IS NULL [1]"#, "0 | 0 | 1")
    }

    @Test func greaterOrEqual() throws {
        try expect(width >= 1, #""width" >= ? [1]"#, "1 | 1 | NULL")
        try expect(1 >= width, #"? >= "width" [1]"#, "1 | 0 | NULL")
        try expect(width >= height, #""width" >= "height""#, "0 | 0 | NULL")
        try expect(width >= noInt, #""width" >= NULL"#, "NULL | NULL | NULL")
        try expect(width >= someInt, #""width" >= ? [5]"#, "0 | 1 | NULL")
        try expect(width >= true, #""width" >= ? [1]"#, "1 | 1 | NULL")
        try expect(width >= epoch, #""width" >= ? ["1970-01-01 00:00:00.000"]"#, "0 | 0 | NULL")
        try expect(!(width >= 1), #"NOT ("width" >= ?) [1]"#, "0 | 0 | NULL")
        try expect(!(!(width >= 1)), #"NOT (NOT ("width" >= ?)) [1]"#, "1 | 1 | NULL")
        try expect(!(!(!(width >= 1))), #"NOT (NOT (NOT ("width" >= ?))) [1]"#, "0 | 0 | NULL")
        try expect(width >= (height >= depth), #""width" >= ("height" >= "depth")"#, "1 | 1 | NULL")
        try expect(
            label.collating(.nocase) >= "b", #""label" >= ? COLLATE NOCASE ["b"]"#, "0 | 1 | NULL")
        try expect(
            !(label.collating(.nocase) >= "b"), #"NOT ("label" >= ? COLLATE NOCASE) ["b"]"#,
            "1 | 0 | NULL")
        try expect(width >= DatabaseValue.null, #""width" >= NULL"#, "NULL | NULL | NULL")
        try expect(
            Parcel.select(min(height)) >= width,
            #"(SELECT MIN("height") FROM "parcel") >= "width""#, "1 | 0 | NULL")
        try expect((width >= 1) == true, #"("width" >= ?) = ? [1, 1]"#, "1 | 1 | NULL")
        try expect((width >= 1) == false, #"("width" >= ?) = ? [1, 0]"#, "0 | 0 | NULL")
        try expect((width >= 1) != true, #"("width" >= ?) <> ? [1, 1]"#, "0 | 0 | NULL")
        try expect((width >= 1) != false, #"("width" >= ?) <> ? [1, 0]"#, "1 | 1 | NULL")
        try expect((width >= 1) == nil, #"("width" >= ?) IS NULL [1]"#, "0 | 0 | 1")
    }
}
