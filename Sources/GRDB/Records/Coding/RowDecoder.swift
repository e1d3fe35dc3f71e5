import _GRDBSystem

/// The state with which the containers of a ``RowDecoder`` read columns: plain memory of the
/// decoder, so that reading needs no reference counting.
struct RowDecodingState {
    /// The statement of the row that is being decoded, if the row is live.
    var statement: SQLiteStatement?

    /// The values of the row that is being decoded, if the row is a copy.
    var values: UnsafePointer<CopiedValue>?

    /// The row that is being decoded, which the caller of the decoder keeps alive.
    var row: Unmanaged<Row>?

    /// Predicts the step of a key.
    var steps = Prediction<RowDecoder.Step>(capacity: 16)

    /// Nil if a container has outlived the decoder.
    var decoder: Unmanaged<RowDecoder>?

    typealias Pointer = UnsafeMutablePointer<RowDecodingState>
}

extension RowDecodingState.Pointer {
    func currentDecoder() throws -> RowDecoder {
        guard let decoder = pointee.decoder?.takeUnretainedValue() else {
            throw RowDecoder.endedError([])
        }
        return decoder
    }

    /// The row that is being decoded.
    func currentRow() throws -> Row {
        if let row = pointee.row?.takeUnretainedValue() { return row }
        return try currentDecoder().currentRow()
    }

    /// A column of the row that is being decoded.
    @inline(__always)
    func access(_ column: CInt) -> ColumnAccess {
        ColumnAccess(statement: pointee.statement, values: pointee.values, index: column)
    }

    /// Reads a value from a column.
    ///
    /// - throws: a ``RowDecodingError`` if the column is missing, or if its value is of another type.
    @inline(__always)
    func value<Value: DatabaseValueConvertible>(
        _ type: Value.Type, in place: ColumnPlace
    ) throws -> Value {
        if place.column >= 0, let value = access(place.column).value(type) { return value }
        return try currentRow().unreadValue(type, at: place.index, place.name)
    }

    /// Reads a value from a column: nil if the column is missing, or NULL.
    ///
    /// - throws: a ``RowDecodingError`` if the value is of another type.
    @inline(__always)
    func valueIfPresent<Value: DatabaseValueConvertible>(
        _ type: Value.Type, in place: ColumnPlace
    ) throws -> Value? {
        if place.column >= 0, let value = access(place.column).valueIfPresent(type) { return value }
        return try currentRow().unreadValueIfPresent(type, at: place.index)
    }
}

/// The column of a coding key.
struct ColumnPlace {
    /// The index of the column in the row; -1 if it is missing.
    let index: Int
    /// The index of the column in the backing of the row; -1 if it is missing.
    let column: CInt
    /// The name of the column; the key if there is no column.
    let name: String

    /// Returns the place with the name that the column has in the row.
    func named(in layout: RowLayout) -> ColumnPlace {
        index < 0 ? self : ColumnPlace(index: index, column: column, name: layout.names[index])
    }
}

/// Decodes the instances of one `Decodable` type from rows of one layout.
///
/// The decoder is cached in the ``Row/decodingCache`` of a row, and reused for all rows that a
/// cursor steps through. It remembers the column of each key, and how to read it: see ``Step``.
///
/// Used by one thread at a time. The row is set only while an instance is being decoded: the row
/// and its decoder don't form a reference cycle, and decoders that escape throw.
@usableFromInline
final class RowDecoder: Decoder {
    /// The access to one key.
    struct Step {
        /// The identity of the key in its container: see ``KeyIdentity``.
        var key: KeyIdentity
        /// The column, with the requested name.
        let place: ColumnPlace
        /// The type that `reader` reads.
        var type: ObjectIdentifier?
        /// A `ColumnReader` of that type.
        var reader: AnyObject?
    }

    let options: RowDecodingOptions
    @usableFromInline let codingPath: [any CodingKey]
    let layout: RowLayout

    /// The columns by key; nil if the keys are the column names.
    let columns: [ExactText: Int]?

    /// The decoded key, if it is neither a column nor a scope of the row. Its value is then decoded
    /// from the columns of the row itself.
    private let missingKey: ColumnSource?

    /// The key whose value was decoded from the columns of the row itself.
    private var rowKey: (keyType: Any.Type, name: String)?

    /// Predicts the next step. A step keeps the requested name: the next row usually requests the
    /// same string instance, which compares in a few instructions. Keys with a known identity are
    /// compared without reading their names.
    let state: RowDecodingState.Pointer

    /// The last type requested from a single value container that is neither a record nor a
    /// database value.
    var selfDecodingType: ObjectIdentifier?

    /// Decodes the records of a single value container.
    private(set) lazy var nestedDecoding = NestedDecoding()

    /// The reader of the leftmost column, for single value containers.
    private var leftmostReader: (type: ObjectIdentifier, reader: AnyObject)?

    /// The decoded type, if the decoder can be reused for other rows.
    fileprivate(set) var cachedType: ObjectIdentifier?

    /// The row of a decoder that may be used after the row was decoded.
    private var keptRow: Row?

    /// The containers that were handed out, by key type. They don't retain the decoder: see
    /// `deinit`.
    @exclusivity(unchecked)
    private var containers: [(keyType: ObjectIdentifier, container: ContainerBox)] = []

    init(
        layout: RowLayout, options: RowDecodingOptions, codingPath: [any CodingKey],
        missing missingKey: ColumnSource? = nil
    ) {
        self.layout = layout
        self.missingKey = missingKey
        self.options = options
        self.codingPath = codingPath
        columns = options.columnsByKey(in: layout)
        state = .allocate(capacity: 1)
        state.initialize(to: RowDecodingState())
        state.pointee.decoder = .passUnretained(self)
    }

    /// Creates a decoder that may be used after the row was decoded: it retains the row.
    convenience init(
        escapingWith row: Row, _ path: [any CodingKey], _ options: RowDecodingOptions,
        missing missingKey: ColumnSource? = nil
    ) {
        self.init(layout: row.layout, options: options, codingPath: path, missing: missingKey)
        keptRow = row
        begin(row)
    }

    /// Creates a decoder that decodes the value of a missing key from the columns of the row
    /// itself. It can be reused for all rows of the layout.
    convenience init(_ type: Any.Type, inside row: Row, for key: ColumnSource) {
        self.init(layout: row.layout, options: key.options, codingPath: key.path, missing: key)
        cachedType = ObjectIdentifier(type)
    }

    deinit {
        state.pointee.steps.deallocate()
        // A type may retain its container for too long. The memory that the container reads is then
        // not freed, and its decoder is set to nil, so that the container throws.
        if containers.contains(where: { !$0.container.isUnique }) {
            end()
            state.pointee.steps = Prediction()
            state.pointee.decoder = nil
        } else {
            state.deallocate()
        }
    }

    @usableFromInline var userInfo: [CodingUserInfoKey: Any] { options.userInfo }

    // MARK: - Rows

    /// Whether a row is being decoded.
    var isDecoding: Bool { state.pointee.row != nil }

    var row: Row? { state.pointee.row?.takeUnretainedValue() }

    @inline(__always)
    func begin(_ row: Row) {
        state.pointee.row = .passUnretained(row)
        state.pointee.statement = row.liveStatement
        state.pointee.values = row.liveStatement == nil ? row.values : nil
        state.pointee.steps.restart()
    }

    @usableFromInline
    func end() {
        state.pointee.row = nil
        state.pointee.statement = nil
        state.pointee.values = nil
    }

    /// The row that is being decoded.
    func currentRow() throws -> Row {
        guard let row else { throw Self.endedError(codingPath) }
        return row
    }

    static func endedError(_ codingPath: [any CodingKey]) -> DecodingError {
        .dataCorrupted(
            .init("The decoder of a row is used after the row was decoded", codingPath))
    }

    // MARK: - Steps

    /// Returns the index of the step for a key.
    @inline(__always)
    func step(_ key: some CodingKey, _ identity: KeyIdentity) -> Int {
        if let expected = state.pointee.steps.expected, expected.pointee.key == identity {
            state.pointee.steps.advance()
            return state.pointee.steps.position - 1
        }
        return namedStep(key, identity)
    }

    @inline(never)
    private func namedStep(_ key: some CodingKey, _ identity: KeyIdentity) -> Int {
        let name = key.stringValue
        let index =
            state.pointee.steps.firstIndex { $0.place.name.hasSameBytes(as: name) } ?? addStep(name)
        state.pointee.steps.advance(past: index)
        if identity.isKnown { state.pointee.steps[index].key = identity }
        return index
    }

    private func addStep(_ name: String) -> Int {
        let index = columnIndex(name) ?? -1
        let column = index < 0 ? -1 : row?.backingIndex(index) ?? -1
        return state.pointee.steps.append(
            Step(
                key: .unknown, place: ColumnPlace(index: index, column: column, name: name)))
    }

    /// Returns the index of the column for a key.
    func columnIndex(_ name: String) -> Int? {
        if let columns { return columns[ExactText(name)] }
        return layout.index(of: name)
    }

    /// Returns the reader of a step for a type.
    @inline(__always)
    func reader<Value: Decodable>(
        _ type: Value.Type, at position: Int, key: some CodingKey
    ) throws -> ColumnReader<Value> {
        let step = state.pointee.steps.elements + position
        if step.pointee.type == ObjectIdentifier(Value.self), let reader = step.pointee.reader {
            return unsafeDowncast(reader, to: ColumnReader<Value>.self)
        }
        return try makeReader(type, at: position, key: key)
    }

    @inline(never)
    private func makeReader<Value: Decodable>(
        _ type: Value.Type, at position: Int, key: some CodingKey
    ) throws -> ColumnReader<Value> {
        let place = state.pointee.steps[position].place
        let source = ColumnSource(
            place: place.named(in: layout), key: key, path: codingPath + [key], options: options)
        let reader = ColumnReader.make(type, source: source)
        state.pointee.steps[position].type = ObjectIdentifier(Value.self)
        state.pointee.steps[position].reader = reader
        return reader
    }

    // MARK: - Single values

    /// Decodes a value from the whole row: see ``SingleRowContainer``.
    func decodeRow<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if options.recordType != nil { return try Value(from: self) }
        return try SingleRowContainer(decoder: self).decode(type)
    }

    /// Returns the reader of the leftmost column, if it exists.
    func leftmostReader<Value: Decodable>(_ type: Value.Type) -> ColumnReader<Value>? {
        guard let leftmostReader, leftmostReader.type == ObjectIdentifier(Value.self) else {
            return nil
        }
        return unsafeDowncast(leftmostReader.reader, to: ColumnReader<Value>.self)
    }

    func makeLeftmostReader<Value: Decodable>(_ type: Value.Type) throws -> ColumnReader<Value> {
        let row = try currentRow()
        try row.validateIndex(0)
        let place = ColumnPlace(index: 0, column: row.backingIndex(0), name: layout.names[0])
        let source = ColumnSource(
            place: place, key: AnyKey(stringValue: place.name), path: codingPath, options: options)
        let reader = ColumnReader.make(type, source: source)
        leftmostReader = (ObjectIdentifier(Value.self), reader)
        return reader
    }

    // MARK: - Containers

    @usableFromInline
    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if !isDecoding { throw Self.endedError(codingPath) }
        if rowKey != nil { rowKey = nil }
        // By index: an iterator would retain the array.
        let keyType = ObjectIdentifier(Key.self)
        for index in containers.indices where containers[index].keyType == keyType {
            return unsafeDowncast(
                containers[index].container, to: ValueBox<KeyedDecodingContainer<Key>>.self
            ).value()
        }
        return try makeContainer(keyedBy: type)
    }

    private func makeContainer<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        // Escaped copies can be detected only if the type is a single reference.
        guard cachedType != nil,
            MemoryLayout<KeyedDecodingContainer<Key>>.size == MemoryLayout<AnyObject>.size
        else {
            // This container retains the decoder.
            return try Forwarding(owner: self).keyed {
                KeyedDecodingContainer(KeyedRowContainer<Key>(self, keys: .none))
            }
        }
        let keys = KeyIdentity.Space(type, number: containers.count)
        let container = KeyedDecodingContainer(KeyedRowContainer<Key>(self, keys: keys))
        containers.append((ObjectIdentifier(Key.self), ValueBox(container)))
        return container
    }

    @usableFromInline
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        if let missingKey {
            throw DecodingError.keyNotFound(
                missingKey.key,
                .init(
                    """
                    No column, no scope, and no prefetched rows for \
                    \(String(reflecting: missingKey.name)) - \(try currentRow().contentText)
                    """, codingPath.dropLast()))
        }
        throw DecodingError.typeMismatch(
            [Any].self, .init("A row can't be decoded as an array", codingPath))
    }

    @usableFromInline
    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        if let missingKey { throw missingKey.missingColumn(try currentRow()) }
        return SingleRowContainer(decoder: self)
    }

    /// Claims the columns of the row itself for the value of a missing key.
    ///
    /// - throws: a `DecodingError` when the same container has decoded another key that way.
    ///   Decoding two values from the same columns is a mistake: an association is missing, or has
    ///   another name.
    func claimRow(for source: ColumnSource) throws {
        let keyType = type(of: source.key)
        let name = source.key.stringValue
        if let rowKey, rowKey.keyType == keyType, !rowKey.name.hasSameBytes(as: name) {
            let names = [rowKey.name, name].ordered()
            throw DecodingError.keyNotFound(
                source.key,
                .init(
                    """
                    No column, no scope, and no prefetched rows for \(names[0]), nor for \
                    \(names[1]): only one of them can be decoded from the columns of the row \
                    itself - \(try currentRow().contentText)
                    """, codingPath))
        }
        rowKey = (keyType, name)
    }
}

/// Decodes records from a row that is already being decoded.
///
/// A row caches one decoder. While a record is decoded, the row caches the decoder of that record
/// instead, which is reused for the next rows.
final class NestedDecoding {
    private var decodingCache: AnyObject?

    func record<Record: FetchableRecord>(_ type: Record.Type, from row: Row) throws -> Record {
        let outerCache = row.decodingCache
        row.decodingCache = decodingCache
        // Records nested in the record must not use the same decoder.
        decodingCache = nil
        defer {
            decodingCache = row.decodingCache
            row.decodingCache = outerCache
        }
        return try Record(row: row)
    }
}

extension Row {
    /// The only kind of object that is stored in `decodingCache`.
    @inline(__always)
    private var cachedDecoder: RowDecoder? {
        decodingCache.map { unsafeDowncast($0, to: RowDecoder.self) }
    }

    /// Returns the decoder of the row, for one call of `init(from:)`. The caller must call `end()`.
    ///
    /// - parameter inheritedOptions: the options of the decoder. If nil, `options` provides the
    ///   options of a new decoder.
    @inline(__always)
    func beginDecoding(
        _ type: Any.Type, codingPath: [any CodingKey] = [],
        inheritedOptions: RowDecodingOptions? = nil,
        options: @autoclosure () -> RowDecodingOptions
    ) -> RowDecoder {
        if let decoder = cachedDecoder, decoder.cachedType == ObjectIdentifier(type) {
            if !decoder.isDecoding, decoder.layout === layout,
                decoder.codingPath.count == codingPath.count,
                inheritedOptions == nil || inheritedOptions === decoder.options
            {
                decoder.begin(self)
                return decoder
            }
        }
        return makeDecoder(type, codingPath: codingPath, options: inheritedOptions ?? options())
    }

    @inline(never)
    private func makeDecoder(
        _ type: Any.Type, codingPath: [any CodingKey], options: RowDecodingOptions
    ) -> RowDecoder {
        let decoder = RowDecoder(layout: layout, options: options, codingPath: codingPath)
        // Not cached while the row is being decoded, because its decoder must keep its containers.
        if cachedDecoder?.isDecoding != true {
            decoder.cachedType = ObjectIdentifier(type)
            decodingCache = decoder
        }
        decoder.begin(self)
        return decoder
    }
}
