import Foundation
import GRDB
import GRDBChanges
import GRDBSQLite
import GRDBServer

/// Random batched writes of concurrent tasks, which fail in all ways that a write can fail.
///
/// The judge: what a task was told is what the reopened file has, and a write without a fault of its own
/// succeeds.
struct BatchModel {
    /// A step of a write.
    enum Step: CaseIterable {
        case insert, insertMany, savepoint, undoneSavepoint, failingSavepoint, sameSavepoint
        case deferForeignKeys, satisfiedLater, read, yield
        // What follows makes the write fail.
        case openSavepoint, releaseSavepoint, commit, rollback, cCommit, begin
        case orRollback, raiseRollback, onConflictRollback
        case violateLater, violateNow, tooLate, refused, overflow, throwError

        static let harmless = allCases.prefix { $0 != .openSavepoint }
    }

    struct Write: Sendable {
        let number: Int
        let steps: [Step]
        /// Whether the write goes on after the error of a step.
        let catchesErrors: Bool
        /// The time after which the task is cancelled.
        let cancellation: UInt32?
        /// Whether a writer without a batch runs it.
        let isPlain: Bool

        var mustSucceed: Bool { cancellation == nil && steps.allSatisfy(Step.harmless.contains) }
    }

    let seed: UInt64
    let writes: [Write]
    let isPool: Bool
    let isInterrupted: Bool

    init(seed: UInt64) {
        self.seed = seed
        var random = ModelRandom(seed: seed)
        isPool = Bool.random(using: &random)
        isInterrupted = Int.random(in: 0..<4, using: &random) == 0
        writes = (0..<Int.random(in: 2...40, using: &random)).map { number in
            let isHarmless = Int.random(in: 0..<3, using: &random) > 0
            let steps = isHarmless ? Array(Step.harmless) : Step.allCases
            return Write(
                number: number,
                steps: (0..<Int.random(in: 1...4, using: &random)).map { _ in
                    steps.randomElement(using: &random)!
                },
                catchesErrors: Int.random(in: 0..<4, using: &random) == 0,
                cancellation: Int.random(in: 0..<5, using: &random) == 0
                    ? UInt32.random(in: 0..<1500, using: &random) : nil,
                isPlain: Int.random(in: 0..<8, using: &random) == 0)
        }
    }

    /// Runs the writes on a new database, and returns what went wrong.
    func run(path: String) async throws -> String? {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
        var configuration = Configuration()
        configuration.maximumBatchedWriteCount = seed % 3 == 0 ? 4 : 256
        let writer: any DatabaseWriter =
            isPool
            ? try DatabasePool(path: path, configuration: configuration)
            : try DatabaseQueue(path: path, configuration: configuration)
        try await writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE row (id INTEGER PRIMARY KEY, write INTEGER);
                    CREATE TABLE parent (id INTEGER PRIMARY KEY);
                    CREATE TABLE now (write INTEGER, parent REFERENCES parent);
                    CREATE TABLE later (write INTEGER, parent REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
                    CREATE TABLE strict (a UNIQUE ON CONFLICT ROLLBACK);
                    INSERT INTO strict VALUES (1);
                    CREATE TABLE refused (a);
                    CREATE TABLE recorded (a);
                    CREATE TABLE raised (a);
                    CREATE TRIGGER raises BEFORE INSERT ON raised BEGIN SELECT RAISE(ROLLBACK, 'raised'); END
                    """)
        }
        _ = try writer.outbox(
            named: "small", tables: ["recorded"], limit: .refuse(highWaterMark: 0))
        _ = try writer.outbox(named: "all", tables: ["row"])
        writer.add(transactionObserver: RefusingObserver(), extent: .databaseLifetime)
        let log = CompletionLog()
        let interruption = isInterrupted ? Task.detached { await interrupt(writer) } : nil
        let results = await withTaskGroup(of: (Int, Result<Int, any Error>).self) { group in
            for write in writes {
                group.addTask { (write.number, await result(of: write, writer, log)) }
            }
            return await group.reduce(into: [Int: Result<Int, any Error>]()) { $0[$1.0] = $1.1 }
        }
        interruption?.cancel()
        await interruption?.value
        try writer.close()
        return try judge(results, log, DatabaseQueue(path: path))
    }

    private func interrupt(_ writer: any DatabaseWriter) async {
        while !Task.isCancelled {
            usleep(300)
            writer.interrupt()
            await Task.yield()
        }
    }

    private func result(
        of write: Write, _ writer: any DatabaseWriter, _ log: CompletionLog
    ) async -> Result<Int, any Error> {
        let body: @Sendable (Database) throws -> Int = { db in try run(write, db, log) }
        let task = Task {
            write.isPlain && !write.steps.contains(where: \.endsTransaction)
                ? try await writer.write(body) : try await writer.batchedWrite(body)
        }
        if let microseconds = write.cancellation {
            DispatchQueue.global().asyncAfter(
                deadline: .now() + .microseconds(Int(microseconds))
            ) { task.cancel() }
        }
        return await task.result
    }

    /// - returns: the number of rows that the write has inserted.
    private func run(_ write: Write, _ db: Database, _ log: CompletionLog) throws -> Int {
        log.register(write.number, db)
        var count = 0
        for step in write.steps {
            do {
                try run(step, write.number, db, &count)
            } catch {
                // SQLite has rolled back the transaction, or the step can't be undone.
                if !write.catchesErrors { throw error }
            }
        }
        return count
    }

    private func run(_ step: Step, _ number: Int, _ db: Database, _ count: inout Int) throws {
        func insert(_ rows: Int = 1) throws {
            try db.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
                    INSERT INTO row (write) SELECT ? FROM n
                    """, arguments: [rows, number])
            count += rows
        }
        let former = count
        switch step {
        case .insert: try insert()
        case .insertMany: try insert(300)
        case .read: _ = try Int.fetchOne(db, sql: "SELECT SUM(write) FROM row")
        case .yield: usleep(100)
        case .savepoint:
            try db.inSavepoint {
                try insert(2)
                // Before the release, which an interruption may undo.
                count = former
                return .commit
            }
            count = former + 2
        case .undoneSavepoint:
            try db.inSavepoint {
                try insert(2)
                return .rollback
            }
            count = former
        case .failingSavepoint:
            do {
                try db.inSavepoint {
                    try insert(2)
                    throw ModelError()
                }
            } catch is ModelError {
                count = former
            }
        case .sameSavepoint:
            try db.execute(sql: "SAVEPOINT grdb")
            try insert()
            try db.execute(sql: "RELEASE grdb")
        case .openSavepoint:
            try insert()
            try db.execute(sql: "SAVEPOINT \(number % 2 == 0 ? "grdb" : "other")")
            try insert()
            throw ModelError()
        case .releaseSavepoint:
            try insert()
            try db.execute(sql: "\(number % 2 == 0 ? "RELEASE" : "ROLLBACK TO") \"grdb batch\"")
        case .deferForeignKeys:
            try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
        case .satisfiedLater:
            try db.execute(sql: "INSERT INTO later VALUES (?1, ?1)", arguments: [number])
            try db.execute(sql: "INSERT OR IGNORE INTO parent VALUES (?)", arguments: [number])
        case .commit: try number % 2 == 0 ? db.commit() : db.execute(sql: "END")
        case .rollback: try number % 2 == 0 ? db.rollback() : db.execute(sql: "ROLLBACK")
        case .cCommit:
            try insert()
            sqlite3_exec(
                db.sqliteConnection, number % 2 == 0 ? "COMMIT" : "ROLLBACK", nil, nil, nil)
        case .begin: try db.beginTransaction()
        case .orRollback:
            try insert()
            try db.execute(sql: "INSERT OR ROLLBACK INTO row (id) VALUES (1), (1)")
        case .raiseRollback: try db.execute(sql: "INSERT INTO raised VALUES (1)")
        case .onConflictRollback: try db.execute(sql: "INSERT INTO strict VALUES (1)")
        case .violateLater:
            try db.execute(sql: "INSERT INTO later VALUES (?, -1)", arguments: [number])
        case .violateNow:
            try db.execute(sql: "INSERT INTO now VALUES (?, -1)", arguments: [number])
        case .tooLate: try db.withTimeLimit(0.0005) { try insert(50_000) }
        case .refused: try db.execute(sql: "INSERT INTO refused VALUES (1)")
        case .overflow: try db.execute(sql: "INSERT INTO recorded VALUES (1)")
        case .throwError: throw ModelError()
        }
    }

    // MARK: - Judging

    private func judge(
        _ results: [Int: Result<Int, any Error>], _ log: CompletionLog, _ queue: DatabaseQueue
    ) throws -> String? {
        try queue.read { db in
            func counts(_ sql: String) throws -> [Int: Int] {
                try Dictionary(
                    uniqueKeysWithValues: Row.fetchAll(db, sql: sql).map { ($0[0], $0[1]) })
            }
            let rows = try counts("SELECT write, COUNT(*) FROM row GROUP BY 1")
            let entries = try counts(
                "SELECT new ->> 'write', COUNT(*) FROM grdb_outbox_all GROUP BY 1")
            if rows != entries { return "the outbox has \(entries) of \(rows)" }
            for write in writes {
                let found = rows[write.number] ?? 0
                let (commits, rollbacks, registrations) = log.counts(write.number)
                func wrong(_ text: String) -> String {
                    "\(write): \(results[write.number]!), \(found) rows, \(commits) commits: \(text)"
                }
                if commits + rollbacks != registrations { return wrong("completions") }
                switch results[write.number]! {
                case .success(let count):
                    if found != count { return wrong("rows") }
                    if commits != 1 { return wrong("commits") }
                case .failure(let error):
                    if found != 0 { return wrong("rows") }
                    if commits != 0 { return wrong("commits") }
                    let code = (error as? DatabaseError)?.resultCode
                    // A write that goes on after an interruption may fail in any way.
                    let isExcused =
                        isInterrupted && (code == .SQLITE_INTERRUPT || write.catchesErrors)
                    if write.mustSucceed, !isExcused { return wrong("must succeed") }
                }
            }
            let known = try Int.fetchOne(
                db, sql: "SELECT (SELECT COUNT(*) FROM refused) + (SELECT COUNT(*) FROM recorded)")
            return known == 0 ? nil : "refused rows"
        }
    }
}

extension BatchModel.Step {
    /// Whether a plain write may do this.
    fileprivate var endsTransaction: Bool {
        switch self {
        case .commit, .rollback, .cCommit, .releaseSavepoint: true
        default: false
        }
    }
}

private struct ModelError: Error {}

/// Refuses transactions that change a table.
///
/// `@unchecked Sendable`: used on the queue of the writer only.
private final class RefusingObserver: TransactionObserver, @unchecked Sendable {
    private var hasChanges = false

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        eventKind.tableName == "refused"
    }

    func databaseDidChange(with event: DatabaseEvent) { hasChanges = true }
    func databaseWillCommit() throws { if hasChanges { throw ModelError() } }
    func databaseDidCommit(_ db: Database) { hasChanges = false }
    func databaseDidRollback(_ db: Database) { hasChanges = false }
}

/// What `afterNextTransaction` has called for each write.
///
/// `@unchecked Sendable`: the counts are only touched under the lock.
private final class CompletionLog: @unchecked Sendable {
    private let lock = NSLock()
    private var all: [Int: (commits: Int, rollbacks: Int, registrations: Int)] = [:]

    func register(_ number: Int, _ db: Database) {
        change(number) { $0.registrations += 1 }
        db.afterNextTransaction { _ in
            self.change(number) { $0.commits += 1 }
        } onRollback: { _ in
            self.change(number) { $0.rollbacks += 1 }
        }
    }

    func counts(_ number: Int) -> (commits: Int, rollbacks: Int, registrations: Int) {
        lock.withLock { all[number] ?? (0, 0, 0) }
    }

    private func change(
        _ number: Int, _ body: (inout (commits: Int, rollbacks: Int, registrations: Int)) -> Void
    ) {
        lock.withLock { body(&all[number, default: (0, 0, 0)]) }
    }
}
