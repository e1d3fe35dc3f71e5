import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Deleting what a request selects.
@Suite(.databases) struct RequestDeletionTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    private let named = TableAlias<Parcel>(name: "p")
    private let unnamed = TableAlias<Parcel>()

    @Test func deleteAll() throws {
        try expectWrite("3", #"DELETE FROM "parcel""#, "parcel: ") { try Parcel.deleteAll($0) }
        try expectWrite("3", #"DELETE FROM "parcel""#, "parcel: ") {
            try Parcel.all().deleteAll($0)
        }
        try expectWrite(
            "0", #"DELETE FROM "parcel" WHERE 0"#,
            "parcel: (1, 1, 2, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.none().deleteAll($0) }
        try expectWrite(
            "1", #"DELETE FROM "parcel" WHERE "width" = 1"#,
            "parcel: (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(width == 1).deleteAll($0) }
        try expectWrite(
            "0", #"DELETE FROM "parcel" WHERE "width" = 99"#,
            "parcel: (1, 1, 2, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(width == 99).deleteAll($0) }
        try expectWrite(
            "1", #"DELETE FROM "parcel" WHERE ("width" = 1) AND ("height" = 2)"#,
            "parcel: (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(width == 1).filter(height == 2).deleteAll($0) }
        try expectWrite(
            "2", #"DELETE FROM "parcel" WHERE width = 1 OR height = 20"#,
            "parcel: (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(sql: "width = ? OR height = 20", arguments: [1]).deleteAll($0) }
        try expectWrite(
            "1", #"DELETE FROM "parcel" WHERE "id" = 1"#,
            "parcel: (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(key: 1).deleteAll($0) }
        try expectWrite(
            "2", #"DELETE FROM "parcel" WHERE "id" IN (1, 2)"#, "parcel: (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(keys: [1, 2]).deleteAll($0) }
        try expectWrite(
            "0", #"DELETE FROM "parcel" WHERE 0"#,
            "parcel: (1, 1, 2, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(ids: [Int64]()).deleteAll($0) }
        try expectWrite("3", #"DELETE FROM "parcel""#, "parcel: ") {
            try Parcel.order(width).deleteAll($0)
        }
    }

    @Test func limits() throws {
        try expectWrite(
            "1",
            #"DELETE FROM "parcel" WHERE "id" IN (SELECT "id" FROM "parcel" ORDER BY "width" DESC LIMIT 1)"#,
            "parcel: (1, 1, 2, 3) (3, NULL, NULL, NULL)"
        ) { try Parcel.order(width.desc).limit(1).deleteAll($0) }
        try expectWrite(
            "1", #"DELETE FROM "parcel" WHERE "id" IN (SELECT "id" FROM "parcel" LIMIT 1)"#,
            "parcel: (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.limit(1).deleteAll($0) }
        try expectWrite(
            "1",
            #"DELETE FROM "parcel" WHERE "id" IN (SELECT "id" FROM "parcel" LIMIT 1 OFFSET 1)"#,
            "parcel: (1, 1, 2, 3) (3, NULL, NULL, NULL)"
        ) { try Parcel.limit(1, offset: 1).deleteAll($0) }
        try expectWrite(
            "0", #"DELETE FROM "parcel" WHERE "id" IN (SELECT "id" FROM "parcel" LIMIT 0)"#,
            "parcel: (1, 1, 2, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.limit(0).deleteAll($0) }
        try expectWrite(
            "2",
            #"DELETE FROM "parcel" WHERE "id" IN (SELECT "id" FROM "parcel" ORDER BY "width" DESC LIMIT 2)"#,
            "parcel: (3, NULL, NULL, NULL)"
        ) { try Parcel.order(width).limit(2).reversed().deleteAll($0) }
        try expectWrite(
            "1",
            #"DELETE FROM "parcel" WHERE "id" IN (SELECT "id" FROM "parcel" ORDER BY "width", "id" LIMIT 1)"#,
            "parcel: (1, 1, 2, 3) (2, 10, 20, 7)"
        ) { try Parcel.order(width).withStableOrder().limit(1).deleteAll($0) }
        try expectWrite(
            "1",
            #"DELETE FROM "parcel" WHERE "id" IN (SELECT "id" FROM "parcel" WHERE "width" IS NOT NULL ORDER BY "height" LIMIT 1)"#,
            "parcel: (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(width != nil).order(height).limit(1).deleteAll($0) }
        try expectWrite("3", #"DELETE FROM "parcel""#, "parcel: ") {
            try Parcel.all().distinct().deleteAll($0)
        }
    }

    @Test func ignoredClauses() throws {
        try expectWrite("3", #"DELETE FROM "parcel""#, "parcel: ") {
            try Parcel.select(width).distinct().deleteAll($0)
        }
        try expectWrite("3", #"DELETE FROM "parcel""#, "parcel: ") {
            try Parcel.select(width).deleteAll($0)
        }
        try expectWrite("3", #"DELETE FROM "parcel""#, "parcel: ") {
            try Parcel.select([]).deleteAll($0)
        }
        try expectWrite("3", #"DELETE FROM "parcel""#, "parcel: ") {
            try Parcel.select(max(width)).deleteAll($0)
        }
        try expectWrite("3", #"DELETE FROM "parcel""#, "parcel: ") {
            try Parcel.annotated(with: width + 1).deleteAll($0)
        }
    }

    @Test func groups() throws {
        try expectWrite(
            "3", #"DELETE FROM "parcel" WHERE "id" IN (SELECT "id" FROM "parcel" GROUP BY "id")"#,
            "parcel: "
        ) { try Parcel.all().groupByPrimaryKey().deleteAll($0) }
        let alias = TableAlias<Parcel>()
        try expectWrite(
            "3", #"DELETE FROM "parcel" WHERE "id" IN (SELECT "id" FROM "parcel" GROUP BY "id")"#,
            "parcel: "
        ) { try Parcel.aliased(alias).group(alias[Column("id")]).deleteAll($0) }
        try expectWrite(
            "3", #"DELETE FROM "parcel" WHERE "id" IN (SELECT "id" FROM "parcel" GROUP BY "id")"#,
            "parcel: "
        ) { try Parcel.all().group(JSONColumn("id")).deleteAll($0) }
        try expectWrite("3", #"DELETE FROM "parcel""#, "parcel: ") {
            try Parcel.all().group([Column]()).deleteAll($0)
        }
        try expectWrite(
            "3",
            #"DELETE FROM "slot" WHERE "rowid" IN (SELECT "rowid" FROM "slot" GROUP BY "rowid")"#,
            "slot: "
        ) { try Slot.all().groupByPrimaryKey().deleteAll($0) }
        try expectWrite(
            "3", #"DELETE FROM "zone" WHERE "code" IN (SELECT "code" FROM "zone" GROUP BY "code")"#,
            "zone: "
        ) { try Zone.all().groupByPrimaryKey().deleteAll($0) }
        try expectWriteFailure("SQLite error 21: Can't delete query with HAVING clause") {
            try Parcel.all().having(max(width) > 1).deleteAll($0)
        }
        try expectWrite(
            "1", #"DELETE FROM "slot" WHERE ("shelf" = 1) AND ("place" = 'a')"#,
            #"slot: (1, "b", 20) (2, "a", 30)"#
        ) { try Slot.filter(key: ["shelf": 1, "place": "a"]).deleteAll($0) }
        try expectWrite("2", #"DELETE FROM "slot" WHERE "shelf" = 1"#, #"slot: (2, "a", 30)"#) {
            try Slot.filter(Column("shelf") == 1).deleteAll($0)
        }
        try expectWrite("1", #"DELETE FROM "zone" WHERE "code" = 'A'"#, #"zone: ("B", 2) ("C", 3)"#)
        { try Zone.filter(key: "A").deleteAll($0) }
    }

    @Test func otherTables() throws {
        try expectWrite("1", #"DELETE FROM "scan" WHERE "rowid" = 1"#, #"scan: (2, "y")"#) {
            try Scan.filter(key: 1).deleteAll($0)
        }
        try expectWriteFailure(
            #"SQLite error 1: cannot modify parcelView because it is a view - while executing `DELETE FROM "parcelView"`"#
        ) { try ParcelView.deleteAll($0) }
        try expectWriteFailure(
            #"SQLite error 1: no such table: phantom - while executing `DELETE FROM "phantom"`"#
        ) { try Phantom.deleteAll($0) }
        try expectWrite("3", #"DELETE FROM "parcel""#, "parcel: ") {
            try BriefParcel.all().deleteAll($0)
        }
        try expectWrite("3", #"DELETE FROM "parcel""#, "parcel: ") {
            try Table("parcel").deleteAll($0)
        }
        try expectWrite(
            "1", #"DELETE FROM "parcel" WHERE "width" = 1"#,
            "parcel: (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Table("parcel").filter(width == 1).deleteAll($0) }
        try expectWrite(
            "1", #"DELETE FROM "parcel" WHERE "width" IN (SELECT "id" FROM "parcel")"#,
            "parcel: (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(Parcel.select(id).contains(width)).deleteAll($0) }
        try expectWrite(
            "1", #"DELETE FROM "parcel" WHERE "width" = (SELECT MAX("width") FROM "parcel")"#,
            "parcel: (1, 1, 2, 3) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(width == Parcel.select(max(width))).deleteAll($0) }
        try expectWrite(
            "1", #"DELETE FROM "parcel" AS "p" WHERE "p"."width" = 1"#,
            "parcel: (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.aliased(named).filter(named.width == 1).deleteAll($0) }
        try expectWrite("3", #"DELETE FROM "parcel" AS "p""#, "parcel: ") {
            try Parcel.aliased(named).deleteAll($0)
        }
        try expectWrite(
            "1",
            #"DELETE FROM "parcel" AS "p" WHERE "p"."id" IN (SELECT "p"."id" FROM "parcel" "p" ORDER BY "p"."width" LIMIT 1)"#,
            "parcel: (1, 1, 2, 3) (2, 10, 20, 7)"
        ) { try Parcel.aliased(named).order(width).limit(1).deleteAll($0) }
        try expectWrite(
            "1", #"DELETE FROM "parcel" WHERE "width" = 1"#,
            "parcel: (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.aliased(TableAlias()).filter(width == 1).deleteAll($0) }
        try expectWrite(
            "1", #"DELETE FROM "parcel" WHERE "width" = 1"#,
            "parcel: (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.aliased(unnamed).filter(unnamed.width == 1).deleteAll($0) }
        try expectWrite(
            "1",
            #"DELETE FROM "parcel" AS "parcel_" WHERE EXISTS (SELECT * FROM "parcel" WHERE "width" > "parcel_"."width")"#,
            "parcel: (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) {
            try Parcel.aliased(unnamed).filter(Parcel.filter(width > unnamed[width]).exists())
                .deleteAll($0)
        }
    }

    @Test func keys() throws {
        try expectWrite(
            "true", #"DELETE FROM "parcel" WHERE "id" = 1"#,
            "parcel: (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.deleteOne($0, key: 1) }
        try expectWrite(
            "false", #"DELETE FROM "parcel" WHERE "id" = 99"#,
            "parcel: (1, 1, 2, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.deleteOne($0, key: 99) }
        try expectWrite(
            "true", #"DELETE FROM "parcel" WHERE "id" = 1"#,
            "parcel: (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.deleteOne($0, id: 1) }
        try expectWrite("false", "") { try Parcel.deleteOne($0, key: noInt) }
        try expectWrite(
            "true", #"DELETE FROM "parcel" WHERE "id" = 1"#,
            "parcel: (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.deleteOne($0, key: ["id": 1]) }
        try expectWrite(
            "true", #"DELETE FROM "courier" WHERE "email" = 'e1'"#,
            #"courier: (2, "e2", "f2", "l2") (3, "e3", "f3", "l3")"#
        ) { try Courier.deleteOne($0, key: ["email": "e1"]) }
        try expectWrite(
            "false", #"DELETE FROM "courier" WHERE "email" IS NULL"#,
            #"courier: (1, "e1", "f1", "l1") (2, "e2", "f2", "l2") (3, "e3", "f3", "l3")"#
        ) { try Courier.deleteOne($0, key: ["email": nil]) }
        try expectWrite(
            "true", #"DELETE FROM "courier" WHERE ("first" = 'f1') AND ("last" = 'l1')"#,
            #"courier: (2, "e2", "f2", "l2") (3, "e3", "f3", "l3")"#
        ) { try Courier.deleteOne($0, key: ["first": "f1", "last": "l1"]) }
        try expectWrite(
            "true", #"DELETE FROM "slot" WHERE ("shelf" = 1) AND ("place" = 'a')"#,
            #"slot: (1, "b", 20) (2, "a", 30)"#
        ) { try Slot.deleteOne($0, key: ["shelf": 1, "place": "a"]) }
        try expectWrite("true", #"DELETE FROM "scan" WHERE "rowid" = 1"#, #"scan: (2, "y")"#) {
            try Scan.deleteOne($0, key: 1)
        }
        try expectWrite(
            "true", #"DELETE FROM "zone" WHERE "code" = 'A'"#, #"zone: ("B", 2) ("C", 3)"#
        ) { try Zone.deleteOne($0, key: "A") }
        try expectWrite(
            "2", #"DELETE FROM "parcel" WHERE "id" IN (1, 2)"#, "parcel: (3, NULL, NULL, NULL)"
        ) { try Parcel.deleteAll($0, keys: [1, 2]) }
        try expectWrite(
            "1", #"DELETE FROM "parcel" WHERE "id" = 1"#,
            "parcel: (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.deleteAll($0, keys: [1]) }
        try expectWrite("0", "") { try Parcel.deleteAll($0, keys: [Int]()) }
        try expectWrite(
            "1", #"DELETE FROM "parcel" WHERE "id" IN (1, 1)"#,
            "parcel: (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.deleteAll($0, ids: [1, 1]) }
        try expectWrite(
            "2",
            #"DELETE FROM "courier" WHERE ("email" = 'e1') OR (("first" = 'f2') AND ("last" = 'l2'))"#,
            #"courier: (3, "e3", "f3", "l3")"#
        ) { try Courier.deleteAll($0, keys: [["email": "e1"], ["first": "f2", "last": "l2"]]) }
        try expectWrite("0", "") {
            try Courier.deleteAll($0, keys: [[String: (any DatabaseValueConvertible)?]]())
        }
        try expectWrite(
            "true", #"DELETE FROM "parcel" WHERE "id" = 1"#,
            "parcel: (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Table<Parcel>("parcel").deleteOne($0, key: 1) }
        try expectWrite(
            "2", #"DELETE FROM "parcel" WHERE "id" IN (1, 2)"#, "parcel: (3, NULL, NULL, NULL)"
        ) { try Table<Parcel>("parcel").deleteAll($0, ids: [1, 2]) }
    }

    @Test func fetching() throws {
        try expectWrite(
            "[1]", #"DELETE FROM "parcel" WHERE "width" = 1 RETURNING *"#,
            "parcel: (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { db in try Parcel.filter(width == 1).deleteAndFetchAll(db).map { $0.id } }
        try expectWrite("3", #"DELETE FROM "parcel" RETURNING *"#, "parcel: ") {
            try Parcel.all().deleteAndFetchAll($0).count
        }
        try expectWrite(
            "[1]", #"DELETE FROM "parcel" WHERE "width" = 1 RETURNING "id""#,
            "parcel: (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(width == 1).deleteAndFetchIds($0) }
        try expectWrite("[1, 2, 3]", #"DELETE FROM "parcel" RETURNING "id""#, "parcel: ") {
            try Parcel.all().deleteAndFetchIds($0).sorted()
        }
        try expectWrite(
            #"["B", "C"]"#, #"DELETE FROM "zone" WHERE "load" > 1 RETURNING "code""#,
            #"zone: ("A", 1)"#
        ) { try Zone.filter(Column("load") > 1).deleteAndFetchIds($0).sorted() }
        try expectWrite(
            "1", #"DELETE FROM "parcel" WHERE "width" = 1 RETURNING *"#,
            "parcel: (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(width == 1).deleteAndFetchCursor($0).next()?.id }
    }

    @Test func fetchedSelections() throws {
        try expectWrite(
            #"DELETE FROM "parcel" WHERE "width" = ? RETURNING "width", "height""#, "",
            "parcel: (1, 1, 2, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) {
            try Parcel.filter(width == 1).asRequest(of: Row.self).deleteAndFetchStatement(
                $0, selection: [width, height]
            ).sql
        }
        try expectWrite(
            #"DELETE FROM "parcel" WHERE "width" = ? RETURNING *"#, "",
            "parcel: (1, 1, 2, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) {
            try Parcel.filter(width == 1).deleteAndFetchStatement($0, selection: [.allColumns]).sql
        }
        try expectWrite(
            #"DELETE FROM "parcel" WHERE "width" = ? RETURNING "width" + ?, MAX("width", "height") AS "m", "rowid""#,
            "", "parcel: (1, 1, 2, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) {
            try Parcel.filter(width == 1).deleteAndFetchStatement(
                $0, selection: [width + 1, max(width, height).forKey("m"), .rowID]
            ).sql
        }
        try expectWrite(
            "[[width:1 twice:3]]",
            #"DELETE FROM "parcel" WHERE "width" = 1 RETURNING "width", "height" + 1 AS "twice""#,
            "parcel: (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) {
            try Row.fetchAll(
                Parcel.filter(width == 1).deleteAndFetchStatement(
                    $0, selection: [width, (height + 1).forKey("twice")]))
        }
    }

    @Test func fetchedShapes() throws {
        try expectWrite(
            "[3]",
            #"DELETE FROM "parcel" WHERE "id" IN (SELECT "id" FROM "parcel" ORDER BY "width" LIMIT 1) RETURNING *"#,
            "parcel: (1, 1, 2, 3) (2, 10, 20, 7)"
        ) { try Parcel.order(width).limit(1).deleteAndFetchAll($0).map { $0.id } }
        try expectWrite(
            "1",
            #"DELETE FROM "parcel" WHERE "id" IN (SELECT "id" FROM "parcel" LIMIT 1) RETURNING *"#,
            "parcel: (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.limit(1).deleteAndFetchAll($0).count }
        try expectWrite("3", #"DELETE FROM "parcel" RETURNING *"#, "parcel: ") {
            try Parcel.select(width).deleteAndFetchAll($0).count
        }
        try expectWrite("3", #"DELETE FROM "parcel" RETURNING *"#, "parcel: ") {
            try Parcel.all().distinct().deleteAndFetchAll($0).count
        }
        try expectWrite(
            "[1]", #"DELETE FROM "parcel" AS "p" WHERE "p"."width" = 1 RETURNING *"#,
            "parcel: (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.aliased(named).filter(named.width == 1).deleteAndFetchAll($0).map { $0.id } }
        try expectWrite("3", #"DELETE FROM "parcel" RETURNING "id", "width""#, "parcel: ") {
            try BriefParcel.all().deleteAndFetchAll($0).count
        }
        try expectWrite(
            "0", #"DELETE FROM "parcel" WHERE 0 RETURNING *"#,
            "parcel: (1, 1, 2, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.none().deleteAndFetchAll($0).count }
    }
}
