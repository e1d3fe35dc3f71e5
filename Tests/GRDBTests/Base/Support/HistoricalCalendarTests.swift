import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite struct HistoricalCalendarTests {
    typealias Day = CivilCalendar.Day

    @Test(
        arguments: [
            (Day(year: 2000, month: 2, day: 29), 11_016),
            (Day(year: 1582, month: 10, day: 15), -141_427),
            (Day(year: 1582, month: 10, day: 4), -141_428),
            (Day(year: 1500, month: 2, day: 29), -171_596),
            (Day(year: 1, month: 1, day: 1), -719_164),
            (Day(year: 0, month: 12, day: 31), -719_165),
            (Day(year: 0, month: 1, day: 1), -719_530),
            // The origin of Julian days.
            (Day(year: -4712, month: 1, day: 1), -2_440_588),
        ] as [(Day, Int64)])
    func knownDays(day: Day, count: Int64) {
        expectEqual(HistoricalCalendar.daysSince1970(day), count)
        expectEqual(HistoricalCalendar.day(daysSince1970: count), day)
    }

    @Test(arguments: [
        Day(year: 1582, month: 10, day: 5), Day(year: 1582, month: 10, day: 14),
        Day(year: 1700, month: 2, day: 29), Day(year: 1501, month: 2, day: 29),
        Day(year: 1500, month: 2, day: 30), Day(year: 1500, month: 0, day: 1),
        Day(year: 1500, month: 13, day: 1), Day(year: 1500, month: 4, day: 31),
        Day(year: 1500, month: 1, day: 0), Day(year: .max, month: 1, day: 1),
        Day(year: .min, month: 1, day: 1), Day(year: 1500, month: .min, day: .max),
    ])
    func daysThatDoNotExist(day: Day) {
        expectEqual(HistoricalCalendar.daysSince1970(day), nil)
    }

    @Test func consecutiveDays() {
        var day = HistoricalCalendar.day(daysSince1970: -800_000)
        for days in Int64(-799_999)...50_000 {
            let next = HistoricalCalendar.day(daysSince1970: days)
            let isConsecutive =
                next == Day(year: day.year, month: day.month, day: day.day + 1)
                || next == Day(year: day.year, month: day.month + 1, day: 1)
                || next == Day(year: day.year + 1, month: 1, day: 1)
                || next == Day(year: 1582, month: 10, day: 15)
            if !isConsecutive || HistoricalCalendar.daysSince1970(next) != days {
                Issue.record("\(days)")
                return
            }
            day = next
        }
    }

    @Test func agreesWithFoundation() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try unwrap(TimeZone(secondsFromGMT: 0))
        var generator = SplitMix64(seed: 1582)
        // Foundation numbers years before 1 by era.
        let range = Int64(-719_164)...2_932_896
        let random = (0..<5_000).map { _ in Int64.random(in: range, using: &generator) }
        let boundaries = [range.lowerBound, -141_429, -141_428, -141_427, -141_426, -1, 0, 1]
        for days in random + boundaries + [range.upperBound] {
            let date = Date(timeIntervalSince1970: Double(days * 86_400))
            let components = calendar.dateComponents([.year, .month, .day], from: date)
            let day = HistoricalCalendar.day(daysSince1970: days)
            expectEqual(components.year, day.year)
            expectEqual(components.month, day.month)
            expectEqual(components.day, day.day)
            expectEqual(HistoricalCalendar.daysSince1970(day), days)
        }
    }
}
