import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Filters by keys and ids.
@Suite(.databases) struct KeyFilterTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    /// A record whose id is unknown before it is inserted.
    private struct Draft: FetchableRecord, TableRecord, Identifiable {
        static let databaseTableName = "parcel"
        var id: Int64?

        init(row: Row) throws { id = row["id"] }
    }

    @Test func optionalIds() throws {
        let sql = #"SELECT * FROM "parcel" WHERE "id" IN (?, ?) [1, 2]"#
        let ids: [Int64] = [1, 2]
        let table = Table<Draft>("parcel")
        for request in [
            Draft.filter(ids: ids), Draft.all().filter(ids: ids), table.filter(ids: ids),
            Draft.filter(ids: ids.map(Optional.some)), table.filter(ids: [1, 2]),
            Draft.filter(ids: [1, 2]), Draft.all().filter(ids: [1, 2]), Draft.filter(ids: 1...2),
        ] {
            try expect(request.asRequest(of: Row.self), sql, "(1, 1, …) (2, 10, …)")
        }
        try expect(
            Draft.filter(ids: []).asRequest(of: Row.self),
            #"SELECT * FROM "parcel" WHERE ? [0]"#, "")
    }

    /// Keys are given as any collection.
    @Test func collectionsOfKeys() throws {
        let sql = #"SELECT * FROM "parcel" WHERE "id" IN (?, ?) [1, 2]"#
        let ids: [Int64] = [1, 2, 3]
        for request in [
            Parcel.filter(keys: ids.dropLast()), Parcel.all().filter(keys: 1...2),
            Table<Parcel>("parcel").filter(keys: ids.lazy.filter { $0 < 3 }),
            Parcel.filter(ids: ids.prefix(2)), Parcel.all().filter(ids: 1..<3),
            Parcel.filter(keys: [[1, 2], [3]][0]),
        ] {
            try expect(request, sql, "(1, 1, …) (2, 10, …)")
        }
    }

    @Test func primaryKeys() throws {
        try expectSingle(
            Parcel.filter(key: 1), #"SELECT * FROM "parcel" WHERE "id" = ? [1]"#, "(1, 1, …)")
        try expectSingle(
            Parcel.filter(key: "1"), #"SELECT * FROM "parcel" WHERE "id" = ? ["1"]"#, "(1, 1, …)")
        try expect(Parcel.filter(key: noInt), #"SELECT * FROM "parcel" WHERE ? [0]"#, "")
        try expectSingle(
            Parcel.filter(key: 1 as Int?), #"SELECT * FROM "parcel" WHERE "id" = ? [1]"#,
            "(1, 1, …)")
        try expectSingle(
            Parcel.filter(key: 1.databaseValue), #"SELECT * FROM "parcel" WHERE "id" = ? [1]"#,
            "(1, 1, …)")
        try expect(
            Parcel.filter(key: DatabaseValue.null), #"SELECT * FROM "parcel" WHERE ? [0]"#, "")
        try expectSingle(
            Parcel.filter(key: epoch),
            #"SELECT * FROM "parcel" WHERE "id" = ? ["1970-01-01 00:00:00.000"]"#, "")
        try expectSingle(
            Parcel.filter(key: ["id": 1]), #"SELECT * FROM "parcel" WHERE "id" = ? [1]"#,
            "(1, 1, …)")
        try expectSingle(
            Parcel.filter(key: ["ID": 1]), #"SELECT * FROM "parcel" WHERE "ID" = ? [1]"#,
            "(1, 1, …)")
        try expectSingle(
            Parcel.filter(key: ["id": nil]), #"SELECT * FROM "parcel" WHERE "id" IS NULL"#, "")
        try expectSingle(
            Parcel.filter(key: ["rowid": 1]), #"SELECT * FROM "parcel" WHERE "rowid" = ? [1]"#,
            "(1, 1, …)")
        try expect(
            Parcel.filter(key: nil as [String: (any DatabaseValueConvertible)?]?),
            #"SELECT * FROM "parcel" WHERE ? [0]"#, "")
        try expectSingle(
            Parcel.filter(key: ["id": 1, "width": 2]),
            #"SELECT * FROM "parcel" WHERE ("id" = ?) AND ("width" = ?) [1, 2]"#, "")
        try expectSingle(
            Parcel.filter(id: 1), #"SELECT * FROM "parcel" WHERE "id" = ? [1]"#, "(1, 1, …)")
        try expect(
            Parcel.filter(ids: [1, 2]), #"SELECT * FROM "parcel" WHERE "id" IN (?, ?) [1, 2]"#,
            "(1, 1, …) (2, 10, …)")
    }

    @Test func manyKeys() throws {
        try expectSingle(
            Parcel.filter(ids: [1]), #"SELECT * FROM "parcel" WHERE "id" = ? [1]"#, "(1, 1, …)")
        try expect(Parcel.filter(ids: [Int64]()), #"SELECT * FROM "parcel" WHERE ? [0]"#, "")
        try expectSingle(
            Parcel.filter(ids: Set([1 as Int64])), #"SELECT * FROM "parcel" WHERE "id" = ? [1]"#,
            "(1, 1, …)")
        try expect(
            Parcel.filter(ids: [1, 1]), #"SELECT * FROM "parcel" WHERE "id" IN (?, ?) [1, 1]"#,
            "(1, 1, …)")
        try expect(
            Parcel.filter(keys: [1, 2]), #"SELECT * FROM "parcel" WHERE "id" IN (?, ?) [1, 2]"#,
            "(1, 1, …) (2, 10, …)")
        try expectSingle(
            Parcel.filter(keys: [1]), #"SELECT * FROM "parcel" WHERE "id" = ? [1]"#, "(1, 1, …)")
        try expect(Parcel.filter(keys: [Int]()), #"SELECT * FROM "parcel" WHERE ? [0]"#, "")
        try expect(
            Parcel.filter(keys: ["a", "b"]),
            #"SELECT * FROM "parcel" WHERE "id" IN (?, ?) ["a", "b"]"#, "")
        try expect(
            Parcel.filter(keys: [1, nil] as [Int?]),
            #"SELECT * FROM "parcel" WHERE "id" IN (?, NULL) [1]"#, "(1, 1, …)")
        try expectSingle(
            Parcel.filter(keys: Set([7])), #"SELECT * FROM "parcel" WHERE "id" = ? [7]"#, "")
        try expect(
            Parcel.filter(keys: [["id": 1], ["id": 2]]),
            #"SELECT * FROM "parcel" WHERE ("id" = ?) OR ("id" = ?) [1, 2]"#, "(1, 1, …) (2, 10, …)"
        )
    }

    @Test func otherClauses() throws {
        try expectSingle(
            Parcel.filter(keys: [["id": 1]]), #"SELECT * FROM "parcel" WHERE "id" = ? [1]"#,
            "(1, 1, …)")
        try expect(
            Parcel.filter(keys: [[String: (any DatabaseValueConvertible)?]]()),
            #"SELECT * FROM "parcel" WHERE ? [0]"#, "")
        try expectSingle(
            Parcel.filter(key: 1).filter(key: 2),
            #"SELECT * FROM "parcel" WHERE ("id" = ?) AND ("id" = ?) [1, 2]"#, "")
        try expectSingle(
            Parcel.filter(width == 1).filter(key: 1),
            #"SELECT * FROM "parcel" WHERE ("width" = ?) AND ("id" = ?) [1, 1]"#, "(1, 1, …)")
        try expectSingle(
            Parcel.filter(key: 1).filter(width == 1),
            #"SELECT * FROM "parcel" WHERE ("id" = ?) AND ("width" = ?) [1, 1]"#, "(1, 1, …)")
        try expectSingle(
            Parcel.filter(key: 1).limit(5), #"SELECT * FROM "parcel" WHERE "id" = ? LIMIT 5 [1]"#,
            "(1, 1, …)")
        try expectSingle(
            Parcel.filter(key: 1).limit(5, offset: 1),
            #"SELECT * FROM "parcel" WHERE "id" = ? LIMIT 5 OFFSET 1 [1]"#, "")
        try expectSingle(
            Parcel.filter(key: 1).order(width),
            #"SELECT * FROM "parcel" WHERE "id" = ? ORDER BY "width" [1]"#, "(1, 1, …)")
        try expectSingle(
            Parcel.filter(key: 1).group(width),
            #"SELECT * FROM "parcel" WHERE "id" = ? GROUP BY "width" [1]"#, "(1, 1, …)")
        try expectSingle(
            Parcel.filter(key: 1).distinct(),
            #"SELECT DISTINCT * FROM "parcel" WHERE "id" = ? [1]"#, "(1, 1, …)")
    }

    @Test func singleResults() throws {
        try expectSingle(
            Parcel.filter(key: 1).select(width),
            #"SELECT "width" FROM "parcel" WHERE "id" = ? [1]"#, "(1)")
        try expectSingle(
            Parcel.filter(key: 1).select(max(width)),
            #"SELECT MAX("width") FROM "parcel" WHERE "id" = ? [1]"#, "(1)")
        try expectSingle(
            Parcel.filter(id == 1), #"SELECT * FROM "parcel" WHERE "id" = ? [1]"#, "(1, 1, …)")
        try expect(
            Parcel.filter(id == 1 || width == 2),
            #"SELECT * FROM "parcel" WHERE ("id" = ?) OR ("width" = ?) [1, 2]"#, "(1, 1, …)")
        try expectSingle(
            Parcel.filter(id == 1 && width == 2),
            #"SELECT * FROM "parcel" WHERE ("id" = ?) AND ("width" = ?) [1, 2]"#, "")
        try expectSingle(
            Parcel.filter(1 == id), #"SELECT * FROM "parcel" WHERE ? = "id" [1]"#, "(1, 1, …)")
        try expect(
            Parcel.filter(id == width), #"SELECT * FROM "parcel" WHERE "id" = "width""#, "(1, 1, …)"
        )
        try expectSingle(
            Parcel.filter(id === 1), #"SELECT * FROM "parcel" WHERE "id" IS ? [1]"#, "(1, 1, …)")
        try expectSingle(
            Parcel.filter(id == nil), #"SELECT * FROM "parcel" WHERE "id" IS NULL"#, "")
        try expect(
            Parcel.filter(id > 1), #"SELECT * FROM "parcel" WHERE "id" > ? [1]"#,
            "(2, 10, …) (3, NULL, …)")
        try expectSingle(
            Parcel.filter([1].contains(id)), #"SELECT * FROM "parcel" WHERE "id" = ? [1]"#,
            "(1, 1, …)")
        try expect(
            Parcel.filter([1, 2].contains(id)),
            #"SELECT * FROM "parcel" WHERE "id" IN (?, ?) [1, 2]"#, "(1, 1, …) (2, 10, …)")
    }

    @Test func singleResultsByNamesOfTheRowID() throws {
        try expectSingle(
            Parcel.filter(Column.rowID == 1), #"SELECT * FROM "parcel" WHERE "rowid" = ? [1]"#,
            "(1, 1, …)")
        try expectSingle(
            Parcel.filter(Column("rowid") == 1), #"SELECT * FROM "parcel" WHERE "rowid" = ? [1]"#,
            "(1, 1, …)")
        try expectSingle(
            Parcel.filter(Column("ROWID") == 1), #"SELECT * FROM "parcel" WHERE "ROWID" = ? [1]"#,
            "(1, 1, …)")
        try expectSingle(
            Parcel.filter(Column("_rowid_") == 1),
            #"SELECT * FROM "parcel" WHERE "_rowid_" = ? [1]"#, "(1, 1, …)")
        try expectSingle(
            Parcel.filter(Column("oid") == 1), #"SELECT * FROM "parcel" WHERE "oid" = ? [1]"#,
            "(1, 1, …)")
        try expectSingle(
            Parcel.filter(Column("ID") == 1), #"SELECT * FROM "parcel" WHERE "ID" = ? [1]"#,
            "(1, 1, …)")
    }

    @Test func conditionsOnKeys() throws {
        try expectSingle(
            Parcel.filter(!(id != 1)), #"SELECT * FROM "parcel" WHERE "id" = ? [1]"#, "(1, 1, …)")
        try expect(
            Parcel.filter(id.collating(.nocase) == 1),
            #"SELECT * FROM "parcel" WHERE "id" = ? COLLATE NOCASE [1]"#, "(1, 1, …)")
        try expect(
            Parcel.filter(id == Parcel.select(max(id))),
            #"SELECT * FROM "parcel" WHERE "id" = (SELECT MAX("id") FROM "parcel")"#, "(3, NULL, …)"
        )
        try expect(
            Parcel.filter(id == id), #"SELECT * FROM "parcel" WHERE "id" = "id""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.filter(sql: "id = 1"), #"SELECT * FROM "parcel" WHERE id = 1"#, "(1, 1, …)")
        try expect(
            Parcel.filter(literal: "id = \(1)"), #"SELECT * FROM "parcel" WHERE id = ? [1]"#,
            "(1, 1, …)")
        try expectSingle(
            Parcel.filter(width == 1).filter(id == 1),
            #"SELECT * FROM "parcel" WHERE ("width" = ?) AND ("id" = ?) [1, 1]"#, "(1, 1, …)")
        try expectSingle(
            Parcel.filter(id == 1).filter(id == 2),
            #"SELECT * FROM "parcel" WHERE ("id" = ?) AND ("id" = ?) [1, 2]"#, "")
    }

    @Test func uniqueKeys() throws {
        try expectSingle(
            Parcel.filter(id == 1).none(), #"SELECT * FROM "parcel" WHERE ("id" = ?) AND ? [1, 0]"#,
            "")
        try expectSingle(
            Parcel.filter(id == 1).limit(0), #"SELECT * FROM "parcel" WHERE "id" = ? LIMIT 0 [1]"#,
            "")
        try expectSingle(
            Courier.filter(key: ["email": "e1"]),
            #"SELECT * FROM "courier" WHERE "email" = ? ["e1"]"#, #"(1, "e1", …)"#)
        try expectSingle(
            Courier.filter(key: ["EMAIL": "e1"]),
            #"SELECT * FROM "courier" WHERE "EMAIL" = ? ["e1"]"#, #"(1, "e1", …)"#)
        try expectSingle(
            Courier.filter(key: ["email": nil]), #"SELECT * FROM "courier" WHERE "email" IS NULL"#,
            "")
        try expectSingle(
            Courier.filter(key: ["first": "f1", "last": "l1"]),
            #"SELECT * FROM "courier" WHERE ("first" = ?) AND ("last" = ?) ["f1", "l1"]"#,
            #"(1, "e1", …)"#)
        try expectSingle(
            Courier.filter(key: ["last": "l1", "first": "f1"]),
            #"SELECT * FROM "courier" WHERE ("first" = ?) AND ("last" = ?) ["f1", "l1"]"#,
            #"(1, "e1", …)"#)
        try expectSingle(
            Courier.filter(key: ["first": "f1", "last": nil]),
            #"SELECT * FROM "courier" WHERE ("first" = ?) AND ("last" IS NULL) ["f1"]"#, "")
        try expectSingle(
            Courier.filter(key: ["first": nil, "last": nil]),
            #"SELECT * FROM "courier" WHERE ("first" IS NULL) AND ("last" IS NULL)"#, "")
        try expect(
            Courier.filter(keys: [["email": "e1"], ["first": "f2", "last": "l2"], ["id": 3]]),
            #"SELECT * FROM "courier" WHERE ("email" = ?) OR (("first" = ?) AND ("last" = ?)) OR ("id" = ?) ["e1", "f2", "l2", 3]"#,
            #"(1, "e1", …) (2, "e2", …) (3, "e3", …)"#)
        try expect(
            Courier.filter(keys: [["email": "e1"], ["email": "e2"]]),
            #"SELECT * FROM "courier" WHERE ("email" = ?) OR ("email" = ?) ["e1", "e2"]"#,
            #"(1, "e1", …) (2, "e2", …)"#)
        try expectSingle(
            Courier.filter(Column("email") == "e1"),
            #"SELECT * FROM "courier" WHERE "email" = ? ["e1"]"#, #"(1, "e1", …)"#)
        try expectSingle(
            Courier.filter(Column("email") == "e1" && Column("stars") == 1),
            #"SELECT * FROM "courier" WHERE ("email" = ?) AND ("stars" = ?) ["e1", 1]"#,
            #"(1, "e1", …)"#)
        try expect(
            Courier.filter(Column("first") == "f1"),
            #"SELECT * FROM "courier" WHERE "first" = ? ["f1"]"#, #"(1, "e1", …)"#)
        try expectSingle(
            Courier.filter(Column("first") == "f1" && Column("last") == "l1"),
            #"SELECT * FROM "courier" WHERE ("first" = ?) AND ("last" = ?) ["f1", "l1"]"#,
            #"(1, "e1", …)"#)
        try expectSingle(
            Courier.filter(Column("last") == "l1").filter(Column("first") == "f1"),
            #"SELECT * FROM "courier" WHERE ("last" = ?) AND ("first" = ?) ["l1", "f1"]"#,
            #"(1, "e1", …)"#)
        try expectSingle(
            Courier.filter(
                Column("first") == "f1" && Column("last") == "l1" && Column("stars") == 1),
            #"SELECT * FROM "courier" WHERE ("first" = ?) AND ("last" = ?) AND ("stars" = ?) ["f1", "l1", 1]"#,
            #"(1, "e1", …)"#)
    }

    @Test func compositeKeys() throws {
        try expect(
            Courier.filter(Column("first") == "f1" || Column("last") == "l1"),
            #"SELECT * FROM "courier" WHERE ("first" = ?) OR ("last" = ?) ["f1", "l1"]"#,
            #"(1, "e1", …)"#)
        try expectSingle(
            Slot.filter(key: ["shelf": 1, "place": "a"]),
            #"SELECT * FROM "slot" WHERE ("shelf" = ?) AND ("place" = ?) [1, "a"]"#,
            #"(1, "a", 10)"#)
        try expectSingle(
            Slot.filter(key: ["place": "a", "shelf": 1]),
            #"SELECT * FROM "slot" WHERE ("shelf" = ?) AND ("place" = ?) [1, "a"]"#,
            #"(1, "a", 10)"#)
        try expect(Slot.filter(keys: [Int]()), #"SELECT * FROM "slot" WHERE ? [0]"#, "")
        try expect(
            Slot.filter(keys: [["shelf": 1, "place": "a"], ["shelf": 2, "place": "a"]]),
            #"SELECT * FROM "slot" WHERE (("shelf" = ?) AND ("place" = ?)) OR (("shelf" = ?) AND ("place" = ?)) [1, "a", 2, "a"]"#,
            #"(1, "a", 10) (2, "a", 30)"#)
        try expectSingle(
            Slot.filter(Column("shelf") == 1 && Column("place") == "a"),
            #"SELECT * FROM "slot" WHERE ("shelf" = ?) AND ("place" = ?) [1, "a"]"#,
            #"(1, "a", 10)"#)
        try expect(
            Slot.filter(Column("shelf") == 1), #"SELECT * FROM "slot" WHERE "shelf" = ? [1]"#,
            #"(1, "a", 10) (1, "b", 20)"#)
    }

    @Test func otherTables() throws {
        try expectSingle(
            Zone.filter(key: "A"), #"SELECT * FROM "zone" WHERE "code" = ? ["A"]"#, #"("A", 1)"#)
        try expectSingle(
            Zone.filter(id: "A"), #"SELECT * FROM "zone" WHERE "code" = ? ["A"]"#, #"("A", 1)"#)
        try expect(
            Zone.filter(ids: ["A", "B"]),
            #"SELECT * FROM "zone" WHERE "code" IN (?, ?) ["A", "B"]"#, #"("A", 1) ("B", 2)"#)
        try expectSingle(
            Zone.filter(keys: ["A"]), #"SELECT * FROM "zone" WHERE "code" = ? ["A"]"#, #"("A", 1)"#)
        try expectSingle(
            Zone.filter(Column("code") == "A"), #"SELECT * FROM "zone" WHERE "code" = ? ["A"]"#,
            #"("A", 1)"#)
        try expectFailure(
            Zone.filter(Column.rowID == 1),
            #"SQLite error 1: no such column: "rowid" - should this be a string literal in single-quotes? - while executing `SELECT * FROM "zone" WHERE "rowid" = ?`"#
        )
        try expectSingle(
            Bin.filter(key: ["shelf": 1, "place": "a"]),
            #"SELECT * FROM "bin" WHERE ("shelf" = ?) AND ("place" = ?) [1, "a"]"#, #"(1, "a", 10)"#
        )
        try expectSingle(
            Hub.filter(key: "A"), #"SELECT * FROM "hub" WHERE "code" = ? ["A"]"#, #"("A", 1)"#)
        try expect(
            Hub.filter(keys: ["A", "B"]), #"SELECT * FROM "hub" WHERE "code" IN (?, ?) ["A", "B"]"#,
            #"("A", 1) ("B", 2)"#)
        try expectSingle(
            Hub.filter(key: ["rowid": 1]), #"SELECT * FROM "hub" WHERE "rowid" = ? [1]"#,
            #"("A", 1)"#)
        try expectSingle(
            Hub.filter(Column("code") == "A"), #"SELECT * FROM "hub" WHERE "code" = ? ["A"]"#,
            #"("A", 1)"#)
        try expectSingle(
            Hub.filter(Column.rowID == 1), #"SELECT * FROM "hub" WHERE "rowid" = ? [1]"#,
            #"("A", 1)"#)
        try expectSingle(
            Scan.filter(key: 1), #"SELECT * FROM "scan" WHERE "rowid" = ? [1]"#, #"(1, "x")"#)
        try expect(
            Scan.filter(keys: [1, 2]), #"SELECT * FROM "scan" WHERE "rowid" IN (?, ?) [1, 2]"#,
            #"(1, "x") (2, "y")"#)
        try expectSingle(
            Scan.filter(key: ["rowid": 1]), #"SELECT * FROM "scan" WHERE "rowid" = ? [1]"#,
            #"(1, "x")"#)
        try expectSingle(
            Scan.filter(key: ["ROWID": 1]), #"SELECT * FROM "scan" WHERE "ROWID" = ? [1]"#,
            #"(1, "x")"#)
        try expectSingle(
            Scan.filter(Column.rowID == 1), #"SELECT * FROM "scan" WHERE "rowid" = ? [1]"#,
            #"(1, "x")"#)
        try expectFailure(
            ParcelView.filter(key: 1), "SQLite error 1: database view parcelView has no primary key"
        )
        try expectFailure(
            ParcelView.filter(keys: [1, 2]),
            "SQLite error 1: database view parcelView has no primary key")
        try expect(ParcelView.filter(keys: [Int]()), #"SELECT * FROM "parcelView" WHERE ? [0]"#, "")
    }

    @Test func untypedTables() throws {
        try expect(
            ParcelView.filter(Column("id") == 1), #"SELECT * FROM "parcelView" WHERE "id" = ? [1]"#,
            #"(1, 1, "alpha")"#)
        try expectSingle(
            Table("parcel").filter(key: 1), #"SELECT * FROM "parcel" WHERE "id" = ? [1]"#,
            "(1, 1, …)")
        try expect(
            Table("parcel").filter(keys: [1, 2]),
            #"SELECT * FROM "parcel" WHERE "id" IN (?, ?) [1, 2]"#, "(1, 1, …) (2, 10, …)")
        try expectSingle(
            Table("courier").filter(key: ["email": "e1"]),
            #"SELECT * FROM "courier" WHERE "email" = ? ["e1"]"#, #"(1, "e1", …)"#)
        try expectSingle(
            Table<Parcel>("parcel").filter(id: 1), #"SELECT * FROM "parcel" WHERE "id" = ? [1]"#,
            "(1, 1, …)")
        try expect(
            Table<Parcel>("parcel").filter(ids: [1, 2]),
            #"SELECT * FROM "parcel" WHERE "id" IN (?, ?) [1, 2]"#, "(1, 1, …) (2, 10, …)")
        try expectFailure(Table("volume").filter(key: 1), "SQLite error 1: no such table: volume")
        try expectSingle(
            Memo.filter(key: 1), #"SELECT * FROM "memo" WHERE "rowid" = ? [1]"#, #"("hello world")"#
        )
    }

    @Test func aliases() throws {
        try expectSingle(
            Memo.filter(Column.rowID == 1), #"SELECT * FROM "memo" WHERE "rowid" = ? [1]"#,
            #"("hello world")"#)
        do {
            let alias = TableAlias<Parcel>(name: "p")
            try expectSingle(
                Parcel.aliased(alias).filter(key: 1),
                #"SELECT "p".* FROM "parcel" "p" WHERE "p"."id" = ? [1]"#, "(1, 1, …)")
        }
        do {
            let alias = TableAlias<Parcel>(name: "p")
            try expect(
                Parcel.aliased(alias).filter(keys: [1, 2]).order(alias.id),
                #"SELECT "p".* FROM "parcel" "p" WHERE "p"."id" IN (?, ?) ORDER BY "p"."id" [1, 2]"#,
                "(1, 1, …) (2, 10, …)")
        }
        do {
            let alias = TableAlias<Courier>(name: "p")
            try expect(
                Courier.aliased(alias).filter(keys: [
                    ["email": "e1"], ["first": "f2", "last": "l2"],
                ]),
                #"SELECT "p".* FROM "courier" "p" WHERE ("p"."email" = ?) OR (("p"."first" = ?) AND ("p"."last" = ?)) ["e1", "f2", "l2"]"#,
                #"(1, "e1", …) (2, "e2", …)"#)
        }
        do {
            let alias = TableAlias<Courier>(name: "p")
            try expectSingle(
                Courier.aliased(alias).filter(key: ["email": "e1"]),
                #"SELECT "p".* FROM "courier" "p" WHERE "p"."email" = ? ["e1"]"#, #"(1, "e1", …)"#)
        }
    }
}
