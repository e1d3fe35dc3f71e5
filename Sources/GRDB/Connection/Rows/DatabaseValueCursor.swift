/// A cursor of database values, decoded from the leftmost column.
///
/// ```swift
/// let names = try String.fetchCursor(db, sql: "SELECT name FROM player")
/// while let name = try names.next() {
///     print(name)
/// }
/// ```
public final class DatabaseValueCursor<Value: DatabaseValueConvertible>: _SteppingCursor {
    public typealias Element = Value

    public let _stepper: _StatementStepper
    private let adapter: (any RowAdapter)?

    @usableFromInline
    @exclusivity(unchecked)
    var columnIndex: CInt = -1

    @usableFromInline
    init(statement: Statement, adapter: (any RowAdapter)?) throws {
        self.adapter = adapter
        _stepper = try _StatementStepper(statement: statement)
        if !statement.mayHaveStaleColumns {
            _ = try statement.valueColumnIndex(adapter)
        }
    }

    /// Determines the column after the first step, which may change the columns.
    @usableFromInline
    func layOut() throws {
        columnIndex = try _stepper.statement.valueColumnIndex(adapter)
    }

    @inlinable
    public func _element(sqliteStatement: SQLiteStatement) throws -> Value {
        if columnIndex < 0 { try layOut() }
        return try ColumnAccess(sqliteStatement, columnIndex).value(Value.self)
            ?? _mismatchedValue(Value.self, _stepper.statement, columnIndex)
    }

    /// Advances to the next row and decodes it; nil if there is none.
    ///
    /// - throws: a ``DatabaseError``, the error of an SQL function, or a ``RowDecodingError`` if
    ///   the value can't be decoded.
    @inlinable
    public func next() throws -> Value? {
        guard try _stepper.next() else { return nil }
        if columnIndex < 0 { try layOut() }
        if let value = ColumnAccess(_stepper.sqliteStatement, columnIndex).value(Value.self) {
            try _stepper.checkMemory()
            return value
        }
        return try mismatchedValue()
    }

    @usableFromInline
    func mismatchedValue() throws -> Value {
        do {
            let value = try _mismatchedValue(Value.self, _stepper.statement, columnIndex)
            try _stepper.checkMemory()
            return value
        } catch {
            throw _stepper.decodingError(error)
        }
    }
}

/// Converts a mismatched value of the current row if the configuration enables conversions, or
/// throws an error.
@usableFromInline
func _mismatchedValue<Value: DatabaseValueConvertible>(
    _ type: Value.Type, _ statement: Statement, _ columnIndex: CInt
) throws -> Value {
    try Row(statement: statement).mismatchedValue(type, at: Int(columnIndex))
}

// See `Database`.
@available(*, unavailable)
extension DatabaseValueCursor: Sendable {}

/// A cursor of database values that are decoded directly from SQLite.
public typealias FastDatabaseValueCursor<
    Value: DatabaseValueConvertible & StatementColumnConvertible
> = DatabaseValueCursor<Value>
