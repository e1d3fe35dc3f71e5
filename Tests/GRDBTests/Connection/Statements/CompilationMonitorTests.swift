import GRDBServer
import Foundation
@testable import GRDB
import GRDBTestSupport
import Testing

/// What is recorded of a statement when other statements are compiled in the middle of it.
@Suite(.databases) struct CompilationMonitorTests {
    /// The tables of a database that each test opens anew: connections have not met them yet.
    private static let schema = """
        CREATE TABLE book(id INTEGER PRIMARY KEY, title);
        INSERT INTO book VALUES (1, 'one'), (2, 'two');
        CREATE TABLE log(a);
        CREATE VIRTUAL TABLE fts3t USING fts3(title);
        CREATE VIRTUAL TABLE fts4t USING fts4(title);
        CREATE VIRTUAL TABLE fts4external USING fts4(content="book", title);
        CREATE VIRTUAL TABLE fts4aux USING fts4aux(fts4t);
        CREATE VIRTUAL TABLE fts5t USING fts5(title);
        CREATE VIRTUAL TABLE fts5external USING fts5(title, content="book", content_rowid="id");
        CREATE VIRTUAL TABLE fts5row USING fts5vocab(fts5t, row);
        CREATE VIRTUAL TABLE box USING rtree(id, x1, x2, +name);
        CREATE VIRTUAL TABLE box32 USING rtree_i32(id, x1, x2);
        CREATE VIRTUAL TABLE shape USING geopoly(name);
        """

    private static let tables = [
        "fts3t", "fts4t", "fts4external", "fts4aux", "fts5t", "fts5external", "fts5row", "box",
        "box32", "shape",
    ]

    /// Only pragmas that may change the effects of other statements make them outdated.
    @Test func effectsSurvivePragmas() throws {
        try TestDatabases.makeQueue(.file).writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, u REFERENCES t)")
            func changes(_ sql: String) throws -> Bool {
                let generation = db.schemaGeneration
                try db.execute(sql: sql)
                return db.schemaGeneration != generation
            }
            let harmless = [
                "PRAGMA table_xinfo(t)", "PRAGMA main.index_list('t')",
                "PRAGMA Foreign_Key_List(t)",
                "PRAGMA user_version = 3", "PRAGMA cache_size = 100", "PRAGMA integrity_check(t)",
                "PRAGMA wal_checkpoint(PASSIVE)", "PRAGMA foreign_keys",
                "PRAGMA journal_mode = WAL",
                "SELECT * FROM pragma_table_info('t')",
            ]
            let harmful = [
                "PRAGMA foreign_keys = 0", "PRAGMA main.recursive_triggers(1)",
                "PRAGMA writable_schema = 0",
                "PRAGMA unknown = 1", "PRAGMA schema_version = 40",
            ]
            try expectEqual(harmless.filter(changes), [])
            try expectEqual(harmful.filter(changes), harmful)

            let generation = db.schemaGeneration
            _ = try (
                db.columns(in: "t"), db.indexes(on: "t"), db.foreignKeys(on: "t"),
                db.primaryKey("t")
            )
            try db.checkForeignKeys()
            try db.checkIntegrity()
            expectEqual(db.schemaGeneration, generation)
        }
    }

    /// The tables that can be changed.
    private static let writableTables = [
        "fts3t", "fts4t", "fts4external", "fts5t", "fts5external", "box", "box32", "shape",
    ]

    /// The region of a join of the table with the table "book".
    private static func region(_ table: String) -> String {
        switch table {
        // The terms of another table.
        case "fts4aux": "book(id,title),fts4aux(*),fts4t(*)"
        case "fts5row": "book(id,title),fts5row(*),fts5t(*)"
        default: "book(id,title),\(table)(*)"
        }
    }

    /// The content of the file, which takes longer to make than what the tests do with it.
    private static let file = Result { try content(schema) }

    private static func content(_ sql: String) throws -> Data {
        let path = TestDatabases.makePath()
        let dbQueue = try TestDatabases.openQueue(path)
        try dbQueue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try dbQueue.close()
        return try Data(contentsOf: URL(fileURLWithPath: path))
    }

    private static func makeFile(_ content: Result<Data, any Error> = file) throws -> String {
        let path = TestDatabases.makePath()
        try content.get().write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Opens a database that is there already.
    private static func open(_ path: String, _ kind: DatabaseKind) throws -> any DatabaseWriter {
        switch kind {
        case .queue: try TestDatabases.openQueue(path)
        case .pool: try TestDatabases.openPool(path)
        }
    }

    // MARK: - Virtual tables

    /// A virtual table is connected by the first statement that uses it.
    @Test(arguments: DatabaseKind.allCases, tables)
    func firstStatementHasItsRegion(kind: DatabaseKind, table: String) throws {
        let writer = try Self.open(Self.makeFile(), kind)
        let sql = "SELECT book.* FROM book, \(table)"
        let (first, recorded, second) = try writer.read { db in
            let statement = try db.makeStatement(sql: sql)
            let first = statement.databaseRegion
            let (_, recorded) = try db.recordingRegion { try Row.fetchAll(statement) }
            return try (first, recorded, db.makeStatement(sql: sql).databaseRegion)
        }
        expectEqual(first, second)
        expectEqual(recorded, second)
        expectEqual(first.description, Self.region(table))
    }

    /// The first statement is one that a request has made, and that runs at once.
    @Test(arguments: DatabaseKind.allCases, tables)
    func firstStatementIsRecorded(kind: DatabaseKind, table: String) throws {
        let writer = try Self.open(Self.makeFile(), kind)
        let (_, region) = try writer.read { db in
            try db.recordingRegion {
                try Row.fetchAll(db, sql: "SELECT book.* FROM book, \(table)")
            }
        }
        expectEqual(region.description, Self.region(table))
    }

    /// The effects of a statement, but for those of the compiled program.
    private static func describe(_ statement: Statement) -> String {
        let effects = statement.effects
        return "\(statement.eventKinds) \(effects.isPragma) \(effects.changesSettings)"
            + " \(effects.changesSchema) \(String(describing: effects.droppedOrAlteredTable))"
            + " \(String(describing: effects.transactionEffect)) \(effects.isReusable)"
            + " \(effects.beginsTransaction) \(effects.replacesRows)"
    }

    @Test(arguments: DatabaseKind.allCases, writableTables)
    func firstChangeHasItsEffects(kind: DatabaseKind, table: String) throws {
        for sql in [
            "INSERT INTO \(table) SELECT * FROM \(table)",
            "UPDATE \(table) SET rowid = rowid", "DELETE FROM \(table) WHERE rowid = 1",
            "INSERT INTO log SELECT rowid FROM \(table)", "SELECT * FROM \(table)",
            "EXPLAIN SELECT * FROM \(table)",
        ] {
            let writer = try Self.open(Self.makeFile(), kind)
            let (first, second) = try writer.writeWithoutTransaction { db in
                try (
                    Self.describe(db.makeStatement(sql: sql)),
                    Self.describe(db.makeStatement(sql: sql))
                )
            }
            expectEqual(first, second, "\(sql)")
        }
    }

    /// What happens when the table is dropped, or the schema is changed, by the first statement.
    @Test(arguments: DatabaseKind.allCases, tables)
    func firstStatementDropsTheTable(kind: DatabaseKind, table: String) throws {
        let writer = try Self.open(Self.makeFile(), kind)
        try writer.writeWithoutTransaction { db in
            let statement = try db.makeStatement(sql: "DROP TABLE \(table)")
            expectEqual(statement.effects.droppedOrAlteredTable, table)
            expectTrue(statement.effects.changesSchema)
            expectTrue(!statement.effects.isPragma)
            expectTrue(statement.eventKinds.isEmpty)
            try statement.execute()
            try expectTrue(!db.tableExists(table))
        }
    }

    /// An R-tree prepares changes of its shadow tables when it is connected.
    @Test(arguments: DatabaseKind.allCases, [true, false])
    func firstChangeOfAnRTreeIsObserved(kind: DatabaseKind, isRTree: Bool) throws {
        let table = isRTree ? "box" : "fts4t"
        let writer = try Self.open(Self.makeFile(), kind)
        let recorder = TransactionRecorder()
        recorder.filter = { $0.tableName == table }
        writer.add(transactionObserver: recorder)
        try writer.write { db in
            try db.execute(
                sql: isRTree
                    ? "INSERT INTO box VALUES (1, 2, 3, 'a')" : "INSERT INTO fts4t VALUES ('a')")
        }
        let lines = recorder.lines()
        expectTrue(lines.contains { $0.hasPrefix("didChange insert main.\(table)_") })
        expectEqual(lines.suffix(2), ["willCommit", "didCommit"])
    }

    // MARK: - Functions

    /// Lets a connection into a function that must not use it.
    private final class Nested: @unchecked Sendable {
        var db: Database!
        var body: ((Database) throws -> Void)?
        var count = 0
    }

    /// A connection whose compilations of `WHERE a = f(1)` call a closure.
    ///
    /// SQLite calls pure functions when it looks how many rows it will find, if it has samples.
    private static func makeQueue(
        _ nested: Nested, _ kind: DatabaseKind = .queue
    ) throws -> any DatabaseWriter {
        let path = try makeFile(analyzedFile)
        var configuration = TestDatabases.makeConfiguration()
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { db in
            db.add(
                function: DatabaseFunction("f", argumentCount: 1, pure: true) { values in
                    nested.count += 1
                    if let db = nested.db { try nested.body?(db) }
                    return values[0]
                })
        }
        return switch kind {
        case .queue: try TestDatabases.openQueue(path, configuration)
        case .pool: try TestDatabases.openPool(path, configuration)
        }
    }

    private static let analyzedFile = Result {
        try content(
            """
            CREATE TABLE t(id INTEGER PRIMARY KEY, a); CREATE INDEX i ON t(a);
            WITH c(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c WHERE x < 500)
            INSERT INTO t SELECT x, x % 17 FROM c;
            CREATE TABLE child(t REFERENCES t(id) ON DELETE CASCADE);
            CREATE TABLE other(b); INSERT INTO other VALUES (1);
            CREATE TABLE log(a); CREATE TABLE more(c);
            CREATE TRIGGER logged AFTER INSERT ON log BEGIN
                INSERT INTO more SELECT b FROM other; END;
            ANALYZE;
            """)
    }

    private static let outerStatements = [
        "SELECT id FROM t WHERE a = f(1)", "DELETE FROM t WHERE a = f(1)",
        "UPDATE t SET id = id WHERE a = f(1)", "INSERT INTO log SELECT id FROM t WHERE a = f(1)",
        "CREATE TABLE copy AS SELECT id FROM t WHERE a = f(1)",
        "SELECT id FROM t WHERE a = f(1) UNION SELECT c FROM more",
    ]

    private static let innerStatements = [
        "SELECT b FROM other", "INSERT INTO other VALUES (2)", "UPDATE other SET b = 3",
        "DELETE FROM other", "PRAGMA page_size", "PRAGMA cache_size = 100",
        "SAVEPOINT s; RELEASE s", "BEGIN; COMMIT", "BEGIN; SAVEPOINT s; ROLLBACK TO s; ROLLBACK",
        "CREATE TABLE IF NOT EXISTS another(a)", "DROP TABLE IF EXISTS gone",
        "SELECT nothing FROM nowhere", "ATTACH ':memory:' AS attached; DETACH attached",
    ]

    @Test(arguments: outerStatements, innerStatements)
    func functionRunsStatementsDuringACompilation(outer: String, inner: String) throws {
        let nested = Nested()
        let writer = try Self.makeQueue(nested)
        try writer.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE another(a)")
            let alone = try db.makeStatement(sql: outer)
            let expected = (Self.describe(alone), alone.databaseRegion)
            nested.db = db
            nested.body = { db in
                // Also statements that record what they read.
                _ = try? db.makeStatement(sql: "SELECT b FROM other").databaseRegion
                for sql in inner.split(separator: ";") { try? db.execute(sql: String(sql)) }
            }
            defer { nested.db = nil }
            let count = nested.count
            let statement = try db.makeStatement(sql: outer)
            #expect(nested.count > count)
            expectEqual(Self.describe(statement), expected.0)
            expectEqual(statement.databaseRegion, expected.1)
            nested.body = nil
            try statement.execute()
            expectTrue(!db.isInsideTransaction)
        }
    }

    /// Compilations in compilations in compilations.
    @Test func compilationsAreNestedDeeply() throws {
        let nested = Nested()
        let writer = try Self.makeQueue(nested)
        try writer.writeWithoutTransaction { db in
            let sql = "INSERT INTO log SELECT id FROM t WHERE a = f(1)"
            let expected = try Self.describe(db.makeStatement(sql: sql))
            nested.db = db
            defer { nested.db = nil }
            var depth = 0
            var descriptions: [String] = []
            nested.body = { db in
                if depth == 5 { return }
                depth += 1
                defer { depth -= 1 }
                try descriptions.append(Self.describe(db.makeStatement(sql: sql)))
                try db.execute(sql: "PRAGMA page_size")
            }
            try descriptions.append(Self.describe(db.makeStatement(sql: sql)))
            #expect(descriptions.count > 5)
            expectEqual(Set(descriptions), [expected])
        }
    }

    /// The error of a statement that a function runs is the error of the function only.
    @Test func errorOfANestedStatementIsNotThatOfTheOuterOne() throws {
        let nested = Nested()
        let writer = try Self.makeQueue(nested)
        try writer.writeWithoutTransaction { db in
            nested.db = db
            defer { nested.db = nil }
            nested.body = { db in
                nested.body = nil
                try? db.execute(sql: "SELECT * FROM nowhere")
                throw TestError("inner")
            }
            expectError(TestError("inner")) {
                try db.makeStatement(sql: "SELECT id FROM t WHERE a = f(1)")
            }
            let statement = try db.makeStatement(sql: "SELECT id FROM t WHERE a = f(1)")
            // The error of a compilation that only wants to know the region is that of no statement.
            nested.body = { _ in throw TestError("region") }
            expectEqual(statement.databaseRegion, .fullDatabase)
            nested.body = nil
            expectError(
                "SQLite error 1: no such table: nowhere - while executing `DROP TABLE nowhere`"
            ) {
                try db.execute(sql: "DROP TABLE nowhere")
            }
        }
    }

    /// The effects of a statement are those of the settings that it runs with.
    @Test(arguments: DatabaseKind.allCases)
    func settingsThatChangeDuringACompilation(kind: DatabaseKind) throws {
        let nested = Nested()
        let writer = try Self.makeQueue(nested, kind)
        let recorder = TransactionRecorder()
        recorder.filter = { $0.tableName == "child" }
        writer.add(transactionObserver: recorder)
        try writer.writeWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO child SELECT id FROM t WHERE id = 1")
            _ = recorder.lines()
            nested.db = db
            defer { nested.db = nil }
            nested.body = { db in
                nested.body = nil
                try db.execute(sql: "PRAGMA foreign_keys = 1")
            }
            try db.execute(sql: "DELETE FROM t WHERE a = f(1)")
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM child"), 0)
        }
        expectEqual(recorder.lines().first, "didChange delete main.child 1")
    }

    // MARK: - Compilations by SQLite

    /// A statement that SQLite compiles again on its own, in the middle of a compilation, is not
    /// recorded.
    @Test func expiredStatementRunsDuringACompilation() throws {
        let nested = Nested()
        let writer = try Self.makeQueue(nested)
        try writer.writeWithoutTransaction { db in
            let sql = "INSERT INTO log SELECT id FROM t WHERE a = f(1)"
            let alone = try db.makeStatement(sql: sql)
            let expected = (Self.describe(alone), alone.databaseRegion)
            let other = try db.makeStatement(sql: "DELETE FROM other WHERE b = 100")
            nested.db = db
            defer {
                nested.db = nil
                nested.body = nil
            }
            nested.body = { db in
                db.expirePreparedStatements()
                try other.execute()
            }
            let statement = try db.makeStatement(sql: sql)
            expectEqual(Self.describe(statement), expected.0)
            expectEqual(statement.databaseRegion, expected.1)
        }
    }
}
