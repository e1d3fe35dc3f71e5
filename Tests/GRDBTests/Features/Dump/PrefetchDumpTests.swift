import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Dumps of requests that prefetch associations.
@Suite(.databases) struct PrefetchDumpTests {
    private struct Team: TableRecord, FetchableRecord, Decodable {
        static let players = hasMany(Player.self).order(Column("id"))
        static let flags = hasMany(Flag.self).forKey("myFlags")
        static let awards = hasMany(Award.self, through: players, using: Player.awards)
        var id: Int
    }

    private struct Player: TableRecord, FetchableRecord, Decodable {
        static let team = belongsTo(Team.self)
        static let awards = hasMany(Award.self).order(Column("id"))
        static let mates = hasMany(Player.self, through: team, using: Team.players)
        var id: Int
    }

    private struct Award: TableRecord {}
    private struct Flag: TableRecord {}

    private let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
                    CREATE TABLE player (
                        id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team, name TEXT);
                    CREATE TABLE award (
                        id INTEGER PRIMARY KEY, playerId INTEGER REFERENCES player, data BLOB);
                    CREATE TABLE flag (
                        id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team);
                    INSERT INTO team VALUES (1, 'Red'), (2, 'Blue'), (3, 'None');
                    INSERT INTO player VALUES
                        (1, 1, 'Arthur'), (2, 1, 'Barbara'), (3, 2, 'Craig'), (4, NULL, 'David');
                    INSERT INTO award VALUES
                        (1, 1, x'00112233445566778899aabbccddeeff'), (2, 3, x'616263'),
                        (3, 3, x'ff');
                    """)
        }
    }

    private func dump(
        _ request: some FetchRequest, _ format: some DumpFormat = .debug()
    ) throws -> String {
        try dumped { stream in
            try dbQueue.read { try $0.dumpRequest(request, format: format, to: stream) }
        }
    }

    private var teams: QueryInterfaceRequest<Team> { Team.including(all: Team.players) }

    @Test func debugFormat() throws {
        try expectEqual(
            dump(teams),
            """
            1|Red
            2|Blue
            3|None

            players
            1|1|Arthur
            2|1|Barbara
            3|2|Craig

            """)
        try expectEqual(
            dump(teams, .debug(header: true)),
            """
            id|name
            1|Red
            2|Blue
            3|None

            players
            id|teamId|name
            1|1|Arthur
            2|1|Barbara
            3|2|Craig

            """)
    }

    @Test func otherFormats() throws {
        try expectEqual(
            dump(teams, .json()),
            """
            [{"id":1,"name":"Red"},
            {"id":2,"name":"Blue"},
            {"id":3,"name":"None"}]

            players
            [{"id":1,"teamId":1,"name":"Arthur"},
            {"id":2,"teamId":1,"name":"Barbara"},
            {"id":3,"teamId":2,"name":"Craig"}]

            """)
        try expectEqual(
            dump(teams.filter(key: 2), .line()),
            """
              id = 2
            name = Blue

            players
                id = 3
            teamId = 2
              name = Craig

            """)
        try expectEqual(
            dump(teams.filter(key: 2), .list(header: true)),
            """
            id|name
            2|Blue

            players
            id|teamId|name
            3|2|Craig

            """)
        try expectEqual(
            dump(teams.filter(key: 2), .quote(header: true)),
            """
            'id','name'
            2,'Blue'

            players
            'id','teamId','name'
            3,2,'Craig'

            """)
    }

    /// Associations of associated rows have the keys that lead from those rows.
    @Test func nestedAssociations() throws {
        let request = Team.including(all: Team.players.including(all: Player.awards))
            .including(all: Team.flags)
        try expectEqual(
            dump(request),
            """
            1|Red
            2|Blue
            3|None

            players
            1|1|Arthur
            2|1|Barbara
            3|2|Craig

            awards
            1|1|00112233-4455-6677-8899-AABBCCDDEEFF
            2|3|abc
            3|3|X'FF'

            myFlags

            """)
    }

    @Test func keyPaths() throws {
        try expectEqual(
            dump(Team.including(all: Team.awards), .debug(header: true)),
            """
            id|name
            1|Red
            2|Blue
            3|None

            players.awards
            id|playerId|data
            1|1|00112233-4455-6677-8899-AABBCCDDEEFF
            2|3|abc
            3|3|X'FF'

            """)
        let joined = Player.including(
            required: Player.team.including(all: Team.flags).including(all: Team.players))
        try expectEqual(
            dump(joined, .json()),
            """
            [{"id":1,"teamId":1,"name":"Arthur","id":1,"name":"Red"},
            {"id":2,"teamId":1,"name":"Barbara","id":1,"name":"Red"},
            {"id":3,"teamId":2,"name":"Craig","id":2,"name":"Blue"}]

            team.myFlags
            []

            team.players
            [{"id":1,"teamId":1,"name":"Arthur"},
            {"id":2,"teamId":1,"name":"Barbara"},
            {"id":3,"teamId":2,"name":"Craig"}]

            """)
    }

    @Test func rowsWithoutAssociatedRows() throws {
        try expectEqual(dump(teams.none()), "")
        try expectEqual(dump(teams.none(), .json()), "[]\n")
        let childless = Team.including(
            all: Team.players.filter(sql: "0").including(all: Player.awards))
        try expectEqual(dump(childless.filter(key: 1)), "1|Red\n\nplayers\n")
        // A key that is NULL.
        let david = Player.filter(key: 4).including(all: Player.mates)
        try expectEqual(dump(david), "4||David\n\nteam.players\n")
        try expectEqual(
            dump(david, .json()),
            "[{\"id\":4,\"teamId\":null,\"name\":\"David\"}]\n\nteam.players\n[]\n")
    }

    /// A column of the table may be called like one that the prefetch adds.
    @Test func columnsOfTheTableAreKept() throws {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE note (grdb_teamId TEXT, teamId INTEGER REFERENCES team);
                    INSERT INTO note VALUES ('mine', 1);
                    """)
        }
        struct Note: TableRecord {}
        let request = Team.filter(key: 1).including(all: Team.hasMany(Note.self))
        try expectEqual(
            dump(request, .debug(header: true)),
            """
            id|name
            1|Red

            notes
            grdb_teamId|teamId
            mine|1

            """)
        try expectEqual(
            dumped { try dbQueue.dumpTables(["note"], format: .json(), to: $0) },
            "[{\"grdb_teamId\":\"mine\",\"teamId\":1}]\n")
    }

    /// Formats of clients get the statements as they are.
    @Test func formatsOfClients() throws {
        struct ColumnFormat: DumpFormat {
            func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {}
            func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
                stream.write(statement.columnNames.joined(separator: ",") + "\n")
            }
        }
        try expectEqual(
            dump(teams, ColumnFormat()),
            """
            id,name

            players
            id,teamId,name,grdb_teamId

            """)
    }
}
