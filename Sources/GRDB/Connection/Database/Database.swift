public import Foundation

/// An SQLite connection.
///
/// The access methods of a ``DatabaseQueue`` or a `DatabasePool` hand one to their closure:
///
/// ```swift
/// let dbQueue = try DatabaseQueue()
/// try dbQueue.write { (db: Database) in
///     try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Arthur"])
/// }
/// ```
///
/// A connection may only be used inside the closure that received it, on its thread. Methods that
/// can throw say so with a ``DatabaseError`` of code `SQLITE_MISUSE`; the others trap.
public final class Database {
    let raw: RawConnection

    /// Throws if a statement must not run while FTS5 calls a tokenizer. Tokenizers set it.
    var checkWithinTokenizer: ((Statement) throws -> Void)?

    /// The database configuration.
    public let configuration: Configuration

    /// A description of this database connection.
    public let description: String

    /// The path that the connection was opened with.
    let path: String

    let statementCache: StatementCache

    let schemaCache = SchemaCache()

    /// Set once, when the connection is opened: it refers to the connection.
    @exclusivity(unchecked)
    private(set) var broker: ObservationBroker!

    let compilation: CompilationMonitor

    // The caches and other values that higher layers keep with the connection, by key.
    private var storage: [ObjectIdentifier: Any] = [:]

    /// The date of the current transaction, when there is one.
    @exclusivity(unchecked)
    private var transactionStart = TransactionStart.none

    private enum TransactionStart {
        case none
        /// What the default clock said.
        case wallClock(WallClock)
        case date(Result<Date, any Error>)
    }

    /// Whether the clock is the default one, which is asked at each transaction, and so must not
    /// cost much.
    private let usesDefaultClock: Bool

    /// Whether SQLite itself keeps the connection from changing the database.
    let isOpenedForWriting: Bool

    /// Counts transactions, so that what is known to hold in one is checked anew in the next.
    @exclusivity(unchecked)
    private(set) var transactionNumber = 0 {
        didSet { interestEpoch &+= 1 }
    }

    /// The schema version that ``schemaGeneration`` is about, and the transaction that saw it.
    @exclusivity(unchecked)
    var knownSchemaVersion: Int32?
    @exclusivity(unchecked)
    var schemaCheckTransaction: Int?

    /// What the layer of queries keeps with the connection, so that it writes texts once.
    @exclusivity(unchecked)
    var queryTexts: AnyObject?

    /// Whether a request is prepared only to be fetched, so that nobody asks its statement for a region.
    @exclusivity(unchecked)
    var forgoesRegions = false

    /// The region that statements look into, while it is recorded.
    @exclusivity(unchecked)
    var recordedRegion: DatabaseRegion?

    /// Counts the changes of the schema by this connection.
    @exclusivity(unchecked)
    var schemaGeneration = 0 {
        didSet {
            interestEpoch &+= 1
            lastingInterestEpoch &+= 1
        }
    }

    /// Another number when transaction observers must be asked again what they want to know: in each
    /// transaction, when there are others, and when statements may do something else.
    @exclusivity(unchecked)
    var interestEpoch = 0

    /// Another number when the answers of those observers may be others that give the same ones in all
    /// transactions.
    @exclusivity(unchecked)
    var lastingInterestEpoch = 0

    /// The tables and views that were dropped or altered since observers last asked.
    var droppedOrAlteredTables: Set<CaseInsensitiveIdentifier> = []

    /// Whether all content was replaced since observers last asked.
    var isContentReplaced = false

    /// Whether statements fail outside of a transaction. See `checkTransaction`.
    @exclusivity(unchecked)
    var requiresTransaction = false

    /// Whether the current transaction belongs to a read-only access, which observers are not
    /// notified of.
    @exclusivity(unchecked)
    var isInReadAccess = false

    /// Whether the current transaction has begun in a read-only scope that has not ended.
    @exclusivity(unchecked)
    private var isTransactionOfReadOnlyScope = false

    /// Whether observers are not notified of the end of the transaction. A connection that can't
    /// write only has read transactions, and does notify its observers of them.
    var isInUnnotifiedRead: Bool {
        (isInReadAccess || isTransactionOfReadOnlyScope) && !configuration.readonly
    }

    /// Whether the statement that runs undoes a transaction, also of a cancelled access.
    var isRollingBack = false

    /// Whether the statement that runs ends a transaction. Nothing stops it half-way: a commit has
    /// happened or not.
    @exclusivity(unchecked)
    var isEndingTransaction = false

    /// Present if the configuration asks for it.
    let suspension: Suspension?

    /// What may cancel the current access.
    @exclusivity(unchecked)
    var cancellation: AccessCancellation? {
        didSet { limitsDidChange() }
    }

    /// When statements stop, in nanoseconds of the monotonic clock.
    @exclusivity(unchecked)
    var deadline: UInt64? {
        didSet { limitsDidChange() }
    }

    /// What the app asks of statements that run. See `withProgress(_:_:)`.
    @exclusivity(unchecked)
    var progress: (() -> ProgressAction)? {
        didSet { limitsDidChange() }
    }

    /// What the app lets statements do.
    @exclusivity(unchecked) var authorizer: Authorizer?

    /// Whether something may stop the statements of the current access.
    @exclusivity(unchecked)
    var hasLimits = false

    /// Whether the statement that runs must stop when the database gets suspended.
    @exclusivity(unchecked)
    var stopsWhenSuspended = false

    /// Why the current transaction must be undone, or the savepoint that holds what was left of a
    /// statement.
    var rollbackReason: String? {
        didSet { limitsDidChange() }
    }

    /// What has failed in this access where nothing could be thrown. See `keepFailure(_:)`.
    @exclusivity(unchecked)
    var keptFailure: KeptFailure?

    /// Receives what statements want to do that a C function compiles and runs by itself.
    var authorizationMonitor: ((RawAuthorization) -> Void)?

    /// The number of nested read-only scopes.
    @exclusivity(unchecked)
    private(set) var readOnlyDepth = 0

    var traceFunction: ((TraceEvent) -> Void)?
    var tracingOptions: TracingOptions = []

    /// Receives the duration of each statement, in seconds. See `setProfiler(_:)`.
    var profiler: ((TraceEvent.Statement, TimeInterval) -> Void)?

    /// Runs before `COMMIT`, where statements can still run, unlike in the commit hook.
    @exclusivity(unchecked)
    var willCommitTransaction: ((Database) throws -> Void)?

    /// Runs when an access has ended, outside of its transaction, on the thread of the access.
    @exclusivity(unchecked)
    var accessDidEnd: ((Database) -> Void)?

    /// What the access is for, if it has a label.
    @exclusivity(unchecked)
    var accessLabel: AccessLabel?

    /// What the collector of metrics knows of.
    @exclusivity(unchecked)
    var countedAccesses = AccessCounters()

    /// Opens a connection, and makes it ready for use.
    ///
    /// The current thread must be the only one that knows it.
    init(
        path: String, configuration: Configuration, description: String, opensForWriting: Bool
    ) throws {
        RawLog.install()
        self.path = path
        self.configuration = configuration
        schemaSource = configuration.schemaSource
        self.description = description
        statementCache = StatementCache()
        isOpenedForWriting = opensForWriting
        usesDefaultClock = configuration.transactionClock is DefaultTransactionClock
        // Without a file, there is no lock that the system minds.
        suspension =
            configuration.observesSuspensionNotifications && !DatabaseURI.isInMemory(path)
            ? Suspension() : nil

        var flags: RawOpenFlags = opensForWriting ? [.readWrite, .create] : .readOnly
        flags.insert(.uri)
        do {
            raw = try RawConnection(path: path, flags: flags)
        } catch {
            throw DatabaseError(error.naming(path: path))
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
        // Closures refer to this object, and SQLite may outlive it for a while: see RawConnection.
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

    /// Fails early when the file is not a database, or can't be read.
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

    /// The connection as C functions take it. Nil once closed.
    ///
    /// Functions come from the module `GRDBSQLite`. Never close the connection.
    public var sqliteConnection: SQLiteConnection? { raw.handle }

    /// Throws unless the connection is open and belongs to the current thread.
    @inline(__always)
    func checkAccess() throws {
        guard raw.isOwnedByCurrentThread, access == .possible else {
            throw accessError()
        }
    }

    /// What prevents the connection from being used on its thread, if anything.
    private enum Access {
        case possible
        /// A backup writes to the connection.
        case backupDestination
        /// The connection can't show its snapshot any more.
        case lostSnapshot
        case closed
    }

    @exclusivity(unchecked)
    private var access = Access.possible

    /// Prevents the connection from being used while a backup writes to it.
    func setBackupDestination(_ isDestination: Bool) {
        access = isDestination ? .backupDestination : raw.handle == nil ? .closed : .possible
    }

    var isBackupDestination: Bool { access == .backupDestination }

    /// What has begun in this access, and must not outlive it.
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

    /// Prevents the connection from being used: it can't show its snapshot any more.
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

    static var closedError: DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: "Connection is closed")
    }

    /// Traps unless the connection belongs to the current thread: for API that can't throw.
    func preconditionAccess() {
        guard raw.isOwnedByCurrentThread else { fatalError("\(accessError())") }
    }

    // MARK: - Information

    /// The rowID of the most recently inserted row, 0 if no row was ever inserted.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/last_insert_rowid.html>
    public var lastInsertedRowID: Int64 {
        preconditionAccess()
        return raw.lastInsertedRowID
    }

    /// How many rows the last INSERT, UPDATE or DELETE that succeeded has changed. Rows changed by
    /// triggers and foreign key actions don't count.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/changes.html>
    public var changesCount: Int {
        preconditionAccess()
        return Int(clamping: raw.changesCount)
    }

    /// How many rows this connection has changed since it was opened, those changed by triggers and
    /// foreign key actions included.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/total_changes.html>
    public var totalChangesCount: Int {
        preconditionAccess()
        return Int(clamping: raw.totalChangesCount)
    }

    /// The last error code. See <https://www.sqlite.org/c3ref/errcode.html>.
    public var lastErrorCode: ResultCode {
        preconditionAccess()
        return ResultCode(rawValue: raw.lastErrorCode)
    }

    /// The last error message. See <https://www.sqlite.org/c3ref/errcode.html>.
    public var lastErrorMessage: String? {
        preconditionAccess()
        return raw.lastErrorMessage
    }

    /// How many arguments one statement can take at most.
    ///
    /// See `SQLITE_LIMIT_VARIABLE_NUMBER` in <https://www.sqlite.org/limits.html>.
    public var maximumStatementArgumentCount: Int {
        Int(raw.variableNumberLimit)
    }

    /// An integer equal to `SQLITE_VERSION_NUMBER`, of the SQLite that this package brings.
    public static var sqliteLibVersionNumber: CInt { RawSQLite.versionNumber }

    /// What is asked for the primary keys of views. See ``withSchemaSource(_:execute:)``.
    public internal(set) var schemaSource: (any DatabaseSchemaSource)?

    /// Whether the connection refuses changes now: it is read-only, or in a read-only access.
    var isReadOnly: Bool { readOnlyDepth > 0 || configuration.readonly }

    // MARK: - Values of higher layers

    /// A value that a higher layer keeps with the connection.
    subscript<Key: DatabaseStorageKey>(_ key: Key.Type) -> Key.Value {
        get { storage[ObjectIdentifier(key)] as! Key.Value? ?? Key.defaultValue }
        set { storage[ObjectIdentifier(key)] = newValue }
    }

    // MARK: - Memory

    /// Frees as much memory as possible: the cached statements, and what SQLite can do without.
    ///
    /// See <https://www.sqlite.org/c3ref/db_release_memory.html>.
    public func releaseMemory() {
        preconditionAccess()
        statementCache.removeAll()
        clearSchemaCache()
        raw.releaseMemory()
    }

    /// Makes all statements compile again when they next run.
    func expirePreparedStatements() {
        if let connection = raw.handle {
            raw.hooks.installAuthorizer(in: connection)
        }
    }

    // MARK: - Closing

    /// Closes the connection.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_BUSY` if living statements prevent it. The
    ///   connection then stays usable.
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

    /// Frees what closures of the app hold.
    private func forgetClosures() {
        broker.removeAll()
        storage = [:]
        traceFunction = nil
        raw.hooks.trace = nil
        raw.hooks.busy = nil
    }

    /// Closes the connection as far as possible: what still lives closes it when it goes away.
    func discard() {
        statementCache.removeAll()
        schemaCache.removeAll()
        forgetClosures()
        access = .closed
        try? raw.close(logsStatements: false)
    }

    // MARK: - Read-only access

    /// Refuses writes on this connection while `value` runs.
    ///
    /// ```swift
    /// try dbQueue.writeWithoutTransaction { db in
    ///     try db.readOnly {
    ///         try db.execute(sql: "DELETE FROM player") // throws SQLITE_READONLY
    ///     }
    /// }
    /// ```
    ///
    /// Calls can be nested. Unlike `PRAGMA query_only`, prepared statements don't expire.
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

    func beginReadOnly() {
        if readOnlyDepth == 0 {
            wasQueryOnly = raw.setQueryOnly(true)
        }
        readOnlyDepth += 1
    }

    func endReadOnly() {
        readOnlyDepth -= 1
        if readOnlyDepth == 0 {
            raw.setQueryOnly(wasQueryOnly)
            // What follows can change the database in it.
            isTransactionOfReadOnlyScope = false
        }
    }

    // MARK: - Busy mode

    /// Changes what happens when another connection has locked the database.
    ///
    /// - throws: a ``DatabaseError`` if the timeout is not a number of seconds that SQLite can
    ///   handle, about 24 days.
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

    /// The date of the current transaction.
    ///
    /// All calls inside one transaction return the same date, which the clock gives when the
    /// transaction begins. Outside of transactions, each call asks the clock. See
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

    /// Whether the current transaction has its date.
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

    func transactionDidEnd() {
        transactionStart = .none
    }
}

extension Database: CustomStringConvertible {}

extension Database: CustomDebugStringConvertible {
    public var debugDescription: String { "<Database: \(description)>" }
}

/// The key of a value that a layer above keeps with a connection.
protocol DatabaseStorageKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

// States that the type is not sendable. Without this, the compiler would not know either way; with
// it, an access that returns a connection resolves to the synchronous method, in asynchronous
// functions as well.
@available(*, unavailable)
extension Database: Sendable {}
