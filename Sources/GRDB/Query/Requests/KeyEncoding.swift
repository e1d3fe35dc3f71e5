import Foundation

/// A record type that has strategies for its keys: see ``EncodableRecord``.
///
/// Records are fetched by their keys in Swift, which may be stored in another form.
public protocol _KeyEncoding: SendableMetatype {
    /// What is stored of a key in a column.
    static func _encode(_ key: _StrategyKey, forColumn column: String) throws -> DatabaseValue
}

/// The value of a primary key, of a type that strategies exist for.
public enum _StrategyKey: Sendable {
    case date(Date)
    case data(Data)
    case uuid(UUID)

    /// Whether values of the type may be such keys.
    static func areFound(in type: Any.Type) -> Bool {
        type == UUID.self || type == Date.self || type == Data.self
            || type == UUID?.self || type == Date?.self || type == Data?.self
    }

    /// Nil for NULL, and for values that no strategy is for: wrappers and classes say themselves
    /// how they are stored.
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
    /// The strategies for the keys of the table.
    static var keyEncoding: (any _KeyEncoding.Type)? { RowDecoder.self as? any _KeyEncoding.Type }
}
