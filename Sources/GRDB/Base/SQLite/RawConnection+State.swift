import CGRDBSQLite

// The state and the settings of a connection.

extension RawConnection {

    package var isInAutocommitMode: Bool {
        handle.map { grdb_sqlite3_get_autocommit($0) != 0 } ?? true
    }

    /// Whether the current transaction, which may be that of a single statement, has changed something.
    var isInWriteTransaction: Bool {
        handle.map { grdb_sqlite3_txn_state($0, nil) == SQLITE_TXN_WRITE } ?? false
    }

    var lastInsertedRowID: Int64 {
        handle.map { grdb_sqlite3_last_insert_rowid($0) } ?? 0
    }

    package var changesCount: Int64 {
        handle.map { grdb_sqlite3_changes64($0) } ?? 0
    }

    /// Calls a closure that may run statements, after which `lastInsertedRowID`, `changesCount` and
    /// `ownChangesCount` are those of the statements before.
    func keepingChanges<Failure>(_ body: () throws(Failure) -> Void) throws(Failure) {
        let rowID = lastInsertedRowID
        let count = changesCount
        let ownCount = ownChangesCount
        defer {
            if let handle { grdb_restore_changes(handle, rowID, count) }
            foreignChangesCount = totalChangesCount - ownCount
        }
        try body()
    }

    /// The number of changes of the statements outside of `keepingChanges`.
    var ownChangesCount: Int64 { totalChangesCount - foreignChangesCount }

    var totalChangesCount: Int64 {
        handle.map { grdb_sqlite3_total_changes64($0) } ?? 0
    }

    /// The initial limit of the length of a string, a blob or a row, in bytes, which is SQLite's default. The
    /// vendored SQLite supports a higher limit.
    static let defaultLengthLimit: CInt = 1_000_000_000

    /// The highest limit of lengths that the vendored SQLite supports.
    static let maximumLengthLimit: CInt = 2_147_483_645

    /// The names of the schemas: `main`, `temp`, and those of attached databases.
    var schemaNames: [String] {
        guard let handle else { return [] }
        return (0...).lazy.map { grdb_sqlite3_db_name(handle, $0) }.prefix { $0 != nil }
            .map { String(cString: $0!) }
    }

    /// Whether a schema is read-only; nil if there is no such schema.
    package func isReadOnly(schema: String) -> Bool? {
        guard let handle else { return nil }
        return switch grdb_sqlite3_db_readonly(handle, schema) {
        case 0: false
        case 1: true
        default: nil
        }
    }

    /// Whether the main database is in WAL mode. If the database was already read, this takes no
    /// additional lock.
    package var isInWALMode: Bool {
        guard let prepared = try? prepare("PRAGMA main.journal_mode", from: 0, persistent: false)
        else { return false }
        defer { grdb_sqlite3_finalize(prepared.statement) }
        return grdb_sqlite3_step(prepared.statement) == SQLITE_ROW
            && RawColumn.string(prepared.statement, 0) == "wal"
    }

    /// Isolates the current transaction: it sees the database as it is now, and no later changes.
    ///
    /// - returns: the version of the main schema.
    @discardableResult
    func beginRead() throws(RawFailure) -> Int32 {
        let handle = try openHandle()
        var version: CInt = 0
        try check(grdb_begin_read(handle, "main", &version))
        return version
    }

    package func releaseMemory() {
        guard let handle else { return }
        grdb_sqlite3_db_release_memory(handle)
    }

    /// Forbids or allows changes of the database, and returns whether they were forbidden. Prepared
    /// statements do not expire.
    @discardableResult
    package func setQueryOnly(_ queryOnly: Bool) -> Bool {
        guard let handle else { return queryOnly }
        return grdb_set_query_only(handle, queryOnly ? 1 : 0) != 0
    }

    /// Undoes `PRAGMA defer_foreign_keys`, which SQLite otherwise does at the end of the transaction.
    package func resetDeferredForeignKeys() {
        if let handle { grdb_reset_deferred_foreign_keys(handle) }
    }

    package var isQueryOnly: Bool {
        handle.map { grdb_get_query_only($0) != 0 } ?? false
    }
}
