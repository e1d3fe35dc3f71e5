import Foundation
import GRDB
import GRDBSQLite

// 50,000 rows of 14 columns, three of which are dates. The twin parses them by arithmetic, as one
// would by hand.

private struct Visit: Codable, FetchableRecord, TableRecord {
    static let databaseTableName = "visit"

    var id: Int64
    var name: String
    var email: String
    var birthday: Date
    var score: Int
    var rating: Double
    var isActive: Bool
    var city: String?
    var country: String
    var start: Date
    var end: Date?
    var level: Int?
    var balance: Double
    var comment: String

    var checksum: Int {
        var sum = Int(id) &+ score &+ Int(rating) &+ Int(balance) &+ (isActive ? 1 : 0)
        sum &+= name.utf8.count &+ email.utf8.count &+ country.utf8.count &+ comment.utf8.count
        sum &+= (city?.utf8.count ?? 0) &+ (level ?? 0)
        return sum &+ number(birthday) &+ number(start) &+ (end.map(number) ?? 0)
    }

    /// What one writes by hand.
    init(_ s: OpaquePointer) {
        id = sqlite3_column_int64(s, 0)
        name = rawText(s, 1)
        email = rawText(s, 2)
        birthday = rawDate(s, 3)
        score = Int(sqlite3_column_int64(s, 4))
        rating = sqlite3_column_double(s, 5)
        isActive = sqlite3_column_int64(s, 6) != 0
        city = sqlite3_column_type(s, 7) == SQLITE_NULL ? nil : rawText(s, 7)
        country = rawText(s, 8)
        start = rawDate(s, 9)
        end = sqlite3_column_type(s, 10) == SQLITE_NULL ? nil : rawDate(s, 10)
        level = sqlite3_column_type(s, 11) == SQLITE_NULL ? nil : Int(sqlite3_column_int64(s, 11))
        balance = sqlite3_column_double(s, 12)
        comment = rawText(s, 13)
    }
}

/// Decodes itself by the names of columns.
private struct NamedVisit: FetchableRecord {
    var id: Int64
    var name: String
    var email: String
    var birthday: Date
    var score: Int
    var rating: Double
    var isActive: Bool
    var city: String?
    var country: String
    var start: Date
    var end: Date?
    var level: Int?
    var balance: Double
    var comment: String

    init(row: Row) {
        id = row["id"]
        name = row["name"]
        email = row["email"]
        birthday = row["birthday"]
        score = row["score"]
        rating = row["rating"]
        isActive = row["isActive"]
        city = row["city"]
        country = row["country"]
        start = row["start"]
        end = row["end"]
        level = row["level"]
        balance = row["balance"]
        comment = row["comment"]
    }

    var checksum: Int {
        var sum = Int(id) &+ score &+ Int(rating) &+ Int(balance) &+ (isActive ? 1 : 0)
        sum &+= name.utf8.count &+ email.utf8.count &+ country.utf8.count &+ comment.utf8.count
        sum &+= (city?.utf8.count ?? 0) &+ (level ?? 0)
        return sum &+ number(birthday) &+ number(start) &+ (end.map(number) ?? 0)
    }
}

private struct TextVisit: Codable, FetchableRecord, TableRecord {
    static let databaseTableName = "visit"

    var id: Int64
    var name: String
    var email: String
    var birthday: String
    var score: Int
    var rating: Double
    var isActive: Bool
    var city: String?
    var country: String
    var start: String
    var end: String?
    var level: Int?
    var balance: Double
    var comment: String

    var checksum: Int {
        var sum = Int(id) &+ score &+ Int(rating) &+ Int(balance) &+ (isActive ? 1 : 0)
        sum &+= name.utf8.count &+ email.utf8.count &+ country.utf8.count &+ comment.utf8.count
        sum &+= (city?.utf8.count ?? 0) &+ (level ?? 0)
        return sum &+ number(birthday) &+ number(start) &+ (end.map(number) ?? 0)
    }

    /// What one writes by hand.
    init(_ s: OpaquePointer) {
        id = sqlite3_column_int64(s, 0)
        name = rawText(s, 1)
        email = rawText(s, 2)
        birthday = rawText(s, 3)
        score = Int(sqlite3_column_int64(s, 4))
        rating = sqlite3_column_double(s, 5)
        isActive = sqlite3_column_int64(s, 6) != 0
        city = sqlite3_column_type(s, 7) == SQLITE_NULL ? nil : rawText(s, 7)
        country = rawText(s, 8)
        start = rawText(s, 9)
        end = sqlite3_column_type(s, 10) == SQLITE_NULL ? nil : rawText(s, 10)
        level = sqlite3_column_type(s, 11) == SQLITE_NULL ? nil : Int(sqlite3_column_int64(s, 11))
        balance = sqlite3_column_double(s, 12)
        comment = rawText(s, 13)
    }
}

/// Decodes itself by the names of columns.
private struct NamedTextVisit: FetchableRecord {
    var id: Int64
    var name: String
    var email: String
    var birthday: String
    var score: Int
    var rating: Double
    var isActive: Bool
    var city: String?
    var country: String
    var start: String
    var end: String?
    var level: Int?
    var balance: Double
    var comment: String

    init(row: Row) {
        id = row["id"]
        name = row["name"]
        email = row["email"]
        birthday = row["birthday"]
        score = row["score"]
        rating = row["rating"]
        isActive = row["isActive"]
        city = row["city"]
        country = row["country"]
        start = row["start"]
        end = row["end"]
        level = row["level"]
        balance = row["balance"]
        comment = row["comment"]
    }

    var checksum: Int {
        var sum = Int(id) &+ score &+ Int(rating) &+ Int(balance) &+ (isActive ? 1 : 0)
        sum &+= name.utf8.count &+ email.utf8.count &+ country.utf8.count &+ comment.utf8.count
        sum &+= (city?.utf8.count ?? 0) &+ (level ?? 0)
        return sum &+ number(birthday) &+ number(start) &+ (end.map(number) ?? 0)
    }
}

private func number(_ date: Date) -> Int { Int((date.timeIntervalSince1970 * 1000).rounded()) }
private func number(_ text: String) -> Int { text.utf8.count }

/// Parses `YYYY-MM-DD HH:MM:SS.SSS`.
func rawDate(_ s: OpaquePointer, _ index: CInt) -> Date {
    let bytes = sqlite3_column_text(s, index)!
    func digits(_ start: Int, _ count: Int) -> Int {
        (start..<start + count).reduce(0) { $0 * 10 + Int(bytes[$1]) - 48 }
    }
    let month = digits(5, 2)
    let year = digits(0, 4) - (month <= 2 ? 1 : 0)
    let era = year / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + digits(8, 2) - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = era * 146_097 + dayOfEra - 719_468
    let seconds = days * 86_400 + digits(11, 2) * 3600 + digits(14, 2) * 60 + digits(17, 2)
    return Date(timeIntervalSince1970: Double(seconds) + Double(digits(20, 3)) / 1000)
}

func dateWorkloads() -> [Workload] {
    raw.execute(
        """
        CREATE TABLE visit (
            id INTEGER PRIMARY KEY, name TEXT, email TEXT, birthday TEXT, score INTEGER,
            rating REAL, isActive INTEGER, city TEXT, country TEXT, start TEXT, "end" TEXT,
            level INTEGER, balance REAL, comment TEXT);
        INSERT INTO visit
        WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 50000)
        SELECT x, 'Player ' || x, 'player' || x || '@example.com',
            strftime('%F %H:%M:%f', 600000000 + x * 10007, 'unixepoch'), x * 7 % 1000, x / 3.0,
            x % 2, CASE x % 3 WHEN 0 THEN NULL ELSE 'City ' || x % 100 END, 'Country',
            strftime('%F %H:%M:%f', 1700000000.25 + x * 61, 'unixepoch'),
            CASE x % 4 WHEN 0 THEN NULL
                ELSE strftime('%F %H:%M:%f', 1700000000.5 + x * 67, 'unixepoch') END,
            CASE x % 5 WHEN 0 THEN NULL ELSE x % 9 END, x * 1.25,
            'A comment that does not fit in a small string'
        FROM n
        """)
    func rawVisits() -> Int {
        let s = raw.prepare("SELECT * FROM visit")
        defer { sqlite3_finalize(s) }
        var visits: [Visit] = []
        while sqlite3_step(s) == SQLITE_ROW { visits.append(Visit(s)) }
        return visits.reduce(0) { $0 &+ $1.checksum }
    }
    func rawTextVisits() -> Int {
        let s = raw.prepare("SELECT * FROM visit")
        defer { sqlite3_finalize(s) }
        var visits: [TextVisit] = []
        while sqlite3_step(s) == SQLITE_ROW { visits.append(TextVisit(s)) }
        return visits.reduce(0) { $0 &+ $1.checksum }
    }
    return [
        Workload(
            name: "50k rows of 14 columns with dates, Codable", count: 50_000,
            twin: rawVisits
        ) {
            try dbQueue.read { db in
                try Visit.fetchAll(db).reduce(0) { $0 &+ $1.checksum }
            }
        },
        Workload(
            name: "50k rows of 14 columns, dates as text, Codable", count: 50_000,
            twin: rawTextVisits
        ) {
            try dbQueue.read { db in
                try TextVisit.fetchAll(db).reduce(0) { $0 &+ $1.checksum }
            }
        },
        Workload(
            name: "50k rows of 14 columns with dates, init(row:)", count: 50_000,
            twin: rawVisits
        ) {
            try dbQueue.read { db in
                try NamedVisit.fetchAll(db, sql: "SELECT * FROM visit")
                    .reduce(0) { $0 &+ $1.checksum }
            }
        },
        Workload(
            name: "50k rows of 14 columns, dates as text, init(row:)", count: 50_000,
            twin: rawTextVisits
        ) {
            try dbQueue.read { db in
                try NamedTextVisit.fetchAll(db, sql: "SELECT * FROM visit")
                    .reduce(0) { $0 &+ $1.checksum }
            }
        },
    ]
}
