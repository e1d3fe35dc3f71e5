import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Aliases of tables, in correlated subqueries too.
@Suite(.databases) struct TableAliasTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    @Test func aliasesInSubqueries() throws {
        do {
            let alias = TableAlias<Parcel>(name: "outer")
            try expect(
                Parcel.aliased(alias).filter(Parcel.filter(width > alias[width]).exists()),
                #"SELECT "outer".* FROM "parcel" "outer" WHERE EXISTS (SELECT * FROM "parcel" WHERE "width" > "outer"."width")"#,
                "(1, 1, …)")
        }
        do {
            let alias = TableAlias<Parcel>()
            try expect(
                Parcel.aliased(alias).filter(Parcel.filter(width > alias[width]).exists()),
                #"SELECT "parcel_".* FROM "parcel" "parcel_" WHERE EXISTS (SELECT * FROM "parcel" WHERE "width" > "parcel_"."width")"#,
                "(1, 1, …)")
        }
        do {
            let alias = TableAlias<Parcel>()
            try expect(
                Parcel.aliased(alias).select(
                    alias[width], Parcel.filter(width > alias[width]).select(count(id)).forKey("n")),
                #"SELECT "parcel_"."width", (SELECT COUNT("id") FROM "parcel" WHERE "width" > "parcel_"."width") AS "n" FROM "parcel" "parcel_""#,
                "(1, 1) (10, 0) (NULL, 0)")
        }
        do {
            let alias = TableAlias<Parcel>()
            try expect(
                Table("courier").filter(
                    Parcel.aliased(alias).filter(alias[width] == Column("stars")).exists()),
                #"SELECT * FROM "courier" WHERE EXISTS (SELECT * FROM "parcel" WHERE "width" = "stars")"#,
                #"(1, "e1", …)"#)
        }
        do {
            let alias = TableAlias<Parcel>(), inner = TableAlias<Parcel>()
            try expect(
                Parcel.aliased(alias).filter(
                    Parcel.aliased(inner).filter(inner[width] > alias[width]).exists()),
                #"SELECT "parcel_".* FROM "parcel" "parcel_" WHERE EXISTS (SELECT * FROM "parcel" WHERE "width" > "parcel_"."width")"#,
                "(1, 1, …)")
        }
        do {
            let alias = TableAlias<Parcel>(), inner = TableAlias<Parcel>()
            try expect(
                Parcel.aliased(alias).filter(
                    Parcel.aliased(inner).select(max(inner[width])) == alias[width]),
                #"SELECT * FROM "parcel" WHERE (SELECT MAX("width") FROM "parcel") = "width""#,
                "(2, 10, …)")
        }
        do {
            let alias = TableAlias<Parcel>(name: "outer"), inner = TableAlias<Parcel>(name: "outer")
            try expectFailure(
                Parcel.aliased(alias).filter(
                    Parcel.aliased(inner).filter(inner[width] > alias[width]).exists()),
                "SQLite error 21: ambiguous alias: outer")
        }
        do {
            let alias = TableAlias<Parcel>()
            try expect(
                Parcel.aliased(alias).filter(Parcel.select(height).contains(alias[width])),
                #"SELECT * FROM "parcel" WHERE "width" IN (SELECT "height" FROM "parcel")"#, "")
        }
    }

    @Test func aliasesOfRequests() throws {
        do {
            let alias = TableAlias<Parcel>()
            try expect(
                Parcel.filter(alias[width] == 1).aliased(alias),
                #"SELECT * FROM "parcel" WHERE "width" = ? [1]"#, "(1, 1, …)")
        }
        do {
            let alias = TableAlias<Parcel>(name: "p")
            try expect(
                Parcel.aliased(alias).filter { $0.width == 1 },
                #"SELECT "p".* FROM "parcel" "p" WHERE "p"."width" = ? [1]"#, "(1, 1, …)")
        }
        do {
            let alias = TableAlias<Parcel>(name: "p")
            try expect(
                Parcel.aliased(alias).filter(width == 1).order(width).group(height).having(
                    count(width) > 0
                ).select(width + height, max(depth)),
                #"SELECT "p"."width" + "p"."height", MAX("p"."depth") FROM "parcel" "p" WHERE "p"."width" = ? GROUP BY "p"."height" HAVING COUNT("p"."width") > ? ORDER BY "p"."width" [1, 0]"#,
                "(3, 3)")
        }
        do {
            let alias = TableAlias<Parcel>(name: "p")
            try expect(
                Parcel.aliased(alias).select(sql: "width").filter(
                    sql: "p.width = ?", arguments: [1]
                ).order(literal: "p.width"),
                #"SELECT width FROM "parcel" "p" WHERE p.width = ? ORDER BY p.width [1]"#, "(1)")
        }
    }

    @Test func existenceOfAliasedRows() throws {
        do {
            let alias = TableAlias<Parcel>(name: "p")
            try expect(
                Parcel.aliased(alias).filter(alias.exists),
                #"SELECT "p".* FROM "parcel" "p" WHERE "p"."id" IS NOT NULL"#,
                "(1, 1, …) (2, 10, …) (3, NULL, …)")
        }
        do {
            let alias = TableAlias<Parcel>()
            try expect(
                Parcel.aliased(alias).filter(alias.exists),
                #"SELECT * FROM "parcel" WHERE "id" IS NOT NULL"#,
                "(1, 1, …) (2, 10, …) (3, NULL, …)")
        }
        do {
            let alias = TableAlias<Parcel>()
            try expect(
                Parcel.aliased(alias).filter(!alias.exists),
                #"SELECT * FROM "parcel" WHERE "id" IS NULL"#, "")
        }
    }

    @Test func aliasesWithoutRecordType() throws {
        do {
            let alias = TableAlias<Void>()
            try expect(
                Parcel.aliased(alias).filter(alias[width] == 1),
                #"SELECT * FROM "parcel" WHERE "width" = ? [1]"#, "(1, 1, …)")
        }
        do {
            let alias = TableAlias<Void>(name: "p")
            try expect(
                Table("parcel").aliased(alias).filter(alias["width"] == 1),
                #"SELECT "p".* FROM "parcel" "p" WHERE "p"."width" = ? [1]"#, "(1, 1, …)")
        }
    }

    @Test func namesOfAliases() throws {
        do {
            let alias = TableAlias<Parcel>(name: "p")
            try expectFailure(
                Parcel.filter(alias[width] == 1),
                #"SQLite error 1: no such column: p.width - while executing `SELECT * FROM "parcel" WHERE "p"."width" = ?`"#
            )
        }
        do {
            let alias = TableAlias<Parcel>(name: "parcel")
            try expect(
                Parcel.aliased(alias).filter(alias[width] == 1),
                #"SELECT "parcel".* FROM "parcel" WHERE "parcel"."width" = ? [1]"#, "(1, 1, …)")
        }
        do {
            let alias = TableAlias<Parcel>(), inner = TableAlias<Parcel>(name: "q")
            try expect(
                Parcel.aliased(alias).aliased(inner).filter(alias[width] == inner[height]),
                #"SELECT "q".* FROM "parcel" "q" WHERE "q"."width" = "q"."height""#, "")
        }
    }

    @Test func expressionsOfAliases() throws {
        do {
            let alias = TableAlias<Parcel>(name: "p")
            try expect(
                Parcel.aliased(alias).filter(alias[width + height] == 1).order(
                    alias[width.desc], alias[height]
                ).select(alias[width.forKey("k")], alias[max(width, height)], alias[contents["a"]]),
                #"SELECT "p"."width" AS "k", MAX("p"."width", "p"."height"), "p"."contents" ->> ? FROM "parcel" "p" WHERE ("p"."width" + "p"."height") = ? ORDER BY "p"."width" DESC, "p"."height" ["a", 1]"#,
                "")
        }
        do {
            let alias = TableAlias<Parcel>(name: "p")
            try expect(
                Parcel.aliased(alias).filter { _ in alias.width == 1 },
                #"SELECT "p".* FROM "parcel" "p" WHERE "p"."width" = ? [1]"#, "(1, 1, …)")
        }
        do {
            let alias = TableAlias<Parcel>(name: "p")
            try expect(
                Parcel.aliased(alias).filter(Parcel.filter(width == 1).exists()),
                #"SELECT "p".* FROM "parcel" "p" WHERE EXISTS (SELECT * FROM "parcel" WHERE "width" = ?) [1]"#,
                "(1, 1, …) (2, 10, …) (3, NULL, …)")
        }
        do {
            let alias = TableAlias<Parcel>(name: "p")
            try expect(
                Parcel.aliased(alias).select(width.detached, height),
                #"SELECT "width", "p"."height" FROM "parcel" "p""#, "(1, 2) (10, 20) (NULL, NULL)")
        }
        do {
            let alias = TableAlias<Parcel>(name: "p")
            try expect(
                Parcel.aliased(alias).filter(width.detached == height),
                #"SELECT "p".* FROM "parcel" "p" WHERE "width" = "p"."height""#, "")
        }
        do {
            let alias = TableAlias<Parcel>(name: "p")
            try expectSingle(
                Parcel.aliased(alias).filter(Parcel.filter(width == alias[height]).exists()).filter(
                    key: 1),
                #"SELECT "p".* FROM "parcel" "p" WHERE (EXISTS (SELECT * FROM "parcel" WHERE "width" = "p"."height")) AND ("p"."id" = ?) [1]"#,
                "")
        }
    }

    @Test func oddNamesOfAliases() throws {
        do {
            let alias = TableAlias<Parcel>(name: "odd n\"ame")
            try expect(
                Parcel.aliased(alias).filter(width == 1),
                #"SELECT "odd n""ame".* FROM "parcel" "odd n""ame" WHERE "odd n""ame"."width" = ? [1]"#,
                "(1, 1, …)")
        }
        do {
            let alias = TableAlias<Parcel>(name: "")
            try expect(
                Parcel.aliased(alias).filter(width == 1),
                #"SELECT "".* FROM "parcel" "" WHERE ""."width" = ? [1]"#, "(1, 1, …)")
        }
    }

    // MARK: - Names that hide others

    /// The inner table gets another name when it has that of the alias.
    @Test func namedAliasesAreNotHidden() throws {
        let alias = TableAlias<Parcel>(name: "courier")
        let couriers = Courier.filter(id == alias[width])
        try expect(
            Parcel.aliased(alias).filter(couriers.exists()),
            #"SELECT "courier".* FROM "parcel" "courier" WHERE EXISTS (SELECT "courier__".* FROM "courier" "courier__" WHERE "courier__"."id" = "courier"."width")"#,
            "(1, 1, …)")
        try expectWrite(
            "1",
            #"DELETE FROM "parcel" AS "courier" WHERE EXISTS (SELECT "courier__".* FROM "courier" "courier__" WHERE "courier__"."id" = "courier"."width")"#
        ) { try Parcel.aliased(alias).filter(couriers.exists()).deleteAll($0) }
        let other = TableAlias<Courier>(name: "courier")
        try expectFailure(
            Parcel.aliased(alias).filter(
                Courier.aliased(other).filter(other[id] == alias[width]).exists()),
            "SQLite error 21: ambiguous alias: courier")
    }

    @Test func newNamesAreUnique() throws {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE parcel_ (id INTEGER PRIMARY KEY);
                    INSERT INTO parcel_ VALUES (1), (2), (7)
                    """)
            let alias = TableAlias<Parcel>()
            let inner = Table("parcel_").filter(id == alias[id])
            let request = Parcel.aliased(alias)
                .filter(Parcel.filter(id == alias[id]).filter(inner.exists()).exists())
                .select(alias[id], as: Int.self)
            try expectSQL(
                #"SELECT "parcel__"."id" FROM "parcel" "parcel__" WHERE EXISTS (SELECT * FROM "parcel" WHERE ("id" = "parcel__"."id") AND (EXISTS (SELECT * FROM "parcel_" WHERE "id" = "parcel__"."id")))"#
            ) {
                try expectEqual(request.fetchAll(db), [1, 2])
            }
            // A joined table may have the name, too.
            let association = Table("parcel").association(
                to: Table("parcel_"), on: { $0["id"] == $1["id"] })
            let outer = TableAlias<Row>()
            let joined = Table("parcel").aliased(outer).joining(required: association)
                .filter(Table("parcel").filter(id == outer[id]).exists())
                .select(outer[id], as: Int.self)
            try expectEqual(joined.fetchAll(db), [1, 2])
        }
    }

    /// Literals are statements as well.
    @Test func namesInLiterals() throws {
        try dbQueue.write { db in
            let alias = TableAlias<Parcel>()
            let request = Parcel.aliased(alias)
                .filter(Parcel.filter(width > alias[width]).exists())
                .select(alias[id])
            try expectEqual(SQLRequest<Int>("\(request)").fetchAll(db), [1])
            try db.create(view: "narrow", as: request)
            try expectEqual(Int.fetchAll(db, sql: "SELECT * FROM narrow"), [1])
        }
    }
}
