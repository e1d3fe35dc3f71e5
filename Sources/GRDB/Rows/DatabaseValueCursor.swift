/// A cursor of database values, decoded from the leftmost column.
///
/// ```swift
/// let urls = try URL.fetchCursor(db, sql: "SELECT url FROM link")
/// while let url = try urls.next() {
///     print(url)
/// }
/// ```
public final class DatabaseValueCursor<Value: DatabaseValueConvertible>: DatabaseCursor {
    public typealias Element = Value

    public let _stepper: _StatementStepper
    private let columnIndex: CInt

    init(statement: Statement, adapter: (any RowAdapter)?) throws {
        columnIndex = try _valueColumnIndex(statement, adapter)
        _stepper = try _StatementStepper(statement: statement)
    }

    public func _element(sqliteStatement: SQLiteStatement) throws -> Value {
        let dbValue = DatabaseValue(sqliteStatement: sqliteStatement, index: columnIndex)
        if let value = Value.fromDatabaseValue(dbValue) { return value }
        throw _valueMismatch(Value.self, _stepper.statement, columnIndex)
    }
}

/// A cursor of database values that are decoded straight from SQLite.
///
/// ```swift
/// let names = try String.fetchCursor(db, sql: "SELECT name FROM player")
/// while let name = try names.next() {
///     print(name)
/// }
/// ```
public final class FastDatabaseValueCursor<
    Value: DatabaseValueConvertible & StatementColumnConvertible
>: DatabaseCursor {
    public typealias Element = Value

    public let _stepper: _StatementStepper
    @usableFromInline let columnIndex: CInt

    init(statement: Statement, adapter: (any RowAdapter)?) throws {
        columnIndex = try _valueColumnIndex(statement, adapter)
        _stepper = try _StatementStepper(statement: statement)
    }

    @inlinable
    public func _element(sqliteStatement: SQLiteStatement) throws -> Value {
        if let value = Value.fromStatement(sqliteStatement, atUncheckedIndex: columnIndex) {
            return value
        }
        throw _valueMismatch(Value.self, _stepper.statement, columnIndex)
    }
}

/// The column that values are decoded from: the leftmost one of the adapted row.
private func _valueColumnIndex(
    _ statement: Statement, _ adapter: (any RowAdapter)?
) throws -> CInt {
    let index: CInt?
    if let adapter {
        index = try adapter._layoutedAdapter(from: statement.rowLayout)._mapping
            .columnIndexes.first
    } else {
        index = statement.columnCount > 0 ? 0 : nil
    }
    guard let index else {
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE, message: "The request selects no column",
            sql: statement.sql)
    }
    return index
}

@usableFromInline
func _valueMismatch<Value>(
    _ type: Value.Type, _ statement: Statement, _ columnIndex: CInt
) -> RowDecodingError {
    RowDecodingError(
        valueMismatch: Value.self,
        dbValue: DatabaseValue(sqliteStatement: statement.sqliteStatement, index: columnIndex),
        in: Row(statement: statement), at: Int(columnIndex))
}
