import _GRDBSystem

/// The place that the value of a coding key is read from.
struct ColumnSource {
    let place: ColumnPlace
    let key: any CodingKey
    let keyName: String
    /// The coding path of the value: the coding path of the row, followed by the key.
    let path: [any CodingKey]
    let options: RowDecodingOptions

    init(
        place: ColumnPlace, key: any CodingKey, path: [any CodingKey], options: RowDecodingOptions
    ) {
        self.place = place
        self.key = key
        keyName = key.stringValue
        self.path = path
        self.options = options
    }

    var index: Int { place.index }
    var name: String { place.name }

    func isNull(_ row: Row) -> Bool { row.access(index).isNull }

    /// Whether the column contains the JSON value `null`.
    func isJSONNull(_ row: Row) -> Bool {
        let isNull = try? row.withUnsafeData(atIndex: index) { json in
            let isContent = { (byte: UInt8) in !JSONDecoder.whitespace.contains(byte) }
            guard let first = json?.firstIndex(where: isContent),
                let last = json?.lastIndex(where: isContent)
            else { return false }
            return json?[first...last].elementsEqual("null".utf8)
        }
        return isNull == true
    }

    func missingColumn(_ row: Row) -> RowDecodingError {
        RowDecodingError(columnNotFound: name, in: row)
    }

    /// Returns the details of the column for errors: its table, its name and the SQL.
    func details(_ row: Row) -> String {
        RowDecodingError.Context(row: row, column: index).details
    }

    /// Returns an error in the JSON of the column, completed with the column.
    func completed(_ error: any Error, in row: Row) -> any Error {
        guard let error = DecodingError(error, isInJSON: true) else { return error }
        return error.prepending(path, details: details(row))
    }

    /// Begins to decode a scope or a prefetched row.
    func beginDecoding(_ type: Any.Type, from row: Row) -> RowDecoder {
        row.beginDecoding(type, codingPath: path, inheritedOptions: options, options: options)
    }

    /// The row in the scope with the name of the key, at any depth.
    func scopedRow(_ row: Row) -> Row? {
        row.row(inScopesTree: keyName)
    }

    func prefetchedRows(_ row: Row) -> RowGroup? {
        row.prefetches.isEmpty ? nil : row.prefetches.group(keyName)
    }

    /// Whether the key is neither a column, nor a scope, nor a prefetched association.
    func isMissing(in row: Row) -> Bool {
        index < 0 && scopedRow(row) == nil && prefetchedRows(row) == nil
    }
}

/// Reads values of one type from one column. Whatever depends on the type or on strategies is
/// determined when the reader is created.
class ColumnReader<Value: Decodable> {
    let source: ColumnSource

    init(source: ColumnSource) {
        self.source = source
    }

    func value(_ state: RowDecodingState.Pointer) throws -> Value {
        fatalError("abstract")
    }

    func valueIfPresent(_ state: RowDecodingState.Pointer) throws -> Value? {
        fatalError("abstract")
    }
}

extension ColumnReader {
    /// Returns the reader for a type.
    static func make(_ type: Value.Type, source: ColumnSource) -> ColumnReader<Value> {
        // The readers below are all readers of `Value`, which the compiler can't infer.
        unsafeDowncast(reader(type, source: source), to: ColumnReader<Value>.self)
    }

    private static func reader(_ type: Value.Type, source: ColumnSource) -> AnyObject {
        func convertible<T: Decodable & DatabaseValueConvertible>(_: T.Type) -> AnyObject {
            ConvertibleReader<T>(source: source)
        }
        func databaseValue<T: Decodable & DatabaseValueConvertible>(_: T.Type) -> AnyObject {
            RowReader<T>(
                source: source, missing: { T.fromMissingColumn() },
                isNull: { source.isJSONNull($0) && T.isDecodedFromJSON }
            ) {
                try $0.value(T.self, at: $1, "")
            }
        }
        func optional<Wrapped: Decodable>(_ type: Wrapped.Type) -> AnyObject {
            OptionalReader(ColumnReader<Wrapped>.make(type, source: source))
        }
        func record<Record: Decodable & FetchableRecord>(_: Record.Type) -> AnyObject {
            RecordReader<Record>(source: source)
        }
        func recordArray<Record: Decodable & FetchableRecord>(_: Record.Type) -> AnyObject {
            RecordArrayReader<Record>(source: source)
        }
        func array<Element: Decodable>(_: Element.Type) -> AnyObject {
            ArrayReader<Element>(source: source)
        }
        let hasColumn = source.index >= 0
        if type == Date.self {
            let strategy = source.options.dateStrategy(for: source.name)
            if case .deferredToDate = strategy { return DateReader(source: source) }
            return RowReader<Date>(source: source) { try strategy.date(in: $0, at: $1) }
        }
        if type == Data.self {
            let strategy = source.options.dataStrategy(for: source.name)
            if case .deferredToData = strategy { return DataReader(source: source) }
            return RowReader<Data>(source: source) { try strategy.data(in: $0, at: $1) }
        }
        if type == UUID.self { return UUIDReader(source: source) }
        if type == Decimal.self { return DecimalReader(source: source) }
        // Optionals read their wrapped value, which may have a strategy.
        if let type = (type as? any OptionalValue.Type)?.wrappedType as? any Decodable.Type {
            return optional(type)
        }
        if hasColumn || !(type is any FetchableRecord.Type) {
            if let type = type
                as? any (Decodable & DatabaseValueConvertible & StatementColumnConvertible).Type
            {
                return convertible(type)
            }
            if let type = type as? any (Decodable & DatabaseValueConvertible).Type {
                return databaseValue(type)
            }
        }
        if let type = type as? any (Decodable & FetchableRecord).Type {
            return record(type)
        }
        if let type = (type as? any ArrayValue.Type)?.elementType as? any Decodable.Type {
            if let type = type as? any (Decodable & FetchableRecord).Type {
                return recordArray(type)
            }
            return array(type)
        }
        return CodableReader<Value>(source: source)
    }
}

/// Distinguishes arrays from other types.
protocol ArrayValue {
    static var elementType: Any.Type { get }
}

extension Array: ArrayValue {
    static var elementType: Any.Type { Element.self }
}

// MARK: - Values

/// Reads values directly from the statement.
private final class ConvertibleReader<
    Value: Decodable & DatabaseValueConvertible
>: ColumnReader<Value> {
    override func value(_ state: RowDecodingState.Pointer) throws -> Value {
        try state.value(Value.self, in: source.place)
    }

    override func valueIfPresent(_ state: RowDecodingState.Pointer) throws -> Value? {
        try state.valueIfPresent(Value.self, in: source.place)
    }
}

// The methods of a generic class are not specialized: they look up metadata in the runtime. The
// methods of the following classes avoid these lookups.

private final class DateReader: ColumnReader<Date> {
    override func value(_ state: RowDecodingState.Pointer) throws -> Date {
        try state.value(Date.self, in: source.place)
    }

    override func valueIfPresent(_ state: RowDecodingState.Pointer) throws -> Date? {
        try state.valueIfPresent(Date.self, in: source.place)
    }
}

private final class DataReader: ColumnReader<Data> {
    override func value(_ state: RowDecodingState.Pointer) throws -> Data {
        try state.value(Data.self, in: source.place)
    }

    override func valueIfPresent(_ state: RowDecodingState.Pointer) throws -> Data? {
        try state.valueIfPresent(Data.self, in: source.place)
    }
}

private final class UUIDReader: ColumnReader<UUID> {
    override func value(_ state: RowDecodingState.Pointer) throws -> UUID {
        try state.value(UUID.self, in: source.place)
    }

    override func valueIfPresent(_ state: RowDecodingState.Pointer) throws -> UUID? {
        try state.valueIfPresent(UUID.self, in: source.place)
    }
}

private final class DecimalReader: ColumnReader<Decimal> {
    override func value(_ state: RowDecodingState.Pointer) throws -> Decimal {
        try state.value(Decimal.self, in: source.place)
    }

    override func valueIfPresent(_ state: RowDecodingState.Pointer) throws -> Decimal? {
        try state.valueIfPresent(Decimal.self, in: source.place)
    }
}

/// Reads values converted from the stored value, possibly with a strategy of the record type.
private final class RowReader<Value: Decodable>: ColumnReader<Value> {
    private let decode: (Row, _ index: Int) throws -> Value

    /// Returns the value of a missing column, or nil.
    private let missing: () -> Value?

    /// Whether a value that can't be decoded stands for nil.
    private let isNull: (Row) -> Bool

    init(
        source: ColumnSource, missing: @escaping () -> Value? = { nil },
        isNull: @escaping (Row) -> Bool = { _ in false },
        decode: @escaping (Row, _ index: Int) throws -> Value
    ) {
        self.decode = decode
        self.missing = missing
        self.isNull = isNull
        super.init(source: source)
    }

    override func value(_ state: RowDecodingState.Pointer) throws -> Value {
        let row = try state.currentRow()
        if source.index >= 0 { return try decode(row, source.index) }
        if let value = missing() { return value }
        throw source.missingColumn(row)
    }

    override func valueIfPresent(_ state: RowDecodingState.Pointer) throws -> Value? {
        let row = try state.currentRow()
        if source.index < 0 || source.isNull(row) { return nil }
        do {
            return try decode(row, source.index)
        } catch  where isNull(row) {
            return nil
        }
    }
}

/// Reads optionals requested as such: `decode(Int?.self, forKey: key)`.
///
/// NULL is decoded as nil, and so is a scope with only NULL values. A missing column is an error,
/// because the type did not call `decodeIfPresent`: the name may be misspelled.
private final class OptionalReader<Wrapped: Decodable>: ColumnReader<Wrapped?> {
    private let reader: ColumnReader<Wrapped>

    init(_ reader: ColumnReader<Wrapped>) {
        self.reader = reader
        super.init(source: reader.source)
    }

    override func value(_ state: RowDecodingState.Pointer) throws -> Wrapped? {
        if source.index < 0 {
            let row = try state.currentRow()
            if source.isMissing(in: row) { throw source.missingColumn(row) }
        }
        return try reader.valueIfPresent(state)
    }

    override func valueIfPresent(_ state: RowDecodingState.Pointer) throws -> Wrapped?? {
        // The outer nil, not a nil wrapped in an optional.
        guard let value = try reader.valueIfPresent(state) else { return nil }
        return .some(.some(value))
    }
}

// MARK: - Records and other types

/// Reads values that decode themselves: from one column, possibly from JSON; from the row in a
/// scope; from prefetched rows; or else from the columns of the row itself.
private class CodableReader<Value: Decodable>: ColumnReader<Value> {
    /// Reused for the next value.
    private var columnDecoder: ColumnDecoder?
    private var rowDecoder: RowDecoder?

    func value(inScope row: Row) throws -> Value {
        let decoder = source.beginDecoding(Value.self, from: row)
        defer { decoder.end() }
        return try Value(from: decoder)
    }

    /// Decodes a value from the columns of the row itself, as if its properties belonged to the
    /// type that declares the key.
    func value(inside row: Row) throws -> Value {
        let decoder: RowDecoder
        if let rowDecoder, !rowDecoder.isDecoding {
            decoder = rowDecoder
        } else {
            decoder = RowDecoder(Value.self, inside: row, for: source)
            rowDecoder = decoder
        }
        decoder.begin(row)
        defer { decoder.end() }
        return try Value(from: decoder)
    }

    func value(prefetched rows: RowGroup) throws -> Value {
        try Value(from: RowGroupDecoder(rows: rows.rows, source: source))
    }

    override final func value(_ state: RowDecodingState.Pointer) throws -> Value {
        let row = try state.currentRow()
        if source.index >= 0 {
            return try columnValue(row)
        }
        if let scopedRow = source.scopedRow(row) {
            return try value(inScope: scopedRow)
        }
        if let rows = source.prefetchedRows(row) {
            return try value(prefetched: rows)
        }
        try state.currentDecoder().claimRow(for: source)
        return try value(inside: row)
    }

    override final func valueIfPresent(_ state: RowDecodingState.Pointer) throws -> Value? {
        let row = try state.currentRow()
        if source.index >= 0 {
            if source.isNull(row) { return nil }
            do {
                return try columnValue(row)
            } catch  where columnDecoder?.readsJSON == true && source.isJSONNull(row) {
                return nil
            }
        }
        if let scopedRow = source.scopedRow(row) {
            return scopedRow.containsNonNullValue ? try value(inScope: scopedRow) : nil
        }
        if let rows = source.prefetchedRows(row) {
            return try value(prefetched: rows)
        }
        return nil
    }

    private func columnValue(_ row: Row) throws -> Value {
        let decoder: ColumnDecoder
        if let columnDecoder, columnDecoder.row == nil {
            decoder = columnDecoder
        } else {
            decoder = ColumnDecoder(source: source, type: Value.self)
            columnDecoder = decoder
        }
        decoder.row = row
        defer { decoder.row = nil }
        return try decoder.value(Value.self)
    }
}

/// Reads records from rows with their own `init(row:)`.
private final class RecordReader<
    Value: Decodable & FetchableRecord
>: CodableReader<Value> {
    private let nestedDecoding = NestedDecoding()

    override func value(inScope row: Row) throws -> Value {
        try Value(row: row)
    }

    override func value(inside row: Row) throws -> Value {
        try nestedDecoding.record(Value.self, from: row)
    }
}

/// Reads arrays from prefetched rows.
private class ArrayReader<Element: Decodable>: CodableReader<[Element]> {
    /// Reused for the next array.
    private var row = SlidingRow()

    override final func value(prefetched rows: RowGroup) throws -> [Element] {
        // Arrays nested in the elements must not use the same row.
        var row = SlidingRow()
        swap(&row, &self.row)
        defer { self.row = row }
        return try elements(rows, in: &row)
    }

    func elements(_ rows: RowGroup, in row: inout SlidingRow) throws -> [Element] {
        try rows.indexes.map { index in
            let decoder = source.beginDecoding(
                Element.self, from: row.row(at: index, of: rows.batch))
            defer { decoder.end() }
            return try Element(from: decoder)
        }
    }
}

private final class RecordArrayReader<
    Element: Decodable & FetchableRecord
>: ArrayReader<Element> {
    override func elements(_ rows: RowGroup, in row: inout SlidingRow) throws -> [Element] {
        try rows.records(in: &row)
    }
}
