import GRDB
import CGRDBSQLite

/// Owns an `sqlite3_session*`, which records the changes of a connection.
///
/// Belongs to the thread that owns the connection. May be freed on any thread. After the connection is
/// closed, all methods throw.
///
/// See <https://www.sqlite.org/session/intro.html>.
final class RawSession {
    private let handle: OpaquePointer
    private let connection: RawConnection

    init(
        _ connection: RawConnection, schema: String, countsSize: Bool, recordsRowIDs: Bool
    ) throws(RawFailure) {
        let connectionHandle = try connection.openHandle()
        var handle: OpaquePointer?
        let code = grdb_sqlite3session_create(connectionHandle, schema, &handle)
        guard code == SQLITE_OK, let handle else {
            throw RawFailure(code: code, message: RawSQLite.errorString(code))
        }
        self.handle = handle
        self.connection = connection
        connection.sessions[handle] = .some(nil)
        if countsSize { configure(SQLITE_SESSION_OBJCONFIG_SIZE) }
        if recordsRowIDs { configure(SQLITE_SESSION_OBJCONFIG_ROWID) }
    }

    deinit {
        connection.release(.deleteSession(handle))
    }

    /// Enables an option. This can't fail before the first table is attached.
    private func configure(_ option: CInt) {
        var isOn: CInt = 1
        grdb_sqlite3session_object_config(handle, option, &isOn)
    }

    /// Throws if the connection was closed, which deletes the session.
    private func checkIsAlive() throws(RawFailure) {
        guard connection.sessions[handle] != nil else { throw RawConnection.closedFailure }
    }

    private func check(_ code: CInt) throws(RawFailure) {
        guard code != SQLITE_OK else { return }
        throw connection.sessionFailure(code)
    }

    // MARK: - Tables

    func attach(_ table: String) throws(RawFailure) {
        try checkIsAlive()
        try check(grdb_sqlite3session_attach(handle, table))
    }

    /// Sets a closure that decides whether to record a table that is not attached. Called during changes.
    func setFilter(_ filter: @escaping (UnsafePointer<CChar>) -> Bool) throws(RawFailure) {
        try checkIsAlive()
        let box = FilterBox(filter)
        grdb_sqlite3session_table_filter(
            handle,
            { context, table in
                guard let context, let table else { return 0 }
                let box = Unmanaged<FilterBox>.fromOpaque(context).takeUnretainedValue()
                return box.filter(table) ? 1 : 0
            }, Unmanaged.passUnretained(box).toOpaque())
        connection.sessions[handle] = .some(box)
    }

    private final class FilterBox {
        let filter: (UnsafePointer<CChar>) -> Bool

        init(_ filter: @escaping (UnsafePointer<CChar>) -> Bool) {
            self.filter = filter
        }
    }

    /// Records the differences between a table of another schema and that of the session.
    func diff(from schema: String, table: String) throws(RawFailure) {
        try checkIsAlive()
        var message: UnsafeMutablePointer<CChar>?
        let code = grdb_sqlite3session_diff(handle, schema, table, &message)
        defer { grdb_sqlite3_free(message) }
        guard code != SQLITE_OK else { return }
        if let message {
            throw RawFailure(code: code, message: String(cString: message))
        }
        throw connection.sessionFailure(code)
    }

    // MARK: - State

    /// - parameter isEnabled: nil leaves the setting unchanged.
    /// - returns: whether the session records.
    @discardableResult
    func enable(_ isEnabled: Bool?) throws(RawFailure) -> Bool {
        try checkIsAlive()
        return grdb_sqlite3session_enable(handle, isEnabled.map { $0 ? 1 : 0 } ?? -1) != 0
    }

    /// - parameter isIndirect: nil leaves the setting unchanged.
    /// - returns: whether changes are recorded as indirect.
    @discardableResult
    func setIndirect(_ isIndirect: Bool?) throws(RawFailure) -> Bool {
        try checkIsAlive()
        return grdb_sqlite3session_indirect(handle, isIndirect.map { $0 ? 1 : 0 } ?? -1) != 0
    }

    var isEmpty: Bool {
        get throws(RawFailure) {
            try checkIsAlive()
            return grdb_sqlite3session_isempty(handle) != 0
        }
    }

    /// The name of a table in which the session has ignored changes of rows whose key contains NULL.
    var tableWithNullKey: String? {
        get throws(RawFailure) {
            try checkIsAlive()
            return grdb_session_null_key_table(handle).map { String(cString: $0) }
        }
    }

    /// The memory used by the session, in bytes.
    var memoryUsed: Int64 {
        get throws(RawFailure) {
            try checkIsAlive()
            return grdb_sqlite3session_memory_used(handle)
        }
    }

    /// The maximum size of the changeset, in bytes; 0 unless the session tracks it.
    var changesetSize: Int64 {
        get throws(RawFailure) {
            try checkIsAlive()
            return grdb_sqlite3session_changeset_size(handle)
        }
    }

    // MARK: - Output

    func changeset(isPatchset: Bool) throws(RawFailure) -> RawBytes {
        try checkIsAlive()
        var count: CInt = 0
        var start: UnsafeMutableRawPointer?
        let code =
            isPatchset
            ? grdb_sqlite3session_patchset(handle, &count, &start)
            : grdb_sqlite3session_changeset(handle, &count, &start)
        let bytes = RawBytes(start: start, count: Int(count))
        try check(code)
        return bytes
    }

    func write(isPatchset: Bool, to output: RawChangesetOutput) throws {
        try checkIsAlive()
        let code =
            isPatchset
            ? grdb_sqlite3session_patchset_strm(
                handle, RawChangesetOutput.callback, output.context)
            : grdb_sqlite3session_changeset_strm(
                handle, RawChangesetOutput.callback, output.context)
        if let error = output.error { throw error }
        try check(code)
    }
}

extension RawConnection {
    /// The failure of a session function. Session functions return codes of their own, and codes of the
    /// statements that they run, whose message is stored in the connection.
    func sessionFailure(_ code: CInt) -> RawFailure {
        switch code & 0xff {
        case SQLITE_SCHEMA:
            RawFailure(
                code: code,
                message: "The session has stopped recording: the schema of a table has changed")
        default:
            failure(code)
        }
    }
}

extension RawConnection {
    /// In a preupdate callback, whether a virtual table stores its content in the table.
    var isChangingShadowTable: Bool {
        handle.map { grdb_preupdate_is_shadow($0) != 0 } ?? false
    }

    /// In a preupdate callback, the names of the first columns of the changed table.
    func changedTableColumnNames(_ maximumCount: Int) -> [String] {
        guard let handle else { return [] }
        return (0..<maximumCount).compactMap { index in
            grdb_preupdate_column_name(handle, CInt(index)).map { String(cString: $0) }
        }
    }
}
