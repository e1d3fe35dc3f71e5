import GRDBChanges
import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct MigrationSchemaChangesTests {
    private static func v1(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a);
                CREATE INDEX i ON t(a);
                """)
    }

    private static func v2(_ db: Database) throws {
        try db.execute(sql: "CREATE TABLE u (id INTEGER PRIMARY KEY, a)")
    }

    private static func v3(_ db: Database) throws {
        try db.execute(sql: "CREATE TABLE v (id INTEGER PRIMARY KEY, a)")
    }

    private typealias Step = (String, @Sendable (Database) throws -> Void)

    private func migrator(_ steps: Step...) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for (identifier, migrate) in steps {
            migrator.registerMigration(identifier, migrate: migrate)
        }
        return migrator
    }

    private var migrator: DatabaseMigrator {
        migrator(("v1", Self.v1), ("v2", Self.v2))
    }

    private func erasing(_ migrator: DatabaseMigrator) -> DatabaseMigrator {
        var migrator = migrator
        migrator.eraseDatabaseOnSchemaChange = true
        return migrator
    }

    private static let schema = ["grdb_migrations", "i", "t", "u"]

    /// Checks that a change of the database is one of the schema, or not, and what a migrator that
    /// erases does about it.
    private func check(_ sql: String, isChange: Bool) throws {
        let queue = try TestDatabases.makeQueue()
        try migrator.migrate(queue)
        try queue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (12, 'kept')")
            try db.execute(sql: sql)
        }
        try expectEqual(queue.read(migrator.hasSchemaChanges), isChange, "\(sql)")

        try erasing(migrator).migrate(queue)
        let values = try queue.read { try String.fetchAll($0, sql: "SELECT a FROM t") }
        expectEqual(values, (isChange ? [] : ["kept"]), "\(sql)")
        try expectEqual(queue.read(migrator.hasSchemaChanges), false)
        try expectEqual(queue.identifiers(), ["v1", "v2"])
    }

    @Test(arguments: [
        "CREATE TABLE x (a)",
        "CREATE INDEX x ON t(id, a)",
        "CREATE VIEW x AS SELECT 1",
        "CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END",
        "CREATE VIRTUAL TABLE x USING fts5(a)",
        "ALTER TABLE u ADD COLUMN b",
        "DROP INDEX i",
        "DROP TABLE u",
        "DROP TABLE u; CREATE TABLE u (id INTEGER PRIMARY KEY,  a)",
        "CREATE TABLE grdbx (a)",
        "CREATE TABLE litestream_seq (a)",
        "CREATE TABLE \"we\"\"ird; --\" (a); CREATE VIEW \"'\" AS SELECT 1",
    ])
    func differencesOfTheSchemaAreChanges(_ sql: String) throws {
        try check(sql, isChange: true)
    }

    @Test(arguments: [
        "",
        "DELETE FROM u",
        "PRAGMA user_version = 3",
        "CREATE TEMP TABLE x (a)",
        "CREATE TABLE grdb_x (a)",
        "ANALYZE",
        "DROP TABLE u; CREATE TABLE u (id INTEGER PRIMARY KEY, a)",
        "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)",
        "CREATE TABLE _litestream_lock (id INTEGER)",
        "CREATE TABLE _Litestream_x (id INTEGER); CREATE INDEX li ON _litestream_x(id)",
    ])
    func whatMigrationsDoNotCreateIsNoChange(_ sql: String) throws {
        try check(sql, isChange: false)
    }

    @Test func tablesOfUndoHistoriesAreNoChange() throws {
        let queue = try TestDatabases.makeQueue()
        try migrator.migrate(queue)
        let history = try UndoHistory(queue, storage: .table("undo"))
        try history.record("Insert") { db in
            try db.execute(
                sql: "INSERT INTO t VALUES (12, 'kept'); CREATE INDEX undoName ON undo(name)")
        }
        try erasing(migrator).migrate(queue)
        try expectEqual(queue.read { try String.fetchAll($0, sql: "SELECT a FROM t") }, ["kept"])
        expectTrue(history.state.canUndo)
        // A table of the app that looks alike is none of ours.
        try check("CREATE TABLE undo2(id, name, isUndone, other)", isChange: true)
    }

    @Test(arguments: ["", ", added"]) func sqlThatChangesWithEachRunIsNoChange(added: String) throws
    {
        let varying = { (columns: String) in
            self.migrator(
                ("v1", Self.v1),
                (
                    "v2",
                    { db in
                        try Self.v2(db)
                        try db.execute(
                            sql: """
                                CREATE TABLE varying(a DEFAULT '\(UUID().uuidString)'\(columns));
                                CREATE TRIGGER tr AFTER INSERT ON t BEGIN SELECT '\(UUID().uuidString)'; END
                                """)
                    }
                ))
        }
        let queue = try TestDatabases.makeQueue()
        try varying("").migrate(queue)
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (12, 'kept')") }
        try erasing(varying(added)).migrate(queue)
        let values = try queue.read { try String.fetchAll($0, sql: "SELECT a FROM t") }
        expectEqual(values, (added.isEmpty ? ["kept"] : []))
        try expectEqual(queue.read(varying("").hasSchemaChanges), !added.isEmpty)
    }

    @Test func objectsMayBeCreatedInAnotherOrder() throws {
        let queue = try TestDatabases.makeQueue()
        try migrator(("v2", Self.v2), ("v1", Self.v1)).migrate(queue)
        try expectEqual(queue.read(migrator.hasSchemaChanges), false)
    }

    // MARK: - Changes of migrations

    private func check(_ newMigrator: DatabaseMigrator, isChange: Bool) throws {
        let queue = try TestDatabases.makeQueue()
        try migrator.migrate(queue)
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (12, 'kept')") }
        try expectEqual(queue.read(newMigrator.hasSchemaChanges), isChange)
        try erasing(newMigrator).migrate(queue)
        let values = try queue.read { try String.fetchAll($0, sql: "SELECT a FROM t") }
        expectEqual(values, (isChange ? [] : ["kept"]))
        try expectEqual(queue.identifiers(), newMigrator.migrations)
    }

    @Test func aRemovedMigrationIsAChange() throws {
        try check(migrator(("v1", Self.v1)), isChange: true)
    }

    @Test func aRenamedMigrationIsAChange() throws {
        try check(migrator(("w1", Self.v1), ("v2", Self.v2)), isChange: true)
    }

    @Test func aMigrationThatDoesSomethingElseIsAChange() throws {
        try check(migrator(("v1", Self.v1), ("v2", Self.v3)), isChange: true)
    }

    @Test func aMigrationAddedBeforeAppliedOnesIsAChange() throws {
        try check(migrator(("v1", Self.v1), ("v1.5", Self.v3), ("v2", Self.v2)), isChange: true)
    }

    @Test func aMigrationAddedAtTheEndIsNoChange() throws {
        try check(migrator(("v1", Self.v1), ("v2", Self.v2), ("v3", Self.v3)), isChange: false)
    }

    @Test func mergedMigrationsAreAChange() throws {
        var newMigrator = DatabaseMigrator()
        newMigrator.registerMigration("v3", merging: ["v1", "v2"]) { db, appliedIdentifiers in
            if appliedIdentifiers.isEmpty {
                try Self.v1(db)
                try Self.v2(db)
            }
        }
        try check(newMigrator, isChange: true)
    }

    @Test func aDatabaseWithoutMigrationsIsLeftAlone() throws {
        let queue = try TestDatabases.makeQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE x (a)") }
        try expectEqual(queue.read(migrator.hasSchemaChanges), false)
        try erasing(migrator).migrate(queue)
        try expectEqual(queue.objectNames(), Self.schema + ["x"])
    }

    @Test func aMigratorWithoutMigrationsDetectsThatAllWereRemoved() throws {
        let queue = try TestDatabases.makeQueue()
        try expectEqual(queue.read(DatabaseMigrator().hasSchemaChanges), false)
        try migrator.migrate(queue)
        try expectTrue(queue.read(DatabaseMigrator().hasSchemaChanges))
    }

    @Test func onlyTheAppliedMigrationsCount() throws {
        let queue = try TestDatabases.makeQueue()
        try migrator.migrate(queue, upTo: "v1")
        try expectEqual(queue.read(migrator.hasSchemaChanges), false)
        let other = migrator(("v1", Self.v1), ("v2", Self.v3))
        try expectEqual(queue.read(other.hasSchemaChanges), false)
    }

    @Test func theErrorOfAMigrationIsThrown() throws {
        let queue = try TestDatabases.makeQueue()
        try migrator.migrate(queue)
        let failing = migrator(("v1", { _ in throw MigrationFailure() }), ("v2", Self.v2))
        expectError(MigrationFailure()) { try queue.read(failing.hasSchemaChanges) }
        expectError(MigrationFailure()) { try erasing(failing).migrate(queue) }
        try expectEqual(queue.objectNames(), Self.schema)
    }

    @Test func anUnknownTargetErasesNothing() throws {
        let queue = try TestDatabases.makeQueue()
        try migrator.migrate(queue)
        let other = erasing(migrator(("w1", Self.v1)))
        expectFailure(.SQLITE_MISUSE) { try other.migrate(queue, upTo: "nope") }
        try expectEqual(queue.objectNames(), Self.schema)
        try other.migrate(queue, upTo: "w1")
        try expectEqual(queue.objectNames(), ["grdb_migrations", "i", "t"])
    }

    // MARK: - Connections

    @Test func migrationsMayDependOnTheConfiguration() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.label = "labelled"
        configuration.journalMode = .wal
        configuration.targetQueue = DispatchQueue(label: "target")
        configuration.prepareDatabase { db in
            db.add(function: DatabaseFunction("answer", argumentCount: 0) { _ in 42 })
        }
        let path = TestDatabases.makePath()
        let queue = try TestDatabases.openQueue(path, configuration)
        let migrator = migrator(
            (
                "v1",
                { db in
                    let answer = try Int.fetchOne(db, sql: "SELECT answer()")!
                    try db.execute(sql: "CREATE TABLE t\(answer) (a)")
                }
            ))
        try erasing(migrator).migrate(queue)
        try erasing(migrator).migrate(queue)
        try expectEqual(queue.read(migrator.hasSchemaChanges), false)
        try queue.write { try $0.execute(sql: "CREATE TABLE x (a)") }
        try expectTrue(queue.write(migrator.hasSchemaChanges))
        try erasing(migrator).migrate(queue)
        try expectEqual(queue.objectNames(), ["grdb_migrations", "t42"])
    }

    @Test func readOnlyConnectionsDetectChanges() throws {
        let path = TestDatabases.makePath()
        let queue = try TestDatabases.openQueue(path)
        try migrator.migrate(queue)
        var configuration = TestDatabases.makeConfiguration()
        configuration.readonly = true
        let reader = try TestDatabases.openQueue(path, configuration)
        try expectEqual(reader.read(migrator.hasSchemaChanges), false)
        try queue.write { try $0.execute(sql: "CREATE TABLE x (a)") }
        try expectTrue(reader.read(migrator.hasSchemaChanges))
        expectFailure(.SQLITE_READONLY) { try erasing(migrator).migrate(reader) }
        try expectEqual(queue.objectNames(), Self.schema + ["x"])
    }

    @Test func erasingIgnoresForeignKeys() throws {
        let queue = try TestDatabases.makeQueue()
        let migrator = migrator(
            (
                "v1",
                { db in
                    try db.execute(
                        sql: """
                            CREATE TABLE a (id INTEGER PRIMARY KEY);
                            CREATE TABLE b (aId NOT NULL REFERENCES a ON DELETE RESTRICT);
                            """)
                }
            ))
        try migrator.migrate(queue)
        try queue.write { db in
            try db.execute(
                sql: """
                    INSERT INTO a VALUES (1); INSERT INTO b VALUES (1);
                    CREATE TABLE _litestream_seq (id); CREATE TABLE x (a);
                    """)
        }
        try erasing(migrator).migrate(queue)
        try expectEqual(queue.objectNames(), ["_litestream_seq", "a", "b", "grdb_migrations"])
        try queue.read { db throws in
            try expectEqual(Bool.fetchOne(db, sql: "PRAGMA foreign_keys"), true)
        }
    }

    // MARK: - Preserved tables

    @Test func preservedTablesKeepTheirContent() throws {
        let queue = try TestDatabases.makeQueue()
        try migrator.migrate(queue)
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);
                    CREATE INDEX litestreamIndex ON _litestream_seq(seq);
                    INSERT INTO _litestream_seq VALUES (1, 2);
                    CREATE TABLE "my log" (id INTEGER PRIMARY KEY AUTOINCREMENT, line);
                    INSERT INTO "my log" VALUES (7, 'line');
                    CREATE TRIGGER logged AFTER INSERT ON "my log" BEGIN SELECT 1; END;
                    INSERT INTO t VALUES (12, 'a');
                    CREATE VIRTUAL TABLE ft USING fts5(a);
                    CREATE VIEW w AS SELECT * FROM t;
                    CREATE TRIGGER tt AFTER INSERT ON t BEGIN SELECT 1; END;
                    PRAGMA user_version = 5;
                    """)
        }
        var migrator = migrator
        try expectTrue(queue.read(migrator.hasSchemaChanges))
        migrator.preservedTableNames = ["My Log"]
        try expectTrue(queue.read(migrator.hasSchemaChanges))
        try erasing(migrator).migrate(queue)

        try expectEqual(
            queue.objectNames(),
            [
                "_litestream_seq", "grdb_migrations", "i", "litestreamIndex", "logged",
                "my log", "t", "u",
            ])
        try queue.read { db throws in
            try expectEqual(
                Row.fetchOne(db, sql: "SELECT * FROM _litestream_seq"),
                ["id": 1, "seq": 2])
            try expectEqual(
                Row.fetchOne(db, sql: "SELECT * FROM \"my log\""),
                ["id": 7, "line": "line"])
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 0)
            try expectEqual(Int.fetchOne(db, sql: "PRAGMA user_version"), 0)
            // Only the sequence of the preserved table goes on.
            try expectEqual(
                Row.fetchAll(db, sql: "SELECT * FROM sqlite_sequence"),
                [["name": "my log", "seq": 7]])
            try expectEqual(migrator.hasSchemaChanges(db), false)
        }
    }

    @Test func theContentOfOthersIsNotCompared() throws {
        let queue = try TestDatabases.makeQueue()
        var migrator = migrator
        migrator.preservedTableNames = ["x"]
        try migrator.migrate(queue)
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE X (a UNIQUE); CREATE INDEX xi ON x(a)")
        }
        try expectEqual(queue.read(migrator.hasSchemaChanges), false)
        try expectTrue(queue.read(self.migrator.hasSchemaChanges))
    }

    /// A schema source that counts how often it is asked.
    private final class CountingSource: DatabaseSchemaSource {
        let count = NSLock()
        nonisolated(unsafe) var questions = 0

        func columnsForPrimaryKey(
            _ db: Database, inView view: DatabaseObjectID
        ) throws -> [String]? {
            count.withLock { questions += 1 }
            return ["a"]
        }
    }

    @Test func theSchemaSourceIsNotAskedWhileMigrationsRun() throws {
        let source = CountingSource()
        var configuration = TestDatabases.makeConfiguration()
        configuration.schemaSource = source
        let queue = try TestDatabases.makeQueue(.memory, configuration)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.execute(sql: "CREATE TABLE t(a); CREATE VIEW v AS SELECT a FROM t")
            expectNil(db.schemaSource)
            expectError(DatabaseError.self) { try db.primaryKey("v") }
        }
        try migrator.migrate(queue)
        try expectTrue(!queue.read(migrator.hasSchemaChanges))
        expectEqual(source.questions, 0)
        // Not from the cache that the migration has filled.
        try expectEqual(queue.read { try $0.primaryKey("v").columns }, ["a"])
        expectEqual(source.questions, 1)
    }

    @Test func schemasAreComparedInAFile() throws {
        let queue = try TestDatabases.makeQueue()
        var migrator = DatabaseMigrator()
        let paths = PathList()
        migrator.registerMigration("v1") { db in
            let path = try String.fetchOne(
                db, sql: "SELECT file FROM pragma_database_list WHERE name = 'main'")
            paths.append(path ?? "")
            try db.execute(sql: "CREATE TABLE t(a)")
        }
        try migrator.migrate(queue)
        try expectTrue(!queue.read(migrator.hasSchemaChanges))
        expectEqual(paths.all.count, 2)
        let path = try unwrap(paths.all.last)
        expectTrue(path.hasSuffix("schema.sqlite"))
        expectTrue(!FileManager.default.fileExists(atPath: path))
        let folder = (path as NSString).deletingLastPathComponent
        expectTrue(!FileManager.default.fileExists(atPath: folder))
    }

    private final class PathList: Sendable {
        private let lock = NSLock()
        nonisolated(unsafe) private var paths: [String] = []

        var all: [String] { lock.withLock { paths } }

        func append(_ path: String) { lock.withLock { paths.append(path) } }
    }
}
