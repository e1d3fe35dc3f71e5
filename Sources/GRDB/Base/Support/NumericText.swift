/// A text that consists of a number, as parsed by SQLite's numeric casts: decimal digits with an optional
/// sign, decimal point and exponent, surrounded by optional white space.
///
/// `12`, `-1.50`, `.5`, `5.` and ` 1e3 ` are numbers. `12abc`, `0x10`, `1_000`, `inf` and the empty
/// text are not.
///
/// Only valid while the bytes that it reads are valid.
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html#castexpr>
package struct NumericText {
    package let isNegative: Bool

    /// The number without white space.
    let text: Slice<UnsafeBufferPointer<UInt8>>

    /// The digits of the text, at least one, and the decimal point.
    private let mantissa: Slice<UnsafeBufferPointer<UInt8>>

    private let exponent: Int

    /// Parses UTF-8 text.
    ///
    /// - parameter allowsRest: whether other text may follow. The number is then the longest possible one.
    /// - returns: nil unless the whole text, or its start, is a number.
    package init?(_ utf8: UnsafeBufferPointer<UInt8>, allowsRest: Bool = false) {
        var start = utf8.startIndex
        var end = utf8.endIndex
        while start < end, Self.isSpace(utf8[start]) { start += 1 }
        while start < end, Self.isSpace(utf8[end - 1]) { end -= 1 }

        var position = start
        func isAt(_ character: Unicode.Scalar) -> Bool {
            position < end && utf8[position] == UInt8(ascii: character)
        }
        func readDigits() -> Int {
            let start = position
            while position < end, utf8[position] &- UInt8(ascii: "0") < 10 { position += 1 }
            return position - start
        }

        isNegative = isAt("-")
        if isNegative || isAt("+") { position += 1 }

        let mantissaStart = position
        var digitCount = readDigits()
        if isAt(".") {
            position += 1
            digitCount += readDigits()
        }
        guard digitCount > 0 else { return nil }
        mantissa = utf8[mantissaStart..<position]

        var exponent = 0
        var numberEnd = position
        if isAt("e") || isAt("E") {
            position += 1
            let isNegativeExponent = isAt("-")
            if isNegativeExponent || isAt("+") { position += 1 }
            let exponentStart = position
            if readDigits() > 0 { numberEnd = position }
            for digit in utf8[exponentStart..<position] {
                // No text has enough digits to bring a larger exponent back into range.
                guard exponent < Int.max / 1_000 else { break }
                exponent = exponent * 10 + Int(digit - UInt8(ascii: "0"))
            }
            if isNegativeExponent { exponent = -exponent }
        }
        self.exponent = exponent
        text = utf8[start..<numberEnd]
        guard allowsRest || numberEnd == end else { return nil }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || 0x09...0x0d ~= byte
    }

    /// Passes the significant digits to a closure, from left to right, without the leading and trailing
    /// zeros of the mantissa.
    ///
    /// - parameter append: receives the number of zeros to append before a digit, and the digit.
    ///   Returns whether they fit.
    /// - returns: the power of ten by which to multiply the digits; zero if all digits are zeros. Nil
    ///   if `append` returned false.
    package func forEachSignificantDigit(_ append: (_ zeros: Int, _ digit: UInt8) -> Bool) -> Int? {
        var power = exponent
        var isFraction = false
        var zeros = 0
        var isZero = true
        for byte in mantissa {
            if byte == UInt8(ascii: ".") {
                isFraction = true
                continue
            }
            if isFraction { power -= 1 }
            let digit = byte - UInt8(ascii: "0")
            if digit == 0 {
                if !isZero { zeros += 1 }
            } else {
                guard append(zeros, digit) else { return nil }
                zeros = 0
                isZero = false
            }
        }
        return isZero ? 0 : power + zeros
    }

    /// The number as an integer.
    ///
    /// - returns: nil if the number is not an integer, or does not fit.
    func integer<Integer: FixedWidthInteger>(as type: Integer.Type = Integer.self) -> Integer? {
        var integer: Integer = 0
        func shift(by count: Int) -> Bool {
            for _ in 0..<count {
                let (product, overflow) = integer.multipliedReportingOverflow(by: 10)
                if overflow { return false }
                integer = product
            }
            return true
        }
        let power = forEachSignificantDigit { zeros, digit in
            guard shift(by: zeros + 1) else { return false }
            // Negative numbers are built by subtraction, because the minimum has no positive counterpart.
            let (result, overflow) =
                isNegative
                ? integer.subtractingReportingOverflow(Integer(digit))
                : integer.addingReportingOverflow(Integer(digit))
            integer = result
            return !overflow
        }
        guard let power, power >= 0, shift(by: power) else { return nil }
        return integer
    }

    /// The digits before the decimal point as an integer, or the nearest `Int64`.
    var integerPart: Int64 {
        let digits = String(decoding: mantissa.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
        if digits.isEmpty { return 0 }
        return Int64(isNegative ? "-" + digits : digits) ?? (isNegative ? .min : .max)
    }

    /// The nearest real number.
    ///
    /// - returns: nil if the number is out of range.
    var real: Double? {
        guard let real = Double(String(decoding: text, as: UTF8.self)), real.isFinite else {
            return nil
        }
        return real
    }
}
