import GRDBTestSupport
import Testing

@testable import GRDB

@Suite struct DateTimeFormatTests {
    private func text(_ secondsSince1970: Double) -> String? {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: DateTimeFormat.maximumLength) {
            buffer in
            DateTimeFormat.write(secondsSince1970: secondsSince1970, to: buffer).map { count in
                String(decoding: buffer[..<count], as: UTF8.self)
            }
        }
    }

    @Test(
        arguments: [
            (0, "1970-01-01 00:00:00.000"),
            (-0.0, "1970-01-01 00:00:00.000"),
            (0.001, "1970-01-01 00:00:00.001"),
            (0.1234, "1970-01-01 00:00:00.123"),
            (0.1236, "1970-01-01 00:00:00.124"),
            (0.9994, "1970-01-01 00:00:00.999"),
            (0.9996, "1970-01-01 00:00:01.000"),
            (-0.0004, "1970-01-01 00:00:00.000"),
            (-0.0006, "1969-12-31 23:59:59.999"),
            (-0.5, "1969-12-31 23:59:59.500"),
            (59.9996, "1970-01-01 00:01:00.000"),
            (1_500_000_000.123, "2017-07-14 02:40:00.123"),
            (951_782_399.9996, "2000-02-29 00:00:00.000"),
            (946_684_799.9996, "2000-01-01 00:00:00.000"),
            (-62_135_769_600, "0001-01-01 00:00:00.000"),
            (-12_219_292_800, "1582-10-15 00:00:00.000"),
            (-12_219_292_801, "1582-10-04 23:59:59.000"),
            (64_092_211_200, "4001-01-01 00:00:00.000"),
            (-62_167_392_000, "0000-01-01 00:00:00.000"),
            (253_402_300_799.999, "9999-12-31 23:59:59.999"),
            (253_402_300_799.9999, "Y000010000-01-01 00:00:00.000"),
            (253_402_300_800, "Y000010000-01-01 00:00:00.000"),
            (31_556_889_832_780_796, "Y999999999-12-31 23:59:56.000"),
        ] as [(Double, String)])
    func knownInstants(seconds: Double, expected: String) {
        expectEqual(text(seconds), expected)
    }

    @Test(
        arguments: [
            -62_167_392_000.001, -62_167_392_001, -1e300, 31_556_889_832_780_800, 1e300, .infinity,
            -.infinity, .nan, .greatestFiniteMagnitude,
        ] as [Double])
    func instantsWithoutText(seconds: Double) {
        expectEqual(text(seconds), nil)
    }

    @Test func readsWhatItWrites() throws {
        var generator = SplitMix64(seed: 42)
        for range in [-62_167_392_000_000...253_402_300_799_999, 0...4_000_000_000_000] {
            for _ in 0..<10_000 {
                let milliseconds = Int.random(in: range, using: &generator)
                var written = try unwrap(text(Double(milliseconds) / 1_000))
                let read = try unwrap(written.withUTF8 { DateTimeText($0) })
                let seconds = try unwrap(read.secondsSince1970)
                expectEqual(Int(seconds) * 1_000 + read.nanosecond / 1_000_000, milliseconds)
                let interval = try unwrap(read.secondsSinceReferenceDate)
                expectEqual(text(interval + 978_307_200), written)
            }
        }
    }

    @Test func textSortsLikeTime() throws {
        var generator = SplitMix64(seed: 3)
        var instants: [Double] = [0, 253_402_300_799, 253_402_300_800]
        for exponent in 0...15 {
            for _ in 0..<50 {
                instants.append(Double.random(in: 0..<1, using: &generator) * pow10(exponent))
            }
        }
        instants.sort()
        let texts = try instants.map { try #require(text($0)) }
        expectEqual(texts, texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    }

    private func pow10(_ exponent: Int) -> Double {
        (0..<exponent).reduce(1) { power, _ in power * 10 }
    }
}
