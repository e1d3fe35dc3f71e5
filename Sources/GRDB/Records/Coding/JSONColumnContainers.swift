// Nested containers of the container of a row, which read the JSON of a column. The JSON decoder
// has already returned, and its containers only know their position in the JSON: these wrappers add
// the path of the column to errors and coding paths.

/// The column that JSON was read from.
struct JSONColumnOrigin {
    let source: ColumnSource

    /// The row, for errors.
    let row: Row

    /// Calls a closure, and adds the column to its decoding errors.
    func completingErrors<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            guard let error = DecodingError(error, isInJSON: true) else { throw error }
            throw error.prepending(source.path, details: source.details(row))
        }
    }
}

/// An object in the JSON of a column.
///
/// The generic methods satisfy the protocol requirements for the primitive types.
struct JSONColumnKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let base: KeyedDecodingContainer<Key>

    let origin: JSONColumnOrigin

    var codingPath: [any CodingKey] { origin.source.path + base.codingPath }
    var allKeys: [Key] { base.allKeys }

    func contains(_ key: Key) -> Bool { base.contains(key) }

    func decodeNil(forKey key: Key) throws -> Bool {
        try origin.completingErrors { try base.decodeNil(forKey: key) }
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try origin.completingErrors { try base.decode(type, forKey: key) }
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try origin.completingErrors { try base.decodeIfPresent(type, forKey: key) }
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try origin.completingErrors { try base.decode(type, forKey: key) }
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try origin.completingErrors { try base.decode(type, forKey: key) }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try origin.completingErrors {
            let container = try base.nestedContainer(keyedBy: type, forKey: key)
            return KeyedDecodingContainer(
                JSONColumnKeyedContainer<NestedKey>(base: container, origin: origin))
        }
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try origin.completingErrors {
            JSONColumnUnkeyedContainer(
                base: try base.nestedUnkeyedContainer(forKey: key), origin: origin)
        }
    }

    func superDecoder() throws -> any Decoder {
        try origin.completingErrors { try base.superDecoder() }
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try origin.completingErrors { try base.superDecoder(forKey: key) }
    }
}

/// An array in the JSON of a column.
struct JSONColumnUnkeyedContainer: UnkeyedDecodingContainer {
    var base: any UnkeyedDecodingContainer

    let origin: JSONColumnOrigin

    var codingPath: [any CodingKey] { origin.source.path + base.codingPath }
    var count: Int? { base.count }
    var isAtEnd: Bool { base.isAtEnd }
    var currentIndex: Int { base.currentIndex }

    mutating func decodeNil() throws -> Bool {
        try origin.completingErrors { try base.decodeNil() }
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try origin.completingErrors { try base.decode(type) }
    }

    mutating func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? {
        try origin.completingErrors { try base.decodeIfPresent(type) }
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
    mutating func decode(_ type: Int128.Type) throws -> Int128 {
        try origin.completingErrors { try base.decode(type) }
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        try origin.completingErrors { try base.decode(type) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try origin.completingErrors {
            let container = try base.nestedContainer(keyedBy: type)
            return KeyedDecodingContainer(
                JSONColumnKeyedContainer<NestedKey>(base: container, origin: origin))
        }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try origin.completingErrors {
            JSONColumnUnkeyedContainer(base: try base.nestedUnkeyedContainer(), origin: origin)
        }
    }

    mutating func superDecoder() throws -> any Decoder {
        try origin.completingErrors { try base.superDecoder() }
    }
}
