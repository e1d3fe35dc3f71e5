#if GRDB_FOUNDATION || !canImport(FoundationEssentials)
public import Foundation

/// Stored and decoded like `UUID`.
extension NSUUID: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue {
        UUID(uuidString: uuidString)?.databaseValue ?? .null
    }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        UUID.fromDatabaseValue(dbValue).flatMap { uuid in
            NSUUID(uuidString: uuid.uuidString) as? Self
        }
    }
}

#endif
