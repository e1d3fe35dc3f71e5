import Foundation
import GRDB
import GRDBSQLite

// Records that encode and decode themselves: 50,000 rows of 14 mixed columns, 50,000 insertions of
// 4 columns, 50,000 fetches by key.

extension Mixed: FetchableRecord, TableRecord {
    static let databaseTableName = "mixed"

    init(row: Row) throws {
        id = row["id"]
        name = row["name"]
        email = row["email"]
        score = row["score"]
        rating = row["rating"]
        isActive = row["isActive"]
        city = row["city"]
        country = row["country"]
        visits = row["visits"]
        balance = row["balance"]
        note = row["note"]
        level = row["level"]
        token = row["token"]
        comment = row["comment"]
    }
}

private struct Player: PersistableRecord {
    static let databaseTableName = "player"

    var id: Int
    var name: String
    var score: Int
    var rating: Double

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
        container["score"] = score
        container["rating"] = rating
    }
}

func recordWorkloads() -> [Workload] {
    let memory = RawDatabase(path: ":memory:")
    let queue = try! DatabaseQueue()
    let table =
        "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER, rating REAL)"
    memory.execute(table)
    try! queue.write { try $0.execute(sql: table) }
    let names = (0..<50_000).map { "The name of player \($0)" }

    return [
        Workload(name: "fetchAll 50k x 14 columns, init(row:)", count: 50_000) {
            let s = raw.prepare("SELECT * FROM mixed")
            defer { sqlite3_finalize(s) }
            var records: [Mixed] = []
            while sqlite3_step(s) == SQLITE_ROW { records.append(rawMixed(s)) }
            return records.reduce(0) { $0 &+ $1.checksum }
        } library: {
            try dbQueue.read { db in
                try Mixed.fetchAll(db).reduce(0) { $0 &+ $1.checksum }
            }
        },
        Workload(name: "50k record.insert, 4 columns", count: 50_000) {
            memory.execute("DELETE FROM player")
            memory.execute("BEGIN IMMEDIATE")
            let s = memory.prepare("INSERT INTO player (id, name, score, rating) VALUES (?,?,?,?)")
            defer { sqlite3_finalize(s) }
            for (i, name) in names.enumerated() {
                sqlite3_bind_int64(s, 1, Int64(i))
                rawBind(s, 2, name)
                sqlite3_bind_int64(s, 3, Int64(i % 1000))
                sqlite3_bind_double(s, 4, Double(i) / 3)
                precondition(sqlite3_step(s) == SQLITE_DONE)
                sqlite3_reset(s)
            }
            memory.execute("COMMIT")
            return Int(sqlite3_last_insert_rowid(memory.handle))
        } library: {
            try queue.write { db in
                try Player.deleteAll(db)
                for (i, name) in names.enumerated() {
                    try Player(id: i, name: name, score: i % 1000, rating: Double(i) / 3)
                        .insert(db)
                }
                return Int(db.lastInsertedRowID)
            }
        },
        Workload(
            name: "50k fetchOne(key:) of 14 columns in one read", count: 50_000,
            twin: rawFetchesByKey
        ) {
            try dbQueue.read { db in
                var sum = 0
                for id in 1...50_000 {
                    sum &+= try Mixed.fetchOne(db, key: id)!.checksum
                }
                return sum
            }
        },
    ]
}

/// 50,000 rows of 14 columns, each by its key.
func rawFetchesByKey() -> Int {
    raw.execute("BEGIN")
    defer { raw.execute("COMMIT") }
    let s = raw.prepare("SELECT * FROM mixed WHERE id = ?")
    defer { sqlite3_finalize(s) }
    var sum = 0
    for id in 1...50_000 {
        sqlite3_bind_int64(s, 1, Int64(id))
        precondition(sqlite3_step(s) == SQLITE_ROW)
        sum &+= rawMixed(s).checksum
        sqlite3_reset(s)
    }
    return sum
}
