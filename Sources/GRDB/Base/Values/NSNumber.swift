#if GRDB_FOUNDATION || !canImport(FoundationEssentials)
public import Foundation

/// Integers and booleans are stored as INTEGER, floating-point numbers as REAL. A decimal number is
/// stored as an equal INTEGER or REAL, and otherwise as TEXT.
///
/// Decoded from numbers, and from numeric text, which is decoded as a decimal number.
///
/// Integers above `Int64.max` can't be stored: a statement that binds such a value throws
/// SQLITE_TOOBIG, and `databaseValue` traps.
extension NSNumber: DatabaseValueConvertible {
    /// The value that SQLite stores.
    ///
    /// - precondition: an integer is not above `Int64.max`.
    public var databaseValue: DatabaseValue {
        number.databaseValue
    }

    /// Binds the value, or returns `SQLITE_TOOBIG` for integers above `Int64.max`.
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        number.bind(to: sqliteStatement, at: index)
    }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        switch dbValue.storage {
        case .int64(let value):
            return NSNumber(value: value) as? Self ?? decimalNumber(dbValue)
        case .double(let value):
            return NSNumber(value: value) as? Self ?? decimalNumber(dbValue)
        case .string:
            return decimalNumber(dbValue)
        case .null, .blob:
            return nil
        }
    }

    private static func decimalNumber(_ dbValue: DatabaseValue) -> Self? {
        Decimal.fromDatabaseValue(dbValue).flatMap { NSDecimalNumber(decimal: $0) as? Self }
    }

    private var number: any DatabaseValueConvertible {
        if let number = self as? NSDecimalNumber {
            let decimal = number.decimalValue
            let integer: Int64? = decimal.databaseValue.withUTF8 { NumericText($0)?.integer() }
            if let integer { return integer }
            let real = number.doubleValue
            return Decimal.fromDatabaseValue(real.databaseValue) == decimal ? real : decimal
        }
        // The type encodings of Objective-C.
        switch UInt8(bitPattern: objCType[0]) {
        case UInt8(ascii: "f"), UInt8(ascii: "d"): return doubleValue
        case UInt8(ascii: "L"), UInt8(ascii: "Q"): return uint64Value
        default: return int64Value
        }
    }
}

#endif
