/// Booleans are stored as the integers 0 and 1. Zero is the only false number.
extension Bool: DatabaseValueConvertible, StatementColumnConvertible, JSONScalar {
    /// Reads a column that is not NULL with the conversions of SQLite: values that are not numbers
    /// are read as false. The library itself decodes with ``fromStatement(_:atUncheckedIndex:)``,
    /// which rejects such values.
    @inlinable
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        // Not read as an integer, because 0.5 would be false.
        self = RawColumn.double(sqliteStatement, index) != 0
    }

    @inlinable
    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
    ) -> Bool? {
        NumericColumn.real(sqliteStatement, index).map { $0 != 0 }
    }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        RawBinding.int64(sqliteStatement, index, self ? 1 : 0)
    }

    @inlinable public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .int64(self ? 1 : 0))
    }

    public var _storableDatabaseValue: DatabaseValue? { databaseValue }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Bool? {
        dbValue.real.map { $0 != 0 }
    }
}
