import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite struct DecimalConversionTests {
    @Test(arguments: [
        ("1.10", "1.1"), ("0.1", "0.1"), ("0", "0"), ("-0", "0"), ("-12.5", "-12.5"),
        ("100000000000000000000", "100000000000000000000"),
        ("0.00000000000000000001", "0.00000000000000000001"),
        ("123456789012345678901234567890.12345678", "123456789012345678901234567890.12345678"),
    ])
    func isStoredAsText(literal: String, stored: String) throws {
        let value = try unwrap(Decimal(string: literal))
        expectEqual(value.databaseValue.storage, .string(stored))
        try expectEqual(boundValue(value).storage, .string(stored))
    }

    @Test(
        arguments: [
            .zero, 1, -1, .pi, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
            .leastNonzeroMagnitude, Decimal(UInt64.max), Decimal(Int64.min),
            Decimal(sign: .plus, exponent: 127, significand: 1),
            Decimal(sign: .minus, exponent: -127, significand: 3),
            Decimal(sign: .plus, exponent: -20, significand: 100_000),
        ] as [Decimal])
    func roundTrip(value: Decimal) throws {
        try expectRoundTrip(value)
    }

    @Test func notANumberRoundTrips() throws {
        expectEqual(Decimal.fromDatabaseValue(Decimal.nan.databaseValue)?.isNaN, true)
        try expectEqual(column("'NaN'", as: Decimal.self)?.isNaN, true)
    }

    @Test func randomDecimalsRoundTrip() throws {
        var generator = SplitMix64(seed: 8)
        for _ in 0..<5_000 {
            let significand =
                Decimal(generator.next() >> Int.random(in: 0..<64, using: &generator))
                * Decimal(generator.next() >> Int.random(in: 0..<64, using: &generator))
            let value = Decimal(
                sign: Bool.random(using: &generator) ? .plus : .minus,
                exponent: .random(in: -90...80, using: &generator),
                significand: significand)
            expectEqual(Decimal.fromDatabaseValue(value.databaseValue), value)
        }
    }

    @Test(arguments: [
        ("1.5", "1.5"), (" 1.5 ", "1.5"), ("1e3", "1000"), ("1E-3", "0.001"), (".5", "0.5"),
        ("5.", "5"), ("+5", "5"), ("-5", "-5"), ("0010.0", "10"), ("0e500", "0"), ("-0.0", "0"),
        ("340282366920938463463374607431768211455", "340282366920938463463374607431768211455"),
        ("1000000000000000000000000000000000000000000e-42", "1"),
    ])
    func readsText(text: String, expected: String) throws {
        try expectEqual(column("'\(text)'"), Decimal(string: expected))
        try expectEqual(copiedColumn("'\(text)'"), Decimal(string: expected))
    }

    @Test(arguments: [
        "NULL", "''", "'abc'", "'12abc'", "'0x10'", "'1,5'", "'1.2.3'", "'--1'", "'-'", "'1_000'",
        "'1e'", "'nan'", "'inf'", "x''", "CAST('1.5' AS BLOB)", "9e999",
        // More than 128 bits, and exponents that are out of range.
        "'340282366920938463463374607431768211456'", "'1e200'", "'1e-200'", "1e200",
        "'3.14159265358979323846264338327950288419716939937510'",
    ])
    func refused(expression: String) throws {
        try expectEqual(column(expression, as: Decimal.self), nil)
        try expectEqual(copiedColumn(expression, as: Decimal.self), nil)
    }

    @Test(arguments: [
        ("0.1", "0.1"), ("0.3", "0.3"), ("123456.789", "123456.789"), ("1e20", "1e20"),
        ("1e-5", "0.00001"), ("1.0/3", "0.3333333333333333"), ("-2.5", "-2.5"), ("0.0", "0"),
        ("12", "12"), ("9223372036854775807", "9223372036854775807"),
        ("-9223372036854775808", "-9223372036854775808"),
    ])
    func readsNumbers(expression: String, expected: String) throws {
        try expectEqual(column(expression), Decimal(string: expected))
        try expectEqual(copiedColumn(expression), Decimal(string: expected))
    }
}
