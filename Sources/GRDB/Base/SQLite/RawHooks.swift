import CGRDBSQLite

/// The Swift side of the callbacks that SQLite calls for a connection: one trampoline per C callback.
///
/// The closures are set by the thread that owns the connection. They are called on that thread, in the
/// middle of a C function: they must not throw and, except for `busy` and `trace`, must not use the
/// connection.
package final class RawHooks {
    /// Called while a statement is compiled. Returns `SQLITE_OK`, `SQLITE_DENY` or `SQLITE_IGNORE`.
    var authorize: ((RawAuthorization) -> CInt)?
    /// Returns whether the transaction should be rolled back instead of committed.
    var willCommit: (() -> Bool)?
    package var didRollback: (() -> Void)?
    var trace: ((RawTrace) -> Void)?
    /// Receives the number of earlier calls for the same lock. Returns whether to try again.
    var busy: ((Int) -> Bool)?
    /// Returns whether waits for locks must end.
    var mustStop: (() -> Bool)?
    /// Returns whether the running statement must fail with `SQLITE_INTERRUPT`.
    var mustStopStatement: (() -> Bool)?

    /// The start of the current wait for a lock, in nanoseconds of the monotonic clock.
    var lockWaitStart: UInt64 = 0

    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private static func hooks(_ context: UnsafeMutableRawPointer?) -> RawHooks {
        Unmanaged<RawHooks>.fromOpaque(context!).takeUnretainedValue()
    }

    /// Installs the authorizer. This expires all prepared statements: they are compiled again, with the
    /// authorizer, when they next run.
    func installAuthorizer(in connection: SQLiteConnection) {
        grdb_sqlite3_set_authorizer(
            connection,
            { context, action, argument1, argument2, schema, accessor in
                guard let authorize = RawHooks.hooks(context).authorize else { return SQLITE_OK }
                return authorize(
                    RawAuthorization(
                        action: action, argument1: argument1, argument2: argument2, schema: schema,
                        accessor: accessor))
            }, context)
    }

    func installTransactionHooks(in connection: SQLiteConnection) {
        grdb_sqlite3_commit_hook(
            connection,
            { context in
                (RawHooks.hooks(context).willCommit?() ?? false) ? 1 : 0
            }, context)
        grdb_sqlite3_rollback_hook(
            connection,
            { context in
                RawHooks.hooks(context).didRollback?()
            }, context)
    }

    /// Notifies the receiver of each changed row. Nil removes the hook.
    func setUpdateHook(_ receiver: RawChangeReceiver?, in connection: SQLiteConnection) {
        guard let receiver else {
            grdb_sqlite3_update_hook(connection, nil, nil)
            return
        }
        grdb_sqlite3_update_hook(
            connection,
            { context, kind, schema, table, rowID in
                RawChangeReceiver.withReceiver(context) {
                    $0.didUpdate(
                        RawUpdate(
                            kind: kind, schema: schema.unsafelyUnwrapped,
                            table: table.unsafelyUnwrapped, rowID: rowID))
                }
            }, Unmanaged.passUnretained(receiver).toOpaque())
    }

    /// Notifies the receiver of each row that is about to change. Nil removes the hook.
    func setPreUpdateHook(_ receiver: RawChangeReceiver?, in connection: SQLiteConnection) {
        guard let receiver else {
            grdb_sqlite3_preupdate_hook(connection, nil, nil)
            return
        }
        grdb_sqlite3_preupdate_hook(
            connection,
            { context, connection, kind, schema, table, oldRowID, newRowID in
                RawChangeReceiver.withReceiver(context) {
                    $0.willUpdate(
                        RawPreUpdate(
                            connection: connection.unsafelyUnwrapped, kind: kind,
                            schema: schema.unsafelyUnwrapped, table: table.unsafelyUnwrapped,
                            oldRowID: oldRowID, newRowID: newRowID))
                }
            }, Unmanaged.passUnretained(receiver).toOpaque())
    }

    /// - parameter mask: the events to trace; 0 for none.
    func setTrace(mask: CUnsignedInt, in connection: SQLiteConnection) {
        grdb_sqlite3_trace_v2(
            connection, mask,
            { event, context, p, x in
                guard let trace = RawHooks.hooks(context).trace, let p else { return 0 }
                if event == CUnsignedInt(SQLITE_TRACE_STMT) {
                    let sql = x.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) }
                    trace(.statement(OpaquePointer(p), sql: sql ?? ""))
                } else if event == CUnsignedInt(SQLITE_TRACE_PROFILE) {
                    let nanoseconds = x.map { $0.load(as: Int64.self) }
                    trace(.profile(OpaquePointer(p), nanoseconds: nanoseconds ?? 0))
                }
                return 0
            }, context)
    }

    /// - parameter milliseconds: the result of `PRAGMA busy_timeout`.
    func installBusyHandler(in connection: SQLiteConnection, milliseconds: CInt) {
        grdb_set_busy_handler(
            connection,
            { context, tries in
                (RawHooks.hooks(context).busy?(Int(tries)) ?? false) ? 1 : 0
            }, context, milliseconds)
    }

    func removeBusyHandler(from connection: SQLiteConnection) {
        grdb_sqlite3_busy_handler(connection, nil, nil)
    }

    func setProgressHandler(_ enabled: Bool, in connection: SQLiteConnection) {
        // Thousands of virtual machine steps take some microseconds. 0 removes the handler.
        grdb_sqlite3_progress_handler(
            connection, enabled ? 4000 : 0,
            { context in
                (RawHooks.hooks(context).mustStopStatement?() ?? false) ? 1 : 0
            }, context)
    }

    func removeAll(from connection: SQLiteConnection) {
        authorize = nil
        willCommit = nil
        didRollback = nil
        trace = nil
        busy = nil
        mustStop = nil
        mustStopStatement = nil
        grdb_sqlite3_set_authorizer(connection, nil, nil)
        grdb_sqlite3_commit_hook(connection, nil, nil)
        grdb_sqlite3_rollback_hook(connection, nil, nil)
        grdb_sqlite3_update_hook(connection, nil, nil)
        grdb_sqlite3_preupdate_hook(connection, nil, nil)
        grdb_sqlite3_trace_v2(connection, 0, nil, nil)
        grdb_sqlite3_busy_handler(connection, nil, nil)
        grdb_sqlite3_progress_handler(connection, 0, nil, nil)
    }
}

/// A receiver of row changes, in the middle of a statement. It must outlive the hooks.
///
/// A separate class, because these callbacks run once per row: SQLite calls the receiver without
/// a closure and without reference counting.
package class RawChangeReceiver {
    func didUpdate(_ update: RawUpdate) {}
    func willUpdate(_ update: RawPreUpdate) {}

    @inline(__always)
    fileprivate static func withReceiver(
        _ context: UnsafeMutableRawPointer?, _ body: (RawChangeReceiver) -> Void
    ) {
        Unmanaged<RawChangeReceiver>.fromOpaque(context.unsafelyUnwrapped)
            ._withUnsafeGuaranteedRef(body)
    }
}

/// An action of a statement that is being compiled. Valid during the callback.
///
/// See <https://www.sqlite.org/c3ref/c_alter_table.html>.
package struct RawAuthorization {
    package var action: CInt
    package var argument1: UnsafePointer<CChar>?
    package var argument2: UnsafePointer<CChar>?
    package var schema: UnsafePointer<CChar>?
    /// The innermost trigger or view.
    package var accessor: UnsafePointer<CChar>?

    static let allow = SQLITE_OK
    package static let deny = SQLITE_DENY
    /// Allows a DELETE, but makes SQLite delete row by row.
    package static let ignore = SQLITE_IGNORE

    static let read = SQLITE_READ
    static let insert = SQLITE_INSERT
    static let update = SQLITE_UPDATE
    static let delete = SQLITE_DELETE
    static let transaction = SQLITE_TRANSACTION
    package static let savepoint = SQLITE_SAVEPOINT
    package static let pragma = SQLITE_PRAGMA
    static let function = SQLITE_FUNCTION
    static let attach = SQLITE_ATTACH
    static let detach = SQLITE_DETACH
    static let alterTable = SQLITE_ALTER_TABLE
    static let dropTable = SQLITE_DROP_TABLE
    static let dropTempTable = SQLITE_DROP_TEMP_TABLE
    static let dropVirtualTable = SQLITE_DROP_VTABLE
    static let dropView = SQLITE_DROP_VIEW
    static let dropTempView = SQLITE_DROP_TEMP_VIEW

    /// Whether the action changes the schema, or the schemas.
    var changesSchema: Bool {
        switch action {
        // These codes are consecutive.
        case SQLITE_CREATE_INDEX...SQLITE_CREATE_VIEW, SQLITE_DROP_INDEX...SQLITE_DROP_VIEW,
            SQLITE_CREATE_VTABLE, SQLITE_DROP_VTABLE, SQLITE_ALTER_TABLE, SQLITE_ATTACH,
            SQLITE_DETACH:
            true
        default:
            false
        }
    }
}

/// A row change that has happened. Valid during the callback.
struct RawUpdate {
    static var updateKind: CInt { SQLITE_UPDATE }

    /// `SQLITE_INSERT`, `SQLITE_UPDATE` or `SQLITE_DELETE`.
    var kind: CInt
    var schema: UnsafePointer<CChar>
    var table: UnsafePointer<CChar>
    var rowID: Int64
}

/// A row change that is about to happen. Valid during the callback.
///
/// See <https://www.sqlite.org/c3ref/preupdate_blobwrite.html>.
struct RawPreUpdate {
    var connection: SQLiteConnection
    /// `SQLITE_INSERT`, `SQLITE_UPDATE` or `SQLITE_DELETE`.
    var kind: CInt
    var schema: UnsafePointer<CChar>
    var table: UnsafePointer<CChar>
    var oldRowID: Int64
    var newRowID: Int64

    var columnCount: CInt { grdb_sqlite3_preupdate_count(connection) }

    /// 0 for direct changes, 1 for changes by a trigger of direct changes, and so on.
    var depth: CInt { grdb_sqlite3_preupdate_depth(connection) }

    /// The name of a column. Runs no statement.
    func columnName(at index: CInt) -> String {
        grdb_preupdate_column_name(connection, index).map { String(cString: $0) } ?? ""
    }

    /// Whether a column has values: false for generated columns that are not stored.
    func isColumnStored(at index: CInt) -> Bool {
        grdb_preupdate_column_is_stored(connection, index) != 0
    }

    /// Whether the rows have rowids: false for a table `WITHOUT ROWID`.
    var hasRowID: Bool { grdb_preupdate_has_rowid(connection) != 0 }

    /// Whether a virtual table stores its content in the table.
    var isShadowTable: Bool { grdb_preupdate_is_shadow(connection) != 0 }

    /// The column that a blob handle is about to write; -1 for other changes.
    var blobColumn: CInt { grdb_sqlite3_preupdate_blobwrite(connection) }

    /// The update that a write into a blob represents. SQLite reports it as a deletion.
    var asUpdate: RawPreUpdate {
        guard blobColumn >= 0 else { return self }
        var update = self
        update.kind = SQLITE_UPDATE
        update.newRowID = oldRowID
        return update
    }

    func oldValue(at index: CInt) -> OpaquePointer? {
        var value: OpaquePointer?
        return grdb_sqlite3_preupdate_old(connection, index, &value) == SQLITE_OK ? value : nil
    }

    func newValue(at index: CInt) -> OpaquePointer? {
        var value: OpaquePointer?
        return grdb_sqlite3_preupdate_new(connection, index, &value) == SQLITE_OK ? value : nil
    }
}

/// An event of `sqlite3_trace_v2()`. Valid during the callback.
enum RawTrace {
    /// A statement or trigger is about to run. The text of a trigger is a comment.
    case statement(OpaquePointer, sql: String)
    case profile(OpaquePointer, nanoseconds: Int64)

    static let statementMask = SQLITE_TRACE_STMT
    static let profileMask = SQLITE_TRACE_PROFILE
}
