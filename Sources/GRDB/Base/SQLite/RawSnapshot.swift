import CGRDBSQLite

/// Owns an `sqlite3_snapshot*`, which identifies a past state of a database in WAL mode.
///
/// `@unchecked Sendable`: a snapshot never changes, and does not refer to a connection.
///
/// See <https://www.sqlite.org/c3ref/snapshot.html>.
package final class RawSnapshot: @unchecked Sendable {
    private let handle: UnsafeMutablePointer<grdb_sqlite3_snapshot>

    /// Captures the state seen by the current transaction, which becomes a read transaction if it has not
    /// read yet.
    ///
    /// If the read transaction begins here, the state can be opened elsewhere at least until the transaction
    /// ends. Otherwise, it can be opened until a checkpoint overwrites it.
    package init(_ connection: RawConnection, schema: String = "main") throws(RawFailure) {
        let connectionHandle = try connection.openHandle()
        var handle: UnsafeMutablePointer<grdb_sqlite3_snapshot>?
        let code = grdb_sqlite3_snapshot_get(connectionHandle, schema, &handle)
        guard code == SQLITE_OK, let handle else { throw RawFailure(code: code) }
        self.handle = handle
    }

    deinit {
        grdb_sqlite3_snapshot_free(handle)
    }

    /// Makes the current transaction of a connection see the state of the snapshot.
    ///
    /// The connection must have read before, and must not have a statement on a row.
    func open(in connection: RawConnection, schema: String = "main") throws(RawFailure) {
        let connectionHandle = try connection.openHandle()
        let code = grdb_sqlite3_snapshot_open(connectionHandle, schema, handle)
        if code != SQLITE_OK { throw RawFailure(code: code) }
    }

    /// Negative if this snapshot is older than another snapshot of the same file, zero if both are the
    /// same state, positive if it is newer.
    func compare(_ other: RawSnapshot) -> CInt {
        grdb_sqlite3_snapshot_cmp(handle, other.handle)
    }

    /// The number of transactions committed by all connections since the index of the write-ahead log was
    /// created, modulo 2³². Nil if the index has an unknown format.
    ///
    /// A snapshot is a copy of the header of that index: see
    /// <https://www.sqlite.org/walformat.html#the_wal_index_header>.
    package var commitCount: UInt32? {
        withUnsafeBytes(of: handle.pointee) { header in
            guard header.count >= 48, header.load(as: UInt32.self) == 3_007_000 else { return nil }
            return header.load(fromByteOffset: 8, as: UInt32.self)
        }
    }
}
