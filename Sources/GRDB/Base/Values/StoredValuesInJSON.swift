import _GRDBSystem

// The JSON functions of SQLite build JSON from stored values: booleans are the numbers 0 and 1, dates are
// texts. JSON decoders expect other values.

extension JSONDecoder.DateDecodingStrategy {
    /// Decodes milliseconds, as dates are stored in JSON, and the texts that dates are stored as in columns.
    static let stored = Self.custom { decoder in
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self),
            let date = Date.fromDatabaseValue(text.databaseValue)
        {
            return date
        }
        return try Date(timeIntervalSince1970: container.decode(Double.self) / 1000)
    }
}

extension JSONDecoder {
    /// Decodes a value from a column. The numbers 0 and 1 can be decoded as booleans.
    func decodeFromColumn<Value: Decodable>(_ type: Value.Type, from json: Data) throws -> Value {
        do {
            return try decode(type, from: json)
        } catch let error as DecodingError where error.isBoolMismatch {
            return try decodeWithNumericBools(type, from: json)
        }
    }

    func decodeWithNumericBools<Value: Decodable>(
        _ type: Value.Type, from json: Data
    ) throws -> Value {
        // A dictionary that is not decoded by the decoder itself has its keys converted.
        guard case .useDefaultKeys = keyDecodingStrategy else {
            return try decode(type, from: json)
        }
        return try decode(StoredJSON<Value>.self, from: json).value
    }
}

extension DecodingError {
    /// Whether a boolean was expected, and not found.
    var isBoolMismatch: Bool {
        if case .typeMismatch(let type, _) = self { type == Bool.self } else { false }
    }
}

/// A value whose booleans may be numbers.
private struct StoredJSON<Value: Decodable>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws {
        value = try Value(
            from: ForwardingDecoder(base: decoder, forwarding: .init(readsNumbersAsBools: true)))
    }
}

// MARK: - Containers

/// How the containers of a decoder are changed.
struct Forwarding {
    /// Whether the numbers 0 and 1 can be decoded as booleans.
    var readsNumbersAsBools = false

    /// The coding path of the decoder.
    var path: [any CodingKey] = []

    /// Completes the errors of containers.
    var complete: (any Error) -> any Error = { $0 }

    /// An object that containers retain.
    var owner: AnyObject?

    fileprivate func completing<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw complete(error)
        }
    }

    /// Returns a value of a container.
    fileprivate func value<Value: Decodable>(
        _ type: Value.Type, _ decode: () throws -> Value, number: () throws -> Int,
        stored: () throws -> StoredJSON<Value>
    ) throws -> Value {
        try completing {
            if !readsNumbersAsBools { return try decode() }
            if type == Bool.self {
                do {
                    return try decode()
                } catch {
                    // A value that can't be decoded is not skipped.
                    guard let number = try? number(), 0...1 ~= number else { throw error }
                    return unsafeBitCast(number == 1, to: Value.self)
                }
            }
            return type is any JSONScalar.Type ? try decode() : try stored().value
        }
    }

    func keyed<Key: CodingKey>(
        _ base: () throws -> KeyedDecodingContainer<Key>
    ) throws -> KeyedDecodingContainer<Key> {
        try completing {
            try KeyedDecodingContainer(ForwardingKeyedContainer(base: base(), forwarding: self))
        }
    }

    func unkeyed(
        _ base: () throws -> any UnkeyedDecodingContainer
    ) throws -> any UnkeyedDecodingContainer {
        try completing { ForwardingUnkeyedContainer(base: try base(), forwarding: self) }
    }

    fileprivate func decoder(_ base: () throws -> any Decoder) throws -> any Decoder {
        let base = try completing(base)
        return readsNumbersAsBools ? ForwardingDecoder(base: base, forwarding: self) : base
    }
}

/// A decoder whose containers forward to those of another decoder.
private struct ForwardingDecoder: Decoder {
    let base: any Decoder
    let forwarding: Forwarding

    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try forwarding.keyed { try base.container(keyedBy: type) }
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try forwarding.unkeyed { try base.unkeyedContainer() }
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        ForwardingValueContainer(base: try base.singleValueContainer(), forwarding: forwarding)
    }
}

// The generic methods satisfy the requirements for the primitive types, except integers of 128 bits.

private struct ForwardingKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let base: KeyedDecodingContainer<Key>
    let forwarding: Forwarding

    var codingPath: [any CodingKey] { forwarding.path + base.codingPath }
    var allKeys: [Key] { base.allKeys }

    func contains(_ key: Key) -> Bool { base.contains(key) }

    func decodeNil(forKey key: Key) throws -> Bool {
        try forwarding.completing { try base.decodeNil(forKey: key) }
    }

    @_implements(KeyedDecodingContainerProtocol,decode(_:forKey:))
    func value<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try forwarding.value(
            type, { try base.decode(type, forKey: key) },
            number: { try base.decode(Int.self, forKey: key) },
            stored: { try base.decode(StoredJSON<Value>.self, forKey: key) })
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        if forwarding.readsNumbersAsBools {
            return try !contains(key) || decodeNil(forKey: key) ? nil : value(type, forKey: key)
        }
        return try forwarding.completing { try base.decodeIfPresent(type, forKey: key) }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try forwarding.keyed { try base.nestedContainer(keyedBy: type, forKey: key) }
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try forwarding.unkeyed { try base.nestedUnkeyedContainer(forKey: key) }
    }

    func superDecoder() throws -> any Decoder {
        try forwarding.decoder { try base.superDecoder() }
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try forwarding.decoder { try base.superDecoder(forKey: key) }
    }
}

private struct ForwardingUnkeyedContainer: UnkeyedDecodingContainer {
    var base: any UnkeyedDecodingContainer
    let forwarding: Forwarding

    var codingPath: [any CodingKey] { forwarding.path + base.codingPath }
    var count: Int? { base.count }
    var isAtEnd: Bool { base.isAtEnd }
    var currentIndex: Int { base.currentIndex }

    mutating func decodeNil() throws -> Bool {
        try forwarding.completing { try base.decodeNil() }
    }

    @_implements(UnkeyedDecodingContainer,decode(_:))
    @_semantics("optimize.sil.specialize.generic.never")
    mutating func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try forwarding.value(
            type, { try base.decode(type) }, number: { try base.decode(Int.self) },
            stored: { try base.decode(StoredJSON<Value>.self) })
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try forwarding.keyed { try base.nestedContainer(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try forwarding.unkeyed { try base.nestedUnkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder {
        try forwarding.decoder { try base.superDecoder() }
    }
}

private struct ForwardingValueContainer: SingleValueDecodingContainer {
    let base: any SingleValueDecodingContainer
    let forwarding: Forwarding

    var codingPath: [any CodingKey] { forwarding.path + base.codingPath }

    func decodeNil() -> Bool { base.decodeNil() }

    @_implements(SingleValueDecodingContainer,decode(_:))
    @_semantics("optimize.sil.specialize.generic.never")
    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try forwarding.value(
            type, { try base.decode(type) }, number: { try base.decode(Int.self) },
            stored: { try base.decode(StoredJSON<Value>.self) })
    }
}
