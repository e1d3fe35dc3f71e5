import GRDBServer
import Foundation
import GRDB

// interleavings SEED COUNT FOLDER
//
// Each seed starts reads, writes, barriers, batched writes and snapshots on a pool, as tasks and as callbacks,
// whose bodies wait at gates, and chooses which one goes on, is cancelled, or whether the pool closes.
// Whatever order the queues choose, these must hold:
//
// - one write at a time, and no read beside a barrier,
// - a read sees one commit, which is not older than the read,
// - what succeeds is committed in whole, what fails or is cancelled leaves nothing,
// - a snapshot sees what it has seen first,
// - as long as connections are free, someone goes on, and all end.

private final class Gated: @unchecked Sendable {
    enum Kind: CaseIterable {
        case taskRead, callbackRead, taskWrite, callbackWrite, batchedWrite, barrier,
            callbackBarrier, snapshotRead

        var isRead: Bool { self == .taskRead || self == .callbackRead }
        var isBarrier: Bool { self == .barrier || self == .callbackBarrier }
        var isWrite: Bool { !isRead && self != .snapshotRead }
        var isTask: Bool {
            self == .taskRead || self == .taskWrite || self == .batchedWrite || self == .barrier
        }
    }

    let kind: Kind
    let number: Int
    let gate = DispatchSemaphore(value: 0)
    var isOpen = false
    var isCancelled = false
    var throwsError = false
    /// The number of commits when it was asked for.
    let floor: Int
    var task: Task<Void, Never>?
    // Guarded by the lock of the simulation.
    var hasBegun = false
    var hasLeft = false
    var result: String?

    init(_ kind: Kind, number: Int, floor: Int) {
        self.kind = kind
        self.number = number
        self.floor = floor
    }
}

private struct Stop: Error {}

private final class Simulation: @unchecked Sendable {
    private let pool: DatabasePool
    private var random: ModelRandom
    private let condition = NSCondition()
    private var accesses: [Gated] = []
    private var running: [Gated] = []
    private var faults: [String] = []
    private var commitCount = 0
    private var events = 0
    private var snapshot: (reader: DatabaseSnapshotPool, count: Int)?
    private var isClosing = false

    init(seed: UInt64, path: String) throws {
        random = ModelRandom(seed: seed)
        var configuration = Configuration()
        configuration.maximumReaderCount = Int.random(in: 1...3, using: &random)
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
        pool = try DatabasePool(path: path, configuration: configuration)
        try pool.write {
            try $0.execute(sql: "CREATE TABLE t(number INTEGER PRIMARY KEY, part INTEGER)")
        }
    }

    private func fault(_ text: String) { faults.append(text) }

    // MARK: - Bodies

    private func begin(_ access: Gated) {
        condition.lock()
        access.hasBegun = true
        events += 1
        if access.kind.isWrite, let other = running.first(where: { $0.kind.isWrite }) {
            fault("\(access.kind) runs beside \(other.kind)")
        }
        if access.kind.isBarrier, let other = running.first(where: { $0.kind.isRead }) {
            fault("\(access.kind) runs beside \(other.kind)")
        }
        if access.kind.isRead, let other = running.first(where: { $0.kind.isBarrier }) {
            fault("\(access.kind) runs beside \(other.kind)")
        }
        running.append(access)
        condition.broadcast()
        condition.unlock()
        access.gate.wait()
    }

    private func leave(_ access: Gated) {
        condition.lock()
        running.removeAll { $0 === access }
        access.hasLeft = true
        events += 1
        condition.broadcast()
        condition.unlock()
    }

    private func end(_ access: Gated, _ result: Result<Void, any Error>) {
        condition.lock()
        switch result {
        case .success:
            access.result = "success"
            if access.kind.isWrite { commitCount += 1 }
        case .failure(let error): access.result = describe(error)
        }
        events += 1
        condition.broadcast()
        condition.unlock()
    }

    private func read(_ access: Gated, _ db: Database) throws {
        let before = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")!
        begin(access)
        defer { leave(access) }
        let after = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")!
        condition.withLock {
            if before != after {
                fault("\(access.kind) \(access.number) sees \(before), then \(after)")
            }
            // Two rows for each write.
            if before % 2 != 0 { fault("\(access.kind) sees half of a write") }
            if before / 2 < access.floor {
                fault("\(access.kind) sees \(before / 2) of \(access.floor) commits")
            }
        }
        if access.throwsError { throw Stop() }
    }

    private func write(_ access: Gated, _ db: Database) throws {
        try db.execute(sql: "INSERT INTO t VALUES (\(access.number * 2), 1)")
        begin(access)
        defer { leave(access) }
        try db.execute(sql: "INSERT INTO t VALUES (\(access.number * 2 + 1), 2)")
        if access.throwsError { throw Stop() }
    }

    // MARK: - Steps

    private func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    private func start() {
        let kind = Gated.Kind.allCases[number(0..<Gated.Kind.allCases.count)]
        if kind == .snapshotRead {
            guard let snapshot else { return }
            let count = try? snapshot.reader.read {
                try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t")!
            }
            if count != snapshot.count {
                condition.withLock { fault("a snapshot sees \(count ?? -1)") }
            }
            return
        }
        let access = condition.withLock { Gated(kind, number: accesses.count, floor: commitCount) }
        access.throwsError = number(0..<6) == 0
        condition.withLock { accesses.append(access) }
        let pool = pool
        func run(_ body: @escaping @Sendable () async throws -> Void) {
            access.task = Task {
                do { self.end(access, .success(try await body())) } catch {
                    self.end(access, .failure(error))
                }
            }
        }
        switch kind {
        case .taskRead: run { try await pool.read { try self.read(access, $0) } }
        case .taskWrite: run { try await pool.write { try self.write(access, $0) } }
        case .batchedWrite: run { try await pool.batchedWrite { try self.write(access, $0) } }
        case .barrier:
            run {
                try await pool.barrierWriteWithoutTransaction { db in
                    try db.inTransaction {
                        try self.write(access, db); return .commit
                    }
                }
            }
        case .callbackRead:
            pool.asyncRead { result in
                self.end(access, Result { try self.read(access, result.get()) })
            }
        case .callbackWrite:
            pool.asyncWrite {
                try self.write(access, $0)
            } completion: { _, result in
                self.end(access, result)
            }
        case .callbackBarrier:
            pool.asyncBarrierWriteWithoutTransaction { result in
                self.end(
                    access,
                    Result {
                        let db = try result.get()
                        try db.inTransaction {
                            try self.write(access, db); return .commit
                        }
                    })
            }
        case .snapshotRead: break
        }
    }

    private func open(_ access: Gated) {
        if access.isOpen { return }
        access.isOpen = true
        access.gate.signal()
    }

    /// Waits for something to happen, which must.
    private func waitForProgress(_ what: String, until isDone: () -> Bool) {
        condition.lock()
        let deadline = Date(timeIntervalSinceNow: 60)
        while !isDone() {
            if !condition.wait(until: deadline) {
                let waiting = accesses.filter { $0.result == nil }
                    .map {
                        "\($0.kind) \($0.hasBegun ? "begun" : "waiting") \($0.isCancelled ? "cancelled" : "")"
                    }
                fault("\(what): nothing happens, \(waiting)")
                break
            }
        }
        condition.unlock()
    }

    func run() -> [String] {
        for _ in 0..<number(8..<24) {
            switch number(0..<20) {
            case 0..<10: start()
            case 10..<15:
                let begun = condition.withLock { running.filter { !$0.isOpen } }
                if let access = begun.isEmpty ? nil : begun[number(0..<begun.count)] {
                    open(access)
                    waitForProgress("going on") { access.hasLeft }
                }
            case 15..<17:
                let tasks = condition.withLock {
                    accesses.filter { $0.kind.isTask && $0.result == nil }
                }
                if let access = tasks.isEmpty ? nil : tasks[number(0..<tasks.count)] {
                    condition.withLock { access.isCancelled = true }
                    access.task?.cancel()
                    // Those that wait end at once.
                }
            case 17:
                if snapshot == nil, let reader = try? pool.makeSnapshotPool() {
                    let count = try? reader.read {
                        try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t")!
                    }
                    if let count { snapshot = (reader, count) }
                }
            case 18: pool.invalidateReadOnlyConnections()
            default:
                // Someone is at work, or nobody waits.
                waitForProgress("waiting") {
                    !running.isEmpty || accesses.allSatisfy { $0.result != nil }
                }
            }
        }
        let closed = DispatchSemaphore(value: 0)
        let closes = number(0..<3) == 0
        if closes {
            Thread.detachNewThread { [self] in
                do { try pool.close() } catch {
                    condition.withLock { fault("close: \(describe(error))") }
                }
                closed.signal()
            }
        }
        // All go on, in the order of the seed.
        let deadline = Date(timeIntervalSinceNow: 120)
        while true {
            let left = condition.withLock { accesses.filter { $0.result == nil } }
            if left.isEmpty || Date() > deadline { break }
            let begun = condition.withLock { running.filter { !$0.isOpen } }
            if begun.isEmpty {
                let before = condition.withLock { events }
                waitForProgress("at the end") {
                    events != before || running.contains { !$0.isOpen }
                        || accesses.allSatisfy { $0.result != nil }
                }
                if !faults.isEmpty { break }
            } else {
                open(begun[number(0..<begun.count)])
            }
        }
        if closes, closed.wait(timeout: .now() + 60) == .timedOut {
            condition.withLock { fault("close hangs") }
        }
        check(isClosed: closes)
        condition.withLock { accesses.forEach { $0.isOpen ? () : ($0.gate.signal(), ()).1 } }
        try? snapshot?.reader.close()
        try? pool.close()
        return condition.withLock { faults }
    }

    private func check(isClosed: Bool) {
        condition.lock()
        defer { condition.unlock() }
        for access in accesses {
            let result = access.result ?? "no result"
            let isExpected =
                switch result {
                case "success": !access.throwsError
                case "\(Stop())": access.throwsError
                case "\(CancellationError())": access.isCancelled
                default: isClosed && result.hasPrefix("21 ")
                }
            if !isExpected { fault("\(access.kind) \(access.number) ended with \(result)") }
        }
        do {
            let path = pool.path
            let queue = try DatabaseQueue(path: path)
            defer { try? queue.close() }
            let numbers = try queue.read {
                try Int.fetchAll($0, sql: "SELECT number FROM t ORDER BY number")
            }
            let expected = accesses.filter { $0.kind.isWrite && $0.result == "success" }
                .flatMap { [$0.number * 2, $0.number * 2 + 1] }
            if numbers != expected { fault("the file has \(numbers) instead of \(expected)") }
        } catch {
            fault(describe(error))
        }
    }
}

func runInterleavings(_ arguments: ArraySlice<String>) throws {
    let arguments = Array(arguments)
    let (first, count, folder) = (UInt64(arguments[0])!, UInt64(arguments[1])!, arguments[2])
    let path = folder + "/interleavings.sqlite"
    var failures = 0
    for seed in first..<first + count {
        printLine("seed \(seed)")
        let faults = try Simulation(seed: seed, path: path).run()
        if faults.isEmpty { continue }
        failures += 1
        printLine("FAILED seed \(seed): \(faults.prefix(4).joined(separator: "; "))")
        if failures == 5 { break }
    }
    printLine("end \(count) \(failures)")
}

// MARK: - Starvation

/// starvation COUNT FOLDER: as many tasks that read, over 5 readers, and that write, all at once.
func runStarvation(_ arguments: ArraySlice<String>) throws {
    let arguments = Array(arguments)
    let count = Int(arguments[0])!
    let path = arguments[1] + "/starvation.sqlite"
    var configuration = Configuration()
    configuration.maximumReaderCount = 5
    let pool = try DatabasePool(path: path, configuration: configuration)
    try pool.write { db in
        try db.execute(
            sql: """
                CREATE TABLE t(number INTEGER PRIMARY KEY, text TEXT);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
                INSERT INTO t SELECT i, 'text ' || i FROM n;
                """)
    }
    let text = try waitForTask {
        let times = try await withThrowingTaskGroup(of: (Bool, Double).self) { group in
            for index in 0..<count {
                group.addTask {
                    let start = DispatchTime.now().uptimeNanoseconds
                    _ = try await pool.read {
                        try Int.fetchOne($0, sql: "SELECT SUM(length(text)) FROM t")
                    }
                    return (true, Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6)
                }
                group.addTask {
                    let start = DispatchTime.now().uptimeNanoseconds
                    try await pool.write {
                        try $0.execute(
                            sql: "UPDATE t SET text = 'new' WHERE number = ?",
                            arguments: [index % 1000])
                    }
                    return (false, Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6)
                }
            }
            var times: [(Bool, Double)] = []
            for try await time in group { times.append(time) }
            return times
        }
        return [true, false].map { isRead in
            let sorted = times.filter { $0.0 == isRead }.map(\.1).sorted()
            func part(_ share: Double) -> String {
                String(
                    format: "%.1f", sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
                )
            }
            return
                "\(isRead ? "reads" : "writes") \(sorted.count) p50 \(part(0.5)) p99 \(part(0.99)) max \(part(1))"
        }.joined(separator: "\n")
    }
    printLine(text)
    try pool.close()
}
