// The containers that `init(from:)` asks the container of a row for, and that read the JSON of a
// column. The JSON decoder has returned by then, and its containers know only where they are in the
// JSON: their errors and coding paths are completed with the path of the column.

/// An object in the JSON of a column.
///
/// The generic methods stand for the requirements of the primitive types.
struct JSONColumnKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let base: KeyedDecodingContainer<Key>

    /// The coding path of the column.
    let path: [any CodingKey]

    var codingPath: [any CodingKey] { path + base.codingPath }
    var allKeys: [Key] { base.allKeys }

    func contains(_ key: Key) -> Bool { base.contains(key) }

    func decodeNil(forKey key: Key) throws -> Bool {
        try prependingErrors(path) { try base.decodeNil(forKey: key) }
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try prependingErrors(path) { try base.decode(type, forKey: key) }
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try prependingErrors(path) { try base.decodeIfPresent(type, forKey: key) }
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try prependingErrors(path) { try base.decode(type, forKey: key) }
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try prependingErrors(path) { try base.decode(type, forKey: key) }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try prependingErrors(path) {
            let container = try base.nestedContainer(keyedBy: type, forKey: key)
            return KeyedDecodingContainer(
                JSONColumnKeyedContainer<NestedKey>(base: container, path: path))
        }
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try prependingErrors(path) {
            JSONColumnUnkeyedContainer(
                base: try base.nestedUnkeyedContainer(forKey: key), path: path)
        }
    }

    func superDecoder() throws -> any Decoder {
        try prependingErrors(path) { try base.superDecoder() }
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try prependingErrors(path) { try base.superDecoder(forKey: key) }
    }
}

/// An array in the JSON of a column.
struct JSONColumnUnkeyedContainer: UnkeyedDecodingContainer {
    var base: any UnkeyedDecodingContainer

    /// The coding path of the column.
    let path: [any CodingKey]

    var codingPath: [any CodingKey] { path + base.codingPath }
    var count: Int? { base.count }
    var isAtEnd: Bool { base.isAtEnd }
    var currentIndex: Int { base.currentIndex }

    mutating func decodeNil() throws -> Bool {
        try prependingErrors(path) { try base.decodeNil() }
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try prependingErrors(path) { try base.decode(type) }
    }

    mutating func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? {
        try prependingErrors(path) { try base.decodeIfPresent(type) }
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
    mutating func decode(_ type: Int128.Type) throws -> Int128 {
        try prependingErrors(path) { try base.decode(type) }
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        try prependingErrors(path) { try base.decode(type) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try prependingErrors(path) {
            let container = try base.nestedContainer(keyedBy: type)
            return KeyedDecodingContainer(
                JSONColumnKeyedContainer<NestedKey>(base: container, path: path))
        }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try prependingErrors(path) {
            JSONColumnUnkeyedContainer(base: try base.nestedUnkeyedContainer(), path: path)
        }
    }

    mutating func superDecoder() throws -> any Decoder {
        try prependingErrors(path) { try base.superDecoder() }
    }
}

/// Calls a closure whose decoding errors stand in a value at the given path.
private func prependingErrors<Result>(
    _ path: [any CodingKey], _ body: () throws -> Result
) throws -> Result {
    do {
        return try body()
    } catch let error as DecodingError {
        throw error.prepending(path)
    }
}
