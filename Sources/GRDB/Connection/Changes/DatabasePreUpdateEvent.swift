/// A change of one row, before it happens, with the values of the row before and after.
///
/// ```swift
/// final class AuditObserver: TransactionObserver {
///     func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
///
///     func databaseWillChange(with event: DatabasePreUpdateEvent) {
///         print(event.tableName, event.initialDatabaseValues, event.finalDatabaseValues)
///     }
///
///     func databaseDidChange(with event: DatabaseEvent) {}
///     func databaseDidCommit(_ db: Database) {}
///     func databaseDidRollback(_ db: Database) {}
/// }
/// ```
///
/// An event is valid during ``TransactionObserver/databaseWillChange(with:)`` only: it reads its
/// values from SQLite on demand. Store a ``copy()`` in order to keep it.
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

    /// The name of the changed schema: `main`, `temp`, or the name of an attached database.
    public let databaseName: String

    /// The name of the changed table.
    public let tableName: String

    /// The rowid of the row before the change; nil for insertions. Meaningless for tables
    /// `WITHOUT ROWID`.
    public let initialRowID: Int64?

    /// The rowid of the row after the change; nil for deletions. Meaningless for tables
    /// `WITHOUT ROWID`.
    public let finalRowID: Int64?

    private struct Values {
        var count: Int
        var depth: CInt
        var initial: [DatabaseValue]?
        var final: [DatabaseValue]?
    }

    private enum Source {
        case live(RawPreUpdate)
        case copied(Values)
    }

    private let source: Source

    init?(_ update: RawPreUpdate) {
        guard let kind = Kind(rawValue: update.kind) else { return nil }
        self.kind = kind
        databaseName = String(cString: update.schema)
        tableName = String(cString: update.table)
        initialRowID = kind == .insert ? nil : update.oldRowID
        finalRowID = kind == .delete ? nil : update.newRowID
        source = .live(update)
    }

    private init(copyOf event: DatabasePreUpdateEvent) {
        kind = event.kind
        databaseName = event.databaseName
        tableName = event.tableName
        initialRowID = event.initialRowID
        finalRowID = event.finalRowID
        source = .copied(
            Values(
                count: event.count, depth: event.depth,
                initial: event.initialDatabaseValues, final: event.finalDatabaseValues))
    }

    /// The number of columns in the row.
    public var count: Int {
        switch source {
        case .live(let update): Int(update.columnCount)
        case .copied(let values): values.count
        }
    }

    /// How deep in triggers the change happens: 0 for a direct change, 1 for a change by a trigger
    /// of a direct change, and so on.
    public var depth: CInt {
        switch source {
        case .live(let update): update.depth
        case .copied(let values): values.depth
        }
    }

    /// The values of the row before the change, in the order of the columns of the table; nil for
    /// insertions.
    public var initialDatabaseValues: [DatabaseValue]? {
        guard kind != .insert else { return nil }
        switch source {
        case .live(let update):
            return (0..<update.columnCount).map { index in
                update.oldValue(at: index).map { DatabaseValue(rawValue: $0) } ?? .null
            }
        case .copied(let values):
            return values.initial
        }
    }

    /// The values of the row after the change, in the order of the columns of the table; nil for
    /// deletions.
    public var finalDatabaseValues: [DatabaseValue]? {
        guard kind != .delete else { return nil }
        switch source {
        case .live(let update):
            return (0..<update.columnCount).map { index in
                update.newValue(at: index).map { DatabaseValue(rawValue: $0) } ?? .null
            }
        case .copied(let values):
            return values.final
        }
    }

    /// The value of a column before the change; nil for insertions, and out of range.
    public func initialDatabaseValue(atIndex index: Int) -> DatabaseValue? {
        guard kind != .insert, 0..<count ~= index else { return nil }
        switch source {
        case .live(let update):
            return update.oldValue(at: CInt(index)).map { DatabaseValue(rawValue: $0) }
        case .copied(let values):
            return values.initial?[index]
        }
    }

    /// The value of a column after the change; nil for deletions, and out of range.
    public func finalDatabaseValue(atIndex index: Int) -> DatabaseValue? {
        guard kind != .delete, 0..<count ~= index else { return nil }
        switch source {
        case .live(let update):
            return update.newValue(at: CInt(index)).map { DatabaseValue(rawValue: $0) }
        case .copied(let values):
            return values.final?[index]
        }
    }

    /// Returns an event that can be stored.
    public func copy() -> DatabasePreUpdateEvent {
        switch source {
        case .live: DatabasePreUpdateEvent(copyOf: self)
        case .copied: self
        }
    }
}
