/// A change of one row, before it happens, with the values of the row before and after.
///
/// ```swift
/// final class PriceObserver: TransactionObserver {
///     func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
///         eventKind.tableName == "product"
///     }
///
///     func databaseWillChange(with event: DatabasePreUpdateEvent) {
///         let oldPrice = event.initialDatabaseValue(forColumn: "price")
///         let newPrice = event.finalDatabaseValue(forColumn: "price")
///         if let oldPrice, let newPrice, oldPrice != newPrice {
///             print("\(oldPrice) is now \(newPrice)")
///         }
///     }
///
///     func databaseDidChange(with event: DatabaseEvent) {}
///     func databaseDidCommit(_ db: Database) {}
///     func databaseDidRollback(_ db: Database) {}
/// }
/// ```
///
/// An event is only valid during ``TransactionObserver/databaseWillChange(with:)``: it reads its
/// values and the names of its columns from SQLite on demand. To store an event, take a ``copy()``.
///
/// `VIRTUAL` generated columns are not part of the changed row: their values are nil by name, and
/// NULL by index.
///
/// See the [SQLite documentation](https://www.sqlite.org/c3ref/preupdate_blobwrite.html).
public struct DatabasePreUpdateEvent {
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

    /// The rowid of the row before the change; nil for insertions. Meaningless for tables
    /// `WITHOUT ROWID`: see ``hasRowID``.
    public let initialRowID: Int64?

    /// The rowid of the row after the change; nil for deletions. Meaningless for tables
    /// `WITHOUT ROWID`: see ``hasRowID``.
    public let finalRowID: Int64?

    package let names: TableNames
    private let source: Source

    /// The number of the event, counted while the connection is open.
    package let ordinal: Int

    private enum Source {
        case live(LiveChange)
        case copied(PreUpdateCopy)
    }

    init?(_ change: LiveChange, ordinal: Int) {
        self.ordinal = ordinal
        guard let kind = Kind(rawValue: change.update.kind) else { return nil }
        self.kind = kind
        names = change.route.names
        initialRowID = kind == .insert ? nil : change.update.oldRowID
        finalRowID = kind == .delete ? nil : change.update.newRowID
        source = .live(change)
    }

    init(_ copy: PreUpdateCopy, names: TableNames, ordinal: Int) {
        self.ordinal = ordinal
        kind = copy.kind
        self.names = names
        initialRowID = copy.initialRowID
        finalRowID = copy.finalRowID
        source = .copied(copy)
    }

    /// The name of the changed schema: `main`, `temp`, or the name of an attached database.
    public var databaseName: String { names.databaseName }

    /// The name of the changed table.
    public var tableName: String { names.tableName }

    /// The count of columns.
    public var count: Int {
        switch source {
        case .live(let change): Int(change.update.columnCount)
        case .copied(let copy): copy.count
        }
    }

    /// How deep triggers are nested: 0 for a direct change, 1 for changes made by a trigger that a
    /// direct change fired, and so on.
    public var depth: CInt {
        switch source {
        case .live(let change): change.update.depth
        case .copied(let copy): copy.depth
        }
    }

    /// Whether the rows of the table have rowids: false for a table `WITHOUT ROWID`.
    public var hasRowID: Bool {
        switch source {
        case .live(let change): change.update.hasRowID
        case .copied(let copy): copy.hasRowID
        }
    }

    /// Whether a virtual table stores its content in the table.
    package var isShadowTable: Bool {
        switch source {
        case .live(let change): change.update.isShadowTable
        case .copied(let copy): copy.isShadowTable
        }
    }

    // MARK: - Columns

    /// The names of the columns, in the order of the table.
    public var columnNames: [String] { columns.names }

    package var columns: TableColumns {
        switch source {
        case .live(let change): change.columns
        case .copied(let copy): copy.columns
        }
    }

    /// The index of a column that has values, ignoring ASCII case.
    private func index(ofColumn name: String) -> Int? {
        guard let index = columns.index(of: name), isColumnStored(at: index) else { return nil }
        return index
    }

    /// Whether the column has a stored value: false for `VIRTUAL` generated columns.
    package func isColumnStored(at index: Int) -> Bool {
        switch source {
        case .live(let change): change.update.isColumnStored(at: CInt(index))
        case .copied(let copy): !copy.virtualColumns.contains(index)
        }
    }

    // MARK: - Values

    /// The values of the row before the change, in the order of the columns of the table; nil for
    /// insertions.
    public var initialDatabaseValues: [DatabaseValue]? {
        guard kind != .insert else { return nil }
        switch source {
        case .live(let change):
            return (0..<change.update.columnCount).map { change.initialValue(at: $0) ?? .null }
        case .copied(let copy):
            return copy.initial
        }
    }

    /// The values of the row after the change, in the order of the columns of the table; nil for
    /// deletions.
    public var finalDatabaseValues: [DatabaseValue]? {
        guard kind != .delete else { return nil }
        switch source {
        case .live(let change):
            return (0..<change.update.columnCount).map { change.finalValue(at: $0) ?? .null }
        case .copied(let copy):
            return copy.final
        }
    }

    /// The value of a column before the change; nil for insertions, and for invalid indexes.
    public func initialDatabaseValue(atIndex index: Int) -> DatabaseValue? {
        guard kind != .insert, 0..<count ~= index else { return nil }
        switch source {
        case .live(let change): return change.initialValue(at: CInt(index))
        case .copied(let copy): return copy.initial?[index]
        }
    }

    /// The value of a column after the change; nil for deletions, and for invalid indexes.
    public func finalDatabaseValue(atIndex index: Int) -> DatabaseValue? {
        guard kind != .delete, 0..<count ~= index else { return nil }
        switch source {
        case .live(let change): return change.finalValue(at: CInt(index))
        case .copied(let copy): return copy.final?[index]
        }
    }

    /// The value of a column before the change; nil for insertions, and for unknown columns.
    ///
    /// - parameter name: the name of a column. ASCII case is ignored.
    public func initialDatabaseValue(forColumn name: String) -> DatabaseValue? {
        index(ofColumn: name).flatMap { initialDatabaseValue(atIndex: $0) }
    }

    /// The value of a column after the change; nil for deletions, and for unknown columns.
    ///
    /// - parameter name: the name of a column. ASCII case is ignored.
    public func finalDatabaseValue(forColumn name: String) -> DatabaseValue? {
        index(ofColumn: name).flatMap { finalDatabaseValue(atIndex: $0) }
    }

    /// A copy of the row before the change; nil for insertions.
    ///
    /// ```swift
    /// if let row = event.initialRow {
    ///     let name: String = row["name"]
    /// }
    /// ```
    ///
    /// Values are decoded as in a fetched row: see ``Configuration/convertsMismatchedValues``.
    public var initialRow: Row? { row(initialDatabaseValues) }

    /// A copy of the row after the change, decoded like ``initialRow``; nil for deletions.
    public var finalRow: Row? { row(finalDatabaseValues) }

    private func row(_ values: [DatabaseValue]?) -> Row? {
        guard let values else { return nil }
        let columns = columns
        let indexes = values.indices.filter { isColumnStored(at: $0) }
        return Row(
            values: indexes.map { values[$0] },
            layout: RowLayout(
                names: indexes.map { columns.names[$0] }, showsValues: false,
                convertsMismatchedValues: columns.convertsMismatchedValues))
    }

    // MARK: - Copies

    /// Returns a copy of the event that can be stored.
    public func copy() -> DatabasePreUpdateEvent {
        switch source {
        case .live:
            DatabasePreUpdateEvent(
                PreUpdateCopy(of: self), names: names, ordinal: ordinal)
        case .copied: self
        }
    }
}

/// A change that SQLite announces. Valid during the callback.
struct LiveChange {
    let update: RawPreUpdate
    let route: ChangeRoute

    /// ``Configuration/convertsMismatchedValues``, for the rows of the event.
    let convertsMismatchedValues: Bool

    /// The bytes being written, if the change is a write into a blob. SQLite reports a deletion of the row, with its
    /// old values. The new values only differ in these bytes.
    let blobWrite: BlobWrite?

    /// The columns of the table, in order.
    var columns: TableColumns {
        if let columns = route.columns { return columns }
        let columns = TableColumns(
            names: (0..<update.columnCount).map { update.columnName(at: $0) },
            convertsMismatchedValues: convertsMismatchedValues)
        route.columns = columns
        return columns
    }

    func initialValue(at index: CInt) -> DatabaseValue? {
        update.oldValue(at: index).map { DatabaseValue(rawValue: $0) }
    }

    func finalValue(at index: CInt) -> DatabaseValue? {
        guard let blobWrite else {
            return update.newValue(at: index).map { DatabaseValue(rawValue: $0) }
        }
        let value = initialValue(at: index)
        return index == update.blobColumn ? value.map(blobWrite.change) : value
    }
}

/// A copy of a preupdate event, which remains valid after the change.
final class PreUpdateCopy {
    let kind: DatabasePreUpdateEvent.Kind
    let initialRowID: Int64?
    let finalRowID: Int64?
    let count: Int
    let depth: CInt
    let hasRowID: Bool
    let isShadowTable: Bool
    let columns: TableColumns
    let virtualColumns: [Int]
    let initial: [DatabaseValue]?
    let final: [DatabaseValue]?

    init(of event: DatabasePreUpdateEvent) {
        kind = event.kind
        initialRowID = event.initialRowID
        finalRowID = event.finalRowID
        count = event.count
        depth = event.depth
        hasRowID = event.hasRowID
        isShadowTable = event.isShadowTable
        columns = event.columns
        virtualColumns = (0..<event.count).filter { !event.isColumnStored(at: $0) }
        initial = event.initialDatabaseValues
        final = event.finalDatabaseValues
    }
}
