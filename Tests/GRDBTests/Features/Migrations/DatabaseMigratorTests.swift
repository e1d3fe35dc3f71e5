import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabaseMigratorTests {
    // MARK: - Running

    @Test func migrationsRunInOrderOnce() throws {
        let queue = try TestDatabases.makeQueue()
        let log = SharedValue<[String]>([])
        var migrator = DatabaseMigrator()
        for identifier in ["b", "a", "c"] {
            migrator.registerMigration(identifier) { _ in log.update { $0.append(identifier) } }
        }
        expectEqual(migrator.migrations, ["b", "a", "c"])

        try migrator.migrate(queue)
        try migrator.migrate(queue)
        expectEqual(log.value, ["b", "a", "c"])
        try expectEqual(queue.identifiers(), ["b", "a", "c"])
    }

    @Test func appliedMigrationsStandInTheDocumentedTable() throws {
        let queue = try TestDatabases.makeQueue()
        try tableMigrator("v1").migrate(queue)
        let sql = try queue.read { db in
            try String.fetchOne(
                db, sql: "SELECT sql FROM sqlite_master WHERE name = 'grdb_migrations'")
        }
        expectEqual(sql, "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
    }

    @Test func aMigrationRunsInATransactionWithItsMemory() throws {
        let queue = try TestDatabases.makeQueue()
        let migrator = tableMigrator("v1")
        try migrator.migrate(queue, upTo: "v1")
        try queue.write { try $0.execute(sql: "DELETE FROM grdb_migrations; DROP TABLE v1") }
        let sql = try TestDatabases.sql { try migrator.migrate(queue) }
        let first = try unwrap(sql.firstIndex(of: "BEGIN IMMEDIATE TRANSACTION"))
        let writes = sql[first...].filter { !$0.hasPrefix("SELECT") && !$0.contains("PRAGMA") }
        expectEqual(
            writes,
            [
                "BEGIN IMMEDIATE TRANSACTION",
                "CREATE TABLE v1 (a)",
                "INSERT INTO grdb_migrations (identifier) VALUES ('v1')",
                "COMMIT TRANSACTION",
            ])
    }

    @Test func aFileOfAnotherLibraryGoesOn() throws {
        let queue = try TestDatabases.makeQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                    INSERT INTO grdb_migrations VALUES ('v1');
                    """)
        }
        try tableMigrator("v1", "v2").migrate(queue)
        try expectEqual(queue.objectNames(), ["grdb_migrations", "v2"])
    }

    @Test func earlierMigrationsRemainWhenALaterOneThrows() throws {
        let queue = try TestDatabases.makeQueue()
        var migrator = tableMigrator("v1")
        migrator.registerMigration("v2") { db in
            try db.execute(sql: "CREATE TABLE v2 (a)")
            throw MigrationFailure()
        }
        let ran = SharedValue(false)
        migrator.registerMigration("v3") { _ in ran.value = true }

        expectError(MigrationFailure()) { try migrator.migrate(queue) }
        expectTrue(!ran.value)
        try expectEqual(queue.objectNames(), ["grdb_migrations", "v1"])
        try expectEqual(queue.identifiers(), ["v1"])
    }

    @Test func anErrorNamesTheMigrationAndStaysWhatItWas() throws {
        let queue = try TestDatabases.makeQueue()
        var migrator = tableMigrator("v1")
        migrator.registerMigration("Add \"books\"") { db in
            try db.execute(sql: "INSERT INTO v1 (b) VALUES (?)", arguments: [1])
        }
        let error = try unwrap(expectError(DatabaseError.self) { try migrator.migrate(queue) })
        expectEqual(error.migrationIdentifier, "Add \"books\"")
        expectEqual(error.message, "table v1 has no column named b")
        expectEqual(error.sql, "INSERT INTO v1 (b) VALUES (?)")
        expectEqual(
            "\(error)",
            """
            SQLite error 1: table v1 has no column named b \
            - while executing `INSERT INTO v1 (b) VALUES (?)` \
            - in migration "Add "books""
            """)

        migrator = DatabaseMigrator()
        migrator.registerMigration("unique") { db in
            try db.execute(sql: "CREATE TABLE u (a UNIQUE); INSERT INTO u VALUES (1), (1)")
        }
        do {
            try migrator.migrate(queue)
            Issue.record("no error")
        } catch DatabaseError.SQLITE_CONSTRAINT_UNIQUE {
        } catch {
            Issue.record(error)
        }
    }

    @Test func otherErrorsNameNoMigration() throws {
        let error = DatabaseError(message: "hello")
        expectEqual(error.migrationIdentifier, nil)
        expectEqual("\(error)", "SQLite error 1: hello")

        let queue = try TestDatabases.makeQueue()
        try queue.close()
        let closed = try unwrap(
            expectError(DatabaseError.self) {
                try tableMigrator("v1").migrate(queue)
            })
        expectEqual(closed.resultCode, .SQLITE_MISUSE)
        expectEqual(closed.migrationIdentifier, nil)
    }

    @Test(arguments: ["COMMIT", "ROLLBACK"])
    func aMigrationThatEndsItsTransactionIsNotApplied(_ sql: String) throws {
        let queue = try TestDatabases.makeQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in try db.execute(sql: sql) }
        expectFailure(.SQLITE_ABORT) { try migrator.migrate(queue) }
        try expectEqual(queue.identifiers(), [])
        try tableMigrator("v1").migrate(queue)
        try expectEqual(queue.identifiers(), ["v1"])
    }

    @Test func aMigratorWithoutMigrationsDoesNothing() throws {
        let queue = try TestDatabases.makeQueue()
        try DatabaseMigrator().migrate(queue)
        try expectEqual(queue.objectNames(), [])
    }

    @Test func reentrantMigrationIsAnError() throws {
        let queue = try TestDatabases.makeQueue()
        expectFailure(.SQLITE_MISUSE) {
            try queue.write { _ in try tableMigrator("v1").migrate(queue) }
        }
    }

    @Test func anyWriterCanBeMigrated() throws {
        let queue = try TestDatabases.makeQueue()
        try tableMigrator("v1").migrate(AnyDatabaseWriter(queue))
        try expectEqual(queue.identifiers(), ["v1"])
    }

    @Test func aMigratorIsAValue() throws {
        let first = tableMigrator("v1")
        var second = first
        second.registerMigration("v2") { _ in }
        expectEqual(first.migrations, ["v1"])
        expectEqual(second.migrations, ["v1", "v2"])
    }

    @Test func registeringTwiceTraps() async {
        await #expect(processExitsWith: .failure) {
            var migrator = DatabaseMigrator()
            migrator.registerMigration("v1") { _ in }
            migrator.registerMigration("v1") { _ in }
        }
    }

    @Test func aSchemaChangeOfAMigrationIsSeenByTheNext() throws {
        let queue = try TestDatabases.makeQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
            try expectEqual(Row.fetchOne(db, sql: "SELECT * FROM t"), ["a": 1])
        }
        migrator.registerMigration("v2") { db in
            try db.execute(sql: "ALTER TABLE t ADD COLUMN b DEFAULT 2")
            try expectEqual(Row.fetchOne(db, sql: "SELECT * FROM t"), ["a": 1, "b": 2])
        }
        try migrator.migrate(queue)
    }

    @Test func twoConnectionsMayMigrateAtOnce() async throws {
        let path = TestDatabases.makePath()
        var configuration = TestDatabases.makeConfiguration()
        configuration.busyMode = .timeout(patience)
        let runs = SharedValue(0)
        var migrator = DatabaseMigrator()
        for index in 0..<20 {
            migrator.registerMigration("v\(index)") { db in
                runs.update { $0 += 1 }
                try db.execute(sql: "CREATE TABLE t\(index) (a)")
            }
        }
        let sharedMigrator = migrator
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                let queue = try TestDatabases.openQueue(path, configuration)
                group.addTask { try await sharedMigrator.asyncMigrate(queue) }
            }
            try await group.waitForAll()
        }
        expectEqual(runs.value, 20)
        try expectEqual(TestDatabases.openQueue(path).identifiers(), migrator.migrations)
    }

    // MARK: - Up to

    @Test func migrateUpToStopsAtTheTarget() throws {
        let queue = try TestDatabases.makeQueue()
        let migrator = tableMigrator("v1", "v2", "v3")
        try migrator.migrate(queue, upTo: "v2")
        try expectEqual(queue.identifiers(), ["v1", "v2"])
        try migrator.migrate(queue, upTo: "v2")
        try expectEqual(queue.identifiers(), ["v1", "v2"])
        try migrator.migrate(queue)
        try expectEqual(queue.identifiers(), ["v1", "v2", "v3"])
    }

    @Test func migrateUpToAnUnknownMigrationThrows() throws {
        let queue = try TestDatabases.makeQueue()
        var migrator = tableMigrator("v1")
        migrator.registerMigration("v2", merging: ["v0"]) { _, _ in }
        for identifier in ["nope", "V1", "", "v0"] {
            let error = try unwrap(
                expectError(DatabaseError.self) {
                    try migrator.migrate(queue, upTo: identifier)
                })
            expectEqual(error.resultCode, .SQLITE_MISUSE)
            expectEqual(error.message, "undefined migration: \"\(identifier)\"")
        }
        expectFailure(.SQLITE_MISUSE) {
            try DatabaseMigrator().migrate(queue, upTo: "v1")
        }
        try expectEqual(queue.objectNames(), [])
    }

    @Test func migrateUpToAnEarlierMigrationThrows() throws {
        let queue = try TestDatabases.makeQueue()
        let migrator = tableMigrator("v1", "v2", "v3", "v4")
        try migrator.migrate(queue, upTo: "v3")
        let error = try unwrap(
            expectError(DatabaseError.self) {
                try migrator.migrate(queue, upTo: "v1")
            })
        expectEqual(error.resultCode, .SQLITE_MISUSE)
        expectEqual(error.message, "database is already migrated beyond migration \"v1\"")
        try expectEqual(queue.identifiers(), ["v1", "v2", "v3"])
    }

    @Test func nothingRunsWhenTheTargetIsTooEarly() throws {
        let queue = try TestDatabases.makeQueue()
        try tableMigrator("v1", "v4").migrate(queue)
        let migrator = tableMigrator("v1", "v2", "v3", "v4")
        expectFailure(.SQLITE_MISUSE) { try migrator.migrate(queue, upTo: "v3") }
        try expectEqual(queue.identifiers(), ["v1", "v4"])
        // The missing ones run.
        try migrator.migrate(queue, upTo: "v4")
        try expectEqual(queue.identifiers(), ["v1", "v4", "v2", "v3"])
    }

    // MARK: - Questions

    private func answers(
        _ migrator: DatabaseMigrator, _ reader: any DatabaseReader
    ) throws -> [String] {
        try reader.read { db in
            [
                "applied \(try migrator.appliedMigrations(db))",
                "identifiers \(try migrator.appliedIdentifiers(db).sorted())",
                "completed \(try migrator.completedMigrations(db))",
                "hasCompleted \(try migrator.hasCompletedMigrations(db))",
                "superseded \(try migrator.hasBeenSuperseded(db))",
                "changes \(try migrator.hasSchemaChanges(db))",
            ]
        }
    }

    @Test func questionsToANewDatabase() throws {
        let queue = try TestDatabases.makeQueue()
        try expectEqual(
            answers(tableMigrator("v1"), queue),
            [
                "applied []", "identifiers []", "completed []", "hasCompleted false",
                "superseded false", "changes false",
            ])
        try expectEqual(
            answers(DatabaseMigrator(), queue),
            [
                "applied []", "identifiers []", "completed []", "hasCompleted true",
                "superseded false", "changes false",
            ])
        try expectEqual(queue.objectNames(), [])
    }

    @Test func questionsToAnOldDatabase() throws {
        let queue = try TestDatabases.makeQueue()
        try tableMigrator("v1").migrate(queue)
        try expectEqual(
            answers(tableMigrator("v1", "v2"), queue),
            [
                #"applied ["v1"]"#, #"identifiers ["v1"]"#, #"completed ["v1"]"#,
                "hasCompleted false", "superseded false", "changes false",
            ])
    }

    @Test func questionsToAFutureDatabase() throws {
        let queue = try TestDatabases.makeQueue()
        try tableMigrator("v1", "v2").migrate(queue)
        try expectEqual(
            answers(tableMigrator("v1"), queue),
            [
                #"applied ["v1"]"#, #"identifiers ["v1", "v2"]"#, #"completed ["v1"]"#,
                "hasCompleted true", "superseded true", "changes true",
            ])
    }

    @Test func questionsToADatabaseThatMissesAMigration() throws {
        let queue = try TestDatabases.makeQueue()
        try tableMigrator("v2").migrate(queue)
        try expectEqual(
            answers(tableMigrator("v1", "v2", "v3"), queue),
            [
                #"applied ["v2"]"#, #"identifiers ["v2"]"#, "completed []",
                "hasCompleted false", "superseded false", "changes true",
            ])
    }

    @Test func questionsToAReadOnlyDatabase() throws {
        let path = TestDatabases.makePath()
        try tableMigrator("v1").migrate(TestDatabases.openQueue(path))
        var configuration = TestDatabases.makeConfiguration()
        configuration.readonly = true
        let queue = try TestDatabases.openQueue(path, configuration)

        try expectEqual(
            answers(tableMigrator("v1", "v2"), queue),
            [
                #"applied ["v1"]"#, #"identifiers ["v1"]"#, #"completed ["v1"]"#,
                "hasCompleted false", "superseded false", "changes false",
            ])
        // There is nothing to do.
        try tableMigrator("v1").migrate(queue)
        let error = try unwrap(
            expectError(DatabaseError.self) {
                try tableMigrator("v1", "v2").migrate(queue)
            })
        expectEqual(error.resultCode, .SQLITE_READONLY)
        expectEqual(error.migrationIdentifier, "v2")
        try expectEqual(queue.identifiers(), ["v1"])
    }

    @Test func aForeignTableOfTheSameNameIsAnError() throws {
        let queue = try TestDatabases.makeQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE grdb_migrations (foo)") }
        expectFailure(.SQLITE_ERROR) {
            _ = try queue.read(tableMigrator("v1").appliedIdentifiers)
        }
        expectFailure(.SQLITE_ERROR) { try tableMigrator("v1").migrate(queue) }
    }
}
