/// A type that can decode itself from a database row.
///
/// ```swift
/// struct Player: FetchableRecord {
///     var name: String
///     var score: Int
///
///     init(row: Row) throws {
///         name = row["name"]
///         score = row["score"]
///     }
/// }
///
/// let players = try dbQueue.read { db in
///     try Player.fetchAll(db, sql: "SELECT * FROM player")
/// }
/// ```
public protocol FetchableRecord {
    /// Creates a record from a row.
    ///
    /// The row may be live: it must not be stored. Copy it if it is needed later.
    ///
    /// - throws: any error, which the fetch then throws.
    init(row: Row) throws
}

/// A cursor of records.
///
/// ```swift
/// let players = try Player.fetchCursor(db, sql: "SELECT * FROM player")
/// while let player = try players.next() {
///     print(player.name)
/// }
/// ```
public final class RecordCursor<Record: FetchableRecord>: DatabaseCursor {
    public typealias Element = Record

    public let _stepper: _StatementStepper
    private let rows: RowCursor

    init(statement: Statement, adapter: (any RowAdapter)?) throws {
        rows = try RowCursor(statement: statement, adapter: adapter)
        _stepper = rows._stepper
    }

    public func next() throws -> Record? {
        guard let row = try rows.next() else { return nil }
        do {
            return try Record(row: row)
        } catch {
            _stepper.state = .done
            throw error
        }
    }

    public func _element(sqliteStatement: SQLiteStatement) throws -> Record {
        try Record(row: rows._element(sqliteStatement: sqliteStatement))
    }
}
