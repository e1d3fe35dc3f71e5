import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite struct DatabaseDateComponentsTests {
    typealias Format = DatabaseDateComponents.Format

    private let full = DateComponents(
        year: 1973, month: 9, day: 18, hour: 10, minute: 11, second: 12, nanosecond: 123_456_789)

    @Test(
        arguments: [
            (.YMD, "1973-09-18"), (.YMD_HM, "1973-09-18 10:11"), (.YMD_HMS, "1973-09-18 10:11:12"),
            (.YMD_HMSS, "1973-09-18 10:11:12.123"), (.HM, "10:11"), (.HMS, "10:11:12"),
            (.HMSS, "10:11:12.123"),
        ] as [(Format, String)])
    func writes(format: Format, text: String) throws {
        let value = DatabaseDateComponents(full, format: format)
        expectEqual(value.databaseValue.storage, .string(text))
        try expectEqual(boundValue(value).storage, .string(text))
    }

    @Test(
        arguments: [
            (.YMD, "0000-01-01"), (.YMD_HM, "0000-01-01 00:00"), (.YMD_HMS, "0000-01-01 00:00:00"),
            (.YMD_HMSS, "0000-01-01 00:00:00.000"), (.HM, "00:00"), (.HMS, "00:00:00"),
            (.HMSS, "00:00:00.000"),
        ] as [(Format, String)])
    func writesMissingComponents(format: Format, text: String) {
        let value = DatabaseDateComponents(DateComponents(), format: format)
        expectEqual(value.databaseValue.storage, .string(text))
    }

    @Test(arguments: [
        (0, "000"), (499_999, "000"), (500_000, "001"), (123_456_789, "123"), (999_499_999, "999"),
        (999_999_999, "999"), (-1, "000"), (5_000_000_000, "999"), (Int.min, "000"),
        (Int.max - 1, "999"),
    ])
    func roundsFractions(nanosecond: Int, digits: String) {
        let value = DatabaseDateComponents(DateComponents(nanosecond: nanosecond), format: .HMSS)
        expectEqual(value.databaseValue.storage, .string("00:00:00.\(digits)"))
    }

    @Test func componentsOutOfRangeDoNotTrap() {
        for number in [Int.min, -5, 12_345, .max - 1] {
            let components = DateComponents(
                year: number, month: number, day: number, hour: number, minute: number,
                second: number, nanosecond: number)
            let value = DatabaseDateComponents(components, format: .YMD_HMSS)
            expectEqual(Date(databaseDateComponents: value), nil)
            expectNil(DatabaseDateComponents.fromDatabaseValue(value.databaseValue))
        }
    }

    @Test(arguments: [-4_713, -1, 0, 9_999, 10_000, 999_999_999])
    func yearsRoundTrip(year: Int) throws {
        let value = DatabaseDateComponents(
            DateComponents(year: year, month: 3, day: 15), format: .YMD)
        let read = try unwrap(DatabaseDateComponents.fromDatabaseValue(value.databaseValue))
        expectEqual(read.dateComponents, value.dateComponents)
        expectEqual(
            Date.fromDatabaseValue(value.databaseValue), Date(databaseDateComponents: value))
    }

    @Test(
        arguments: [
            ("1973-09-18", .YMD), ("1973-09-18 10:11", .YMD_HM), ("1973-09-18T10:11", .YMD_HM),
            ("1973-09-18 10:11:12", .YMD_HMS), ("1973-09-18T10:11:12", .YMD_HMS),
            ("1973-09-18 10:11:12.5", .YMD_HMSS), ("1973-09-18T10:11:12.5", .YMD_HMSS),
            ("10:11", .HM), ("10:11:12", .HMS), ("10:11:12.5", .HMSS),
        ] as [(String, Format)])
    func reads(text: String, format: Format) throws {
        var components = DateComponents()
        if text.hasPrefix("1973") {
            components.year = 1973
            components.month = 9
            components.day = 18
        }
        if text.contains("10:11") {
            components.hour = 10
            components.minute = 11
        }
        if text.contains(":12") { components.second = 12 }
        if text.contains(".5") { components.nanosecond = 500_000_000 }
        for expression in ["'\(text)'", "CAST('\(text)' AS BLOB)"] {
            let live: DatabaseDateComponents = try unwrap(column(expression))
            expectEqual(live.format, format)
            expectEqual(live.dateComponents, components)
            let copied: DatabaseDateComponents = try unwrap(copiedColumn(expression))
            expectEqual(copied.format, format)
            expectEqual(copied.dateComponents, components)
        }
    }

    @Test func readsTimeZones() throws {
        for (zone, offset) in [("Z", 0), ("+02:00", 7_200), ("-03:30", -12_600)] {
            let value: DatabaseDateComponents = try unwrap(
                column("'1973-09-18 10:11:12\(zone)'"))
            expectEqual(value.dateComponents.timeZone, TimeZone(secondsFromGMT: offset))
            expectEqual(value.dateComponents.hour, 10)
            expectEqual(value.format, .YMD_HMS)
        }
    }

    /// They are components, not a date: SQLite accepts them.
    @Test func readsDaysThatAreNoDate() throws {
        let value: DatabaseDateComponents = try unwrap(column("'2015-02-30'"))
        expectEqual(value.dateComponents, DateComponents(year: 2015, month: 2, day: 30))
        expectEqual(Date(databaseDateComponents: value), nil)
    }

    @Test(arguments: [
        "NULL", "0", "1", "1.5", "'abc'", "'12'", "''", "x''", "x'616263'", "'1973-09-18x'",
    ])
    func refused(expression: String) throws {
        try expectNil(column(expression, as: DatabaseDateComponents.self))
        try expectNil(copiedColumn(expression, as: DatabaseDateComponents.self))
    }

    @Test func rawValuesOfFormats() {
        let formats: [Format] = [.HM, .HMS, .HMSS, .YMD, .YMD_HM, .YMD_HMS, .YMD_HMSS]
        expectEqual(
            formats.map(\.rawValue),
            [
                "HH:mm", "HH:mm:ss", "HH:mm:ss.SSS", "yyyy-MM-dd", "yyyy-MM-dd HH:mm",
                "yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd HH:mm:ss.SSS",
            ])
    }

    @Test func codable() throws {
        let value = DatabaseDateComponents(full, format: .YMD)
        let json = try JSONEncoder().encode([value])
        expectEqual(String(decoding: json, as: UTF8.self), #"["1973-09-18"]"#)
        let decoded = try JSONDecoder().decode([DatabaseDateComponents].self, from: json)
        expectEqual(decoded.first?.format, .YMD)
        expectEqual(decoded.first?.dateComponents, DateComponents(year: 1973, month: 9, day: 18))
        expectError(DecodingError.self) {
            try JSONDecoder().decode([DatabaseDateComponents].self, from: Data(#"["x"]"#.utf8))
        }
    }

    @Test func date() throws {
        expectEqual(
            Date(databaseDateComponents: DatabaseDateComponents(full, format: .YMD_HM)),
            Date(timeIntervalSince1970: 117_195_060))
        expectEqual(
            Date(databaseDateComponents: DatabaseDateComponents(full, format: .YMD)),
            Date(timeIntervalSince1970: 117_158_400))
        expectEqual(Date(databaseDateComponents: DatabaseDateComponents(full, format: .HMSS)), nil)
        expectEqual(
            Date(databaseDateComponents: DatabaseDateComponents(DateComponents(), format: .YMD)),
            Date(timeIntervalSince1970: -62_167_392_000))
    }

    @Test func dateInTimeZone() throws {
        var components = DateComponents(year: 2015, month: 7, day: 22, hour: 1, minute: 2)
        components.timeZone = TimeZone(secondsFromGMT: 7_200)
        expectEqual(
            Date(databaseDateComponents: DatabaseDateComponents(components, format: .YMD_HM)),
            Date(timeIntervalSince1970: 1_437_519_720))
        // Half an hour before clocks change, and half an hour after.
        let paris = try unwrap(TimeZone(identifier: "Europe/Paris"))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = paris
        for minute in [30, 210] {
            var components = DateComponents(year: 2024, month: 3, day: 31)
            components.hour = minute / 60
            components.minute = minute % 60
            let expected = calendar.date(from: components)
            components.timeZone = paris
            let value = DatabaseDateComponents(components, format: .YMD_HM)
            expectEqual(Date(databaseDateComponents: value), expected)
        }
    }
}
