public import _GRDBSystem

/// A blob of a row, to read and write in chunks.
///
/// Use it for values that are too large to load as a whole. Open a blob with
/// ``Database/openBlob(table:column:rowID:in:mode:)``:
///
/// ```swift
/// // Reads the first bytes of a video
/// let header = try dbQueue.read { db in
///     let blob = try db.openBlob(table: "video", column: "content", rowID: 1)
///     return try blob.read(count: 64, at: 0)
/// }
///
/// // Replaces some bytes
/// try dbQueue.write { db in
///     let blob = try db.openBlob(
///         table: "video", column: "content", rowID: 1, mode: .readWrite)
///     try blob.write(Data([0xff, 0xd8]), at: 0)
/// }
/// ```
///
/// The size of a blob is fixed. To fill a blob later, store a ``ZeroBlob`` first.
///
/// The handle belongs to its connection. It is valid until the access ends. A writable handle is
/// valid until the transaction or a savepoint ends or is rolled back. After that, and if a
/// statement has changed or deleted the row, its methods throw an error of code `SQLITE_ABORT`. The
/// handle may be deallocated on any thread.
///
/// A write counts as an update of the row for transaction observers, `ValueObservation` and change
/// feeds, but it runs no trigger and checks no constraint. SQLite can't open a new savepoint while
/// a writable blob is open: see ``close()``.
///
/// Related SQLite documentation: <https://www.sqlite.org/c3ref/blob.html>
public final class DatabaseBlob {
    /// The access mode of a handle.
    public enum Mode: Sendable {
        /// The blob can be read.
        case readOnly
        /// The blob can be read and written. It must not be part of an index or of a foreign key.
        case readWrite
    }

    private let database: Database
    private let raw: RawBlob
    private let table: DatabaseObjectID

    /// The name of the column, as spelled in the schema.
    public let columnName: String

    /// The access mode of the handle.
    public let mode: Mode

    /// The rowid of the row.
    public private(set) var rowID: Int64

    /// The size of the blob, in bytes.
    public private(set) var count: Int

    /// The name of the table, as spelled in the schema.
    public var tableName: String { table.name }

    /// The name of the schema of the table: `main`, `temp`, or the name of an attached database.
    public var schemaName: String { table.schemaID.name }

    init(
        _ database: Database, table: DatabaseObjectID, column: String, rowID: Int64, mode: Mode
    ) throws {
        self.database = database
        self.table = table
        self.columnName = column
        self.rowID = rowID
        self.mode = mode
        (raw, count) = try database.convertingFailures {
            let raw = try RawBlob(
                database.raw, schema: table.schemaID.name, table: table.name, column: column,
                rowID: rowID, isWritable: mode == .readWrite)
            return try (raw, raw.count)
        }
        try recordRegion()
    }

    /// Adds the value to the region of an observed access.
    private func recordRegion() throws {
        try database.registerAccess(
            to: DatabaseRegion(table: table.name, columns: [columnName], rowIDs: [rowID]))
    }

    private func access<Result>(_ body: () throws -> Result) throws -> Result {
        try database.checkAccess()
        try database.checkTransaction()
        return try database.convertingFailures(body)
    }

    private func checkRange(_ offset: Int, _ count: Int) throws {
        guard offset >= 0, count >= 0, offset <= self.count, count <= self.count - offset else {
            throw DatabaseError(
                message: """
                    \(count) bytes at the offset \(offset) are out of the range of a blob of \
                    \(self.count) bytes
                    """)
        }
    }

    // MARK: - Reading

    /// Reads a chunk of the blob.
    ///
    /// ```swift
    /// let header = try blob.read(count: 16, at: 0)
    /// ```
    ///
    /// - parameter count: the number of bytes to read.
    /// - parameter offset: the offset of the chunk in the blob, in bytes.
    /// - returns: the bytes.
    /// - throws: a ``DatabaseError``: of code `SQLITE_ERROR` if the chunk is out of range, of code
    ///   `SQLITE_ABORT` if the row has changed or the blob is closed.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/blob_read.html>
    public func read(count: Int, at offset: Int) throws -> Data {
        // Check before allocating memory.
        try checkRange(offset, count)
        if count == 0 {
            try read(into: UnsafeMutableRawBufferPointer(start: nil, count: 0), at: offset)
            return Data()
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        do {
            try read(into: buffer, at: offset)
        } catch {
            buffer.deallocate()
            throw error
        }
        return Data(
            bytesNoCopy: buffer.baseAddress!, count: count,
            deallocator: .custom { start, _ in start.deallocate() })
    }

    /// Reads a chunk of the blob into a buffer.
    ///
    /// ```swift
    /// try withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
    ///     try blob.read(into: buffer, at: 0)
    /// }
    /// ```
    ///
    /// - parameter buffer: the buffer to fill. Its size is the number of bytes to read.
    /// - parameter offset: the offset of the chunk in the blob, in bytes.
    /// - throws: the errors of ``read(count:at:)``.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
        try access {
            try checkRange(offset, buffer.count)
            try raw.read(into: buffer, at: offset)
        }
    }

    /// Reads the whole blob in chunks.
    ///
    /// ```swift
    /// var hasher = SHA256()
    /// try blob.forEachChunk { hasher.update(bufferPointer: $0) }
    /// ```
    ///
    /// - parameter size: the size of a chunk, in bytes. The last chunk may be smaller.
    /// - parameter body: receives the chunks in order. The bytes are valid during the call.
    /// - throws: the errors of ``read(count:at:)``, and the error of the closure.
    public func forEachChunk(
        ofSize size: Int = 65_536, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard size > 0 else { throw Self.chunkSizeError(size) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: min(size, max(count, 1)), alignment: 16)
        defer { buffer.deallocate() }
        var offset = 0
        while offset < count {
            let piece = UnsafeMutableRawBufferPointer(
                rebasing: buffer[..<min(size, count - offset)])
            try read(into: piece, at: offset)
            try body(UnsafeRawBufferPointer(piece))
            offset += piece.count
        }
    }

    static func chunkSizeError(_ size: Int) -> DatabaseError {
        DatabaseError(misuse: "Pieces of a blob must have a positive size, and not \(size) bytes")
    }

    // MARK: - Writing

    /// Writes a chunk of the blob.
    ///
    /// ```swift
    /// try blob.write(Data("header".utf8), at: 0)
    /// ```
    ///
    /// - parameter bytes: the new bytes.
    /// - parameter offset: the offset of the chunk in the blob, in bytes.
    /// - throws: a ``DatabaseError``: of code `SQLITE_ERROR` if the chunk is out of range; of code
    ///   `SQLITE_READONLY` if the blob was not opened for writing, or in a read-only access; of
    ///   code `SQLITE_ABORT` if the row has changed or the blob is closed.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/blob_write.html>
    public func write(_ bytes: some ContiguousBytes, at offset: Int) throws {
        try bytes.withUnsafeBytes { try write(bytes: $0, at: offset) }
    }

    /// Writes a chunk of the blob from a buffer.
    ///
    /// - parameter bytes: the new bytes.
    /// - parameter offset: the offset of the chunk in the blob, in bytes.
    /// - throws: the errors of ``write(_:at:)``.
    public func write(bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        try access {
            guard mode == .readWrite, !database.isReadOnly else { throw Database.readOnlyBlobError }
            try checkRange(offset, bytes.count)
            if bytes.isEmpty { return }
            try database.checkSuspension(isReadonly: false, effect: nil)
            var result: Result<CInt, RawFailure> = .success(RawStatement.ok)
            let code = database.broker.performBlobWrite(
                BlobWrite(bytes: bytes, offset: offset), table: table, column: columnName,
                rowID: rowID
            ) {
                do throws(RawFailure) {
                    let code = try raw.write(bytes, at: offset)
                    result = .success(code)
                    return code
                } catch {
                    result = .failure(error)
                    return error.code
                }
            }
            _ = try result.get()
            try raw.check(code)
        }
    }

    // MARK: - Moving and closing

    /// Moves the handle to the blob of another row of the table. This is faster than opening
    /// another handle.
    ///
    /// ```swift
    /// let blob = try db.openBlob(table: "photo", column: "content", rowID: ids[0])
    /// for id in ids {
    ///     try blob.move(to: id)
    ///     print(blob.count)
    /// }
    /// ```
    ///
    /// - parameter rowID: the rowid of another row.
    /// - throws: a ``DatabaseError``: of code `SQLITE_ERROR` if there is no such row, or if its
    ///   value is neither a blob nor a string. All further calls then throw an error of code
    ///   `SQLITE_ABORT`.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/blob_reopen.html>
    public func move(to rowID: Int64) throws {
        try access {
            try raw.move(to: rowID)
            self.rowID = rowID
            count = try raw.count
            try recordRegion()
        }
    }

    /// Closes the blob before the end of its access or transaction.
    ///
    /// Call it before you open a savepoint: SQLite can't open a savepoint while a writable blob is
    /// open.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` outside the access.
    public func close() throws {
        try database.checkAccess()
        raw.close()
    }
}

// See `Database`.
@available(*, unavailable)
extension DatabaseBlob: Sendable {}
