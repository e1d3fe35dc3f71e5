/// Encodes types that consist of a single database value, and detects types that need JSON.
///
/// An encoder must return containers for arrays and objects. The first value that is encoded in
/// such a container throws an error, so that little work is wasted.
///
/// Used by one thread, for one value.
final class DatabaseValueEncoder: Encoder {
    private var result: DatabaseValue?
    private var needsJSON = false

    /// Returns the single value that an instance encodes; nil if the instance encodes an array or
    /// an object.
    static func encode(_ value: some Encodable) throws -> DatabaseValue? {
        let encoder = DatabaseValueEncoder()
        do {
            try value.encode(to: encoder)
        } catch {
            guard encoder.needsJSON else { throw error }
        }
        // Even if the instance has caught the error.
        if encoder.needsJSON { return nil }
        guard let result = encoder.result else {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: [],
                    debugDescription: "\(type(of: value)) did not encode any value"))
        }
        return result
    }

    private init() {}

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

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

    /// The generic methods replace the requirements for each primitive type.
    private struct SingleValue: SingleValueEncodingContainer {
        let encoder: DatabaseValueEncoder
        var codingPath: [any CodingKey] { [] }

        func encodeNil() throws {
            encoder.result = .null
        }

        func encode<Value: Encodable>(_ value: Value) throws {
            switch value {
            case let value as any DatabaseValueConvertible:
                guard let dbValue = value._storableDatabaseValue else {
                    throw EncodingError.tooBig(value, codingPath)
                }
                encoder.result = dbValue
            default:
                try value.encode(to: encoder)
            }
        }
    }
}
