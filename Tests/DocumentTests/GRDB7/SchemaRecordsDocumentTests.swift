import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The record snippets of the pages "Database Schema Recommendations" and "Swift Concurrency and
/// GRDB".
@Suite(.databases) struct SchemaRecordsDocumentTests {
    // MARK: - Table names

    private struct Player: TableRecord {
        // Required because table name is not 'player'
        static let databaseTableName = "players"
    }

    private struct PostalAddress: TableRecord {
        // Required because table name is not 'postalAddress'
        static let databaseTableName = "postal_address"
    }

    private struct Award: TableRecord {
        // Required because table name is not 'award'
        static let databaseTableName = "Auszeichnung"
    }

    @Test func tableNames() throws {
        try TestDatabases.makeQueue().write { db in
            for table in ["players", "postal_address", "Auszeichnung"] {
                try db.create(table: table) { t in
                    t.column("name", .text)
                }
            }
            try expectSQL(
                """
                SELECT COUNT(*) FROM "players"
                SELECT COUNT(*) FROM "postal_address"
                SELECT COUNT(*) FROM "Auszeichnung"
                """
            ) {
                try expectEqual(Player.fetchCount(db), 0)
                try expectEqual(PostalAddress.fetchCount(db), 0)
                try expectEqual(Award.fetchCount(db), 0)
            }
        }
    }

    // MARK: - Column names

    private struct NamedPlayer: Decodable, FetchableRecord {
        var id: Int64
        var fullName: String
        var score: Int
        var creationDate: Date

        // Required CodingKeys customization because
        // columns are not named like Swift properties
        enum CodingKeys: String, CodingKey {
            case id
            case fullName = "full_name"
            case score
            case creationDate = "creation_date"
        }
    }

    @Test func columnNames() throws {
        try TestDatabases.makeQueue().write { db in
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("full_name", .text).notNull()
                t.column("score", .integer).notNull()
                t.column("creation_date", .datetime).notNull()
            }
            try db.execute(
                sql: "INSERT INTO player VALUES (1, 'Arthur', 2, '1970-01-01 00:00:01.000')")
            let player = try unwrap(NamedPlayer.fetchOne(db, sql: "SELECT * FROM player"))
            expectEqual(player.id, 1)
            expectEqual(player.fullName, "Arthur")
            expectEqual(player.score, 2)
            expectEqual(player.creationDate, Date(timeIntervalSince1970: 1))
        }
    }

    // MARK: - Tables without explicit primary key

    // The record type for the 'player' table'
    struct RowIDPlayer: Codable {
        // Uniquely identifies a player.
        var rowid: Int64?
        var name: String
        var score: Int
    }

    @Test func hiddenRowID() throws {
        try TestDatabases.makeQueue().write { db in
            // A table without any explicit primary key
            try db.create(table: "player") { t in
                t.column("name", .text).notNull()
                t.column("score", .integer).notNull()
            }
            var player = RowIDPlayer(name: "Arthur", score: 1000)
            try player.insert(db)
            expectEqual(player.rowid, 1)

            try expectSQL(
                """
                SELECT *, "rowid" FROM "player" WHERE "rowid" = 1
                DELETE FROM "player" WHERE "rowid"=1
                """
            ) {
                if let player = try RowIDPlayer.fetchOne(db, key: 1) {
                    expectEqual(player.rowid, 1)
                    let deleted = try player.delete(db)
                    expectTrue(deleted)
                } else {
                    Issue.record("no player")
                }
            }
        }
    }

    // MARK: - Primary keys that are not named id

    // Custom coding keys
    private struct KeyedPlayer: Codable, Identifiable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "player"

        var id: String
        var name: String

        // Required CodingKeys customization because
        // columns are not named like Swift properties
        enum CodingKeys: String, CodingKey {
            case id = "uuid"
            case name
        }
    }

    // Extra property
    private struct UUIDPlayer: Codable, Identifiable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "player"

        var uuid: String
        var name: String

        // Required because the primary key column is not 'id'
        var id: String { uuid }
    }

    @Test func identifiableRecords() throws {
        try TestDatabases.makeQueue().write { db in
            try db.create(table: "player") { t in
                t.primaryKey("uuid", .text)
                t.column("name", .text).notNull()
            }
            try KeyedPlayer(id: "a", name: "Arthur").insert(db)
            try UUIDPlayer(uuid: "b", name: "Barbara").insert(db)
            try expectSQL(
                """
                SELECT * FROM "player" WHERE "uuid" = 'b'
                SELECT * FROM "player" WHERE "uuid" = 'a'
                DELETE FROM "player" WHERE "uuid" = 'a'
                """
            ) {
                try expectEqual(KeyedPlayer.find(db, id: "b").name, "Barbara")
                try expectEqual(UUIDPlayer.find(db, id: "a").name, "Arthur")
                try expectTrue(UUIDPlayer.deleteOne(db, id: "a"))
            }
        }
    }

    // MARK: - Swift Concurrency

    // This struct is Sendable
    private struct SendablePlayer: Codable, Identifiable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "player"
        static var databaseSelection: [any SQLSelectable] {
            [Columns.id, Columns.name, Columns.score]
        }

        enum Columns {
            static let id = Column("id")
            static let name = Column("name")
            static let score = Column("score")
        }

        var id: Int64
        var name: String
        var score: Int
    }

    @Test(arguments: DatabaseKind.allCases)
    func asyncAccesses(kind: DatabaseKind) async throws {
        let writer = try TestDatabases.makeWriter(kind)
        // Write
        let newPlayerCount = try await writer.write { db in
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull()
                t.column("score", .integer).notNull()
                t.column("unused", .text)
            }
            try SendablePlayer(id: 42, name: "Arthur", score: 1000).insert(db)
            return try SendablePlayer.fetchCount(db)
        }
        expectEqual(newPlayerCount, 1)

        // Read
        let player = try await writer.read { db in
            try SendablePlayer.fetchOne(db, id: 42)
        }
        expectEqual(player?.name, "Arthur")

        // Shorthand notation
        let count = try await writer.read(SendablePlayer.fetchCount)
        expectEqual(count, 1)
        let columns = try await writer.read { db in
            try Row.fetchOne(db, SendablePlayer.all()).map { Array($0.columnNames) }
        }
        expectEqual(columns, ["id", "name", "score"])
    }
}

extension SchemaRecordsDocumentTests.RowIDPlayer: FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "player"

    // Required because the primary key
    // is the hidden rowid column.
    static var databaseSelection: [any SQLSelectable] {
        [.allColumns, .rowID]
    }

    // Update id upon successful insertion
    mutating func didInsert(_ inserted: InsertionSuccess) {
        rowid = inserted.rowID
    }
}
