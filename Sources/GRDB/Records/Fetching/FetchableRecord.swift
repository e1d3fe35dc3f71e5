public import _GRDBSystem

/// A type that can be created from rows, so that queries can return its instances.
///
/// ```swift
/// struct Player: FetchableRecord {
///     var name: String
///     var score: Int
///
///     init(row: Row) throws {
///         name = row["name"]
///         score = row["score"]
///     }
/// }
///
/// let players = try dbQueue.read { db in
///     try Player.fetchAll(db, sql: "SELECT * FROM player")
/// }
/// ```
///
/// Types that conform to `Decodable` need not implement ``init(row:)``. The static members
/// customize decoding.
///
/// See <doc:Records>, and <doc:RecordFormats> for other names and formats of columns.
public protocol FetchableRecord {
    /// Decodes a row.
    ///
    /// The row may change when the cursor advances. Don't store it: store a copy instead.
    ///
    /// - throws: any error, which the fetch then throws.
    init(row: Row) throws

    /// Contextual information made available to `Decodable.init(from:)`. Empty by default.
    static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { get }

    /// Returns the decoder for the JSON values of a column.
    ///
    /// The default decodes `Data` from base64 and `Date` from milliseconds since 1970, rejects
    /// non-conforming floats, and has the user info of ``databaseDecodingUserInfo``.
    static func databaseJSONDecoder(for column: String) -> JSONDecoder

    /// How `Data` properties are read from a column.
    static func databaseDataDecodingStrategy(
        for column: String
    ) -> DatabaseDataDecodingStrategy

    /// How `Date` properties are read from a column.
    static func databaseDateDecodingStrategy(
        for column: String
    ) -> DatabaseDateDecodingStrategy

    /// How `Decodable` records find the coding key of a column.
    static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { get }
}

extension FetchableRecord {
    public static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [:] }

    public static func databaseJSONDecoder(for column: String) -> JSONDecoder {
        let decoder = DatabaseValue.databaseJSONDecoder()
        decoder.setUserInfo(databaseDecodingUserInfo)
        return decoder
    }

    public static func databaseDataDecodingStrategy(
        for column: String
    ) -> DatabaseDataDecodingStrategy {
        .deferredToData
    }

    public static func databaseDateDecodingStrategy(
        for column: String
    ) -> DatabaseDateDecodingStrategy {
        .deferredToDate
    }

    public static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy {
        .useDefaultKeys
    }
}

/// A cursor that decodes one record at a time.
///
/// ```swift
/// let players = try Player.fetchCursor(db, sql: "SELECT * FROM player")
/// while let player = try players.next() {
///     print(player.name)
/// }
/// ```
public final class RecordCursor<Record: FetchableRecord>: _SteppingCursor {
    public typealias Element = Record

    public let _stepper: _StatementStepper
    @usableFromInline let rows: RowCursor

    init(statement: Statement, adapter: (any RowAdapter)?) throws {
        rows = try RowCursor(statement: statement, adapter: adapter)
        _stepper = rows._stepper
    }

    @inlinable
    public func next() throws -> Record? {
        guard let row = try rows.next() else { return nil }
        let record: Record
        do {
            record = try Record(row: row)
        } catch {
            throw _stepper.decodingError(error)
        }
        try _stepper.checkMemory()
        return record
    }

    /// Returns the first record. A statement that changes the database runs to completion, unlike
    /// the statement of a cursor that is abandoned after its first element.
    func onlyRecord() throws -> Record? {
        let record = try next()
        try _stepper.finishChanges()
        return record
    }

    public func _element(sqliteStatement: SQLiteStatement) throws -> Record {
        try Record(row: rows._element(sqliteStatement: sqliteStatement))
    }
}

// See `Database`.
@available(*, unavailable)
extension RecordCursor: Sendable {}
