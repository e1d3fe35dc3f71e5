import Dispatch

/// Accesses of read-only connections. Only one access at a time gets a connection from the reader
/// pool, so the queue of the connection is not needed for mutual exclusion. It provides a label, a
/// target and a quality of service.
extension SerializedDatabase {
    /// Runs the closure on the queue.
    ///
    /// Not generic: see `sync(_:)`.
    package func syncExclusively(_ body: (Database) throws -> Void) throws {
        try onQueueThrowing { try exclusiveAccess(body) }
    }

    /// Begins a read that sees the database as it is now. `asyncIsolatedRead` ends it.
    func beginIsolatedRead() throws {
        raw.beginAccess()
        defer { raw.endAccess() }
        try db.checkAccess()
        try db.beginReadTransaction()
        do {
            try db.isolateTransaction()
        } catch {
            db.endReadTransaction(commits: false)
            throw error
        }
    }

    /// Schedules the closure on the queue, in the transaction opened by `beginIsolatedRead()`.
    ///
    /// - parameter completion: called on the queue, after the access.
    func asyncIsolatedRead(
        completion: @escaping @Sendable () -> Void,
        _ body: @escaping @Sendable (Database) -> Void
    ) {
        queue.async { [self] in
            defer { completion() }
            beginAccess()
            defer { endAccess() }
            db.requiresTransaction = true
            body(db)
            db.requiresTransaction = false
            db.endCursors()
            db.logKeptFailure()
            db.endReadTransaction(commits: true)
        }
    }
}
