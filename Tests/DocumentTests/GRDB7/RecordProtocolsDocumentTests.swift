import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The snippets of the pages "FetchableRecord", "MutablePersistableRecord", "RecordError", "Column",
/// "QueryInterfaceRequest", of those under them, and of the front page.
@Suite(.databases) struct RecordProtocolsDocumentTests {
    /// Runs the closure in a transaction, when the schema is known already: the SQL that reads it
    /// is not logged.
    private func write(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (
                      id INTEGER PRIMARY KEY AUTOINCREMENT,
                      name TEXT NOT NULL,
                      score INTEGER NOT NULL DEFAULT 1000,
                      hasAward BOOLEAN NOT NULL DEFAULT 0)
                    """)
            _ = try db.columns(in: "player")
            _ = try db.primaryKey("player")
            try body(db)
        }
    }

    private func insertPlayers(_ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO player (name, score)
                VALUES ('Arthur', 990), ('O''Brien', 10), ('O''Reilly', 0), ('O''Reilly', 20)
                """)
    }

    // MARK: - GRDB

    @Test func usage() throws {
        struct Player: Codable, FetchableRecord, PersistableRecord {
            var id: String
            var name: String
            var score: Int
        }

        // 1. Open a database connection
        let dbQueue = try TestDatabases.openQueue(TestDatabases.makePath())

        // 2. Define the database schema
        try dbQueue.write { db in
            try db.create(table: "player") { t in
                t.primaryKey("id", .text)
                t.column("name", .text).notNull()
                t.column("score", .integer).notNull()
            }
        }

        // 4. Write and read in the database
        try dbQueue.write { db in
            try Player(id: "1", name: "Arthur", score: 100).insert(db)
            try Player(id: "2", name: "Barbara", score: 1000).insert(db)
        }

        let players: [Player] = try dbQueue.read { db in
            try Player.fetchAll(db)
        }
        expectEqual(players.map(\.id), ["1", "2"])
        expectEqual(players.map(\.name), ["Arthur", "Barbara"])
        expectEqual(players.map(\.score), [100, 1000])
    }

    // MARK: - FetchableRecord

    private struct DecodedPlayer: FetchableRecord, Decodable {
        var name: String
        var score: Int
    }

    @Test func recordsFromRows() throws {
        try write { db in
            try insertPlayers(db)
            if let row = try Row.fetchOne(db, sql: "SELECT * FROM player") {
                let player = try DecodedPlayer(row: row)
                expectEqual(player.name, "Arthur")
                expectEqual(player.score, 990)
            } else {
                Issue.record("no row")
            }
            let players = try DecodedPlayer.fetchAll(db, sql: "SELECT name, 1 AS score FROM player")
            expectEqual(players.map(\.score), [1, 1, 1, 1])
        }
    }

    private struct RequestedPlayer: FetchableRecord, TableRecord, Decodable {
        static let databaseTableName = "player"

        var name: String
        var score: Int

        enum Columns {
            static let name = Column("name")
            static let score = Column("score")
        }
    }

    @Test func tableRecords() throws {
        try write { db in
            try insertPlayers(db)
            try expectSQL(
                """
                SELECT * FROM "player"
                SELECT * FROM "player" WHERE "name" = 'O''Brien' LIMIT 1
                SELECT * FROM "player" ORDER BY "score"
                """
            ) {
                let players = try RequestedPlayer.fetchAll(db)
                expectEqual(players.count, 4)
                let player = try RequestedPlayer.filter { $0.name == "O'Brien" }.fetchOne(db)
                expectEqual(player?.score, 10)
                let sortedPlayers = try RequestedPlayer.order(\.score).fetchAll(db)
                expectEqual(sortedPlayers.map(\.score), [0, 10, 20, 990])
            }
        }
    }

    // MARK: - QueryInterfaceRequest, Column

    @Test func requests() throws {
        try write { db in
            try insertPlayers(db)
            try expectSQL(
                #"SELECT * FROM "player" WHERE "name" = 'O''Reilly' ORDER BY "score" DESC"#
            ) {
                let request =
                    RequestedPlayer
                    .filter { $0.name == "O'Reilly" }
                    .order(\.score.desc)
                let players: [RequestedPlayer] = try request.fetchAll(db)
                expectEqual(players.map(\.score), [20, 0])
            }
            try expectSQL(
                """
                DELETE FROM "player" WHERE "score" = 0
                SELECT * FROM "player" ORDER BY "score" DESC LIMIT 10
                SELECT MAX("score") FROM "player"
                """
            ) {
                try RequestedPlayer
                    .filter { $0.score == 0 }
                    .deleteAll(db)

                let bestPlayers =
                    try RequestedPlayer
                    .order(\.score.desc)
                    .limit(10)
                    .fetchAll(db)
                expectEqual(bestPlayers.map(\.score), [990, 20, 10])

                let maximumScore =
                    try RequestedPlayer
                    .select({ max($0.score) }, as: Int.self)
                    .fetchOne(db)
                expectEqual(maximumScore, 990)
            }
        }
    }

    // MARK: - MutablePersistableRecord

    struct Player: Codable, Identifiable, Equatable {
        var id: Int64?
        var name: String
        var score: Int
        var hasAward = false
    }

    @Test func insert() throws {
        try write { db in
            var player = Player(id: nil, name: "Arthur", score: 1000)
            try expectSQL(
                """
                INSERT INTO "player" ("id", "name", "score", "hasAward") \
                VALUES (NULL,'Arthur',1000,0)
                """
            ) {
                try player.insert(db)
            }
            expectEqual(player.id, 1)  // Some id that is not nil
            try expectEqual(
                Row.fetchAll(db, sql: "SELECT * FROM player"),
                [["id": 1, "name": "Arthur", "score": 1000, "hasAward": 0]])
        }
    }

    // A player with partial database information
    private struct PartialPlayer: MutablePersistableRecord {
        static let databaseTableName = "player"
        var name: String

        func encode(to container: inout PersistenceContainer) {
            container["name"] = name
        }
    }

    // A full player, with all database information
    private struct FullPlayer: TableRecord, FetchableRecord {
        static let databaseTableName = "player"
        var id: Int64
        var name: String
        var score: Int

        init(row: Row) {
            id = row["id"]
            name = row["name"]
            score = row["score"]
        }
    }

    @Test func insertAndFetch() throws {
        try write { db in
            // Insert a partial player, get a full one
            var partialPlayer = PartialPlayer(name: "Alice")
            try expectSQL(#"INSERT INTO "player" ("name") VALUES ('Alice') RETURNING *"#) {
                let player = try partialPlayer.insertAndFetch(db, as: FullPlayer.self)
                expectEqual(player.id, 1)  // The inserted id
                expectEqual(player.name, "Alice")  // The inserted name
                expectEqual(player.score, 1000)  // The default score
            }
        }
    }

    @Test func update() throws {
        try write { db in
            try insertPlayers(db)
            try expectSQL(
                """
                SELECT * FROM "player" WHERE "id" = 1
                UPDATE "player" SET "name"='Arthur', "score"=1000, "hasAward"=0 WHERE "id"=1
                """
            ) {
                var player = try Player.find(db, id: 1)
                player.score += 10
                try player.update(db)
            }
            try expectEqual(Int.fetchOne(db, sql: "SELECT score FROM player WHERE id = 1"), 1000)
        }
    }

    @Test func updateChanges() throws {
        try write { db in
            try insertPlayers(db)
            var player = try Player.find(db, id: 1)
            try expectSQL(#"UPDATE "player" SET "score"=1000, "hasAward"=1 WHERE "id"=1"#) {
                for expected in [true, false] {
                    let modified = try player.updateChanges(db) {
                        $0.score = 1000
                        $0.hasAward = true
                    }
                    expectEqual(modified, expected)
                }
            }
            try expectEqual(Player.find(db, id: 1), player)
        }
    }

    @Test func save() throws {
        try write { db in
            var player = Player(name: "Arthur", score: 0)
            try expectSQL(
                """
                INSERT INTO "player" ("id", "name", "score", "hasAward") VALUES (NULL,'Arthur',0,0)
                UPDATE "player" SET "name"='Arthur', "score"=5, "hasAward"=0 WHERE "id"=1
                DELETE FROM "player"
                UPDATE "player" SET "name"='Arthur', "score"=5, "hasAward"=0 WHERE "id"=1
                INSERT INTO "player" ("id", "name", "score", "hasAward") VALUES (1,'Arthur',5,0)
                """
            ) {
                try player.save(db)
                // A non-nil primary key and a matching row in the database: an update.
                player.score = 5
                try player.save(db)
                // Otherwise, an insert.
                try Player.deleteAll(db)
                try player.save(db)
            }
            try expectEqual(Player.fetchAll(db), [player])
        }
    }

    // MARK: - RecordError

    @Test func recordErrors() throws {
        try write { db in
            var errors: [String] = []
            do {
                try Player(id: 42, name: "Arthur", score: 0).update(db)
            } catch let RecordError.recordNotFound(databaseTableName: table, key: key) {
                errors.append("Key \(key) was not found in table \(table).")
            }
            do {
                _ = try Player.find(db, id: 42)
            } catch let RecordError.recordNotFound(databaseTableName: table, key: key) {
                errors.append("Key \(key) was not found in table \(table).")
            }
            expectEqual(
                errors,
                Array(
                    repeating: #"Key ["id": 42] was not found in table player."#, count: 2))

            // You can create RecordError instances
            for error in [
                Player.recordNotFound(db, id: 42), Player.recordNotFound(db, key: 42),
                Player.recordNotFound(key: ["id": 42]),
                Player(id: 42, name: "", score: 0).recordNotFound(db),
            ] {
                guard case RecordError.recordNotFound("player", ["id": 42.databaseValue]) = error
                else {
                    Issue.record("\(error)")
                    continue
                }
            }
        }
    }
}

extension RecordProtocolsDocumentTests.Player: FetchableRecord, MutablePersistableRecord {
    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
