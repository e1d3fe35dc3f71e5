/// The changes of one committed transaction, in the order in which they happened.
///
/// See ``DatabaseChangeFeed``.
public struct DatabaseTransactionChanges: Sendable, Equatable {
    /// The changes. There is at least one.
    public let changes: [DatabaseRowChange]

    init(changes: [DatabaseRowChange]) {
        self.changes = changes
    }

    /// The changes of one table, ASCII case apart.
    public func changes(of tableName: String) -> [DatabaseRowChange] {
        changes.filter { ASCIICase.equal($0.tableName, tableName) }
    }
}

/// A change of one row, with the values before and after it.
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
    /// What happened to the row.
    public enum Kind: Sendable {
        /// The row is new.
        case insert
        /// The row has other values, or another rowid.
        case update
        /// The row is gone: deleted, or replaced by another one.
        case delete
    }

    /// What happened to the row.
    public let kind: Kind

    /// The rowid before the change; nil for an insertion, and for a table `WITHOUT ROWID`.
    public let oldRowID: Int64?

    /// The rowid after the change; nil for a deletion, and for a table `WITHOUT ROWID`.
    public let newRowID: Int64?

    /// The values of ``columnNames`` before the change; nil for an insertion.
    public let oldValues: [DatabaseValue]?

    /// The values of ``columnNames`` after the change; nil for a deletion.
    public let newValues: [DatabaseValue]?

    /// 0 for a change that a statement made itself, 1 for one that a trigger or a foreign key of this
    /// change made, and so on.
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

    /// The value of a column before the change; nil for an insertion, and if the feed does not track
    /// such a column.
    ///
    /// - parameter name: the name of a column, ASCII case apart.
    public func oldValue(forColumn name: String) -> DatabaseValue? {
        guard let oldValues else { return nil }
        return columns.index(of: name).map { oldValues[$0] }
    }

    /// The value of a column after the change; nil for a deletion, and if the feed does not track such
    /// a column.
    ///
    /// - parameter name: the name of a column, ASCII case apart.
    public func newValue(forColumn name: String) -> DatabaseValue? {
        guard let newValues else { return nil }
        return columns.index(of: name).map { newValues[$0] }
    }

    /// The tracked columns before the change, as a row that records can be decoded from; nil for an
    /// insertion.
    ///
    /// ```swift
    /// let player = try change.oldRow.map { try Player(row: $0) }
    /// ```
    ///
    /// Its values are read like the values of a fetched row: see
    /// ``Configuration/convertsMismatchedValues``.
    public var oldRow: Row? { oldValues.map(row) }

    /// The tracked columns after the change, as a row that records can be decoded from; nil for a
    /// deletion.
    public var newRow: Row? { newValues.map(row) }

    private func row(_ values: [DatabaseValue]) -> Row {
        Row(
            values: values,
            layout: RowLayout(
                names: columns.names, showsValues: false,
                convertsMismatchedValues: columns.convertsMismatchedValues))
    }

    /// The tracked columns whose values differ, in the order of the table. All of them, for insertions
    /// and deletions.
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
