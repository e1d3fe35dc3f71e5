/// Whether a connection must not take locks, because the app is about to be suspended by its system.
///
/// Any thread may suspend and resume.
final class Suspension: Sendable {
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
    /// Throws if the database is suspended, and the statement would take a lock that the system does
    /// not want. An open transaction is rolled back, so that its lock goes away.
    ///
    /// Reads take no such lock in WAL mode. Commits give theirs back.
    func checkSuspension(
        isReadonly: Bool, effect: StatementEffects.TransactionEffect?, sql: String? = nil
    ) throws {
        stopsWhenSuspended = false
        guard let suspension, !isRollingBack else { return }
        switch effect {
        case .rollback, .commit, .releaseSavepoint:
            // The end of a transaction gives its lock back, one way or the other.
            return
        default:
            break
        }
        if isReadonly, raw.isInWALMode { return }
        guard suspension.isSuspended else {
            // The interruption that comes with the suspension may come too early: SQLite forgets it
            // when a statement starts.
            stopsWhenSuspended = true
            return
        }
        rollbackAfterError()
        throw DatabaseError(
            resultCode: .SQLITE_ABORT, message: "Database is suspended", sql: sql)
    }
}
