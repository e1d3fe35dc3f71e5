import GRDBQueries
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The snippets of the chapters "Custom SQL Functions", "Custom Aggregations", "Custom Collations"
/// and "Executing Arbitrary SQL" of the SQLite.swift guide, in the spelling of this library.
@Suite(.databases) struct SQLiteSwiftDocumentTests {
    // MARK: - Custom SQL Functions

    /// Stands for the function of the system that the guide gives access to.
    private static func conforms(_ uti: String, _ conformsToUTI: String) -> Bool {
        uti == conformsToUTI || uti == "public.png" && conformsToUTI == "public.image"
    }

    private func makeAttachments(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE attachments (name TEXT, UTI TEXT);
                INSERT INTO attachments VALUES ('a', 'public.png'), ('b', 'public.text');
                """)
    }

    @Test func typedFunction() throws {
        try TestDatabases.makeQueue().write { db in
            try makeAttachments(db)
            let typeConformsTo = DatabaseFunction("typeConformsTo", pure: true) {
                (uti: String, conformsToUTI: String) in
                Self.conforms(uti, conformsToUTI)
            }
            db.add(function: typeConformsTo)

            let images: SQLRequest<Row> = """
                SELECT * FROM attachments WHERE \(typeConformsTo(Column("UTI"), "public.image"))
                """
            try expectSQL(
                """
                SELECT * FROM attachments WHERE typeConformsTo("UTI", 'public.image')
                """
            ) {
                try expectEqual(images.fetchAll(db), [["name": "a", "UTI": "public.png"]])
            }
        }
    }

    @Test func looselyTypedFunction() throws {
        try TestDatabases.makeQueue().write { db in
            try makeAttachments(db)
            db.add(
                function: DatabaseFunction("typeConformsTo", argumentCount: 2, pure: true) { args in
                    guard let uti = String.fromDatabaseValue(args[0]),
                        let conformsToUTI = String.fromDatabaseValue(args[1])
                    else { return nil }
                    return Self.conforms(uti, conformsToUTI)
                })

            let stmt = try db.makeStatement(
                sql: "SELECT name FROM attachments WHERE typeConformsTo(UTI, ?)")
            let names = try String.fetchCursor(stmt, arguments: ["public.image"])
            try expectEqual(names.next(), "a")
            try expectEqual(names.next(), nil)
            try expectEqual(Bool.fetchOne(db, sql: "SELECT typeConformsTo(NULL, 'x')"), nil)
        }
    }

    // MARK: - Custom Aggregations

    @Test func aggregation() throws {
        try TestDatabases.makeQueue().write { db in
            db.add(
                function: DatabaseFunction(
                    "customConcat", argumentCount: 1, initialValue: "",
                    reduce: { last, dbValues in
                        last = last + " " + (String.fromDatabaseValue(dbValues[0]) ?? "")
                    }, result: { $0 }))
            try db.execute(
                sql: """
                    CREATE TABLE users (email TEXT);
                    INSERT INTO users VALUES ('alice@mac.com'), ('betsy@icloud.com');
                    """)
            let result = try String.fetchOne(db, sql: "SELECT customConcat(email) FROM users")
            expectEqual(result, " alice@mac.com betsy@icloud.com")
        }
    }

    // MARK: - Custom Collations

    @Test func collation() throws {
        try TestDatabases.makeQueue().write { db in
            let collation = DatabaseCollation("NODIACRITIC") { lhs, rhs in
                lhs.compare(rhs, options: .diacriticInsensitive)
            }
            db.add(collation: collation)
            try db.execute(
                sql: """
                    CREATE TABLE restaurants (name TEXT);
                    INSERT INTO restaurants VALUES ('éclair'), ('zest'), ('eclat');
                    """)
            let name = Column("name")
            let ordered: SQLRequest<String> = """
                SELECT \(name) FROM restaurants ORDER BY \(name) COLLATE \(collation)
                """
            try expectSQL(
                """
                SELECT "name" FROM restaurants ORDER BY "name" COLLATE "NODIACRITIC"
                """
            ) {
                try expectEqual(ordered.fetchAll(db), ["éclair", "eclat", "zest"])
            }
            try expectEqual(
                Bool.fetchOne(db, sql: "SELECT 'é' = 'e' COLLATE NODIACRITIC"), true)
        }
    }

    // MARK: - Executing Arbitrary SQL

    private static let schema = """
        BEGIN TRANSACTION;
        CREATE TABLE users (
            id INTEGER PRIMARY KEY NOT NULL,
            email TEXT UNIQUE NOT NULL,
            name TEXT
        );
        CREATE TABLE posts (
            id INTEGER PRIMARY KEY NOT NULL,
            title TEXT NOT NULL,
            body TEXT NOT NULL,
            published_at DATETIME
        );
        PRAGMA user_version = 1;
        COMMIT TRANSACTION;
        """

    @Test func execute() throws {
        try TestDatabases.makeQueue().writeWithoutTransaction { db in
            try db.execute(sql: Self.schema)
            try expectEqual(Int.fetchOne(db, sql: "PRAGMA user_version"), 1)
            try expectEqual(
                String.fetchAll(
                    db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"),
                ["posts", "users"])
        }
    }

    @Test func prepareRunAndScalar() throws {
        try TestDatabases.makeQueue().writeWithoutTransaction { db in
            try db.execute(sql: Self.schema)

            // prepare and run
            let stmt = try db.makeStatement(sql: "INSERT INTO users (email) VALUES (?)")
            try stmt.execute(arguments: ["alice@mac.com"])
            expectEqual(db.changesCount, 1)

            // Iterate the rows of a statement
            let select = try db.makeStatement(sql: "SELECT id, email FROM users")
            var descriptions: [String] = []
            let rows = try Row.fetchCursor(select)
            while let row = try rows.next() {
                for (index, name) in select.columnNames.enumerated() {
                    descriptions.append("\(name):\(row[index] as DatabaseValue)")
                }
            }
            expectEqual(descriptions, ["id:1", #"email:"alice@mac.com""#])

            // run
            try db.execute(
                sql: "INSERT INTO users (email) VALUES (?)", arguments: ["betsy@icloud.com"])

            // scalar
            let count = try Int64.fetchOne(db, sql: "SELECT count(*) FROM users")
            expectEqual(count, 2)

            let countStatement = try db.makeStatement(sql: "SELECT count(*) FROM users")
            try expectEqual(Int64.fetchOne(countStatement), 2)
        }
    }
}
