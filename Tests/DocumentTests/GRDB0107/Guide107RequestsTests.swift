import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The chapters "Requests" and "Query Interface" of the 0.107 guide.
@Suite(.databases) struct Guide107RequestsTests {
    /// The guide builds requests from subclasses of `Record`.
    private class Person: Record {
        override class var databaseTableName: String { "persons" }
    }

    private struct Wine: FetchableRecord, TableRecord {
        static let databaseTableName = "wines"

        var name: String

        init(row: Row) {
            name = row["name"]
        }
    }

    private enum Color: Int, DatabaseValueConvertible {
        case red, white, rose
    }

    private let idColumn = Column("id")
    private let nameColumn = Column("name")
    private let emailColumn = Column("email")
    private let ageColumn = Column("age")
    private let heightColumn = Column("height")

    private func withPersons(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE persons (
                        id INTEGER PRIMARY KEY, name TEXT, email TEXT, age INTEGER, height DOUBLE);
                    INSERT INTO persons VALUES
                        (1, 'Arthur', 'arthur@example.com', 36, 1.8),
                        (2, 'Barbara', NULL, 17, 1.7),
                        (3, 'Arthur', 'arthur@example.org', 18, NULL),
                        (4, NULL, 'd@example.com', 50, 1.9);
                    """)
            try body(db)
        }
    }

    // MARK: - Introduction

    @Test func wines() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            // Update database schema
            try db.create(table: "wines") { t in
                t.column("name", .text)
                t.column("origin", .text)
                t.column("price", .double)
                t.column("color", .integer)
                t.column("corked", .boolean)
            }
            try db.execute(
                sql: """
                    INSERT INTO wines VALUES
                        ('Pommard', 'Burgundy', 60, 0, 0), ('Chablis', 'Burgundy', 20, 1, 0),
                        ('Pomerol', 'Bordeaux', 50, 0, 1);
                    """)
            let origin = Column("origin")
            let price = Column("price")
            let color = Column("color")
            let corked = Column("corked")
            try expectSQL(
                """
                SELECT * FROM "wines" WHERE "origin" = 'Burgundy' ORDER BY "price"
                SELECT COUNT(*) FROM "wines" WHERE "color" = 0
                SELECT COUNT(*) FROM "wines" WHERE color = 0
                DELETE FROM "wines" WHERE "corked" = 1
                """
            ) {
                // Fetch records
                let wines = try Wine.filter(origin == "Burgundy").order(price).fetchAll(db)
                expectEqual(wines.map(\.name), ["Chablis", "Pommard"])
                // Count
                let count = try Wine.filter(color == Color.red).fetchCount(db)
                expectEqual(count, 2)
                // Count (with an SQL snippet)
                let counted =
                    try Wine
                    .filter(sql: "color = ?", arguments: [Color.red])
                    .fetchCount(db)
                expectEqual(counted, 2)
                // Delete
                try Wine.filter(corked == true).deleteAll(db)
            }
            try expectEqual(Wine.fetchCount(db), 2)
        }
    }

    /// Values of any type that the database knows go in expressions.
    @Test func values() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE links (url TEXT, verified BOOLEAN);
                    INSERT INTO links VALUES ('https://example.com/a', 1), ('b', 0);
                    """)
            let url = try unwrap(URL(string: "https://example.com/a"))
            try expectRequest(
                db, Table("links").filter(Column("url") == url),
                #"SELECT * FROM "links" WHERE "url" = 'https://example.com/a'"#,
                ["https://example.com/a|1"])
            // A column alone is a condition.
            try expectRequest(
                db, Table("links").filter(Column("verified")).order(Column("url")),
                #"SELECT * FROM "links" WHERE "verified" ORDER BY "url""#,
                ["https://example.com/a|1"])
        }
    }

    // MARK: - Selection

    @Test func select() throws {
        try withPersons { db in
            try expectRequest(db, Person.none(), #"SELECT * FROM "persons" WHERE 0"#, [])
            try expectSQL(#"SELECT * FROM "persons""#) {
                try expectEqual(Person.all().fetchAll(db).count, 4)
            }
            try expectRequest(
                db, Person.select(idColumn, nameColumn), #"SELECT "id", "name" FROM "persons""#,
                ["1|Arthur", "2|Barbara", "3|Arthur", "4|NULL"])
            try expectRequest(
                db, Person.select(max(ageColumn).forKey("maxAge")),
                #"SELECT MAX("age") AS "maxAge" FROM "persons""#, ["50"])
            try expectRequest(
                db, Person.select(nameColumn).distinct(),
                #"SELECT DISTINCT "name" FROM "persons""#, ["Arthur", "Barbara", "NULL"])
            // The hidden rowid column can be selected as well.
            try expectRequest(
                db, Person.select(.rowID, nameColumn).filter(Column.rowID == 2),
                #"SELECT "rowid", "name" FROM "persons" WHERE "rowid" = 2"#, ["2|Barbara"])
        }
    }

    @Test func group() throws {
        try withPersons { db in
            try expectRequest(
                db, Person.select(nameColumn, max(ageColumn)).group(nameColumn),
                #"SELECT "name", MAX("age") FROM "persons" GROUP BY "name""#,
                ["NULL|50", "Arthur|36", "Barbara|17"])
            try expectRequest(
                db,
                Person
                    .select(nameColumn, max(ageColumn))
                    .group(nameColumn)
                    .having(min(ageColumn) >= 18),
                """
                SELECT "name", MAX("age") FROM "persons" GROUP BY "name" HAVING MIN("age") >= 18
                """,
                ["NULL|50", "Arthur|36"])
        }
    }

    // MARK: - Order and limit

    @Test func order() throws {
        try withPersons { db in
            let ids = Person.select(idColumn)
            try expectRequest(
                db, ids.order(heightColumn), #"SELECT "id" FROM "persons" ORDER BY "height""#,
                ["3", "2", "1", "4"])
            try expectRequest(
                db, ids.order(nameColumn.desc, ageColumn),
                #"SELECT "id" FROM "persons" ORDER BY "name" DESC, "age""#, ["2", "3", "1", "4"])
            // Each order call clears any previous ordering
            try expectRequest(
                db, ids.order(heightColumn).order(ageColumn),
                #"SELECT "id" FROM "persons" ORDER BY "age""#, ["2", "3", "1", "4"])
            try expectRequest(
                db, ids.order(nameColumn.desc, ageColumn).reversed(),
                #"SELECT "id" FROM "persons" ORDER BY "name" ASC, "age" DESC"#,
                ["4", "1", "3", "2"])
            // Since then, requests without an ordering remain so.
            try expectRequest(
                db, ids.reversed(), #"SELECT "id" FROM "persons""#, ["1", "2", "3", "4"])
        }
    }

    @Test func limit() throws {
        try withPersons { db in
            try expectSQL(
                """
                SELECT * FROM "persons" LIMIT 5
                SELECT * FROM "persons" LIMIT 5 OFFSET 10
                """
            ) {
                try expectEqual(Person.limit(5).fetchAll(db).count, 4)
                try expectTrue(Person.limit(5, offset: 10).fetchAll(db).isEmpty)
            }
        }
    }

    // MARK: - Chains

    @Test func chains() throws {
        try withPersons { db in
            try expectSQL(
                #"SELECT * FROM "persons" WHERE "email" IS NOT NULL ORDER BY "name""#
            ) {
                let request = Person.order(nameColumn).filter(emailColumn != nil)
                try expectEqual(request.fetchAll(db).count, 3)
            }
            try expectRequest(
                db,
                Person
                    .filter(nameColumn != nil)
                    .filter(emailColumn != nil)
                    .order(nameColumn)
                    .order(ageColumn)
                    .limit(20, offset: 40)
                    .limit(10)
                    .select(nameColumn)
                    .select(idColumn),
                """
                SELECT "id" FROM "persons" WHERE ("name" IS NOT NULL) AND ("email" IS NOT NULL) \
                ORDER BY "age" LIMIT 10
                """,
                ["3", "1"])
        }
    }

    @Test func snippets() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE persons (name TEXT, creationDate DATETIME);
                    INSERT INTO persons VALUES
                        ('Arthur', '2017-06-01 10:00:00'), ('Arthur', '2017-06-01 18:00:00'),
                        ('Arthur', '2017-06-02 10:00:00'), ('Barbara', '2017-06-02 10:00:00');
                    """)
            try expectRequest(
                db,
                Person
                    .select(sql: "DATE(creationDate), COUNT(*)")
                    .filter(sql: "name = ?", arguments: ["Arthur"])
                    .group(sql: "DATE(creationDate)"),
                """
                SELECT DATE(creationDate), COUNT(*) FROM "persons" WHERE name = 'Arthur' \
                GROUP BY DATE(creationDate)
                """,
                ["2017-06-01|2", "2017-06-02|1"])
        }
    }
}
