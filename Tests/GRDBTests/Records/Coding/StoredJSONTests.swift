import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// JSON in columns: NULL, values that SQL has built, and the order of sets and dictionaries.
@Suite(.databases) struct StoredJSONTests {
    private struct Tag: Codable, Hashable {
        var name: String
        var isNew = false
    }

    private struct Point: Codable, DatabaseValueConvertible, Equatable {
        var x: Int
    }

    private enum Word: String, Codable {
        case null, other
    }

    // MARK: - NULL

    private struct Optionals: Codable, FetchableRecord, Equatable {
        var tag: Tag?
        var tags: [Tag]?
        var names: [String: Int]?
        var set: Set<Int>?
        var point: Point?
        var word: Word?
        var text: String?
    }

    @Test func nullInJSONIsNil() throws {
        try TestDatabases.makeQueue().read { db in
            func fetch(_ null: String, text: String = "'null'") throws -> Optionals? {
                try Optionals.fetchOne(
                    db,
                    sql: """
                        SELECT \(null) AS tag, \(null) AS tags, \(null) AS names, \(null) AS "set", \
                        \(null) AS point, \(text) AS word, \(text) AS text
                        """)
            }
            for null in ["'null'", "' null\n'", "json('null')", "CAST('null' AS BLOB)"] {
                try expectEqual(fetch(null), Optionals(word: .null, text: "null"))
            }
            try expectEqual(fetch("NULL", text: "NULL"), Optionals())
            for other in [
                "'nul'", "'nu ll'", "'nulls'", "'\"null\"'", "'[null]'", "''", "'null null'",
            ] {
                expectError((any Error).self) { try fetch(other) }
            }
            struct Required: Decodable, FetchableRecord { var tags: [Tag] }
            expectError(DecodingError.self) {
                try Required.fetchOne(db, sql: "SELECT 'null' AS tags")
            }
        }
    }

    // MARK: - Values of SQL

    private struct Event: Codable, FetchableRecord, PersistableRecord, Equatable {
        var id: Int
        var isDone: Bool
        var date: Date
        var mayRepeat: Bool?
    }

    private struct Events: Decodable, FetchableRecord, Equatable {
        var events: [Event]
        var first: Event
        var flags: [Bool]
        var named: [String: [Bool?]]
    }

    @Test func storedBooleansAndDatesAreDecoded() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: "CREATE TABLE event (id INTEGER PRIMARY KEY, isDone, date, mayRepeat)")
            let events = [
                Event(id: 1, isDone: true, date: Date(timeIntervalSince1970: 1.5), mayRepeat: nil),
                Event(
                    id: 2, isDone: false, date: Date(timeIntervalSince1970: 1e9), mayRepeat: true),
            ]
            for event in events { try event.insert(db) }
            let object =
                "json_object('id', id, 'isDone', isDone, 'date', date, 'mayRepeat', mayRepeat)"
            let sql = """
                SELECT json_group_array(\(object)) AS events, \(object) AS first,
                    json_array(1, 0, json('true')) AS flags, '{"a_b":[1,null,false]}' AS named
                FROM event ORDER BY id
                """
            let found = try Events.fetchOne(db, sql: sql)!
            expectEqual(found.events, events)
            expectTrue(events.contains(found.first))
            expectEqual(found.flags, [true, false, true])
            expectEqual(found.named, ["a_b": [true, nil, false]])

            // What the library stores itself, and what is neither.
            struct Stored: Codable, FetchableRecord, PersistableRecord, Equatable {
                static let databaseTableName = "stored"
                var events: [Event]
            }
            try db.execute(sql: "CREATE TABLE stored (events)")
            try Stored(events: events).insert(db)
            try expectEqual(Stored.fetchAll(db), [Stored(events: events)])
            for json in [
                #"[{"id":1,"isDone":2,"date":0}]"#, #"[{"id":1,"isDone":"1","date":0}]"#,
                #"[{"id":1,"isDone":1,"date":"tomorrow"}]"#, #"[{"id":1,"isDone":1,"date":true}]"#,
            ] {
                expectError(DecodingError.self, "\(json)") {
                    try Stored.fetchOne(db, sql: "SELECT ? AS events", arguments: [json])
                }
            }
        }
    }

    // MARK: - Order

    private struct Unordered: Codable, FetchableRecord, PersistableRecord, Equatable {
        static let databaseTableName = "unordered"

        struct Nested: Codable, Equatable {
            var set: Set<String>?
            var sets: [Set<Tag>]
        }

        enum Kind: String, Codable { case a, b, c, d, e, f }

        var id = 1
        var names: Set<String>
        var tags: Set<Tag>
        var byDate: [Date: Int]
        var byNumber: [Int: String]
        var byKind: [Kind: Set<Int>]
        var byText: [String: Set<Int>]
        var nested: Nested
        var point: Box

        /// A column value of its own.
        struct Box: Codable, Equatable, DatabaseValueConvertible { var values: Set<Int> }

        /// Equal values, whose sets have been built in different ways.
        init(_ random: inout SplitMix64, count: Int) {
            func set<Value: Hashable>(_ value: (Int) -> Value) -> Set<Value> {
                var result = Set<Value>()
                // Another capacity has another order.
                if Bool.random(using: &random) {
                    result.reserveCapacity(.random(in: 0...500, using: &random))
                }
                for number in (0..<count).shuffled(using: &random) { result.insert(value(number)) }
                return result
            }
            func dictionary<Key: Hashable, Value>(
                _ key: (Int) -> Key, _ value: (Int) -> Value
            ) -> [Key: Value] {
                var result: [Key: Value] = [:]
                if Bool.random(using: &random) {
                    result.reserveCapacity(.random(in: 0...500, using: &random))
                }
                for number in (0..<count).shuffled(using: &random) {
                    result[key(number)] = value(number)
                }
                return result
            }
            let kinds: [Kind] = [.a, .b, .c, .d, .e, .f]
            names = set { "n\($0)" }
            tags = set { Tag(name: "\($0)", isNew: $0 % 2 == 0) }
            byDate = dictionary({ Date(timeIntervalSince1970: Double($0)) }, { $0 })
            byNumber = dictionary({ $0 }, { "\($0)" })
            let ints = set { $0 }
            byKind = dictionary({ kinds[$0 % 6] }, { _ in ints })
            byText = dictionary({ "t\($0)" }, { _ in ints })
            nested = Nested(set: set { "\($0)" }, sets: [set { Tag(name: "\($0)") }, []])
            point = Box(values: set { $0 })
        }
    }

    @Test func equalValuesAreStoredAsEqualText() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE unordered (
                        id INTEGER PRIMARY KEY, names, tags, byDate, byNumber, byKind, byText, nested, point)
                    """)
            var random = SplitMix64(seed: 1)
            for round in 0..<40 {
                let first = Unordered(&random, count: round % 8)
                let second = Unordered(&random, count: round % 8)
                try #require(first == second)
                try first.save(db)
                let row = try Row.fetchOne(db, sql: "SELECT * FROM unordered")
                try expectTrue(!second.updateChanges(db, from: first), "\(round)")
                try second.save(db)
                try expectEqual(Row.fetchOne(db, sql: "SELECT * FROM unordered"), row, "\(round)")
                var found = try Unordered.fetchOne(db)!
                expectEqual(found, first)
                try expectTrue(!found.updateChanges(db) { $0 = second })
            }
        }
    }

    @Test func encodersThatConvertKeys() throws {
        struct Snake: Codable, FetchableRecord, PersistableRecord, Equatable {
            static let databaseTableName = "snake"
            struct Value: Codable, Equatable {
                var firstSet: Set<Int>
                var byName: [String: Set<Int>]
            }
            var value: Value
            var byName: [String: Int]

            static func databaseJSONEncoder(for column: String) -> JSONEncoder {
                let encoder = JSONEncoder()
                encoder.keyEncodingStrategy = .convertToSnakeCase
                encoder.outputFormatting = .sortedKeys
                return encoder
            }
            static func databaseJSONDecoder(for column: String) -> JSONDecoder {
                let decoder = JSONDecoder()
                decoder.keyDecodingStrategy = .convertFromSnakeCase
                return decoder
            }
        }
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE snake (value, byName)")
            let record = Snake(
                value: .init(firstSet: [3, 1, 2], byName: ["oneTwo": [1]]), byName: ["oneTwo": 1])
            try record.insert(db)
            let row = try Row.fetchOne(db, sql: "SELECT value, byName FROM snake")!
            expectEqual(row[0], #"{"by_name":{"oneTwo":[1]},"first_set":[1,2,3]}"#)
            expectEqual(row[1], #"{"oneTwo":1}"#)
            try expectEqual(Snake.fetchOne(db), record)
        }
    }
}
