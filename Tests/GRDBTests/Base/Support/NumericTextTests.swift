import GRDBTestSupport
import Testing

@testable import GRDB

@Suite struct NumericTextTests {
    private func read<Value>(_ text: String, _ body: (NumericText) -> Value?) -> Value? {
        var text = text
        return text.withUTF8 { NumericText($0).flatMap(body) }
    }

    private func integer<Integer: FixedWidthInteger>(
        _ text: String, as type: Integer.Type = Integer.self
    ) -> Integer? {
        read(text) { $0.integer() }
    }

    private func real(_ text: String) -> Double? {
        read(text) { $0.real }
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("+0", 0), ("12", 12), ("-12", -12), ("+12", 12), ("0012", 12),
            (" 12", 12), ("12\n", 12), ("\t\u{b}\u{c}\r 12 ", 12), ("12.", 12), ("12.0", 12),
            ("12.000", 12), (".0", 0), ("0.0e5", 0), ("1e3", 1_000), ("1E3", 1_000),
            ("1e+3", 1_000),
            ("1.5e1", 15), ("1500e-2", 15), ("0.00015e5", 15), ("100e-2", 1), ("10.50e1", 105),
            ("9223372036854775807", .max), ("-9223372036854775808", .min),
            ("9223372036854775807.000", .max), ("9223372036854775807000e-3", .max),
            ("9007199254740993", 9_007_199_254_740_993),
            ("9007199254740993.0", 9_007_199_254_740_993),
            ("000000000000000000000000000001", 1), ("0e999999999999999999999", 0),
            ("1000000000000000000000000e-24", 1),
        ] as [(String, Int64)])
    func integers(text: String, expected: Int64) {
        expectEqual(integer(text), expected)
    }

    @Test(arguments: [
        "1.5", "-0.5", "15e-2", "9223372036854775808", "-9223372036854775809", "1e19",
        "9223372036854775807.5", "1e999999999999999999999", "1e-999999999999999999999",
        "0.1e1000000000000000000000000000000", "1e-1",
    ])
    func numbersThatAreNoInt64(text: String) {
        expectEqual(integer(text, as: Int64.self), nil)
        expectTrue(read(text) { $0.isNegative } != nil)
    }

    @Test func integersOfOtherTypes() {
        expectEqual(integer("255", as: UInt8.self), 255)
        expectEqual(integer("256", as: UInt8.self), nil)
        expectEqual(integer("-0", as: UInt8.self), 0)
        expectEqual(integer("-1", as: UInt8.self), nil)
        expectEqual(integer("-128", as: Int8.self), -128)
        expectEqual(integer("1.28e2", as: Int8.self), nil)
        expectEqual(integer("-1.28e2", as: Int8.self), -128)
        expectEqual(integer("18446744073709551615", as: UInt64.self), .max)
        expectEqual(integer("18446744073709551616", as: UInt64.self), nil)
    }

    @Test(
        arguments: [
            ("12", 12), ("1.5", 1.5), (".5", 0.5), ("5.", 5), ("-1.5e-3", -0.0015),
            ("1e308", 1e308),
            (" 0.1 ", 0.1), ("1e-400", 0), ("9223372036854775808", 9_223_372_036_854_775_808),
            ("0.1000000000000000055511151231257827", 0.1), ("+3", 3),
        ] as [(String, Double)])
    func reals(text: String, expected: Double) {
        expectEqual(real(text), expected)
    }

    @Test func realsOutOfRange() {
        expectEqual(real("1e309"), nil)
        expectEqual(real("-1e309"), nil)
    }

    @Test(arguments: [
        "", " ", "abc", "12abc", "abc12", "1 2", "1,5", "1.2.3", "1..2", ".", "-", "+", "--1",
        "+-1",
        "- 1", "-.", "e5", ".e5", "1e", "1e+", "1e1.5", "1e 5", "0x10", "1_000", "inf", "nan",
        "NaN",
        "Infinity", "１２", "12\0", "\0", "12\u{a0}", "20 small cigars", "1e5e5", "1f", "0b1",
    ])
    func textsThatAreNoNumber(text: String) {
        expectEqual(integer(text, as: Int64.self), nil)
        expectEqual(real(text), nil)
        expectEqual(read(text) { $0.isNegative }, nil)
    }

    @Test func agreesWithTheStandardLibrary() {
        var generator = SplitMix64(seed: 12)
        for _ in 0..<5_000 {
            let number =
                Int64.random(in: .min ... .max, using: &generator)
                >> Int.random(in: 0..<64, using: &generator)
            expectEqual(integer("\(number)"), number)
            let value = Double(bitPattern: generator.next())
            if value.isFinite {
                expectEqual(real("\(value)"), value)
                // Above 2^53 the shortest text is not the exact value.
                if abs(value) < 0x1p53 {
                    expectEqual(integer("\(value)", as: Int64.self), Int64(exactly: value))
                }
            }
        }
    }
}
