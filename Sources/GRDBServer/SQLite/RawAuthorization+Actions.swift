import GRDB
import CGRDBSQLite

extension RawAuthorization {
    /// The object that the action creates or drops; nil for virtual tables, and for other actions.
    private var object: (kind: SchemaObjectInfo.Kind, isDropped: Bool, isTemporary: Bool)? {
        switch action {
        case SQLITE_CREATE_TABLE: (.table, false, false)
        case SQLITE_CREATE_INDEX: (.index, false, false)
        case SQLITE_CREATE_TRIGGER: (.trigger, false, false)
        case SQLITE_CREATE_VIEW: (.view, false, false)
        case SQLITE_CREATE_TEMP_TABLE: (.table, false, true)
        case SQLITE_CREATE_TEMP_INDEX: (.index, false, true)
        case SQLITE_CREATE_TEMP_TRIGGER: (.trigger, false, true)
        case SQLITE_CREATE_TEMP_VIEW: (.view, false, true)
        case SQLITE_DROP_TABLE: (.table, true, false)
        case SQLITE_DROP_INDEX: (.index, true, false)
        case SQLITE_DROP_TRIGGER: (.trigger, true, false)
        case SQLITE_DROP_VIEW: (.view, true, false)
        case SQLITE_DROP_TEMP_TABLE: (.table, true, true)
        case SQLITE_DROP_TEMP_INDEX: (.index, true, true)
        case SQLITE_DROP_TEMP_TRIGGER: (.trigger, true, true)
        case SQLITE_DROP_TEMP_VIEW: (.view, true, true)
        default: nil
        }
    }

    /// Whether SQLite replaces the action and continues when the authorizer ignores it.
    var canBeIgnored: Bool {
        action == SQLITE_READ || action == SQLITE_UPDATE || action == SQLITE_FUNCTION
    }

    /// The action, for an authorizer of the app.
    var appAction: Database.Authorization.Action {
        let first = argument1.map { String(cString: $0) }
        let second = argument2.map { String(cString: $0) }
        let name = first ?? ""
        if let (object, isDropped, isTemporary) = object {
            let table = object == .index || object == .trigger ? second : nil
            return isDropped
                ? .drop(object, name: name, table: table, isTemporary: isTemporary)
                : .create(object, name: name, table: table, isTemporary: isTemporary)
        }
        return switch action {
        case SQLITE_SELECT: .select
        case SQLITE_RECURSIVE: .recursive
        case SQLITE_READ: .read(table: name, column: second ?? "")
        case SQLITE_INSERT: .insert(table: name)
        case SQLITE_UPDATE: .update(table: name, column: second ?? "")
        case SQLITE_DELETE: .delete(table: name)
        case SQLITE_FUNCTION: .function(name: second ?? "")
        case SQLITE_PRAGMA: .pragma(name: name, argument: second)
        case SQLITE_TRANSACTION: .transaction(operation: name)
        case SQLITE_SAVEPOINT: .savepoint(operation: name, name: second ?? "")
        case SQLITE_ATTACH: .attach(path: first)
        case SQLITE_DETACH: .detach(schema: name)
        case SQLITE_CREATE_VTABLE: .createVirtualTable(name: name, module: second ?? "")
        case SQLITE_DROP_VTABLE: .dropVirtualTable(name: name, module: second ?? "")
        case SQLITE_ALTER_TABLE: .alter(table: second ?? "")
        case SQLITE_REINDEX: .reindex(name: name)
        case SQLITE_ANALYZE: .analyze(table: name)
        default: .other(action)
        }
    }
}
