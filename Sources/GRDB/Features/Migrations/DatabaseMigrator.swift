/// A `DatabaseMigrator` registers and applies database migrations.
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
/// Migrations run in the order of their registration, each once in the life of a database, each in
/// a transaction of its own. When one throws, its transaction is rolled back, later migrations do
/// not run, and `migrate` throws. What earlier migrations have done remains, and the next call goes
/// on from there.
///
/// The database remembers the migrations that it has seen:
///
/// ```sql
/// CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)
/// ```
///
/// ## Errors
///
/// The error of a migration is rethrown as it is, so that it can be matched. A ``DatabaseError``
/// learns which migration has failed: its code, message, SQL query and arguments don't change, but
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
/// are checked before it is committed: see ``ForeignKeyChecks``. A connection that does not enforce
/// foreign keys does not check them either.
public struct DatabaseMigrator: Sendable {
    /// How a migration handles foreign key constraints.
    public enum ForeignKeyChecks: Sendable {
        /// The migration runs with disabled foreign keys. All foreign keys of the database are
        /// checked before changes are committed, unless the migration is registered after
        /// ``DatabaseMigrator/disablingDeferredForeignKeyChecks()``.
        ///
        /// Such a migration can recreate tables.
        case deferred

        /// The migration runs with foreign keys as the connection handles them.
        ///
        /// Such a migration is faster, and may rename foreign keys. It must not
        /// recreate tables: dropping a table would delete the rows that refer to it, or fail.
        case immediate
    }

    /// Whether migrating starts from an erased database when applied migrations have changed. The
    /// default is false.
    ///
    /// ```swift
    /// var migrator = DatabaseMigrator()
    /// #if DEBUG
    /// // Speed up development by nuking the database when migrations change
    /// migrator.eraseDatabaseOnSchemaChange = true
    /// #endif
    /// ```
    ///
    /// The database is erased when ``hasSchemaChanges(_:)`` is true.
    ///
    /// - warning: this destroys the data of the user. It should not ship in a released application.
    public var eraseDatabaseOnSchemaChange = false

    /// The names, ASCII case apart, of tables that the migrator must leave alone.
    ///
    /// They are not schema changes, and remain, with their indexes and triggers, when the database
    /// is erased. Tables whose names begin with `_litestream_` are treated so, too.
    public var preservedTableNames: Set<String> = []

    /// Whether migrations that defer foreign key checks do perform them.
    private var performsDeferredForeignKeyChecks = true

    private(set) var registeredMigrations: [Migration] = []

    /// A new migrator, without migrations.
    public init() {}

    // MARK: - Registering migrations

    /// Returns a migrator that disables the deferred foreign key checks of all migrations that are
    /// registered from now on.
    ///
    /// ```swift
    /// migrator = migrator.disablingDeferredForeignKeyChecks()
    /// migrator.registerMigration("Fast but unchecked migration") { db in ... }
    /// ```
    ///
    /// Those migrations still run with disabled foreign keys: the application becomes responsible
    /// for the integrity of the database, see ``Database/checkForeignKeys(in:in:)``. Migrations
    /// with immediate checks don't change.
    public func disablingDeferredForeignKeyChecks() -> DatabaseMigrator {
        var migrator = self
        migrator.performsDeferredForeignKeyChecks = false
        return migrator
    }

    /// Registers a migration.
    ///
    /// ```swift
    /// migrator.registerMigration("Create authors") { db in
    ///     try db.execute(sql: "CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT)")
    /// }
    /// ```
    ///
    /// - parameter identifier: the identifier of the migration.
    /// - parameter foreignKeyChecks: how the migration handles foreign keys.
    /// - parameter migrate: the changes, run in a transaction that they must not end.
    /// - precondition: no migration is registered under this identifier.
    public mutating func registerMigration(
        _ identifier: String,
        foreignKeyChecks: ForeignKeyChecks = .deferred,
        migrate: @escaping @Sendable (_ db: Database) throws -> Void
    ) {
        registerMigration(identifier, foreignKeyChecks: foreignKeyChecks) { db, _ in
            try migrate(db)
        }
    }

    /// Registers a migration that takes the place of others, which are not registered any more.
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
    /// The migration runs unless it is applied, also when all migrations that it merges are. When
    /// it is applied, the database forgets the merged ones.
    ///
    /// Until then, ``hasBeenSuperseded(_:)`` is true for a database that knows the merged
    /// migrations: they are not registered.
    ///
    /// - parameter identifier: the identifier of the migration.
    /// - parameter foreignKeyChecks: how the migration handles foreign keys.
    /// - parameter mergedIdentifiers: the identifiers of the merged migrations. The identifier of
    ///   the migration itself is ignored.
    /// - parameter migrate: the changes, run in a transaction that they must not end. The second
    ///   argument contains the merged migrations that were applied to the database.
    /// - precondition: no migration is registered under this identifier.
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
            // Not a precondition, which loses its message in release builds.
            fatalError("\(error)")
        }
    }

    /// Registers a migration, as ``registerMigration(_:foreignKeyChecks:merging:migrate:)`` does, or
    /// throws: to be used when identifiers come from elsewhere.
    ///
    /// ```swift
    /// for script in scripts {
    ///     try migrator.tryRegisterMigration(script.name) { db, _ in
    ///         try db.execute(sql: script.sql)
    ///     }
    /// }
    /// ```
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if a migration is registered under this
    ///   identifier already. The migrator is then what it was.
    public mutating func tryRegisterMigration(
        _ identifier: String,
        foreignKeyChecks: ForeignKeyChecks = .deferred,
        merging mergedIdentifiers: Set<String> = [],
        migrate:
            @escaping @Sendable (_ db: Database, _ appliedIdentifiers: Set<String>) throws ->
            Void
    ) throws {
        if registeredMigrations.contains(where: { $0.identifier == identifier }) {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "already registered migration: \"\(identifier)\"")
        }
        let foreignKeys: Migration.ForeignKeys =
            switch foreignKeyChecks {
            case .deferred: performsDeferredForeignKeyChecks ? .disabledThenChecked : .disabled
            case .immediate: .enforced
            }
        registeredMigrations.append(
            Migration(
                identifier: identifier,
                mergedIdentifiers: mergedIdentifiers.subtracting([identifier]),
                foreignKeys: foreignKeys, migrate: migrate))
    }

    /// The identifiers of the registered migrations, in the order of registration.
    public var migrations: [String] { registeredMigrations.map(\.identifier) }
}
