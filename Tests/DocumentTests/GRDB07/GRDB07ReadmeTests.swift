import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The raw SQL part of the readme of GRDB 0.7, under today's names.
@Suite(.databases) struct GRDB07ReadmeTests {
    enum Color: Int {
        case red
        case white
        case rose
    }

    enum Grape: String {
        case chardonnay
        case merlot
        case riesling
    }

    private func makePersons() throws -> DatabaseQueue {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE persons (id INTEGER PRIMARY KEY, name TEXT, age INT)")
        }
        return dbQueue
    }

    private func makeWines() throws -> DatabaseQueue {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE wines (grape TEXT, color INTEGER)")
            // Store:
            try db.execute(
                sql: "INSERT INTO wines (grape, color) VALUES (?, ?)",
                arguments: [Grape.merlot, Color.red])
        }
        return dbQueue
    }

    // MARK: - Usage, transactions

    @Test func usage() throws {
        let redWinesCount = try makeWines().inDatabase { db in  // Int
            try Int.fetchOne(
                db, sql: "SELECT COUNT(*) FROM wines WHERE color = ?", arguments: [Color.red])!
        }
        expectEqual(redWinesCount, 1)
    }

    @Test func configuration() throws {
        var configuration = TestDatabases.makeConfiguration()
        let traced = Log<String>()
        configuration.foreignKeysEnabled = true  // Default true
        configuration.readonly = false  // Default false
        configuration.prepareDatabase { db in
            db.trace { traced.append("\($0)") }
        }
        let dbQueue = try TestDatabases.makeQueue(.file, configuration)
        try dbQueue.inDatabase { try $0.execute(sql: "SELECT 1") }
        expectEqual(traced.elements.last, "SELECT 1")
    }

    @Test func transactions() throws {
        let dbQueue = try makePersons()
        try dbQueue.inTransaction { db in
            try db.execute(
                sql: "INSERT INTO persons (name, age) VALUES (?, ?)",
                arguments: ["Arthur", 36])

            try db.execute(
                sql: "INSERT INTO persons (name, age) VALUES (:name, :age)",
                arguments: ["name": "Barbara", "age": 37])

            return .commit
        }
        expectError(TestError()) {
            try dbQueue.inTransaction { db in
                try db.execute(sql: "DELETE FROM persons")
                throw TestError()
            }
        }
        try expectEqual(
            dbQueue.read { try Row.fetchAll($0, sql: "SELECT name, age FROM persons") },
            [["name": "Arthur", "age": 36], ["name": "Barbara", "age": 37]])
    }

    // MARK: - Row queries

    @Test func rowQueries() throws {
        let dbQueue = try makePersons()
        let rows = try dbQueue.inDatabase { db -> [Row] in
            try db.execute(
                sql: "INSERT INTO persons (name, age) VALUES ('Arthur', 36), ('Barbara', NULL)")
            let cursor = try Row.fetchCursor(
                db, sql: "SELECT * FROM persons WHERE name = ?", arguments: ["Arthur"])
            try expectEqual(cursor.next()?["age"], 36)
            let one = try Row.fetchOne(
                db, sql: "SELECT * FROM persons WHERE name = :name", arguments: ["name": "Barbara"])
            expectEqual(one, ["id": 2, "name": "Barbara", "age": nil])
            return try Row.fetchAll(db, sql: "SELECT * FROM persons")
        }
        // Arrays can be consumed outside of a database queue.
        expectEqual(rows.map { $0["name"] as String }, ["Arthur", "Barbara"])
    }

    @Test func rowValues() throws {
        let row: Row = ["name": "Arthur", "id": 1, "bookCount": 2]
        let byIndex: String? = row[0]
        let byName: String? = row["name"]
        expectTrue(byIndex == "Arthur" && byName == "Arthur")

        // Not optional when the value is not NULL
        let id: Int64 = row["id"]
        expectEqual(id, 1)

        // Extract the desired Swift type from the column value:
        let bookCount: Int = row["bookCount"]
        let bookCount64: Int64 = row["bookCount"]
        let hasBooks: Bool = row["bookCount"]  // false when 0
        expectTrue(bookCount == 2 && bookCount64 == 2 && hasBooks)

        expectEqual((row["bookCount"] as Int), 2)
        expectEqual((row["bookCount"] as Int?), 2)
    }

    @Test func rowsAsDictionaries() throws {
        let row: Row = ["name": "Arthur", "id": 1]
        // Test if the column `name` is present:
        if let databaseValue = row["name"] as DatabaseValue? {
            // Extract the desired Swift type from the database value:
            let name = String.fromDatabaseValue(databaseValue)
            expectEqual(name, "Arthur")
        } else {
            Issue.record("no column")
        }
        expectEqual((row["nope"] as DatabaseValue?), nil)

        var pairs: [String] = []
        for (columnName, databaseValue) in row {
            pairs.append("\(columnName) \(databaseValue)")
        }
        expectEqual(pairs, [#"name "Arthur""#, "id 1"])
    }

    // MARK: - Value queries

    @Test func valueQueries() throws {
        let dbQueue = try makePersons()
        let names = try dbQueue.inDatabase { db -> [String] in
            try db.execute(
                sql: "INSERT INTO persons (name, age) VALUES ('Arthur', 36), ('Barbara', NULL)")
            let sql = "SELECT age FROM persons"
            try expectEqual(Array(Int?.fetchCursor(db, sql: sql)), [36, nil])
            try expectEqual(Int?.fetchAll(db, sql: sql), [36, nil])
            try expectEqual(Int.fetchOne(db, sql: sql), 36)
            // nil in two cases
            try expectEqual(Int.fetchOne(db, sql: sql + " WHERE age IS NULL"), nil)
            try expectEqual(Int.fetchOne(db, sql: sql + " WHERE 0"), nil)
            return try String.fetchAll(db, sql: "SELECT name FROM persons")
        }
        expectEqual(names, ["Arthur", "Barbara"])
    }

    // MARK: - Values

    @Test func dates() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.inDatabase { db in
            try db.execute(
                sql: "CREATE TABLE persons (" + "birthDate DATETIME, "
                    + "creationDate DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP " + ")")
            let birthDate = Date(timeIntervalSince1970: 100_000.125)
            try db.execute(
                sql: "INSERT INTO persons (birthDate) VALUES (?)", arguments: [birthDate])

            let row = try unwrap(Row.fetchOne(db, sql: "SELECT birthDate FROM persons"))
            expectEqual(row, ["birthDate": "1970-01-02 03:46:40.125"])
            let date: Date? = row["birthDate"]
            expectEqual(date, birthDate)
            try expectEqual(Date.fetchAll(db, sql: "SELECT birthDate FROM persons"), [birthDate])
            let created = try unwrap(
                Date.fetchOne(db, sql: "SELECT creationDate FROM persons"))
            #expect(abs(created.timeIntervalSinceNow) < 600)
            // Comparable with CURRENT_TIMESTAMP
            try expectEqual(
                Int.fetchOne(
                    db, sql: "SELECT COUNT(*) FROM persons WHERE birthDate < CURRENT_TIMESTAMP"),
                1)
        }
    }

    @Test func dateComponents() throws {
        var components = DateComponents()
        components.year = 1973
        components.month = 9
        components.day = 18

        // The .YMD format stores "1973-09-18" in the database.
        let dbComponents = DatabaseDateComponents(components, format: .YMD)
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(sql: "CREATE TABLE persons (birthDate TEXT)")
            try db.execute(
                sql: "INSERT INTO persons (birthDate) VALUES (?)", arguments: [dbComponents])
            let row = try unwrap(Row.fetchOne(db, sql: "SELECT birthDate FROM persons"))
            expectEqual(row, ["birthDate": "1973-09-18"])
            let fetched: DatabaseDateComponents = row["birthDate"]
            expectEqual(fetched.format, .YMD)  // the actual format found in the database
            expectEqual(fetched.dateComponents, components)
            try expectEqual(
                DatabaseDateComponents.fetchAll(db, sql: "SELECT birthDate FROM persons").count,
                1)
        }
    }

    @Test func enums() throws {
        try makeWines().inDatabase { db in
            // Extract from row:
            var wines: [String] = []
            let rows = try Row.fetchCursor(db, sql: "SELECT * FROM wines")
            while let row = try rows.next() {
                let grape: Grape? = row["grape"]
                let color: Color? = row["color"]
                wines.append("\(grape!) \(color!)")
            }
            expectEqual(wines, ["merlot red"])

            // Direct fetch:
            try expectEqual(Color.fetchCursor(db, sql: "SELECT color FROM wines").next(), .red)
            try expectEqual(Color.fetchAll(db, sql: "SELECT color FROM wines"), [.red])
            try expectEqual(Color.fetchOne(db, sql: "SELECT color FROM wines"), .red)
        }
    }

    /// Stores dates as timestamps.
    struct DatabaseTimestamp: DatabaseValueConvertible {
        /// The represented date
        let date: Date

        /// The result is nil if and only if *date* is nil.
        init?(_ date: Date?) {
            guard let date = date else {
                return nil
            }
            self.date = date
        }

        /// Returns a value that can be stored in the database.
        var databaseValue: DatabaseValue {
            date.timeIntervalSince1970.databaseValue
        }

        static func fromDatabaseValue(_ databaseValue: DatabaseValue) -> DatabaseTimestamp? {
            // Double itself adopts DatabaseValueConvertible. So let's avoid
            // handling the raw DatabaseValue, and use built-in Double conversion:
            guard let timeInterval = Double.fromDatabaseValue(databaseValue) else {
                return nil
            }
            return DatabaseTimestamp(Date(timeIntervalSince1970: timeInterval))
        }
    }

    @Test func customTypes() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(sql: "CREATE TABLE persons (date DOUBLE)")
            // Store Date
            let date = Date(timeIntervalSince1970: 12.5)
            try db.execute(
                sql: "INSERT INTO persons (date) VALUES (?), (?)",
                arguments: [DatabaseTimestamp(date), DatabaseTimestamp(nil)])
            try expectEqual(Double?.fetchAll(db, sql: "SELECT date FROM persons"), [12.5, nil])

            // Extract Date from row:
            var dates: [Date?] = []
            let rows = try Row.fetchCursor(db, sql: "SELECT date FROM persons")
            while let row = try rows.next() {
                dates.append((row["date"] as DatabaseTimestamp?)?.date)
            }
            expectEqual(dates, [date, nil])

            // Direct fetch:
            let sql = "SELECT date FROM persons"
            try expectEqual(
                DatabaseTimestamp?.fetchAll(db, sql: sql).map { $0?.date }, [date, nil])
            try expectEqual(DatabaseTimestamp.fetchOne(db, sql: sql)?.date, date)
        }
    }

    /// The table of the chapter "Value Extraction in Details": conversions of database values.
    @Test func valueExtraction() {
        func row(_ dbValue: DatabaseValue) -> [Bool] {
            [
                Bool.fromDatabaseValue(dbValue) != nil, Int.fromDatabaseValue(dbValue) != nil,
                Int32.fromDatabaseValue(dbValue) != nil, Int64.fromDatabaseValue(dbValue) != nil,
                Double.fromDatabaseValue(dbValue) != nil, String.fromDatabaseValue(dbValue) != nil,
                Data.fromDatabaseValue(dbValue) != nil,
            ]
        }
        expectEqual(row(.null), [false, false, false, false, false, false, false])
        expectEqual(row(1.databaseValue), [true, true, true, true, true, false, false])
        expectEqual(row(1.5.databaseValue), [true, true, true, true, true, false, false])
        // Text and blobs have become data and strings of each other since.
        expectEqual(row("x".databaseValue), [false, false, false, false, false, true, true])
        expectEqual(
            row(Data("x".utf8).databaseValue),
            [false, false, false, false, false, true, true])

        // The only false numbers are 0 (integer) and 0.0 (real).
        expectEqual(Bool.fromDatabaseValue(0.databaseValue), false)
        expectEqual(Bool.fromDatabaseValue(0.0.databaseValue), false)
        expectEqual(Bool.fromDatabaseValue(0.1.databaseValue), true)
    }

    // MARK: - Prepared statements

    @Test func updateStatements() throws {
        let dbQueue = try makePersons()
        var ids: [Int64] = []
        var changes: [Int] = []
        try dbQueue.inTransaction { db in
            let sql = "INSERT INTO persons (name, age) VALUES (:name, :age)"
            let statement = try db.makeStatement(sql: sql)

            let persons: [[String: (any DatabaseValueConvertible)?]] = [
                ["name": "Arthur", "age": 41],
                ["name": "Barbara", "age": nil],
            ]

            for person in persons {
                try statement.execute(arguments: StatementArguments(person))
                changes.append(db.changesCount)  // The number of rows changed by the statement.
                ids.append(db.lastInsertedRowID)  // The inserted Row ID.
            }

            return .commit
        }
        expectEqual(ids, [1, 2])
        expectEqual(changes, [1, 1])
    }

    @Test func selectStatements() throws {
        try makePersons().inDatabase { db in
            try db.execute(sql: "INSERT INTO persons (name, age) VALUES ('Arthur', 36)")
            let statement = try db.makeStatement(sql: "SELECT age FROM persons WHERE name = ?")
            try expectEqual(Row.fetchCursor(statement, arguments: ["Arthur"]).next(), ["age": 36])
            try expectEqual(Row.fetchAll(statement, arguments: ["Arthur"]), [["age": 36]])
            try expectEqual(Row.fetchOne(statement, arguments: ["Barbara"]), nil)
            try expectEqual(Int.fetchCursor(statement, arguments: ["Arthur"]).next(), 36)
            try expectEqual(Int.fetchAll(statement, arguments: ["Arthur"]), [36])
            try expectEqual(Int.fetchOne(statement, arguments: ["Arthur"]), 36)
        }
    }

    // MARK: - Error handling

    @Test func errors() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE persons (id INTEGER PRIMARY KEY);
                    CREATE TABLE pets (masterId INTEGER REFERENCES persons(id), name TEXT);
                    """)
            // Reading errors are thrown, too.
            expectError(
                "SQLite error 1: no such table: bar - while executing `SELECT foo FROM bar`"
            ) {
                try Row.fetchAll(db, sql: "SELECT foo FROM bar")
            }

            do {
                try db.execute(
                    sql: "INSERT INTO pets (masterId, name) VALUES (?, ?)",
                    arguments: [1, "Bobby"])
                Issue.record("no error")
            } catch let error as DatabaseError {
                expectEqual(
                    error.description,
                    "SQLite error 19: FOREIGN KEY constraint failed - while executing "
                        + "`INSERT INTO pets (masterId, name) VALUES (?, ?)`")
                expectEqual(
                    error.expandedDescription,
                    "SQLite error 19: FOREIGN KEY constraint failed - while executing "
                        + "`INSERT INTO pets (masterId, name) VALUES (?, ?)` "
                        + #"with arguments [1, "Bobby"]"#)

                // The SQLite result code: 19 (SQLITE_CONSTRAINT)
                expectEqual(error.resultCode, .SQLITE_CONSTRAINT)

                // The eventual SQLite message
                expectEqual(error.message, "FOREIGN KEY constraint failed")

                // The eventual erroneous SQL query
                expectEqual(error.sql, "INSERT INTO pets (masterId, name) VALUES (?, ?)")
            }
        }
    }
}

extension GRDB07ReadmeTests.Color: DatabaseValueConvertible {}
extension GRDB07ReadmeTests.Grape: DatabaseValueConvertible {}
