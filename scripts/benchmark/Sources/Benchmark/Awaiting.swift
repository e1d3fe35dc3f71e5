import Dispatch
import Foundation
import GRDB
import GRDBSQLite

// 20,000 reads of one value each that tasks wait for. What is measured is the CPU time of all
// threads; the twin reads on its own thread.

/// Waits for a task.
private func waiting(_ body: @escaping @Sendable () async throws -> Int) throws -> Int {
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var result: Result<Int, any Error>?
    Task {
        do { result = .success(try await body()) } catch { result = .failure(error) }
        done.signal()
    }
    done.wait()
    return try result!.get()
}

func awaitingWorkloads() -> [Workload] {
    let sql = "SELECT name FROM mixed WHERE id = ?"

    func rawReads(_ database: RawDatabase) -> Int {
        let begin = database.prepare("BEGIN DEFERRED TRANSACTION")
        let commit = database.prepare("COMMIT TRANSACTION")
        let s = database.prepare(sql)
        defer { for statement in [begin, commit, s] { sqlite3_finalize(statement) } }
        var sum = 0
        for id in 1...20_000 {
            sqlite3_step(begin)
            sqlite3_reset(begin)
            sqlite3_bind_int64(s, 1, Int64(id))
            precondition(sqlite3_step(s) == SQLITE_ROW)
            sum &+= rawText(s, 0).utf8.count
            sqlite3_reset(s)
            sqlite3_step(commit)
            sqlite3_reset(commit)
        }
        return sum
    }

    @Sendable func read(_ id: Int, _ reader: any DatabaseReader) async throws -> Int {
        try await reader.read { db in
            try String.fetchOne(db, sql: sql, arguments: [id])!.utf8.count
        }
    }

    return [
        Workload(name: "await queue.read of one row", count: 20_000) {
            rawReads(raw)
        } library: {
            try waiting {
                var sum = 0
                for id in 1...20_000 { sum &+= try await read(id, dbQueue) }
                return sum
            }
        },
        Workload(name: "await pool.read of one row", count: 20_000) {
            rawReads(rawBesidePool)
        } library: {
            try waiting {
                var sum = 0
                for id in 1...20_000 { sum &+= try await read(id, dbPool) }
                return sum
            }
        },
        Workload(name: "64 tasks that await pool.read", count: 20_000) {
            rawReads(rawBesidePool)
        } library: {
            try waiting {
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for task in 0..<64 {
                        group.addTask {
                            var sum = 0
                            for id in stride(from: task + 1, through: 20_000, by: 64) {
                                sum &+= try await read(id, dbPool)
                            }
                            return sum
                        }
                    }
                    return try await group.reduce(0, &+)
                }
            }
        },
    ]
}
