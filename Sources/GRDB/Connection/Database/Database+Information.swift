public import _GRDBSystem

// Properties of the connection, and of its current transaction.

extension Database {
    /// The rowid of the last inserted row, or 0 if no row was inserted.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/last_insert_rowid.html>
    public var lastInsertedRowID: Int64 {
        preconditionAccess()
        return raw.lastInsertedRowID
    }

    /// The number of rows changed by the last successful INSERT, UPDATE or DELETE. Rows changed by
    /// triggers and foreign key actions don't count.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/changes.html>
    public var changesCount: Int {
        preconditionAccess()
        return Int(clamping: raw.changesCount)
    }

    /// The number of rows changed by this connection since it was opened, including rows changed by
    /// triggers and foreign key actions.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/total_changes.html>
    public var totalChangesCount: Int {
        preconditionAccess()
        return Int(clamping: raw.totalChangesCount)
    }

    /// The result code of the most recent call of SQLite that failed. See
    /// <https://www.sqlite.org/c3ref/errcode.html>.
    public var lastErrorCode: ResultCode {
        preconditionAccess()
        return ResultCode(rawValue: raw.lastErrorCode)
    }

    /// The message of the most recent call of SQLite that failed. See
    /// <https://www.sqlite.org/c3ref/errcode.html>.
    public var lastErrorMessage: String? {
        preconditionAccess()
        return raw.lastErrorMessage
    }

    /// The maximum number of arguments per statement.
    ///
    /// See `SQLITE_LIMIT_VARIABLE_NUMBER` in <https://www.sqlite.org/limits.html>.
    public var maximumStatementArgumentCount: Int {
        raw.limit(.argumentCount)
    }

    /// The `SQLITE_VERSION_NUMBER` of the SQLite that this package includes.
    public static var sqliteLibVersionNumber: CInt { RawSQLite.versionNumber }

    // MARK: - Memory

    /// Frees the memory that the connection can do without: cached statements and the page cache.
    ///
    /// See <https://www.sqlite.org/c3ref/db_release_memory.html>.
    public func releaseMemory() {
        preconditionAccess()
        statementCache.removeAll()
        clearSchemaCache()
        raw.releaseMemory()
    }

    /// Makes all prepared statements recompile when they next run.
    package func expirePreparedStatements() {
        if let connection = raw.handle {
            raw.hooks.installAuthorizer(in: connection)
        }
    }

    // MARK: - Busy mode

    /// Changes the behavior when another connection has locked the database.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the timeout is not between 0 and SQLite's
    ///   maximum of about 24 days.
    public func setBusyMode(_ busyMode: BusyMode) throws {
        try checkAccess()
        switch busyMode {
        case .immediateError:
            raw.removeBusyHandler()
        case .timeout(let duration):
            let milliseconds = (duration * 1000).rounded(.up)
            guard milliseconds >= 0, milliseconds <= Double(CInt.max) else {
                throw DatabaseError(misuse: "Invalid busy timeout: \(duration)")
            }
            raw.setBusyTimeout(milliseconds: CInt(milliseconds))
        case .callback(let callback):
            raw.setBusyHandler(callback)
        }
    }

    // MARK: - Transaction date

    /// The date of the current transaction, the same for all its calls.
    ///
    /// All calls inside one transaction return the same date, which is read from the clock when the
    /// transaction begins. Outside of transactions, each call reads the clock. See
    /// ``Configuration/transactionClock``.
    ///
    /// - throws: the error of the clock.
    public var transactionDate: Date {
        get throws {
            try checkAccess()
            if !raw.isInAutocommitMode {
                if let date = try transactionDating.date { return date }
            }
            return try configuration.transactionClock.now(self)
        }
    }

    /// Whether the date of the current transaction is known.
    var isTransactionDated: Bool { transactionDating.isKnown }

    func transactionDidBegin() {
        transactionNumber &+= 1
        forgetUndeclaredReplacements()
        readOnlyScopes.ownTransaction = readOnlyScopes.depth > 0
        transactionDating.begin { try configuration.transactionClock.now(self) }
    }

    package func transactionDidEnd() {
        transactionDating.end()
    }
}
