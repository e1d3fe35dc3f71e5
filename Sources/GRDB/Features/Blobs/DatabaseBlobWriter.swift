public import Foundation

/// Writes a blob from its beginning to its end, piece by piece, from a task.
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
/// Each piece is a transaction: others may read the row and see a part of the blob, and pieces that were
/// written stay when a later one fails. Store the row where others don't look for it until the blob is
/// complete, if that matters.
///
/// SQLite follows the chain of the blob's pages to the place of each piece. Collect pieces of some
/// megabytes for a blob of more than 100 MB, or write it with a ``DatabaseBlob`` in one access.
public struct DatabaseBlobWriter: Sendable {
    private let writer: any DatabaseWriter
    private let tableName: String
    private let columnName: String
    private let rowID: Int64
    private let schemaName: String?

    /// Where the next piece is written: the number of bytes before it.
    public var offset = 0

    init(
        _ writer: any DatabaseWriter, table: String, column: String, rowID: Int64,
        in schema: String?
    ) {
        self.writer = writer
        tableName = table
        columnName = column
        self.rowID = rowID
        schemaName = schema
    }

    /// Writes the next piece.
    ///
    /// - parameter chunk: the bytes.
    /// - throws: what ``Database/openBlob(table:column:rowID:in:mode:)`` and
    ///   ``DatabaseBlob/write(_:at:)`` throw, and `CancellationError` if the task is cancelled. Nothing is
    ///   written then, and ``offset`` stays the same.
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
    /// Makes a writer that fills a blob piece by piece, from a task.
    ///
    /// - parameter tableName: the name of a table.
    /// - parameter columnName: the name of a column.
    /// - parameter rowID: the rowid of the row.
    /// - parameter schemaName: `main`, `temp`, or the name of an attached database; nil looks into all of
    ///   them.
    /// - returns: a writer, at the beginning of the blob.
    public func blobWriter(
        table tableName: String, column columnName: String, rowID: Int64,
        in schemaName: String? = nil
    ) -> DatabaseBlobWriter {
        DatabaseBlobWriter(self, table: tableName, column: columnName, rowID: rowID, in: schemaName)
    }
}
