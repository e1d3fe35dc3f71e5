import Foundation
import GRDB
import GRDBSQLite
import GRDBTestSupport
import Testing

/// What `read` and `Database.readOnly(_:)` let through.
@Suite(.databases) struct ReadOnlyAccessTests {
    private let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(a);
                    INSERT INTO t VALUES (1);
                    CREATE INDEX i ON t(a);
                    CREATE VIRTUAL TABLE ft USING fts5(text);
                    INSERT INTO ft VALUES ('hello');
                    CREATE VIRTUAL TABLE ft4 USING fts4(text);
                    INSERT INTO ft4 VALUES ('a');
                    INSERT INTO ft4 VALUES ('b');
                    CREATE TEMP TABLE tmp(a);
                    """)
        }
    }

    private func error(_ sql: String) -> String {
        "SQLite error 8: attempt to write a readonly database - while executing `\(sql)`"
    }

    // MARK: - Refused

    static let refusedSQL = [
        "INSERT INTO t VALUES (7)",
        "UPDATE t SET a = 1 WHERE 0",
        "DELETE FROM t",
        "REPLACE INTO t VALUES (1)",
        "INSERT INTO t VALUES (7) RETURNING a",
        "CREATE TABLE z(a)",
        "CREATE TEMP TABLE z(a)",
        "INSERT INTO tmp VALUES (7)",
        "CREATE VIEW v AS SELECT 1",
        "CREATE INDEX j ON t(a)",
        "CREATE VIRTUAL TABLE z USING fts5(a)",
        "DROP TABLE t",
        "ALTER TABLE t ADD COLUMN b",
        "ALTER TABLE t RENAME TO u",
        "PRAGMA user_version = 1",
        "PRAGMA application_id = 1",
        "REINDEX",
        "ANALYZE",
        "INSERT INTO ft VALUES ('x')",
        "DELETE FROM ft",
        "INSERT INTO ft(ft) VALUES ('optimize')",
        "INSERT INTO ft(ft) VALUES ('rebuild')",
        "INSERT INTO ft(ft, rank) VALUES ('pgsz', 64)",
        "SELECT optimize(ft4) FROM ft4",
        "INSERT INTO ft4(ft4) VALUES ('optimize')",
    ]

    @Test(arguments: refusedSQL)
    func writingInARead(sql: String) throws {
        expectError(error(sql)) {
            try dbQueue.read { try $0.execute(sql: sql) }
        }
        try expectUntouched()
    }

    @Test(arguments: refusedSQL)
    func writingInAReadOnlyScope(sql: String) throws {
        expectError(error(sql)) {
            try dbQueue.writeWithoutTransaction { db in
                try db.readOnly { try db.execute(sql: sql) }
            }
        }
        try expectUntouched()
    }

    /// Statements that were compiled, and even used, before.
    @Test(arguments: refusedSQL.filter { $0.hasPrefix("INSERT INTO t ") || $0.hasPrefix("DELETE") })
    func writingWithAnOlderStatement(sql: String) throws {
        try dbQueue.writeWithoutTransaction { db in
            let statement = try db.makeStatement(sql: sql)
            expectError(error(sql)) {
                try db.readOnly { try statement.execute() }
            }
        }
        try expectUntouched()
    }

    @Test func writingWithACachedStatement() throws {
        let sql = "INSERT INTO t VALUES (2)"
        try dbQueue.inTransaction { db in
            try db.execute(sql: sql)
            return .rollback
        }
        expectError(error(sql)) {
            try dbQueue.read { try $0.execute(sql: sql) }
        }
        try expectUntouched()
        // The statement is usable again.
        try dbQueue.write { try $0.execute(sql: sql) }
    }

    private func expectUntouched(line: Int = #line) throws {
        try dbQueue.writeWithoutTransaction { db in
            let values = try Int.fetchAll(db, sql: "SELECT a FROM t")
            expectEqual(values, [1], line: line)
            let names = try String.fetchAll(
                db,
                sql: """
                    SELECT name FROM sqlite_master WHERE name NOT LIKE '%ft%'
                    UNION ALL SELECT name FROM sqlite_temp_master ORDER BY name
                    """)
            expectEqual(names, ["i", "t", "tmp"], line: line)
            let texts = try String.fetchAll(db, sql: "SELECT text FROM ft")
            expectEqual(texts, ["hello"], line: line)
            let version = try Int.fetchOne(db, sql: "PRAGMA user_version")
            expectEqual(version, 0, line: line)
            let queryOnly = try Bool.fetchOne(db, sql: "PRAGMA query_only")
            expectEqual(queryOnly, false, line: line)
            expectTrue(!db.isInsideTransaction, line: line)
        }
    }

    // MARK: - Ways around

    @Test(arguments: ["PRAGMA query_only = 0", "PRAGMA main.QUERY_ONLY(false)"])
    func readOnlyAccessCanNotBeLifted(sql: String) throws {
        expectError("SQLite error 23: not authorized - while executing `\(sql)`") {
            try dbQueue.read { db in
                try db.execute(sql: sql)
            }
        }
        expectError(error("DELETE FROM t")) {
            try dbQueue.read { db in
                try? db.execute(sql: sql)
                try db.execute(sql: "DELETE FROM t")
            }
        }
        try expectUntouched()
    }

    @Test func readOnlyAccessCanNotBeLiftedByAnOlderStatement() throws {
        try dbQueue.writeWithoutTransaction { db in
            let statement = try db.makeStatement(sql: "PRAGMA query_only = 0")
            try db.readOnly {
                try? statement.execute()
                expectError(error("DELETE FROM t")) {
                    try db.execute(sql: "DELETE FROM t")
                }
            }
        }
        try expectUntouched()
    }

    @Test func queryOnlyIsReadable() throws {
        try dbQueue.read { db throws in
            try expectEqual(Bool.fetchOne(db, sql: "PRAGMA query_only"), true)
        }
        try dbQueue.writeWithoutTransaction { db throws in
            try expectEqual(Bool.fetchOne(db, sql: "PRAGMA query_only"), false)
        }
    }

    /// The state before a read-only scope is the user's.
    @Test func queryOnlyOfTheUserSurvives() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA query_only = 1")
            try db.readOnly {}
            expectError(error("DELETE FROM t")) {
                try db.execute(sql: "DELETE FROM t")
            }
            try db.execute(sql: "PRAGMA query_only = 0")
            try db.readOnly {}
            try db.execute(sql: "DELETE FROM t")
        }
    }

    @Test func reentrantWriteInAReadIsRefused() throws {
        expectError(error("INSERT INTO t VALUES (2)")) {
            try dbQueue.read { _ in
                try dbQueue.unsafeReentrantWrite { db in
                    try db.execute(sql: "INSERT INTO t VALUES (2)")
                }
            }
        }
        try expectUntouched()
    }

    @Test func functionCanNotWriteInARead() throws {
        dbQueue.writeWithoutTransaction { [unowned dbQueue] db in
            db.add(
                function: DatabaseFunction("writes", argumentCount: 0) { _ in
                    try dbQueue.unsafeReentrantWrite { db in
                        try db.execute(sql: "INSERT INTO t VALUES (2)")
                    }
                    return "written"
                })
        }
        expectError(error("INSERT INTO t VALUES (2)")) {
            try dbQueue.read { try String.fetchOne($0, sql: "SELECT writes()") }
        }
        try expectUntouched()
    }

    @Test func cFunctionsCanNotWriteInARead() throws {
        try dbQueue.read { db in
            expectEqual(
                sqlite3_exec(db.sqliteConnection, "DELETE FROM t", nil, nil, nil),
                SQLITE_READONLY)
        }
        try expectUntouched()
    }

    @Test func blobCanNotBeOpenedForWritingInARead() throws {
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE blobs(a); INSERT INTO blobs VALUES (x'00')")
        }
        try dbQueue.read { db in
            var blob: OpaquePointer?
            expectEqual(
                sqlite3_blob_open(db.sqliteConnection, "main", "blobs", "a", 1, 1, &blob),
                SQLITE_READONLY)
            sqlite3_blob_close(blob)
        }
    }

    @Test func backupIntoAReadIsRefused() throws {
        let source = try TestDatabases.makeQueue()
        source.unsafeRead { sourceDb in
            expectError(
                "SQLite error 8: The destination of a backup must not be read-only"
            ) {
                try dbQueue.writeWithoutTransaction { db in
                    try db.readOnly { try sourceDb.backup(to: db) }
                }
            }
            expectError(
                "SQLite error 21: The destination of a backup must not be in a transaction"
            ) {
                try dbQueue.read { db in try sourceDb.backup(to: db) }
            }
        }
        try expectUntouched()
    }

    @Test func attachedDatabaseIsReadOnlyAsWell() throws {
        let path = TestDatabases.makePath()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH ? AS att", arguments: [path])
            try db.execute(sql: "CREATE TABLE att.u(a)")
        }
        expectError(error("INSERT INTO att.u VALUES (1)")) {
            try dbQueue.read { try $0.execute(sql: "INSERT INTO att.u VALUES (1)") }
        }
    }

    @Test func databaseAttachedInAReadOnlyScopeIsReadOnly() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.readOnly {
                try db.execute(sql: "ATTACH ':memory:' AS att")
                expectError(error("CREATE TABLE att.u(a)")) {
                    try db.execute(sql: "CREATE TABLE att.u(a)")
                }
                try db.execute(sql: "DETACH att")
            }
        }
    }

    // MARK: - Accepted

    @Test(arguments: [
        "SELECT * FROM t",
        "PRAGMA user_version",
        "PRAGMA table_info(t)",
        "PRAGMA foreign_key_check",
        "PRAGMA integrity_check",
        "EXPLAIN INSERT INTO t VALUES (1)",
        "EXPLAIN QUERY PLAN DELETE FROM t",
        "CREATE TABLE IF NOT EXISTS t(a)",
        "CREATE INDEX IF NOT EXISTS i ON t(a)",
        "DROP TABLE IF EXISTS nope",
        "SELECT * FROM ft WHERE ft MATCH 'hello'",
        "SAVEPOINT s; RELEASE s",
        "WITH x AS (SELECT 1) SELECT * FROM x",
        "PRAGMA journal_mode",
    ])
    func whatChangesNothingIsAccepted(sql: String) throws {
        expectNoError {
            try dbQueue.read { try $0.execute(sql: sql) }
        }
        expectNoError {
            try dbQueue.writeWithoutTransaction { db in
                try db.readOnly { try db.execute(sql: sql) }
            }
        }
    }

    @Test func savepointsAreAcceptedInARead() throws {
        try dbQueue.read { db in
            try expectSQL(
                """
                SAVEPOINT grdb
                SELECT a FROM t
                RELEASE SAVEPOINT grdb
                """
            ) {
                try db.inSavepoint {
                    try db.execute(sql: "SELECT a FROM t")
                    return .commit
                }
            }
        }
    }

    @Test func transactionsAreNotAcceptedInARead() throws {
        let nested = "cannot start a transaction within a transaction"
        expectError(
            "SQLite error 1: \(nested) - while executing `BEGIN DEFERRED TRANSACTION`"
        ) {
            try dbQueue.read { db in
                try db.inTransaction { .commit }
            }
        }
        expectError("SQLite error 1: \(nested) - while executing `BEGIN`") {
            try dbQueue.read { try $0.execute(sql: "BEGIN") }
        }
        try expectUntouched()
    }

    @Test(arguments: ["COMMIT", "ROLLBACK"])
    func readThatEndsItsTransactionIsAborted(sql: String) throws {
        expectError("SQLite error 4: Transaction was aborted") {
            try dbQueue.read { try $0.execute(sql: sql) }
        }
        expectError(
            "SQLite error 4: Transaction was aborted - while executing `SELECT a FROM t`"
        ) {
            try dbQueue.read { db in
                try db.execute(sql: sql)
                return try Int.fetchAll(db, sql: "SELECT a FROM t")
            }
        }
        try expectUntouched()
    }

    // MARK: - Scopes

    @Test func scopesReturnTheirResult() throws {
        try dbQueue.writeWithoutTransaction { db throws in
            try expectEqual(db.readOnly { try Int.fetchOne(db, sql: "SELECT a FROM t") }, 1)
        }
    }

    @Test func scopesNest() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.readOnly {
                try db.readOnly {}
                expectError(error("DELETE FROM t")) {
                    try db.execute(sql: "DELETE FROM t")
                }
            }
            try db.execute(sql: "INSERT INTO t VALUES (2)")
        }
        try dbQueue.read { db in
            try db.readOnly {}
            expectError(error("DELETE FROM t")) {
                try db.execute(sql: "DELETE FROM t")
            }
        }
    }

    @Test func scopeRunsNoSQL() throws {
        try dbQueue.writeWithoutTransaction { db in
            try expectSQL("") {
                try db.readOnly {}
            }
        }
    }

    @Test func errorRestoresTheState() throws {
        try dbQueue.writeWithoutTransaction { db in
            expectError(TestError()) {
                try db.readOnly {
                    try db.readOnly { throw TestError() }
                }
            }
            try db.execute(sql: "INSERT INTO t VALUES (2)")
        }
        expectError(TestError()) {
            try dbQueue.read { _ in throw TestError() }
        }
        try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
        let values = try dbQueue.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }
        expectEqual(values, [1, 2, 3])
    }

    @Test func scopeInATransactionLeavesIt() throws {
        try dbQueue.write { db in
            try db.readOnly {
                expectTrue(db.isInsideTransaction)
            }
            try db.execute(sql: "INSERT INTO t VALUES (2)")
        }
    }

    /// `PRAGMA query_only` would have them all compile again.
    @Test func statementsDoNotExpire() throws {
        let log = Log<Int32>()
        try dbQueue.writeWithoutTransaction { db in
            let statement = try db.makeStatement(sql: "SELECT a FROM t")
            for _ in 0..<3 {
                try db.readOnly { try statement.execute() }
                try statement.execute()
            }
            log.append(
                sqlite3_stmt_status(statement.sqliteStatement, SQLITE_STMTSTATUS_REPREPARE, 0))
        }
        try dbQueue.read { db in
            let statement = try db.cachedStatement(sql: "SELECT a FROM t WHERE 1")
            try statement.execute()
        }
        try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        try dbQueue.read { db in
            let statement = try db.cachedStatement(sql: "SELECT a FROM t WHERE 1")
            try statement.execute()
            log.append(
                sqlite3_stmt_status(statement.sqliteStatement, SQLITE_STMTSTATUS_REPREPARE, 0))
        }
        expectEqual(log.elements, [0, 0])
    }
}
