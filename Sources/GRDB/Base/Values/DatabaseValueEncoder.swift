/// Encodes values that consist of a single database value, and detects values that need JSON.
///
/// An encoder must hand out containers for arrays and objects: the first value that is encoded in
/// one of them throws, so that little is encoded in vain.
///
/// Used by one thread, for one value.
final class DatabaseValueEncoder: Encoder {
    private var result: DatabaseValue?
    private var needsJSON = false

    /// The single value that an instance encodes.
    ///
    /// - returns: nil if the instance encodes an array or an object.
    static func encode(_ value: some Encodable) throws -> DatabaseValue? {
        let encoder = DatabaseValueEncoder()
        do {
            try value.encode(to: encoder)
        } catch {
            guard encoder.needsJSON else { throw error }
        }
        // Also when the instance caught the error.
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

    /// The generic methods serve all types: they stand for the requirements of each primitive type.
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
