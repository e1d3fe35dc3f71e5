/// The error that encoders of single values throw at the first value in an array or object: the
/// whole value needs JSON, and encoding stops early.
///
/// The encoder records that it has returned a container, in case the value catches the error.
struct JSONRequired: Error {}

/// The object container of encoders that don't support objects.
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

/// The array container of encoders that don't support arrays.
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
