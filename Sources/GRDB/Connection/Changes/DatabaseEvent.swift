/// A kind of database change, as ``TransactionObserver/observes(eventsOfKind:)`` is asked about.
///
/// See the [SQLite documentation](https://www.sqlite.org/c3ref/c_alter_table.html).
@frozen
public enum DatabaseEventKind: Sendable {
    /// The insertion of rows in a table.
    case insert(tableName: String)
    /// The deletion of rows of a table.
    case delete(tableName: String)
    /// The update of columns of a table.
    case update(tableName: String, columnNames: Set<String>)

    /// The name of the changed table.
    public var tableName: String {
        switch self {
        case .insert(let tableName): tableName
        case .delete(let tableName): tableName
        case .update(let tableName, _): tableName
        }
    }

    var rowKind: DatabaseEvent.Kind {
        switch self {
        case .insert: .insert
        case .delete: .delete
        case .update: .update
        }
    }
}

/// A change of one row.
///
/// See ``TransactionObserver/databaseDidChange(with:)``, and the
/// [SQLite documentation](https://www.sqlite.org/c3ref/update_hook.html).
public struct DatabaseEvent: Sendable {
    /// An event kind.
    public enum Kind: CInt, Sendable {
        /// An insertion event.
        case insert = 18
        /// A deletion event.
        case delete = 9
        /// An update event.
        case update = 23
    }

    /// The event kind.
    public let kind: Kind

    /// The name of the changed schema: `main`, `temp`, or the name of an attached database.
    public let databaseName: String

    /// The name of the changed table.
    public let tableName: String

    /// The rowid of the changed row, after the change.
    public let rowID: Int64

    init(kind: Kind, databaseName: String, tableName: String, rowID: Int64) {
        self.kind = kind
        self.databaseName = databaseName
        self.tableName = tableName
        self.rowID = rowID
    }

    init?(_ update: RawUpdate) {
        guard let kind = Kind(rawValue: update.kind) else { return nil }
        self.init(
            kind: kind, databaseName: String(cString: update.schema),
            tableName: String(cString: update.table), rowID: update.rowID)
    }

    /// Returns an event that can be stored: the event itself.
    public func copy() -> DatabaseEvent { self }
}
