import GRDB
import GRDBTestSupport
import Testing

/// The chapters "Fetching from Requests", "Fetching by Key", "Fetching Aggregated Values", "Delete
/// Requests" and "Custom Requests" of the 0.107 guide.
@Suite(.databases) struct Guide107FetchingRequestsTests {
    private struct Person: FetchableRecord, TableRecord {
        static let databaseTableName = "persons"

        var id: Int64
        var name: String

        init(row: Row) {
            id = row["id"]
            name = row["name"]
        }

        static func customRequest(named name: String) -> SQLRequest<Person> {
            SQLRequest(sql: "SELECT * FROM persons WHERE name = ?", arguments: [name])
        }
    }

    private struct Country: FetchableRecord, TableRecord {
        static let databaseTableName = "countries"

        var isoCode: String

        init(row: Row) {
            isoCode = row["isoCode"]
        }
    }

    private struct Citizenship: FetchableRecord, TableRecord {
        static let databaseTableName = "citizenships"

        var personID: Int64

        init(row: Row) {
            personID = row["personID"]
        }
    }

    private struct Document: FetchableRecord, TableRecord {
        static let databaseTableName = "documents"

        var content: String

        init(row: Row) {
            content = row["content"]
        }
    }

    private struct Player: TableRecord {
        static let databaseTableName = "players"
    }

    private let nameColumn = Column("name")
    private let ageColumn = Column("age")
    private let emailColumn = Column("email")
    private let scoreColumn = Column("score")

    private func withTables(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE persons (
                        id INTEGER PRIMARY KEY, name TEXT, email TEXT UNIQUE, age INTEGER);
                    INSERT INTO persons VALUES
                        (1, 'Arthur', 'arthur@example.com', 36), (2, 'Barbara', NULL, 17),
                        (3, 'Arthur', NULL, 36);
                    CREATE TABLE countries (isoCode TEXT PRIMARY KEY);
                    INSERT INTO countries VALUES ('FR'), ('IT'), ('US');
                    CREATE TABLE citizenships (
                        personID INTEGER, countryISOCode TEXT,
                        PRIMARY KEY (personID, countryISOCode));
                    INSERT INTO citizenships VALUES (1, 'FR'), (1, 'US'), (2, 'FR');
                    CREATE TABLE documents (content);
                    INSERT INTO documents VALUES ('text');
                    CREATE TABLE players (score INTEGER);
                    INSERT INTO players VALUES (10), (30), (20);
                    """)
            // Known before SQL is logged
            for table in ["persons", "countries", "citizenships", "documents"] {
                _ = try db.primaryKey(table)
                _ = try db.indexes(on: table)
            }
            try body(db)
        }
    }

    // MARK: - Fetching

    @Test func fetching() throws {
        try withTables { db in
            let request = Person.filter(ageColumn > 18).order(Column("id").desc)
            let sql = #"SELECT * FROM "persons" WHERE "age" > 18 ORDER BY "id" DESC"#
            try expectSQL([sql, sql, sql + " LIMIT 1"].joined(separator: "\n")) {
                try expectEqual(request.fetchCursor(db).next()?.id, 3)
                try expectEqual(request.fetchAll(db).map(\.id), [3, 1])
                try expectEqual(request.fetchOne(db)?.id, 3)
            }
            let allPersons = try Person.fetchAll(db)  // [Person]
            expectEqual(allPersons.map(\.name), ["Arthur", "Barbara", "Arthur"])
            let arthur = try Person.filter(nameColumn == "Arthur").fetchOne(db)  // Person?
            expectEqual(arthur?.id, 1)
        }
    }

    @Test func otherTargets() throws {
        try withTables { db in
            try expectSQL(
                """
                SELECT MAX("score") FROM "players"
                SELECT MIN("score"), MAX("score") FROM "players"
                SELECT MAX("score") FROM "players"
                """
            ) {
                let maximum = Player.select(max(scoreColumn))
                try expectEqual(Int.fetchOne(db, maximum), 30)

                let both = Player.select(min(scoreColumn), max(scoreColumn))
                let row = try Row.fetchOne(db, both)!
                let minScore = row[0] as Int
                let maxScore = row[1] as Int
                expectTrue(minScore == 10 && maxScore == 30)

                // Rebind the fetched type of requests
                let bound = try Player.select(max(scoreColumn))
                    .asRequest(of: Int.self)
                    .fetchOne(db)
                expectEqual(bound, 30)
            }
        }
    }

    @Test func fetchingByKey() throws {
        try withTables { db in
            try expectSQL(
                """
                SELECT * FROM "persons" WHERE "id" = 1
                SELECT * FROM "persons" WHERE "id" IN (1, 2, 3)
                SELECT * FROM "countries" WHERE "isoCode" = 'FR'
                SELECT * FROM "countries" WHERE "isoCode" IN ('FR', 'US')
                SELECT * FROM "documents" WHERE "rowid" = 1
                SELECT * FROM "citizenships" WHERE ("personID" = 1) AND ("countryISOCode" = 'FR')
                SELECT * FROM "persons" WHERE "email" = 'arthur@example.com'
                SELECT * FROM "persons" WHERE "id" IN (1, 2)
                """
            ) {
                try expectEqual(Person.fetchOne(db, key: 1)?.name, "Arthur")
                try expectEqual(Person.fetchAll(db, keys: [1, 2, 3]).map(\.id), [1, 2, 3])
                try expectEqual(Country.fetchOne(db, key: "FR")?.isoCode, "FR")
                try expectEqual(
                    Country.fetchAll(db, keys: ["FR", "US"]).map(\.isoCode),
                    ["FR", "US"])
                // The hidden "rowid" column
                try expectEqual(Document.fetchOne(db, key: 1)?.content, "text")
                // Multiple-column primary keys, and unique keys
                let citizenship = try Citizenship.fetchOne(
                    db, key: ["personID": 1, "countryISOCode": "FR"])
                expectEqual(citizenship?.personID, 1)
                try expectEqual(Person.fetchOne(db, key: ["email": "arthur@example.com"])?.id, 1)
                try expectEqual(Person.fetchCursor(db, keys: [1, 2]).map(\.id).next(), 1)
            }
        }
    }

    // MARK: - Aggregated values

    @Test func counting() throws {
        try withTables { db in
            // The document counts distinct names without NULL, which is fetched.
            try expectSQL(
                """
                SELECT COUNT(*) FROM "persons"
                SELECT COUNT(*) FROM "persons" WHERE "email" IS NOT NULL
                SELECT COUNT(*) FROM (SELECT DISTINCT "name" FROM "persons")
                SELECT COUNT(*) FROM (SELECT DISTINCT "name", "age" FROM "persons")
                """
            ) {
                try expectEqual(Person.fetchCount(db), 3)
                try expectEqual(Person.filter(emailColumn != nil).fetchCount(db), 1)
                try expectEqual(Person.select(nameColumn).distinct().fetchCount(db), 2)
                try expectEqual(Person.select(nameColumn, ageColumn).distinct().fetchCount(db), 2)
            }
        }
    }

    // MARK: - Delete requests

    @Test func deleting() throws {
        try withTables { db in
            try expectSQL(
                """
                DELETE FROM "persons" WHERE "email" IS NULL
                DELETE FROM "persons" WHERE "id" = 1
                DELETE FROM "persons" WHERE "id" IN (1, 2, 3)
                DELETE FROM "countries" WHERE "isoCode" = 'FR'
                DELETE FROM "countries" WHERE "isoCode" IN ('FR', 'US')
                DELETE FROM "documents" WHERE "rowid" = 1
                DELETE FROM "citizenships" WHERE ("personID" = 1) AND ("countryISOCode" = 'FR')
                DELETE FROM "persons" WHERE "email" = 'arthur@example.com'
                DELETE FROM "citizenships"
                """
            ) {
                let request = Person.filter(emailColumn == nil)
                try expectEqual(request.deleteAll(db), 2)
                try expectTrue(Person.deleteOne(db, key: 1))
                try expectEqual(Person.deleteAll(db, keys: [1, 2, 3]), 0)
                try expectTrue(Country.deleteOne(db, key: "FR"))
                try expectEqual(Country.deleteAll(db, keys: ["FR", "US"]), 1)
                try expectTrue(Document.deleteOne(db, key: 1))
                try expectTrue(
                    Citizenship.deleteOne(db, key: ["personID": 1, "countryISOCode": "FR"]))
                try expectTrue(!Person.deleteOne(db, key: ["email": "arthur@example.com"]))
                try expectEqual(Citizenship.deleteAll(db), 2)
            }
            try expectEqual(Country.fetchAll(db).map(\.isoCode), ["IT"])
        }
    }

    // MARK: - Custom requests

    @Test func customRequests() throws {
        try withTables { db in
            let request = Person.customRequest(named: "Arthur")
            try expectSQL(
                """
                SELECT * FROM persons WHERE name = 'Arthur'
                SELECT COUNT(*) FROM (SELECT * FROM persons WHERE name = 'Arthur' )
                """
            ) {
                try expectEqual(request.fetchAll(db).map(\.id), [1, 3])
                try expectEqual(request.fetchCount(db), 2)
            }
            // A request feeds the fetching methods of any fetchable type.
            try expectEqual(Row.fetchCursor(db, request).next()?["name"], "Arthur")
            let names = SQLRequest<Row>(sql: "SELECT name FROM persons ORDER BY id")
            try expectEqual(String.fetchAll(db, names), ["Arthur", "Barbara", "Arthur"])
            try expectEqual(Person.fetchOne(db, request)?.id, 1)
            // Bind an SQL request to a record type.
            let bound = AnyFetchRequest(SQLRequest<Row>(sql: "SELECT * FROM persons LIMIT 1"))
                .asRequest(of: Person.self)
            try expectEqual(bound.fetchAll(db).map(\.name), ["Arthur"])
            try expectEqual(bound.fetchCount(db), 1)
        }
    }

    private struct BookAuthorPair: FetchableRecord {
        var title: String
        var author: String

        init(row: Row) throws {
            let book = try unwrap(row.scopes["books"])
            let author = try unwrap(row.scopes["authors"])
            title = book["name"]
            self.author = author["name"]
        }

        static func all() -> AdaptedFetchRequest<SQLRequest<BookAuthorPair>> {
            SQLRequest<BookAuthorPair>(
                sql: "SELECT books.*, authors.* "
                    + "FROM books "
                    + "JOIN authors ON authors.id = books.authorID"
            )
            .adapted { db in
                // The scopes are used in init(row:)
                let bookWidth = try db.columns(in: "books").count
                return ScopeAdapter([
                    "books": RangeRowAdapter(0..<bookWidth),
                    "authors": SuffixRowAdapter(fromIndex: bookWidth),
                ])
            }
        }

        static func fetchAll(_ db: Database) throws -> [BookAuthorPair] {
            try all().fetchAll(db)
        }
    }

    @Test func adaptedRequests() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT);
                    INSERT INTO authors VALUES (1, 'Melville'), (2, 'Wilde');
                    CREATE TABLE books (id INTEGER PRIMARY KEY, authorID INTEGER, name TEXT);
                    INSERT INTO books VALUES (10, 1, 'Moby-Dick'), (11, 2, 'Salome');
                    """)
            let pairs = try BookAuthorPair.fetchAll(db).map { "\($0.title) by \($0.author)" }
            expectEqual(pairs, ["Moby-Dick by Melville", "Salome by Wilde"])
            try expectEqual(BookAuthorPair.all().fetchCount(db), 2)
        }
    }
}
