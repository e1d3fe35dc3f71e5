import GRDBQueries
import GRDB

extension StoredSchemaCase {
    /// Types, collations, defaults, checks, generated columns and references.
    static let columns: [Self] = [
        Self(
            "coll-bin",
            [
                #"CREATE TABLE "t" ("a" TEXT COLLATE BINARY)"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .text).collate(.binary) } },
        Self(
            "coll-nocase",
            [
                #"CREATE TABLE "t" ("a" TEXT COLLATE NOCASE)"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .text).collate(.nocase) } },
        Self(
            "coll-rtrim",
            [
                #"CREATE TABLE "t" ("a" TEXT COLLATE RTRIM)"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .text).collate(.rtrim) } },
        Self(
            "coll-my",
            [
                #"CREATE TABLE "t" ("a" TEXT COLLATE my_coll)"#
            ]
        ) {
            try $0.create(table: "t") {
                $0.column("a", .text).collate(Database.CollationName(rawValue: "my_coll"))
            }
        },
        Self(
            "collc",
            [
                #"CREATE TABLE "t" ("a" TEXT COLLATE swiftCompare)"#
            ]
        ) {
            try $0.create(table: "t") {
                $0.column("a", .text).collate(.localizedCompare).collate(.unicodeCompare)
            }
        },
        Self(
            "collc2",
            [
                #"CREATE TABLE "t" ("a" TEXT UNIQUE COLLATE swiftLocalizedCaseInsensitiveCompare)"#
            ]
        ) {
            try $0.create(table: "t") {
                $0.column("a", .text).collate(.localizedCaseInsensitiveCompare).unique()
            }
        },
        Self(
            "type-ANY",
            [
                #"CREATE TABLE "t" ("a" ANY)"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .any) } },
        Self(
            "type-BLOB",
            [
                #"CREATE TABLE "t" ("a" BLOB)"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .blob) } },
        Self(
            "type-BOOLEAN",
            [
                #"CREATE TABLE "t" ("a" BOOLEAN)"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .boolean) } },
        Self(
            "type-DATE",
            [
                #"CREATE TABLE "t" ("a" DATE)"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .date) } },
        Self(
            "type-DATETIME",
            [
                #"CREATE TABLE "t" ("a" DATETIME)"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .datetime) } },
        Self(
            "type-DOUBLE",
            [
                #"CREATE TABLE "t" ("a" DOUBLE)"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .double) } },
        Self(
            "type-INTEGER",
            [
                #"CREATE TABLE "t" ("a" INTEGER)"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .integer) } },
        Self(
            "type-NUMERIC",
            [
                #"CREATE TABLE "t" ("a" NUMERIC)"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .numeric) } },
        Self(
            "type-REAL",
            [
                #"CREATE TABLE "t" ("a" REAL)"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .real) } },
        Self(
            "type-VARCHAR(10)",
            [
                #"CREATE TABLE "t" ("a" VARCHAR(10))"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .init(rawValue: "VARCHAR(10)")) } },
        Self(
            "type-json",
            [
                #"CREATE TABLE "t" ("a" TEXT)"#
            ]
        ) { try $0.create(table: "t") { $0.column("a", .jsonText) } },
        Self(
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
        Self(
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
        Self(
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
        Self(
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
        Self(
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
        Self(
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
        Self(
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
        Self(
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
    ]
}
