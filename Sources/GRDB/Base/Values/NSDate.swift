#if GRDB_FOUNDATION || !canImport(FoundationEssentials)
public import Foundation

/// Stored and decoded like `Date`.
extension NSDate: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue {
        Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate).databaseValue
    }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        Date.fromDatabaseValue(dbValue).flatMap { date in
            NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate) as? Self
        }
    }
}

#endif
