import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Selections.
@Suite(.databases) struct SelectionTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    @Test func wholeTables() throws {
        try expect(Parcel.all(), #"SELECT * FROM "parcel""#, "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(Parcel.none(), #"SELECT * FROM "parcel" WHERE ? [0]"#, "")
        try expect(Parcel.all().none(), #"SELECT * FROM "parcel" WHERE ? [0]"#, "")
        try expect(
            Parcel.filter(width == 1).none(),
            #"SELECT * FROM "parcel" WHERE ("width" = ?) AND ? [1, 0]"#, "")
        try expect(
            Parcel.none().filter(width == 1),
            #"SELECT * FROM "parcel" WHERE ? AND ("width" = ?) [0, 1]"#, "")
        try expect(
            Parcel.all().all(), #"SELECT * FROM "parcel""#, "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Table("parcel").all(), #"SELECT * FROM "parcel""#, "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Table<Parcel>("parcel").all(), #"SELECT * FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(Table("parcel").none(), #"SELECT * FROM "parcel" WHERE ? [0]"#, "")
        try expect(
            Table("parcel").filter(width == 1), #"SELECT * FROM "parcel" WHERE "width" = ? [1]"#,
            "(1, 1, …)")
        try expect(Table("old parcel").all(), #"SELECT * FROM "old parcel""#, "")
        try expect(OldParcel.all(), #"SELECT * FROM "old parcel""#, "")
        try expectSingle(
            OldParcel.filter(key: 1), #"SELECT * FROM "old parcel" WHERE "bar code" = ? [1]"#, "")
        try expect(
            OldParcel.select(Column("bar code"), Column("order")).order(Column("order")),
            #"SELECT "bar code", "order" FROM "old parcel" ORDER BY "order""#, "")
        try expectFailure(
            Table("main.t").all(),
            #"SQLite error 1: no such table: main.t - while executing `SELECT * FROM "main.t"`"#)
        try expectFailure(
            Table("we\"ird").all(),
            #"SQLite error 1: no such table: we"ird - while executing `SELECT * FROM "we""ird"`"#)
        try expect(
            Table("sqlite_master").select(Column("name")).filter(Column("type") == "view"),
            #"SELECT "name" FROM "sqlite_master" WHERE "type" = ? ["view"]"#, #"("parcelView")"#)
        try expect(
            Parcel.all().asRequest(of: Row.self), #"SELECT * FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expectFailure(
            Phantom.all(),
            #"SQLite error 1: no such table: phantom - while executing `SELECT * FROM "phantom"`"#)
        try expectFailure(Phantom.filter(key: 1), "SQLite error 1: no such table: phantom")
        try expect(
            ParcelView.all(), #"SELECT * FROM "parcelView""#,
            #"(1, 1, "alpha") (2, 10, "Beta") (3, NULL, NULL)"#)
        try expect(
            ParcelView.filter(id == 1), #"SELECT * FROM "parcelView" WHERE "id" = ? [1]"#,
            #"(1, 1, "alpha")"#)
    }

    @Test func select() throws {
        try expect(Parcel.select(width), #"SELECT "width" FROM "parcel""#, "(1) (10) (NULL)")
        try expect(
            Parcel.select(width, height), #"SELECT "width", "height" FROM "parcel""#,
            "(1, 2) (10, 20) (NULL, NULL)")
        try expect(
            Parcel.select([width, height]), #"SELECT "width", "height" FROM "parcel""#,
            "(1, 2) (10, 20) (NULL, NULL)")
        try expect(
            Parcel.select(width).select(height), #"SELECT "height" FROM "parcel""#,
            "(2) (20) (NULL)")
        try expect(
            Parcel.select(width, width), #"SELECT "width", "width" FROM "parcel""#,
            "(1, 1) (10, 10) (NULL, NULL)")
        try expect(
            Parcel.select(width, 1.databaseValue, "x".databaseValue),
            #"SELECT "width", ?, ? FROM "parcel" [1, "x"]"#,
            #"(1, 1, "x") (10, 1, "x") (NULL, 1, "x")"#)
        try expect(
            Parcel.select(noInt.sqlExpression), #"SELECT NULL FROM "parcel""#,
            "(NULL) (NULL) (NULL)")
        try expectSingle(Parcel.select(max(width)), #"SELECT MAX("width") FROM "parcel""#, "(10)")
        try expectSingle(
            Parcel.select(max(width), min(height)),
            #"SELECT MAX("width"), MIN("height") FROM "parcel""#, "(10, 2)")
        try expectSingle(
            Parcel.select(width, max(height)), #"SELECT "width", MAX("height") FROM "parcel""#,
            "(10, 20)")
        try expectSingle(
            Parcel.select(count(width), as: Int.self), #"SELECT COUNT("width") FROM "parcel""#,
            "(2)")
        try expect(
            Parcel.select(width + 1, height * 2),
            #"SELECT "width" + ?, "height" * ? FROM "parcel" [1, 2]"#,
            "(2, 4) (11, 40) (NULL, NULL)")
        try expect(
            Parcel.select(.allColumns), #"SELECT * FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(Parcel.select(.rowID), #"SELECT "rowid" FROM "parcel""#, "(1) (2) (3)")
        try expect(
            Parcel.select(.allColumns, .rowID), #"SELECT *, "rowid" FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.select(AllColumns()), #"SELECT * FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.select(AllColumns(), width), #"SELECT *, "width" FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.select(.allColumns(excluding: ["contents", "sentOn"])),
            #"SELECT "id", "width", "height", "depth", "label", "isFragile", "weight" FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
    }

    @Test func allColumns() throws {
        try expect(
            Parcel.select(.allColumns(excluding: [Column("contents"), Column("sentOn")])),
            #"SELECT "id", "width", "height", "depth", "label", "isFragile", "weight" FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.select(.allColumns(excluding: [String]())), #"SELECT * FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.select(.allColumns(excluding: ["volume"])), #"SELECT * FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.select(.allColumns(excluding: ["CONTENTS", "SENTON"])),
            #"SELECT "id", "width", "height", "depth", "label", "isFragile", "weight" FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expectFailure(
            Parcel.select(
                .allColumns(excluding: [
                    "id", "width", "height", "depth", "label", "sentOn", "isFragile", "contents",
                    "weight",
                ])), "SQLite error 21: Can't generate SQL with an empty selection")
        try expect(
            Parcel.select(.allColumns(excluding: ["contents"]), .rowID),
            #"SELECT "id", "width", "height", "depth", "label", "sentOn", "isFragile", "weight", "rowid" FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            ParcelView.select(.allColumns(excluding: ["width"])),
            #"SELECT "id", "label" FROM "parcelView""#, #"(1, "alpha") (2, "Beta") (3, NULL)"#)
        try expect(
            Table("parcel").select(.allColumns(excluding: ["contents"])),
            #"SELECT "id", "width", "height", "depth", "label", "sentOn", "isFragile", "weight" FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        do {
            let alias = TableAlias<Parcel>(name: "p")
            try expect(
                Parcel.aliased(alias).select(
                    .allColumns(excluding: ["contents", "sentOn", "weight"])),
                #"SELECT "p"."id", "p"."width", "p"."height", "p"."depth", "p"."label", "p"."isFragile" FROM "parcel" "p""#,
                "(1, 1, …) (2, 10, …) (3, NULL, …)")
        }
        do {
            let alias = TableAlias<Parcel>(name: "p")
            try expect(
                Parcel.aliased(alias).select(.allColumns, .rowID),
                #"SELECT "p".*, "p"."rowid" FROM "parcel" "p""#, "(1, 1, …) (2, 10, …) (3, NULL, …)"
            )
        }
        try expect(
            Parcel.select(sql: "width, height AS twice"),
            #"SELECT width, height AS twice FROM "parcel""#, "(1, 2) (10, 20) (NULL, NULL)")
        try expect(
            Parcel.select(sql: "? AS load", arguments: [1]), #"SELECT ? AS load FROM "parcel" [1]"#,
            "(1) (1) (1)")
        try expect(
            Parcel.select(sql: ":v AS load", arguments: ["v": 1]),
            #"SELECT :v AS load FROM "parcel" ["v": 1]"#, "(1) (1) (1)")
        try expect(
            Parcel.select(literal: "width, \(1) AS one"),
            #"SELECT width, ? AS one FROM "parcel" [1]"#, "(1, 1) (10, 1) (NULL, 1)")
    }

    @Test func literals() throws {
        try expect(
            Parcel.select(SQL("width, height")), #"SELECT width, height FROM "parcel""#,
            "(1, 2) (10, 20) (NULL, NULL)")
        try expect(
            Parcel.select(SQL("width"), SQL("height AS twice")),
            #"SELECT width, height AS twice FROM "parcel""#, "(1, 2) (10, 20) (NULL, NULL)")
        try expectFailure(
            Parcel.select(sql: ""),
            #"SQLite error 1: near "FROM": syntax error - while executing `SELECT  FROM "parcel"`"#)
        try expect(Parcel.select { $0.width }, #"SELECT "width" FROM "parcel""#, "(1) (10) (NULL)")
        try expect(
            Parcel.select { [$0.width, $0.height] }, #"SELECT "width", "height" FROM "parcel""#,
            "(1, 2) (10, 20) (NULL, NULL)")
        try expect(
            Parcel.select({ $0.width }, as: Int.self), #"SELECT "width" FROM "parcel""#,
            "(1) (10) (NULL)")
        try expectSingle(
            Parcel.select { [$0.width, max($0.height)] },
            #"SELECT "width", MAX("height") FROM "parcel""#, "(10, 20)")
    }

    @Test func closures() throws {
        try expect(Parcel.selectID(), #"SELECT "id" FROM "parcel""#, "(1) (2) (3)")
        try expect(
            Parcel.selectPrimaryKey(as: Int64.self), #"SELECT "id" FROM "parcel""#, "(1) (2) (3)")
        try expect(
            Slot.selectPrimaryKey(as: Row.self), #"SELECT "shelf", "place" FROM "slot""#,
            #"(1, "a") (1, "b") (2, "a")"#)
        try expect(
            Zone.selectPrimaryKey(as: String.self), #"SELECT "code" FROM "zone""#,
            #"("A") ("B") ("C")"#)
    }

    @Test func primaryKeys() throws {
        try expect(
            Bin.selectPrimaryKey(as: Row.self), #"SELECT "shelf", "place" FROM "bin""#,
            #"(1, "a") (1, "b") (2, "a")"#)
        try expect(Scan.selectPrimaryKey(as: Int64.self), #"SELECT "rowid" FROM "scan""#, "(1) (2)")
        try expectFailure(
            ParcelView.selectPrimaryKey(as: Int64.self),
            "SQLite error 1: database view parcelView has no primary key")
        try expect(
            Hub.selectPrimaryKey(as: String.self), #"SELECT "code" FROM "hub""#, #"("A") ("B")"#)
        try expect(Zone.selectID(), #"SELECT "code" FROM "zone""#, #"("A") ("B") ("C")"#)
        try expect(Table<Parcel>("parcel").selectID(), #"SELECT "id" FROM "parcel""#, "(1) (2) (3)")
        try expect(
            Table("parcel").selectPrimaryKey(as: Int64.self), #"SELECT "id" FROM "parcel""#,
            "(1) (2) (3)")
        try expect(Parcel.all().selectID(), #"SELECT "id" FROM "parcel""#, "(1) (2) (3)")
        try expect(
            Parcel.filter(width == 1).selectID(),
            #"SELECT "id" FROM "parcel" WHERE "width" = ? [1]"#, "(1)")
        try expect(
            Parcel.all().selectWhenConnected { db in [width, height] },
            #"SELECT "width", "height" FROM "parcel""#, "(1, 2) (10, 20) (NULL, NULL)")
        try expect(
            BriefParcel.all(), #"SELECT "id", "width" FROM "parcel""#, "(1, 1) (2, 10) (3, NULL)")
        try expect(
            NumberedParcel.all(), #"SELECT *, "rowid" FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            PlainParcel.all(),
            #"SELECT "id", "width", "height", "depth", "label", "isFragile", "weight" FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
    }

    @Test func databaseSelection() throws {
        try expectSingle(
            WidestParcel.all(), #"SELECT MAX("width"), 1 AS one FROM "parcel""#, "(10, 1)")
        try expect(BriefParcel.select(height), #"SELECT "height" FROM "parcel""#, "(2) (20) (NULL)")
        try expect(
            BriefParcel.filter(width == 1).order(height),
            #"SELECT "id", "width" FROM "parcel" WHERE "width" = ? ORDER BY "height" [1]"#, "(1, 1)"
        )
        try expect(
            BriefParcel.annotated(with: height), #"SELECT "id", "width", "height" FROM "parcel""#,
            "(1, 1, 2) (2, 10, 20) (3, NULL, NULL)")
        try expect(
            BriefParcel.select(AllColumns()), #"SELECT * FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        do {
            let alias = TableAlias<BriefParcel>(name: "p")
            try expect(
                BriefParcel.aliased(alias), #"SELECT "p"."id", "p"."width" FROM "parcel" "p""#,
                "(1, 1) (2, 10) (3, NULL)")
        }
        do {
            let alias = TableAlias<NumberedParcel>(name: "p")
            try expect(
                NumberedParcel.aliased(alias), #"SELECT "p".*, "p"."rowid" FROM "parcel" "p""#,
                "(1, 1, …) (2, 10, …) (3, NULL, …)")
        }
        do {
            let alias = TableAlias<PlainParcel>(name: "p")
            try expect(
                PlainParcel.aliased(alias),
                #"SELECT "p"."id", "p"."width", "p"."height", "p"."depth", "p"."label", "p"."isFragile", "p"."weight" FROM "parcel" "p""#,
                "(1, 1, …) (2, 10, …) (3, NULL, …)")
        }
    }

    @Test func annotated() throws {
        try expect(
            Parcel.annotated(with: width + 1), #"SELECT *, "width" + ? FROM "parcel" [1]"#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.annotated(with: (width + 1).forKey("k")),
            #"SELECT *, "width" + ? AS "k" FROM "parcel" [1]"#, "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.annotated(with: [width, height]), #"SELECT *, "width", "height" FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.annotated(with: [] as [any SQLSelectable]), #"SELECT * FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.annotated(with: width).annotated(with: height),
            #"SELECT *, "width", "height" FROM "parcel""#, "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.select(width).annotated(with: height),
            #"SELECT "width", "height" FROM "parcel""#, "(1, 2) (10, 20) (NULL, NULL)")
        try expect(
            Parcel.annotated(with: height).select(width), #"SELECT "width" FROM "parcel""#,
            "(1) (10) (NULL)")
        try expect(
            Parcel.select(width).annotated(with: SQL("height AS twice")),
            #"SELECT "width", height AS twice FROM "parcel""#, "(1, 2) (10, 20) (NULL, NULL)")
        try expect(
            Parcel.annotated(with: Parcel.select(max(width)).forKey("m")),
            #"SELECT *, (SELECT MAX("width") FROM "parcel") AS "m" FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expectSingle(
            Parcel.annotated(with: max(width)), #"SELECT *, MAX("width") FROM "parcel""#,
            "(2, 10, …)")
        try expect(
            Parcel.annotated { $0.width }, #"SELECT *, "width" FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.annotated { [$0.width, $0.height] },
            #"SELECT *, "width", "height" FROM "parcel""#, "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.all().annotatedWhenConnected { db in [width.forKey("p")] },
            #"SELECT *, "width" AS "p" FROM "parcel""#, "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.all().annotatedWhenConnected { db in [width.forKey("p")] }.annotated(
                with: height.forKey("q")),
            #"SELECT *, "width" AS "p", "height" AS "q" FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Table("parcel").annotated(with: width.forKey("p")),
            #"SELECT *, "width" AS "p" FROM "parcel""#, "(1, 1, …) (2, 10, …) (3, NULL, …)")
    }

    @Test func distinct() throws {
        try expect(
            Parcel.all().distinct(), #"SELECT DISTINCT * FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.select(width).distinct(), #"SELECT DISTINCT "width" FROM "parcel""#,
            "(1) (10) (NULL)")
        try expect(
            Parcel.select(width).distinct().distinct(), #"SELECT DISTINCT "width" FROM "parcel""#,
            "(1) (10) (NULL)")
        try expect(
            Parcel.select(width, height).distinct().order(width),
            #"SELECT DISTINCT "width", "height" FROM "parcel" ORDER BY "width""#,
            "(NULL, NULL) (1, 2) (10, 20)")
        try expectSingle(
            Parcel.all().distinct().filter(width == 1).limit(2),
            #"SELECT DISTINCT * FROM "parcel" WHERE "width" = ? LIMIT 2 [1]"#, "(1, 1, …)")
    }
}
