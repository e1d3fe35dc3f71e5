// The program that scripts/check-replication replica and rsync run. They compile it.
//
//   write FILE SOCKET N      commits N transactions to FILE, each of which changes rows and their checksum,
//                            and waits until they are replicated, unless SOCKET is `-`
//   read FILE MODE SECONDS VERSION
//                            reads FILE until it has seen VERSION, the time is over or it gets SIGTERM;
//                            counts the reads whose content never was the content of the database.
//                            MODE is `fresh` (a queue for each read), `stay` (one queue), `pool` (one), or
//                            `replica` (one DatabaseReplica, which an observation watches, too)
//   stall FILE               reports when the follower of FILE stands still, and when it goes on

import GRDBServer
import Foundation
import GRDB

/// 64 bits that depend on a row.
func hash(_ id: Int64, _ value: Int64) -> Int64 {
    var x = UInt64(bitPattern: id) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(bitPattern: value)
    x = (x ^ (x >> 30)) &* 0xBF58_476D_1CE4_E5B9
    x = (x ^ (x >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int64(bitPattern: x ^ (x >> 31))
}

let window: Int64 = 500

func write(_ path: String, socket: String, transactions: Int64) async throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    configuration.prepareDatabase { db in
        try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
    }
    let pool = try DatabasePool(path: path, configuration: configuration)
    try await pool.write { db in
        if try db.tableExists("row") { return }
        // The rows are of all lengths: pages split and merge. The index has pages of its own.
        try db.execute(
            sql: """
                CREATE TABLE row (id INTEGER PRIMARY KEY, value INTEGER NOT NULL, text TEXT NOT NULL);
                CREATE INDEX rowOnValue ON row(value);
                CREATE TABLE state (version INTEGER NOT NULL, sum INTEGER NOT NULL, count INTEGER NOT NULL);
                INSERT INTO state VALUES (0, 0, 0);
                """)
    }
    var (version, sum, count): (Int64, Int64, Int64) = try await pool.read { db in
        let row = try Row.fetchOne(db, sql: "SELECT * FROM state")!
        return (row["version"], row["sum"], row["count"])
    }
    let start = Date()
    let last = version + transactions
    while version < last {
        version += 1
        let state = (version, sum, count)
        (sum, count) = try await pool.write { db in
            var (version, sum, count) = state
            let value = Int64.random(in: .min ... .max)
            let text = String(repeating: "x", count: Int.random(in: 0..<600))
            try db.execute(
                sql: "INSERT INTO row VALUES (?, ?, ?)", arguments: [version, value, text])
            sum &+= hash(version, value)
            count += 1
            for _ in 0..<3 {
                let id = Int64.random(in: max(1, version - window)...version)
                guard
                    let old = try Int64.fetchOne(
                        db, sql: "SELECT value FROM row WHERE id = ?", arguments: [id])
                else { continue }
                let new = Int64.random(in: .min ... .max)
                try db.execute(
                    sql: "UPDATE row SET value = ? WHERE id = ?", arguments: [new, id])
                sum = sum &- hash(id, old) &+ hash(id, new)
            }
            if version > window,
                let old = try Int64.fetchOne(
                    db, sql: "DELETE FROM row WHERE id = ? RETURNING value",
                    arguments: [version - window])
            {
                sum &-= hash(version - window, old)
                count -= 1
            }
            try db.execute(
                sql: "UPDATE state SET version = ?, sum = ?, count = ?",
                arguments: [version, sum, count])
            return (sum, count)
        }
    }
    if socket != "-" { try await pool.waitForReplication(timeout: 20, socketPath: socket) }
    print(
        "\(version) transactions, \(Int(Double(transactions) / -start.timeIntervalSinceNow)) per second"
    )
}

/// Returns the version that the content has, or nil if it never was the content of the database.
func check(_ db: Database) throws -> Int64? {
    guard let state = try Row.fetchOne(db, sql: "SELECT * FROM state") else { return nil }
    var (sum, count): (Int64, Int64) = (0, 0)
    let rows = try Row.fetchCursor(db, sql: "SELECT id, value FROM row")
    while let row = try rows.next() {
        sum &+= hash(row[0], row[1])
        count += 1
    }
    // The same rows, from the pages of the index.
    var (indexSum, indexCount): (Int64, Int64) = (0, 0)
    let entries = try Row.fetchCursor(
        db, sql: "SELECT id, value FROM row INDEXED BY rowOnValue WHERE value > 0 OR value <= 0")
    while let entry = try entries.next() {
        indexSum &+= hash(entry[0], entry[1])
        indexCount += 1
    }
    guard state["sum"] == sum, state["count"] == count, indexSum == sum, indexCount == count else {
        return nil
    }
    return state["version"]
}

/// What the reads have seen.
struct Tally {
    var reads = 0
    var mixed = 0
    var errors: [String: Int] = [:]
    var last: Int64 = -1
    var versions = 0
    var backwards = 0

    mutating func add(_ read: () throws -> Int64?) {
        reads += 1
        do {
            guard let version = try read() else {
                mixed += 1
                return
            }
            if version < last { backwards += 1 }
            if version != last { versions += 1 }
            last = version
        } catch {
            errors["\(error)", default: 0] += 1
        }
    }
}

/// What an observation has seen.
final class Observed: @unchecked Sendable {
    private let lock = NSLock()
    private var versions = 0
    private var mixed = 0
    private var error: (any Error)?

    func add(_ version: Int64?) {
        lock.withLock {
            versions += 1
            if version == nil { mixed += 1 }
        }
    }
    func fail(_ error: any Error) { lock.withLock { self.error = error } }

    var description: String {
        lock.withLock {
            "observation: \(versions) versions, \(mixed) mixed, 0 backwards, "
                + (error.map { "ended by \($0)" } ?? "0 errors")
        }
    }
}

func stall(_ path: String) throws {
    var settings = DatabaseReplica.Settings()
    settings.stallLimit = 2
    settings.onStall = { error in
        print("stalled: \(error)")
        fflush(nil)
    }
    let replica = try DatabaseReplica(path: path, settings: settings)
    let arrivals = replica.onArrival { status in
        print("arrived: \(status)")
        fflush(nil)
    }
    print("watching")
    fflush(nil)
    while !isStopped.load() { usleep(10_000) }
    arrivals.cancel()
    try replica.close()
}

func read(_ path: String, mode: String, seconds: Double, until version: Int64) throws {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(10)
    var tally = Tally()
    let end = Date(timeIntervalSinceNow: seconds)
    func repeatedly(_ read: () throws -> Int64?) {
        while Date() < end, tally.last < version, !isStopped.load() {
            tally.add(read)
            // Not at once: the writer of the file needs a lock.
            usleep(2_000)
        }
    }
    switch mode {
    case "stay":
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        repeatedly { try queue.read(check) }
    case "pool":
        let pool = try DatabasePool(path: path, configuration: configuration)
        repeatedly { try pool.read(check) }
    case "replica":
        let replica = try DatabaseReplica(path: path, configuration: configuration)
        let observed = Observed()
        let observation = ValueObservation.tracking(check).removeDuplicates()
        let cancellable = observation.start(
            in: replica, scheduling: .async(onQueue: DispatchQueue(label: "observation"))
        ) { error in
            observed.fail(error)
        } onChange: { version in
            observed.add(version)
        }
        repeatedly { try replica.read(check) }
        cancellable.cancel()
        print(observed.description)
    default:
        repeatedly {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            return try queue.read(check)
        }
    }
    print(
        "\(mode): \(tally.reads) reads, \(tally.versions) versions up to \(tally.last),",
        "\(tally.mixed) mixed, \(tally.backwards) backwards,",
        "\(tally.errors.values.reduce(0, +)) errors", tally.errors.keys.sorted().first ?? "")
}

/// Whether SIGTERM was received.
final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false

    func set() { lock.withLock { value = true } }
    func load() -> Bool { lock.withLock { value } }
}

let isStopped = Flag()
signal(SIGTERM, SIG_IGN)
let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
source.setEventHandler { isStopped.set() }
source.activate()

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "write" where arguments.count == 5:
    try await write(arguments[2], socket: arguments[3], transactions: Int64(arguments[4])!)
case "read" where arguments.count == 6:
    try read(
        arguments[2], mode: arguments[3], seconds: Double(arguments[4])!,
        until: Int64(arguments[5])!)
case "stall" where arguments.count == 3:
    try stall(arguments[2])
default:
    print("usage: replica write FILE SOCKET N | read FILE MODE SECONDS VERSION | stall FILE")
    exit(2)
}
