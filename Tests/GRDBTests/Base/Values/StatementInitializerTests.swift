import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

/// The initializers that read a column of a statement of SQLite.
@Suite struct StatementInitializerTests {
    private func expect<Value: StatementColumnConvertible & Equatable>(
        _ expression: String, _ value: Value?, line: Int = #line
    ) throws {
        try withColumn(expression) { statement in
            expectEqual(Value(sqliteStatement: statement, index: 0), value, line: line)
        }
    }

    @Test func signedIntegers() throws {
        try expect("-128", Int8.min)
        try expect("128", nil as Int8?)
        try expect("-32768", Int16.min)
        try expect("32768", nil as Int16?)
        try expect("-2147483648", Int32.min)
        try expect("2147483648", nil as Int32?)
        // Those of integers that SQLite reads itself convert as SQLite does.
        try expect("'x'", 0 as Int64)
        try expect("9223372036854775807", Int64.max)
        try expect("7", 7)
    }

    @Test func unsignedIntegers() throws {
        try expect("255", UInt8.max)
        try expect("256", nil as UInt8?)
        try expect("65535", UInt16.max)
        try expect("-1", nil as UInt16?)
        try expect("4294967295", UInt32.max)
        try expect("4294967296", nil as UInt32?)
        try expect("1", 1 as UInt64)
        try expect("-1", nil as UInt64?)
        try expect("1", 1 as UInt)
        try expect("-1", nil as UInt?)
    }

    @Test func otherTypes() throws {
        try expect("1.5", 1.5)
        try expect("1.5", 1.5 as Float)
        try expect("x'0102'", Data([1, 2]))
        try expect("'1970-01-01 00:00:01'", Date(timeIntervalSince1970: 1))
        try expect("'yesterday'", nil as Date?)
        try withColumn("'2020-02-03'") { statement in
            let components = DatabaseDateComponents(sqliteStatement: statement, index: 0)
            expectEqual(components?.format, .YMD)
            expectEqual(components?.dateComponents, DateComponents(year: 2020, month: 2, day: 3))
        }
        try withColumn("'yesterday'") { statement in
            expectNil(DatabaseDateComponents(sqliteStatement: statement, index: 0))
        }
        try expect("5", 5 as Int?)
        try expect("'x'", nil as Int??)
    }
}
