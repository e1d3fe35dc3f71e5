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
        try #expect(Synthesized(row: ["scoer": 1]).score == nil)
        try #expect(Player(row: ["score": nil]).score == nil)
        try #expect(Player(row: ["score": 1]).score == 1)
        try #expect(Asking(row: ["score": nil]).values == [nil, nil])
        try #expect(Asking(row: ["score": 1]).values == [1, 1])
    }

    @Test func optionalsOfPresentColumns() throws {
        struct Value: Codable, Equatable {
            var x: Int
        }
        func expect<Value: Decodable & Equatable>(
            _ column: (any DatabaseValueConvertible)?, _ value: Value,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            try #expect(
                One<Value>(row: ["a": column]).a == value, sourceLocation: sourceLocation)
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
}
