/// Decodes types that consist of a single database value, and detects types that are stored as
/// JSON.
///
/// Used by one thread, for one value.
final class DatabaseValueDecoder: Decoder, SingleValueDecodingContainer {
    private let dbValue: DatabaseValue

    /// Whether the type has requested an array or an object. The request throws an error, which the
    /// type may catch.
    private(set) var needsJSON = false

    init(_ dbValue: DatabaseValue) {
        self.dbValue = dbValue
    }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw jsonRequired([String: Any].self)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw jsonRequired([Any].self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    private func jsonRequired(_ type: Any.Type) -> DecodingError {
        needsJSON = true
        return typeMismatch(type)
    }

    private func typeMismatch(_ type: Any.Type) -> DecodingError {
        .typeMismatch(type, .init("could not decode \(type) from a database value"))
    }

    // MARK: - Single values

    func decodeNil() -> Bool { dbValue.isNull }

    /// Also satisfies the protocol requirements for the primitive types, except integers of 128 bits.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard let convertible = type as? any DatabaseValueConvertible.Type else {
            return try Value(from: self)
        }
        guard let value = convertible.fromDatabaseValue(dbValue) as? Value else {
            throw typeMismatch(type)
        }
        return value
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
    func decode(_ type: Int128.Type) throws -> Int128 { try integer(type) }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
    func decode(_ type: UInt128.Type) throws -> UInt128 { try integer(type) }

    private func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws -> Value {
        guard let value: Value = dbValue.integer() else { throw typeMismatch(type) }
        return value
    }
}

extension DecodingError.Context {
    init(_ description: String, _ path: [any CodingKey] = []) {
        self.init(codingPath: path, debugDescription: description)
    }
}
