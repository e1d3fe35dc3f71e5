import Foundation
import GRDB
import GRDBSQLite

// 50,000 Codable records of 14 mixed columns.

private struct CodableMixed: Codable, FetchableRecord, PersistableRecord {
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

    static let databaseTableName = "mixed"

    init(number x: Int) {
        id = Int64(x)
        name = "Player \(x)"
        email = "player\(x)@example.com"
        score = x * 7 % 1000
        rating = Double(x) / 3
        isActive = x % 2 == 1
        city = x % 3 == 0 ? nil : "City \(x % 100)"
        country = "Country"
        visits = x % 50
        balance = Double(x) * 1.25
        note = x % 4 == 0 ? "A note about the player" : nil
        level = x % 5 == 0 ? nil : x % 9
        token = Data(repeating: UInt8(x % 256), count: 16)
        comment = "A comment that does not fit in a small string"
    }

    var checksum: Int {
        var sum = Int(id) &+ score &+ visits &+ Int(rating) &+ Int(balance) &+ (isActive ? 1 : 0)
        sum &+= name.utf8.count &+ email.utf8.count &+ country.utf8.count
        sum &+= (city?.utf8.count ?? 0) &+ (note?.utf8.count ?? 0) &+ (level ?? 0)
        return sum &+ token.count &+ comment.utf8.count
    }
}

func codingWorkloads() -> [Workload] {
    let memory = RawDatabase(path: ":memory:")
    let queue = try! DatabaseQueue()
    let table = """
        CREATE TABLE mixed (
            id INTEGER PRIMARY KEY, name TEXT, email TEXT, score INTEGER, rating REAL,
            isActive INTEGER, city TEXT, country TEXT, visits INTEGER, balance REAL, note TEXT,
            level INTEGER, token BLOB, comment TEXT)
        """
    memory.execute(table)
    try! queue.write { try $0.execute(sql: table) }
    let records = (1...50_000).map { CodableMixed(number: $0) }

    func rawInserts() -> Int {
        memory.execute("DELETE FROM mixed")
        memory.execute("BEGIN IMMEDIATE")
        let s = memory.prepare("INSERT INTO mixed VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
        defer { sqlite3_finalize(s) }
        func bind(_ value: String?, _ index: CInt) {
            if let value { rawBind(s, index, value) } else { sqlite3_bind_null(s, index) }
        }
        for record in records {
            sqlite3_bind_int64(s, 1, record.id)
            rawBind(s, 2, record.name)
            rawBind(s, 3, record.email)
            sqlite3_bind_int64(s, 4, Int64(record.score))
            sqlite3_bind_double(s, 5, record.rating)
            sqlite3_bind_int64(s, 6, record.isActive ? 1 : 0)
            bind(record.city, 7)
            rawBind(s, 8, record.country)
            sqlite3_bind_int64(s, 9, Int64(record.visits))
            sqlite3_bind_double(s, 10, record.balance)
            bind(record.note, 11)
            if let level = record.level {
                sqlite3_bind_int64(s, 12, Int64(level))
            } else {
                sqlite3_bind_null(s, 12)
            }
            record.token.withUnsafeBytes {
                _ = sqlite3_bind_blob64(s, 13, $0.baseAddress, UInt64($0.count), transient)
            }
            rawBind(s, 14, record.comment)
            precondition(sqlite3_step(s) == SQLITE_DONE)
            sqlite3_reset(s)
        }
        memory.execute("COMMIT")
        return Int(sqlite3_last_insert_rowid(memory.handle))
    }

    return [
        Workload(name: "50k Codable records of 14 columns, fetchCursor", count: 50_000) {
            let s = raw.prepare("SELECT * FROM mixed")
            defer { sqlite3_finalize(s) }
            var sum = 0
            while sqlite3_step(s) == SQLITE_ROW { sum &+= rawMixed(s).checksum }
            return sum
        } library: {
            try dbQueue.read { db in
                var sum = 0
                let records = try CodableMixed.fetchCursor(db, sql: "SELECT * FROM mixed")
                while let record = try records.next() { sum &+= record.checksum }
                return sum
            }
        },
        Workload(name: "50k Codable records of 14 columns, fetchAll", count: 50_000) {
            let s = raw.prepare("SELECT * FROM mixed")
            defer { sqlite3_finalize(s) }
            var records: [Mixed] = []
            while sqlite3_step(s) == SQLITE_ROW { records.append(rawMixed(s)) }
            return records.reduce(0) { $0 &+ $1.checksum }
        } library: {
            try dbQueue.read { db in
                try CodableMixed.fetchAll(db, sql: "SELECT * FROM mixed").reduce(0) {
                    $0 &+ $1.checksum
                }
            }
        },
        Workload(
            name: "50k Codable fetchOne(key:) of 14 columns in one read", count: 50_000,
            twin: rawFetchesByKey
        ) {
            try dbQueue.read { db in
                var sum = 0
                for id in 1...50_000 {
                    sum &+= try CodableMixed.fetchOne(db, key: id)!.checksum
                }
                return sum
            }
        },
        Workload(name: "50k Codable records of 14 columns, insert", count: 50_000) {
            rawInserts()
        } library: {
            try queue.write { db in
                try db.execute(sql: "DELETE FROM mixed")
                for record in records { try record.insert(db) }
                return Int(db.lastInsertedRowID)
            }
        },
    ]
}
