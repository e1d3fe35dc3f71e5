import CGRDBSQLite

/// A blob that a connection keeps open.
struct OpenBlob {
    let handle: OpaquePointer
    let isWritable: Bool
}

/// Incremental access to a value of a row: an `sqlite3_blob*`, owned by the connection.
///
/// The connection closes the blob at the end of the access, or of the transaction if the blob is
/// writable. SQLite reads through a cursor of a statement, which must not be reset meanwhile.
///
/// Belongs to the thread that owns the connection. May be freed on any thread.
///
/// See <https://www.sqlite.org/c3ref/blob_open.html>.
final class RawBlob {
    private let connection: RawConnection

    /// Identifies the blob. The handle doesn't, because a later blob may have the same address.
    private let number: Int

    init(
        _ connection: RawConnection, schema: String, table: String, column: String, rowID: Int64,
        isWritable: Bool
    ) throws(RawFailure) {
        let connectionHandle = try connection.openHandle()
        var handle: OpaquePointer?
        let code = grdb_sqlite3_blob_open(
            connectionHandle, schema, table, column, rowID, isWritable ? 1 : 0, &handle)
        guard code == SQLITE_OK, let handle else { throw connection.failure(code) }
        self.connection = connection
        connection.blobCount += 1
        number = connection.blobCount
        connection.blobs[number] = OpenBlob(handle: handle, isWritable: isWritable)
    }

    deinit {
        connection.release(.closeBlob(number))
    }

    private var handle: OpaquePointer {
        get throws(RawFailure) {
            guard let blob = connection.blobs[number] else {
                throw RawFailure(
                    code: SQLITE_ABORT, message: "The blob is closed: its access has ended")
            }
            return blob.handle
        }
    }

    /// The size of the blob, in bytes.
    var count: Int {
        get throws(RawFailure) { Int(grdb_sqlite3_blob_bytes(try handle)) }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(RawFailure) {
        try check(
            grdb_sqlite3_blob_read(
                try handle, buffer.baseAddress ?? Self.noBytes, CInt(buffer.count), CInt(offset)))
    }

    /// - returns: a result code for `check(_:)`.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(RawFailure) -> CInt {
        grdb_sqlite3_blob_write(
            try handle, bytes.baseAddress ?? UnsafeRawPointer(Self.noBytes), CInt(bytes.count),
            CInt(offset))
    }

    /// Replaces the null address of an empty buffer: SQLite passes it to `memcpy`, which must not receive a
    /// null pointer, even to copy 0 bytes.
    nonisolated(unsafe) private static let noBytes = UnsafeMutableRawPointer.allocate(
        byteCount: 1, alignment: 1)

    func move(to rowID: Int64) throws(RawFailure) {
        try check(grdb_sqlite3_blob_reopen(try handle, rowID))
    }

    func check(_ code: CInt) throws(RawFailure) {
        guard code != SQLITE_OK else { return }
        if code & 0xff == SQLITE_ABORT { throw Self.expiredFailure }
        throw connection.failure(code)
    }

    private static var expiredFailure: RawFailure {
        RawFailure(
            code: SQLITE_ABORT, message: "The row of the blob was changed or deleted")
    }

    /// Closes the blob before its access ends.
    func close() {
        connection.closeBlob(number)
    }
}

extension RawConnection {
    func closeBlob(_ number: Int) {
        if let blob = blobs.removeValue(forKey: number) {
            // Ignore the result code, which repeats the error of an earlier call. Writable blobs require
            // a transaction, so closing one commits nothing.
            grdb_sqlite3_blob_close(blob.handle)
        }
    }

    func closeBlobs() {
        for number in blobs.keys { closeBlob(number) }
    }

    func closeWritableBlobs() {
        for (number, blob) in blobs where blob.isWritable { closeBlob(number) }
    }
}
