extension DatabaseMigrator {
    /// Runs all registered migrations that the database has not applied yet, in the order of their
    /// registration.
    ///
    /// ```swift
    /// try migrator.migrate(dbQueue)
    /// ```
    ///
    /// - throws: the error of the failed migration; a ``DatabaseError`` names the migration.
    ///   Earlier migrations remain applied, and later migrations don't run.
    public func migrate(_ writer: any DatabaseWriter) throws {
        try writer.barrierWriteWithoutTransaction { try applyMigrations(to: $0) }
    }

    /// Runs the registered migrations up to a target, if the database has not applied them yet.
    ///
    /// ```swift
    /// try migrator.migrate(dbQueue, upTo: "v2")
    ///
    /// // Migrations can only run forward:
    /// try migrator.migrate(dbQueue, upTo: "v1") // throws an error
    /// ```
    ///
    /// - parameter writer: the queue or pool to migrate.
    /// - parameter targetIdentifier: the identifier of the last migration to run.
    /// - throws: the error of the failed migration. A ``DatabaseError`` of code `SQLITE_MISUSE` if
    ///   the target is not registered, or if a later migration is already applied. In that case, no
    ///   migration runs.
    public func migrate(_ writer: any DatabaseWriter, upTo targetIdentifier: String) throws {
        try writer.barrierWriteWithoutTransaction {
            try applyMigrations(to: $0, upTo: targetIdentifier)
        }
    }

    // MARK: - Asynchronous methods

    // They are not named `migrate`: in asynchronous code, an overload would turn all calls of the
    // synchronous method into errors.

    /// Runs all registered migrations that the database has not applied yet, without blocking the
    /// current task.
    ///
    /// ```swift
    /// try await migrator.asyncMigrate(dbQueue)
    /// ```
    ///
    /// If the task is cancelled, the current migration is rolled back, and the method throws
    /// `CancellationError`.
    ///
    /// - throws: see ``migrate(_:)``.
    public func asyncMigrate(_ writer: any DatabaseWriter) async throws {
        try await writer.barrierWriteWithoutTransaction { try applyMigrations(to: $0) }
    }

    /// Runs the registered migrations up to a target, if the database has not applied them yet,
    /// without blocking the current task.
    ///
    /// If the task is cancelled, the current migration is rolled back, and the method throws
    /// `CancellationError`.
    ///
    /// - throws: see ``migrate(_:upTo:)``.
    public func asyncMigrate(
        _ writer: any DatabaseWriter, upTo targetIdentifier: String
    ) async throws {
        try await writer.barrierWriteWithoutTransaction {
            try applyMigrations(to: $0, upTo: targetIdentifier)
        }
    }

    /// Schedules all registered migrations that the database has not applied yet, and returns
    /// immediately.
    ///
    /// ```swift
    /// migrator.asyncMigrate(dbQueue) { result in
    ///     switch result {
    ///     case .success(let db): print("migrated")
    ///     case .failure(let error): print(error)
    ///     }
    /// }
    /// ```
    ///
    /// - parameter writer: the queue or pool to migrate.
    /// - parameter completion: called once, on the queue of the writer, in the access of the
    ///   migrations. It may use the database that it receives.
    public func asyncMigrate(
        _ writer: any DatabaseWriter,
        completion: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        writer.asyncBarrierWriteWithoutTransaction { database in
            completion(
                Result {
                    let db = try database.get()
                    try applyMigrations(to: db)
                    return db
                })
        }
    }

    // MARK: - Running

    /// Runs unapplied migrations, outside a transaction.
    func applyMigrations(to db: Database, upTo targetIdentifier: String? = nil) throws {
        var lastIndex = registeredMigrations.count - 1
        if let targetIdentifier {
            guard let index = migrations.firstIndex(of: targetIdentifier) else {
                throw DatabaseError(misuse: "undefined migration: \"\(targetIdentifier)\"")
            }
            lastIndex = index
        }
        if registeredMigrations.isEmpty { return }

        if eraseDatabaseOnSchemaChange,
            try db.inReadTransactionIfNeeded({ try hasSchemaChanges(db) })
        {
            try erase(db)
        }

        try db.createMigrationsTable()
        let applied = try db.appliedMigrationIdentifiers()
        if let targetIdentifier,
            registeredMigrations[(lastIndex + 1)...].contains(where: {
                applied.contains($0.identifier)
            })
        {
            throw DatabaseError(
                misuse: "database is already migrated beyond migration \"\(targetIdentifier)\"")
        }
        // A schema source describes the final schema, not the intermediate schemas.
        try db.withSchemaSource(nil) {
            for migration in registeredMigrations[...lastIndex] {
                if applied.contains(migration.identifier) {
                    // The database may still list merged migrations beside this one, if a previous
                    // version of this migration did not merge them.
                    try db.forgetMigrations(migration.mergedIdentifiers.intersection(applied))
                } else {
                    try migration.run(db)
                }
            }
        }
    }

}
