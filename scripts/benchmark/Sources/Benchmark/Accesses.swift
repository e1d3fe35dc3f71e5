import Foundation
import GRDB
import GRDBSQLite

// 100,000 point reads in one read, 100,000 empty reads, and 50,000 reads of one record.

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

    /// The transaction of each read.
    func rawTransactions(_ database: RawDatabase, _ count: Int, _ body: (Int) -> Void) {
        let begin = database.prepare("BEGIN DEFERRED TRANSACTION")
        let commit = database.prepare("COMMIT TRANSACTION")
        defer {
            sqlite3_finalize(begin)
            sqlite3_finalize(commit)
        }
        for index in 0..<count {
            sqlite3_step(begin)
            sqlite3_reset(begin)
            body(index)
            sqlite3_step(commit)
            sqlite3_reset(commit)
        }
    }

    func rawRecords(_ database: RawDatabase) -> Int {
        let s = database.prepare("SELECT * FROM mixed WHERE id = ?")
        defer { sqlite3_finalize(s) }
        var sum = 0
        rawTransactions(database, 50_000) { index in
            sqlite3_bind_int64(s, 1, Int64(index + 1))
            precondition(sqlite3_step(s) == SQLITE_ROW)
            sum &+= rawMixed(s).checksum
            sqlite3_reset(s)
        }
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
            rawTransactions(raw, 100_000) { _ in }
            return 0
        } library: {
            for _ in 0..<100_000 { try dbQueue.read { _ in } }
            return 0
        },
        Workload(name: "an empty pool.read, to one BEGIN and COMMIT", count: 100_000) {
            rawTransactions(rawBesidePool, 100_000) { _ in }
            return 0
        } library: {
            for _ in 0..<100_000 { try dbPool.read { _ in } }
            return 0
        },
        Workload(name: "one record by key in each queue.read", count: 50_000) {
            rawRecords(raw)
        } library: {
            var sum = 0
            for id in 1...50_000 {
                sum &+= try dbQueue.read { try Mixed.fetchOne($0, key: id)!.checksum }
            }
            return sum
        },
        Workload(name: "one record by key in each pool.read", count: 50_000) {
            rawRecords(rawBesidePool)
        } library: {
            var sum = 0
            for id in 1...50_000 {
                sum &+= try dbPool.read { try Mixed.fetchOne($0, key: id)!.checksum }
            }
            return sum
        },
    ]
}
