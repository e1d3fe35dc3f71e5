import GRDBSchema
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite(.databases) struct TableAlterationTests {
    private let player = "CREATE TABLE player(id INTEGER PRIMARY KEY, url TEXT, score INTEGER)"

    @Test func documentedAlteration() throws {
        try expectSchemaSQL(
            """
            ALTER TABLE "player" ADD COLUMN "hasBonus" BOOLEAN
            ALTER TABLE "player" RENAME COLUMN "url" TO "homeURL"
            ALTER TABLE "player" DROP COLUMN "score"
            """, player
        ) { db in
            try db.alter(table: "player") { t in
                t.add(column: "hasBonus", .boolean)
                t.rename(column: "url", to: "homeURL")
                t.drop(column: "score")
            }
        } then: { db throws in
            try expectEqual(db.columns(in: "player").map(\.name), ["id", "homeURL", "hasBonus"])
        }
    }

    @Test func additions() throws {
        try expectSchemaSQL(
            """
            ALTER TABLE "player" ADD COLUMN "a" TEXT NOT NULL DEFAULT 'x'
            ALTER TABLE "player" ADD COLUMN "teamId" REFERENCES "team"("id")
            ALTER TABLE "player" ADD COLUMN "parent" REFERENCES "player"("id")
            ALTER TABLE "player" ADD COLUMN q TEXT
            ALTER TABLE "player" ADD COLUMN r DEFAULT 3
            ALTER TABLE "player" ADD COLUMN "g" GENERATED ALWAYS AS (score + 1) VIRTUAL
            ALTER TABLE "player" ADD COLUMN "i" INTEGER
            CREATE INDEX "player_on_i" ON "player"("i")
            ALTER TABLE "player" RENAME COLUMN "i" TO "j"
            """, player
        ) { db in
            try db.alter(table: "player") { t in
                t.add(column: "a", .text).notNull().defaults(to: "x")
                t.add(column: "teamId").references("team")
                t.add(column: "parent").references("player")
                t.addColumn(sql: "q TEXT")
                t.addColumn(literal: "r DEFAULT \(3)")
                t.add(column: "g").generatedAs(sql: "score + 1")
                t.add(column: "i", .integer).indexed()
                t.rename(column: "i", to: "j")
            }
            try db.alter(table: "player") { _ in }
        } then: { db throws in
            try expectEqual(db.indexes(on: "player").map(\.columns), [["j"]])
            try expectEqual(db.foreignKeys(on: "player").count, 2)
        }
    }

    /// A reference sees what former changes of the same alteration have done.
    @Test func changesAreMadeInOrder() throws {
        try expectSchemaSQL(
            """
            ALTER TABLE "player" RENAME COLUMN "id" TO "uid"
            ALTER TABLE "player" ADD COLUMN "parent" REFERENCES "player"("uid")
            """, player
        ) { db in
            try db.alter(table: "player") { t in
                t.rename(column: "id", to: "uid")
                t.add(column: "parent").references("player")
            }
        }
    }

    @Test func failuresChangeNothing() throws {
        try expectSchemaError(
            """
            SQLite error 1: Cannot add a UNIQUE column - while executing \
            `ALTER TABLE "player" ADD COLUMN "b" UNIQUE`
            """, player
        ) { db in
            try db.alter(table: "player") { t in
                t.add(column: "a").indexed()
                t.add(column: "b").unique()
            }
        }
        try expectSchemaError(
            """
            SQLite error 1: Cannot add a PRIMARY KEY column - while executing \
            `ALTER TABLE "player" ADD COLUMN "b" PRIMARY KEY`
            """, player
        ) { db in try db.alter(table: "player") { $0.add(column: "b").primaryKey() } }
        try expectSchemaError(
            """
            SQLite error 1: no such table: nope - while executing \
            `ALTER TABLE "nope" ADD COLUMN "x"`
            """
        ) { db in try db.alter(table: "nope") { $0.add(column: "x") } }
        try expectSchemaError(
            """
            SQLite error 1: cannot drop PRIMARY KEY column: "id" - while executing \
            `ALTER TABLE "player" DROP COLUMN "id"`
            """, player
        ) { db in try db.alter(table: "player") { $0.drop(column: "id") } }
        try expectSchemaError("TestError", player) { db in
            try db.alter(table: "player") { t in
                t.drop(column: "score")
                throw TestError()
            }
        }
    }

    @Test func renameAndDrop() throws {
        try expectSchemaSQL(
            """
            ALTER TABLE "player" RENAME TO "hero"
            DROP TABLE "hero"
            DROP TABLE IF EXISTS "hero"
            DROP VIEW "aView"
            DROP VIEW IF EXISTS "aView"
            DROP INDEX IF EXISTS "i"
            DROP TRIGGER IF EXISTS "t"
            """, player
        ) { db in
            try db.rename(table: "player", to: "hero")
            try db.drop(table: "hero")
            try db.drop(table: "hero", options: .ifExists)
            try db.drop(view: "aView")
            try db.drop(view: "aView", options: .ifExists)
            try db.drop(index: "i", options: .ifExists)
            try db.drop(trigger: "t", options: .ifExists)
        } then: { db throws in
            try expectTrue(!db.tableExists("player"))
            expectError(
                "SQLite error 1: no such table: hero - while executing `DROP TABLE \"hero\"`"
            ) {
                try db.drop(table: "hero")
            }
            expectError("SQLite error 1: no such index: i - while executing `DROP INDEX \"i\"`") {
                try db.drop(index: "i")
            }
        }
    }
}
