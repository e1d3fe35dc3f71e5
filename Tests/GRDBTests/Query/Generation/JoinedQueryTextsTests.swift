import GRDB
import GRDBQueries
import GRDBTestSupport
import Testing

/// Queries of several tables that are run again with other values: neither their texts nor the
/// adapters of their rows are created again. Debug builds also compare the text of each shape with the
/// one that would be written.
@Suite(.databases) struct JoinedQueryTextsTests {
    private struct Team: Codable, FetchableRecord, PersistableRecord, Equatable {
        static let players = hasMany(Player.self)
        enum Columns {
            static let id = Column("id")
            static let name = Column("name")
        }
        var id: Int
        var name: String
    }

    private struct Player: Codable, FetchableRecord, PersistableRecord, Equatable {
        static let team = belongsTo(Team.self)
        static let captain = belongsTo(
            Player.self, key: "captain", using: ForeignKey(["captainId"]))
        enum Columns {
            static let id = Column("id")
            static let name = Column("name")
            static let teamId = Column("teamId")
            static let score = Column("score")
        }
        var id: Int
        var name: String
        var teamId: Int?
        var captainId: Int?
        var score: Int
    }

    private struct PlayerInfo: Decodable, FetchableRecord, Equatable {
        var player: Player
        var team: Team?
        var captain: Player?
    }

    private func makeDatabase(_ kind: DatabaseKind = .queue) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                    CREATE TABLE player(
                        id INTEGER PRIMARY KEY, name TEXT NOT NULL, teamId INTEGER REFERENCES team(id),
                        captainId INTEGER REFERENCES player(id), score INTEGER NOT NULL);
                    """)
            for id in 1...3 { try Team(id: id, name: "t\(id)").insert(db) }
            for id in 1...20 {
                try Player(
                    id: id, name: "p\(id)", teamId: id % 4 == 0 ? nil : id % 4,
                    captainId: id > 4 ? id % 4 + 1 : nil, score: id % 3
                ).insert(db)
            }
        }
        return writer
    }

    private func player(_ db: Database, _ id: Int?) throws -> Player? {
        try Player.fetchOne(db, sql: "SELECT * FROM player WHERE id = ?", arguments: [id])
    }

    private func team(_ db: Database, _ id: Int?) throws -> Team? {
        try Team.fetchOne(db, sql: "SELECT * FROM team WHERE id = ?", arguments: [id])
    }

    @Test(arguments: DatabaseKind.allCases) func rowsByKeyWithTheirScopes(
        kind: DatabaseKind
    ) throws {
        try makeDatabase(kind).read { db in
            for id in [3, 9, 4, 20, 3, 99] {
                var info: PlayerInfo?
                let sql = try db.statements(of: {
                    info = try Player.filter(key: id)
                        .including(optional: Player.team)
                        .including(optional: Player.captain)
                        .asRequest(of: PlayerInfo.self)
                        .fetchOne(db)
                })
                expectSQL(
                    sql.last ?? "",
                    equals: """
                        SELECT "player1".*, "team".*, "player2".* FROM "player" "player1"
                        LEFT JOIN "team" ON "team"."id" = "player1"."teamId"
                        LEFT JOIN "player" "player2" ON "player2"."id" = "player1"."captainId"
                        WHERE "player1"."id" = \(id) LIMIT 1
                        """)
                let expected = try player(db, id).map {
                    try PlayerInfo(
                        player: $0, team: team(db, $0.teamId), captain: player(db, $0.captainId))
                }
                expectEqual(info, expected)
            }
        }
    }

    /// The values of joins come before the conditions of the first table, although requests may add
    /// them later.
    @Test func valuesHaveTheOrderOfTheText() throws {
        try makeDatabase().read { db in
            for (score, name, captain, offset) in [
                (1, "t1", "p2", 10), (1, "t1", "p2", 10), (0, "t2", "p3", 0), (2, "t3", "p4", -5),
            ] {
                let alias = TableAlias<Player>()
                let ids =
                    try Player
                    .filter { $0.score == score }
                    .annotated(with: Column("score") + offset)
                    .joining(required: Player.team.filter { $0.name == name })
                    .joining(
                        optional: Player.captain.aliased(alias).filter { $0.name > captain }
                    )
                    .filter(alias[Column("id")] != captain.utf8.count)
                    .order { [($0.score + offset).desc, $0.id] }
                    .asRequest(of: Row.self)
                    .fetchAll(db)
                let expected = try Row.fetchAll(
                    db,
                    sql: """
                        SELECT p.*, p.score + ? FROM player p
                        JOIN team t ON t.id = p.teamId AND t.name = ?
                        LEFT JOIN player c ON c.id = p.captainId AND c.name > ?
                        WHERE p.score = ? AND c.id <> ?
                        ORDER BY p.score + ? DESC, p.id
                        """,
                    arguments: [offset, name, captain, score, captain.utf8.count, offset])
                expectEqual(
                    ids.map { Array($0.databaseValues) },
                    expected.map { Array($0.databaseValues) })
            }
        }
    }

    /// The same request with another alias has the same text, but an alias of another table doesn't.
    @Test func aliasesAreTablesOfTheQuery() throws {
        try makeDatabase().read { db in
            for _ in 0..<3 {
                let first = TableAlias<Player>()
                let second = TableAlias<Player>()
                let base = Player.aliased(first).joining(required: Player.captain.aliased(second))
                try expectEqual(base.filter(first[Column("id")] == 6).fetchCount(db), 1)
                try expectEqual(base.filter(second[Column("id")] == 6).fetchCount(db), 0)
                try expectEqual(base.filter(second[Column("id")] == 3).fetchCount(db), 4)
                try expectTrue(base.filter(first[Column("id")] == 3).isEmpty(db))
            }
            for name in ["a", "b", "a"] {
                let alias = TableAlias<Player>(name: name)
                try expectSQL(
                    #"SELECT "\#(name)".* FROM "player" "\#(name)" WHERE "\#(name)"."id" = 7"#
                ) {
                    let player = try Player.aliased(alias).filter(alias[Column("id")] == 7)
                        .fetchOne(db)
                    expectEqual(player?.id, 7)
                }
            }
        }
    }

    @Test func kindsOfJoinsAndDirectionsDiffer() throws {
        try makeDatabase().read { db in
            for _ in 0..<2 {
                try expectEqual(Player.including(required: Player.team).fetchCount(db), 15)
                try expectEqual(Player.including(optional: Player.team).fetchCount(db), 20)
                try expectEqual(Player.joining(required: Player.captain).fetchCount(db), 16)
                try expectEqual(Team.joining(required: Team.players).fetchCount(db), 15)
                try expectEqual(Team.joining(optional: Team.players).distinct().fetchCount(db), 3)
                let scopes = try Row.fetchOne(db, Player.including(required: Player.team))!.scopes
                expectEqual(Array(scopes.names), ["team"])
                let others = try Row.fetchOne(
                    db, Player.including(required: Player.team.forKey("club")))!.scopes
                expectEqual(Array(others.names), ["club"])
            }
        }
    }

    /// An alias of two tables is an error each time.
    @Test func anAliasOfTwoTablesIsRefused() throws {
        try makeDatabase().read { db in
            for _ in 0..<2 {
                let alias = TableAlias<Player>()
                let request = Player.aliased(alias).joining(required: Player.captain.aliased(alias))
                expectError(
                    "SQLite error 21: A TableAlias must not be used to refer to multiple tables"
                ) {
                    _ = try request.fetchAll(db)
                }
            }
        }
    }

    /// Scopes depend on the number of columns, which the schema determines.
    @Test func adaptersFollowTheSchema() throws {
        let writer = try makeDatabase()
        func fetchTeam() throws -> (columns: [String], team: Row)? {
            try writer.read { db in
                try Row.fetchOne(db, Player.filter(key: 5).including(required: Player.team))
                    .map { row in (Array(row.columnNames), row.scopes["team"]!.copy()) }
            }
        }
        for _ in 0..<2 {
            let (columns, team) = try unwrap(fetchTeam())
            expectEqual(columns, ["id", "name", "teamId", "captainId", "score"])
            expectEqual(team, ["id": 1, "name": "t1"])
        }
        try writer.write { try $0.execute(sql: "ALTER TABLE player ADD COLUMN email TEXT") }
        for _ in 0..<2 {
            let (columns, team) = try unwrap(fetchTeam())
            expectEqual(columns, ["id", "name", "teamId", "captainId", "score", "email"])
            expectEqual(team, ["id": 1, "name": "t1"])
        }
        try writer.write {
            try $0.execute(sql: "ALTER TABLE team ADD COLUMN city TEXT DEFAULT 'c'")
        }
        let (_, team) = try unwrap(fetchTeam())
        expectEqual(team, ["id": 1, "name": "t1", "city": "c"])
    }

    /// After a change of the schema, SQLite recompiles cached statements only when they run.
    @Test(arguments: DatabaseKind.allCases) func writtenQueriesFollowTheSchema(
        kind: DatabaseKind
    ) throws {
        let writer = try makeDatabase(kind)
        // A closure, which shapes do not support.
        let request = Player.including(
            required: Player.team.filterWhenConnected { _ in
                Column("id") > 1
            })
        let latest = CommonTableExpression(named: "latest", sql: "SELECT * FROM player LIMIT 1")
        let latestRequest = Player.with(latest).including(
            optional: Player.association(to: latest)
        ).including(optional: Player.team).filter(key: 2)
        let union = Player.filter { $0.id == 1 }.including(optional: Player.team)
            .union(Player.filter { $0.id == 2 }.including(optional: Player.team))
        for columns in [5, 6, 7] {
            try writer.read { db in
                let rows = try Row.fetchAll(db, union)
                expectEqual(rows.map(\.count), [columns, columns])
                expectEqual(rows.map { $0.scopes["team"]?["name"] }, ["t1", "t2"])
                let row = try unwrap(Row.fetchOne(db, request))
                expectEqual(row.count, columns)
                expectEqual(row.scopes["team"]?.count, 2)
                let other = try unwrap(Row.fetchOne(db, latestRequest))
                expectEqual(other.scopes["latest"]?.count, columns)
                expectEqual(other.scopes["team"], ["id": 2, "name": "t2"])
            }
            try writer.write { try $0.execute(sql: "ALTER TABLE player ADD COLUMN c\(columns)") }
        }
    }

    /// The observed rows are those of the request, with a known text as well.
    @Test(arguments: DatabaseKind.allCases) func regionsAreThoseOfTheRequest(
        kind: DatabaseKind
    ) throws {
        let writer = try makeDatabase(kind)
        try writer.read { db in
            for id in [5, 6, 5] {
                let request = Player.filter(key: id).including(required: Player.team)
                try expectEqual(
                    request.databaseRegion(db).description,
                    "player(captainId,id,name,score,teamId)[\(id)],team(id,name)")
            }
            for name in ["t1", "t2"] {
                let request = Player.including(required: Player.team.filter { $0.name == name })
                try expectEqual(
                    request.databaseRegion(db).description,
                    "player(captainId,id,name,score,teamId),team(id,name)")
            }
        }
    }

    /// Closures of requests are called once for each use, whether the text is known or not.
    @Test func closuresAreCalledOnce() throws {
        try makeDatabase().read { db in
            for _ in 0..<3 {
                let calls = Log<String>()
                let ids =
                    try Player.all()
                    .selectWhenConnected { _ in
                        calls.append("select")
                        return [Column("id")]
                    }
                    .joining(
                        required: Player.team.filterWhenConnected { _ in
                            calls.append("team")
                            return Column("id") == 2
                        }
                    )
                    .filterWhenConnected { _ in
                        calls.append("filter")
                        return Column("id") < 9
                    }
                    .orderWhenConnected { _ in
                        calls.append("order")
                        return [Column("id")]
                    }
                    .asRequest(of: Int.self)
                    .fetchAll(db)
                expectEqual(ids, [2, 6])
                expectEqual(calls.elements.sorted(), ["filter", "order", "select", "team"])
            }
        }
    }
}
