import GRDB
import GRDBTestSupport
import Testing

/// The associations of the page "Database Schema Recommendations".
@Suite(.databases) struct SchemaAssociationsTests {
    // MARK: - Table names should be English, singular, and camelCased

    struct PostalAddress: TableRecord, Codable, FetchableRecord {
        // Required because table name is not 'postalAddress'
        static let databaseTableName = "postal_address"
        var city: String
    }

    struct Award: TableRecord, Codable, FetchableRecord {
        // Required because table name is not 'award'
        static let databaseTableName = "Auszeichnung"
        var name: String
    }

    struct Laureate: TableRecord, Codable, FetchableRecord {
        static let databaseTableName = "player"
        var name: String

        // Explicit association key because the table name is not 'postalAddress'
        static let postalAddress = belongsTo(PostalAddress.self, key: "postalAddress")

        // Explicit association key because the table name is not 'award'
        static let awards = hasMany(Award.self, key: "awards")
    }

    struct LaureateInfo: Decodable, FetchableRecord {
        var player: Laureate
        var postalAddress: PostalAddress?
        var awards: [Award]
        var awardCount: Int
    }

    @Test func tableNames() throws {
        try TestDatabases.makeQueue().write { db in
            try db.create(table: "postal_address") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("city", .text).notNull()
            }
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull()
                t.belongsTo("postalAddress", inTable: "postal_address")
            }
            try db.create(table: "Auszeichnung") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull()
                t.belongsTo("player")
            }
            try db.execute(
                sql: """
                    INSERT INTO postal_address (city) VALUES ('Ulm');
                    INSERT INTO player (name, postalAddressId) VALUES ('Arthur', 1), ('Barbara', NULL);
                    INSERT INTO Auszeichnung (name, playerId) VALUES ('Goldmedaille', 1);
                    """)
            let infos = try Laureate.order(Column("name"))
                .including(optional: Laureate.postalAddress)
                .including(all: Laureate.awards)
                .annotated(with: Laureate.awards.count)
                .asRequest(of: LaureateInfo.self)
                .fetchAll(db)
            expectEqual(infos.map(\.player.name), ["Arthur", "Barbara"])
            expectEqual(infos.map(\.postalAddress?.city), ["Ulm", nil])
            expectEqual(infos.map { $0.awards.map(\.name) }, [["Goldmedaille"], []])
            expectEqual(infos.map(\.awardCount), [1, 0])
        }
    }

    // MARK: - Declare foreign keys

    struct Player: TableRecord, Codable, Equatable, FetchableRecord {
        var id: Int64
        var name: String
        var teamId: Int64

        static let team = belongsTo(Team.self)
    }

    struct Team: TableRecord, Codable, Equatable, FetchableRecord {
        var id: Int64
        var name: String

        static let players = hasMany(Player.self)
    }

    /// Creates two teams.
    private func createTeams(_ db: Database, withForeignKey: Bool) throws {
        try db.create(table: "team") { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("name", .text).notNull()
        }
        try db.create(table: "player") { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("name", .text).notNull()
            if withForeignKey {
                t.belongsTo("team").notNull()
            } else {
                // No foreign key
                t.column("teamId", .integer).notNull()
            }
        }
        try db.execute(
            sql: """
                INSERT INTO team (name) VALUES ('Red'), ('Blue');
                INSERT INTO player (name, teamId) VALUES ('Arthur', 2), ('Barbara', 2);
                """)
    }

    @Test func declaredForeignKeys() throws {
        try TestDatabases.makeQueue().write { db in
            try createTeams(db, withForeignKey: true)
            let teams = try Team.including(all: Team.players).asRequest(of: Row.self).fetchAll(db)
            expectEqual(teams.map { $0.prefetchedRows["players"]!.count }, [0, 2])
            let rows = try Player.including(required: Player.team).asRequest(of: Row.self)
                .fetchAll(db)
            expectEqual(rows.map { $0.scopes["team"]!["name"] as String }, ["Blue", "Blue"])
        }
    }

    /// Those who don't rely on the schema.
    enum Configured {
        struct Player: TableRecord {
            // Required configuration because the database does
            // not declare any foreign key from players to their team.
            static let teamForeignKey = ForeignKey(["teamId"])
            static let team = belongsTo(
                Team.self,
                using: teamForeignKey)
        }

        struct Team: TableRecord {
            // Required configuration because the database does
            // not declare any foreign key from players to their team.
            static let players = hasMany(
                Player.self,
                using: Player.teamForeignKey)
        }
    }

    @Test func undeclaredForeignKeys() throws {
        try TestDatabases.makeQueue().write { db in
            try createTeams(db, withForeignKey: false)
            expectError(
                """
                SQLite error 21: Could not infer foreign key from 'player' to 'team'. To fix this \
                error, provide an explicit `ForeignKey` in the association definition.
                """
            ) {
                try Row.fetchAll(db, Player.including(required: Player.team))
            }
            let rows = try Row.fetchAll(
                db, Configured.Player.including(required: Configured.Player.team))
            expectEqual(rows.map { $0.scopes["team"]!["name"] as String }, ["Blue", "Blue"])
            let teams = try Row.fetchAll(
                db, Configured.Team.including(all: Configured.Team.players))
            expectEqual(teams.map { $0.prefetchedRows["players"]!.count }, [0, 2])
        }
    }
}
