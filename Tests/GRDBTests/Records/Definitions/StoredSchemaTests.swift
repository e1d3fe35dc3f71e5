import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Calls of the schema builders, and the text that they leave in `sqlite_master`.
///
/// `eraseDatabaseOnSchemaChange` compares such texts: an app that has made its database with
/// another implementation of this API must not lose it. So each line here was read from a database
/// that GRDB 7.10.0 has made with the same calls.
private struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var schema: [String]
    var build: @Sendable (Database) throws -> Void

    init(
        _ name: String, _ schema: [String], _ build: @escaping @Sendable (Database) throws -> Void
    ) {
        self.name = name
        self.schema = schema
        self.build = build
    }

    var testDescription: String { name }

    static let all: [Case] = [
        Case(
            "auto",
            [
                #"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY AUTOINCREMENT)"#
            ]
        ) { try $0.create(table: "t") { $0.autoIncrementedPrimaryKey("id") } },
        Case(
            "auto-ABORT",
            [
                #"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY ON CONFLICT ABORT AUTOINCREMENT)"#
            ]
        ) { try $0.create(table: "t") { $0.autoIncrementedPrimaryKey("id", onConflict: .abort) } },
        Case(
            "auto-FAIL",
            [
                #"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY ON CONFLICT FAIL AUTOINCREMENT)"#
            ]
        ) { try $0.create(table: "t") { $0.autoIncrementedPrimaryKey("id", onConflict: .fail) } },
        Case(
            "auto-IGNORE",
            [
                #"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY ON CONFLICT IGNORE AUTOINCREMENT)"#
            ]
        ) { try $0.create(table: "t") { $0.autoIncrementedPrimaryKey("id", onConflict: .ignore) } },
        Case(
            "auto-REPLACE",
            [
                #"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY ON CONFLICT REPLACE AUTOINCREMENT)"#
            ]
        ) {
            try $0.create(table: "t") { $0.autoIncrementedPrimaryKey("id", onConflict: .replace) }
        },
        Case(
            "auto-ROLLBACK",
            [
                #"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY ON CONFLICT ROLLBACK AUTOINCREMENT)"#
            ]
        ) {
            try $0.create(table: "t") { $0.autoIncrementedPrimaryKey("id", onConflict: .rollback) }
        },
        Case(
            "pk-ABORT",
            [
                #"CREATE TABLE "t" ("id" TEXT PRIMARY KEY ON CONFLICT ABORT NOT NULL)"#
            ]
        ) { try $0.create(table: "t") { $0.primaryKey("id", .text, onConflict: .abort) } },
        Case(
            "pk-FAIL",
            [
                #"CREATE TABLE "t" ("id" TEXT PRIMARY KEY ON CONFLICT FAIL NOT NULL)"#
            ]
        ) { try $0.create(table: "t") { $0.primaryKey("id", .text, onConflict: .fail) } },
        Case(
            "pk-IGNORE",
            [
                #"CREATE TABLE "t" ("id" TEXT PRIMARY KEY ON CONFLICT IGNORE NOT NULL)"#
            ]
        ) { try $0.create(table: "t") { $0.primaryKey("id", .text, onConflict: .ignore) } },
        Case(
            "pk-REPLACE",
            [
                #"CREATE TABLE "t" ("id" TEXT PRIMARY KEY ON CONFLICT REPLACE NOT NULL)"#
            ]
        ) { try $0.create(table: "t") { $0.primaryKey("id", .text, onConflict: .replace) } },
        Case(
            "pk-ROLLBACK",
            [
                #"CREATE TABLE "t" ("id" TEXT PRIMARY KEY ON CONFLICT ROLLBACK NOT NULL)"#
            ]
        ) { try $0.create(table: "t") { $0.primaryKey("id", .text, onConflict: .rollback) } },
        Case(
            "cpk-ABORT",
            [
                #"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY ON CONFLICT ABORT AUTOINCREMENT)"#
            ]
        ) {
            try $0.create(table: "t") {
                $0.column("id", .integer).primaryKey(onConflict: .abort, autoincrement: true)
            }
        },
        Case(
            "cpk-FAIL",
            [
                #"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY ON CONFLICT FAIL AUTOINCREMENT)"#
            ]
        ) {
            try $0.create(table: "t") {
                $0.column("id", .integer).primaryKey(onConflict: .fail, autoincrement: true)
            }
        },
        Case(
            "cpk-IGNORE",
            [
                #"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY ON CONFLICT IGNORE AUTOINCREMENT)"#
            ]
        ) {
            try $0.create(table: "t") {
                $0.column("id", .integer).primaryKey(onConflict: .ignore, autoincrement: true)
            }
        },
        Case(
            "cpk-REPLACE",
            [
                #"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY ON CONFLICT REPLACE AUTOINCREMENT)"#
            ]
        ) {
            try $0.create(table: "t") {
                $0.column("id", .integer).primaryKey(onConflict: .replace, autoincrement: true)
            }
        },
        Case(
            "cpk-ROLLBACK",
            [
                #"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY ON CONFLICT ROLLBACK AUTOINCREMENT)"#
            ]
        ) {
            try $0.create(table: "t") {
                $0.column("id", .integer).primaryKey(onConflict: .rollback, autoincrement: true)
            }
        },
        Case(
            "nn-ABORT",
            [
                #"CREATE TABLE "t" ("id" INTEGER NOT NULL UNIQUE)"#
            ]
        ) {
            try $0.create(table: "t") {
                $0.column("id", .integer).notNull(onConflict: .abort).unique(onConflict: .abort)
            }
        },
        Case(
            "nn-FAIL",
            [
                #"CREATE TABLE "t" ("id" INTEGER NOT NULL ON CONFLICT FAIL UNIQUE ON CONFLICT FAIL)"#
            ]
        ) {
            try $0.create(table: "t") {
                $0.column("id", .integer).notNull(onConflict: .fail).unique(onConflict: .fail)
            }
        },
        Case(
            "nn-IGNORE",
            [
                #"CREATE TABLE "t" ("id" INTEGER NOT NULL ON CONFLICT IGNORE UNIQUE ON CONFLICT IGNORE)"#
            ]
        ) {
            try $0.create(table: "t") {
                $0.column("id", .integer).notNull(onConflict: .ignore).unique(onConflict: .ignore)
            }
        },
        Case(
            "nn-REPLACE",
            [
                #"CREATE TABLE "t" ("id" INTEGER NOT NULL ON CONFLICT REPLACE UNIQUE ON CONFLICT REPLACE)"#
            ]
        ) {
            try $0.create(table: "t") {
                $0.column("id", .integer).notNull(onConflict: .replace).unique(onConflict: .replace)
            }
        },
        Case(
            "nn-ROLLBACK",
            [
                #"CREATE TABLE "t" ("id" INTEGER NOT NULL ON CONFLICT ROLLBACK UNIQUE ON CONFLICT ROLLBACK)"#
            ]
        ) {
            try $0.create(table: "t") {
                $0.column("id", .integer).notNull(onConflict: .rollback).unique(
                    onConflict: .rollback)
            }
        },
        Case(
            "tpk-ABORT",
            [
                #"CREATE TABLE "t" ("a", "b", PRIMARY KEY ("a", "b") ON CONFLICT ABORT)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.column("a"); t.column("b"); t.primaryKey(["a", "b"], onConflict: .abort)
            }
        },
        Case(
            "tpk-FAIL",
            [
                #"CREATE TABLE "t" ("a", "b", PRIMARY KEY ("a", "b") ON CONFLICT FAIL)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.column("a"); t.column("b"); t.primaryKey(["a", "b"], onConflict: .fail)
            }
        },
        Case(
            "tpk-IGNORE",
            [
                #"CREATE TABLE "t" ("a", "b", PRIMARY KEY ("a", "b") ON CONFLICT IGNORE)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.column("a"); t.column("b"); t.primaryKey(["a", "b"], onConflict: .ignore)
            }
        },
        Case(
            "tpk-REPLACE",
            [
                #"CREATE TABLE "t" ("a", "b", PRIMARY KEY ("a", "b") ON CONFLICT REPLACE)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.column("a"); t.column("b"); t.primaryKey(["a", "b"], onConflict: .replace)
            }
        },
        Case(
            "tpk-ROLLBACK",
            [
                #"CREATE TABLE "t" ("a", "b", PRIMARY KEY ("a", "b") ON CONFLICT ROLLBACK)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.column("a"); t.column("b"); t.primaryKey(["a", "b"], onConflict: .rollback)
            }
        },
        Case(
            "tuk-ABORT",
            [
                #"CREATE TABLE "t" ("a", "b", UNIQUE ("a", "b") ON CONFLICT ABORT)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.column("a"); t.column("b"); t.uniqueKey(["a", "b"], onConflict: .abort)
            }
        },
        Case(
            "tuk-FAIL",
            [
                #"CREATE TABLE "t" ("a", "b", UNIQUE ("a", "b") ON CONFLICT FAIL)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.column("a"); t.column("b"); t.uniqueKey(["a", "b"], onConflict: .fail)
            }
        },
        Case(
            "tuk-IGNORE",
            [
                #"CREATE TABLE "t" ("a", "b", UNIQUE ("a", "b") ON CONFLICT IGNORE)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.column("a"); t.column("b"); t.uniqueKey(["a", "b"], onConflict: .ignore)
            }
        },
        Case(
            "tuk-REPLACE",
            [
                #"CREATE TABLE "t" ("a", "b", UNIQUE ("a", "b") ON CONFLICT REPLACE)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.column("a"); t.column("b"); t.uniqueKey(["a", "b"], onConflict: .replace)
            }
        },
        Case(
            "tuk-ROLLBACK",
            [
                #"CREATE TABLE "t" ("a", "b", UNIQUE ("a", "b") ON CONFLICT ROLLBACK)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.column("a"); t.column("b"); t.uniqueKey(["a", "b"], onConflict: .rollback)
            }
        },
        Case(
            "bpk-ABORT",
            [
                #"CREATE TABLE "t" ("a" NOT NULL, "b" NOT NULL, PRIMARY KEY ("a", "b") ON CONFLICT ABORT)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.primaryKey(onConflict: .abort) {
                    t.column("a"); t.column("b")
                }
            }
        },
        Case(
            "bpk-FAIL",
            [
                #"CREATE TABLE "t" ("a" NOT NULL, "b" NOT NULL, PRIMARY KEY ("a", "b") ON CONFLICT FAIL)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.primaryKey(onConflict: .fail) {
                    t.column("a"); t.column("b")
                }
            }
        },
        Case(
            "bpk-IGNORE",
            [
                #"CREATE TABLE "t" ("a" NOT NULL, "b" NOT NULL, PRIMARY KEY ("a", "b") ON CONFLICT IGNORE)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.primaryKey(onConflict: .ignore) {
                    t.column("a"); t.column("b")
                }
            }
        },
        Case(
            "bpk-REPLACE",
            [
                #"CREATE TABLE "t" ("a" NOT NULL, "b" NOT NULL, PRIMARY KEY ("a", "b") ON CONFLICT REPLACE)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.primaryKey(onConflict: .replace) {
                    t.column("a"); t.column("b")
                }
            }
        },
        Case(
            "bpk-ROLLBACK",
            [
                #"CREATE TABLE "t" ("a" NOT NULL, "b" NOT NULL, PRIMARY KEY ("a", "b") ON CONFLICT ROLLBACK)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.primaryKey(onConflict: .rollback) {
                    t.column("a"); t.column("b")
                }
            }
        },
        Case(
            "coll-bin",
            [
                #"CREATE TABLE "t" ("a" TEXT COLLATE BINARY)"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .text).collate(.binary) } },
        Case(
            "coll-nocase",
            [
                #"CREATE TABLE "t" ("a" TEXT COLLATE NOCASE)"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .text).collate(.nocase) } },
        Case(
            "coll-rtrim",
            [
                #"CREATE TABLE "t" ("a" TEXT COLLATE RTRIM)"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .text).collate(.rtrim) } },
        Case(
            "coll-my",
            [
                #"CREATE TABLE "t" ("a" TEXT COLLATE my_coll)"#
            ]
        ) {
            try $0.create(table: "t") {
                $0.column("a", .text).collate(Database.CollationName(rawValue: "my_coll"))
            }
        },
        Case(
            "collc",
            [
                #"CREATE TABLE "t" ("a" TEXT COLLATE swiftCompare)"#
            ]
        ) {
            try $0.create(table: "t") {
                $0.column("a", .text).collate(.localizedCompare).collate(.unicodeCompare)
            }
        },
        Case(
            "collc2",
            [
                #"CREATE TABLE "t" ("a" TEXT UNIQUE COLLATE swiftLocalizedCaseInsensitiveCompare)"#
            ]
        ) {
            try $0.create(table: "t") {
                $0.column("a", .text).collate(.localizedCaseInsensitiveCompare).unique()
            }
        },
        Case(
            "type-ANY",
            [
                #"CREATE TABLE "t" ("a" ANY)"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .any) } },
        Case(
            "type-BLOB",
            [
                #"CREATE TABLE "t" ("a" BLOB)"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .blob) } },
        Case(
            "type-BOOLEAN",
            [
                #"CREATE TABLE "t" ("a" BOOLEAN)"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .boolean) } },
        Case(
            "type-DATE",
            [
                #"CREATE TABLE "t" ("a" DATE)"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .date) } },
        Case(
            "type-DATETIME",
            [
                #"CREATE TABLE "t" ("a" DATETIME)"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .datetime) } },
        Case(
            "type-DOUBLE",
            [
                #"CREATE TABLE "t" ("a" DOUBLE)"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .double) } },
        Case(
            "type-INTEGER",
            [
                #"CREATE TABLE "t" ("a" INTEGER)"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .integer) } },
        Case(
            "type-NUMERIC",
            [
                #"CREATE TABLE "t" ("a" NUMERIC)"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .numeric) } },
        Case(
            "type-REAL",
            [
                #"CREATE TABLE "t" ("a" REAL)"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .real) } },
        Case(
            "type-VARCHAR(10)",
            [
                #"CREATE TABLE "t" ("a" VARCHAR(10))"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .init(rawValue: "VARCHAR(10)")) } },
        Case(
            "type-json",
            [
                #"CREATE TABLE "t" ("a" TEXT)"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .jsonText) } },
        Case(
            "def",
            [
                #"CREATE TABLE "t" ("a" DEFAULT 1, "b" DEFAULT 'o''x', "c" DEFAULT 1.5, "d" DEFAULT CURRENT_TIMESTAMP, "e" DEFAULT 1, "f" DEFAULT -3)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.column("a").defaults(to: 1); t.column("b").defaults(to: "o'x");
                t.column("c").defaults(to: 1.5); t.column("d").defaults(sql: "CURRENT_TIMESTAMP");
                t.column("e").defaults(to: true); t.column("f").defaults(to: -3)
            }
        },
        Case(
            "check",
            [
                #"CREATE TABLE "t" ("a" CHECK ("a" > 0), "b" CHECK (b <> 2), "c" CHECK ((LENGTH("c") > 2) AND ("c" <> 'x')), CHECK (a + b < 10), CHECK ("a" < "b"))"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.column("a").check { $0 > 0 }; t.column("b").check(sql: "b <> 2");
                t.check(sql: "a + b < 10"); t.check(Column("a") < Column("b"));
                t.column("c").check { length($0) > 2 && $0 != "x" }
            }
        },
        Case(
            "gen",
            [
                #"CREATE TABLE "t" ("a" INTEGER, "b" INTEGER GENERATED ALWAYS AS (a + 1) VIRTUAL, "c" GENERATED ALWAYS AS (a) STORED, "d" GENERATED ALWAYS AS ("a" + 1) VIRTUAL)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.column("a", .integer); t.column("b", .integer).generatedAs(sql: "a + 1");
                t.column("c").generatedAs(sql: "a", .stored);
                t.column("d").generatedAs(Column("a") + 1, .virtual)
            }
        },
        Case(
            "ref",
            [
                #"CREATE TABLE "t" ("a" REFERENCES "parent"("id"), "b" REFERENCES "parent"("id") ON DELETE CASCADE ON UPDATE SET NULL DEFERRABLE INITIALLY DEFERRED, "c" INTEGER NOT NULL UNIQUE REFERENCES "parent"("id") ON DELETE RESTRICT ON UPDATE SET DEFAULT, "d" REFERENCES "np"("rowid"), "e" REFERENCES "t"("rowid"))"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.column("a").references("parent");
                t.column("b").references(
                    "parent", column: "id", onDelete: .cascade, onUpdate: .setNull, deferred: true);
                t.column("c", .integer).notNull().unique().indexed().references(
                    "parent", onDelete: .restrict, onUpdate: .setDefault);
                t.column("d").references("np"); t.column("e").references("t")
            }
        },
        Case(
            "fk",
            [
                #"CREATE TABLE "t" ("a", "b", FOREIGN KEY ("a", "b") REFERENCES "parent2"("a", "b"), FOREIGN KEY ("a") REFERENCES "parent"("id") ON DELETE CASCADE ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.column("a"); t.column("b"); t.foreignKey(["a", "b"], references: "parent2");
                t.foreignKey(
                    ["a"], references: "parent", columns: ["id"], onDelete: .cascade,
                    onUpdate: .cascade, deferred: true)
            }
        },
        Case(
            "bt",
            [
                #"CREATE TABLE "t" ("parentId" INTEGER REFERENCES "parent"("id"), "p2A" TEXT NOT NULL, "p2B" INTEGER NOT NULL, FOREIGN KEY ("p2A", "p2B") REFERENCES "parent2"("a", "b") ON DELETE CASCADE ON UPDATE RESTRICT DEFERRABLE INITIALLY DEFERRED)"#,
                #"CREATE INDEX "t_on_parentId" ON "t"("parentId")"#,
            ]
        ) {
            try $0.create(table: "t") { t in
                t.belongsTo("parent");
                t.belongsTo(
                    "p2", inTable: "parent2", onDelete: .cascade, onUpdate: .restrict,
                    deferred: true, indexed: false
                ).notNull()
            }
        },
        Case(
            "bt2",
            [
                #"CREATE TABLE "t" ("parentId" INTEGER UNIQUE REFERENCES "parent"("id"), "xId" INTEGER NOT NULL UNIQUE REFERENCES "parent"("id"))"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.belongsTo("parent").unique();
                t.belongsTo("x", inTable: "parent").notNull().unique()
            }
        },
        Case(
            "btpk",
            [
                #"CREATE TABLE "t" ("parentId" INTEGER NOT NULL REFERENCES "parent"("id"), "z" TEXT NOT NULL, PRIMARY KEY ("parentId", "z"))"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.primaryKey {
                    t.belongsTo("parent"); t.column("z", .text)
                }
            }
        },
        Case(
            "wr",
            [
                #"CREATE TABLE "t" ("id" TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID"#
            ]
        ) {
            try $0.create(table: "t", options: [.withoutRowID]) { t in t.primaryKey("id", .text) }
        },
        Case(
            "strict",
            [
                #"CREATE TABLE "t" ("id" ANY) STRICT"#
            ]
        ) { try $0.create(table: "t", options: [.strict]) { t in t.column("id", .any) } },
        Case(
            "ws",
            [
                #"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY) STRICT, WITHOUT ROWID"#
            ]
        ) {
            try $0.create(table: "t", options: [.withoutRowID, .strict]) { t in
                t.primaryKey("id", .integer)
            }
        },
        Case(
            "ine",
            [
                #"CREATE TABLE "t" ("id")"#,
                #"CREATE INDEX "t_on_id" ON "t"("id")"#,
            ]
        ) { try $0.create(table: "t", options: [.ifNotExists]) { t in t.column("id").indexed() } },
        Case(
            "raw",
            [
                #"CREATE TABLE "t" (a TEXT, b INTEGER DEFAULT 3, UNIQUE (a), CHECK (b > 1))"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.column(sql: "a TEXT"); t.column(literal: "b INTEGER DEFAULT 3");
                t.constraint(sql: "UNIQUE (a)"); t.constraint(literal: "CHECK (b > 1)")
            }
        },
        Case(
            "alter",
            [
                #"CREATE TABLE "t" ("c", "b" TEXT NOT NULL DEFAULT 'x' COLLATE NOCASE, "d" INTEGER REFERENCES "parent"("id") ON DELETE CASCADE, e TEXT, f DEFAULT 2, "g" CHECK (g > 1), "h" GENERATED ALWAYS AS (b) VIRTUAL)"#
            ]
        ) {
            try $0.create(table: "t") { t in t.column("a") };
            try $0.alter(table: "t") { t in
                t.add(column: "b", .text).notNull().defaults(to: "x").collate(.nocase);
                t.rename(column: "a", to: "c");
                t.add(column: "d", .integer).references("parent", onDelete: .cascade);
                t.addColumn(sql: "e TEXT"); t.addColumn(literal: "f DEFAULT 2");
                t.add(column: "g").check(sql: "g > 1"); t.add(column: "h").generatedAs(sql: "b")
            }
        },
        Case(
            "drop",
            [
                #"CREATE TABLE "t2" ("a")"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.column("a"); t.column("b")
            }; try $0.alter(table: "t") { t in t.drop(column: "b") };
            try $0.rename(table: "t", to: "t2")
        },
        Case(
            "idx",
            [
                #"CREATE TABLE "t" ("a", "b")"#,
                #"CREATE INDEX "i1" ON "t"("a", "b")"#,
                #"CREATE UNIQUE INDEX "i2" ON "t"("a") WHERE "b" > 1"#,
                #"CREATE UNIQUE INDEX "i3" ON "t"("a")"#,
                #"CREATE INDEX "i4" ON "t"("a" COLLATE NOCASE, "b" + 1)"#,
            ]
        ) { db in
            try db.create(table: "t") { t in
                t.column("a"); t.column("b")
            }
            try db.create(index: "i1", on: "t", columns: ["a", "b"]);
            try db.create(
                index: "i2", on: "t", columns: ["a"], options: [.unique], condition: Column("b") > 1
            )
            try db.create(index: "i3", on: "t", columns: ["a"], options: [.ifNotExists, .unique]);
            try db.create(
                index: "i4", on: "t",
                expressions: [Column("a").collating(.nocase), Column("b") + 1])
        },
        Case(
            "idx2",
            [
                #"CREATE TABLE "t" ("a", "b")"#,
                #"CREATE INDEX "index_t_on_a_b" ON "t"("a", "b")"#,
                #"CREATE UNIQUE INDEX "index_t_on_b" ON "t"("b") WHERE "a" = 'x'"#,
            ]
        ) { db in
            try db.create(table: "t") { t in
                t.column("a"); t.column("b")
            }
            try db.create(indexOn: "t", columns: ["a", "b"]);
            try db.create(
                indexOn: "t", columns: ["b"], options: [.unique], condition: Column("a") == "x")
        },
        Case(
            "view",
            [
                #"CREATE TABLE "t" ("a", "b")"#,
                #"CREATE VIEW "v1" AS SELECT * FROM t WHERE a = 1"#,
                #"CREATE VIEW "v2" ("x", "y") AS SELECT * FROM t WHERE a = 2"#,
                #"CREATE VIEW "v3" AS SELECT * FROM "t" WHERE "a" = 1"#,
            ]
        ) { db in
            try db.create(table: "t") { t in
                t.column("a"); t.column("b")
            }
            try db.create(view: "v1", asLiteral: "SELECT * FROM t WHERE a = 1");
            try db.create(
                view: "v2", options: [.ifNotExists], columns: ["x", "y"],
                as: SQLRequest<Row>(sql: "SELECT * FROM t WHERE a = 2"))
            try db.create(view: "v3", as: Table("t").filter(Column("a") == 1))
        },
        Case(
            "fts5",
            [
                #"CREATE VIRTUAL TABLE "t" USING fts5(a, b UNINDEXED, tokenize='''porter'' ''unicode61''', prefix='2 4', columnSize=0, detail=column)"#,
                #"CREATE TABLE 't_data'(id INTEGER PRIMARY KEY, block BLOB)"#,
                #"CREATE TABLE 't_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID"#,
                #"CREATE TABLE 't_content'(id INTEGER PRIMARY KEY, c0, c1)"#,
                #"CREATE TABLE 't_config'(k PRIMARY KEY, v) WITHOUT ROWID"#,
            ]
        ) { db in
            try db.create(virtualTable: "t", using: FTS5()) { t in
                t.tokenizer = .porter(wrapping: .unicode61()); t.column("a");
                t.column("b").notIndexed(); t.prefixes = [2, 4]; t.columnSize = 0;
                t.detail = "column"
            }
        },
    ]
}

@Suite(.databases) struct StoredSchemaTests {
    @Test(arguments: Case.all)
    fileprivate func storedSchema(_ test: Case) throws {
        try TestDatabases.makeQueue().write { db in
            db.add(collation: DatabaseCollation("my_coll") { _, _ in .orderedSame })
            try db.create(table: "parent") { $0.autoIncrementedPrimaryKey("id") }
            try db.create(table: "parent2") { t in
                t.primaryKey {
                    t.column("a", .text)
                    t.column("b", .integer)
                }
            }
            try db.create(table: "np") { $0.column("x") }
            let known = try String.fetchSet(db, sql: "SELECT name FROM sqlite_master")
            try test.build(db)
            let rows = try Row.fetchAll(
                db, sql: "SELECT name, sql FROM sqlite_master WHERE sql NOT NULL ORDER BY rowid")
            let schema: [String] = rows.filter { !known.contains($0[0]) }.map { $0[1] }
            #expect(schema == test.schema)
        }
    }

    @Test func collationsThatNeedQuotesHaveThem() throws {
        try TestDatabases.makeQueue().write { db in
            for name in ["my coll", "select", "1a", "a\"b", "é"] {
                db.add(collation: DatabaseCollation(name) { _, _ in .orderedSame })
                try db.create(table: "t") {
                    $0.column("a", .text).collate(Database.CollationName(rawValue: name))
                }
                let sql = try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master")
                let quoted = name.replacingOccurrences(of: "\"", with: "\"\"")
                #expect(sql == #"CREATE TABLE "t" ("a" TEXT COLLATE "\#(quoted)")"#)
                try db.drop(table: "t")
            }
        }
    }
}
