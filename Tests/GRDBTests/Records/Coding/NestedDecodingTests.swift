import Foundation
import GRDB
import GRDBTestSupport
import Testing

private struct Team: Codable, FetchableRecord, TableRecord, Equatable {
    var id: Int64
    var name: String
}

private struct Player: Codable, FetchableRecord, TableRecord, Equatable {
    static let team = belongsTo(Team.self)
    static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase

    static func databaseDateDecodingStrategy(
        for column: String
    ) -> DatabaseDateDecodingStrategy { .timeIntervalSinceReferenceDate }

    var id: Int64
    var teamId: Int64?
    var joinDate: Date
}

/// Tells what it was made with.
private struct Probe: Decodable, FetchableRecord, Equatable {
    static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [.context: "probe"] }

    var id: Int64
    var context: String?
    var isFetched = false

    enum CodingKeys: CodingKey { case id }

    init(id: Int64, context: String?) {
        self.id = id
        self.context = context
        isFetched = true
    }

    init(from decoder: any Decoder) throws {
        id = try decoder.container(keyedBy: CodingKeys.self).decode(Int64.self, forKey: .id)
        context = decoder.userInfo[.context] as? String
    }

    init(row: Row) throws {
        self = try FetchableRecordDecoder().decode(Probe.self, from: row)
        isFetched = true
    }
}

/// Decodes what has no column, and no scope, from the columns of the row itself.
@Suite(.databases) struct NestedDecodingTests {
    private func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT);
                    CREATE TABLE player(
                        id INTEGER PRIMARY KEY, team_id INTEGER REFERENCES team, join_date);
                    INSERT INTO team VALUES (7, 'Reds');
                    INSERT INTO player VALUES (1, 7, 0), (2, NULL, 1);
                    """)
            return try body(db)
        }
    }

    // MARK: - Records

    @Test func nestedRecordsKeepTheirStrategies() throws {
        struct PlayerInfo: Decodable, FetchableRecord, Equatable {
            var player: Player
            var team: Team?
        }
        try read { db in
            let request = Player.including(optional: Player.team).orderByPrimaryKey()
            let infos = try PlayerInfo.fetchAll(db, request)
            let expected = [
                PlayerInfo(
                    player: Player(
                        id: 1, teamId: 7, joinDate: Date(timeIntervalSinceReferenceDate: 0)),
                    team: Team(id: 7, name: "Reds")),
                PlayerInfo(
                    player: Player(id: 2, joinDate: Date(timeIntervalSinceReferenceDate: 1)),
                    team: nil),
            ]
            expectEqual(infos, expected)
            let rows = try Row.fetchAll(db, request)
            try expectEqual(rows.map { try PlayerInfo(row: $0) }, expected)
        }
    }

    @Test func nestedRecordsHaveTheirInitializerAndUserInfo() throws {
        struct Inner: Decodable {
            var probe: Probe
        }
        struct Outer: Decodable, FetchableRecord {
            static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [.context: "outer"] }
            var probe: Probe
            var missing: Probe?
        }
        struct Deep: Decodable, FetchableRecord {
            var inner: Inner
        }
        try read { db in
            let sql = "SELECT 1 AS id UNION ALL SELECT 2"
            let probes = [Probe(id: 1, context: "probe"), Probe(id: 2, context: "probe")]
            let outers = try Outer.fetchAll(db, sql: sql)
            expectEqual(outers.map(\.probe), probes)
            expectEqual(outers.map(\.missing), [nil, nil])
            try expectEqual(Deep.fetchAll(db, sql: sql).map(\.inner.probe), probes)
            let rows = try Row.fetchAll(db, sql: sql)
            try expectEqual(rows.map { try $0.decode(Inner.self).probe }, probes)
            try expectEqual(rows.map { try $0.decode(Probe?.self) }, probes)
            try expectEqual(Row(["id": nil]).decode(Probe?.self), nil)
        }
    }

    @Test func recordsOfSingleValuesHaveTheirInitializer() throws {
        struct Wrapper<Value: Decodable>: Decodable, FetchableRecord {
            var value: Value

            init(from decoder: any Decoder) throws {
                value = try decoder.singleValueContainer().decode(Value.self)
            }
        }
        try read { db in
            let probes = try Wrapper<Probe>.fetchAll(db, sql: "SELECT 1 AS id UNION ALL SELECT 2")
            expectEqual(
                probes.map(\.value),
                [Probe(id: 1, context: "probe"), Probe(id: 2, context: "probe")])
            let players = try Wrapper<Player?>.fetchAll(
                db, sql: "SELECT * FROM player UNION ALL SELECT NULL, NULL, NULL")
            expectEqual(players.map(\.value?.id), [1, 2, nil])
            expectEqual(players[0].value?.joinDate, Date(timeIntervalSinceReferenceDate: 0))
        }
    }

    @Test func recordsMayContainRecordsOfTheSameRow() throws {
        struct Third: Decodable, FetchableRecord, Equatable {
            var id: Int
        }
        struct Second: Decodable, FetchableRecord {
            var third: Third
            var name: String
        }
        struct First: Decodable, FetchableRecord {
            var name: String
            var second: Second
            var id: Int
        }
        try read { db in
            let sql = "SELECT 1 AS id, 'a' AS name UNION ALL SELECT 2, 'b'"
            let firsts = try First.fetchAll(db, sql: sql)
            expectEqual(firsts.map(\.id), [1, 2])
            expectEqual(firsts.map(\.second.name), ["a", "b"])
            expectEqual(firsts.map(\.second.third), [Third(id: 1), Third(id: 2)])
        }
    }

    // MARK: - Missing keys

    private struct Info: Decodable, FetchableRecord {
        var player: Player
        var team: Team
    }

    @Test(arguments: [false, true]) func aForgottenAssociationIsAnError(isMisnamed: Bool) throws {
        try read { db in
            var request = Player.orderByPrimaryKey()
            if isMisnamed { request = request.including(required: Player.team.forKey("club")) }
            let error = expectError(DecodingError.self) { try Info.fetchAll(db, request) }
            guard case .keyNotFound(let key, let context) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            expectEqual(key.stringValue, "team")
            expectTrue(context.codingPath.isEmpty)
            expectTrue(context.debugDescription.contains("player, nor for team"))
        }
    }

    @Test func oneMissingKeyALevelIsDecodedFromTheRow() throws {
        struct Value: Decodable, Equatable {
            var id: Int
        }
        struct One: Decodable {
            var c: Value
        }
        struct Two: Decodable {
            var c: Value
            var d: Value
        }
        struct Levels<Inner: Decodable>: Decodable, FetchableRecord {
            var inner: Inner
            var none: Inner?
        }
        let row: Row = ["id": 1]
        try expectEqual(Levels<One>(row: row).inner.c, Value(id: 1))
        let error = expectError(DecodingError.self) { try Levels<Two>(row: row) }
        guard case .keyNotFound(let key, let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        expectEqual(key.stringValue, "d")
        expectEqual(context.codingPath.map(\.stringValue), ["inner"])
    }

    @Test func eachContainerHasItsMissingKey() throws {
        struct Value: Decodable, Equatable {
            var id: Int
        }
        struct Twice: Decodable, FetchableRecord {
            enum CodingKeys: CodingKey { case a, b }
            var values: [Value] = []

            init(from decoder: any Decoder) throws {
                let first = try decoder.container(keyedBy: CodingKeys.self)
                values.append(try first.decode(Value.self, forKey: .a))
                values.append(try first.decode(Value.self, forKey: .a))
                expectError(DecodingError.self) {
                    try first.decode(Value.self, forKey: .b)
                }
                let second = try decoder.container(keyedBy: CodingKeys.self)
                values.append(try second.decode(Value.self, forKey: .b))
            }
        }
        try read { db in
            let all = try Twice.fetchAll(db, sql: "SELECT 1 AS id UNION ALL SELECT 2")
            expectEqual(all.map { $0.values.map(\.id) }, [[1, 1, 1], [2, 2, 2]])
        }
    }
}

extension CodingUserInfoKey {
    fileprivate static let context = CodingUserInfoKey(rawValue: "context")!
}
