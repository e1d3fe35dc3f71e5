#if GRDB_FOUNDATION || !canImport(FoundationEssentials)
public import Foundation

/// Stored and decoded like `Data`.
extension NSData: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue {
        Data(referencing: self).databaseValue
    }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        guard let data = Data.fromDatabaseValue(dbValue) else { return nil }
        return NSData(data: data) as? Self ?? NSMutableData(data: data) as? Self
    }
}

#endif
