extension DatabaseMigrator {
    /// The registered migrations that the database has applied, in the order of their registration.
    ///
    /// ```swift
    /// let migrations = try dbQueue.read(migrator.appliedMigrations)
    /// ```
    ///
    /// - throws: a ``DatabaseError``.
    public func appliedMigrations(_ db: Database) throws -> [String] {
        let applied = try appliedIdentifiers(db)
        return migrations.filter { applied.contains($0) }
    }

    /// All migrations that the database has applied, including unregistered migrations.
    ///
    /// - throws: a ``DatabaseError``.
    public func appliedIdentifiers(_ db: Database) throws -> Set<String> {
        try db.appliedMigrationIdentifiers()
    }

    /// The registered migrations up to the first migration that the database has not applied.
    ///
    /// The result differs from ``appliedMigrations(_:)`` if an unapplied migration is registered
    /// before applied migrations.
    ///
    /// ```swift
    /// if try dbQueue.read(migrator.completedMigrations).contains("v2") {
    ///     // database is migrated up to v2 at least
    /// }
    /// ```
    ///
    /// - throws: a ``DatabaseError``.
    public func completedMigrations(_ db: Database) throws -> [String] {
        let applied = try appliedIdentifiers(db)
        return Array(migrations.prefix { applied.contains($0) })
    }

    /// Returns whether all registered migrations have been applied.
    ///
    /// ```swift
    /// if try dbQueue.read(migrator.hasCompletedMigrations) == false {
    ///     // database too old
    /// }
    /// ```
    ///
    /// The database may also have applied migrations that are not registered: see
    /// ``hasBeenSuperseded(_:)``.
    ///
    /// - throws: a ``DatabaseError``.
    public func hasCompletedMigrations(_ db: Database) throws -> Bool {
        try completedMigrations(db).count == registeredMigrations.count
    }

    /// Returns whether the database has applied unregistered migrations.
    ///
    /// ```swift
    /// if try dbQueue.read(migrator.hasBeenSuperseded) {
    ///     // database too new
    /// }
    /// ```
    ///
    /// - throws: a ``DatabaseError``.
    public func hasBeenSuperseded(_ db: Database) throws -> Bool {
        try !appliedIdentifiers(db).isSubset(of: migrations)
    }
}
