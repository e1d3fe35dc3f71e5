import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite struct DataConversionTests {
    @Test(arguments: [Data(), Data([0]), Data([1, 2, 0xff]), Data(repeating: 7, count: 100_000)])
    func roundTrip(value: Data) throws {
        try expectRoundTrip(value)
    }

    @Test func emptyDataIsNotNull() throws {
        try expectEqual(boundValue(Data()).storage, .blob(Data()))
        try expectEqual(column("x''", as: Data?.self), Data())
    }

    @Test func slices() throws {
        try expectRoundTrip(Data([1, 2, 3, 4])[1..<3])
        try expectRoundTrip(Data([1, 2, 3, 4])[2..<2])
    }

    @Test func textGivesItsBytes() throws {
        try expectEqual(column("'aé'"), Data("aé".utf8))
        try expectEqual(copiedColumn("'aé'"), Data("aé".utf8))
        try expectEqual(column("''"), Data())
        try expectEqual(copiedColumn("''"), Data())
    }

    @Test func liveNumbersAreTheTextOfSQLite() throws {
        try expectEqual(column("42"), Data("42".utf8))
        try expectEqual(copiedColumn("42", as: Data.self), nil)
        try expectEqual(copiedColumn("1.5", as: Data.self), nil)
    }

    @Test func null() throws {
        try expectEqual(column("NULL", as: Data.self), nil)
        try expectEqual(column("NULL", as: Data?.self), .some(nil))
        try expectEqual(copiedColumn("NULL", as: Data.self), nil)
    }
}
