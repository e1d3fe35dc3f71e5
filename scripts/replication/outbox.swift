// The program that scripts/check-replication outbox kills. That script compiles it.
//
//   work FILE RECEIVED     writes to FILE and receives what its outbox holds, until it is killed; adds
//                          each entry to RECEIVED, as a line of JSON, before it acknowledges it
//   verify FILE RECEIVED   receives what is left, and compares the entries with FILE

import GRDBChanges
import Foundation
import GRDB

func open(_ path: String) throws -> (DatabasePool, DatabaseOutbox) {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    let pool = try DatabasePool(path: path, configuration: configuration)
    try pool.write { db in
        try db.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS item (
                    id INTEGER PRIMARY KEY, number INTEGER NOT NULL, text TEXT NOT NULL);
                CREATE TABLE IF NOT EXISTS counter (number INTEGER NOT NULL);
                INSERT INTO counter SELECT 0 WHERE NOT EXISTS (SELECT * FROM counter)
                """)
    }
    let outbox = try pool.outbox(
        named: "test", tables: ["item"], limit: .refuse(highWaterMark: 100_000))
    return (pool, outbox)
}

/// Changes some rows in a transaction. The number of each change is greater than that of all earlier ones.
func change(_ pool: DatabasePool) async throws {
    try await pool.write { db in
        var number = try Int.fetchOne(db, sql: "SELECT number FROM counter")!
        for _ in 1...Int.random(in: 1...5) {
            number += 1
            let id = Int.random(in: 1...50)
            if Int.random(in: 0..<5) == 0 {
                // The deletion has no number of its own: the update before it has.
                try db.execute(
                    sql: "UPDATE item SET number = ? WHERE id = ?; DELETE FROM item WHERE id = ?",
                    arguments: [number, id, id])
            } else {
                try db.execute(
                    sql: """
                        INSERT INTO item VALUES (?, ?, ?)
                        ON CONFLICT DO UPDATE SET number = excluded.number, text = excluded.text
                        """,
                    arguments: [id, number, String(repeating: "x", count: Int.random(in: 0..<300))])
            }
        }
        try db.execute(sql: "UPDATE counter SET number = ?", arguments: [number])
        // Nothing of this may arrive.
        try? db.inSavepoint {
            try db.execute(sql: "UPDATE item SET number = -1")
            return .rollback
        }
    }
}

/// A line for each entry.
final class Receiver {
    private let file: FileHandle

    /// Removes what a killed process has left of a line: a signal may end a write between two pages. The
    /// entry was not acknowledged, and arrives again.
    init(_ path: String) throws {
        if !FileManager.default.fileExists(atPath: path) {
            try Data().write(to: URL(fileURLWithPath: path))
        }
        file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        let end = try file.seekToEnd()
        let start = end - min(end, 65_536)
        try file.seek(toOffset: start)
        let tail = try file.readToEnd() ?? Data()
        let newline = UInt8(ascii: "\n")
        let length = tail.lastIndex(of: newline).map {
            tail.distance(from: tail.startIndex, to: $0) + 1
        }
        try file.truncate(atOffset: start + UInt64(length ?? 0))
        try file.seekToEnd()
    }

    func add(_ entry: OutboxEntry) throws {
        try file.write(contentsOf: Data((entry.json + "\n").utf8))
    }
}

func work(_ path: String, received: String) async throws {
    let (pool, outbox) = try open(path)
    let receiver = try Receiver(received)
    print("ready")
    fflush(nil)
    let writer = Task {
        while true {
            try await change(pool)
            // Receiving takes longer. An outbox that grows from kill to kill would have each process read
            // what former ones have read.
            while try await pool.read({ try outbox.pendingCount($0) }) > 500 {
                try await Task.sleep(nanoseconds: 1_000_000)
            }
        }
    }
    for try await entry in outbox.entries(batchSize: 20) {
        try receiver.add(entry)
        if entry.position % 3 == 0 { try await outbox.acknowledge(entry) }
    }
    try await writer.value
}

struct Item: Codable, Hashable, FetchableRecord {
    var id: Int
    var number: Int
    var text: String
}

struct Entry: Decodable, Hashable {
    var position: Int
    var transaction: Int
    var kind: String
    var old: Item?
    var new: Item?
}

func verify(_ path: String, received: String) async throws {
    let (pool, outbox) = try open(path)
    let receiver = try Receiver(received)
    var left = try await pool.read { try outbox.pendingEntries($0, limit: 1_000_000) }
    for entry in left { try receiver.add(entry) }
    left = []

    var entries: [Int: Entry] = [:]
    var content: [Int: Item] = [:]
    var last = 0
    var lastNumber = 0
    var repeated = 0
    let decoder = JSONDecoder()
    for line in try String(contentsOfFile: received, encoding: .utf8).split(separator: "\n") {
        guard let entry = try? decoder.decode(Entry.self, from: Data(line.utf8)) else {
            fatalError("\(line) after position \(last)")
        }
        if let known = entries[entry.position] {
            repeated += 1
            guard known == entry else { fatalError("\(entry) was \(known)") }
            continue
        }
        guard entry.position == last + 1 else { fatalError("\(entry) follows position \(last)") }
        last = entry.position
        entries[entry.position] = entry
        if let number = entry.new?.number {
            guard number > lastNumber else { fatalError("\(entry) follows number \(lastNumber)") }
            lastNumber = number
        }
        // The entries describe the changes: the row before is that of the entries before.
        if let old = entry.old {
            guard content[old.id] == old else { fatalError("\(entry): not \(content[old.id]!)") }
            content[old.id] = nil
        }
        if let new = entry.new {
            guard content[new.id] == nil else { fatalError("\(entry): \(content[new.id]!)") }
            content[new.id] = new
        }
    }
    let rows = try await pool.read { try Item.fetchAll($0, sql: "SELECT * FROM item") }
    guard Set(rows) == Set(content.values) else { fatalError("the entries are not all changes") }
    let transactions = Set(entries.values.map(\.transaction)).count
    print(
        "\(entries.count) changes in \(transactions) transactions: 0 lost, 0 out of order,",
        "\(repeated) received again; the changes lead to the rows of the table")
}

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "work" where arguments.count == 4:
    try await work(arguments[2], received: arguments[3])
case "verify" where arguments.count == 4:
    try await verify(arguments[2], received: arguments[3])
default:
    print("usage: outbox work|verify FILE RECEIVED")
    exit(2)
}
