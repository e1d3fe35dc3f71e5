/// Decodes a collection from the prefetched rows of an association.
struct RowGroupDecoder: Decoder {
    let rows: [Row]
    let source: ColumnSource

    var codingPath: [any CodingKey] { source.path }
    var userInfo: [CodingUserInfoKey: Any] { source.options.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw mismatch([String: Any].self)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        RowGroupContainer(rows: rows, source: source)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleValueOfDecoder(decoder: self, isNil: false)
    }

    private func mismatch(_ type: Any.Type) -> DecodingError {
        DecodingError.typeMismatch(
            type,
            DecodingError.Context(
                codingPath: codingPath,
                debugDescription: "Prefetched rows are decoded as an array or a set"))
    }
}

/// The container of a value that decodes another value from the same decoder.
struct SingleValueOfDecoder: SingleValueDecodingContainer {
    let decoder: any Decoder
    let isNil: Bool

    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { isNil }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try Value(from: decoder)
    }
}

private struct RowGroupContainer: UnkeyedDecodingContainer {
    let rows: [Row]
    let source: ColumnSource
    private(set) var currentIndex = 0

    init(rows: [Row], source: ColumnSource) {
        self.rows = rows
        self.source = source
    }

    var codingPath: [any CodingKey] { source.path }
    var count: Int? { rows.count }
    var isAtEnd: Bool { currentIndex == rows.count }

    mutating func decodeNil() throws -> Bool {
        if isAtEnd { throw atEnd(Any?.self) }
        return false
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let row = try nextRow(type)
        let value: Value
        if let type = type as? any FetchableRecord.Type {
            value = try record(type, row)
        } else {
            let decoder = decoder(of: row, type)
            defer { decoder.end() }
            value = try Value(from: decoder)
        }
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        let row = try nextRow(KeyedDecodingContainer<Key>.self)
        currentIndex += 1
        return try RowDecoder(escapingWith: row, path, source.options).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw DecodingError.typeMismatch(
            [Any].self,
            DecodingError.Context(
                codingPath: path, debugDescription: "A row can't be decoded as an array"))
    }

    mutating func superDecoder() throws -> any Decoder {
        let row = try nextRow((any Decoder).self)
        currentIndex += 1
        return RowDecoder(escapingWith: row, path, source.options)
    }

    private var path: [any CodingKey] { codingPath + [AnyKey(intValue: currentIndex)] }

    private func nextRow(_ type: Any.Type) throws -> Row {
        if isAtEnd { throw atEnd(type) }
        let row = rows[currentIndex]
        if currentIndex > 0 { row.takeDecoder(of: rows[currentIndex - 1]) }
        return row
    }

    private func atEnd(_ type: Any.Type) -> DecodingError {
        DecodingError.valueNotFound(
            type,
            DecodingError.Context(
                codingPath: path, debugDescription: "There are \(rows.count) prefetched rows"))
    }

    private func record<Record: FetchableRecord, Value>(
        _ type: Record.Type, _ row: Row
    ) throws -> Value {
        // `Record` and `Value` are the same type.
        let record = try Record(row: row)
        return unsafeBitCast(record, to: Value.self)
    }

    private func decoder(of row: Row, _ type: Any.Type) -> RowDecoder {
        row.beginDecoding(
            type, codingPath: source.path, inheritedOptions: source.options,
            options: source.options)
    }
}
