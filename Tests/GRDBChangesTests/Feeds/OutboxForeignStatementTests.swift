@testable import GRDB
import GRDBChanges
import GRDBSQLite
import GRDBTestSupport
import Testing

/// Outboxes whose tables C code drops or renames, on the connection of an access.
@Suite(.databases) struct OutboxForeignStatementTests {
    private func makeWriter(
        _ kind: DatabaseKind
    ) throws -> (any DatabaseWriter, DatabaseOutbox) {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT);
                    CREATE TABLE other(id INTEGER PRIMARY KEY, name TEXT)
                    """)
        }
        let outbox = try writer.outbox(named: "test", tables: ["player"])
        try writer.write { try $0.execute(sql: "INSERT INTO player VALUES (1, 'Ada')") }
        return (writer, outbox)
    }

    /// FTS5 drops its shadow tables with statements that no code of the app has declared.
    @Test(arguments: [DatabaseKind.queue, .pool])
    func droppedVirtualTablesLeaveNoHooks(kind: DatabaseKind) throws {
        let (writer, outbox) = try makeWriter(kind)
        try writer.write { db in
            try db.execute(
                sql: "CREATE VIRTUAL TABLE ft USING fts5(a); INSERT INTO ft VALUES ('a')")
            expectEqual(db.broker.watchesUndeclaredChanges, false)
            try db.drop(table: "ft")
            expectEqual(db.broker.watchesUndeclaredChanges, false)
        }
        try expectEqual(entryCount(writer, outbox), 1)
    }

    private func names(_ writer: any DatabaseWriter) throws -> [String] {
        try writer.read { try String.fetchAll($0, sql: "SELECT name FROM player ORDER BY id") }
    }

    private func entryCount(_ writer: any DatabaseWriter, _ outbox: DatabaseOutbox) throws -> Int {
        try writer.read { try outbox.pendingCount($0) }
    }

    static let replacements = [
        "DROP TABLE player",
        "DROP TABLE Player; CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT)",
        "ALTER TABLE player RENAME TO former",
        "ALTER TABLE player RENAME TO former; ALTER TABLE other RENAME TO player",
        """
        CREATE TABLE new AS SELECT * FROM player; DROP TABLE player; ALTER TABLE new RENAME TO player
        """,
    ]

    @Test(arguments: replacements, [DatabaseKind.queue, .pool])
    func recordedTableCannotBeReplaced(sql: String, kind: DatabaseKind) throws {
        let (writer, outbox) = try makeWriter(kind)
        let error = expectError(DatabaseError.self) {
            try writer.write { db in
                expectEqual(sqlite3_exec(db.sqliteConnection, sql, nil, nil, nil), SQLITE_OK)
            }
        }
        expectEqual(error?.message?.contains("player is replaced"), true)
        try expectEqual(names(writer), ["Ada"])
        // The next transactions are not concerned.
        try writer.write { db in
            try db.execute(sql: "CREATE TABLE third(a); INSERT INTO player VALUES (2, 'Bob')")
        }
        try expectEqual(names(writer), ["Ada", "Bob"])
        try expectEqual(entryCount(writer, outbox), 2)
    }

    @Test(arguments: replacements) func recordedTableCannotGoInAStatement(sql: String) throws {
        let (writer, outbox) = try makeWriter(.queue)
        writer.writeWithoutTransaction { db in
            #expect(sqlite3_exec(db.sqliteConnection, sql, nil, nil, nil) != SQLITE_OK)
        }
        try expectEqual(names(writer), ["Ada"])
        try writer.write { db in
            try db.execute(sql: "CREATE TABLE third(a); INSERT INTO player VALUES (2, 'Bob')")
        }
        try expectEqual(entryCount(writer, outbox), 2)
    }

    /// When C code compiles a statement that it runs later.
    enum Compilation: CaseIterable {
        case transaction, deferredTransaction, autocommit, beforeOpening, beforeOpeningWithObserver

        /// Whether the connection knows no outbox yet.
        var isBeforeOpening: Bool { self == .beforeOpening || self == .beforeOpeningWithObserver }

        func callAsFunction(_ writer: any DatabaseWriter, _ compile: (Database) throws -> Void)
            throws
        {
            switch self {
            case .transaction: try writer.write(compile)
            case .deferredTransaction:
                try writer.writeWithoutTransaction { db in
                    try db.inTransaction(.deferred) {
                        try compile(db)
                        return .commit
                    }
                }
            case .autocommit, .beforeOpening, .beforeOpeningWithObserver:
                try writer.writeWithoutTransaction(compile)
            }
        }
    }

    /// SQLite compiles the statement again by itself only if the schema has changed since.
    @Test(
        arguments: Compilation.allCases,
        ["SELECT 1", "UPDATE other SET name = name", "CREATE TABLE third(a)"])
    func statementsThatWereCompiledEarlierAreRefused(
        compilation: Compilation, meanwhile: String
    ) throws {
        let sql = "DROP TABLE player"
        var (writer, outbox) = try makeWriter(.pool)
        if compilation.isBeforeOpening {
            try writer.close()
            writer = try TestDatabases.openQueue(writer.path)
        }
        if compilation == .beforeOpeningWithObserver {
            // Another observer of all changes has expired the statements that were compiled before it.
            writer.add(transactionObserver: TransactionRecorder(), extent: .databaseLifetime)
        }
        var statement: OpaquePointer?
        try compilation(writer) { db in
            expectEqual(
                sqlite3_prepare_v2(db.sqliteConnection, sql, -1, &statement, nil), SQLITE_OK)
        }
        if compilation.isBeforeOpening {
            outbox = try writer.outbox(named: "test", tables: ["player"])
        }
        // It does not run in this transaction.
        try writer.write { try $0.execute(sql: meanwhile) }
        let error = expectError(DatabaseError.self) {
            try writer.write { _ in expectEqual(sqlite3_step(statement), SQLITE_DONE) }
        }
        expectEqual(error?.message?.contains("player is replaced"), true)
        writer.writeWithoutTransaction { _ in
            sqlite3_reset(statement)
            #expect(sqlite3_step(statement) != SQLITE_DONE)
            sqlite3_finalize(statement)
        }
        try writer.write { try $0.execute(sql: "INSERT INTO player VALUES (2, 'Bob')") }
        try expectEqual(names(writer), ["Ada", "Bob"])
        try expectEqual(entryCount(writer, outbox), 2)
    }

    @Test func statementsThatDoNotReplaceTheTableSucceed() throws {
        let (writer, outbox) = try makeWriter(.queue)
        try writer.write { db in
            let connection = db.sqliteConnection
            let sql = """
                ALTER TABLE player ADD COLUMN score; ALTER TABLE player RENAME COLUMN name TO nick;
                ALTER TABLE other RENAME TO others; DROP TABLE others;
                CREATE TEMP TABLE player(a); DROP TABLE temp.player;
                SAVEPOINT s; DROP TABLE player; ROLLBACK TO s; RELEASE s
                """
            expectEqual(sqlite3_exec(connection, sql, nil, nil, nil), SQLITE_OK)
            // It is compiled, and does not run.
            var statement: OpaquePointer?
            sqlite3_prepare_v2(connection, "DROP TABLE player", -1, &statement, nil)
            sqlite3_finalize(statement)
            try db.execute(sql: "INSERT INTO player VALUES (2, 'Bob', 1)")
        }
        try expectEqual(entryCount(writer, outbox), 2)
        try outbox.stop()
        try writer.write { db in
            _ = sqlite3_exec(db.sqliteConnection, "DROP TABLE player", nil, nil, nil)
        }
        try expectTrue(writer.read { try !$0.tableExists("player") })
    }
}
