import _GRDBSystem

// Codable types are stored as JSON text. The conformance is empty:
//
//     struct Color: Codable {
//         var red, green, blue: Double
//     }
//
//     extension Color: DatabaseValueConvertible {}
//
// A type that encodes a single convertible value, and no JSON array or object, is stored like this
// value. For example, a Codable wrapper of a string is stored as that string, without quotes.

extension DatabaseValueConvertible where Self: Encodable {
    /// The value that SQLite stores: JSON text, or the single value that `encode(to:)` encodes.
    ///
    /// - precondition: the value can be encoded.
    public var databaseValue: DatabaseValue {
        do {
            if let dbValue = try DatabaseValueEncoder(Self.self).encode(self) { return dbValue }
            throw EncodingError(self, "\(Self.self) did not encode any value")
        } catch {
            return ValueRefusal.refuse(
                "could not encode \(Self.self) as a database value: \(error)")
        }
    }

    public var _storableDatabaseValue: DatabaseValue? {
        ValueRefusal.storable { databaseValue }
    }
}

extension DatabaseValueConvertible where Self: Decodable {
    /// Whether values are decoded from JSON arrays or objects.
    static var isDecodedFromJSON: Bool {
        let decoder = DatabaseValueDecoder(.null)
        _ = try? Self(from: decoder)
        return decoder.needsJSON
    }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        let decoder = DatabaseValueDecoder(dbValue)
        let singleValue = try? Self(from: decoder)
        guard decoder.needsJSON else {
            return singleValue
        }
        let json: Data
        switch dbValue.storage {
        case .string(let text): json = Data(text.utf8)
        case .blob(let bytes): json = bytes
        default: return singleValue
        }
        do {
            return try databaseJSONDecoder().decodeFromColumn(Self.self, from: json)
        } catch {
            JSONFailure.note(error)
            // The single value is for types that try several containers.
            return singleValue
        }
    }
}

/// The error of a JSON decoder, which `fromDatabaseValue` can't throw.
enum JSONFailure {
    private static let current = ThreadLocalPointer()

    /// Calls a closure, and returns the message of the last error of a JSON decoder in it.
    static func message(of decode: () -> Void) -> String? {
        var message: String?
        let outer = current.value
        defer { current.value = outer }
        withUnsafeMutablePointer(to: &message) {
            current.value = UnsafeMutableRawPointer($0)
            decode()
        }
        return message
    }

    fileprivate static func note(_ error: any Error) {
        current.value?.assumingMemoryBound(to: String?.self).pointee = "\(error)"
    }
}
