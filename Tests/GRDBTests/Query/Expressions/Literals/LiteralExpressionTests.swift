import GRDBQueries
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Keys, columns, values and SQL literals as expressions.
@Suite(.databases) struct LiteralExpressionTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    @Test func keys() throws {
        try expect(
            Parcel.select(width.forKey("k")), #"SELECT "width" AS "k" FROM "parcel""#,
            "(1) (10) (NULL)")
        try expect(
            Parcel.select((width + 1).forKey("k")), #"SELECT "width" + ? AS "k" FROM "parcel" [1]"#,
            "(2) (11) (NULL)")
        try expect(
            Parcel.select(width.forKey("odd \"k")), #"SELECT "width" AS "odd ""k" FROM "parcel""#,
            "(1) (10) (NULL)")
        try expect(
            Parcel.select(width.forKey("")), #"SELECT "width" AS "" FROM "parcel""#,
            "(1) (10) (NULL)")
        try expect(
            Parcel.select(width.sqlExpression.forKey("width")),
            #"SELECT "width" AS "width" FROM "parcel""#, "(1) (10) (NULL)")
        try expect(
            Parcel.select(1.sqlExpression.forKey("one")), #"SELECT ? AS "one" FROM "parcel" [1]"#,
            "(1) (1) (1)")
        try expectSingle(
            Parcel.select(max(width).forKey("m")), #"SELECT MAX("width") AS "m" FROM "parcel""#,
            "(10)")
        try expect(
            Parcel.select(width.forKey(ParcelKeys.extra)),
            #"SELECT "width" AS "extra" FROM "parcel""#,
            "(1) (10) (NULL)")
        try expect(width.detached, #""width""#, "1 | 10 | NULL")
    }

    @Test func columns() throws {
        try expect(width.detached + 1, #""width" + ? [1]"#, "2 | 11 | NULL")
        try expectFailure(
            Column("volume").detached, #""volume""#,
            #"no such column: "volume" - should this be a string literal in single-quotes?"#)
        try expectFailure(
            Column("odd \"name"), #""odd ""name""#,
            #"no such column: "odd "name" - should this be a string literal in single-quotes?"#)
        try expectFailure(
            Column(""), #""""#,
            #"no such column: "" - should this be a string literal in single-quotes?"#)
        try expectFailure(
            Column("order"), #""order""#,
            #"no such column: "order" - should this be a string literal in single-quotes?"#)
        try expectFailure(
            Column("a.b"), #""a.b""#,
            #"no such column: "a.b" - should this be a string literal in single-quotes?"#)
        try expect(Column("ROWID"), #""ROWID""#, "1 | 2 | 3")
        try expect(Column.rowID, #""rowid""#, "1 | 2 | 3")
        try expect(Column.rowID == 1, #""rowid" = ? [1]"#, "1 | 0 | 0")
        try expectFailure(
            Column.rank, #""rank""#,
            #"no such column: "rank" - should this be a string literal in single-quotes?"#)
        try expect(SQL("width").sqlExpression, "width", "1 | 10 | NULL")
    }

    @Test func literals() throws {
        try expect(SQL("width"), "width", "1 | 10 | NULL")
        try expect(SQL("width + \(1)") * 2, "(width + ?) * ? [1, 2]", "4 | 22 | NULL")
        try expect(SQL("width") == 1, "(width) = ? [1]", "1 | 0 | NULL")
        try expect(SQL("width") == nil, "(width) IS NULL", "0 | 0 | 1")
        try expect(1 == SQL("width"), "? = (width) [1]", "1 | 0 | NULL")
        try expect(SQL("width") + 1, "(width) + ? [1]", "2 | 11 | NULL")
        try expect(!SQL("width"), "NOT (width)", "0 | 0 | NULL")
        try expect(!SQL("width OR height"), "NOT (width OR height)", "0 | 0 | NULL")
        try expect(!(!SQL("width")), "NOT (NOT (width))", "1 | 1 | NULL")
        try expect(-SQL("width"), "-(width)", "-1 | -10 | NULL")
        try expect(
            SQL("width OR height") && depth, #"(width OR height) AND "depth""#, "1 | 1 | NULL")
        try expect(
            depth && SQL("width OR height"), #""depth" AND (width OR height)"#, "1 | 1 | NULL")
        try expect(
            SQL("width") && SQL("height") && depth, #"(width) AND (height) AND "depth""#,
            "1 | 1 | NULL")
        try expect(SQL("width") || SQL("height"), "(width) OR (height)", "1 | 1 | NULL")
        try expect(length(SQL("label")), "LENGTH(label)", "5 | 4 | NULL")
        try expect(
            SQL("label").collating(.nocase), "(label) COLLATE NOCASE", #""alpha" | "Beta" | NULL"#)
        try expect(SQL("label").like("x"), #"(label) LIKE ? ["x"]"#, "0 | 0 | NULL")
        try expect(SQL("width") ?? 1, "IFNULL(width, ?) [1]", "1 | 10 | 1")
        try expect(
            SQL("label").collating(.nocase) == "x", #"(label) = ? COLLATE NOCASE ["x"]"#,
            "0 | 0 | NULL")
        try expect((1...3).contains(SQL("width")), "(width) BETWEEN ? AND ? [1, 3]", "1 | 0 | NULL")
        try expect([1, 2].contains(SQL("width")), "(width) IN (?, ?) [1, 2]", "1 | 0 | NULL")
        try expect([1].contains(SQL("width")), "(width) = ? [1]", "1 | 0 | NULL")
        try expect(
            [SQL("width"), SQL("height")].joined(operator: .add), "(width) + (height)",
            "3 | 30 | NULL")
        try expect([SQL("width")].joined(operator: .add) * 2, "(width) * ? [2]", "2 | 20 | NULL")
        try expect(max(SQL("width"), SQL("height")), "MAX(width, height)", "2 | 20 | NULL")
        try expect(
            SQL(sql: "width = ?", arguments: [1]) && height, #"(width = ?) AND "height" [1]"#,
            "1 | 0 | NULL")
        try expect(
            SQL(sql: "width = :n", arguments: ["n": 1]), #"width = :n ["n": 1]"#, "1 | 0 | NULL")
        try expect(
            Parcel.select(SQL("width").forKey("k")), #"SELECT width AS "k" FROM "parcel""#,
            "(1) (10) (NULL)")
        try expect(SQL("\(width + 1) * \(height)"), #""width" + ? * "height" [1]"#, "3 | 30 | NULL")
        try expect(
            SQL("\(width) = \("x")").sqlExpression && depth, #"("width" = ?) AND "depth" ["x"]"#,
            "0 | 0 | NULL")
        try expect(SQL(width), #""width""#, "1 | 10 | NULL")
        try expect(SQL(width + 1) * 2, #"("width" + ?) * ? [1, 2]"#, "4 | 22 | NULL")
    }

    @Test func values() throws {
        try expectFailure(SQL(""), "", #"near "FROM": syntax error"#)
        try expect(cast(SQL("width"), as: .text), "CAST(width AS TEXT)", #""1" | "10" | NULL"#)
        try expect(1.sqlExpression, "? [1]", "1 | 1 | 1")
        try expect(1.5.sqlExpression, "? [1.5]", "1.5 | 1.5 | 1.5")
        try expect("x".sqlExpression, #"? ["x"]"#, #""x" | "x" | "x""#)
        try expect(noInt.sqlExpression, "NULL", "NULL | NULL | NULL")
        try expect(someInt.sqlExpression, "? [5]", "5 | 5 | 5")
        try expect(
            Data().sqlExpression, "? [Data(0 bytes)]",
            "Data(0 bytes) | Data(0 bytes) | Data(0 bytes)")
        try expect(
            epoch.sqlExpression, #"? ["1970-01-01 00:00:00.000"]"#,
            #""1970-01-01 00:00:00.000" | "1970-01-01 00:00:00.000" | "1970-01-01 00:00:00.000""#)
        try expect(ParcelSize.small.sqlExpression, "? [1]", "1 | 1 | 1")
        try expect(DatabaseValue.null, "NULL", "NULL | NULL | NULL")
        try expect(1.databaseValue, "? [1]", "1 | 1 | 1")
        try expect("x".databaseValue, #"? ["x"]"#, #""x" | "x" | "x""#)
        try expect(-1.databaseValue, "-? [1]", "-1 | -1 | -1")
        try expect(!1.databaseValue, "? [0]", "0 | 0 | 0")
        try expect(-1.sqlExpression, "-? [1]", "-1 | -1 | -1")
        try expect(-(1.sqlExpression), "-? [1]", "-1 | -1 | -1")
        try expect(~1.sqlExpression, "~? [1]", "-2 | -2 | -2")
        try expect(1.databaseValue + 2.databaseValue, "? + ? [1, 2]", "3 | 3 | 3")
        try expect(1.databaseValue == 2.databaseValue.sqlExpression, "? = ? [1, 2]", "0 | 0 | 0")
        try expect(Decimal(string: "1.5")!.sqlExpression, #"? ["1.5"]"#, #""1.5" | "1.5" | "1.5""#)
        try expect(UUID().sqlExpression == nil, "? IS NULL [Data(16 bytes)]", "0 | 0 | 0")
    }
}
