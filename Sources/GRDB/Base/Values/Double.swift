/// Stored as REAL, and decoded from any number. SQLite stores NaN as NULL.
///
/// Related SQLite documentation: <https://www.sqlite.org/floatingpoint.html>
extension Double: DatabaseValueConvertible, StatementColumnConvertible, JSONScalar {
    /// Reads a column that is not NULL with the conversions of SQLite: text that is not a number is
    /// read as zero. The library itself decodes with ``fromStatement(_:atUncheckedIndex:)``, which
    /// rejects such text.
    @inlinable
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        self = RawColumn.double(sqliteStatement, index)
    }

    @inlinable
    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
    ) -> Double? {
        NumericColumn.real(sqliteStatement, index)
    }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        RawBinding.double(sqliteStatement, index, self)
    }

    @inlinable public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .double(self))
    }

    public var _storableDatabaseValue: DatabaseValue? { databaseValue }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Double? {
        dbValue.real
    }
}
