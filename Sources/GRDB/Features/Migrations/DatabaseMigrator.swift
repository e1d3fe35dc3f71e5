/// Brings the schema of a file up to date, by running the migrations that it has not run yet.
///
/// ```swift
/// var migrator = DatabaseMigrator()
///
/// // 1st migration
/// migrator.registerMigration("Create authors") { db in
///     try db.execute(sql: """
///         CREATE TABLE author (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT)
///         """)
/// }
///
/// // 2nd migration
/// migrator.registerMigration("Add author.birthYear") { db in
///     try db.execute(sql: "ALTER TABLE author ADD COLUMN birthYear INTEGER")
/// }
///
/// // Migrate the database up to the latest version
/// let dbQueue = try DatabaseQueue(path: "/path/to/database.sqlite")
/// try migrator.migrate(dbQueue)
/// ```
///
/// Migrations run in the order of their registration. Each migration runs once in the lifetime of a
/// database, in its own transaction. If a migration throws an error, its transaction is rolled
/// back, later migrations don't run, and `migrate` throws the error. Earlier migrations remain
/// applied. The next call continues with the failed migration.
///
/// The database stores the identifiers of its applied migrations:
///
/// ```sql
/// CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)
/// ```
///
/// ## Errors
///
/// The error of a migration is rethrown, so that it can be matched. If it is a ``DatabaseError``,
/// the code, message, SQL query and arguments don't change, but
/// ``DatabaseError/migrationIdentifier`` and the description name the migration.
///
/// ```swift
/// do {
///     try migrator.migrate(dbQueue)
/// } catch let error as DatabaseError {
///     // SQLite error 1: no such table: author
///     // - while executing `ALTER TABLE author ADD COLUMN birthYear INTEGER`
///     // - in migration "Add author.birthYear"
///     print(error)
/// }
/// ```
///
/// ## Foreign keys
///
/// By default, a migration runs with foreign keys disabled, and all foreign keys of the database
/// are checked before it is committed: see ``ForeignKeyChecks``. If a connection does not enforce
/// foreign keys, they are not checked either.
///
/// See <doc:Migrations>.
public struct DatabaseMigrator: Sendable {
    /// How a migration handles foreign key constraints.
    public enum ForeignKeyChecks: Sendable {
        /// The migration runs with disabled foreign keys. All foreign keys of the database are
        /// checked before changes are committed, unless the migration is registered after
        /// ``DatabaseMigrator/disablingDeferredForeignKeyChecks()``.
        ///
        /// Deferred checks allow a migration to recreate tables.
        case deferred

        /// The migration runs with the foreign key enforcement of the connection.
        ///
        /// Such a migration is faster, and may rename foreign keys. It must not recreate tables:
        /// dropping a table would delete the rows that refer to it, or fail.
        case immediate
    }

    /// Whether `migrate` erases the database first if applied migrations have changed. The default
    /// is false.
    ///
    /// ```swift
    /// var migrator = DatabaseMigrator()
    /// #if DEBUG
    /// // Speed up development by nuking the database when migrations change
    /// migrator.eraseDatabaseOnSchemaChange = true
    /// #endif
    /// ```
    ///
    /// The database is erased if ``hasSchemaChanges(_:)`` returns true.
    ///
    /// - warning: this destroys user data. Do not enable it in released applications.
    public var eraseDatabaseOnSchemaChange = false

    /// The names of tables that the migrator ignores. ASCII case is ignored.
    ///
    /// They are not schema changes, and are preserved with their indexes and triggers when the
    /// database is erased. The same applies to tables whose names begin with `_litestream_`.
    public var preservedTableNames: Set<String> = []

    /// Whether migrations with deferred foreign key checks perform these checks.
    private var performsDeferredForeignKeyChecks = true

    private(set) var registeredMigrations: [Migration] = []

    /// The identifiers of the registered migrations, because there may be thousands.
    private(set) var registeredIdentifiers: Set<String> = []

    /// Creates a migrator without migrations.
    public init() {}

    // MARK: - Registering migrations

    /// Returns a migrator without deferred foreign key checks for the migrations that are
    /// registered from now on.
    ///
    /// ```swift
    /// migrator = migrator.disablingDeferredForeignKeyChecks()
    /// migrator.registerMigration("Fast but unchecked migration") { db in ... }
    /// ```
    ///
    /// These migrations still run with foreign keys disabled. The application is responsible for
    /// the integrity of the database: see ``Database/checkForeignKeys(in:in:)``. Migrations with
    /// immediate checks are unaffected.
    public func disablingDeferredForeignKeyChecks() -> DatabaseMigrator {
        var migrator = self
        migrator.performsDeferredForeignKeyChecks = false
        return migrator
    }

    /// Adds a migration after those that are registered already.
    ///
    /// ```swift
    /// migrator.registerMigration("Create authors") { db in
    ///     try db.execute(sql: "CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT)")
    /// }
    /// ```
    ///
    /// - parameter identifier: the identifier of the migration.
    /// - parameter foreignKeyChecks: how the migration handles foreign keys.
    /// - parameter migrate: makes the changes, in a transaction that it must not end.
    /// - precondition: no migration is registered with this identifier.
    public mutating func registerMigration(
        _ identifier: String,
        foreignKeyChecks: ForeignKeyChecks = .deferred,
        migrate: @escaping @Sendable (_ db: Database) throws -> Void
    ) {
        registerMigration(identifier, foreignKeyChecks: foreignKeyChecks) { db, _ in
            try migrate(db)
        }
    }

    /// Registers a migration that replaces other migrations, which are no longer registered.
    ///
    /// ```swift
    /// // Formerly:
    /// // migrator.registerMigration("v1") { db in ... }
    /// // migrator.registerMigration("v2") { db in ... }
    ///
    /// migrator.registerMigration("v3", merging: ["v1", "v2"]) { db, appliedIdentifiers in
    ///     if !appliedIdentifiers.contains("v1") {
    ///         // What v1 did
    ///     }
    ///     if !appliedIdentifiers.contains("v2") {
    ///         // What v2 did
    ///     }
    ///     // What is new
    /// }
    /// ```
    ///
    /// The migration runs unless it is applied, even if all its merged migrations are applied.
    /// After it has run, the database no longer lists the merged migrations.
    ///
    /// Until then, ``hasBeenSuperseded(_:)`` returns true for a database that has applied the
    /// merged migrations, because they are not registered.
    ///
    /// - parameter identifier: the identifier of the migration.
    /// - parameter foreignKeyChecks: how the migration handles foreign keys.
    /// - parameter mergedIdentifiers: the identifiers of the merged migrations. The identifier of
    ///   the migration itself is ignored.
    /// - parameter migrate: makes the changes, in a transaction that it must not end. The second
    ///   argument contains the merged migrations that the database has applied.
    /// - precondition: no migration is registered with this identifier.
    public mutating func registerMigration(
        _ identifier: String,
        foreignKeyChecks: ForeignKeyChecks = .deferred,
        merging mergedIdentifiers: Set<String> = [],
        migrate:
            @escaping @Sendable (_ db: Database, _ appliedIdentifiers: Set<String>) throws ->
            Void
    ) {
        do {
            try tryRegisterMigration(
                identifier, foreignKeyChecks: foreignKeyChecks, merging: mergedIdentifiers,
                migrate: migrate)
        } catch {
            // Not a precondition, because release builds omit its message.
            fatalError("\(error)")
        }
    }

    /// Registers a migration like ``registerMigration(_:foreignKeyChecks:merging:migrate:)``, but
    /// throws an error if the identifier is already registered. Use it if identifiers are not
    /// constants.
    ///
    /// ```swift
    /// for script in scripts {
    ///     try migrator.tryRegisterMigration(script.name) { db, _ in
    ///         try db.execute(sql: script.sql)
    ///     }
    /// }
    /// ```
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if a migration is already registered
    ///   with this identifier. The migrator is then unchanged.
    public mutating func tryRegisterMigration(
        _ identifier: String,
        foreignKeyChecks: ForeignKeyChecks = .deferred,
        merging mergedIdentifiers: Set<String> = [],
        migrate:
            @escaping @Sendable (_ db: Database, _ appliedIdentifiers: Set<String>) throws ->
            Void
    ) throws {
        guard registeredIdentifiers.insert(identifier).inserted else {
            throw DatabaseError(misuse: "already registered migration: \"\(identifier)\"")
        }
        registeredMigrations.append(
            Migration(
                identifier: identifier,
                mergedIdentifiers: mergedIdentifiers.subtracting([identifier]),
                disablesForeignKeys: foreignKeyChecks == .deferred,
                checksForeignKeys: performsDeferredForeignKeyChecks, migrate: migrate))
    }

    /// The identifiers of the migrations, in the order in which they run.
    public var migrations: [String] { registeredMigrations.map(\.identifier) }
}
