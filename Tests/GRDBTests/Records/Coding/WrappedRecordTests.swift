import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Records that encode another record as their only value.
@Suite(.databases) struct WrappedRecordTests {
    /// Its columns are not those of its coding keys.
    private struct Player: Codable, PersistableRecord, FetchableRecord, Equatable {
        static let databaseTableName = "player"
        var id: Int64
        var name: String

        init(id: Int64, name: String) {
            self.id = id
            self.name = name
        }

        init(row: Row) {
            id = row["id"]
            name = row["name"]
        }

        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["name"] = name.uppercased()
            container["length"] = name.count
        }
    }

    /// Has a strategy of its own for names and dates.
    private struct Meeting: Codable, PersistableRecord {
        static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy {
            .convertToSnakeCase
        }
        static func databaseDateEncodingStrategy(
            for column: String
        ) -> DatabaseDateEncodingStrategy { .secondsSince1970 }

        var startDate: Date
    }

    private struct Plain: Codable {
        var id: Int64
        var name: String
    }

    private struct Wrapper<Value: Codable>: Codable, PersistableRecord {
        static var databaseTableName: String { "player" }
        var value: Value

        init(_ value: Value) { self.value = value }

        init(from decoder: any Decoder) throws {
            value = try decoder.singleValueContainer().decode(Value.self)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    /// Adds a column to those of a record.
    private struct Extended: Encodable, PersistableRecord {
        static let databaseTableName = "player"
        var player: Player
        var score: Int

        enum CodingKeys: CodingKey { case score }

        func encode(to encoder: any Encoder) throws {
            var columns = encoder.container(keyedBy: CodingKeys.self)
            try columns.encode(score, forKey: .score)
            var container = encoder.singleValueContainer()
            try container.encode(player)
        }
    }

    private let player = Player(id: 1, name: "Ada")
    private let columns: [String: DatabaseValue] = [
        "id": 1.databaseValue, "name": "ADA".databaseValue, "length": 3.databaseValue,
    ]

    @Test func theColumnsAreThoseOfTheWrappedRecord() throws {
        try expectEqual(Wrapper(player).databaseDictionary, columns)
        try expectEqual(Wrapper(Optional(player)).databaseDictionary, columns)
        try expectEqual(Wrapper(Wrapper(player)).databaseDictionary, columns)
        let meeting = Meeting(startDate: Date(timeIntervalSince1970: 5))
        try expectEqual(Wrapper(meeting).databaseDictionary, ["start_date": 5.databaseValue])
        try expectEqual(
            Extended(player: player, score: 7).databaseDictionary,
            columns.merging(["score": 7.databaseValue]) { $1 })
    }

    @Test func otherTypesWriteTheirKeys() throws {
        try expectEqual(
            Wrapper(Plain(id: 1, name: "Ada")).databaseDictionary,
            ["id": 1.databaseValue, "name": "Ada".databaseValue])
        expectError(EncodingError.self) { try Wrapper(1).databaseDictionary }
        expectError(EncodingError.self) { try Wrapper(Player?.none).databaseDictionary }
    }

    @Test func persistence() throws {
        try TestDatabases.makeQueue().write { db throws in
            try db.execute(
                sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name, length, score)")
            // Statements are compiled for the first record, and reused for the others.
            for id: Int64 in 1...3 {
                try Wrapper(Player(id: id, name: "Ada")).insert(db)
                try Extended(player: Player(id: id + 3, name: "Ben"), score: 9).insert(db)
            }
            for id: Int64 in 1...3 {
                try Wrapper(Player(id: id, name: "Anna")).update(db)
            }
            let rows = try Row.fetchAll(db, sql: "SELECT * FROM player ORDER BY id")
            expectEqual(
                rows.map(\.description),
                [
                    #"[id:1 name:"ANNA" length:4 score:NULL]"#,
                    #"[id:2 name:"ANNA" length:4 score:NULL]"#,
                    #"[id:3 name:"ANNA" length:4 score:NULL]"#,
                    #"[id:4 name:"BEN" length:3 score:9]"#,
                    #"[id:5 name:"BEN" length:3 score:9]"#,
                    #"[id:6 name:"BEN" length:3 score:9]"#,
                ])
        }
    }

    @Test func userInfoOfAnOperationReachesTheWrappedRecord() throws {
        struct Signed: Codable, PersistableRecord {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(
                    encoder.userInfo[.signature] as? String ?? "none", forKey: .name)
            }
            enum CodingKeys: CodingKey { case name }
            init() {}
            init(from decoder: any Decoder) throws {}
        }
        try TestDatabases.makeQueue().write { db throws in
            try db.execute(sql: "CREATE TABLE player (name)")
            try Wrapper(Signed()).insert(db, setting: [], userInfo: [.signature: "here"])
            try Wrapper(Signed()).insert(db)
            try expectEqual(String.fetchAll(db, sql: "SELECT name FROM player"), ["here", "none"])
        }
    }
}

extension CodingUserInfoKey {
    fileprivate static let signature = CodingUserInfoKey(rawValue: "signature")!
}
