import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

/// The fast way to read dates, compared with `DateTimeText`, which reads all formats.
struct StoredDateTextTests {
    private func milliseconds(_ text: some Sequence<UInt8>) -> Int64? {
        Array(text).withUnsafeBufferPointer { StoredDateText.millisecondsSince1970($0) }
    }

    private func expected(_ text: some Sequence<UInt8>) -> Int64? {
        Array(text).withUnsafeBufferPointer { utf8 in
            guard let text = DateTimeText(utf8), let seconds = text.secondsSince1970 else {
                return nil
            }
            return seconds * 1_000 + Int64(text.nanosecond / 1_000_000)
        }
    }

    @Test(arguments: [
        ("1970-01-01 00:00:00.000", 0), ("1970-01-01 00:00:00.001", 1),
        ("1969-12-31 23:59:59.999", -1), ("2000-02-29 12:34:56.789", 951_827_696_789),
        ("1583-01-01 00:00:00.000", -12_212_553_600_000),
        ("9999-12-31 23:59:59.999", 253_402_300_799_999),
    ])
    func readsStoredDates(text: String, milliseconds: Int64) {
        expectEqual(self.milliseconds(text.utf8), milliseconds)
        expectEqual(expected(text.utf8), milliseconds)
    }

    @Test(arguments: [
        "", "2015-07-22", "2015-07-22 01:02:03", "2015-07-22T01:02:03.456",
        "2015-07-22 01:02:03.4567", "2015-07-22 01:02:03.45Z", "1582-12-31 00:00:00.000",
        "2015-02-29 00:00:00.000", "2015-02-30 00:00:00.000", "2015-04-31 00:00:00.000",
        "2015-00-01 00:00:00.000", "2015-13-01 00:00:00.000", "2015-01-00 00:00:00.000",
        "2015-07-22 24:00:00.000", "2015-07-22 01:60:00.000", "2015-07-22 01:02:60.000",
        "2015-07-22 01:02:03,456", "2015/07/22 01:02:03.456", "-015-07-22 01:02:03.456",
        "2015-07-22 01:02:03.45\0", "２015-07-22 01:02:03.4",
    ])
    func leavesOtherTextsToTheReaderOfAllFormats(text: String) {
        expectEqual(milliseconds(text.utf8), nil)
    }

    @Test func readsEveryDayLikeTheReaderOfAllFormats() throws {
        var day = Date(timeIntervalSince1970: -12_212_553_600)
        let end = Date(timeIntervalSince1970: 253_402_214_400)
        var generator = SplitMix64(seed: 11)
        while day < end {
            let date = day.addingTimeInterval(
                Double(Int.random(in: 0..<86_400_000, using: &generator)) / 1_000)
            let text = try unwrap(String.fromDatabaseValue(date.databaseValue))
            let found = try unwrap(milliseconds(text.utf8))
            expectEqual(found, expected(text.utf8))
            expectEqual(
                Date.fromDatabaseValue(text.databaseValue)?.databaseValue, date.databaseValue)
            day.addTimeInterval(86_400 * 29)
        }
    }

    /// One to three bytes of a stored date are replaced by any other byte.
    @Test func readsNothingElseThanTheReaderOfAllFormats() {
        var generator = SplitMix64(seed: 12)
        let likely = Array("0123456789-:. T".utf8)
        var readCount = 0
        for _ in 0..<40_000 {
            var text = Array("2015-07-22 01:02:03.456".utf8)
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                text[Int.random(in: 0..<text.count, using: &generator)] =
                    Bool.random(using: &generator)
                    ? likely.randomElement(using: &generator)!
                    : UInt8.random(in: 0...255, using: &generator)
            }
            guard let found = milliseconds(text) else { continue }
            readCount += 1
            expectEqual(found, expected(text))
        }
        #expect(readCount > 1_000)
    }
}
