import GRDB
public import _GRDBSystem

/// A change of one row that an outbox has recorded.
///
/// See ``DatabaseOutbox``.
public struct OutboxEntry: Sendable, Hashable {
    /// The position of the change in the order of commits. Positions increase, and are never
    /// reused, not even if the outbox is removed and created again.
    public let position: Int64

    /// The number of times that the outbox has begun again, because it was removed, or because the
    /// content of the database was replaced by a backup or an erasure.
    ///
    /// A receiver that keeps a copy of the tables must read them again when the generation changes.
    public var generation: Int { Int(position >> 32) }

    /// The position of the first change of the same transaction.
    public let transaction: Int64

    /// The date when the transaction began.
    public let date: Date

    /// The name of the table at the time of the change.
    public let tableName: String

    /// The kind of the change.
    public let kind: DatabaseRowChange.Kind

    private let old: Values?
    private let new: Values?

    /// The values of a row and the names of their columns.
    struct Values: Sendable, Hashable {
        var columnNames: [String]
        var values: [DatabaseValue]

        var row: Row {
            Row(
                values: values,
                layout: RowLayout(
                    names: columnNames, showsValues: false, convertsMismatchedValues: false))
        }
    }

    /// The row before the change; nil for an insertion.
    ///
    /// The row has the columns of the table at the time of the change.
    public var oldRow: Row? { old?.row }

    /// The row after the change; nil for a deletion.
    public var newRow: Row? { new?.row }

    /// Decodes the row before the change; nil for an insertion.
    ///
    /// ```swift
    /// if let player = try entry.old(as: Player.self) { … }
    /// ```
    ///
    /// - throws: the error of the record type, for example if it requires a column that was added
    ///   after the change.
    public func old<Record: FetchableRecord>(as type: Record.Type) throws -> Record? {
        try oldRow.map { try Record(row: $0) }
    }

    /// Decodes the row after the change; nil for a deletion.
    ///
    /// - throws: the error of the record type, for example if it requires a column that was added
    ///   after the change.
    public func new<Record: FetchableRecord>(as type: Record.Type) throws -> Record? {
        try newRow.map { try Record(row: $0) }
    }

    /// The change as a JSON object.
    ///
    /// ```json
    /// {"position":7,"transaction":6,"table":"player","kind":"update",
    ///  "old":{"id":1,"score":10},"new":{"id":1,"score":20}}
    /// ```
    ///
    /// The text contains no line break. `old` and `new` are null if there is no such row. A blob is
    /// an object `{"$blob":"…"}` with the bytes in Base64. An infinite number is `{"$real":"inf"}`
    /// or `{"$real":"-inf"}`.
    public var json: String {
        var json = "{\"position\":\(position),\"transaction\":\(transaction),\"table\":"
        OutboxJSON.write(tableName, to: &json)
        json += ",\"kind\":\"\(kind)\",\"old\":"
        json += old.map(OutboxJSON.text) ?? "null"
        json += ",\"new\":"
        json += new.map(OutboxJSON.text) ?? "null"
        return json + "}"
    }

    /// The columns of a selected entry, in order: position, transaction, date, table, kind, old,
    /// new.
    ///
    /// - throws: an error if the table of the outbox is damaged.
    init(_ row: Row) throws {
        position = try row.decode(atIndex: 0)
        transaction = try row.decode(atIndex: 1)
        date = try row.decode(atIndex: 2)
        tableName = try row.decode(atIndex: 3)
        let kindName = try row.decode(String.self, atIndex: 4)
        kind =
            switch kindName {
            case "insert": .insert
            case "update": .update
            case "delete": .delete
            default:
                throw DatabaseError(
                    resultCode: .SQLITE_CORRUPT,
                    message: "An outbox has a change of kind \(kindName)")
            }
        let oldText = try row.decode(String?.self, atIndex: 5)
        let newText = try row.decode(String?.self, atIndex: 6)
        old = try oldText.map(OutboxJSON.values)
        new = try newText.map(OutboxJSON.values)
    }
}
