import _GRDBSystem

/// The content of a nested container or nested encoder. Kept until the record is encoded, and then
/// encoded as the value of a column.
final class EncodedNode: ValueNode, Encodable {
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

    func beginObject() {
        if case .object = content {} else { content = .object([]) }
    }

    func beginArray() {
        if case .array = content {} else { content = .array([]) }
    }

    var count: Int {
        if case .array(let elements) = content { elements.count } else { 0 }
    }

    private func child(_ key: any CodingKey) -> EncodedNode {
        EncodedNode(path: codingPath + [key], userInfo: userInfo)
    }

    func member(_ key: any CodingKey) -> any ValueNode {
        let node = child(key)
        guard case .object(var members) = content else { return node }
        members.removeAll { $0.key.stringValue == key.stringValue }
        members.append((AnyKey(stringValue: key.stringValue), node))
        content = .object(members)
        return node
    }

    func element() -> any ValueNode {
        let node = child(AnyKey(intValue: count))
        guard case .array(var elements) = content else { return node }
        elements.append(node)
        content = .array(elements)
        return node
    }

    func setNull() {
        content = .null
    }

    func set<Value: Encodable>(_ value: Value) {
        content = .value(value)
    }

    func set(convertible value: some Encodable & DatabaseValueConvertible) {
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
}
