import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The page "Record Timestamps and Transaction Date", up to its sample code.
@Suite(.databases) struct RecordTimestampsTests {
    // MARK: - Records

    /// `Player` deals with unsaved players
    struct Player {
        var id: Int64?  // optional
        var creationDate: Date?  // optional
        var modificationDate: Date?  // optional
        var name: String
        var score: Int
    }

    /// `PersistedPlayer` deals with persisted players
    struct PersistedPlayer: Identifiable {
        let id: Int64  // not optional
        let creationDate: Date  // not optional
        var modificationDate: Date  // not optional
        var name: String
        var score: Int
    }

    // MARK: - Support

    /// A queue whose transactions start when the test says so, and which knows its schema already:
    /// the SQL that reads it is not logged.
    static func makeQueue(_ clock: Log<Date>) throws -> DatabaseQueue {
        var configuration = TestDatabases.makeConfiguration()
        configuration.transactionClock = .custom { _ in clock.elements.last! }
        let dbQueue = try TestDatabases.makeQueue(.memory, configuration)
        try dbQueue.write { db in
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("creationDate", .datetime).notNull()
                t.column("modificationDate", .datetime).notNull()
                t.column("name", .text).notNull()
                t.column("score", .integer).notNull()
            }
            _ = try db.columns(in: "player")
            _ = try db.primaryKey("player")
        }
        return dbQueue
    }

    /// The hours of a day.
    static let dates = (0..<6).map { Date(timeIntervalSince1970: Double($0) * 3600) }

    private let dates = RecordTimestampsTests.dates

    // MARK: - Overview, Insertion Timestamp

    @Test func insertion() throws {
        let clock = Log<Date>()
        clock.append(dates[0])
        let dbQueue = try Self.makeQueue(clock)

        // A new player has no timestamps.
        var player = Player(id: nil, name: "Arthur", score: 1000)
        expectEqual(player.id, nil)  // because never saved
        expectEqual(player.creationDate, nil)  // because never saved
        expectEqual(player.modificationDate, nil)  // because never saved

        // After insertion, the player has timestamps.
        try expectSQL(
            """
            BEGIN IMMEDIATE TRANSACTION
            INSERT INTO "player" ("id", "creationDate", "modificationDate", "name", "score") \
            VALUES (NULL,'1970-01-01 00:00:00.000','1970-01-01 00:00:00.000','Arthur',1000)
            COMMIT TRANSACTION
            """
        ) {
            try dbQueue.write { db in
                try player.insert(db)
            }
        }
        expectEqual(player.id, 1)
        expectEqual(player.creationDate, dates[0])
        expectEqual(player.modificationDate, dates[0])

        // Timestamps that are set already are kept.
        clock.append(dates[1])
        try dbQueue.write { db in
            var player = Player(creationDate: dates[3], name: "Barbara", score: 0)
            try player.insert(db)
            expectEqual(player.creationDate, dates[3])
            expectEqual(player.modificationDate, dates[1])
        }
    }

    @Test func playersOfATransaction() throws {
        let clock = Log<Date>()
        clock.append(dates[0])
        let dbQueue = try Self.makeQueue(clock)
        clock.append(dates[2])
        let players = ["Arthur", "Barbara", "Craig"].map { Player(name: $0, score: 0) }
        // All players have the same timestamp.
        try dbQueue.write { db in
            clock.append(dates[3])
            for var player in players {
                try player.insert(db)
                clock.append(dates[4])
            }
            try expectEqual(
                Date.fetchAll(db, sql: "SELECT creationDate FROM player"),
                [dates[2], dates[2], dates[2]])
            try expectEqual(db.transactionDate, dates[2])
        }
        // Outside of a transaction, a new date is returned on each call.
        try dbQueue.writeWithoutTransaction { db in
            try expectEqual(db.transactionDate, dates[4])
            clock.append(dates[5])
            try expectEqual(db.transactionDate, dates[5])
        }
    }

    @Test func defaultClock() throws {
        try TestDatabases.makeQueue().write { db in
            let date = try db.transactionDate
            #expect(abs(date.timeIntervalSinceNow) < 600)
            try expectEqual(db.transactionDate, date)
        }
    }

    // MARK: - Modification Timestamp

    @Test func modification() throws {
        let clock = Log<Date>()
        clock.append(dates[0])
        let dbQueue = try Self.makeQueue(clock)
        var player = Player(name: "Arthur", score: 1000)
        try dbQueue.write { try player.insert($0) }

        clock.append(dates[1])
        try dbQueue.write { db in
            try expectSQL(
                """
                UPDATE "player" SET "creationDate"='1970-01-01 00:00:00.000', \
                "modificationDate"='1970-01-01 01:00:00.000', "name"='Arthur', "score"=1001 \
                WHERE "id"=1
                """
            ) {
                // Update all columns
                player.score += 1
                player.modificationDate = try db.transactionDate
                try player.update(db)
            }
        }

        clock.append(dates[2])
        try dbQueue.write { db in
            try expectSQL(
                """
                UPDATE "player" SET "modificationDate"='1970-01-01 02:00:00.000', "score"=1002 \
                WHERE "id"=1
                """
            ) {
                // Alternatively, update only the modified columns
                let modified = try player.updateChanges(db) {
                    $0.score += 1
                    $0.modificationDate = try db.transactionDate
                }
                expectTrue(modified)
            }
        }
    }

    // MARK: - Dealing with Optional Timestamps

    @Test func persistedPlayers() throws {
        let clock = Log<Date>()
        clock.append(dates[1])
        let dbQueue = try Self.makeQueue(clock)

        // Insert
        try dbQueue.write { db in
            var player = Player(id: nil, name: "Arthur", score: 1000)
            try expectSQL(
                """
                INSERT INTO "player" ("id", "creationDate", "modificationDate", "name", "score") \
                VALUES (NULL,'1970-01-01 01:00:00.000','1970-01-01 01:00:00.000','Arthur',1000) \
                RETURNING *
                """
            ) {
                let persistedPlayer = try player.insertAndFetch(db, as: PersistedPlayer.self)
                expectEqual(persistedPlayer.id, 1)  // not optional
                expectEqual(persistedPlayer.creationDate, dates[1])  // not optional
                expectEqual(persistedPlayer.modificationDate, dates[1])  // not optional
            }
            expectEqual(player.id, 1)
            expectEqual(player.creationDate, dates[1])
        }

        // Fetch
        try dbQueue.read { db in
            try expectSQL(#"SELECT * FROM "player" WHERE "id" = 1"#) {
                let persistedPlayer = try PersistedPlayer.find(db, id: 1)
                expectEqual(persistedPlayer.creationDate, dates[1])  // not optional
                expectEqual(persistedPlayer.modificationDate, dates[1])  // not optional
                expectEqual(persistedPlayer.name, "Arthur")
                expectEqual(persistedPlayer.score, 1000)
            }
        }
    }
}

extension RecordTimestampsTests.Player: Encodable, MutablePersistableRecord {
    /// Updates auto-incremented id upon successful insertion
    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }

    /// Sets both `creationDate` and `modificationDate` to the
    /// transaction date, if they are not set yet.
    mutating func willInsert(_ db: Database) throws {
        if creationDate == nil {
            creationDate = try db.transactionDate
        }
        if modificationDate == nil {
            modificationDate = try db.transactionDate
        }
    }
}

extension RecordTimestampsTests.PersistedPlayer: Codable, FetchableRecord, PersistableRecord {
    static var databaseTableName: String { "player" }
}
