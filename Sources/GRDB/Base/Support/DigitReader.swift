/// Reads numbers of fixed length, and the separators between them, in dates and times.
///
/// A failed read does not change the position.
struct DigitReader {
    let utf8: UnsafeBufferPointer<UInt8>
    private(set) var position = 0

    @inline(__always)
    var isAtEnd: Bool { position == utf8.count }

    @inline(__always)
    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard position < utf8.count, utf8[position] == UInt8(ascii: character) else {
            return false
        }
        position &+= 1
        return true
    }

    /// Skips a space, a tab or the end of a line.
    mutating func skipBlank() -> Bool {
        guard position < utf8.count, utf8[position] == 0x20 || 0x09...0x0d ~= utf8[position] else {
            return false
        }
        position &+= 1
        return true
    }

    @inline(__always)
    mutating func digit() -> Int? {
        guard position < utf8.count else { return nil }
        let digit = utf8[position] &- UInt8(ascii: "0")
        guard digit < 10 else { return nil }
        position &+= 1
        return Int(digit)
    }

    @inline(__always)
    mutating func number(digits count: Int) -> Int? {
        guard utf8.count &- position >= count else { return nil }
        var number: UInt32 = 0
        for offset in 0..<count {
            let digit = utf8[position &+ offset] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            number = number &* 10 &+ UInt32(digit)
        }
        position &+= count
        return Int(number)
    }
}
