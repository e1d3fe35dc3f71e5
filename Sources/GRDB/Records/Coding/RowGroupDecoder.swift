/// Decodes a collection from the prefetched rows of an association.
struct RowGroupDecoder: Decoder, SingleValueDecodingContainer {
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

    // The container of a value that decodes another value from the same decoder.

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }

    private func mismatch(_ type: Any.Type) -> DecodingError {
        .typeMismatch(
            type, .init("Prefetched rows are decoded as an array or a set", codingPath))
    }
}

private struct RowGroupContainer: UnkeyedDecodingContainer {
    let rows: [Row]
    let source: ColumnSource
    private(set) var currentIndex = 0

    var codingPath: [any CodingKey] { source.path }
    var count: Int? { rows.count }
    var isAtEnd: Bool { currentIndex == rows.count }

    mutating func decodeNil() throws -> Bool {
        if isAtEnd { throw atEnd(Any?.self) }
        return false
    }

    // Not specialized for the primitive types, which prefetched rows are not decoded as.
    @_semantics("optimize.sil.specialize.generic.never")
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let row = try nextRow(type)
        let value: Value
        if let type = type as? any FetchableRecord.Type {
            value = try record(type, row)
        } else {
            let decoder = source.beginDecoding(type, from: row)
            defer { decoder.end() }
            value = try Value(from: decoder)
        }
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        try nextDecoder(KeyedDecodingContainer<Key>.self).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try decoder([Any].self).unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { try nextDecoder((any Decoder).self) }

    private mutating func nextDecoder(_ type: Any.Type) throws -> RowDecoder {
        let decoder = try decoder(type)
        currentIndex += 1
        return decoder
    }

    /// A decoder of the current row, which the value may keep.
    private func decoder(_ type: Any.Type) throws -> RowDecoder {
        RowDecoder(escapingWith: try nextRow(type), path, source.options)
    }

    private var path: [any CodingKey] { codingPath + [AnyKey(intValue: currentIndex)] }

    private func nextRow(_ type: Any.Type) throws -> Row {
        if isAtEnd { throw atEnd(type) }
        let row = rows[currentIndex]
        if currentIndex > 0 { row.takeDecoder(of: rows[currentIndex - 1]) }
        return row
    }

    private func atEnd(_ type: Any.Type) -> DecodingError {
        .valueNotFound(type, .init("There are \(rows.count) prefetched rows", path))
    }

    private func record<Record: FetchableRecord, Value>(
        _ type: Record.Type, _ row: Row
    ) throws -> Value {
        // `Record` and `Value` are the same type.
        let record = try Record(row: row)
        return unsafeBitCast(record, to: Value.self)
    }
}
