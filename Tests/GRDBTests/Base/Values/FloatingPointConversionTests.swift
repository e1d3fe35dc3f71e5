import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite struct FloatingPointConversionTests {
    @Test(
        arguments: [
            0, 1, -1.5, 0.1, .pi, 1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
            .infinity,
            -.infinity,
        ] as [Double])
    func doublesRoundTrip(value: Double) throws {
        try expectRoundTrip(value)
        try expectEqual(boundValue(value).storage, .double(value))
    }

    @Test func negativeZeroKeepsItsSign() throws {
        try withColumn("?", -0.0) { statement in
            expectEqual(Double.fromStatement(statement, atUncheckedIndex: 0)?.sign, .minus)
        }
    }

    @Test(
        arguments: [
            0, 1, -1.5, 0.1, .pi, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity,
        ] as [Float])
    func floatsRoundTrip(value: Float) throws {
        try expectRoundTrip(value)
    }

    @Test func nanIsNull() throws {
        try expectTrue(boundValue(Double.nan).isNull)
        try expectTrue(boundValue(Float.nan).isNull)
        try expectTrue(boundValue(CGFloat.nan).isNull)
    }

    @Test func integersAreConverted() throws {
        for (expression, value) in [("42", 42), ("9223372036854775807", 9.223372036854775807e18)] {
            try expectEqual(column(expression), value)
            try expectEqual(copiedColumn(expression), value)
            try expectEqual(column(expression), Float(value))
            try expectEqual(copiedColumn(expression), Float(value))
            try expectEqual(copiedColumn(expression), CGFloat(value))
        }
    }

    @Test func floatsAreRoundedButNotToInfinity() throws {
        try expectEqual(column("0.1"), Float(0.1))
        try expectEqual(copiedColumn("0.1"), Float(0.1))
        try expectEqual(column("1e300", as: Float.self), nil)
        try expectEqual(copiedColumn("-1e300", as: Float.self), nil)
        try expectEqual(column("9e999"), Float.infinity)
    }

    @Test func liveTextMustBeANumber() throws {
        for (expression, value) in [("'12'", 12), ("'12.5'", 12.5), ("' -1e-3 '", -0.001)] {
            try expectEqual(column(expression), value)
            try expectEqual(column(expression), Float(value))
            try expectEqual(copiedColumn(expression, as: Double.self), nil)
            try expectEqual(copiedColumn(expression, as: Float.self), nil)
            try expectEqual(copiedColumn(expression, as: CGFloat.self), nil)
        }
    }

    @Test(arguments: ["NULL", "'abc'", "'12abc'", "''", "'1e999'", "'inf'", "x''", "x'3132'"])
    func refused(expression: String) throws {
        try expectEqual(column(expression, as: Double.self), nil)
        try expectEqual(copiedColumn(expression, as: Double.self), nil)
        try expectEqual(column(expression, as: Float.self), nil)
        try expectEqual(copiedColumn(expression, as: Float.self), nil)
        try expectEqual(copiedColumn(expression, as: CGFloat.self), nil)
    }

    @Test func cgFloat() throws {
        expectEqual(CGFloat(1.5).databaseValue.storage, .double(1.5))
        try expectEqual(copiedColumn("1.5"), CGFloat(1.5))
    }
}
