import GRDBQueries
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Arithmetic and bitwise operators, and their parentheses.
@Suite(.databases) struct ArithmeticTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    @Test func additions() throws {
        try expect(width + height, #""width" + "height""#, "3 | 30 | NULL")
        try expect(width + 1, #""width" + ? [1]"#, "2 | 11 | NULL")
        try expect(1 + width, #"? + "width" [1]"#, "2 | 11 | NULL")
        try expect(width + 1.5, #""width" + ? [1.5]"#, "2.5 | 11.5 | NULL")
        try expect(width + "x", #""width" + ? ["x"]"#, "1 | 10 | NULL")
        try expect(width + true, #""width" + ? [1]"#, "2 | 11 | NULL")
        try expect(width + noInt, #""width" + NULL"#, "NULL | NULL | NULL")
        try expect(width + height + depth, #"("width" + "height") + "depth""#, "6 | 37 | NULL")
        try expect((width + height) + depth, #"("width" + "height") + "depth""#, "6 | 37 | NULL")
        try expect(width + (height + depth), #""width" + ("height" + "depth")"#, "6 | 37 | NULL")
        try expect(
            (width + height) + (depth + width), #"("width" + "height") + ("depth" + "width")"#,
            "7 | 47 | NULL")
        try expect(
            width + Parcel.select(max(height)), #""width" + (SELECT MAX("height") FROM "parcel")"#,
            "21 | 30 | NULL")
        try expect(
            Parcel.select(max(height)) + width, #"(SELECT MAX("height") FROM "parcel") + "width""#,
            "21 | 30 | NULL")
        try expect(-(width + height), #"-("width" + "height")"#, "-3 | -30 | NULL")
        try expect(-width + height, #"(-"width") + "height""#, "1 | 10 | NULL")
        try expect(width + -height, #""width" + (-"height")"#, "-1 | -10 | NULL")
        try expect(~width + height, #"(~"width") + "height""#, "0 | 9 | NULL")
        try expect(~(width + height), #"~("width" + "height")"#, "-4 | -31 | NULL")
        try expect(
            (width + height) == (height + width), #"("width" + "height") = ("height" + "width")"#,
            "1 | 1 | NULL")
        try expect(
            (width + height) + 1 + 2, #"(("width" + "height") + ?) + ? [1, 2]"#, "6 | 33 | NULL")
        try expect(width + 1.sqlExpression, #""width" + ? [1]"#, "2 | 11 | NULL")
        try expect(1.sqlExpression + 2, "? + ? [1, 2]", "3 | 3 | 3")
        try expect((width == height) + 1, #"("width" = "height") + ? [1]"#, "1 | 1 | NULL")
        try expect(width + (height < depth), #""width" + ("height" < "depth")"#, "2 | 10 | NULL")
        try expect(width + length(label), #""width" + LENGTH("label")"#, "6 | 14 | NULL")
        try expect(length(width + height), #"LENGTH("width" + "height")"#, "1 | 2 | NULL")
        try expect(
            (width + height).collating(.nocase),
            #"("width" COLLATE NOCASE) + ("height" COLLATE NOCASE)"#, "3 | 30 | NULL")
        try expect(
            width + label.collating(.nocase), #""width" + ("label" COLLATE NOCASE)"#,
            "1 | 10 | NULL")
    }

    @Test func subtractions() throws {
        try expect(width - height, #""width" - "height""#, "-1 | -10 | NULL")
        try expect(1 - width, #"? - "width" [1]"#, "0 | -9 | NULL")
        try expect(width - "x", #""width" - ? ["x"]"#, "1 | 10 | NULL")
        try expect(width - true, #""width" - ? [1]"#, "0 | 9 | NULL")
        try expect(width - noInt, #""width" - NULL"#, "NULL | NULL | NULL")
        try expect((width - height) - depth, #"("width" - "height") - "depth""#, "-4 | -17 | NULL")
        try expect(
            (width - height) - (depth - width), #"("width" - "height") - ("depth" - "width")"#,
            "-3 | -7 | NULL")
        try expect(
            Parcel.select(max(height)) - width, #"(SELECT MAX("height") FROM "parcel") - "width""#,
            "19 | 10 | NULL")
        try expect(-width - height, #"(-"width") - "height""#, "-3 | -30 | NULL")
        try expect(~width - height, #"(~"width") - "height""#, "-4 | -31 | NULL")
        try expect(
            (width - height) == (height - width), #"("width" - "height") = ("height" - "width")"#,
            "0 | 0 | NULL")
        try expect(width - 1.sqlExpression, #""width" - ? [1]"#, "0 | 9 | NULL")
        try expect((width == height) - 1, #"("width" = "height") - ? [1]"#, "-1 | -1 | NULL")
        try expect(width - length(label), #""width" - LENGTH("label")"#, "-4 | 6 | NULL")
        try expect(
            (width - height).collating(.nocase), #""width" - "height" COLLATE NOCASE"#,
            "-1 | -10 | NULL")
    }

    @Test func multiplications() throws {
        try expect(width * height, #""width" * "height""#, "2 | 200 | NULL")
        try expect(1 * width, #"? * "width" [1]"#, "1 | 10 | NULL")
        try expect(width * "x", #""width" * ? ["x"]"#, "0 | 0 | NULL")
        try expect(width * true, #""width" * ? [1]"#, "1 | 10 | NULL")
        try expect(width * noInt, #""width" * NULL"#, "NULL | NULL | NULL")
        try expect((width * height) * depth, #"("width" * "height") * "depth""#, "6 | 1400 | NULL")
        try expect(
            (width * height) * (depth * width), #"("width" * "height") * ("depth" * "width")"#,
            "6 | 14000 | NULL")
        try expect(
            Parcel.select(max(height)) * width, #"(SELECT MAX("height") FROM "parcel") * "width""#,
            "20 | 200 | NULL")
        try expect(-width * height, #"(-"width") * "height""#, "-2 | -200 | NULL")
        try expect(~width * height, #"(~"width") * "height""#, "-4 | -220 | NULL")
        try expect(
            (width * height) == (height * width), #"("width" * "height") = ("height" * "width")"#,
            "1 | 1 | NULL")
        try expect(width * 1.sqlExpression, #""width" * ? [1]"#, "1 | 10 | NULL")
        try expect((width == height) * 1, #"("width" = "height") * ? [1]"#, "0 | 0 | NULL")
        try expect(width * length(label), #""width" * LENGTH("label")"#, "5 | 40 | NULL")
        try expect(
            (width * height).collating(.nocase),
            #"("width" COLLATE NOCASE) * ("height" COLLATE NOCASE)"#, "2 | 200 | NULL")
    }

    @Test func divisions() throws {
        try expect(width / height, #""width" / "height""#, "0 | 0 | NULL")
        try expect(1 / width, #"? / "width" [1]"#, "1 | 0 | NULL")
        try expect(width / "x", #""width" / ? ["x"]"#, "NULL | NULL | NULL")
        try expect(width / true, #""width" / ? [1]"#, "1 | 10 | NULL")
        try expect(width / noInt, #""width" / NULL"#, "NULL | NULL | NULL")
        try expect((width / height) / depth, #"("width" / "height") / "depth""#, "0 | 0 | NULL")
        try expect(
            (width / height) / (depth / width), #"("width" / "height") / ("depth" / "width")"#,
            "0 | NULL | NULL")
        try expect(
            Parcel.select(max(height)) / width, #"(SELECT MAX("height") FROM "parcel") / "width""#,
            "20 | 2 | NULL")
        try expect(-width / height, #"(-"width") / "height""#, "0 | 0 | NULL")
        try expect(~width / height, #"(~"width") / "height""#, "-1 | 0 | NULL")
        try expect(
            (width / height) == (height / width), #"("width" / "height") = ("height" / "width")"#,
            "0 | 0 | NULL")
        try expect(width / 1.sqlExpression, #""width" / ? [1]"#, "1 | 10 | NULL")
        try expect((width == height) / 1, #"("width" = "height") / ? [1]"#, "0 | 0 | NULL")
        try expect(width / length(label), #""width" / LENGTH("label")"#, "0 | 2 | NULL")
        try expect(
            (width / height).collating(.nocase), #""width" / "height" COLLATE NOCASE"#,
            "0 | 0 | NULL")
    }

    @Test func bitwiseAnd() throws {
        try expect(width & height, #""width" & "height""#, "0 | 0 | NULL")
        try expect(width & 1, #""width" & ? [1]"#, "1 | 0 | NULL")
        try expect(1 & width, #"? & "width" [1]"#, "1 | 0 | NULL")
        try expect(width & 1.5, #""width" & ? [1.5]"#, "1 | 0 | NULL")
        try expect(width & "x", #""width" & ? ["x"]"#, "0 | 0 | NULL")
        try expect(width & true, #""width" & ? [1]"#, "1 | 0 | NULL")
        try expect(width & noInt, #""width" & NULL"#, "NULL | NULL | NULL")
        try expect(width & height & depth, #""width" & "height" & "depth""#, "0 | 0 | NULL")
        try expect((width & height) & depth, #""width" & "height" & "depth""#, "0 | 0 | NULL")
        try expect(width & (height & depth), #""width" & "height" & "depth""#, "0 | 0 | NULL")
        try expect(
            (width & height) & (depth & width), #""width" & "height" & "depth" & "width""#,
            "0 | 0 | NULL")
        try expect(
            width & Parcel.select(max(height)), #""width" & (SELECT MAX("height") FROM "parcel")"#,
            "0 | 0 | NULL")
        try expect(
            Parcel.select(max(height)) & width, #"(SELECT MAX("height") FROM "parcel") & "width""#,
            "0 | 0 | NULL")
        try expect(-(width & height), #"-("width" & "height")"#, "0 | 0 | NULL")
        try expect(-width & height, #"(-"width") & "height""#, "2 | 20 | NULL")
        try expect(width & -height, #""width" & (-"height")"#, "0 | 8 | NULL")
        try expect(~width & height, #"(~"width") & "height""#, "2 | 20 | NULL")
        try expect(~(width & height), #"~("width" & "height")"#, "-1 | -1 | NULL")
        try expect(
            (width & height) == (height & width), #"("width" & "height") = ("height" & "width")"#,
            "1 | 1 | NULL")
        try expect((width & height) & 1 & 2, #""width" & "height" & ? & ? [1, 2]"#, "0 | 0 | NULL")
        try expect(width & 1.sqlExpression, #""width" & ? [1]"#, "1 | 0 | NULL")
        try expect(1.sqlExpression & 2, "? & ? [1, 2]", "0 | 0 | 0")
        try expect((width == height) & 1, #"("width" = "height") & ? [1]"#, "0 | 0 | NULL")
        try expect(width & (height < depth), #""width" & ("height" < "depth")"#, "1 | 0 | NULL")
        try expect(width & length(label), #""width" & LENGTH("label")"#, "1 | 0 | NULL")
        try expect(length(width & height), #"LENGTH("width" & "height")"#, "1 | 1 | NULL")
        try expect(
            (width & height).collating(.nocase),
            #"("width" COLLATE NOCASE) & ("height" COLLATE NOCASE)"#, "0 | 0 | NULL")
        try expect(
            width & label.collating(.nocase), #""width" & ("label" COLLATE NOCASE)"#, "0 | 0 | NULL"
        )
    }

    @Test func bitwiseOr() throws {
        try expect(width | height, #""width" | "height""#, "3 | 30 | NULL")
        try expect(1 | width, #"? | "width" [1]"#, "1 | 11 | NULL")
        try expect(width | 1.5, #""width" | ? [1.5]"#, "1 | 11 | NULL")
        try expect(width | true, #""width" | ? [1]"#, "1 | 11 | NULL")
        try expect(width | noInt, #""width" | NULL"#, "NULL | NULL | NULL")
        try expect(width | (height | depth), #""width" | "height" | "depth""#, "3 | 31 | NULL")
        try expect(
            Parcel.select(max(height)) | width, #"(SELECT MAX("height") FROM "parcel") | "width""#,
            "21 | 30 | NULL")
        try expect(width | -height, #""width" | (-"height")"#, "-1 | -18 | NULL")
        try expect(
            (width | height) == (height | width), #"("width" | "height") = ("height" | "width")"#,
            "1 | 1 | NULL")
        try expect(1.sqlExpression | 2, "? | ? [1, 2]", "3 | 3 | 3")
        try expect(width | length(label), #""width" | LENGTH("label")"#, "5 | 14 | NULL")
        try expect(
            width | label.collating(.nocase), #""width" | ("label" COLLATE NOCASE)"#,
            "1 | 10 | NULL")
    }

    @Test func leftShifts() throws {
        try expect(width << height, #""width" << "height""#, "4 | 10485760 | NULL")
        try expect(1 << width, #"? << "width" [1]"#, "2 | 1024 | NULL")
        try expect(width << "x", #""width" << ? ["x"]"#, "1 | 10 | NULL")
        try expect(width << true, #""width" << ? [1]"#, "2 | 20 | NULL")
        try expect(width << noInt, #""width" << NULL"#, "NULL | NULL | NULL")
        try expect(
            width << (height << depth), #""width" << ("height" << "depth")"#, "65536 | 0 | NULL")
        try expect(
            width << Parcel.select(max(height)),
            #""width" << (SELECT MAX("height") FROM "parcel")"#, "1048576 | 10485760 | NULL")
        try expect(-(width << height), #"-("width" << "height")"#, "-4 | -10485760 | NULL")
        try expect(width << -height, #""width" << (-"height")"#, "0 | 0 | NULL")
        try expect(~(width << height), #"~("width" << "height")"#, "-5 | -10485761 | NULL")
        try expect(width << 1.sqlExpression, #""width" << ? [1]"#, "2 | 20 | NULL")
        try expect((width == height) << 1, #"("width" = "height") << ? [1]"#, "0 | 0 | NULL")
        try expect(width << length(label), #""width" << LENGTH("label")"#, "32 | 160 | NULL")
        try expect(
            (width << height).collating(.nocase), #""width" << "height" COLLATE NOCASE"#,
            "4 | 10485760 | NULL")
    }

    @Test func rightShifts() throws {
        try expect(width >> height, #""width" >> "height""#, "0 | 0 | NULL")
        try expect(1 >> width, #"? >> "width" [1]"#, "0 | 0 | NULL")
        try expect(width >> 1.5, #""width" >> ? [1.5]"#, "0 | 5 | NULL")
        try expect(width >> true, #""width" >> ? [1]"#, "0 | 5 | NULL")
        try expect(width >> noInt, #""width" >> NULL"#, "NULL | NULL | NULL")
        try expect(
            (width >> height) >> (depth >> width),
            #"("width" >> "height") >> ("depth" >> "width")"#, "0 | 0 | NULL")
        try expect(-(width >> height), #"-("width" >> "height")"#, "0 | 0 | NULL")
        try expect(~width >> height, #"(~"width") >> "height""#, "-1 | -1 | NULL")
        try expect(width >> 1.sqlExpression, #""width" >> ? [1]"#, "0 | 5 | NULL")
        try expect(width >> (height < depth), #""width" >> ("height" < "depth")"#, "0 | 10 | NULL")
        try expect(
            (width >> height).collating(.nocase), #""width" >> "height" COLLATE NOCASE"#,
            "0 | 0 | NULL")
        try expect(width * (height + depth), #""width" * ("height" + "depth")"#, "5 | 270 | NULL")
        try expect(width - height + depth, #"("width" - "height") + "depth""#, "2 | -3 | NULL")
        try expect(width + (height - depth), #""width" + ("height" - "depth")"#, "0 | 23 | NULL")
        try expect((width / height) * depth, #"("width" / "height") * "depth""#, "0 | 0 | NULL")
        try expect(width / height / depth, #"("width" / "height") / "depth""#, "0 | 0 | NULL")
    }

    @Test func negationsAndComplements() throws {
        try expect(-width, #"-"width""#, "-1 | -10 | NULL")
        try expect(-(-width), #"-(-"width")"#, "1 | 10 | NULL")
        try expect(-1.sqlExpression, "-? [1]", "-1 | -1 | -1")
        try expect(-(-(-width)), #"-(-(-"width"))"#, "-1 | -10 | NULL")
        try expect(~width, #"~"width""#, "-2 | -11 | NULL")
        try expect(~(~width), #"~(~"width")"#, "1 | 10 | NULL")
        try expect(-(~width), #"-(~"width")"#, "2 | 11 | NULL")
        try expect(~(-width), #"~(-"width")"#, "0 | 9 | NULL")
        try expect(
            -(width + height) * depth, #"(-("width" + "height")) * "depth""#, "-9 | -210 | NULL")
        try expect(-width * -height, #"(-"width") * (-"height")"#, "2 | 200 | NULL")
        try expect(width + -1, #""width" + ? [-1]"#, "0 | 9 | NULL")
        try expect((width << 1) + height, #"("width" << ?) + "height" [1]"#, "4 | 40 | NULL")
        try expect(width << (height + 1), #""width" << ("height" + ?) [1]"#, "8 | 20971520 | NULL")
        try expect((width & height) | depth, #"("width" & "height") | "depth""#, "3 | 7 | NULL")
        try expect(width & (height | depth), #""width" & ("height" | "depth")"#, "1 | 2 | NULL")
        try expect(width & height | depth, #"("width" & "height") | "depth""#, "3 | 7 | NULL")
        try expect((width | height) & depth, #"("width" | "height") & "depth""#, "3 | 6 | NULL")
        try expect(width + height & depth, #""width" + ("height" & "depth")"#, "3 | 14 | NULL")
        try expect((width + height) & depth, #"("width" + "height") & "depth""#, "3 | 6 | NULL")
        try expect(width == height & depth, #""width" = ("height" & "depth")"#, "0 | 0 | NULL")
        try expect(
            (width == height) + (height == depth), #"("width" = "height") + ("height" = "depth")"#,
            "0 | 0 | NULL")
        try expect(
            width + 1 == height - 1 && depth * 2 > 3,
            #"(("width" + ?) = ("height" - ?)) AND (("depth" * ?) > ?) [1, 1, 2, 3]"#,
            "0 | 0 | NULL")
    }

    @Test func mixedOperators() throws {
        try expect(1 + width + 2, #"(? + "width") + ? [1, 2]"#, "4 | 13 | NULL")
        try expect(1 + (width + 2), #"? + ("width" + ?) [1, 2]"#, "4 | 13 | NULL")
        try expect(width + 1 + 2, #"("width" + ?) + ? [1, 2]"#, "4 | 13 | NULL")
        try expect(width + (1 + 2), #""width" + ? [3]"#, "4 | 13 | NULL")
        try expect("x" + label, #"? + "label" ["x"]"#, "0 | 0 | NULL")
        try expect(label + "x", #""label" + ? ["x"]"#, "0 | 0 | NULL")
        try expect(
            width + height + depth + weight, #"(("width" + "height") + "depth") + "weight""#,
            "7.5 | 34.5 | NULL")
        try expect(
            width + (height + (depth + weight)), #""width" + ("height" + ("depth" + "weight"))"#,
            "7.5 | 34.5 | NULL")
        try expect(
            (width + height) + (depth + weight), #"("width" + "height") + ("depth" + "weight")"#,
            "7.5 | 34.5 | NULL")
        try expect(
            width * height * depth * weight, #"(("width" * "height") * "depth") * "weight""#,
            "9.0 | -3500.0 | NULL")
        try expect(
            width * height + depth * weight, #"("width" * "height") + ("depth" * "weight")"#,
            "6.5 | 182.5 | NULL")
        try expect(
            (width * height) * (depth * weight), #"("width" * "height") * ("depth" * "weight")"#,
            "9.0 | -3500.0 | NULL")
        try expect(
            width * 2 + height * 3 - depth, #"(("width" * ?) + ("height" * ?)) - "depth" [2, 3]"#,
            "5 | 73 | NULL")
        try expect(width - height * depth, #""width" - ("height" * "depth")"#, "-5 | -130 | NULL")
        try expect((width - height) * depth, #"("width" - "height") * "depth""#, "-3 | -70 | NULL")
        try expect(width + width, #""width" + "width""#, "2 | 20 | NULL")
        try expect(width - noInt, #""width" - NULL"#, "NULL | NULL | NULL")
        try expect(-max(width), #"-MAX("width")"#, "-10")
        try expect(max(width) + 1, #"MAX("width") + ? [1]"#, "11")
        try expect(
            count(width) * 2 + sum(height), #"(COUNT("width") * ?) + SUM("height") [2]"#, "26")
        try expect(average(width) / 2, #"AVG("width") / ? [2]"#, "2.75")
        try expect(
            Parcel.select(max(width)) + Parcel.select(min(width)),
            #"(SELECT MAX("width") FROM "parcel") + (SELECT MIN("width") FROM "parcel")"#,
            "11 | 11 | 11")
        try expect(
            -Parcel.select(max(width)), #"-(SELECT MAX("width") FROM "parcel")"#, "-10 | -10 | -10")
        try expect((width ?? 1) + 2, #"IFNULL("width", ?) + ? [1, 2]"#, "3 | 12 | 3")
        try expect(width ?? 1 + 2, #"IFNULL("width", ?) [3]"#, "1 | 10 | 3")
        try expect(
            width ?? (height ?? 3), #"IFNULL("width", IFNULL("height", ?)) [3]"#, "1 | 10 | 3")
        try expect(
            (width ?? height) ?? 3, #"IFNULL(IFNULL("width", "height"), ?) [3]"#, "1 | 10 | 3")
    }

    /// Operands that are more than columns and values are written once.
    @Test func exclusiveOr() throws {
        try expect(
            width ^ 3, #"("width" | ?) - ("width" & ?) [3, 3]"#, "2 | 9 | NULL")
        try expect(
            (width + 1) ^ height, #"swiftExclusiveOr(("width" + ?) | 0, "height" | 0) [1]"#,
            "0 | 31 | NULL")
        try expect(
            max(width) ^ count(id), #"swiftExclusiveOr(MAX("width") | 0, COUNT("id") | 0)"#, "9")
        try expect(
            SQL("'12 monkeys'") ^ SQL("3.7"),
            "swiftExclusiveOr(('12 monkeys') | 0, (3.7) | 0)", "15 | 15 | 15")
        try dbQueue.write { db in
            var expression = width.sqlExpression
            for _ in 0..<20 { expression = expression ^ height }
            let request = Parcel.select(expression, as: Int?.self)
            try expectEqual(request.fetchAll(db), [1, 10, nil])
            try #expect(request.makePreparedRequest(db).statement.sql.utf8.count < 2000)
            // A random operand is the same on both sides.
            let bits = Parcel.select(SQLExpression.random() ^ -1, as: Int64.self)
            try expectEqual(bits.fetchAll(db).count, 3)
            let zero = (SQLExpression.random() & 0) ^ 0
            try expectEqual(Parcel.select(zero, as: Int.self).fetchAll(db), [0, 0, 0])
            let signs = Parcel.select((SQLExpression.random() ^ SQLExpression.random()) & 0)
            try expectEqual(Int.fetchAll(db, signs), [0, 0, 0])
        }
    }

    /// Two minus signs start a comment.
    @Test func negatedNegativeLiterals() throws {
        try dbQueue.write { db in
            let zero = (-((-0.0).databaseValue.sqlExpression)).forKey("zero")
            let one = (-((-1).databaseValue.sqlExpression)).forKey("one")
            try db.create(view: "negated", as: Parcel.select(zero, one).limit(1))
            try expectEqual(
                Row.fetchOne(db, sql: "SELECT * FROM negated"),
                ["zero": 0.0, "one": 1])
        }
    }
}
