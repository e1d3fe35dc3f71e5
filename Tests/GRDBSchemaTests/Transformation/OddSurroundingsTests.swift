@testable import GRDBSchema
import GRDBServer
import GRDBTestSupport
import Testing

@testable import GRDB

/// Transformations in odd schemas and at odd moments.
@Suite(.databases) struct OddSurroundingsTests {
    // MARK: - Keys

    @Test(arguments: DatabaseKind.allCases, [true, false])
    func compositeDeferredAndOwnKeys(_ kind: DatabaseKind, inMigration: Bool) throws {
        let writer = try TestDatabases.makeWriter(kind)
        @Sendable func make(_ db: Database) throws {
            try db.execute(
                sql: """
                    CREATE TABLE node(
                        a INTEGER, b TEXT, pa INTEGER, pb TEXT, note,
                        PRIMARY KEY (a, b),
                        FOREIGN KEY (pa, pb) REFERENCES node(a, b) ON DELETE CASCADE
                            ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED) WITHOUT ROWID;
                    CREATE TABLE leaf(
                        id INTEGER PRIMARY KEY, x INTEGER NOT NULL, y TEXT NOT NULL,
                        FOREIGN KEY (x, y) REFERENCES node ON DELETE CASCADE) STRICT;
                    CREATE TABLE twig(
                        l INTEGER PRIMARY KEY REFERENCES leaf ON DELETE RESTRICT,
                        FOREIGN KEY (l) REFERENCES leaf(id) ON DELETE SET NULL);
                    INSERT INTO node VALUES (1, 'r', NULL, NULL, 'root'), (2, 'c', 1, 'r', 'child'),
                        (3, 'g', 2, 'c', 'grandchild');
                    INSERT INTO leaf VALUES (10, 1, 'r'), (20, 3, 'g');
                    INSERT INTO twig VALUES (20);
                    CREATE INDEX node_p ON node(pa, pb) WHERE pa IS NOT NULL;
                    """)
        }
        @Sendable func change(_ db: Database) throws {
            let leaves = try rowDump(db, "leaf")
            let twigs = try rowDump(db, "twig")
            try db.transform(table: "node") { t in
                t.rename(column: "b", to: "B b")
                t.reorder(columns: ["note", "pb", "B b"])
                t.change(column: "note", type: .text)
                t.setOptions([])
            }
            try expectEqual(rowDump(db, "leaf"), leaves)
            try db.transform(table: "leaf") { t in
                t.rename(column: "id", to: "key")
                t.setDefault(ofColumn: "x", to: 1)
                t.reorder(columns: ["y"])
            }
            try expectEqual(rowDump(db, "twig"), twigs)
            try db.transform(table: "twig") { $0.add(column: "n", .integer).unique() }
            try expectEqual(Int.fetchAll(db, sql: "SELECT a FROM node ORDER BY a"), [1, 2, 3])
            try expectIntegrity(db)
        }
        if inMigration {
            var migrator = DatabaseMigrator()
            migrator.registerMigration("make") { try make($0) }
            migrator.registerMigration("change") { try change($0) }
            migrator.registerMigration("again", foreignKeyChecks: .immediate) { try change2($0) }
            try migrator.migrate(writer)
        } else {
            try writer.write { try make($0) }
            try writer.write { try change($0) }
            try writer.write { try change2($0) }
        }
        @Sendable func change2(_ db: Database) throws {
            try db.transform(table: "node") { $0.setDefault(ofColumn: "note", to: "none") }
        }
        try writer.write { db throws in
            expectError(DatabaseError.self) { try db.execute(sql: "DELETE FROM node") }
            try db.execute(sql: "DELETE FROM twig")
            try db.execute(sql: "UPDATE node SET a = 100 WHERE a = 2")
            try expectEqual(Int.fetchAll(db, sql: "SELECT pa FROM node WHERE a = 3"), [100])
            try db.execute(sql: "DELETE FROM node WHERE a = 1")
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM node"), 0)
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM leaf"), 0)
        }
    }

    /// A deferred violation that is not resolved yet is neither lost nor counted twice.
    @Test(arguments: DatabaseKind.allCases, ["parent", "child"])
    func pendingViolations(_ kind: DatabaseKind, table: String) throws {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE parent(id INTEGER PRIMARY KEY, a);
                    CREATE TABLE child(p REFERENCES parent DEFERRABLE INITIALLY DEFERRED, a);
                    INSERT INTO parent VALUES (1, 'x');
                    """)
        }
        @Sendable func change(_ db: Database) throws {
            try db.execute(sql: "INSERT INTO child VALUES (1, 'a'), (2, 'b')")
            let plan = try db.transform(table: table) { $0.setDefault(ofColumn: "a", to: 0) }
            expectTrue(plan.rebuildsTable)
        }
        expectError(DatabaseError.self) { try writer.write { try change($0) } }
        try writer.write { db throws in
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM child"), 0)
            try change(db)
            try db.execute(sql: "INSERT INTO parent(id) VALUES (2)")
        }
        try writer.write { db throws in
            try expectEqual(Int.fetchAll(db, sql: "SELECT p FROM child"), [1, 2])
            let value = try Int.fetchOne(db, sql: "SELECT a FROM parent WHERE id = 2")
            expectEqual(value, (table == "parent" ? 0 : nil))
        }
    }

    // MARK: - Moments

    @Test(arguments: DatabaseKind.allCases)
    func rolledBackSavepoints(_ kind: DatabaseKind) throws {
        struct Item: Codable, FetchableRecord, PersistableRecord {
            static let databaseTableName = "t"
            var id: Int
            var a: String?
        }
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT, b);
                    CREATE INDEX i ON t(a);
                    CREATE TABLE log(x);
                    CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO log VALUES (NEW.a); END;
                    """)
            try Item(id: 1, a: "one").insert(db)
            let before = try contentDump(db)
            for _ in 0..<2 {
                try db.inSavepoint {
                    try db.transform(table: "t") { t in
                        t.drop(column: "b")
                        t.setNotNull(column: "a", replacingNullWith: "")
                        t.reorder(columns: ["a"])
                        t.add(column: "c", .text).indexed()
                    }
                    try Item(id: 2, a: "two").insert(db)
                    try expectEqual(Item.fetchCount(db), 2)
                    try expectEqual(db.columns(in: "t").map(\.name), ["a", "id", "c"])
                    try expectEqual(db.indexes(on: "t").count, 2)
                    return .rollback
                }
                try expectEqual(contentDump(db), before)
                try expectEqual(db.columns(in: "t").map(\.name), ["id", "a", "b"])
                try expectEqual(Item.fetchAll(db).map(\.a), ["one"])
                try Item(id: 3, a: nil).insert(db)
                try Item(id: 3, a: nil).delete(db)
                try db.execute(
                    sql: "UPDATE sqlite_sequence SET seq = 1; DELETE FROM log WHERE x IS NULL")
            }
        }
        expectError(TestError()) {
            try writer.write { db throws in
                try db.transform(table: "t") { $0.reorder(columns: ["a"]) }
                throw TestError()
            }
        }
        try writer.read { db throws in
            try expectEqual(db.columns(in: "t").map(\.name), ["id", "a", "b"])
            try expectEqual(Item.fetchAll(db).map(\.a), ["one"])
        }
    }

    /// Stopped in the middle of the copy, a table is as before, and so are the settings.
    @Test(arguments: DatabaseKind.allCases, [false, true])
    func stoppedTransformations(_ kind: DatabaseKind, inTransaction: Bool) throws {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a);
                    CREATE TABLE child(p REFERENCES t ON DELETE CASCADE);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
                    INSERT INTO t SELECT i, i FROM n;
                    INSERT INTO child SELECT id FROM t;
                    """)
        }
        func transform(_ db: Database) throws {
            // The copy is the first statement that takes so long.
            var callCount = 0
            try db.withProgress {
                callCount += 1
                return callCount < 40 ? .continue : .stop
            } _: {
                _ = try db.transform(table: "t") { $0.setDefault(ofColumn: "a", to: 0) }
            }
        }
        func check(_ db: Database) throws {
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM t"), 20000)
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM child"), 20000)
            try expectEqual(Bool.fetchOne(db, sql: "PRAGMA foreign_keys"), true)
            try expectEqual(schemaSQL(db), "CREATE TABLE t(id INTEGER PRIMARY KEY, a)")
        }
        if inTransaction {
            try? writer.write { db throws in
                let error = expectError(DatabaseError.self) { try transform(db) }
                expectEqual(error?.resultCode, .SQLITE_INTERRUPT)
            }
        } else {
            try writer.writeWithoutTransaction { db throws in
                let error = expectError(DatabaseError.self) { try transform(db) }
                expectEqual(error?.resultCode, .SQLITE_INTERRUPT)
                expectTrue(!db.isInsideTransaction)
                try check(db)
            }
        }
        try writer.write { db throws in
            try check(db)
            try db.transform(table: "t") { $0.setDefault(ofColumn: "a", to: 0) }
            try db.execute(sql: "DELETE FROM t WHERE id <= 10")
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM child"), 19990)
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func observedTablesOfAttachedDatabases(_ kind: DatabaseKind) throws {
        let path = TestDatabases.makePath()
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { db in
            try db.execute(sql: "ATTACH ? AS aux", arguments: [path])
        }
        let writer = try TestDatabases.makeWriter(kind, configuration)
        try writer.write { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE aux.t(id INTEGER PRIMARY KEY AUTOINCREMENT, a);
                    INSERT INTO t VALUES (4, 'x'); DELETE FROM t; INSERT INTO t VALUES (2, 'y');
                    CREATE TABLE aux.child(p REFERENCES t ON DELETE CASCADE);
                    INSERT INTO child VALUES (2);
                    CREATE INDEX aux.i ON t(a);
                    CREATE TABLE main.log(x);
                    CREATE TABLE main.t_transformed(x);
                    CREATE TEMP TRIGGER r AFTER INSERT ON aux.t
                        BEGIN INSERT INTO log VALUES (NEW.a); END;
                    CREATE VIEW aux.v AS SELECT * FROM t;
                    CREATE TEMP VIEW w AS SELECT * FROM aux.t;
                    """)
        }
        let log = Log<Int>()
        let cancellable = DatabaseRegionObservation(tracking: Table("t")).start(
            in: writer, onError: { _ in },
            onChange: { db in
                log.append((try? Int.fetchOne(db, sql: "SELECT count(*) FROM t")) ?? -1)
            })
        defer { cancellable.cancel() }
        try writer.write { db throws in
            let plan = try db.transform(table: "t") { t in
                t.change(column: "a", type: .text)
                t.reorder(columns: ["a"])
            }
            expectTrue(plan.rebuildsTable)
            try db.execute(sql: "ANALYZE aux")
            try db.transform(table: "t") { $0.setDefault(ofColumn: "a", to: "z") }
            let statistics = "SELECT count(*) FROM aux.sqlite_stat1 WHERE tbl = 't'"
            try expectEqual(Int.fetchOne(db, sql: statistics), 1)
        }
        expectEqual(log.removeAll(), [1])
        try writer.write { db throws in
            try db.execute(sql: "INSERT INTO t DEFAULT VALUES")
            expectEqual(db.lastInsertedRowID, 5)
            try expectEqual(String.fetchAll(db, sql: "SELECT x FROM log"), ["z"])
            try expectEqual(Int.fetchAll(db, sql: "SELECT id FROM w"), [2, 5])
            try expectEqual(Int.fetchAll(db, sql: "SELECT id FROM v"), [2, 5])
            try expectEqual(Int.fetchAll(db, sql: "SELECT p FROM child"), [2])
            try db.execute(sql: "DELETE FROM t")
            try expectEqual(Int.fetchAll(db, sql: "SELECT p FROM child"), [])
        }
        expectEqual(log.removeAll(), [0])
    }

    /// Triggers of other tables that use the table, and several temporary ones on it.
    @Test func triggersOfOthers() throws {
        try TestDatabases.makeQueue().write { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a, n INTEGER DEFAULT 0);
                    CREATE TABLE other(x);
                    CREATE TRIGGER o1 AFTER INSERT ON other
                        BEGIN INSERT INTO t(a) VALUES (NEW.x); UPDATE t SET n = n + 1; END;
                    CREATE TRIGGER o2 BEFORE DELETE ON other
                        WHEN (SELECT count(*) FROM t) > 0 BEGIN DELETE FROM t WHERE a = OLD.x; END;
                    CREATE TEMP TRIGGER "on" AFTER INSERT ON t BEGIN INSERT INTO other SELECT 'from temp'
                        WHERE NEW.a <> 'from temp'; END;
                    CREATE TEMP TABLE keep(y);
                    CREATE TEMP TRIGGER u AFTER UPDATE OF a, "n" ON main.t
                        BEGIN INSERT INTO keep VALUES (NEW.n); END;
                    """)
            for _ in 0..<2 {
                let plan = try db.transform(table: "t") { t in
                    t.change(column: "a", type: .text)
                    t.reorder(columns: ["n", "a"])
                }
                expectTrue(plan.rebuildsTable)
            }
            try db.execute(sql: "INSERT INTO other VALUES ('x')")
            try expectEqual(String.fetchAll(db, sql: "SELECT a FROM t ORDER BY id"), ["x"])
            // No trigger runs inside of itself.
            try expectEqual(String.fetchAll(db, sql: "SELECT x FROM other"), ["x", "from temp"])
            try expectEqual(Int.fetchAll(db, sql: "SELECT y FROM keep"), [1])
            try db.execute(sql: "DELETE FROM other WHERE x = 'x'")
            try expectEqual(String.fetchAll(db, sql: "SELECT a FROM t"), [])
            let names = try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_temp_master WHERE type = 'trigger' ORDER BY name")
            expectEqual(names, ["on", "u"])
        }
    }
}
