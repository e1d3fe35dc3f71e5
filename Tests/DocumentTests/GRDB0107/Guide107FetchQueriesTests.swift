import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The chapters "Fetch Queries", "Fetching Methods", "Row Queries" and "Value Queries" of the 0.107
/// guide.
@Suite(.databases) struct Guide107FetchQueriesTests {
    private enum Color: Int, DatabaseValueConvertible {
        case red, white, rose
    }

    private struct Wine: FetchableRecord {
        var name: String

        init(row: Row) {
            name = row["name"]
        }
    }

    private func makeQueue() throws -> DatabaseQueue {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE wines (
                        id INTEGER PRIMARY KEY, name TEXT, color INTEGER, url TEXT);
                    INSERT INTO wines VALUES
                        (1, 'Pomerol', 0, 'https://github.com/pomerol'),
                        (2, 'Chablis', 1, 'https://example.org/chablis');
                    CREATE TABLE persons (name TEXT);
                    INSERT INTO persons VALUES ('Arthur'), ('Barbara');
                    """)
        }
        return dbQueue
    }

    // MARK: - Fetch queries

    @Test func rowsValuesAndRecords() throws {
        let dbQueue = try makeQueue()
        var printed: [String] = []
        try dbQueue.inDatabase { db in
            if let row = try Row.fetchOne(
                db, sql: "SELECT * FROM wines WHERE id = ?", arguments: [1])
            {
                let name: String = row["name"]
                let color: Color = row["color"]
                printed.append("\(name) \(color)")
            }
        }
        expectEqual(printed, ["Pomerol red"])

        try dbQueue.inDatabase { db in
            let urls = try URL.fetchCursor(db, sql: "SELECT url FROM wines")
            while let url = try urls.next() {
                printed.append(url.host ?? "")
            }
        }
        expectEqual(printed, ["Pomerol red", "github.com", "example.org"])

        let wines = try dbQueue.inDatabase { db in
            try Wine.fetchAll(db, sql: "SELECT * FROM wines")
        }
        expectEqual(wines.map(\.name), ["Pomerol", "Chablis"])
    }

    // MARK: - Fetching methods

    @Test func fetchingMethods() throws {
        try makeQueue().inDatabase { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT name FROM wines")
            try expectEqual(rows.next(), ["name": "Pomerol"])
            let wines = try Wine.fetchAll(db, sql: "SELECT * FROM wines")
            expectEqual(wines.count, 2)
            let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM wines")  // Int?
            expectEqual(count, 2)
        }
    }

    @Test func cursors() throws {
        try makeQueue().inDatabase { db in
            var hosts: [String] = []
            let rows = try Row.fetchCursor(db, sql: "SELECT url FROM wines")
            while let row = try rows.next() {
                let url: URL = row["url"]
                hosts.append(url.host!)
            }
            try Row.fetchCursor(db, sql: "SELECT url FROM wines").forEach { row in
                let url: URL = row["url"]
                hosts.append(url.host!)
            }
            expectEqual(hosts, ["github.com", "example.org", "github.com", "example.org"])

            // Enumerate all Github links
            var links: [String] = []
            try URL.fetchCursor(db, sql: "SELECT url FROM wines")
                .filter { url in url.host == "github.com" }
                .enumerated()
                .forEach { (index, url) in links.append("\(index) \(url)") }
            expectEqual(links, ["0 https://github.com/pomerol"])
        }
    }

    // MARK: - Row queries

    @Test func arguments() throws {
        let dbQueue = try makeQueue()
        let rows = try dbQueue.inDatabase { db in
            try Row.fetchAll(
                db,
                sql: "SELECT * FROM persons WHERE name = ?",
                arguments: ["Arthur"])
        }
        expectEqual(rows, [["name": "Arthur"]])
        let named = try dbQueue.inDatabase { db in
            try Row.fetchAll(
                db,
                sql: "SELECT * FROM persons WHERE name = :name",
                arguments: ["name": "Arthur"])
        }
        expectEqual(named, rows)
    }

    @Test func rowsOfACursorMustBeCopied() throws {
        try makeQueue().inDatabase { db in
            let sql = "SELECT name FROM persons"
            try expectEqual(Row.fetchAll(db, sql: sql), [["name": "Arthur"], ["name": "Barbara"]])
            let copies = try Array(Row.fetchCursor(db, sql: sql).map { $0.copy() })
            expectEqual(copies, [["name": "Arthur"], ["name": "Barbara"]])
            // An array of a row cursor has the same row twice.
            let cursor = try Row.fetchCursor(db, sql: sql)
            let rows = try Array(cursor)
            expectTrue(rows.count == 2 && rows[0] === rows[1])
        }
    }

    @Test func columnValues() throws {
        try makeQueue().inDatabase { db in
            let row = try unwrap(
                Row.fetchOne(
                    db,
                    sql:
                        "SELECT 'Arthur' AS name, 3 AS bookCount, '2015-09-11 18:14:15.123' AS date"
                ))
            let byIndex: String = row[0]  // 0 is the leftmost column
            let byName: String = row["NAME"]  // Lookup is case-insensitive
            let byColumn: String = row[Column("name")]  // Using query interface's Column
            expectEqual([byIndex, byName, byColumn], ["Arthur", "Arthur", "Arthur"])
            let optional: String? = row["name"]
            expectEqual(optional, "Arthur")

            let bookCount: Int = row["bookCount"]
            let bookCount64: Int64 = row["bookCount"]
            let hasBooks: Bool = row["bookCount"]  // false when 0
            expectTrue(bookCount == 3 && bookCount64 == 3 && hasBooks)

            let string: String = row["date"]  // "2015-09-11 18:14:15.123"
            let date: Date = row["date"]  // Date
            expectEqual(string, "2015-09-11 18:14:15.123")
            expectEqual(date.databaseValue, string.databaseValue)

            expectEqual(row["bookCount"] as Int, 3)
            expectEqual(row["bookCount"] as Int?, 3)
            if let int = row["bookCount"] as Int? {
                expectEqual(int, 3)
            } else {
                Issue.record("no value")
            }
        }
    }

    @Test func nullMissingAndInvalidValues() throws {
        try makeQueue().inDatabase { db in
            let null = try unwrap(Row.fetchOne(db, sql: "SELECT NULL"))
            expectNil(null[0] as Int?)
            expectError(RowDecodingError.self) { try null.decode(Int.self, atIndex: 0) }
            expectEqual(null[0] as DatabaseValue, DatabaseValue.null)

            let missing = try unwrap(Row.fetchOne(db, sql: "SELECT 'foo' AS foo"))
            expectNil(missing["missing"] as String?)
            expectError(RowDecodingError.self) {
                try missing.decode(String.self, forColumn: "missing")
            }
            expectTrue(missing.hasColumn("foo") && !missing.hasColumn("missing"))

            let invalid = try unwrap(Row.fetchOne(db, sql: "SELECT 'Mom’s birthday'"))
            expectEqual(invalid[0] as String, "Mom’s birthday")
            expectError(RowDecodingError.self) { try invalid.decode(Date?.self, atIndex: 0) }
            expectError(RowDecodingError.self) { try invalid.decode(Date.self, atIndex: 0) }

            let dbv: DatabaseValue = invalid[0]
            expectEqual(String.fromDatabaseValue(dbv), "Mom’s birthday")
            expectEqual(Int.fromDatabaseValue(dbv), nil)
            expectEqual(Date.fromDatabaseValue(dbv), nil)
            expectEqual(Date.fromDatabaseValue(invalid[0]), nil)
        }
    }

    @Test func databaseValues() throws {
        let row: Row = [
            "null": nil, "int": 1, "double": 1.5, "string": "x", "data": Data([1]), "bookCount": 2,
            "date": "2015-09-11 18:14:15.123",
        ]
        let isNull: DatabaseValue = row["null"]
        expectTrue(isNull.isNull)

        // All the five storage classes supported by SQLite:
        let storages = row.databaseValues.prefix(5).map { dbv in
            switch dbv.storage {
            case .null: "NULL"
            case .int64(let int64): "Int64: \(int64)"
            case .double(let double): "Double: \(double)"
            case .string(let string): "String: \(string)"
            case .blob(let data): "Data: \(data)"
            }
        }
        expectEqual(
            Array(storages),
            ["NULL", "Int64: 1", "Double: 1.5", "String: x", "Data: 1 bytes"])

        let dbv: DatabaseValue = row["bookCount"]
        expectEqual(Int.fromDatabaseValue(dbv), 2)
        expectEqual(Int64.fromDatabaseValue(dbv), 2)
        expectEqual(Bool.fromDatabaseValue(dbv), true)

        let date: DatabaseValue = row["date"]
        expectEqual(String.fromDatabaseValue(date), "2015-09-11 18:14:15.123")
        expectTrue(Date.fromDatabaseValue(date) != nil)
    }

    @Test func rowsAreCollections() throws {
        let literal: Row = ["name": "foo", "date": nil]
        var columns: [String] = []
        for (columnName, databaseValue) in literal {
            columns.append("\(columnName) \(databaseValue)")
        }
        expectEqual(columns, [#"name "foo""#, "date NULL"])
        expectEqual(Row(["name": "foo", "date": nil]).count, 2)
        expectEqual(Row(["name": "foo"] as [AnyHashable: Any]), ["name": "foo"])
        expectEqual(Row(["name": TestError()] as [AnyHashable: Any]), nil)

        try makeQueue().inDatabase { db in
            let row = try unwrap(Row.fetchOne(db, sql: "SELECT 1 AS foo, 2 AS foo"))
            expectEqual(Array(row.columnNames), ["foo", "foo"])
            expectEqual(Array(row.databaseValues), [1.databaseValue, 2.databaseValue])
            expectEqual(row["foo"] as Int, 1)  // leftmost matching column
            expectEqual(row.map { "\($0) \($1)" }, ["foo 1", "foo 2"])
        }
    }

    // MARK: - Value queries

    @Test func valueQueries() throws {
        let dbQueue = try makeQueue()
        try dbQueue.inDatabase { db in
            let sql = "SELECT color FROM wines WHERE id >= ?"
            try expectEqual(Int.fetchCursor(db, sql: sql, arguments: [2]).next(), 1)
            try expectEqual(Int.fetchAll(db, sql: sql, arguments: [1]), [0, 1])
            try expectEqual(Int.fetchOne(db, sql: sql, arguments: [3]), nil)

            // When database may contain NULL:
            let nulls = "SELECT NULL UNION ALL SELECT ?"
            try expectEqual(
                Array(Optional<Int>.fetchCursor(db, sql: nulls, arguments: [1])),
                [nil, 1])
            try expectEqual(Optional<Int>.fetchAll(db, sql: nulls, arguments: [1]), [nil, 1])
            let urls = try URL.fetchAll(db, sql: "SELECT url FROM wines")  // [URL]
            expectEqual(urls.map(\.host), ["github.com", "example.org"])
        }
        let personCount = try dbQueue.inDatabase { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM persons")!
        }
        expectEqual(personCount, 2)
    }
}
