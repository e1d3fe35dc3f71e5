#if GRDB_FOUNDATION || !canImport(FoundationEssentials)
public import Foundation

/// Stored and decoded like `String`.
extension NSString: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue {
        String(self).databaseValue
    }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        guard let string = String.fromDatabaseValue(dbValue) else { return nil }
        return NSString(string: string) as? Self ?? NSMutableString(string: string) as? Self
    }
}

#endif
