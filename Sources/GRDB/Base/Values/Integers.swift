// The integers. They are stored as INTEGER, and decoded from any number whose integer part fits the type: 1.5 is read
// as 1, see `NumericColumn`.
//
// SQLite's integers are signed. Values of UInt and UInt64 above Int64.max can't be stored: a statement that binds such
// a value throws SQLITE_TOOBIG, and `databaseValue` traps.
//
// `Int64` and `Int` have their own implementations, which call no generic function: see `NumericColumn.int64`.

extension Int64: DatabaseValueConvertible, StatementColumnConvertible, JSONScalar {
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

extension Int: DatabaseValueConvertible, StatementColumnConvertible, JSONScalar {
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

/// An integer type other than `Int64` and `Int`. Internal.
///
/// Codable types are converted to JSON by default. The implementations of this protocol precede these, because it also
/// inherits from `Codable`.
public protocol _StoredInteger: FixedWidthInteger, Codable, DatabaseValueConvertible,
    StatementColumnConvertible
{}

extension _StoredInteger {
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
    ) -> Self? {
        NumericColumn.integer(sqliteStatement, index)
    }

    /// Binds the value, or returns `SQLITE_TOOBIG` for values above `Int64.max`.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        guard let value = Int64(exactly: self) else { return RawBinding.tooBig }
        return RawBinding.int64(sqliteStatement, index, value)
    }

    /// The value that SQLite stores.
    ///
    /// - precondition: the value is not above `Int64.max`.
    @inlinable
    public var databaseValue: DatabaseValue {
        guard let value = Int64(exactly: self) else {
            return DatabaseValue(unsignedInteger: UInt64(self))
        }
        return DatabaseValue(storage: .int64(value))
    }

    public var _storableDatabaseValue: DatabaseValue? { Int64(exactly: self)?.databaseValue }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? { dbValue.integer() }
}

extension Int8: _StoredInteger, StatementColumnConvertible, JSONScalar {}
extension Int16: _StoredInteger, StatementColumnConvertible, JSONScalar {}
extension Int32: _StoredInteger, StatementColumnConvertible, JSONScalar {}
extension UInt: _StoredInteger, StatementColumnConvertible, JSONScalar {}
extension UInt8: _StoredInteger, StatementColumnConvertible, JSONScalar {}
extension UInt16: _StoredInteger, StatementColumnConvertible, JSONScalar {}
extension UInt32: _StoredInteger, StatementColumnConvertible, JSONScalar {}
extension UInt64: _StoredInteger, StatementColumnConvertible, JSONScalar {}

extension DatabaseValue {
    /// - precondition: the value is not above `Int64.max`.
    @usableFromInline
    init(unsignedInteger value: UInt64) {
        guard let value = Int64(exactly: value) else {
            self = ValueRefusal.refuse(
                "could not store \(value): the integers of SQLite do not exceed \(Int64.max)")
            return
        }
        self.init(storage: .int64(value))
    }
}
