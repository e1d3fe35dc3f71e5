import _GRDBSystem

/// The keyed container that a record encodes its columns into.
///
/// It has no state of its own: one container serves all records of an encoder.
struct KeyedColumnContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let encoder: RecordEncoder

    /// The memory of the session that binds values; nil if values are collected.
    private let parameters: UnsafeMutablePointer<SessionParameters>?

    private let keys: KeyIdentity.Space

    init(
        encoder: RecordEncoder, parameters: UnsafeMutablePointer<SessionParameters>? = nil,
        keys: KeyIdentity.Space = .none
    ) {
        self.encoder = encoder
        self.parameters = parameters
        self.keys = keys
    }

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws {
        try writeNull(key)
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        if let parameters, let slot = parameters.slot(for: keys.identity(of: key)),
            let expected = slot.pointee.binding, expected.type == ObjectIdentifier(Value.self)
        {
            let parameter = slot.pointee.parameter
            let code =
                try parameter == 0
                ? RawStatement.ok
                : unsafeDowncast(expected.writer, to: ColumnWriter<Value>.self)
                    .bind(value, to: parameters.pointee.statement, at: parameter)
            // Don't advance when binding throws, because the record may catch the error.
            parameters.pointee.slots.advance()
            parameters.note(code)
        } else {
            try encodeUnexpected(value, key)
        }
    }

    @inline(never)
    private func encodeUnexpected<Value: Encodable>(_ value: Value, _ key: Key) throws {
        let position = parameters?.pointee.slots.position ?? 0
        let writer = try encoder.encode(value, forKey: key)
        parameters?.learn(
            keys.identity(of: key), since: position,
            binding: writer.canBind ? (ObjectIdentifier(Value.self), writer) : nil)
    }

    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        if let value {
            do {
                try encode(value, forKey: key)
            } catch let error as EncodingError where error.isNotANumber {
                // An optional number can be decoded from NULL.
                try writeNull(key)
            }
        } else {
            try writeNull(key)
        }
    }

    // MARK: - Columns

    /// Also satisfies the protocol requirements for most primitive types, and is inlined in their
    /// witnesses.
    @inline(__always)
    func encode<Value: Encodable & DatabaseValueConvertible>(
        _ value: Value, forKey key: Key
    ) throws {
        try write(value, key)
    }

    @inline(__always)
    private func write<Value: DatabaseValueConvertible>(_ value: Value, _ key: Key) throws {
        if let parameters, let slot = parameters.slot(for: keys.identity(of: key)) {
            parameters.bind(value, to: slot)
        } else {
            try writeUnexpected(value, key)
        }
    }

    /// Also satisfies the requirements for all primitive types. Under the name of these requirements, a
    /// generic method would yield to the implementations of the standard library.
    @_implements(KeyedEncodingContainerProtocol,encodeIfPresent(_:forKey:))
    @inline(__always)
    func writeIfPresent<Value: DatabaseValueConvertible>(
        _ value: Value?, _ key: Key
    ) throws {
        if let value {
            try write(value, key)
        } else {
            try writeNull(key)
        }
    }

    @inline(__always)
    private func writeNull(_ key: Key) throws {
        if let parameters, let slot = parameters.slot(for: keys.identity(of: key)) {
            parameters.bindNull(to: slot)
        } else {
            try writeUnexpectedNull(key)
        }
    }

    @inline(never)
    private func writeUnexpected<Value: DatabaseValueConvertible>(
        _ value: Value, _ key: Key
    ) throws {
        let position = parameters?.pointee.slots.position ?? 0
        try encoder.write(value, column: encoder.column(for: key))
        parameters?.learn(keys.identity(of: key), since: position)
    }

    @inline(never)
    private func writeUnexpectedNull(_ key: Key) throws {
        let position = parameters?.pointee.slots.position ?? 0
        try encoder.writeNull(column: encoder.column(for: key))
        parameters?.learn(keys.identity(of: key), since: position)
    }

    // MARK: - Nested containers

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder.nestedNode(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.nestedNode(key).unkeyedContainer()
    }

    /// The class and its superclass share the columns of the row.
    func superEncoder() -> any Encoder {
        encoder
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        encoder.nestedNode(key)
    }
}

// MARK: - Primitive types

extension KeyedColumnContainer {
    func encode(_ value: Double, forKey key: Key) throws {
        if value.isNaN { throw EncodingError.notANumber(value, [key]) }
        try write(value, key)
    }

    func encode(_ value: Float, forKey key: Key) throws {
        if value.isNaN { throw EncodingError.notANumber(value, [key]) }
        try write(value, key)
    }
}

// MARK: - Integers of 128 bits

@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
extension KeyedColumnContainer {
    func encode(_ value: Int128, forKey key: Key) throws {
        try write(Int64(storing: value, [key]), key)
    }

    func encodeIfPresent(_ value: Int128?, forKey key: Key) throws {
        try writeIfPresent(value.map { try Int64(storing: $0, [key]) }, key)
    }

    func encode(_ value: UInt128, forKey key: Key) throws {
        try write(Int64(storing: value, [key]), key)
    }

    func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws {
        try writeIfPresent(value.map { try Int64(storing: $0, [key]) }, key)
    }
}

// MARK: - Records without keys

/// The container of a record that encodes a single value or an array. A type that wraps another
/// type is encoded like the wrapped type. Other values throw, because they have no column.
struct InvalidRecordContainer: SingleValueEncodingContainer, UnkeyedEncodingContainer {
    let encoder: RecordEncoder
    let isArray: Bool

    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    func encodeNil() throws {
        throw missingColumn("nil")
    }

    // Not specialized for the primitive types, which have no column.
    @_semantics("optimize.sil.specialize.generic.never")
    func encode<Value: Encodable>(_ value: Value) throws {
        if isArray { throw missingColumn(value) }
        if let record = value as? any EncodableRecord {
            // The wrapped record has its own columns and strategies.
            return try encoder.encode(columnsOf: record)
        }
        if value is any DatabaseValueConvertible { throw missingColumn(value) }
        try value.encode(to: encoder)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder.container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }

    func superEncoder() -> any Encoder { encoder }

    private func missingColumn(_ value: Any) -> EncodingError {
        EncodingError(value, "A record must encode its columns in a keyed container")
    }
}
