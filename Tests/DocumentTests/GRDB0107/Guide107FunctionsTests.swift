import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The chapters "Custom SQL Functions" and "Unicode" of the 0.107 guide.
@Suite(.databases) struct Guide107FunctionsTests {
    private let reverseString = DatabaseFunction(
        "reverseString", argumentCount: 1, pure: true
    ) { (values: [DatabaseValue]) in
        // Extract string value, if any...
        guard let string = String.fromDatabaseValue(values[0]) else {
            return nil
        }
        // ... and return reversed string:
        return String(string.reversed())
    }

    // MARK: - Custom SQL functions

    @Test func function() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            db.add(function: reverseString)
            try expectEqual(String.fetchOne(db, sql: "SELECT reverseString('foo')")!, "oof")
            try expectEqual(String.fetchOne(db, sql: "SELECT reverseString(NULL)"), nil)
        }
    }

    @Test func variableNumberOfArguments() throws {
        let averageOf = DatabaseFunction("averageOf", pure: true) { (values: [DatabaseValue]) in
            let doubles = values.compactMap { Double.fromDatabaseValue($0) }
            return doubles.reduce(0, +) / Double(doubles.count)
        }
        try TestDatabases.makeQueue().inDatabase { db in
            db.add(function: averageOf)
            try expectEqual(Double.fetchOne(db, sql: "SELECT averageOf(1, 2, 3)")!, 2.0)
        }
    }

    @Test func functionsCanThrow() throws {
        let sqrt = DatabaseFunction("sqrt", argumentCount: 1, pure: true) {
            (values: [DatabaseValue]) in
            guard let double = Double.fromDatabaseValue(values[0]) else {
                return nil
            }
            guard double >= 0 else {
                throw DatabaseError(message: "invalid negative number")
            }
            return double.squareRoot()
        }
        try TestDatabases.makeQueue().inDatabase { db in
            db.add(function: sqrt)
            try expectEqual(Double.fetchOne(db, sql: "SELECT sqrt(4)"), 2)
            expectError(
                "SQLite error 1: invalid negative number - while executing `SELECT sqrt(-1)`"
            ) {
                try Double.fetchOne(db, sql: "SELECT sqrt(-1)")
            }
        }
    }

    @Test func functionsInExpressions() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            db.add(function: reverseString)
            try db.execute(
                sql: "CREATE TABLE persons (name TEXT); INSERT INTO persons VALUES ('Arthur')")
            let request: SQLRequest<String> =
                "SELECT \(reverseString(Column("name"))) FROM persons"
            try expectSQL(#"SELECT reverseString("name") FROM persons"#) {
                try expectEqual(request.fetchAll(db), ["ruhtrA"])
            }
        }
    }

    // MARK: - Unicode

    @Test func unicodeFunctions() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try expectEqual(String.fetchOne(db, sql: "SELECT UPPER('Jérôme')"), "JéRôME")

            let uppercase = DatabaseFunction.uppercase
            try expectEqual(
                String.fetchOne(db, sql: "SELECT \(uppercase.name)('Jérôme')"),
                "JÉRÔME")

            // In expressions
            let request: SQLRequest<String> = "SELECT \(uppercase("Jérôme"))"
            try expectEqual(request.fetchOne(db), "JÉRÔME")
        }
    }

    @Test func collationsOfColumns() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.create(table: "persons") { t in
                // Guarantees case-insensitive email unicity
                t.column("email", .text).unique().collate(.nocase)

                // Sort names in a localized case insensitive way
                t.column("name", .text).collate(.localizedCaseInsensitiveCompare)
            }
            try db.execute(
                sql: """
                    INSERT INTO persons VALUES ('a@b.c', 'zoé'), ('b@b.c', 'Éric'), ('c@b.c', 'eva')
                    """)
            let error = expectError(DatabaseError.self) {
                try db.execute(sql: "INSERT INTO persons VALUES ('A@B.C', 'x')")
            }
            expectEqual(error?.extendedResultCode, .SQLITE_CONSTRAINT_UNIQUE)
            // Persons are sorted in a localized case insensitive way:
            try expectEqual(
                String.fetchAll(db, sql: "SELECT name FROM persons ORDER BY name"),
                ["Éric", "eva", "zoé"])
        }
    }

    @Test func collationsOfRequests() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE persons (name TEXT);
                    INSERT INTO persons VALUES ('zoé'), ('Éric'), ('eva');
                    """)
            let collation = DatabaseCollation.localizedCaseInsensitiveCompare
            let persons = try String.fetchAll(
                db, sql: "SELECT * FROM persons ORDER BY name COLLATE \(collation.name)")
            expectEqual(persons, ["Éric", "eva", "zoé"])
        }
    }

    @Test func customCollation() throws {
        let collation = DatabaseCollation("customCollation") { (lhs, rhs) -> ComparisonResult in
            // return the comparison of lhs and rhs strings.
            lhs.count < rhs.count
                ? .orderedAscending : lhs.count == rhs.count ? .orderedSame : .orderedDescending
        }
        try TestDatabases.makeQueue().inDatabase { db in
            db.add(collation: collation)
            try expectEqual(
                String.fetchAll(
                    db,
                    sql: """
                        SELECT 'aaa' AS a UNION ALL SELECT 'z' ORDER BY a COLLATE customCollation
                        """),
                ["z", "aaa"])
        }
    }
}
