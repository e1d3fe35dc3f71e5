extension OwningProcess {
    /// Throws a ``DatabaseError`` in a forked child, where nothing is opened for a pool of its parent.
    func checkAccess() throws {
        do {
            try check()
        } catch {
            throw DatabaseError(error)
        }
    }
}

extension Database {
    /// Runs the closure as a read-only access: in a transaction, unless one was left open.
    func inReadAccess<T>(isIsolated: Bool = false, _ value: () throws -> T) throws -> T {
        if !raw.isInAutocommitMode, configuration.allowsUnsafeTransactions {
            return try readOnly(value)
        }
        return try inReadOnlyTransaction(isIsolated: isIsolated, value)
    }

    /// Runs the closure in a transaction, so that it sees the database at one moment: in the current
    /// one, or else in one that can't change anything.
    func inReadTransactionIfNeeded<T>(_ value: () throws -> T) throws -> T {
        try checkAccess()
        return isInsideTransaction ? try value() : try inReadOnlyTransaction(value)
    }

    /// Runs the closure as a read-only access.
    ///
    /// - throws: the error that prevents the access. The closure was then not called.
    func startReadAccess(isIsolated: Bool = false, _ value: () -> Void) throws {
        var didStart = false
        do {
            try inReadAccess(isIsolated: isIsolated) {
                didStart = true
                value()
            }
        } catch {
            // An error at the end of a read can't be thrown any more.
            if !didStart { throw error }
        }
    }

    /// Throws unless the connection was opened on the same file as another one: somebody may have
    /// replaced it meanwhile.
    ///
    /// - parameter identity: nil if the other connection is on no file.
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

    /// Makes the connection read-only for good.
    func forbidWriting() {
        raw.setQueryOnly(true)
    }

    /// Puts the database in WAL mode.
    ///
    /// - throws: a ``DatabaseError`` if the database can't be in WAL mode: it is in memory, say.
    func setUpWALMode(acceptsMemory: Bool = false) throws {
        // The authorizer of the app is not asked.
        let former = raw.isRunningOwnStatement
        raw.isRunningOwnStatement = true
        defer { raw.isRunningOwnStatement = former }
        let mode = try String.fetchOne(self, sql: "PRAGMA journal_mode = WAL")
        if acceptsMemory, mode == "memory" { return }
        guard mode == "wal" else {
            throw DatabaseError(message: "could not activate WAL Mode at path: \(path)")
        }
        // The default of SQLite in WAL mode is to wait for the disk at each commit. NORMAL waits
        // at checkpoints only, and loses no consistency, but maybe the last transactions.
        try execute(sql: "PRAGMA synchronous = NORMAL")
    }
}
