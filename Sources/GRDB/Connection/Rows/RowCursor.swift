/// A cursor of raw database rows.
///
/// ```swift
/// try dbQueue.read { db in
///     let rows = try Row.fetchCursor(db, sql: "SELECT * FROM player")
///     while let row = try rows.next() {
///         let id: Int64 = row["id"]
///         let name: String = row["name"]
///     }
/// }
/// ```
///
/// All rows that the cursor returns are the same object, which reads the current row of the
/// statement: use ``Row/copy()`` in order to keep one.
public final class RowCursor: _SteppingCursor {
    public typealias Element = Row

    public let _stepper: _StatementStepper
    private let adapter: (any RowAdapter)?
    @exclusivity(unchecked)
    private var row: Row?

    init(statement: Statement, adapter: (any RowAdapter)?) throws {
        self.adapter = adapter
        _stepper = try _StatementStepper(statement: statement)
        if let adapter, !statement.mayHaveStaleColumns {
            // An adapter that does not fit should not wait for a row.
            _ = try adapter.checkedAdapter(for: statement.rowLayout)
        }
    }

    public func next() throws -> Row? {
        guard try _stepper.next() else { return nil }
        if let row {
            row.statementDidStep()
            return row
        }
        // Not before the first step, which may change the columns after a change of the schema.
        let statement = _stepper.statement
        let row = Row(
            statement: statement, stepper: _stepper,
            adapter: try adapter?.effectiveAdapter(for: statement.rowLayout))
        self.row = row
        return row
    }

    public func _element(sqliteStatement: SQLiteStatement) throws -> Row {
        row!
    }
}

// See `Database`.
@available(*, unavailable)
extension RowCursor: Sendable {}
