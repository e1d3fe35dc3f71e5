public import _GRDBSystem

/// Stored as TEXT with all digits, which SQLite's numbers can't represent. Declare the column
/// without affinity or with TEXT affinity, and don't compare or add decimals in SQL with operators
/// and built-in functions. A record throws an error of code `SQLITE_MISMATCH` instead of storing a
/// decimal in a column of NUMERIC or REAL affinity that would round it.
///
/// Decoded from numeric text, and from numbers. A real number is converted to the shortest decimal
/// that represents it (0.1, not 0.1000000000000000055). Numbers with more digits than a decimal can
/// represent are not decoded.
extension Decimal: DatabaseValueConvertible, StatementColumnConvertible, JSONScalar {
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        switch RawColumn.type(sqliteStatement, index) {
        case RawType.integer:
            self.init(RawColumn.int64(sqliteStatement, index))
        case RawType.float:
            self.init(shortest: RawColumn.double(sqliteStatement, index))
        case RawType.text:
            self.init(databaseText: RawColumn.content(sqliteStatement, index).bytes)
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
        // Does not depend on a locale.
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

    /// Foundation reads the longest numeric prefix, and rounds it.
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

    /// Multiplies by ten, and adds the digit.
    ///
    /// - returns: false on overflow.
    mutating func append(digit: UInt8) -> Bool {
        let lowProduct = low.multipliedFullWidth(by: 10)
        let (low, carry) = lowProduct.low.addingReportingOverflow(UInt64(digit))
        // The sum is at most 9 plus 1.
        let toHigh = lowProduct.high + (carry ? 1 : 0)
        let highProduct = high.multipliedReportingOverflow(by: 10)
        let (high, overflow) = highProduct.partialValue.addingReportingOverflow(toHigh)
        guard !highProduct.overflow, !overflow else { return false }
        self.low = low
        self.high = high
        return true
    }

    /// Exact: a decimal has 128 bits, too.
    var decimal: Decimal {
        high == 0
            ? Decimal(low)
            : Decimal(high) * (Decimal(UInt64.max) + 1) + Decimal(low)
    }
}
