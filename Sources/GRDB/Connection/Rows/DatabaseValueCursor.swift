/// A cursor of database values, decoded from the leftmost column.
///
/// ```swift
/// let urls = try URL.fetchCursor(db, sql: "SELECT url FROM link")
/// while let url = try urls.next() {
///     print(url)
/// }
/// ```
public final class DatabaseValueCursor<Value: DatabaseValueConvertible>: _SteppingCursor {
    public typealias Element = Value

    public let _stepper: _StatementStepper
    private let adapter: (any RowAdapter)?
    private var columnIndex: CInt = 0

    /// Whether `columnIndex` was determined after the first step, which may change the columns.
    private var isLaidOut = false

    @usableFromInline
    init(statement: Statement, adapter: (any RowAdapter)?) throws {
        self.adapter = adapter
        _stepper = try _StatementStepper(statement: statement)
        if !statement.mayHaveStaleColumns {
            _ = try statement.valueColumnIndex(adapter)
        }
    }

    public func _element(sqliteStatement: SQLiteStatement) throws -> Value {
        if !isLaidOut {
            isLaidOut = true
            columnIndex = try _stepper.statement.valueColumnIndex(adapter)
        }
        return try ColumnAccess(sqliteStatement, columnIndex).value(Value.self)
            ?? _mismatchedValue(Value.self, _stepper.statement, columnIndex)
    }
}

/// A cursor of database values that are decoded directly from SQLite.
///
/// ```swift
/// let names = try String.fetchCursor(db, sql: "SELECT name FROM player")
/// while let name = try names.next() {
///     print(name)
/// }
/// ```
public final class FastDatabaseValueCursor<
    Value: DatabaseValueConvertible & StatementColumnConvertible
>: _SteppingCursor {
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

// See `Database`.
@available(*, unavailable)
extension FastDatabaseValueCursor: Sendable {}
