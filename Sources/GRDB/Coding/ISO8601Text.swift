/// Instants as ISO 8601 texts with whole seconds: `2015-07-14T08:30:00Z`.
enum ISO8601Text {
    /// Writes an instant in UTC. Fractions of a second are dropped.
    ///
    /// - returns: nil if the year has not four digits.
    static func text(secondsSince1970 seconds: Double) -> String? {
        // What is before year 0 or after year 9999 needs another format. Not a number is not in
        // the range.
        guard -62_167_219_200..<253_402_300_800 ~= seconds else { return nil }
        let seconds = Int64(seconds.rounded(.down))
        let days = CivilCalendar.floorDivide(seconds, CivilCalendar.secondsPerDay)
        let secondOfDay = Int(seconds - days * CivilCalendar.secondsPerDay)
        let day = CivilCalendar.day(daysSince1970: days)
        return String(unsafeUninitializedCapacity: 20) { buffer in
            func write(_ number: Int, digits: Int, at position: Int) {
                var number = number
                for offset in (0..<digits).reversed() {
                    buffer[position + offset] = UInt8(ascii: "0") + UInt8(number % 10)
                    number /= 10
                }
            }
            write(day.year, digits: 4, at: 0)
            buffer[4] = UInt8(ascii: "-")
            write(day.month, digits: 2, at: 5)
            buffer[7] = UInt8(ascii: "-")
            write(day.day, digits: 2, at: 8)
            buffer[10] = UInt8(ascii: "T")
            write(secondOfDay / 3_600, digits: 2, at: 11)
            buffer[13] = UInt8(ascii: ":")
            write(secondOfDay / 60 % 60, digits: 2, at: 14)
            buffer[16] = UInt8(ascii: ":")
            write(secondOfDay % 60, digits: 2, at: 17)
            buffer[19] = UInt8(ascii: "Z")
            return 20
        }
    }

    /// Reads `YYYY-MM-DDTHH:MM:SS` followed by a time zone: `Z`, `+HH:MM`, `+HHMM` or `+HH`. A
    /// fraction of a second is read over.
    ///
    /// - returns: nil if the text has another format, or is not a date of the calendar.
    static func secondsSince1970(_ utf8: UnsafeBufferPointer<UInt8>) -> Int64? {
        var reader = Reader(utf8: utf8)
        guard let year = reader.number(digits: 4), reader.skip("-"),
            let month = reader.number(digits: 2), reader.skip("-"),
            let dayOfMonth = reader.number(digits: 2), reader.skip("T"),
            let hour = reader.number(digits: 2), hour < 24, reader.skip(":"),
            let minute = reader.number(digits: 2), minute < 60, reader.skip(":"),
            let second = reader.number(digits: 2), second < 60
        else {
            return nil
        }
        let day = CivilCalendar.Day(year: year, month: month, day: dayOfMonth)
        guard CivilCalendar.isValid(day) else { return nil }
        if reader.skip(".") {
            guard reader.number(digits: 1) != nil else { return nil }
            while reader.number(digits: 1) != nil {}
        }
        guard let offset = reader.utcOffset(), reader.isAtEnd else { return nil }
        return CivilCalendar.daysSince1970(day) * CivilCalendar.secondsPerDay
            + Int64(hour * 3_600 + minute * 60 + second - offset)
    }

    private struct Reader {
        let utf8: UnsafeBufferPointer<UInt8>
        var position = 0

        init(utf8: UnsafeBufferPointer<UInt8>) {
            self.utf8 = utf8
        }

        var isAtEnd: Bool { position == utf8.count }

        mutating func number(digits: Int) -> Int? {
            guard position + digits <= utf8.count else { return nil }
            var number = 0
            for offset in position..<position + digits {
                let digit = utf8[offset] &- UInt8(ascii: "0")
                guard digit < 10 else { return nil }
                number = number * 10 + Int(digit)
            }
            position += digits
            return number
        }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard position < utf8.count, utf8[position] == UInt8(ascii: character) else {
                return false
            }
            position += 1
            return true
        }

        /// The seconds east of Greenwich.
        mutating func utcOffset() -> Int? {
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
}
