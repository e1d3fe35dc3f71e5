import Testing

@testable import GRDB

@Suite struct BoolConversionTests {
    @Test func roundTrip() throws {
        try expectRoundTrip(true)
        try expectRoundTrip(false)
        #expect(try boundValue(true).storage == .int64(1))
        #expect(try boundValue(false).storage == .int64(0))
    }

    @Test(arguments: ["1", "42", "-1", "9223372036854775807", "1.0", "0.5", "1e-300", "9e999"])
    func trueNumbers(expression: String) throws {
        #expect(try column(expression) == true)
        #expect(try copiedColumn(expression) == true)
        try withColumn(expression) { #expect(Bool(sqliteStatement: $0, index: 0)) }
    }

    @Test(arguments: ["0", "0.0", "-0.0"])
    func falseNumbers(expression: String) throws {
        #expect(try column(expression) == false)
        #expect(try copiedColumn(expression) == false)
        try withColumn(expression) { #expect(!Bool(sqliteStatement: $0, index: 0)) }
    }

    @Test func text() throws {
        #expect(try column("'12'") == true)
        #expect(try column("'0.0'") == false)
        #expect(try column("' 0 '") == false)
        #expect(try copiedColumn("'12'", as: Bool.self) == nil)
    }

    @Test(arguments: ["NULL", "'abc'", "'true'", "''", "'1x'", "x''", "x'31'"])
    func refused(expression: String) throws {
        #expect(try column(expression, as: Bool.self) == nil)
        #expect(try copiedColumn(expression, as: Bool.self) == nil)
    }
}
