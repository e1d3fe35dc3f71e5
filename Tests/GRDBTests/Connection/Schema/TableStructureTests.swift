import GRDBSchema
import GRDBServer
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite(.databases) struct TableStructureTests {
    private func withSchema(_ sql: String = "", _ body: (Database) throws -> Void) throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH DATABASE ':memory:' AS att")
            try db.execute(
                sql: """
                    CREATE TABLE t(
                        id INTEGER PRIMARY KEY, a TEXT DEFAULT 'x', b INT NOT NULL DEFAULT (1+1),
                        c, "we ird" DOUBLE, g INT GENERATED ALWAYS AS (b + 1) VIRTUAL,
                        gs INT GENERATED ALWAYS AS (b + 1) STORED, UNIQUE(a, b));
                    CREATE TABLE ai(id INTEGER PRIMARY KEY AUTOINCREMENT, x UNIQUE);
                    CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID;
                    CREATE TABLE w2(a, b, v, PRIMARY KEY (b, a)) WITHOUT ROWID;
                    CREATE TABLE wi(k INTEGER PRIMARY KEY) WITHOUT ROWID;
                    CREATE TABLE cpk(a, b, v, PRIMARY KEY (b, a));
                    CREATE TABLE nopk(x, y);
                    CREATE TABLE textpk(k TEXT PRIMARY KEY);
                    CREATE TABLE intpk(k INT PRIMARY KEY);
                    CREATE TABLE descpk(k INTEGER PRIMARY KEY DESC);
                    CREATE TABLE named(rowid TEXT, x);
                    CREATE TABLE att.t(q INTEGER PRIMARY KEY, r);
                    CREATE TEMP TABLE shadowed(inTemp);
                    CREATE TABLE main.shadowed(inMain);
                    CREATE VIEW vw AS SELECT id, a FROM t;
                    CREATE VIRTUAL TABLE ft USING fts5(title);
                    \(sql)
                    """)
            try body(db)
        }
    }

    // MARK: - Columns

    @Test(arguments: ["t", "T"]) func columns(name: String) throws {
        try withSchema { db throws in
            let columns = try db.columns(in: name)
            expectEqual(columns.map(\.name), ["id", "a", "b", "c", "we ird", "g", "gs"])
            expectEqual(
                columns.map(\.type), ["INTEGER", "TEXT", "INT", "", "DOUBLE", "INT", "INT"])
            expectEqual(columns.map(\.isNotNull), [false, false, true, false, false, false, false])
            expectEqual(columns.map(\.defaultValueSQL), [nil, "'x'", "1+1", nil, nil, nil, nil])
            expectEqual(columns.map(\.primaryKeyIndex), [1, 0, 0, 0, 0, 0, 0])
            expectEqual(
                columns.map(\.isGenerated), [false, false, false, false, false, true, true])
        }
    }

    @Test func columnsOfOtherTables() throws {
        try withSchema { db throws in
            try expectEqual(db.columns(in: "vw").map(\.name), ["id", "a"])
            try expectEqual(db.columns(in: "vw").map(\.type), ["INTEGER", "TEXT"])
            try expectEqual(db.columns(in: "w2").map(\.primaryKeyIndex), [2, 1, 0])
            try expectEqual(db.columns(in: "t", in: "att").map(\.name), ["q", "r"])
            try expectEqual(db.columns(in: "shadowed").map(\.name), ["inTemp"])
            try expectEqual(db.columns(in: "shadowed", in: "main").map(\.name), ["inMain"])
            try expectEqual(db.columns(in: "ft").map(\.name), ["title"])
            try expectEqual(db.allColumns(in: "ft").map(\.name), ["title", "ft", "rank"])
            try expectEqual(db.allColumns(in: "ft").map(\.isHidden), [false, true, true])
            try expectTrue(db.columns(in: "json_each").map(\.name).contains("key"))
            for name in ["sqlite_master", "sqlite_temp_master", "sqlite_schema"] {
                try expectEqual(
                    db.columns(in: name).map(\.name),
                    ["type", "name", "tbl_name", "rootpage", "sql"])
            }
            try expectEqual(
                ColumnInfo.fetchAll(db, sql: "PRAGMA table_info(nopk)").map(\.name),
                ["x", "y"])
        }
    }

    @Test func missingTables() throws {
        try withSchema { db throws in
            for name in ["nope", "", "main.t", "nopk; DROP TABLE t", "nopk\") --"] {
                expectError("SQLite error 1: no such table: \(name)") { try db.columns(in: name) }
                expectError("SQLite error 1: no such table: \(name)") { try db.primaryKey(name) }
                expectError("SQLite error 1: no such table: \(name)") { try db.indexes(on: name) }
                expectError("SQLite error 1: no such table: \(name)") {
                    try db.foreignKeys(on: name)
                }
                try expectTrue(!db.table(name, hasUniqueKey: ["id"]))
            }
            expectError("SQLite error 1: no such table: ai") {
                try db.columns(in: "ai", in: "temp")
            }
            expectError("SQLite error 1: no such schema: nope") {
                try db.columns(in: "t", in: "nope")
            }
            expectError("SQLite error 1: no such table: vw") { try db.indexes(on: "vw") }
            expectError("SQLite error 1: no such table: vw") { try db.foreignKeys(on: "vw") }
        }
    }

    // MARK: - Keys

    @Test func primaryKeys() throws {
        try withSchema { db throws in
            try expectEqual(db.primaryKey("t"), .rowIDAlias("id"))
            try expectEqual(db.primaryKey("T"), .rowIDAlias("id"))
            try expectEqual(db.primaryKey("ai"), .rowIDAlias("id"))
            try expectEqual(db.primaryKey("w"), .columns(["k"], hasRowID: false))
            try expectEqual(db.primaryKey("w2"), .columns(["b", "a"], hasRowID: false))
            try expectEqual(db.primaryKey("wi"), .columns(["k"], hasRowID: false))
            try expectEqual(db.primaryKey("cpk"), .columns(["b", "a"], hasRowID: true))
            try expectEqual(db.primaryKey("nopk"), .hiddenRowID)
            try expectEqual(db.primaryKey("textpk"), .columns(["k"], hasRowID: true))
            try expectEqual(db.primaryKey("intpk"), .columns(["k"], hasRowID: true))
            // See https://www.sqlite.org/lang_createtable.html#rowid
            try expectEqual(db.primaryKey("descpk"), .columns(["k"], hasRowID: true))
            try expectEqual(db.primaryKey("ft"), .hiddenRowID)
            try expectEqual(db.primaryKey("named").columns, ["oid"])
            try expectEqual(db.primaryKey("named").rowIDColumn, nil)
            try expectTrue(db.primaryKey("named").isRowID)
            try expectEqual(db.primaryKey("t", in: "att"), .rowIDAlias("q"))
            expectError("SQLite error 1: database view vw has no primary key") {
                try db.primaryKey("vw")
            }
        }
    }

    @Test func primaryKeyInfo() throws {
        expectEqual(PrimaryKeyInfo.hiddenRowID.columns, ["rowid"])
        expectEqual(PrimaryKeyInfo.hiddenRowID.rowIDColumn, nil)
        expectTrue(PrimaryKeyInfo.hiddenRowID.isRowID)
        expectEqual(PrimaryKeyInfo.rowIDAlias("id").rowIDColumn, "id")
        expectTrue(PrimaryKeyInfo.rowIDAlias("id").isRowID)
        expectTrue(!PrimaryKeyInfo.columns(["a"], hasRowID: true).isRowID)
        expectEqual(PrimaryKeyInfo.columns(["a"], hasRowID: true).rowIDColumn, nil)
    }

    @Test func indexes() throws {
        let sql = """
            CREATE UNIQUE INDEX iu ON t(c); CREATE INDEX ie ON t(a || b);
            CREATE INDEX ip ON t(b) WHERE b > 1; CREATE UNIQUE INDEX iup ON t(c, b) WHERE b > 1;
            """
        try withSchema(sql) { db throws in
            let indexes = try db.indexes(on: "T")
            expectEqual(indexes.map(\.name), ["iup", "ip", "iu", "sqlite_autoindex_t_1"])
            expectEqual(indexes.map(\.columns), [["c", "b"], ["b"], ["c"], ["a", "b"]])
            expectEqual(indexes.map(\.isUnique), [true, false, true, true])
            expectEqual(indexes.map(\.isPartial), [true, true, false, false])
            expectEqual(
                indexes.map(\.origin),
                [.createIndex, .createIndex, .createIndex, .uniqueConstraint])
            try expectEqual(db.indexes(on: "w2").map(\.columns), [["b", "a"]])
            try expectEqual(db.indexes(on: "w2").map(\.origin), [.primaryKeyConstraint])
            try expectTrue(db.indexes(on: "nopk").isEmpty)
            try expectTrue(db.indexes(on: "t", in: "att").isEmpty)
        }
    }

    @Test func uniqueKeys() throws {
        let sql = "CREATE UNIQUE INDEX iu ON t(c); CREATE UNIQUE INDEX iup ON t(c, b) WHERE b > 1;"
        try withSchema(sql) { db throws in
            // Columns beside those of a unique key change nothing.
            for columns in [
                ["id"], ["ID"], ["b", "a"], ["c"], ["rowid"], ["OID"], ["_rowid_"], ["c", "b"],
                ["id", "id"], ["a", "b", "c"],
            ] {
                try expectTrue(db.table("t", hasUniqueKey: columns), "\(columns)")
            }
            for columns in [["a"], [], ["nope"]] {
                try expectTrue(!db.table("t", hasUniqueKey: columns), "\(columns)")
            }
            try expectTrue(db.table("cpk", hasUniqueKey: ["a", "b"]))
            try expectTrue(db.table("nopk", hasUniqueKey: ["rowid"]))
            try expectTrue(!db.table("w", hasUniqueKey: ["rowid"]))
            // A column has taken the name.
            try expectTrue(!db.table("named", hasUniqueKey: ["rowid"]))
            try expectTrue(db.table("named", hasUniqueKey: ["oid"]))
            try expectTrue(!db.table("vw", hasUniqueKey: ["id"]))
        }
    }

    @Test func foreignKeys() throws {
        let sql = """
            CREATE TABLE child(
                id INTEGER PRIMARY KEY, tid INTEGER REFERENCES t,
                tid2 INTEGER REFERENCES T(ID) ON UPDATE SET NULL, x, y,
                FOREIGN KEY (x, y) REFERENCES cpk,
                FOREIGN KEY (y, x) REFERENCES cpk(a, b) ON DELETE CASCADE);
            CREATE TABLE orphan(z REFERENCES nope(q), z2 REFERENCES nope);
            CREATE TABLE mismatch(z REFERENCES cpk);
            CREATE TABLE missing(z REFERENCES nope(q));
            """
        try withSchema(sql) { db throws in
            let foreignKeys = try db.foreignKeys(on: "CHILD")
            expectEqual(foreignKeys.map(\.id), [0, 1, 2, 3])
            expectEqual(foreignKeys.map(\.destinationTable), ["cpk", "cpk", "T", "t"])
            expectEqual(
                foreignKeys.map(\.originColumns),
                [["y", "x"], ["x", "y"], ["tid2"], ["tid"]])
            expectEqual(
                foreignKeys.map(\.destinationColumns),
                [["a", "b"], ["b", "a"], ["ID"], ["id"]])
            expectEqual(foreignKeys.map(\.deleteAction), [.cascade, nil, nil, nil])
            expectEqual(foreignKeys.map(\.updateAction), [nil, nil, .setNull, nil])
            expectEqual(foreignKeys[0].mapping.map(\.origin), ["y", "x"])
            try expectTrue(db.foreignKeys(on: "t").isEmpty)
            try expectEqual(db.foreignKeys(on: "missing").map(\.destinationColumns), [["q"]])
            expectError("SQLite error 1: no such table: nope") { try db.foreignKeys(on: "orphan") }
            expectError(
                "SQLite error 1: foreign key mismatch - \"mismatch\" referencing \"cpk\""
            ) { try db.foreignKeys(on: "mismatch") }
        }
    }

    // MARK: - Names

    @Test(arguments: [
        "a b", "a.b", "main.t", "\"", "\"\"", "a\"b", "]", "[a]", "`", "'", "a'b", "é日😀", ";", "--",
        "/*", "a\nb", "select", "x\"; DROP TABLE t; --", "%", "?1", "\\",
    ])
    func oddNamesStayInTheirQuotes(name: String) throws {
        try TestDatabases.makeQueue().write { db in
            try db.create(table: name) { t in
                t.primaryKey(name, .text)
                t.column(name + "2").indexed()
                t.belongsTo(name + "3", inTable: name)
            }
            try expectTrue(db.tableExists(name))
            try expectEqual(db.columns(in: name).map(\.name).prefix(2), [name, name + "2"])
            try expectEqual(db.primaryKey(name).columns, [name])
            try expectEqual(db.indexes(on: name).count, 3)
            try expectEqual(db.foreignKeys(on: name).map(\.destinationTable), [name])
            try expectEqual(db.foreignKeys(on: name).map(\.destinationColumns), [[name]])
            try db.create(view: name + "v", columns: [name], asLiteral: "SELECT \(1)")
            try expectEqual(db.columns(in: name + "v").map(\.name), [name])
            try db.alter(table: name) { $0.rename(column: name + "2", to: name + "4") }
            try db.create(index: name + "i", on: name, columns: [name + "4"])
            try db.drop(index: name + "i")
            try db.create(
                trigger: name + "t", .after(.insert), on: name, statements: "SELECT 1")
            try expectEqual(db.triggers(on: name).map(\.name), [name + "t"])
            try db.rename(table: name, to: name + "5")
            try db.checkForeignKeys(in: name + "5")
            try db.drop(view: name + "v")
            try db.drop(table: name + "5")
            try expectTrue(
                String.fetchAll(db, sql: "SELECT name FROM sqlite_master").isEmpty)
        }
    }

    @Test func attachedSchemaWithOddName() throws {
        try TestDatabases.makeQueue().writeWithoutTransaction { db in
            let name = "a \"b\".c"
            try db.attach(":memory:", as: name)
            try db.execute(
                literal: "CREATE TABLE \(identifier: name).t(id INTEGER PRIMARY KEY, x UNIQUE)")
            try expectTrue(db.tableExists("t", in: name))
            try expectEqual(db.primaryKey("t"), .rowIDAlias("id"))
            try expectEqual(db.indexes(on: "t", in: name).map(\.columns), [["x"]])
            try db.checkForeignKeys(in: "t", in: name)
            try db.setUserVersion(3, in: name)
            try expectEqual(db.userVersion(in: name), 3)
            try expectEqual(db.integrityProblems(in: name), [])
            try db.detach(name)
            expectError("SQLite error 1: no such schema: \(name)") {
                try db.tableExists("t", in: name)
            }
        }
    }

    @Test func originsOfIndexesAreDatabaseValues() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t (a TEXT PRIMARY KEY, b UNIQUE, c)")
            try db.execute(sql: "CREATE INDEX i ON t(c)")
            let sql = "SELECT origin FROM pragma_index_list('t') ORDER BY seq"
            let origins = try IndexInfo.Origin.fetchAll(db, sql: sql)
            expectEqual(origins, [.createIndex, .uniqueConstraint, .primaryKeyConstraint])
            let index = try Row.fetchOne(
                db, sql: "SELECT name FROM pragma_index_list('t') WHERE origin = ?",
                arguments: [IndexInfo.Origin.createIndex])
            expectEqual(index?["name"], "i")
            expectEqual(IndexInfo.Origin.uniqueConstraint.databaseValue, "u".databaseValue)
            expectEqual(IndexInfo.Origin.fromDatabaseValue(1.databaseValue), nil)
        }
    }
}
