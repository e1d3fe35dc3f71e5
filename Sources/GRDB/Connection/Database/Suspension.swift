/// Whether a connection must not take locks, because the system is about to suspend the app.
///
/// Can be suspended and resumed from any thread.
package final class Suspension: Sendable {
    private let state = Locked(false)

    var isSuspended: Bool { state.withLock { $0 } }

    func suspend() {
        state.withLock { $0 = true }
    }

    func resume() {
        state.withLock { $0 = false }
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
