import _GRDBSystem

/// Decodes a value from one column: single values from the column value, arrays and objects from
/// JSON stored as text or blob.
///
/// Used by one thread. `row` is set only while a value is being decoded.
final class ColumnDecoder: Decoder, SingleValueDecodingContainer {
    private let source: ColumnSource

    /// The decoded type, for errors. Nil when the decoder itself, or one of its containers, is
    /// handed out instead of a value: this class then adds the coding path of the column to errors.
    private let type: Any.Type?

    @exclusivity(unchecked)
    var row: Row?

    // The options of the record type for the column, computed once.
    private lazy var jsonDecoder = source.options.jsonDecoder(for: source.name)
    private lazy var dateStrategy = source.options.dateStrategy(for: source.name)
    private lazy var dataStrategy = source.options.dataStrategy(for: source.name)

    /// Whether JSON was read. Errors in JSON don't mention the column.
    private(set) var readsJSON = false

    init(source: ColumnSource, type: Any.Type?) {
        self.source = source
        self.type = type
    }

    var codingPath: [any CodingKey] { source.path }

    /// A type that decodes itself from JSON gets the user info of the JSON decoder, even before it
    /// requests a container.
    var userInfo: [CodingUserInfoKey: Any] {
        holdsJSONContainer ? jsonDecoder.userInfo : source.options.userInfo
    }

    /// Whether the column may hold a JSON array or object, judging by its first character.
    private var holdsJSONContainer: Bool {
        guard let row else { return false }
        let firstByte = try? row.withUnsafeData(atIndex: source.index) { json in
            json?.first { !JSONDecoder.whitespace.contains($0) }
        }
        return firstByte == UInt8(ascii: "{") || firstByte == UInt8(ascii: "[")
    }

    /// Decodes a value. The coding paths of errors start with the column.
    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        readsJSON = false
        do {
            do {
                if type is any JSONCollection.Type {
                    return try decodeJSON(type, json(type))
                }
                return try Value(from: self)
            } catch let error as DecodingError where readsJSON && error.isBoolMismatch {
                return try jsonDecoder.decodeWithNumericBools(type, from: json(type))
            }
        } catch {
            guard let error = DecodingError(error, isInJSON: readsJSON) else { throw error }
            throw error.prepending(
                readsJSON ? source.path : [], details: source.details(try currentRow()))
        }
    }

    private func currentRow() throws -> Row {
        guard let row else {
            throw DecodingError.dataCorrupted(
                .init("The decoder of a column is used after it was decoded", codingPath))
        }
        return row
    }

    /// - parameter containerType: the type expected in the JSON, for errors.
    private func json(_ containerType: Any.Type) throws -> Data {
        let row = try currentRow()
        // JSON may be stored as text or as a blob.
        let dbValue = row.access(source.index).databaseValue
        guard let json = Data.fromDatabaseValue(dbValue) else {
            throw RowDecodingError(
                valueMismatch: "\(type ?? containerType)", dbValue: dbValue, in: row,
                at: source.index)
        }
        readsJSON = true
        return json
    }

    private func decodeJSON<Value: Decodable>(_ type: Value.Type, _ json: Data) throws -> Value {
        do {
            return try jsonDecoder.decode(type, from: json)
        } catch {
            throw DecodingError(error, isInJSON: true) ?? error
        }
    }

    // MARK: - Decoder

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let container = try fromJSON(JSONObject<Key>.self, [String: Any].self).container
        guard self.type == nil else { return container }
        return try forwarding().keyed { container }
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try fromJSON(JSONArray.self, [Any].self).container
        guard type == nil else { return container }
        return try forwarding().unkeyed { container }
    }

    /// Adds the column to the coding paths and errors of the containers of the JSON decoder, which
    /// has already returned: its containers only know their position in the JSON.
    private func forwarding() throws -> Forwarding {
        let row = try currentRow()
        let source = source
        return Forwarding(path: source.path) { source.completed($0, in: row) }
    }

    private func fromJSON<Value: Decodable>(
        _ type: Value.Type, _ containerType: Any.Type
    ) throws -> Value {
        do {
            return try decodeJSON(type, json(containerType))
        } catch  where self.type == nil {
            throw source.completed(error, in: try currentRow())
        }
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        self
    }

    /// A container of a JSON decoder, which must be requested while the decoder decodes.
    private struct JSONObject<Key: CodingKey>: Decodable {
        let container: KeyedDecodingContainer<Key>

        init(from decoder: any Decoder) throws {
            container = try decoder.container(keyedBy: Key.self)
        }
    }

    private struct JSONArray: Decodable {
        let container: any UnkeyedDecodingContainer

        init(from decoder: any Decoder) throws {
            container = try decoder.unkeyedContainer()
        }
    }

    // MARK: - Single values

    func decodeNil() -> Bool {
        row?.hasNull(atIndex: source.index) ?? true
    }

    /// Also satisfies the protocol requirements for all primitive types. The less constrained
    /// method needs a dynamic cast for each value, to find out that it is a database value.
    @inline(__always)
    func decode<Value: Decodable & DatabaseValueConvertible>(_ type: Value.Type) throws -> Value {
        try currentRow().decode(type, atIndex: source.index)
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
    func decode(_ type: Int128.Type) throws -> Int128 {
        try currentRow().integer(type, at: source.index)
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
    func decode(_ type: UInt128.Type) throws -> UInt128 {
        try currentRow().integer(type, at: source.index)
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if type == Date.self {
            let date = try dateStrategy.date(in: currentRow(), at: source.index)
            return unsafeBitCast(date, to: Value.self)
        }
        if type == Data.self {
            let data = try dataStrategy.data(in: currentRow(), at: source.index)
            return unsafeBitCast(data, to: Value.self)
        }
        if let type = type as? any DatabaseValueConvertible.Type, !(type is any OptionalValue.Type)
        {
            // `Value` and `type` are the same type.
            return try convertible(type, as: Value.self)
        }
        if type is any JSONCollection.Type {
            return try fromJSON(type, type)
        }
        guard self.type == nil else { return try Value(from: self) }
        readsJSON = false
        do {
            return try Value(from: self)
        } catch let error as DecodingError where !readsJSON {
            // Errors in JSON already have the details.
            throw error.prepending([], details: source.details(try currentRow()))
        }
    }

    private func convertible<Convertible: DatabaseValueConvertible, Value>(
        _ type: Convertible.Type, as valueType: Value.Type
    ) throws -> Value {
        let value = try currentRow().decode(type, atIndex: source.index)
        return unsafeBitCast(value, to: valueType)
    }
}

/// Collections, which are always stored as JSON.
///
/// A JSON decoder decodes them as a whole, so that it does not convert the keys of dictionaries.
protocol JSONCollection {}

extension Array: JSONCollection {}
extension ContiguousArray: JSONCollection {}
extension Set: JSONCollection {}
extension Dictionary: JSONCollection {}

extension DecodingError {
    /// Creates the error of a value that can't be decoded. Nil if `error` is not about decoding.
    ///
    /// For malformed JSON, or a number out of the range of the type, Foundation may throw an error
    /// of its own, which does not mention the column.
    init?(_ error: any Error, isInJSON: Bool) {
        if let error = error as? DecodingError {
            self = error
        } else if isInJSON, String(reflecting: Swift.type(of: error)).hasPrefix("Foundation") {
            self = .dataCorrupted(
                Context(
                    codingPath: [],
                    debugDescription: "The JSON in the column can't be decoded: \(error)",
                    underlyingError: error))
        } else {
            return nil
        }
    }

    /// Returns the error with a path before its coding path, and with details of where the value
    /// was read.
    func prepending(_ path: [any CodingKey], details: String) -> DecodingError {
        func prepending(_ context: Context) -> Context {
            Context(
                codingPath: path + context.codingPath,
                debugDescription: "\(context.debugDescription) - \(details)",
                underlyingError: context.underlyingError)
        }
        switch self {
        case .typeMismatch(let type, let context):
            return .typeMismatch(type, prepending(context))
        case .valueNotFound(let type, let context):
            return .valueNotFound(type, prepending(context))
        case .keyNotFound(let key, let context):
            return .keyNotFound(key, prepending(context))
        case .dataCorrupted(let context):
            return .dataCorrupted(prepending(context))
        @unknown default:
            return self
        }
    }
}
