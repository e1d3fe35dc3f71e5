// Who may use the connection, and for what.

extension Database {
    /// Throws unless the connection is open and belongs to the current thread.
    package func checkAccess() throws {
        guard raw.isOwnedByCurrentThread, access == .possible else {
            throw accessError()
        }
    }

    /// Prevents the connection from being used while a backup writes to it.
    func setBackupDestination(_ isDestination: Bool) {
        access = isDestination ? .backupDestination : raw.handle == nil ? .closed : .possible
    }

    struct WeakAccessBound {
        weak var bound: (any AccessBound)?
    }

    func endAccessBounds() {
        let bounds = accessBounds
        accessBounds = []
        for bound in bounds { bound.bound?.end() }
    }

    /// Prevents the connection from being used, because it has lost its snapshot.
    func loseSnapshot() {
        access = .lostSnapshot
    }

    static var lostSnapshotError: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_ABORT,
            message: "The snapshot is lost, because its transaction was ended")
    }

    private func accessError() -> DatabaseError {
        if raw.isForked { return DatabaseError(RawConnection.forkFailure) }
        if !raw.isOwnedByCurrentThread { return Self.wrongThreadError }
        switch access {
        case .backupDestination:
            return DatabaseError(misuse: "Database can't be used while a backup writes to it")
        case .lostSnapshot:
            return Self.lostSnapshotError
        case .possible, .closed:
            return Self.closedError
        }
    }

    static var wrongThreadError: DatabaseError {
        DatabaseError(misuse: "Database was not used on the correct thread.")
    }

    package static var closedError: DatabaseError {
        DatabaseError(misuse: "Connection is closed")
    }

    /// Traps unless the connection belongs to the current thread. For methods that can't throw.
    package func preconditionAccess() {
        guard raw.isOwnedByCurrentThread else { fatalError("\(accessError())") }
    }

    // MARK: - Read-only access

    /// Refuses writes on this connection while the closure runs.
    ///
    /// ```swift
    /// try dbQueue.writeWithoutTransaction { db in
    ///     try db.readOnly {
    ///         try db.execute(sql: "DELETE FROM player") // throws SQLITE_READONLY
    ///     }
    /// }
    /// ```
    ///
    /// Calls can be nested. Unlike with `PRAGMA query_only`, prepared statements don't expire.
    ///
    /// - throws: the error of the closure, or a ``DatabaseError`` of code `SQLITE_MISUSE`.
    public func readOnly<T>(_ value: () throws -> T) throws -> T {
        try checkAccess()
        beginReadOnly()
        defer { endReadOnly() }
        let result = try value()
        try checkKeptFailure()
        return result
    }

    package func beginReadOnly() {
        if readOnlyScopes.depth == 0 {
            readOnlyScopes.wereQueryOnly = raw.setQueryOnly(true)
        }
        readOnlyScopes.depth += 1
    }

    package func endReadOnly() {
        readOnlyScopes.depth -= 1
        if readOnlyScopes.depth == 0 {
            raw.setQueryOnly(readOnlyScopes.wereQueryOnly)
            // Later statements of the transaction may change the database.
            readOnlyScopes.ownTransaction = false
        }
    }

    /// Whether the connection currently refuses changes: it is read-only, or in a read-only access.
    package var isReadOnly: Bool { readOnlyScopes.depth > 0 || configuration.readonly }
}
