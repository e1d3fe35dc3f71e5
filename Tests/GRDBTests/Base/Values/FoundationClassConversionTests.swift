import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite struct FoundationClassConversionTests {
    @Test func nsString() throws {
        expectEqual(NSString(string: "a\0é").databaseValue.storage, .string("a\0é"))
        try expectEqual(boundValue(NSString(string: "x")).storage, .string("x"))
        try expectEqual(copiedColumn("'x'", as: NSString.self), NSString(string: "x"))
        try expectEqual(copiedColumn("x'ff'", as: NSString.self), nil)
        try expectEqual(copiedColumn("1", as: NSString.self), nil)
        try expectEqual(copiedColumn("'x'", as: NSMutableString.self), NSMutableString(string: "x"))
    }

    @Test func nsData() throws {
        let data = NSData(data: Data([1, 2]))
        expectEqual(data.databaseValue.storage, .blob(Data([1, 2])))
        try expectEqual(copiedColumn("x'0102'", as: NSData.self), data)
        try expectEqual(copiedColumn("''", as: NSData.self)?.length, 0)
        try expectEqual(copiedColumn("1", as: NSData.self), nil)
        try expectEqual(copiedColumn("x'0102'", as: NSMutableData.self)?.length, 2)
    }

    @Test func nsDate() throws {
        let date = NSDate(timeIntervalSince1970: 1.5)
        expectEqual(date.databaseValue.storage, .string("1970-01-01 00:00:01.500"))
        try expectEqual(copiedColumn("'1970-01-01 00:00:01.500'", as: NSDate.self), date)
        try expectEqual(copiedColumn("1.5", as: NSDate.self), date)
        try expectEqual(copiedColumn("'abc'", as: NSDate.self), nil)
    }

    @Test func nsURL() throws {
        let url = try unwrap(NSURL(string: "http://a/b"))
        expectEqual(url.databaseValue.storage, .string("http://a/b"))
        try expectEqual(copiedColumn("'http://a/b'", as: NSURL.self), url)
        try expectEqual(copiedColumn("''", as: NSURL.self), nil)
    }

    @Test func nsUUID() throws {
        let uuid = UUID()
        let object = try unwrap(NSUUID(uuidString: uuid.uuidString))
        expectEqual(object.databaseValue, uuid.databaseValue)
        expectEqual(NSUUID.fromDatabaseValue(uuid.databaseValue), object)
        expectEqual(NSUUID.fromDatabaseValue(uuid.uuidString.databaseValue), object)
        expectEqual(NSUUID.fromDatabaseValue("x".databaseValue), nil)
    }

    @Test func nsNull() {
        expectTrue(NSNull().databaseValue.isNull)
        expectTrue(NSNull.fromDatabaseValue(.null) != nil)
        expectEqual(NSNull.fromDatabaseValue(1.databaseValue), nil)
    }

    @Test func nsNumberStorage() throws {
        let numbers: [(NSNumber, DatabaseValue.Storage)] = [
            (NSNumber(value: true), .int64(1)),
            (NSNumber(value: false), .int64(0)),
            (NSNumber(value: Int8(-3)), .int64(-3)),
            (NSNumber(value: UInt8(200)), .int64(200)),
            (NSNumber(value: Int16(-300)), .int64(-300)),
            (NSNumber(value: UInt16.max), .int64(65_535)),
            (NSNumber(value: Int32.min), .int64(-2_147_483_648)),
            (NSNumber(value: UInt32.max), .int64(4_294_967_295)),
            (NSNumber(value: Int64.min), .int64(.min)),
            (NSNumber(value: Int64.max), .int64(.max)),
            (NSNumber(value: UInt64(Int64.max)), .int64(.max)),
            (NSNumber(value: UInt(7)), .int64(7)),
            (NSNumber(value: Float(0.5)), .double(0.5)),
            (NSNumber(value: 0.1), .double(0.1)),
            (NSNumber(value: 1.0), .double(1)),
            (NSDecimalNumber(string: "15"), .int64(15)),
            (NSDecimalNumber(string: "1.5"), .double(1.5)),
            (NSDecimalNumber(string: "0.1"), .double(0.1)),
            (NSDecimalNumber(string: "-9223372036854775808"), .int64(.min)),
            (
                NSDecimalNumber(string: "123456789012345678901234567891"),
                .string("123456789012345678901234567891")
            ),
        ]
        for (number, storage) in numbers {
            expectEqual(number.databaseValue.storage, storage, "\(number)")
            try expectEqual(boundValue(number).storage, storage, "\(number)")
        }
    }

    @Test func nsNumberDecoding() throws {
        try expectEqual(copiedColumn("5", as: NSNumber.self), 5)
        try expectEqual(copiedColumn("5.5", as: NSNumber.self), 5.5)
        try expectEqual(copiedColumn("'5'", as: NSNumber.self), 5)
        try expectEqual(copiedColumn("'5.5'", as: NSNumber.self), 5.5)
        try expectEqual(
            copiedColumn("'5.5'", as: NSDecimalNumber.self), NSDecimalNumber(string: "5.5"))
        try expectEqual(
            copiedColumn("0.1", as: NSDecimalNumber.self), NSDecimalNumber(string: "0.1"))
        try expectEqual(copiedColumn("5", as: NSDecimalNumber.self), NSDecimalNumber(string: "5"))
        for expression in ["NULL", "'abc'", "'5x'", "''", "x''", "x'35'"] {
            try expectEqual(copiedColumn(expression, as: NSNumber.self), nil)
        }
    }

    @Test func nsNumberOutOfRange() async {
        // SQLITE_TOOBIG
        expectError(UnexpectedResultCode(code: 18)) {
            try boundValue(NSNumber(value: UInt64.max))
        }
        await #expect(processExitsWith: .failure) {
            _ = NSNumber(value: UInt64.max).databaseValue
        }
    }

    @Test func anyValue() {
        expectEqual(DatabaseValue(value: NSNumber(value: 1))?.storage, .int64(1))
        expectEqual(DatabaseValue(value: NSNull())?.isNull, true)
        expectEqual(DatabaseValue(value: NSString(string: "x"))?.storage, .string("x"))
        expectEqual(DatabaseValue(value: Int?.none as Any)?.isNull, true)
        expectEqual(DatabaseValue(value: Character("a")), nil)
    }
}
