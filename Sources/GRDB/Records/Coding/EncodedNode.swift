#if GRDB_FOUNDATION || !canImport(FoundationEssentials)
import Foundation
#else
import FoundationEssentials
#endif

/// The content of a nested container or nested encoder. Kept until the record is encoded, and then
/// encoded as the value of a column.
final class EncodedNode: Encoder, Encodable {
    private enum Content {
        case nothing
        case null
        case value(any Encodable)
        case array([EncodedNode])
        case object([(key: AnyKey, node: EncodedNode)])
    }

    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any]
    private var content = Content.nothing

    init(path: [any CodingKey], userInfo: [CodingUserInfoKey: Any]) {
        codingPath = path
        self.userInfo = userInfo
    }

    /// Writes the value of a column.
    func write(column: String, encoder: RecordEncoder) throws {
        switch content {
        case .nothing:
            break
        case .null:
            try encoder.writeNull(column: column)
        case .value(let value):
            try write(value, column: column, encoder: encoder)
        case .array, .object:
            try write(self, column: column, encoder: encoder)
        }
    }

    private func write<Value: Encodable>(
        _ value: Value, column: String, encoder: RecordEncoder
    ) throws {
        let target = ColumnTarget(column: column, path: codingPath, options: encoder.options)
        try ColumnWriter.make(Value.self, target: target).write(value, encoder)
    }

    // MARK: - Writing

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .object = content {} else { content = .object([]) }
        return KeyedEncodingContainer(ObjectContainer(node: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .array = content {} else { content = .array([]) }
        return ArrayContainer(node: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        ValueContainer(node: self)
    }

    private func child(_ key: any CodingKey) -> EncodedNode {
        EncodedNode(path: codingPath + [key], userInfo: userInfo)
    }

    fileprivate func member(_ key: any CodingKey) -> EncodedNode {
        let node = child(key)
        guard case .object(var members) = content else { return node }
        members.removeAll { $0.key.stringValue == key.stringValue }
        members.append((AnyKey(stringValue: key.stringValue), node))
        content = .object(members)
        return node
    }

    fileprivate func element() -> EncodedNode {
        let node = child(AnyKey(intValue: count))
        guard case .array(var elements) = content else { return node }
        elements.append(node)
        content = .array(elements)
        return node
    }

    fileprivate var count: Int {
        if case .array(let elements) = content { elements.count } else { 0 }
    }

    fileprivate func setNull() {
        content = .null
    }

    fileprivate func set(_ value: some Encodable) {
        content = .value(value)
    }

    // MARK: - Reading

    /// Encodes the content.
    func encode(to encoder: any Encoder) throws {
        switch content {
        case .nothing:
            // JSON encoders also encode an empty object.
            _ = encoder.container(keyedBy: AnyKey.self)
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .value(let value):
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .object(let members):
            var container = encoder.container(keyedBy: AnyKey.self)
            for (key, node) in members { try container.encode(node, forKey: key) }
        }
    }

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
}

// The generic methods satisfy the protocol requirements for all primitive types.

private struct ObjectContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: EncodedNode

    var codingPath: [any CodingKey] { node.codingPath }

    func encodeNil(forKey key: Key) throws {
        node.member(key).setNull()
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        node.member(key).set(value)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        node.member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        node.member(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        node.member(EncodedNode.AnyKey(stringValue: "super"))
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        node.member(key)
    }
}

private struct ArrayContainer: UnkeyedEncodingContainer {
    let node: EncodedNode

    var codingPath: [any CodingKey] { node.codingPath }
    var count: Int { node.count }

    func encodeNil() throws {
        node.element().setNull()
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        node.element().set(value)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        node.element().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        node.element().unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        node.element()
    }
}

private struct ValueContainer: SingleValueEncodingContainer {
    let node: EncodedNode

    var codingPath: [any CodingKey] { node.codingPath }

    func encodeNil() throws {
        node.setNull()
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        node.set(value)
    }
}
