/// Stored as REAL. Decoded from any number in the range of the type, and rounded to its precision.
/// SQLite stores NaN as NULL.
extension Float: DatabaseValueConvertible, StatementColumnConvertible, JSONScalar {
    /// Reads a column that is not NULL with the conversions of SQLite: text that is not a number is
    /// read as zero, and numbers out of range as infinity. The library itself decodes with
    /// ``fromStatement(_:atUncheckedIndex:)``, which rejects such values.
    @inlinable
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        self = Float(RawColumn.double(sqliteStatement, index))
    }

    @inlinable
    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
    ) -> Float? {
        NumericColumn.real(sqliteStatement, index).flatMap(Float.init(inRange:))
    }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        RawBinding.double(sqliteStatement, index, Double(self))
    }

    @inlinable public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .double(Double(self)))
    }

    public var _storableDatabaseValue: DatabaseValue? { databaseValue }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Float? {
        dbValue.real.flatMap(Float.init(inRange:))
    }

    /// The nearest value; nil if it is infinite and the original value is finite.
    @inlinable
    init?(inRange value: Double) {
        self.init(value)
        if isInfinite && !value.isInfinite { return nil }
    }
}
