import Foundation
import GRDB
import GRDBSQLite

// 100,000 point reads in one read, and 100,000 empty reads.

func accessWorkloads() -> [Workload] {
    let sql = "SELECT name FROM mixed WHERE id = ?"

    func rawPointReads() -> Int {
        raw.execute("BEGIN DEFERRED")
        let s = raw.prepare(sql)
        defer { sqlite3_finalize(s) }
        var sum = 0
        for i in 0..<100_000 {
            sqlite3_bind_int64(s, 1, Int64(i % 50_000 + 1))
            if sqlite3_step(s) == SQLITE_ROW { sum &+= rawText(s, 0).utf8.count }
            sqlite3_reset(s)
        }
        raw.execute("COMMIT")
        return sum
    }

    return [
        Workload(name: "100k point reads, reused statement", count: 100_000) {
            rawPointReads()
        } library: {
            try dbQueue.read { db in
                let statement = try db.makeStatement(sql: sql)
                var sum = 0
                for i in 0..<100_000 {
                    let name = try String.fetchOne(statement, arguments: [i % 50_000 + 1])
                    sum &+= name?.utf8.count ?? 0
                }
                return sum
            }
        },
        Workload(name: "100k point reads, by SQL text", count: 100_000) {
            rawPointReads()
        } library: {
            try dbQueue.read { db in
                var sum = 0
                for i in 0..<100_000 {
                    let name = try String.fetchOne(db, sql: sql, arguments: [i % 50_000 + 1])
                    sum &+= name?.utf8.count ?? 0
                }
                return sum
            }
        },
        Workload(name: "an empty read, to one BEGIN and COMMIT", count: 100_000) {
            let begin = raw.prepare("BEGIN DEFERRED TRANSACTION")
            let commit = raw.prepare("COMMIT TRANSACTION")
            defer {
                sqlite3_finalize(begin)
                sqlite3_finalize(commit)
            }
            for _ in 0..<100_000 {
                sqlite3_step(begin)
                sqlite3_reset(begin)
                sqlite3_step(commit)
                sqlite3_reset(commit)
            }
            return 0
        } library: {
            for _ in 0..<100_000 { try dbQueue.read { _ in } }
            return 0
        },
    ]
}
