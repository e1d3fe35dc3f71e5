@testable import GRDBServer
import Dispatch
import Foundation
import GRDB
import GRDBChanges
import GRDBSQLite
import GRDBTestSupport
import Testing

/// Writes that share a transaction.
@Suite(.databases) struct BatchedWriteTests {
    private func makeWriter(
        _ kind: DatabaseKind, _ configuration: Configuration? = nil
    ) throws -> any DatabaseWriter {
        var shared = TestDatabases.makeConfiguration()
        // However slow the machine is
        shared.maximumBatchedWriteDuration = 100
        let writer = try TestDatabases.makeWriter(kind, configuration ?? shared)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE parent (id INTEGER PRIMARY KEY);
                    CREATE TABLE t (
                        a UNIQUE,
                        b REFERENCES parent DEFERRABLE INITIALLY DEFERRED)
                    """)
        }
        return writer
    }

    private func values(_ writer: any DatabaseWriter) async throws -> [Int] {
        try await writer.read { try Int.fetchAll($0, sql: "SELECT a FROM t ORDER BY rowid") }
    }

    @Sendable private func insert(_ db: Database, _ value: Int) throws {
        try db.execute(sql: "INSERT INTO t (a) VALUES (?)", arguments: [value])
    }

    /// Starts tasks one after the other. All wait for the writer when this calls its last argument.
    ///
    /// - returns: the results of the tasks.
    private func run<T: Sendable>(
        _ writer: any DatabaseWriter, count: Int,
        _ updates: @escaping @Sendable (Database, Int) throws -> T,
        whenAllWait: ([Task<T, any Error>]) throws -> Void = { _ in }
    ) async throws -> [Result<T, any Error>] {
        let executor = SerialTaskExecutor()
        let release = DispatchSemaphore(value: 0)
        writer.asyncWriteWithoutTransaction { _ in release.wait() }
        let tasks = (0..<count).map { number in
            Task(executorPreference: executor) {
                try await writer.batchedWrite { db in try updates(db, number) }
            }
        }
        // Each task has run until it waits for the writer.
        executor.finishJobs()
        do {
            defer { release.signal() }
            try whenAllWait(tasks)
        }
        var results: [Result<T, any Error>] = []
        for task in tasks { results.append(await task.result) }
        return results
    }

    private func description<T>(_ result: Result<T, any Error>) -> String {
        switch result {
        case .success(let value): "\(value)"
        case .failure(let error): "\(error)"
        }
    }

    @Test(arguments: DatabaseKind.allCases) func writesShareATransaction(
        kind: DatabaseKind
    ) async throws {
        let writer = try makeWriter(kind)
        let log = Log<String>()
        writer.add(
            transactionObserver: TransactionRecorder(log: log), extent: .databaseLifetime)
        let results = try await run(writer, count: 5) { db, number in
            try insert(db, number)
            // Those before it are seen.
            return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")!
        }
        try expectEqual(results.map { try $0.get() }, [1, 2, 3, 4, 5])
        try await expectEqual(values(writer), [0, 1, 2, 3, 4])
        let lines = log.elements
        expectEqual(lines.filter { $0.hasPrefix("didChange insert") }.count, 5)
        expectEqual(lines.suffix(2), ["willCommit", "didCommit"])
        expectEqual(lines.filter { $0 == "didCommit" }.count, 1)
        // Alone
        try await expectTrue(writer.batchedWrite { try insert($0, 5) } == ())
        try await expectTrue(AnyDatabaseWriter(writer).batchedWrite { try insert($0, 6) } == ())
        try await expectEqual(values(writer), [0, 1, 2, 3, 4, 5, 6])
        expectEqual(log.elements.filter { $0 == "didCommit" }.count, 3)
    }

    @Test(arguments: DatabaseKind.allCases) func limits(kind: DatabaseKind) async throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.maximumBatchedWriteCount = 2
        let log = Log<String>()
        for duration in [100, 0, -1, .infinity, .nan] {
            configuration.maximumBatchedWriteDuration = duration
            let writer = try makeWriter(kind, configuration)
            log.removeAll()
            writer.add(
                transactionObserver: TransactionRecorder(log: log), extent: .databaseLifetime)
            let results = try await run(writer, count: 5) { db, number in try insert(db, number) }
            expectTrue(results.allSatisfy { (try? $0.get()) != nil })
            try await expectEqual(values(writer), [0, 1, 2, 3, 4])
            let commitCount = log.elements.filter { $0 == "didCommit" }.count
            expectEqual(commitCount, (duration > 0 ? 3 : 5), "\(duration)")
        }
    }

    // MARK: - Failures of one write

    @Test(arguments: DatabaseKind.allCases) func errorsUndoTheirWriteOnly(
        kind: DatabaseKind
    ) async throws {
        let writer = try makeWriter(kind)
        let log = Log<String>()
        writer.add(
            transactionObserver: TransactionRecorder(log: log), extent: .databaseLifetime)
        let results = try await run(writer, count: 6) { db, number in
            try insert(db, number)
            switch number {
            case 1: throw TestError("one")
            case 2: try insert(db, 0)
            case 3: try db.execute(sql: "INSERT INTO t (a, b) VALUES (100, 7)")
            case 4: db.add(function: DatabaseFunction("f\u{0}") { _ in nil })
            default: break
            }
            return number
        }
        try expectEqual(results[0].get(), 0)
        expectEqual(description(results[1]), "TestError one")
        expectTrue(
            description(results[2]).hasPrefix("SQLite error 19: UNIQUE constraint failed: t.a"))
        expectEqual(description(results[3]), "SQLite error 19: FOREIGN KEY constraint failed")
        expectTrue(description(results[4]).contains("could not"))
        try expectEqual(results[5].get(), 5)
        try await expectEqual(values(writer), [0, 5])
        expectEqual(log.elements.filter { $0.hasPrefix("did") }.count, 3)
    }

    /// A write that throws returns when the transaction has ended, like all others.
    @Test(arguments: DatabaseKind.allCases) func errorsWaitForTheCommit(
        kind: DatabaseKind
    ) async throws {
        let writer = try makeWriter(kind)
        let observer = SlowCommits()
        writer.add(transactionObserver: observer)
        await expectError(TestError()) {
            try await writer.batchedWrite { _ in throw TestError() }
        }
        expectTrue(observer.hasCommitted)
    }

    @Test(arguments: DatabaseKind.allCases) func cancellationWhileWaiting(
        kind: DatabaseKind
    ) async throws {
        let writer = try makeWriter(kind)
        let results = try await run(
            writer, count: 4, { db, number in try insert(db, number) },
            whenAllWait: { tasks in
                tasks[0].cancel()
                tasks[2].cancel()
            })
        expectEqual(results.map { (try? $0.get()) != nil }, [false, true, false, true])
        expectEqual(description(results[0]), "CancellationError()")
        try await expectEqual(values(writer), [1, 3])
        // All of them
        let none = try await run(
            writer, count: 2, { db, number in try insert(db, number) },
            whenAllWait: { tasks in tasks.forEach { $0.cancel() } })
        expectEqual(none.map(description), ["CancellationError()", "CancellationError()"])
        try await expectEqual(values(writer), [1, 3])
    }

    @Test(arguments: DatabaseKind.allCases) func cancellationWhileRunning(
        kind: DatabaseKind
    ) async throws {
        let writer = try makeWriter(kind)
        let isRunning = DispatchSemaphore(value: 0)
        let results = try await run(
            writer, count: 3,
            { db, number in
                try insert(db, number)
                if number == 1 {
                    isRunning.signal()
                    try db.execute(sql: endlessSQL)
                }
            },
            whenAllWait: { tasks in
                let task = tasks[1]
                DispatchQueue(label: "canceller").async {
                    isRunning.wait()
                    task.cancel()
                }
            })
        expectEqual(results.map { (try? $0.get()) != nil }, [true, false, true])
        expectEqual(description(results[1]), "CancellationError()")
        try await expectEqual(values(writer), [0, 2])
    }

    /// What has returned can't be cancelled, although its transaction is open.
    @Test(arguments: DatabaseKind.allCases) func cancellationBeforeTheCommit(
        kind: DatabaseKind
    ) async throws {
        let writer = try makeWriter(kind)
        let isRunning = DispatchSemaphore(value: 0)
        let isCancelled = DispatchSemaphore(value: 0)
        let results = try await run(
            writer, count: 2,
            { db, number in
                try insert(db, number)
                if number == 1 {
                    isRunning.signal()
                    isCancelled.wait()
                    // Nothing is interrupted.
                    _ = try Int.fetchAll(db, sql: "SELECT a FROM t")
                }
            },
            whenAllWait: { tasks in
                let task = tasks[0]
                DispatchQueue(label: "canceller").async {
                    isRunning.wait()
                    task.cancel()
                    isCancelled.signal()
                }
            })
        expectEqual(results.map { (try? $0.get()) != nil }, [true, true])
        try await expectEqual(values(writer), [0, 1])
    }

    // MARK: - Failures of the transaction

    @Test(arguments: DatabaseKind.allCases) func failedCommits(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let recorder = TransactionRecorder()
        recorder.onWillCommit = { throw TestError("commit") }
        writer.add(transactionObserver: recorder, extent: .databaseLifetime)
        let results = try await run(writer, count: 3) { db, number in
            try insert(db, number)
            if number == 1 { throw TestError("one") }
        }
        expectEqual(
            results.map(description),
            ["TestError commit", "TestError one", "TestError commit"])
        try await expectEqual(values(writer), [])
    }

    /// Whatever ends the transaction is the failure of one write. The others run again.
    @Test(arguments: DatabaseKind.allCases, Failing.allCases)
    private func writesThatEndTheTransaction(kind: DatabaseKind, failing: Failing) async throws {
        let writer = try makeWriter(kind)
        if failing == .observer {
            let log = Log<String>()
            let recorder = TransactionRecorder(log: log)
            recorder.onWillCommit = {
                if log.elements.contains("didChange insert main.refused 1") {
                    throw TestError("refused")
                }
            }
            recorder.onRollback = { _ in log.removeAll() }
            writer.add(transactionObserver: recorder, extent: .databaseLifetime)
        }
        try await writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE refused (a);
                    CREATE TABLE raised (a);
                    CREATE TRIGGER raises BEFORE INSERT ON raised
                    BEGIN SELECT RAISE(ROLLBACK, 'raised'); END;
                    CREATE TABLE strict (a UNIQUE ON CONFLICT ROLLBACK);
                    INSERT INTO strict VALUES (1)
                    """)
        }
        if failing == .outbox {
            _ = try writer.outbox(
                named: "o", tables: ["refused"], limit: .refuse(highWaterMark: 0))
        }
        let isRunning = DispatchSemaphore(value: 0)
        let results = try await run(
            writer, count: 5,
            { db, number in
                try insert(db, number)
                if number == 2 { try failing.run(db, isRunning) }
            },
            whenAllWait: { tasks in
                let task = tasks[2]
                guard failing == .cancellation || failing == .interruption else { return }
                Thread.detachNewThread {
                    isRunning.wait()
                    if failing == .cancellation { task.cancel() } else { writer.interrupt() }
                }
            })
        expectEqual(results.map { (try? $0.get()) != nil }, [true, true, false, true, true])
        expectTrue(description(results[2]).contains(failing.message))
        try await expectEqual(values(writer).sorted(), [0, 1, 3, 4])
    }

    private enum Failing: String, CaseIterable, CustomTestStringConvertible {
        case commit, end, rollback, commitMethod, rollbackMethod, commitInC, rollbackInC
        case orRollback, onConflictRollback, raiseRollback, full
        case cancellation, interruption, timeLimit
        case outbox, observer, openSavepoint, releasedSavepoint

        var testDescription: String { rawValue }

        var message: String {
            switch self {
            case .commit, .end, .rollback, .commitMethod, .rollbackMethod, .releasedSavepoint:
                "error 21: A batched write can't end the transaction that it shares"
            case .commitInC, .rollbackInC: "error 4: Transaction was aborted"
            case .orRollback: "UNIQUE constraint failed: t.a"
            case .onConflictRollback: "UNIQUE constraint failed: strict.a"
            case .raiseRollback: "raised"
            case .full: "database or disk is full"
            case .cancellation: "CancellationError"
            case .interruption: "interrupted"
            case .timeLimit: "Time limit exceeded"
            case .outbox: "The outbox o is full"
            case .observer: "TestError refused"
            case .openSavepoint: "TestError open"
            }
        }

        func run(_ db: Database, _ isRunning: DispatchSemaphore) throws {
            db.add(
                function: DatabaseFunction("running", argumentCount: 0) { _ in
                    isRunning.signal()
                    return nil
                })
            switch self {
            case .commit: try db.execute(sql: "COMMIT")
            case .end: try db.execute(sql: "END TRANSACTION")
            case .rollback: try db.execute(sql: "ROLLBACK")
            case .commitMethod: try db.commit()
            case .rollbackMethod: try db.rollback()
            case .commitInC: sqlite3_exec(db.sqliteConnection, "COMMIT", nil, nil, nil)
            case .rollbackInC: sqlite3_exec(db.sqliteConnection, "ROLLBACK", nil, nil, nil)
            case .orRollback: try db.execute(sql: "INSERT OR ROLLBACK INTO t (a) VALUES (2)")
            case .onConflictRollback: try db.execute(sql: "INSERT INTO strict VALUES (1)")
            case .raiseRollback: try db.execute(sql: "INSERT INTO raised VALUES (1)")
            case .full:
                let count = try Int.fetchOne(db, sql: "PRAGMA page_count")! + 1
                let former = try Int.fetchOne(db, sql: "PRAGMA max_page_count")!
                try db.execute(sql: "PRAGMA max_page_count = \(count)")
                defer {
                    // The library runs no statement after the rollback.
                    sqlite3_exec(
                        db.sqliteConnection, "PRAGMA max_page_count = \(former)", nil, nil, nil)
                }
                try db.execute(sql: "INSERT INTO raised SELECT 1 WHERE 0")
                try db.execute(sql: "INSERT INTO refused VALUES (zeroblob(1000000))")
            case .cancellation, .interruption: try db.execute(sql: Self.endlessInsert)
            case .timeLimit: try db.withTimeLimit(0.01) { try db.execute(sql: Self.endlessInsert) }
            case .outbox, .observer: try db.execute(sql: "INSERT INTO refused VALUES (1)")
            case .openSavepoint:
                try db.execute(sql: "SAVEPOINT grdb; INSERT INTO t (a) VALUES (100)")
                throw TestError("open")
            case .releasedSavepoint: try db.execute(sql: "RELEASE \"GRDB batch\"")
            }
        }

        private static let endlessInsert = """
            WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n)
            INSERT INTO refused SELECT running() FROM n
            """
    }

    /// The end of a write is told to what it has added, whatever becomes of the transaction.
    @Test(arguments: DatabaseKind.allCases) func completionHandlers(
        kind: DatabaseKind
    ) async throws {
        let writer = try makeWriter(kind)
        let log = Log<String>()
        let results = try await run(writer, count: 4) { db, number in
            db.afterNextTransaction { _ in
                log.append("commit \(number)")
            } onRollback: { _ in
                log.append("rollback \(number)")
            }
            let recorder = TransactionRecorder(log: log)
            db.add(transactionObserver: recorder, extent: .nextTransaction)
            recorder.onWillCommit = { if number == 1 { throw TestError() } }
            try insert(db, number)
            if number == 1 { throw TestError() }
        }
        expectEqual(results.map { (try? $0.get()) != nil }, [true, false, true, true])
        expectEqual(
            log.elements.filter { $0.contains("mit ") || $0.contains("back ") },
            [
                "commit 0", "rollback 1", "commit 2", "commit 3",
            ])
        let counts = ["didRollback", "willCommit", "didChange insert"].map { prefix in
            log.elements.count { $0.hasPrefix(prefix) }
        }
        expectEqual(counts, [1, 3, 6])
    }

    @Test(arguments: DatabaseKind.allCases) func settingsOfOneWrite(kind: DatabaseKind) async throws
    {
        let writer = try makeWriter(kind)
        try await writer.write { db in
            try db.execute(sql: "CREATE TABLE now (b REFERENCES parent)")
        }
        let results = try await run(writer, count: 4) { db, number in
            switch number {
            case 0, 1:
                try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
                if number == 1 { throw TestError() }
            case 2:
                // In a statement of its own
                expectError(DatabaseError.self) {
                    try db.execute(sql: "INSERT INTO now VALUES (1)")
                }
            default: break
            }
            try insert(db, number)
        }
        expectEqual(results.map { (try? $0.get()) != nil }, [true, false, true, true])
        try await expectEqual(values(writer), [0, 2, 3])
    }

    @Test func transactionsThatCannotBegin() async throws {
        let path = TestDatabases.makePath()
        var configuration = TestDatabases.makeConfiguration()
        configuration.maximumBatchedWriteCount = 2
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try await queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        let other = try DatabaseQueue(
            path: path, configuration: TestDatabases.makeConfiguration())
        let results = try await other.unsafeReentrantLock {
            try await run(queue, count: 5) { db, number in try insert(db, number) }
        }
        for result in results {
            expectTrue(description(result).hasPrefix("SQLite error 5: database is locked"))
        }
        try await expectTrue(queue.batchedWrite { try insert($0, 1) } == ())
        try await expectEqual(values(queue), [1])
    }

    @Test(arguments: DatabaseKind.allCases) func openTransactionsRefuseBatches(
        kind: DatabaseKind
    ) async throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.allowsUnsafeTransactions = true
        let writer = try makeWriter(kind, configuration)
        try await writer.writeWithoutTransaction { try $0.beginTransaction() }
        let results = try await run(writer, count: 2) { db, number in try insert(db, number) }
        for result in results {
            expectTrue(
                description(result).hasPrefix(
                    "SQLite error 1: cannot start a transaction within a transaction"))
        }
        try await writer.writeWithoutTransaction { try $0.rollback() }
        try await expectTrue(writer.batchedWrite { try insert($0, 1) } == ())
    }

    @Test(arguments: DatabaseKind.allCases) func closedDatabases(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        try writer.close()
        await expectError(DatabaseError.self) { try await writer.batchedWrite { _ in } }
    }

    @Test func readOnlyDatabases() async throws {
        let path = TestDatabases.makePath()
        try await DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE t (a)") }
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        let error = await expectError(DatabaseError.self) {
            try await queue.batchedWrite { try insert($0, 1) }
        }
        expectEqual(error?.resultCode, .SQLITE_READONLY)
    }

    // MARK: - What remains of a write

    /// A cursor of an earlier write does not go on in a later one.
    @Test(arguments: DatabaseKind.allCases) func cursorsEnd(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        try await writer.write { db in
            for value in 10...12 { try insert(db, value) }
        }
        let kept = Log<Kept>()
        let results = try await run(writer, count: 2) { db, number in
            if number == 0 {
                let cursor = try Int.fetchCursor(db, sql: "SELECT a FROM t")
                _ = try cursor.next()
                kept.append(Kept(cursor: cursor))
            } else {
                expectError((any Error).self) {
                    while try kept.elements[0].cursor.next() != nil {}
                }
                try db.execute(sql: "DELETE FROM t")
            }
        }
        expectTrue(results.allSatisfy { (try? $0.get()) != nil })
        try await expectEqual(values(writer), [])
    }

    /// `@unchecked Sendable`: used on the queue of the writer only.
    private struct Kept: @unchecked Sendable {
        let cursor: FastDatabaseValueCursor<Int>
    }

    /// Whatever happens, each value is there or its task knows better.
    @Test(arguments: DatabaseKind.allCases) func manyTasks(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let succeeded = await withTaskGroup(of: Int?.self) { group in
            for number in 0..<300 {
                group.addTask {
                    let task = Task {
                        try await writer.batchedWrite { db in
                            try insert(db, number)
                            if number % 7 == 0 { throw TestError() }
                        }
                    }
                    if number % 5 == 0 { task.cancel() }
                    return (try? await task.value) == nil ? nil : number
                }
            }
            return await group.reduce(into: [Int]()) { if let number = $1 { $0.append(number) } }
        }
        try await expectEqual(values(writer).sorted(), succeeded.sorted())
        let expectedCount = 300 * 6 / 7 * 4 / 5 - 2
        #expect(succeeded.count >= expectedCount)
    }
}

extension DatabaseQueue {
    /// Holds a write lock on the file.
    fileprivate func unsafeReentrantLock<T>(_ body: () async throws -> T) async throws -> T {
        let isLocked = Log<Void>()
        let release = DispatchSemaphore(value: 0)
        asyncWriteWithoutTransaction { db in
            try? db.inTransaction(.immediate) {
                isLocked.append(())
                release.wait()
                return .rollback
            }
        }
        await isLocked.wait(forCount: 1)
        defer {
            release.signal()
            try? write { _ in }
        }
        return try await body()
    }
}

/// Runs the jobs of tasks one after the other.
private final class SerialTaskExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "SerialTaskExecutor")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Waits until all jobs have run that are enqueued now.
    func finishJobs() {
        queue.sync {}
    }
}

/// Delays commits.
///
/// `@unchecked Sendable`: the flag is only touched under the lock.
private final class SlowCommits: TransactionObserver, @unchecked Sendable {
    private let lock = NSLock()
    private var flag = false

    var hasCommitted: Bool { lock.withLock { flag } }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseWillCommit() throws { usleep(200_000) }
    func databaseDidCommit(_ db: Database) { lock.withLock { flag = true } }
    func databaseDidRollback(_ db: Database) {}
}
