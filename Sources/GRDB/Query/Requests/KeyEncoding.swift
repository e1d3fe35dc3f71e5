import _GRDBSystem

/// A record type with encoding strategies for its keys: see ``EncodableRecord``.
///
/// Records are fetched by Swift keys, which may be stored in another format.
public protocol _KeyEncoding: SendableMetatype {
    /// Returns the stored value of a key in a column.
    static func _encode(_ key: _StrategyKey, forColumn column: String) throws -> DatabaseValue
}

/// The value of a primary key whose type has encoding strategies.
public enum _StrategyKey: Sendable {
    case date(Date)
    case data(Data)
    case uuid(UUID)

    /// Returns whether values of the type may be such keys.
    static func areFound(in type: Any.Type) -> Bool {
        type == UUID.self || type == Date.self || type == Data.self
            || type == UUID?.self || type == Date?.self || type == Data?.self
    }

    /// Creates a key; nil for NULL, and for values without a strategy. Wrappers and classes define
    /// their own stored values.
    init?(_ value: some DatabaseValueConvertible) {
        guard Self.areFound(in: type(of: value)) else { return nil }
        switch value {
        case let uuid as UUID: self = .uuid(uuid)
        case let date as Date: self = .date(date)
        case let data as Data: self = .data(data)
        default: return nil
        }
    }
}

extension TypedRequest {
    /// The encoding strategies for the keys of the table.
    static var keyEncoding: (any _KeyEncoding.Type)? { RowDecoder.self as? any _KeyEncoding.Type }
}
