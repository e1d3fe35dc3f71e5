import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Reads one column.
private struct One<Value: Decodable>: Decodable, FetchableRecord {
    var a: Value
}

/// Decodes another value, from the same decoder.
private struct Wrapper<Value: Decodable & Equatable>: Decodable, Equatable {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }

    init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Value.self)
    }
}

@Suite(.databases) struct SingleValueDecodingTests {
    private func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try TestDatabases.makeQueue().read(body)
    }

    // MARK: - Columns

    private enum Small: Int8, Codable { case one = 1 }
    private enum Medium: Int64, Codable { case one = 1 }
    private enum Large: UInt64, Codable { case one = 1 }
    private enum Real: Double, Codable { case one = 1 }

    private struct Identifier: RawRepresentable, Codable, Equatable {
        var rawValue: Int64
    }

    @Test(arguments: ["'1'", "' 1'", "'1.0'", "1.0", "1"])
    func numbersAreConvertedLikeThoseOfProperties(sql: String) throws {
        try read { db in
            func expect<Value: Decodable & Equatable>(
                _ value: Value, file: String = #filePath, line: Int = #line
            ) throws {
                try expectEqual(
                    One<Value>.fetchAll(db, sql: "SELECT \(sql) AS a").map(\.a), [value],
                    file: file, line: line)
            }
            try expect(Small.one)
            try expect(Medium.one)
            try expect(Large.one)
            try expect(Real.one)
            try expect(Identifier(rawValue: 1))
            try expect(Wrapper(1))
            try expect(Wrapper(1.0))
            try expect(Wrapper(Float(1)))
            try expect(Wrapper(UInt8(1)))
            try expect(Wrapper(true))
            try expect(Wrapper(Int32?.some(1)))
            try expect(Int??.some(1))
        }
    }

    @Test func leftmostColumnIsNil() throws {
        struct Leftmost: Decodable, FetchableRecord {
            var value: Int?

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                value = container.decodeNil() ? nil : try container.decode(Int.self)
            }
        }
        try DatabaseQueue().read { db in
            for (sql, value) in [
                ("SELECT NULL, 5", nil), ("SELECT 5, NULL", 5), ("SELECT NULL", nil),
            ] {
                try expectEqual(Leftmost.fetchOne(db, sql: sql)?.value, value)
                let row = try unwrap(Row.fetchOne(db, sql: sql))
                try expectEqual(Leftmost(row: row).value, value)
            }
        }
        try expectEqual(Leftmost(row: [:]).value, nil)
    }

    // MARK: - Missing columns

    @Test func optionalsOfMissingColumnsAreErrorsUnlessPresenceIsAsked() throws {
        @propertyWrapper struct Tolerant<Value: Decodable>: Decodable {
            var wrappedValue: Value?

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                wrappedValue = container.decodeNil() ? nil : try container.decode(Value.self)
            }
        }
        struct Player: Decodable, FetchableRecord {
            @Tolerant var score: Int?
        }
        struct Synthesized: Decodable, FetchableRecord {
            var score: Int?
        }
        struct Asking: Decodable, FetchableRecord {
            var values: [Int?]
            enum CodingKeys: CodingKey { case score }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                values = [try container.decodeIfPresent(Int?.self, forKey: .score) ?? nil]
                values.append(try container.decode(Int?.self, forKey: .score))
            }
        }
        func expectMissingColumn<Record: FetchableRecord>(_ type: Record.Type) {
            expectError(#"column not found: "score" - row: [scoer:1]"#) {
                try Record(row: ["scoer": 1])
            }
        }
        expectMissingColumn(Player.self)
        expectMissingColumn(Asking.self)
        try expectEqual(Synthesized(row: ["scoer": 1]).score, nil)
        try expectEqual(Player(row: ["score": nil]).score, nil)
        try expectEqual(Player(row: ["score": 1]).score, 1)
        try expectEqual(Asking(row: ["score": nil]).values, [nil, nil])
        try expectEqual(Asking(row: ["score": 1]).values, [1, 1])
    }

    @Test func optionalsOfPresentColumns() throws {
        struct Value: Codable, Equatable {
            var x: Int
        }
        func expect<Value: Decodable & Equatable>(
            _ column: (any DatabaseValueConvertible)?, _ value: Value,
            file: String = #filePath, line: Int = #line
        ) throws {
            let row: Row = ["a": column]
            let one = try FetchableRecordDecoder().decode(One<Value>.self, from: row)
            expectEqual(one.a, value, file: file, line: line)
        }
        try expect(nil, Int?.none)
        try expect(nil, Int??.none)
        try expect(nil, Value?.none)
        try expect(nil, [Int]?.none)
        try expect(1, Int?.some(1))
        try expect(#"{"x":1}"#, Value?.some(Value(x: 1)))
        try expect("[1]", [Int]?.some([1]))
        try expect("1970-01-01", Date?.some(Date(timeIntervalSince1970: 0)))
    }

    // MARK: - Rows

    @Test func rowsAreDecodedAsTheValueOfTheLeftmostColumn() throws {
        let uuid = try unwrap(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        func expect<Value: DatabaseValueConvertible & Decodable & Equatable>(
            _ sql: String, _ value: Value, file: String = #filePath, line: Int = #line
        ) throws {
            try read { db in
                let sql = "SELECT \(sql), 2 UNION ALL SELECT \(sql), 2"
                let rows = try Row.fetchCursor(db, sql: sql)
                try expectTrue(
                    Array(rows.map { try $0.decode(Value.self) }) == [value, value],
                    file: file, line: line)
                let copies = try Row.fetchAll(db, sql: sql)
                try expectTrue(
                    copies.map { try $0.decode(Wrapper<Value>.self).value } == [value, value],
                    file: file, line: line)
            }
        }
        try expect("0", Date(timeIntervalSince1970: 0))
        try expect("'1970-01-01'", Date(timeIntervalSince1970: 0))
        try expect("'1970-01-01'", Date?.some(Date(timeIntervalSince1970: 0)))
        try expect("x'0102'", Data([1, 2]))
        try expect("'https://a.b'", try #require(URL(string: "https://a.b")))
        try expect("'1.5'", Decimal(1.5))
        try expect("'\(uuid)'", uuid)
        try expect("'a'", String?.some("a"))
        try expect("NULL", String?.none)
        try expect("NULL", Date?.none)
        try expect("12", 12)
        try expect("1.5", 1.5)
    }

    @Test func emptyRowsHaveNoLeftmostColumn() {
        expectError(RowDecodingError.self) { try Row().decode(Date.self) }
        expectError(RowDecodingError.self) { try Row().decode(Int.self) }
    }

    @Test func leftmostColumnsAreDecodedWithTheStrategyOfTheRecord() throws {
        struct Record: Decodable, FetchableRecord {
            static func databaseDateDecodingStrategy(
                for column: String
            ) -> DatabaseDateDecodingStrategy {
                column == "seconds" ? .timeIntervalSince1970 : .millisecondsSince1970
            }

            var date: Date?

            init(from decoder: any Decoder) throws {
                date = try decoder.singleValueContainer().decode(Date?.self)
            }
        }
        try expectEqual(Record(row: ["seconds": 1]).date, Date(timeIntervalSince1970: 1))
        try expectEqual(Record(row: ["millis": 1_000]).date, Date(timeIntervalSince1970: 1))
        try expectEqual(Record(row: ["seconds": nil, "b": 1]).date, nil)
    }
}
