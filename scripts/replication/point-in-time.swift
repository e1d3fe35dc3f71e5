// The program that scripts/check-replication point-in-time runs. That script compiles it.
//
//   write FILE SOCKET JOURNAL N    commits to FILE, and N times notes in JOURNAL what it contains
//   read LIBRARY JOURNAL           reads the replica as it was at each line of JOURNAL, without a file

import GRDBServer
import GRDBTables
import Foundation
import GRDB

struct Instant {
    var time: String
    var count: Int
    var sum: Int

    init(time: String, count: Int, sum: Int) {
        (self.time, self.count, self.sum) = (time, count, sum)
    }

    init(line: Substring) {
        let fields = line.split(separator: "\t")
        self.init(time: String(fields[0]), count: Int(fields[1])!, sum: Int(fields[2])!)
    }
}

/// A sum that depends on all rows and their contents.
func content(_ db: Database) throws -> (count: Int, sum: Int) {
    let row = try Row.fetchOne(
        db,
        sql: """
            SELECT COUNT(*) AS "count", TOTAL((id * 31 + value * 7 + LENGTH(text)) % 1000003) AS "sum"
            FROM entry
            """)!
    return (row["count"], row["sum"])
}

func now() -> String {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    return formatter.string(from: Date())
}

func write(_ path: String, socket: String, journal: String, instants: Int) async throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    configuration.prepareDatabase { db in
        try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
    }
    let pool = try DatabasePool(path: path, configuration: configuration)
    try await pool.write { db in
        try db.create(table: "entry") { t in
            t.primaryKey("id", .integer)
            t.column("value", .integer).notNull()
            t.column("text", .text).notNull()
        }
    }
    var lines = ""
    for _ in 0..<instants {
        // Inserts, changes of old rows, and deletions: pages old and new.
        for _ in 1...Int.random(in: 1...10) {
            try await pool.write { db in
                for _ in 1...Int.random(in: 1...20) {
                    try db.execute(
                        sql: "INSERT INTO entry (value, text) VALUES (?, ?)",
                        arguments: [
                            Int.random(in: 0..<1_000_000),
                            String(repeating: "x", count: Int.random(in: 0..<500)),
                        ])
                }
                try db.execute(
                    sql: "UPDATE entry SET value = value + 1 WHERE id % 10 = ?",
                    arguments: [Int.random(in: 0..<10)])
                try db.execute(
                    sql: "DELETE FROM entry WHERE id % 50 = ?", arguments: [Int.random(in: 0..<50)])
            }
        }
        try await pool.waitForReplication(timeout: 20, socketPath: socket)
        // The times of files have milliseconds: the next one is later than this instant.
        try await Task.sleep(nanoseconds: 20_000_000)
        let (count, sum) = try await pool.read(content)
        lines += "\(now())\t\(count)\t\(sum)\n"
        try await Task.sleep(nanoseconds: 20_000_000)
    }
    try lines.write(toFile: journal, atomically: true, encoding: .utf8)
    try pool.close()
}

func read(_ library: String, journal: String) throws {
    let loader = try DatabaseQueue()
    try loader.write { try $0.loadExtension(at: library) }
    let instants = try String(contentsOfFile: journal, encoding: .utf8).split(separator: "\n")
        .map(Instant.init)
    // One connection that goes through the instants in random order, and a new one for each.
    var configuration = Configuration()
    configuration.readonly = true
    func compare(_ queue: DatabaseQueue, _ instant: Instant, _ name: String) throws {
        try queue.read { db in
            let (count, sum) = try content(db)
            guard count == instant.count, sum == instant.sum else {
                let txid = try String.fetchOne(db, sql: "PRAGMA litestream_txid") ?? "?"
                print(
                    "\(name) at \(instant.time) (\(txid)): \(count) rows, sum \(sum);",
                    "expected \(instant.count), sum \(instant.sum)")
                exit(1)
            }
        }
    }
    let start = Date()
    for instant in instants {
        var configuration = configuration
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA litestream_time = '\(instant.time)'")
        }
        let queue = try DatabaseQueue(
            path: "file:replica.sqlite?vfs=litestream", configuration: configuration)
        try compare(queue, instant, "a new connection")
        try queue.close()
    }
    let fresh = Date()
    let queue = try DatabaseQueue(
        path: "file:replica.sqlite?vfs=litestream", configuration: configuration)
    for instant in instants.shuffled() {
        try queue.inDatabase { db in
            try db.execute(sql: "PRAGMA litestream_time = '\(instant.time)'")
        }
        try compare(queue, instant, "a connection that stays")
    }
    let milliseconds = { (a: Date, b: Date) in
        Int(1000 * b.timeIntervalSince(a) / Double(instants.count))
    }
    print(
        "\(instants.count) instants: the content is that of the journal on a new connection",
        "(\(milliseconds(start, fresh)) ms each), and on one that stays",
        "(\(milliseconds(fresh, Date())) ms each)")
}

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "write" where arguments.count == 6:
    try await write(
        arguments[2], socket: arguments[3], journal: arguments[4], instants: Int(arguments[5])!)
case "read" where arguments.count == 4:
    try read(arguments[2], journal: arguments[3])
default:
    print("usage: point-in-time write FILE SOCKET JOURNAL N | read LIBRARY JOURNAL")
    exit(2)
}
