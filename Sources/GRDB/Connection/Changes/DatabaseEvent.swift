/// A kind of database change, the argument of ``TransactionObserver/observes(eventsOfKind:)``.
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

    /// The rowid of the changed row, after the change.
    public let rowID: Int64

    let names: TableNames

    /// The name of the changed schema: `main`, `temp`, or the name of an attached database.
    public var databaseName: String { names.databaseName }

    /// The name of the changed table.
    public var tableName: String { names.tableName }

    /// The virtual tables that store their content in the changed table. The rowid of the event is
    /// not a rowid of these tables.
    var virtualTableNames: [String] { names.virtualTableNames }

    @inline(__always)
    init(kind: Kind, names: TableNames, rowID: Int64) {
        self.kind = kind
        self.names = names
        self.rowID = rowID
    }

    init(kind: Kind, databaseName: String, tableName: String, rowID: Int64) {
        self.init(
            kind: kind, names: TableNames(databaseName: databaseName, tableName: tableName),
            rowID: rowID)
    }

    /// Returns an event that can be stored: the event itself.
    public func copy() -> DatabaseEvent { self }
}

/// The names of a table and its schema, shared by all events of the table.
package final class TableNames: Sendable {
    package let databaseName: String
    package let tableName: String

    /// The virtual tables that store their content in the table.
    let virtualTableNames: [String]

    init(databaseName: String, tableName: String, virtualTableNames: [String] = []) {
        self.databaseName = databaseName
        self.tableName = tableName
        self.virtualTableNames = virtualTableNames
    }
}

/// The columns of a table, in order.
package final class TableColumns: Sendable {
    package let names: [String]

    /// The setting of the connection that writes: see ``Configuration/convertsMismatchedValues``.
    package let convertsMismatchedValues: Bool

    package init(names: [String], convertsMismatchedValues: Bool) {
        self.names = names
        self.convertsMismatchedValues = convertsMismatchedValues
    }

    /// The index of a column, ignoring ASCII case.
    package func index(of name: String) -> Int? {
        names.firstIndex(of: name) ?? names.firstIndex { ASCIICase.equal($0, name) }
    }
}
