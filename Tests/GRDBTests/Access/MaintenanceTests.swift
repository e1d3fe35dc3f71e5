import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Vacuum, erasure and memory.
@Suite(.databases) struct MaintenanceTests {
    private func fill(_ dbQueue: DatabaseQueue) throws {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(a);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000)
                    INSERT INTO t SELECT randomblob(1000) FROM n;
                    """)
        }
    }

    private func pageCount(_ dbQueue: DatabaseQueue) throws -> Int {
        try dbQueue.read { try Int.fetchOne($0, sql: "PRAGMA page_count")! }
    }

    // MARK: - Vacuum

    @Test(arguments: DatabaseStorage.allCases)
    func vacuumShrinksTheDatabase(storage: DatabaseStorage) throws {
        let dbQueue = try TestDatabases.makeQueue(storage)
        try fill(dbQueue)
        try dbQueue.write { try $0.execute(sql: "DELETE FROM t") }
        #expect(try pageCount(dbQueue) > 100)
        try expectSQL("VACUUM") { try dbQueue.vacuum() }
        try expectEqual(pageCount(dbQueue), 2)
    }

    @Test func vacuumMayBeAwaited() async throws {
        let dbQueue = try TestDatabases.makeQueue(.file)
        try fill(dbQueue)
        try await dbQueue.write { try $0.execute(sql: "DELETE FROM t") }
        try await dbQueue.vacuum()
        try expectEqual(pageCount(dbQueue), 2)
    }

    @Test func vacuumOfAReadOnlyDatabaseFails() throws {
        let source = try TestDatabases.makeQueue(.file)
        try fill(source)
        var configuration = TestDatabases.makeConfiguration()
        configuration.readonly = true
        let dbQueue = try TestDatabases.openQueue(source.path, configuration)
        let error = expectError(DatabaseError.self) { try dbQueue.vacuum() }
        expectEqual(error?.resultCode, .SQLITE_READONLY)
    }

    @Test(.disabled(if: TestDatabases.encryptsDatabases, "The source is in memory"))
    func vacuumIntoWritesACopy() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try fill(dbQueue)
        let path = TestDatabases.makePath("it's a copy.sqlite")
        try dbQueue.vacuum(into: path)
        let count = try TestDatabases.openQueue(path).read { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
        }
        expectEqual(count, 1000)
        expectError(
            "SQLite error 1: output file already exists - while executing `VACUUM INTO ?`"
        ) {
            try dbQueue.vacuum(into: path)
        }
    }

    @Test func vacuumIntoMayBeAwaited() async throws {
        let dbQueue = try TestDatabases.makeQueue()
        try fill(dbQueue)
        let path = TestDatabases.makePath()
        try await dbQueue.vacuum(into: path)
        expectTrue(FileManager.default.fileExists(atPath: path))
    }

    @Test func readOnlyDatabaseCanBeVacuumedElsewhere() throws {
        let source = try TestDatabases.makeQueue(.file)
        try fill(source)
        var configuration = TestDatabases.makeConfiguration()
        configuration.readonly = true
        let dbQueue = try TestDatabases.openQueue(source.path, configuration)
        let path = TestDatabases.makePath()
        try dbQueue.vacuum(into: path)
        expectTrue(FileManager.default.fileExists(atPath: path))
    }

    // MARK: - Erasure

    private func makeFullQueue(
        _ storage: DatabaseStorage, _ configuration: Configuration? = nil
    ) throws -> DatabaseQueue {
        let dbQueue = try TestDatabases.makeQueue(storage, configuration)
        try fill(dbQueue)
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE parent(id INTEGER PRIMARY KEY AUTOINCREMENT);
                    CREATE TABLE child(id REFERENCES parent(id));
                    INSERT INTO parent VALUES (1);
                    INSERT INTO child VALUES (1);
                    CREATE INDEX i ON t(a);
                    CREATE VIEW v AS SELECT * FROM t;
                    CREATE TRIGGER tr AFTER INSERT ON t BEGIN DELETE FROM child; END;
                    CREATE VIRTUAL TABLE ft USING fts5(a);
                    PRAGMA user_version = 42;
                    """)
        }
        return dbQueue
    }

    private func expectEmpty(_ dbQueue: DatabaseQueue) throws {
        try dbQueue.read { db throws in
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master"), 0)
            try expectEqual(Int.fetchOne(db, sql: "PRAGMA user_version"), 0)
            try expectEqual(Int.fetchOne(db, sql: "PRAGMA foreign_keys"), 1)
        }
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(b); INSERT INTO t VALUES (1)") }
    }

    @Test(arguments: DatabaseStorage.allCases)
    func eraseRemovesEverything(storage: DatabaseStorage) throws {
        let dbQueue = try makeFullQueue(storage)
        try dbQueue.erase()
        try expectEmpty(dbQueue)
    }

    @Test func eraseMayBeAwaited() async throws {
        let dbQueue = try makeFullQueue(.memory)
        try await dbQueue.erase()
        try expectEmpty(dbQueue)
    }

    @Test func eraseKeepsTheWALMode() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.journalMode = .wal
        let dbQueue = try makeFullQueue(.file, configuration)
        try dbQueue.erase()
        let mode = try dbQueue.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
        expectEqual(mode, "wal")
        try expectEmpty(dbQueue)
    }

    @Test func eraseOfAReadOnlyDatabaseFails() throws {
        let source = try makeFullQueue(.file)
        var configuration = TestDatabases.makeConfiguration()
        configuration.readonly = true
        let dbQueue = try TestDatabases.openQueue(source.path, configuration)
        expectError(DatabaseError.self) { try dbQueue.erase() }
        let count = try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
        expectEqual(count, 1000)
    }

    /// A schema that does not even parse can be erased.
    @Test func corruptSchemaCanBeErased() throws {
        let dbQueue = try makeFullQueue(.file)
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_master SET sql = 'nonsense' WHERE name = 'tr';
                    """)
        }
        try dbQueue.close()
        // Queues read the schema when they open: only one that is already open can be erased.
        expectError(
            """
            SQLite error 11: malformed database schema (tr) \
            - while executing `SELECT * FROM sqlite_master LIMIT 1`
            """
        ) {
            try TestDatabases.openQueue(dbQueue.path)
        }
    }

    /// Cursors of other connections prevent the erasure, which then erases nothing.
    @Test func eraseOfALockedDatabaseFails() throws {
        let dbQueue = try makeFullQueue(.file)
        let reader = try TestDatabases.openQueue(dbQueue.path)
        try reader.read { db in
            _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM parent")
            let error = expectError(DatabaseError.self) { try dbQueue.erase() }
            expectEqual(error?.resultCode, .SQLITE_BUSY)
        }
        let count = try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
        expectEqual(count, 1000)
        // The next VACUUM is an ordinary one.
        try dbQueue.vacuum()
        let countAfterVacuum = try dbQueue.read {
            try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t")
        }
        expectEqual(countAfterVacuum, 1000)
    }

    @Test func eraseIsNoChangeToObservers() throws {
        let dbQueue = try makeFullQueue(.memory)
        let recorder = TransactionRecorder()
        dbQueue.add(transactionObserver: recorder)
        try dbQueue.erase()
        expectTrue(recorder.lines().allSatisfy { !$0.hasPrefix("didChange") })
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        expectEqual(recorder.lines(), ["didChange insert main.t 1", "willCommit", "didCommit"])
    }

    // MARK: - Names

    /// SQLite stops reading a name at a NUL character.
    @Test func namesWithNUL() throws {
        let dbQueue = try TestDatabases.makeQueue(.file)
        let path = TestDatabases.makePath()
        expectError("SQLite error 14: The path contains a NUL character") {
            try dbQueue.vacuum(into: path + "\0.copy")
        }
        expectTrue(!FileManager.default.fileExists(atPath: path))
        expectError("SQLite error 1: unknown database: main\0x") {
            try dbQueue.writeWithoutTransaction { try $0.checkpoint(on: "main\0x") }
        }
    }

    // MARK: - Memory

    @Test func releaseMemoryFreesCachedStatements() throws {
        let dbQueue = try TestDatabases.makeQueue()
        weak var weakStatement: Statement?
        try dbQueue.read { weakStatement = try $0.cachedStatement(sql: "SELECT 1") }
        expectTrue(weakStatement != nil)
        dbQueue.releaseMemory()
        expectNil(weakStatement)
    }

    @Test func releaseMemoryWaitsForItsTurn() throws {
        let dbQueue = try TestDatabases.makeQueue()
        let log = Log<Int>()
        dbQueue.asyncWriteWithoutTransaction { _ in
            letOthersRun()
            log.append(1)
        }
        dbQueue.releaseMemory()
        expectEqual(log.elements, [1])
    }
}
