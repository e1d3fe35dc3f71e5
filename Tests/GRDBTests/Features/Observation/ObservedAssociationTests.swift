import Dispatch
import GRDB
import GRDBTestSupport
import Testing

/// Requests with associations: what is joined, and what is prefetched, is observed as well.
@Suite(.databases) struct ObservedAssociationTests {
    private struct Team: Codable, FetchableRecord, PersistableRecord {
        static let players = hasMany(Player.self)
        var id: Int64
        var name: String
    }

    private struct Player: Codable, FetchableRecord, PersistableRecord {
        static let medals = hasMany(Medal.self)
        var id: Int64
        var teamId: Int64?
        var name: String
    }

    private struct Medal: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var playerId: Int64
        var color: String
    }

    private struct TeamInfo: Decodable, FetchableRecord {
        struct PlayerInfo: Decodable {
            var player: Player
            var medals: [Medal]
        }

        var team: Team
        var players: [PlayerInfo]

        var description: String {
            let players = players.map { info in
                info.player.name + info.medals.map { " " + $0.color }.joined()
            }
            return "\(team.name): \(players.joined(separator: ", "))"
        }
    }

    private static var request: QueryInterfaceRequest<TeamInfo> {
        Team.order(Column("id"))
            .including(all: Team.players.order(Column("id")).including(all: Player.medals))
            .asRequest(of: TeamInfo.self)
    }

    private static func fetch(_ db: Database) throws -> String {
        try request.fetchAll(db).map(\.description).joined(separator: "; ")
    }

    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT, motto TEXT);
                    CREATE TABLE player(id INTEGER PRIMARY KEY,
                        teamId INTEGER REFERENCES team(id), name TEXT);
                    CREATE TABLE medal(id INTEGER PRIMARY KEY,
                        playerId INTEGER REFERENCES player(id), color TEXT);
                    CREATE TABLE other(a);
                    """)
        }
        return writer
    }

    /// Whether there are rows or not, which decides what is fetched.
    @Test(arguments: [false, true])
    func regionsIncludePrefetches(hasRows: Bool) throws {
        let writer = try makeWriter(.queue)
        try writer.write { db in
            if hasRows {
                try Team(id: 1, name: "A").insert(db)
                try Player(id: 1, teamId: 1, name: "x").insert(db)
                try Medal(id: 1, playerId: 1, color: "gold").insert(db)
            }
            let expected =
                "medal(color,id,playerId),player(id,name,teamId),team(id,motto,name)"
            try expectEqual(Self.request.databaseRegion(db).description, expected)
            let selected = Team.select(Column("id"), Column("name"))
                .including(all: Team.players.select(Column("name")))
            try expectEqual(
                selected.databaseRegion(db).description,
                "player(name,teamId),team(id,name)")
            let joined = Player.including(required: Player.belongsTo(Team.self))
                .including(all: Player.medals.select(Column("color")))
            try expectEqual(
                joined.databaseRegion(db).description,
                "medal(color,playerId),player(id,name,teamId),team(id,motto,name)")
        }
    }

    /// From no row at all: the first fetch prefetches nothing, and yet its region is that of all others.
    @Test(arguments: DatabaseKind.allCases, [false, true])
    func prefetchesAreObserved(kind: DatabaseKind, isConstant: Bool) throws {
        let writer = try makeWriter(kind)
        let values = Log<String>()
        let observation: ValueObservation<ValueReducers.Fetch<String>> =
            isConstant
            ? .trackingConstantRegion { try Self.fetch($0) } : .tracking { try Self.fetch($0) }
        let cancellable = observation.removeDuplicates().start(
            in: writer, scheduling: .async(onQueue: DispatchQueue(label: "values")),
            onError: { Issue.record($0) }, onChange: { values.append($0) })
        values.wait(forCount: 1)
        // Until it tracks.
        writer.writeWithoutTransaction { _ in }

        let steps: [(sql: String, value: String)] = [
            ("INSERT INTO team VALUES (1, 'A', '')", "A: "),
            ("INSERT INTO player VALUES (1, 1, 'x')", "A: x"),
            ("INSERT INTO medal VALUES (1, 1, 'gold')", "A: x gold"),
            ("UPDATE medal SET color = 'silver'", "A: x silver"),
            ("UPDATE player SET name = 'y'", "A: y silver"),
            ("DELETE FROM medal", "A: y"),
            ("UPDATE player SET teamId = NULL", "A: "),
        ]
        for (index, step) in steps.enumerated() {
            try writer.write { try $0.execute(sql: "INSERT INTO other VALUES (1)") }
            try writer.write { try $0.execute(sql: step.sql) }
            expectEqual(values.wait(forCount: index + 2).last, step.value, "\(step.sql)")
        }
        expectEqual(values.elements, [""] + steps.map(\.value))
        cancellable.cancel()
    }

    @Test(arguments: DatabaseKind.allCases)
    func transactionsThatChangePrefetchesAreTold(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let log = Log<String>()
        let cancellable = DatabaseRegionObservation(tracking: Self.request).start(
            in: writer, onError: { Issue.record($0) }, onChange: { _ in log.append("changed") })
        for sql in [
            "INSERT INTO team VALUES (1, 'A', '')", "INSERT INTO player VALUES (1, 1, 'x')",
            "INSERT INTO medal VALUES (1, 1, 'gold')", "UPDATE medal SET color = 'silver'",
        ] {
            try writer.write { try $0.execute(sql: sql) }
            expectEqual(log.removeAll(), ["changed"], "\(sql)")
        }
        try writer.write { try $0.execute(sql: "INSERT INTO other VALUES (1)") }
        expectEqual(log.elements, [])
        cancellable.cancel()
    }
}
