import GRDB

extension StoredSchemaCase {
    /// Options of tables, alterations, indexes, views and virtual tables.
    static let tables: [Self] = [
        Self(
            "wr",
            [
                #"CREATE TABLE "t" ("id" TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID"#
            ]
        ) {
            try $0.create(table: "t", options: [.withoutRowID]) { t in t.primaryKey("id", .text) }
        },
        Self(
            "strict",
            [
                #"CREATE TABLE "t" ("id" ANY) STRICT"#
            ]
        ) { try $0.create(table: "t", options: [.strict]) { t in t.column("id", .any) } },
        Self(
            "ws",
            [
                #"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY) STRICT, WITHOUT ROWID"#
            ]
        ) {
            try $0.create(table: "t", options: [.withoutRowID, .strict]) { t in
                t.primaryKey("id", .integer)
            }
        },
        Self(
            "ine",
            [
                #"CREATE TABLE "t" ("id")"#,
                #"CREATE INDEX "t_on_id" ON "t"("id")"#,
            ]
        ) { try $0.create(table: "t", options: [.ifNotExists]) { t in t.column("id").indexed() } },
        Self(
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
        Self(
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
        Self(
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
        Self(
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
        Self(
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
        Self(
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
        Self(
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
