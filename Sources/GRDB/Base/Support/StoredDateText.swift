/// Parses `YYYY-MM-DD HH:MM:SS.SSS`, the format of stored dates, eight bytes at a time.
///
/// ``DateTimeText`` parses all formats, byte by byte. Use it for texts that this type rejects.
enum StoredDateText {
    private static let length = 23

    /// Eight bytes of a text, XORed with the format: digits become numbers, separators become zeros.
    private struct Block {
        private let bytes: UInt64

        /// The highest bit of each byte.
        private static let highBits: UInt64 = 0x8080_8080_8080_8080

        /// - parameters:
        ///   - format: the bytes of the format, `0` for each digit, the last byte first.
        ///   - limits: for each byte, the number that raises an invalid byte to 128 or more: 118 for digits,
        ///     which are less than 10, and 127 for separators, which are zero.
        /// - returns: nil unless the bytes have the format.
        @inline(__always)
        init?(_ text: UnsafeRawPointer, at offset: Int, format: UInt64, limits: UInt64) {
            let loaded = text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let bytes = UInt64(littleEndian: loaded) ^ format
            guard (bytes | (bytes &+ limits)) & Self.highBits == 0 else { return nil }
            self.bytes = bytes
        }

        @inline(__always)
        func digit(at index: UInt64) -> Int {
            Int(truncatingIfNeeded: (bytes &>> (index &* 8)) & 0xFF)
        }

        /// Returns the two-digit number that starts at an index.
        @inline(__always)
        func number(at index: UInt64) -> Int {
            let pairs = bytes &* 10 &+ (bytes &>> 8)
            return Int(truncatingIfNeeded: (pairs &>> (index &* 8)) & 0xFF)
        }
    }

    /// Returns the milliseconds since 1970.
    ///
    /// - returns: nil if the text has another format, or is not a date of the Gregorian calendar in 1583,
    ///   its first whole year, or later.
    static func millisecondsSince1970(_ utf8: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard utf8.count == length, let base = utf8.baseAddress else { return nil }
        let text = UnsafeRawPointer(base)
        // YYYY-MM- DD HH:MM M:SS.SSS
        guard
            let month = Block(
                text, at: 0, format: 0x2D30_302D_3030_3030, limits: 0x7F76_767F_7676_7676),
            let minute = Block(
                text, at: 8, format: 0x3030_3A30_3020_3030, limits: 0x7676_7F76_767F_7676),
            let fraction = Block(
                text, at: 15, format: 0x3030_302E_3030_3A30, limits: 0x7676_767F_7676_7F76)
        else { return nil }
        let day = CivilCalendar.Day(
            year: month.number(at: 0) * 100 + month.number(at: 2), month: month.number(at: 5),
            day: minute.number(at: 0))
        let hours = minute.number(at: 3)
        let minutes = minute.number(at: 6)
        let seconds = fraction.number(at: 2)
        guard day.year >= 1583, 1...12 ~= day.month, day.day >= 1,
            day.day <= 28 || day.day <= CivilCalendar.dayCount(year: day.year, month: day.month),
            hours < 24, minutes < 60, seconds < 60
        else { return nil }
        let time = hours * 3_600 + minutes * 60 + seconds
        let milliseconds = fraction.number(at: 5) * 10 + fraction.digit(at: 7)
        return (CivilCalendar.daysSince1970(day) * CivilCalendar.secondsPerDay + Int64(time))
            * 1_000
            + Int64(milliseconds)
    }
}
