import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Filters.
@Suite(.databases) struct FilterTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    @Test func filters() throws {
        try expect(
            Parcel.filter(width == 1).filter(height == 2),
            #"SELECT * FROM "parcel" WHERE ("width" = ?) AND ("height" = ?) [1, 2]"#, "(1, 1, …)")
        try expect(
            Parcel.filter(width == 1 && height == 2).filter(depth == 3),
            #"SELECT * FROM "parcel" WHERE ("width" = ?) AND ("height" = ?) AND ("depth" = ?) [1, 2, 3]"#,
            "(1, 1, …)")
        try expect(
            Parcel.filter(width == 1 || height == 2).filter(depth == 3),
            #"SELECT * FROM "parcel" WHERE (("width" = ?) OR ("height" = ?)) AND ("depth" = ?) [1, 2, 3]"#,
            "(1, 1, …)")
        try expect(
            Parcel.filter(depth == 3).filter(width == 1 || height == 2),
            #"SELECT * FROM "parcel" WHERE ("depth" = ?) AND (("width" = ?) OR ("height" = ?)) [3, 1, 2]"#,
            "(1, 1, …)")
        try expect(
            Parcel.filter(width == 1).filter(height == 2).filter(depth == 3),
            #"SELECT * FROM "parcel" WHERE ("width" = ?) AND ("height" = ?) AND ("depth" = ?) [1, 2, 3]"#,
            "(1, 1, …)")
        try expect(
            Parcel.filter(width == 1).filter(height == 2 && depth == 3),
            #"SELECT * FROM "parcel" WHERE ("width" = ?) AND ("height" = ?) AND ("depth" = ?) [1, 2, 3]"#,
            "(1, 1, …)")
    }

    @Test func filtersOfSQL() throws {
        try expect(
            Parcel.filter(sql: "width = 1 OR height = 2"),
            #"SELECT * FROM "parcel" WHERE width = 1 OR height = 2"#, "(1, 1, …)")
        try expect(
            Parcel.filter(sql: "width = ?", arguments: [1]),
            #"SELECT * FROM "parcel" WHERE width = ? [1]"#, "(1, 1, …)")
        try expect(
            Parcel.filter(sql: "width = :v", arguments: ["v": 1]),
            #"SELECT * FROM "parcel" WHERE width = :v ["v": 1]"#, "(1, 1, …)")
        try expect(
            Parcel.filter(sql: "width = 1 OR height = 2").filter(sql: "depth = 3"),
            #"SELECT * FROM "parcel" WHERE (width = 1 OR height = 2) AND (depth = 3)"#, "(1, 1, …)")
        try expect(
            Parcel.filter(literal: "width = \(1)"), #"SELECT * FROM "parcel" WHERE width = ? [1]"#,
            "(1, 1, …)")
        try expect(
            Parcel.filter(literal: "width = \(1)").filter(height == 2),
            #"SELECT * FROM "parcel" WHERE (width = ?) AND ("height" = ?) [1, 2]"#, "(1, 1, …)")
        try expectFailure(
            Parcel.filter(sql: ""),
            #"SQLite error 1: incomplete input - while executing `SELECT * FROM "parcel" WHERE`"#)
        try expectFailure(
            Parcel.filter(sql: "").filter(width == 1),
            #"SQLite error 1: near ")": syntax error - while executing `SELECT * FROM "parcel" WHERE () AND ("width" = ?)`"#
        )
        try expect(
            Parcel.filter(SQL("width = 1")).filter(SQL("height = 2")),
            #"SELECT * FROM "parcel" WHERE (width = 1) AND (height = 2)"#, "(1, 1, …)")
    }

    @Test func filtersOfExpressions() throws {
        try expect(
            Parcel.filter { $0.width == 1 }, #"SELECT * FROM "parcel" WHERE "width" = ? [1]"#,
            "(1, 1, …)")
        try expect(
            Parcel.filter { $0.width == 1 && $0.height == 2 },
            #"SELECT * FROM "parcel" WHERE ("width" = ?) AND ("height" = ?) [1, 2]"#, "(1, 1, …)")
        try expect(
            Parcel.filter(width == nil), #"SELECT * FROM "parcel" WHERE "width" IS NULL"#,
            "(3, NULL, …)")
        try expect(
            Parcel.filter(width), #"SELECT * FROM "parcel" WHERE "width""#, "(1, 1, …) (2, 10, …)")
        try expect(
            Parcel.filter(width + height), #"SELECT * FROM "parcel" WHERE "width" + "height""#,
            "(1, 1, …) (2, 10, …)")
        try expectFailure(
            Parcel.filter(max(width) > 1),
            #"SQLite error 1: misuse of aggregate function MAX() - while executing `SELECT * FROM "parcel" WHERE MAX("width") > ?`"#
        )
        try expectFailure(
            Parcel.filter(count(width) > 1),
            #"SQLite error 1: misuse of aggregate function COUNT() - while executing `SELECT * FROM "parcel" WHERE COUNT("width") > ?`"#
        )
        try expect(
            Table<Parcel>("parcel").all().filter { $0.width == 1 },
            #"SELECT * FROM "parcel" WHERE "width" = ? [1]"#, "(1, 1, …)")
        try expect(
            Parcel.all().filterWhenConnected { _ in width == 1 }.filter(height == 2),
            #"SELECT * FROM "parcel" WHERE ("width" = ?) AND ("height" = ?) [1, 2]"#, "(1, 1, …)")
        try expectFailure(
            Parcel.filter(Column("volume") == 1),
            #"SQLite error 1: no such column: "volume" - should this be a string literal in single-quotes? - while executing `SELECT * FROM "parcel" WHERE "volume" = ?`"#
        )
        try expect(
            Parcel.filter(Parcel.Columns.width == 1),
            #"SELECT * FROM "parcel" WHERE "width" = ? [1]"#, "(1, 1, …)")
    }

    @Test func constants() throws {
        try expect(
            Parcel.all().filter { _ in true.sqlExpression }, #"SELECT * FROM "parcel" WHERE ? [1]"#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.all().filter { _ in DatabaseValue.null }, #"SELECT * FROM "parcel" WHERE NULL"#,
            "")
        try expect(
            Parcel.filter(true.sqlExpression), #"SELECT * FROM "parcel" WHERE ? [1]"#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(Parcel.filter(false.sqlExpression), #"SELECT * FROM "parcel" WHERE ? [0]"#, "")
        try expect(
            Parcel.filter { _ in true.databaseValue }, #"SELECT * FROM "parcel" WHERE ? [1]"#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.filter { _ in false.sqlExpression }, #"SELECT * FROM "parcel" WHERE ? [0]"#, "")
        try expect(
            Parcel.filter(true.databaseValue).filter(width == 1),
            #"SELECT * FROM "parcel" WHERE ? AND ("width" = ?) [1, 1]"#, "(1, 1, …)")
        try expect(
            Parcel.filter(false.databaseValue).filter(width == 1),
            #"SELECT * FROM "parcel" WHERE ? AND ("width" = ?) [0, 1]"#, "")
        try expect(Parcel.filter(DatabaseValue.null), #"SELECT * FROM "parcel" WHERE NULL"#, "")
        try expect(
            Parcel.filter(DatabaseValue.null).filter(width == 1),
            #"SELECT * FROM "parcel" WHERE NULL AND ("width" = ?) [1]"#, "")
        try expect(
            Parcel.filter(1.databaseValue), #"SELECT * FROM "parcel" WHERE ? [1]"#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(Parcel.filter(0.databaseValue), #"SELECT * FROM "parcel" WHERE ? [0]"#, "")
        try expect(Parcel.filter("x".databaseValue), #"SELECT * FROM "parcel" WHERE ? ["x"]"#, "")
    }

    @Test func booleans() throws {
        try expect(
            Parcel.filter(isFragile), #"SELECT * FROM "parcel" WHERE "isFragile""#, "(1, 1, …)")
        try expect(
            Parcel.filter(!isFragile), #"SELECT * FROM "parcel" WHERE NOT "isFragile""#,
            "(2, 10, …)")
        try expect(
            Parcel.filter(isFragile).filter(!isFragile),
            #"SELECT * FROM "parcel" WHERE "isFragile" AND (NOT "isFragile")"#, "")
        try expect(
            Parcel.filter(isFragile == true), #"SELECT * FROM "parcel" WHERE "isFragile" = ? [1]"#,
            "(1, 1, …)")
        try expect(
            Parcel.filter(true.sqlExpression && width == 1),
            #"SELECT * FROM "parcel" WHERE ? AND ("width" = ?) [1, 1]"#, "(1, 1, …)")
        try expect(
            Parcel.filter([SQLExpression]().joined(operator: .and)),
            #"SELECT * FROM "parcel" WHERE ? [1]"#, "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.filter([SQLExpression]().joined(operator: .or)),
            #"SELECT * FROM "parcel" WHERE ? [0]"#, "")
        try expect(
            Parcel.filter(width == 1).filter([SQLExpression]().joined(operator: .and)),
            #"SELECT * FROM "parcel" WHERE ("width" = ?) AND ? [1, 1]"#, "(1, 1, …)")
        try expect(
            Parcel.filter([width == 1].joined(operator: .and)).filter(
                [height == 1].joined(operator: .or)),
            #"SELECT * FROM "parcel" WHERE ("width" = ?) AND ("height" = ?) [1, 1]"#, "")
    }

    @Test func emptySequences() throws {
        try expect(
            Parcel.filter([Int]().contains(width)), #"SELECT * FROM "parcel" WHERE ? [0]"#, "")
        try expect(
            Parcel.filter([Int]().contains(width)).filter(height == 1),
            #"SELECT * FROM "parcel" WHERE ? AND ("height" = ?) [0, 1]"#, "")
        try expect(
            Parcel.filter(![Int]().contains(width)), #"SELECT * FROM "parcel" WHERE ? [1]"#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
    }

    @Test func constantsInClauses() throws {
        try expect(
            Parcel.all().group(width).having(true.sqlExpression),
            #"SELECT * FROM "parcel" GROUP BY "width" HAVING ? [1]"#,
            "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.all().group(width).having(true),
            #"SELECT * FROM "parcel" GROUP BY "width" HAVING ? [1]"#,
            "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.all().group(width).having(false),
            #"SELECT * FROM "parcel" GROUP BY "width" HAVING ? [0]"#, "")
        try expect(
            Parcel.all().filterWhenConnected { _ in true }, #"SELECT * FROM "parcel" WHERE ? [1]"#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.all().filterWhenConnected { _ in false }, #"SELECT * FROM "parcel" WHERE ? [0]"#,
            "")
        try expect(
            Parcel.all().filterWhenConnected { _ in width == 1 },
            #"SELECT * FROM "parcel" WHERE "width" = ? [1]"#, "(1, 1, …)")
    }

    /// Closures may do work, or look into the database.
    @Test func closuresAreCalledOnce() throws {
        nonisolated(unsafe) var calls = 0  // on the queue of the database only
        let filtered = Parcel.all().filterWhenConnected { _ in
            calls += 1
            return Column("id") == 1
        }
        let selected = Parcel.all().selectWhenConnected { _ in
            calls += 1
            return [Column("id")]
        }
        try dbQueue.write { db in
            try expectEqual(filtered.fetchOne(db)?.id, 1)
            expectEqual(calls, 1)
            try expectEqual(filtered.fetchAll(db).count, 1)
            expectEqual(calls, 2)
            try expectEqual(selected.asRequest(of: Int.self).fetchOne(db), 1)
            expectEqual(calls, 3)
        }
    }
}
