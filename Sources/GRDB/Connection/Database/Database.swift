/// A connection to a database, which runs SQL inside of an access.
///
/// The access methods of ``DatabaseQueue`` and `DatabasePool` pass a connection to their closure:
///
/// ```swift
/// let dbQueue = try DatabaseQueue()
/// try dbQueue.write { (db: Database) in
///     try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Arthur"])
/// }
/// ```
///
/// A connection may only be used inside the closure that received it, on its thread. Otherwise, throwing
/// methods throw a ``DatabaseError`` of code `SQLITE_MISUSE`, and other methods trap.
public final class Database {
    package let raw: RawConnection

    /// The configuration that the connection was opened with.
    public let configuration: Configuration

    /// The label of the connection, for logs and debuggers.
    public let description: String

    /// The path that the connection was opened with, without the key that a URI may contain.
    let path: String

    /// The path that the connection was opened with. A closure, because mirrors show properties.
    let openedPath: @Sendable () -> String

    package let statementCache: StatementCache

    let schemaCache = SchemaCache()

    /// Set once, when the connection is opened, because it refers to the connection.
    @exclusivity(unchecked)
    package private(set) var broker: ObservationBroker!

    let compilation: CompilationMonitor

    @exclusivity(unchecked)
    package var callbacks = ConnectionCallbacks()

    @exclusivity(unchecked)
    var tracing = Tracing()

    @exclusivity(unchecked)
    var schemaCheck = SchemaCheck()

    @exclusivity(unchecked)
    package var alterations = TableAlterations()

    @exclusivity(unchecked)
    var transactionDating: TransactionDating

    @exclusivity(unchecked)
    var readOnlyScopes = ReadOnlyScopes()

    // Caches and other values that higher layers store with the connection, by key.
    private var storage: [ObjectIdentifier: Any] = [:]

    /// Whether SQLite allows the connection to change the database.
    let isOpenedForWriting: Bool

    /// The number of transactions. Cached facts about one transaction are checked again in the next.
    @exclusivity(unchecked)
    var transactionNumber = 0 {
        didSet { interestEpoch &+= 1 }
    }

    /// A cache of SQL texts, kept by the query layer.
    @exclusivity(unchecked)
    var queryTexts: AnyObject?

    /// Whether a request is only prepared to be fetched, so that the region of its statement is not needed.
    @exclusivity(unchecked)
    var forgoesRegions = false

    /// The region that statements read, while it is recorded.
    @exclusivity(unchecked)
    var recordedRegion: DatabaseRegion?

    /// The number of schema changes made by this connection.
    @exclusivity(unchecked)
    package var schemaGeneration = 0 {
        didSet {
            interestEpoch &+= 1
            lastingInterestEpoch &+= 1
        }
    }

    /// Changes when transaction observers must be asked again which changes they observe: in each
    /// transaction, when observers are added or removed, and when statements may have other effects.
    @exclusivity(unchecked)
    var interestEpoch = 0

    /// Changes when even observers that give the same answers in all transactions must be asked again.
    @exclusivity(unchecked)
    var lastingInterestEpoch = 0

    /// The transaction that the current code must not end; nil if it may.
    @exclusivity(unchecked)
    package var heldTransaction: HeldTransaction?

    /// Whether statements fail outside of a transaction. See `checkTransaction`.
    @exclusivity(unchecked)
    var requiresTransaction = false

    /// Whether the access shares the transaction with other accesses. See `inSharedTransaction`.
    @exclusivity(unchecked)
    var sharesTransaction = false

    /// Whether the current transaction belongs to a read-only access. Observers are not notified of
    /// such transactions.
    @exclusivity(unchecked)
    var isInReadAccess = false

    /// Whether observers are not notified of the end of the transaction. A read-only connection only has
    /// read transactions, and does notify its observers.
    var isInUnnotifiedRead: Bool {
        (isInReadAccess || readOnlyScopes.ownTransaction) && !configuration.readonly
    }

    /// Whether the running statement undoes a transaction, which a cancelled access may also do.
    @exclusivity(unchecked)
    var isRollingBack = false

    /// Whether the running statement ends a transaction. Nothing stops it halfway: a commit happens
    /// completely or not at all.
    @exclusivity(unchecked)
    var isEndingTransaction = false

    /// Not nil if the configuration enables suspension.
    package let suspension: Suspension?

    /// The cancellation of the current access, if it can be cancelled.
    @exclusivity(unchecked)
    package var cancellation: AccessCancellation? {
        didSet { limitsDidChange() }
    }

    /// The time at which statements must stop, in nanoseconds of the monotonic clock.
    @exclusivity(unchecked)
    var deadline: UInt64? {
        didSet { limitsDidChange() }
    }

    /// The app's progress function, which GRDBServer sets: whether the statement must stop.
    @exclusivity(unchecked)
    package var progress: (() -> Bool)? {
        didSet { limitsDidChange() }
    }

    /// The app's authorizer, which GRDBServer sets. Receives the decision of the library, and returns its own.
    @exclusivity(unchecked) package var authorizer: ((RawAuthorization, CInt) -> CInt)?

    /// Whether a limit or cancellation may stop the statements of the current access.
    @exclusivity(unchecked)
    var hasLimits = false

    /// Whether the running statement must stop when the database is suspended.
    @exclusivity(unchecked)
    var stopsWhenSuspended = false

    /// The reason why the current transaction, or the savepoint that contains the remaining changes of a
    /// failed statement, must be rolled back.
    @exclusivity(unchecked)
    package var rollbackReason: String? {
        didSet { limitsDidChange() }
    }

    /// The failure of a method of this access that could not throw. See `keepFailure(_:)`.
    @exclusivity(unchecked)
    var keptFailure: KeptFailure?

    /// The tables that C code may have dropped or renamed. See `undeclaredReplacements`.
    @exclusivity(unchecked)
    var compiledReplacements: [CompiledReplacement] = []

    /// The reason why the connection can't be used on its thread, if any.
    enum Access {
        case possible
        /// A backup writes to the connection.
        case backupDestination
        /// The connection has lost its snapshot.
        case lostSnapshot
        case closed
    }

    @exclusivity(unchecked)
    var access = Access.possible

    /// The objects that were created in this access, and must not outlive it.
    @exclusivity(unchecked)
    var accessBounds: [WeakAccessBound] = []

    /// Opens a connection, and makes it ready for use.
    ///
    /// No other thread may have a reference to it.
    init(
        path: String, configuration: Configuration, description: String, opensForWriting: Bool
    ) throws {
        self.path = SQLText.pathWithoutKeys(path)
        openedPath = { path }
        self.configuration = configuration
        schemaSource = configuration.schemaSource
        self.description = description
        statementCache = StatementCache()
        isOpenedForWriting = opensForWriting
        transactionDating = TransactionDating(configuration.transactionClock)
        // Without a file, there is no lock that the system objects to in a suspended app.
        suspension =
            configuration.observesSuspensionNotifications && !DatabasePath.isInMemory(path)
            ? Suspension() : nil

        if let error = ModuleCopies.error { throw error }
        var flags: RawOpenFlags = opensForWriting ? [.readWrite, .create] : .readOnly
        flags.insert(.uri)
        do {
            raw = try RawConnection(path: path, flags: flags)
        } catch {
            throw DatabaseError(error.naming(path: self.path))
        }
        compilation = CompilationMonitor(raw: raw)
        broker = ObservationBroker(database: self, raw: raw)
        raw.hooks.authorize = { [unowned self] in authorize($0) }
        if let connection = raw.handle {
            raw.hooks.installAuthorizer(in: connection)
            raw.hooks.installTransactionHooks(in: connection)
        }
    }

    deinit {
        // Closures refer to this object. SQLite's connection may outlive it: see `RawConnection`.
        if let connection = raw.handle {
            raw.hooks.removeAll(from: connection)
        }
    }

    /// Applies the configuration.
    func setUp() throws {
        raw.set(.foreignKeys, configuration.foreignKeysEnabled)
        raw.set(.quotedStringsInSchema, configuration.acceptsDoubleQuotedStringLiterals)
        raw.set(.quotedStrings, configuration.acceptsDoubleQuotedStringLiterals)
        raw.set(.defensive, configuration.isDefensive)
        raw.set(.trustedSchema, configuration.trustsSchema)
        configuration.policy?.connectionDidOpen(self)
        try setBusyMode(
            configuration.readonly
                ? configuration.readonlyBusyMode ?? configuration.busyMode
                : configuration.busyMode)
        try addBuiltInFunctions()
        try DatabaseError.convertingFailures {
            #if GRDB_ENCRYPTION
            try raw.addExportFunction()
            #endif
            try raw.prepareRollback()
        }
        limitsDidChange()
        if configuration.checksCellSizes { try execute(sql: "PRAGMA cell_size_check = ON") }
        try configuration.setUp(self)
        try checkKeptFailure()
        try validateFormat()
        configuration.policy?.connectionIsPrepared(self)
    }

    /// Fails early if the file is not a database, or can't be read.
    private func validateFormat() throws {
        let sql = "SELECT * FROM sqlite_master LIMIT 1"
        #if GRDB_ENCRYPTION
        try execute(sql: sql)
        #else
        do {
            try execute(sql: sql)
        } catch let error as DatabaseError
            where error.resultCode == .SQLITE_NOTADB && raw.mayBeEncrypted
        {
            throw DatabaseError(
                resultCode: error.extendedResultCode,
                message: """
                    \(error.message ?? ""): if it is encrypted, it needs the trait Encryption of the \
                    package
                    """,
                sql: error.sql)
        }
        #endif
    }

    /// The connection for C functions. Nil once closed.
    ///
    /// Use the functions of the module `GRDBSQLite`. Never close the connection.
    public var sqliteConnection: SQLiteConnection? { raw.handle }

    /// Provides the primary keys of views. See ``withSchemaSource(_:execute:)``.
    public internal(set) var schemaSource: (any DatabaseSchemaSource)?

    // MARK: - Values of higher layers

    /// A value that a higher layer stores with the connection.
    package subscript<Key: DatabaseStorageKey>(_ key: Key.Type) -> Key.Value {
        get { storage[ObjectIdentifier(key)] as! Key.Value? ?? Key.defaultValue }
        set { storage[ObjectIdentifier(key)] = newValue }
    }

    // MARK: - Closing

    /// Closes the connection.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_BUSY` if unfinalized statements prevent it. The
    ///   connection then remains usable.
    func close() throws {
        guard raw.handle != nil else { return }
        if raw.isForked { throw DatabaseError(RawConnection.forkFailure) }
        statementCache.removeAll()
        schemaCache.removeAll()
        try DatabaseError.convertingFailures { try raw.close(logsStatements: true) }
        access = .closed
        forgetClosures()
    }

    /// Releases the closures of the app, and other stored values.
    private func forgetClosures() {
        broker.removeAll()
        storage = [:]
        tracing.function = nil
        raw.hooks.trace = nil
        raw.hooks.busy = nil
    }

    /// Closes the connection as far as possible. Remaining handles close it when they are freed.
    func discard() {
        statementCache.removeAll()
        schemaCache.removeAll()
        forgetClosures()
        access = .closed
        try? raw.close(logsStatements: false)
    }

}

extension Database: CustomStringConvertible {}

extension Database: CustomDebugStringConvertible {
    public var debugDescription: String { "<Database: \(description)>" }
}

/// The key of a value that a higher layer stores with a connection.
package protocol DatabaseStorageKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

// States explicitly that the type is not sendable. With this declaration, an access that returns a
// connection resolves to the synchronous method, even in asynchronous functions.
@available(*, unavailable)
extension Database: Sendable {}
