import _GRDBSystem

/// A column of a row: of the statement of a live row, or of the values of a copied row.
///
/// The subscripts and decoders of ``Row``, the containers that decode records, and the cursors of
/// values read all their values here. If `value(_:)` returns nil, a method of the row provides the
/// result:
///
/// - `unreadValue`: `fromMissingColumn()` of the type for a missing column, and otherwise an error;
/// - `unreadValueIfPresent`: nil for a missing column and for NULL, and otherwise an error.
///
/// If ``Configuration/convertsMismatchedValues`` is set, a value that does not fit is converted instead.
///
/// Two pointers and a number, which are passed in registers. Valid until the statement steps, or the
/// copied values are freed.
@usableFromInline
struct ColumnAccess {
    /// Nil for copied values.
    @usableFromInline let statement: SQLiteStatement?

    /// The values of a copied row. Nil if there is no row; undefined if there is a statement.
    @usableFromInline let values: UnsafePointer<CopiedValue>?

    /// The index of the column in the statement, or among the values.
    @usableFromInline let index: CInt

    @inlinable
    @inline(__always)
    init(statement: SQLiteStatement?, values: UnsafePointer<CopiedValue>?, index: CInt) {
        self.statement = statement
        self.values = values
        self.index = index
    }

    @inlinable
    @inline(__always)
    init(_ statement: SQLiteStatement, _ index: CInt) {
        self.init(statement: statement, values: nil, index: index)
    }

    // MARK: - Values

    /// The value; nil if it is NULL, or not of the type.
    @inlinable
    @inline(__always)
    func value<Value: DatabaseValueConvertible>(_ type: Value.Type) -> Value? {
        if let statement { return Value._fromColumn(statement, index) }
        return copiedValue(type)
    }

    /// The value of a column that may be NULL: `.some(nil)` for NULL; nil if it has another type.
    @inlinable
    @inline(__always)
    func valueIfPresent<Value: DatabaseValueConvertible>(_ type: Value.Type) -> Value?? {
        guard let statement else { return copiedValueIfPresent(type) }
        if let value = Value._fromColumn(statement, index) { return value }
        return RawColumn.isNull(statement, index) ? .some(nil) : nil
    }

    // Separate functions, so that the functions that read a statement save fewer registers.

    @inlinable
    @inline(never)
    func copiedValue<Value: DatabaseValueConvertible>(_ type: Value.Type) -> Value? {
        guard let values else { return nil }
        return Value.fromDatabaseValue(values[Int(index)].databaseValue)
    }

    @inlinable
    @inline(never)
    func copiedValueIfPresent<Value: DatabaseValueConvertible>(_ type: Value.Type) -> Value?? {
        guard let values else { return nil }
        if values[Int(index)].isNull { return .some(nil) }
        return Value.fromDatabaseValue(values[Int(index)].databaseValue).map { .some($0) }
    }

    /// An integer of a type that is not a database value: nil if it is NULL, or does not fit.
    func integer<Value: FixedWidthInteger>(_ type: Value.Type) -> Value? {
        if let statement { return NumericColumn.integer(statement, index) }
        return databaseValue.integer()
    }

    /// The value as it is stored.
    @usableFromInline
    var databaseValue: DatabaseValue {
        if let statement { return DatabaseValue(sqliteStatement: statement, index: index) }
        return values.map { $0[Int(index)].databaseValue } ?? .null
    }

    var isNull: Bool {
        if let statement { return RawColumn.isNull(statement, index) }
        return values.map { $0[Int(index)].isNull } ?? true
    }

    /// The bytes of a blob in the memory of SQLite; nil if the value is not a blob, or if the row
    /// is a copy. Also nil for texts, because reading the column as another type may move them.
    var blobNoCopy: Data? {
        guard let statement, RawColumn.type(statement, index) == RawType.blob else { return nil }
        let bytes = RawColumn.bytes(statement, index)
        guard let start = bytes.baseAddress else { return Data() }
        return Data(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count,
            deallocator: .none)
    }
}

// MARK: - Columns of rows

extension Row {
    /// The column at an index that is known to be valid.
    @inlinable
    @inline(__always)
    func access(_ index: Int) -> ColumnAccess {
        ColumnAccess(statement: liveStatement, values: values, index: backingIndex(index))
    }

    /// Returns a value for a column that could not be read: the value for a missing column, or a
    /// converted value.
    ///
    /// - parameter index: the index of the column; -1 if it is missing.
    /// - throws: a ``RowDecodingError`` if there is no such value.
    @usableFromInline
    func unreadValue<Value: DatabaseValueConvertible>(
        _ type: Value.Type, at index: Int, _ name: @autoclosure () -> String
    ) throws -> Value {
        if index >= 0 { return try mismatchedValue(type, at: index) }
        if let value = Value.fromMissingColumn() { return value }
        throw columnNotFound(name())
    }

    /// Returns a value for a column that could not be read: nil if the column is missing, or NULL.
    ///
    /// - throws: a ``RowDecodingError`` if the value is of another type.
    func unreadValueIfPresent<Value: DatabaseValueConvertible>(
        _ type: Value.Type, at index: Int
    ) throws -> Value? {
        if index < 0 || access(index).isNull { return nil }
        return try mismatchedValue(type, at: index)
    }

    /// The value of a column.
    ///
    /// - parameter index: the index of the column; -1 if it is missing.
    @usableFromInline
    func value<Value: DatabaseValueConvertible>(
        _ type: Value.Type, at index: Int, _ name: @autoclosure () -> String
    ) throws -> Value {
        if index >= 0, let value = access(index).value(type) { return value }
        return try unreadValue(type, at: index, name())
    }

    /// Converts a value that does not fit, if the configuration enables conversions, or throws an error.
    ///
    /// Not specialized, because conversions are rare: the copies for all types would take 35 KB.
    @usableFromInline
    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    func mismatchedValue<Value: DatabaseValueConvertible>(
        _ type: Value.Type, at index: Int
    ) throws -> Value {
        if let converted = convertedValue(at: index, for: type),
            let value = Value.fromDatabaseValue(converted)
        {
            return value
        }
        let dbValue = access(index).databaseValue
        throw RowDecodingError(
            valueMismatch: "\(type)", dbValue: dbValue,
            failure: JSONFailure.message { _ = Value.fromDatabaseValue(dbValue) }, in: self,
            at: index)
    }

    /// The value as SQLite converts it to a type, if the configuration enables conversions; nil if there is no
    /// conversion.
    private func convertedValue(at index: Int, for type: Any.Type) -> DatabaseValue? {
        guard baseLayout.convertsMismatchedValues else { return nil }
        return access(index).databaseValue.converted(for: type)
    }

    @inline(never)
    private func valueMismatch(_ type: Any.Type, at index: Int) -> any Error {
        RowDecodingError(
            valueMismatch: "\(type)", dbValue: access(index).databaseValue, in: self, at: index)
    }

    @inline(never)
    private func columnNotFound(_ name: String) -> any Error {
        RowDecodingError(columnNotFound: name, in: self)
    }

    /// Returns a value created from the stored value.
    ///
    /// - parameter storedType: the type that SQLite converts the value to, if it does not fit; nil
    ///   for no conversion.
    func value<Value>(
        _ type: Value.Type, at index: Int, storedAs storedType: Any.Type?,
        _ convert: (DatabaseValue) -> Value?
    ) throws -> Value {
        if let value = convert(access(index).databaseValue) { return value }
        if let storedType, let converted = convertedValue(at: index, for: storedType),
            let value = convert(converted)
        {
            return value
        }
        throw valueMismatch(type, at: index)
    }

    /// An integer of a type that is not a database value.
    func integer<Value: FixedWidthInteger>(_ type: Value.Type, at index: Int) throws -> Value {
        if let value = access(index).integer(type) { return value }
        return try value(type, at: index, storedAs: type) { $0.integer() }
    }
}
