import Dispatch

/// The accesses of connections that only read. The reader pool lends each of them to one access at
/// a time, so that their queue provides no exclusion, but a label, a target and a quality of
/// service.
extension SerializedDatabase {
    /// Runs the closure on the queue.
    ///
    /// Not generic: see `sync(_:)`.
    func syncExclusively(_ body: (Database) throws -> Void) throws {
        var failure: (any Error)?
        onQueue {
            do {
                try exclusiveAccess(body)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Begins a read that sees the database as it is now. It ends with `asyncIsolatedRead`.
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

    /// Runs the closure on the queue, in the transaction that `beginIsolatedRead()` has begun.
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
