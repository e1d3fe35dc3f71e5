import GRDBTestSupport
import Testing

@testable import GRDB

@Suite(.databases) struct ForeignKeyDefinitionTests {
    @Test func documentedBelongsTo() throws {
        try expectSchemaSQL(
            """
            CREATE TABLE "player" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, \
            "teamId" INTEGER REFERENCES "team"("id") ON DELETE CASCADE, \
            "countryCode" TEXT NOT NULL REFERENCES "country"("code"))
            CREATE INDEX "player_on_teamId" ON "player"("teamId")
            CREATE INDEX "player_on_countryCode" ON "player"("countryCode")
            """
        ) { db in
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("team", onDelete: .cascade)
                t.belongsTo("country").notNull()
            }
        } then: { db throws in
            let foreignKeys = try db.foreignKeys(on: "player")
            expectEqual(foreignKeys.map(\.destinationTable), ["country", "team"])
            expectEqual(foreignKeys.map(\.originColumns), [["countryCode"], ["teamId"]])
            expectEqual(foreignKeys.map(\.destinationColumns), [["code"], ["id"]])
            expectEqual(foreignKeys.map(\.deleteAction), [nil, .cascade])
        }
    }

    @Test func belongsToOptions() throws {
        try expectSchemaSQL(
            """
            CREATE TABLE "t" ("writerId" INTEGER NOT NULL REFERENCES "authors"("id") \
            ON DELETE RESTRICT ON UPDATE SET DEFAULT DEFERRABLE INITIALLY DEFERRED, \
            "coachId" INTEGER UNIQUE REFERENCES "team"("id"))
            """
        ) { db in
            try db.create(table: "t") { t in
                t.belongsTo(
                    "writer", inTable: "authors", onDelete: .restrict, onUpdate: .setDefault,
                    deferred: true, indexed: false
                ).notNull()
                t.belongsTo("coach", inTable: "team").unique()
            }
        }
    }

    @Test func tableNames() throws {
        // The plural is found, the name is spelled as it was given, and keys without an `id`.
        try expectSchemaSQL(
            """
            CREATE TABLE "t" ("authorId" INTEGER REFERENCES "authors"("id"), \
            "TeamId" INTEGER REFERENCES "Team"("id"), \
            "norowidUuid" BLOB REFERENCES "norowid"("uuid"), \
            "keylessId" INTEGER REFERENCES "keyless"("rowid"))
            """
        ) { db in
            try db.create(table: "t") { t in
                t.belongsTo("author", indexed: false)
                t.belongsTo("Team", indexed: false)
                t.belongsTo("norowid", indexed: false)
                t.belongsTo("keyless", indexed: false)
            }
        }
    }

    @Test func compositeKeys() throws {
        try expectSchemaSQL(
            """
            CREATE TABLE "t" ("parentsC" INTEGER NOT NULL, "parentsD" TEXT NOT NULL, \
            "oneC" INTEGER, "oneD" TEXT, "x", "y", \
            FOREIGN KEY ("parentsC", "parentsD") REFERENCES "parents"("c", "d") \
            ON DELETE SET NULL, \
            FOREIGN KEY ("oneC", "oneD") REFERENCES "parents"("c", "d"), \
            FOREIGN KEY ("x", "y") REFERENCES "parents"("c", "d"), \
            FOREIGN KEY ("y", "x") REFERENCES "parents"("d", "c") ON UPDATE CASCADE \
            DEFERRABLE INITIALLY DEFERRED)
            CREATE INDEX "index_t_on_parentsC_parentsD" ON "t"("parentsC", "parentsD")
            CREATE UNIQUE INDEX "index_t_on_oneC_oneD" ON "t"("oneC", "oneD")
            """
        ) { db in
            try db.create(table: "t") { t in
                t.belongsTo("parents", onDelete: .setNull).notNull()
                t.belongsTo("one", inTable: "parents").unique()
                t.column("x")
                t.column("y")
                t.foreignKey(["x", "y"], references: "parents")
                t.foreignKey(
                    ["y", "x"], references: "parents", columns: ["d", "c"], onUpdate: .cascade,
                    deferred: true)
            }
        } then: { db throws in
            try expectEqual(
                db.foreignKeys(on: "t").map(\.originColumns),
                [["y", "x"], ["x", "y"], ["oneC", "oneD"], ["parentsC", "parentsD"]])
        }
    }

    @Test func references() throws {
        try expectSchemaSQL(
            """
            CREATE TABLE "t" ("countryCode" TEXT REFERENCES "country"("code") ON DELETE CASCADE, \
            "b" REFERENCES "team"("id") ON UPDATE SET NULL DEFERRABLE INITIALLY DEFERRED, \
            "c" REFERENCES "future"("key"), "d" REFERENCES "keyless"("rowid"))
            """
        ) { db in
            try db.create(table: "t") { t in
                t.column("countryCode", .text).references("country", onDelete: .cascade)
                t.column("b").references("team", onUpdate: .setNull, deferred: true)
                t.column("c").references("future", column: "key")
                t.column("d").references("keyless")
            }
        }
    }

    @Test func selfReferences() throws {
        try expectSchemaSQL(
            """
            CREATE TABLE "t1" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, \
            "parentId" INTEGER REFERENCES "t1"("id"), "other" REFERENCES "T1"("id"))
            CREATE TABLE "t2" ("parentUuid" BLOB REFERENCES "t2"("uuid"), \
            "uuid" BLOB PRIMARY KEY NOT NULL)
            CREATE TABLE "t3" ("a" TEXT NOT NULL, "teamId" INTEGER NOT NULL \
            REFERENCES "team"("id"), "parentA" TEXT, "parentTeamId" INTEGER, \
            PRIMARY KEY ("a", "teamId"), \
            FOREIGN KEY ("parentA", "parentTeamId") REFERENCES "t3"("a", "teamId"))
            CREATE TABLE "t4" ("k" TEXT, "parentK" TEXT REFERENCES "t4"("k"), PRIMARY KEY ("k"))
            CREATE TABLE "t5" ("parentId" INTEGER REFERENCES "t5"("rowid"))
            CREATE TABLE "nodes" ("id" INTEGER PRIMARY KEY, \
            "nodeId" INTEGER REFERENCES "nodes"("id"))
            """
        ) { db in
            try db.create(table: "t1") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("parent", inTable: "t1", indexed: false)
                t.column("other").references("T1")
            }
            try db.create(table: "t2") { t in
                t.belongsTo("parent", inTable: "t2", indexed: false)
                t.primaryKey("uuid", .blob)
            }
            try db.create(table: "t3") { t in
                t.primaryKey {
                    t.column("a", .text)
                    t.belongsTo("team")
                }
                t.belongsTo("parent", inTable: "t3", indexed: false)
            }
            try db.create(table: "t4") { t in
                t.column("k", .text)
                t.primaryKey(["k"])
                t.belongsTo("parent", inTable: "t4", indexed: false)
            }
            try db.create(table: "t5") { t in
                t.belongsTo("parent", inTable: "t5", indexed: false)
            }
            try db.create(table: "nodes") { t in
                t.primaryKey("id", .integer)
                t.belongsTo("node", indexed: false)
            }
        }
    }

    @Test func temporaryTableReferencesTemporaryTable() throws {
        try expectSchemaSQL(
            """
            CREATE TEMPORARY TABLE "child" ("teamUuid" TEXT REFERENCES "team"("uuid"))
            CREATE TABLE "child" ("teamId" INTEGER REFERENCES "team"("id"))
            """, "CREATE TEMP TABLE team(uuid TEXT PRIMARY KEY);"
        ) { db in
            try db.create(table: "child", options: .temporary) { t in
                t.belongsTo("team", indexed: false)
            }
            try db.create(table: "child") { $0.belongsTo("team", indexed: false) }
        }
    }

    @Test func failures() throws {
        try expectSchemaError("SQLite error 1: no such table: nope") { db in
            try db.create(table: "t") { $0.belongsTo("nope") }
        }
        try expectSchemaError("SQLite error 1: no such table: nope") { db in
            try db.create(table: "t") { $0.belongsTo("team", inTable: "nope") }
        }
        try expectSchemaError("SQLite error 1: no such table: nope") { db in
            try db.create(table: "t") { $0.column("a").references("nope") }
        }
        try expectSchemaError("SQLite error 1: no such table: nope") { db in
            try db.create(table: "t") { t in
                t.column("a")
                t.foreignKey(["a"], references: "nope")
            }
        }
        try expectSchemaError("SQLite error 1: database view aView has no primary key") { db in
            try db.create(table: "t") { $0.column("a").references("aView") }
        }
        try expectSchemaError(
            """
            SQLite error 1: foreign key on a should reference only one column of table "parents"
            """
        ) { db in try db.create(table: "t") { $0.column("a").references("parents") } }
        try expectSchemaError(
            """
            SQLite error 1: number of columns in foreign key does not match the number of columns \
            in the referenced table - while executing \
            `CREATE TABLE "t" ("a", FOREIGN KEY ("a") REFERENCES "parents"("c", "d"))`
            """
        ) { db in
            try db.create(table: "t") { t in
                t.column("a")
                t.foreignKey(["a"], references: "parents")
            }
        }
        try expectSchemaError(
            """
            SQLite error 21: primary key of table t can't be defined by foreign key parent to the \
            same table
            """
        ) { db in
            try db.create(table: "t") { t in
                t.primaryKey { t.belongsTo("parent", inTable: "t") }
            }
        }
    }
}
