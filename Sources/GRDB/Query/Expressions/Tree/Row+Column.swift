public import _GRDBSystem

// The columns of a row by ``ColumnExpression``. These methods forward to the methods on column
// names.

extension Row {
    /// The value of a column, as the Swift type of its storage class: `Int64`, `Double`, `String`
    /// or `Data`. The value is nil for NULL, and if there is no such column.
    public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? {
        self[column.name]
    }

    /// Reads a column as the type that the caller expects.
    ///
    /// - precondition: the column exists unless the type is optional, and the value can be
    ///   converted.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(
        _ column: some ColumnExpression
    ) -> Value {
        self[column.name]
    }

    /// Reads a column as the type that the caller expects.
    ///
    /// - throws: a ``RowDecodingError``.
    @inlinable
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, forColumn column: some ColumnExpression
    ) throws -> Value {
        try decode(Value.self, forColumn: column.name)
    }

    /// Returns the first value that is not NULL, among the columns that exist.
    public func coalesce<T: DatabaseValueConvertible>(
        _ columns: some Collection<any ColumnExpression>
    ) -> T? {
        coalesce(columns.map(\.name))
    }

    /// Calls the closure with the `Data` of the given column.
    ///
    /// - throws: a ``RowDecodingError`` if the value is neither NULL, a blob nor a string; or the
    ///   error of the closure.
    public func withUnsafeData<T>(
        at column: some ColumnExpression, _ body: (Data?) throws -> T
    ) throws -> T {
        try withUnsafeData(named: column.name, body)
    }

    /// Returns the optional `Data` of the given column. The bytes are not copied if the row is
    /// live.
    @available(*, deprecated, message: "Use withUnsafeData(at:_:) instead.")
    public func dataNoCopy(_ column: some ColumnExpression) -> Data? {
        dataNoCopy(named: column.name)
    }
}
