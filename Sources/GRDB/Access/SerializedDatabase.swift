import Dispatch

/// Serializes the use of a connection: all its accesses run on a serial dispatch queue.
///
/// Every access ends without a transaction, unless the configuration allows open transactions.
///
/// `@unchecked Sendable`: `db` and `outerAccess` are only used in accesses, and `suspensionObserver`
/// only changes in `init` and `deinit`.
package final class SerializedDatabase: @unchecked Sendable {
    package let configuration: Configuration
    let path: String
    let db: Database
    package let queue: DispatchQueue

    /// The target queue of `queue`, if the configuration has one.
    private let targetQueue: DispatchQueue?

    /// Held during every access of a connection that has a target queue. Needed because nested accesses
    /// with the same target bypass the queue. See `onQueue(_:)`.
    private let nestingLock: Locked<Void>?

    /// Also stored here, next to `db`, because `interrupt()` may be called on any thread.
    let raw: RawConnection

    /// The enclosing access of the current thread when this access began. See `AccessStack`.
    var outerAccess: UnsafeMutableRawPointer?

    /// The pool that owns the connection. Set once, before the connection is shared.
    var ownerID: ObjectIdentifier?

    /// The generation of the pool in which the connection was opened. Set like `ownerID`.
    var ownerGeneration = 0

    /// Whether accesses must begin without a transaction.
    private let endsTransactions: Bool

    /// Counts and times the accesses, if configured.
    let meter: (any AccessMeter)?

    /// Whether this is a read-only connection.
    let isReader: Bool

    /// Whether the connection measures how long accesses wait for it. The pool of a pooled reader measures
    /// this itself.
    private let measuresWaits: Bool

    /// The time limit of an access, in nanoseconds.
    private let maximumDuration: UInt64?

    /// Whether the current access began in a transaction that an earlier access failed to end.
    private var hasFormerTransaction = false

    /// Called at the end of each access: see `endTransaction()`.
    let onEnd: (@Sendable (Database) throws -> Void)?

    /// Suspends the connection, if it observes notifications.
    private var suspensionObserver: AnyObject?

    /// How many tasks of threads that may wait are suspended until their turn. Those that come later wait behind them:
    /// if they accessed the connection in place, nearly each access would wait for another thread.
    let waitingCount = Locked(0)

    /// What other modules keep with the connection, one object for each type.
    private let companions = Locked<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    /// Returns the object of this type, which is made when it is first needed. It must not retain the connection.
    package func companion<T: AnyObject & Sendable>(_ make: () -> T) -> T {
        companions.withLock { companions in
            if let companion = companions[ObjectIdentifier(T.self)] { return companion as! T }
            let companion = make()
            companions[ObjectIdentifier(T.self)] = companion
            return companion
        }
    }

    /// Opens a connection.
    ///
    /// - parameter defaultLabel: the name of the connection and its queue, unless the configuration
    ///   has a label.
    /// - parameter purpose: distinguishes connections with the same label.
    /// - parameter isPooled: whether the connection belongs to a ``ReaderPool``.
    /// - parameter load: loads the content of the connection, before anything else.
    /// - parameter setUp: prepares the connection, after the preparation in the configuration.
    /// - parameter onEnd: called at the end of each access.
    package init(
        path: String, configuration: Configuration, defaultLabel: String,
        purpose: String? = nil, isReader: Bool = false, isPooled: Bool = false,
        opensForWriting: Bool? = nil, load: ((Database) throws -> Void)? = nil,
        setUp: ((Database) throws -> Void)? = nil,
        onEnd: (@Sendable (Database) throws -> Void)? = nil
    ) throws {
        self.path = SQLText.pathWithoutKeys(path)
        self.configuration = configuration
        self.onEnd = onEnd
        meter = configuration.accessMeter
        self.isReader = isReader || configuration.readonly
        measuresWaits = meter != nil && !isPooled
        maximumDuration =
            isReader
            ? configuration.maximumReadDuration.map { UInt64(max(0, min($0, 1e9)) * 1e9) } : nil
        endsTransactions = onEnd == nil && !configuration.allowsUnsafeTransactions
        let label = configuration.queueLabel(default: defaultLabel, purpose: purpose)
        let targetQueue =
            isReader || configuration.readonly
            ? configuration.targetQueue
            : configuration.writeTargetQueue ?? configuration.targetQueue
        self.targetQueue = targetQueue
        nestingLock = targetQueue.map { _ in Locked(()) }
        queue =
            targetQueue.map { DispatchQueue(label: label, target: $0) }
            ?? DispatchQueue(label: label, qos: configuration.qos)
        db = try Database(
            path: path, configuration: configuration, description: label,
            opensForWriting: opensForWriting ?? !configuration.readonly)
        raw = db.raw
        do {
            let prepare = { [self] in
                try access { db in
                    try load?(db)
                    try db.setUp()
                    try setUp?(db)
                }
            }
            // No other thread has a reference to the connection yet, so the queue only matters if it
            // has a target queue.
            try targetQueue == nil ? prepare() : onQueue(prepare)
        } catch {
            // `deinit` does not run when the initializer throws.
            db.closeFromAnyThread()
            throw error
        }
        #if GRDB_FOUNDATION || !canImport(FoundationEssentials)
        if let suspension = db.suspension {
            // Opening the file is over.
            if configuration.beginsSuspended { suspension.suspend() }
            suspensionObserver = SuspensionObserver(suspension, raw)
        }
        #endif
        // Preparing the connection does not count as an access.
        isMeasured = meter != nil || maximumDuration != nil
    }

    deinit {
        suspensionObserver = nil
        // This was the last reference: no other thread can be using the connection.
        db.closeFromAnyThread()
    }

    // MARK: - Synchronous accesses

    /// Runs the closure on the queue.
    ///
    /// In an access on the same target queue, which may be serial, the thread would wait for itself. In
    /// this case, the closure runs directly, and so still on the target queue.
    @inline(__always)
    func onQueue<T>(_ body: () throws -> T) rethrows -> T {
        isOnTargetQueue ? try body() : try queue.sync(execute: body)
    }

    /// `onQueue(_:)` for closures that return nothing and don't throw, which Dispatch runs twice as fast.
    @inline(__always)
    func onQueue(_ body: () -> Void) {
        isOnTargetQueue ? body() : queue.sync(execute: body)
    }

    /// Whether the current thread is in an access on the same target queue.
    private var isOnTargetQueue: Bool {
        guard let targetQueue else { return false }
        return AccessStack.first { $0.targetQueue === targetQueue } != nil
    }

    /// Runs the closure on the queue.
    ///
    /// - throws: the error of the closure; a ``DatabaseError`` of code `SQLITE_MISUSE` in a
    ///   re-entrant call, on a closed connection, or when a transaction is left open.
    ///
    /// Not generic, because the result of the closure would go through unspecialized code at each level.
    /// Callers store the result in a captured variable.
    package func sync(_ body: (Database) throws -> Void) throws {
        if raw.isOwnedByCurrentThread { throw Self.reentrancyError }
        let requestTime = requestTime
        try onQueueThrowing {
            accessDidWait(since: requestTime)
            try exclusiveAccess(body)
        }
    }

    /// Runs the closure on the queue. Faster than the generic function, which rethrows.
    @inline(__always)
    func onQueueThrowing(_ body: () throws -> Void) throws {
        var failure: (any Error)?
        onQueue {
            do {
                try body()
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Runs the closure on the queue, for methods that only throw the error of the closure.
    func syncOrTrap<T>(_ body: (Database) throws -> T) rethrows -> T {
        if raw.isOwnedByCurrentThread {
            fatalError(Self.reentrancyMessage)
        }
        let requestTime = requestTime
        return try onQueue {
            accessDidWait(since: requestTime)
            beginAccess()
            defer { endAccess() }
            healTransaction()
            let result: T
            do {
                result = try body(db)
            } catch {
                throw failure(of: error)
            }
            preconditionNoTransaction()
            return result
        }
    }

    /// Runs the closure on the queue. For methods that throw the error of the closure, and their own errors if
    /// the closure can throw any error.
    func syncOrThrow<T, Failure: Error>(
        _ body: (Database) throws(Failure) -> T
    ) throws(Failure) -> T {
        if raw.isOwnedByCurrentThread, let error = Self.reentrancyError as? Failure { throw error }
        do {
            return try syncOrTrap(body)
        } catch let error as Failure {
            throw error
        } catch {
            fatalError("\(error)")
        }
    }

    /// Runs the closure on the queue, or directly if the thread is already in an access. For methods
    /// that only throw the error of the closure.
    func reentrantSyncOrTrap<T>(_ body: (Database) throws -> T) rethrows -> T {
        if raw.isOwnedByCurrentThread {
            return try AccessStack.withInnermost(self) { try body(db) }
        }
        return try syncOrTrap(body)
    }

    /// Runs the closure. Throws if the current thread is not in an access.
    package func execute<T>(_ body: (Database) throws -> T) throws -> T {
        guard raw.isOwnedByCurrentThread else { throw Database.wrongThreadError }
        return try body(db)
    }

    /// Throws if the current thread is in a transaction of the connection.
    ///
    /// - parameter mustBeInAccess: whether to throw if the thread is in no access of the connection.
    func checkOutsideOfTransaction(_ method: String, mustBeInAccess: Bool) throws {
        guard raw.isOwnedByCurrentThread else {
            if !mustBeInAccess { return }
            throw DatabaseError(misuse: "\(method) must be called from an access that can write.")
        }
        // During the commit hook, SQLite already reports autocommit mode.
        guard raw.isInAutocommitMode, !db.broker.isAskingForConsent else {
            throw DatabaseError(misuse: "\(method) must not be called from inside a transaction.")
        }
    }

    /// Whether the current thread is in an access, and in a transaction.
    var isInTransactionOfCurrentThread: Bool {
        isOwnedByCurrentThread && !raw.isInAutocommitMode
    }

    /// The file on which the connection was opened.
    ///
    /// - precondition: no other thread can be using the connection.
    var fileIdentity: FileIdentity? { raw.fileIdentity }

    /// Whether the current thread is in an access.
    var isOwnedByCurrentThread: Bool { raw.isOwnedByCurrentThread }

    // MARK: - Accesses

    /// Marks the current thread as being in an access.
    func beginAccess() {
        nestingLock?.lock()
        raw.beginAccess()
        AccessStack.push(self)
        if isMeasured { accessDidBegin() }
    }

    /// Whether accesses are measured or limited, and so need extra work when they begin and end. Set once,
    /// when the connection is open, before it is shared.
    private var isMeasured = false

    private func accessDidBegin() {
        meter?.accessDidBegin(db, isReader: isReader)
        if let maximumDuration { db.deadline = Monotonic.nanoseconds &+ maximumDuration }
    }

    private func accessDidEnd() {
        if maximumDuration != nil { db.deadline = nil }
        meter?.accessDidEnd(db)
    }

    /// The time at which an access is requested, or 0 if waits are not measured.
    var requestTime: UInt64 { measuresWaits ? Monotonic.nanoseconds : 0 }

    func accessDidWait(since requestTime: UInt64) {
        if requestTime > 0 {
            meter?.accessDidWait(since: requestTime, isReader: isReader, isCertain: false)
        }
    }

    func endAccess() {
        if let accessDidEnd = db.callbacks.accessDidEnd { accessDidEnd(db) }
        if isMeasured { accessDidEnd() }
        AccessStack.pop(self)
        raw.endAccess()
        nestingLock?.unlock()
    }

    /// Ends a transaction that an earlier access failed to end.
    func healTransaction() {
        if endsTransactions, !raw.isInAutocommitMode {
            db.healTransaction()
            hasFormerTransaction = !raw.isInAutocommitMode
        }
    }

    /// Runs the closure as the owner of the connection.
    func access<T>(_ body: (Database) throws -> T) throws -> T {
        beginAccess()
        defer { endAccess() }
        healTransaction()
        // The failure of an earlier access that could not throw.
        if let failure = db.takeKeptFailure() { throw failure }
        let result: T
        do {
            result = try body(db)
        } catch {
            throw failure(of: error)
        }
        try endTransactionOfAccess()
        return result
    }

    // Functions of their own, because the generic functions are copied for each type and each closure.

    /// Ends the transaction of an access that has failed, and returns the error to throw.
    @inline(never)
    private func failure(of error: any Error) -> any Error {
        // The first error is the one that matters.
        try? endTransaction()
        return db.takeKeptFailure() ?? error
    }

    @inline(never)
    private func endTransactionOfAccess() throws {
        do {
            try endTransaction()
        } catch {
            throw db.takeKeptFailure() ?? error
        }
        if let failure = db.takeKeptFailure() { throw failure }
    }

    /// Runs the closure as the owner of the connection, and checks that it is open.
    ///
    /// - precondition: no other thread can be using the connection.
    package func exclusiveAccess(_ body: (Database) throws -> Void) throws {
        try access { db in
            try db.checkAccess()
            try body(db)
        }
    }

    /// Rolls back a transaction that was left open, and throws in this case.
    func endTransaction() throws {
        db.endCursors()
        if let onEnd {
            try onEnd(db)
            return
        }
        if configuration.allowsUnsafeTransactions || raw.isInAutocommitMode { return }
        db.rollbackAfterError()
        throw DatabaseError(misuse: Self.openTransactionMessage)
    }

    func preconditionNoTransaction() {
        db.endCursors()
        db.logKeptFailure()
        if let onEnd {
            // The next access throws the error.
            try? onEnd(db)
            return
        }
        if configuration.allowsUnsafeTransactions || raw.isInAutocommitMode { return }
        db.rollbackAfterError()
        if hasFormerTransaction {
            // This access did not open it. An earlier access had no memory to end it.
            hasFormerTransaction = false
            RawLog.write(
                ResultCode.SQLITE_NOMEM.rawValue,
                "\(db.description): no memory to end a transaction")
            return
        }
        let message =
            Self.openTransactionMessage
            + ": tryWriteWithoutTransaction and the methods of tasks throw this as an error"
        RawLog.write(ResultCode.SQLITE_MISUSE.rawValue, "\(db.description): \(message)")
        fatalError(message)
    }

    package static var reentrancyError: DatabaseError {
        DatabaseError(misuse: reentrancyMessage)
    }

    static let reentrancyMessage = "Database methods are not reentrant."

    private static let openTransactionMessage =
        "A transaction has been left opened at the end of a database access"

    // MARK: - Closing and interrupting

    /// Closes the connection.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_BUSY` if the connection can't be closed.
    package func close() throws {
        if raw.isOwnedByCurrentThread { throw Self.reentrancyError }
        try onQueue {
            try closeExclusively()
        }
    }

    /// Runs the closure on the queue, outside of any access.
    func whileUnused(_ body: () throws -> Void) throws {
        if raw.isOwnedByCurrentThread { throw Self.reentrancyError }
        try onQueue(body)
    }

    /// Closes the connection, without going through its queue.
    ///
    /// - precondition: no other thread can be using the connection.
    func closeExclusively() throws {
        nestingLock?.lock()
        raw.beginAccess()
        defer {
            raw.endAccess()
            nestingLock?.unlock()
        }
        if configuration.optimizesWhenClosing, !isReader, raw.isInAutocommitMode {
            try? db.execute(sql: "PRAGMA optimize")
        }
        try db.close()
    }

    func interrupt() {
        raw.interrupt()
    }
}

extension Database {
    /// Closes the connection. No other thread can be using it.
    fileprivate func closeFromAnyThread() {
        raw.beginAccess()
        discard()
        raw.orphan()
        raw.endAccess()
    }
}
