import Dispatch
import Foundation
@testable import GRDB
import GRDBTestSupport

/// One run of random writes, savepoints, rollbacks, schema changes, starts, cancellations and closings,
/// against observations whose every step waits until the run decides that it is due.
///
/// All happens on one thread, in an order that depends on the seed alone. A model of the database, a list
/// of what each fetch returned after each commit, says which values are right.
final class ObservationSimulation {
    /// The databases of many runs: opening one takes longer than a run.
    final class Databases {
        private let kind: DatabaseKind
        private var writer: (any DatabaseWriter)?

        /// Whether the tables are not what they were.
        var isSchemaChanged = false

        init(_ kind: DatabaseKind) {
            self.kind = kind
        }

        /// A database in its first state.
        func make() throws -> any DatabaseWriter {
            if let writer {
                try writer.write { db in
                    if isSchemaChanged { try db.execute(sql: Self.reset + Self.schema) }
                    // One by one, and so compiled once for all runs.
                    for sql in (isSchemaChanged ? [] : Self.emptying) + Self.content {
                        try db.execute(sql: sql)
                    }
                }
                isSchemaChanged = false
                return writer
            }
            var configuration = Configuration()
            // Observations that hold a snapshot must not keep others from reading.
            configuration.maximumReaderCount = 30
            let writer: any DatabaseWriter =
                switch kind {
                case .queue: try DatabaseQueue(configuration: configuration)
                case .pool:
                    try DatabasePool(path: TestDatabases.makePath(), configuration: configuration)
                }
            try writer.writeWithoutTransaction { db in
                // What the disk does is of no interest.
                try db.execute(sql: "PRAGMA synchronous = OFF")
                try db.inTransaction {
                    try db.execute(sql: Self.schema)
                    for sql in Self.content { try db.execute(sql: sql) }
                    return .commit
                }
            }
            self.writer = writer
            return writer
        }

        /// Forgets a database that a run has closed or left in a bad state.
        func discard() {
            writer = nil
        }

        private static let schema = """
            CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER, b INTEGER UNIQUE);
            CREATE TABLE u(a INTEGER);
            CREATE TABLE w(k TEXT PRIMARY KEY, a INTEGER) WITHOUT ROWID;
            CREATE TABLE choice(value INTEGER);

            """

        private static let emptying = [
            "DELETE FROM t", "DELETE FROM u", "DELETE FROM w", "DELETE FROM choice",
        ]

        private static let content = [
            "INSERT INTO t VALUES (1, 10, 1), (2, 20, 2), (3, 30, 3)",
            "INSERT INTO u VALUES (100)", "INSERT INTO w VALUES ('x', 1)",
            "INSERT INTO choice VALUES (0)",
        ]

        private static let reset = """
            DROP TABLE IF EXISTS t; DROP TABLE IF EXISTS u; DROP TABLE IF EXISTS w;
            DROP TABLE IF EXISTS choice; DROP TABLE IF EXISTS other;

            """
    }

    /// What is observed.
    enum Subject: Int, CaseIterable {
        case rows, oneRow, varying, withoutRowID, column

        func fetch(_ db: Database) throws -> String {
            switch self {
            case .rows:
                return try Row.fetchAll(db, sql: "SELECT * FROM t ORDER BY id").map(\.description)
                    .joined()
            case .oneRow:
                return try Row.fetchAll(db, SQLRequest<Row>(sql: "SELECT * FROM t WHERE id = 2"))
                    .map(\.description).joined()
            case .varying:
                let choice = try Int.fetchOne(db, sql: "SELECT value FROM choice") ?? 0
                return try choice % 2 == 0
                    ? "t \(Int.fetchOne(db, sql: "SELECT SUM(a) FROM t") ?? 0)"
                    : "u \(Int.fetchOne(db, sql: "SELECT SUM(a) FROM u") ?? 0)"
            case .withoutRowID:
                return try Row.fetchAll(db, sql: "SELECT * FROM w ORDER BY k").map(\.description)
                    .joined()
            case .column:
                return try String.fetchAll(db, sql: "SELECT b FROM t ORDER BY id")
                    .joined(separator: ",")
            }
        }

        func observation(constant: Bool) -> ValueObservation<ValueReducers.Fetch<String>> {
            switch self {
            case .oneRow:
                return .tracking(
                    region: OneRowRegion(), fetch: { try Subject.oneRow.fetch($0) })
            case .varying:
                return .tracking { try Subject.varying.fetch($0) }
            case .rows, .withoutRowID, .column:
                return constant
                    ? .trackingConstantRegion { [self] in try fetch($0) }
                    : .tracking { [self] in try fetch($0) }
            }
        }
    }

    private struct OneRowRegion: DatabaseRegionConvertible {
        func databaseRegion(_ db: Database) throws -> DatabaseRegion {
            try db.makeStatement(sql: "SELECT * FROM t").databaseRegion
                .limiting("t", toRowIDs: [2])
        }
    }

    /// One observation of the run.
    private final class Client: @unchecked Sendable {
        let subject: Subject
        let firstVersion: Int
        var cancellable: AnyDatabaseCancellable?
        var values: [String] = []
        var error: (any Error)?
        var isCancelled = false
        var faults: [String] = []

        init(_ subject: Subject, firstVersion: Int) {
            self.subject = subject
            self.firstVersion = firstVersion
        }

        func receive(_ value: String) {
            if isCancelled { faults.append("a value after the cancellation: \(value)") }
            if error != nil { faults.append("a value after the error: \(value)") }
            values.append(value)
        }

        func receive(_ error: any Error) {
            if isCancelled { faults.append("an error after the cancellation: \(error)") }
            if self.error != nil { faults.append("a second error: \(error)") }
            self.error = error
        }
    }

    /// The steps that wait.
    private final class Steps: @unchecked Sendable {
        /// Run in order, as a serial queue does.
        var writes: [() -> Void] = []
        /// Run in any order, as many connections do.
        var reads: [() -> Void] = []
        /// Those reads that hold a connection.
        var snapshots: [() -> Void] = []
        /// By observation: those of each run in order.
        var reductions: [(key: ObjectIdentifier, run: () -> Void)] = []
        var deliveries: [[() -> Void]] = []

        var isEmpty: Bool {
            writes.isEmpty && reads.isEmpty && snapshots.isEmpty && reductions.isEmpty
                && deliveries.allSatisfy(\.isEmpty)
        }
    }

    private struct Driver: ObservationDriver, @unchecked Sendable {
        let base: DatabaseObservationDriver
        let writer: any DatabaseWriter
        let steps: Steps

        var configuration: Configuration { base.configuration }

        var access: ObservationAccess { base.access }

        func read(_ body: (Database) throws -> Void) throws { try base.read(body) }

        func write(_ body: (Database) throws -> Void) throws { try base.write(body) }

        func asyncRead(_ body: @escaping @Sendable (Result<Database, any Error>) -> Void) {
            let base = base
            steps.reads.append {
                var didRun = false
                do {
                    try base.read { db in
                        didRun = true
                        body(.success(db))
                    }
                } catch {
                    if !didRun { body(.failure(error)) }
                }
            }
        }

        func asyncWrite(_ body: @escaping @Sendable (Database) -> Void) {
            let writer = writer
            steps.writes.append { writer.writeWithoutTransaction(body) }
        }

        func concurrentRead() -> ConcurrentRead? {
            guard let read = base.concurrentRead() else { return nil }
            let steps = steps
            return ConcurrentRead { body in
                steps.snapshots.append {
                    let isDone = DispatchSemaphore(value: 0)
                    read.run { db in
                        body(db)
                        isDone.signal()
                    }
                    isDone.wait()
                }
            }
        }

        func async(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
            steps.reductions.append((ObjectIdentifier(queue), body))
        }
    }

    private struct Scheduler: ValueObservationScheduler, @unchecked Sendable {
        let isImmediate: Bool
        let index: Int
        let steps: Steps

        func immediateInitialValue() -> Bool { isImmediate }

        func schedule(_ action: @escaping @Sendable () -> Void) {
            steps.deliveries[index].append(action)
        }
    }

    private let databases: Databases
    private let writer: any DatabaseWriter
    private var random: SplitMix64
    private let steps = Steps()
    private var clients: [Client] = []
    private let subjects: [Subject]
    private var isClosed = false

    /// What each subject was after each commit, and before the first.
    private var versions: [[String]] = []

    init(_ databases: Databases, seed: UInt64) throws {
        self.databases = databases
        writer = try databases.make()
        random = SplitMix64(seed: seed)
        subjects = Array(Subject.allCases.shuffled(using: &random).prefix(2))
    }

    /// Runs, and returns what went wrong.
    func run() throws -> [String] {
        try recordVersion()
        let count = Int.random(in: 4...14, using: &random)
        for _ in 0..<count {
            try act()
        }
        while !steps.isEmpty {
            runStep()
        }
        let faults = clients.enumerated().flatMap { index, client in
            check(client).map { "observation \(index) of \(client.subject): \($0)" }
        }
        for client in clients {
            client.isCancelled = true
            client.cancellable?.cancel()
        }
        while !steps.isEmpty {
            runStep()
        }
        if isClosed || !faults.isEmpty {
            databases.discard()
        }
        return faults + clients.flatMap(\.faults)
    }

    private func random(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    private func act() throws {
        switch random(0..<100) {
        case 0..<20: start()
        case 20..<26: cancel()
        case 26..<27: try close()
        case 27..<60: try write()
        default: runStep()
        }
    }

    // MARK: - Observations

    private func start() {
        guard clients.count < 5 else { return }
        let subject = subjects[random(0..<subjects.count)]
        let client = Client(subject, firstVersion: versions.count - 1)
        let isConstant = random(0..<2) == 0
        steps.deliveries.append([])
        let scheduler = Scheduler(
            isImmediate: random(0..<2) == 0, index: clients.count, steps: steps)
        clients.append(client)
        client.cancellable = subject.observation(constant: isConstant).start(
            in: Driver(base: DatabaseObservationDriver(writer), writer: writer, steps: steps),
            scheduling: scheduler, onError: { client.receive($0) },
            onChange: { client.receive($0) })
        if scheduler.isImmediate, client.values.isEmpty, client.error == nil {
            client.faults.append("no first value")
        }
    }

    private func cancel() {
        guard !clients.isEmpty else { return }
        let client = clients[random(0..<clients.count)]
        if client.error != nil { return }
        client.cancellable?.cancel()
        client.isCancelled = true
    }

    private func close() throws {
        // It waits for those who hold a connection.
        while !steps.snapshots.isEmpty {
            steps.snapshots.removeFirst()()
        }
        try writer.close()
        isClosed = true
    }

    // MARK: - Steps

    private func runStep() {
        let deliveries = steps.deliveries.indices.filter { !steps.deliveries[$0].isEmpty }
        let counts = [
            steps.writes.isEmpty ? 0 : 1, steps.reads.count, steps.snapshots.count,
            steps.reductions.count, deliveries.count,
        ]
        var choice = counts.reduce(0, +)
        if choice == 0 { return }
        choice = random(0..<choice)
        for (kind, count) in counts.enumerated() {
            if choice >= count {
                choice -= count
                continue
            }
            switch kind {
            case 0: steps.writes.removeFirst()()
            case 1: steps.reads.remove(at: choice)()
            case 2: steps.snapshots.remove(at: choice)()
            case 3:
                let key = steps.reductions[choice].key
                let index = steps.reductions.firstIndex { $0.key == key }!
                steps.reductions.remove(at: index).run()
            default: steps.deliveries[deliveries[choice]].removeFirst()()
            }
            return
        }
    }

    // MARK: - Writes

    private func write() throws {
        if isClosed { return }
        let kind = random(0..<10)
        writer.writeWithoutTransaction { db in
            if kind < 3 {
                // Some changes fail, which is a fine thing to observe as well.
                try? change(db)
                return
            }
            try? db.inTransaction {
                for _ in 0..<random(1..<4) {
                    if random(0..<4) == 0 {
                        try db.inSavepoint {
                            try? change(db)
                            return random(0..<2) == 0 ? .commit : .rollback
                        }
                    } else {
                        try? change(db)
                    }
                }
                return random(0..<5) == 0 ? .rollback : .commit
            }
        }
        try recordVersion()
    }

    private func change(_ db: Database) throws {
        let id = random(1..<5)
        let value = random(0..<100)
        let statements = [
            "INSERT INTO t VALUES (\(id), \(value), \(value))",
            "UPDATE t SET a = \(value) WHERE id = \(id)",
            "UPDATE t SET b = b + 1 WHERE id = \(id)",
            "UPDATE t SET id = \(id) WHERE id = \(value % 5)",
            "DELETE FROM t WHERE id = \(id)",
            "REPLACE INTO t VALUES (\(id), \(value), \(value % 5))",
            "DELETE FROM t",
            "UPDATE u SET a = \(value)",
            "UPDATE choice SET value = \(value)",
            "REPLACE INTO w VALUES ('\(id)', \(value))",
            "UPDATE w SET a = a + 1",
            "INSERT INTO t SELECT id + 5, a, b + 100 FROM t LIMIT 2",
            "ALTER TABLE t ADD COLUMN c\(value) DEFAULT \(id)",
            "CREATE TABLE IF NOT EXISTS other(a)",
            "DROP TABLE IF EXISTS other",
            "DROP TABLE w; CREATE TABLE w(k TEXT PRIMARY KEY, a INTEGER) WITHOUT ROWID",
            "ALTER TABLE u RENAME COLUMN a TO z",
        ]
        // The latter ones, which change the schema, are rare.
        let index = random(0..<12) > 0 ? random(0..<12) : random(0..<statements.count)
        if index >= 12 { databases.isSchemaChanged = true }
        // Two commits would be two versions.
        if statements[index].contains(";"), !db.isInsideTransaction { return }
        try db.execute(sql: statements[index])
    }

    private func recordVersion() throws {
        let version = try writer.unsafeRead { db -> [String] in
            Subject.allCases.map { subject in
                guard subjects.contains(subject) else { return "" }
                do { return try subject.fetch(db) } catch { return "error" }
            }
        }
        versions.append(version)
    }

    // MARK: - Checks

    private func check(_ client: Client) -> [String] {
        var faults: [String] = []
        // Each value is that of some commit, not before the one of the value before.
        var index = client.firstVersion
        for value in client.values {
            let found = versions[index...].firstIndex { $0[client.subject.rawValue] == value }
            guard let found else {
                faults.append(
                    "\(value) is not among \(versions[index...].map { $0[client.subject.rawValue] })"
                )
                break
            }
            index = found
        }
        if client.isCancelled { return faults }
        let last = versions.last![client.subject.rawValue]
        if isClosed {
            if client.error == nil { faults.append("the database is closed, without an error") }
        } else if let error = client.error {
            if !versions[client.firstVersion...].contains(where: {
                $0[client.subject.rawValue] == "error"
            }) {
                faults.append("failed: \(error)")
            }
        } else if client.values.last != last {
            faults.append("the last value is \(client.values.last ?? "missing"), not \(last)")
        }
        return faults
    }
}
