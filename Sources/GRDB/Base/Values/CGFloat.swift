#if GRDB_FOUNDATION || !canImport(FoundationEssentials)
public import Foundation

/// Stored as REAL, and decoded from any number, like the native type. SQLite stores NaN as NULL.
extension CGFloat: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue {
        NativeType(self).databaseValue
    }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> CGFloat? {
        NativeType.fromDatabaseValue(dbValue).map { CGFloat($0) }
    }
}

#endif
