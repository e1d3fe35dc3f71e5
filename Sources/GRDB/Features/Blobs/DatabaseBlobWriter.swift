public import _GRDBSystem

/// Writes a blob from its beginning to its end in chunks, from a task.
///
/// ```swift
/// let rowID = try await dbPool.write { db in
///     try db.execute(literal: "INSERT INTO video (content) VALUES (\(ZeroBlob(count: size)))")
///     return db.lastInsertedRowID
/// }
/// var writer = dbPool.blobWriter(table: "video", column: "content", rowID: rowID)
/// for try await chunk in download {
///     try await writer.write(chunk)
/// }
/// ```
///
/// Each chunk is a separate transaction. Other accesses may read a partially written blob, and
/// chunks remain written if a later chunk fails. If that matters, store the row where other code
/// does not use it until the blob is complete.
///
/// To find the position of each chunk, SQLite follows the chain of the blob's pages. For a blob of
/// more than 100 MB, collect chunks of several megabytes, or write the blob with a ``DatabaseBlob``
/// in one access.
public struct DatabaseBlobWriter: Sendable {
    fileprivate let writer: any DatabaseWriter
    fileprivate let tableName: String
    fileprivate let columnName: String
    fileprivate let rowID: Int64
    fileprivate let schemaName: String?

    /// The offset of the next chunk in the blob, in bytes.
    public var offset = 0

    /// Writes the next chunk.
    ///
    /// - parameter chunk: the bytes to write.
    /// - throws: the errors of ``Database/openBlob(table:column:rowID:in:mode:)`` and
    ///   ``DatabaseBlob/write(_:at:)``, and `CancellationError` if the task is cancelled. Nothing
    ///   is written in that case, and ``offset`` is unchanged.
    public mutating func write(_ chunk: Data) async throws {
        try await writer.write { [self] db in
            let blob = try db.openBlob(
                table: tableName, column: columnName, rowID: rowID, in: schemaName,
                mode: .readWrite)
            try blob.write(chunk, at: offset)
        }
        offset += chunk.count
    }
}

extension DatabaseWriter {
    /// Returns a writer that fills a blob in chunks, from a task.
    ///
    /// ```swift
    /// var writer = dbPool.blobWriter(table: "video", column: "content", rowID: rowID)
    /// try await writer.write(data)
    /// ```
    ///
    /// - parameter tableName: the name of a table.
    /// - parameter columnName: the name of a column.
    /// - parameter rowID: the rowid of the row.
    /// - parameter schemaName: `main`, `temp`, or the name of an attached database; nil for the
    ///   first schema that contains the table.
    /// - returns: a writer at the beginning of the blob.
    public func blobWriter(
        table tableName: String, column columnName: String, rowID: Int64,
        in schemaName: String? = nil
    ) -> DatabaseBlobWriter {
        DatabaseBlobWriter(
            writer: self, tableName: tableName, columnName: columnName, rowID: rowID,
            schemaName: schemaName)
    }
}
