import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Associations to common table expressions.
@Suite(.databases) struct CommonTableJoinTests: ParcelTableExpressions {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    @Test func joins() throws {
        try expect(
            Parcel.with(starred).including(required: starredParcel),
            #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel".*, "starred".* FROM "parcel" JOIN "starred" ON "parcel"."width" = "starred"."stars""#,
            "(1, 1, …)")
        try expect(
            Parcel.with(starred).including(optional: starredParcel),
            #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel".*, "starred".* FROM "parcel" LEFT JOIN "starred" ON "parcel"."width" = "starred"."stars""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.with(starred).joining(required: starredParcel),
            #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel".* FROM "parcel" JOIN "starred" ON "parcel"."width" = "starred"."stars""#,
            "(1, 1, …)")
        try expect(
            Parcel.with(starred).joining(optional: starredParcel),
            #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel".* FROM "parcel" LEFT JOIN "starred" ON "parcel"."width" = "starred"."stars""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.with(starred).annotated(withRequired: starredParcel),
            #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel".*, "starred".* FROM "parcel" JOIN "starred" ON "parcel"."width" = "starred"."stars""#,
            "(1, 1, …)")
        try expect(
            Parcel.with(starred).annotated(withOptional: starredParcel),
            #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel".*, "starred".* FROM "parcel" LEFT JOIN "starred" ON "parcel"."width" = "starred"."stars""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.with(starred).including(required: Parcel.association(to: starred)),
            #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel".*, "starred".* FROM "parcel" JOIN "starred""#,
            "(1, 1, …) (1, 1, …) (1, 1, …) …")
        try expect(
            Parcel.with(starred).joining(required: Parcel.association(to: starred)),
            #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel".* FROM "parcel" JOIN "starred""#,
            "(1, 1, …) (1, 1, …) (1, 1, …) …")
        try expect(
            Parcel.with(starred).joining(optional: Parcel.association(to: starred)),
            #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel".* FROM "parcel" LEFT JOIN "starred""#,
            "(1, 1, …) (1, 1, …) (1, 1, …) …")
    }

    @Test func refinedJoins() throws {
        try expect(
            Parcel.with(starred).including(required: starredParcel.forKey("zed")),
            #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel".*, "starred".* FROM "parcel" JOIN "starred" ON "parcel"."width" = "starred"."stars""#,
            "(1, 1, …)")
        try expect(
            Parcel.with(starred).including(required: starredParcel.filter(Column("stars") > 1)),
            #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel".*, "starred".* FROM "parcel" JOIN "starred" ON ("parcel"."width" = "starred"."stars") AND ("starred"."stars" > ?) [1]"#,
            "")
        try expect(
            Parcel.with(starred).including(optional: starredParcel.filter(Column("stars") > 1)),
            #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel".*, "starred".* FROM "parcel" LEFT JOIN "starred" ON ("parcel"."width" = "starred"."stars") AND ("starred"."stars" > ?) [1]"#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.with(starred).including(required: starredParcel.order(Column("stars").desc)),
            #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel".*, "starred".* FROM "parcel" JOIN "starred" ON "parcel"."width" = "starred"."stars" ORDER BY "starred"."stars" DESC"#,
            "(1, 1, …)")
        try expect(
            Parcel.with(starred).including(
                required: starredParcel.select(Column("stars").forKey("kk"))),
            #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel".*, "starred"."stars" AS "kk" FROM "parcel" JOIN "starred" ON "parcel"."width" = "starred"."stars""#,
            "(1, 1, …)")
        try expect(
            Parcel.with(starred).including(required: starredParcel).filter(width == 1).order(
                height),
            #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel".*, "starred".* FROM "parcel" JOIN "starred" ON "parcel"."width" = "starred"."stars" WHERE "parcel"."width" = ? ORDER BY "parcel"."height" [1]"#,
            "(1, 1, …)")
        try expectSingle(
            Parcel.with(starred).including(required: starredParcel).limit(2),
            #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel".*, "starred".* FROM "parcel" JOIN "starred" ON "parcel"."width" = "starred"."stars" LIMIT 2"#,
            "(1, 1, …)")
        try expectFailure(
            Parcel.including(required: starredParcel),
            #"SQLite error 1: no such table: starred - while executing `SELECT "parcel".*, "starred".* FROM "parcel" JOIN "starred" ON "parcel"."width" = "starred"."stars"`"#
        )
    }

    @Test func joinsOnConditions() throws {
        try expect(
            Parcel.with(starred).including(
                required: Parcel.association(to: starred, on: { _, k in k["stars"] == 1 })),
            #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel".*, "starred".* FROM "parcel" JOIN "starred" ON "starred"."stars" = ? [1]"#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.with(starred).including(
                required: Parcel.association(to: starred, on: { t, _ in true })),
            #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel".*, "starred".* FROM "parcel" JOIN "starred" ON ? [1]"#,
            "(1, 1, …) (1, 1, …) (1, 1, …) …")
        try expect(
            starred.all().with(starred).with(wide).including(
                required: starred.association(to: wide, on: { l, rr in l["stars"] == rr["width"] })),
            #"WITH "starred" AS (SELECT "stars" FROM "courier"), "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT "starred".*, "wide".* FROM "starred" JOIN "wide" ON "starred"."stars" = "wide"."width""#,
            "(1)")
        try expect(
            starred.all().with(starred).including(
                optional: starred.association(
                    to: Courier.self, on: { l, rr in l["stars"] == rr[Column("stars")] })),
            #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "starred".*, "courier".* FROM "starred" LEFT JOIN "courier" ON "starred"."stars" = "courier"."stars""#,
            "(1) (2) (3)")
        try expect(
            starred.all().with(starred).including(
                required: starred.association(
                    to: Table("courier"), on: { l, rr in l["stars"] == rr["stars"] })),
            #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "starred".*, "courier".* FROM "starred" JOIN "courier" ON "starred"."stars" = "courier"."stars""#,
            "(1) (2) (3)")
        try expect(
            Table("parcel").all().with(starred).including(
                required: Table("parcel").association(
                    to: starred, on: { t, k in t["width"] == k["stars"] })),
            #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel".*, "starred".* FROM "parcel" JOIN "starred" ON "parcel"."width" = "starred"."stars""#,
            "(1, 1, …)")
    }

    @Test func aliasedJoins() throws {
        do {
            let alias = TableAlias<Parcel>(name: "p")
            try expect(
                Parcel.with(starred).aliased(alias).including(required: starredParcel),
                #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "p".*, "starred".* FROM "parcel" "p" JOIN "starred" ON "p"."width" = "starred"."stars""#,
                "(1, 1, …)")
        }
        do {
            let alias = TableAlias<Row>(name: "p")
            try expect(
                Parcel.with(starred).including(required: starredParcel.aliased(alias)).filter(
                    alias["stars"] > 0),
                #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel".*, "p".* FROM "parcel" JOIN "starred" "p" ON "parcel"."width" = "p"."stars" WHERE "p"."stars" > ? [0]"#,
                "(1, 1, …)")
        }
        do {
            let alias = TableAlias<Row>()
            try expectFailure(
                Parcel.with(starred).including(optional: starredParcel.aliased(alias)).filter(
                    alias.exists), "SQLite error 1: no such table: starred")
        }
        do {
            let alias = TableAlias<Row>()
            try expectFailure(
                Parcel.with(starred).including(optional: starredParcel.aliased(alias)).filter(
                    !alias.exists), "SQLite error 1: no such table: starred")
        }
    }

    @Test func fetchedJoins() throws {
        try expectFetch(
            "[stars:1]",
            #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel".*, "starred".* FROM "parcel" JOIN "starred" ON "parcel"."width" = "starred"."stars" LIMIT 1"#
        ) {
            try Parcel.with(starred).including(required: starredParcel).asRequest(of: Row.self)
                .fetchOne($0)?.scopes["starred"]?.description
        }
        try expectFetch(
            #"["[stars:1]", "[stars:NULL]", "[stars:NULL]"]"#,
            #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel".*, "starred".* FROM "parcel" LEFT JOIN "starred" ON "parcel"."width" = "starred"."stars""#
        ) { db in
            try Parcel.with(starred).including(optional: starredParcel).asRequest(of: Row.self)
                .fetchAll(db).map { $0.scopes["starred"]?.description ?? "nil" }
        }
        try expectFetch(
            #"["zed"]"#,
            #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel".*, "starred".* FROM "parcel" JOIN "starred" ON "parcel"."width" = "starred"."stars" LIMIT 1"#
        ) {
            try Parcel.with(starred).including(required: starredParcel.forKey("zed")).asRequest(
                of: Row.self
            ).fetchOne($0)?.scopes.names
        }
        try expectFetch(
            "[1]",
            #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel".* FROM "parcel" JOIN "starred" ON "parcel"."width" = "starred"."stars""#
        ) { db in
            try Parcel.with(starred).joining(required: starredParcel).fetchAll(db).map { $0.id }
        }
        try expectFetch(
            "9",
            #"WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel".*, "starred".* FROM "parcel" JOIN "starred""#
        ) {
            try Parcel.with(starred).including(required: Parcel.association(to: starred)).asRequest(
                of: Row.self
            ).fetchAll($0).count
        }
    }

    @Test func countsOfJoins() throws {
        try expectCount(
            Parcel.with(starred).including(required: starredParcel), 1,
            #"SELECT COUNT(*) FROM (WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel".*, "starred".* FROM "parcel" JOIN "starred" ON "parcel"."width" = "starred"."stars")"#
        )
        try expectCount(
            Parcel.with(starred).joining(optional: starredParcel), 3,
            #"SELECT COUNT(*) FROM (WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel".* FROM "parcel" LEFT JOIN "starred" ON "parcel"."width" = "starred"."stars")"#
        )
    }

    @Test func theConditionOfTheLastAssociationCounts() throws {
        let numbers = CommonTableExpression<Row>(named: "numbers", sql: "SELECT 1 AS x, 2 AS y")
        let x = Parcel.association(to: numbers, on: { $0[Column("id")] == $1["x"] })
        let y = Parcel.association(to: numbers, on: { $0[Column("id")] == $1["y"] })
        let unconditional = Parcel.association(to: numbers)
        func join(_ request: QueryInterfaceRequest<Parcel>) throws -> String {
            let sql = try dbQueue.read {
                try request.with(numbers).makePreparedRequest($0).statement.sql
            }
            return String(sql.components(separatedBy: #"FROM "parcel" "#).last ?? "")
        }
        try expectEqual(
            join(Parcel.joining(required: x).joining(required: y)),
            #"JOIN "numbers" ON "parcel"."id" = "numbers"."y""#)
        try expectEqual(
            join(Parcel.joining(required: y).joining(optional: x)),
            #"JOIN "numbers" ON "parcel"."id" = "numbers"."x""#)
        try expectEqual(
            join(Parcel.joining(required: x).joining(required: unconditional)),
            #"JOIN "numbers""#)
        try expectEqual(
            join(Parcel.joining(required: unconditional).joining(required: x)),
            #"JOIN "numbers" ON "parcel"."id" = "numbers"."x""#)
    }
}
