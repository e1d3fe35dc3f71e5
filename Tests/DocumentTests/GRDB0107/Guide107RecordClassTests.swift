import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The chapters "Record Class", "Changes Tracking", "Customized Persistence Methods" and "List of
/// Record Methods" of the 0.107 guide, and the records of its chapter on performance.
@Suite(.databases) struct Guide107RecordClassTests {
    /// Stands for the type of CoreLocation.
    struct CLLocationCoordinate2D {
        var latitude: Double
        var longitude: Double
    }

    final class PointOfInterest: Record {
        var id: Int64?
        var title: String
        var isFavorite: Bool
        var coordinate: CLLocationCoordinate2D

        init(title: String, coordinate: CLLocationCoordinate2D) {
            self.title = title
            self.coordinate = coordinate
            isFavorite = false
            super.init()
        }

        /// The table name
        override class var databaseTableName: String {
            "pointOfInterests"
        }

        /// Initialize from a database row
        required init(row: Row) throws {
            id = row["id"]
            title = row["title"]
            isFavorite = row["isFavorite"]
            coordinate = CLLocationCoordinate2D(
                latitude: row["latitude"],
                longitude: row["longitude"])
            try super.init(row: row)
        }

        /// The values persisted in the database
        override func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["title"] = title
            container["isFavorite"] = isFavorite
            container["latitude"] = coordinate.latitude
            container["longitude"] = coordinate.longitude
        }

        /// Update record ID after a successful insertion
        override func didInsert(_ inserted: InsertionSuccess) {
            super.didInsert(inserted)
            id = inserted.rowID
        }
    }

    final class Person: Record {
        var id: Int64?
        var uuid: UUID?
        var name: String
        var age: Int

        init(name: String, age: Int) {
            self.name = name
            self.age = age
            super.init()
        }

        override class var databaseTableName: String { "persons" }

        required init(row: Row) throws {
            id = row["id"]
            uuid = row["uuid"]
            name = row["name"]
            age = row["age"]
            try super.init(row: row)
        }

        override func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["uuid"] = uuid
            container["name"] = name
            container["age"] = age
        }

        // Have the UUID automatically set before inserting
        override func willInsert(_ db: Database) throws {
            if uuid == nil {
                uuid = UUID()
            }
            try super.willInsert(db)
        }

        override func didInsert(_ inserted: InsertionSuccess) {
            super.didInsert(inserted)
            id = inserted.rowID
        }
    }

    /// Runs the closure when the schema is known already: the SQL that reads it is not logged.
    private func inDatabase(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE pointOfInterests (
                        id INTEGER PRIMARY KEY, title TEXT, isFavorite BOOLEAN, latitude DOUBLE,
                        longitude DOUBLE);
                    CREATE TABLE persons (
                        id INTEGER PRIMARY KEY, uuid BLOB UNIQUE, name TEXT, age INTEGER,
                        synchronized BOOLEAN);
                    """)
            for table in ["pointOfInterests", "persons"] {
                _ = try db.columns(in: table)
                _ = try db.primaryKey(table)
            }
            try body(db)
        }
    }

    // MARK: - Record Class

    @Test func recordClass() throws {
        try inDatabase { db in
            try expectSQL(
                """
                INSERT INTO "pointOfInterests" ("id", "title", "isFavorite", "latitude", "longitude") \
                VALUES (NULL,'Paris',0,48.85341,2.3488)
                SELECT * FROM "pointOfInterests" WHERE "id" = 1
                UPDATE "pointOfInterests" \
                SET "title"='Paris', "isFavorite"=1, "latitude"=48.85341, "longitude"=2.3488 \
                WHERE "id"=1
                """
            ) {
                let paris = PointOfInterest(
                    title: "Paris",
                    coordinate: CLLocationCoordinate2D(latitude: 48.85341, longitude: 2.3488))
                try paris.insert(db)
                expectEqual(paris.id, 1)
                if let poi = try PointOfInterest.fetchOne(db, key: 1) {
                    poi.isFavorite = true
                    try poi.update(db)
                }
            }
            try expectEqual(PointOfInterest.fetchOne(db)?.isFavorite, true)
        }
    }

    // MARK: - Changes Tracking

    @Test func changesTracking() throws {
        try inDatabase { db in
            let person = Person(name: "Barbara", age: 35)
            expectTrue(person.hasDatabaseChanges)  // true
            try person.insert(db)
            expectTrue(!person.hasDatabaseChanges)  // false
            person.name = "Barbara"
            expectTrue(!person.hasDatabaseChanges)  // false
            person.age = 36
            expectTrue(person.hasDatabaseChanges)  // true
            try expectEqual(person.databaseChanges, ["age": 35.databaseValue])  // ["age": 35]

            // Saves the person if it has changes that have not been saved:
            try expectSQL(#"UPDATE "persons" SET "age"=36 WHERE "id"=1"#) {
                for _ in 0..<2 {
                    try person.updateChanges(db)
                }
            }
            if person.hasDatabaseChanges {
                Issue.record("nothing to save")
            }
            let fetched = try unwrap(Person.fetchOne(db, key: 1))
            expectTrue(!fetched.hasDatabaseChanges)
            fetched.name = "Arthur"
            if fetched.hasDatabaseChanges {
                try fetched.save(db)
            }
            try expectEqual(String.fetchOne(db, sql: "SELECT name FROM persons"), "Arthur")
            // For batch updates, execute an SQL query:
            try db.execute(sql: "UPDATE persons SET synchronized = 1")
            expectEqual(db.changesCount, 1)
        }
    }

    // MARK: - Customized Persistence Methods

    @Test func customizedInsertion() throws {
        try inDatabase { db in
            let person = Person(name: "Arthur", age: 36)
            try person.insert(db)
            let uuid = try unwrap(person.uuid)
            try expectEqual(UUID.fetchOne(db, sql: "SELECT uuid FROM persons"), uuid)
            try person.update(db)
            expectEqual(person.uuid, uuid)
        }
    }

    private struct ValidationError: Error {
        var message: String
    }

    private struct Link: Codable, PersistableRecord {
        var url: URL

        func willSave(_ db: Database) throws {
            try validate()
        }

        func validate() throws {
            if url.host == nil {
                throw ValidationError(message: "url must be absolute.")
            }
        }
    }

    @Test func validation() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(sql: "CREATE TABLE link (url TEXT PRIMARY KEY)")
            let relative = Link(url: URL(string: "/index.html")!)
            let error = expectError(ValidationError.self) { try relative.insert(db) }
            expectEqual(error?.message, "url must be absolute.")
            expectError(ValidationError.self) { try relative.update(db) }
            expectError(ValidationError.self) { try relative.save(db) }
            try Link(url: URL(string: "https://example.org/index.html")!).insert(db)
            try expectEqual(
                Row.fetchAll(db, sql: "SELECT * FROM link"),
                [["url": "https://example.org/index.html"]])
        }
    }

    // MARK: - List of Record Methods

    @Test func fetchingMethods() throws {
        try inDatabase { db in
            for (name, age) in [("Arthur", 36), ("Barbara", 39), ("Craig", 17)] {
                try Person(name: name, age: age).insert(db)
            }
            func names(_ cursor: RecordCursor<Person>) throws -> [String] {
                try Array(cursor.map(\.name))
            }
            let adults = Person.filter(Column("age") >= 18)
            let statement = try db.makeStatement(sql: "SELECT * FROM persons WHERE id = ?")
            let sql = "SELECT * FROM persons WHERE id = ?"

            // Fetching Record Cursors
            try expectEqual(names(Person.fetchCursor(db)), ["Arthur", "Barbara", "Craig"])
            try expectEqual(names(Person.fetchCursor(db, keys: [1, 2])), ["Arthur", "Barbara"])
            try expectEqual(names(Person.fetchCursor(db, sql: sql, arguments: [1])), ["Arthur"])
            try expectEqual(names(Person.fetchCursor(statement, arguments: [2])), ["Barbara"])
            try expectEqual(names(adults.fetchCursor(db)), ["Arthur", "Barbara"])

            // Fetching Record Arrays
            try expectEqual(Person.fetchAll(db).count, 3)
            try expectEqual(Person.fetchAll(db, keys: [1, 2]).count, 2)
            try expectEqual(Person.fetchAll(db, sql: sql, arguments: [1]).map(\.name), ["Arthur"])
            try expectEqual(Person.fetchAll(statement, arguments: [1]).map(\.name), ["Arthur"])
            try expectEqual(adults.fetchAll(db).count, 2)

            // Fetching Individual Records
            try expectEqual(Person.fetchOne(db)?.name, "Arthur")
            try expectEqual(Person.fetchOne(db, key: 2)?.name, "Barbara")
            try expectEqual(Person.fetchOne(db, sql: sql, arguments: [3])?.name, "Craig")
            try expectNil(Person.fetchOne(statement, arguments: [4]))
            try expectEqual(adults.order(Column("name").desc).fetchOne(db)?.name, "Barbara")

            // Counting Records, Deleting Records
            try expectEqual(Person.fetchCount(db), 3)
            try expectEqual(adults.fetchCount(db), 2)
            try expectEqual(Person.deleteAll(db, keys: [1]), 1)
            try expectEqual(adults.deleteAll(db), 1)
            try expectEqual(Person.deleteAll(db), 1)
        }
    }

    // MARK: - Performance

    /// When convenience hurts performance, load columns by index.
    @Test func columnIndexes() throws {
        try inDatabase { db in
            try Person(name: "Arthur", age: 36).insert(db)
            try expectSQL(#"SELECT "id", "name", "age" FROM "persons""#) {
                let request = Person.select(Column("id"), Column("name"), Column("age"))
                let rows = try Row.fetchCursor(db, request)
                var count = 0
                while let row = try rows.next() {
                    let id: Int64 = row[0]
                    let name: String = row[1]
                    let age: Int = row[2]
                    expectTrue(id == 1 && name == "Arthur" && age == 36)
                    count += 1
                }
                expectEqual(count, 1)
            }
        }
    }
}
