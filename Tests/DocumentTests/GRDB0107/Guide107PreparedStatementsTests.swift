import Foundation
import GRDB
import GRDBSQLite
import GRDBTestSupport
import Testing

/// The chapters "Prepared Statements" and "Raw SQLite Pointers" of the 0.107 guide.
@Suite(.databases) struct Guide107PreparedStatementsTests {
    private struct Person: FetchableRecord {
        var name: String
        var age: Int?

        init(row: Row) {
            name = row["name"]
            age = row["age"]
        }
    }

    private func withPersons(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE persons (id INTEGER PRIMARY KEY, name TEXT, age INT)")
            try body(db)
        }
    }

    @Test func statements() throws {
        try withPersons { db in
            let updateSQL = "INSERT INTO persons (name, age) VALUES (:name, :age)"
            let updateStatement = try db.makeStatement(sql: updateSQL)

            let selectSQL = "SELECT * FROM persons WHERE name = ?"
            let selectStatement = try db.makeStatement(sql: selectSQL)

            updateStatement.arguments = ["name": "Arthur", "age": 41]
            selectStatement.arguments = ["Arthur"]

            // After arguments are set, you can execute the prepared statement:
            try expectSQL("INSERT INTO persons (name, age) VALUES ('Arthur', 41)") {
                try updateStatement.execute()
            }

            let rows = try Row.fetchCursor(selectStatement)
            try expectEqual(rows.next(), ["id": 1, "name": "Arthur", "age": 41])
            let persons = try Person.fetchAll(selectStatement)  // [Person]
            expectEqual(persons.map(\.age), [41])
            let person = try Person.fetchOne(selectStatement)  // Person?
            expectEqual(person?.age, 41)

            // You can set the arguments at the moment of the statement execution:
            try updateStatement.execute(arguments: ["name": "Barbara", "age": 42])
            let barbara = try Person.fetchOne(selectStatement, arguments: ["Barbara"])
            expectEqual(barbara?.age, 42)
        }
    }

    @Test func cachedStatements() throws {
        try withPersons { db in
            let updateStatement = try db.cachedStatement(
                sql: "INSERT INTO persons (name) VALUES (?)")
            let selectStatement = try db.cachedStatement(sql: "SELECT COUNT(*) FROM persons")
            try updateStatement.execute(arguments: ["Arthur"])
            try expectEqual(Int.fetchOne(selectStatement), 1)
        }
    }

    // MARK: - Raw SQLite pointers

    @Test func rawPointers() throws {
        let sqliteVersion = String(cString: sqlite3_libversion())
        try withPersons { db in
            try expectEqual(String.fetchOne(db, sql: "SELECT sqlite_version()"), sqliteVersion)

            // The raw pointer to a database connection:
            let sqliteConnection = db.sqliteConnection
            expectEqual(sqlite3_total_changes(sqliteConnection), 0)

            // The raw pointer to a statement:
            let statement = try db.makeStatement(sql: "SELECT 1, 2")
            let sqliteStatement = statement.sqliteStatement
            expectEqual(sqlite3_column_count(sqliteStatement), 2)
            expectEqual(sqlite3_db_handle(sqliteStatement), sqliteConnection)
        }
    }
}
