import GRDB
import _GRDBSystem

/// Creates a record from nothing, to see which columns and which types of values it has.
///
/// The `Decodable` type asks a decoder for its properties. This decoder answers with sample values.
final class RecordProbe {
    /// The coding keys of the record.
    private(set) var keys: [String] = []

    /// Whether optional properties have values.
    private let fillsOptionals: Bool

    private init(fillsOptionals: Bool) {
        self.fillsOptionals = fillsOptionals
    }

    /// Creates a record whose optional properties have values, or are nil.
    ///
    /// - throws: the error of a property for which the samples are no values, such as that of an enumeration
    ///   that is not `CaseIterable`.
    static func record(
        _ type: any Decodable.Type, fillsOptionals: Bool
    ) throws -> (record: any Decodable, keys: [String]) {
        let probe = RecordProbe(fillsOptionals: fillsOptionals)
        let userInfo = (type as? any FetchableRecord.Type)?.databaseDecodingUserInfo ?? [:]
        let record = try type.init(
            from: ProbeDecoder(probe: probe, codingPath: [], userInfo: userInfo))
        return (record, probe.keys)
    }

    /// Texts look like numbers, because a numeric column would change them. No binary number equals the
    /// decimal and the real number.
    private static let samples: [any Decodable & Sendable] = [
        "1.50", 0.1, Float(0.1), true, 1, Int8(1), Int16(1), Int32(1), Int64(1), UInt(1), UInt8(1),
        UInt16(1),
        UInt32(1), UInt64(1), Date(timeIntervalSince1970: 0.5), Data([1]),
        UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
        URL(fileURLWithPath: "/"),
        Decimal(string: "0.123456789012345678")!,
    ]

    fileprivate func value<T: Decodable>(_ type: T.Type, _ decoder: ProbeDecoder) throws -> T {
        // `as? T` alone would accept a sample for an optional type.
        for sample in Self.samples where Swift.type(of: sample) == T.self {
            if let sample = sample as? T { return sample }
        }
        if let cases = type as? any CaseIterable.Type, let first = cases.first as? T {
            return first
        }
        return try T(from: decoder)
    }

    fileprivate struct ProbeDecoder: Decoder {
        let probe: RecordProbe
        let codingPath: [any CodingKey]
        let userInfo: [CodingUserInfoKey: Any]

        /// Whether optional values are there. Types that contain themselves end somewhere.
        var fillsOptionals: Bool { probe.fillsOptionals && codingPath.count < 8 }

        func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
            KeyedDecodingContainer(KeyedProbe<Key>(decoder: self))
        }

        func unkeyedContainer() -> any UnkeyedDecodingContainer { EmptyProbe(decoder: self) }

        func singleValueContainer() -> any SingleValueDecodingContainer {
            ValueProbe(decoder: self)
        }

        func nested(_ key: (any CodingKey)?) -> ProbeDecoder {
            if codingPath.isEmpty, let name = key?.stringValue, !probe.keys.contains(name) {
                probe.keys.append(name)
            }
            let path = codingPath + (key.map { [$0] } ?? [])
            return ProbeDecoder(probe: probe, codingPath: path, userInfo: userInfo)
        }
    }

    private struct KeyedProbe<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: ProbeDecoder
        var codingPath: [any CodingKey] { decoder.codingPath }
        var allKeys: [Key] { [] }

        func contains(_ key: Key) -> Bool {
            _ = decoder.nested(key)
            return decoder.fillsOptionals
        }

        func decodeNil(forKey key: Key) -> Bool { !contains(key) }

        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
            try decoder.probe.value(type, decoder.nested(key))
        }

        func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
            contains(key) ? try decode(type, forKey: key) : nil
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) -> KeyedDecodingContainer<NestedKey> {
            decoder.nested(key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer {
            decoder.nested(key).unkeyedContainer()
        }

        func superDecoder() -> any Decoder { decoder }
        func superDecoder(forKey key: Key) -> any Decoder { decoder.nested(key) }
    }

    private struct EmptyProbe: UnkeyedDecodingContainer {
        let decoder: ProbeDecoder
        var codingPath: [any CodingKey] { decoder.codingPath }
        var count: Int? { 0 }
        var isAtEnd: Bool { true }
        var currentIndex: Int { 0 }

        func decodeNil() -> Bool { true }
        func decode<T: Decodable>(_ type: T.Type) throws -> T {
            try decoder.probe.value(type, decoder)
        }
        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type
        ) -> KeyedDecodingContainer<NestedKey> {
            decoder.container(keyedBy: type)
        }
        func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer { self }
        func superDecoder() -> any Decoder { decoder }
    }

    private struct ValueProbe: SingleValueDecodingContainer {
        let decoder: ProbeDecoder
        var codingPath: [any CodingKey] { decoder.codingPath }

        func decodeNil() -> Bool { !decoder.fillsOptionals }
        func decode<T: Decodable>(_ type: T.Type) throws -> T {
            try decoder.probe.value(type, decoder)
        }
    }
}

extension CaseIterable {
    fileprivate static var first: Any? { allCases.first }
}
