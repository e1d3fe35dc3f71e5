import GRDBTestSupport
import Testing

@testable import GRDB

@Suite struct BoolConversionTests {
    @Test func roundTrip() throws {
        try expectRoundTrip(true)
        try expectRoundTrip(false)
        try expectEqual(boundValue(true).storage, .int64(1))
        try expectEqual(boundValue(false).storage, .int64(0))
    }

    @Test(arguments: ["1", "42", "-1", "9223372036854775807", "1.0", "0.5", "1e-300", "9e999"])
    func trueNumbers(expression: String) throws {
        try expectEqual(column(expression), true)
        try expectEqual(copiedColumn(expression), true)
        try withColumn(expression) { expectTrue(Bool(sqliteStatement: $0, index: 0)) }
    }

    @Test(arguments: ["0", "0.0", "-0.0"])
    func falseNumbers(expression: String) throws {
        try expectEqual(column(expression), false)
        try expectEqual(copiedColumn(expression), false)
        try withColumn(expression) { expectTrue(!Bool(sqliteStatement: $0, index: 0)) }
    }

    @Test func text() throws {
        try expectEqual(column("'12'"), true)
        try expectEqual(column("'0.0'"), false)
        try expectEqual(column("' 0 '"), false)
        try expectEqual(copiedColumn("'12'", as: Bool.self), nil)
    }

    @Test(arguments: ["NULL", "'abc'", "'true'", "''", "'1x'", "x''", "x'31'"])
    func refused(expression: String) throws {
        try expectEqual(column(expression, as: Bool.self), nil)
        try expectEqual(copiedColumn(expression, as: Bool.self), nil)
    }
}
