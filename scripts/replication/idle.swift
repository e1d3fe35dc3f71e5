// The program of scripts/check-replication idle.
//
//   watch FILE SECONDS   observes a table and the changes of other processes, and counts what wakes it: its
//                        own writes, one of another process, and nothing, for some seconds
//   write FILE [TABLE]   writes once; with the name of a table, into that table, and announces it

import GRDBChanges
import Foundation
import GRDB

let arguments = CommandLine.arguments
guard arguments.count >= 3 else {
    print("usage: idle watch FILE SECONDS | write FILE [TABLE]")
    exit(2)
}
var configuration = Configuration()
configuration.busyMode = .timeout(10)
let pool = try DatabasePool(path: arguments[2], configuration: configuration)
try pool.write { db in
    for table in ["t", "u"] where try !db.tableExists(table) {
        try db.execute(sql: "CREATE TABLE \(table) (id INTEGER PRIMARY KEY, a)")
    }
}
func insert(into table: String = "t") throws {
    try pool.write { try $0.execute(sql: "INSERT INTO \(table) (a) VALUES (1)") }
}

/// Counts across threads.
final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var value = 0
    var count: Int { lock.withLock { value } }
    func add() { lock.withLock { value += 1 } }
}

func cpuMilliseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int(time.tv_sec) * 1000 + Int(time.tv_nsec) / 1_000_000
}

func waitUntil(_ what: String, _ isTrue: () -> Bool) {
    for _ in 0..<1000 {
        if isTrue() { return }
        usleep(10_000)
    }
    fatalError("\(what): waited for 10 seconds")
}

switch arguments[1] {
case "write" where arguments.count == 4:
    let monitor = try ExternalChangeMonitor(pool, announcesTables: true)
    try insert(into: arguments[3])
    withExtendedLifetime(monitor) {}
case "write":
    try insert()
case "watch" where arguments.count == 4:
    let fetches = Counter()
    let last = Counter()
    let cancellable = ValueObservation.tracking { db in
        fetches.add()
        return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")!
    }.start(in: pool, scheduling: .async(onQueue: .global()), onError: { fatalError("\($0)") }) {
        while last.count < $0 { last.add() }
    }
    let wakes = Counter()
    let monitor = try ExternalChangeMonitor(pool, announcesTables: true)
    monitor.start(onChange: { _ in wakes.add() }, onError: { fatalError("\($0)") })

    for i in 1...20 {
        try insert()
        waitUntil("the own write") { last.count == i }
        usleep(100_000)
    }
    sleep(3)
    print("20 own writes: \(fetches.count) fetches, \(wakes.count) changes of other processes")

    let before = fetches.count
    func runProcess(_ options: [String] = []) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: arguments[0])
        process.arguments = ["write", arguments[2]] + options
        try process.run()
        process.waitUntilExit()
    }
    try runProcess()
    waitUntil("the write of another process") { last.count == 21 }
    sleep(2)
    print(
        "a write of another process: \(fetches.count - before) fetches,",
        "\(wakes.count) changes of other processes")

    let announced = fetches.count
    try runProcess(["u"])
    waitUntil("the write into another table") { wakes.count == 2 }
    sleep(2)
    let otherFetches = fetches.count - announced
    try runProcess(["t"])
    waitUntil("the announced write") { last.count == 22 }
    sleep(2)
    print(
        "announced writes: \(otherFetches) fetches for another table,",
        "\(fetches.count - announced - otherFetches) for this one,",
        "\(wakes.count) changes of other processes")

    let idle = (fetches.count, wakes.count, cpuMilliseconds())
    Thread.sleep(forTimeInterval: Double(arguments[3])!)
    print(
        "idle for \(arguments[3]) s: \(fetches.count - idle.0) fetches,",
        "\(wakes.count - idle.1) changes of other processes, \(cpuMilliseconds() - idle.2) ms of CPU time"
    )
    monitor.stop()
    cancellable.cancel()
    if wakes.count != 3 || otherFetches != 0 || fetches.count != idle.0 { exit(1) }
default:
    exit(2)
}
