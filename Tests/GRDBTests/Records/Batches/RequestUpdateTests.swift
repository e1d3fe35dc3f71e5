import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Updating what a request selects.
@Suite(.databases) struct RequestUpdateTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    private let named = TableAlias<Parcel>(name: "p")
    private let unnamed = TableAlias<Parcel>()

    @Test func assignments() throws {
        try expectWrite(
            "3", #"UPDATE "parcel" SET "height" = 5"#,
            "parcel: (1, 1, 5, 3) (2, 10, 5, 7) (3, NULL, 5, NULL)"
        ) { try Parcel.updateAll($0, height.set(to: 5)) }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "height" = 5"#,
            "parcel: (1, 1, 5, 3) (2, 10, 5, 7) (3, NULL, 5, NULL)"
        ) { try Parcel.all().updateAll($0, height.set(to: 5)) }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "height" = 5, "depth" = 6"#,
            "parcel: (1, 1, 5, 6) (2, 10, 5, 6) (3, NULL, 5, 6)"
        ) { try Parcel.updateAll($0, [height.set(to: 5), depth.set(to: 6)]) }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "height" = 5, "depth" = 6"#,
            "parcel: (1, 1, 5, 6) (2, 10, 5, 6) (3, NULL, 5, 6)"
        ) { try Parcel.updateAll($0, height.set(to: 5), depth.set(to: 6)) }
        try expectWrite("0", "") { try Parcel.updateAll($0, []) }
        try expectWrite("0", "") { try Parcel.filter(width == 1).updateAll($0, []) }
        try expectWrite("0", "") { try Phantom.updateAll($0, []) }
    }

    @Test func assignedValues() throws {
        try expectWrite(
            "1", #"UPDATE "parcel" SET "height" = NULL WHERE "width" = 1"#,
            "parcel: (1, 1, NULL, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(width == 1).updateAll($0, height.set(to: nil)) }
        try expectWrite(
            "1", #"UPDATE "parcel" SET "height" = NULL WHERE "width" = 1"#,
            "parcel: (1, 1, NULL, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(width == 1).updateAll($0, height.set(to: noInt)) }
        try expectWrite(
            "1", #"UPDATE "parcel" SET "height" = 5 WHERE "width" = 1"#,
            "parcel: (1, 1, 5, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(width == 1).updateAll($0, height.set(to: someInt)) }
        try expectWrite(
            "1", #"UPDATE "parcel" SET "height" = 'x' WHERE "width" = 1"#,
            #"parcel: (1, 1, "x", 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"#
        ) { try Parcel.filter(width == 1).updateAll($0, height.set(to: "x")) }
        try expectWrite(
            "1", #"UPDATE "parcel" SET "height" = '1970-01-01 00:00:00.000' WHERE "width" = 1"#,
            #"parcel: (1, 1, "1970-01-01 00:00:00.000", 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"#
        ) { try Parcel.filter(width == 1).updateAll($0, height.set(to: epoch)) }
        try expectWrite(
            "1", #"UPDATE "parcel" SET "height" = 1 WHERE "width" = 1"#,
            "parcel: (1, 1, 1, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(width == 1).updateAll($0, height.set(to: true)) }
    }

    @Test func assignedExpressions() throws {
        try expectWrite(
            "1", #"UPDATE "parcel" SET "height" = "width" WHERE "width" = 1"#,
            "parcel: (1, 1, 1, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(width == 1).updateAll($0, height.set(to: width)) }
        try expectWrite(
            "1", #"UPDATE "parcel" SET "height" = "width" + "depth" WHERE "width" = 1"#,
            "parcel: (1, 1, 4, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(width == 1).updateAll($0, height.set(to: width + depth)) }
        try expectWrite(
            "1", #"UPDATE "parcel" SET "height" = "width" = 1 WHERE "width" = 1"#,
            "parcel: (1, 1, 1, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(width == 1).updateAll($0, height.set(to: width == 1)) }
        try expectWrite(
            "1", #"UPDATE "parcel" SET "height" = NULL WHERE "width" = 1"#,
            "parcel: (1, 1, NULL, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(width == 1).updateAll($0, height.set(to: DatabaseValue.null)) }
        try expectWrite(
            "1",
            #"UPDATE "parcel" SET "height" = (SELECT MAX("width") FROM "parcel") WHERE "width" = 1"#,
            "parcel: (1, 1, 10, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(width == 1).updateAll($0, height.set(to: Parcel.select(max(width)))) }
        try expectWrite(
            "1", #"UPDATE "parcel" SET "height" = width + 1 WHERE "width" = 1"#,
            "parcel: (1, 1, 2, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(width == 1).updateAll($0, height.set(to: SQL("width + \(1)"))) }
        try expectWrite(
            "1", #"UPDATE "parcel" SET "height" = MAX("width", "height") WHERE "width" = 1"#,
            "parcel: (1, 1, 2, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(width == 1).updateAll($0, height.set(to: max(width, height))) }
        try expectWrite(
            "1", #"UPDATE "parcel" SET "contents" = JSON_ARRAY(1, 2) WHERE "width" = 1"#,
            "parcel: (1, 1, 2, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) {
            try Parcel.filter(width == 1).updateAll(
                $0, contents.set(to: Database.jsonArray([1, 2])))
        }
        try expectWrite(
            "1",
            #"UPDATE "parcel" SET "contents" = JSON_SET("contents", '$.a', 5) WHERE "width" = 1"#,
            "parcel: (1, 1, 2, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) {
            try Parcel.filter(width == 1).updateAll(
                $0, contents.set(to: Database.jsonSet(contents, ["$.a": 5])))
        }
        try expectWrite(
            "1", #"UPDATE "parcel" SET "contents" = "contents" WHERE "width" = 1"#,
            "parcel: (1, 1, 2, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(width == 1).updateAll($0, Column("contents").set(to: contents)) }
    }

    @Test func operators() throws {
        try expectWrite(
            "1", #"UPDATE "parcel" SET "contents" = "contents" ->> 'a' WHERE "width" = 1"#,
            "parcel: (1, 1, 2, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(width == 1).updateAll($0, Column("contents").set(to: contents["a"])) }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "height" = "height" + 1"#,
            "parcel: (1, 1, 3, 3) (2, 10, 21, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.updateAll($0, height += 1) }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "height" = "height" - 1"#,
            "parcel: (1, 1, 1, 3) (2, 10, 19, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.updateAll($0, height -= 1) }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "height" = "height" * 2"#,
            "parcel: (1, 1, 4, 3) (2, 10, 40, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.updateAll($0, height *= 2) }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "height" = "height" / 2"#,
            "parcel: (1, 1, 1, 3) (2, 10, 10, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.updateAll($0, height /= 2) }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "height" = "height" & 3"#,
            "parcel: (1, 1, 2, 3) (2, 10, 0, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.updateAll($0, height &= 3) }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "height" = "height" | 3"#,
            "parcel: (1, 1, 3, 3) (2, 10, 23, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.updateAll($0, height |= 3) }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "height" = "height" << 1"#,
            "parcel: (1, 1, 4, 3) (2, 10, 40, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.updateAll($0, height <<= 1) }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "height" = "height" >> 1"#,
            "parcel: (1, 1, 1, 3) (2, 10, 10, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.updateAll($0, height >>= 1) }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "height" = "height" + "width""#,
            "parcel: (1, 1, 3, 3) (2, 10, 30, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.updateAll($0, height += width) }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "height" = "height" + ("width" * 2)"#,
            "parcel: (1, 1, 4, 3) (2, 10, 40, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.updateAll($0, height += width * 2) }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "height" = "height" + NULL"#,
            "parcel: (1, 1, NULL, 3) (2, 10, NULL, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.updateAll($0, height += noInt) }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "height" = "height" + (SELECT MAX("width") FROM "parcel")"#,
            "parcel: (1, 1, 12, 3) (2, 10, 30, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.updateAll($0, height += Parcel.select(max(width))) }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "height" = "height" & "width" & "depth""#,
            "parcel: (1, 1, 0, 3) (2, 10, 0, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.updateAll($0, height &= width & depth) }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "height" = "height" + 1, "height" = "height" + 2"#,
            "parcel: (1, 1, 4, 3) (2, 10, 22, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.updateAll($0, height += 1, height += 2) }
        try expectWriteFailure(
            #"SQLite error 1: no such column: odd c - while executing `UPDATE "parcel" SET "odd c" = ?`"#
        ) { try Parcel.updateAll($0, Column("odd c").set(to: 1)) }
    }

    @Test func closures() throws {
        try expectWriteFailure(
            #"SQLite error 1: no such column: volume - while executing `UPDATE "parcel" SET "volume" = ?`"#
        ) { try Parcel.updateAll($0, Column("volume").set(to: 1)) }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "width" = 1"#,
            "parcel: (1, 1, 2, 3) (2, 1, 20, 7) (3, 1, NULL, NULL)"
        ) { db in try Parcel.updateAll(db) { $0.width.set(to: 1) } }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "width" = 1, "height" = "height" + 1"#,
            "parcel: (1, 1, 3, 3) (2, 1, 21, 7) (3, 1, NULL, NULL)"
        ) { db in try Parcel.updateAll(db) { [$0.width.set(to: 1), $0.height += 1] } }
        try expectWrite(
            "1", #"UPDATE "parcel" SET "width" = 1 WHERE "width" = 1"#,
            "parcel: (1, 1, 2, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { db in try Parcel.filter(width == 1).updateAll(db) { $0.width.set(to: 1) } }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "width" = 1, "height" = "height" + 1"#,
            "parcel: (1, 1, 3, 3) (2, 1, 21, 7) (3, 1, NULL, NULL)"
        ) { db in try Parcel.all().updateAll(db) { [$0.width.set(to: 1), $0.height += 1] } }
        try expectWrite("0", "") { try Parcel.updateAll($0, width.noOverwrite) }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "height" = 1"#,
            "parcel: (1, 1, 1, 3) (2, 10, 1, 7) (3, NULL, 1, NULL)"
        ) { try Parcel.updateAll($0, width.noOverwrite, height.set(to: 1)) }
        try expectWriteFailure(
            #"SQLite error 19: UNIQUE constraint failed: parcel.id - while executing `UPDATE "parcel" SET "rowid" = ?`"#
        ) { try Parcel.updateAll($0, Column.rowID.set(to: 77)) }
    }

    @Test func conflicts() throws {
        try expectWrite(
            "1", #"UPDATE OR IGNORE "parcel" SET "height" = 5 WHERE "width" = 1"#,
            "parcel: (1, 1, 5, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(width == 1).updateAll($0, onConflict: .ignore, height.set(to: 5)) }
        try expectWrite(
            "1", #"UPDATE OR REPLACE "parcel" SET "id" = 2 WHERE "width" = 1"#,
            "parcel: (2, 1, 2, 3) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(width == 1).updateAll($0, onConflict: .replace, id.set(to: 2)) }
        try expectWrite(
            "1", #"UPDATE OR ROLLBACK "parcel" SET "id" = 7 WHERE "width" = 1"#,
            "parcel: (2, 10, 20, 7) (3, NULL, NULL, NULL) (7, 1, 2, 3)"
        ) { try Parcel.filter(width == 1).updateAll($0, onConflict: .rollback, id.set(to: 7)) }
        try expectWrite(
            "1", #"UPDATE "parcel" SET "id" = 7 WHERE "width" = 1"#,
            "parcel: (2, 10, 20, 7) (3, NULL, NULL, NULL) (7, 1, 2, 3)"
        ) { try Parcel.filter(width == 1).updateAll($0, onConflict: .abort, id.set(to: 7)) }
        try expectWrite(
            "1", #"UPDATE OR FAIL "parcel" SET "id" = 7 WHERE "width" = 1"#,
            "parcel: (2, 10, 20, 7) (3, NULL, NULL, NULL) (7, 1, 2, 3)"
        ) { try Parcel.filter(width == 1).updateAll($0, onConflict: .fail, id.set(to: 7)) }
        try expectWriteFailure(
            #"SQLite error 19: UNIQUE constraint failed: parcel.id - while executing `UPDATE "parcel" SET "id" = ? WHERE "width" = ?`"#
        ) { try Parcel.filter(width == 1).updateAll($0, id.set(to: 2)) }
        try expectWrite(
            "0", #"UPDATE OR IGNORE "parcel" SET "id" = 2 WHERE "width" = 1"#,
            "parcel: (1, 1, 2, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(width == 1).updateAll($0, onConflict: .ignore, id.set(to: 2)) }
    }

    @Test func conflictPoliciesOfRecordTypes() throws {
        try expectWrite(
            "1", #"UPDATE OR IGNORE "courier" SET "email" = 'x'"#,
            #"courier: (1, "x", "f1", "l1") (2, "e2", "f2", "l2") (3, "e3", "f3", "l3")"#
        ) { try PoliteCourier.updateAll($0, Column("email").set(to: "x")) }
        try expectWrite(
            "1", #"UPDATE OR IGNORE "courier" SET "email" = 'x' WHERE "id" = 1"#,
            #"courier: (1, "x", "f1", "l1") (2, "e2", "f2", "l2") (3, "e3", "f3", "l3")"#
        ) { try PoliteCourier.filter(id == 1).updateAll($0, Column("email").set(to: "x")) }
        try expectWrite(
            "1", #"UPDATE "courier" SET "email" = 'x' WHERE "id" = 1"#,
            #"courier: (1, "x", "f1", "l1") (2, "e2", "f2", "l2") (3, "e3", "f3", "l3")"#
        ) {
            try PoliteCourier.filter(id == 1).updateAll(
                $0, onConflict: .abort, Column("email").set(to: "x"))
        }
        try expectWrite(
            "1", #"UPDATE OR IGNORE "courier" SET "email" = 'x'"#,
            #"courier: (1, "x", "f1", "l1") (2, "e2", "f2", "l2") (3, "e3", "f3", "l3")"#
        ) { db in try PoliteCourier.updateAll(db) { $0.email.set(to: "x") } }
        try expectWriteFailure(
            #"SQLite error 19: UNIQUE constraint failed: courier.email - while executing `UPDATE "courier" SET "email" = ?`"#
        ) { try PoliteTable.updateAll($0, Column("email").set(to: "x")) }
        try expectWrite(
            "1", #"UPDATE OR IGNORE "courier" SET "email" = 'x'"#,
            #"courier: (1, "x", "f1", "l1") (2, "e2", "f2", "l2") (3, "e3", "f3", "l3")"#
        ) { try Table<PoliteCourier>("courier").updateAll($0, Column("email").set(to: "x")) }
        try expectWrite(
            "1", #"UPDATE OR IGNORE "courier" SET "email" = 'x' WHERE "id" = 1"#,
            #"courier: (1, "x", "f1", "l1") (2, "e2", "f2", "l2") (3, "e3", "f3", "l3")"#
        ) {
            try Table<PoliteCourier>("courier").filter(id == 1).updateAll(
                $0, Column("email").set(to: "x"))
        }
        try expectWrite(
            "1", #"UPDATE "courier" SET "email" = 'x' WHERE "id" = 1"#,
            #"courier: (1, "x", "f1", "l1") (2, "e2", "f2", "l2") (3, "e3", "f3", "l3")"#
        ) {
            try PoliteCourier.filter(id == 1).asRequest(of: Row.self).updateAll(
                $0, Column("email").set(to: "x"))
        }
        try expectWriteFailure(
            #"SQLite error 19: UNIQUE constraint failed: courier.email - while executing `UPDATE "courier" SET "email" = ? WHERE "id" = ?`"#
        ) { try Courier.filter(id == 1).updateAll($0, Column("email").set(to: "e2")) }
    }

    @Test func shapes() throws {
        try expectWrite(
            "3", #"UPDATE "parcel" SET "height" = 5"#,
            "parcel: (1, 1, 5, 3) (2, 10, 5, 7) (3, NULL, 5, NULL)"
        ) { try Parcel.order(width).updateAll($0, height.set(to: 5)) }
        try expectWrite(
            "1",
            #"UPDATE "parcel" SET "height" = 5 WHERE "id" IN (SELECT "id" FROM "parcel" ORDER BY "width" DESC LIMIT 1)"#,
            "parcel: (1, 1, 2, 3) (2, 10, 5, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.order(width.desc).limit(1).updateAll($0, height.set(to: 5)) }
        try expectWrite(
            "1",
            #"UPDATE "parcel" SET "height" = 5 WHERE "id" IN (SELECT "id" FROM "parcel" LIMIT 1)"#,
            "parcel: (1, 1, 5, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.limit(1).updateAll($0, height.set(to: 5)) }
        try expectWrite(
            "1",
            #"UPDATE "parcel" SET "height" = 5 WHERE "id" IN (SELECT "id" FROM "parcel" LIMIT 1 OFFSET 1)"#,
            "parcel: (1, 1, 2, 3) (2, 10, 5, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.limit(1, offset: 1).updateAll($0, height.set(to: 5)) }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "height" = 5"#,
            "parcel: (1, 1, 5, 3) (2, 10, 5, 7) (3, NULL, 5, NULL)"
        ) { try Parcel.all().distinct().updateAll($0, height.set(to: 5)) }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "height" = 5"#,
            "parcel: (1, 1, 5, 3) (2, 10, 5, 7) (3, NULL, 5, NULL)"
        ) { try Parcel.select(width).updateAll($0, height.set(to: 5)) }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "height" = 5"#,
            "parcel: (1, 1, 5, 3) (2, 10, 5, 7) (3, NULL, 5, NULL)"
        ) { try Parcel.select(max(width)).updateAll($0, height.set(to: 5)) }
    }

    @Test func groups() throws {
        try expectWriteFailure("SQLite error 21: Can't update query with HAVING clause") {
            try Parcel.all().having(max(width) > 1).updateAll($0, height.set(to: 5))
        }
        try expectWrite(
            "3",
            #"UPDATE "zone" SET "load" = 5 WHERE "code" IN (SELECT "code" FROM "zone" GROUP BY "code")"#,
            #"zone: ("A", 5) ("B", 5) ("C", 5)"#
        ) { try Zone.all().groupByPrimaryKey().updateAll($0, Column("load").set(to: 5)) }
        try expectWrite(
            "3",
            #"UPDATE "slot" SET "load" = 5 WHERE "rowid" IN (SELECT "rowid" FROM "slot" GROUP BY "rowid")"#,
            #"slot: (1, "a", 5) (1, "b", 5) (2, "a", 5)"#
        ) { try Slot.all().groupByPrimaryKey().updateAll($0, Column("load").set(to: 5)) }
        try expectWrite(
            "2",
            #"UPDATE "hub" SET "load" = 5 WHERE "rowid" IN (SELECT "rowid" FROM "hub" GROUP BY "rowid")"#,
            #"hub: ("A", 5) ("B", 5)"#
        ) { try Hub.all().groupByPrimaryKey().updateAll($0, Column("load").set(to: 5)) }
        try expectWrite(
            "2",
            #"UPDATE "scan" SET "height" = 'z' WHERE "rowid" IN (SELECT "rowid" FROM "scan" GROUP BY "rowid")"#,
            #"scan: (1, "z") (2, "z")"#
        ) { try Scan.all().groupByPrimaryKey().updateAll($0, height.set(to: "z")) }
    }

    @Test func keysAndTables() throws {
        try expectWrite(
            "0", #"UPDATE "parcel" SET "height" = 5 WHERE 0"#,
            "parcel: (1, 1, 2, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.none().updateAll($0, height.set(to: 5)) }
        try expectWrite(
            "2", #"UPDATE "parcel" SET "height" = "height" + 1 WHERE "id" IN (1, 2)"#,
            "parcel: (1, 1, 3, 3) (2, 10, 21, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(keys: [1, 2]).updateAll($0, height += 1) }
        try expectWriteFailure(
            #"SQLite error 1: cannot modify parcelView because it is a view - while executing `UPDATE "parcelView" SET "width" = ?`"#
        ) { try ParcelView.updateAll($0, width.set(to: 1)) }
        try expectWriteFailure(
            #"SQLite error 1: no such table: phantom - while executing `UPDATE "phantom" SET "width" = ?`"#
        ) { try Phantom.updateAll($0, width.set(to: 1)) }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "height" = 5"#,
            "parcel: (1, 1, 5, 3) (2, 10, 5, 7) (3, NULL, 5, NULL)"
        ) { try Table("parcel").updateAll($0, height.set(to: 5)) }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "height" = 5"#,
            "parcel: (1, 1, 5, 3) (2, 10, 5, 7) (3, NULL, 5, NULL)"
        ) { try Table("parcel").updateAll($0, [height.set(to: 5)]) }
        try expectWrite(
            "1", #"UPDATE "parcel" SET "height" = 5 WHERE "width" = 1"#,
            "parcel: (1, 1, 5, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Table("parcel").filter(width == 1).updateAll($0, height.set(to: 5)) }
    }

    @Test func aliases() throws {
        try expectWrite(
            "1", #"UPDATE "parcel" AS "p" SET "height" = 5 WHERE "p"."width" = 1"#,
            "parcel: (1, 1, 5, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.aliased(named).filter(named.width == 1).updateAll($0, height.set(to: 5)) }
        try expectWrite(
            "3", #"UPDATE "parcel" AS "p" SET "height" = "p"."width""#,
            "parcel: (1, 1, 1, 3) (2, 10, 10, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.aliased(named).updateAll($0, height.set(to: named.width)) }
        try expectWrite(
            "3", #"UPDATE "parcel" AS "p" SET "height" = "p"."width" + 1"#,
            "parcel: (1, 1, 2, 3) (2, 10, 11, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.aliased(named).updateAll($0, height.set(to: width + 1)) }
        try expectWrite(
            "1",
            #"UPDATE "parcel" AS "p" SET "height" = "p"."height" + 1 WHERE "p"."id" IN (SELECT "p"."id" FROM "parcel" "p" ORDER BY "p"."width" LIMIT 1)"#,
            "parcel: (1, 1, 2, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.aliased(named).order(width).limit(1).updateAll($0, height += 1) }
        try expectWrite(
            "3",
            #"UPDATE "parcel" SET "height" = (SELECT "stars" FROM "courier" WHERE "id" = "parcel"."id")"#,
            "parcel: (1, 1, 1, 3) (2, 10, 2, 7) (3, NULL, 3, NULL)"
        ) {
            try Parcel.aliased(unnamed).updateAll(
                $0, height.set(to: Courier.filter(id == unnamed[id]).select(Column("stars"))))
        }
    }

    @Test func fetching() throws {
        try expectWrite(
            "[Optional(5)]", #"UPDATE "parcel" SET "height" = 5 WHERE "width" = 1 RETURNING *"#,
            "parcel: (1, 1, 5, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { db in
            try Parcel.filter(width == 1).updateAndFetchAll(db, [height.set(to: 5)]).map {
                $0.height
            }
        }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "height" = "height" + 1 WHERE "width" = 1 RETURNING *"#,
            "parcel: (1, 1, 3, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { try Parcel.filter(width == 1).updateAndFetchCursor($0, [height += 1]).next()?.height }
        try expectWrite(
            "[Optional(5)]",
            #"UPDATE OR IGNORE "parcel" SET "height" = 5 WHERE "width" = 1 RETURNING *"#,
            "parcel: (1, 1, 5, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) { db in
            try Parcel.filter(width == 1).updateAndFetchAll(
                db, onConflict: .ignore, [height.set(to: 5)]
            ).map { $0.height }
        }
        try expectWrite(
            #"UPDATE "parcel" SET "height" = ? WHERE "width" = ? RETURNING "width", "height""#, "",
            "parcel: (1, 1, 2, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) {
            try Parcel.filter(width == 1).updateAndFetchStatement(
                $0, [height.set(to: 5)], selection: [width, height]
            ).sql
        }
        try expectWrite(
            #"UPDATE OR FAIL "parcel" SET "height" = ? WHERE "width" = ? RETURNING "width" + ? AS "k""#,
            "", "parcel: (1, 1, 2, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) {
            try Parcel.filter(width == 1).updateAndFetchStatement(
                $0, onConflict: .fail, [height.set(to: 5)], selection: [(width + 1).forKey("k")]
            ).sql
        }
        try expectWrite("[5, 1, 1]", "") {
            try Parcel.filter(width == 1).updateAndFetchStatement(
                $0, [height.set(to: 5)], selection: [(width + 1).forKey("k")]
            ).arguments
        }
    }

    @Test func fetchedSelections() throws {
        try expectWrite(
            "[[k:2 height:5]]",
            #"UPDATE "parcel" SET "height" = 5 WHERE "width" = 1 RETURNING "width" + 1 AS "k", "height""#,
            "parcel: (1, 1, 5, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) {
            try Row.fetchAll(
                Parcel.filter(width == 1).updateAndFetchStatement(
                    $0, [height.set(to: 5)], selection: [(width + 1).forKey("k"), height]))
        }
        try expectWrite(
            "[2]",
            #"UPDATE "parcel" SET "height" = 5 WHERE "id" IN (SELECT "id" FROM "parcel" ORDER BY "width" DESC LIMIT 1) RETURNING *"#,
            "parcel: (1, 1, 2, 3) (2, 10, 5, 7) (3, NULL, NULL, NULL)"
        ) {
            try Parcel.order(width.desc).limit(1).updateAndFetchAll($0, [height.set(to: 5)]).map {
                $0.id
            }
        }
        try expectWrite(
            #"[Optional("x")]"#,
            #"UPDATE OR IGNORE "courier" SET "email" = 'x' WHERE "id" = 1 RETURNING *"#,
            #"courier: (1, "x", "f1", "l1") (2, "e2", "f2", "l2") (3, "e3", "f3", "l3")"#
        ) { db in
            try PoliteCourier.filter(id == 1).updateAndFetchAll(db, [Column("email").set(to: "x")])
                .map { $0.email }
        }
        try expectWrite(
            "3", #"UPDATE "parcel" SET "height" = 5 RETURNING *"#,
            "parcel: (1, 1, 5, 3) (2, 10, 5, 7) (3, NULL, 5, NULL)"
        ) { try Parcel.select(width).updateAndFetchAll($0, [height.set(to: 5)]).count }
    }
}
