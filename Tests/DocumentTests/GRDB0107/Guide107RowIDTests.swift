import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The chapter "The Implicit RowID Primary Key" of the 0.107 guide.
@Suite(.databases) struct Guide107RowIDTests {
    /// A record that does not know the rowid.
    private struct Message: Codable, FetchableRecord, MutablePersistableRecord {
        static let databaseTableName = "events"
        var message: String?
        var date: Date?
    }

    struct Event {
        var id: Int64?
        var message: String?
        var date: Date?
    }

    final class Book: Record {
        var id: Int64?
        var title: String

        init(title: String) {
            self.title = title
            super.init()
        }

        override class var databaseTableName: String { "books" }

        // When you subclass Record, you need an override:
        override class var databaseSelection: [any SQLSelectable] { [.allColumns, .rowID] }

        required init(row: Row) throws {
            id = row[Column.rowID]
            title = row["title"]
            try super.init(row: row)
        }

        override func encode(to container: inout PersistenceContainer) {
            container[Column.rowID] = id
            container["title"] = title
        }

        override func didInsert(_ inserted: InsertionSuccess) {
            super.didInsert(inserted)
            id = inserted.rowID
        }
    }

    /// Runs the closure when the schema is known already: the SQL that reads it is not logged.
    private func inDatabase(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().inDatabase { db in
            // No explicit primary key
            try db.create(table: "events") { t in
                t.column("message", .text)
                t.column("date", .datetime)
            }
            // No way to define an explicit primary key
            try db.create(virtualTable: "books", using: FTS4()) { t in
                t.column("title")
                t.column("author")
                t.column("body")
            }
            for table in ["events", "books"] {
                _ = try db.columns(in: table)
                _ = try db.primaryKey(table)
            }
            try body(db)
        }
    }

    /// The SQL that the closure runs, without that of full-text tables, which SQLite comments out.
    private func sql(_ body: () throws -> Void) rethrows -> [String] {
        try TestDatabases.sql(of: body).filter { !$0.hasPrefix("--") }
    }

    @Test func recordsWithoutRowID() throws {
        try inDatabase { db in
            var message = Message(message: "foo")
            try message.insert(db)
            let sql = try sql {
                let fetched = try Message.fetchOne(db, key: 1)
                expectEqual(fetched?.message, "foo")
                try expectTrue(!Book.deleteOne(db, key: 1))
            }
            expectEqual(
                sql,
                [
                    #"SELECT * FROM "events" WHERE "rowid" = 1"#,
                    #"DELETE FROM "books" WHERE "rowid" = 1"#,
                ])
            // Without primary key, records don't have any identity.
            expectError((any Error).self) { try message.update(db) }
            try message.save(db)
            try expectEqual(Message.fetchCount(db), 2)
            try expectTrue(!message.exists(db))
        }
    }

    @Test func recordsWithRowID() throws {
        try inDatabase { db in
            var event = Event(message: "foo", date: Date(timeIntervalSince1970: 0))
            try expectSQL(
                """
                INSERT INTO "events" ("rowid", "message", "date") \
                VALUES (NULL,'foo','1970-01-01 00:00:00.000')
                UPDATE "events" SET "message"='bar', "date"='1970-01-01 00:00:00.000' \
                WHERE "rowid"=1
                SELECT EXISTS (SELECT 1 FROM "events" WHERE "rowid"=1)
                SELECT *, "rowid" FROM "events"
                """
            ) {
                // Insertion sets the record id:
                try event.insert(db)
                expectEqual(event.id, 1)  // some value

                // Record can be updated:
                event.message = "bar"
                try event.update(db)

                // Record knows if it exists:
                try expectTrue(event.exists(db))  // true

                let events = try Event.fetchAll(db)
                expectEqual(events.map(\.id), [1])
                expectEqual(events.map(\.message), ["bar"])
            }
            try expectEqual(Event.fetchOne(db)!.id, 1)
        }
    }

    @Test func fullTextRecords() throws {
        try inDatabase { db in
            let book = Book(title: "Moby-Dick")
            let sql = try sql {
                try book.insert(db)
                book.title = "The Whale"
                try book.updateChanges(db)
                let fetched = try unwrap(Book.fetchOne(db, key: 1))
                expectEqual(fetched.id, 1)
                expectEqual(fetched.title, "The Whale")
                expectTrue(!fetched.hasDatabaseChanges)
            }
            expectEqual(
                sql,
                [
                    #"INSERT INTO "books" ("rowid", "title") VALUES (NULL,'Moby-Dick')"#,
                    #"UPDATE "books" SET "title"='The Whale' WHERE "rowid"=1"#,
                    #"SELECT *, "rowid" FROM "books" WHERE "rowid" = 1"#,
                ])
        }
    }
}

extension Guide107RowIDTests.Event: TableRecord {
    static let databaseTableName = "events"
    static var databaseSelection: [any SQLSelectable] { [.allColumns, .rowID] }
}

extension Guide107RowIDTests.Event: FetchableRecord {
    init(row: Row) {
        id = row["rowid"]
        message = row["message"]
        date = row["date"]
    }
}

extension Guide107RowIDTests.Event: MutablePersistableRecord {
    func encode(to container: inout PersistenceContainer) {
        container["rowid"] = id
        container["message"] = message
        container["date"] = date
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
