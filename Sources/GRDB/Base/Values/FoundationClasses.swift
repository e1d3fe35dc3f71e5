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

/// Stored as NULL, decoded from NULL.
extension NSNull: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { .null }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        dbValue.isNull ? NSNull() as? Self : nil
    }
}

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
