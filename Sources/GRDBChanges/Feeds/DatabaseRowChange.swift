import GRDB

/// The changes of a committed transaction, in the order in which they were made.
///
/// See ``DatabaseChangeFeed``.
public struct DatabaseTransactionChanges: Sendable, Equatable {
    /// The changes. There is at least one.
    public let changes: [DatabaseRowChange]

    init(changes: [DatabaseRowChange]) {
        self.changes = changes
    }

    /// The changes of one table. ASCII case is ignored.
    public func changes(of tableName: String) -> [DatabaseRowChange] {
        changes.filter { ASCIICase.equal($0.tableName, tableName) }
    }
}

/// A change of a row, with the values before and after the change.
///
/// ```swift
/// for change in transaction.changes {
///     switch change.kind {
///     case .insert: print("new:", change.newValue(forColumn: "name") ?? .null)
///     case .update: print("changed:", change.changedColumnNames)
///     case .delete: print("gone:", change.oldValue(forColumn: "name") ?? .null)
///     }
/// }
/// ```
///
/// See ``DatabaseChangeFeed``.
public struct DatabaseRowChange: Sendable {
    /// The kind of a change.
    public enum Kind: Sendable {
        /// The row was inserted.
        case insert
        /// The values or the rowid of the row were updated.
        case update
        /// The row was deleted, or replaced by another row.
        case delete
    }

    /// The kind of the change.
    public let kind: Kind

    /// The rowid before the change; nil for an insertion, and in a `WITHOUT ROWID` table.
    public let oldRowID: Int64?

    /// The rowid after the change; nil for a deletion, and in a `WITHOUT ROWID` table.
    public let newRowID: Int64?

    /// The values of ``columnNames`` before the change; nil for an insertion.
    public let oldValues: [DatabaseValue]?

    /// The values of ``columnNames`` after the change; nil for a deletion.
    public let newValues: [DatabaseValue]?

    /// The depth of triggers: 0 for a change that a statement makes directly, 1 for a change that a
    /// trigger or a foreign key action of this statement makes, and so on.
    public let triggerDepth: Int

    private let names: TableNames
    private let columns: TableColumns

    init(
        kind: Kind, names: TableNames, columns: TableColumns, oldRowID: Int64?, newRowID: Int64?,
        oldValues: [DatabaseValue]?, newValues: [DatabaseValue]?, triggerDepth: Int
    ) {
        self.kind = kind
        self.names = names
        self.columns = columns
        self.oldRowID = oldRowID
        self.newRowID = newRowID
        self.oldValues = oldValues
        self.newValues = newValues
        self.triggerDepth = triggerDepth
    }

    /// The name of the schema: `main`, `temp`, or the name of an attached database.
    public var databaseName: String { names.databaseName }

    /// The name of the table.
    public var tableName: String { names.tableName }

    /// The columns that the feed tracks, in the order of the table.
    public var columnNames: [String] { columns.names }

    /// The value of a column before the change; nil for an insertion, and if the feed does not
    /// track the column.
    ///
    /// - parameter name: the name of a column. ASCII case is ignored.
    public func oldValue(forColumn name: String) -> DatabaseValue? {
        guard let oldValues else { return nil }
        return columns.index(of: name).map { oldValues[$0] }
    }

    /// The value of a column after the change; nil for a deletion, and if the feed does not track
    /// the column.
    ///
    /// - parameter name: the name of a column. ASCII case is ignored.
    public func newValue(forColumn name: String) -> DatabaseValue? {
        guard let newValues else { return nil }
        return columns.index(of: name).map { newValues[$0] }
    }

    /// The tracked columns before the change, as a row from which records can be decoded; nil for
    /// an insertion.
    ///
    /// ```swift
    /// let player = try change.oldRow.map { try Player(row: $0) }
    /// ```
    ///
    /// Values are decoded like the values of a fetched row: see
    /// ``/GRDB/Configuration/convertsMismatchedValues``.
    public var oldRow: Row? { oldValues.map(row) }

    /// The tracked columns after the change, as a row from which records can be decoded; nil for a
    /// deletion.
    public var newRow: Row? { newValues.map(row) }

    private func row(_ values: [DatabaseValue]) -> Row {
        Row(
            values: values,
            layout: RowLayout(
                names: columns.names, showsValues: false,
                convertsMismatchedValues: columns.convertsMismatchedValues))
    }

    /// The tracked columns whose values differ, in the order of the table. For insertions and
    /// deletions, these are all tracked columns.
    public var changedColumnNames: [String] {
        guard let oldValues, let newValues else { return columnNames }
        return columnNames.indices
            .filter { oldValues[$0] != newValues[$0] }
            .map { columnNames[$0] }
    }
}

extension DatabaseRowChange: Equatable {
    public static func == (lhs: DatabaseRowChange, rhs: DatabaseRowChange) -> Bool {
        lhs.kind == rhs.kind && lhs.databaseName == rhs.databaseName
            && lhs.tableName == rhs.tableName && lhs.columnNames == rhs.columnNames
            && lhs.oldRowID == rhs.oldRowID && lhs.newRowID == rhs.newRowID
            && lhs.oldValues == rhs.oldValues && lhs.newValues == rhs.newValues
            && lhs.triggerDepth == rhs.triggerDepth
    }
}

extension DatabaseRowChange: CustomStringConvertible {
    /// `insert main.player [id:1 name:"Arthur"]`, `update main.player [id:1 name:"Arthur" → "Ada"]`,
    /// `delete main.player [id:1 name:"Ada"]`.
    public var description: String {
        let values = columnNames.indices.map { index -> String in
            let values = [oldValues?[index], newValues?[index]].compactMap(\.self)
            let texts = values.map { "\($0)" }
            let isSame = values.count == 2 && values[0] == values[1]
            return "\(columnNames[index]):"
                + (isSame ? texts[0] : texts.joined(separator: " → "))
        }
        return "\(kind) \(databaseName).\(tableName) [\(values.joined(separator: " "))]"
    }
}
