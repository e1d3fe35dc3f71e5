import GRDB
import GRDBTestSupport
import Testing

/// The chapters "Executing Updates" and "Avoiding SQL Injection" of the 0.107 guide.
@Suite(.databases) struct Guide107ExecutingUpdatesTests {
    @Test func execute() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.inDatabase { db in
            try db.execute(
                sql: "CREATE TABLE persons (" + "id INTEGER PRIMARY KEY," + "name TEXT NOT NULL,"
                    + "age INT" + ")")

            try expectSQL("INSERT INTO persons (name, age) VALUES ('Barbara', 39)") {
                try db.execute(
                    sql: "INSERT INTO persons (name, age) VALUES (:name, :age)",
                    arguments: ["name": "Barbara", "age": 39])
            }

            // Join multiple statements with a semicolon:
            try expectSQL(
                """
                INSERT INTO persons (name, age) VALUES ('Arthur', 36)
                INSERT INTO persons (name, age) VALUES ('Barbara', 39)
                """
            ) {
                try db.execute(
                    sql: "INSERT INTO persons (name, age) VALUES (?, ?); "
                        + "INSERT INTO persons (name, age) VALUES (?, ?)",
                    arguments: ["Arthur", 36, "Barbara", 39])
            }

            // After an INSERT statement, you can get the row ID of the inserted row:
            try db.execute(
                sql: "INSERT INTO persons (name, age) VALUES (?, ?)",
                arguments: ["Arthur", 36])
            let personId = db.lastInsertedRowID
            expectEqual(personId, 4)

            try expectEqual(
                Row.fetchAll(db, sql: "SELECT * FROM persons").map(\.description),
                [
                    #"[id:1 name:"Barbara" age:39]"#, #"[id:2 name:"Arthur" age:36]"#,
                    #"[id:3 name:"Barbara" age:39]"#, #"[id:4 name:"Arthur" age:36]"#,
                ])
        }
    }

    private struct Person: Codable, FetchableRecord, MutablePersistableRecord {
        static let databaseTableName = "persons"

        var id: Int64?
        var name: String
        var age: Int

        mutating func didInsert(_ inserted: InsertionSuccess) {
            id = inserted.rowID
        }
    }

    @Test func persistenceMethods() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.inDatabase { db in
            try db.execute(sql: "CREATE TABLE persons (id INTEGER PRIMARY KEY, name TEXT, age INT)")
            var person = Person(name: "Arthur", age: 36)
            try person.insert(db)
            let personId = person.id
            expectEqual(personId, 1)
            try expectEqual(
                Row.fetchAll(db, sql: "SELECT * FROM persons"),
                [["id": 1, "name": "Arthur", "age": 36]])
        }
    }

    @Test func avoidingInjection() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE students (id INTEGER PRIMARY KEY, name TEXT);
                    INSERT INTO students VALUES (1, 'Arthur');
                    """)
            // Good
            let name: String? = "Robert'; DROP TABLE students; --"
            let id = 1
            try db.execute(
                sql: "UPDATE students SET name = ? WHERE id = ?",
                arguments: [name, id])
            try expectEqual(String.fetchAll(db, sql: "SELECT name FROM students"), [name])
        }
    }
}
