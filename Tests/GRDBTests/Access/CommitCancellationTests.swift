import Dispatch
import Foundation
@testable import GRDB
import GRDBTestSupport
import Testing

/// What observers do after a transaction, when the access that has ended it is cancelled, or takes too
/// long.
@Suite(.databases) struct CommitCancellationTests {
    /// Cancels the task of an access from inside of a statement.
    private final class Canceller: @unchecked Sendable {
        private let task = Locked<Task<Void, any Error>?>(nil)
        private let isTaskKnown = DispatchSemaphore(value: 0)
        private let isArmed = Locked(false)

        func setTask(_ task: Task<Void, any Error>) {
            self.task.withLock { $0 = task }
            isTaskKnown.signal()
        }

        /// To be called in the access.
        func waitForTask() { isTaskKnown.wait() }

        /// Has the next call of `cancel()` cancel the task.
        func arm() { isArmed.withLock { $0 = true } }

        var isCancelled: Bool { !isArmed.withLock { $0 } }

        func cancelIfArmed() {
            let isArmed = isArmed.withLock { isArmed in
                defer { isArmed = false }
                return isArmed
            }
            if isArmed { task.withLock { $0 }?.cancel() }
        }
    }

    /// A database with a function that cancels.
    private func makeWriter(
        _ kind: DatabaseKind, _ canceller: Canceller
    ) throws -> any DatabaseWriter {
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { db in
            db.add(
                function: DatabaseFunction("cancel", argumentCount: 1) { values in
                    canceller.cancelIfArmed()
                    return values[0]
                })
        }
        let writer = try TestDatabases.makeWriter(kind, configuration)
        try writer.write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)")
        }
        return writer
    }

    /// The statement that is cancelled at its first row.
    @Sendable private static func sum(_ db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT SUM(cancel(a)) FROM t") ?? 0
    }

    enum Commit: CaseIterable {
        case write, transaction, savepoint, statement, byHand, cursor

        /// Inserts 10 into the table.
        func callAsFunction(
            _ writer: any DatabaseWriter, _ prepare: @escaping @Sendable (Database) -> Void
        ) async throws {
            let sql = "INSERT INTO t VALUES (10)"
            switch self {
            case .write:
                try await writer.write { db in
                    prepare(db)
                    try db.execute(sql: sql)
                }
            case .transaction:
                try await writer.writeWithoutTransaction { db in
                    prepare(db)
                    try db.inTransaction {
                        try db.execute(sql: sql)
                        return .commit
                    }
                }
            case .savepoint:
                try await writer.writeWithoutTransaction { db in
                    prepare(db)
                    try db.inSavepoint {
                        try db.execute(sql: sql)
                        return .commit
                    }
                }
            case .statement:
                try await writer.writeWithoutTransaction { db in
                    prepare(db)
                    try db.execute(sql: sql)
                }
            case .byHand:
                try await writer.barrierWriteWithoutTransaction { db in
                    prepare(db)
                    try db.execute(sql: "BEGIN; \(sql); COMMIT")
                }
            case .cursor:
                // SQLite remembers an interruption as long as a statement is on a row.
                try await writer.writeWithoutTransaction { db in
                    prepare(db)
                    let cursor = try Row.fetchCursor(
                        db, sql: "SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3")
                    _ = try cursor.next()
                    try db.beginTransaction()
                    try db.execute(sql: sql)
                    try db.commit()
                    withExtendedLifetime(cursor) {}
                }
            }
        }
    }

    /// Runs an access in a task that can be cancelled, and describes how it ends.
    private func outcome(
        _ canceller: Canceller, _ body: @escaping @Sendable () async throws -> Void
    ) async -> String {
        let task = Task { try await body() }
        canceller.setTask(task)
        do {
            try await task.value
            return "success"
        } catch {
            return "\(error)"
        }
    }

    // MARK: - Observations

    /// A value that is fetched by the connection that has committed.
    @Test(arguments: DatabaseKind.allCases, Commit.allCases)
    func fetchAfterACommitIsNotCancelled(kind: DatabaseKind, commit: Commit) async throws {
        let canceller = Canceller()
        let writer = try makeWriter(kind, canceller)
        let transcript = Transcript()
        let cancellable = ValueObservation.tracking(Self.sum).start(in: writer, transcript)
        transcript.wait(last: "6")
        waitForWriter(writer)
        let result = await outcome(canceller) {
            try await commit(writer) { _ in
                canceller.waitForTask()
                canceller.arm()
            }
        }
        expectEqual(result, "success")
        transcript.wait(last: "16")
        expectTrue(canceller.isCancelled)
        // The observation goes on.
        try writer.execute("INSERT INTO t VALUES (100)")
        transcript.wait(last: "116")
        expectEqual(transcript.all, ["6", "16", "116"])
        cancellable.cancel()
    }

    /// The task is cancelled before the commit has returned.
    @Test(arguments: DatabaseKind.allCases, Commit.allCases)
    func cancellationDuringACommitHitsNoObserver(kind: DatabaseKind, commit: Commit) async throws {
        let canceller = Canceller()
        let writer = try makeWriter(kind, canceller)
        let transcript = Transcript()
        let cancellable = ValueObservation.tracking(Self.sum).start(in: writer, transcript)
        transcript.wait(last: "6")
        waitForWriter(writer)
        let recorder = TransactionRecorder()
        recorder.onWillCommit = { canceller.cancelIfArmed() }
        writer.add(transactionObserver: recorder, extent: .nextTransaction)
        let result = await outcome(canceller) {
            try await commit(writer) { _ in
                canceller.waitForTask()
                canceller.arm()
            }
        }
        expectEqual(result, "success")
        transcript.wait(last: "16")
        expectTrue(canceller.isCancelled)
        expectEqual(transcript.all, ["6", "16"])
        cancellable.cancel()
    }

    @Test(arguments: DatabaseKind.allCases, Commit.allCases)
    func regionObservationIsNotCancelled(kind: DatabaseKind, commit: Commit) async throws {
        let canceller = Canceller()
        let writer = try makeWriter(kind, canceller)
        let transcript = Transcript()
        let cancellable = DatabaseRegionObservation(tracking: Table("t")).start(
            in: writer, onError: { transcript.append("error \($0)") },
            onChange: { db in
                canceller.arm()
                transcript.append("\(Result { try Self.sum(db) })")
                transcript.append("\(Result { try Self.sum(db) })")
            })
        let result = await outcome(canceller) {
            try await commit(writer) { _ in canceller.waitForTask() }
        }
        expectEqual(result, "success")
        expectEqual(transcript.all, ["success(16)", "success(16)"])
        cancellable.cancel()
    }

    @Test(arguments: DatabaseKind.allCases, Commit.allCases)
    func transactionObserversAreNotCancelled(kind: DatabaseKind, commit: Commit) async throws {
        let canceller = Canceller()
        let writer = try makeWriter(kind, canceller)
        let transcript = Transcript()
        let recorder = TransactionRecorder()
        recorder.onCommit = { db in
            canceller.arm()
            transcript.append("\(Result { try Self.sum(db) })")
            // Transactions of observers have observers, too.
            recorder.onCommit = { db in transcript.append("\(Result { try Self.sum(db) })") }
            try? db.execute(sql: "INSERT INTO t VALUES (100)")
        }
        writer.add(transactionObserver: recorder)
        let result = await outcome(canceller) {
            try await commit(writer) { db in
                canceller.waitForTask()
                db.afterNextTransaction { db in
                    transcript.append("\(Result { try Self.sum(db) })")
                }
            }
        }
        expectEqual(result, "success")
        expectEqual(Set(transcript.all), ["success(16)", "success(116)"])
    }

    /// Observers of a rollback that the cancellation has caused.
    @Test(arguments: DatabaseKind.allCases)
    func observersOfARollbackAreNotCancelled(kind: DatabaseKind) async throws {
        let canceller = Canceller()
        let writer = try makeWriter(kind, canceller)
        let transcript = Transcript()
        let recorder = TransactionRecorder()
        recorder.onRollback = { db in transcript.append("\(Result { try Self.sum(db) })") }
        writer.add(transactionObserver: recorder)
        let result = await outcome(canceller) {
            try await writer.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (10)")
                let cursor = try Int.fetchCursor(db, sql: "SELECT a FROM t")
                _ = try cursor.next()
                canceller.waitForTask()
                canceller.arm()
                _ = try Self.sum(db)
                withExtendedLifetime(cursor) {}
            }
        }
        expectEqual(result, "CancellationError()")
        expectEqual(transcript.all, ["success(6)"])
    }

    // MARK: - The access itself

    /// What follows the commit in the access is cancelled still.
    @Test(arguments: DatabaseKind.allCases)
    func statementsAfterTheCommitAreCancelled(kind: DatabaseKind) async throws {
        let canceller = Canceller()
        let writer = try makeWriter(kind, canceller)
        let transcript = Transcript()
        let recorder = TransactionRecorder()
        recorder.onCommit = { db in
            canceller.arm()
            transcript.append("\(Result { try Self.sum(db) })")
        }
        writer.add(transactionObserver: recorder)
        let result = await outcome(canceller) {
            try await writer.writeWithoutTransaction { db in
                canceller.waitForTask()
                try db.execute(sql: "INSERT INTO t VALUES (10)")
                try db.execute(sql: "INSERT INTO t VALUES (100)")
            }
        }
        expectEqual(result, "CancellationError()")
        expectEqual(transcript.all, ["success(16)"])
        try await expectEqual(writer.read { try Self.sum($0) }, 16)
    }

    /// A cancellation after the observers interrupts the statement that runs, as ever.
    @Test(arguments: DatabaseKind.allCases)
    func cancellationAfterTheObserversInterrupts(kind: DatabaseKind) async throws {
        let canceller = Canceller()
        let writer = try makeWriter(kind, canceller)
        let recorder = TransactionRecorder()
        recorder.onCommit = { db in _ = try? Self.sum(db) }
        writer.add(transactionObserver: recorder)
        let result = await outcome(canceller) {
            try await writer.writeWithoutTransaction { db in
                canceller.waitForTask()
                try db.execute(sql: "INSERT INTO t VALUES (10)")
                canceller.arm()
                _ = try Self.sum(db)
            }
        }
        expectEqual(result, "CancellationError()")
    }

    // MARK: - Time limits

    /// The deadline of a commit is not that of the observers.
    @Test(arguments: DatabaseKind.allCases, [true, false])
    func timeLimitIsThatOfTheWriter(kind: DatabaseKind, commits: Bool) throws {
        let writer = try makeWriter(kind, Canceller())
        let transcript = Transcript()
        let recorder = TransactionRecorder()
        let connection = Locked<Bool>(false)
        recorder.onChange = { _ in connection.withLock { $0 = true } }
        let report: @Sendable (Database) -> Void = { db in
            transcript.append("\(Result { try Self.sum(db) })")
        }
        recorder.onCommit = report
        recorder.onRollback = report
        writer.add(transactionObserver: recorder)
        let observation = Transcript()
        let cancellable = ValueObservation.tracking(Self.sum).start(in: writer, observation)
        observation.wait(last: "6")
        try writer.writeWithoutTransaction { db in
            try db.withTimeLimit(patience) {
                try db.inTransaction {
                    try db.execute(sql: "INSERT INTO t VALUES (10)")
                    if commits {
                        recorder.onWillCommit = { [unowned db] in db.deadline = 0 }
                        return .commit
                    }
                    // The rollback comes about because time is up.
                    db.deadline = 0
                    expectError(
                        "SQLite error 9: Time limit exceeded - while executing `SELECT 1`"
                    ) {
                        try db.execute(sql: "SELECT 1")
                    }
                    return .rollback
                }
                // The writer has no more time.
                expectError(DatabaseError.self) { try Self.sum(db) }
            }
            try expectEqual(Self.sum(db), (commits ? 16 : 6))
        }
        expectEqual(transcript.all, [commits ? "success(16)" : "success(6)"])
        if commits { observation.wait(last: "16") }
        expectEqual(observation.all, (commits ? ["6", "16"] : ["6"]))
        cancellable.cancel()
    }

    /// An observer may limit its own time.
    @Test func observersHaveTheirOwnTimeLimits() throws {
        let writer = try makeWriter(.queue, Canceller())
        let transcript = Transcript()
        let recorder = TransactionRecorder()
        recorder.onCommit = { db in
            transcript.append(
                "\(Result { try db.withTimeLimit(0) { try Self.sum(db) } }.isSuccess)")
            transcript.append("\(Result { try Self.sum(db) }.isSuccess)")
        }
        writer.add(transactionObserver: recorder)
        try writer.writeWithoutTransaction { db in
            try db.withTimeLimit(patience) { try db.execute(sql: "INSERT INTO t VALUES (10)") }
        }
        expectEqual(transcript.all, ["false", "true"])
    }
}

extension Result {
    fileprivate var isSuccess: Bool { (try? get()) != nil }
}
