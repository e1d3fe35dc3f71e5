public import Foundation

/// Stored as TEXT, with all digits: SQLite's numbers don't hold them. Give the column no affinity
/// or the affinity TEXT, and don't compare or add decimals in SQL.
///
/// Decoded from text that is a number, and from numbers; a real number becomes the shortest decimal
/// that represents it (0.1, not 0.1000000000000000055). Numbers that a decimal can't hold with all
/// their digits are not decoded.
extension Decimal: DatabaseValueConvertible, StatementColumnConvertible {
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        switch RawColumn.type(sqliteStatement, index) {
        case RawType.integer:
            self.init(RawColumn.int64(sqliteStatement, index))
        case RawType.float:
            self.init(shortest: RawColumn.double(sqliteStatement, index))
        case RawType.text:
            self.init(databaseText: RawColumn.utf8(sqliteStatement, index))
        default:
            return nil
        }
    }

    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
    ) -> Decimal? {
        Decimal(sqliteStatement: sqliteStatement, index: index)
    }

    public var databaseValue: DatabaseValue {
        // Independent of any locale.
        description.databaseValue
    }

    public var _storableDatabaseValue: DatabaseValue? { databaseValue }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Decimal? {
        switch dbValue.storage {
        case .int64(let value):
            return Decimal(value)
        case .double(let value):
            return Decimal(shortest: value)
        case .string(var text):
            return text.withUTF8 { Decimal(databaseText: $0) }
        case .null, .blob:
            return nil
        }
    }

    private init?(shortest value: Double) {
        var text = value.description
        guard let decimal = text.withUTF8({ Decimal(databaseText: $0) }) else { return nil }
        self = decimal
    }

    /// Foundation reads the longest prefix that is a number, and rounds it.
    private init?(databaseText utf8: UnsafeBufferPointer<UInt8>) {
        guard let number = NumericText(utf8) else {
            guard utf8.elementsEqual("NaN".utf8) else { return nil }
            self = .nan
            return
        }
        var mantissa = DecimalMantissa()
        let power = number.forEachSignificantDigit { zeros, digit in
            for _ in 0..<zeros {
                guard mantissa.append(digit: 0) else { return false }
            }
            return mantissa.append(digit: digit)
        }
        guard var power else { return nil }
        // Exponents are 8 bits wide.
        while power > 127 {
            guard mantissa.append(digit: 0) else { return nil }
            power -= 1
        }
        guard power >= -128 else { return nil }
        self.init(
            sign: number.isNegative ? .minus : .plus,
            exponent: power,
            significand: mantissa.decimal)
    }
}

/// The 128-bit unsigned integer of a decimal.
private struct DecimalMantissa {
    private var high: UInt64 = 0
    private var low: UInt64 = 0

    /// Multiplies with ten and adds the digit.
    ///
    /// - returns: false if there is no room.
    mutating func append(digit: UInt8) -> Bool {
        let lowProduct = low.multipliedFullWidth(by: 10)
        let (low, carry) = lowProduct.low.addingReportingOverflow(UInt64(digit))
        // At most 9, and 1.
        let toHigh = lowProduct.high + (carry ? 1 : 0)
        let highProduct = high.multipliedReportingOverflow(by: 10)
        let (high, overflow) = highProduct.partialValue.addingReportingOverflow(toHigh)
        guard !highProduct.overflow, !overflow else { return false }
        self.low = low
        self.high = high
        return true
    }

    /// Exact: 128 bits are what a decimal has.
    var decimal: Decimal {
        high == 0
            ? Decimal(low)
            : Decimal(high) * (Decimal(UInt64.max) + 1) + Decimal(low)
    }
}
