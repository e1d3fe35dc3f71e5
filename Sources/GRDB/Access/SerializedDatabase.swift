import Dispatch
import Foundation

/// Lets one thread at a time use a connection: all accesses run on a serial dispatch queue.
///
/// Ends every access as it began: without a transaction, unless the configuration allows it.
///
/// `@unchecked Sendable`: `db` and `outerAccess` are only used in accesses, and `suspensionTokens`
/// does not change after `init`.
final class SerializedDatabase: @unchecked Sendable {
    let configuration: Configuration
    let path: String
    let db: Database
    let queue: DispatchQueue

    /// The queue that the accesses run on in the end, if the configuration has one.
    private let targetQueue: DispatchQueue?

    /// Held by every access of a connection that has a target queue, because accesses that are nested
    /// in others of the same target don't go through the queue. See `onQueue(_:)`.
    private let nestingLock: NSLock?

    /// Stored beside the database, because any thread may interrupt.
    let raw: RawConnection

    /// The access that the thread of the current one was in before. See `AccessStack`.
    var outerAccess: UnsafeMutableRawPointer?

    /// The pool that the connection belongs to. Set once, before others learn of the connection.
    var ownerID: ObjectIdentifier?

    /// Which of its connections the pool had open together with this one. Set like `ownerID`.
    var ownerGeneration = 0

    /// Whether accesses must begin without a transaction.
    private let endsTransactions: Bool

    /// Counts and times the accesses, if the configuration asks for it.
    let collector: DatabaseMetricsCollector?

    /// Whether the connection belongs to those that only read.
    let isReader: Bool

    /// The time after which an access is ended, in nanoseconds.
    private let maximumDuration: UInt64?

    /// Whether the current access has begun in a transaction that a former one could not end.
    private var hasFormerTransaction = false

    /// What ends an access: see `endTransaction()`.
    let onEnd: (@Sendable (Database) throws -> Void)?

    /// Opens a connection.
    ///
    /// - parameter defaultLabel: the name of the connection and of its queue, unless the
    ///   configuration has one.
    /// - parameter purpose: what the connection is for among others of the same label.
    /// - parameter load: gives the connection its content, before anything else.
    /// - parameter setUp: prepares the connection, after what the configuration asks for.
    /// - parameter onEnd: called at the end of each access.
    init(
        path: String, configuration: Configuration, defaultLabel: String,
        purpose: String? = nil, isReader: Bool = false,
        opensForWriting: Bool? = nil, load: ((Database) throws -> Void)? = nil,
        setUp: ((Database) throws -> Void)? = nil,
        onEnd: (@Sendable (Database) throws -> Void)? = nil
    ) throws {
        self.path = path
        self.configuration = configuration
        self.onEnd = onEnd
        collector = configuration.metricsCollector
        self.isReader = isReader || configuration.readonly
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
        nestingLock = targetQueue.map { _ in NSLock() }
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
                    // What the preparation has done is no access.
                    if collector != nil { _ = db.takeAccessCounters() }
                }
            }
            // No other thread knows the connection yet. Going through the queue matters for a
            // target queue only.
            try targetQueue == nil ? prepare() : onQueue(prepare)
        } catch {
            // `deinit` does not run for an object that could not be made.
            db.closeFromAnyThread()
            throw error
        }
        if let suspension = db.suspension {
            observeSuspension(suspension)
        }
        isMeasured = collector != nil || maximumDuration != nil
    }

    deinit {
        suspensionTokens.forEach(NotificationCenter.default.removeObserver)
        // The last reference: no other thread can be using the connection.
        db.closeFromAnyThread()
    }

    // MARK: - Suspension

    private var suspensionTokens: [any NSObjectProtocol] = []

    private func observeSuspension(_ suspension: Suspension) {
        let center = NotificationCenter.default
        suspensionTokens = [
            center.addObserver(
                forName: Database.suspendNotification, object: nil, queue: nil
            ) { [weak raw] _ in
                suspension.suspend()
                // Whatever runs may hold a lock for long.
                raw?.interrupt()
            },
            center.addObserver(
                forName: Database.resumeNotification, object: nil, queue: nil
            ) { _ in suspension.resume() },
        ]
    }

    // MARK: - Synchronous accesses

    /// Runs the closure on the queue.
    ///
    /// If the thread is in an access on the same target queue, which may be a serial one, it would
    /// wait for itself: the closure then runs right now. It is on the target queue all the same.
    @inline(__always)
    func onQueue<T>(_ body: () throws -> T) rethrows -> T {
        isOnTargetQueue ? try body() : try queue.sync(execute: body)
    }

    /// The same for closures that return nothing: those that have a result, or throw, take Dispatch
    /// twice as long.
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
    /// Not generic: the result of the closure would go through unspecialized code at each level.
    /// Callers catch it in a variable.
    func sync(_ body: (Database) throws -> Void) throws {
        if raw.isOwnedByCurrentThread { throw Self.reentrancyError }
        var failure: (any Error)?
        let requestTime = requestTime
        onQueue {
            accessDidWait(since: requestTime)
            do {
                try access { db in
                    try db.checkAccess()
                    try body(db)
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Runs the closure on the queue, for API that only throws what the closure throws.
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
                // The first error is the one that matters.
                try? endTransaction()
                throw db.takeKeptFailure() ?? error
            }
            preconditionNoTransaction()
            return result
        }
    }

    /// Runs the closure on the queue, for API that throws what the closure throws, and errors of its own if
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

    /// Runs the closure on the queue, or right now if the thread is in an access already.
    /// For API that only throws what the closure throws.
    func reentrantSyncOrTrap<T>(_ body: (Database) throws -> T) rethrows -> T {
        if raw.isOwnedByCurrentThread {
            return try AccessStack.withInnermost(self) { try body(db) }
        }
        return try syncOrTrap(body)
    }

    /// Runs the closure if the thread is in an access.
    func execute<T>(_ body: (Database) throws -> T) throws -> T {
        guard raw.isOwnedByCurrentThread else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "Database was not used on the correct thread.")
        }
        return try body(db)
    }

    /// Throws if the current thread is in a transaction of the connection.
    ///
    /// - parameter mustBeInAccess: whether it must be in an access.
    func checkOutsideOfTransaction(_ method: String, mustBeInAccess: Bool) throws {
        guard raw.isOwnedByCurrentThread else {
            if !mustBeInAccess { return }
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "\(method) must be called from an access that can write.")
        }
        // SQLite reports the autocommit mode while it runs the commit hook.
        guard raw.isInAutocommitMode, !db.broker.isAskingForConsent else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "\(method) must not be called from inside a transaction.")
        }
    }

    /// Whether the current thread is in an access, and there in a transaction.
    var isInTransactionOfCurrentThread: Bool {
        isOwnedByCurrentThread && !raw.isInAutocommitMode
    }

    /// The file that the connection was opened on.
    ///
    /// - precondition: no other thread can be using the connection.
    var fileIdentity: FileIdentity? { raw.fileIdentity }

    /// Whether the current thread is in an access.
    var isOwnedByCurrentThread: Bool { raw.isOwnedByCurrentThread }

    // MARK: - Accesses

    /// Declares that the current thread is in an access.
    @inline(__always)
    func beginAccess() {
        nestingLock?.lock()
        raw.beginAccess()
        AccessStack.push(self)
        if isMeasured { accessDidBegin() }
    }

    /// Whether something is to be done at the beginning and the end of each access. Set once, when the
    /// connection is open, before others learn of it.
    private var isMeasured = false

    private func accessDidBegin() {
        collector?.didBegin(raw, description: db.description, isReader: isReader)
        if let maximumDuration { db.deadline = Monotonic.nanoseconds &+ maximumDuration }
    }

    private func accessDidEnd() {
        if maximumDuration != nil { db.deadline = nil }
        collector?.didEnd(raw, db.takeAccessCounters())
    }

    /// When an access is asked for, if anyone wants to know how long it waits.
    @inline(__always)
    var requestTime: UInt64 { collector == nil ? 0 : Monotonic.nanoseconds }

    @inline(__always)
    func accessDidWait(since requestTime: UInt64) {
        if let collector { collector.didWait(since: requestTime, isReader: false) }
    }

    @inline(__always)
    func endAccess() {
        if let accessDidEnd = db.accessDidEnd { accessDidEnd(db) }
        if isMeasured { accessDidEnd() }
        AccessStack.pop(self)
        raw.endAccess()
        nestingLock?.unlock()
    }

    /// Ends a transaction that a former access could not end.
    @inline(__always)
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
        // That of a former access that could not throw.
        if let failure = db.takeKeptFailure() { throw failure }
        let result: T
        do {
            result = try body(db)
        } catch {
            // The first error is the one that matters.
            try? endTransaction()
            throw db.takeKeptFailure() ?? error
        }
        do {
            try endTransaction()
        } catch {
            throw db.takeKeptFailure() ?? error
        }
        if let failure = db.takeKeptFailure() { throw failure }
        return result
    }

    /// Runs the closure as the owner of the connection, and checks that it is open.
    ///
    /// - precondition: no other thread can be using the connection.
    func exclusiveAccess(_ body: (Database) throws -> Void) throws {
        try access { db in
            try db.checkAccess()
            try body(db)
        }
    }

    /// Rolls back a transaction that was left open, and says so.
    func endTransaction() throws {
        db.endCursors()
        if let onEnd {
            try onEnd(db)
            return
        }
        if configuration.allowsUnsafeTransactions || raw.isInAutocommitMode { return }
        db.rollbackAfterError()
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE, message: Self.openTransactionMessage)
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
            // This access has not opened it. There was no memory to end it.
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

    static var reentrancyError: DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: reentrancyMessage)
    }

    static let reentrancyMessage = "Database methods are not reentrant."

    private static let openTransactionMessage =
        "A transaction has been left opened at the end of a database access"

    // MARK: - Closing and interrupting

    /// Closes the connection.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_BUSY` if something prevents it.
    func close() throws {
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

    /// Closes the connection, without its queue.
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
            try? db.optimize()
        }
        try db.close()
    }

    func interrupt() {
        raw.interrupt()
    }
}

extension Database {
    /// Closes the connection, when no other thread can be using it.
    fileprivate func closeFromAnyThread() {
        raw.beginAccess()
        discard()
        raw.orphan()
        raw.endAccess()
    }
}
