import GRDB

/// A value of SQL, without reals and blobs. Sorts as SQLite does.
public enum ModelValue: Hashable, Comparable {
    case null
    case int(Int64)
    case text(String)

    public init(_ dbValue: DatabaseValue) {
        switch dbValue.storage {
        case .int64(let value): self = .int(value)
        case .string(let value): self = .text(value)
        default: self = .null
        }
    }

    public init(_ bool: Bool?) {
        self = bool.map { .int($0 ? 1 : 0) } ?? .null
    }

    public var dbValue: DatabaseValue {
        switch self {
        case .null: .null
        case .int(let value): value.databaseValue
        case .text(let value): value.databaseValue
        }
    }

    public var int: Int64? {
        if case .int(let value) = self { value } else { nil }
    }

    /// As a condition.
    public var bool: Bool? { int.map { $0 != 0 } }
}
