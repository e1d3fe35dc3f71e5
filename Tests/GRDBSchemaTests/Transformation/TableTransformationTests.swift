@testable import GRDBSchema
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite(.databases) struct TableTransformationTests {
    private func sql(_ db: Database, _ name: String = "t") throws -> String? {
        try String.fetchOne(
            db,
            sql: """
                SELECT sql FROM sqlite_master WHERE name = ? UNION ALL
                SELECT sql FROM sqlite_temp_master WHERE name = ?
                """, arguments: [name, name])
    }

    @Test(arguments: DatabaseKind.allCases)
    func documentedTransformation(_ kind: DatabaseKind) throws {
        try TestDatabases.makeWriter(kind).write { db in
            try db.execute(
                sql: """
                    CREATE TABLE team(id INTEGER PRIMARY KEY);
                    CREATE TABLE player(
                        id INTEGER PRIMARY KEY AUTOINCREMENT,
                        name TEXT, nickname TEXT, score TEXT, teamId INTEGER);
                    INSERT INTO team VALUES (1);
                    INSERT INTO player VALUES (1, 'Arthur', 'A', '12', 1), (9, 'Barbara', 'B', NULL, 1);
                    DELETE FROM player WHERE id = 9;
                    INSERT INTO player VALUES (3, 'Craig', 'C', NULL, NULL);
                    """)
            let plan = try db.transform(table: "player") { t in
                t.rename(column: "name", to: "fullName")
                t.change(column: "score", type: .integer)
                t.setNotNull(column: "score", replacingNullWith: 0)
                t.addForeignKey(["teamId"], references: "team", onDelete: .cascade)
                t.drop(column: "nickname")
                t.reorder(columns: ["id", "fullName"])
            }
            expectTrue(plan.rebuildsTable)
            expectSQL(
                plan.description,
                equals: """
                    ALTER TABLE "main"."player" RENAME COLUMN "name" TO "fullName";
                    CREATE TABLE "main"."player_transformed" ( \
                    id INTEGER PRIMARY KEY AUTOINCREMENT, "fullName" TEXT, \
                    score INTEGER NOT NULL, teamId INTEGER, \
                    FOREIGN KEY ("teamId") REFERENCES "team"("id") ON DELETE CASCADE );
                    INSERT OR ABORT INTO "main"."player_transformed" \
                    ("id", "fullName", "score", "teamId") \
                    SELECT "id", "fullName", IFNULL("score", 0), "teamId" FROM "main"."player";
                    DELETE FROM "main".sqlite_sequence WHERE name = 'player_transformed';
                    INSERT INTO "main".sqlite_sequence (name, seq) \
                    SELECT 'player_transformed', seq FROM "main".sqlite_sequence \
                    WHERE name = 'player';
                    DROP TABLE "main"."player";
                    ALTER TABLE "main"."player_transformed" RENAME TO "player";
                    """)
            try expectEqual(
                rowDump(db, "player"),
                [
                    "player: (rowid)=1 id=1 fullName='Arthur' score=12 teamId=1",
                    "player: (rowid)=3 id=3 fullName='Craig' score=0 teamId=NULL",
                ])
            // The counter survives.
            try db.execute(sql: "INSERT INTO player(score) VALUES (1)")
            expectEqual(db.lastInsertedRowID, 10)
        }
    }

    // MARK: - Cheap forms

    @Test func alterTableIsUsedWhereItDoes() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, c TEXT CONSTRAINT named CHECK (c <> ''));
                    INSERT INTO t VALUES (1, 2, 3, 'x');
                    """)
            let plan = try db.transform(table: "t") { t in
                t.rename(column: "a", to: "z")
                t.drop(column: "b")
                t.add(column: "d", .text).notNull().defaults(to: "d")
                t.addColumn(sql: "e INTEGER")
                t.addColumn(literal: "f DEFAULT \(5)")
                t.setNotNull(column: "c", replacingNullWith: "none")
                t.addCheck(named: "zIsPositive", Column("z") > 0)
            }
            expectEqual(
                plan.statements,
                [
                    "ALTER TABLE \"main\".\"t\" RENAME COLUMN \"a\" TO \"z\"",
                    "ALTER TABLE \"main\".\"t\" DROP COLUMN \"b\"",
                    "ALTER TABLE \"main\".\"t\" ADD COLUMN \"d\" TEXT NOT NULL DEFAULT 'd'",
                    "ALTER TABLE \"main\".\"t\" ADD COLUMN e INTEGER",
                    "ALTER TABLE \"main\".\"t\" ADD COLUMN f DEFAULT 5",
                    "ALTER TABLE \"main\".\"t\" ALTER COLUMN \"c\" SET NOT NULL",
                    "ALTER TABLE \"main\".\"t\" ADD CONSTRAINT \"zIsPositive\" CHECK (\"z\" > 0)",
                ])
            expectTrue(!plan.rebuildsTable)
            try expectEqual(rowDump(db, "t"), ["t: (rowid)=1 id=1 z=2 c='x' d='d' e=NULL f=5"])
            expectError(
                "SQLite error 19: CHECK constraint failed: zIsPositive - while executing `UPDATE t SET z = -1`"
            ) {
                try db.execute(sql: "UPDATE t SET z = -1")
            }
            try db.transform(table: "t") { $0.dropNotNull(column: "c") }
            try db.execute(sql: "UPDATE t SET c = NULL")
            try expectTrue(db.transform(table: "t") { _ in }.statements.isEmpty)
        }
    }

    /// `ALTER TABLE ADD CHECK` refuses rows that a check accepts.
    @Test func checksAcceptNull() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (NULL), (1)")
            let plan = try db.transform(table: "t") { $0.addCheck(sql: "a > 0") }
            expectTrue(plan.rebuildsTable)
            try expectEqual(sql(db), "CREATE TABLE \"t\" (\n  a,\n  CHECK (a > 0)\n)")
            try expectEqual(rowDump(db, "t"), ["t: (rowid)=1 a=NULL", "t: (rowid)=2 a=1"])
        }
    }

    // MARK: - What surrounds a table

    /// Each part of the schema that refers to the table stays as it was.
    @Test(arguments: DatabaseKind.allCases, [true, false])
    func surroundingsStay(_ kind: DatabaseKind, foreignKeys: Bool) throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.foreignKeysEnabled = foreignKeys
        try TestDatabases.makeWriter(kind, configuration).write { db in
            try db.execute(
                sql: """
                    CREATE TABLE log(text);
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b INTEGER REFERENCES t(id));
                    CREATE TABLE child(id INTEGER PRIMARY KEY, tId REFERENCES t ON DELETE CASCADE);
                    CREATE TABLE other(tId REFERENCES t(id) ON DELETE SET NULL ON UPDATE CASCADE);
                    CREATE INDEX t_a ON t(a COLLATE NOCASE DESC) WHERE a IS NOT NULL;
                    CREATE UNIQUE INDEX "t e" ON t(lower(a), b);
                    CREATE VIEW v AS SELECT a, count(*) FROM t GROUP BY a;
                    CREATE TRIGGER v_i INSTEAD OF INSERT ON v BEGIN INSERT INTO t(a) VALUES (NEW.a); END;
                    CREATE TRIGGER t_1 AFTER INSERT ON t BEGIN INSERT INTO log VALUES ('1' || NEW.a); END;
                    CREATE TRIGGER t_2 AFTER INSERT ON t BEGIN INSERT INTO log VALUES ('2' || NEW.a); END;
                    CREATE TRIGGER t_3 BEFORE DELETE ON t BEGIN SELECT RAISE(FAIL, 'no'); END;
                    CREATE TRIGGER l AFTER DELETE ON log BEGIN UPDATE t SET a = 'log'; END;
                    CREATE TEMP TRIGGER tmp AFTER UPDATE OF a ON main.t BEGIN SELECT 1; END;
                    INSERT INTO t VALUES (5, 'x', NULL), (7, 'y', 5);
                    INSERT INTO child VALUES (1, 5), (2, 7);
                    INSERT INTO other VALUES (5), (7);
                    """)
            let before = try contentDump(db)
            let logged = try TestDatabases.sql {
                try db.transform(table: "t") { t in
                    t.setDefault(ofColumn: "a", to: "none")
                }
            }
            expectTrue(logged.contains { $0.hasPrefix("DROP TABLE") })
            let after = try contentDump(db)
            expectEqual(
                after.map { line in
                    line.hasPrefix("main table t:")
                        ? "main table t: CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b INTEGER REFERENCES t(id))"
                        : line
                },
                before)
            try expectEqual(
                sql(db),
                "CREATE TABLE \"t\" (\n  id INTEGER PRIMARY KEY,\n  a TEXT DEFAULT 'none',\n  b INTEGER REFERENCES t(id)\n)"
            )
            // Triggers run in the order that they had.
            let order = try String.fetchAll(db, sql: "SELECT text FROM log ORDER BY rowid")
            try db.execute(sql: "DELETE FROM log; INSERT INTO t(id) VALUES (8)")
            let newOrder = try String.fetchAll(db, sql: "SELECT text FROM log ORDER BY rowid")
            expectEqual(order.count, 4)
            expectEqual(newOrder.map { $0.prefix(1) }, order.prefix(2).map { $0.prefix(1) })
            try expectEqual(Bool.fetchOne(db, sql: "PRAGMA foreign_keys"), foreignKeys)
            try expectEqual(String.fetchAll(db, sql: "PRAGMA integrity_check"), ["ok"])
        }
    }

    @Test func checksOfOneColumnAreDropped() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(
                        a INTEGER NOT NULL CHECK (a > 0) CONSTRAINT small CHECK (a < 9),
                        b CHECK (b > 0),
                        CHECK (a <> 5));
                    """)
            try db.transform(table: "t") { $0.dropChecks(ofColumn: "a") }
            try expectEqual(
                sql(db),
                """
                CREATE TABLE "t" (
                  a INTEGER NOT NULL,
                  b CHECK (b > 0),
                  CHECK (a <> 5)
                )
                """)
            try db.execute(sql: "INSERT INTO t VALUES (-1, 1), (10, 1)")
            for values in ["5, 1", "1, 0"] {
                expectError(DatabaseError.self) {
                    try db.execute(sql: "INSERT INTO t VALUES (\(values))")
                }
            }
        }
    }

    /// SQLite accepts a name that no constraint follows.
    @Test func aNameWithoutConstraintIsKept() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: "CREATE TABLE t(a, b, CONSTRAINT lonely, CONSTRAINT small CHECK (a < 9))")
            try db.transform(table: "t") { $0.change(column: "a", type: .integer) }
            let kept = try unwrap(sql(db))
            expectTrue(kept.contains("a INTEGER"))
            expectTrue(kept.contains("CONSTRAINT lonely"))
            expectTrue(kept.contains("CONSTRAINT small CHECK (a < 9)"))
            try db.transform(table: "t") { $0.dropConstraint(named: "lonely") }
            try expectEqual(sql(db)?.contains("lonely"), false)
        }
    }

    @Test func rowIDsOfTablesWithoutKey() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(rowid TEXT, a INTEGER, _rowid_ TEXT);
                    INSERT INTO t(oid, rowid, a) VALUES (3, 'x', 1), (10, 'y', 2);
                    """)
            try db.transform(table: "t") { $0.change(column: "a", type: .text) }
            try expectEqual(
                String.fetchAll(db, sql: "SELECT oid || typeof(a) || rowid FROM t"),
                ["3textx", "10texty"])
        }
    }

    @Test func rowIDsBecomeAKeyAndBack() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: "CREATE TABLE t(a); INSERT INTO t(rowid, a) VALUES (3, 'x'), (10, 'y')")
            try db.transform(table: "t") { $0.setAutoIncrementedPrimaryKey("id") }
            try expectEqual(
                rowDump(db, "t"),
                ["t: (rowid)=3 id=3 a='x'", "t: (rowid)=10 id=10 a='y'"])
            try expectEqual(Int.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence"), 10)
            try db.transform(table: "t") { t in
                t.dropPrimaryKey()
                t.drop(column: "id")
            }
            try expectEqual(rowDump(db, "t"), ["t: (rowid)=3 a='x'", "t: (rowid)=10 a='y'"])
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_sequence"), 0)
        }
    }

    /// SQLite would number rows without a key.
    @Test func nullIsNoKey() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: "CREATE TABLE t(a INTEGER, b); INSERT INTO t VALUES (1, 2), (NULL, 3)")
            try expectRefusal("SQLite error 19: NOT NULL constraint failed: t.a", db) {
                $0.setPrimaryKey(["a"])
            }
            try db.transform(table: "t") { t in
                t.setPrimaryKey(["a"])
                t.setContent(ofColumn: "a", to: SQL("IFNULL(a, 77)"))
            }
            try expectEqual(rowDump(db, "t").count, 2)
            try expectEqual(Int.fetchAll(db, sql: "SELECT a FROM t"), [1, 77])
            try expectEqual(db.primaryKey("t").rowIDColumn, "a")
        }
    }

    @Test func tableOptions() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(k TEXT PRIMARY KEY, n, g AS (n + 1) STORED, h AS (n * 2)) WITHOUT ROWID;
                    INSERT INTO t VALUES ('a', 1), ('b', 2);
                    """)
            try db.transform(table: "t") { t in
                t.change(column: "n", type: .integer)
                t.reorder(columns: ["g"])
            }
            try expectEqual(
                sql(db),
                "CREATE TABLE \"t\" (\n  g AS (n + 1) STORED,\n  k TEXT PRIMARY KEY,\n  n INTEGER,\n  h AS (n * 2)\n) WITHOUT ROWID"
            )
            try expectEqual(rowDump(db, "t"), ["t: g=2 k='a' n=1 h=2", "t: g=3 k='b' n=2 h=4"])
            try expectRefusal(
                "SQLite error 1: missing datatype for t_transformed.g - while executing `CREATE TABLE \"main\".\"t_transformed\" (\n  g AS (n + 1) STORED,\n  k TEXT PRIMARY KEY,\n  n INTEGER,\n  h AS (n * 2)\n) STRICT`",
                db
            ) { $0.setOptions(.strict) }
            try db.transform(table: "t") { t in
                t.setOptions([.strict, .withoutRowID])
                t.change(column: "g", type: .integer)
                t.change(column: "h", type: .any)
            }
            try expectEqual(
                sql(db),
                "CREATE TABLE \"t\" (\n  g INTEGER AS (n + 1) STORED,\n  k TEXT PRIMARY KEY,\n  n INTEGER,\n  h ANY AS (n * 2)\n) STRICT, WITHOUT ROWID"
            )
            try db.transform(table: "t") { $0.setOptions([]) }
            try expectTrue(db.primaryKey("t").tableHasRowID)
            try expectEqual(db.columns(in: "t").filter(\.isGenerated).count, 2)
        }
    }

    @Test func fullTextTablesOfTheContentStay() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(a TEXT, b TEXT, c);
                    INSERT INTO t(rowid, a, b) VALUES (4, 'red apple', 'x'), (9, 'green pear', 'y');
                    """)
            try db.create(virtualTable: "ft", using: FTS5()) { t in
                t.synchronize(withTable: "t")
                t.column("a")
                t.column("b")
            }
            try db.transform(table: "t") { t in
                t.drop(column: "c")
                t.setDefault(ofColumn: "a", to: "")
                t.reorder(columns: ["b"])
            }
            func search(_ word: String) throws -> [Int] {
                try Int.fetchAll(
                    db, sql: "SELECT rowid FROM ft WHERE ft MATCH ? ORDER BY rowid",
                    arguments: [word])
            }
            try expectEqual(search("apple"), [4])
            try expectEqual(search("pear"), [9])
            try db.execute(sql: "INSERT INTO ft(ft) VALUES ('integrity-check')")
            try db.execute(sql: "UPDATE t SET a = 'blue apple' WHERE rowid = 9")
            try expectEqual(search("apple"), [4, 9])
        }
        try dbQueue.write { db in
            try expectRefusal(
                "SQLite error 1: can't transform table t: full-text table ft: no such column: t.b",
                db
            ) { $0.rename(column: "b", to: "d") }
        }
    }

    @Test func statisticsOfKeysStay() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(a, b, c, PRIMARY KEY (b, a)) WITHOUT ROWID;
                    CREATE INDEX tc ON t(c);
                    INSERT INTO t VALUES (1, 2, 1), (1, 3, 1), (2, 3, 1); ANALYZE;
                    """)
            let sql = "SELECT tbl || ' ' || idx || ' ' || stat FROM sqlite_stat1 ORDER BY idx"
            let statistics = try String.fetchAll(db, sql: sql)
            expectEqual(statistics, ["t t 3 2 1", "t tc 3 3"])
            try db.transform(table: "t") { $0.setDefault(ofColumn: "a", to: 1) }
            try expectEqual(String.fetchAll(db, sql: sql), statistics)
            // The statistics of another key would be wrong.
            try db.transform(table: "t") { $0.setPrimaryKey(["a", "b"]) }
            try expectEqual(String.fetchAll(db, sql: sql), ["t tc 3 3"])
        }
    }

    @Test func errorsNameTheTable() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a, b);
                    CREATE TABLE t_transformed(a);
                    INSERT INTO t VALUES (1, 1, NULL), (2, 1, NULL);
                    """)
            func expectFailure(_ description: String, _ body: (TableTransformation) -> Void) {
                let error = expectError(DatabaseError.self) {
                    try db.transform(table: "t") { body($0) }
                }
                expectEqual(error?.message, description)
            }
            expectFailure("UNIQUE constraint failed: t.a") { $0.addUniqueKey(["a"]) }
            expectFailure("UNIQUE constraint failed: t.b, t.a") {
                $0.setContent(ofColumn: "b", sql: "1")
                $0.addUniqueKey(["b", "a"])
            }
            expectFailure("NOT NULL constraint failed: t.b") {
                $0.setNotNull(column: "b")
                $0.setDefault(ofColumn: "a", to: 1)
            }
        }
    }

    /// Foreign keys that SQLite could not check before are no reason to refuse.
    @Test func mismatchedForeignKeys() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            func createTables(_ keys: String) throws {
                try db.execute(
                    sql: """
                        PRAGMA foreign_keys = 0;
                        DROP TABLE IF EXISTS c; DROP TABLE IF EXISTS p;
                        CREATE TABLE p(id INTEGER PRIMARY KEY, a, b UNIQUE);
                        CREATE TABLE c(id INTEGER PRIMARY KEY, r \(keys), s REFERENCES p(b));
                        INSERT INTO p VALUES (1, 1, 1);
                        INSERT INTO c VALUES (1, 7, 7), (2, 1, 1);
                        PRAGMA foreign_keys = 1;
                        """)
            }
            // A key that becomes valid, and one that was hidden by the mismatch of another one.
            try createTables("REFERENCES p(a)")
            try db.transform(table: "p") { $0.addUniqueKey(["a"]) }
            try createTables("REFERENCES p(a)")
            try db.transform(table: "c") { $0.dropForeignKey(["r"]) }
            try createTables("REFERENCES p(a)")
            try db.transform(table: "c") { $0.setDefault(ofColumn: "r", to: 1) }
            // New mismatches and violations are refused.
            try createTables("")
            expectError(DatabaseError.self) {
                try db.transform(table: "c") {
                    $0.addForeignKey(["r"], references: "p", columns: ["a"])
                }
            }
            expectError(DatabaseError.self) {
                try db.transform(table: "c") { $0.addForeignKey(["r"], references: "p") }
            }
        }
    }

    @Test func statisticsStay() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(a, b); CREATE INDEX i ON t(a);
                    INSERT INTO t VALUES (1, 2), (1, 3), (2, 3); ANALYZE;
                    """)
            let sql = "SELECT tbl || idx || stat FROM sqlite_stat1"
            let statistics = try String.fetchAll(db, sql: sql)
            try db.transform(table: "t") { $0.change(column: "b", type: .text) }
            expectEqual(statistics, ["ti3 2"])
            try expectEqual(String.fetchAll(db, sql: sql), statistics)
            #expect(
                try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_stat4 WHERE tbl = 't'")! > 0)
        }
    }

    @Test func temporaryAndAttachedTables() throws {
        let path = TestDatabases.makePath()
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.inDatabase { db in
            try db.execute(sql: "ATTACH ? AS aux", arguments: [path])
            try db.execute(
                sql: """
                    CREATE TABLE main.t(a); INSERT INTO main.t VALUES ('main');
                    CREATE TEMP TABLE t(a); INSERT INTO temp.t VALUES ('temp');
                    CREATE INDEX temp.i ON t(a);
                    CREATE TABLE aux.x(a); CREATE INDEX aux.j ON x(a); INSERT INTO x VALUES ('aux');
                    CREATE TRIGGER aux.r AFTER INSERT ON x BEGIN DELETE FROM x WHERE a = 'aux'; END;
                    """)
            try db.transform(table: "t") { $0.setDefault(ofColumn: "a", to: 1) }
            try db.transform(table: "x") { $0.setDefault(ofColumn: "a", to: 2) }
            try expectEqual(
                String.fetchAll(
                    db,
                    sql: """
                        SELECT sql FROM main.sqlite_master UNION ALL SELECT sql FROM temp.sqlite_master
                        UNION ALL SELECT sql FROM aux.sqlite_master
                        """),
                [
                    "CREATE TABLE t(a)",
                    "CREATE TABLE \"t\" (\n  a DEFAULT 1\n)", "CREATE INDEX i ON t(a)",
                    "CREATE TABLE \"x\" (\n  a DEFAULT 2\n)", "CREATE INDEX j ON x(a)",
                    "CREATE TRIGGER r AFTER INSERT ON x BEGIN DELETE FROM x WHERE a = 'aux'; END",
                ])
            try expectEqual(String.fetchAll(db, sql: "SELECT a FROM t"), ["temp"])
        }
    }

    /// Comments, odd names, and all kinds of constraints.
    @Test func unchangedDefinitionsKeepTheirText() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(
                        -- the key
                        [odd ] id] INTEGER CONSTRAINT k PRIMARY KEY ASC ON CONFLICT REPLACE,
                        "a,(" VARCHAR(10, 2) NOT NULL ON CONFLICT IGNORE DEFAULT -1.5e-3, -- behind
                        `b` TEXT DEFAULT ('x)' || ",") COLLATE NOCASE /* c, */ UNIQUE,
                        'c' DEFAULT x'00' REFERENCES t(`b`) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
                        d CHECK (d <> ',' AND d IN (1, 2)) CONSTRAINT lonely,
                        e GENERATED ALWAYS AS (coalesce(d, 0)) VIRTUAL,
                        f,
                        CONSTRAINT u UNIQUE (d, f COLLATE RTRIM DESC) ON CONFLICT FAIL
                        CHECK (f > 0), FOREIGN KEY (d) REFERENCES t ON UPDATE NO ACTION MATCH FULL
                    )
                    """.replacing("[odd ] id]", with: "[odd id]").replacing("\",\"", with: "','"))
            try db.transform(table: "t") { $0.setDefault(ofColumn: "f", to: 1) }
            try expectEqual(
                sql(db),
                """
                CREATE TABLE "t" (
                  -- the key
                [odd id] INTEGER CONSTRAINT k PRIMARY KEY ASC ON CONFLICT REPLACE,
                  "a,(" VARCHAR(10, 2) NOT NULL ON CONFLICT IGNORE DEFAULT -1.5e-3,
                  -- behind
                `b` TEXT DEFAULT ('x)' || ',') COLLATE NOCASE /* c, */ UNIQUE,
                  'c' DEFAULT x'00' REFERENCES t(`b`) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
                  d CHECK (d <> ',' AND d IN (1, 2)) CONSTRAINT lonely,
                  e GENERATED ALWAYS AS (coalesce(d, 0)) VIRTUAL,
                  f DEFAULT 1,
                  CONSTRAINT u UNIQUE (d, f COLLATE RTRIM DESC) ON CONFLICT FAIL,
                  CHECK (f > 0),
                  FOREIGN KEY (d) REFERENCES t ON UPDATE NO ACTION MATCH FULL
                )
                """)
        }
    }

    /// Old databases contain strings in double quotes.
    @Test(arguments: [true, false])
    func stringsInDoubleQuotes(_ areAccepted: Bool) throws {
        let path = TestDatabases.makePath()
        var old = TestDatabases.makeConfiguration()
        old.acceptsDoubleQuotedStringLiterals = true
        try TestDatabases.openQueue(path, old).write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(a, b CHECK (b IN ("x", "a")), c DEFAULT "d");
                    INSERT INTO t VALUES (1, 'x', 2);
                    """)
        }
        try TestDatabases.openQueue(path, areAccepted ? old : nil).write { db in
            try db.transform(table: "t") { $0.setDefault(ofColumn: "a", to: 1) }
            try expectEqual(
                sql(db),
                "CREATE TABLE \"t\" (\n  a DEFAULT 1,\n  b CHECK (b IN ('x', \"a\")),\n  c DEFAULT \"d\"\n)"
            )
            // The name of a dropped column does not become a string.
            expectError(DatabaseError.self) {
                try db.transform(table: "t") { t in
                    t.drop(column: "a")
                    t.setDefault(ofColumn: "c", to: 1)
                }
            }
        }
    }
}
