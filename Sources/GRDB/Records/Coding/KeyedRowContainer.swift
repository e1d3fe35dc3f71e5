import _GRDBSystem

/// The columns, scopes and prefetched rows of a row, by key.
///
/// One container serves all rows of a decoder. It is a trivial type: the standard library copies it
/// at each access, which should not cost reference counting. It therefore does not retain its
/// decoder. When a container outlives the decoder, so does the memory that it reads.
struct KeyedRowContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let state: RowDecodingState.Pointer
    private let keys: KeyIdentity.Space

    init(_ decoder: RowDecoder, keys: KeyIdentity.Space) {
        state = decoder.state
        self.keys = keys
    }

    private var decoder: RowDecoder? { state.pointee.decoder?.takeUnretainedValue() }

    private func currentDecoder() throws -> RowDecoder { try state.currentDecoder() }

    var codingPath: [any CodingKey] { decoder?.codingPath ?? [] }

    var allKeys: [Key] {
        guard let decoder, let row = decoder.row else { return [] }
        var names = decoder.columnKeys
        names += row.scopesTree.names.ordered()
        names += row.prefetchedRows.keys.ordered()
        var found: Set<ExactText> = []
        return names.filter { found.insert(ExactText($0)).inserted }.compactMap {
            Key(stringValue: $0)
        }
    }

    func contains(_ key: Key) -> Bool {
        guard let decoder, let row = decoder.row else { return false }
        let name = key.stringValue
        return decoder.columnIndex(name) != nil
            || row.scopesTree[name] != nil
            || row.prefetches.group(name) != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        let decoder = try currentDecoder()
        let row = try decoder.currentRow()
        let name = key.stringValue
        if let index = decoder.columnIndex(name) {
            return row.hasNull(atIndex: index)
        }
        if let scopedRow = row.scopesTree[name] {
            return !scopedRow.containsNonNullValue
        }
        return row.prefetches.group(name) == nil
    }

    // MARK: - Values

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try reader(type, key).value(state)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try reader(type, key).valueIfPresent(state)
    }

    /// Returns the reader of the values of a key.
    @inline(__always)
    private func reader<Value: Decodable>(
        _ type: Value.Type, _ key: Key
    ) throws -> ColumnReader<Value> {
        if let step = expectedStep(key), step.pointee.type == ObjectIdentifier(Value.self),
            let reader = step.pointee.reader
        {
            state.pointee.steps.advance()
            return unsafeDowncast(reader, to: ColumnReader<Value>.self)
        }
        return try searchedReader(type, key)
    }

    @inline(never)
    private func searchedReader<Value: Decodable>(
        _ type: Value.Type, _ key: Key
    ) throws -> ColumnReader<Value> {
        let decoder = try currentDecoder()
        let step = decoder.step(key, keys.identity(of: key))
        return try decoder.reader(type, at: step, key: key)
    }

    /// Returns the step of the key, if it is the expected step.
    @inline(__always)
    private func expectedStep(_ key: Key) -> UnsafeMutablePointer<RowDecoder.Step>? {
        guard let step = state.pointee.steps.expected else { return nil }
        return step.pointee.key == keys.identity(of: key) ? step : nil
    }

    /// Also satisfies the protocol requirements for all primitive types, and is inlined in their
    /// witnesses.
    @inline(__always)
    func decode<Value: Decodable & DatabaseValueConvertible>(
        _ type: Value.Type, forKey key: Key
    ) throws -> Value {
        if let step = expectedStep(key), step.pointee.place.column >= 0,
            let value = state.access(step.pointee.place.column).value(type)
        {
            state.pointee.steps.advance()
            return value
        }
        return try searchedValue(type, key)
    }

    /// Also satisfies the requirements for all primitive types. Under the name of these requirements, a
    /// generic method would yield to the implementations of the standard library.
    @_implements(KeyedDecodingContainerProtocol,decodeIfPresent(_:forKey:))
    @inline(__always)
    func valueIfPresent<Value: DatabaseValueConvertible>(
        _ type: Value.Type, _ key: Key
    ) throws -> Value? {
        if let step = expectedStep(key), step.pointee.place.column >= 0,
            let value = state.access(step.pointee.place.column).valueIfPresent(type)
        {
            state.pointee.steps.advance()
            return value
        }
        return try searchedValueIfPresent(type, key)
    }

    @inline(never)
    private func searchedValue<Value: DatabaseValueConvertible>(
        _ type: Value.Type, _ key: Key
    ) throws -> Value {
        try state.value(type, in: searchedPlace(key))
    }

    @inline(never)
    private func searchedValueIfPresent<Value: DatabaseValueConvertible>(
        _ type: Value.Type, _ key: Key
    ) throws -> Value? {
        try state.valueIfPresent(type, in: searchedPlace(key))
    }

    /// Returns the column of a key.
    private func searchedPlace(_ key: Key) throws -> ColumnPlace {
        let decoder = try currentDecoder()
        return state.pointee.steps[decoder.step(key, keys.identity(of: key))].place
    }

    // MARK: - Nested containers

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try currentDecoder().nestedDecoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try currentDecoder().nestedDecoder(key).unkeyedContainer()
    }

    /// The class and its superclass share the columns of the row.
    func superDecoder() throws -> any Decoder {
        try currentDecoder()
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try currentDecoder().nestedDecoder(key)
    }
}

// MARK: - Integers of 128 bits

@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
extension KeyedRowContainer {
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try integer(type, key)
    }

    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
        try integerIfPresent(type, key)
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try integer(type, key)
    }

    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        try integerIfPresent(type, key)
    }
}

extension KeyedRowContainer {
    fileprivate func integer<Value: FixedWidthInteger>(
        _ type: Value.Type, _ key: Key
    ) throws -> Value {
        let place = try searchedPlace(key)
        let row = try state.currentRow()
        if place.index < 0 { throw RowDecodingError(columnNotFound: place.name, in: row) }
        return try row.integer(type, at: place.index)
    }

    fileprivate func integerIfPresent<Value: FixedWidthInteger>(
        _ type: Value.Type, _ key: Key
    ) throws -> Value? {
        let place = try searchedPlace(key)
        let row = try state.currentRow()
        if place.index < 0 || row.hasNull(atIndex: place.index) { return nil }
        return try row.integer(type, at: place.index)
    }
}

// MARK: - Single values

/// A row as a single value: a type that wraps another type is decoded from the same row, a database
/// value from the leftmost column.
struct SingleRowContainer: SingleValueDecodingContainer {
    let decoder: RowDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool {
        guard let row = decoder.row else { return true }
        // Prefetched rows have other columns after the selected ones, which aren't NULL.
        return row.isEmpty ? !row.containsNonNullValue : row.hasNull(atIndex: 0)
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let reader = decoder.leftmostReader(type) {
            return try reader.value(decoder.state)
        }
        return try firstValue(type)
    }

    /// Not specialized for the primitive types, because `decode(_:)` finds the reader of the former row.
    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    private func firstValue<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if decoder.selfDecodingType == ObjectIdentifier(type) {
            return try Value(from: decoder)
        }
        let row = try decoder.currentRow()
        if let type = type as? any FetchableRecord.Type {
            return try record(type, in: row, as: Value.self)
        }
        let wrappedType = (type as? any OptionalValue.Type)?.wrappedType
        if type is any DatabaseValueConvertible.Type, !(wrappedType is any FetchableRecord.Type) {
            return try decoder.makeLeftmostReader(type).value(decoder.state)
        }
        if let wrappedType = wrappedType as? any Decodable.Type {
            return try optional(wrappedType, in: row, as: Value.self)
        }
        decoder.selfDecodingType = ObjectIdentifier(type)
        return try Value(from: decoder)
    }

    private func record<Record: FetchableRecord, Value>(
        _ type: Record.Type, in row: Row, as valueType: Value.Type
    ) throws -> Value {
        // `Value` and the requested type are the same.
        let record = try decoder.nestedDecoding.record(type, from: row)
        return unsafeBitCast(record, to: valueType)
    }

    private func optional<Wrapped: Decodable, Value>(
        _ type: Wrapped.Type, in row: Row, as valueType: Value.Type
    ) throws -> Value {
        // `Value` is an optional of the wrapped type.
        let value = row.containsNonNullValue ? try decode(type) : nil
        return unsafeBitCast(value, to: valueType)
    }
}

extension RowDecoder {
    /// The keys of the columns.
    var columnKeys: [String] {
        guard let columns else { return layout.names }
        return columns.ordered { $0.value < $1.value }.map(\.key.rawValue)
    }

    /// Returns the decoder of the column, scope or prefetched rows of a key; or else of the row
    /// itself.
    func nestedDecoder(_ key: some CodingKey) throws -> any Decoder {
        let row = try currentRow()
        let index = columnIndex(key.stringValue) ?? -1
        let place = ColumnPlace(
            index: index, column: index < 0 ? -1 : row.backingIndex(index), name: key.stringValue)
        let source = ColumnSource(
            place: place.named(in: layout), key: key, path: codingPath + [key], options: options)
        if index >= 0 {
            let decoder = ColumnDecoder(source: source, type: nil)
            decoder.row = row
            return decoder
        }
        if let scopedRow = source.scopedRow(row) {
            return RowDecoder(escapingWith: scopedRow, source.path, options)
        }
        if let rows = source.prefetchedRows(row) {
            return RowGroupDecoder(rows: rows.rows, source: source)
        }
        return RowDecoder(escapingWith: row, source.path, options, missing: source)
    }
}
