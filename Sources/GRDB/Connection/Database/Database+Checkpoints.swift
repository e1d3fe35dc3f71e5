extension Database {
    /// Copies commits from the WAL file into the database file.
    ///
    /// A busy database is not an error: the counts show how far the checkpoint got. Both are -1
    /// if the database is not in WAL mode.
    ///
    /// - parameter kind: the mode. The default is PASSIVE.
    /// - parameter dbName: the name of a schema, or nil for all.
    /// - returns: the number of frames in the WAL file, and the number of frames copied to the database
    ///   file.
    /// - throws: a ``DatabaseError``, of code `SQLITE_LOCKED` in a transaction that has read or written,
    ///   `SQLITE_ERROR` if there is no such schema.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/wal_checkpoint_v2.html>
    @discardableResult
    public func checkpoint(
        _ kind: CheckpointMode = .passive, on dbName: String? = "main"
    ) throws -> (walFrameCount: Int, checkpointedFrameCount: Int) {
        let result = try checkpointResult(kind, on: dbName)
        return (result.walFrameCount, result.checkpointedFrameCount)
    }

    /// Runs a WAL checkpoint, and returns whether other connections blocked it.
    ///
    /// ```swift
    /// let result = try dbPool.writeWithoutTransaction { db in
    ///     try db.checkpointResult(.truncate)
    /// }
    /// if result.isBusy {
    ///     // Some reader or writer kept the WAL file from being truncated. Try again later.
    /// }
    /// ```
    ///
    /// - parameter kind: the mode. The default is PASSIVE, which waits for nobody, and is busy only while
    ///   another connection runs a checkpoint.
    /// - parameter dbName: the name of a schema, or nil for all.
    /// - throws: a ``DatabaseError``, of code `SQLITE_LOCKED` in a transaction that has read or written,
    ///   `SQLITE_ERROR` if there is no such schema.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/wal_checkpoint_v2.html>
    public func checkpointResult(
        _ kind: CheckpointMode = .passive, on dbName: String? = "main"
    ) throws -> CheckpointResult {
        try checkAccess()
        try checkSuspension(isReadonly: false, effect: nil)
        if let dbName, dbName.utf8.contains(0) {
            throw DatabaseError(message: "unknown database: \(dbName)")
        }
        let result = try convertingFailures {
            try raw.checkpoint(mode: kind.rawValue, schema: dbName)
        }
        return CheckpointResult(
            walFrameCount: Int(result.walFrameCount),
            checkpointedFrameCount: Int(result.checkpointedFrameCount),
            isBusy: result.code != RawStatement.ok)
    }
}
