// The integers. They are stored as INTEGER, and decoded from any number whose integer part fits the
// type: 1.5 is read as 1, see `NumericColumn`.
//
// SQLite's integers are signed. Values of UInt and UInt64 above Int64.max can't be stored: a
// statement that binds such a value throws SQLITE_TOOBIG, and `databaseValue` traps.

// MARK: - The most common types

// `Int64` and `Int` have methods of their own. If they called generic functions, the compiler would
// not specialize them in app code.

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

// MARK: - Other types

extension Int8: _StoredInteger {}
extension Int16: _StoredInteger {}
extension Int32: _StoredInteger {}
extension UInt: _StoredInteger {}
extension UInt8: _StoredInteger {}
extension UInt16: _StoredInteger {}
extension UInt32: _StoredInteger {}
extension UInt64: _StoredInteger {}

/// An integer that is stored as INTEGER, unless it is above `Int64.max`.
///
/// Refines `Codable`, so that its methods are preferred to those of coded values.
@_documentation(visibility: internal)
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
    public var databaseValue: DatabaseValue {
        _storableDatabaseValue
            ?? ValueRefusal.refuse(
                "could not store \(self): the integers of SQLite do not exceed \(Int64.max)")
    }

    public var _storableDatabaseValue: DatabaseValue? { Int64(exactly: self)?.databaseValue }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        dbValue.integer()
    }
}
