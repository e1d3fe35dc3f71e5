import GRDB

#if GRDB_FOUNDATION || !canImport(FoundationEssentials)
import Foundation

extension DatabaseFunctionSet {
    /// Functions that calculate with and compare decimal numbers, such as stored values of
    /// Foundation's `Decimal`: `decimal_sum(X)`, `decimal_avg(X)`, `decimal_add(X, Y)`,
    /// `decimal_sub(X, Y)`, `decimal_mul(X, Y)`, `decimal_cmp(X, Y)`, and the collation `decimal`.
    ///
    /// ```swift
    /// db.add(functions: .decimal)
    /// // CREATE TABLE "item" ("price" TEXT COLLATE decimal)
    /// try db.create(table: "item") { t in
    ///     t.column("price", .text).collate(.decimal)
    /// }
    /// // SELECT decimal_sum("price") FROM "item" WHERE "price" > '9.99'
    /// let request = Item
    ///     .filter { $0.price > Decimal(string: "9.99")! }
    ///     .select { DatabaseFunction.decimalSum($0.price) }
    /// ```
    ///
    /// Arguments are texts, integers and reals. A real is converted to its shortest decimal
    /// representation. Results are texts of up to 38 digits. Sums, differences and products are
    /// exact; otherwise, the statement fails. Functions return NULL for NULL, and aggregates ignore
    /// NULL. Other values make the statement fail with a ``/GRDB/DatabaseError`` of code
    /// `SQLITE_MISMATCH`.
    public static let decimal = DatabaseFunctionSet(
        functions: [
            .decimalSum, .decimalAverage, .decimalAdd, .decimalSubtract, .decimalMultiply,
            .decimalCompare,
        ],
        collations: [.decimal])
}

extension DatabaseFunction {
    /// The SQL aggregate and window function `decimal_sum(X)`: the exact sum, or NULL if there are
    /// no numbers.
    public static let decimalSum = DatabaseFunction(
        "decimal_sum", argumentCount: 1, pure: true, window: DecimalSum.self
    ).withOptions(.innocuous)

    /// The SQL aggregate and window function `decimal_avg(X)`: the average, rounded to the 38
    /// digits of a decimal, or NULL if there are no numbers.
    public static let decimalAverage = DatabaseFunction(
        "decimal_avg", argumentCount: 1, pure: true, window: DecimalAverage.self
    ).withOptions(.innocuous)

    /// The SQL function `decimal_add(X, Y)`: the exact sum.
    public static let decimalAdd = decimalOperation("decimal_add", Decimal.exactSum)

    /// The SQL function `decimal_sub(X, Y)`: the exact difference.
    public static let decimalSubtract = decimalOperation("decimal_sub") { lhs, rhs, name in
        try Decimal.exactSum(lhs, -rhs, name)
    }

    /// The SQL function `decimal_mul(X, Y)`: the exact product.
    public static let decimalMultiply = decimalOperation("decimal_mul", Decimal.exactProduct)

    /// The SQL function `decimal_cmp(X, Y)`: -1 if the first number is less than the second, 0 if
    /// they are equal, 1 if it is greater.
    public static let decimalCompare = decimalOperation("decimal_cmp") { lhs, rhs, _ in
        lhs < rhs ? -1 : lhs == rhs ? 0 : 1
    }

    private static func decimalOperation(
        _ name: String,
        _ operation:
            @escaping @Sendable (Decimal, Decimal, _ name: String) throws ->
            any DatabaseValueConvertible
    ) -> DatabaseFunction {
        DatabaseFunction(name, argumentCount: 2, pure: true) { dbValues in
            guard let lhs = try Decimal.operand(dbValues[0], of: name),
                let rhs = try Decimal.operand(dbValues[1], of: name)
            else { return nil }
            return try operation(lhs, rhs, name)
        }.withOptions(.innocuous)
    }
}

private struct DecimalSum: DatabaseWindowAggregate {
    var sum = Decimal()
    var count = 0
    private static let name = "decimal_sum"

    mutating func step(_ dbValues: [DatabaseValue]) throws {
        guard let value = try Decimal.operand(dbValues[0], of: Self.name) else { return }
        sum = try Decimal.exactDecimalSum(sum, value, Self.name)
        count += 1
    }

    mutating func inverse(_ dbValues: [DatabaseValue]) throws {
        guard let value = try Decimal.operand(dbValues[0], of: Self.name) else { return }
        sum = try Decimal.exactDecimalSum(sum, -value, Self.name)
        count -= 1
    }

    func value() -> (any DatabaseValueConvertible)? { count == 0 ? nil : sum }
}

private struct DecimalAverage: DatabaseWindowAggregate {
    private var sum = DecimalSum()

    mutating func step(_ dbValues: [DatabaseValue]) throws { try sum.step(dbValues) }

    mutating func inverse(_ dbValues: [DatabaseValue]) throws { try sum.inverse(dbValues) }

    func value() -> (any DatabaseValueConvertible)? {
        sum.count == 0 ? nil : sum.sum / Decimal(sum.count)
    }
}

extension Decimal {
    /// Returns the number of an argument, or nil for NULL.
    fileprivate static func operand(
        _ dbValue: DatabaseValue, of function: String
    ) throws -> Decimal? {
        if dbValue.isNull { return nil }
        guard let decimal = Decimal.fromDatabaseValue(dbValue), decimal.isFinite else {
            throw DatabaseError(
                resultCode: .SQLITE_MISMATCH,
                message: "\(function): \(dbValue) is not a decimal number")
        }
        return decimal
    }

    fileprivate static func exactSum(
        _ lhs: Decimal, _ rhs: Decimal, _ function: String
    ) throws -> any DatabaseValueConvertible {
        try exactDecimalSum(lhs, rhs, function)
    }

    fileprivate static func exactDecimalSum(
        _ lhs: Decimal, _ rhs: Decimal, _ function: String
    ) throws -> Decimal {
        var (lhs, rhs, result) = (lhs, rhs, Decimal())
        guard NSDecimalAdd(&result, &lhs, &rhs, .plain) == .noError else {
            throw inexactError(function)
        }
        return result
    }

    fileprivate static func exactProduct(
        _ lhs: Decimal, _ rhs: Decimal, _ function: String
    ) throws -> any DatabaseValueConvertible {
        var (lhs, rhs, result) = (lhs, rhs, Decimal())
        guard NSDecimalMultiply(&result, &lhs, &rhs, .plain) == .noError else {
            throw inexactError(function)
        }
        return result
    }

    private static func inexactError(_ function: String) -> DatabaseError {
        DatabaseError(message: "\(function): a decimal has not enough digits for the result")
    }
}

#endif

extension DatabaseCollation {
    /// The collation `decimal`: sorts texts that are numbers by their numeric values, with any
    /// number of digits, and before all other texts. `1.0` equals `1`.
    ///
    /// It is part of ``DatabaseFunctionSet/decimal``.
    public static let decimal = DatabaseCollation("decimal") { lhs, rhs -> CInt in
        switch (DecimalDigits(lhs), DecimalDigits(rhs)) {
        case (let lhs?, let rhs?): CInt(lhs.compare(rhs))
        case (_?, nil): -1
        case (nil, _?): 1
        case (nil, nil):
            if lhs.elementsEqual(rhs) { 0 } else { lhs.lexicographicallyPrecedes(rhs) ? -1 : 1 }
        }
    }
}

/// The digits of a number, of any length.
private struct DecimalDigits {
    private let isNegative: Bool
    private var digits: [UInt8] = []
    /// The exponent: the number is `0.digits` times ten to the power of `power`.
    private let power: Int

    init?(_ utf8: UnsafeBufferPointer<UInt8>) {
        guard let number = NumericText(utf8) else { return nil }
        var digits: [UInt8] = []
        let power =
            number.forEachSignificantDigit { zeros, digit in
                digits.append(contentsOf: repeatElement(0, count: zeros))
                digits.append(digit)
                return true
            } ?? 0
        self.digits = digits
        self.power = power + digits.count
        isNegative = number.isNegative
    }

    private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

    func compare(_ other: DecimalDigits) -> Int {
        if sign != other.sign { return sign < other.sign ? -1 : 1 }
        if sign == 0 { return 0 }
        if power != other.power { return power < other.power ? -sign : sign }
        if digits == other.digits { return 0 }
        return digits.lexicographicallyPrecedes(other.digits) ? -sign : sign
    }
}
