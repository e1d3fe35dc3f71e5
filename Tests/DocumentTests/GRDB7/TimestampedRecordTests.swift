import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The sample code of the page "Record Timestamps and Transaction Date".
@Suite(.databases) struct TimestampedRecordTests {
    // The base Player type
    fileprivate struct Player: Equatable {
        var id: Int64?
        var creationDate: Date?
        var modificationDate: Date?
        var name: String
        var score: Int
    }

    /// A record that customizes `willInsert`, and whose primary key is not auto-incremented.
    fileprivate struct NamedPlayer: Codable, TimestampedRecord, FetchableRecord {
        static let databaseTableName = "player"

        var id: Int64
        var creationDate: Date?
        var modificationDate: Date?
        var name: String
        var score: Int

        mutating func willInsert(_ db: Database) throws {
            try initializeTimestamps(db)
            name = name.uppercased()
        }
    }

    private let dates = RecordTimestampsTests.dates

    /// Runs the closure in a transaction of the second hour, with a player of the first hour.
    private func write(_ body: (Database, inout Player, Log<Date>) throws -> Void) throws {
        let clock = Log<Date>()
        clock.append(dates[0])
        let dbQueue = try RecordTimestampsTests.makeQueue(clock)
        var player = Player(id: nil, name: "Arthur", score: 1000)
        try dbQueue.write { try player.insert($0) }
        expectEqual(player.id, 1)
        expectEqual(player.creationDate, dates[0])
        expectEqual(player.modificationDate, dates[0])
        clock.append(dates[1])
        try dbQueue.write { try body($0, &player, clock) }
    }

    @Test func updateWithTimestamp() throws {
        try write { db, player, _ in
            try expectSQL(
                """
                UPDATE "player" SET "creationDate"='1970-01-01 00:00:00.000', \
                "modificationDate"='1970-01-01 01:00:00.000', "name"='Arthur', "score"=1001 \
                WHERE "id"=1
                """
            ) {
                // Bump the modification date and update all columns in the database.
                player.score += 1
                try player.updateWithTimestamp(db)
            }
            expectEqual(player.modificationDate, dates[1])
            try expectEqual(Player.fetchAll(db), [player])
            try player.updateWithTimestamp(db, modificationDate: dates[4])
            try expectEqual(Player.fetchOne(db)?.modificationDate, dates[4])
        }
    }

    @Test func updateChangesWithTimestamp() throws {
        try write { db, player, _ in
            // Only bump the modification date if record is changed, and only
            // update the changed columns.
            try expectSQL("") {
                try player.updateChangesWithTimestamp(db) {
                    $0.score = 1000
                }
            }
            expectEqual(player.modificationDate, dates[0])
            try expectSQL(
                """
                UPDATE "player" SET "modificationDate"='1970-01-01 01:00:00.000', "score"=10 \
                WHERE "id"=1
                """
            ) {
                let modified = try player.updateChangesWithTimestamp(db) {
                    $0.score = 10
                }
                expectTrue(modified)
            }
            expectEqual(player.modificationDate, dates[1])
            try expectEqual(Player.fetchAll(db), [player])
        }
    }

    @Test func updateChanges() throws {
        try write { db, player, _ in
            try expectSQL(
                #"UPDATE "player" SET "modificationDate"='1970-01-01 01:00:00.000' WHERE "id"=1"#
            ) {
                // Prefer updateChanges() if the modification date should always be
                // updated, even if other columns are not changed.
                try player.updateChanges(db) {
                    $0.score = 1000
                    $0.modificationDate = try db.transactionDate
                }
            }
            try expectEqual(Player.fetchAll(db), [player])
        }
    }

    @Test func touch() throws {
        try write { db, player, _ in
            try expectSQL(
                #"UPDATE "player" SET "modificationDate"='1970-01-01 01:00:00.000' WHERE "id"=1"#
            ) {
                // Only update the modification date in the database.
                try player.touch(db)
            }
            try expectEqual(Player.fetchAll(db), [player])
            try player.touch(db, modificationDate: dates[5])
            try expectEqual(Player.fetchOne(db)?.modificationDate, dates[5])
        }
    }

    @Test func saveWithTimestamp() throws {
        try write { db, player, _ in
            var new = Player(name: "Barbara", score: 0)
            try new.saveWithTimestamp(db)
            expectEqual(new.id, 2)
            expectEqual(new.creationDate, dates[1])

            try player.saveWithTimestamp(db)
            expectEqual(player.modificationDate, dates[1])
            try expectEqual(Player.fetchAll(db), [player, new])

            // Primary key is set, but there is no row.
            var deleted = Player(id: 42, name: "Craig", score: 0)
            try expectSQL(
                """
                UPDATE "player" SET "creationDate"=NULL, \
                "modificationDate"='1970-01-01 01:00:00.000', "name"='Craig', "score"=0 \
                WHERE "id"=42
                INSERT INTO "player" ("id", "creationDate", "modificationDate", "name", "score") \
                VALUES (42,'1970-01-01 01:00:00.000','1970-01-01 01:00:00.000','Craig',0)
                """
            ) {
                try deleted.saveWithTimestamp(db)
            }
            try expectEqual(Player.find(db, key: 42), deleted)
        }
    }

    @Test func customizedCallback() throws {
        try write { db, _, _ in
            var player = NamedPlayer(id: 7, name: "Arthur", score: 0)
            try player.insert(db)
            expectEqual(player.creationDate, dates[1])
            try expectEqual(NamedPlayer.fetchOne(db, key: 7)?.name, "ARTHUR")
        }
    }
}

// Add database powers (read, write, timestamps)
extension TimestampedRecordTests.Player: Codable, TimestampedRecord, FetchableRecord {
    /// Update auto-incremented id upon successful insertion
    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

extension TimestampedRecordTests.Player {
    /// If the player has a non-nil primary key and a matching row in
    /// the database, the player is updated. Otherwise, it is inserted.
    mutating func saveWithTimestamp(_ db: Database) throws {
        // Test the presence of id first, so that we don't perform an
        // update that would surely throw RecordError.recordNotFound.
        if id == nil {
            try insert(db)
        } else {
            do {
                try updateWithTimestamp(db)
            } catch RecordError.recordNotFound {
                // Primary key is set, but no row was updated.
                try insert(db)
            }
        }
    }
}

/// A record type that tracks its creation and modification dates.
private protocol TimestampedRecord: MutablePersistableRecord {
    var creationDate: Date? { get set }
    var modificationDate: Date? { get set }
}

extension TimestampedRecord {
    /// By default, `TimestampedRecord` types set `creationDate` and
    /// `modificationDate` to the transaction date, if they are nil,
    /// before insertion.
    ///
    /// `TimestampedRecord` types that customize the `willInsert`
    /// persistence callback should call `initializeTimestamps` from
    /// their implementation.
    mutating func willInsert(_ db: Database) throws {
        try initializeTimestamps(db)
    }

    /// Sets `creationDate` and `modificationDate` to the transaction date,
    /// if they are nil.
    mutating func initializeTimestamps(_ db: Database) throws {
        if creationDate == nil {
            creationDate = try db.transactionDate
        }
        if modificationDate == nil {
            modificationDate = try db.transactionDate
        }
    }

    /// Sets `modificationDate`, and executes an `UPDATE` statement
    /// on all columns.
    mutating func updateWithTimestamp(_ db: Database, modificationDate: Date? = nil) throws {
        self.modificationDate = try modificationDate ?? db.transactionDate
        try update(db)
    }

    /// Modifies the record according to the provided `modify` closure, and,
    /// if and only if the record was modified, sets `modificationDate` and
    /// executes an `UPDATE` statement that updates the modified columns.
    ///
    /// - returns: Whether the record was changed and updated.
    @discardableResult
    mutating func updateChangesWithTimestamp(
        _ db: Database,
        modificationDate: Date? = nil,
        modify: (inout Self) throws -> Void
    ) throws -> Bool {
        // Grab the changes performed by `modify`
        let initialChanges = try databaseChanges(modify: modify)
        if initialChanges.isEmpty {
            return false
        }

        // Update modification date and grab its column name
        let dateChanges = try databaseChanges(modify: {
            $0.modificationDate = try modificationDate ?? db.transactionDate
        })

        // Update the modified columns
        let modifiedColumns = Set(initialChanges.keys).union(dateChanges.keys)
        try update(db, columns: modifiedColumns)
        return true
    }

    /// Sets `modificationDate`, and executes an `UPDATE` statement that
    /// updates the `modificationDate` column, if and only if the record
    /// was modified.
    mutating func touch(_ db: Database, modificationDate: Date? = nil) throws {
        try updateChanges(db) {
            $0.modificationDate = try modificationDate ?? db.transactionDate
        }
    }
}
