/// Formats instants as `YYYY-MM-DD HH:MM:SS.SSS` in UTC, the format of stored dates.
///
/// SQLite supports no text format for years after 9999. These years are written as
/// `YNNNNNNNNN-MM-DD …`, with nine digits. A `Y` sorts after all digits, so the texts sort
/// chronologically.
enum DateTimeFormat {
    /// The length of the longest text.
    static let maximumLength = 32

    /// The number of digits of a year after 9999.
    static let longYearDigits = 9

    /// Writes an instant, rounded to the millisecond.
    ///
    /// - parameter output: at least ``maximumLength`` bytes.
    /// - returns: the number of bytes written. Nil if the instant has no text that sorts correctly: it
    ///   is before year 0, after year 999,999,999, or not a finite number.
    static func write(
        secondsSince1970: Double, to output: UnsafeMutableBufferPointer<UInt8>
    ) -> Int? {
        var wholeSeconds = secondsSince1970.rounded(.down)
        // The difference is exact. Multiplying it by 1000 avoids multiplying a large number.
        var milliseconds = Int64(0)
        if wholeSeconds.isFinite {
            milliseconds = Int64(((secondsSince1970 - wholeSeconds) * 1_000).rounded())
            if milliseconds == 1_000 {
                milliseconds = 0
                wholeSeconds += 1
            }
        }
        // The seconds of the years 0 to 999,999,999. NaN is not in the range.
        guard -62_167_392_000..<31_556_889_832_780_800 ~= wholeSeconds else { return nil }
        let seconds = Int64(wholeSeconds)
        let days = CivilCalendar.floorDivide(seconds, CivilCalendar.secondsPerDay)
        let secondOfDay = Int(seconds - days * CivilCalendar.secondsPerDay)
        let day = HistoricalCalendar.day(daysSince1970: days)

        var writer = DigitWriter(output: output)
        if day.year <= 9_999 {
            writer.append(day.year, digits: 4, then: "-")
        } else {
            writer.append("Y")
            writer.append(day.year, digits: longYearDigits, then: "-")
        }
        writer.append(day.month, digits: 2, then: "-")
        writer.append(day.day, digits: 2, then: " ")
        writer.append(secondOfDay: secondOfDay, then: ".")
        writer.append(Int(milliseconds), digits: 3)
        return writer.count
    }
}
