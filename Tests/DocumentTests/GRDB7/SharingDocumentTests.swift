import Foundation
import GRDB
import GRDBSQLite
import GRDBTestSupport
import Testing

/// The snippets of the page "Sharing a Database", but for file coordination, which is a matter of
/// Apple platforms.
@Suite(.databases) struct SharingDocumentTests {
    private func openDatabase(at databaseURL: URL) throws -> DatabasePool {
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { db in
            // Activate the persistent WAL mode so that
            // read-only processes can access the database.
            if db.configuration.readonly == false {
                var flag: CInt = 1
                let code = withUnsafeMutablePointer(to: &flag) { flagP in
                    sqlite3_file_control(
                        db.sqliteConnection, nil, SQLITE_FCNTL_PERSIST_WAL, flagP)
                }
                guard code == SQLITE_OK else {
                    throw DatabaseError(resultCode: ResultCode(rawValue: code))
                }
            }
        }
        let dbPool = try DatabasePool(path: databaseURL.path, configuration: configuration)
        try migrator.migrate(dbPool)
        if try dbPool.read(migrator.hasBeenSuperseded) {
            throw TestError("Database is too recent")
        }
        return dbPool
    }

    private func openReadOnlyDatabase(at databaseURL: URL) throws -> DatabasePool? {
        do {
            var configuration = TestDatabases.makeConfiguration()
            configuration.readonly = true
            let dbPool = try DatabasePool(path: databaseURL.path, configuration: configuration)
            return try dbPool.read { db in
                if try migrator.hasBeenSuperseded(db) {
                    // Database is too recent
                    return nil
                } else if try migrator.hasCompletedMigrations(db) == false {
                    // Database is too old
                    return nil
                }
                return dbPool
            }
        } catch {
            if FileManager.default.fileExists(atPath: databaseURL.path) {
                throw error
            } else {
                return nil
            }
        }
    }

    private var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text)
            }
        }
        return migrator
    }

    @Test func readOnlyProcessesOpenTheDatabase() throws {
        let url = URL(fileURLWithPath: TestDatabases.makePath())
        #expect(try openReadOnlyDatabase(at: url) == nil)

        let dbPool = try openDatabase(at: url)
        try dbPool.write { try $0.execute(sql: "INSERT INTO player (name) VALUES ('Arthur')") }
        let readOnlyPool = try #require(try openReadOnlyDatabase(at: url))
        #expect(try count(readOnlyPool) == 1)
        try dbPool.write { try $0.execute(sql: "INSERT INTO player (name) VALUES ('Barbara')") }
        #expect(try count(readOnlyPool) == 2)
        try readOnlyPool.close()

        // Persistent files let the database be opened by those who can't create them.
        try dbPool.close()
        #expect(FileManager.default.fileExists(atPath: url.path + "-wal"))
        let laterPool = try #require(try openReadOnlyDatabase(at: url))
        #expect(try count(laterPool) == 2)
    }

    private func count(_ dbPool: DatabasePool) throws -> Int? {
        try dbPool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player") }
    }

    @Test func limitingBusyErrors() throws {
        let url = URL(fileURLWithPath: TestDatabases.makePath())
        let otherProcess = try openDatabase(at: url)
        var configuration = TestDatabases.makeConfiguration()
        configuration.busyMode = .timeout(0.05)
        let dbPool = try DatabasePool(path: url.path, configuration: configuration)
        var isBusy = false
        try otherProcess.write { _ in
            do {
                try dbPool.write { _ in }
            } catch DatabaseError.SQLITE_BUSY {
                // Another process won't let you write. Deal with it.
                isBusy = true
            }
            // Reads don't mind.
            #expect(try count(dbPool) == 0)
        }
        #expect(isBusy)
        try dbPool.write { _ in }
    }

    @Test func walQueuesShareTheDatabaseToo() throws {
        let path = TestDatabases.makePath()
        var configuration = TestDatabases.makeConfiguration()
        configuration.journalMode = .wal
        let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE player (name TEXT)") }
        let dbPool = try TestDatabases.openPool(path)
        try dbQueue.read { _ in
            try dbPool.write { try $0.execute(sql: "INSERT INTO player VALUES ('Arthur')") }
        }
        #expect(try count(dbPool) == 1)
    }
}
