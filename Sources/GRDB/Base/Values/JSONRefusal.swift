/// What encoders of single values throw at the first value that is encoded in an array or an object:
/// the whole needs JSON, and little is encoded in vain.
///
/// The encoder knows that it has handed out a container, also when the value catches the error.
struct JSONRequired: Error {}

/// The container of an object, for encoders that encode none.
struct RefusingKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: any Encoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) throws {
        throw JSONRequired()
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        throw JSONRequired()
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder.container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder }
    func superEncoder(forKey key: Key) -> any Encoder { encoder }
}

/// The container of an array, for encoders that encode none.
struct RefusingUnkeyedContainer: UnkeyedEncodingContainer {
    let encoder: any Encoder

    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { 0 }

    func encodeNil() throws {
        throw JSONRequired()
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        throw JSONRequired()
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder.container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        encoder.unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder }
}

extension EncodingError {
    /// The error for an integer that SQLite can't store.
    static func tooBig(_ value: Any, _ path: [any CodingKey]) -> EncodingError {
        .invalidValue(
            value,
            Context(
                codingPath: path,
                debugDescription: "The integers of SQLite do not exceed \(Int64.max)"))
    }
}
