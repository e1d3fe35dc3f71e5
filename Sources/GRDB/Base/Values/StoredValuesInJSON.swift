#if GRDB_FOUNDATION || !canImport(FoundationEssentials)
import Foundation
#else
import FoundationEssentials
#endif

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
        value = try Value(from: StoredJSONDecoder(base: decoder))
    }
}

/// Returns a boolean, or a number instead of a boolean.
private func bool(_ bool: () throws -> Bool, _ number: () throws -> Int) throws -> Bool {
    do {
        return try bool()
    } catch {
        switch try? number() {
        case 0: return false
        case 1: return true
        default: throw error
        }
    }
}

private struct StoredJSONDecoder: Decoder {
    let base: any Decoder

    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try KeyedDecodingContainer(Keyed(base: base.container(keyedBy: type)))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        Unkeyed(base: try base.unkeyedContainer())
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleValue(base: try base.singleValueContainer())
    }

    // The generic methods satisfy the requirements for the primitive types.

    struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let base: KeyedDecodingContainer<Key>

        var codingPath: [any CodingKey] { base.codingPath }
        var allKeys: [Key] { base.allKeys }

        func contains(_ key: Key) -> Bool { base.contains(key) }

        func decodeNil(forKey key: Key) throws -> Bool { try base.decodeNil(forKey: key) }

        func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
            try bool {
                try base.decode(type, forKey: key)
            } _: {
                try base.decode(Int.self, forKey: key)
            }
        }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            if type == Bool.self {
                return try unsafeBitCast(decode(Bool.self, forKey: key), to: Value.self)
            }
            if type is any JSONScalar.Type { return try base.decode(type, forKey: key) }
            return try base.decode(StoredJSON<Value>.self, forKey: key).value
        }

        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
        func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
            try base.decode(type, forKey: key)
        }

        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
        func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
            try base.decode(type, forKey: key)
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<NestedKey> {
            let nested = try base.nestedContainer(keyedBy: type, forKey: key)
            return KeyedDecodingContainer(Keyed<NestedKey>(base: nested))
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            Unkeyed(base: try base.nestedUnkeyedContainer(forKey: key))
        }

        func superDecoder() throws -> any Decoder {
            StoredJSONDecoder(base: try base.superDecoder())
        }

        func superDecoder(forKey key: Key) throws -> any Decoder {
            StoredJSONDecoder(base: try base.superDecoder(forKey: key))
        }
    }

    struct Unkeyed: UnkeyedDecodingContainer {
        var base: any UnkeyedDecodingContainer

        var codingPath: [any CodingKey] { base.codingPath }
        var count: Int? { base.count }
        var isAtEnd: Bool { base.isAtEnd }
        var currentIndex: Int { base.currentIndex }

        mutating func decodeNil() throws -> Bool { try base.decodeNil() }

        mutating func decode(_ type: Bool.Type) throws -> Bool {
            // A value that can't be decoded is not skipped.
            try bool {
                try base.decode(type)
            } _: {
                try base.decode(Int.self)
            }
        }

        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            if type == Bool.self { return try unsafeBitCast(decode(Bool.self), to: Value.self) }
            if type is any JSONScalar.Type { return try base.decode(type) }
            return try base.decode(StoredJSON<Value>.self).value
        }

        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
        mutating func decode(_ type: Int128.Type) throws -> Int128 { try base.decode(type) }

        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
        mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try base.decode(type) }

        mutating func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type
        ) throws -> KeyedDecodingContainer<NestedKey> {
            let nested = try base.nestedContainer(keyedBy: type)
            return KeyedDecodingContainer(Keyed<NestedKey>(base: nested))
        }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            Unkeyed(base: try base.nestedUnkeyedContainer())
        }

        mutating func superDecoder() throws -> any Decoder {
            StoredJSONDecoder(base: try base.superDecoder())
        }
    }

    struct SingleValue: SingleValueDecodingContainer {
        let base: any SingleValueDecodingContainer

        var codingPath: [any CodingKey] { base.codingPath }

        func decodeNil() -> Bool { base.decodeNil() }

        func decode(_ type: Bool.Type) throws -> Bool {
            try bool {
                try base.decode(type)
            } _: {
                try base.decode(Int.self)
            }
        }

        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            if type == Bool.self { return try unsafeBitCast(decode(Bool.self), to: Value.self) }
            if type is any JSONScalar.Type { return try base.decode(type) }
            return try base.decode(StoredJSON<Value>.self).value
        }

        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
        func decode(_ type: Int128.Type) throws -> Int128 { try base.decode(type) }

        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
        func decode(_ type: UInt128.Type) throws -> UInt128 { try base.decode(type) }
    }
}
