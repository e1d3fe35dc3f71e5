import Foundation
import GRDB
import GRDBTestSupport
import Testing

private struct Team: Codable, Equatable {
    var name: String
    var color: String?
}

private struct One<Value: Encodable>: Encodable, EncodableRecord {
    var a: Value
}

private func encoded(_ record: some EncodableRecord) throws -> [String: DatabaseValue.Storage] {
    try record.databaseDictionary.mapValues(\.storage)
}

private func encoded(value: some Encodable) throws -> DatabaseValue.Storage? {
    try encoded(One(a: value))["a"]
}

@Suite(.databases) struct RecordEncodingTests {
    private enum Kind: String, Codable { case goalkeeper, striker }

    private struct Signed: Encodable, PersistableRecord {
        static let databaseTableName = "note"
        static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { [.signature: "type"] }
        enum CodingKeys: CodingKey { case name }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(encoder.userInfo[.signature] as? String, forKey: .name)
        }
    }

    @Test func userInfoOfOneOperation() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: "CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT, score INTEGER)")
            let assignments = [Column("score").set(to: 1)]
            for _ in 0..<2 {
                try Signed().insert(db)
                try Signed().insert(db, setting: assignments, userInfo: [.signature: "operation"])
                try Signed().insert(db, setting: assignments)
            }
            let names = ["type", "operation", "type"]
            try expectEqual(
                String.fetchAll(db, sql: "SELECT name FROM note ORDER BY id"),
                names + names)
        }
    }

    private enum Event: Codable {
        case moved(x: Int)
    }

    @Test func valuesAreStoredAsTheirType() throws {
        try expectEqual(encoded(value: true), .int64(1))
        try expectEqual(encoded(value: UInt8(3)), .int64(3))
        try expectEqual(encoded(value: Float(1.5)), .double(1.5))
        try expectEqual(encoded(value: "a"), .string("a"))
        try expectEqual(encoded(value: Data([1])), .blob(Data([1])))
        try expectEqual(
            encoded(value: Date(timeIntervalSince1970: 0)),
            .string("1970-01-01 00:00:00.000"))
        try expectEqual(encoded(value: Decimal(string: "1.5")!), .string("1.5"))
        try expectEqual(encoded(value: URL(string: "https://a.b/c")!), .string("https://a.b/c"))
        try expectEqual(encoded(value: Kind.striker), .string("striker"))
        try expectEqual(encoded(value: Int?.none), .null)
        try expectEqual(encoded(value: Team?.none), .null)
        try expectEqual(encoded(value: Kind?.some(.striker)), .string("striker"))
    }

    @Test func arraysAndObjectsAreStoredAsJSON() throws {
        try expectEqual(encoded(value: [1, 2]), .string("[1,2]"))
        try expectEqual(encoded(value: [Int]()), .string("[]"))
        try expectEqual(encoded(value: ["b": 1, "a": 2]), .string(#"{"a":2,"b":1}"#))
        try expectEqual(encoded(value: Team(name: "Reds")), .string(#"{"name":"Reds"}"#))
        try expectEqual(encoded(value: Event.moved(x: 1)), .string(#"{"moved":{"x":1}}"#))
        try expectEqual(encoded(value: [Date(timeIntervalSince1970: 1.5)]), .string("[1500]"))
        try expectEqual(encoded(value: [Data([1, 2, 3])]), .string(#"["AQID"]"#))
    }

    @Test func nonConformingFloatsInJSONAreErrors() throws {
        do {
            _ = try encoded(value: ["x": Double.nan])
            Issue.record("no error")
        } catch EncodingError.invalidValue(_, let context) {
            expectEqual(context.codingPath.map(\.stringValue), ["a", "x"])
        }
    }

    @Test func nestedContainersAreStoredAsJSON() throws {
        struct Nested: Encodable, EncodableRecord {
            enum CodingKeys: CodingKey { case object, list, value, parent }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                var object = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .object)
                try object.encode(1, forKey: .value)
                try object.encodeNil(forKey: .list)
                var list = container.nestedUnkeyedContainer(forKey: .list)
                try list.encode("a")
                try list.encodeNil()
                var inner = list.nestedContainer(keyedBy: CodingKeys.self)
                try inner.encode(Date(timeIntervalSince1970: 1), forKey: .value)
                try 12.encode(to: container.superEncoder(forKey: .value))
                try Team(name: "Reds").encode(to: container.superEncoder(forKey: .parent))
            }
        }
        try expectEqual(
            encoded(Nested()),
            [
                "object": .string(#"{"list":null,"value":1}"#),
                "list": .string(#"["a",null,{"value":1000}]"#),
                "value": .int64(12),
                "parent": .string(#"{"name":"Reds"}"#),
            ])
    }

    @Test func superclassesShareTheRow() throws {
        class Base: Encodable {
            var a = 1
        }
        final class Derived: Base, EncodableRecord {
            var b = 2
            enum CodingKeys: CodingKey { case b }

            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(b, forKey: .b)
                try super.encode(to: container.superEncoder())
            }
        }
        try expectEqual(encoded(Derived()), ["a": .int64(1), "b": .int64(2)])
    }

    @Test func singleValueRecordsAreEncodedLikeTheirValue() throws {
        struct Wrapper<Value: Encodable>: Encodable, EncodableRecord {
            var value: Value

            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(value)
            }
        }
        try expectEqual(
            encoded(Wrapper(value: Team(name: "Reds"))),
            ["name": .string("Reds"), "color": .null])
        expectError(EncodingError.self) { try encoded(Wrapper(value: 1)) }
        expectError(EncodingError.self) { try encoded(Wrapper(value: [1])) }
    }

    @Test func propertyWrappers() throws {
        struct Record: Codable, FetchableRecord, EncodableRecord {
            @Wrapped var a: Int
            @Wrapped var team: Team
            @Wrapped var date: Date
            @Wrapped var optional: Int?

            static func databaseDateEncodingStrategy(
                for column: String
            ) -> DatabaseDateEncodingStrategy {
                .secondsSince1970
            }

            static func databaseDateDecodingStrategy(
                for column: String
            ) -> DatabaseDateDecodingStrategy {
                .timeIntervalSince1970
            }
        }
        let record = Record(
            a: 1, team: Team(name: "Reds"), date: Date(timeIntervalSince1970: 5), optional: nil)
        let dictionary = try record.databaseDictionary
        expectEqual(
            dictionary.mapValues(\.storage),
            [
                "a": .int64(1), "team": .string(#"{"name":"Reds"}"#), "date": .int64(5),
                "optional": .null,
            ])
        let decoded = try Record(row: Row(dictionary))
        expectEqual(decoded.a, 1)
        expectEqual(decoded.team, Team(name: "Reds"))
        expectEqual(decoded.date, Date(timeIntervalSince1970: 5))
        expectEqual(decoded.optional, nil)
    }

    @Test func bindingAndCollectingAgree() throws {
        struct Record: Codable, PersistableRecord, FetchableRecord, Equatable {
            var id: Int64
            var team: Team?
            var date: Date
            var kind: Kind
            static let databaseTableName = "record"
        }
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE record (id INTEGER PRIMARY KEY, team, date, kind)")
            let records = (1...10).map {
                Record(
                    id: $0, team: $0 % 2 == 0 ? nil : Team(name: "Team \($0)"),
                    date: Date(timeIntervalSince1970: Double($0)), kind: .striker)
            }
            for record in records { try record.insert(db) }
            try expectEqual(Record.fetchAll(db, sql: "SELECT * FROM record ORDER BY id"), records)
        }
    }
}

@propertyWrapper
private struct Wrapped<Value: Codable>: Codable {
    var wrappedValue: Value

    init(wrappedValue: Value) {
        self.wrappedValue = wrappedValue
    }

    init(from decoder: any Decoder) throws {
        wrappedValue = try decoder.singleValueContainer().decode(Value.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension CodingUserInfoKey {
    fileprivate static let signature = CodingUserInfoKey(rawValue: "signature")!
}
