/// A cursor that reads one row at a time.
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
/// The cursor returns the same object for all rows, which reads the current row of the statement.
/// To keep a row, call ``Row/copy()``.
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
            // Reject an adapter that does not fit even if there is no row.
            _ = try adapter.checkedAdapter(for: statement.rowLayout)
        }
    }

    public func next() throws -> Row? {
        guard try _stepper.next() else { return nil }
        if let row {
            row.statementDidStep()
            return row
        }
        // Created after the first step, which may change the columns after a schema change.
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
