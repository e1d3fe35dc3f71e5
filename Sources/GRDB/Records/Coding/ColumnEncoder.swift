import _GRDBSystem

/// Encodes values for one column, with the strategies of the record type.
final class ColumnEncoder: DatabaseValueEncoder {
    private let target: ColumnTarget

    /// The default encoder of the record type, cached because it does not change.
    private var fixedJSONEncoder: JSONEncoder?

    @exclusivity(unchecked)
    private(set) var isEncoding = false

    init(target: ColumnTarget) {
        self.target = target
        super.init(DatabaseValue.self)
    }

    override var codingPath: [any CodingKey] { target.path }
    override var userInfo: [CodingUserInfoKey: Any] { target.options.userInfo }

    override var jsonEncoder: JSONEncoder {
        if let fixedJSONEncoder, target.options.isFixed(fixedJSONEncoder) {
            return fixedJSONEncoder
        }
        let encoder = target.options.jsonEncoder(for: target.column)
        fixedJSONEncoder = target.options.isFixed(encoder) ? encoder : nil
        return encoder
    }

    /// Returns the value to store; nil if `value` encodes nothing.
    func encodeForColumn(_ value: some Encodable) throws -> DatabaseValue? {
        isEncoding = true
        defer { isEncoding = false }
        return try encode(value, isJSON: value is any JSONCollection)
    }

    override func set<Value: Encodable>(_ value: Value) throws {
        try checkSingle()
        switch value {
        case let date as Date where Value.self == Date.self:
            result = try target.encode(date) ?? date.databaseValue
        case let data as Data where Value.self == Data.self:
            result = try target.encode(data) ?? data.databaseValue
        case let uuid as UUID where Value.self == UUID.self:
            result = target.encode(uuid) ?? uuid.databaseValue
        case is any JSONCollection:
            throw jsonRequired()
        case is any OptionalValue:
            do {
                try value.encode(to: self)
            } catch let error as EncodingError where error.isNotANumber {
                // An optional can be decoded from NULL.
                result = .null
            }
        default:
            try super.set(value)
        }
    }

    override func set(convertible value: some Encodable & DatabaseValueConvertible) throws {
        try super.set(convertible: value)
        if result?.isNaN == true { throw EncodingError.notANumber(value, codingPath) }
    }
}

extension DatabaseValue {
    /// Whether SQLite stores the value as NULL, which can't be decoded as a number.
    var isNaN: Bool {
        if case .double(let number) = storage { number.isNaN } else { false }
    }
}

extension Date {
    /// Whether SQLite stores the date as NULL.
    var isNotANumber: Bool { timeIntervalSinceReferenceDate.isNaN }
}

extension EncodingError {
    /// Returns the error for a number that SQLite can't store.
    static func notANumber(_ value: Any, _ path: [any CodingKey]) -> EncodingError {
        .invalidValue(
            value,
            Context(
                codingPath: path,
                debugDescription: "SQLite stores NaN as NULL, which can't be decoded again",
                underlyingError: NotANumber()))
    }

    /// Whether the value is a number that SQLite stores as NULL, which is acceptable for optionals.
    var isNotANumber: Bool {
        guard case .invalidValue(_, let context) = self else { return false }
        return context.underlyingError is NotANumber
    }

    private struct NotANumber: Error {}
}
