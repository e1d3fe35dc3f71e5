import Dispatch
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
        try expectNil(openReadOnlyDatabase(at: url))

        let dbPool = try openDatabase(at: url)
        try dbPool.write { try $0.execute(sql: "INSERT INTO player (name) VALUES ('Arthur')") }
        let readOnlyPool = try unwrap(openReadOnlyDatabase(at: url))
        try expectEqual(count(readOnlyPool), 1)
        try dbPool.write { try $0.execute(sql: "INSERT INTO player (name) VALUES ('Barbara')") }
        try expectEqual(count(readOnlyPool), 2)
        try readOnlyPool.close()

        // Persistent files let the database be opened by those who can't create them.
        try dbPool.close()
        expectTrue(FileManager.default.fileExists(atPath: url.path + "-wal"))
        let laterPool = try unwrap(openReadOnlyDatabase(at: url))
        try expectEqual(count(laterPool), 2)
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
            try expectEqual(count(dbPool), 0)
        }
        expectTrue(isBusy)
        try dbPool.write { _ in }
    }

    // MARK: - How to limit the 0xDEAD10CC exception

    /// In a process of its own: the notifications are for all databases of a process.
    @Test func suspendedDatabases() async {
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory
                .appendingPathComponent("sharing-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }

            var configuration = Configuration()
            configuration.observesSuspensionNotifications = true
            let dbPool = try DatabasePool(
                path: folder.appendingPathComponent("db.sqlite").path,
                configuration: configuration)
            try dbPool.write { try $0.execute(sql: "CREATE TABLE player (name TEXT)") }
            NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
            var isSuspended = false
            do {
                try dbPool.write { try $0.execute(sql: "INSERT INTO player VALUES ('Arthur')") }
            } catch DatabaseError.SQLITE_INTERRUPT, DatabaseError.SQLITE_ABORT {
                // Oops, the database is suspended.
                // Maybe try again after database is resumed?
                isSuspended = true
            }
            precondition(isSuspended)
            NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
            try dbPool.write { try $0.execute(sql: "INSERT INTO player VALUES ('Arthur')") }
            let count = try dbPool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player") }
            precondition(count == 1)
        }
    }

    // MARK: - How to perform cross-process database observation

    private struct Player: TableRecord {}
    private struct Team: TableRecord {}

    /// The document leaves out `onError`, which GRDB 7 asks for as well.
    @Test(arguments: DatabaseKind.allCases)
    func notifyingOtherProcesses(kind: DatabaseKind) throws {
        let dbPool = try TestDatabases.makeWriter(kind)
        try dbPool.write { db in
            for table in ["player", "team", "other"] {
                try db.create(table: table) { $0.autoIncrementedPrimaryKey("id") }
            }
        }
        let notifications = Log<String>()

        // Notify all changes made to the database
        let fullObservation = DatabaseRegionObservation(tracking: .fullDatabase)
        let fullObserver = fullObservation.start(in: dbPool) { error in
            Issue.record(error)
        } onChange: { db in
            // Notify other processes
            notifications.append("database")
        }

        // Notify changes made to the "player" and "team" tables only
        let observation = DatabaseRegionObservation(tracking: Player.all(), Team.all())
        let observer = observation.start(in: dbPool) { error in
            Issue.record(error)
        } onChange: { db in
            // Notify other processes
            notifications.append("player or team")
        }

        for table in ["player", "team"] {
            try dbPool.write { try $0.execute(sql: "INSERT INTO \(table) DEFAULT VALUES") }
            expectEqual(Set(notifications.removeAll()), ["database", "player or team"])
        }
        try dbPool.write { try $0.execute(sql: "INSERT INTO other DEFAULT VALUES") }
        expectEqual(notifications.removeAll(), ["database"])
        try? dbPool.write { db in
            try db.execute(sql: "DELETE FROM player")
            throw TestError()
        }
        expectEqual(notifications.elements, [])
        fullObserver.cancel()
        observer.cancel()
    }

    /// What the other process does, once it is told: it notifies its own observers.
    @Test(arguments: DatabaseKind.allCases)
    func dealingWithUndetectedChanges(kind: DatabaseKind) throws {
        let path = TestDatabases.makePath()
        let writer: any DatabaseWriter =
            kind == .queue ? try TestDatabases.openQueue(path) : try TestDatabases.openPool(path)
        try writer.write { db in
            try db.create(table: "player") { $0.autoIncrementedPrimaryKey("id") }
        }
        let counts = Log<Int>()
        let cancellable = ValueObservation.tracking { try Player.fetchCount($0) }.start(
            in: writer, scheduling: .async(onQueue: DispatchQueue(label: "counts")),
            onError: { Issue.record($0) }, onChange: { counts.append($0) })
        counts.wait(forCount: 1)
        writer.writeWithoutTransaction { _ in }
        try TestDatabases.openQueue(path).write { otherProcess in
            try otherProcess.execute(sql: "INSERT INTO player DEFAULT VALUES")
        }
        writer.writeWithoutTransaction { _ in }
        expectEqual(counts.elements, [0])
        try writer.write { try $0.notifyChanges(in: Player.all()) }
        expectEqual(counts.wait(forCount: 2), [0, 1])
        cancellable.cancel()
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
        try expectEqual(count(dbPool), 1)
    }
}
