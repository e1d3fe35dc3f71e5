@testable import GRDBSchema
import GRDBTestSupport
import Testing

@testable import GRDB

/// Transformations of tables with odd names and definitions.
@Suite(.databases) struct OddDefinitionTests {
    private static let oddName = "x\"(a); DROP TABLE v; --"

    // MARK: - Names

    /// The name of the table, of its columns, index, trigger, constraint, child and view is SQL.
    @Test(arguments: DatabaseKind.allCases, [false, true])
    func namesOfSQL(_ kind: DatabaseKind, isTemporary: Bool) throws {
        let odd = Self.oddName
        let q = odd.quotedDatabaseIdentifier
        let i = "i\(odd)".quotedDatabaseIdentifier
        let temp = isTemporary ? "TEMP " : ""
        try TestDatabases.makeWriter(kind).write { db throws in
            try db.execute(
                sql: """
                    CREATE \(temp)TABLE v(x);
                    CREATE \(temp)TABLE \(q)(
                        \(q) INTEGER PRIMARY KEY AUTOINCREMENT, \(i) TEXT,
                        CONSTRAINT \(q) CHECK (\(q).\(i) <> ''));
                    INSERT INTO \(q) VALUES (3, 'a'), (9, 'b');
                    DELETE FROM \(q) WHERE \(q) = 9;
                    CREATE \(temp)TABLE child(p REFERENCES \(q) ON DELETE CASCADE);
                    INSERT INTO child VALUES (3);
                    CREATE \(temp)VIEW w AS SELECT \(q) FROM \(q);
                    CREATE \(temp)TRIGGER \(q) AFTER INSERT ON \(q)
                        BEGIN INSERT INTO v VALUES (NEW.\(i)); END;
                    """)
            try db.execute(
                sql: isTemporary
                    ? "CREATE INDEX temp.\(i) ON \(q)(\(i))" : "CREATE INDEX \(i) ON \(q)(\(i))")
            try db.execute(sql: "ANALYZE")
            if isTemporary {
                // SQLite can't rename columns of temporary tables that temporary triggers use.
                let before = try contentDump(db)
                expectError(DatabaseError.self) {
                    try db.transform(table: odd) { $0.rename(column: "i\(odd)", to: "j\(odd)") }
                }
                try expectEqual(contentDump(db), before)
                try db.execute(sql: "DROP TRIGGER \(q)")
            }
            let plan = try db.transform(table: odd) { t in
                t.rename(column: "i\(odd)", to: "j\(odd)")
                t.add(column: "k\(odd)", .text).notNull().defaults(to: odd)
                t.setDefault(ofColumn: "j\(odd)", to: odd)
                t.addUniqueKey(["j\(odd)", "k\(odd)"])
                t.reorder(columns: ["k\(odd)"])
            }
            expectTrue(plan.rebuildsTable)
            if isTemporary {
                let j = "j\(odd)".quotedDatabaseIdentifier
                try db.execute(
                    sql: """
                        CREATE TEMP TRIGGER \(q) AFTER INSERT ON \(q)
                            BEGIN INSERT INTO v VALUES (NEW.\(j)); END;
                        """)
                try db.transform(table: odd) { $0.setCollation(ofColumn: odd, to: .nocase) }
            }
            try db.execute(sql: "INSERT INTO \(q) DEFAULT VALUES")
            try expectEqual(
                rowDump(db, odd),
                [
                    "\(odd): (rowid)=3 k\(odd)='\(odd)' \(odd)=3 j\(odd)='a'",
                    "\(odd): (rowid)=10 k\(odd)='\(odd)' \(odd)=10 j\(odd)='\(odd)'",
                ])
            try expectEqual(String.fetchAll(db, sql: "SELECT x FROM v"), [odd])
            try expectEqual(Int.fetchAll(db, sql: "SELECT p FROM child"), [3])
            try expectEqual(Int.fetchAll(db, sql: "SELECT * FROM w").count, 2)
            try expectIntegrity(db)
            expectError(DatabaseError.self) {
                try db.execute(sql: "UPDATE \(q) SET \("j\(odd)".quotedDatabaseIdentifier) = ''")
            }
            try db.execute(sql: "DELETE FROM \(q)")
            try expectEqual(Int.fetchAll(db, sql: "SELECT p FROM child"), [])
        }
    }

    /// SQLite compares names byte by byte, but for the case of ASCII letters.
    @Test func namesThatSwiftTakesForEqual() throws {
        let composed = "\u{e9}"
        let decomposed = "e\u{301}"
        try TestDatabases.makeQueue().write { db throws in
            try db.execute(
                sql: "CREATE TABLE t(\(composed), \(decomposed), b); INSERT INTO t VALUES (1, 2, 3)"
            )
            try db.transform(table: "t") { t in
                t.setContent(ofColumn: composed, sql: "10")
                t.setNotNull(column: decomposed, replacingNullWith: 7)
                t.reorder(columns: ["b", decomposed, composed])
            }
            try expectEqual(
                Row.fetchOne(db, sql: "SELECT * FROM t")!.map(\.1),
                [3, 2, 10].map(\.databaseValue))
            try db.execute(sql: "UPDATE t SET \(composed) = NULL")
            expectError(DatabaseError.self) {
                try db.execute(sql: "UPDATE t SET \(decomposed) = NULL")
            }
        }
    }

    @Test func namesInAnotherCase() throws {
        try TestDatabases.makeQueue().write { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE Player(Id INTEGER PRIMARY KEY AUTOINCREMENT, Name TEXT);
                    INSERT INTO Player VALUES (7, 'a'); DELETE FROM Player;
                    INSERT INTO Player VALUES (2, 'b');
                    CREATE INDEX i ON PLAYER(NAME);
                    ANALYZE;
                    """)
            try db.transform(table: "pLAYER") { t in
                t.setContent(ofColumn: "NAME", sql: "name || 'x'")
                t.setNotNull(column: "nAME", replacingNullWith: "")
                t.reorder(columns: ["name", "ID"])
            }
            try expectEqual(
                schemaSQL(db, "Player"),
                "CREATE TABLE \"Player\" (\n  Name TEXT NOT NULL,\n  Id INTEGER PRIMARY KEY AUTOINCREMENT\n)"
            )
            try expectEqual(rowDump(db, "Player"), ["Player: (rowid)=2 Name='bx' Id=2"])
            try expectEqual(Int.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence"), 7)
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_stat1"), 1)
            try expectIntegrity(db)
        }
    }

    // MARK: - Definitions

    /// Expressions of a table may name it, also with its schema.
    @Test func definitionsThatNameTheirTable() throws {
        try TestDatabases.makeQueue().write { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE t(
                        a INTEGER CHECK (t.a > 0),
                        b AS (a + "a") STORED,
                        c TEXT DEFAULT 't.a',
                        CHECK (T . a < 100 AND main.[t]."a" < 100 AND 't'.c <> 't.a, t.b'));
                    INSERT INTO t VALUES (1, 'x');
                    CREATE INDEX i ON t(lower(c)) WHERE t.a > 0;
                    CREATE TRIGGER r AFTER UPDATE ON t WHEN NEW.a = 5
                        BEGIN UPDATE t SET c = 'five' WHERE t.a = 5; END;
                    """)
            let plan = try db.transform(table: "t") { t in
                t.rename(column: "a", to: "z")
                t.change(column: "c", type: .blob)
            }
            expectTrue(plan.rebuildsTable)
            try expectEqual(rowDump(db, "t"), ["t: (rowid)=1 z=1 b=2 c='x'"])
            for value in ["0", "100"] {
                expectError(DatabaseError.self) {
                    try db.execute(sql: "UPDATE t SET z = \(value)")
                }
            }
            try db.execute(sql: "UPDATE t SET z = 5")
            try expectEqual(rowDump(db, "t"), ["t: (rowid)=1 z=5 b=10 c='five'"])
            try db.transform(table: "t") { $0.addCheck(sql: "t.b < 50") }
            try db.transform(table: "t") { $0.setDefault(ofColumn: "c", to: 1) }
            try db.rename(table: "t", to: "u")
            expectError(DatabaseError.self) { try db.execute(sql: "UPDATE u SET z = 30") }
            try expectIntegrity(db)
        }
    }

    /// The other constraints of the column stay.
    @Test func defaultsAreReplaced() throws {
        try TestDatabases.makeQueue().write { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE t(
                        id INTEGER PRIMARY KEY, a TEXT NOT NULL DEFAULT 'x' CHECK (a <> ''))
                    """)
            for defaultValue in ["y", nil] {
                try db.transform(table: "t") { t in
                    if let defaultValue {
                        t.setDefault(ofColumn: "a", to: defaultValue)
                    } else {
                        t.dropDefault(ofColumn: "a")
                    }
                }
                let column = try db.columns(in: "t")[1]
                expectEqual(column.defaultValueSQL, defaultValue.map { "'\($0)'" })
                expectTrue(column.isNotNull)
                let defaults = try schemaSQL(db)?.ranges(of: "DEFAULT").count
                expectEqual(defaults, (defaultValue == nil ? 0 : 1))
                expectError(DatabaseError.self) {
                    try db.execute(sql: "INSERT INTO t(a) VALUES ('')")
                }
            }
        }
    }

    /// Only an unquoted `INTEGER` makes another name of the rowid.
    @Test(arguments: [
        "id \"INTEGER\" PRIMARY KEY", "id [INTEGER] PRIMARY KEY", "id INT PRIMARY KEY",
        "id INTEGER PRIMARY KEY DESC", "id INTEGER(8) PRIMARY KEY", "id integer PRIMARY KEY",
        "id/**/INTEGER/* x */PRIMARY/**/KEY -- y\n", "id INTEGER, PRIMARY KEY (id DESC)",
        "id INTEGER, PRIMARY KEY (\"ID\" COLLATE NOCASE)", "id INTEGER, PRIMARY KEY (id, a)",
        "'id' INTEGER PRIMARY KEY", "id INTEGER UNIQUE", "id INTEGER, PRIMARY KEY ('id')",
        "id 'INTEGER' PRIMARY KEY", "id INTEGER CONSTRAINT p PRIMARY KEY ON CONFLICT REPLACE",
    ]) func rowIDsOfKeys(_ definition: String) throws {
        try TestDatabases.makeQueue().write { db throws in
            let parts = definition.split(separator: ", ", maxSplits: 1)
            let tail = parts.count > 1 ? ", \(parts[1])" : ""
            try db.execute(
                sql: """
                    CREATE TABLE t(\(parts[0]), a\(tail));
                    INSERT INTO t(rowid, a) VALUES (5, 'five'), (17, 'seventeen');
                    """)
            try? db.execute(sql: "UPDATE t SET id = rowid * 2 WHERE typeof(id) = 'null'")
            let before = try rowDump(db, "t")
            let plan = try db.transform(table: "t") { $0.setDefault(ofColumn: "a", to: 1) }
            expectTrue(plan.rebuildsTable)
            try expectEqual(rowDump(db, "t"), before)
            try db.execute(sql: "INSERT INTO t(a) VALUES ('next')")
            expectEqual(db.lastInsertedRowID, 18)
            try expectIntegrity(db)
        }
    }

    @Test func definitionsOfAllKinds() throws {
        let definitions = [
            "a, b", "\"\" TEXT, b",
            "a CONSTRAINT x, b CONSTRAINT y NOT NULL CONSTRAINT z DEFAULT 1",
            "a DEFAULT -1, b DEFAULT +1.5", "a DEFAULT - 1, b DEFAULT (-(1))",
            "a DEFAULT NULL, b DEFAULT CURRENT_TIMESTAMP", "a DEFAULT abc, b DEFAULT \"d e\"",
            "a DEFAULT 'it''s' COLLATE \"nocase\", b DEFAULT x'00ff' NOT NULL ON CONFLICT IGNORE",
            "a REFERENCES t(a) MATCH FULL ON DELETE SET DEFAULT ON UPDATE NO ACTION NOT DEFERRABLE "
                + "INITIALLY IMMEDIATE NOT NULL DEFAULT 0 UNIQUE, b",
            "a UNIQUE, b, CHECK (a > 0) CONSTRAINT n UNIQUE (b COLLATE NOCASE DESC, a) "
                + "FOREIGN KEY (b) REFERENCES t(a) DEFERRABLE INITIALLY DEFERRED",
            "a VARCHAR(10, 2) CHECK (a <> ')') ON CONFLICT FAIL, b LONG LONG NAME (-1)",
            "a -- one, (\n, b /* two */ -- three ) \n", "a INTEGER GENERATED ALWAYS AS (1), b",
            "a AS (b || ',') VIRTUAL UNIQUE, b", "a always, b \"generated always\"",
            "a generated, b INTEGER NULL", "[a ] TEXT, `b` 'TEXT'", "key, no, b",
            "a, b UNIQUE, UNIQUE (b)",
            "a, b, PRIMARY KEY (b, a) ON CONFLICT REPLACE, UNIQUE (a)",
        ]
        var configuration = TestDatabases.makeConfiguration()
        configuration.foreignKeysEnabled = false
        var count = 0
        for strict in ["", " WITHOUT ROWID"] {
            for definition in definitions {
                try TestDatabases.makeQueue(.memory, configuration).write { db throws in
                    var text = "CREATE TABLE t(\(definition))"
                    if !strict.isEmpty {
                        if definition.contains("PRIMARY") {
                            text += strict
                        } else {
                            text = "CREATE TABLE t(\(definition), PRIMARY KEY (b, b))\(strict)"
                            if definition.contains(") \n") || definition.contains("DEFERRED") {
                                return
                            }
                        }
                    }
                    do { try db.execute(sql: text) } catch { return }
                    try? db.execute(sql: "INSERT INTO t DEFAULT VALUES")
                    try? db.execute(sql: "INSERT INTO t(b) VALUES (2)")
                    let rows = try rowDump(db, "t")
                    func facts() throws -> [String] {
                        try [
                            "table_xinfo", "index_list", "foreign_key_list",
                        ].flatMap {
                            try Row.fetchAll(db, sql: "PRAGMA \($0)(t)").map(\.description)
                        }
                    }
                    let before = try facts()
                    let columns = try db.columns(in: "t").map(\.name)
                    do {
                        try db.transform(table: "t") { $0.reorder(columns: columns) }
                    } catch {
                        Issue.record("\(text): \(error)")
                        return
                    }
                    try expectEqual(rowDump(db, "t"), rows, "\(text)")
                    try expectEqual(facts(), before, "\(text)")
                    expectEqual(
                        TableText(try schemaSQL(db)!)?.columns.count, columns.count, "\(text)")
                    count += 1
                }
            }
        }
        #expect(count >= 30)
    }

    /// The values of generated columns come from their expressions.
    @Test func contentOfGeneratedColumnsIsRefused() throws {
        try TestDatabases.makeQueue().write { db throws in
            try db.execute(sql: "CREATE TABLE t(a, b AS (a + 1) STORED); INSERT INTO t VALUES (1)")
            try expectRefusal(
                "SQLite error 21: can't transform table t: column b is generated", db
            ) { $0.setContent(ofColumn: "b", sql: "5") }
            try expectRefusal(
                "SQLite error 21: can't transform table t: column b is generated", db
            ) { $0.setNotNull(column: "b", replacingNullWith: 5) }
            try db.transform(table: "t") { $0.setNotNull(column: "b") }
            try expectEqual(rowDump(db, "t"), ["t: (rowid)=1 a=1 b=2"])
        }
    }

    /// A column can be replaced by one of the same name.
    @Test func columnsAreReplaced() throws {
        try TestDatabases.makeQueue().write { db throws in
            func make() throws {
                try db.execute(
                    sql: """
                        DROP TABLE IF EXISTS t; CREATE TABLE t(id INTEGER PRIMARY KEY, a, b);
                        INSERT INTO t VALUES (1, '5', 1), (2, 'x', 2);
                        """)
            }
            try make()
            try db.transform(table: "t") { t in
                t.drop(column: "a")
                t.add(column: "a", .integer)
                t.setNotNull(column: "a", replacingNullWith: 7)
            }
            try expectEqual(
                rowDump(db, "t"),
                ["t: (rowid)=1 id=1 b=1 a=7", "t: (rowid)=2 id=2 b=2 a=7"])
            try make()
            try db.transform(table: "t") { t in
                t.drop(column: "a")
                t.add(column: "A", .integer)
                t.addCheck(sql: "a > 0")
            }
            try expectEqual(
                rowDump(db, "t"),
                ["t: (rowid)=1 id=1 b=1 A=NULL", "t: (rowid)=2 id=2 b=2 A=NULL"])
            try make()
            try db.execute(
                sql: "CREATE TRIGGER of AFTER UPDATE OF a ON t BEGIN UPDATE t SET b = 9; END")
            try expectRefusal(
                "SQLite error 1: can't transform table t: trigger of uses column a", db
            ) { t in
                t.drop(column: "a")
                t.setDefault(ofColumn: "b", to: 1)
            }
            try db.transform(table: "t") { t in
                t.drop(column: "a")
                t.add(column: "a", .integer).notNull().defaults(to: 1)
                t.setContent(ofColumn: "a", sql: "CAST(a AS INTEGER)")
            }
            try db.execute(sql: "UPDATE t SET a = 3 WHERE id = 1")
            try expectEqual(
                rowDump(db, "t"),
                ["t: (rowid)=1 id=1 b=9 a=3", "t: (rowid)=2 id=2 b=9 a=0"])
        }
    }

    /// Views and triggers that never compiled don't stop anything.
    @Test func brokenSchemas() throws {
        try TestDatabases.makeQueue().write { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, c);
                    INSERT INTO t VALUES (1, 2, 3, 4);
                    CREATE VIEW broken AS SELECT * FROM missing;
                    CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM missing; END;
                    """)
            try db.transform(table: "t") { $0.drop(column: "c") }
            try db.transform(table: "t") { $0.setNotNull(column: "a") }
            try db.transform(table: "t") { $0.addCheck(sql: "a > 0") }
            try db.transform(table: "t") { $0.add(column: "d", .text) }
            try db.transform(table: "t") { $0.setDefault(ofColumn: "d", to: 1) }
            try db.transform(table: "t") { $0.dropNotNull(column: "a") }
            try expectEqual(rowDump(db, "t"), ["t: (rowid)=1 id=1 a=2 b=3 d=NULL"])
            try expectTrue(schemaSQL(db, "r") != nil && schemaSQL(db, "broken") != nil)
        }
    }
}
