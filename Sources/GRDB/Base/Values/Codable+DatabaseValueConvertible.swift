import Foundation

// Codable types are stored as JSON text. Conformances are empty:
//
//     struct Color: Codable {
//         var red, green, blue: Double
//     }
//
//     extension Color: DatabaseValueConvertible {}
//
// Types that encode one single convertible value, and no JSON array or object, are stored like
// that value: a Codable wrapper of a string is stored as that very string, without quotes.

extension DatabaseValueConvertible where Self: Encodable {
    /// The value as SQLite stores it: JSON text, or the single value that `encode(to:)` encodes.
    ///
    /// - precondition: the value can be encoded.
    public var databaseValue: DatabaseValue {
        do {
            if let singleValue = try DatabaseValueEncoder.encode(self) {
                return singleValue
            }
            let json = try Self.databaseJSONEncoder().encode(self)
            return DatabaseValue(storage: .string(String(decoding: json, as: UTF8.self)))
        } catch {
            return ValueRefusal.refuse(
                "could not encode \(Self.self) as a database value: \(error)")
        }
    }
}

extension DatabaseValueConvertible where Self: Encodable {
    public var _storableDatabaseValue: DatabaseValue? {
        ValueRefusal.storable { databaseValue }
    }
}

extension DatabaseValueConvertible where Self: Decodable {
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
        // The single value is for types that try several containers.
        return (try? databaseJSONDecoder().decode(Self.self, from: json)) ?? singleValue
    }
}
