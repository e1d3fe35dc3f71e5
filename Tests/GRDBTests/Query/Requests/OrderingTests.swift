import GRDBQueries
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Orders.
@Suite(.databases) struct OrderingTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    @Test func order() throws {
        try expect(
            Parcel.order(width), #"SELECT * FROM "parcel" ORDER BY "width""#,
            "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.order(width.asc), #"SELECT * FROM "parcel" ORDER BY "width" ASC"#,
            "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.order(width.desc), #"SELECT * FROM "parcel" ORDER BY "width" DESC"#,
            "(2, 10, …) (1, 1, …) (3, NULL, …)")
        try expect(
            Parcel.order(width.ascNullsLast),
            #"SELECT * FROM "parcel" ORDER BY "width" ASC NULLS LAST"#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.order(width.descNullsFirst),
            #"SELECT * FROM "parcel" ORDER BY "width" DESC NULLS FIRST"#,
            "(3, NULL, …) (2, 10, …) (1, 1, …)")
        try expect(
            Parcel.order(width, height.desc),
            #"SELECT * FROM "parcel" ORDER BY "width", "height" DESC"#,
            "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.order([width, height.desc]),
            #"SELECT * FROM "parcel" ORDER BY "width", "height" DESC"#,
            "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.order([]), #"SELECT * FROM "parcel""#, "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.order(width).order(height), #"SELECT * FROM "parcel" ORDER BY "height""#,
            "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.order(width).order([]), #"SELECT * FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.order(width + height), #"SELECT * FROM "parcel" ORDER BY "width" + "height""#,
            "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.order((width + height).desc),
            #"SELECT * FROM "parcel" ORDER BY "width" + "height" DESC"#,
            "(2, 10, …) (1, 1, …) (3, NULL, …)")
    }

    @Test func orderByKeyPaths() throws {
        struct Box: TableRecord {
            static let databaseTableName = "parcel"

            enum Columns {
                static let id = Column("id")
                static let width = TypedColumn<Int?>("width")
                static let height = Column("height")
            }
        }
        let descending = #"SELECT * FROM "parcel" ORDER BY "width" DESC, "height""#
        let three = #"SELECT * FROM "parcel" ORDER BY "width", "height" DESC NULLS FIRST, "id" ASC"#
        for request in [
            Box.order(\.width.desc, \.height), Box.all().order(\.width.desc, \.height),
            Table<Box>("parcel").order(\.width.desc, \.height),
        ] {
            try dbQueue.read { db in
                try expectEqual(request.makePreparedRequest(db).statement.sql, descending)
                let ids: [Int] = try request.asRequest(of: Row.self).fetchAll(db).map { $0["id"] }
                expectEqual(ids, [2, 1, 3])
            }
        }
        for request in [
            Box.order(\.width, \.height.descNullsFirst, \.id.asc),
            Box.all().order(\.width, \.height.descNullsFirst, \.id.asc),
        ] {
            try dbQueue.read { db in
                try expectEqual(request.makePreparedRequest(db).statement.sql, three)
                let ids: [Int] = try request.asRequest(of: Row.self).fetchAll(db).map { $0["id"] }
                expectEqual(ids, [3, 1, 2])
            }
        }
    }

    @Test func orderBySQL() throws {
        try expect(
            Parcel.order(sql: "width, height DESC"),
            #"SELECT * FROM "parcel" ORDER BY width, height DESC"#,
            "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.order(sql: "width + ?", arguments: [1]),
            #"SELECT * FROM "parcel" ORDER BY width + ? [1]"#, "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.order(literal: "width + \(1)"),
            #"SELECT * FROM "parcel" ORDER BY width + ? [1]"#, "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.order(SQL("width DESC")), #"SELECT * FROM "parcel" ORDER BY width DESC"#,
            "(2, 10, …) (1, 1, …) (3, NULL, …)")
        try expect(
            Parcel.order(SQL("width"), height), #"SELECT * FROM "parcel" ORDER BY width, "height""#,
            "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.order(SQL("width").desc), #"SELECT * FROM "parcel" ORDER BY width DESC"#,
            "(2, 10, …) (1, 1, …) (3, NULL, …)")
    }

    @Test func orderByExpressions() throws {
        try expect(
            Parcel.order { $0.width }, #"SELECT * FROM "parcel" ORDER BY "width""#,
            "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.order { [$0.width, $0.height.desc] },
            #"SELECT * FROM "parcel" ORDER BY "width", "height" DESC"#,
            "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.order { $0.width.desc }, #"SELECT * FROM "parcel" ORDER BY "width" DESC"#,
            "(2, 10, …) (1, 1, …) (3, NULL, …)")
        try expect(
            Parcel.order(length(label)), #"SELECT * FROM "parcel" ORDER BY LENGTH("label")"#,
            "(3, NULL, …) (2, 10, …) (1, 1, …)")
        try expect(
            Parcel.order(width == 1), #"SELECT * FROM "parcel" ORDER BY "width" = ? [1]"#,
            "(3, NULL, …) (2, 10, …) (1, 1, …)")
        try expect(
            Parcel.order(Parcel.select(max(width))),
            #"SELECT * FROM "parcel" ORDER BY (SELECT MAX("width") FROM "parcel")"#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.order(Parcel.select(max(width)).sqlExpression.desc),
            #"SELECT * FROM "parcel" ORDER BY (SELECT MAX("width") FROM "parcel") DESC"#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.order(1.databaseValue), #"SELECT * FROM "parcel" ORDER BY ? [1]"#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.all().orderWhenConnected { _ in [width.desc] },
            #"SELECT * FROM "parcel" ORDER BY "width" DESC"#, "(2, 10, …) (1, 1, …) (3, NULL, …)")
        try expect(
            Parcel.order(Column.rowID), #"SELECT * FROM "parcel" ORDER BY "rowid""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.orderByPrimaryKey(), #"SELECT * FROM "parcel" ORDER BY "id""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
    }

    @Test func primaryKeys() throws {
        try expect(
            Slot.orderByPrimaryKey(), #"SELECT * FROM "slot" ORDER BY "shelf", "place""#,
            #"(1, "a", 10) (1, "b", 20) (2, "a", 30)"#)
        try expect(
            Zone.orderByPrimaryKey(), #"SELECT * FROM "zone" ORDER BY "code""#,
            #"("A", 1) ("B", 2) ("C", 3)"#)
        try expect(
            Bin.orderByPrimaryKey(), #"SELECT * FROM "bin" ORDER BY "shelf", "place""#,
            #"(1, "a", 10) (1, "b", 20) (2, "a", 30)"#)
        try expect(
            Scan.orderByPrimaryKey(), #"SELECT * FROM "scan" ORDER BY "rowid""#,
            #"(1, "x") (2, "y")"#)
        try expectFailure(
            ParcelView.orderByPrimaryKey(),
            "SQLite error 1: database view parcelView has no primary key")
        try expect(
            Hub.orderByPrimaryKey(), #"SELECT * FROM "hub" ORDER BY "code""#, #"("A", 1) ("B", 2)"#)
        try expect(
            Table("parcel").orderByPrimaryKey(), #"SELECT * FROM "parcel" ORDER BY "id""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.order(width).orderByPrimaryKey(), #"SELECT * FROM "parcel" ORDER BY "id""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.orderByPrimaryKey().reversed(), #"SELECT * FROM "parcel" ORDER BY "id" DESC"#,
            "(3, NULL, …) (2, 10, …) (1, 1, …)")
        try expect(
            Slot.orderByPrimaryKey().reversed(),
            #"SELECT * FROM "slot" ORDER BY "shelf" DESC, "place" DESC"#,
            #"(2, "a", 30) (1, "b", 20) (1, "a", 10)"#)
        try expect(
            Parcel.order(width).unordered(), #"SELECT * FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.order(width).reversed().unordered(), #"SELECT * FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.order(width).unordered().reversed(), #"SELECT * FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.order(width).unordered().order(height),
            #"SELECT * FROM "parcel" ORDER BY "height""#, "(3, NULL, …) (1, 1, …) (2, 10, …)")
    }

    @Test func reversed() throws {
        try expect(
            Parcel.all().reversed(), #"SELECT * FROM "parcel""#, "(1, 1, …) (2, 10, …) (3, NULL, …)"
        )
        try expect(
            Parcel.order(width).reversed(), #"SELECT * FROM "parcel" ORDER BY "width" DESC"#,
            "(2, 10, …) (1, 1, …) (3, NULL, …)")
        try expect(
            Parcel.order(width.desc).reversed(), #"SELECT * FROM "parcel" ORDER BY "width" ASC"#,
            "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.order(width.asc).reversed(), #"SELECT * FROM "parcel" ORDER BY "width" DESC"#,
            "(2, 10, …) (1, 1, …) (3, NULL, …)")
        try expect(
            Parcel.order(width.ascNullsLast).reversed(),
            #"SELECT * FROM "parcel" ORDER BY "width" DESC NULLS FIRST"#,
            "(3, NULL, …) (2, 10, …) (1, 1, …)")
        try expect(
            Parcel.order(width.descNullsFirst).reversed(),
            #"SELECT * FROM "parcel" ORDER BY "width" ASC NULLS LAST"#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.order(width, height.desc).reversed(),
            #"SELECT * FROM "parcel" ORDER BY "width" DESC, "height" ASC"#,
            "(2, 10, …) (1, 1, …) (3, NULL, …)")
        try expect(
            Parcel.order(width).reversed().reversed(), #"SELECT * FROM "parcel" ORDER BY "width""#,
            "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.order(width.asc).reversed().reversed(),
            #"SELECT * FROM "parcel" ORDER BY "width" ASC"#, "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.order(width.ascNullsLast).reversed().reversed(),
            #"SELECT * FROM "parcel" ORDER BY "width" ASC NULLS LAST"#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.order(width + height).reversed(),
            #"SELECT * FROM "parcel" ORDER BY "width" + "height" DESC"#,
            "(2, 10, …) (1, 1, …) (3, NULL, …)")
        try expect(
            Parcel.order(SQL("width").desc).reversed(),
            #"SELECT * FROM "parcel" ORDER BY width ASC"#, "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.order([]).reversed(), #"SELECT * FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.order(width).reversed().order(height),
            #"SELECT * FROM "parcel" ORDER BY "height""#, "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.order(width).order(height).reversed(),
            #"SELECT * FROM "parcel" ORDER BY "height" DESC"#, "(2, 10, …) (1, 1, …) (3, NULL, …)")
        try expect(
            Parcel.order(1.databaseValue).reversed(),
            #"SELECT * FROM "parcel" ORDER BY ? DESC [1]"#, "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.order(width.collating(.nocase).desc).reversed(),
            #"SELECT * FROM "parcel" ORDER BY "width" COLLATE NOCASE ASC"#,
            "(3, NULL, …) (1, 1, …) (2, 10, …)")
    }

    @Test func reversedWithoutOrder() throws {
        try expect(Scan.all().reversed(), #"SELECT * FROM "scan""#, #"(1, "x") (2, "y")"#)
        try expect(
            Slot.all().reversed(), #"SELECT * FROM "slot""#,
            #"(1, "a", 10) (1, "b", 20) (2, "a", 30)"#)
        try expect(Zone.all().reversed(), #"SELECT * FROM "zone""#, #"("A", 1) ("B", 2) ("C", 3)"#)
        try expect(
            Bin.all().reversed(), #"SELECT * FROM "bin""#,
            #"(1, "a", 10) (1, "b", 20) (2, "a", 30)"#)
        try expect(
            ParcelView.all().reversed(), #"SELECT * FROM "parcelView""#,
            #"(1, 1, "alpha") (2, 10, "Beta") (3, NULL, NULL)"#)
        try expect(Hub.all().reversed(), #"SELECT * FROM "hub""#, #"("A", 1) ("B", 2)"#)
        try expect(
            Table("parcel").all().reversed(), #"SELECT * FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.select(width).reversed(), #"SELECT "width" FROM "parcel""#, "(1) (10) (NULL)")
        try expect(Parcel.none().reversed(), #"SELECT * FROM "parcel" WHERE ? [0]"#, "")
        try expect(
            Parcel.all().group(width).reversed(), #"SELECT * FROM "parcel" GROUP BY "width""#,
            "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.all().distinct().reversed(), #"SELECT DISTINCT * FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.select(width).distinct().reversed(), #"SELECT DISTINCT "width" FROM "parcel""#,
            "(1) (10) (NULL)")
        try expectSingle(
            Parcel.limit(2).reversed(), #"SELECT * FROM "parcel" LIMIT 2"#, "(1, 1, …) (2, 10, …)")
        try expectSingle(
            Parcel.filter(key: 1).reversed(), #"SELECT * FROM "parcel" WHERE "id" = ? [1]"#,
            "(1, 1, …)")
        try expect(
            Parcel.order(Parcel.select(max(width))).reversed(),
            #"SELECT * FROM "parcel" ORDER BY (SELECT MAX("width") FROM "parcel") DESC"#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        do {
            let alias = TableAlias<Parcel>(name: "p")
            try expect(
                Parcel.aliased(alias).reversed(), #"SELECT "p".* FROM "parcel" "p""#,
                "(1, 1, …) (2, 10, …) (3, NULL, …)")
        }
    }

    @Test func stableOrders() throws {
        try expect(
            Parcel.all().withStableOrder(), #"SELECT * FROM "parcel" ORDER BY "id""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.order(width).withStableOrder(),
            #"SELECT * FROM "parcel" ORDER BY "width", "id""#, "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.order(width.desc).withStableOrder(),
            #"SELECT * FROM "parcel" ORDER BY "width" DESC, "id""#,
            "(2, 10, …) (1, 1, …) (3, NULL, …)")
        try expect(
            Parcel.order(id).withStableOrder(), #"SELECT * FROM "parcel" ORDER BY "id", "id""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.order(id.desc).withStableOrder(),
            #"SELECT * FROM "parcel" ORDER BY "id" DESC, "id""#, "(3, NULL, …) (2, 10, …) (1, 1, …)"
        )
        try expect(
            Parcel.order(width).withStableOrder().reversed(),
            #"SELECT * FROM "parcel" ORDER BY "width" DESC, "id" DESC"#,
            "(2, 10, …) (1, 1, …) (3, NULL, …)")
        try expect(
            Parcel.order(width).reversed().withStableOrder(),
            #"SELECT * FROM "parcel" ORDER BY "width" DESC, "id" DESC"#,
            "(2, 10, …) (1, 1, …) (3, NULL, …)")
        try expect(
            Parcel.order(width).withStableOrder().order(height),
            #"SELECT * FROM "parcel" ORDER BY "height""#, "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.order(width).withStableOrder().withStableOrder(),
            #"SELECT * FROM "parcel" ORDER BY "width", "id", "id""#,
            "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.order(sql: "width").withStableOrder(),
            #"SELECT * FROM "parcel" ORDER BY width, "id""#, "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.order(width).withStableOrder().unordered(), #"SELECT * FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
    }

    @Test func stableOrdersOfGroups() throws {
        try expect(
            Parcel.select(width).distinct().withStableOrder(),
            #"SELECT DISTINCT "width" FROM "parcel" ORDER BY "id""#, "(1) (10) (NULL)")
        try expect(
            Parcel.select(width).distinct().order(width).withStableOrder(),
            #"SELECT DISTINCT "width" FROM "parcel" ORDER BY "width", "id""#, "(NULL) (1) (10)")
        try expect(
            Parcel.all().group(width).withStableOrder(),
            #"SELECT * FROM "parcel" GROUP BY "width" ORDER BY "id""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.all().group(width).order(width).withStableOrder(),
            #"SELECT * FROM "parcel" GROUP BY "width" ORDER BY "width", "id""#,
            "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.all().groupByPrimaryKey().withStableOrder(),
            #"SELECT * FROM "parcel" GROUP BY "id" ORDER BY "id""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.all().group(width, height).order(max(depth)).withStableOrder(),
            #"SELECT * FROM "parcel" GROUP BY "width", "height" ORDER BY MAX("depth"), "id""#,
            "(3, NULL, …) (1, 1, …) (2, 10, …)")
        try expect(
            Parcel.all().group(sql: "width").withStableOrder(),
            #"SELECT * FROM "parcel" GROUP BY width ORDER BY "id""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
    }

    @Test func stableOrdersOfSingleResults() throws {
        try expectSingle(
            Parcel.select(max(width)).withStableOrder(),
            #"SELECT MAX("width") FROM "parcel" ORDER BY "id""#, "(10)")
        try expectSingle(
            Parcel.filter(key: 1).withStableOrder(),
            #"SELECT * FROM "parcel" WHERE "id" = ? ORDER BY "id" [1]"#, "(1, 1, …)")
        try expectSingle(
            Parcel.limit(2).withStableOrder(), #"SELECT * FROM "parcel" ORDER BY "id" LIMIT 2"#,
            "(1, 1, …) (2, 10, …)")
        try expect(
            Parcel.none().withStableOrder(), #"SELECT * FROM "parcel" WHERE ? ORDER BY "id" [0]"#,
            "")
    }

    @Test func stableOrdersOfTables() throws {
        try expect(
            Slot.all().withStableOrder(), #"SELECT * FROM "slot" ORDER BY "shelf", "place""#,
            #"(1, "a", 10) (1, "b", 20) (2, "a", 30)"#)
        try expect(
            Slot.order(Column("place")).withStableOrder(),
            #"SELECT * FROM "slot" ORDER BY "place", "shelf", "place""#,
            #"(1, "a", 10) (2, "a", 30) (1, "b", 20)"#)
        try expect(
            Scan.all().withStableOrder(), #"SELECT * FROM "scan" ORDER BY "rowid""#,
            #"(1, "x") (2, "y")"#)
        try expect(
            Scan.order(width).withStableOrder(), #"SELECT * FROM "scan" ORDER BY "width", "rowid""#,
            #"(1, "x") (2, "y")"#)
        try expect(
            Zone.all().withStableOrder(), #"SELECT * FROM "zone" ORDER BY "code""#,
            #"("A", 1) ("B", 2) ("C", 3)"#)
        try expect(
            Bin.order(Column("load")).withStableOrder(),
            #"SELECT * FROM "bin" ORDER BY "load", "shelf", "place""#,
            #"(1, "a", 10) (1, "b", 20) (2, "a", 30)"#)
        try expect(
            ParcelView.all().withStableOrder(), #"SELECT * FROM "parcelView" ORDER BY 1, 2, 3"#,
            #"(1, 1, "alpha") (2, 10, "Beta") (3, NULL, NULL)"#)
        try expect(
            ParcelView.order(width).withStableOrder(),
            #"SELECT * FROM "parcelView" ORDER BY "width", 1, 2, 3"#,
            #"(3, NULL, NULL) (1, 1, "alpha") (2, 10, "Beta")"#)
        try expect(
            Hub.order(Column("load")).withStableOrder(),
            #"SELECT * FROM "hub" ORDER BY "load", "code""#, #"("A", 1) ("B", 2)"#)
        try expect(
            Courier.order(Column("email")).withStableOrder(),
            #"SELECT * FROM "courier" ORDER BY "email", "id""#,
            #"(1, "e1", …) (2, "e2", …) (3, "e3", …)"#)
        try expect(
            Table("parcel").all().withStableOrder(), #"SELECT * FROM "parcel" ORDER BY "id""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        do {
            let alias = TableAlias<Parcel>(name: "p")
            try expect(
                Parcel.aliased(alias).order(width).withStableOrder(),
                #"SELECT "p".* FROM "parcel" "p" ORDER BY "p"."width", "p"."id""#,
                "(3, NULL, …) (1, 1, …) (2, 10, …)")
        }
    }

    @Test func stableOrdersOfViews() throws {
        try expect(
            ParcelView.select(width).withStableOrder(),
            #"SELECT "width" FROM "parcelView" ORDER BY 1"#, "(NULL) (1) (10)")
        try expectFailure(
            ParcelView.select(width, max(height)).withStableOrder(),
            #"SQLite error 1: no such column: "height" - should this be a string literal in single-quotes? - while executing `SELECT "width", MAX("height") FROM "parcelView" ORDER BY 1, 2`"#
        )
        try expect(
            ParcelView.annotated(with: width + 1).withStableOrder(),
            #"SELECT *, "width" + ? FROM "parcelView" ORDER BY 1, 2, 3, 4 [1]"#,
            #"(1, 1, "alpha", 2) (2, 10, "Beta", 11) (3, NULL, NULL, NULL)"#)
        try expect(
            ParcelView.all().group(width).withStableOrder(),
            #"SELECT * FROM "parcelView" GROUP BY "width" ORDER BY 1, 2, 3"#,
            #"(1, 1, "alpha") (2, 10, "Beta") (3, NULL, NULL)"#)
        try expect(
            ParcelView.select(.allColumns(excluding: ["width"])).withStableOrder(),
            #"SELECT "id", "label" FROM "parcelView" ORDER BY 1, 2"#,
            #"(1, "alpha") (2, "Beta") (3, NULL)"#)
        try expect(
            Memo.all().withStableOrder(), #"SELECT * FROM "memo" ORDER BY "rowid""#,
            #"("hello world") ("bye")"#)
        try expectFailure(Phantom.all().withStableOrder(), "SQLite error 1: no such table: phantom")
        do {
            let alias = TableAlias<ParcelView>(name: "p")
            try expect(
                ParcelView.aliased(alias).order(width).withStableOrder(),
                #"SELECT "p".* FROM "parcelView" "p" ORDER BY "p"."width", 1, 2, 3"#,
                #"(3, NULL, NULL) (1, 1, "alpha") (2, 10, "Beta")"#)
        }
    }
}
