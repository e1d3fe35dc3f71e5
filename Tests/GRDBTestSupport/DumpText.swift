import GRDB

extension DatabaseValue {
    /// The value with its type.
    public var dumpText: String {
        switch storage {
        case .null: "NULL"
        case .int64(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): "'\(value)'"
        case .blob(let value): "x'\(value.map { String(format: "%02x", $0) }.joined())'"
        }
    }
}
