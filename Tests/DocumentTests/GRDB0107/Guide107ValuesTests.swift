import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The chapters "Values" and "Custom Value Types" of the 0.107 guide.
@Suite(.databases) struct Guide107ValuesTests {
    enum Color: Int {
        case red, white, rose
    }

    enum Grape: String {
        case chardonnay, merlot, riesling
    }

    @Test func argumentsAndColumns() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(sql: "CREATE TABLE links (url TEXT, verified BOOLEAN)")
            let url = URL(string: "https://example.org/a")!
            let verified = true
            try db.execute(
                sql: "INSERT INTO links (url, verified) VALUES (?, ?)",
                arguments: [url, verified])

            let rows = try Row.fetchCursor(db, sql: "SELECT * FROM links")
            while let row = try rows.next() {
                let fetchedURL: URL = row["url"]
                let fetchedVerified: Bool = row["verified"]
                expectTrue(fetchedURL == url && fetchedVerified)
            }
            let urls = try URL.fetchAll(db, sql: "SELECT url FROM links")  // [URL]
            expectEqual(urls, [url])
        }
    }

    final class Link: Record {
        var url: URL
        var isVerified: Bool

        init(url: URL, isVerified: Bool) {
            self.url = url
            self.isVerified = isVerified
            super.init()
        }

        override class var databaseTableName: String { "links" }

        required init(row: Row) throws {
            url = row["url"]
            isVerified = row["verified"]
            try super.init(row: row)
        }

        override func encode(to container: inout PersistenceContainer) {
            container["url"] = url
            container["verified"] = isVerified
        }
    }

    @Test func records() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(sql: "CREATE TABLE links (url TEXT PRIMARY KEY, verified BOOLEAN)")
            let url = URL(string: "https://example.org/a")!
            try Link(url: url, isVerified: true).insert(db)
            try expectEqual(
                Row.fetchAll(db, sql: "SELECT * FROM links"),
                [["url": "https://example.org/a", "verified": 1]])
            let link = try unwrap(Link.fetchOne(db, sql: "SELECT * FROM links"))
            expectTrue(link.url == url && link.isVerified)
        }
    }

    @Test func data() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            var sum = 0
            let rows = try Row.fetchCursor(
                db, sql: "SELECT x'0102' AS data UNION ALL SELECT x'03'")
            while let row = try rows.next() {
                let data: Data = row["data"]
                sum += data.count
                // Without copying the bytes:
                try row.withUnsafeData(named: "data") { (data: Data?) in
                    sum += 10 * (data?.count ?? 0)
                }
            }
            expectEqual(sum, 33)
        }
    }

    @Test func dates() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(sql: "CREATE TABLE persons (creationDate DATETIME)")
            let date = Date(timeIntervalSinceReferenceDate: 0)
            try db.execute(
                sql: "INSERT INTO persons (creationDate) VALUES (?)",
                arguments: [date])
            let row = try unwrap(Row.fetchOne(db, sql: "SELECT * FROM persons"))
            expectEqual(row, ["creationDate": "2001-01-01 00:00:00.000"])
            let creationDate: Date = row["creationDate"]
            expectEqual(creationDate, date)
            // Able to feed SQLite date & time functions
            try expectEqual(
                String.fetchOne(db, sql: "SELECT date(creationDate, '+1 day') FROM persons"),
                "2001-01-02")
            // Comparable with CURRENT_TIMESTAMP, which is a date, too
            try expectEqual(
                Bool.fetchOne(db, sql: "SELECT creationDate < CURRENT_TIMESTAMP FROM persons"), true
            )
            let now = try unwrap(Date.fetchOne(db, sql: "SELECT CURRENT_TIMESTAMP"))
            expectTrue(abs(now.timeIntervalSinceNow) < 600)
        }
    }

    @Test func dateComponents() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(sql: "CREATE TABLE persons (birthDate TEXT)")
            var components = DateComponents()
            components.year = 1973
            components.month = 9
            components.day = 18

            // Store "1973-09-18"
            let dbComponents = DatabaseDateComponents(components, format: .YMD)
            try db.execute(
                sql: "INSERT INTO persons (birthDate) VALUES (?)",
                arguments: [dbComponents])

            // Read "1973-09-18"
            let row = try unwrap(Row.fetchOne(db, sql: "SELECT birthDate FROM persons"))
            expectEqual(row, ["birthDate": "1973-09-18"])
            let fetched: DatabaseDateComponents = row["birthDate"]
            expectEqual(fetched.format, .YMD)
            expectEqual(fetched.dateComponents, components)
            let all = try DatabaseDateComponents.fetchAll(db, sql: "SELECT birthDate FROM persons")
            expectEqual(all.map(\.dateComponents), [components])
        }
    }

    @Test func decimals() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(sql: "CREATE TABLE transfers (amount DECIMAL(10,5))")
            try db.execute(sql: "INSERT INTO transfers (amount) VALUES (0.1)")
            try db.execute(sql: "INSERT INTO transfers (amount) VALUES (0.2)")
            // Yikes!
            try #expect(Double.fetchOne(db, sql: "SELECT SUM(amount) FROM transfers") != 0.3)

            try db.execute(sql: "DELETE FROM transfers")
            // Store
            let amount = NSDecimalNumber(string: "0.1")  // 0.1
            let integerAmount = amount.multiplying(byPowerOf10: 2).int64Value  // 10
            try db.execute(
                sql: "INSERT INTO transfers (amount) VALUES (?)", arguments: [integerAmount])
            // Read
            let sum = try unwrap(
                Int64.fetchOne(db, sql: "SELECT SUM(amount) FROM transfers"))
            expectEqual(NSDecimalNumber(value: sum).multiplying(byPowerOf10: -2), amount)
        }
    }

    @Test func uuids() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            let uuid = UUID()
            // GRDB stores uuids as 16-bytes data blobs.
            let row = try unwrap(
                Row.fetchOne(db, sql: "SELECT typeof(?1), length(?1), ?1", arguments: [uuid]))
            expectEqual(row[0], "blob")
            expectEqual(row[1], 16)
            expectEqual(row[2], uuid)
        }
    }

    @Test func enums() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(sql: "CREATE TABLE wines (grape TEXT, color INTEGER)")
            // Store
            try db.execute(
                sql: "INSERT INTO wines (grape, color) VALUES (?, ?)",
                arguments: [Grape.merlot, Color.red])

            // Read
            let rows = try Row.fetchCursor(db, sql: "SELECT * FROM wines")
            while let row = try rows.next() {
                let grape: Grape = row["grape"]
                let color: Color = row["color"]
                expectTrue(grape == .merlot && color == .red)
            }

            let row = try unwrap(Row.fetchOne(db, sql: "SELECT 'syrah'"))
            expectEqual(row[0] as String, "syrah")
            expectError(RowDecodingError.self) { try row.decode(Grape?.self, atIndex: 0) }
            expectError(RowDecodingError.self) { try row.decode(Grape.self, atIndex: 0) }
            expectEqual(Grape.fromDatabaseValue(row[0]), nil)
        }
    }
}

// Declare empty DatabaseValueConvertible adoption
extension Guide107ValuesTests.Color: DatabaseValueConvertible {}
extension Guide107ValuesTests.Grape: DatabaseValueConvertible {}
