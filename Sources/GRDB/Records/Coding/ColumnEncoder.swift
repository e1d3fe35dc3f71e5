#if GRDB_FOUNDATION || !canImport(FoundationEssentials)
import Foundation
#else
import FoundationEssentials
#endif

/// Encodes a value for one column: a single database value, or JSON.
///
/// Containers of arrays and objects encode nothing: their first value throws, and the JSON encoder
/// of the column takes over. This way, at most the outermost container is encoded twice.
final class ColumnEncoder: Encoder {
    private let target: ColumnTarget

    /// The default encoder of the record type, cached because it does not change.
    private var fixedJSONEncoder: JSONEncoder?

    @exclusivity(unchecked)
    private(set) var isEncoding = false

    @exclusivity(unchecked)
    fileprivate var result: DatabaseValue?

    @exclusivity(unchecked)
    fileprivate var needsJSON = false

    init(target: ColumnTarget) {
        self.target = target
    }

    var codingPath: [any CodingKey] { target.path }
    var userInfo: [CodingUserInfoKey: Any] { target.options.userInfo }

    private var jsonEncoder: JSONEncoder {
        if let fixedJSONEncoder, target.options.isFixed(fixedJSONEncoder) {
            return fixedJSONEncoder
        }
        let encoder = target.options.jsonEncoder(for: target.column)
        fixedJSONEncoder = target.options.isFixed(encoder) ? encoder : nil
        return encoder
    }

    /// Returns the value to store; nil if `value` encodes nothing.
    func encode(_ value: some Encodable) throws -> DatabaseValue? {
        isEncoding = true
        result = nil
        needsJSON = value is any JSONCollection
        defer { isEncoding = false }
        if !needsJSON {
            do {
                try value.encode(to: self)
            } catch {
                guard needsJSON else { throw error }
            }
        }
        // Checked here too, because the value may have caught the error.
        guard needsJSON else { return result }
        do {
            let json = try jsonEncoder.encodeForColumn(value)
            return DatabaseValue(storage: .string(String(decoding: json, as: UTF8.self)))
        } catch let error as EncodingError {
            throw error.prepending(target.path)
        }
    }

    // MARK: - Encoder

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        needsJSON = true
        return KeyedEncodingContainer(RefusingKeyedContainer(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        needsJSON = true
        return RefusingUnkeyedContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleValue(encoder: self)
    }

    /// The generic method satisfies the protocol requirements for most primitive types.
    private struct SingleValue: SingleValueEncodingContainer {
        let encoder: ColumnEncoder

        var codingPath: [any CodingKey] { encoder.codingPath }

        func encodeNil() throws {
            encoder.result = .null
        }

        func encode(_ value: String) throws {
            encoder.result = value.databaseValue
        }

        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
        func encode(_ value: Int128) throws {
            encoder.result = try Int64(storing: value, codingPath).databaseValue
        }

        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
        func encode(_ value: UInt128) throws {
            encoder.result = try Int64(storing: value, codingPath).databaseValue
        }

        func encode<Value: Encodable>(_ value: Value) throws {
            try encoder.encodeSingle(value)
        }
    }

    private func encodeSingle<Value: Encodable>(_ value: Value) throws {
        switch value {
        case let date as Date where Value.self == Date.self:
            if date.isNotANumber { throw EncodingError.notANumber(Double.nan, codingPath) }
            result = try target.options.dateStrategy(for: target.column)
                .encode(date, path: target.path)
        case let data as Data where Value.self == Data.self:
            result = try target.options.dataStrategy(for: target.column)
                .encode(data, path: target.path)
        case let uuid as UUID where Value.self == UUID.self:
            result = target.options.uuidStrategy(for: target.column).encode(uuid)
        case is any JSONCollection:
            throw jsonRequired()
        case is any OptionalValue:
            do {
                try value.encode(to: self)
            } catch let error as EncodingError where error.isNotANumber {
                // An optional can be decoded from NULL.
                result = .null
            }
        case let value as any DatabaseValueConvertible:
            guard let dbValue = value._storableDatabaseValue else {
                throw EncodingError.tooBig(value, codingPath)
            }
            if dbValue.isNaN { throw EncodingError.notANumber(value, codingPath) }
            result = dbValue
        default:
            try value.encode(to: self)
        }
    }

    private func jsonRequired() -> any Error {
        needsJSON = true
        return JSONRequired()
    }
}

extension DatabaseValue {
    /// Whether SQLite stores the value as NULL, which can't be decoded as a number.
    var isNaN: Bool {
        if case .double(let number) = storage { number.isNaN } else { false }
    }
}

extension Date {
    /// Whether SQLite stores the date as NULL.
    var isNotANumber: Bool { timeIntervalSinceReferenceDate.isNaN }
}

extension EncodingError {
    /// Returns the error for a number that SQLite can't store.
    static func notANumber(_ value: Any, _ path: [any CodingKey]) -> EncodingError {
        .invalidValue(
            value,
            Context(
                codingPath: path,
                debugDescription: "SQLite stores NaN as NULL, which can't be decoded again",
                underlyingError: NotANumber()))
    }

    /// Whether the value is a number that SQLite stores as NULL, which is acceptable for optionals.
    var isNotANumber: Bool {
        guard case .invalidValue(_, let context) = self else { return false }
        return context.underlyingError is NotANumber
    }

    private struct NotANumber: Error {}

    /// Returns the error with a path before its coding path.
    func prepending(_ path: [any CodingKey]) -> EncodingError {
        guard case .invalidValue(let value, let context) = self else { return self }
        return .invalidValue(
            value,
            Context(
                codingPath: path + context.codingPath, debugDescription: context.debugDescription,
                underlyingError: context.underlyingError))
    }
}
