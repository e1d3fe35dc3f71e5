#if GRDB_FOUNDATION || !canImport(FoundationEssentials)
public import Foundation

/// Stored and decoded like `URL`.
extension NSURL: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue {
        // Optional on Apple platforms.
        (absoluteString as String?)?.databaseValue ?? .null
    }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        URL.fromDatabaseValue(dbValue).flatMap { url in
            NSURL(string: url.absoluteString) as? Self
        }
    }
}

#endif
