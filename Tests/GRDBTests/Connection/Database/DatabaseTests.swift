import Foundation
import GRDB
import GRDBSQLite
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabaseTests {
    // MARK: - Description

    @Test func descriptionIsTheLabelOfTheConnection() throws {
        try TestDatabases.makeQueue().read { db in
            expectEqual(db.description, "GRDB.DatabaseQueue")
            expectEqual(db.debugDescription, "<Database: GRDB.DatabaseQueue>")
        }
    }

    @Test func sqliteVersionIsTheVendoredOne() {
        #if GRDB_ENCRYPTION
        // The header is that of the other SQLite.
        #expect(Database.sqliteLibVersionNumber >= SQLITE_VERSION_NUMBER)
        #else
        expectEqual(Database.sqliteLibVersionNumber, SQLITE_VERSION_NUMBER)
        #endif
    }

    // MARK: - Counters

    @Test func lastInsertedRowIDIsThatOfTheLastInsertion() throws {
        try TestDatabases.makeQueue().write { db in
            expectEqual(db.lastInsertedRowID, 0)
            try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)")
            expectEqual(db.lastInsertedRowID, 0)
            try db.execute(sql: "INSERT INTO t VALUES (42, 'x')")
            expectEqual(db.lastInsertedRowID, 42)
            try db.execute(sql: "UPDATE t SET id = 43")
            expectEqual(db.lastInsertedRowID, 42)
        }
    }

    @Test func changesCountIsThatOfTheLastStatement() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a)")
            expectEqual(db.changesCount, 0)
            try db.execute(sql: "INSERT INTO t VALUES (1), (2), (3)")
            expectEqual(db.changesCount, 3)
            expectEqual(db.totalChangesCount, 3)
            try db.execute(sql: "UPDATE t SET a = 0 WHERE a > 1")
            expectEqual(db.changesCount, 2)
            expectEqual(db.totalChangesCount, 5)
            // The truncate optimization counts as well.
            try db.execute(sql: "DELETE FROM t")
            expectEqual(db.changesCount, 3)
            expectEqual(db.totalChangesCount, 8)
        }
    }

    @Test func changesCountIgnoresTriggers() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(a);
                    CREATE TABLE log(a);
                    CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO log VALUES (1), (2); END;
                    INSERT INTO t VALUES (1);
                    """)
            expectEqual(db.changesCount, 1)
            expectEqual(db.totalChangesCount, 3)
        }
    }

    // MARK: - Errors

    @Test func lastErrorIsThatOfSQLite() throws {
        try TestDatabases.makeQueue().write { db in
            expectEqual(db.lastErrorCode, .SQLITE_OK)
            try db.execute(sql: "CREATE TABLE t(a UNIQUE)")
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            try? db.execute(sql: "INSERT INTO t VALUES (1)")
            expectEqual(db.lastErrorCode, .SQLITE_CONSTRAINT_UNIQUE)
            expectEqual(db.lastErrorMessage, "UNIQUE constraint failed: t.a")
        }
    }

    @Test func maximumStatementArgumentCountCanBeBound() throws {
        try TestDatabases.makeQueue().read { db in
            let count = db.maximumStatementArgumentCount
            #expect(count >= 999)
            let arguments = StatementArguments(Array(repeating: 1, count: count))
            let placeholders = Array(repeating: "(?)", count: count).joined(separator: ",")
            let sum = try Int.fetchOne(
                db, sql: "SELECT SUM(column1) FROM (VALUES \(placeholders))", arguments: arguments)
            expectEqual(sum, count)
        }
    }

    @Test func sqliteConnectionIsThatOfTheCInterface() throws {
        try TestDatabases.makeQueue().write { db in
            expectEqual(
                sqlite3_exec(db.sqliteConnection, "CREATE TABLE t(a)", nil, nil, nil),
                SQLITE_OK)
            let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
            expectEqual(count, 0)
        }
    }

    /// Accesses are serialized by the layers above.
    @Test func connectionHasNoMutex() throws {
        try TestDatabases.makeQueue().read { db in
            expectEqual(sqlite3_db_mutex(db.sqliteConnection), nil)
        }
    }

    @Test func connectionReportsExtendedCodes() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a NOT NULL)")
            expectEqual(
                sqlite3_exec(db.sqliteConnection, "INSERT INTO t VALUES (NULL)", nil, nil, nil),
                ResultCode.SQLITE_CONSTRAINT_NOTNULL.rawValue)
        }
    }

    // MARK: - Names

    @Test func internalTablesAreKnownByTheirName() {
        expectTrue(Database.isSQLiteInternalTable("sqlite_master"))
        expectTrue(Database.isSQLiteInternalTable("SQLITE_stat1"))
        expectTrue(Database.isSQLiteInternalTable("pragma_table_info"))
        expectTrue(!Database.isSQLiteInternalTable("player"))
        expectTrue(!Database.isSQLiteInternalTable("mysqlite_master"))
        expectTrue(Database.isGRDBInternalTable("grdb_migrations"))
        expectTrue(!Database.isGRDBInternalTable("player"))
    }

    // MARK: - Memory

    @Test func releaseMemoryForgetsCachedStatements() throws {
        try TestDatabases.makeQueue().read { db in
            weak let statement = try db.cachedStatement(sql: "SELECT 1")
            expectTrue(statement != nil)
            db.releaseMemory()
            expectNil(statement)
            try expectEqual(Int.fetchOne(db, sql: "SELECT 1"), 1)
        }
    }

    @Test func releaseMemorySparesStatementsInUse() throws {
        try TestDatabases.makeQueue().read { db in
            let statement = try db.cachedStatement(sql: "SELECT 1 UNION ALL SELECT 2")
            let cursor = try Int.fetchCursor(statement)
            try expectEqual(cursor.next(), 1)
            db.releaseMemory()
            try expectEqual(cursor.next(), 2)
        }
    }

    // MARK: - Checkpoints

    @Test func checkpointOutsideOfWALModeCountsNothing() throws {
        try TestDatabases.makeQueue().writeWithoutTransaction { db in
            let result = try db.checkpoint()
            expectEqual(result.walFrameCount, -1)
            expectEqual(result.checkpointedFrameCount, -1)
        }
    }

    @Test(arguments: [
        Database.CheckpointMode.passive, .full, .restart, .truncate,
    ])
    func checkpointCopiesTheFrames(mode: Database.CheckpointMode) throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.journalMode = .wal
        let dbQueue = try TestDatabases.makeQueue(.file, configuration)
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t(a)")
            let result = try db.checkpoint(mode)
            if mode == .truncate {
                expectEqual(result.walFrameCount, 0)
            } else {
                #expect(result.walFrameCount > 0)
            }
            expectEqual(result.checkpointedFrameCount, result.walFrameCount)
        }
    }

    /// A reader of an old snapshot prevents a restart: that is a result, not an error.
    @Test func checkpointOfABusyDatabaseIsNoError() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.journalMode = .wal
        let dbQueue = try TestDatabases.makeQueue(.file, configuration)
        let reader = try TestDatabases.openQueue(dbQueue.path, configuration)
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        try reader.read { db in
            _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
            try dbQueue.writeWithoutTransaction { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                let result = try db.checkpoint(.truncate)
                #expect(result.walFrameCount > result.checkpointedFrameCount)
            }
        }
    }

    @Test func checkpointOfAnUnknownSchemaFails() throws {
        try TestDatabases.makeQueue().writeWithoutTransaction { db in
            expectError("SQLite error 1: unknown database: nope") {
                try db.checkpoint(on: "nope")
            }
        }
    }
}
