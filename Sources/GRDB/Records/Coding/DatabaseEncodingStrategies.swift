public import _GRDBSystem

/// How `Encodable` records name the columns of their coding keys.
///
/// ```swift
/// struct Player: PersistableRecord, Encodable {
///     static let databaseColumnEncodingStrategy =
///         DatabaseColumnEncodingStrategy.convertToSnakeCase
///
///     // Stored in the player_id column
///     var playerID: String
/// }
/// ```
public enum DatabaseColumnEncodingStrategy: Sendable {
    /// Columns have the names of coding keys.
    case useDefaultKeys

    /// Keys in camel case become columns in snake case: the key `playerID` is the column
    /// `player_id`.
    case convertToSnakeCase

    /// A function returns the column name for a coding key.
    case custom(@Sendable (any CodingKey) -> String)
}

/// How `Encodable` records encode their `Data` properties.
public enum DatabaseDataEncodingStrategy: Sendable {
    /// Encodes blobs.
    case deferredToData

    /// Encodes texts. Data that is not valid UTF-8 is an encoding error.
    case text

    /// Encodes the result of a function; nil is NULL.
    case custom(@Sendable (Data) -> (any DatabaseValueConvertible)?)
}

/// How `Encodable` records encode their `Date` properties.
///
/// ```swift
/// struct Player: PersistableRecord, Encodable {
///     static func databaseDateEncodingStrategy(
///         for column: String
///     ) -> DatabaseDateEncodingStrategy {
///         .timeIntervalSince1970
///     }
///
///     var name: String
///     var registrationDate: Date // stored as a number
/// }
/// ```
public enum DatabaseDateEncodingStrategy: @unchecked Sendable {
    // Unchecked: date formatters are thread-safe unless they are modified.

    /// Encodes texts such as `2015-07-14 08:30:00.000`, in UTC.
    case deferredToDate

    /// Encodes the number of seconds since midnight UTC on January 1st, 2001, as a real number.
    case timeIntervalSinceReferenceDate

    /// Encodes the number of seconds since midnight UTC on January 1st, 1970, as a real number.
    case timeIntervalSince1970

    /// Encodes the number of seconds since midnight UTC on January 1st, 1970, as an integer,
    /// rounded down.
    case secondsSince1970

    /// Encodes the number of milliseconds since midnight UTC on January 1st, 1970, as an integer,
    /// rounded down.
    case millisecondsSince1970

    /// Encodes texts in the ISO 8601 and RFC 3339 format, in UTC: `2015-07-14T08:30:00Z`.
    case iso8601

    #if GRDB_FOUNDATION || !canImport(FoundationEssentials)
    /// Encodes texts with a formatter.
    case formatted(DateFormatter)
    #endif

    /// Encodes the result of a function; nil is NULL.
    case custom(@Sendable (Date) -> (any DatabaseValueConvertible)?)
}

/// How `Encodable` records encode their `UUID` properties.
///
/// Decoding needs no strategy: UUIDs are decoded from blobs, and from texts in upper or lower case.
public enum DatabaseUUIDEncodingStrategy: Sendable {
    /// Encodes blobs of 16 bytes.
    case deferredToUUID

    /// Encodes texts such as `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`.
    case uppercaseString

    /// Encodes texts such as `e621e1f8-c36c-495a-93fc-0c247a3e6e5f`.
    case lowercaseString
}

// MARK: - Encoding

// Strategies also encode the keys of requests.

extension DatabaseDateEncodingStrategy {
    /// Returns the stored value of a date.
    ///
    /// - throws: an `EncodingError` if the date is out of the range of the strategy.
    func encode(_ date: Date, path: @autoclosure () -> [any CodingKey] = []) throws -> DatabaseValue
    {
        func integer(_ number: Double) throws -> DatabaseValue {
            guard let integer = Int64(exactly: number.rounded(.down)) else {
                throw outOfRange()
            }
            return integer.databaseValue
        }
        func outOfRange() -> EncodingError {
            // Not the date itself: the description of an extreme date traps.
            EncodingError(
                date.timeIntervalSince1970, "The date has no representation: \(self)", path())
        }
        switch self {
        case .deferredToDate:
            return date.databaseValue
        case .secondsSince1970:
            return try integer(date.timeIntervalSince1970)
        case .millisecondsSince1970:
            return try integer(date.timeIntervalSince1970 * 1_000)
        case .timeIntervalSince1970:
            return date.timeIntervalSince1970.databaseValue
        case .timeIntervalSinceReferenceDate:
            return date.timeIntervalSinceReferenceDate.databaseValue
        case .iso8601:
            guard let text = ISO8601Text.text(secondsSince1970: date.timeIntervalSince1970) else {
                throw outOfRange()
            }
            return text.databaseValue
        #if GRDB_FOUNDATION || !canImport(FoundationEssentials)
        case .formatted(let formatter):
            return formatter.string(from: date).databaseValue
        #endif
        case .custom(let encode):
            return encode(date)?.databaseValue ?? .null
        }
    }
}

extension DatabaseDataEncodingStrategy {
    /// Returns the stored value of data.
    ///
    /// - throws: an `EncodingError` if the strategy is `text`, and the data is not valid UTF-8.
    func encode(_ data: Data, path: @autoclosure () -> [any CodingKey] = []) throws -> DatabaseValue
    {
        switch self {
        case .deferredToData:
            return data.databaseValue
        case .text:
            guard let text = String(data: data, encoding: .utf8) else {
                throw EncodingError(data, "The data is not valid UTF-8", path())
            }
            return text.databaseValue
        case .custom(let encode):
            return encode(data)?.databaseValue ?? .null
        }
    }
}

extension DatabaseUUIDEncodingStrategy {
    /// Returns the stored value of a UUID.
    func encode(_ uuid: UUID) -> DatabaseValue {
        switch self {
        case .deferredToUUID: uuid.databaseValue
        case .uppercaseString: uuid.uuidString.databaseValue
        case .lowercaseString: uuid.uuidString.lowercased().databaseValue
        }
    }
}
