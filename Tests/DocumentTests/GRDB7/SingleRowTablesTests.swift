import GRDB
import GRDBTestSupport
import Testing

/// The page "Single-Row Tables".
@Suite(.databases) struct SingleRowTablesTests {
    struct AppConfiguration: Codable {
        // Support for the single row guarantee
        private var id = 1

        // The stored properties
        private var storedFlag: Bool?
    }

    /// The simplified setup for non-nullable columns
    struct SimpleConfiguration: Codable {
        // Support for the single row guarantee
        private var id = 1

        // The stored properties
        var flag: Bool
    }

    /// Runs the closure in a transaction, when the schema is known already: the SQL that reads it
    /// is not logged.
    private func write(_ body: (Database) throws -> Void) throws {
        let dbQueue = try TestDatabases.makeQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("appConfiguration") { db in
            try db.create(table: "appConfiguration") { t in
                // Single row guarantee: have inserts replace the existing row,
                // and make sure the id column is always 1.
                t.primaryKey("id", .integer, onConflict: .replace)
                    .check { $0 == 1 }

                // The configuration columns
                t.column("storedFlag", .boolean)
            }
        }
        // DO NOT hesitate requiring NOT NULL columns when the app requires it.
        migrator.registerMigration("simpleConfiguration") { db in
            try db.create(table: "simpleConfiguration") { t in
                t.primaryKey("id", .integer, onConflict: .replace).check { $0 == 1 }

                t.column("flag", .boolean).notNull()  // required
            }
        }
        try migrator.migrate(dbQueue)
        try dbQueue.write { db in
            for table in ["appConfiguration", "simpleConfiguration"] {
                _ = try db.columns(in: table)
                _ = try db.primaryKey(table)
            }
            try body(db)
        }
    }

    // MARK: - The Single-Row Table

    @Test func schema() throws {
        try write { db in
            try expectEqual(
                String.fetchAll(
                    db, sql: "SELECT sql FROM sqlite_master WHERE name LIKE '%Configuration'"),
                [
                    """
                    CREATE TABLE "appConfiguration" \
                    ("id" INTEGER PRIMARY KEY ON CONFLICT REPLACE CHECK ("id" = 1), \
                    "storedFlag" BOOLEAN)
                    """,
                    """
                    CREATE TABLE "simpleConfiguration" \
                    ("id" INTEGER PRIMARY KEY ON CONFLICT REPLACE CHECK ("id" = 1), \
                    "flag" BOOLEAN NOT NULL)
                    """,
                ])
            // The table never contains more than one row.
            for flag in [true, false] {
                try db.execute(
                    sql: "INSERT INTO appConfiguration (id, storedFlag) VALUES (1, ?)",
                    arguments: [flag])
            }
            try expectEqual(
                Row.fetchAll(db, sql: "SELECT * FROM appConfiguration"),
                [["id": 1, "storedFlag": 0]])
            let error = expectError(DatabaseError.self) {
                try db.execute(sql: "INSERT INTO appConfiguration (id) VALUES (2)")
            }
            expectEqual(error?.extendedResultCode, .SQLITE_CONSTRAINT_CHECK)
        }
    }

    // MARK: - The Single-Row Record

    @Test func emptyTable() throws {
        try write { db in
            // READ
            try expectSQL(#"SELECT * FROM "appConfiguration" LIMIT 1"#) {
                let config = try AppConfiguration.find(db)
                expectTrue(config.flag)
            }

            // WRITE
            try expectSQL(
                """
                SELECT * FROM "appConfiguration" LIMIT 1
                SELECT EXISTS (SELECT 1 FROM "appConfiguration" WHERE "id"=1)
                INSERT INTO "appConfiguration" ("id", "storedFlag") VALUES (1,NULL)
                UPDATE "appConfiguration" SET "storedFlag"=1 WHERE "id"=1
                """
            ) {
                // Update the config in the database
                var config = try AppConfiguration.find(db)
                try config.updateChanges(db) {
                    $0.flag = true
                }
            }
            try expectEqual(
                Row.fetchAll(db, sql: "SELECT * FROM appConfiguration"),
                [["id": 1, "storedFlag": 1]])
        }
    }

    enum WayToSave: CaseIterable {
        case save, update, insert, upsert, updateChanges
    }

    @Test(arguments: WayToSave.allCases)
    func otherWaysToSave(way: WayToSave) throws {
        func save(_ db: Database, _ config: inout AppConfiguration) throws {
            switch way {
            case .save: try config.save(db)
            case .update: try config.update(db)
            case .insert: try config.insert(db)
            case .upsert: try config.upsert(db)
            case .updateChanges: try config.updateChanges(db) { $0.flag = false }
            }
        }
        try write { db in
            // Once in an empty table, once in a table that has its row.
            for _ in 0..<2 {
                var config = try AppConfiguration.find(db)
                config.resetFlag()
                expectTrue(config.flag)
                if way != .updateChanges {
                    config.flag = false  // all the same
                }
                try save(db, &config)
                try expectEqual(
                    Row.fetchAll(db, sql: "SELECT * FROM appConfiguration"),
                    [["id": 1, "storedFlag": 0]])
                try expectTrue(!AppConfiguration.find(db).flag)
            }
        }
    }

    @Test func notNullColumns() throws {
        try write { db in
            try expectTrue(SimpleConfiguration.find(db).flag)
            var config = try SimpleConfiguration.find(db)
            config.flag = false
            try config.update(db)
            try expectTrue(!SimpleConfiguration.find(db).flag)
            try config.updateChanges(db) { $0.flag = true }
            try expectEqual(
                Row.fetchAll(db, sql: "SELECT * FROM simpleConfiguration"),
                [["id": 1, "flag": 1]])
        }
    }
}

// Support for default values
extension SingleRowTablesTests.AppConfiguration {
    var flag: Bool {
        get { storedFlag ?? true /* the default value */ }
        set { storedFlag = newValue }
    }

    mutating func resetFlag() {
        storedFlag = nil
    }
}

extension SingleRowTablesTests.AppConfiguration {
    /// The default configuration
    static let `default` = Self(storedFlag: nil)
}

// Database Access
extension SingleRowTablesTests.AppConfiguration: FetchableRecord, PersistableRecord {
    // Customize the default PersistableRecord behavior
    func willUpdate(_ db: Database, columns: Set<String>) throws {
        // Insert the default configuration if it does not exist yet.
        if try !exists(db) {
            try Self.default.insert(db)
        }
    }

    /// Returns the persisted configuration, or the default one if the
    /// database table is empty.
    static func find(_ db: Database) throws -> Self {
        try fetchOne(db) ?? .default
    }
}

extension SingleRowTablesTests.SimpleConfiguration: FetchableRecord, PersistableRecord {
    /// The default configuration
    static let `default` = Self(flag: true)

    func willUpdate(_ db: Database, columns: Set<String>) throws {
        if try !exists(db) {
            try Self.default.insert(db)
        }
    }

    static func find(_ db: Database) throws -> Self {
        try fetchOne(db) ?? .default
    }
}
