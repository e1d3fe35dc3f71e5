public import Foundation

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

    /// Returns the value at the given index, converted to the requested type.
    ///
    /// - precondition: the index is in `0..<count`, and the value can be converted. See
    ///   `decode(_:atIndex:)` for a method that throws.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value {
        checkIndex(index)
        return tryOrTrap { () throws(RowDecodingError) in
            try decodeValue(Value.self, uncheckedIndex: index)
        }
    }

    /// Returns the value at the given index, converted to the requested type.
    ///
    /// This is the overload for types that read a column without a `DatabaseValue`.
    ///
    /// - precondition: the index is in `0..<count`, and the value can be converted.
    @inlinable
    public subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ index: Int
    ) -> Value {
        checkIndex(index)
        if let liveStatement,
            let value = Value.fromStatement(liveStatement, atUncheckedIndex: backingIndex(index))
        {
            return value
        }
        return copiedValue(uncheckedIndex: index)
    }

    @inlinable
    @inline(never)
    func copiedValue<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        uncheckedIndex index: Int
    ) -> Value {
        tryOrTrap { () throws(RowDecodingError) in
            try slowlyDecodeValue(Value.self, uncheckedIndex: index)
        }
    }

    /// Returns the value at the given index, converted to the requested type.
    ///
    /// - throws: a ``RowDecodingError`` if the value can't be converted, or if the index is not in
    ///   `0..<count`.
    @inlinable
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, atIndex index: Int
    ) throws -> Value {
        try validateIndex(index)
        return try checkingMemory(decodeValue(Value.self, uncheckedIndex: index))
    }

    /// Returns the value at the given index, converted to the requested type.
    ///
    /// This is the overload for types that read a column without a `DatabaseValue`.
    ///
    /// - throws: a ``RowDecodingError`` if the value can't be converted, or if the index is not in
    ///   `0..<count`.
    @inlinable
    public func decode<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type = Value.self, atIndex index: Int
    ) throws -> Value {
        try validateIndex(index)
        if let liveStatement,
            let value = Value.fromStatement(liveStatement, atUncheckedIndex: backingIndex(index))
        {
            return try checkingMemory(value)
        }
        return try slowlyDecodeValue(Value.self, uncheckedIndex: index)
    }

    /// Calls the given closure with the `Data` at the given index, without copying its bytes when
    /// the row is live.
    ///
    /// - precondition: the data must not escape the closure.
    /// - throws: a ``RowDecodingError`` unless the index is in `0..<count` and the value is NULL,
    ///   a blob or a text; or the error of the closure.
    public func withUnsafeData<T>(
        atIndex index: Int, _ body: (Data?) throws -> T
    ) throws -> T {
        try validateIndex(index)
        if let liveStatement {
            let column = backingIndex(index)
            switch RawColumn.type(liveStatement, column) {
            case RawType.null:
                return try body(nil)
            case RawType.blob:
                // Texts are copied: reading the column as another type may move them.
                let bytes = RawColumn.bytes(liveStatement, column)
                guard let start = bytes.baseAddress else { return try body(Data()) }
                return try body(
                    Data(
                        bytesNoCopy: UnsafeMutableRawPointer(mutating: start),
                        count: bytes.count, deallocator: .none))
            default:
                break
            }
        }
        return try body(checkingMemory(decodeValue(Data?.self, uncheckedIndex: index)))
    }

    /// Returns the optional `Data` at the given index, without copying its bytes when the row is
    /// live. The data is valid until the cursor steps.
    @available(
        *, deprecated, message: "Use withUnsafeData(atIndex:_:) instead."
    )
    public func dataNoCopy(atIndex index: Int) -> Data? {
        checkIndex(index)
        guard let liveStatement else { return self[index] }
        let column = backingIndex(index)
        // Texts are copied, as above.
        guard RawColumn.type(liveStatement, column) == RawType.blob else { return self[index] }
        let bytes = RawColumn.bytes(liveStatement, column)
        guard let start = bytes.baseAddress else { return Data() }
        return Data(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count,
            deallocator: .none)
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
        tryOrTrap { () throws(RowDecodingError) in
            try decodeValue(Value.self, columnName: columnName)
        }
    }

    /// Returns the value in the given column, converted to the requested type.
    ///
    /// This is the overload for types that read a column without a `DatabaseValue`.
    ///
    /// - precondition: the column exists unless the type is optional, and the value can be
    ///   converted.
    @inlinable
    public subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ columnName: String
    ) -> Value {
        if let liveStatement, let expected = expectedColumn(columnName),
            let value = Value.fromStatement(
                liveStatement, atUncheckedIndex: expected.pointee.column)
        {
            return value
        }
        return searchedValue(columnName)
    }

    /// A function of its own, so that the one that reads a column as predicted has few registers to
    /// save.
    @inlinable
    @inline(never)
    func searchedValue<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ columnName: String
    ) -> Value {
        let index = searchedColumnIndex(columnName)
        if index >= 0, let liveStatement,
            let value = Value.fromStatement(liveStatement, atUncheckedIndex: backingIndex(index))
        {
            return value
        }
        return tryOrTrap { () throws(RowDecodingError) in
            try slowlyDecodeValue(Value.self, columnName: columnName, index: index)
        }
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
        try checkingMemory(decodeValue(Value.self, columnName: columnName))
    }

    /// Returns the value in the given column, converted to the requested type.
    ///
    /// This is the overload for types that read a column without a `DatabaseValue`.
    ///
    /// - throws: a ``RowDecodingError`` if the column is missing, or if its value can't be
    ///   converted.
    @inlinable
    public func decode<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type = Value.self, forColumn columnName: String
    ) throws -> Value {
        let index = columnIndex(columnName)
        if index >= 0, let liveStatement,
            let value = Value.fromStatement(liveStatement, atUncheckedIndex: backingIndex(index))
        {
            return try checkingMemory(value)
        }
        return try slowlyDecodeValue(Value.self, columnName: columnName, index: index)
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

    /// Calls the given closure with the `Data` in the given column, or with nil if the column is
    /// missing.
    ///
    /// See ``withUnsafeData(atIndex:_:)``.
    ///
    /// - throws: a ``RowDecodingError`` unless the value is NULL, a blob or a text; or the error of
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
    /// Returns a value that was read, or throws if there was no memory to convert it. What can't throw
    /// reads the value all the same, but then the cursor throws, or the access.
    @inlinable
    @inline(__always)
    func checkingMemory<Value>(_ value: Value) throws -> Value {
        if let liveStatement, RawStatement.lacksMemory(liveStatement) { throw memoryError }
        return value
    }

    @usableFromInline
    var memoryError: DatabaseError { statement?.memoryError ?? DatabaseError(.outOfMemory) }

    /// Decodes a value by way of a ``DatabaseValue``.
    @usableFromInline
    func decodeValue<Value: DatabaseValueConvertible>(
        _ type: Value.Type, uncheckedIndex index: Int
    ) throws(RowDecodingError) -> Value {
        let dbValue = databaseValue(uncheckedIndex: index)
        if let value = Value.fromDatabaseValue(dbValue) { return value }
        return try mismatchedValue(Value.self, at: index)
    }

    @usableFromInline
    func decodeValue<Value: DatabaseValueConvertible>(
        _ type: Value.Type, columnName: String
    ) throws(RowDecodingError) -> Value {
        let index = columnIndex(columnName)
        guard index >= 0 else {
            if let value = Value.fromMissingColumn() { return value }
            throw RowDecodingError(columnNotFound: columnName, in: self)
        }
        return try decodeValue(Value.self, uncheckedIndex: index)
    }

    /// Decodes a value that could not be read from the statement: the row is a copy, or the value
    /// does not fit, in which case this throws.
    @inlinable
    func slowlyDecodeValue<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type, uncheckedIndex index: Int
    ) throws(RowDecodingError) -> Value {
        if liveStatement == nil,
            let value = Value.fromDatabaseValue(values[Int(backingIndex(index))])
        {
            return value
        }
        return try mismatchedValue(Value.self, at: index)
    }

    /// A value that does not fit, if the configuration asks for conversions. Otherwise throws.
    @usableFromInline
    func mismatchedValue<Value: DatabaseValueConvertible>(
        _ type: Value.Type, at index: Int
    ) throws(RowDecodingError) -> Value {
        if let dbValue = convertedValue(for: type, at: index),
            let value = Value.fromDatabaseValue(dbValue)
        {
            return value
        }
        throw valueMismatch(type, at: index)
    }

    /// The value as SQLite converts it for a type; nil if there is nothing to convert, or if the
    /// configuration does not ask for conversions.
    func convertedValue(for type: Any.Type, at index: Int) -> DatabaseValue? {
        guard baseLayout.convertsMismatchedValues else { return nil }
        return databaseValue(uncheckedIndex: index).converted(for: type)
    }

    func valueMismatch<Value>(_ type: Value.Type, at index: Int) -> RowDecodingError {
        RowDecodingError(
            valueMismatch: Value.self, dbValue: databaseValue(uncheckedIndex: index), in: self,
            at: index)
    }

    @inlinable
    func slowlyDecodeValue<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type, columnName: String, index: Int
    ) throws(RowDecodingError) -> Value {
        guard index >= 0 else {
            if let value = Value.fromMissingColumn() { return value }
            throw missingColumn(columnName)
        }
        return try slowlyDecodeValue(Value.self, uncheckedIndex: index)
    }

    @usableFromInline
    func missingColumn(_ columnName: String) -> RowDecodingError {
        RowDecodingError(columnNotFound: columnName, in: self)
    }

    /// Returns the result, or stops the program with the description of the error.
    @usableFromInline
    @inline(__always)
    func tryOrTrap<Value>(_ body: () throws(RowDecodingError) -> Value) -> Value {
        do {
            return try body()
        } catch {
            fatalError(error.description)
        }
    }
}
