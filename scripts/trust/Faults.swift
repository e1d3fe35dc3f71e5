import Foundation
import GRDB
import TrustSupport

// faults calibrate WORKLOAD FOLDER             prints each committed state
// faults points WORKLOAD FAULT once|on FIRST STEP LAST FOLDER
//
// The second form lets operation FIRST, FIRST + STEP… fail, until the work is done without a failure. After
// each commit and each point, it waits for a line: the judge has read the file.

/// The outcome of a point.
struct Outcome: Encodable {
    var number: Int
    var fired: Int
    /// The commits that observers were notified of.
    var commits: Int
    var succeeded: Bool
    var code: Int?
    var error: String?
    /// The code of an error that ended the observation.
    var observationCode: Int?
    /// The promises that were not kept.
    var problems: [String] = []
    var path: String
    /// What the connection sees at the end, for comparison with the judge.
    var rows: Int?
}

/// Counts commits.
final class CommitCounter: TransactionObserver, @unchecked Sendable {
    private let count = Shared(0)
    private let onCommit: (@Sendable () -> Void)?

    init(onCommit: (@Sendable () -> Void)? = nil) { self.onCommit = onCommit }

    var commits: Int { count.value }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) {
        count.update { $0 += 1 }
        onCommit?()
    }
    func databaseDidRollback(_ db: Database) {}
}

/// Observes the table `afterwards`, and the table of the work.
private final class Watcher: Sendable {
    private let values = Shared<[Int]>([])
    private let failure = Shared<(any Error)?>(nil)
    private let cancellable = Shared<AnyDatabaseCancellable?>(nil)

    init(_ writer: any DatabaseWriter, sql: String) {
        let observation = ValueObservation.tracking { try Int.fetchOne($0, sql: sql) ?? -1 }
        let started = observation.start(
            in: writer, scheduling: .async(onQueue: DispatchQueue(label: "watcher")),
            onError: { [failure] error in failure.update { $0 = error } },
            onChange: { [values] value in values.update { $0.append(value) } })
        cancellable.update { $0 = started }
    }

    var error: (any Error)? { failure.value }

    /// Waits for a value, or for the error that has ended the observation.
    func waits(for value: Int, seconds: TimeInterval) -> Bool {
        // Polls: only a lost value waits for long.
        let end = Date(timeIntervalSinceNow: seconds)
        var attempt = 0
        repeat {
            if values.value.last == value || failure.value != nil { return true }
            attempt += 1
            usleep(attempt > 20 ? 2000 : 100)
        } while Date() < end
        return false
    }

    var last: Int? { values.value.last }

    func cancel() { cancellable.update { $0?.cancel() } }
}

private func resultCode(_ error: any Error) -> Int? {
    (error as? DatabaseError).map { Int($0.extendedResultCode.rawValue) }
}

/// Removes the file and those beside it.
func removeDatabase(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
}

/// Waits until the judge has answered.
private func waitForJudge() { _ = readLine() }

private func makeTemplate(_ workload: Workload, in folder: String) throws -> String {
    let path = folder + "/template.sqlite"
    removeDatabase(path)
    let queue = try DatabaseQueue(path: path, configuration: makeConfiguration())
    try queue.write { db in
        try db.execute(sql: "CREATE TABLE afterwards(a)")
        try workload.create(db)
    }
    try queue.close()
    return path
}

private func openAndPrepare(_ workload: Workload, _ path: String) throws -> any DatabaseWriter {
    let writer = try workload.open(path)
    // As an app: the connections are warm, and a pool has a reader.
    try writer.read { _ = try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM afterwards") }
    try workload.prepare(writer)
    return writer
}

private func calibrate(_ workload: Workload, in folder: String) throws {
    let template = try makeTemplate(workload, in: folder)
    let path = folder + "/calibration.sqlite"
    removeDatabase(path)
    try FileManager.default.copyItem(atPath: template, toPath: path)
    let writer = try openAndPrepare(workload, path)
    printLine("state \(path)")
    waitForJudge()
    let counter = CommitCounter {
        printLine("state \(path)")
        waitForJudge()
    }
    writer.add(transactionObserver: counter)
    try workload.work(writer, folder)
    writer.remove(transactionObserver: counter)
    try writer.close()
    removeDatabase(path)
}

private func runPoint(
    _ workload: Workload, fault: CInt, isPersistent: Bool, number: Int, template: String,
    folder: String
) throws -> Outcome {
    let path = "\(folder)/point.sqlite"
    removeDatabase(path)
    try FileManager.default.copyItem(atPath: template, toPath: path)
    let counter = CommitCounter()
    var outcome = Outcome(number: number, fired: 0, commits: 0, succeeded: false, path: path)
    var writer: (any DatabaseWriter)?
    var watchers: [Watcher] = []
    func watch(_ writer: any DatabaseWriter) throws {
        writer.add(transactionObserver: counter, extent: .databaseLifetime)
        watchers = [
            Watcher(writer, sql: "SELECT COUNT(*) FROM afterwards"),
            Watcher(writer, sql: workload.watchedSQL),
        ]
        for watcher in watchers {
            for _ in 0..<5000 where watcher.last == nil && watcher.error == nil { usleep(200) }
            if watcher.last == nil {
                throw Failed("no first value: \(String(describing: watcher.error))")
            }
        }
    }
    func note(_ error: any Error) {
        outcome.code = outcome.code ?? resultCode(error)
        outcome.error = outcome.error ?? "\(error)"
    }

    do {
        if workload.opensUnderFaults {
            trust_arm(fault, number, isPersistent ? 1 : 0)
            writer = try openAndPrepare(workload, path)
            writer!.add(transactionObserver: counter, extent: .databaseLifetime)
        } else {
            writer = try openAndPrepare(workload, path)
            try watch(writer!)
            trust_arm(fault, number, isPersistent ? 1 : 0)
        }
        try workload.work(writer!, folder)
        outcome.succeeded = true
    } catch {
        note(error)
        outcome.commits = counter.commits
        // The disk is still broken: errors, no traps.
        if isPersistent, let writer {
            writer.unsafeReentrantWrite { db in
                if db.isInsideTransaction { outcome.problems.append("a transaction stays open") }
            }
            _ = try? writer.read { try Int.fetchOne($0, sql: workload.watchedSQL) }
            _ = try? writer.write { try $0.execute(sql: "INSERT INTO afterwards VALUES (0)") }
        }
    }
    outcome.fired = trust_disarm()

    // The disk works again.
    do {
        if writer == nil {
            writer = try openAndPrepare(workload, path)
            writer!.add(transactionObserver: counter, extent: .databaseLifetime)
        }
        let writer = writer!
        let commits = counter.commits
        if outcome.succeeded { outcome.commits = commits }
        let count = try writer.write { db in
            try db.execute(sql: "INSERT INTO afterwards VALUES (1)")
            return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM afterwards")!
        }
        try check(
            counter.commits == commits + 1,
            "\(counter.commits - commits) commits are observed instead of 1")
        let readCount = try writer.read {
            try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM afterwards")!
        }
        try check(readCount == count, "\(readCount) rows are read instead of \(count)")
        let watched = try writer.read { try Int.fetchOne($0, sql: workload.watchedSQL) ?? -1 }
        for (watcher, value) in zip(watchers, [count, watched]) {
            // A file system that lies may have destroyed what is observed.
            let seconds: TimeInterval = fault == CInt(TRUST_SHORT_READ.rawValue) ? 0.5 : 20
            if !watcher.waits(for: value, seconds: seconds) {
                outcome.problems.append(
                    "an observer has \(watcher.last.map(String.init) ?? "no value") instead of \(value)"
                )
            }
            if let error = watcher.error {
                outcome.observationCode = outcome.observationCode ?? resultCode(error)
            }
            watcher.cancel()
        }
        try writer.writeWithoutTransaction { db in
            try check(!db.isInsideTransaction, "a transaction is open")
            let integrity = try String.fetchAll(db, sql: "PRAGMA integrity_check")
            try check(integrity == ["ok"], "integrity_check: \(integrity)")
        }
        try workload.check(writer)
        if outcome.succeeded { try workload.checkResult(writer) }
        outcome.rows = watched
    } catch {
        outcome.problems.append("unusable afterwards: \(error)")
    }
    do {
        try writer?.close()
    } catch {
        outcome.problems.append("close: \(error)")
    }
    return outcome
}

func runFaults(_ arguments: ArraySlice<String>) throws {
    let arguments = Array(arguments)
    guard arguments.count >= 2 || arguments == ["list"] else { throw Failed("faults \(arguments)") }
    if arguments == ["list"] {
        for workload in makeWorkloads() { printLine("workload \(workload.name)") }
        for fault in 0..<CInt(TRUST_FAULT_COUNT.rawValue) {
            printLine("fault \(String(cString: trust_fault_name(fault)))")
        }
        return
    }
    let workload = try findWorkload(arguments[1])
    let fault =
        arguments[0] == "calibrate"
        ? nil
        : (0..<CInt(TRUST_FAULT_COUNT.rawValue)).first {
            String(cString: trust_fault_name($0)) == arguments[2]
        }
    if fault == CInt(TRUST_MEMORY.rawValue) {
        guard trust_install_allocator() == 0 else { throw Failed("the allocator is not accepted") }
    }
    guard trust_install_vfs() == 0 else { throw Failed("the file system is not accepted") }
    switch arguments[0] {
    case "calibrate": try calibrate(workload, in: arguments[2])
    case "points":
        let folder = arguments[7]
        let template = try makeTemplate(workload, in: folder)
        let isPersistent = arguments[3] == "on"
        let (first, step, last) = (Int(arguments[4])!, Int(arguments[5])!, Int(arguments[6])!)
        for number in stride(from: first, through: last, by: step) {
            printLine("try \(number)")
            let outcome = try runPoint(
                workload, fault: fault!, isPersistent: isPersistent, number: number,
                template: template, folder: folder)
            report("point", outcome)
            waitForJudge()
            removeDatabase(outcome.path)
            if outcome.fired == 0 { break }
        }
    default: throw Failed("faults \(arguments)")
    }
    printLine("end")
}
