import Dispatch

/// Whether a connection must not take locks, because the system is about to suspend the app.
///
/// Can be suspended and resumed from any thread.
package final class Suspension: Sendable {
    private struct State {
        var isSuspended = false
        /// The activity that the current access runs in.
        var activity: ExpiringActivity?
    }

    private let state = Locked(State())

    /// During an access in an expiring activity, only the activity matters.
    var isSuspended: Bool {
        state.withLock { $0.activity.map(\.isExpired) ?? $0.isSuspended }
    }

    func suspend() {
        state.withLock { $0.isSuspended = true }
    }

    func resume() {
        state.withLock { $0.isSuspended = false }
    }

    /// Runs a part of an access in an expiring activity.
    func withActivity<T>(_ activity: ExpiringActivity, _ body: () throws -> T) rethrows -> T {
        state.withLock { $0.activity = activity }
        defer { state.withLock { $0.activity = nil } }
        return try body()
    }

    /// Calls a closure if the current access runs in the activity, which doesn't end before the closure returns.
    func whileRunning(_ activity: ExpiringActivity, _ body: () -> Void) {
        state.withLock { if $0.activity === activity { body() } }
    }
}

extension Database {
    /// Throws if the database is suspended, and the statement would take a lock that the system objects
    /// to. Rolls back an open transaction, to release its lock.
    ///
    /// In WAL mode, reads take no such lock. Commits release the lock.
    package func checkSuspension(
        isReadonly: Bool, effect: StatementEffects.TransactionEffect?, sql: String? = nil
    ) throws {
        stopsWhenSuspended = false
        guard let suspension, !isRollingBack else { return }
        switch effect {
        case .rollback, .commit, .releaseSavepoint:
            // Both ways of ending a transaction release its lock.
            return
        default:
            break
        }
        if isReadonly, raw.isInWALMode { return }
        guard suspension.isSuspended else {
            // The interruption at suspension may come too early: SQLite clears it when a statement
            // starts.
            stopsWhenSuspended = true
            return
        }
        rollbackAfterError()
        throw DatabaseError(
            resultCode: .SQLITE_ABORT, message: "Database is suspended", sql: sql)
    }
}

/// An access during which the system does not suspend the app, until the activity expires.
package final class ExpiringActivity: Sendable {
    private struct State {
        var isExpired = false
        /// Called when the activity has begun, or has expired before.
        var onBegin: (@Sendable () -> Void)?
    }

    private let state = Locked(State())
    private let isEnded = DispatchSemaphore(value: 0)

    var isExpired: Bool { state.withLock { $0.isExpired } }

    /// Asks for the activity, and waits until it has begun or is refused.
    func begin(
        _ request: (@escaping @Sendable (_ isExpired: Bool) -> Void) -> Void,
        onExpiration: @escaping @Sendable () -> Void
    ) async {
        await withCheckedContinuation { continuation in
            state.withLock { $0.onBegin = { continuation.resume() } }
            request { [self] isExpired in
                let onBegin = state.withLock { state in
                    if isExpired { state.isExpired = true }
                    defer { state.onBegin = nil }
                    return state.onBegin
                }
                onBegin?()
                // The system does not suspend the app before this block has returned.
                isExpired ? onExpiration() : isEnded.wait()
            }
        }
    }

    func end() { isEnded.signal() }
}
