/// Day arithmetic of Foundation's calendar, `Calendar(identifier: .gregorian)`: the Julian calendar
/// until October 4th, 1582, and the Gregorian calendar from the following day, October 15th. There is
/// a year 0, as in ``CivilCalendar``.
///
/// Dates are stored in this calendar, so that the database contains the dates that apps display:
/// `Date.distantPast` is January 1st of year 1. SQLite's date functions use the Gregorian calendar
/// for all years, and differ by some days before 1582.
enum HistoricalCalendar {
    typealias Day = CivilCalendar.Day

    /// 1582-10-15, the first Gregorian day, as days since 1970.
    private static let reform: Int64 = -141_427

    /// The days from the Julian 0000-03-01 to 1970-01-01.
    private static let daysFromYearZeroTo1970: Int64 = 719_470

    /// The number of days from 1970-01-01 to a day, negative before.
    ///
    /// - returns: nil if the day does not exist in the calendar.
    static func daysSince1970(_ day: Day) -> Int64? {
        if CivilCalendar.isValid(day) {
            let days = CivilCalendar.daysSince1970(day)
            if days >= reform { return days }
        }
        guard isJulian(day) else { return nil }
        // Years start in March: see `CivilCalendar`.
        let startsInJanuary = day.month <= 2
        let year = Int64(startsInJanuary ? day.year - 1 : day.year)
        let monthsSinceMarch = Int64(startsInJanuary ? day.month + 9 : day.month - 3)
        let days =
            365 * year + CivilCalendar.floorDivide(year, 4)
            + (153 * monthsSinceMarch + 2) / 5
            + Int64(day.day - 1)
            - daysFromYearZeroTo1970
        return days < reform ? days : nil
    }

    /// Returns the day a number of days after 1970-01-01, or before it if the number is negative.
    ///
    /// - precondition: the year of the day is in `CivilCalendar.yearRange`, or close to it.
    static func day(daysSince1970 days: Int64) -> Day {
        guard days < reform else { return CivilCalendar.day(daysSince1970: days) }
        let days = days + daysFromYearZeroTo1970
        // A cycle of four years that start in March. The last day is the leap day.
        let cycle = CivilCalendar.floorDivide(days, 1_461)
        let dayOfCycle = days - cycle * 1_461
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1_460) / 365
        let dayOfYear = dayOfCycle - 365 * yearOfCycle
        return CivilCalendar.day(dayOfYear, sinceMarchOf: cycle * 4 + yearOfCycle)
    }

    /// Whether the day exists in the Julian calendar, in which every fourth year is a leap year.
    private static func isJulian(_ day: Day) -> Bool {
        guard CivilCalendar.yearRange.contains(day.year), 1...12 ~= day.month else { return false }
        let leapDay = day.month == 2 && day.year.isMultiple(of: 4) ? 1 : 0
        // Year 1 is not a leap year.
        return 1...CivilCalendar.dayCount(year: 1, month: day.month) + leapDay ~= day.day
    }
}
