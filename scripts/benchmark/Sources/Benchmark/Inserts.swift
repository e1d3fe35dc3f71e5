import Foundation
import GRDB
import GRDBSQLite

// 50,000 rows of 4 columns in one transaction, by one statement.

func insertWorkloads() -> [Workload] {
    let memory = RawDatabase(path: ":memory:")
    let queue = try! DatabaseQueue()
    let table =
        "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER, rating REAL)"
    memory.execute(table)
    try! queue.write { try $0.execute(sql: table) }
    let sql = "INSERT INTO player VALUES (?, ?, ?, ?)"
    let names = (0..<50_000).map { "The name of player \($0)" }

    func rawInserts() -> Int {
        memory.execute("DELETE FROM player")
        memory.execute("BEGIN IMMEDIATE")
        let s = memory.prepare(sql)
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
    }

    return [
        Workload(name: "50k inserts, reused statement, arguments", count: 50_000) {
            rawInserts()
        } library: {
            try queue.write { db in
                try db.execute(sql: "DELETE FROM player")
                let statement = try db.makeStatement(sql: sql)
                for (i, name) in names.enumerated() {
                    try statement.execute(arguments: [i, name, i % 1000, Double(i) / 3])
                }
                return Int(db.lastInsertedRowID)
            }
        },
        Workload(name: "50k inserts, reused statement, value pack", count: 50_000) {
            rawInserts()
        } library: {
            try queue.write { db in
                try db.execute(sql: "DELETE FROM player")
                let statement = try db.makeStatement(sql: sql)
                for (i, name) in names.enumerated() {
                    try statement.execute(values: i, name, i % 1000, Double(i) / 3)
                }
                return Int(db.lastInsertedRowID)
            }
        },
        Workload(name: "50k inserts, execute(sql:arguments:)", count: 50_000) {
            rawInserts()
        } library: {
            try queue.write { db in
                try db.execute(sql: "DELETE FROM player")
                for (i, name) in names.enumerated() {
                    try db.execute(sql: sql, arguments: [i, name, i % 1000, Double(i) / 3])
                }
                return Int(db.lastInsertedRowID)
            }
        },
    ]
}
