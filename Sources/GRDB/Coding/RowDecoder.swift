import Foundation

/// Decodes the instances of one `Decodable` type from rows of one layout.
///
/// The object belongs to a row, its ``Row/decodingCache``, and is reused for all rows that a cursor
/// steps through. It knows from the former row which column each key stands for, and how to read
/// it: see ``Step``.
///
/// Used by one thread at a time. `row` is only set while an instance is being decoded: the row and
/// its decoder do not keep one another alive, and decoders that escape throw.
final class RowDecoder: Decoder {
    /// The access to one key.
    struct Step {
        let name: String
        /// The index of the column in the row, -1 if there is none.
        let index: Int
        /// The index of the column in the backing of the row, -1 if there is none.
        let column: CInt
        /// The type that `reader` reads.
        var type: ObjectIdentifier?
        /// A `ColumnReader` of that type.
        var reader: AnyObject?
    }

    let options: RowDecodingOptions
    let codingPath: [any CodingKey]
    let layout: RowLayout

    /// The columns by key, when column names are not the keys.
    let columns: [String: Int]?

    @exclusivity(unchecked)
    private(set) var row: Row?

    /// The statement of the current row, when it is live.
    @exclusivity(unchecked)
    private(set) var statement: SQLiteStatement?

    // Guesses which step a key stands for: types decode the same keys in the same order most of the
    // time. The name that was asked for is kept: the next time it is the very same string, which
    // compares in a few instructions.
    @exclusivity(unchecked)
    private(set) var steps: ContiguousArray<Step> = []

    /// The step that is expected next.
    @exclusivity(unchecked)
    private var ordinal = 0

    init(layout: RowLayout, options: RowDecodingOptions, codingPath: [any CodingKey]) {
        self.layout = layout
        self.options = options
        self.codingPath = codingPath
        columns = options.columnsByKey(in: layout)
    }

    var userInfo: [CodingUserInfoKey: Any] { options.userInfo }

    // MARK: - Rows

    @inline(__always)
    func begin(_ row: Row) {
        self.row = row
        statement = row.liveStatement
        ordinal = 0
    }

    @inline(__always)
    func end() {
        row = nil
        statement = nil
    }

    /// The row that is being decoded.
    func currentRow() throws -> Row {
        guard let row else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: codingPath,
                    debugDescription: "The decoder of a row is used after the row was decoded"))
        }
        return row
    }

    // MARK: - Steps

    /// The position of the step for a key.
    @inline(__always)
    func step(_ name: String) -> Int {
        let position = ordinal
        if position < steps.count, steps[position].name == name {
            ordinal = position &+ 1
            return position
        }
        return searchedStep(name)
    }

    @inline(never)
    private func searchedStep(_ name: String) -> Int {
        if let position = steps.firstIndex(where: { $0.name == name }) {
            ordinal = position + 1
            return position
        }
        let index = columnIndex(name) ?? -1
        let column = index < 0 ? -1 : row?.backingIndex(index) ?? -1
        steps.append(Step(name: name, index: index, column: column))
        ordinal = steps.count
        return steps.count - 1
    }

    /// The index of the column for a key.
    func columnIndex(_ name: String) -> Int? {
        if let columns { return columns[name] }
        return layout.index(of: name)
    }

    /// The reader of a step, for the type.
    @inline(__always)
    func reader<Value: Decodable>(
        _ type: Value.Type, at position: Int, key: some CodingKey
    ) throws -> ColumnReader<Value> {
        let step = steps[position]
        if step.type == ObjectIdentifier(Value.self), let reader = step.reader {
            return unsafeDowncast(reader, to: ColumnReader<Value>.self)
        }
        return try makeReader(type, at: position, key: key)
    }

    @inline(never)
    private func makeReader<Value: Decodable>(
        _ type: Value.Type, at position: Int, key: some CodingKey
    ) throws -> ColumnReader<Value> {
        let step = steps[position]
        let name = step.index < 0 ? key.stringValue : layout.names[step.index]
        let source = ColumnSource(
            index: step.index, column: step.column, name: name, key: key, path: codingPath + [key],
            options: options)
        let reader = ColumnReader.make(type, source: source)
        steps[position].type = ObjectIdentifier(Value.self)
        steps[position].reader = reader
        return reader
    }

    // MARK: - Values

    @inline(__always)
    func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type, _ name: String
    ) throws -> Value {
        let position = step(name)
        let column = steps[position].column
        if column >= 0, let statement,
            let value = Value.fromStatement(statement, atUncheckedIndex: column)
        {
            return value
        }
        return try convertedValue(type, at: position)
    }

    @inline(__always)
    func valueIfPresent<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type, _ name: String
    ) throws -> Value? {
        let position = step(name)
        let column = steps[position].column
        if column < 0 { return nil }
        if let statement {
            if let value = Value.fromStatement(statement, atUncheckedIndex: column) {
                return value
            }
            if RawColumn.isNull(statement, column) { return nil }
        }
        return try convertedValueIfPresent(type, at: position)
    }

    @inline(never)
    private func convertedValue<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type, at position: Int
    ) throws -> Value {
        let step = steps[position]
        return try currentRow().slowlyDecodeValue(type, columnName: step.name, index: step.index)
    }

    @inline(never)
    private func convertedValueIfPresent<
        Value: DatabaseValueConvertible & StatementColumnConvertible
    >(
        _ type: Value.Type, at position: Int
    ) throws -> Value? {
        let row = try currentRow()
        let index = steps[position].index
        if row.hasNull(atIndex: index) { return nil }
        return try row.slowlyDecodeValue(type, uncheckedIndex: index)
    }

    // MARK: - Containers

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let cache = try currentRow().rowDecodingCache
        guard let cache, cache.decoder === self else {
            return KeyedDecodingContainer(KeyedRowContainer<Key>(decoder: self))
        }
        return cache.container(keyedBy: type)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw DecodingError.typeMismatch(
            [Any].self,
            DecodingError.Context(
                codingPath: codingPath,
                debugDescription: "A row can't be decoded as an array"))
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleRowContainer(decoder: self)
    }
}

/// What belongs to a row that records were decoded from.
final class RowDecodingCache {
    let type: ObjectIdentifier
    let decoder: RowDecoder

    /// The containers that were handed out, by the type of their keys. Not in the decoder, which
    /// they refer to.
    @exclusivity(unchecked)
    private var containers: [(keyType: ObjectIdentifier, container: AnyObject)] = []

    private final class ContainerBox<Key: CodingKey> {
        let container: KeyedDecodingContainer<Key>

        init(_ container: KeyedDecodingContainer<Key>) {
            self.container = container
        }
    }

    init(type: ObjectIdentifier, decoder: RowDecoder) {
        self.type = type
        self.decoder = decoder
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        for (keyType, container) in containers where keyType == ObjectIdentifier(Key.self) {
            return unsafeDowncast(container, to: ContainerBox<Key>.self).container
        }
        let container = KeyedDecodingContainer(KeyedRowContainer<Key>(decoder: decoder))
        containers.append((ObjectIdentifier(Key.self), ContainerBox(container)))
        return container
    }
}

extension Row {
    /// The only kind of object that is stored in `decodingCache`.
    @inline(__always)
    var rowDecodingCache: RowDecodingCache? {
        decodingCache.map { unsafeDowncast($0, to: RowDecodingCache.self) }
    }

    /// The decoder of the row, for the time of one call of `init(from:)`. The caller must end it.
    ///
    /// - parameter inheritedOptions: the options of the decoder; nil for those that are made if
    ///   there is no decoder yet.
    @inline(__always)
    func beginDecoding(
        _ type: Any.Type, codingPath: [any CodingKey] = [],
        inheritedOptions: RowDecodingOptions? = nil,
        options: @autoclosure () -> RowDecodingOptions
    ) -> RowDecoder {
        if let cache = rowDecodingCache, cache.type == ObjectIdentifier(type) {
            let decoder = cache.decoder
            if decoder.row == nil, decoder.layout === layout,
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
        // Not when the row is being decoded: its decoder keeps its containers.
        if rowDecodingCache?.decoder.row == nil {
            decodingCache = RowDecodingCache(type: ObjectIdentifier(type), decoder: decoder)
        }
        decoder.begin(self)
        return decoder
    }

    /// Has the row be decoded by the decoder of another row. This has an effect if both have the
    /// same columns of the same statement.
    func shareDecoder(of other: Row) {
        decodingCache = other.decodingCache
    }
}
