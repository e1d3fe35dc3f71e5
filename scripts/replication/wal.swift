// The program that scripts/check-replication wal runs. That script compiles it.
//
//   wal FILE MEGABYTES    fills the WAL against a read that does not end, then against a limited one

import GRDBServer
import Foundation
import GRDB

func megabytes(_ count: Int) -> String { "\(count / 1_000_000) MB" }

func check(_ condition: Bool, _ message: String, line: UInt = #line) {
    if condition { return }
    FileHandle.standardError.write(Data("run-wal: line \(line): not \(message)\n".utf8))
    exit(1)
}

func makeConfiguration() -> Configuration {
    var configuration = Configuration()
    configuration.metricsCollector = DatabaseMetricsCollector()
    return configuration
}

func fill(_ pool: DatabasePool, until byteCount: Int) throws -> Double {
    let start = Date()
    while pool.metrics.walByteCount < byteCount {
        try pool.write { db in
            for _ in 0..<20 {
                try db.execute(sql: "INSERT INTO blob (content) VALUES (randomblob(100000))")
            }
            // The file stays small: what grows is the log.
            try db.execute(sql: "DELETE FROM blob WHERE id <= (SELECT MAX(id) FROM blob) - 100")
        }
    }
    return -start.timeIntervalSinceNow
}

let arguments = CommandLine.arguments
guard arguments.count == 3, let size = Int(arguments[2]) else {
    print("usage: wal FILE MEGABYTES")
    exit(2)
}
let path = arguments[1]
let limit = size * 1_000_000

Database.logError = { code, message in print("log: \(code): \(message)") }
do {
    let pool = try DatabasePool(path: path, configuration: makeConfiguration())
    try pool.write { db in
        try db.execute(sql: "CREATE TABLE blob (id INTEGER PRIMARY KEY, content BLOB)")
        try db.execute(sql: "INSERT INTO blob (content) VALUES (x'00')")
    }
    var settings = DatabaseMaintenance.Settings()
    settings.checkpointInterval = nil
    let maintenance = try DatabaseMaintenance(pool, settings: settings)

    // The read that is stuck.
    let isInRead = DispatchSemaphore(value: 0)
    let mayEnd = DispatchSemaphore(value: 0)
    let didEnd = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        try! pool.read(label: "monthly report") { db in
            _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM blob")
            isInRead.signal()
            mayEnd.wait()
        }
        didEnd.signal()
    }
    isInRead.wait()
    let time = try fill(pool, until: limit)
    let report = try maintenance.checkpoint()
    check(report.isBlocked, "blocked")
    check(report.oldestRead?.label?.name == "monthly report", "the name of the read")
    check(report.walByteCount >= limit, "the WAL of \(limit) bytes")
    print(
        "The WAL has \(megabytes(report.walByteCount)) after \(String(format: "%.1f", time)) s;",
        "it is held by: \(report.oldestRead.map { "\($0)" } ?? "nobody known")")
    mayEnd.signal()
    didEnd.wait()
    let start = Date()
    let after = try maintenance.checkpoint()
    check(!after.isBlocked && after.walByteCount == 0, "an empty WAL: \(after)")
    print(
        "The read has ended: a checkpoint of \(Int(-1000 * start.timeIntervalSinceNow)) ms leaves",
        "\(megabytes(after.walByteCount)), and a file of",
        megabytes((try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0))
    try pool.close()
}

do {
    // The same, with a limit: the read ends with an error, and the WAL stays small.
    var configuration = makeConfiguration()
    configuration.maximumReadDuration = 1
    let pool = try DatabasePool(path: path, configuration: configuration)
    var settings = DatabaseMaintenance.Settings()
    settings.checkpointInterval = 0.2
    let maintenance = try DatabaseMaintenance(pool, settings: settings)
    maintenance.start()
    let didEnd = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var error: (any Error)?
    let start = Date()
    Thread.detachNewThread {
        do {
            _ = try pool.read(label: "monthly report") { db in
                try Int.fetchOne(
                    db,
                    sql: """
                        WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n)
                        SELECT SUM(n) FROM n, blob
                        """)
            }
        } catch let failure {
            error = failure
        }
        didEnd.signal()
    }
    var most = 0
    var written = 0
    while written < limit {
        try pool.write { db in
            for _ in 0..<20 {
                try db.execute(sql: "INSERT INTO blob (content) VALUES (randomblob(100000))")
            }
            try db.execute(sql: "DELETE FROM blob WHERE id <= (SELECT MAX(id) FROM blob) - 100")
        }
        written += 2_000_000
        most = max(most, pool.metrics.walByteCount)
    }
    didEnd.wait()
    check(error != nil, "an error")
    print("The limited read ends by: \(error.map { "\($0)" } ?? "")")
    print(
        "\(megabytes(written)) are written in",
        "\(String(format: "%.1f", -start.timeIntervalSinceNow)) s; the WAL has \(megabytes(most)) at most"
    )
    maintenance.stop()
    try pool.close()
}
