import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Common table expressions.
@Suite(.databases) struct CommonTableExpressionTests: ParcelTableExpressions {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    @Test func definitions() throws {
        try expect(
            wide.all().with(wide),
            #"WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT * FROM "wide""#,
            "(1, 2) (10, 20)")
        try expect(
            wideSQL.all().with(wideSQL),
            #"WITH "wide" AS (SELECT width AS w FROM parcel WHERE width > ?) SELECT * FROM "wide" [0]"#,
            "(1) (10)")
        try expect(
            wideLiteral.all().with(wideLiteral),
            #"WITH "wide" AS (SELECT width AS w FROM parcel WHERE width > ?) SELECT * FROM "wide" [0]"#,
            "(1) (10)")
        try expect(
            sides.all().with(sides),
            #"WITH "wide"("side1", "x2") AS (SELECT "width", "height" FROM "parcel") SELECT * FROM "wide""#,
            "(1, 2) (10, 20) (NULL, NULL)")
        try expect(
            pair.all().with(pair),
            #"WITH "wide"("side1", "side 2") AS (SELECT 1, 2) SELECT * FROM "wide""#, "(1, 2)")
        try expect(
            parcels.all().with(parcels),
            #"WITH "wide" AS (SELECT * FROM "parcel" WHERE "width" = ?) SELECT * FROM "wide" [1]"#,
            "(1, 1, …)")
        try expect(
            counter.all().with(counter),
            #"WITH RECURSIVE "counter"("number") AS (SELECT 1 UNION ALL SELECT number + 1 FROM counter WHERE number < 5) SELECT * FROM "counter""#,
            "(1) (2) (3) …")
        try expect(
            again.all().with(again),
            #"WITH RECURSIVE "again" AS (SELECT * FROM "parcel") SELECT * FROM "again""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            odd.all().with(odd),
            #"WITH "odd name" AS (SELECT * FROM "courier") SELECT * FROM "odd name""#,
            #"(1, "e1", …) (2, "e2", …) (3, "e3", …)"#)
        try expectFailure(
            wide.all(),
            #"SQLite error 1: no such table: wide - while executing `SELECT * FROM "wide"`"#)
        try expect(
            widest.all().with(widest),
            #"WITH "widest" AS (WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT * FROM "wide" WHERE "width" = ?) SELECT * FROM "widest" [1]"#,
            "(1, 2)")
    }

    @Test func several() throws {
        try expect(
            Parcel.with(wide),
            #"WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT * FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.all().with(wide),
            #"WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT * FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.with(wide).with(starred),
            #"WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL), "starred" AS (SELECT "stars" FROM "courier") SELECT * FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.with(starred).with(wide),
            #"WITH "starred" AS (SELECT "stars" FROM "courier"), "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT * FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.with(counter).with(wide),
            #"WITH RECURSIVE "counter"("number") AS (SELECT 1 UNION ALL SELECT number + 1 FROM counter WHERE number < 5), "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT * FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.with(wide).with(counter),
            #"WITH RECURSIVE "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL), "counter"("number") AS (SELECT 1 UNION ALL SELECT number + 1 FROM counter WHERE number < 5) SELECT * FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.with(wide).with(wide),
            #"WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT * FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.with(wide).with(wideSQL),
            #"WITH "wide" AS (SELECT width AS w FROM parcel WHERE width > ?) SELECT * FROM "parcel" [0]"#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.with(pair).with(counter).filter(counter.all().contains(width)),
            #"WITH RECURSIVE "wide"("side1", "side 2") AS (SELECT 1, 2), "counter"("number") AS (SELECT 1 UNION ALL SELECT number + 1 FROM counter WHERE number < 5) SELECT * FROM "parcel" WHERE "width" IN (SELECT * FROM "counter")"#,
            "(1, 1, …)")
        try expectSingle(
            Parcel.with(wide).filter(width == 1).order(height).limit(1),
            #"WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT * FROM "parcel" WHERE "width" = ? ORDER BY "height" LIMIT 1 [1]"#,
            "(1, 1, …)")
    }

    @Test func requests() throws {
        try expect(
            wide.all().with(wide).filter(width == 1),
            #"WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT * FROM "wide" WHERE "width" = ? [1]"#,
            "(1, 2)")
        try expect(
            wide.all().with(wide).select(width),
            #"WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT "width" FROM "wide""#,
            "(1) (10)")
        try expectSingle(
            wide.all().with(wide).select(max(width)),
            #"WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT MAX("width") FROM "wide""#,
            "(10)")
        try expectSingle(
            wide.all().with(wide).order(height.desc).reversed().limit(1),
            #"WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT * FROM "wide" ORDER BY "height" ASC LIMIT 1"#,
            "(1, 2)")
        try expect(
            wide.all().with(wide).withStableOrder(),
            #"WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT * FROM "wide" ORDER BY 1, 2"#,
            "(1, 2) (10, 20)")
        try expectFailure(
            wide.all().with(wide).orderByPrimaryKey(), "SQLite error 1: no such table: wide")
        try expectFailure(
            wide.all().with(wide).filter(key: 1), "SQLite error 1: no such table: wide")
        try expectFailure(
            wide.all().with(wide).groupByPrimaryKey(), "SQLite error 1: no such table: wide")
        try expect(
            wide.all().with(wide).distinct(),
            #"WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT DISTINCT * FROM "wide""#,
            "(1, 2) (10, 20)")
        try expect(
            wide.all().with(wide).annotated(with: width + 1),
            #"WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT *, "width" + ? FROM "wide" [1]"#,
            "(1, 2, 2) (10, 20, 11)")
        do {
            let alias = TableAlias<Row>(name: "p")
            try expect(
                wide.all().with(wide).aliased(alias).filter(alias["width"] == 1),
                #"WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT "p".* FROM "wide" "p" WHERE "p"."width" = ? [1]"#,
                "(1, 2)")
        }
        do {
            let alias = TableAlias<Void>(name: "p")
            try expect(
                wide.all().with(wide).aliased(alias).filter(alias["width"] == 1),
                #"WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT "p".* FROM "wide" "p" WHERE "p"."width" = ? [1]"#,
                "(1, 2)")
        }
        try expectCount(
            wide.all().with(wide), 2,
            #"SELECT COUNT(*) FROM (WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT * FROM "wide")"#
        )
    }

    @Test func fetching() throws {
        try expectCount(
            wide.all().with(wide).filter(width == 1), 1,
            #"SELECT COUNT(*) FROM (WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT * FROM "wide" WHERE "width" = 1)"#
        )
        try expectCount(
            wide.all().with(wide).limit(1), 1,
            #"SELECT COUNT(*) FROM (WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT * FROM "wide" LIMIT 1)"#
        )
        try expectCount(
            Parcel.with(wide).limit(1), 1,
            #"SELECT COUNT(*) FROM (WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT * FROM "parcel" LIMIT 1)"#
        )
        try expectCount(
            Parcel.with(wide), 3,
            #"SELECT COUNT(*) FROM (WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT * FROM "parcel")"#
        )
        try expectCount(
            Parcel.with(wide).order(width), 3,
            #"SELECT COUNT(*) FROM (WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT * FROM "parcel")"#
        )
        try expectFetch(
            "false",
            #"SELECT EXISTS (WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT * FROM "wide")"#
        ) { try wide.all().with(wide).isEmpty($0) }
        try expectFetch(
            "[1]",
            #"WITH "wide" AS (SELECT * FROM "parcel" WHERE "width" = 1) SELECT * FROM "wide""#
        ) { db in try parcels.all().with(parcels).fetchAll(db).map { $0.id } }
        try expectFetch(
            "[[number:1], [number:2], [number:3], [number:4], [number:5]]",
            #"WITH RECURSIVE "counter"("number") AS (SELECT 1 UNION ALL SELECT number + 1 FROM counter WHERE number < 5) SELECT * FROM "counter""#
        ) { try counter.all().with(counter).fetchAll($0) }
        try expectFetch(
            "[1, 2, 3, 4, 5]",
            #"WITH RECURSIVE "counter"("number") AS (SELECT 1 UNION ALL SELECT number + 1 FROM counter WHERE number < 5) SELECT * FROM "counter""#
        ) { try Int.fetchAll($0, counter.all().with(counter)) }
        try expectWriteFailure(
            #"SQLite error 1: no such table: wide - while executing `SELECT * FROM "wide"`"#
        ) { try wide.all().fetchAll($0) }
        try expectRegion(wide.all().with(wide), "parcel(height,width)")
        try expectRegion(wideSQL.all().with(wideSQL), "parcel(width)")
    }

    @Test func expressions() throws {
        try expectFailure(
            Parcel.with(wide).filter(wide.contains(width)),
            #"SQLite error 1: sub-select returns 2 columns - expected 1 - while executing `WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT * FROM "parcel" WHERE "width" IN "wide"`"#
        )
        try expect(
            Parcel.with(counter).filter(counter.contains(width)),
            #"WITH RECURSIVE "counter"("number") AS (SELECT 1 UNION ALL SELECT number + 1 FROM counter WHERE number < 5) SELECT * FROM "parcel" WHERE "width" IN "counter""#,
            "(1, 1, …)")
        try expect(
            Parcel.with(counter).filter(!counter.contains(width)),
            #"WITH RECURSIVE "counter"("number") AS (SELECT 1 UNION ALL SELECT number + 1 FROM counter WHERE number < 5) SELECT * FROM "parcel" WHERE "width" NOT IN "counter""#,
            "(2, 10, …)")
        try expect(
            Parcel.with(counter).filter(counter.contains(1)),
            #"WITH RECURSIVE "counter"("number") AS (SELECT 1 UNION ALL SELECT number + 1 FROM counter WHERE number < 5) SELECT * FROM "parcel" WHERE ? IN "counter" [1]"#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.with(counter).filter(counter.all().contains(width)),
            #"WITH RECURSIVE "counter"("number") AS (SELECT 1 UNION ALL SELECT number + 1 FROM counter WHERE number < 5) SELECT * FROM "parcel" WHERE "width" IN (SELECT * FROM "counter")"#,
            "(1, 1, …)")
        try expect(
            Parcel.with(counter).filter(counter.all().select(Column("number")).contains(width)),
            #"WITH RECURSIVE "counter"("number") AS (SELECT 1 UNION ALL SELECT number + 1 FROM counter WHERE number < 5) SELECT * FROM "parcel" WHERE "width" IN (SELECT "number" FROM "counter")"#,
            "(1, 1, …)")
        try expect(
            Parcel.with(counter).filter(counter.all().exists()),
            #"WITH RECURSIVE "counter"("number") AS (SELECT 1 UNION ALL SELECT number + 1 FROM counter WHERE number < 5) SELECT * FROM "parcel" WHERE EXISTS (SELECT * FROM "counter")"#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.with(counter).filter(counter.all().filter(Column("number") == width).exists()),
            #"WITH RECURSIVE "counter"("number") AS (SELECT 1 UNION ALL SELECT number + 1 FROM counter WHERE number < 5) SELECT * FROM "parcel" WHERE EXISTS (SELECT * FROM "counter" WHERE "number" = "width")"#,
            "(1, 1, …)")
        try expect(
            Parcel.with(counter).select(
                width, counter.all().select(max(Column("number"))).forKey("mx")),
            #"WITH RECURSIVE "counter"("number") AS (SELECT 1 UNION ALL SELECT number + 1 FROM counter WHERE number < 5) SELECT "width", (SELECT MAX("number") FROM "counter") AS "mx" FROM "parcel""#,
            "(1, 5) (10, 5) (NULL, 5)")
        try expect(
            Parcel.with(counter).annotated(
                with: counter.all().select(max(Column("number"))).forKey("mx")),
            #"WITH RECURSIVE "counter"("number") AS (SELECT 1 UNION ALL SELECT number + 1 FROM counter WHERE number < 5) SELECT *, (SELECT MAX("number") FROM "counter") AS "mx" FROM "parcel""#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(
            Parcel.filter(counter.all().with(counter).contains(width)),
            #"SELECT * FROM "parcel" WHERE "width" IN (WITH RECURSIVE "counter"("number") AS (SELECT 1 UNION ALL SELECT number + 1 FROM counter WHERE number < 5) SELECT * FROM "counter")"#,
            "(1, 1, …)")
        try expect(
            Parcel.filter(counter.all().with(counter).select(max(Column("number"))) > width),
            #"SELECT * FROM "parcel" WHERE (WITH RECURSIVE "counter"("number") AS (SELECT 1 UNION ALL SELECT number + 1 FROM counter WHERE number < 5) SELECT MAX("number") FROM "counter") > "width""#,
            "(1, 1, …)")
        try expect(
            Parcel.filter(wide.all().with(wide).select(width).contains(width)),
            #"SELECT * FROM "parcel" WHERE "width" IN (WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT "width" FROM "wide")"#,
            "(1, 1, …) (2, 10, …)")
        try expect(
            Parcel.select(wide.all().with(wide).select(count(width)).forKey("n")),
            #"SELECT (WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT COUNT("width") FROM "wide") AS "n" FROM "parcel""#,
            "(2) (2) (2)")
    }

    @Test func literals() throws {
        try expectSingle(
            SQLRequest<Row>("WITH \(definitionFor: wide) SELECT * FROM \(wide)"),
            #"WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT * FROM "wide""#,
            "(1, 2) (10, 20)")
        try expectSingle(
            SQLRequest<Row>("WITH RECURSIVE \(definitionFor: counter) SELECT * FROM \(counter)"),
            #"WITH RECURSIVE "counter"("number") AS (SELECT 1 UNION ALL SELECT number + 1 FROM counter WHERE number < 5) SELECT * FROM "counter""#,
            "(1) (2) (3) …")
        try expectSingle(
            SQLRequest<Row>(
                "WITH \(definitionFor: sides), \(definitionFor: starred) SELECT * FROM \(sides), \(starred)"
            ),
            #"WITH "wide"("side1", "x2") AS (SELECT "width", "height" FROM "parcel"), "starred" AS (SELECT "stars" FROM "courier") SELECT * FROM "wide", "starred""#,
            "(1, 2, 1) (1, 2, 2) (1, 2, 3) …")
        try expectSingle(
            SQLRequest<Row>("WITH \(definitionFor: odd) SELECT * FROM \(odd)"),
            #"WITH "odd name" AS (SELECT * FROM "courier") SELECT * FROM "odd name""#,
            #"(1, "e1", …) (2, "e2", …) (3, "e3", …)"#)
        try expectSingle(
            SQLRequest<Row>("SELECT * FROM (\(Parcel.with(wide)))"),
            #"SELECT * FROM (WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT * FROM "parcel")"#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
    }

    @Test func records() throws {
        try expectFetch(
            "[2, 3]",
            #"WITH "ranked" AS (SELECT * FROM "courier" WHERE "stars" > 1) SELECT * FROM "ranked""#
        ) { db in
            try CommonTableExpression<Courier>(
                named: "ranked", request: Courier.filter(Column("stars") > 1)
            ).all().with(
                CommonTableExpression<Courier>(
                    named: "ranked", request: Courier.filter(Column("stars") > 1))
            ).fetchAll(db).map { $0.id }
        }
        try expect(
            brief.all().with(brief),
            #"WITH "brief" AS (SELECT "id", "width" FROM "parcel") SELECT * FROM "brief""#,
            "(1, 1) (2, 10) (3, NULL)")
        try expectFetch(
            #"["c2", "c1", "root"]"#,
            #"WITH RECURSIVE "ancestor" AS (SELECT * FROM folder WHERE id = 3 UNION ALL SELECT folder.* FROM folder JOIN ancestor ON ancestor.parentId = folder.id) SELECT * FROM "ancestor""#
        ) { db in try ancestors.all().with(ancestors).fetchAll(db).map { $0.name } }
        try expect(
            Folder.with(ancestors).filter(ancestors.all().select(id).contains(id)),
            #"WITH RECURSIVE "ancestor" AS (SELECT * FROM folder WHERE id = ? UNION ALL SELECT folder.* FROM folder JOIN ancestor ON ancestor.parentId = folder.id) SELECT * FROM "folder" WHERE "id" IN (SELECT "id" FROM "ancestor") [3]"#,
            #"(1, NULL, "root") (2, 1, "c1") (3, 2, "c2")"#)
        try expect(
            Folder.with(ancestors).including(
                required: Folder.association(to: ancestors, on: { l, rr in l[id] == rr[id] })
            ).select(id),
            #"WITH RECURSIVE "ancestor" AS (SELECT * FROM folder WHERE id = ? UNION ALL SELECT folder.* FROM folder JOIN ancestor ON ancestor.parentId = folder.id) SELECT "folder"."id", "ancestor".* FROM "folder" JOIN "ancestor" ON "folder"."id" = "ancestor"."id" [3]"#,
            "(3) (2) (1)")
        try expectFetch(
            #"["[id:3 parentId:2 name:\"c2\"]"]"#,
            #"WITH RECURSIVE "ancestor" AS (SELECT * FROM folder WHERE id = 3 UNION ALL SELECT folder.* FROM folder JOIN ancestor ON ancestor.parentId = folder.id) SELECT "folder".*, "ancestor".* FROM "folder" JOIN "ancestor" ON "folder"."id" = "ancestor"."id" WHERE "folder"."id" = 3"#
        ) {
            try Folder.with(ancestors).including(
                required: Folder.association(to: ancestors, on: { l, rr in l[id] == rr[id] })
            ).filter(id == 3).asRequest(of: Row.self).fetchAll($0).map {
                $0.scopes["ancestor"]?.description ?? ""
            }
        }
    }

    @Test func writes() throws {
        try expectWrite(
            "2",
            #"WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) DELETE FROM "parcel" WHERE "width" IN (SELECT "width" FROM "wide")"#
        ) { try Parcel.with(wide).filter(wide.all().select(width).contains(width)).deleteAll($0) }
        try expectWrite(
            "1",
            #"WITH RECURSIVE "counter"("number") AS (SELECT 1 UNION ALL SELECT number + 1 FROM counter WHERE number < 5) DELETE FROM "parcel" WHERE "width" IN "counter""#
        ) { try Parcel.with(counter).filter(counter.contains(width)).deleteAll($0) }
        try expectWrite(
            "3",
            #"WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) DELETE FROM "parcel""#
        ) { try Parcel.with(wide).deleteAll($0) }
        try expectWrite(
            "1",
            #"WITH RECURSIVE "counter"("number") AS (SELECT 1 UNION ALL SELECT number + 1 FROM counter WHERE number < 5) UPDATE "parcel" SET "height" = 0 WHERE "width" IN "counter""#
        ) {
            try Parcel.with(counter).filter(counter.contains(width)).updateAll(
                $0, height.set(to: 0))
        }
        try expectWrite(
            "3",
            #"WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) UPDATE "parcel" SET "height" = (SELECT COUNT("width") FROM "wide")"#
        ) { try Parcel.with(wide).updateAll($0, height.set(to: wide.all().select(count(width)))) }
        try expectWrite(
            "1",
            #"WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) DELETE FROM "parcel" WHERE "id" IN (SELECT "id" FROM "parcel" ORDER BY "width" LIMIT 1)"#
        ) { try Parcel.with(wide).order(width).limit(1).deleteAll($0) }
        try expectWrite(
            "1",
            #"DELETE FROM "parcel" WHERE "id" IN (WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel"."id" FROM "parcel" JOIN "starred" ON "parcel"."width" = "starred"."stars")"#
        ) { try Parcel.with(starred).joining(required: starredParcel).deleteAll($0) }
        try expectWrite(
            "1",
            #"UPDATE "parcel" SET "height" = 0 WHERE "id" IN (WITH "starred" AS (SELECT "stars" FROM "courier") SELECT "parcel"."id" FROM "parcel" JOIN "starred" ON "parcel"."width" = "starred"."stars")"#
        ) {
            try Parcel.with(starred).joining(required: starredParcel).updateAll(
                $0, height.set(to: 0))
        }
        // What is joined may also be assigned or returned.
        try expectWrite(
            "1",
            #"WITH "starred" AS (SELECT "stars" FROM "courier") UPDATE "parcel" SET "height" = (SELECT COUNT(*) FROM "starred") WHERE "id" IN (SELECT "parcel"."id" FROM "parcel" JOIN "starred" ON "parcel"."width" = "starred"."stars")"#
        ) {
            try Parcel.with(starred).joining(required: starredParcel).updateAll(
                $0, height.set(to: starred.all().select(count(.all))))
        }
        try expectWrite(
            "1",
            #"WITH "starred" AS (SELECT "stars" FROM "courier") DELETE FROM "parcel" WHERE "id" IN (SELECT "parcel"."id" FROM "parcel" JOIN "starred" ON "parcel"."width" = "starred"."stars") RETURNING (SELECT COUNT(*) FROM "starred")"#
        ) {
            let deletion = Parcel.with(starred).joining(required: starredParcel)
            let statement = try deletion.deleteAndFetchStatement(
                $0, selection: [starred.all().select(count(.all)).sqlExpression])
            return try Int.fetchAll(statement).count
        }
        try expectWriteFailure(
            #"SQLite error 1: no such table: wide - while executing `WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) DELETE FROM "wide"`"#
        ) { try wide.all().with(wide).deleteAll($0) }
        try expectWriteFailure(
            #"SQLite error 1: no such table: wide - while executing `WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) UPDATE "wide" SET "width" = ?`"#
        ) { try wide.all().with(wide).updateAll($0, width.set(to: 0)) }
        try expectWrite(
            "2",
            #"DELETE FROM "parcel" WHERE "width" IN (WITH "wide" AS (SELECT "width", "height" FROM "parcel" WHERE "width" IS NOT NULL) SELECT "width" FROM "wide")"#
        ) { try Parcel.filter(wide.all().with(wide).select(width).contains(width)).deleteAll($0) }
    }
}
