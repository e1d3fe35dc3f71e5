import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

/// Values that go through a table, with the statements and the rows of the library.
@Suite struct ValueRoundTripTests {
    private enum Grape: String, Codable, DatabaseValueConvertible {
        case merlot
    }

    private struct Color: Codable, Equatable, DatabaseValueConvertible {
        var red: Double
    }

    private func store(_ value: any DatabaseValueConvertible, in db: Database) throws {
        try db.execute(sql: "DROP TABLE IF EXISTS t")
        try db.execute(sql: "CREATE TABLE t (v)")
        try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [value])
    }

    private func expectRoundTrip<Value: DatabaseValueConvertible & Equatable>(
        _ value: Value, line: Int = #line
    ) throws {
        try DatabaseQueue().write { db in
            try store(value, in: db)
            let fetched = try Value.fetchOne(db, sql: "SELECT v FROM t")
            expectEqual(fetched, value, line: line)
            let row = try unwrap(Row.fetchOne(db, sql: "SELECT v FROM t"))
            let decoded = try row.decode(Value.self, forColumn: "v")
            expectEqual(decoded, value, line: line)
        }
    }

    /// Through the fast cursors, too.
    private func expectRoundTrip<
        Value: DatabaseValueConvertible & StatementColumnConvertible & Equatable
    >(
        _ value: Value, line: Int = #line
    ) throws {
        try DatabaseQueue().write { db in
            try store(value, in: db)
            let fetched = try Value.fetchAll(db, sql: "SELECT v FROM t")
            expectEqual(fetched, [value], line: line)
            let rows = try Row.fetchCursor(db, sql: "SELECT v FROM t")
            while let row = try rows.next() {
                let live = try row.decode(Value.self, atIndex: 0)
                expectEqual(live, value, line: line)
                let copied = try row.copy().decode(Value.self, atIndex: 0)
                expectEqual(copied, value, line: line)
            }
        }
    }

    @Test func standardTypes() throws {
        try expectRoundTrip(true)
        try expectRoundTrip(Int.min)
        try expectRoundTrip(Int8.min)
        try expectRoundTrip(UInt32.max)
        try expectRoundTrip(UInt64(Int64.max))
        try expectRoundTrip(Float(0.1))
        try expectRoundTrip(0.1)
        try expectRoundTrip("a\0é")
        try expectRoundTrip("")
    }

    @Test func foundationTypes() throws {
        try expectRoundTrip(Data())
        try expectRoundTrip(Data([0, 1]))
        try expectRoundTrip(Date(timeIntervalSince1970: 1_500_000_000.5))
        try expectRoundTrip(UUID())
        try expectRoundTrip(try unwrap(Decimal(string: "123456789012345678901234567890.5")))
        try expectRoundTrip(try unwrap(URL(string: "http://example.com/?a=b")))
        try expectRoundTrip(CGFloat(1.5))
        try expectRoundTrip(NSNumber(value: 1.5))
        try expectRoundTrip(NSString(string: "x"))
    }

    @Test func derivedTypes() throws {
        try expectRoundTrip(Grape.merlot)
        try expectRoundTrip(Color(red: 0.5))
    }

    @Test func distantDates() throws {
        try expectRoundTrip(Date.distantPast)
        try expectRoundTrip(Date.distantFuture)
    }

    @Test func dateColumnsSort() throws {
        let years = [-4_712, -1, 0, 1, 1_500, 2_000, 9_999, 10_000, 100_000]
        let dates = try years.map { year in
            try #require(
                Date(
                    databaseDateComponents: DatabaseDateComponents(
                        DateComponents(year: year, month: 3, day: 1), format: .YMD)))
        }
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE t (v DATETIME)")
            for date in dates.reversed() {
                try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [date])
            }
            try expectEqual(Date.fetchAll(db, sql: "SELECT v FROM t ORDER BY v"), dates)
        }
    }

    @Test func guessesAreDecodingErrors() throws {
        try DatabaseQueue().read { db in
            expectError(RowDecodingError.self) {
                try Int.fetchAll(db, sql: "SELECT '20 small cigars'")
            }
            expectError(RowDecodingError.self) {
                try Double.fetchAll(db, sql: "SELECT 'abc'")
            }
            expectError(RowDecodingError.self) {
                try String.fetchAll(db, sql: "SELECT x'ff'")
            }
            expectError(RowDecodingError.self) {
                try Date.fetchAll(db, sql: "SELECT 'Mom''s birthday'")
            }
            let numbers = try Int.fetchAll(db, sql: "SELECT '20'")
            expectEqual(numbers, [20])
        }
    }
}
