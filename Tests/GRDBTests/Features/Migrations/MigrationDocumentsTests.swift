import GRDB
import GRDBTestSupport
import Testing

/// The snippets of the documents.
@Suite(.databases) struct MigrationDocumentsTests {
    private func schema(_ reader: any DatabaseReader) throws -> [String] {
        try reader.read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT sql FROM sqlite_master
                    WHERE sql IS NOT NULL AND name <> 'grdb_migrations' ORDER BY rowid
                    """)
        }
    }

    private var authorsAndBooks: DatabaseMigrator {
        var migrator = DatabaseMigrator()

        // 1st migration
        migrator.registerMigration("Create authors") { db in
            try db.create(table: "author") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("creationDate", .datetime)
                t.column("name", .text)
            }
        }

        // 2nd migration
        migrator.registerMigration("Add books and author.birthYear") { db in
            try db.create(table: "book") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("author").notNull()
                t.column("title", .text).notNull()
            }

            try db.alter(table: "author") { t in
                t.add(column: "birthYear", .integer)
            }
        }
        return migrator
    }

    @Test func overview() throws {
        let dbQueue = try TestDatabases.makeQueue(.file)
        let migrator = authorsAndBooks

        // Migrate the database up to the latest version
        try migrator.migrate(dbQueue)
        try expectTrue(dbQueue.read(migrator.hasCompletedMigrations))
        try dbQueue.read { db throws in
            try expectEqual(
                db.columns(in: "author").map(\.name),
                ["id", "creationDate", "name", "birthYear"])
            try expectEqual(db.foreignKeys(on: "book").map(\.destinationTable), ["author"])
            try expectEqual(db.indexes(on: "book").map(\.name), ["book_on_authorId"])
        }
    }

    @Test func migrationsCanOnlyRunForward() throws {
        let dbQueue = try TestDatabases.makeQueue()
        var migrator = DatabaseMigrator()
        for version in ["v1", "v2", "v3"] {
            migrator.registerMigration(version) { _ in }
        }
        try migrator.migrate(dbQueue, upTo: "v2")

        // Migrations can only run forward:
        try migrator.migrate(dbQueue, upTo: "v2")
        expectError(
            """
            SQLite error 21: database is already migrated beyond migration "v1"
            """
        ) {
            try migrator.migrate(dbQueue, upTo: "v1")
        }
    }

    @Test func extraChecks() throws {
        let dbQueue = try TestDatabases.makeQueue()
        let migrator = authorsAndBooks
        try migrator.migrate(dbQueue, upTo: "Create authors")
        var oldMigrator = DatabaseMigrator()
        oldMigrator.registerMigration("Other") { _ in }

        try dbQueue.read { db throws in
            try expectEqual(migrator.hasCompletedMigrations(db), false)
            try expectEqual(migrator.hasBeenSuperseded(db), false)
            try expectTrue(oldMigrator.hasBeenSuperseded(db))
        }
    }

    @Test func renameAForeignKey() throws {
        let dbQueue = try TestDatabases.makeQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("Teams") { db in
            try db.create(table: "team") { t in
                t.autoIncrementedPrimaryKey("id")
            }
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("teamId", .integer).references("team")
            }
            try db.execute(sql: "INSERT INTO team VALUES (1); INSERT INTO player VALUES (1, 1)")
        }
        // IMPORTANT: rename foreign keys with immediate foreign key checks.
        migrator.registerMigration("Guilds", foreignKeyChecks: .immediate) { db in
            try db.rename(table: "team", to: "guild")

            try db.alter(table: "player") { t in
                // Rename a foreign key
                t.rename(column: "teamId", to: "guildId")
            }
        }
        try migrator.migrate(dbQueue)
        try dbQueue.read { db in
            let foreignKey = try unwrap(db.foreignKeys(on: "player").first)
            expectEqual(foreignKey.destinationTable, "guild")
            expectEqual(foreignKey.originColumns, ["guildId"])
            try db.checkForeignKeys()
        }
    }

    @Test func recreateATable() throws {
        let dbQueue = try TestDatabases.makeQueue()
        var migrator = authorsAndBooks
        migrator.registerMigration("Forget the year") { db in
            try db.execute(
                sql: """
                    INSERT INTO author (name) VALUES ('Melville');
                    INSERT INTO book (authorId, title) VALUES (1, 'Moby-Dick');
                    """)
            try db.alter(table: "author") { t in
                t.drop(column: "birthYear")
            }
        }
        migrator.registerMigration("Add NOT NULL check on author.name") { db in
            try db.create(table: "new_author") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("creationDate", .datetime)
                t.column("name", .text).notNull()
            }
            try db.execute(sql: "INSERT INTO new_author SELECT * FROM author")
            try db.drop(table: "author")
            try db.rename(table: "new_author", to: "author")
        }
        try migrator.migrate(dbQueue)
        try dbQueue.read { db throws in
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM book"), 1)
            try expectEqual(db.columns(in: "author").last?.isNotNull, true)
            try expectEqual(db.foreignKeys(on: "book").map(\.destinationTable), ["author"])
        }
    }

    /// The example of GRDB 0.107.
    @Test func personsOfTheOldGuide() throws {
        let dbQueue = try TestDatabases.makeQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.execute(sql: "CREATE TABLE persons (id INTEGER PRIMARY KEY, name TEXT)")
        }
        // Add a NOT NULL constraint on persons.name:
        migrator.registerMigration("AddNotNullCheckOnName") { db in
            try db.create(table: "new_persons") { t in
                t.column("id", .integer).primaryKey()
                t.column("name", .text).notNull()
            }
            try db.execute(sql: "INSERT INTO new_persons SELECT * FROM persons")
            try db.drop(table: "persons")
            try db.rename(table: "new_persons", to: "persons")
        }
        try migrator.migrate(dbQueue)  // or migrator.migrate(dbPool)
        try expectEqual(
            schema(dbQueue),
            [
                #"CREATE TABLE "persons" ("id" INTEGER PRIMARY KEY, "name" TEXT NOT NULL)"#
            ])
    }

    /// The example of GRDB 0.7.
    @Test func personsOfTheOldReadMe() throws {
        let dbQueue = try TestDatabases.makeQueue()
        var migrator = DatabaseMigrator()

        // v1.0 database
        migrator.registerMigration("createPersons") { db in
            try db.execute(
                sql: "CREATE TABLE persons (" + "id INTEGER PRIMARY KEY, " + "creationDate TEXT, "
                    + "name TEXT NOT NULL)")
        }

        migrator.registerMigration("createBooks") { db in
            try db.execute(
                sql: "CREATE TABLE books (" + "uuid TEXT PRIMARY KEY, "
                    + "ownerID INTEGER NOT NULL " + "        REFERENCES persons(id) "
                    + "        ON DELETE CASCADE ON UPDATE CASCADE, " + "title TEXT NOT NULL)")
        }

        // v2.0 database
        migrator.registerMigration("AddAgeToPersons") { db in
            try db.execute(sql: "ALTER TABLE persons ADD COLUMN age INT")
        }

        try migrator.migrate(dbQueue)
        try expectEqual(
            dbQueue.read(migrator.completedMigrations),
            ["createPersons", "createBooks", "AddAgeToPersons"])
    }

    @Test func eraseOnSchemaChange() throws {
        var migrator = DatabaseMigrator()
        #if DEBUG
        // Speed up development by nuking the database when migrations change
        migrator.eraseDatabaseOnSchemaChange = true
        #endif
        migrator.registerMigration("v1") { try $0.execute(sql: "CREATE TABLE t (a)") }
        let dbQueue = try TestDatabases.makeQueue()
        try migrator.migrate(dbQueue)
        if try dbQueue.read(migrator.hasSchemaChanges) {
            Issue.record("no change")
        }
    }

    @Test func fastMigrations() throws {
        let dbQueue = try TestDatabases.makeQueue()
        var migrator = authorsAndBooks
        migrator.registerMigration("Fast migration", foreignKeyChecks: .immediate) { _ in }
        migrator = migrator.disablingDeferredForeignKeyChecks()
        migrator.registerMigration("Fast but unchecked migration") { db in
            try db.execute(
                sql: "INSERT INTO book (authorId, title) VALUES (2, 'Moby-Dick')")
        }
        try migrator.migrate(dbQueue)
        expectError(
            """
            SQLite error 19: FOREIGN KEY constraint violation - from book(authorId) to author(id), \
            in rowid 1
            """
        ) {
            try dbQueue.read { try $0.checkForeignKeys(in: "book") }
        }
    }
}
