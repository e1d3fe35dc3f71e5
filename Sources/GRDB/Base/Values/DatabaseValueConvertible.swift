public import Foundation

/// A type whose values are stored in one column each, as a ``DatabaseValue``, and can be made from
/// one again.
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
/// `RawRepresentable` types whose raw value is convertible, and `Codable` types, which are then
/// stored as JSON text, need an empty conformance only.
public protocol DatabaseValueConvertible: SQLExpressible, StatementBinding {
    /// The value as SQLite stores it.
    var databaseValue: DatabaseValue { get }

    /// The value as SQLite stores it, or nil if SQLite can't: an unsigned integer above
    /// `Int64.max`, say, whose ``databaseValue`` traps. Statement arguments ask for it, and make
    /// the statement throw.
    var _storableDatabaseValue: DatabaseValue? { get }

    /// Creates an instance from a database value.
    ///
    /// - returns: nil if the value can't be converted: the library then throws a decoding error.
    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self?

    /// Creates an instance from a column that does not exist. Do not customize.
    static func fromMissingColumn() -> Self?

    /// The decoder of values that are stored as JSON. The default decodes `Data` from base64 and
    /// `Date` from milliseconds since 1970, and refuses non-conforming floats.
    static func databaseJSONDecoder() -> JSONDecoder

    /// The encoder of values that are stored as JSON. The default encodes `Data` as base64 and
    /// `Date` as milliseconds since 1970, refuses non-conforming floats, and sorts keys.
    static func databaseJSONEncoder() -> JSONEncoder
}

extension DatabaseValueConvertible {
    public var sqlExpression: SQLExpression { storableSQLExpression }

    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        bindStorableValue(to: sqliteStatement, at: index)
    }

    /// The value in SQL. If SQLite can't store the value, an expression that throws when SQL is
    /// generated.
    var storableSQLExpression: SQLExpression {
        // Not by `??`: on expressions, that is an SQL function.
        if let value = _storableDatabaseValue {
            value.sqlExpression
        } else {
            SQLExpression(RefusedValue(description: "\(self)"))
        }
    }

    /// Binds the value, or returns `SQLITE_TOOBIG` if SQLite can't store it.
    func bindStorableValue(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        _storableDatabaseValue?.bind(to: sqliteStatement, at: index) ?? RawBinding.tooBig
    }

    public var _storableDatabaseValue: DatabaseValue? { databaseValue }

    public static func fromMissingColumn() -> Self? { nil }

    public static func databaseJSONDecoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.configureForDatabase()
        return decoder
    }

    public static func databaseJSONEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.configureForDatabase()
        return encoder
    }
}

extension JSONDecoder {
    /// Decodes what columns store.
    func configureForDatabase() {
        nonConformingFloatDecodingStrategy = .throw
        dateDecodingStrategy = .millisecondsSince1970
        dataDecodingStrategy = .base64
    }
}

extension JSONEncoder {
    /// Encodes what columns store.
    func configureForDatabase() {
        dataEncodingStrategy = .base64
        dateEncodingStrategy = .millisecondsSince1970
        nonConformingFloatEncodingStrategy = .throw
        // Stored values must be comparable.
        outputFormatting = .sortedKeys
    }
}
