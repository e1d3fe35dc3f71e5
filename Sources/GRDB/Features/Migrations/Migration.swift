/// A registered migration.
struct Migration: Sendable {
    let identifier: String
    let mergedIdentifiers: Set<String>

    /// Whether foreign keys are disabled while the migration runs. Otherwise, they are enforced if the connection
    /// is configured to do so.
    let disablesForeignKeys: Bool

    /// Whether the foreign keys of the database are checked before the commit, if they were disabled.
    let checksForeignKeys: Bool

    let migrate: @Sendable (Database, Set<String>) throws -> Void

    /// Applies the migration, in a transaction.
    ///
    /// - throws: the error of the migration; a database error names the migration.
    func run(_ db: Database) throws {
        do {
            guard disablesForeignKeys else {
                return try db.inTransaction { try apply(db, checksForeignKeys: false) }
            }
            try db.disablingForeignKeys { wereEnabled in
                try db.inTransaction {
                    try apply(db, checksForeignKeys: wereEnabled && checksForeignKeys)
                }
            }
        } catch let error as DatabaseError {
            throw error.inMigration(identifier)
        }
    }

    /// - returns: always `.commit`.
    private func apply(
        _ db: Database, checksForeignKeys: Bool
    ) throws -> Database.TransactionCompletion {
        // Another process may have applied the migration in the meantime.
        if try db.isMigrationApplied(identifier) { return .commit }
        let merged = try mergedIdentifiers.filter(db.isMigrationApplied)
        try migrate(db, merged)
        try db.forgetMigrations(merged)
        try db.execute(
            sql: "INSERT INTO grdb_migrations (identifier) VALUES (?)", arguments: [identifier])
        if checksForeignKeys {
            try db.checkForeignKeys()
        }
        return .commit
    }
}

extension Database {
    // MARK: - The list of applied migrations

    func createMigrationsTable() throws {
        try execute(
            sql: """
                CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)
                """)
    }

    /// The identifiers of all applied migrations; empty if no migrator has used the database.
    func appliedMigrationIdentifiers() throws -> Set<String> {
        guard try tableExists("grdb_migrations", in: "main") else { return [] }
        return try String.fetchSet(self, sql: "SELECT identifier FROM grdb_migrations")
    }

    /// Reads one row of the list: a migrator may apply thousands of migrations.
    fileprivate func isMigrationApplied(_ identifier: String) throws -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM grdb_migrations WHERE identifier = ?)"
        return try Int.fetchOne(cachedStatement(sql: sql), arguments: [identifier]) == 1
    }

    func forgetMigrations(_ identifiers: Set<String>) throws {
        for identifier in identifiers.ordered() {
            try execute(
                sql: "DELETE FROM grdb_migrations WHERE identifier = ?", arguments: [identifier])
        }
    }
}
