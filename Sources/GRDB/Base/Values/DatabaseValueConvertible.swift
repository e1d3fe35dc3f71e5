public import _GRDBSystem

/// A type whose values are stored in a single column, as a ``DatabaseValue``, and can be decoded
/// from it.
///
/// `Bool`, `Int`, `String`, `Date` and the other standard value types conform.
///
/// ```swift
/// struct EvenInteger {
///     let value: Int
///     init?(_ value: Int) {
///         guard value.isMultiple(of: 2) else { return nil }
///         self.value = value
///     }
/// }
///
/// extension EvenInteger: DatabaseValueConvertible {
///     var databaseValue: DatabaseValue { value.databaseValue }
///
///     static func fromDatabaseValue(_ dbValue: DatabaseValue) -> EvenInteger? {
///         guard let value = Int.fromDatabaseValue(dbValue) else { return nil }
///         return EvenInteger(value)
///     }
/// }
/// ```
///
/// `RawRepresentable` types with a convertible raw value, and `Codable` types, which are then
/// stored as JSON text, only need an empty conformance.
///
/// See <doc:Values#Your-own-types>.
public protocol DatabaseValueConvertible: SQLExpressible, StatementBinding {
    /// The value that SQLite stores.
    var databaseValue: DatabaseValue { get }

    /// The value that SQLite stores; nil if SQLite can't store the value, such as an unsigned
    /// integer above `Int64.max`, whose ``databaseValue`` traps. Statement arguments use this
    /// property to make the statement throw an error.
    var _storableDatabaseValue: DatabaseValue? { get }

    /// Creates an instance from a database value.
    ///
    /// - returns: nil if the value can't be converted. The library then throws a decoding error.
    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self?

    /// Reads a column that may be NULL: directly from the statement if the type is
    /// ``StatementColumnConvertible``, and otherwise from a database value. Do not customize.
    static func _fromColumn(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> Self?

    /// Creates an instance for a column that does not exist. Do not customize.
    static func fromMissingColumn() -> Self?

    /// The decoder of values that are stored as JSON. The default decodes `Data` from Base64 and
    /// `Date` from milliseconds since 1970, and rejects non-conforming floats.
    static func databaseJSONDecoder() -> JSONDecoder

    /// The encoder of values that are stored as JSON. The default encodes `Data` as Base64 and
    /// `Date` as milliseconds since 1970, rejects non-conforming floats, and sorts keys.
    static func databaseJSONEncoder() -> JSONEncoder
}

extension DatabaseValueConvertible {
    public var sqlExpression: SQLExpression { storableSQLExpression }

    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        bindStorableValue(to: sqliteStatement, at: index)
    }

    /// The value in SQL. If SQLite can't store the value, the expression throws an error when SQL
    /// is generated.
    var storableSQLExpression: SQLExpression {
        // Not written with `??`, which is an SQL function on expressions.
        if let value = _storableDatabaseValue {
            value.sqlExpression
        } else {
            SQLExpression(RefusedValue(description: "\(self)"))
        }
    }

    /// Binds the value. Returns `SQLITE_TOOBIG` if SQLite can't store it.
    func bindStorableValue(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        _storableDatabaseValue?.bind(to: sqliteStatement, at: index) ?? RawBinding.tooBig
    }

    /// The value that SQLite stores.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_TOOBIG` if SQLite can't store it.
    func storedValue() throws -> DatabaseValue {
        if let dbValue = _storableDatabaseValue { return dbValue }
        throw RefusedValue(description: "\(self)").error()
    }

    public var _storableDatabaseValue: DatabaseValue? { databaseValue }

    @inlinable
    public static func _fromColumn(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> Self? {
        fromDatabaseValue(DatabaseValue(sqliteStatement: sqliteStatement, index: index))
    }

    public static func fromMissingColumn() -> Self? { nil }

    public static func databaseJSONDecoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .stored
        return decoder
    }

    public static func databaseJSONEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.configureForDatabase()
        return encoder
    }
}

extension JSONEncoder {
    /// Sets the strategies for stored values. By default, data is encoded in Base 64, and NaN is an error.
    func configureForDatabase() {
        dateEncodingStrategy = .millisecondsSince1970
        // Sorted keys make stored values comparable.
        outputFormatting = .sortedKeys
    }
}
