import Foundation
import GRDB
import GRDBSQLite

// 200,000 rows of 10 integers, and 50,000 rows of 14 mixed columns.

func makeIntegers(_ raw: RawDatabase) {
    let names = (0..<10).map { "i\($0)" }
    raw.execute("CREATE TABLE integers (\(names.map { "\($0) INTEGER" }.joined(separator: ",")))")
    raw.execute(
        """
        INSERT INTO integers
        WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 200000)
        SELECT x, x+1, x+2, x+3, x+4, x+5, x+6, x+7, x+8, x+9 FROM n
        """)
}

struct Mixed {
    var id: Int64
    var name: String
    var email: String
    var score: Int
    var rating: Double
    var isActive: Bool
    var city: String?
    var country: String
    var visits: Int
    var balance: Double
    var note: String?
    var level: Int?
    var token: Data
    var comment: String

    var checksum: Int {
        var sum = Int(id) &+ score &+ visits &+ Int(rating) &+ Int(balance) &+ (isActive ? 1 : 0)
        sum &+= name.utf8.count &+ email.utf8.count &+ country.utf8.count
        sum &+= (city?.utf8.count ?? 0) &+ (note?.utf8.count ?? 0) &+ (level ?? 0)
        return sum &+ token.count &+ comment.utf8.count
    }
}

func makeMixed(_ raw: RawDatabase) {
    raw.execute(
        """
        CREATE TABLE mixed (
            id INTEGER PRIMARY KEY, name TEXT, email TEXT, score INTEGER, rating REAL,
            isActive INTEGER, city TEXT, country TEXT, visits INTEGER, balance REAL, note TEXT,
            level INTEGER, token BLOB, comment TEXT)
        """)
    raw.execute(
        """
        INSERT INTO mixed
        WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 50000)
        SELECT x, 'Player ' || x, 'player' || x || '@example.com', x * 7 % 1000, x / 3.0, x % 2,
            CASE x % 3 WHEN 0 THEN NULL ELSE 'City ' || x % 100 END, 'Country', x % 50, x * 1.25,
            CASE x % 4 WHEN 0 THEN 'A note about the player' END,
            CASE x % 5 WHEN 0 THEN NULL ELSE x % 9 END, randomblob(16),
            'A comment that does not fit in a small string'
        FROM n
        """)
}

private enum RawValue {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob(Data)
}

/// All values of all rows, as one would keep them without knowing the columns.
private func rawRows(_ sql: String) -> [[RawValue]] {
    let s = raw.prepare(sql)
    defer { sqlite3_finalize(s) }
    let count = sqlite3_column_count(s)
    var rows: [[RawValue]] = []
    while sqlite3_step(s) == SQLITE_ROW {
        var row: [RawValue] = []
        row.reserveCapacity(Int(count))
        for index in 0..<count {
            switch sqlite3_column_type(s, index) {
            case SQLITE_INTEGER: row.append(.integer(sqlite3_column_int64(s, index)))
            case SQLITE_FLOAT: row.append(.real(sqlite3_column_double(s, index)))
            case SQLITE_TEXT: row.append(.text(rawText(s, index)))
            case SQLITE_BLOB:
                let bytes = sqlite3_column_blob(s, index)
                let length = Int(sqlite3_column_bytes(s, index))
                row.append(.blob(bytes.map { Data(bytes: $0, count: length) } ?? Data()))
            default: row.append(.null)
            }
        }
        rows.append(row)
    }
    return rows
}

func rawMixed(_ s: OpaquePointer) -> Mixed {
    func optionalText(_ i: CInt) -> String? {
        sqlite3_column_type(s, i) == SQLITE_NULL ? nil : rawText(s, i)
    }
    let token = sqlite3_column_blob(s, 12)
    return Mixed(
        id: sqlite3_column_int64(s, 0), name: rawText(s, 1), email: rawText(s, 2),
        score: Int(sqlite3_column_int64(s, 3)), rating: sqlite3_column_double(s, 4),
        isActive: sqlite3_column_int64(s, 5) != 0, city: optionalText(6), country: rawText(s, 7),
        visits: Int(sqlite3_column_int64(s, 8)), balance: sqlite3_column_double(s, 9),
        note: optionalText(10),
        level: sqlite3_column_type(s, 11) == SQLITE_NULL ? nil : Int(sqlite3_column_int64(s, 11)),
        token: Data(bytes: token!, count: Int(sqlite3_column_bytes(s, 12))),
        comment: rawText(s, 13))
}

func scanWorkloads() -> [Workload] {
    func rawIntegers() -> Int {
        let s = raw.prepare("SELECT * FROM integers")
        defer { sqlite3_finalize(s) }
        var sum: Int64 = 0
        while sqlite3_step(s) == SQLITE_ROW {
            for i in CInt(0)..<10 { sum &+= sqlite3_column_int64(s, i) }
        }
        return Int(sum)
    }
    func rawMixedSum() -> Int {
        let s = raw.prepare("SELECT * FROM mixed")
        defer { sqlite3_finalize(s) }
        var sum = 0
        while sqlite3_step(s) == SQLITE_ROW { sum &+= rawMixed(s).checksum }
        return sum
    }
    return [
        Workload(name: "scan 200k x 10 integers, by position", count: 200_000) {
            rawIntegers()
        } library: {
            try dbQueue.read { db in
                var sum: Int64 = 0
                let rows = try Row.fetchCursor(db, sql: "SELECT * FROM integers")
                while let row = try rows.next() {
                    for i in 0..<10 { sum &+= row[i] as Int64 }
                }
                return Int(sum)
            }
        },
        Workload(name: "scan 200k x 10 integers, by name", count: 200_000) {
            rawIntegers()
        } library: {
            try dbQueue.read { db in
                var sum: Int64 = 0
                let rows = try Row.fetchCursor(db, sql: "SELECT * FROM integers")
                while let row = try rows.next() {
                    sum &+= row["i0"] as Int64
                    sum &+= row["i1"] as Int64
                    sum &+= row["i2"] as Int64
                    sum &+= row["i3"] as Int64
                    sum &+= row["i4"] as Int64
                    sum &+= row["i5"] as Int64
                    sum &+= row["i6"] as Int64
                    sum &+= row["i7"] as Int64
                    sum &+= row["i8"] as Int64
                    sum &+= row["i9"] as Int64
                }
                return Int(sum)
            }
        },
        Workload(name: "50k rows of 14 mixed columns, by name", count: 50_000) {
            rawMixedSum()
        } library: {
            try dbQueue.read { db in
                var sum = 0
                let rows = try Row.fetchCursor(db, sql: "SELECT * FROM mixed")
                while let row = try rows.next() {
                    let mixed = Mixed(
                        id: row["id"], name: row["name"], email: row["email"],
                        score: row["score"], rating: row["rating"], isActive: row["isActive"],
                        city: row["city"], country: row["country"], visits: row["visits"],
                        balance: row["balance"], note: row["note"], level: row["level"],
                        token: row["token"], comment: row["comment"])
                    sum &+= mixed.checksum
                }
                return sum
            }
        },
        Workload(name: "50k rows of 14 mixed columns, fetchAll, by name", count: 50_000) {
            rawMixedSum()
        } library: {
            try dbQueue.read { db in
                var sum = 0
                for row in try Row.fetchAll(db, sql: "SELECT * FROM mixed") {
                    let mixed = Mixed(
                        id: row["id"], name: row["name"], email: row["email"],
                        score: row["score"], rating: row["rating"], isActive: row["isActive"],
                        city: row["city"], country: row["country"], visits: row["visits"],
                        balance: row["balance"], note: row["note"], level: row["level"],
                        token: row["token"], comment: row["comment"])
                    sum &+= mixed.checksum
                }
                return sum
            }
        },
        Workload(name: "100k rows of 10 integers, Row.fetchAll", count: 100_000) {
            let rows = rawRows("SELECT * FROM integers LIMIT 100000")
            return rows.reduce(0) { $0 &+ $1.count }
        } library: {
            try dbQueue.read { db in
                let rows = try Row.fetchAll(db, sql: "SELECT * FROM integers LIMIT 100000")
                return rows.reduce(0) { $0 &+ $1.count }
            }
        },
        Workload(name: "50k rows of 14 mixed columns, Row.fetchAll", count: 50_000) {
            let rows = rawRows("SELECT * FROM mixed")
            return rows.reduce(0) { $0 &+ $1.count }
        } library: {
            try dbQueue.read { db in
                let rows = try Row.fetchAll(db, sql: "SELECT * FROM mixed")
                return rows.reduce(0) { $0 &+ $1.count }
            }
        },
        Workload(name: "200k integers, Int.fetchAll", count: 200_000) {
            let s = raw.prepare("SELECT i0 FROM integers")
            defer { sqlite3_finalize(s) }
            var values: [Int] = []
            while sqlite3_step(s) == SQLITE_ROW { values.append(Int(sqlite3_column_int64(s, 0))) }
            return values.reduce(0, &+)
        } library: {
            try dbQueue.read { db in
                try Int.fetchAll(db, sql: "SELECT i0 FROM integers").reduce(0, &+)
            }
        },
    ]
}
