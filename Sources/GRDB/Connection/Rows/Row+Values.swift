public import _GRDBSystem

// MARK: - Values by index

extension Row {
    /// The value at an index, as the Swift type that fits its storage class: `Int64`, `Double`,
    /// `String` or `Data`, and nil for NULL.
    ///
    /// - precondition: the index is in `0..<count`.
    public subscript(_ index: Int) -> (any DatabaseValueConvertible)? {
        checkIndex(index)
        return databaseValue(uncheckedIndex: index).storage.value
    }

    /// Reads the column at an index as the type that the caller expects.
    ///
    /// - precondition: the index is in `0..<count`, and the value can be converted. See
    ///   `decode(_:atIndex:)` for a method that throws.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value {
        checkIndex(index)
        if let liveStatement,
            let value = ColumnAccess(liveStatement, backingIndex(index)).value(Value.self)
        {
            return value
        }
        return copiedValue(at: index)
    }

    /// A separate function, like ``searchedValue(_:)``.
    @inlinable
    @inline(never)
    func copiedValue<Value: DatabaseValueConvertible>(at index: Int) -> Value {
        access(index).value(Value.self) ?? trappingValue(at: index, "")
    }

    /// Reads the column at an index as the type that the caller expects.
    ///
    /// - throws: a ``RowDecodingError`` if the value can't be converted, or if the index is not in
    ///   `0..<count`.
    @inlinable
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, atIndex index: Int
    ) throws -> Value {
        try validateIndex(index)
        return try checkingMemory(
            access(index).value(Value.self) ?? unreadValue(Value.self, at: index, ""))
    }

    /// Passes the bytes at an index to a closure, without a copy if the row is live.
    ///
    /// - precondition: the data must not escape the closure.
    /// - throws: a ``RowDecodingError`` unless the index is in `0..<count` and the value is NULL,
    ///   a blob or a string; or the error of the closure.
    public func withUnsafeData<T>(
        atIndex index: Int, _ body: (Data?) throws -> T
    ) throws -> T {
        try validateIndex(index)
        if let blob = access(index).blobNoCopy { return try body(blob) }
        // From a database value: a statement converts numbers to data.
        let data: Data? =
            try Data?.fromDatabaseValue(access(index).databaseValue)
            ?? mismatchedValue(Data?.self, at: index)
        return try body(checkingMemory(data))
    }

    /// Returns the optional `Data` at the given index, without copying its bytes when the row is
    /// live. The data is valid until the cursor steps.
    @available(
        *, deprecated, message: "Use withUnsafeData(atIndex:_:) instead."
    )
    public func dataNoCopy(atIndex index: Int) -> Data? {
        checkIndex(index)
        if let blob = access(index).blobNoCopy { return blob }
        return self[index]
    }
}

// MARK: - Values by column name

extension Row {
    /// The value of a column, as the Swift type that fits its storage class: `Int64`, `Double`,
    /// `String` or `Data`, and nil for NULL or when there is no such column.
    ///
    /// Column names ignore ASCII case. When several columns have the name, the leftmost one wins.
    public subscript(_ columnName: String) -> (any DatabaseValueConvertible)? {
        let index = columnIndex(columnName)
        guard index >= 0 else { return nil }
        return databaseValue(uncheckedIndex: index).storage.value
    }

    /// Returns the value in the given column, converted to the requested type. A missing column is
    /// nil if the type is optional.
    ///
    /// - precondition: the column exists unless the type is optional, and the value can be
    ///   converted. See `decode(_:forColumn:)` for a method that throws.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ columnName: String) -> Value {
        if let liveStatement, let expected = expectedColumn(columnName),
            let value = ColumnAccess(liveStatement, expected.pointee.column).value(Value.self)
        {
            return value
        }
        return searchedValue(columnName)
    }

    /// The value in the given column, for code that rarely runs: each use of the subscript takes 1 KB.
    @inline(never)
    func columnValue<Value: DatabaseValueConvertible>(_ columnName: String) -> Value {
        self[columnName]
    }

    /// A separate function, so that the function that reads a predicted column saves fewer
    /// registers.
    @inlinable
    @inline(never)
    func searchedValue<Value: DatabaseValueConvertible>(_ columnName: String) -> Value {
        let index = searchedColumnIndex(columnName)
        if index >= 0, let value = access(index).value(Value.self) { return value }
        return trappingValue(at: index, columnName)
    }

    /// Returns the value in the given column, converted to the requested type. A missing column is
    /// nil if the type is optional.
    ///
    /// - throws: a ``RowDecodingError`` if the column is missing, or if its value can't be
    ///   converted.
    @inlinable
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, forColumn columnName: String
    ) throws -> Value {
        let index = columnIndex(columnName)
        if index >= 0, let value = access(index).value(Value.self) {
            return try checkingMemory(value)
        }
        return try unreadValue(Value.self, at: index, columnName)
    }

    /// Returns the first value that is not NULL, among the columns that exist. Like the SQL
    /// function `COALESCE`.
    ///
    /// ```swift
    /// let name: String? = row.coalesce(["nickname", "name"])
    /// ```
    ///
    /// - precondition: the value can be converted.
    public func coalesce<T: DatabaseValueConvertible>(_ columns: some Collection<String>) -> T? {
        for column in columns {
            if let value = self[column] as T? { return value }
        }
        return nil
    }

    /// Passes the bytes of a column to a closure, or nil if there is no such column.
    ///
    /// See ``withUnsafeData(atIndex:_:)``.
    ///
    /// - throws: a ``RowDecodingError`` unless the value is NULL, a blob or a string; or the error of
    ///   the closure.
    public func withUnsafeData<T>(
        named columnName: String, _ body: (Data?) throws -> T
    ) throws -> T {
        let index = columnIndex(columnName)
        guard index >= 0 else { return try body(nil) }
        return try withUnsafeData(atIndex: index, body)
    }

    /// Returns the optional `Data` in the given column, without copying its bytes when the row is
    /// live.
    @available(*, deprecated, message: "Use withUnsafeData(named:_:) instead.")
    public func dataNoCopy(named columnName: String) -> Data? {
        let index = columnIndex(columnName)
        return index < 0 ? nil : dataNoCopy(atIndex: index)
    }
}

// MARK: - Slow paths

extension Row {
    /// Returns a value that was read, or throws if there was no memory to convert it. Methods that
    /// can't throw return the value anyway; the cursor or the database access throws instead.
    @inlinable
    @inline(__always)
    func checkingMemory<Value>(_ value: Value) throws -> Value {
        if let liveStatement, RawStatement.lacksMemory(liveStatement) { throw memoryError }
        return value
    }

    @usableFromInline
    var memoryError: DatabaseError { statement?.memoryError ?? DatabaseError(.outOfMemory) }

    /// Returns a value for a column that could not be read; stops the program if there is no such
    /// value.
    @usableFromInline
    func trappingValue<Value: DatabaseValueConvertible>(
        at index: Int, _ columnName: String
    ) -> Value {
        tryOrTrap { try unreadValue(Value.self, at: index, columnName) }
    }

    /// Returns the result, or stops the program with the description of the error.
    @usableFromInline
    @inline(__always)
    func tryOrTrap<Value>(_ body: () throws -> Value) -> Value {
        do {
            return try body()
        } catch {
            fatalError("\(error)")
        }
    }
}
