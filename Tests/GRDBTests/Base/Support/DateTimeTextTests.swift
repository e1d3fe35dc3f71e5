import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite struct DateTimeTextTests {
    private func read(_ text: String) -> DateTimeText? {
        var text = text
        return text.withUTF8 { DateTimeText($0) }
    }

    @Test func readsDates() {
        expectEqual(read("2015-07-22"), DateTimeText(day: .init(year: 2015, month: 7, day: 22)))
        expectEqual(read("-0044-03-15"), DateTimeText(day: .init(year: -44, month: 3, day: 15)))
        expectEqual(
            read("Y000012345-03-15"),
            DateTimeText(day: .init(year: 12_345, month: 3, day: 15)))
    }

    @Test func readsTimes() {
        expectEqual(read("01:02"), DateTimeText(timePrecision: .minute, hour: 1, minute: 2))
        expectEqual(
            read("01:02:03"),
            DateTimeText(timePrecision: .second, hour: 1, minute: 2, second: 3))
        expectEqual(
            read("23:59:59.5Z"),
            DateTimeText(
                timePrecision: .fraction, hour: 23, minute: 59, second: 59,
                nanosecond: 500_000_000, utcOffset: 0))
    }

    @Test(arguments: [" ", "T"])
    func readsDatesWithTimes(separator: String) {
        var expected = DateTimeText(
            day: .init(year: 2015, month: 7, day: 22), timePrecision: .minute, hour: 1, minute: 2)
        expectEqual(read("2015-07-22\(separator)01:02"), expected)
        expected.timePrecision = .second
        expected.second = 3
        expectEqual(read("2015-07-22\(separator)01:02:03"), expected)
        expected.timePrecision = .fraction
        expected.nanosecond = 456_000_000
        expectEqual(read("2015-07-22\(separator)01:02:03.456"), expected)
    }

    @Test(arguments: [
        ("0", 0), ("4", 400_000_000), ("45", 450_000_000), ("456", 456_000_000),
        ("4567", 456_700_000), ("000000001", 1), ("123456789", 123_456_789),
        ("1234567899", 123_456_789), ("99999999999999999999999", 999_999_999),
    ])
    func readsFractions(digits: String, nanosecond: Int) {
        expectEqual(read("2015-07-22 01:02:03.\(digits)")?.nanosecond, nanosecond)
    }

    @Test(arguments: [
        ("Z", 0), (" Z", 0), ("+00:00", 0), ("-00:00", 0), ("+02:00", 7_200), ("-02:30", -9_000),
        ("  +02:00", 7_200), ("+14:59", 53_940), ("-14:59", -53_940),
    ])
    func readsTimeZones(zone: String, offset: Int) {
        for time in ["2015-07-22 01:02", "2015-07-22T01:02:03", "01:02", "01:02:03.4"] {
            expectEqual(read(time + zone)?.utcOffset, offset)
        }
    }

    @Test(arguments: [
        "", " ", "now", "Mom’s birthday", "2015", "2015-07", "2015-07-", "2015-7-2", "15-07-22",
        "02015-07-22", "+2015-07-22", "--2015-07-22", "-015-07-22", "10000-01-01", "Y10000-01-01",
        "Y0000012345-01-01", "2015/07/22", "20150722", "2457225.5", "2015-07-22x", " 2015-07-22",
        "2015-07-22 01", "2015-07-22 01:", "2015-07-22 1:02",
        "2015-07-22 01:2", "2015-07-22 01:02:", "2015-07-22 01:02:3", "2015-07-22 01:02:03.",
        "2015-07-22 01:02:03.x", "2015-07-22 01:02:03.4x", "2015-07-22 01:02:03,456",
        "2015-07-22t01:02",
        "2015-07-22 01:02x", "2015-07-22 01:02:03x", "2015-07-22Z", "2015-07-22+02:00",
        "2015-07-22 01:02ZZ", "2015-07-22 01:02+02", "2015-07-22 01:02+0200",
        "2015-07-22 01:02+2:00", "2015-07-22 01:02+15:00", "2015-07-22 01:02+02:60",
        "2015-07-22 01:02+02:00x", "2015-00-01", "2015-13-01", "2015-01-00", "2015-01-32",
        "2015-07-22 25:00", "2015-07-22 23:60", "2015-07-22 23:59:60", "25:00", "24", "01:02\0",
        "2015-07-22\0", "２０１５-07-22", "2015-07-22 01:02:03.٣", "01:02:03:04", "1:02", "001:02",
        "-01:02",
    ])
    func refuses(text: String) {
        expectEqual(read(text), nil)
    }

    @Test func refusesAllPrefixesOfTheFirstDate() {
        let text = "2015-07-22 01:02:03.4+02:00"
        let valid: Set = [10, 11, 16, 19, 21, 27]
        for count in 0...text.count {
            expectEqual((read(String(text.prefix(count))) != nil), valid.contains(count))
        }
    }

    /// SQLite accepts any number of blanks, and `z`.
    @Test func readsWhatSQLiteReads() throws {
        var random = SplitMix64(seed: 3)
        let pieces = [
            ["2015-07-22"], ["", " ", "T", "  ", "\t", "T ", "\r\n"],
            ["", "01:02", "01:02:03", "01:02:03.4", "01:02:03.4567"], ["", " ", "\n "],
            ["", "Z", "z", "+02:00", "-14:59", "+00:00", "ZZ", "+2:00"],
            ["", " ", "\u{b}\u{c}", "x"],
        ]
        try DatabaseQueue().read { db in
            let statement = try db.makeStatement(sql: "SELECT strftime('%s', ?)")
            var count = 0
            for _ in 0..<3_000 {
                let text = pieces.map { $0.randomElement(using: &random)! }.joined()
                let expected = try Int64.fetchOne(statement, arguments: [text])
                if expected != nil { count += 1 }
                expectEqual(read(text)?.secondsSince1970, expected, "\(text.debugDescription)")
                expectTrue(Date.fromDatabaseValue(text.databaseValue) != nil || expected == nil)
            }
            #expect(count > 500)
        }
    }

    /// Whatever the bytes are, reading them must not trap.
    @Test func survivesGarbage() {
        var generator = SplitMix64(seed: 7)
        let bytes = Array("0123456789-:T Z.+Yx\0".utf8)
        let template = Array("2015-07-22 01:02:03.456+02:00".utf8)
        var dates: [Double] = []
        for _ in 0..<20_000 {
            var text = template
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = text.indices.randomElement(using: &generator)!
                text[index] = bytes.randomElement(using: &generator)!
            }
            text.removeLast(Int.random(in: 0..<text.count, using: &generator))
            let result = text.withUnsafeBufferPointer { DateTimeText($0) }
            if let seconds = result?.secondsSinceReferenceDate { dates.append(seconds) }
        }
        expectTrue(!dates.isEmpty && dates.count < 20_000)
        expectTrue(dates.allSatisfy { $0.isFinite })
    }

    @Test(
        arguments: [
            ("1970-01-01", 0), ("1970-01-01 00:00:01.999", 1), ("1969-12-31 23:59:59", -1),
            ("2015-07-22T01:02:03+02:00", 1_437_519_723), ("2015-07-22 24:00", 1_437_609_600),
            ("0000-01-01", -62_167_392_000), ("9999-12-31 23:59:59", 253_402_300_799),
            ("-4712-01-01 12:00", -210_866_760_000), ("1970-01-01 00:00-01:00", 3_600),
            ("Y999999999-12-31 23:59:59", 31_556_889_832_780_799),
        ] as [(String, Int64)])
    func secondsSince1970(text: String, seconds: Int64) {
        expectEqual(read(text)?.secondsSince1970, seconds)
    }

    @Test(arguments: [
        "01:02", "2015-02-29", "2015-02-30", "2015-04-31 12:00", "1900-02-29", "2015-07-22 24:01",
        "2015-07-22 24:00:00.1", "2015-07-22 24:00:01", "1582-10-05", "1582-10-14", "1581-02-29",
    ])
    func textsThatAreNoInstant(text: String) throws {
        let dateTime = try unwrap(read(text))
        expectEqual(dateTime.secondsSince1970, nil)
        expectEqual(dateTime.secondsSinceReferenceDate, nil)
    }
}
