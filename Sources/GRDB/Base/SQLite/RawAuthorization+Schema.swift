import CGRDBSQLite

extension RawAuthorization {
    /// The objects of a schema, with the names that the schema table gives them.
    enum Object: String {
        case table, index, trigger, view
    }

    /// The object that the action creates or drops; nil for virtual tables, and for other actions.
    var object: (kind: Object, isDropped: Bool, isTemporary: Bool)? {
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

    /// Whether the action changes the schema, or the schemas.
    var changesSchema: Bool {
        switch action {
        case SQLITE_CREATE_VTABLE, SQLITE_DROP_VTABLE, SQLITE_ALTER_TABLE, SQLITE_ATTACH,
            SQLITE_DETACH:
            true
        default:
            object != nil
        }
    }

    /// Whether SQLite replaces the action and continues when the authorizer ignores it.
    var canBeIgnored: Bool {
        action == SQLITE_READ || action == SQLITE_UPDATE || action == SQLITE_FUNCTION
    }
}
