import _GRDBSystem

/// Encodes a value for a column: the single value that it encodes, or else its JSON.
///
/// Containers of arrays and objects encode nothing: their first value throws, and the JSON encoder
/// takes over. This way, at most the outermost container is encoded twice.
///
/// Used by one thread.
class DatabaseValueEncoder: ValueNode {
    private let type: any DatabaseValueConvertible.Type

    @exclusivity(unchecked)
    final var result: DatabaseValue?

    /// Whether the value has requested a container. The container throws an error, which the value
    /// may catch.
    @exclusivity(unchecked)
    private var needsJSON = false

    init(_ type: any DatabaseValueConvertible.Type) {
        self.type = type
    }

    var jsonEncoder: JSONEncoder { type.databaseJSONEncoder() }

    /// Returns the value to store; nil if `value` encodes nothing.
    ///
    /// - parameter isJSON: whether the value is known to need JSON.
    final func encode(_ value: some Encodable, isJSON: Bool = false) throws -> DatabaseValue? {
        result = nil
        needsJSON = isJSON
        if !isJSON {
            do {
                try value.encode(to: self)
            } catch {
                guard needsJSON else { throw error }
            }
        }
        // Checked here too, because the value may have caught the error.
        guard needsJSON else { return result }
        do {
            let json = try jsonEncoder.encodeForColumn(value)
            return DatabaseValue(storage: .string(String(decoding: json, as: UTF8.self)))
        } catch let error as EncodingError {
            throw error.prepending(codingPath)
        }
    }

    final func jsonRequired() -> any Error {
        needsJSON = true
        return JSONRequired()
    }

    private struct JSONRequired: Error {}

    // MARK: - ValueNode

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    final func beginObject() { needsJSON = true }
    final func beginArray() { needsJSON = true }

    final var count: Int { 0 }

    final func member(_ key: any CodingKey) -> any ValueNode { self }
    final func element() -> any ValueNode { self }

    /// - throws: an error if the value is in a container, which only JSON can represent.
    final func checkSingle() throws {
        if needsJSON { throw JSONRequired() }
    }

    final func setNull() throws {
        try checkSingle()
        result = .null
    }

    func set<Value: Encodable>(_ value: Value) throws {
        try checkSingle()
        if let value = value as? any (Encodable & DatabaseValueConvertible) {
            try set(convertible: value)
        } else {
            try value.encode(to: self)
        }
    }

    func set(convertible value: some Encodable & DatabaseValueConvertible) throws {
        try checkSingle()
        guard let dbValue = value._storableDatabaseValue else {
            throw EncodingError(
                value, "The integers of SQLite do not exceed \(Int64.max)", codingPath)
        }
        result = dbValue
    }
}

extension EncodingError {
    /// A value that can't be encoded.
    init(_ value: Any, _ description: String, _ path: [any CodingKey] = []) {
        self = .invalidValue(value, Context(codingPath: path, debugDescription: description))
    }

    /// Returns the error with a path before its coding path.
    fileprivate func prepending(_ path: [any CodingKey]) -> EncodingError {
        guard case .invalidValue(let value, let context) = self else { return self }
        return .invalidValue(
            value,
            Context(
                codingPath: path + context.codingPath, debugDescription: context.debugDescription,
                underlyingError: context.underlyingError))
    }
}
