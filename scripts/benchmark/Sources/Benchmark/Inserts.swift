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

    let columns = (0..<10).map { "i\($0) INTEGER" }.joined(separator: ", ")
    let integerTable = "CREATE TABLE integers (\(columns))"
    memory.execute(integerTable)
    try! queue.write { try $0.execute(sql: integerTable) }
    let integerSQL = "INSERT INTO integers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

    func rawIntegerInserts() -> Int {
        memory.execute("DELETE FROM integers")
        memory.execute("BEGIN IMMEDIATE")
        let s = memory.prepare(integerSQL)
        defer { sqlite3_finalize(s) }
        for i in 0..<50_000 {
            for column in 0..<10 { sqlite3_bind_int64(s, CInt(column + 1), Int64(i + column)) }
            precondition(sqlite3_step(s) == SQLITE_DONE)
            sqlite3_reset(s)
        }
        memory.execute("COMMIT")
        return Int(sqlite3_last_insert_rowid(memory.handle))
    }

    return [
        Workload(name: "50k inserts of 10 integers, arguments", count: 50_000) {
            rawIntegerInserts()
        } library: {
            try queue.write { db in
                try db.execute(sql: "DELETE FROM integers")
                let statement = try db.makeStatement(sql: integerSQL)
                for i in 0..<50_000 {
                    try statement.execute(
                        arguments: [
                            i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7, i + 8, i + 9,
                        ])
                }
                return Int(db.lastInsertedRowID)
            }
        },
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
