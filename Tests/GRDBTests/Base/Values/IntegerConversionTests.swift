import GRDBTestSupport
import Testing

@testable import GRDB

private protocol Convertible: FixedWidthInteger, DatabaseValueConvertible,
    StatementColumnConvertible, Sendable
{}

extension Int: Convertible {}
extension Int8: Convertible {}
extension Int16: Convertible {}
extension Int32: Convertible {}
extension Int64: Convertible {}
extension UInt: Convertible {}
extension UInt8: Convertible {}
extension UInt16: Convertible {}
extension UInt32: Convertible {}
extension UInt64: Convertible {}

private let types: [any Convertible.Type] = [
    Int.self, Int8.self, Int16.self, Int32.self, Int64.self,
    UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self,
]

@Suite struct IntegerConversionTests {
    @Test(arguments: types)
    private func boundariesRoundTrip(type: any Convertible.Type) throws {
        func test<Value: Convertible>(_ type: Value.Type) throws {
            try expectRoundTrip(Value(0))
            try expectRoundTrip(Value(1))
            try expectRoundTrip(Value.min)
            try expectRoundTrip(Value(clamping: Int64.max))
        }
        try test(type)
    }

    @Test(arguments: types)
    private func outOfRangeIsRefused(type: any Convertible.Type) throws {
        func test<Value: Convertible>(_ type: Value.Type) throws {
            let max = Int64(clamping: Value.max)
            let min = Int64(clamping: Value.min)
            for number in [max, min, 0, 1] {
                try expectEqual(column("\(number)"), Value(exactly: number))
                try expectEqual(copiedColumn("\(number)"), Value(exactly: number))
                try expectEqual(column("'\(number)'"), Value(exactly: number))
            }
            if max < Int64.max {
                try expectEqual(column("\(max + 1)", as: Value.self), nil)
                try expectEqual(copiedColumn("\(max + 1)", as: Value.self), nil)
                try expectEqual(column("'\(max + 1)'", as: Value.self), nil)
                try expectEqual(column("\(max + 1).0", as: Value.self), nil)
                try expectEqual(copiedColumn("\(max + 1).0", as: Value.self), nil)
            }
            if min > Int64.min {
                try expectEqual(column("\(min - 1)", as: Value.self), nil)
                try expectEqual(copiedColumn("\(min - 1)", as: Value.self), nil)
                try expectEqual(column("'\(min - 1)'", as: Value.self), nil)
            }
        }
        try test(type)
    }

    @Test(arguments: types)
    private func realNumbersLoseTheirFraction(type: any Convertible.Type) throws {
        func test<Value: Convertible>(_ type: Value.Type) throws {
            try expectEqual(column("100.0"), Value(100))
            try expectEqual(copiedColumn("100.0"), Value(100))
            try expectEqual(column("-0.0"), Value(0))
            try expectEqual(column("1.5"), Value(1))
            try expectEqual(copiedColumn("1.9"), Value(1))
            try expectEqual(column("-0.5"), Value(0))
            for expression in ["1e20", "-1e20", "9e999", "-9e999"] {
                try expectNil(column(expression, as: Value.self), "\(expression)")
                try expectNil(copiedColumn(expression, as: Value.self), "\(expression)")
            }
        }
        try test(type)
    }

    @Test(arguments: types)
    private func liveTextMustBeANumber(type: any Convertible.Type) throws {
        func test<Value: Convertible>(_ type: Value.Type) throws {
            for expression in ["'12'", "' 12 '", "'12.0'", "'1.2e1'", "'+12'"] {
                try expectEqual(column(expression), Value(12), "\(expression)")
                // Database values don't convert text.
                try expectEqual(copiedColumn(expression, as: Value.self), nil)
            }
            for expression in ["'abc'", "'12abc'", "'20 small cigars'", "''", "'1.5'", "'0x10'"] {
                try expectNil(column(expression, as: Value.self), "\(expression)")
                try expectNil(copiedColumn(expression, as: Value.self), "\(expression)")
            }
        }
        try test(type)
    }

    @Test(arguments: types)
    private func nullAndBlobsAreRefused(type: any Convertible.Type) throws {
        func test<Value: Convertible>(_ type: Value.Type) throws {
            for expression in ["NULL", "x''", "x'3132'", "x'ff'"] {
                try expectEqual(column(expression, as: Value.self), nil)
                try expectEqual(copiedColumn(expression, as: Value.self), nil)
            }
            try expectEqual(column("NULL", as: Value?.self), .some(nil))
            try expectEqual(column("1", as: Value?.self), Value(1))
        }
        try test(type)
    }

    @Test func largeRealNumbers() throws {
        try expectEqual(column("9223372036854774784.0"), Int64(9_223_372_036_854_774_784))
        try expectEqual(column("9223372036854775808.0", as: Int64.self), nil)
        try expectEqual(column("-9223372036854775808.0"), Int64.min)
        try expectEqual(column("9223372036854775808.0"), UInt64(1) << 63)
        try expectEqual(column("'18446744073709551615'"), UInt64.max)
    }

    @Test func unsignedIntegersOutOfRangeAreRefusedByStatements() {
        // SQLITE_TOOBIG
        let error = UnexpectedResultCode(code: 18)
        expectError(error) { try boundValue(UInt64(Int64.max) + 1) }
        expectError(error) { try boundValue(UInt64.max) }
        expectError(error) { try boundValue(UInt.max) }
    }

    @Test func unsignedIntegersOutOfRangeHaveNoDatabaseValue() async {
        await #expect(processExitsWith: .failure) {
            _ = UInt64.max.databaseValue
        }
        await #expect(processExitsWith: .failure) {
            _ = UInt.max.databaseValue
        }
    }

    /// The initializer of `Int64` can't fail: it converts like SQLite.
    @Test func rawInitializer() throws {
        try withColumn("'12abc'") { expectEqual(Int64(sqliteStatement: $0, index: 0), 12) }
        try withColumn("1.5") { expectEqual(Int64(sqliteStatement: $0, index: 0), 1) }
        try withColumn("1.5") { expectEqual(Int(sqliteStatement: $0, index: 0), 1) }
        try withColumn("15") { expectEqual(Int(sqliteStatement: $0, index: 0), 15) }
    }
}
