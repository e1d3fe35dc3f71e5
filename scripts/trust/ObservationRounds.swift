import GRDBChanges
import GRDBServer
import Foundation
import GRDB

// observation SEED COUNT FOLDER
//
// Each round starts observations of random requests on a random database, or goes on with one of the former
// rounds, writes in a random way, with a random end, and then compares the last observed values with those
// that are fetched.

/// How a write ends.
private enum Ending: CaseIterable {
    case commit, rollback, savepoint, savepointRollback, nestedSavepoints, error, autocommit, manual
    case manualRollback, barrier, async, cancelled, interrupted, timedOut, batched, batchedError,
        reentrant
    case otherConnection, notified, outerRollback
}

private final class ObservedDatabase {
    let kind: String
    let writer: any DatabaseWriter
    let path: String
    /// Another connection, as that of another process.
    let other: DatabaseQueue?
    let monitor: ExternalChangeMonitor?
    var observers: [Observer] = []
    var rounds = 0

    init(isPool: Bool, isMemory: Bool, folder: String, number: Int) throws {
        path = "\(folder)/observed-\(number % 4).sqlite"
        removeDatabase(path)
        removeDatabase(path + "-other")
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        let attached = path + "-other"
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA synchronous = OFF")
            try db.tryAdd(
                module: .table("live", of: liveNumbers) { t in
                    t.column("value", \.self, .integer)
                })
            if db.configuration.readonly || isPool { return }
            try db.execute(
                sql: """
                    CREATE TEMP TABLE scratch(a);
                    CREATE TEMP VIEW scratchView AS SELECT MAX(a), (SELECT COUNT(*) FROM main.item) FROM scratch;
                    """)
            if !isMemory {
                try db.execute(
                    sql: """
                        ATTACH '\(attached)' AS other;
                        CREATE TABLE IF NOT EXISTS other.remote(a);
                        """)
            }
        }
        if isPool {
            kind = "pool"
            writer = try DatabasePool(path: path, configuration: configuration)
        } else if isMemory {
            kind = "memory"
            configuration.prepareDatabase { db in
                try db.execute(sql: "ATTACH ':memory:' AS other; CREATE TABLE other.remote(a)")
            }
            writer = try DatabaseQueue(configuration: configuration)
        } else {
            kind = "queue"
            writer = try DatabaseQueue(path: path, configuration: configuration)
        }
        try writer.write(createObservedSchema)
        if isMemory {
            other = nil
            monitor = nil
        } else {
            var configuration = Configuration()
            configuration.busyMode = .timeout(10)
            other = try DatabaseQueue(path: path, configuration: configuration)
            monitor = try ExternalChangeMonitor(writer)
        }
    }

    func close() throws {
        for observer in observers { observer.cancel() }
        monitor?.stop()
        try other?.close()
        try writer.close()
        removeDatabase(path)
        removeDatabase(path + "-other")
    }
}

private final class Observer: Sendable {
    let request: ObservedRequest
    let mode: String
    private let condition = NSCondition()
    private let values = Shared<(last: String?, count: Int, error: String?)>((nil, 0, nil))
    private let cancellable = Shared<AnyDatabaseCancellable?>(nil)

    init(_ request: ObservedRequest, _ writer: any DatabaseWriter, _ random: inout SplitMix64) {
        self.request = request
        let modes = ["tracking", "constant", "full", "written"]
        var mode = modes.randomElement(using: &random)!
        // What varies is no constant region.
        if mode == "constant", ["varying", "blob", "table exists"].contains(request.name) {
            mode = "tracking"
        }
        self.mode = mode
        let fetch = request.fetch
        let queue = deliveryQueues.randomElement(using: &random)!
        func start<Reducer>(_ observation: ValueObservation<Reducer>) -> AnyDatabaseCancellable
        where Reducer: ValueReducer, Reducer.Value == String {
            observation.start(
                in: writer, scheduling: .async(onQueue: queue),
                onError: { [values, condition] error in
                    values.update { $0.error = "\(error)" }
                    condition.withLock { condition.broadcast() }
                },
                onChange: { [values, condition] value in
                    values.update {
                        $0.last = value
                        $0.count += 1
                    }
                    condition.withLock { condition.broadcast() }
                })
        }
        let started: AnyDatabaseCancellable
        switch mode {
        case "constant": started = start(ValueObservation.trackingConstantRegion(fetch))
        case "full":
            started = start(
                ValueObservation.tracking(region: DatabaseRegion.fullDatabase, fetch: fetch))
        case "written":
            var observation = ValueObservation.tracking(fetch)
            observation.requiresWriteAccess = true
            started = start(observation.removeDuplicates())
        default: started = start(ValueObservation.tracking(fetch))
        }
        cancellable.update { $0 = started }
    }

    var error: String? { values.value.error }
    var last: String? { values.value.last }
    var count: Int { values.value.count }

    func waits(for value: String?, seconds: TimeInterval = 8) -> Bool {
        let deadline = Date(timeIntervalSinceNow: seconds)
        return condition.withLock {
            while true {
                let (last, _, error) = values.value
                if error != nil || (value == nil ? last != nil : last == value) { return true }
                if !condition.wait(until: deadline) { return false }
            }
        }
    }

    func cancel() { cancellable.update { $0?.cancel() } }
}

private let deliveryQueues = (0..<4).map { DispatchQueue(label: "values \($0)") }

private struct Stop: Error {}

/// Writes, and ends the write in some way.
private func perform(
    _ writes: [ObservedWrite], _ ending: Ending, _ database: ObservedDatabase, seed: UInt64
) throws {
    let writer = database.writer
    @Sendable func run(_ db: Database) throws {
        var random = SplitMix64(seed: seed)
        for write in writes { try write.write(db, &random) }
    }
    /// Waits for a task.
    func wait(_ body: @escaping @Sendable (Task<Void, any Error>.Type) async throws -> Void) throws
    {
        let result = Shared<Result<Void, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            do {
                try await body(Task<Void, any Error>.self)
                result.update { $0 = .success(()) }
            } catch {
                result.update { $0 = .failure(error) }
            }
            done.signal()
        }
        done.wait()
        try result.value!.get()
    }
    switch ending {
    case .commit: try writer.write(run)
    case .barrier:
        try writer.barrierWriteWithoutTransaction { db in
            try db.inTransaction {
                try run(db); return .commit
            }
        }
    case .rollback:
        try writer.writeWithoutTransaction { db in
            try db.inTransaction {
                try run(db); return .rollback
            }
        }
    case .savepoint:
        try writer.write { db in
            try db.inSavepoint {
                try run(db); return .commit
            }
        }
    case .savepointRollback:
        try writer.write { db in
            try db.inSavepoint {
                try run(db); return .rollback
            }
            try db.execute(sql: "UPDATE item SET score = score + 1 WHERE id = 1")
        }
    case .nestedSavepoints:
        try writer.write { db in
            try db.inSavepoint {
                try run(db)
                try db.inSavepoint {
                    try db.execute(
                        sql: "UPDATE item SET name = 'nested'; DELETE FROM doc; DELETE FROM note")
                    return .rollback
                }
                return .commit
            }
        }
    case .outerRollback:
        try writer.write { db in
            try db.inSavepoint {
                try db.inSavepoint {
                    try run(db); return .commit
                }
                return .rollback
            }
        }
    case .error:
        try writer.write { db in
            try run(db); throw Stop()
        }
    case .autocommit: try writer.writeWithoutTransaction(run)
    case .manual:
        try writer.writeWithoutTransaction { db in
            try db.beginTransaction()
            do { try run(db) } catch {
                try db.rollback()
                throw error
            }
            try db.commit()
        }
    case .manualRollback:
        try writer.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN")
            defer { try? db.rollback() }
            try run(db)
        }
    case .async: try wait { _ in try await writer.write { try run($0) } }
    case .cancelled:
        try wait { _ in
            let task = Shared<Task<Void, any Error>?>(nil)
            let started = DispatchSemaphore(value: 0)
            let made = Task {
                try await writer.write { db in
                    try run(db)
                    started.wait()
                    task.value?.cancel()
                    try db.execute(sql: "UPDATE item SET score = 12345")
                }
            }
            task.update { $0 = made }
            started.signal()
            try await made.value
        }
    case .interrupted:
        try writer.write { db in
            try run(db)
            writer.interrupt()
            _ = try Int.fetchOne(
                db,
                sql:
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT MAX(i) FROM n"
            )
        }
    case .timedOut:
        try writer.write { db in
            try run(db)
            try db.withTimeLimit(0.0001) {
                _ = try Int.fetchOne(
                    db,
                    sql:
                        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT MAX(i) FROM n"
                )
            }
        }
    case .batched:
        try wait { _ in
            async let first: Void = writer.batchedWrite { try run($0) }
            async let second: Void = writer.batchedWrite {
                try $0.execute(sql: "UPDATE item SET score = score + 1 WHERE id = 2")
            }
            _ = try await (first, second)
        }
    case .batchedError:
        try wait { _ in
            async let first: Void = writer.batchedWrite { try run($0) }
            async let second: Void = writer.batchedWrite {
                try $0.execute(sql: "DELETE FROM item")
                throw Stop()
            }
            try? await second
            try await first
        }
    case .reentrant:
        try writer.write { _ in try writer.unsafeReentrantWrite { try run($0) } }
    case .otherConnection:
        guard let other = database.other, let monitor = database.monitor else {
            return try writer.write(run)
        }
        try other.write(run)
        try monitor.check()
    case .notified:
        liveNumbers.update { $0.append($0.count) }
        if liveNumbers.elements.count > 20 { liveNumbers.update { $0 = [7] } }
        try writer.write { try $0.notifyChanges(in: Table("live")) }
    }
}

func runObservation(_ arguments: ArraySlice<String>) throws {
    let arguments = Array(arguments)
    let (seed, count, folder) = (UInt64(arguments[0])!, Int(arguments[1])!, arguments[2])
    let requests = makeObservedRequests()
    let writes = makeObservedWrites()
    var random = SplitMix64(seed: seed)
    var database: ObservedDatabase?
    var history: [String] = []
    var stale = 0
    var comparisons = 0
    var refused: [String: Int] = [:]
    var databaseCount = 0
    for round in 0..<count {
        if database == nil || database!.rounds >= 12 || Int.random(in: 0..<8, using: &random) == 0 {
            try database?.close()
            databaseCount += 1
            let isPool = Bool.random(using: &random)
            database = try ObservedDatabase(
                isPool: isPool, isMemory: !isPool && Bool.random(using: &random), folder: folder,
                number: databaseCount)
            history = ["\(database!.kind)"]
        }
        let db = database!
        db.rounds += 1
        // Observations come and go.
        while db.observers.count < 3 || (db.observers.count < 6 && Bool.random(using: &random)) {
            let request = requests.randomElement(using: &random)!
            if request.isOfWriter, db.kind == "pool" { continue }
            let observer = Observer(request, db.writer, &random)
            db.observers.append(observer)
            history.append("observe \(request.name) \(observer.mode)")
            // Else the first value and the write race.
            if Bool.random(using: &random) { _ = observer.waits(for: nil) }
        }
        var chosen: [ObservedWrite] = []
        let ending = Ending.allCases.randomElement(using: &random)!
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let write = writes.randomElement(using: &random)!
            if write.isOfWriter, db.kind == "pool" || ending == .otherConnection { continue }
            if write.isOutside, ending != .autocommit { continue }
            chosen.append(write)
        }
        history.append("\(ending) \(chosen.map(\.name))")
        do {
            try perform(chosen, ending, db, seed: random.next())
        } catch {
            history.append("  \(error)".prefix(150).description)
            let expected = error is Stop || error is CancellationError
            let code = (error as? DatabaseError)?.resultCode
            if !expected, code != .SQLITE_INTERRUPT, code != .SQLITE_CONSTRAINT {
                refused[
                    "\(ending) \(chosen.map(\.name)): \(error)".prefix(200).description, default: 0] +=
                    1
            }
        }
        for observer in db.observers {
            let expected: String
            do {
                expected = try db.writer.unsafeReentrantWrite { try observer.request.fetch($0) }
            } catch {
                refused[
                    "fetch \(observer.request.name): \(error)".prefix(200).description, default: 0] +=
                    1
                continue
            }
            comparisons += 1
            if !observer.waits(for: expected) {
                stale += 1
                printLine(
                    "stale seed \(seed) round \(round): \(observer.request.name) \(observer.mode), has \(observer.last?.prefix(100) ?? "nothing") instead of \(expected.prefix(100)); \(history.suffix(14))"
                )
            }
            if let error = observer.error {
                refused[
                    "error \(observer.request.name): \(error)".prefix(200).description, default: 0] +=
                    1
            }
        }
        // Stale and failed observations are replaced.
        for observer in db.observers
        where observer.error != nil || Int.random(in: 0..<10, using: &random) == 0 {
            observer.cancel()
            db.observers.removeAll { $0 === observer }
        }
        if stale > 20 { break }
        if round % 1000 == 999 { printLine("round \(round + 1)") }
    }
    try database?.close()
    for (message, count) in refused.sorted(by: { $0.key < $1.key }) {
        printLine("refused \(count) \(message)")
    }
    printLine(
        "end rounds \(count) comparisons \(comparisons) databases \(databaseCount) stale \(stale)")
}
