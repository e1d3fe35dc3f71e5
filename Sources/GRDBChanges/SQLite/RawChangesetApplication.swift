import GRDB
import CGRDBSQLite

/// The input of `RawChangesetApplication`.
enum RawChangesetSource {
    case bytes(UnsafeRawBufferPointer)
    case stream(RawChangesetInput)
}

/// A change that is being applied, and the row that it conflicts with, if any. Valid during the callback.
struct RawAppliedChange {
    fileprivate let iterator: OpaquePointer

    /// The operation, the flag of indirect changes, and the records, in the format of changesets. Not
    /// available for foreign key conflicts, which have no change.
    var bytes: UnsafeRawBufferPointer {
        var count: CInt = 0
        let start = grdb_changeset_change(iterator, &count)
        return UnsafeRawBufferPointer(start: start, count: Int(count))
    }

    /// The name of the table. Not available for foreign key conflicts.
    var table: UnsafePointer<CChar> {
        var table: UnsafePointer<CChar>?
        var columnCount: CInt = 0
        var operation: CInt = 0
        grdb_sqlite3changeset_op(iterator, &table, &columnCount, &operation, nil)
        return table!
    }

    /// Returns a value of the row that the change conflicts with.
    func conflictingValue(at index: Int) -> OpaquePointer? {
        var value: OpaquePointer?
        guard grdb_sqlite3changeset_conflict(iterator, CInt(index), &value) == SQLITE_OK else {
            return nil
        }
        return value
    }
}

/// Applies one changeset to the main schema of a connection.
///
/// The closures are called in the middle of a C function, between the statements that it runs.
final class RawChangesetApplication {
    struct Flags: OptionSet {
        let rawValue: CInt

        static let noSavepoint = Flags(rawValue: SQLITE_CHANGESETAPPLY_NOSAVEPOINT)
        static let invert = Flags(rawValue: SQLITE_CHANGESETAPPLY_INVERT)
        static let ignoreNoop = Flags(rawValue: SQLITE_CHANGESETAPPLY_IGNORENOOP)
        static let foreignKeyNoAction = Flags(rawValue: SQLITE_CHANGESETAPPLY_FKNOACTION)
    }

    static let data = SQLITE_CHANGESET_DATA
    static let notFound = SQLITE_CHANGESET_NOTFOUND
    static let conflict = SQLITE_CHANGESET_CONFLICT
    static let constraint = SQLITE_CHANGESET_CONSTRAINT
    static let foreignKey = SQLITE_CHANGESET_FOREIGN_KEY

    static let omit = SQLITE_CHANGESET_OMIT
    static let replace = SQLITE_CHANGESET_REPLACE
    static let abort = SQLITE_CHANGESET_ABORT

    /// Returns whether to apply a change. If nil, all changes are applied.
    private let filter: ((RawAppliedChange) -> Bool)?

    /// Receives the kind of a conflict, and returns its resolution.
    private let resolve: (CInt, RawAppliedChange) -> CInt

    init(
        filter: ((RawAppliedChange) -> Bool)?,
        resolve: @escaping (CInt, RawAppliedChange) -> CInt
    ) {
        self.filter = filter
        self.resolve = resolve
    }

    private static func application(
        _ context: UnsafeMutableRawPointer?
    ) -> RawChangesetApplication {
        Unmanaged<RawChangesetApplication>.fromOpaque(context!).takeUnretainedValue()
    }

    /// - returns: the result code, and the conflict resolutions, for rebasing.
    func apply(
        _ source: RawChangesetSource, to connection: RawConnection, flags: Flags
    ) -> (code: CInt, resolutions: RawBytes) {
        guard let handle = connection.handle else {
            return (SQLITE_MISUSE, RawBytes(start: nil, count: 0))
        }
        let context = Unmanaged.passUnretained(self).toOpaque()
        let includes: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> CInt = {
            RawChangesetApplication.application($0).filter!(RawAppliedChange(iterator: $1!)) ? 1 : 0
        }
        let filter = self.filter == nil ? nil : includes
        let resolve: @convention(c) (UnsafeMutableRawPointer?, CInt, OpaquePointer?) -> CInt = {
            RawChangesetApplication.application($0).resolve($1, RawAppliedChange(iterator: $2!))
        }
        var resolutions: UnsafeMutableRawPointer?
        var count: CInt = 0
        let code: CInt
        switch source {
        case .bytes(let bytes):
            guard let length = CInt(exactly: bytes.count) else {
                return (SQLITE_TOOBIG, RawBytes(start: nil, count: 0))
            }
            code = grdb_sqlite3changeset_apply_v3(
                handle, length, UnsafeMutableRawPointer(mutating: bytes.baseAddress), filter,
                resolve, context, &resolutions, &count, flags.rawValue)
        case .stream(let input):
            code = grdb_sqlite3changeset_apply_v3_strm(
                handle, RawChangesetInput.callback, input.context, filter, resolve, context,
                &resolutions, &count, flags.rawValue)
        }
        return (code, RawBytes(start: resolutions, count: Int(count)))
    }
}

extension RawConnection {
    /// The number of violations of immediate foreign keys deferred until the end of the transaction; nil
    /// unless `PRAGMA defer_foreign_keys` is on.
    ///
    /// Applying a changeset turns the pragma off, and resets the count.
    var deferredForeignKeyViolations: Int64? {
        get {
            guard let handle else { return nil }
            var count: Int64 = 0
            return grdb_get_deferred_foreign_keys(handle, &count) != 0 ? count : nil
        }
        set {
            guard let handle, let newValue else { return }
            grdb_set_deferred_foreign_keys(handle, newValue)
        }
    }

    /// The number of violations of foreign keys that wait for the end of the transaction.
    var openForeignKeyViolations: Int {
        handle.map { Int(grdb_foreign_key_violations($0)) } ?? 0
    }

    /// The number of violations of immediate foreign keys so far, while their check is deferred.
    var immediateForeignKeyViolations: Int64 {
        guard let handle else { return 0 }
        var count: Int64 = 0
        _ = grdb_get_deferred_foreign_keys(handle, &count)
        return count
    }

    /// Enables or disables non-temporary triggers, and returns whether they were enabled.
    @discardableResult
    func setTriggersEnabled(_ enabled: Bool) -> Bool {
        guard let handle else { return true }
        var former: CInt = 0
        _ = grdb_db_config_int(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, -1, &former)
        _ = grdb_db_config_int(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, enabled ? 1 : 0, nil)
        return former != 0
    }
}
