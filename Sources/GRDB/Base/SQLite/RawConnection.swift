import CGRDBSQLite
import _GRDBSystem

/// Owns an `sqlite3*`, and the handles created from it.
///
/// The connection is opened without a mutex, so only one thread may use it at a time. However, handles
/// are freed wherever their last reference is released, and `interrupt` may be called from any thread.
/// Three rules make this safe:
///
/// - `beginAccess()` and `endAccess()` declare which thread owns the connection. A handle freed on the
///   owning thread is released immediately. On other threads, it is added to a list that the next
///   access drains.
/// - `interrupt()` and `close()` share a lock, so that a closing connection is not interrupted.
/// - Every owner of a handle holds a strong reference to the connection, so that `deinit` has no
///   concurrent user, and may drain the list and close.
///
/// `@unchecked Sendable`: `owner` and `hasReleased` are atomic, `interruptible` and `released` are
/// locked, and all other state is only accessed by the owning thread.
package final class RawConnection: @unchecked Sendable {
    /// A released handle, to be freed by the owning thread.
    package enum ReleasedHandle {
        case finalizeStatement(OpaquePointer)
        case finishBackup(OpaquePointer)
        case deleteSession(OpaquePointer)
        case closeBlob(Int)
        /// Work on a handle that remains alive, which only the owning thread may do.
        case perform(() -> Void)
    }

    /// The connection for `interrupt()`, nil once closed.
    private let interruptible: Locked<OpaquePointer?>

    private let released = Locked((handles: [ReleasedHandle](), isOrphaned: false))

    /// An atomic word: not 0 if handles were released. Avoids a lock in each access.
    private let hasReleased: UnsafeMutablePointer<UInt>

    /// An atomic word: the thread that is in an access, or 0.
    private let owner: UnsafeMutablePointer<UInt>

    /// The raw connection, nil once closed. Only the owning thread may read it.
    @exclusivity(unchecked)
    package private(set) var handle: OpaquePointer?

    /// The hooks of the connection, kept alive while SQLite may call them.
    package let hooks = RawHooks()

    /// The error of a Swift callback, for the statement that called it.
    @exclusivity(unchecked)
    package var callbackError: (any Error)?

    /// Whether a Swift callback failed in the middle of a change that SQLite does not undo.
    @exclusivity(unchecked)
    package var hasFailedWithinChange = false

    /// The number of tokenizers that FTS5 is calling. The statements that they run are checked.
    @exclusivity(unchecked)
    var tokenizerDepth = 0

    /// The sessions that exist, each with the object that its callback needs. SQLite does not keep a
    /// connection open for its sessions, so closing the connection deletes them.
    @exclusivity(unchecked)
    package var sessions: [OpaquePointer: AnyObject?] = [:]

    /// The open blobs, by number. No blob is open between accesses.
    @exclusivity(unchecked)
    var blobs: [Int: OpenBlob] = [:]

    /// The number of blobs opened so far.
    @exclusivity(unchecked)
    var blobCount = 0

    /// The owner of the bytes that a database in memory of GRDBServer reads in place.
    @exclusivity(unchecked)
    package var image: AnyObject?

    /// Whether a statement of the library is running, for which the app's authorizer is not called.
    @exclusivity(unchecked)
    var isRunningOwnStatement = false

    /// The number of changes of the statements that observers run: see `keepingChanges`.
    @exclusivity(unchecked)
    var foreignChangesCount: Int64 = 0

    @exclusivity(unchecked)
    private var beginDeferred: OpaquePointer?
    @exclusivity(unchecked)
    private var commitStatement: OpaquePointer?
    private var rollbackStatement: OpaquePointer?
    private var schemaVersionStatement: OpaquePointer?

    /// The handle, for functions that can't do without.
    ///
    /// - throws: an error if the connection is closed.
    @inline(__always)
    package func openHandle() throws(RawFailure) -> OpaquePointer {
        guard let handle else { throw Self.closedFailure }
        return handle
    }

    package static var closedFailure: RawFailure {
        RawFailure(code: SQLITE_MISUSE, message: "Connection is closed")
    }

    /// Opens a connection.
    ///
    /// - parameter path: a file path, `:memory:`, the empty string for a temporary database, or a `file:`
    ///   URI if the flags allow it.
    init(path: String, flags: RawOpenFlags, vfs: String? = nil) throws(RawFailure) {
        if path.utf8.contains(0) {
            throw RawFailure(code: SQLITE_CANTOPEN, message: "The path contains a NUL character")
        }
        if Self.isPipe(path) {
            throw RawFailure(
                code: SQLITE_CANTOPEN, message: "The path refers to a named pipe: \(path)")
        }
        grdb_watch_forks()
        Self.initialization
        var handle: OpaquePointer?
        let code = grdb_sqlite3_open_v2(
            path, &handle, flags.rawValue | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, vfs)
        guard code == SQLITE_OK, let handle else {
            let message = handle.flatMap { grdb_sqlite3_errmsg($0) }.map { String(cString: $0) }
            let systemError = handle.map { grdb_sqlite3_system_errno($0) } ?? 0
            // SQLite returns a handle even when opening fails, unless memory is exhausted.
            grdb_sqlite3_close(handle)
            throw RawFailure(code: code, message: message, systemError: systemError)
        }
        grdb_sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.defaultLengthLimit)
        self.handle = handle
        interruptible = Locked(handle)
        owner = .allocate(capacity: 1)
        owner.initialize(to: 0)
        hasReleased = .allocate(capacity: 1)
        hasReleased.initialize(to: 0)
    }

    /// Initializes SQLite before the first connection opens. If several connections opened at the
    /// same time, SQLite would read variables without a lock while it initializes them: its
    /// configuration, and the process that has seeded its random numbers.
    ///
    /// See <https://www.sqlite.org/c3ref/initialize.html>.
    private static let initialization: Void = {
        RawLog.install()
        // Opening a connection tries again if this fails, and reports the error.
        _ = grdb_sqlite3_initialize()
        var byte: UInt8 = 0
        grdb_sqlite3_randomness(1, &byte)
    }()

    deinit {
        defer {
            owner.deallocate()
            hasReleased.deallocate()
        }
        // This was the last reference: no other thread can be using the connection.
        guard let handle, !isForked else { return }
        drainReleasedHandles()
        closeBlobs()
        deleteSessions()
        finalizeOwnStatements()
        hooks.removeAll(from: handle)
        if let image, grdb_is_busy(handle) != 0 {
            // C code still reads these bytes, so leak them.
            _ = Unmanaged.passRetained(image)
        }
        // After `close_v2`, SQLite keeps the connection until C code has freed its remaining handles.
        grdb_sqlite3_close_v2(handle)
    }

    // MARK: - Ownership

    /// Makes the current thread the owner, and frees the handles released by other threads.
    func beginAccess() {
        stackLimit = ThreadStack.limit
        grdb_atomic_store(owner, isForked ? 0 : currentThreadID())
        drainReleasedHandles()
    }

    func endAccess() {
        grdb_atomic_store(owner, 0)
    }

    /// The address at which the stack of the owning thread is nearly exhausted. See `checkState()`.
    @exclusivity(unchecked)
    private(set) var stackLimit: UInt = 0

    private let forkCount = grdb_current_fork_count()

    /// Whether the connection was opened by a process from which this one was forked. SQLite would assume
    /// that this process holds the locks of its parent. In such a child, no thread ever owns the connection,
    /// and no part of it is freed.
    @inline(__always)
    var isForked: Bool { grdb_current_fork_count() != forkCount }

    /// Throws if the stack is nearly exhausted, because functions and hooks may run statements that call
    /// functions and hooks. Also throws in a forked child.
    package func checkState() throws(RawFailure) {
        if ThreadStack.isBelow(stackLimit) { throw Self.stackFailure }
        if isForked { throw Self.forkFailure }
    }

    private static var stackFailure: RawFailure {
        RawFailure(
            code: SQLITE_ERROR,
            message:
                "Too many nested statements: functions or observers call each other without end")
    }

    /// The number of existing cursors. Only the owning thread may change it.
    @exclusivity(unchecked)
    var cursorCount = 0

    /// Incremented when statements are reset under their cursors, which must not continue.
    @exclusivity(unchecked)
    private(set) var cursorGeneration = 0

    /// Whether statements must be neither reset nor finalized, because statements are being reset.
    @exclusivity(unchecked)
    private(set) var isResettingStatements = false

    /// Whether some thread owned the connection a moment ago.
    var isInAccess: Bool { grdb_atomic_load(owner) != 0 }

    /// Whether the current thread owns the connection.
    @inline(__always)
    var isOwnedByCurrentThread: Bool {
        grdb_atomic_load(owner) == currentThreadID()
    }

    /// Releases a handle: immediately if the current thread owns the connection, or else at its next access.
    package func release(_ handle: ReleasedHandle) {
        if isOwnedByCurrentThread, !isResettingStatements {
            perform(handle)
        } else {
            released.withLock { released in
                // Without further accesses, the work would never run, and keep the connection alive.
                if case .perform = handle, released.isOrphaned { return }
                released.handles.append(handle)
                grdb_atomic_store(hasReleased, 1)
            }
        }
    }

    /// Declares that there are no further accesses.
    func orphan() {
        released.withLock { $0.isOrphaned = true }
        drainReleasedHandles()
    }

    private func perform(_ released: ReleasedHandle) {
        switch released {
        case .perform(let work):
            work()
        case .finalizeStatement(let statement):
            grdb_finalize_statement(statement)
        case .finishBackup(let backup):
            grdb_sqlite3_backup_finish(backup)
        case .deleteSession(let session):
            deleteSession(session)
        case .closeBlob(let number):
            closeBlob(number)
        }
    }

    func drainReleasedHandles() {
        if grdb_atomic_load(hasReleased) != 0, !isResettingStatements, !isForked {
            performReleasedHandles()
        }
    }

    private func performReleasedHandles() {
        let handles = released.withLock { released in
            grdb_atomic_store(hasReleased, 0)
            defer { released.handles = [] }
            return released.handles
        }
        for handle in handles {
            perform(handle)
        }
    }

    // MARK: - Closing and interrupting

    /// Makes running statements fail with `SQLITE_INTERRUPT`. May be called from any thread.
    func interrupt() {
        interruptible.withLock { handle in
            if let handle {
                grdb_sqlite3_interrupt(handle)
            }
        }
    }

    /// Closes the connection, unless unfinalized statements or backups prevent it. In this case, it remains
    /// open and usable, and the failure has the code `SQLITE_BUSY`.
    ///
    /// - parameter logsStatements: whether to write unfinalized statements to the error log.
    func close(logsStatements: Bool) throws(RawFailure) {
        guard let handle else { return }
        if isForked { throw Self.forkFailure }
        drainReleasedHandles()
        closeBlobs()
        finalizeOwnStatements()
        if grdb_is_busy(handle) == 0 { deleteSessions() }
        // Don't close under the lock: closing frees closures, and deallocating their captured values may
        // call `interrupt`, or use the connection.
        interruptible.withLock { $0 = nil }
        self.handle = nil
        let code = grdb_sqlite3_close(handle)
        guard code == SQLITE_OK else {
            self.handle = handle
            interruptible.withLock { $0 = handle }
            let failure = failure(code)
            if logsStatements, code == SQLITE_BUSY { logStatements(of: handle) }
            throw failure
        }
        image = nil
    }

    /// Writes the unfinalized statements to the error log.
    private func logStatements(of handle: OpaquePointer) {
        var statement = grdb_sqlite3_next_stmt(handle, nil)
        while let current = statement {
            let sql = grdb_sqlite3_sql(current).map { String(cString: $0) } ?? ""
            RawLog.write(SQLITE_BUSY, "unfinalized statement: \(sql)")
            statement = grdb_sqlite3_next_stmt(handle, current)
        }
    }

    // MARK: - Failures

    /// The failure of the last call on this connection.
    package func failure(_ code: CInt) -> RawFailure {
        // The message of the connection belongs to the last failed call. This may not be the call that
        // returned the code, because `SQLITE_MISUSE` is never recorded.
        let extendedCode = lastErrorCode
        guard let handle, extendedCode & 0xff == code & 0xff else {
            return RawFailure(code: code, message: RawSQLite.errorString(code))
        }
        let offset = grdb_sqlite3_error_offset(handle)
        return RawFailure(
            code: extendedCode,
            message: String(cString: grdb_sqlite3_errmsg(handle)),
            offset: offset >= 0 ? Int(offset) : nil,
            systemError: code & 0xff == SQLITE_CANTOPEN ? grdb_sqlite3_system_errno(handle) : 0)
    }

    /// Throws the failure of the last call, unless it returned `SQLITE_OK`.
    package func check(_ code: CInt) throws(RawFailure) {
        if code != SQLITE_OK { throw failure(code) }
    }

    var lastErrorCode: CInt {
        handle.map { grdb_sqlite3_extended_errcode($0) } ?? SQLITE_MISUSE
    }

    var lastErrorMessage: String? {
        handle.flatMap { grdb_sqlite3_errmsg($0) }.map { String(cString: $0) }
    }

    // MARK: - Transactions of accesses

    /// Runs `BEGIN DEFERRED TRANSACTION` with a statement that is compiled once.
    func beginDeferredTransaction() throws(RawFailure) {
        try prepareOwn(&beginDeferred, "BEGIN DEFERRED TRANSACTION")
        try run(beginDeferred)
    }

    /// Runs `COMMIT TRANSACTION` with a statement that is compiled once.
    func commitTransaction() throws(RawFailure) {
        try prepareOwn(&commitStatement, "COMMIT TRANSACTION")
        try run(commitStatement)
    }

    /// Runs `ROLLBACK TRANSACTION` with a statement compiled when the connection was opened, which
    /// therefore needs no memory.
    func rollbackTransaction() throws(RawFailure) {
        try prepareRollback()
        // After a schema change, SQLite would compile the statement again, which needs memory.
        if let rollbackStatement { grdb_clear_expiration(rollbackStatement) }
        try run(rollbackStatement)
    }

    func prepareRollback() throws(RawFailure) {
        try prepareOwn(&rollbackStatement, "ROLLBACK TRANSACTION")
    }

    /// Compiles a statement on its first use.
    private func prepareOwn(
        _ statement: inout OpaquePointer?, _ sql: String
    ) throws(RawFailure) {
        if statement != nil { return }
        let former = isRunningOwnStatement
        isRunningOwnStatement = true
        defer { isRunningOwnStatement = former }
        statement = try prepare(sql, from: 0, persistent: true)?.statement
        // C code that finalizes all statements of the connection only resets it.
        if let statement { grdb_own_statement(statement) }
    }

    private func run(_ statement: OpaquePointer?) throws(RawFailure) {
        // A commit calls hooks and code of the app, but an expired statement is recompiled before that.
        let former = isRunningOwnStatement
        isRunningOwnStatement = true
        let code = grdb_sqlite3_step(statement)
        isRunningOwnStatement = former
        defer { grdb_sqlite3_reset(statement) }
        if code != SQLITE_DONE { throw failure(code) }
    }

    private func finalizeOwnStatements() {
        let statements = [
            beginDeferred, commitStatement, rollbackStatement, schemaVersionStatement,
        ]
        for statement in statements {
            grdb_finalize_statement(statement)
        }
        beginDeferred = nil
        commitStatement = nil
        rollbackStatement = nil
        schemaVersionStatement = nil
    }

    // MARK: - Schemas

    /// Reads the version of the main schema from the database file, without tracing: caches read it at
    /// the beginning of each transaction.
    func mainSchemaVersion() throws(RawFailure) -> Int32 {
        if !isInAutocommitMode { return try beginRead() }
        let trace = hooks.trace
        hooks.trace = nil
        defer { hooks.trace = trace }
        try prepareOwn(&schemaVersionStatement, "PRAGMA main.schema_version")
        let former = isRunningOwnStatement
        isRunningOwnStatement = true
        let code = grdb_sqlite3_step(schemaVersionStatement)
        isRunningOwnStatement = former
        defer { grdb_sqlite3_reset(schemaVersionStatement) }
        guard code == SQLITE_ROW else { throw failure(code) }
        return grdb_sqlite3_column_int(schemaVersionStatement, 0)
    }

    /// The version of the main schema, as seen by a statement that is on a row. This runs no further
    /// statement. Not for observers of commits: during these calls, the transaction still reads, although
    /// SQLite is in autocommit mode, and nested statements must be subject to the nesting limit.
    func mainSchemaVersionOnRow() throws(RawFailure) -> Int32 {
        var version: CInt = 0
        if let handle, grdb_read_schema_version(handle, &version) != 0 { return version }
        return try mainSchemaVersion()
    }

    /// The version of the main schema that statements are compiled for. Runs no statement.
    var compiledSchemaVersion: Int32 { handle.map { grdb_compiled_schema_version($0) } ?? 0 }

    /// Makes SQLite reload the schema if the file has changed, by starting a statement.
    func reloadSchema() {
        let trace = hooks.trace
        hooks.trace = nil
        defer { hooks.trace = trace }
        guard
            let prepared = try? prepare(
                "SELECT 1 FROM main.sqlite_master LIMIT 1", from: 0, persistent: false)
        else { return }
        grdb_sqlite3_step(prepared.statement)
        grdb_sqlite3_finalize(prepared.statement)
    }

    /// Resets all statements that are on a row.
    ///
    /// - returns: whether SQLite had no memory to convert a text of such a row.
    @discardableResult
    func resetAllStatements() -> Bool {
        guard let handle else { return false }
        // An open blob uses the cursor of a statement.
        closeBlobs()
        cursorGeneration &+= 1
        // Resetting calls hooks and the trace function, and so code that may release the statement.
        let wasResetting = isResettingStatements
        isResettingStatements = true
        defer {
            isResettingStatements = wasResetting
            drainReleasedHandles()
        }
        var lackedMemory = false
        var statement = grdb_sqlite3_next_stmt(handle, nil)
        while let current = statement {
            if grdb_sqlite3_stmt_busy(current) != 0 {
                if RawStatement.lacksMemory(current) { lackedMemory = true }
                grdb_sqlite3_reset(current)
            }
            statement = grdb_sqlite3_next_stmt(handle, current)
        }
        return lackedMemory
    }
}

/// A number that is unique among the living threads of the process, and never 0.
@inline(__always)
func currentThreadID() -> UInt {
    // The number or pointer that identifies a thread has another type in each C library.
    #if canImport(Glibc)
    UInt(pthread_self())
    #else
    UInt(bitPattern: pthread_self())
    #endif
}
