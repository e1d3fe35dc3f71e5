import _GRDBSystem

// The elements of sets, and the entries of dictionaries whose keys are neither strings nor integers, have
// another order in each process, and in equal values of one process. JSON encoders write them in this order.
// For columns they are sorted, so that equal values are stored as equal text.

extension JSONEncoder {
    /// Encodes a value for a column.
    ///
    /// If the encoder sorts keys, equal values are encoded as equal text.
    func encodeForColumn(_ value: some Encodable) throws -> Data {
        // The keys of a dictionary are not converted, unless it is encoded by itself.
        if !outputFormatting.contains(.sortedKeys) || passes(value) { return try encode(value) }
        return try encode(OrderedJSON(value: value, json: self))
    }

    /// Whether the encoder itself encodes a value: because the value has an order, or because the encoder
    /// treats its type in a special way.
    fileprivate func passes<Value: Encodable>(_ value: Value) -> Bool {
        if Value.self is any InherentlyOrderedJSON.Type { return true }
        if case .useDefaultKeys = keyEncodingStrategy { return false }
        return value is [String: any Encodable]
    }
}

/// A type whose equal values are encoded in the same order.
protocol InherentlyOrderedJSON {}

extension Array: InherentlyOrderedJSON where Element: InherentlyOrderedJSON {}
extension Optional: InherentlyOrderedJSON where Wrapped: InherentlyOrderedJSON {}
extension Dictionary: InherentlyOrderedJSON where Key == String, Value: InherentlyOrderedJSON {}

/// A type that has no elements in JSON, or is encoded and decoded in a special way.
protocol JSONScalar: InherentlyOrderedJSON {}

extension URL: JSONScalar {}
@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
extension Int128: JSONScalar {}
@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
extension UInt128: JSONScalar {}

/// A value whose sets and dictionaries are encoded in order.
private struct OrderedJSON<Value: Encodable>: Encodable {
    let value: Value
    let json: JSONEncoder

    func encode(to encoder: any Encoder) throws {
        if let value = value as? any UnorderedCollection {
            try value.encodeInOrder(to: encoder, json)
        } else {
            try value.encode(to: OrderedEncoder(base: encoder, json: json))
        }
    }
}

private protocol UnorderedCollection {
    func encodeInOrder(to encoder: any Encoder, _ json: JSONEncoder) throws
}

extension Sequence {
    /// The elements, sorted by the JSON of a part of them.
    fileprivate func sorted<Key: Encodable>(
        by key: (Element) -> Key, _ json: JSONEncoder
    ) throws -> [Element] {
        // In an array, because older systems don't encode single values.
        try map { ($0, try json.encode([OrderedJSON(value: key($0), json: json)])) }
            .sorted { $0.1.lexicographicallyPrecedes($1.1) }
            .map(\.0)
    }
}

extension Set: UnorderedCollection where Element: Encodable {
    fileprivate func encodeInOrder(to encoder: any Encoder, _ json: JSONEncoder) throws {
        var container = OrderedEncoder(base: encoder, json: json).unkeyedContainer()
        for element in try sorted(by: { $0 }, json) { try container.encode(element) }
    }
}

extension Dictionary: UnorderedCollection where Key: Encodable, Value: Encodable {
    fileprivate func encodeInOrder(to encoder: any Encoder, _ json: JSONEncoder) throws {
        let encoder = OrderedEncoder(base: encoder, json: json)
        if Self.hasCodingKeys { return try encode(to: encoder) }
        // As the standard library does.
        var container = encoder.unkeyedContainer()
        for (key, value) in try sorted(by: \.key, json) {
            try container.encode(key)
            try container.encode(value)
        }
    }

    /// Whether dictionaries are encoded as objects, whose keys the encoder sorts.
    private static var hasCodingKeys: Bool {
        if Key.self == String.self || Key.self == Int.self { return true }
        if #available(macOS 12.3, iOS 15.4, tvOS 15.4, watchOS 8.5, *) {
            return Key.self is any CodingKeyRepresentable.Type
        }
        return false
    }
}

// MARK: - Containers

private struct OrderedEncoder: Encoder {
    let base: any Encoder
    let json: JSONEncoder

    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Keyed(base: base.container(keyedBy: type), json: json))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        Unkeyed(base: base.unkeyedContainer(), json: json)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleValue(base: base.singleValueContainer(), json: json)
    }

    // The generic methods satisfy the requirements for the primitive types.

    struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        var base: KeyedEncodingContainer<Key>
        let json: JSONEncoder

        var codingPath: [any CodingKey] { base.codingPath }

        mutating func encodeNil(forKey key: Key) throws { try base.encodeNil(forKey: key) }

        @_implements(KeyedEncodingContainerProtocol,encode(_:forKey:))
        mutating func write<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            if json.passes(value) { return try base.encode(value, forKey: key) }
            try base.encode(OrderedJSON(value: value, json: json), forKey: key)
        }

        mutating func nestedContainer<NestedKey: CodingKey>(
            keyedBy keyType: NestedKey.Type, forKey key: Key
        ) -> KeyedEncodingContainer<NestedKey> {
            KeyedEncodingContainer(
                Keyed<NestedKey>(
                    base: base.nestedContainer(keyedBy: keyType, forKey: key), json: json))
        }

        mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            Unkeyed(base: base.nestedUnkeyedContainer(forKey: key), json: json)
        }

        mutating func superEncoder() -> any Encoder {
            OrderedEncoder(base: base.superEncoder(), json: json)
        }

        mutating func superEncoder(forKey key: Key) -> any Encoder {
            OrderedEncoder(base: base.superEncoder(forKey: key), json: json)
        }
    }

    struct Unkeyed: UnkeyedEncodingContainer {
        var base: any UnkeyedEncodingContainer
        let json: JSONEncoder

        var codingPath: [any CodingKey] { base.codingPath }
        var count: Int { base.count }

        mutating func encodeNil() throws { try base.encodeNil() }

        @_implements(UnkeyedEncodingContainer,encode(_:))
        mutating func write<Value: Encodable>(_ value: Value) throws {
            if json.passes(value) { return try base.encode(value) }
            try base.encode(OrderedJSON(value: value, json: json))
        }

        mutating func nestedContainer<NestedKey: CodingKey>(
            keyedBy keyType: NestedKey.Type
        ) -> KeyedEncodingContainer<NestedKey> {
            KeyedEncodingContainer(
                Keyed<NestedKey>(base: base.nestedContainer(keyedBy: keyType), json: json))
        }

        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            Unkeyed(base: base.nestedUnkeyedContainer(), json: json)
        }

        mutating func superEncoder() -> any Encoder {
            OrderedEncoder(base: base.superEncoder(), json: json)
        }
    }

    struct SingleValue: SingleValueEncodingContainer {
        var base: any SingleValueEncodingContainer
        let json: JSONEncoder

        var codingPath: [any CodingKey] { base.codingPath }

        mutating func encodeNil() throws { try base.encodeNil() }

        @_implements(SingleValueEncodingContainer,encode(_:))
        mutating func write<Value: Encodable>(_ value: Value) throws {
            if json.passes(value) { return try base.encode(value) }
            try base.encode(OrderedJSON(value: value, json: json))
        }
    }
}
