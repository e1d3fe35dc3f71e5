import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Fetching from requests, and by keys.
@Suite(.databases) struct RequestFetchingTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    @Test func fetch() throws {
        try expectFetch("1", #"SELECT * FROM "parcel" LIMIT 1"#) { try Parcel.fetchOne($0)?.id }
        try expectFetch("1", #"SELECT * FROM "parcel" LIMIT 1"#) {
            try Parcel.all().fetchOne($0)?.id
        }
        try expectFetch("1", #"SELECT * FROM "parcel" LIMIT 2"#) {
            try Parcel.limit(2).fetchOne($0)?.id
        }
        try expectFetch("2", #"SELECT * FROM "parcel" LIMIT 2 OFFSET 1"#) {
            try Parcel.limit(2, offset: 1).fetchOne($0)?.id
        }
        try expectFetch("2", #"SELECT * FROM "parcel" WHERE "id" = 2"#) {
            try Parcel.filter(key: 2).fetchOne($0)?.id
        }
        try expectFetch("2", #"SELECT * FROM "parcel" WHERE "id" = 2"#) {
            try Parcel.filter(id == 2).fetchOne($0)?.id
        }
        try expectFetch("2", #"SELECT * FROM "parcel" ORDER BY "width" DESC LIMIT 1"#) {
            try Parcel.order(width.desc).fetchOne($0)?.id
        }
        try expectFetch("10", #"SELECT MAX("width") FROM "parcel""#) {
            try Parcel.select(max(width), as: Int.self).fetchOne($0)
        }
        try expectFetch("1", #"SELECT "width" FROM "parcel" LIMIT 1"#) {
            try Parcel.select(width, as: Int.self).fetchOne($0)
        }
        try expectFetch("[Optional(1), Optional(10), nil]", #"SELECT "width" FROM "parcel""#) {
            try Parcel.select(width, as: Int?.self).fetchAll($0)
        }
        try expectWriteFailure(
            #"could not decode Int from database value NULL - table: "parcel", column: "width", column index: 0, sql: `SELECT "width" FROM "parcel"`"#
        ) { try Parcel.select(width, as: Int.self).fetchAll($0) }
        try expectFetch(
            "Optional(10)", #"SELECT "width" FROM "parcel" ORDER BY "width" DESC LIMIT 1"#
        ) { try Parcel.select(width, as: Int?.self).order(width.desc).fetchOne($0) }
        try expectFetch("nil", #"SELECT "width" FROM "parcel" WHERE "id" = 3"#) {
            try Parcel.filter(id == 3).select(width, as: Int.self).fetchOne($0)
        }
        try expectFetch("[1, 10]", #"SELECT "width" FROM "parcel" WHERE "width" IS NOT NULL"#) {
            try Parcel.filter(width != nil).select(width, as: Int.self).fetchSet($0).sorted()
        }
        try expectFetch("1", #"SELECT * FROM "parcel" WHERE "id" = 1"#) {
            try Parcel.fetchOne($0, key: 1)?.id
        }
        try expectFetch("nil", "") { try Parcel.fetchOne($0, key: noInt)?.id }
        try expectFetch("1", #"SELECT * FROM "parcel" WHERE "id" = 1"#) {
            try Parcel.fetchOne($0, key: ["id": 1])?.id
        }
    }

    @Test func fetchByKey() throws {
        try expectFetch("nil", "") {
            try Parcel.fetchOne($0, key: nil as [String: (any DatabaseValueConvertible)?]?)?.id
        }
        try expectFetch("1", #"SELECT * FROM "parcel" WHERE "id" = 1"#) {
            try Parcel.fetchOne($0, id: 1)?.id
        }
        try expectFetch("[1, 2]", #"SELECT * FROM "parcel" WHERE "id" IN (1, 2)"#) { db in
            try Parcel.fetchAll(db, keys: [1, 2]).map { $0.id }
        }
        try expectFetch("[2]", #"SELECT * FROM "parcel" WHERE "id" = 2"#) { db in
            try Parcel.fetchAll(db, keys: [2]).map { $0.id }
        }
        try expectFetch("[]", "") { db in try Parcel.fetchAll(db, keys: [Int]()).map { $0.id } }
        try expectFetch("[1, 2]", #"SELECT * FROM "parcel" WHERE "id" IN (2, 1, 2)"#) { db in
            try Parcel.fetchAll(db, ids: [2, 1, 2]).map { $0.id }
        }
        try expectFetch("[1]", #"SELECT * FROM "parcel" WHERE "id" = 1"#) { db in
            try Parcel.fetchAll(db, keys: [["id": 1]]).map { $0.id }
        }
        try expectFetch(
            "[1, 2]",
            #"SELECT * FROM "courier" WHERE ("email" = 'e1') OR (("first" = 'f2') AND ("last" = 'l2'))"#
        ) { db in
            try Courier.fetchAll(db, keys: [["email": "e1"], ["first": "f2", "last": "l2"]]).map {
                $0.id
            }
        }
        try expectFetch("[]", "") { db in
            try Courier.fetchAll(db, keys: [[String: (any DatabaseValueConvertible)?]]()).map {
                $0.id
            }
        }
        try expectFetch("2", #"SELECT * FROM "courier" WHERE "email" = 'e2'"#) {
            try Courier.fetchOne($0, key: ["email": "e2"])?.id
        }
        try expectFetch("nil", #"SELECT * FROM "courier" WHERE "email" IS NULL"#) {
            try Courier.fetchOne($0, key: ["email": nil])?.id
        }
        try expectFetch("2", #"SELECT * FROM "parcel" WHERE "id" = 2"#) {
            try Parcel.find($0, id: 2).id
        }
        try expectWriteFailure("Key not found in table parcel: [id:9]") {
            try Parcel.find($0, key: 9).id
        }
        try expectWriteFailure("Key not found in table parcel: [id:9]") {
            try Parcel.find($0, key: ["id": 9]).id
        }
        try expectFetch("20", #"SELECT * FROM "slot" WHERE ("shelf" = 1) AND ("place" = 'b')"#) {
            try Slot.fetchOne($0, key: ["shelf": 1, "place": "b"])?.load
        }
        try expectWriteFailure("SQLite error 1: database view parcelView has no primary key") {
            try ParcelView.fetchOne($0, key: 1)
        }
        try expectFetch("0", "") { try ParcelView.fetchAll($0, keys: [Int]()).count }
        try expectFetch("y", #"SELECT * FROM "scan" WHERE "rowid" = 2"#) {
            try Scan.fetchOne($0, key: 2)?.height
        }
        try expectFetch("1", #"SELECT * FROM "parcel" WHERE "id" = 1"#) {
            try Table<Parcel>("parcel").filter(key: 1).fetchOne($0)?.id
        }
        try expectFetch("[1, 2, 3]", #"SELECT * FROM "parcel""#) { db in
            try Table<Parcel>("parcel").fetchAll(db).map { $0.id }
        }
    }

    @Test func otherTypes() throws {
        try expectFetch("1", #"SELECT * FROM "parcel" LIMIT 1"#) {
            try Table<Parcel>("parcel").fetchOne($0)?.id
        }
        try expectFetch("[width:1 height:2]", #"SELECT "width", "height" FROM "parcel" LIMIT 1"#) {
            try Row.fetchOne($0, Parcel.select(width, height))
        }
        try expectFetch("1", #"SELECT * FROM "parcel" LIMIT 1"#) {
            try Row.fetchAll($0, Parcel.limit(1)).count
        }
        try expectFetch("9", #"SELECT * FROM "parcel" LIMIT 1"#) {
            try Row.fetchOne($0, Parcel.all())?.count
        }
        try expectFetch("1", #"SELECT "width" FROM "parcel" LIMIT 1"#) {
            try Int.fetchOne($0, Parcel.select(width))
        }
        try expectFetch("[1, 10]", #"SELECT "width" FROM "parcel" WHERE "width" IS NOT NULL"#) {
            try Int.fetchAll($0, Parcel.select(width).filter(width != nil))
        }
        try expectFetch("1", #"SELECT * FROM "parcel" LIMIT 1"#) {
            try Parcel.fetchOne($0, Parcel.all())?.id
        }
        try expectFetch("1", #"SELECT * FROM "parcel" LIMIT 1"#) {
            try Parcel.all().asRequest(of: Row.self).fetchOne($0)?["id"] as Int?
        }
    }
}
