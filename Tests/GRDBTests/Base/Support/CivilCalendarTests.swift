import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite struct CivilCalendarTests {
    typealias Day = CivilCalendar.Day

    @Test(
        arguments: [
            (Day(year: 1970, month: 1, day: 1), 0),
            (Day(year: 1970, month: 1, day: 2), 1),
            (Day(year: 1969, month: 12, day: 31), -1),
            (Day(year: 2000, month: 2, day: 29), 11_016),
            (Day(year: 2000, month: 3, day: 1), 11_017),
            (Day(year: 2001, month: 1, day: 1), 11_323),
            (Day(year: 1, month: 1, day: 1), -719_162),
            (Day(year: 0, month: 3, day: 1), -719_468),
            (Day(year: 0, month: 2, day: 29), -719_469),
            (Day(year: 0, month: 1, day: 1), -719_528),
            (Day(year: -1, month: 12, day: 31), -719_529),
            (Day(year: -4713, month: 11, day: 24), -2_440_588),
            (Day(year: 9999, month: 12, day: 31), 2_932_896),
        ] as [(Day, Int64)])
    func knownDays(day: Day, count: Int64) {
        expectEqual(CivilCalendar.daysSince1970(day), count)
        expectEqual(CivilCalendar.day(daysSince1970: count), day)
    }

    /// Walks through all days of 900 years around year 0, and of 900 years around 2000.
    @Test(arguments: [-450, 1550])
    func consecutiveDays(firstYear: Int) {
        var days = CivilCalendar.daysSince1970(Day(year: firstYear, month: 1, day: 1))
        for year in firstYear..<(firstYear + 900) {
            for month in 1...12 {
                for day in 1...CivilCalendar.dayCount(year: year, month: month) {
                    let expected = Day(year: year, month: month, day: day)
                    if CivilCalendar.day(daysSince1970: days) != expected
                        || CivilCalendar.daysSince1970(expected) != days
                    {
                        Issue.record("\(expected)")
                        return
                    }
                    days += 1
                }
            }
        }
    }

    @Test func extremeYearsRoundTrip() {
        for year in [CivilCalendar.yearRange.lowerBound, CivilCalendar.yearRange.upperBound] {
            for day in [Day(year: year, month: 1, day: 1), Day(year: year, month: 12, day: 31)] {
                expectEqual(CivilCalendar.day(daysSince1970: CivilCalendar.daysSince1970(day)), day)
            }
        }
    }

    /// Foundation uses the Julian calendar before October 15th, 1582.
    @Test func agreesWithFoundationSince1582() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try unwrap(TimeZone(secondsFromGMT: 0))
        var generator = SplitMix64(seed: 1582)
        let first = CivilCalendar.daysSince1970(Day(year: 1582, month: 10, day: 15))
        let last = CivilCalendar.daysSince1970(Day(year: 9999, month: 12, day: 31))
        for _ in 0..<5_000 {
            let days = Int64.random(in: first...last, using: &generator)
            let date = Date(timeIntervalSince1970: Double(days * 86_400))
            let components = calendar.dateComponents([.year, .month, .day], from: date)
            let day = CivilCalendar.day(daysSince1970: days)
            expectEqual(components.year, day.year)
            expectEqual(components.month, day.month)
            expectEqual(components.day, day.day)
        }
    }

    @Test func leapYears() {
        expectTrue([-4, 0, 4, 1600, 2000, 2024, 2400].allSatisfy(CivilCalendar.isLeapYear))
        expectTrue(![-100, -1, 1, 100, 1900, 2023, 2100].contains(where: CivilCalendar.isLeapYear))
    }

    @Test func validDays() {
        expectTrue(CivilCalendar.isValid(Day(year: 2024, month: 2, day: 29)))
        expectTrue(CivilCalendar.isValid(Day(year: 0, month: 1, day: 1)))
        expectTrue(!CivilCalendar.isValid(Day(year: 2023, month: 2, day: 29)))
        expectTrue(!CivilCalendar.isValid(Day(year: 2023, month: 4, day: 31)))
        expectTrue(!CivilCalendar.isValid(Day(year: 2023, month: 0, day: 1)))
        expectTrue(!CivilCalendar.isValid(Day(year: 2023, month: 13, day: 1)))
        expectTrue(!CivilCalendar.isValid(Day(year: 2023, month: 1, day: 0)))
        expectTrue(!CivilCalendar.isValid(Day(year: 2023, month: 1, day: 32)))
        expectTrue(!CivilCalendar.isValid(Day(year: .max, month: 1, day: 1)))
        expectTrue(!CivilCalendar.isValid(Day(year: 2023, month: .min, day: .max)))
    }

    @Test func floorDivision() {
        expectEqual(CivilCalendar.floorDivide(7, 4), 1)
        expectEqual(CivilCalendar.floorDivide(-1, 4), -1)
        expectEqual(CivilCalendar.floorDivide(-4, 4), -1)
        expectEqual(CivilCalendar.floorDivide(-5, 4), -2)
        expectEqual(CivilCalendar.floorDivide(0, 4), 0)
    }
}
