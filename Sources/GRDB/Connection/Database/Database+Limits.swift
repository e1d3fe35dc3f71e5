public import _GRDBSystem

extension Database {
    /// Executes database operations with a time limit.
    ///
    /// ```swift
    /// let count = try await dbPool.read { db in
    ///     try db.withTimeLimit(0.5) {
    ///         try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM hugeTable")!
    ///     }
    /// }
    /// ```
    ///
    /// After the time limit, the running statement is interrupted, a wait for a lock is given up, and
    /// further statements fail until the closure has returned. Swift code is not interrupted. In a
    /// transaction, interrupting a change rolls back the transaction; methods such as `write` also roll it
    /// back if the closure throws the error.
    ///
    /// The limit does not apply to transaction observers and observations that are notified of a commit or
    /// rollback. A successful commit is never reported as interrupted.
    ///
    /// Calls can be nested: the earliest deadline applies.
    ///
    /// - parameter duration: the time limit, in seconds.
    /// - parameter operations: the operations. Their value is returned.
    /// - throws: the error of the closure, or a ``DatabaseError`` of code `SQLITE_INTERRUPT` and
    ///   message "Time limit exceeded".
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/progress_handler.html>
    public func withTimeLimit<T>(
        _ duration: TimeInterval, _ operations: () throws -> T
    ) throws -> T {
        try checkAccess()
        let now = Monotonic.nanoseconds
        let outerDeadline = deadline
        // NaN expires immediately, an infinite duration never.
        let nanoseconds = min(max(duration.isNaN ? 0 : duration, 0), 1.0e9) * 1.0e9
        deadline = min(now + UInt64(nanoseconds), outerDeadline ?? .max)
        defer { deadline = outerDeadline }
        return try operations()
    }

    /// Starts or stops checking whether statements must stop.
    func limitsDidChange() {
        let hasLimits =
            cancellation != nil || deadline != nil || suspension != nil || rollbackReason != nil
            || progress != nil
        guard hasLimits != self.hasLimits else { return }
        self.hasLimits = hasLimits
        // An interruption alone is not enough, because SQLite clears it when a statement starts.
        guard hasLimits else { return raw.setStopCondition(nil, mustStopStatement: nil) }
        raw.setStopCondition {
            [unowned self] in
            mustStop && !isRollingBack
        } mustStopStatement: {
            [unowned self] in
            mustStop && !isRollingBack && !isEndingTransaction && !broker.hasConsented
        }
    }

    /// The suspended limits of an access.
    struct SuspendedLimits {
        fileprivate var cancellation: AccessCancellation?
        fileprivate var deadline: UInt64?
        fileprivate var progress: (() -> Bool)?
        fileprivate var isRollingBack: Bool
    }

    /// Suspends the limits of the access while observers are notified of the end of a transaction. Neither
    /// the cancellation of the task that has written, nor its time limit, interrupts the observers.
    ///
    /// - returns: nil if there are no limits.
    func suspendLimits() -> SuspendedLimits? {
        guard hasLimits || isRollingBack else { return nil }
        let limits = SuspendedLimits(
            cancellation: cancellation, deadline: deadline, progress: progress,
            isRollingBack: isRollingBack)
        cancellation?.pause()
        if cancellation != nil { cancellation = nil }
        if deadline != nil { deadline = nil }
        if progress != nil { progress = nil }
        // Observers may set their own limits.
        isRollingBack = false
        return limits
    }

    func resumeLimits(_ limits: SuspendedLimits) {
        isRollingBack = limits.isRollingBack
        if limits.deadline != nil { deadline = limits.deadline }
        if limits.progress != nil { progress = limits.progress }
        guard let cancellation = limits.cancellation else { return }
        self.cancellation = cancellation
        cancellation.resume()
    }

    /// Whether statements must stop.
    var mustStop: Bool {
        if let cancellation, cancellation.isCancelled { return true }
        if stopsWhenSuspended, let suspension, suspension.isSuspended { return true }
        if isTimeLimitExceeded { return true }
        if let progress, progress() { return true }
        return false
    }

    var isTimeLimitExceeded: Bool {
        deadline.map { $0 <= Monotonic.nanoseconds } ?? false
    }

    /// Throws if the access is cancelled, or its time limit is exceeded.
    func checkLimits(_ sql: String?) throws {
        if let cancellation, cancellation.isCancelled {
            throw CancellationError()
        }
        if isTimeLimitExceeded {
            throw DatabaseError(
                resultCode: .SQLITE_INTERRUPT, message: "Time limit exceeded", sql: sql)
        }
    }

    /// Runs a closure that calls the C API. Its failures are thrown as ``error(_:sql:)`` returns them.
    @inline(__always)
    func convertingFailures<T>(sql: String? = nil, _ body: () throws -> T) throws -> T {
        do { return try body() } catch let failure as RawFailure { throw error(failure, sql: sql) }
    }

    /// Returns the error to throw for the failure of a statement: `CancellationError` if the cancellation
    /// of the task is the cause.
    package func error(_ failure: RawFailure, sql: String? = nil) -> any Error {
        let failure = stopFailure(failure)
        return cancellationError(failure) ?? DatabaseError(failure, sql: sql)
    }

    /// Returns `CancellationError` if the statement was stopped because the access is cancelled.
    func cancellationError(_ failure: RawFailure) -> (any Error)? {
        guard let cancellation, cancellation.isCancelled, !isTimeLimitExceeded else { return nil }
        switch failure.code & 0xff {
        case ResultCode.SQLITE_INTERRUPT.rawValue, ResultCode.SQLITE_ABORT.rawValue:
            return CancellationError()
        default:
            return nil
        }
    }

    /// Returns the failure of a statement, corrected if the statement was stopped. For example, SQLite
    /// reports a busy database when a wait for a lock is given up.
    func stopFailure(_ failure: RawFailure) -> RawFailure {
        switch failure.code & 0xff {
        case ResultCode.SQLITE_CANTOPEN.rawValue, ResultCode.SQLITE_READONLY.rawValue:
            // SQLite opens most files on first use.
            failure.naming(path: path)
        case ResultCode.SQLITE_INTERRUPT.rawValue where isTimeLimitExceeded:
            RawFailure(code: failure.code, message: "Time limit exceeded")
        case ResultCode.SQLITE_BUSY.rawValue where isTimeLimitExceeded:
            RawFailure(
                code: ResultCode.SQLITE_INTERRUPT.rawValue, message: "Time limit exceeded")
        case ResultCode.SQLITE_BUSY.rawValue where raw.isInterrupted:
            RawFailure(code: ResultCode.SQLITE_INTERRUPT.rawValue, message: "interrupted")
        default:
            #if GRDB_ENCRYPTION
            raw.diagnosed(failure)
            #else
            failure
            #endif
        }
    }
}
