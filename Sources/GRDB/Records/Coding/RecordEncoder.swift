import _GRDBSystem

/// Encodes the records of one type into persistence containers.
///
/// The encoder is cached in the `encodingCache` of a storage, and reused for all records encoded
/// into it. While records are inserted, the storage binds values directly to the statement.
///
/// Used by one thread at a time. `storage` is set only while a record is being encoded: encoders
/// that escape throw.
@usableFromInline
final class RecordEncoder: Encoder {
    /// The encoding of one key.
    private struct Step {
        let name: String
        let column: String
        /// The type that `writer` writes.
        var type: ObjectIdentifier?
        /// A `ColumnWriter` of that type.
        var writer: AnyObject?
    }

    let recordType: ObjectIdentifier
    let options: RecordEncodingOptions
    private let usesDefaultKeys: Bool

    /// The storage that the current record is encoded into, which the caller keeps alive.
    @exclusivity(unchecked)
    private var unownedStorage: Unmanaged<PersistenceStorage>?

    /// Predicts the step of a key, like `RowDecoder`.
    @exclusivity(unchecked)
    private var steps = Prediction<Step>()

    /// The columns requested as nested containers or encoders. They are written after the record is
    /// encoded.
    @exclusivity(unchecked)
    private var nestedNodes: [(node: EncodedNode, column: String)] = []

    init(recordType: ObjectIdentifier, options: RecordEncodingOptions) {
        self.recordType = recordType
        self.options = options
        usesDefaultKeys = options.usesDefaultKeys
    }

    deinit {
        steps.deallocate()
    }

    @usableFromInline var codingPath: [any CodingKey] { [] }
    @usableFromInline var userInfo: [CodingUserInfoKey: Any] { options.userInfo }

    // MARK: - Records

    /// The storage that the current record is encoded into.
    var storage: PersistenceStorage? { unownedStorage?.takeUnretainedValue() }

    /// Whether a record is being encoded.
    var isEncoding: Bool { unownedStorage != nil }

    @inline(__always)
    func begin(_ storage: PersistenceStorage) {
        unownedStorage = .passUnretained(storage)
        steps.restart()
    }

    @usableFromInline
    func end() {
        unownedStorage = nil
        if !nestedNodes.isEmpty { nestedNodes = [] }
    }

    /// Writes the columns that are complete only after the record is encoded.
    @usableFromInline
    func finish() throws {
        if !nestedNodes.isEmpty { try writeNestedNodes() }
    }

    private func writeNestedNodes() throws {
        for (node, column) in nestedNodes {
            try node.write(column: column, encoder: self)
        }
    }

    private func currentStorage(_ value: Any) throws -> PersistenceStorage {
        if let storage { return storage }
        throw EncodingError(
            value, "The encoder of a record is used after the record was encoded")
    }

    // MARK: - Columns

    @inline(__always)
    func write<Value: DatabaseValueConvertible>(_ value: Value, column: String) throws {
        try currentStorage(value).set(value, forColumn: column)
    }

    func writeNull(column: String) throws {
        try currentStorage(DatabaseValue.null).setNull(forColumn: column)
    }

    /// Writes all columns of another record.
    func encode(columnsOf record: any EncodableRecord) throws {
        let userInfo = try currentStorage(record).userInfo
        for (column, value) in try record.encodedContainer(userInfo: userInfo) {
            try write(value, column: column)
        }
    }

    @inline(__always)
    func column(for key: some CodingKey) -> String {
        if usesDefaultKeys { return key.stringValue }
        // Called before `steps` is read, because it may add a step.
        let index = step(key)
        return steps[index].column
    }

    @inline(__always)
    private func step(_ key: some CodingKey) -> Int {
        let name = key.stringValue
        if let expected = steps.expected, expected.pointee.name.hasSameBytes(as: name) {
            steps.advance()
            return steps.position - 1
        }
        return searchedStep(name, key)
    }

    @inline(never)
    private func searchedStep(_ name: String, _ key: some CodingKey) -> Int {
        // Keys that are bound directly don't advance `steps`.
        let index =
            steps.firstIndex { $0.name.hasSameBytes(as: name) }
            ?? steps.append(Step(name: name, column: options.column(for: key)))
        steps.advance(past: index)
        return index
    }

    /// - returns: the writer that wrote the value.
    @inline(__always)
    func encode<Value: Encodable>(
        _ value: Value, forKey key: some CodingKey
    ) throws -> ColumnWriter<Value> {
        let position = step(key)
        if steps[position].type == ObjectIdentifier(Value.self), let writer = steps[position].writer
        {
            let writer = unsafeDowncast(writer, to: ColumnWriter<Value>.self)
            try writer.write(value, self)
            return writer
        }
        let writer = ColumnWriter.make(
            Value.self,
            target: ColumnTarget(column: steps[position].column, path: [key], options: options))
        steps[position].type = ObjectIdentifier(Value.self)
        steps[position].writer = writer
        try writer.write(value, self)
        return writer
    }

    func nestedNode(_ key: some CodingKey) -> EncodedNode {
        let node = EncodedNode(path: [key], userInfo: userInfo)
        let index = step(key)
        nestedNodes.append((node, steps[index].column))
        return node
    }

    // MARK: - Containers

    @usableFromInline
    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        guard let storage, let cache = storage.recordEncodingCache, cache.encoder === self else {
            return KeyedEncodingContainer(KeyedColumnContainer<Key>(encoder: self))
        }
        return cache.container(keyedBy: type, storage)
    }

    @usableFromInline
    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        InvalidRecordContainer(encoder: self, isArray: true)
    }

    @usableFromInline
    func singleValueContainer() -> any SingleValueEncodingContainer {
        InvalidRecordContainer(encoder: self, isArray: false)
    }
}

/// The encoder and containers cached by a storage that records are encoded into.
final class RecordEncodingCache {
    let encoder: RecordEncoder

    /// The containers that were handed out, by key type. Not stored in the encoder, because they
    /// retain it.
    @exclusivity(unchecked)
    private var containers: [(keyType: ObjectIdentifier, container: ContainerBox)] = []

    init(encoder: RecordEncoder) {
        self.encoder = encoder
    }

    func container<Key: CodingKey>(
        keyedBy type: Key.Type, _ storage: PersistenceStorage
    ) -> KeyedEncodingContainer<Key> {
        // By index: an iterator would retain the array.
        let keyType = ObjectIdentifier(Key.self)
        for index in containers.indices where containers[index].keyType == keyType {
            return unsafeDowncast(
                containers[index].container, to: ValueBox<KeyedEncodingContainer<Key>>.self
            ).value()
        }
        return makeContainer(keyedBy: type, storage)
    }

    // A separate function, because it needs the metadata of the container, which the runtime must
    // look up.
    @inline(never)
    private func makeContainer<Key: CodingKey>(
        keyedBy type: Key.Type, _ storage: PersistenceStorage
    ) -> KeyedEncodingContainer<Key> {
        // Escaped copies can be detected only if the type is a single reference.
        guard MemoryLayout<KeyedEncodingContainer<Key>>.size == MemoryLayout<AnyObject>.size else {
            return KeyedEncodingContainer(KeyedColumnContainer<Key>(encoder: encoder))
        }
        let keys = storage.session?.keySpace(of: type, recordType: encoder.recordType)
        let container = KeyedEncodingContainer(
            KeyedColumnContainer<Key>(
                encoder: encoder, parameters: storage.parameters, keys: keys ?? .none))
        containers.append((ObjectIdentifier(Key.self), ValueBox(container)))
        return container
    }

    /// Whether a container has outlived the encoding of its record.
    var hasEscapedContainers: Bool {
        containers.contains { !$0.container.isUnique }
    }
}

extension PersistenceStorage {
    /// The only kind of object that is stored in `encodingCache`.
    @inline(__always)
    var recordEncodingCache: RecordEncodingCache? {
        encodingCache.map { unsafeDowncast($0, to: RecordEncodingCache.self) }
    }
}

extension PersistenceContainer {
    /// Returns an encoder that writes into the container. The caller must call `end()`.
    @usableFromInline
    mutating func beginEncoding(_ type: any EncodableRecord.Type) -> RecordEncoder {
        if storage.session == nil { makeUnique() }
        if let encoder = storage.recordEncodingCache?.encoder, !encoder.isEncoding,
            encoder.recordType == ObjectIdentifier(type), storage.userInfo.isEmpty,
            encoder.options.update()
        {
            encoder.begin(storage)
            return encoder
        }
        return makeEncoder(type)
    }

    @inline(never)
    private func makeEncoder(_ type: any EncodableRecord.Type) -> RecordEncoder {
        // The keys may now have other columns.
        storage.session?.forgetKeys()
        let encoder = RecordEncoder(
            recordType: ObjectIdentifier(type),
            options: RecordEncodingOptions(recordType: type, userInfo: storage.userInfo))
        // Not cached while another record is being encoded, because its encoder must keep its
        // containers; nor with the user info of a single operation.
        if storage.recordEncodingCache?.encoder.isEncoding != true, storage.userInfo.isEmpty {
            if storage.recordEncodingCache?.hasEscapedContainers == true {
                storage.session?.hasEscapedContainers = true
            }
            storage.encodingCache = RecordEncodingCache(encoder: encoder)
        }
        encoder.begin(storage)
        return encoder
    }
}
