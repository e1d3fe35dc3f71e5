/// Instants as ISO 8601 texts with whole seconds: `2015-07-14T08:30:00Z`. Years after 9999 have five
/// or six digits.
///
/// The calendar matches Foundation: see ``HistoricalCalendar``.
enum ISO8601Text {
    /// Writes an instant in UTC. Fractions of a second are dropped.
    ///
    /// - returns: nil if the instant is before year 0, or after year 999,999.
    static func text(secondsSince1970 seconds: Double) -> String? {
        // Years 0 to 999,999. NaN is not in the range.
        guard -62_167_392_000..<31_494_784_780_800 ~= seconds else { return nil }
        let seconds = Int64(seconds.rounded(.down))
        let days = CivilCalendar.floorDivide(seconds, CivilCalendar.secondsPerDay)
        let secondOfDay = Int(seconds - days * CivilCalendar.secondsPerDay)
        let day = HistoricalCalendar.day(daysSince1970: days)
        let yearDigits = day.year > 99_999 ? 6 : day.year > 9_999 ? 5 : 4
        return String(unsafeUninitializedCapacity: 16 + yearDigits) { buffer in
            var writer = DigitWriter(output: buffer)
            writer.append(day.year, digits: yearDigits, then: "-")
            writer.append(day.month, digits: 2, then: "-")
            writer.append(day.day, digits: 2, then: "T")
            writer.append(secondOfDay: secondOfDay, then: "Z")
            return writer.count
        }
    }

    /// Reads `YYYY-MM-DDTHH:MM:SS` followed by a time zone: `Z`, `+HH:MM`, `+HHMM` or `+HH`.
    /// Fractions of a second are rejected, because they would be lost.
    ///
    /// - returns: nil if the text has another format, or is not a date of the calendar.
    static func secondsSince1970(_ utf8: UnsafeBufferPointer<UInt8>) -> Int64? {
        var reader = DigitReader(utf8: utf8)
        guard let year = reader.year(), reader.skip("-"),
            let month = reader.number(digits: 2), reader.skip("-"),
            let dayOfMonth = reader.number(digits: 2), reader.skip("T"),
            let hour = reader.number(digits: 2), hour < 24, reader.skip(":"),
            let minute = reader.number(digits: 2), minute < 60, reader.skip(":"),
            let second = reader.number(digits: 2), second < 60
        else {
            return nil
        }
        let day = CivilCalendar.Day(year: year, month: month, day: dayOfMonth)
        guard let days = HistoricalCalendar.daysSince1970(day) else { return nil }
        guard let offset = reader.utcOffset(), reader.isAtEnd else { return nil }
        return days * CivilCalendar.secondsPerDay
            + Int64(hour * 3_600 + minute * 60 + second - offset)
    }
}

extension DigitReader {
    /// Reads a year of four to six digits.
    fileprivate mutating func year() -> Int? {
        guard var year = number(digits: 4) else { return nil }
        for _ in 0..<2 {
            if let digit = digit() { year = year * 10 + digit }
        }
        return year
    }

    /// Reads a time zone, as seconds east of Greenwich.
    fileprivate mutating func utcOffset() -> Int? {
        if skip("Z") { return 0 }
        let isEast = skip("+")
        guard isEast || skip("-"), let hours = number(digits: 2), hours < 24 else { return nil }
        var offset = hours * 3_600
        if !isAtEnd {
            _ = skip(":")
            guard let minutes = number(digits: 2), minutes < 60 else { return nil }
            offset += minutes * 60
        }
        return isEast ? offset : -offset
    }
}
