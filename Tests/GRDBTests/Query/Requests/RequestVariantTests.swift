import Foundation
import GRDB
import GRDBQueries
import GRDBTestSupport
import Testing

/// Variants of methods of requests, tables and interpolations: closures, literals, arrays, and
/// values of any type.
@Suite(.databases) struct RequestVariantTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    private let table = Table<Parcel>("parcel")

    // MARK: - Selections

    @Test func tablesSelectColumnsOfTheirRecords() throws {
        let columns = #"SELECT "id", "width" FROM "parcel""#
        try expect(table.select { [$0.id, $0.width] }, columns, "(1, 1) (2, 10) (3, NULL)")
        try expect(
            table.select({ [$0.id, $0.width] }, as: Row.self), columns, "(1, 1) (2, 10) (3, NULL)")
        try expect(
            Parcel.all().select({ [$0.id, $0.width] }, as: Row.self), columns,
            "(1, 1) (2, 10) (3, NULL)")
        try expect(
            Parcel.select({ [$0.id, $0.width] }, as: Row.self), columns,
            "(1, 1) (2, 10) (3, NULL)")
        try expect(table.select { $0.id }, #"SELECT "id" FROM "parcel""#, "(1) (2) (3)")
        try expect(
            table.select({ $0.id }, as: Int64.self), #"SELECT "id" FROM "parcel""#, "(1) (2) (3)")
    }

    @Test func tablesSelectLiterals() throws {
        try expect(
            table.select(literal: "id + \(1)"), #"SELECT id + ? FROM "parcel" [1]"#,
            "(2) (3) (4)")
        try dbQueue.read { db in
            let ids: [Int64] = [2, 3, 4]
            let bySQL = Parcel.select(sql: "id + ?", arguments: [1], as: Int64.self)
            try expectEqual(bySQL.fetchAll(db), ids)
            let byLiteral = Parcel.select(literal: "id + \(1)", as: Int64.self)
            try expectEqual(byLiteral.fetchAll(db), ids)
            let selections: [any SQLSelectable] = [id + 1]
            try expectEqual(table.select(selections, as: Int64.self).fetchAll(db), ids)
            try expectEqual(Parcel.select(selections, as: Int64.self).fetchAll(db), ids)
        }
    }

    @Test func tablesAreAnnotatedAndSorted() throws {
        let annotated = #"SELECT *, "width" * ? FROM "parcel" [2]"#
        let annotations: [any SQLSelectable] = [width * 2]
        try expect(table.annotated(with: annotations), annotated)
        try expect(table.annotated { [$0.width * 2] }, annotated)
        try expect(table.annotated { $0.width * 2 }, annotated)
        let sorted = #"SELECT * FROM "parcel" ORDER BY "width" DESC, "id""#
        let orderings: [any SQLOrderingTerm] = [width.desc, id]
        try expect(table.order(orderings), sorted, "(2, 10, …) (1, 1, …) (3, NULL, …)")
        try expect(table.order { [$0.width.desc, $0.id] }, sorted)
        try expect(table.order({ $0.width.desc }, { $0.id }), sorted)
        try expect(
            table.order({ $0.width.desc }, { $0.id }, { $0.label }),
            #"SELECT * FROM "parcel" ORDER BY "width" DESC, "id", "label""#)
    }

    @Test func tablesAreInSchemas() throws {
        try expectSingle(
            Table<Parcel>("parcel", in: "main").filter { $0.id == 1 },
            #"SELECT * FROM "main"."parcel" WHERE "id" = ? [1]"#, "(1, 1, …)")
    }

    @Test func optionalsAreSelectedAndSorted() throws {
        let noColumn: Column? = nil
        try expect(
            Parcel.select(id as Column?, noColumn).order(noColumn, id as Column?),
            #"SELECT "id", NULL FROM "parcel" ORDER BY NULL, "id""#,
            "(1, NULL) (2, NULL) (3, NULL)")
    }

    @Test func rowidsAreColumns() throws {
        try expect(Parcel.select(.rowID), #"SELECT "rowid" FROM "parcel""#, "(1) (2) (3)")
    }

    // MARK: - Conditions and assignments

    @Test func operatorsWithValuesOnTheLeft() throws {
        try expect(7 % width, #"? % "width" [7]"#, "0 | 7 | NULL")
        try expect(7 ^ width, #"(? | "width") - (? & "width") [7, 7]"#, "6 | 13 | NULL")
        try expect((5...).contains(width), #""width" >= ? [5]"#, "0 | 1 | NULL")
        try expect((...5).contains(width), #""width" <= ? [5]"#, "1 | 0 | NULL")
        try expect((..<5).contains(width), #""width" < ? [5]"#, "1 | 0 | NULL")
    }

    @Test func columnsAreChangedInPlace() throws {
        try expectWrite("3", #"UPDATE "parcel" SET "width" = "width" % 4"#) {
            try Parcel.updateAll($0, width %= 4)
        }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "width" = ("width" | 3) - ("width" & 3)"#
        ) {
            try Parcel.updateAll($0, width ^= 3)
        }
    }

    @Test func functions() throws {
        try expect(unixEpoch(sentOn), #"UNIXEPOCH("sentOn")"#)
        try expect(
            unixEpoch("1970-01-01 00:01:00".databaseValue),
            #"UNIXEPOCH(?) ["1970-01-01 00:01:00"]"#,
            "60 | 60 | 60")
        try expect(
            timeDifference("2020-01-02".databaseValue, "2020-01-01"),
            #"TIMEDIFF(?, ?) ["2020-01-02", "2020-01-01"]"#,
            #""+0000-00-01 00:00:00.000" | "+0000-00-01 00:00:00.000" | "+0000-00-01 00:00:00.000""#
        )
        try expect(total(distinct: width), #"TOTAL(DISTINCT "width")"#, "11.0")
        try expect(
            average(distinct: width, filter: id > 1),
            #"AVG(DISTINCT "width") FILTER (WHERE "id" > ?) [1]"#, "10.0")
    }

    // MARK: - Interpolations

    private func expectSQL(
        _ literal: SQL, _ sql: String, line: Int = #line
    ) throws {
        try dbQueue.read { db in
            let built = try literal.build(db)
            expectEqual(built.sql, sql, line: line)
        }
    }

    @Test func interpolatedValuesOfAnyType() throws {
        let selection: (any SQLSelectable)? = width
        let noSelection: (any SQLSelectable)? = nil
        let ordering: any SQLOrderingTerm = width.desc
        let key: any CodingKey = ParcelKeys.extra
        try expectSQL("\(selection), \(noSelection)", #""width", NULL"#)
        try expectSQL("ORDER BY \(ordering)", #"ORDER BY "width" DESC"#)
        try expectSQL("\(key)", #""extra""#)
    }

    @Test func interpolatedRecordTypes() throws {
        let type: any TableRecord.Type = Parcel.self
        try expectSQL("SELECT * FROM \(Parcel.self)", #"SELECT * FROM "parcel""#)
        try expectSQL("SELECT * FROM \(type)", #"SELECT * FROM "parcel""#)
        let parcel = Parcel(id: 1)
        let record: any TableRecord = parcel
        try expectSQL("INTO \(tableOf: parcel)", #"INTO "parcel""#)
        try expectSQL("INTO \(tableOf: record)", #"INTO "parcel""#)
        try expectSQL(
            "SELECT \(columnsOf: BriefParcel.self) FROM parcel",
            #"SELECT "parcel"."id", "parcel"."width" FROM parcel"#)
        try expectSQL(
            "SELECT \(columnsOf: Parcel.self, tableAlias: "p") FROM parcel p",
            #"SELECT "p".* FROM parcel p"#)
        try expectSQL(
            "SELECT \(columnsOf: PlainParcel.self, tableAlias: "p") FROM parcel p",
            #"""
            SELECT "p"."id", "p"."width", "p"."height", "p"."depth", "p"."label", \#
            "p"."isFragile", "p"."weight" FROM parcel p
            """#)
    }

    @Test func allColumnsButSomeAreOnlySelected() throws {
        try dbQueue.read { db in
            expectError(
                """
                SQLite error 21: allColumns(excluding:) can only be used in the selection of a \
                request
                """
            ) {
                try ("SELECT \(AllColumnsExcluding(["id"])) FROM parcel" as SQL).build(db)
            }
        }
    }
}
