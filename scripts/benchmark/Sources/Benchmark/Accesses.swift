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

    // Its file is the one that the workloads on pools open.
    _ = dbPool

    let memory = RawDatabase(path: ":memory:")
    let memoryQueue = try! DatabaseQueue()
    let players = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, score INTEGER);
        INSERT INTO player
        WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 10000)
        SELECT x, x FROM n
        """
    memory.execute(players)
    try! memoryQueue.write { try $0.execute(sql: players) }

    rawBesidePool.execute(players)

    func rawUpdates(_ database: RawDatabase) -> Int {
        let begin = database.prepare("BEGIN IMMEDIATE")
        let commit = database.prepare("COMMIT")
        let s = database.prepare("UPDATE player SET score = score + 1 WHERE id = ?")
        defer { for statement in [begin, commit, s] { sqlite3_finalize(statement) } }
        for id in 1...10_000 {
            sqlite3_step(begin)
            sqlite3_reset(begin)
            sqlite3_bind_int64(s, 1, Int64(id))
            precondition(sqlite3_step(s) == SQLITE_DONE)
            sqlite3_reset(s)
            sqlite3_step(commit)
            sqlite3_reset(commit)
        }
        return 0
    }

    func updates(_ writer: some DatabaseWriter) throws -> Int {
        for id in 1...10_000 {
            try writer.write { db in
                try db.execute(
                    sql: "UPDATE player SET score = score + 1 WHERE id = ?", arguments: [id])
            }
        }
        return 0
    }

    func rawConnections(_ path: String) -> Int {
        var sum = 0
        for _ in 0..<1000 {
            let database = RawDatabase(path: path)
            let s = database.prepare("SELECT 1 FROM mixed")
            precondition(sqlite3_step(s) == SQLITE_ROW)
            sum += Int(sqlite3_column_int64(s, 0))
            sqlite3_finalize(s)
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
        Workload(name: "20k records by key in one unsafeRead", count: 20_000) {
            let s = raw.prepare("SELECT * FROM mixed WHERE id = ?")
            defer { sqlite3_finalize(s) }
            var sum = 0
            for id in 1...20_000 {
                sqlite3_bind_int64(s, 1, Int64(id))
                precondition(sqlite3_step(s) == SQLITE_ROW)
                sum &+= rawMixed(s).checksum
                sqlite3_reset(s)
            }
            return sum
        } library: {
            try dbQueue.unsafeRead { db in
                var sum = 0
                for id in 1...20_000 {
                    sum &+= try Mixed.fetchOne(db, key: id)!.checksum
                }
                return sum
            }
        },
        Workload(name: "10k pool.write with one update each", count: 10_000) {
            rawUpdates(rawBesidePool)
        } library: {
            try updates(dbPool)
        },
        Workload(name: "10k queue.write with one update each, in memory", count: 10_000) {
            rawUpdates(memory)
        } library: {
            try updates(memoryQueue)
        },
        Workload(name: "1k times open, query, close: queue", count: 1000) {
            rawConnections(path)
        } library: {
            var sum = 0
            for _ in 0..<1000 {
                let queue = try DatabaseQueue(path: path)
                sum += try queue.read { try Int.fetchOne($0, sql: "SELECT 1 FROM mixed")! }
                try queue.close()
            }
            return sum
        },
        Workload(name: "1k times open, query, close: pool", count: 1000) {
            // The pool makes the file.
            withExtendedLifetime(dbPool) { rawConnections(poolPath) }
        } library: {
            var sum = 0
            for _ in 0..<1000 {
                let pool = try DatabasePool(path: poolPath)
                sum += try pool.read { try Int.fetchOne($0, sql: "SELECT 1 FROM mixed")! }
                try pool.close()
            }
            return sum
        },
        Workload(name: "an empty read, to one BEGIN and COMMIT", count: 100_000) {
            rawTransactions(raw, 100_000) { _ in }
            return 0
        } library: {
            for _ in 0..<100_000 { try dbQueue.read { _ in } }
            return 0
        },
        // A pool reads what stood in the file when the access began: its transaction has begun.
        Workload(name: "an empty pool.read, to BEGIN, a first read and COMMIT", count: 100_000) {
            let s = rawBesidePool.prepare("SELECT rootpage FROM sqlite_master LIMIT 1")
            defer { sqlite3_finalize(s) }
            rawTransactions(rawBesidePool, 100_000) { _ in
                sqlite3_step(s)
                sqlite3_reset(s)
            }
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
