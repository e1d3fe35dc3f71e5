public import Foundation

extension Database {
    /// Executes database operations that must end in time.
    ///
    /// ```swift
    /// let count = try await dbPool.read { db in
    ///     try db.withTimeLimit(0.5) {
    ///         try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM hugeTable")!
    ///     }
    /// }
    /// ```
    ///
    /// Once the time has elapsed, the statement that runs is interrupted, the wait for a lock is
    /// given up, and the statements that follow fail until the closure has returned. Swift code is
    /// not interrupted. In a transaction, an interrupted change rolls back the transaction; so do
    /// `write` and its like when the error comes out of them.
    ///
    /// The limit does not apply to transaction observers and observations that are notified of a commit or
    /// rollback. A commit that has happened is never reported as interrupted.
    ///
    /// Calls can be nested: the shortest limit counts.
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
        // A duration that is not a number ends at once, an infinite one never.
        let nanoseconds = min(max(duration.isNaN ? 0 : duration, 0), 1.0e9) * 1.0e9
        deadline = min(now + UInt64(nanoseconds), outerDeadline ?? .max)
        defer { deadline = outerDeadline }
        return try operations()
    }

    /// Starts or stops asking whether statements must stop.
    func limitsDidChange() {
        let hasLimits =
            cancellation != nil || deadline != nil || suspension != nil || rollbackReason != nil
            || progress != nil
        guard hasLimits != self.hasLimits else { return }
        self.hasLimits = hasLimits
        // An interruption alone is not enough: SQLite forgets it when a statement starts.
        guard hasLimits else { return raw.removeStopCondition() }
        raw.setStopCondition {
            [unowned self] in
            mustStop && !isRollingBack
        } mustStopStatement: {
            [unowned self] in
            mustStop && !isRollingBack && !isEndingTransaction && !broker.hasConsented
        }
    }

    /// The limits of an access, while they don't apply.
    struct SuspendedLimits {
        fileprivate var cancellation: AccessCancellation?
        fileprivate var deadline: UInt64?
        fileprivate var progress: (() -> Database.ProgressAction)?
        fileprivate var isRollingBack: Bool
    }

    /// Lifts the limits of the access while observers are notified of the end of a transaction: neither
    /// the cancellation of the task that has written, nor its time limit, stops what observers do.
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
        // Observers may set limits of their own.
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

    /// Whether statements must not run any more.
    var mustStop: Bool {
        if let cancellation, cancellation.isCancelled { return true }
        if stopsWhenSuspended, let suspension, suspension.isSuspended { return true }
        if isTimeLimitExceeded { return true }
        if let progress, progress() == .stop { return true }
        return false
    }

    var isTimeLimitExceeded: Bool {
        deadline.map { $0 <= Monotonic.nanoseconds } ?? false
    }

    /// Throws if the access is cancelled, or takes too long.
    func checkLimits(_ sql: String?) throws {
        if let cancellation, cancellation.isCancelled {
            throw CancellationError()
        }
        if isTimeLimitExceeded {
            throw Self.timeLimitError(sql: sql)
        }
    }

    static func timeLimitError(sql: String?) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_INTERRUPT, message: "Time limit exceeded", sql: sql)
    }

    /// The error to throw for the failure of a statement: that of the task, if its cancellation is the
    /// cause.
    func error(_ failure: RawFailure, sql: String? = nil) -> any Error {
        let failure = stopFailure(failure)
        return cancellationError(failure) ?? DatabaseError(failure, sql: sql)
    }

    /// The error of a statement that was stopped because the access is cancelled.
    func cancellationError(_ failure: RawFailure) -> (any Error)? {
        guard let cancellation, cancellation.isCancelled, !isTimeLimitExceeded else { return nil }
        switch failure.code & 0xff {
        case ResultCode.SQLITE_INTERRUPT.rawValue, ResultCode.SQLITE_ABORT.rawValue:
            return CancellationError()
        default:
            return nil
        }
    }

    /// The failure of a statement, unless it was stopped: the wait for a lock that is given up says
    /// that the database is busy.
    func stopFailure(_ failure: RawFailure) -> RawFailure {
        switch failure.code & 0xff {
        case ResultCode.SQLITE_CANTOPEN.rawValue:
            // SQLite opens most files when they are first needed.
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
