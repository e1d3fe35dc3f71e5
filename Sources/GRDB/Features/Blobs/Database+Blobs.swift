extension Database {
    /// Opens the blob of a row to read or write it in chunks.
    ///
    /// ```swift
    /// try dbQueue.write { db in
    ///     let blob = try db.openBlob(
    ///         table: "video", column: "content", rowID: video.id, mode: .readWrite)
    ///     try blob.write(data, at: 0)
    /// }
    /// ```
    ///
    /// The value may also be a string. Its bytes are in the encoding of the database.
    ///
    /// - parameter tableName: the name of a table with rowids, and without generated columns.
    /// - parameter columnName: the name of a column.
    /// - parameter rowID: the rowid of the row.
    /// - parameter schemaName: `main`, `temp`, or the name of an attached database; nil for the
    ///   first schema that contains the table.
    /// - parameter mode: whether to write the blob. To write, open it in a transaction.
    /// - returns: the blob, which is valid until the end of the access, or, if it is opened for
    ///   writing, until the end of the transaction.
    /// - throws: a ``DatabaseError``: of code `SQLITE_ERROR` if there is no such table, column or
    ///   row, or if the value is neither a blob nor a string; of code `SQLITE_READONLY` if the blob
    ///   is opened for writing in a read-only access; of code `SQLITE_MISUSE` if it is opened for
    ///   writing outside a transaction.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/blob_open.html>
    public func openBlob(
        table tableName: String, column columnName: String, rowID: Int64,
        in schemaName: String? = nil, mode: DatabaseBlob.Mode = .readOnly
    ) throws -> DatabaseBlob {
        try checkAccess()
        try checkTransaction()
        if mode == .readWrite {
            if isReadOnly { throw Self.readOnlyBlobError }
            guard isInsideTransaction else {
                throw DatabaseError(misuse: "A blob must be opened for writing in a transaction")
            }
        }
        try checkSuspension(isReadonly: mode == .readOnly, effect: nil)
        let table = try existingTableOrView(tableName, in: schemaName)
        if mode == .readWrite, Self.isReservedTableName(table.name) {
            // SQLite does not protect its internal tables from blobs.
            throw DatabaseError(message: "table \(table.name) may not be modified")
        }
        let columns = try allColumns(in: table.name, in: table.schemaID.name)
        guard let column = columns.first(where: { ASCIICase.equal($0.name, columnName) }) else {
            throw DatabaseError(message: "no such column: \"\(columnName)\"")
        }
        return try DatabaseBlob(
            self, table: table, column: column.name, rowID: rowID, mode: mode)
    }

    static var readOnlyBlobError: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_READONLY, message: "attempt to write a readonly database")
    }

    /// Sets the maximum size of a value or a row, in bytes.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.prepareDatabase { db in
    ///     try db.setMaximumValueSize(2_000_000_000)
    /// }
    /// ```
    ///
    /// The default is 1,000,000,000 bytes. Read and write larger blobs in chunks.
    ///
    /// - parameter size: the size in bytes, at most 2,147,483,645.
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the size is negative or too large.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/limit.html>
    public func setMaximumValueSize(_ size: Int) throws {
        try checkAccess()
        guard size >= 0, size <= Int(RawConnection.maximumLengthLimit) else {
            throw DatabaseError(
                misuse: """
                    The maximum size of values must be between 0 and \
                    \(RawConnection.maximumLengthLimit), and not \(size)
                    """)
        }
        raw.setLimit(.length, to: size)
    }
}
