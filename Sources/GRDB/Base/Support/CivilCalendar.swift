/// Day arithmetic of the proleptic Gregorian calendar, which SQLite's date functions use: the rules of
/// 1582 apply to all years. There is a year 0 before year 1, and there are leap years before it.
///
/// Years are supported from -999,999,999 to 999,999,999: see ``yearRange``.
///
/// Stored dates use Foundation's calendar instead: see ``HistoricalCalendar``.
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_datefunc.html>
enum CivilCalendar {
    /// The years for which no computation of this type overflows.
    static let yearRange = -999_999_999...999_999_999

    static let secondsPerDay: Int64 = 86_400

    /// The seconds from 1970-01-01 to 2001-01-01, the reference date of Foundation.
    static let secondsFrom1970To2001: Int64 = 978_307_200

    /// The days from 0000-03-01 to 1970-01-01.
    private static let daysFromYearZeroTo1970: Int64 = 719_468

    private static let daysPer400Years: Int64 = 146_097

    /// A day of the calendar.
    struct Day: Equatable, Sendable {
        var year: Int
        /// From 1 to 12.
        var month: Int
        /// From 1 to the number of days of the month.
        var day: Int
    }

    static func isLeapYear(_ year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    /// The number of days of a month.
    ///
    /// - precondition: the month is from 1 to 12.
    static func dayCount(year: Int, month: Int) -> Int {
        switch month {
        case 2: isLeapYear(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Whether a day exists in the calendar.
    static func isValid(_ day: Day) -> Bool {
        yearRange.contains(day.year)
            && 1...12 ~= day.month
            && 1...dayCount(year: day.year, month: day.month) ~= day.day
    }

    /// The number of days from 1970-01-01 to a valid day, negative before.
    ///
    /// Years are shifted to start in March, so that the leap day is the last day of the year, and the
    /// lengths of the months (31, 30, 31, 30, 31 twice, then 31 and the rest) follow the line
    /// `(153 * month + 2) / 5`.
    @inline(__always)
    static func daysSince1970(_ day: Day) -> Int64 {
        let startsInJanuary = day.month <= 2
        // Unsigned division always rounds down, without a branch.
        let year = UInt64(bitPattern: Int64(day.year) + shiftedYears) - (startsInJanuary ? 1 : 0)
        let monthsSinceMarch = UInt64(
            bitPattern: Int64(startsInJanuary ? day.month + 9 : day.month - 3))
        let days =
            365 * year + year / 4 - year / 100 + year / 400
            + (153 * monthsSinceMarch + 2) / 5
        return Int64(bitPattern: days) + Int64(day.day - 1) - daysFromYearZeroTo1970
            - shiftedYears / 400 * daysPer400Years
    }

    /// A multiple of 400 years, which makes all supported years positive.
    private static let shiftedYears: Int64 = 1_000_000_000

    /// Returns the day a number of days after 1970-01-01, or before it if the number is negative.
    ///
    /// - precondition: the year of the day is in ``yearRange``, or close to it.
    static func day(daysSince1970 days: Int64) -> Day {
        let days = days + daysFromYearZeroTo1970
        let cycle = floorDivide(days, daysPer400Years)
        // From here on, all numbers are positive. Years start in March.
        let dayOfCycle = days - cycle * daysPer400Years
        // Removing the leap days leaves years of 365 days. The last term removes the leap day at the end
        // of the cycle.
        let yearOfCycle =
            (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        return day(dayOfYear, sinceMarchOf: cycle * 400 + yearOfCycle)
    }

    /// Returns the day a number of days after March 1 of a year.
    @inline(__always)
    static func day(_ dayOfYear: Int64, sinceMarchOf year: Int64) -> Day {
        let monthsSinceMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthsSinceMarch + 2) / 5 + 1
        let month = monthsSinceMarch < 10 ? monthsSinceMarch + 3 : monthsSinceMarch - 9
        return Day(year: Int(year) + (month <= 2 ? 1 : 0), month: Int(month), day: Int(day))
    }

    /// Returns the quotient, rounded toward negative infinity.
    ///
    /// - precondition: the divisor is positive.
    static func floorDivide(_ dividend: Int64, _ divisor: Int64) -> Int64 {
        let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
