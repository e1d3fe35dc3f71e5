@testable import GRDBSchema
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite(.databases) struct TransformationRefusalTests {
    @Test func conflictClausesLoseNoRows() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 1), (1, 2)")
            for conflict in [Database.ConflictResolution.ignore, .replace, .abort, .rollback] {
                try expectRefusal(
                    "SQLite error 19: UNIQUE constraint failed: t.a - while executing `INSERT OR ABORT INTO \"main\".\"t_transformed\" (\"rowid\", \"a\", \"b\") SELECT \"rowid\", \"a\", \"b\" FROM \"main\".\"t\"`",
                    db
                ) { $0.addUniqueKey(["a"], onConflict: conflict) }
            }
            try expectRefusal(
                "SQLite error 19: NOT NULL constraint failed: t.b - while executing `INSERT OR ABORT INTO \"main\".\"t_transformed\" (\"rowid\", \"a\", \"b\") SELECT \"rowid\", \"a\", (NULLIF(b, 2)) FROM \"main\".\"t\"`",
                db
            ) { t in
                t.addColumn(sql: "c UNIQUE")
                t.setContent(ofColumn: "b", sql: "NULLIF(b, 2)")
                t.setNotNull(column: "b")
            }
        }
    }

    @Test func objectsThatWouldNotCompile() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(a, b, c, d, e PRIMARY KEY);
                    CREATE TABLE log(x);
                    CREATE VIEW broken AS SELECT * FROM nowhere;
                    CREATE VIEW v AS SELECT b FROM t;
                    CREATE TRIGGER r AFTER INSERT ON log BEGIN UPDATE t SET c = NEW.x; END;
                    CREATE TRIGGER o AFTER UPDATE OF d ON t BEGIN SELECT 1; END;
                    CREATE INDEX i ON t(a);
                    """)
            // With another change, or the table is not rebuilt.
            func drop(_ column: String) -> (TableTransformation) -> Void {
                { t in
                    t.drop(column: column)
                    t.setDefault(ofColumn: "e", to: 1)
                }
            }
            try expectRefusal(
                "SQLite error 1: can't transform table t: view v: no such column: b", db, drop("b"))
            try expectRefusal(
                "SQLite error 1: can't transform table t: trigger r after INSERT: no such column: c",
                db, drop("c"))
            try expectRefusal(
                "SQLite error 1: can't transform table t: trigger o uses column d", db, drop("d"))
            try expectRefusal(
                "SQLite error 1: no such column: a - while executing `CREATE INDEX \"main\".i ON t(a)`",
                db, drop("a"))
            // Both ways of dropping refuse.
            for column in ["a", "b", "c", "d"] {
                let before = try contentDump(db)
                expectError(DatabaseError.self) {
                    try db.transform(table: "t") { $0.drop(column: column) }
                }
                try expectEqual(contentDump(db), before)
            }
        }
    }

    /// The schema has only the table name of a temporary trigger, which may be that of any file.
    @Test func temporaryTriggers() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(a, b);
                    CREATE TEMP TRIGGER r AFTER INSERT ON main.t BEGIN SELECT NEW.b; END;
                    """)
            try expectRefusal(
                "SQLite error 1: can't transform table t: trigger r after INSERT: no such column: NEW.b",
                db
            ) { t in
                t.drop(column: "b")
                t.setDefault(ofColumn: "a", to: 1)
            }
        }
    }

    @Test func unknownColumnsAndConstraints() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(a, b, UNIQUE (a, b)); CREATE VIEW v AS SELECT 1;
                    CREATE VIRTUAL TABLE ft USING fts5(x);
                    """)
            func refuse(
                _ message: String, _ body: (TableTransformation) -> Void
            ) throws {
                try expectRefusal("SQLite error 21: can't transform table t: \(message)", db, body)
            }
            try refuse("no such column: x") { $0.drop(column: "x") }
            try refuse("no such column: x") { $0.change(column: "x", type: .text) }
            try refuse("no such column: x") { $0.setNotNull(column: "x") }
            try refuse("no such column: x") { $0.dropNotNull(column: "x") }
            try refuse("no such column: x") { $0.setDefault(ofColumn: "x", to: 1) }
            try refuse("no such column: x") { $0.dropDefault(ofColumn: "x") }
            try refuse("no such column: x") { $0.setCollation(ofColumn: "x", to: .nocase) }
            try refuse("no such column: x") { $0.setContent(ofColumn: "x", sql: "1") }
            try refuse("no such column: x") { $0.dropChecks(ofColumn: "x") }
            try refuse("no such column: x") { $0.reorder(columns: ["x"]) }
            try refuse("a column is listed twice") { $0.reorder(columns: ["a", "A"]) }
            try refuse("no such constraint: x") { $0.dropConstraint(named: "x") }
            try refuse("no unique key on a") { $0.dropUniqueKey(["a"]) }
            try refuse("no foreign key on a") { $0.dropForeignKey(["a"]) }
            try refuse("constraint PRIMARY KEY (\"x\") uses no such column: x") {
                $0.setPrimaryKey(["x"])
            }
            try refuse("constraint UNIQUE (a, b) uses no such column: a") { $0.drop(column: "a") }
            try refuse("duplicate column name: A") { t in
                t.add(column: "A")
                t.dropUniqueKey(["b", "a"])
            }
            try refuse("not a column definition: 1") { t in
                t.addColumn(sql: "1")
                t.dropUniqueKey(["b", "a"])
            }
            try db.transform(table: "t") { t in
                t.dropUniqueKey(["b", "a"])
                t.drop(column: "a")
            }
            for (name, code) in [("v", 1), ("nowhere", 1), ("ft", 21), ("ft_data", 21)] {
                do {
                    try db.transform(table: name) { $0.change(column: "x", type: .text) }
                    Issue.record("\(name) was transformed")
                } catch let error as DatabaseError {
                    expectTrue(error.resultCode.rawValue == code || name == "ft_data")
                }
            }
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func foreignKeysAreChecked(_ kind: DatabaseKind) throws {
        try TestDatabases.makeWriter(kind).write { db in
            try db.execute(
                sql: """
                    CREATE TABLE team(id INTEGER PRIMARY KEY, code UNIQUE);
                    CREATE TABLE t(id INTEGER PRIMARY KEY, teamId);
                    CREATE TABLE child(tId REFERENCES t(id) ON DELETE CASCADE, code REFERENCES team(code));
                    INSERT INTO team VALUES (1, 'a'); INSERT INTO t VALUES (1, 1), (2, 7);
                    INSERT INTO child VALUES (1, 'a'), (2, 'a');
                    """)
            try expectRefusal(
                "SQLite error 19: FOREIGN KEY constraint violation - from t(teamId) to team(id), in rowid 2",
                db
            ) { $0.addForeignKey(["teamId"], references: "team") }
            // The parent loses the key that its children refer to.
            try expectRefusal(
                "SQLite error 19: foreign key mismatch - \"child\" referencing \"team\"",
                of: "team", db
            ) { $0.dropUniqueKey(["code"]) }
            // Its values change.
            try expectRefusal(
                "SQLite error 19: FOREIGN KEY constraint violation - from child(tId) to t(id), in rowid 1",
                db
            ) { $0.setContent(ofColumn: "id", sql: "id + 100") }
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM child"), 2)
        }
    }

    /// Violations that were there before don't count.
    @Test func formerViolationsAreLeftAlone() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.foreignKeysEnabled = false
        let path = TestDatabases.makePath()
        try TestDatabases.openQueue(path, configuration).write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a, p REFERENCES t DEFERRABLE INITIALLY DEFERRED);
                    INSERT INTO t VALUES (1, 2, 99);
                    """)
        }
        try TestDatabases.openQueue(path).write { db in
            try db.transform(table: "t") { $0.change(column: "a", type: .text) }
            try expectEqual(rowDump(db, "t"), ["t: (rowid)=1 id=1 a='2' p=99"])
            // Nor do those that a transaction still repairs.
            try db.execute(sql: "INSERT INTO t VALUES (2, 3, 50)")
            try db.transform(table: "t") { $0.change(column: "a", type: .integer) }
            try db.execute(sql: "INSERT INTO t VALUES (50, 3, NULL)")
        }
    }

    @Test func openCursorsKeepTheTable() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
            let before = try contentDump(db)
            let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM t")
            _ = try cursor.next()
            expectError(DatabaseError.self) {
                try db.transform(table: "t") { $0.change(column: "a", type: .text) }
            }
            try expectEqual(contentDump(db), before)
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func readsAreRefused(_ kind: DatabaseKind) throws {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        try writer.read { db in
            expectError(DatabaseError.self) {
                try db.transform(table: "t") { $0.change(column: "a", type: .text) }
            }
            let plan = try db.transformationPlan(table: "t") {
                $0.change(column: "a", type: .text)
            }
            expectTrue(plan.rebuildsTable)
            expectEqual(plan.statements.count, 4)
        }
        try writer.write { db in
            let before = try contentDump(db)
            let plan = try db.transformationPlan(table: "t") { t in
                t.rename(column: "a", to: "b")
                t.change(column: "b", type: .text)
            }
            expectEqual(plan.statements.count, 5)
            try expectEqual(contentDump(db), before)
        }
    }

    // MARK: - Accesses

    @Test func migrationsTransform() throws {
        let dbQueue = try TestDatabases.makeQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a);
                    CREATE TABLE child(tId REFERENCES t ON DELETE CASCADE);
                    INSERT INTO t VALUES (1, 2); INSERT INTO child VALUES (1);
                    """)
        }
        migrator.registerMigration("2") { db in
            try db.transform(table: "t") { $0.change(column: "a", type: .text) }
        }
        migrator.registerMigration("3", foreignKeyChecks: .immediate) { db in
            try db.transform(table: "t") { $0.setNotNull(column: "a", replacingNullWith: "") }
            try db.transform(table: "t") { $0.setDefault(ofColumn: "a", to: 1) }
        }
        migrator.registerMigration("4") { db in
            try db.transform(table: "t") { t in
                t.setContent(ofColumn: "id", sql: "5")
            }
        }
        expectError(
            "SQLite error 19: FOREIGN KEY constraint violation - from child(tId) to t(id), in rowid 1 - in migration \"4\""
        ) {
            try migrator.migrate(dbQueue)
        }
        try dbQueue.read { db throws in
            try expectEqual(migrator.appliedMigrations(db), ["1", "2", "3"])
            try expectEqual(rowDump(db, "t"), ["t: (rowid)=1 id=1 a='2'"])
            try expectEqual(rowDump(db, "child"), ["child: (rowid)=1 tId=1"])
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func observationsAreNotified(_ kind: DatabaseKind) throws {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db in
            try db.execute(sql: "CREATE TABLE t(a TEXT); INSERT INTO t VALUES ('1')")
        }
        let values = Log<String>()
        let cancellable = ValueObservation.tracking { db in
            try String.fetchAll(db, sql: "SELECT typeof(a) FROM t").joined()
        }.start(in: writer, scheduling: .async(onQueue: .global())) {
            Issue.record($0)
        } onChange: {
            values.append($0)
        }
        values.wait(forCount: 1)
        try writer.write { db in
            _ = try db.transform(table: "t") { $0.change(column: "a", type: .integer) }
        }
        values.wait(forCount: 2)
        expectEqual(values.elements, ["text", "integer"])
        cancellable.cancel()
    }
}
