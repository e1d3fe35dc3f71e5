import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite struct DateConversionTests {
    @Test func format() throws {
        let date = Date(timeIntervalSince1970: 1_437_526_923.456)
        expectEqual(date.databaseValue.storage, .string("2015-07-22 01:02:03.456"))
        try expectEqual(boundValue(date).storage, .string("2015-07-22 01:02:03.456"))
    }

    @Test func wellKnownDates() {
        expectEqual(Date.distantPast.databaseValue.storage, .string("0001-01-01 00:00:00.000"))
        expectEqual(Date.distantFuture.databaseValue.storage, .string("4001-01-01 00:00:00.000"))
    }

    @Test(
        arguments: [
            ("2015-07-22", 1_437_523_200), ("2015-07-22 01:02", 1_437_526_920),
            ("2015-07-22 01:02:03", 1_437_526_923), ("2015-07-22 01:02:03.4", 1_437_526_923.4),
            ("2015-07-22 01:02:03.456", 1_437_526_923.456),
            ("2015-07-22 01:02:03.456789", 1_437_526_923.456789),
            ("2015-07-22T01:02", 1_437_526_920), ("2015-07-22T01:02:03", 1_437_526_923),
            ("2015-07-22T01:02:03.456Z", 1_437_526_923.456),
            ("2015-07-22T01:02:03+02:00", 1_437_519_723), ("2015-07-22 01:02-02:30", 1_437_535_920),
            ("2015-07-22 24:00", 1_437_609_600), ("1969-12-31 23:59:59.999", -0.001),
        ] as [(String, Double)])
    func formats(text: String, secondsSince1970: Double) throws {
        for expression in ["'\(text)'", "CAST('\(text)' AS BLOB)"] {
            let live: Date = try unwrap(column(expression))
            #expect(abs(live.timeIntervalSince1970 - secondsSince1970) < 1e-6)
            try expectEqual(copiedColumn(expression), live)
        }
    }

    /// The dates that Foundation's calendar makes of the same components, to the last bit.
    @Test func dateIsNearestToItsText() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try unwrap(TimeZone(secondsFromGMT: 0))
        let whole = try unwrap(
            calendar.date(
                from: DateComponents(
                    year: 2017, month: 7, day: 14, hour: 2, minute: 40, second: 0)))
        let reference = whole.timeIntervalSinceReferenceDate
        for millisecond in 0..<1_000 {
            let digits = String(1_000 + millisecond).dropFirst()
            let date = try unwrap(
                Date.fromDatabaseValue("2017-07-14 02:40:00.\(digits)".databaseValue))
            let exact = try unwrap(Double("\(Int(reference)).\(digits)"))
            expectEqual(date.timeIntervalSinceReferenceDate, exact)
        }
    }

    @Test func numbersAreSecondsSince1970() throws {
        for (expression, seconds) in [
            ("0", 0), ("1500000000", 1.5e9), ("-1.5", -1.5), ("1e20", 1e20),
        ] {
            try expectEqual(column(expression), Date(timeIntervalSince1970: seconds))
            try expectEqual(copiedColumn(expression), Date(timeIntervalSince1970: seconds))
        }
    }

    @Test(arguments: [
        "NULL", "''", "'Mom''s birthday'", "'now'", "'01:02:03'", "'2015-02-29'", "'2015-13-01'",
        "'2015-07-22x'", "'12'", "'2457225.5'", "x''", "x'ff'", "'-'", "'-12x'",
        "'2015-07-22 24:01'",
    ])
    func refused(expression: String) throws {
        try expectEqual(column(expression, as: Date.self), nil)
        try expectEqual(copiedColumn(expression, as: Date.self), nil)
    }

    @Test func millisecondsRoundTrip() throws {
        var generator = SplitMix64(seed: 99)
        for _ in 0..<1_000 {
            let milliseconds = Int64.random(
                in: -62_167_392_000_000...253_402_300_799_999, using: &generator)
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
            let read = try unwrap(Date.fromDatabaseValue(date.databaseValue))
            #expect(abs(read.timeIntervalSince(date)) < 0.000_1)
            expectEqual(read.databaseValue, date.databaseValue)
            // What was read once is stable.
            expectEqual(Date.fromDatabaseValue(read.databaseValue), read)
        }
    }

    @Test func agreesWithFoundation() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try unwrap(TimeZone(secondsFromGMT: 0))
        var generator = SplitMix64(seed: 4)
        for _ in 0..<2_000 {
            let seconds = Int64.random(in: -62_135_769_600...253_402_300_799, using: &generator)
            let date = Date(timeIntervalSince1970: Double(seconds))
            let components = calendar.dateComponents(
                [.year, .month, .day, .hour, .minute, .second], from: date)
            let dbComponents = DatabaseDateComponents(components, format: .YMD_HMSS)
            expectEqual(date.databaseValue, dbComponents.databaseValue)
            expectEqual(Date.fromDatabaseValue(dbComponents.databaseValue), date)
        }
    }

    @Test func agreesWithSQLite() throws {
        var generator = SplitMix64(seed: 5)
        for _ in 0..<300 {
            // The calendars differ before 1582.
            let seconds = Int64.random(in: -12_219_292_800...253_402_300_799, using: &generator)
            let expression = "strftime('%Y-%m-%d %H:%M:%f', \(seconds), 'unixepoch')"
            let date = Date(timeIntervalSince1970: Double(seconds))
            try expectEqual(databaseValue(expression), date.databaseValue)
            try withColumn("unixepoch(?)", date) { statement in
                expectEqual(Int64.fromStatement(statement, atUncheckedIndex: 0), seconds)
            }
        }
    }

    /// From before year 0 to far after year 9999.
    private let wideRange: [Double] = [
        -.infinity, -1e20, -1e15, -62_167_392_000.5, -62_167_392_000, -62_135_596_800, -1, 0, 1e9,
        253_402_300_799, 253_402_300_800, 1e12, 1e15, 3e16,
    ]

    @Test func allDatesRoundTrip() throws {
        for seconds in wideRange + [1e17, 1e300, .infinity] {
            try expectRoundTrip(Date(timeIntervalSince1970: seconds))
        }
    }

    @Test(arguments: ["", "DATETIME", "TEXT"])
    func datesSortAndRoundTripInColumns(columnType: String) throws {
        let cast = columnType == "TEXT" ? "CAST(? AS TEXT)" : "?"
        var previous: DatabaseValue?
        // SQLite's text of an infinite number is not one that it reads.
        let seconds = columnType == "TEXT" ? Array(wideRange.dropFirst()) : wideRange
        for seconds in seconds {
            let date = Date(timeIntervalSince1970: seconds)
            let stored = try withColumn(cast, date) { statement in
                DatabaseValue(sqliteStatement: statement, index: 0)
            }
            expectEqual(Date.fromDatabaseValue(stored), date)
            // Numbers in text don't sort.
            if let previous, columnType != "TEXT" || seconds > -62_167_392_000 {
                try withColumn("? < ?", previous, stored) { statement in
                    expectEqual(Bool.fromStatement(statement, atUncheckedIndex: 0), true)
                }
            }
            previous = stored
        }
    }

    @Test func notANumberIsNull() throws {
        try expectTrue(boundValue(Date(timeIntervalSince1970: .nan)).isNull)
    }

    @Test(
        arguments: [
            (2_440_587.5, 0), (2_440_587.5 + 1.0 / 86_400, 1), (2_457_225.54215, 1_437_526_841.76),
            (0, -210_866_760_000), (-1, -210_866_846_400), (5_373_484.5, 253_402_300_800),
            (1_721_425.5, -62_135_596_800),
        ] as [(Double, Double)])
    func julianDays(julianDay: Double, secondsSince1970: Double) {
        expectEqual(Date(julianDay: julianDay), Date(timeIntervalSince1970: secondsSince1970))
    }

    @Test func julianDaysAgreeWithSQLite() throws {
        var generator = SplitMix64(seed: 6)
        for _ in 0..<200 {
            let julianDay = Double.random(in: 2_299_160.5..<5_373_484.5, using: &generator)
            let date = try unwrap(Date(julianDay: julianDay))
            try withColumn("strftime('%Y-%m-%d %H:%M:%f', ?)", julianDay) { statement in
                let text = DatabaseValue(sqliteStatement: statement, index: 0)
                expectEqual(text, date.databaseValue)
            }
        }
    }

    @Test(arguments: [.nan, .infinity, -.infinity, 1e9, -1e9, 1e300] as [Double])
    func julianDaysOutOfRange(julianDay: Double) {
        expectEqual(Date(julianDay: julianDay), nil)
    }
}
