extension OwningProcess {
    /// Throws a ``DatabaseError`` in a forked child, which must not open connections for a pool of
    /// its parent.
    package func checkAccess() throws {
        do {
            try check()
        } catch {
            throw DatabaseError(error)
        }
    }
}

extension Database {
    /// Runs the closure as a read-only access, in a transaction unless one was left open.
    func inReadAccess<T>(isIsolated: Bool = false, _ value: () throws -> T) throws -> T {
        if !raw.isInAutocommitMode, configuration.allowsUnsafeTransactions {
            return try readOnly(value)
        }
        return try inReadOnlyTransaction(isIsolated: isIsolated, value)
    }

    /// Runs the closure in a transaction, so that it sees the database at a single moment. Uses the
    /// current transaction, or opens a read-only one.
    func inReadTransactionIfNeeded<T>(_ value: () throws -> T) throws -> T {
        try checkAccess()
        return isInsideTransaction ? try value() : try inReadOnlyTransaction(value)
    }

    /// Runs the closure as a read-only access.
    ///
    /// - throws: the error that prevents the access. The closure was not called in this case.
    func startReadAccess(isIsolated: Bool = false, _ value: () -> Void) throws {
        var didStart = false
        do {
            try inReadAccess(isIsolated: isIsolated) {
                didStart = true
                value()
            }
        } catch {
            // An error at the end of a read can no longer be reported.
            if !didStart { throw error }
        }
    }

    /// Throws unless this connection was opened on the same file as another connection. The file may
    /// have been replaced in the meantime.
    ///
    /// - parameter identity: nil if the other connection has no file.
    func checkFile(is identity: FileIdentity?) throws {
        guard let identity, let ownIdentity = raw.fileIdentity, ownIdentity != identity else {
            return
        }
        throw DatabaseError(
            resultCode: .SQLITE_READONLY_DBMOVED,
            message: """
                The database file was replaced while connections to the former one are open: \
                \(path)
                """)
    }

    /// Makes the connection permanently read-only.
    package func forbidWriting() {
        raw.setQueryOnly(true)
    }

    /// Puts the database in WAL mode.
    ///
    /// - throws: a ``DatabaseError`` if the database can't be in WAL mode, for example because it is
    ///   in memory.
    func setUpWALMode(acceptsMemory: Bool = false) throws {
        // Don't call the app's authorizer.
        let former = raw.isRunningOwnStatement
        raw.isRunningOwnStatement = true
        defer { raw.isRunningOwnStatement = former }
        let mode = try inWALMode()
        if acceptsMemory, mode == "memory" { return }
        guard mode == "wal" else {
            throw DatabaseError(message: "could not activate WAL Mode at path: \(path)")
        }
        // In WAL mode, SQLite waits for the disk at each commit by default. NORMAL waits at checkpoints
        // only: the database stays consistent, but a power loss may undo the last transactions.
        try execute(sql: "PRAGMA synchronous = NORMAL")
    }

    /// If several connections do this with a new file, each has a lock that the others wait for: SQLite
    /// reports this at once.
    private func inWALMode() throws -> String? {
        let start = Monotonic.nanoseconds
        var tries = 0
        while true {
            do {
                return try String.fetchOne(self, sql: "PRAGMA journal_mode = WAL")
            } catch DatabaseError.SQLITE_BUSY
                where raw.waitToRetry(numberOfTries: tries, since: start)
            {
                tries += 1
            }
        }
    }
}
