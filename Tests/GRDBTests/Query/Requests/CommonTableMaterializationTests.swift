import GRDBQueries
import GRDB
import GRDBTestSupport
import Testing

/// The initializers of common table expressions, for rows and for records, and joins of common
/// table expressions and tables.
@Suite(.databases) struct CommonTableMaterializationTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    private func expectSmall<RowDecoder>(
        _ cte: CommonTableExpression<RowDecoder>, _ definition: String, line: Int = #line
    ) throws {
        try expect(
            cte.all().with(cte), #"WITH "small"\#(definition) SELECT * FROM "small" [5]"#, "(1)",
            line: line)
    }

    @Test func rowsMayBeMaterialized() throws {
        for (isMaterialized, keyword) in [(true, "MATERIALIZED "), (false, "NOT MATERIALIZED ")] {
            try expectSmall(
                CommonTableExpression(
                    named: "small", materialized: isMaterialized,
                    request: Parcel.filter(width < 5).select(id)),
                #" AS \#(keyword)(SELECT "id" FROM "parcel" WHERE "width" < ?)"#)
            try expectSmall(
                CommonTableExpression(
                    named: "small", columns: ["n"], materialized: isMaterialized,
                    sql: "SELECT id FROM parcel WHERE width < ?", arguments: [5]),
                #"("n") AS \#(keyword)(SELECT id FROM parcel WHERE width < ?)"#)
            try expectSmall(
                CommonTableExpression(
                    named: "small", materialized: isMaterialized,
                    literal: "SELECT id FROM parcel WHERE width < \(5)"),
                #" AS \#(keyword)(SELECT id FROM parcel WHERE width < ?)"#)
        }
    }

    @Test func recordsMayBeMaterialized() throws {
        for (isMaterialized, keyword) in [(true, "MATERIALIZED "), (false, "NOT MATERIALIZED ")] {
            try expectSmall(
                CommonTableExpression<BriefParcel>(
                    named: "small", materialized: isMaterialized,
                    request: Parcel.filter(width < 5).select(id)),
                #" AS \#(keyword)(SELECT "id" FROM "parcel" WHERE "width" < ?)"#)
            try expectSmall(
                CommonTableExpression<BriefParcel>(
                    named: "small", columns: ["n"], materialized: isMaterialized,
                    sql: "SELECT id FROM parcel WHERE width < ?", arguments: [5]),
                #"("n") AS \#(keyword)(SELECT id FROM parcel WHERE width < ?)"#)
            try expectSmall(
                CommonTableExpression<BriefParcel>(
                    named: "small", materialized: isMaterialized,
                    literal: "SELECT id FROM parcel WHERE width < \(5)"),
                #" AS \#(keyword)(SELECT id FROM parcel WHERE width < ?)"#)
        }
    }

    @Test func recordsAreSelectedBySQL() throws {
        try expectSmall(
            CommonTableExpression<BriefParcel>(
                named: "small", sql: "SELECT id FROM parcel WHERE width < ?", arguments: [5]),
            " AS (SELECT id FROM parcel WHERE width < ?)")
        let cte = CommonTableExpression<Parcel>(
            named: "wide", sql: "SELECT * FROM parcel WHERE width > ?", arguments: [5])
        try dbQueue.read { db in
            try expectEqual(cte.all().with(cte).fetchAll(db).map(\.id), [2])
        }
    }

    @Test func allRowsAreJoined() throws {
        let one = CommonTableExpression(named: "one", columns: ["a"], sql: "SELECT 1")
        let two = CommonTableExpression(named: "two", columns: ["b"], sql: "SELECT 2")
        let courier = Table("courier")
        let with = #"WITH "one"("a") AS (SELECT 1), "two"("b") AS (SELECT 2)"#
        try expect(
            one.all().with(one).with(two).annotated(withRequired: one.association(to: two)),
            #"\#(with) SELECT "one".*, "two".* FROM "one" JOIN "two""#, "(1, 2)")
        try expect(
            one.all().with(one).annotated(
                withRequired: one.association(to: courier).select(Column("id"))),
            #"WITH "one"("a") AS (SELECT 1) SELECT "one".*, "courier"."id" FROM "one" JOIN "courier""#,
            "(1, 1) (1, 2) (1, 3)")
        try expect(
            one.all().with(one).annotated(
                withRequired: one.association(to: Courier.self).select(Column("id"))),
            #"WITH "one"("a") AS (SELECT 1) SELECT "one".*, "courier"."id" FROM "one" JOIN "courier""#,
            "(1, 1) (1, 2) (1, 3)")
        try expect(
            courier.select(Column("id")).with(one).annotated(
                withRequired: courier.association(to: one)),
            #"WITH "one"("a") AS (SELECT 1) SELECT "courier"."id", "one".* FROM "courier" JOIN "one""#,
            "(1, 1) (2, 1) (3, 1)")
        let hub = Table("hub")
        try expect(
            hub.select(Column("code")).annotated(
                withRequired: hub.association(to: Table("zone")).select(Column("load"))),
            #"SELECT "hub"."code", "zone"."load" FROM "hub" JOIN "zone""#)
    }

    @Test func tablesAreJoinedOnConditions() throws {
        let courier = Courier.association(
            to: Parcel.self, on: { courier, parcel in courier["id"] == parcel.width })
        try expect(
            Courier.select(Column("id")).annotated(withRequired: courier.select(Column("label"))),
            #"""
            SELECT "courier"."id", "parcel"."label" FROM "courier" \#
            JOIN "parcel" ON "courier"."id" = "parcel"."width"
            """#, #"(1, "alpha")"#)
    }
}
