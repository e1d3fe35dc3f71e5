public import _GRDBSystem

/// A type that provides the columns and values to store.
///
/// Most record types get this conformance through ``MutablePersistableRecord`` or
/// ``PersistableRecord``, which provide persistence methods.
///
/// ```swift
/// struct Player: EncodableRecord {
///     var id: Int64?
///     var name: String
///
///     func encode(to container: inout PersistenceContainer) {
///         container["id"] = id
///         container["name"] = name
///     }
/// }
/// ```
///
/// Types that conform to `Encodable` need not implement ``encode(to:)``.
public protocol EncodableRecord: _KeyEncoding, SendableMetatype {
    /// Sets the columns to store, and their values.
    ///
    /// The record may be encoded several times in one operation: encoding should not have side
    /// effects.
    ///
    /// - throws: any error, which the persistence method then throws.
    func encode(to container: inout PersistenceContainer) throws

    /// Contextual information made available to `Encodable.encode(to:)`. Empty by default.
    static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { get }

    /// Returns the encoder for the JSON values of a column.
    ///
    /// The default encodes `Data` as base64 and `Date` as milliseconds since 1970, rejects
    /// non-conforming floats, sorts keys, and has the user info of ``databaseEncodingUserInfo``.
    static func databaseJSONEncoder(for column: String) -> JSONEncoder

    /// How `Data` properties are stored in a column.
    static func databaseDataEncodingStrategy(
        for column: String
    ) -> DatabaseDataEncodingStrategy

    /// How `Date` properties are stored in a column.
    static func databaseDateEncodingStrategy(
        for column: String
    ) -> DatabaseDateEncodingStrategy

    /// How `UUID` properties are stored in a column.
    static func databaseUUIDEncodingStrategy(
        for column: String
    ) -> DatabaseUUIDEncodingStrategy

    /// How `Encodable` records name the column of a coding key.
    static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { get }
}

/// The encoder that ``EncodableRecord/databaseJSONEncoder(for:)`` returns by default. Unlike a
/// custom encoder, it can be reused for many records.
final class DefaultJSONEncoder: JSONEncoder, @unchecked Sendable {
    // Unchecked because the superclass is.

    let recordType: ObjectIdentifier

    init(of recordType: any EncodableRecord.Type) {
        self.recordType = ObjectIdentifier(recordType)
        super.init()
        configureForDatabase()
    }
}

extension EncodableRecord {
    public static func _encode(
        _ key: _StrategyKey, forColumn column: String
    ) throws -> DatabaseValue {
        switch key {
        case .date(let date): try databaseDateEncodingStrategy(for: column).encode(date)
        case .data(let data): try databaseDataEncodingStrategy(for: column).encode(data)
        case .uuid(let uuid): databaseUUIDEncodingStrategy(for: column).encode(uuid)
        }
    }

    public static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { [:] }

    public static func databaseJSONEncoder(for column: String) -> JSONEncoder {
        let encoder = DefaultJSONEncoder(of: Self.self)
        encoder.setUserInfo(databaseEncodingUserInfo)
        return encoder
    }

    public static func databaseDataEncodingStrategy(
        for column: String
    ) -> DatabaseDataEncodingStrategy {
        .deferredToData
    }

    public static func databaseDateEncodingStrategy(
        for column: String
    ) -> DatabaseDateEncodingStrategy {
        .deferredToDate
    }

    public static func databaseUUIDEncodingStrategy(
        for column: String
    ) -> DatabaseUUIDEncodingStrategy {
        .deferredToUUID
    }

    public static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy {
        .useDefaultKeys
    }
}

extension EncodableRecord {
    /// Encodes the record, and returns its columns and values.
    ///
    /// - parameter isStored: whether a column is stored. Values that are not stored need not be valid.
    package func encodedContainer(
        userInfo: [CodingUserInfoKey: Any] = [:], _ isStored: (String) -> Bool = { _ in true }
    ) throws -> PersistenceContainer {
        var container = PersistenceContainer()
        if !userInfo.isEmpty { container.userInfo = userInfo }
        try encode(to: &container)
        container.storage.complete()
        try container.storage.checkRefusedValues(isStored)
        return container
    }

    /// The columns and values that the record would store.
    ///
    /// ```swift
    /// // ["id": 1, "name": "Arthur"]
    /// let player = Player(id: 1, name: "Arthur")
    /// try print(player.databaseDictionary)
    /// ```
    ///
    /// - throws: the error of ``encode(to:)``, or a ``DatabaseError`` of code `SQLITE_TOOBIG`
    ///   when SQLite can't store a value.
    public var databaseDictionary: [String: DatabaseValue] {
        get throws { try encodedContainer().dictionary }
    }

    // MARK: - Comparisons

    /// Whether both records would store the same values in the same columns.
    ///
    /// ```swift
    /// if player.databaseEquals(otherPlayer) { ... }
    /// ```
    ///
    /// A record that can't be encoded is not equal to any record.
    public func databaseEquals(_ record: Self) -> Bool {
        guard let changes = try? databaseChanges(from: record) else { return false }
        return changes.isEmpty
    }

    /// Returns the values that changed from another record.
    ///
    /// ```swift
    /// let changes = try newPlayer.databaseChanges(from: oldPlayer)
    /// for (column, oldValue) in changes {
    ///     print("\(column) was \(oldValue)")
    /// }
    /// ```
    ///
    /// - parameter record: a record, possibly of another type. Columns that it lacks count as NULL.
    /// - returns: the columns of this record whose values differ, with their values in the other
    ///   record.
    /// - throws: the error of ``encode(to:)``.
    public func databaseChanges(
        from record: some EncodableRecord
    ) throws -> [String: DatabaseValue] {
        try encodedContainer().changes(from: record.encodedContainer()).dictionary
    }

    /// Modifies the record, and returns the values that changed.
    ///
    /// ```swift
    /// var player = Player(id: 1, score: 1000)
    /// let changes = try player.databaseChanges { $0.score = 1200 }
    /// // ["score": 1000]
    /// ```
    ///
    /// - returns: the changed columns, with their former values.
    /// - throws: the error of the closure, or of ``encode(to:)``. Modifications are kept.
    public mutating func databaseChanges(
        modify: (inout Self) throws -> Void
    ) throws -> [String: DatabaseValue] {
        try changes(modify: modify).dictionary
    }

    /// Modifies the record, and returns the columns that changed, with their former values.
    mutating func changes(modify: (inout Self) throws -> Void) throws -> PersistenceContainer {
        let former = try encodedContainer()
        try modify(&self)
        return try encodedContainer().changes(from: former)
    }
}

extension PersistenceContainer {
    /// Returns the columns of this container whose values differ, with their former values.
    func changes(from former: PersistenceContainer) -> PersistenceContainer {
        let changes = PersistenceContainer()
        for (column, value) in self {
            let formerValue = former.databaseValue(at: column)
            if !value.isStored(like: formerValue) {
                changes.storage.set(formerValue, forColumn: column)
            }
        }
        changes.storage.complete()
        return changes
    }
}

extension DatabaseValue {
    /// Whether SQLite stores both values identically.
    ///
    /// Unlike with `==`, texts with different bytes differ, even if they are canonically
    /// equivalent; and NaN equals NULL, because SQLite stores it as NULL.
    func isStored(like other: DatabaseValue) -> Bool {
        switch (storage, other.storage) {
        case (.string(let text), .string(let other)):
            text.hasSameBytes(as: other)
        default:
            self == other || (isNull || isNaN) && (other.isNull || other.isNaN)
        }
    }
}
