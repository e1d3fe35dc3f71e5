// Durable commits of many tasks: each waits for the disk, or all that wait do so together.

import Foundation
import GRDB
import GRDBServer
import GRDBSQLite

private let commitCount = 3_200
private let taskCount = 64

/// Prints how many transactions of one insert are committed in a second of elapsed time.
func printCommits(in folder: URL) throws {
    print("durable commits of one insert in WAL mode, in a second")
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    let pool = try DatabasePool(
        path: folder.appendingPathComponent("commits.sqlite").path, configuration: configuration)
    try pool.write { try $0.execute(sql: "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)") }

    let raw = seconds {
        pool.writeWithoutTransaction { db in
            let connection = db.sqliteConnection!
            let statements = ["BEGIN IMMEDIATE", "INSERT INTO t (b) VALUES ('text')", "COMMIT"]
                .map { sql in
                    var statement: OpaquePointer?
                    precondition(
                        sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK)
                    return statement
                }
            defer { for statement in statements { sqlite3_finalize(statement) } }
            for _ in 0..<commitCount {
                for statement in statements {
                    precondition(sqlite3_step(statement) == SQLITE_DONE)
                    sqlite3_reset(statement)
                }
            }
        }
    }
    report("C, one after the other", raw)
    report(
        "\(taskCount) tasks, write",
        try seconds { try runTasks { try await pool.write(insert) } })
    report(
        "\(taskCount) tasks, batchedWrite",
        try seconds { try runTasks { try await pool.batchedWrite(insert) } })
    let count = try pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t")! }
    precondition(count == 3 * commitCount)
}

@Sendable private func insert(_ db: Database) throws {
    try db.execute(sql: "INSERT INTO t (b) VALUES ('text')")
}

private func runTasks(_ body: @escaping @Sendable () async throws -> Void) throws {
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var failure: (any Error)?
    Task {
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<taskCount {
                    group.addTask {
                        for _ in 0..<commitCount / taskCount { try await body() }
                    }
                }
                try await group.waitForAll()
            }
        } catch {
            failure = error
        }
        done.signal()
    }
    done.wait()
    if let failure { throw failure }
}

private func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = DispatchTime.now().uptimeNanoseconds
    try body()
    return Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
}

private func report(_ name: String, _ seconds: Double) {
    print("  \(name)".padded(to: 32), Int(Double(commitCount) / seconds))
}
