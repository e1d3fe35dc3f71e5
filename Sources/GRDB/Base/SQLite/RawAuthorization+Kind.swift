import CGRDBSQLite

extension RawAuthorization {
    enum Object {
        case table, index, trigger, view
    }

    /// The action, as an enumeration for `switch`.
    enum Kind {
        case select, recursive, read, insert, update, delete, function, pragma, transaction,
            savepoint
        case attach, detach, alterTable, reindex, analyze, createVirtualTable, dropVirtualTable,
            other
        case create(Object, isTemporary: Bool)
        case drop(Object, isTemporary: Bool)
    }

    var kind: Kind {
        switch action {
        case SQLITE_SELECT: .select
        case SQLITE_RECURSIVE: .recursive
        case SQLITE_READ: .read
        case SQLITE_INSERT: .insert
        case SQLITE_UPDATE: .update
        case SQLITE_DELETE: .delete
        case SQLITE_FUNCTION: .function
        case SQLITE_PRAGMA: .pragma
        case SQLITE_TRANSACTION: .transaction
        case SQLITE_SAVEPOINT: .savepoint
        case SQLITE_ATTACH: .attach
        case SQLITE_DETACH: .detach
        case SQLITE_ALTER_TABLE: .alterTable
        case SQLITE_REINDEX: .reindex
        case SQLITE_ANALYZE: .analyze
        case SQLITE_CREATE_VTABLE: .createVirtualTable
        case SQLITE_DROP_VTABLE: .dropVirtualTable
        case SQLITE_CREATE_TABLE: .create(.table, isTemporary: false)
        case SQLITE_CREATE_INDEX: .create(.index, isTemporary: false)
        case SQLITE_CREATE_TRIGGER: .create(.trigger, isTemporary: false)
        case SQLITE_CREATE_VIEW: .create(.view, isTemporary: false)
        case SQLITE_CREATE_TEMP_TABLE: .create(.table, isTemporary: true)
        case SQLITE_CREATE_TEMP_INDEX: .create(.index, isTemporary: true)
        case SQLITE_CREATE_TEMP_TRIGGER: .create(.trigger, isTemporary: true)
        case SQLITE_CREATE_TEMP_VIEW: .create(.view, isTemporary: true)
        case SQLITE_DROP_TABLE: .drop(.table, isTemporary: false)
        case SQLITE_DROP_INDEX: .drop(.index, isTemporary: false)
        case SQLITE_DROP_TRIGGER: .drop(.trigger, isTemporary: false)
        case SQLITE_DROP_VIEW: .drop(.view, isTemporary: false)
        case SQLITE_DROP_TEMP_TABLE: .drop(.table, isTemporary: true)
        case SQLITE_DROP_TEMP_INDEX: .drop(.index, isTemporary: true)
        case SQLITE_DROP_TEMP_TRIGGER: .drop(.trigger, isTemporary: true)
        case SQLITE_DROP_TEMP_VIEW: .drop(.view, isTemporary: true)
        default: .other
        }
    }

    /// Whether SQLite replaces the action and continues when the authorizer ignores it.
    var canBeIgnored: Bool {
        action == SQLITE_READ || action == SQLITE_UPDATE || action == SQLITE_FUNCTION
    }
}
