#if GRDB_FOUNDATION || !canImport(FoundationEssentials)
public import Foundation
#else
public import FoundationEssentials
#endif

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

    /// Throws if a statement must not run while FTS5 calls a tokenizer. Set by tokenizers.
    var checkWithinTokenizer: ((Statement) throws -> Void)?

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

    // Caches and other values that higher layers store with the connection, by key.
    private var storage: [ObjectIdentifier: Any] = [:]

    /// The date of the current transaction, if there is one.
    @exclusivity(unchecked)
    private var transactionStart = TransactionStart.none

    private enum TransactionStart {
        case none
        /// The date of the default clock.
        case wallClock(WallClock)
        case date(Result<Date, any Error>)
    }

    /// Whether the clock is the default one. It is read in every transaction, so reading it must be
    /// cheap.
    private let usesDefaultClock: Bool

    /// Whether SQLite allows the connection to change the database.
    let isOpenedForWriting: Bool

    /// The number of transactions. Cached facts about one transaction are checked again in the next.
    @exclusivity(unchecked)
    private(set) var transactionNumber = 0 {
        didSet { interestEpoch &+= 1 }
    }

    /// The schema version that corresponds to ``schemaGeneration``, and the transaction that read it.
    @exclusivity(unchecked)
    var knownSchemaVersion: Int32?
    @exclusivity(unchecked)
    var schemaCheckTransaction: Int?

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

    /// The tables and views dropped or altered since observers last asked.
    var droppedOrAlteredTables: Set<CaseInsensitiveIdentifier> = []

    /// The tables and views dropped or altered while a group of changes is recorded; otherwise nil.
    package var tablesAlteredWhileRecording: Set<CaseInsensitiveIdentifier>?

    /// The transaction that the current code must not end; nil if it may.
    package var heldTransaction: HeldTransaction?

    /// The tables that the current transaction has dropped or renamed: see `StatementEffects.replacedTable`.
    package var replacedTables: Set<CaseInsensitiveIdentifier> = []

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

    /// Whether the current transaction has begun in a read-only scope that has not ended.
    @exclusivity(unchecked)
    private var isTransactionOfReadOnlyScope = false

    /// Whether observers are not notified of the end of the transaction. A read-only connection only has
    /// read transactions, and does notify its observers.
    var isInUnnotifiedRead: Bool {
        (isInReadAccess || isTransactionOfReadOnlyScope) && !configuration.readonly
    }

    /// Whether the running statement undoes a transaction, which a cancelled access may also do.
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

    /// The app's progress function. See `withProgress(_:_:)`.
    @exclusivity(unchecked)
    var progress: (() -> ProgressAction)? {
        didSet { limitsDidChange() }
    }

    /// The app's authorizer.
    @exclusivity(unchecked) var authorizer: Authorizer?

    /// Whether a limit or cancellation may stop the statements of the current access.
    @exclusivity(unchecked)
    var hasLimits = false

    /// Whether the running statement must stop when the database is suspended.
    @exclusivity(unchecked)
    var stopsWhenSuspended = false

    /// The reason why the current transaction, or the savepoint that contains the remaining changes of a
    /// failed statement, must be rolled back.
    package var rollbackReason: String? {
        didSet { limitsDidChange() }
    }

    /// The failure of a method of this access that could not throw. See `keepFailure(_:)`.
    @exclusivity(unchecked)
    var keptFailure: KeptFailure?

    /// Receives the actions of statements that a C function compiles and runs on its own.
    package var authorizationMonitor: ((RawAuthorization) -> Void)?

    /// The number of nested read-only scopes.
    @exclusivity(unchecked)
    private(set) var readOnlyDepth = 0

    var traceFunction: ((TraceEvent) -> Void)?
    var tracingOptions: TracingOptions = []

    /// Receives the duration of each statement, in seconds. See `setProfiler(_:)`.
    var profiler: ((TraceEvent.Statement, TimeInterval) -> Void)?

    /// Called before `COMMIT`. Unlike the commit hook, it can run statements.
    @exclusivity(unchecked)
    package var willCommitTransaction: ((Database) throws -> Void)?

    /// Called before a statement that drops or renames a table of the main schema. See
    /// `StatementEffects.replacedTable`.
    @exclusivity(unchecked)
    package var willReplaceTable: ((Database, String) throws -> Void)?

    /// The tables that C code may have dropped or renamed. See `undeclaredReplacements`.
    var compiledReplacements: [CompiledReplacement] = []

    /// Called at the end of an access, outside of its transaction, on the thread of the access.
    @exclusivity(unchecked)
    package var accessDidEnd: ((Database) -> Void)?

    /// The label of the access, if it has one.
    @exclusivity(unchecked)
    package var accessLabel: AccessLabel?

    /// The counters already reported to the metrics collector.
    @exclusivity(unchecked)
    var countedAccesses = AccessCounters()

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
        usesDefaultClock = configuration.transactionClock is DefaultTransactionClock
        // Without a file, there is no lock that the system objects to in a suspended app.
        suspension =
            configuration.observesSuspensionNotifications && !DatabaseURI.isInMemory(path)
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
        raw.setForeignKeys(configuration.foreignKeysEnabled)
        raw.setDoubleQuotedStringLiterals(configuration.acceptsDoubleQuotedStringLiterals)
        raw.setDefensive(configuration.isDefensive)
        raw.setTrustedSchema(configuration.trustsSchema)
        for (limit, value) in configuration.limits { _ = raw.setLimit(limit.raw, to: value) }
        try setBusyMode(
            configuration.readonly
                ? configuration.readonlyBusyMode ?? configuration.busyMode
                : configuration.busyMode)
        try addBuiltInFunctions()
        do {
            #if GRDB_ENCRYPTION
            try raw.addExportFunction()
            #endif
            try raw.prepareRollback()
        } catch {
            throw DatabaseError(error)
        }
        limitsDidChange()
        if configuration.checksCellSizes { try execute(sql: "PRAGMA cell_size_check = ON") }
        try configuration.setUp(self)
        try checkKeptFailure()
        try validateFormat()
        if let authorizer = configuration.authorizer {
            self.authorizer = authorizer
            expirePreparedStatements()
        }
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

    // MARK: - Misuse

    /// The connection for C functions. Nil once closed.
    ///
    /// Use the functions of the module `GRDBSQLite`. Never close the connection.
    public var sqliteConnection: SQLiteConnection? { raw.handle }

    /// Throws unless the connection is open and belongs to the current thread.
    @inline(__always)
    package func checkAccess() throws {
        guard raw.isOwnedByCurrentThread, access == .possible else {
            throw accessError()
        }
    }

    /// The reason why the connection can't be used on its thread, if any.
    private enum Access {
        case possible
        /// A backup writes to the connection.
        case backupDestination
        /// The connection has lost its snapshot.
        case lostSnapshot
        case closed
    }

    @exclusivity(unchecked)
    private var access = Access.possible

    /// Prevents the connection from being used while a backup writes to it.
    func setBackupDestination(_ isDestination: Bool) {
        access = isDestination ? .backupDestination : raw.handle == nil ? .closed : .possible
    }

    /// The objects that were created in this access, and must not outlive it.
    @exclusivity(unchecked)
    var accessBounds: [WeakAccessBound] = []

    struct WeakAccessBound {
        weak var bound: (any AccessBound)?
    }

    func endAccessBounds() {
        let bounds = accessBounds
        accessBounds = []
        for bound in bounds { bound.bound?.end() }
    }

    /// Prevents the connection from being used, because it has lost its snapshot.
    func loseSnapshot() {
        access = .lostSnapshot
    }

    static var lostSnapshotError: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_ABORT,
            message: "The snapshot is lost, because its transaction was ended")
    }

    private func accessError() -> DatabaseError {
        if raw.isForked { return DatabaseError(RawConnection.forkFailure) }
        if !raw.isOwnedByCurrentThread {
            return DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "Database was not used on the correct thread.")
        }
        switch access {
        case .backupDestination:
            return DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "Database can't be used while a backup writes to it")
        case .lostSnapshot:
            return Self.lostSnapshotError
        case .possible, .closed:
            return Self.closedError
        }
    }

    package static var closedError: DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: "Connection is closed")
    }

    /// Traps unless the connection belongs to the current thread. For methods that can't throw.
    package func preconditionAccess() {
        guard raw.isOwnedByCurrentThread else { fatalError("\(accessError())") }
    }

    // MARK: - Information

    /// The rowid of the last inserted row, or 0 if no row was inserted.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/last_insert_rowid.html>
    public var lastInsertedRowID: Int64 {
        preconditionAccess()
        return raw.lastInsertedRowID
    }

    /// The number of rows changed by the last successful INSERT, UPDATE or DELETE. Rows changed by
    /// triggers and foreign key actions don't count.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/changes.html>
    public var changesCount: Int {
        preconditionAccess()
        return Int(clamping: raw.changesCount)
    }

    /// The number of rows changed by this connection since it was opened, including rows changed by
    /// triggers and foreign key actions.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/total_changes.html>
    public var totalChangesCount: Int {
        preconditionAccess()
        return Int(clamping: raw.totalChangesCount)
    }

    /// The result code of the most recent call of SQLite that failed. See
    /// <https://www.sqlite.org/c3ref/errcode.html>.
    public var lastErrorCode: ResultCode {
        preconditionAccess()
        return ResultCode(rawValue: raw.lastErrorCode)
    }

    /// The message of the most recent call of SQLite that failed. See
    /// <https://www.sqlite.org/c3ref/errcode.html>.
    public var lastErrorMessage: String? {
        preconditionAccess()
        return raw.lastErrorMessage
    }

    /// The maximum number of arguments per statement.
    ///
    /// See `SQLITE_LIMIT_VARIABLE_NUMBER` in <https://www.sqlite.org/limits.html>.
    public var maximumStatementArgumentCount: Int {
        Int(raw.variableNumberLimit)
    }

    /// The `SQLITE_VERSION_NUMBER` of the SQLite that this package includes.
    public static var sqliteLibVersionNumber: CInt { RawSQLite.versionNumber }

    /// Provides the primary keys of views. See ``withSchemaSource(_:execute:)``.
    public internal(set) var schemaSource: (any DatabaseSchemaSource)?

    /// Whether the connection currently refuses changes: it is read-only, or in a read-only access.
    package var isReadOnly: Bool { readOnlyDepth > 0 || configuration.readonly }

    // MARK: - Values of higher layers

    /// A value that a higher layer stores with the connection.
    package subscript<Key: DatabaseStorageKey>(_ key: Key.Type) -> Key.Value {
        get { storage[ObjectIdentifier(key)] as! Key.Value? ?? Key.defaultValue }
        set { storage[ObjectIdentifier(key)] = newValue }
    }

    // MARK: - Memory

    /// Frees the memory that the connection can do without: cached statements and the page cache.
    ///
    /// See <https://www.sqlite.org/c3ref/db_release_memory.html>.
    public func releaseMemory() {
        preconditionAccess()
        statementCache.removeAll()
        clearSchemaCache()
        raw.releaseMemory()
    }

    /// Makes all prepared statements recompile when they next run.
    func expirePreparedStatements() {
        if let connection = raw.handle {
            raw.hooks.installAuthorizer(in: connection)
        }
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
        do {
            try raw.close(logsStatements: true)
        } catch {
            throw DatabaseError(error)
        }
        access = .closed
        forgetClosures()
    }

    /// Releases the closures of the app, and other stored values.
    private func forgetClosures() {
        broker.removeAll()
        storage = [:]
        traceFunction = nil
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

    // MARK: - Read-only access

    /// Refuses writes on this connection while the closure runs.
    ///
    /// ```swift
    /// try dbQueue.writeWithoutTransaction { db in
    ///     try db.readOnly {
    ///         try db.execute(sql: "DELETE FROM player") // throws SQLITE_READONLY
    ///     }
    /// }
    /// ```
    ///
    /// Calls can be nested. Unlike with `PRAGMA query_only`, prepared statements don't expire.
    ///
    /// - throws: the error of the closure, or a ``DatabaseError`` of code `SQLITE_MISUSE`.
    public func readOnly<T>(_ value: () throws -> T) throws -> T {
        try checkAccess()
        beginReadOnly()
        defer { endReadOnly() }
        let result = try value()
        try checkKeptFailure()
        return result
    }

    private var wasQueryOnly = false

    package func beginReadOnly() {
        if readOnlyDepth == 0 {
            wasQueryOnly = raw.setQueryOnly(true)
        }
        readOnlyDepth += 1
    }

    package func endReadOnly() {
        readOnlyDepth -= 1
        if readOnlyDepth == 0 {
            raw.setQueryOnly(wasQueryOnly)
            // Later statements of the transaction may change the database.
            isTransactionOfReadOnlyScope = false
        }
    }

    // MARK: - Busy mode

    /// Changes the behavior when another connection has locked the database.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the timeout is not between 0 and SQLite's
    ///   maximum of about 24 days.
    public func setBusyMode(_ busyMode: BusyMode) throws {
        try checkAccess()
        switch busyMode {
        case .immediateError:
            raw.removeBusyHandler()
        case .timeout(let duration):
            let milliseconds = (duration * 1000).rounded(.up)
            guard milliseconds >= 0, milliseconds <= Double(CInt.max) else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "Invalid busy timeout: \(duration)")
            }
            raw.setBusyTimeout(milliseconds: CInt(milliseconds))
        case .callback(let callback):
            raw.setBusyHandler(callback)
        }
    }

    // MARK: - Transaction date

    /// The date of the current transaction, the same for all its calls.
    ///
    /// All calls inside one transaction return the same date, which is read from the clock when the
    /// transaction begins. Outside of transactions, each call reads the clock. See
    /// ``Configuration/transactionClock``.
    ///
    /// - throws: the error of the clock.
    public var transactionDate: Date {
        get throws {
            try checkAccess()
            if !raw.isInAutocommitMode {
                switch transactionStart {
                case .none: break
                case .wallClock(let clock): return clock.date
                case .date(let result): return try result.get()
                }
            }
            return try configuration.transactionClock.now(self)
        }
    }

    /// Whether the date of the current transaction is known.
    var isTransactionDated: Bool {
        if case .none = transactionStart { false } else { true }
    }

    func transactionDidBegin() {
        transactionNumber &+= 1
        isTransactionOfReadOnlyScope = readOnlyDepth > 0
        transactionStart =
            usesDefaultClock
            ? .wallClock(WallClock())
            : .date(Result { try configuration.transactionClock.now(self) })
    }

    package func transactionDidEnd() {
        transactionStart = .none
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
