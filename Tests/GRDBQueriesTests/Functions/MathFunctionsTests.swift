@testable import GRDBQueries
import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct MathFunctionsTests {
    private let a = Column("a")
    private let b = Column("b")
    private let n = Column("n")
    private let s = Column("s")

    @Test func rounding() throws {
        try expect(round(b), sql: #"ROUND("b")"#, -3.0)
        try expect(round(b - 0.26, digits: 1), sql: #"ROUND("b" - 0.26, 1)"#, -2.8)
        try expect(round(b, digits: a), sql: #"ROUND("b", "a")"#, -2.5)
        try expectNull(round(n, digits: 1), sql: #"ROUND("n", 1)"#)
        try expect(ceil(b), sql: #"CEIL("b")"#, -2.0)
        try expect(floor(b), sql: #"FLOOR("b")"#, -3.0)
        try expect(trunc(b), sql: #"TRUNC("b")"#, -2.0)
        try expect(ceil(a), sql: #"CEIL("a")"#, 1)
        try expectNull(floor(n), sql: #"FLOOR("n")"#)
        try expect(sign(b), sql: #"SIGN("b")"#, -1)
        try expect(sign(a), sql: #"SIGN("a")"#, 1)
        try expectNull(sign(s), sql: #"SIGN("s")"#)
    }

    @Test func powersAndLogarithms() throws {
        try expect(sqrt(a * 16), sql: #"SQRT("a" * 16)"#, 4.0)
        try expectNull(sqrt(b), sql: #"SQRT("b")"#)
        try expect(power(b, 2), sql: #"POWER("b", 2)"#, 6.25)
        try expect(power(2.databaseValue, a), sql: #"POWER(2, "a")"#, 2.0)
        try expect(exp(a - 1), sql: #"EXP("a" - 1)"#, 1.0)
        try expect(ln(a), sql: #"LN("a")"#, 0.0)
        try expectNull(ln(b), sql: #"LN("b")"#)
        try expect(log10(a * 1000), sql: #"LOG10("a" * 1000)"#, 3.0)
        try expect(log2(a * 8), sql: #"LOG2("a" * 8)"#, 3.0)
        try expect(log(a * 64, base: 4), sql: #"LOG(4, "a" * 64)"#, 3.0)
        try expect(mod(a * 370.5, 360), sql: #"MOD("a" * 370.5, 360)"#, 10.5)
        try expectNull(mod(a, 0), sql: #"MOD("a", 0)"#)
    }

    @Test func trigonometry() throws {
        let zero = a - 1
        let pi = Double.pi
        try expect(SQLExpression.pi, sql: "PI()", pi)
        try expect(degrees(SQLExpression.pi), sql: "DEGREES(PI())", 180.0)
        try expect(radians(a * 180), sql: #"RADIANS("a" * 180)"#, pi)
        try expect(sin(zero), sql: #"SIN("a" - 1)"#, 0.0)
        try expect(cos(zero), sql: #"COS("a" - 1)"#, 1.0)
        try expect(tan(zero), sql: #"TAN("a" - 1)"#, 0.0)
        try expect(asin(a), sql: #"ASIN("a")"#, pi / 2)
        try expect(acos(a), sql: #"ACOS("a")"#, 0.0)
        try expect(atan(zero), sql: #"ATAN("a" - 1)"#, 0.0)
        try expect(atan2(a, -1), sql: #"ATAN2("a", -1)"#, pi * 3 / 4)
        try expect(sinh(zero), sql: #"SINH("a" - 1)"#, 0.0)
        try expect(cosh(zero), sql: #"COSH("a" - 1)"#, 1.0)
        try expect(tanh(zero), sql: #"TANH("a" - 1)"#, 0.0)
        try expect(asinh(zero), sql: #"ASINH("a" - 1)"#, 0.0)
        try expect(acosh(a), sql: #"ACOSH("a")"#, 0.0)
        try expect(atanh(zero), sql: #"ATANH("a" - 1)"#, 0.0)
        try expectNull(sin(n), sql: #"SIN("n")"#)
        try expectNull(acos(b), sql: #"ACOS("b")"#)
    }

    /// Swift's own functions are chosen for Swift's numbers.
    @Test func swiftNamesakes() {
        let x = 0.5
        expectEqual(round(2.5), 3)
        expectEqual([1.5, 2.5].map(floor), [1, 2])
        #expect(sin(2 * .pi * x) < 1e-9)
        expectTrue(log(1.0) == 0 && log10(100.0) == 2 && log2(8.0) == 3)
        expectEqual(abs(-x) + sqrt(x * x), 1)
        expectEqual(atan2(0, x), 0)
        let root: (Double) -> Double = sqrt
        expectEqual(root(9), 3)
        expectEqual(max(ceil(x), trunc(x)), 1)
        #expect(random() >= 0)
    }
}
