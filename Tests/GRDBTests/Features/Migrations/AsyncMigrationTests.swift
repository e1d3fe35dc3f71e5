import Dispatch
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct AsyncMigrationTests {
    @Test func completionReceivesTheDatabaseInsideTheAccess() async throws {
        let queue = try TestDatabases.makeQueue()
        let migrator = tableMigrator("v1", "v2")
        let identifiers: [String] = try await withCheckedThrowingContinuation { continuation in
            migrator.asyncMigrate(queue) { result in
                continuation.resume(
                    with: Result {
                        let db = try result.get()
                        expectTrue(!db.isInsideTransaction)
                        try expectEqual(Bool.fetchOne(db, sql: "PRAGMA foreign_keys"), true)
                        try db.execute(sql: "INSERT INTO v1 VALUES (1)")
                        return try migrator.completedMigrations(db)
                    })
            }
        }
        expectEqual(identifiers, ["v1", "v2"])
    }

    @Test func completionReceivesTheErrorOfTheMigration() async throws {
        let queue = try TestDatabases.makeQueue()
        var migrator = tableMigrator("v1")
        migrator.registerMigration("v2") { try $0.execute(sql: "FOO") }
        let result: Result<Bool, any Error> = await withCheckedContinuation { continuation in
            migrator.asyncMigrate(queue) { result in
                continuation.resume(returning: result.map { _ in true })
            }
        }
        let error = try unwrap(expectError(DatabaseError.self) { try result.get() })
        expectEqual(error.migrationIdentifier, "v2")
        try expectEqual(queue.identifiers(), ["v1"])
    }

    @Test func completionReceivesTheErrorOfAClosedDatabase() async throws {
        let queue = try TestDatabases.makeQueue()
        try queue.close()
        let result: Result<Bool, any Error> = await withCheckedContinuation { continuation in
            tableMigrator("v1").asyncMigrate(queue) { result in
                continuation.resume(returning: result.map { _ in true })
            }
        }
        expectFailure(.SQLITE_MISUSE) { _ = try result.get() }
    }

    @Test func aTaskMigrates() async throws {
        let queue = try TestDatabases.makeQueue()
        let migrator = tableMigrator("v1", "v2", "v3")
        try await migrator.asyncMigrate(queue, upTo: "v2")
        try await expectEqual(queue.read(migrator.completedMigrations), ["v1", "v2"])
        await expectFailure(.SQLITE_MISUSE) {
            try await migrator.asyncMigrate(queue, upTo: "v1")
        }
        try await migrator.asyncMigrate(queue)
        try await expectTrue(queue.read(migrator.hasCompletedMigrations))
        // The synchronous form is no overload of the asynchronous one.
        try migrator.migrate(queue)
    }

    @Test func aTaskReceivesTheErrorOfTheMigration() async throws {
        let queue = try TestDatabases.makeQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { _ in throw MigrationFailure() }
        let failing = migrator
        await expectError(MigrationFailure()) { try await failing.asyncMigrate(queue) }
    }

    @Test func aCancelledTaskDoesNotMigrate() async throws {
        let queue = try TestDatabases.makeQueue()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await tableMigrator("v1").asyncMigrate(queue)
        }
        await expectError(CancellationError.self) { try await task.value }
        try expectEqual(queue.objectNames(), [])
    }
}
