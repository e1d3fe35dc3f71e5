import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct MigrationForeignKeysTests {
    private static let authorsAndBooks = """
        CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE book (
            id INTEGER PRIMARY KEY,
            authorId INTEGER REFERENCES author(id) ON DELETE CASCADE,
            name TEXT);
        INSERT INTO author VALUES (1, 'Melville');
        """
    private static let violation = "INSERT INTO book VALUES (1, 2, 'Moby-Dick');"

    private func areForeignKeysEnabled(_ queue: DatabaseQueue) throws -> Bool? {
        try queue.read { try Bool.fetchOne($0, sql: "PRAGMA foreign_keys") }
    }

    @Test func deferredChecksFailAtTheEnd() throws {
        let queue = try TestDatabases.makeQueue()
        let isAtEnd = SharedValue(false)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db throws in
            try expectEqual(Bool.fetchOne(db, sql: "PRAGMA foreign_keys"), false)
            try db.execute(sql: Self.authorsAndBooks + Self.violation)
            isAtEnd.value = true
        }
        let error = try unwrap(expectError(DatabaseError.self) { try migrator.migrate(queue) })
        expectTrue(isAtEnd.value)
        expectEqual(error.extendedResultCode, .SQLITE_CONSTRAINT_FOREIGNKEY)
        expectEqual(
            error.message,
            """
            FOREIGN KEY constraint violation - from book(authorId) to author(id), \
            in rowid 1
            """)
        expectEqual(error.migrationIdentifier, "v1")
        try expectEqual(areForeignKeysEnabled(queue), true)
        try expectEqual(queue.objectNames(), ["grdb_migrations"])
    }

    @Test func deferredChecksAllowAViolationThatIsMended() throws {
        let queue = try TestDatabases.makeQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.execute(sql: Self.authorsAndBooks + Self.violation)
            try db.execute(sql: "UPDATE book SET authorId = 1")
        }
        try migrator.migrate(queue)
        try expectEqual(areForeignKeysEnabled(queue), true)
    }

    @Test func deferredChecksAllowATableToBeRecreated() throws {
        let queue = try TestDatabases.makeQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.execute(sql: Self.authorsAndBooks)
            try db.execute(sql: "INSERT INTO book VALUES (1, 1, 'Moby-Dick')")
        }
        migrator.registerMigration("v2") { db in
            try db.execute(
                sql: """
                    CREATE TABLE new_author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                    INSERT INTO new_author SELECT * FROM author;
                    DROP TABLE author;
                    ALTER TABLE new_author RENAME TO author;
                    """)
        }
        try migrator.migrate(queue)
        // Books were not deleted with their author.
        try queue.read { db throws in
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM book"), 1)
        }
        expectFailure(.SQLITE_CONSTRAINT_FOREIGNKEY) {
            try queue.write { try $0.execute(sql: "INSERT INTO book VALUES (2, 2, 'x')") }
        }
    }

    @Test func immediateChecksFailAtTheStatement() throws {
        let queue = try TestDatabases.makeQueue()
        let isAtEnd = SharedValue(false)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1", foreignKeyChecks: .immediate) { db throws in
            try expectEqual(Bool.fetchOne(db, sql: "PRAGMA foreign_keys"), true)
            try db.execute(sql: Self.authorsAndBooks + Self.violation)
            isAtEnd.value = true
        }
        let error = try unwrap(expectError(DatabaseError.self) { try migrator.migrate(queue) })
        expectTrue(!isAtEnd.value)
        expectEqual(error.extendedResultCode, .SQLITE_CONSTRAINT_FOREIGNKEY)
        expectEqual(error.message, "FOREIGN KEY constraint failed")
    }

    @Test func immediateChecksOfDeferredKeysFailAtTheCommit() throws {
        let queue = try TestDatabases.makeQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1", foreignKeyChecks: .immediate) { db in
            try db.execute(
                sql: """
                    CREATE TABLE a (id INTEGER PRIMARY KEY);
                    CREATE TABLE b (aId REFERENCES a DEFERRABLE INITIALLY DEFERRED);
                    INSERT INTO b VALUES (1);
                    """)
        }
        let error = try unwrap(expectError(DatabaseError.self) { try migrator.migrate(queue) })
        expectEqual(error.extendedResultCode, .SQLITE_CONSTRAINT_FOREIGNKEY)
        expectEqual(error.sql, "COMMIT TRANSACTION")
        expectEqual(error.migrationIdentifier, "v1")
        try expectEqual(queue.identifiers(), [])
    }

    @Test func disabledDeferredChecksLetViolationsPass() throws {
        let queue = try TestDatabases.makeQueue()
        var migrator = DatabaseMigrator()
        migrator = migrator.disablingDeferredForeignKeyChecks()
        migrator.registerMigration("v1") { db throws in
            try expectEqual(Bool.fetchOne(db, sql: "PRAGMA foreign_keys"), false)
            try db.execute(sql: Self.authorsAndBooks + Self.violation)
        }
        try migrator.migrate(queue)
        try expectEqual(areForeignKeysEnabled(queue), true)
        // A later migration that checks finds it.
        migrator = DatabaseMigrator()
        migrator.registerMigration("v2") { _ in }
        expectFailure(.SQLITE_CONSTRAINT_FOREIGNKEY) {
            try migrator.migrate(queue)
        }
    }

    @Test func disablingDeferredChecksChangesLaterRegistrationsOnly() throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.execute(sql: Self.authorsAndBooks + Self.violation)
        }
        migrator = migrator.disablingDeferredForeignKeyChecks()
        migrator.registerMigration("v2") { _ in }
        expectFailure(.SQLITE_CONSTRAINT_FOREIGNKEY) {
            try migrator.migrate(TestDatabases.makeQueue())
        }
    }

    @Test func disablingDeferredChecksReturnsACopy() throws {
        var migrator = DatabaseMigrator()
        _ = migrator.disablingDeferredForeignKeyChecks()
        migrator.registerMigration("v1") { db in
            try db.execute(sql: Self.authorsAndBooks + Self.violation)
        }
        expectFailure(.SQLITE_CONSTRAINT_FOREIGNKEY) {
            try migrator.migrate(TestDatabases.makeQueue())
        }
    }

    @Test func disabledDeferredChecksDoNotDisableImmediateOnes() throws {
        var migrator = DatabaseMigrator().disablingDeferredForeignKeyChecks()
        migrator.registerMigration("Fast and checked migration", foreignKeyChecks: .immediate) {
            db in
            try expectEqual(Bool.fetchOne(db, sql: "PRAGMA foreign_keys"), true)
            try db.execute(sql: Self.authorsAndBooks + Self.violation)
        }
        expectFailure(.SQLITE_CONSTRAINT_FOREIGNKEY) {
            try migrator.migrate(TestDatabases.makeQueue())
        }
    }

    @Test func partialChecks() throws {
        var migrator = DatabaseMigrator()
        migrator = migrator.disablingDeferredForeignKeyChecks()
        migrator.registerMigration("Partially checked") { db in
            try db.execute(sql: Self.authorsAndBooks + Self.violation)

            // Throws an error and stops migrations if there exists a
            // foreign key violation in the 'book' table.
            try db.checkForeignKeys(in: "book")
        }
        expectFailure(.SQLITE_CONSTRAINT_FOREIGNKEY) {
            try migrator.migrate(TestDatabases.makeQueue())
        }
    }

    @Test func connectionsWithoutForeignKeysDoNotCheckThem() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.foreignKeysEnabled = false
        let queue = try TestDatabases.makeQueue(.memory, configuration)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.execute(sql: Self.authorsAndBooks + Self.violation)
        }
        try migrator.migrate(queue)
        try expectEqual(areForeignKeysEnabled(queue), false)
    }

    @Test(arguments: [true, false])
    func foreignKeysAreEnforcedAfterAnError(_ checks: Bool) throws {
        let queue = try TestDatabases.makeQueue()
        var migrator = DatabaseMigrator()
        if !checks {
            migrator = migrator.disablingDeferredForeignKeyChecks()
        }
        migrator.registerMigration("v1") { _ in throw MigrationFailure() }
        expectError(MigrationFailure()) { try migrator.migrate(queue) }
        try expectEqual(areForeignKeysEnabled(queue), true)
    }
}
