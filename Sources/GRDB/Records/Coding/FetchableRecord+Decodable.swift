extension FetchableRecord where Self: Decodable {
    /// Creates a record from a row, with its `Decodable` implementation.
    ///
    /// - throws: a ``RowDecodingError`` when a column is missing or has another type, or the error
    ///   of `init(from:)`.
    // Inlinable, so that a record with many columns is not copied from function to function.
    @inlinable
    public init(row: Row) throws {
        let decoder = row.beginDecoding(Self.self)
        defer { decoder.end() }
        try self.init(from: decoder)
    }
}

extension Row {
    /// Returns the decoder of the row as a record, for one call of `init(from:)`. The caller must
    /// call `end()`.
    @usableFromInline
    func beginDecoding(_ type: any FetchableRecord.Type) -> RowDecoder {
        beginDecoding(type, options: RowDecodingOptions(recordType: type))
    }
}

/// Decodes `Decodable` records from rows, as the default implementation of `init(row:)` does.
///
/// Use it in `Decodable` types that implement `init(row:)` themselves:
///
/// ```swift
/// struct Player: FetchableRecord, Decodable {
///     var id: Int64
///     var name: String
///     var fetchDate: Date?
///
///     init(row: Row) throws {
///         self = try FetchableRecordDecoder().decode(Player.self, from: row)
///         fetchDate = Date()
///     }
/// }
/// ```
public class FetchableRecordDecoder {
    /// Creates a decoder.
    public init() {}

    /// Returns a record of the given type, decoded from a row by its `Decodable` implementation.
    ///
    /// - throws: a ``RowDecodingError`` when a column is missing or has another type, or the error
    ///   of `init(from:)`.
    public func decode<T: FetchableRecord & Decodable>(
        _ type: T.Type, from row: Row
    ) throws -> T {
        let decoder = row.beginDecoding(T.self, options: RowDecodingOptions(recordType: T.self))
        defer { decoder.end() }
        return try T(from: decoder)
    }
}

extension Row {
    /// Returns a value of any `Decodable` type.
    ///
    /// ```swift
    /// struct Score: Decodable {
    ///     var name: String
    ///     var score: Int
    /// }
    ///
    /// let row = try Row.fetchOne(db, sql: "SELECT name, score FROM player")!
    /// let score = try row.decode(Score.self)
    /// ```
    ///
    /// ``FetchableRecord`` types are decoded with their strategies. Database values, such as
    /// integers and dates, are decoded from the leftmost column. An optional database value is nil
    /// if this column is NULL; any other optional is nil if all columns are NULL.
    ///
    /// - parameter type: the type to decode.
    /// - parameter userInfo: contextual information for `init(from:)`, added to the user info of a
    ///   record type.
    /// - throws: a ``RowDecodingError`` when a column is missing or has another type, or the error
    ///   of `init(from:)`.
    public func decode<T: Decodable>(
        _ type: T.Type = T.self, userInfo: [CodingUserInfoKey: Any] = [:]
    ) throws -> T {
        func options() -> RowDecodingOptions {
            RowDecodingOptions(
                recordType: T.self as? any FetchableRecord.Type, userInfo: userInfo)
        }
        let decoder =
            userInfo.isEmpty
            ? beginDecoding(T.self, options: options())
            : RowDecoder(escapingWith: self, [], options())
        defer { decoder.end() }
        return try decoder.decodeRow(T.self)
    }
}
