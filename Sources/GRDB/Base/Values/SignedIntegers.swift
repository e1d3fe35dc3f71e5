// The signed integers. They are stored as INTEGER, and decoded from any number whose integer part
// fits the type: 1.5 is read as 1, see `NumericColumn`.

extension Int64: DatabaseValueConvertible, StatementColumnConvertible {
    /// Reads a column that is not NULL with the conversions of SQLite: text that is not a number is
    /// read as zero, and a real number out of range as the nearest integer. The library itself
    /// decodes with ``fromStatement(_:atUncheckedIndex:)``, which rejects such values.
    @inlinable
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        self = RawColumn.int64(sqliteStatement, index)
    }

    @inlinable
    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
    ) -> Int64? {
        NumericColumn.int64(sqliteStatement, index)
    }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        RawBinding.int64(sqliteStatement, index, self)
    }

    @inlinable public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .int64(self))
    }

    public var _storableDatabaseValue: DatabaseValue? { databaseValue }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Int64? {
        dbValue.integer()
    }
}

extension Int: DatabaseValueConvertible, StatementColumnConvertible {
    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        guard let value = Self.fromStatement(sqliteStatement, atUncheckedIndex: index) else {
            return nil
        }
        self = value
    }

    @inlinable
    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
    ) -> Int? {
        guard let value = NumericColumn.int64(sqliteStatement, index) else { return nil }
        return Int(exactly: value)
    }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        RawBinding.int64(sqliteStatement, index, Int64(self))
    }

    @inlinable public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .int64(Int64(self)))
    }

    public var _storableDatabaseValue: DatabaseValue? { databaseValue }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Int? {
        dbValue.integer()
    }
}

extension Int8: DatabaseValueConvertible, StatementColumnConvertible {
    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        guard let value = Self.fromStatement(sqliteStatement, atUncheckedIndex: index) else {
            return nil
        }
        self = value
    }

    @inlinable
    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
    ) -> Int8? {
        NumericColumn.integer(sqliteStatement, index)
    }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        RawBinding.int64(sqliteStatement, index, Int64(self))
    }

    @inlinable public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .int64(Int64(self)))
    }

    public var _storableDatabaseValue: DatabaseValue? { databaseValue }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Int8? {
        dbValue.integer()
    }
}

extension Int16: DatabaseValueConvertible, StatementColumnConvertible {
    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        guard let value = Self.fromStatement(sqliteStatement, atUncheckedIndex: index) else {
            return nil
        }
        self = value
    }

    @inlinable
    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
    ) -> Int16? {
        NumericColumn.integer(sqliteStatement, index)
    }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        RawBinding.int64(sqliteStatement, index, Int64(self))
    }

    @inlinable public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .int64(Int64(self)))
    }

    public var _storableDatabaseValue: DatabaseValue? { databaseValue }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Int16? {
        dbValue.integer()
    }
}

extension Int32: DatabaseValueConvertible, StatementColumnConvertible {
    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        guard let value = Self.fromStatement(sqliteStatement, atUncheckedIndex: index) else {
            return nil
        }
        self = value
    }

    @inlinable
    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
    ) -> Int32? {
        NumericColumn.integer(sqliteStatement, index)
    }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        RawBinding.int64(sqliteStatement, index, Int64(self))
    }

    @inlinable public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .int64(Int64(self)))
    }

    public var _storableDatabaseValue: DatabaseValue? { databaseValue }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Int32? {
        dbValue.integer()
    }
}
