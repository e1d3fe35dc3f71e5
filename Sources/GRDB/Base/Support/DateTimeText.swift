/// A date, a time, or both, parsed from a text in one of SQLite's formats:
///
/// ```
/// YYYY-MM-DD
/// YYYY-MM-DD HH:MM               HH:MM
/// YYYY-MM-DD HH:MM:SS            HH:MM:SS
/// YYYY-MM-DD HH:MM:SS.SSS        HH:MM:SS.SSS
/// ```
///
/// A `T` may replace the space. A time may be followed by a time zone: `Z`, `+HH:MM` or `-HH:MM`. As in
/// SQLite, there may be any number of blanks after the date, before the time zone and at the end.
/// Fractions of a second may have any number of digits. A year before 0 is `-YYYY`. A year after
/// 9999, for which SQLite has no format, is `YNNNNNNNNN` (see ``DateTimeFormat``).
///
/// As in SQLite, every month may have 31 days, and hours range from 0 to 24. Use
/// ``secondsSince1970`` to validate the date.
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_datefunc.html#tmval>
struct DateTimeText: Equatable, Sendable {
    /// The precision of the time.
    enum TimePrecision: Comparable, Sendable {
        case none, minute, second, fraction
    }

    /// Nil if there is only a time.
    var day: CivilCalendar.Day?
    var timePrecision = TimePrecision.none
    var hour = 0
    var minute = 0
    var second = 0
    /// From 0 to 999,999,999. Additional digits are dropped.
    var nanosecond = 0
    /// The offset from UTC in seconds, positive to the east; nil if the text has no time zone.
    var utcOffset: Int?

    /// The whole seconds since 1970. Nil if there is no date, or if the date does not exist in
    /// ``HistoricalCalendar``. Hour 24 is only valid as midnight.
    var secondsSince1970: Int64? {
        guard let day, let days = HistoricalCalendar.daysSince1970(day) else { return nil }
        guard hour < 24 || (minute == 0 && second == 0 && nanosecond == 0) else { return nil }
        return days * CivilCalendar.secondsPerDay
            + Int64(hour * 3_600 + minute * 60 + second)
            - Int64(utcOffset ?? 0)
    }

    /// The seconds since 2001, Foundation's reference date.
    var secondsSinceReferenceDate: Double? {
        guard let secondsSince1970 else { return nil }
        let seconds = secondsSince1970 - CivilCalendar.secondsFrom1970To2001
        // Up to year 9999, milliseconds are exact, and a single division rounds once.
        if nanosecond.isMultiple(of: 1_000_000), abs(seconds) < 1_000_000_000_000 {
            return Double(seconds * 1_000 + Int64(nanosecond / 1_000_000)) / 1_000
        }
        return Double(seconds) + Double(nanosecond) / 1_000_000_000
    }
}

// MARK: - Reading

extension DateTimeText {
    /// Parses UTF-8 text.
    ///
    /// - returns: nil unless the whole text has one of the formats.
    init?(_ utf8: UnsafeBufferPointer<UInt8>) {
        var reader = DigitReader(utf8: utf8)
        if reader.isTime {
            guard readTime(&reader) else { return nil }
        } else {
            guard readDay(&reader) else { return nil }
            while reader.skipBlank() || reader.skip("T") {}
            if reader.isAtEnd { return }
            guard readTime(&reader) else { return nil }
        }
        guard readTimeZone(&reader) else { return nil }
    }

    private mutating func readDay(_ reader: inout DigitReader) -> Bool {
        let isNegative = reader.skip("-")
        let isLong = !isNegative && reader.skip("Y")
        guard let year = reader.number(digits: isLong ? DateTimeFormat.longYearDigits : 4),
            reader.skip("-"),
            let month = reader.number(digits: 2), 1...12 ~= month,
            reader.skip("-"),
            let day = reader.number(digits: 2), 1...31 ~= day
        else { return false }
        self.day = CivilCalendar.Day(year: isNegative ? -year : year, month: month, day: day)
        return true
    }

    private mutating func readTime(_ reader: inout DigitReader) -> Bool {
        guard let hour = reader.number(digits: 2), hour <= 24,
            reader.skip(":"),
            let minute = reader.number(digits: 2), minute < 60
        else { return false }
        self.hour = hour
        self.minute = minute
        timePrecision = .minute
        guard reader.skip(":") else { return true }
        guard let second = reader.number(digits: 2), second < 60 else { return false }
        self.second = second
        timePrecision = .second
        guard reader.skip(".") else { return true }
        guard let nanosecond = reader.nanoseconds() else { return false }
        self.nanosecond = nanosecond
        timePrecision = .fraction
        return true
    }

    /// Reads a time zone in the format of SQLite, if there is one: blanks, an offset of less than 15 hours,
    /// and blanks.
    private mutating func readTimeZone(_ reader: inout DigitReader) -> Bool {
        while reader.skipBlank() {}
        if reader.isAtEnd { return true }
        if reader.skip("Z") || reader.skip("z") {
            utcOffset = 0
            while reader.skipBlank() {}
            return reader.isAtEnd
        }
        let isWest = reader.skip("-")
        guard isWest || reader.skip("+"),
            let hours = reader.number(digits: 2), hours <= 14,
            reader.skip(":"),
            let minutes = reader.number(digits: 2), minutes < 60
        else { return false }
        let offset = hours * 3_600 + minutes * 60
        utcOffset = isWest ? -offset : offset
        while reader.skipBlank() {}
        return reader.isAtEnd
    }
}

extension DigitReader {
    /// Whether the text starts with a time: `HH:`.
    fileprivate var isTime: Bool { utf8.count > 2 && utf8[2] == UInt8(ascii: ":") }

    /// Reads the digits of a fraction of a second. There must be at least one.
    fileprivate mutating func nanoseconds() -> Int? {
        guard var nanoseconds = digit() else { return nil }
        var count = 1
        while let digit = digit() {
            guard count < 9 else { continue }
            nanoseconds = nanoseconds * 10 + digit
            count += 1
        }
        while count < 9 {
            nanoseconds *= 10
            count += 1
        }
        return nanoseconds
    }
}
