/// Writes the numbers of dates as decimal digits.
struct DigitWriter {
    let output: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    @inline(__always)
    mutating func append(_ character: Unicode.Scalar) {
        output[count] = UInt8(ascii: character)
        count += 1
    }

    /// - parameter number: a number of at most nine digits.
    @inline(__always)
    mutating func append(_ number: Int, digits: Int) {
        var number = UInt32(truncatingIfNeeded: number)
        var position = count + digits
        count = position
        for _ in 0..<digits {
            position -= 1
            output[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10)
            number /= 10
        }
    }

    /// Appends a time of day, `HH:MM:SS`, and a separator.
    @inline(__always)
    mutating func append(secondOfDay: Int, then separator: Unicode.Scalar) {
        append(secondOfDay / 3_600, digits: 2, then: ":")
        append(secondOfDay / 60 % 60, digits: 2, then: ":")
        append(secondOfDay % 60, digits: 2, then: separator)
    }

    @inline(__always)
    mutating func append(_ number: Int, digits: Int, then separator: Unicode.Scalar) {
        append(number, digits: digits)
        append(separator)
    }
}
