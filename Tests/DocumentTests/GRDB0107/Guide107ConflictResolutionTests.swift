import GRDB
import GRDBTestSupport
import Testing

/// The chapter "Conflict Resolution" of the 0.107 guide.
@Suite(.databases) struct Guide107ConflictResolutionTests {
    private struct ReplacedPerson: MutablePersistableRecord {
        static let databaseTableName = "persons"
        static let persistenceConflictPolicy = PersistenceConflictPolicy(
            insert: .replace,
            update: .replace)

        var id: Int64?
        var email: String

        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["email"] = email
        }

        mutating func didInsert(_ inserted: InsertionSuccess) {
            id = inserted.rowID
        }
    }

    private struct IgnoredPerson: MutablePersistableRecord {
        static let databaseTableName = "persons"
        static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .ignore)

        var id: Int64?
        var email: String

        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["email"] = email
        }

        mutating func didInsert(_ inserted: InsertionSuccess) {
            id = inserted.rowID
        }
    }

    @Test func conflictsOfTables() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try expectSQL(
                """
                CREATE TABLE "persons" ("id" INTEGER PRIMARY KEY, \
                "email" TEXT UNIQUE ON CONFLICT REPLACE)
                """
            ) {
                try db.create(table: "persons") { t in
                    t.column("id", .integer).primaryKey()
                    t.column("email", .text).unique(onConflict: .replace)  // <--
                }
            }
            // Despite the unique index on email, both inserts succeed.
            // The second insert replaces the first row:
            for _ in 0..<2 {
                try db.execute(
                    sql: "INSERT INTO persons (email) VALUES (?)",
                    arguments: ["arthur@example.com"])
            }
            try expectEqual(Row.fetchAll(db, sql: "SELECT id FROM persons"), [["id": 2]])
        }
    }

    @Test func conflictsOfQueries() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.create(table: "persons") { t in
                t.column("id", .integer).primaryKey()
                t.column("email", .text).unique()
            }
            _ = try db.columns(in: "persons")
            _ = try db.primaryKey("persons")
            var person = ReplacedPerson(email: "arthur@example.com")
            var copy = person
            try expectSQL(
                """
                INSERT OR REPLACE INTO "persons" ("id", "email") VALUES (NULL,'arthur@example.com')
                INSERT OR REPLACE INTO "persons" ("id", "email") VALUES (NULL,'arthur@example.com')
                UPDATE OR REPLACE "persons" SET "email"='arthur@example.com' WHERE "id"=2
                """
            ) {
                try person.insert(db)
                try copy.insert(db)
                try copy.update(db)
            }
            // The ignore policy does not play well at all with the didInsert method. It was never
            // called, formerly. Today it gets the rowID of a former insertion.
            var ignored = IgnoredPerson(email: "arthur@example.com")
            try expectSQL(
                """
                INSERT OR IGNORE INTO "persons" ("id", "email") VALUES (NULL,'arthur@example.com')
                """
            ) {
                try ignored.insert(db)
            }
            expectEqual(ignored.id, 2)
            try expectEqual(Row.fetchAll(db, sql: "SELECT id FROM persons"), [["id": 2]])
        }
    }
}
