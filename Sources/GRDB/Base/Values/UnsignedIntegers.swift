// The unsigned integers. They are stored as INTEGER, and decoded from any number whose integer part
// fits the type: 1.5 is read as 1, see `NumericColumn`.
//
// SQLite's integers are signed. Values of UInt and UInt64 above Int64.max can't be stored: a
// statement that binds such a value throws SQLITE_TOOBIG, and `databaseValue` traps.

extension UInt: DatabaseValueConvertible, StatementColumnConvertible {
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
    ) -> UInt? {
        NumericColumn.integer(sqliteStatement, index)
    }

    /// Binds the value, or returns `SQLITE_TOOBIG` for values above `Int64.max`.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        guard let value = Int64(exactly: self) else {
            return RawBinding.tooBig
        }
        return RawBinding.int64(sqliteStatement, index, value)
    }

    /// The value that SQLite stores.
    ///
    /// - precondition: the value is not above `Int64.max`.
    public var databaseValue: DatabaseValue {
        DatabaseValue(unsignedInteger: UInt64(self))
    }

    public var _storableDatabaseValue: DatabaseValue? {
        Int64(exactly: self)?.databaseValue
    }

    public var sqlExpression: SQLExpression {
        if let value = _storableDatabaseValue {
            value.sqlExpression
        } else {
            SQLExpression(RefusedValue(description: "\(self)"))
        }
    }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UInt? {
        dbValue.integer()
    }
}

extension UInt64: DatabaseValueConvertible, StatementColumnConvertible {
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
    ) -> UInt64? {
        NumericColumn.integer(sqliteStatement, index)
    }

    /// Binds the value, or returns `SQLITE_TOOBIG` for values above `Int64.max`.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        guard let value = Int64(exactly: self) else {
            return RawBinding.tooBig
        }
        return RawBinding.int64(sqliteStatement, index, value)
    }

    /// The value that SQLite stores.
    ///
    /// - precondition: the value is not above `Int64.max`.
    public var databaseValue: DatabaseValue {
        DatabaseValue(unsignedInteger: UInt64(self))
    }

    public var _storableDatabaseValue: DatabaseValue? {
        Int64(exactly: self)?.databaseValue
    }

    public var sqlExpression: SQLExpression {
        if let value = _storableDatabaseValue {
            value.sqlExpression
        } else {
            SQLExpression(RefusedValue(description: "\(self)"))
        }
    }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UInt64? {
        dbValue.integer()
    }
}

extension UInt8: DatabaseValueConvertible, StatementColumnConvertible {
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
    ) -> UInt8? {
        NumericColumn.integer(sqliteStatement, index)
    }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        RawBinding.int64(sqliteStatement, index, Int64(self))
    }

    @inlinable public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .int64(Int64(self)))
    }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UInt8? {
        dbValue.integer()
    }
}

extension UInt16: DatabaseValueConvertible, StatementColumnConvertible {
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
    ) -> UInt16? {
        NumericColumn.integer(sqliteStatement, index)
    }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        RawBinding.int64(sqliteStatement, index, Int64(self))
    }

    @inlinable public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .int64(Int64(self)))
    }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UInt16? {
        dbValue.integer()
    }
}

extension UInt32: DatabaseValueConvertible, StatementColumnConvertible {
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
    ) -> UInt32? {
        NumericColumn.integer(sqliteStatement, index)
    }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        RawBinding.int64(sqliteStatement, index, Int64(self))
    }

    @inlinable public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .int64(Int64(self)))
    }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UInt32? {
        dbValue.integer()
    }
}

extension DatabaseValue {
    /// - precondition: the value is not above `Int64.max`.
    init(unsignedInteger value: UInt64) {
        guard let value = Int64(exactly: value) else {
            self = ValueRefusal.refuse(
                "could not store \(value): the integers of SQLite do not exceed \(Int64.max)")
            return
        }
        self.init(storage: .int64(value))
    }
}
