/// An encoder of one value. Its containers write into nodes.
protocol ValueNode: AnyObject, Encoder {
    func beginObject()
    func beginArray()

    /// The number of elements of an array.
    var count: Int { get }

    /// Returns the node of a new member of an object.
    func member(_ key: any CodingKey) -> any ValueNode

    /// Returns the node of a new element of an array.
    func element() -> any ValueNode

    func setNull() throws
    func set<Value: Encodable>(_ value: Value) throws

    /// Also called for all primitive types, for which it avoids dynamic casts.
    func set(convertible value: some Encodable & DatabaseValueConvertible) throws
}

extension ValueNode {
    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        beginObject()
        return KeyedEncodingContainer(ObjectContainer(node: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        beginArray()
        return ValueContainer(node: self, isArray: true)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        ValueContainer(node: self, isArray: false)
    }
}

/// A key that is not declared by a type.
struct AnyKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = "Index \(intValue)"
        self.intValue = intValue
    }
}

// The generic methods satisfy the protocol requirements for all primitive types, except integers of
// 128 bits.

private struct ObjectContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: any ValueNode

    var codingPath: [any CodingKey] { node.codingPath }

    func encodeNil(forKey key: Key) throws {
        try node.member(key).setNull()
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try node.member(key).set(value)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        node.member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        node.member(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { node.member(AnyKey(stringValue: "super")) }
    func superEncoder(forKey key: Key) -> any Encoder { node.member(key) }
}

/// The container of an array or of a single value.
private struct ValueContainer: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    let node: any ValueNode
    let isArray: Bool

    private var target: any ValueNode { isArray ? node.element() : node }

    var codingPath: [any CodingKey] { node.codingPath }
    var count: Int { node.count }

    func encodeNil() throws { try target.setNull() }

    func encode<Value: Encodable>(_ value: Value) throws { try target.set(value) }

    func encode<Value: Encodable & DatabaseValueConvertible>(_ value: Value) throws {
        try target.set(convertible: value)
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
    func encode(_ value: Int128) throws {
        try target.set(convertible: Int64(storing: value, codingPath))
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
    func encode(_ value: UInt128) throws {
        try target.set(convertible: Int64(storing: value, codingPath))
    }

    func nestedContainer<Key: CodingKey>(
        keyedBy type: Key.Type
    ) -> KeyedEncodingContainer<Key> {
        target.container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { target.unkeyedContainer() }

    func superEncoder() -> any Encoder { target }
}

extension Int64 {
    /// - throws: an `EncodingError` if SQLite can't store the integer.
    init(storing value: some BinaryInteger, _ path: [any CodingKey]) throws {
        guard let value = Int64(exactly: value) else {
            throw EncodingError(value, "SQLite stores integers of 64 bits", path)
        }
        self = value
    }
}
