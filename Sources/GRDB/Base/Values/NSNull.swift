#if GRDB_FOUNDATION || !canImport(FoundationEssentials)
public import Foundation

/// Stored as NULL, decoded from NULL.
extension NSNull: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { .null }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        dbValue.isNull ? NSNull() as? Self : nil
    }
}

#endif
