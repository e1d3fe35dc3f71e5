public import _GRDBSystem

/// Which column a `Decodable` record reads for a coding key.
///
/// ```swift
/// struct Player: FetchableRecord, Decodable {
///     static let databaseColumnDecodingStrategy =
///         DatabaseColumnDecodingStrategy.convertFromSnakeCase
///
///     // Decoded from the player_id column
///     var playerId: String
/// }
/// ```
public enum DatabaseColumnDecodingStrategy: Sendable {
    /// Columns have the names of coding keys.
    case useDefaultKeys

    /// Columns in snake case match coding keys in camel case: `player_id` is the key `playerId`.
    ///
    /// Leading and trailing underscores are kept. Each word after an inner underscore is
    /// capitalized, so that keys such as `playerID` don't match.
    case convertFromSnakeCase

    /// A function returns the coding key for a column name.
    ///
    /// When several columns have the same key, the leftmost one wins.
    case custom(@Sendable (String) -> any CodingKey)
}

/// How `Decodable` records decode their `Data` properties.
public enum DatabaseDataDecodingStrategy: Sendable {
    /// Decodes blobs, and the UTF-8 bytes of texts.
    case deferredToData

    /// Decodes with a function of the column value, which returns nil when the value can't be
    /// decoded. The function receives NULL only for properties that are not optional: optional
    /// properties decode NULL as nil.
    case custom(@Sendable (DatabaseValue) -> Data?)
}

/// How `Decodable` records decode their `Date` properties.
///
/// ```swift
/// struct Player: FetchableRecord, Decodable {
///     static func databaseDateDecodingStrategy(
///         for column: String
///     ) -> DatabaseDateDecodingStrategy {
///         .timeIntervalSince1970
///     }
///
///     var name: String
///     var registrationDate: Date // decoded from a number
/// }
/// ```
public enum DatabaseDateDecodingStrategy: @unchecked Sendable {
    // Unchecked: date formatters are thread-safe unless they are modified.

    /// Decodes the text formats of SQLite, and seconds since 1970.
    case deferredToDate

    /// Decodes numbers of seconds since midnight UTC on January 1st, 2001.
    case timeIntervalSinceReferenceDate

    /// Decodes numbers of seconds since midnight UTC on January 1st, 1970.
    case timeIntervalSince1970

    /// Decodes numbers of milliseconds since midnight UTC on January 1st, 1970.
    case millisecondsSince1970

    /// Decodes dates in the ISO 8601 and RFC 3339 format: `2015-07-14T08:30:00Z`.
    case iso8601

    #if GRDB_FOUNDATION || !canImport(FoundationEssentials)
    /// Decodes texts with a formatter.
    case formatted(DateFormatter)
    #endif

    /// Decodes with a function of the column value, which returns nil when the value can't be
    /// decoded. The function receives NULL only for properties that are not optional: optional
    /// properties decode NULL as nil.
    case custom(@Sendable (DatabaseValue) -> Date?)
}

extension DatabaseDateDecodingStrategy {
    /// Returns the date in a database value; nil if the value is not a date.
    func date(_ dbValue: DatabaseValue) -> Date? {
        switch self {
        case .deferredToDate:
            return Date.fromDatabaseValue(dbValue)
        case .timeIntervalSinceReferenceDate:
            return Double.fromDatabaseValue(dbValue).map {
                Date(timeIntervalSinceReferenceDate: $0)
            }
        case .timeIntervalSince1970:
            return Double.fromDatabaseValue(dbValue).map { Date(timeIntervalSince1970: $0) }
        case .millisecondsSince1970:
            return Double.fromDatabaseValue(dbValue).map { Date(timeIntervalSince1970: $0 / 1_000) }
        case .iso8601:
            guard var text = String.fromDatabaseValue(dbValue) else { return nil }
            return text.withUTF8 { ISO8601Text.secondsSince1970($0) }.map {
                Date(timeIntervalSince1970: Double($0))
            }
        #if GRDB_FOUNDATION || !canImport(FoundationEssentials)
        case .formatted(let formatter):
            return String.fromDatabaseValue(dbValue).flatMap { formatter.date(from: $0) }
        #endif
        case .custom(let decode):
            return decode(dbValue)
        }
    }

    /// The date in a column.
    ///
    /// - throws: a ``RowDecodingError`` if the value can't be converted.
    func date(in row: Row, at index: Int) throws -> Date {
        try row.value(Date.self, at: index, storedAs: storedType, date)
    }

    /// The type that dates are converted from; nil if the strategy reads the database value itself.
    private var storedType: Any.Type? {
        switch self {
        case .deferredToDate, .custom: nil
        case .timeIntervalSinceReferenceDate, .timeIntervalSince1970, .millisecondsSince1970:
            Double.self
        case .iso8601: String.self
        #if GRDB_FOUNDATION || !canImport(FoundationEssentials)
        case .formatted: String.self
        #endif
        }
    }
}

extension DatabaseDataDecodingStrategy {
    /// The data in a database value; nil if the value can't be converted.
    func data(_ dbValue: DatabaseValue) -> Data? {
        switch self {
        case .deferredToData: Data.fromDatabaseValue(dbValue)
        case .custom(let decode): decode(dbValue)
        }
    }

    /// The data in a column.
    ///
    /// - throws: a ``RowDecodingError`` if the value can't be converted.
    func data(in row: Row, at index: Int) throws -> Data {
        try row.value(Data.self, at: index, storedAs: nil, data)
    }
}
