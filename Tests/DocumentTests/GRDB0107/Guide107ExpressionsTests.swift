import GRDB
import GRDBTestSupport
import Testing

/// The chapter "Expressions" of the 0.107 guide, and the expressions of its chapter "Unicode".
@Suite(.databases) struct Guide107ExpressionsTests {
    private let idColumn = Column("id")
    private let nameColumn = Column("name")
    private let emailColumn = Column("email")
    private let ageColumn = Column("age")
    private let verifiedColumn = Column("verified")

    private let persons = Table("persons")

    private func withTables(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE persons (
                        id INTEGER PRIMARY KEY, name TEXT, email TEXT, age INTEGER,
                        verified BOOLEAN);
                    INSERT INTO persons VALUES
                        (1, 'Arthur', 'arthur@example.com', 36, 1), (2, 'barbara', NULL, 17, 0),
                        (3, NULL, 'craig@example.org', 18, 0), (4, 'zoé', NULL, NULL, 1);
                    CREATE TABLE rectangles (width, height);
                    INSERT INTO rectangles VALUES (1, 2), (2, 1);
                    CREATE TABLE planets (temperature DOUBLE);
                    INSERT INTO planets VALUES (100);
                    CREATE TABLE events (name, userId);
                    INSERT INTO events VALUES ('a', 1), ('b', 2);
                    CREATE TABLE books (title, ownerId);
                    INSERT INTO books VALUES ('c', 2);
                    """)
            try body(db)
        }
    }

    /// Expects the condition, and the ids of the persons that meet it.
    private func expectPersons(
        _ condition: SQLExpression, _ sql: String, _ ids: [Int], line: Int = #line
    ) throws {
        try withTables { db in
            try expectRequest(
                db, persons.filter(condition).select(idColumn),
                #"SELECT "id" FROM "persons" WHERE \#(sql)"#, ids.map(String.init), line: line)
        }
    }

    // MARK: - Operators

    @Test func comparisons() throws {
        try expectPersons(nameColumn == "Arthur", #""name" = 'Arthur'"#, [1])
        try expectPersons(nameColumn != "Arthur", #""name" <> 'Arthur'"#, [2, 4])
        try expectPersons(nameColumn == nil, #""name" IS NULL"#, [3])
        try expectPersons(nameColumn != nil, #""name" IS NOT NULL"#, [1, 2, 4])
        try expectPersons(ageColumn === 18, #""age" IS 18"#, [3])
        try expectPersons(ageColumn !== 18, #""age" IS NOT 18"#, [1, 2, 4])
        try expectPersons(ageColumn < 18, #""age" < 18"#, [2])
        try expectPersons(ageColumn <= 18, #""age" <= 18"#, [2, 3])
        try expectPersons(ageColumn > 18, #""age" > 18"#, [1])
        try expectPersons(ageColumn >= 18, #""age" >= 18"#, [1, 3])
        try withTables { db in
            try expectRequest(
                db, Table("rectangles").filter(Column("width") < Column("height")),
                #"SELECT * FROM "rectangles" WHERE "width" < "height""#, ["1|2"])
        }
    }

    @Test func arithmetic() throws {
        try withTables { db in
            let temperatureColumn = Column("temperature")
            try expectRequest(
                db,
                Table("planets").select((temperatureColumn * 1.8 + 32).forKey("fahrenheit")),
                #"SELECT ("temperature" * 1.8) + 32 AS "fahrenheit" FROM "planets""#, ["212.0"])
            // + is an addition, not a concatenation.
            try expectRequest(
                db, persons.filter(idColumn == 1).select(nameColumn + "rrr"),
                #"SELECT "name" + 'rrr' FROM "persons" WHERE "id" = 1"#, ["0"])
        }
    }

    @Test func logic() throws {
        try expectPersons(
            !verifiedColumn || ageColumn < 18, #"(NOT "verified") OR ("age" < 18)"#, [2, 3])
    }

    @Test func inclusion() throws {
        try expectPersons([1, 2, 3].contains(idColumn), #""id" IN (1, 2, 3)"#, [1, 2, 3])
        try expectPersons(![1, 2, 3].contains(idColumn), #""id" NOT IN (1, 2, 3)"#, [4])
        try expectPersons((0...17).contains(ageColumn), #""age" BETWEEN 0 AND 17"#, [2])
        try expectPersons(
            (0..<18).contains(ageColumn), #"("age" >= 0) AND ("age" < 18)"#, [2])
        try expectPersons(
            ("A"..."z").contains(nameColumn), #""name" BETWEEN 'A' AND 'z'"#, [1, 2])
        try expectPersons(
            ("A"..<"z").contains(nameColumn), #"("name" >= 'A') AND ("name" < 'z')"#, [1, 2])
    }

    @Test func subqueries() throws {
        try withTables { db in
            let verifiedUserIds = persons.select(idColumn).filter(verifiedColumn)
            try expectRequest(
                db, Table("events").filter(verifiedUserIds.contains(Column("userId"))),
                """
                SELECT * FROM "events" WHERE "userId" IN \
                (SELECT "id" FROM "persons" WHERE "verified")
                """,
                ["a|1"])
            try expectRequest(
                db, Table("events").filter(!verifiedUserIds.contains(Column("userId"))),
                """
                SELECT * FROM "events" WHERE "userId" NOT IN \
                (SELECT "id" FROM "persons" WHERE "verified")
                """,
                ["b|2"])
        }
        let books = Table("books").filter(sql: "books.ownerId = persons.id")
        try expectPersons(
            books.exists(),
            #"EXISTS (SELECT * FROM "books" WHERE books.ownerId = persons.id)"#, [2])
        try expectPersons(
            !books.exists(),
            #"NOT EXISTS (SELECT * FROM "books" WHERE books.ownerId = persons.id)"#, [1, 3, 4])
    }

    @Test func like() throws {
        try expectPersons(
            emailColumn.like("%@example.com"), #""email" LIKE '%@example.com'"#, [1])
        // Case-unsensitive, but not Unicode-aware
        try expectPersons(nameColumn.like("ARTHUR"), #""name" LIKE 'ARTHUR'"#, [1])
        try expectPersons(nameColumn.like("ZOÉ"), #""name" LIKE 'ZOÉ'"#, [])
    }

    // MARK: - Functions

    @Test func functions() throws {
        try withTables { db in
            try expectRequest(
                db, persons.select(min(ageColumn), max(ageColumn)),
                #"SELECT MIN("age"), MAX("age") FROM "persons""#, ["17|36"])
            try expectRequest(
                db, persons.select(count(nameColumn)),
                #"SELECT COUNT("name") FROM "persons""#, ["3"])
            try expectRequest(
                db, persons.select(count(distinct: verifiedColumn)),
                #"SELECT COUNT(DISTINCT "verified") FROM "persons""#, ["2"])
            try expectRequest(
                db, persons.select(sum(ageColumn), average(idColumn)),
                #"SELECT SUM("age"), AVG("id") FROM "persons""#, ["71|2.5"])
            try expectRequest(
                db, persons.filter(idColumn == 4).select(length(nameColumn), abs(0 - idColumn)),
                #"SELECT LENGTH("name"), ABS(0 - "id") FROM "persons" WHERE "id" = 4"#, ["3|4"])
        }
    }

    @Test func ifNull() throws {
        try withTables { db in
            try expectRequest(
                db, persons.select(nameColumn ?? "Anonymous"),
                #"SELECT IFNULL("name", 'Anonymous') FROM "persons""#,
                ["Arthur", "barbara", "Anonymous", "zoé"])
            try expectRequest(
                db, persons.select(emailColumn ?? nameColumn),
                #"SELECT IFNULL("email", "name") FROM "persons""#,
                ["arthur@example.com", "barbara", "craig@example.org", "zoé"])
        }
    }

    @Test func texts() throws {
        try withTables { db in
            let names = persons.filter(nameColumn != nil).order(idColumn)
            try expectEqual(
                names.select(nameColumn.uppercased, as: String.self).fetchAll(db),
                ["ARTHUR", "BARBARA", "ZOÉ"])
            try expectEqual(
                names.select(nameColumn.capitalized, as: String.self).fetchAll(db),
                ["Arthur", "Barbara", "Zoé"])
            let name = "ZOÉ"
            try expectSQL(
                """
                SELECT "id" FROM "persons" WHERE "name" = 'ZOÉ' COLLATE swiftCaseInsensitiveCompare
                """
            ) {
                let request =
                    persons
                    .filter(nameColumn.collating(.caseInsensitiveCompare) == name)
                    .select(idColumn, as: Int.self)
                try expectEqual(request.fetchAll(db), [4])
            }
            let collation = DatabaseCollation.localizedCaseInsensitiveCompare
            let sorted = persons.order(nameColumn.collating(collation)).select(idColumn)
            try expectRequest(
                db, sorted,
                """
                SELECT "id" FROM "persons" \
                ORDER BY "name" COLLATE swiftLocalizedCaseInsensitiveCompare
                """,
                ["3", "1", "2", "4"])
        }
    }

    @Test func customFunctions() throws {
        let f = DatabaseFunction("f", argumentCount: 1, pure: true) { values in
            String.fromDatabaseValue(values[0]).map { "<\($0)>" }
        }
        try withTables { db in
            db.add(function: f)
            try expectRequest(
                db, persons.select(f(nameColumn)), #"SELECT f("name") FROM "persons""#,
                ["<Arthur>", "<barbara>", "NULL", "<zoé>"])
        }
    }
}
