// Page caches of several sizes, memory-mapped files, and two readers at once, on a file of 1 GB.

import Dispatch
import Foundation
import GRDB

private let rowCount = 1_000_000
private let readCount = 200_000

/// Prints how long reads take, in elapsed and in CPU time. The system keeps the file in memory.
///
/// Readers that shared a lock or a cache would take more CPU time per read when two read at once.
func printCaches(in folder: URL) throws {
    print("reads of a file of 1 GB")
    let path = folder.appendingPathComponent("caches.sqlite").path
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { db in
        try db.execute(
            sql: """
                PRAGMA journal_mode = WAL;
                PRAGMA synchronous = OFF;
                CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT);
                """)
        try db.inTransaction {
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (?, ?)")
            let text = String(repeating: "x", count: 1_000)
            for id in 0..<rowCount { try statement.execute(values: id, text) }
            return .commit
        }
    }
    try queue.close()
    // One key after the other, far apart.
    for (name, setting) in [
        ("cache of 2 MB", "cache_size = -2000"), ("cache of 8 MB", "cache_size = -8000"),
        ("cache of 16 MB", "cache_size = -16000"), ("cache of 64 MB", "cache_size = -64000"),
        ("cache of 2 MB, mapped file", "mmap_size = 2000000000"),
    ] {
        var configuration = Configuration()
        configuration.maximumReaderCount = 2
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA \(setting)") }
        let pool = try DatabasePool(path: path, configuration: configuration)
        print(name)
        for (part, rows) in [
            ("1 % of the rows", rowCount / 100), ("5 %", rowCount / 20), ("all rows", rowCount),
        ] {
            let read: @Sendable (Database) throws -> Void = { db in
                let statement = try db.cachedStatement(
                    sql: "SELECT length(text) FROM t WHERE id = ?")
                var key = 1
                for _ in 0..<readCount {
                    key = (key &* 16_807) % 2_147_483_647
                    _ = try Int.fetchOne(statement, arguments: [key % rows])
                }
            }
            try pool.read(read)
            report("  random reads of \(part)", try measure { try pool.read(read) }, readCount)
            if rows < rowCount { continue }
            let together = measure {
                DispatchQueue.concurrentPerform(iterations: 2) { _ in try! pool.read(read) }
            }
            report("  the same by two readers at once", together, 2 * readCount)
        }
        report(
            "  scan",
            try measure {
                _ = try pool.read { try Int.fetchOne($0, sql: "SELECT SUM(length(text)) FROM t") }
            }, rowCount)
        try pool.close()
    }
}

private func report(_ name: String, _ times: (elapsed: Double, cpu: Double), _ count: Int) {
    func each(_ seconds: Double) -> String { "\(Int(seconds / Double(count) * 1e9)) ns each" }
    print(name.padded(to: 40), each(times.elapsed).padded(to: 18), "CPU", each(times.cpu))
}

private func measure(_ body: () throws -> Void) rethrows -> (elapsed: Double, cpu: Double) {
    let start = DispatchTime.now().uptimeNanoseconds
    let cpu = try cpuTime(body)
    return (Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9, cpu)
}
