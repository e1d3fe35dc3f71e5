import GRDB
import CGRDBSQLite
import _GRDBSystem

// Databases as sequences of bytes, which equal the content of their files.

extension RawConnection {
    /// Copies the pages of a database, including the changes of the current transaction.
    ///
    /// - returns: nil if the database is empty. Otherwise, memory that must be freed with `free()`.
    func serialize(schema: String) throws(RawFailure) -> UnsafeMutableRawBufferPointer? {
        let handle = try openHandle()
        var bytes: UnsafeMutablePointer<UInt8>?
        var count: UInt64 = 0
        try check(grdb_serialize(handle, schema, &bytes, &count))
        return bytes.map { UnsafeMutableRawBufferPointer(start: $0, count: Int(count)) }
    }

    /// The memory of a database that was opened from an image, valid until the database changes. Nil for
    /// other databases, and when a transaction has changed the database.
    func memoryImage(schema: String) -> UnsafeRawBufferPointer? {
        guard let handle else { return nil }
        var count: Int64 = 0
        return grdb_memory_image(handle, schema, &count).map {
            UnsafeRawBufferPointer(start: $0, count: Int(count))
        }
    }

    /// Replaces the main database by a read-only database in memory that reads the bytes in place.
    ///
    /// - parameter owner: keeps the bytes alive while the connection is open.
    func open(image bytes: UnsafeRawBufferPointer, ownedBy owner: AnyObject) throws(RawFailure) {
        guard let handle else { return }
        image = owner
        let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
        try check(
            grdb_sqlite3_deserialize(
                handle, "main", start?.assumingMemoryBound(to: UInt8.self), Int64(bytes.count),
                Int64(bytes.count), CUnsignedInt(SQLITE_DESERIALIZE_READONLY)))
    }

    /// Replaces the main database by a database in memory that starts with a copy of the bytes.
    ///
    /// - parameter patch: modifies the copy.
    /// - parameter isReadOnly: whether the database is read-only.
    func open(
        copyOfImage bytes: UnsafeRawBufferPointer, isReadOnly: Bool,
        patch: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(RawFailure) {
        guard let handle else { return }
        // There must be a buffer, even if the database is empty.
        guard let copy = grdb_sqlite3_malloc64(UInt64(max(bytes.count, 1))) else {
            throw RawFailure(code: SQLITE_NOMEM)
        }
        let buffer = UnsafeMutableRawBufferPointer(start: copy, count: bytes.count)
        buffer.copyMemory(from: bytes)
        patch(buffer)
        let flags =
            SQLITE_DESERIALIZE_FREEONCLOSE
            | (isReadOnly ? SQLITE_DESERIALIZE_READONLY : SQLITE_DESERIALIZE_RESIZEABLE)
        // Frees the copy on failure.
        try check(
            grdb_sqlite3_deserialize(
                handle, "main", copy.assumingMemoryBound(to: UInt8.self), Int64(bytes.count),
                Int64(max(bytes.count, 1)), CUnsignedInt(flags)))
    }

    /// Limits the size of a database in memory, in bytes.
    func setMaximumImageSize(_ size: Int64) throws(RawFailure) {
        guard let handle else { return }
        var limit = size
        try check(grdb_sqlite3_file_control(handle, "main", SQLITE_FCNTL_SIZE_LIMIT, &limit))
    }
}
