import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// `insert`, `update`, `save`, `delete` and `exists`, without callbacks.
@Suite(.databases) struct PersistenceTests {
    @Test func insert() throws {
        try RecordTables.write { db in
            var player = PlayerRecord(name: "Arthur", score: 10)
            try expectSQL(
                "INSERT INTO \"player\" (\"id\", \"name\", \"score\") VALUES (NULL,'Arthur',10)"
            ) {
                try player.insert(db)
            }
            expectEqual(player.id, 1)
            // Bound this time.
            var other = PlayerRecord(id: 7, name: "Barbara")
            try expectSQL(
                "INSERT INTO \"player\" (\"id\", \"name\", \"score\") VALUES (7,'Barbara',NULL)"
            ) {
                try other.insert(db)
            }
            try expectEqual(PlayerRecord.fetchAll(db), [player, other])
            try expectEqual(PlayerRecord(name: "Craig").inserted(db).id, 8)
        }
    }

    @Test func insertConflictResolutions() throws {
        try RecordTables.write { db in
            var player = PlayerRecord(id: 1, name: "Arthur")
            try player.insert(db)
            try expectSQL(
                """
                INSERT OR REPLACE INTO "player" ("id", "name", "score") VALUES (1,'Arthur',NULL)
                INSERT OR IGNORE INTO "player" ("id", "name", "score") VALUES (1,'Arthur',NULL)
                INSERT OR IGNORE INTO "player" ("id", "name", "score") VALUES (1,'Arthur',NULL)
                """
            ) {
                try player.insert(db, onConflict: .replace)
                try player.insert(db, onConflict: .ignore)
                try player.insert(db, onConflict: .ignore)
            }
            for _ in 0..<2 {
                expectError(
                    """
                    SQLite error 19: UNIQUE constraint failed: player.id - while executing \
                    `INSERT INTO "player" ("id", "name", "score") VALUES (?,?,?)`
                    """
                ) {
                    try player.insert(db)
                }
            }
            expectError(RecordError.self) {
                try player.insertAndFetch(db, onConflict: .ignore)
            }
        }
    }

    @Test func errorsKnowTheArguments() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.publicStatementArguments = true
        try TestDatabases.makeQueue(.memory, configuration).write { db in
            try db.execute(
                sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE, score)")
            var player = PlayerRecord(id: 1, name: "Arthur", score: 2)
            try player.insert(db)
            expectError(
                """
                SQLite error 19: UNIQUE constraint failed: player.id - while executing \
                `INSERT INTO "player" ("id", "name", "score") VALUES (?,?,?)` with arguments \
                [1, "Arthur", 2]
                """
            ) {
                try player.insert(db)
            }
            try PlayerRecord(name: "Barbara").inserted(db).update(db)
            expectError(
                """
                SQLite error 19: UNIQUE constraint failed: player.name - while executing \
                `UPDATE "player" SET "name"=?, "score"=? WHERE "id"=?` with arguments \
                ["Barbara", 3, 1]
                """
            ) {
                try PlayerRecord(id: 1, name: "Barbara", score: 3).update(db)
            }
        }
    }

    private struct Empty: MutablePersistableRecord {
        static let databaseTableName = "item"
        func encode(to container: inout PersistenceContainer) {}
    }

    @Test func emptyContainersInsertDefaultValues() throws {
        try RecordTables.write { db in
            var record = Empty()
            try expectSQL(
                """
                INSERT INTO "item" DEFAULT VALUES
                INSERT INTO "item" DEFAULT VALUES
                """
            ) {
                try record.insert(db)
                try record.insert(db)
            }
        }
    }

    @Test func update() throws {
        try RecordTables.write { db in
            var player = try PlayerRecord(name: "Arthur").inserted(db)
            player.score = 5
            for _ in 0..<2 {
                try expectSQL("UPDATE \"player\" SET \"name\"='Arthur', \"score\"=5 WHERE \"id\"=1")
                {
                    try player.update(db)
                }
            }
            try expectSQL(
                """
                UPDATE "player" SET "score"=5 WHERE "id"=1
                UPDATE "player" SET "score"=5 WHERE "id"=1
                UPDATE "player" SET "id"=1 WHERE "id"=1
                UPDATE "player" SET "id"=1 WHERE "id"=1
                UPDATE OR IGNORE "player" SET "name"='Arthur', "score"=5 WHERE "id"=1
                """
            ) {
                try player.update(db, columns: ["SCORE", "nope"])
                try player.update(db, columns: [Column("score")])
                try player.update(db, columns: [String]())
                try player.update(db, columns: ["id"])
                try player.update(db, onConflict: .ignore)
            }
            try expectEqual(PlayerRecord.fetchAll(db), [player])
        }
    }

    @Test func updatesThatFindNoRow() throws {
        try RecordTables.write { db in
            let player = PlayerRecord(id: 99, name: "Arthur")
            for _ in 0..<2 {
                expectSQL(
                    "UPDATE \"player\" SET \"name\"='Arthur', \"score\"=NULL WHERE \"id\"=99"
                ) {
                    expectError("Key not found in table player: [id:99]") { try player.update(db) }
                }
            }
            // Now there is a plan.
            try PlayerRecord(id: 1, name: "Barbara").inserted(db).update(db)
            expectError("Key not found in table player: [id:99]") { try player.update(db) }
            expectError("Key not found in table player: [id:99]") {
                try player.updateAndFetch(db, selection: [Column("id")]) { try Int.fetchOne($0) }
            }
            expectSQL("") {
                expectError("Key not found in table player: [id:NULL]") {
                    try PlayerRecord(name: "Arthur").update(db)
                }
                expectError("Key not found in table item: [rowid:NULL]") {
                    try Item(a: 1).update(db)
                }
            }
        }
    }

    /// A record that sets its columns in another order and case than the table, and one too many.
    private struct Extra: PersistableRecord {
        static let databaseTableName = "player"
        var id: Int64
        func encode(to container: inout PersistenceContainer) {
            container["SCORE"] = 3
            container["nope"] = 1
            container["Name"] = "first"
            container["name"] = "last"
            container["ID"] = id
        }
    }

    @Test func updatesFollowTheTable() throws {
        try RecordTables.write { db in
            try PlayerRecord(id: 1, name: "Arthur").inserted(db).update(db)
            for _ in 0..<2 {
                try expectSQL("UPDATE \"player\" SET \"name\"='last', \"score\"=3 WHERE \"id\"=1") {
                    try Extra(id: 1).update(db)
                }
            }
            expectError(
                """
                SQLite error 1: table player has no column named nope - while executing \
                `INSERT INTO "player" ("SCORE", "nope", "Name", "ID") VALUES (?,?,?,?)`
                """
            ) {
                try Extra(id: 2).insert(db)
            }
        }
    }

    @Test func save() throws {
        try RecordTables.write { db in
            var player = PlayerRecord(name: "Arthur")
            try expectSQL(
                """
                INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'Arthur',NULL)
                UPDATE "player" SET "name"='Arthur', "score"=NULL WHERE "id"=1
                UPDATE "player" SET "name"='Barbara', "score"=NULL WHERE "id"=50
                INSERT INTO "player" ("id", "name", "score") VALUES (50,'Barbara',NULL)
                """
            ) {
                try player.save(db)
                try player.save(db)
                try expectEqual(PlayerRecord(id: 50, name: "Barbara").saved(db).id, 50)
            }
        }
    }

    @Test func keysOfSeveralColumns() throws {
        try RecordTables.write { db in
            let record = Citizenship(citizenID: 1, countryCode: "FR", note: "n")
            try expectSQL(
                """
                INSERT INTO "citizenship" ("citizenID", "countryCode", "note") VALUES (1,'FR','n')
                UPDATE "citizenship" SET "note"='n' WHERE "citizenID"=1 AND "countryCode"='FR'
                UPDATE "citizenship" SET "note"='n' WHERE "citizenID"=1 AND "countryCode"='FR'
                SELECT EXISTS (SELECT 1 FROM "citizenship" WHERE "citizenID"=1 AND "countryCode"='FR')
                DELETE FROM "citizenship" WHERE "citizenID"=1 AND "countryCode"='FR'
                """
            ) {
                try record.insert(db)
                try record.update(db)
                try record.save(db)
                try expectTrue(record.exists(db))
                try expectTrue(record.delete(db))
            }
            let partial = Citizenship(citizenID: 1, countryCode: nil)
            expectError("Key not found in table citizenship: [citizenID:1 countryCode:NULL]") {
                try partial.update(db)
            }
            try expectTrue(!partial.exists(db))
            try expectTrue(!partial.delete(db))
            expectEqual(
                "\(record.recordNotFound(db))",
                "Key not found in table citizenship: [citizenID:1 countryCode:\"FR\"]")
        }
    }

    @Test func hiddenRowID() throws {
        try RecordTables.write { db in
            var item = Item(a: 1)
            try expectSQL(
                """
                INSERT INTO "item" ("a") VALUES (1)
                INSERT INTO "item" ("a") VALUES (1)
                """
            ) {
                try item.insert(db)
                try item.save(db)
                try expectTrue(!item.delete(db))
                try expectTrue(!item.exists(db))
            }
            var record = RowIDItem(a: 2)
            try expectSQL(
                """
                INSERT INTO "item" ("rowid", "a") VALUES (NULL,2)
                UPDATE "item" SET "a"=2 WHERE "rowid"=3
                UPDATE "item" SET "a"=2 WHERE "rowid"=3 RETURNING *, "rowid"
                SELECT *, "rowid" FROM "item" WHERE "rowid" = 3
                SELECT *, "rowid" FROM "item" WHERE "rowid" = 3
                SELECT EXISTS (SELECT 1 FROM "item" WHERE "rowid"=3)
                DELETE FROM "item" WHERE "rowid"=3
                """
            ) {
                try record.insert(db)
                try record.update(db)
                try expectEqual(record.saveAndFetch(db), record)
                try expectEqual(RowIDItem.find(db, key: 3), record)
                try expectEqual(record.refetched(db), record)
                try expectTrue(record.exists(db))
                try expectTrue(record.delete(db))
            }
        }
    }

    @Test func delete() throws {
        try RecordTables.write { db in
            let player = try PlayerRecord(name: "Arthur").inserted(db)
            try expectSQL(
                """
                DELETE FROM "player" WHERE "id"=1
                DELETE FROM "player" WHERE "id"=1
                """
            ) {
                try expectTrue(player.delete(db))
                try expectTrue(!player.delete(db))
                try expectTrue(!PlayerRecord(name: "Barbara").delete(db))
            }
        }
    }

    private struct Policy: MutablePersistableRecord {
        static let databaseTableName = "player"
        static let persistenceConflictPolicy = PersistenceConflictPolicy(
            insert: .replace, update: .ignore)
        var id: Int64?
        var name: String
        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["name"] = name
        }
    }

    @Test func conflictPolicies() throws {
        try RecordTables.write { db in
            var record = Policy(id: 1, name: "Arthur")
            try expectSQL(
                """
                INSERT OR REPLACE INTO "player" ("id", "name") VALUES (1,'Arthur')
                UPDATE OR IGNORE "player" SET "name"='Arthur' WHERE "id"=1
                INSERT OR FAIL INTO "player" ("id", "name") VALUES (2,'Barbara')
                """
            ) {
                try record.insert(db)
                try record.update(db)
                record = Policy(id: 2, name: "Barbara")
                try record.insert(db, onConflict: .fail)
            }
            // An update that is ignored updates nothing.
            expectError("Key not found in table player: [id:2]") {
                try Policy(id: 2, name: "Arthur").update(db)
            }
        }
    }

    @Test func extraAssignments() throws {
        try RecordTables.write { db in
            var player = Policy(name: "Arthur")
            try expectSQL(
                """
                INSERT OR REPLACE INTO "player" ("id", "name", "score") VALUES (NULL,'Arthur',2)
                UPDATE OR IGNORE "player" SET "name"='Barbara', "score"="score" + 1 WHERE "id"=1
                """
            ) {
                try player.insert(db, setting: [Column("score").set(to: 2)])
                player = Policy(id: 1, name: "Barbara")
                try player.update(db, setting: [Column("score") += 1])
            }
            try expectEqual(
                PlayerRecord.fetchAll(db),
                [PlayerRecord(id: 1, name: "Barbara", score: 3)])
        }
    }

    @Test func valuesThatSQLiteCannotStore() throws {
        struct Big: PersistableRecord {
            static let databaseTableName = "item"
            var a: UInt64
            func encode(to container: inout PersistenceContainer) { container["a"] = a }
        }
        try RecordTables.write { db in
            for _ in 0..<2 {
                expectError(
                    "SQLite error 18: value can't be stored in a database: 18446744073709551615"
                ) {
                    try Big(a: .max).insert(db)
                }
                try Big(a: 1).insert(db)
            }
            expectError(DatabaseError.self) { try Big(a: .max).databaseDictionary }
            expectError(DatabaseError.self) { try Item.fetchOne(db, key: UInt64.max) }
        }
    }

    @Test func missingTablesAndViews() throws {
        struct Nope: PersistableRecord, FetchableRecord {
            init() {}
            init(row: Row) {}
            func encode(to container: inout PersistenceContainer) { container["id"] = 1 }
        }
        struct View: PersistableRecord {
            static let databaseTableName = "playerView"
            func encode(to container: inout PersistenceContainer) { container["id"] = 1 }
        }
        try RecordTables.write { db in
            expectError("SQLite error 1: no such table: nope") { try Nope().insert(db) }
            expectError("SQLite error 1: no such table: nope") { try Nope().update(db) }
            expectError("SQLite error 1: no such table: nope") { try Nope.fetchOne(db, key: 1) }
            expectError(
                "SQLite error 1: no such table: nope - while executing `SELECT * FROM \"nope\"`"
            ) {
                try Nope.fetchAll(db)
            }
            expectError("SQLite error 1: database view playerView has no primary key") {
                try View().insert(db)
            }
        }
    }

    /// As in an update.
    @Test func assignmentsReplaceWhatTheRecordSets() throws {
        try RecordTables.write { db in
            var player = PlayerRecord(name: "Arthur", score: 1)
            try expectSQL(
                """
                INSERT INTO "player" ("id", "NAME", "score") VALUES (NULL,'Barbara',1 + 1)
                """
            ) {
                try player.insert(
                    db,
                    setting: [
                        Column("score").set(to: 0), Column("NAME").set(to: "Barbara"),
                        Column("score").set(to: 1.databaseValue + 1),
                    ])
            }
            expectEqual(player.id, 1)
            try expectEqual(
                PlayerRecord.fetchAll(db),
                [PlayerRecord(id: 1, name: "Barbara", score: 2)])
            try expectSQL("INSERT INTO \"player\" (\"name\", \"id\") VALUES ('Arthur',NULL)") {
                try player.insert(
                    db, setting: [Column("id").set(to: nil), Column("score").noOverwrite])
            }
        }
    }

    @Test func emptyContainersCannotBeUpserted() throws {
        try RecordTables.write { db in
            expectError("SQLite error 21: can't upsert into item: the record sets no column") {
                var record = Empty()
                try record.upsert(db)
            }
        }
    }
}
