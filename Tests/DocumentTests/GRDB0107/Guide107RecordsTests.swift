import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The chapter "Records" of the 0.107 guide, up to the protocols: structs.
@Suite(.databases) struct Guide107RecordsTests {
    /// Stands for the type of CoreLocation.
    struct CLLocationCoordinate2D: Equatable {
        var latitude: Double
        var longitude: Double
    }

    struct PointOfInterest {
        var id: Int64?
        var title: String
        var coordinate: CLLocationCoordinate2D
    }

    private let nameColumn = Column("title")

    /// Runs the closure when the schema is known already: the SQL that reads it is not logged.
    private func inDatabase(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.create(table: "pointOfInterests") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("title", .text).notNull()
                t.column("latitude", .double).notNull()
                t.column("longitude", .double).notNull()
            }
            _ = try db.columns(in: "pointOfInterests")
            _ = try db.primaryKey("pointOfInterests")
            try body(db)
        }
    }

    private func makeParis() -> PointOfInterest {
        PointOfInterest(
            id: nil,
            title: "Paris",
            coordinate: CLLocationCoordinate2D(latitude: 48.8534100, longitude: 2.3488000))
    }

    // MARK: - FetchableRecord

    @Test func recordsFromRows() throws {
        try inDatabase { db in
            try db.execute(
                sql: """
                    INSERT INTO pointOfInterests (title, latitude, longitude)
                    VALUES ('Paris', 48.85341, 2.3488), ('Rome', 41.9, 12.5)
                    """)
            let sql = "SELECT * FROM pointOfInterests WHERE latitude > ?"
            let cursor = try PointOfInterest.fetchCursor(db, sql: sql, arguments: [0])
            var titles: [String] = []
            while let poi = try cursor.next() {
                titles.append(poi.title)
            }
            expectEqual(titles, ["Paris", "Rome"])
            let all = try PointOfInterest.fetchAll(db, sql: sql, arguments: [45])
            expectEqual(all.map(\.id), [1])
            let one = try PointOfInterest.fetchOne(db, sql: sql, arguments: [45])  // Optional
            expectEqual(one?.coordinate.longitude, 2.3488)
            try expectNil(PointOfInterest.fetchOne(db, sql: sql, arguments: [90]))

            // Row adapters help mapping raw column names.
            let adapted = try PointOfInterest.fetchOne(
                db, sql: "SELECT 7 AS id, 'Nowhere' AS name, 1.0 AS lat, 2.0 AS long",
                adapter: ColumnMapping([
                    "id": "id", "title": "name", "latitude": "lat", "longitude": "long",
                ]))
            expectEqual(adapted?.title, "Nowhere")
            expectEqual(adapted?.coordinate, CLLocationCoordinate2D(latitude: 1, longitude: 2))
        }
    }

    // MARK: - MutablePersistableRecord

    @Test func persistence() throws {
        try inDatabase { db in
            var paris = makeParis()
            try expectSQL(
                """
                INSERT INTO "pointOfInterests" ("id", "title", "latitude", "longitude") \
                VALUES (NULL,'Paris',48.85341,2.3488)
                UPDATE "pointOfInterests" \
                SET "title"='Lutetia', "latitude"=48.85341, "longitude"=2.3488 WHERE "id"=1
                UPDATE "pointOfInterests" SET "title"='Paname' WHERE "id"=1
                UPDATE "pointOfInterests" \
                SET "title"='Paname', "latitude"=48.85341, "longitude"=2.3488 WHERE "id"=1
                SELECT EXISTS (SELECT 1 FROM "pointOfInterests" WHERE "id"=1)
                DELETE FROM "pointOfInterests" WHERE "id"=1
                SELECT EXISTS (SELECT 1 FROM "pointOfInterests" WHERE "id"=1)
                DELETE FROM "pointOfInterests" WHERE "id"=1
                """
            ) {
                try paris.insert(db)  // INSERT
                expectEqual(paris.id, 1)  // some value
                paris.title = "Lutetia"
                try paris.update(db)  // UPDATE
                paris.title = "Paname"
                try paris.update(db, columns: ["title"])  // UPDATE
                try paris.save(db)  // Inserts or updates
                try expectTrue(paris.exists(db))  // Bool
                try expectTrue(paris.delete(db))  // DELETE
                try expectTrue(!paris.exists(db))
                try expectTrue(!paris.delete(db))
            }
            expectError(RecordError.self) { try paris.update(db) }

            // An insert when no row was modified; directly when there is no key.
            try paris.save(db)
            paris.id = nil
            try paris.save(db)
            expectEqual(paris.id, 2)
            try expectEqual(PointOfInterest.fetchAll(db).map(\.id), [1, 2])
        }
    }

    // MARK: - TableRecord

    @Test func requests() throws {
        try inDatabase { db in
            var paris = makeParis()
            try paris.insert(db)
            try expectSQL(#"SELECT * FROM "pointOfInterests" WHERE "title" = 'Paris' LIMIT 1"#) {
                let paris = try PointOfInterest.filter(nameColumn == "Paris").fetchOne(db)
                expectEqual(paris?.id, 1)
            }
        }
    }

    struct Person: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "persons"
        var id: Int64?
        var name: String?
        var email: String?
    }

    struct Country: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "countries"
        var isoCode: String
    }

    struct Citizenship: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "citizenships"
        var personID: Int64
        var countryISOCode: String
    }

    struct Document: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "documents"
        var content: String
    }

    @Test func keys() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE persons (id INTEGER PRIMARY KEY, name TEXT, email TEXT UNIQUE);
                    CREATE TABLE countries (isoCode TEXT PRIMARY KEY);
                    CREATE TABLE citizenships (
                        personID INTEGER, countryISOCode TEXT,
                        PRIMARY KEY (personID, countryISOCode));
                    CREATE TABLE documents (content TEXT);
                    INSERT INTO persons VALUES
                        (1, 'Arthur', 'arthur@example.com'), (2, 'Barbara', NULL), (3, NULL, NULL);
                    INSERT INTO countries VALUES ('FR'), ('IT'), ('US');
                    INSERT INTO citizenships VALUES (1, 'FR');
                    INSERT INTO documents VALUES ('text');
                    """)
            for table in ["persons", "countries", "citizenships", "documents"] {
                _ = try db.columns(in: table)
                _ = try db.primaryKey(table)
                _ = try db.indexes(on: table)
            }
            try expectSQL(
                """
                SELECT * FROM "persons" WHERE "id" = 1
                SELECT * FROM "persons" WHERE "id" IN (1, 2, 3)
                SELECT * FROM "countries" WHERE "isoCode" = 'FR'
                SELECT * FROM "countries" WHERE "isoCode" IN ('FR', 'US')
                SELECT * FROM "documents" WHERE "rowid" = 1
                SELECT * FROM "citizenships" WHERE ("personID" = 1) AND ("countryISOCode" = 'FR')
                SELECT * FROM "persons" WHERE "email" = 'arthur@example.com'
                SELECT * FROM "persons" WHERE "email" IS NOT NULL ORDER BY "name"
                SELECT COUNT(*) FROM "persons" WHERE "email" IS NOT NULL
                """
            ) {
                // Fetch
                try expectEqual(Person.fetchOne(db, key: 1)?.name, "Arthur")  // Person?
                try expectEqual(Person.fetchAll(db, keys: [1, 2, 3]).count, 3)  // [Person]
                try expectTrue(Country.fetchOne(db, key: "FR") != nil)  // Country?
                try expectEqual(Country.fetchAll(db, keys: ["FR", "US"]).count, 2)  // [Country]
                try expectEqual(Document.fetchOne(db, key: 1)?.content, "text")  // Document?
                let key: [String: any DatabaseValueConvertible] = [
                    "personID": 1, "countryISOCode": "FR",
                ]
                try expectTrue(Citizenship.fetchOne(db, key: key) != nil)  // Citizenship?
                try expectEqual(Person.fetchOne(db, key: ["email": "arthur@example.com"])?.id, 1)
                let emailColumn = Column("email")
                let persons = try Person.filter(emailColumn != nil).order(Column("name"))
                    .fetchAll(db)  // [Person]
                expectEqual(persons.map(\.id), [1])
                try expectEqual(Person.filter(emailColumn != nil).fetchCount(db), 1)  // Int
            }
            try expectSQL(
                """
                DELETE FROM "persons" WHERE "id" = 3
                DELETE FROM "countries" WHERE "isoCode" IN ('FR', 'US')
                DELETE FROM "documents" WHERE "rowid" = 1
                DELETE FROM "persons" WHERE "email" = 'arthur@example.com'
                DELETE FROM "persons" WHERE "email" IS NULL
                """
            ) {
                // Delete
                try expectTrue(Person.deleteOne(db, key: 3))
                try expectEqual(Country.deleteAll(db, keys: ["FR", "US"]), 2)
                try expectTrue(Document.deleteOne(db, key: 1))
                try expectTrue(Person.deleteOne(db, key: ["email": "arthur@example.com"]))
                try expectEqual(Person.filter(Column("email") == nil).deleteAll(db), 1)
            }
        }
    }
}

extension Guide107RecordsTests.PointOfInterest: FetchableRecord {
    init(row: Row) {
        id = row["id"]
        title = row["title"]
        coordinate = Guide107RecordsTests.CLLocationCoordinate2D(
            latitude: row["latitude"],
            longitude: row["longitude"])
    }
}

extension Guide107RecordsTests.PointOfInterest: TableRecord {
    static let databaseTableName = "pointOfInterests"
}

extension Guide107RecordsTests.PointOfInterest: MutablePersistableRecord {
    /// The values persisted in the database
    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["title"] = title
        container["latitude"] = coordinate.latitude
        container["longitude"] = coordinate.longitude
    }

    // Update id upon successful insertion:
    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
