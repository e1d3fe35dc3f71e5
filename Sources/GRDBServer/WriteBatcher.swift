import GRDB
import Dispatch

/// Collects the writes that are waiting for the writer at the same time, and commits them together.
///
/// One block on the writer's queue serves all writes that are waiting when it begins, and those that
/// arrive before it ends. Each write runs in a savepoint of one shared transaction, as part of the task
/// that requested it. The task continues after the commit.
final class WriteBatcher: Sendable {
    private struct Waiting: Sendable {
        var accesses: [TaskAccess] = []
        /// The index of the first access to serve. Served accesses are removed from time to time.
        var start = 0
        /// Whether a block on the queue of the writer will serve the accesses.
        var isScheduled = false

        mutating func next() -> TaskAccess? {
            guard start < accesses.count else { return nil }
            defer {
                start += 1
                if start == accesses.count {
                    accesses.removeAll(keepingCapacity: true)
                    start = 0
                } else if start == 512 {
                    accesses.removeFirst(start)
                    start = 0
                }
            }
            return accesses[start]
        }
    }

    /// The connection owns this object.
    private unowned let writer: SerializedDatabase
    private let maximumCount: Int
    /// In nanoseconds.
    private let maximumDuration: UInt64
    private let waiting = Locked(Waiting())

    init(_ writer: SerializedDatabase) {
        self.writer = writer
        maximumCount = max(1, writer.configuration.maximumBatchedWriteCount)
        let seconds = writer.configuration.maximumBatchedWriteDuration
        // NaN and infinity can't be converted to nanoseconds.
        maximumDuration = seconds > 0 ? UInt64(min(seconds, 3600) * 1e9) : 0
    }

    /// Runs the closure in a savepoint of a shared transaction, and waits for the commit.
    func write<T: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await TaskAccess.runInBatch(updates) { [self] access in
            guard access.wait(onCancel: {}) else { return }
            let mustSchedule = waiting.withLock { waiting in
                waiting.accesses.append(access)
                defer { waiting.isScheduled = true }
                return !waiting.isScheduled
            }
            if mustSchedule { schedule() }
        }
    }

    private func schedule() {
        writer.queue.async { [self, writer] in
            defer { withExtendedLifetime(writer) {} }
            serve()
            let isDone = waiting.withLock { waiting in
                waiting.isScheduled = waiting.start < waiting.accesses.count
                return !waiting.isScheduled
            }
            // Not in a loop, so that other accesses get their turn.
            if !isDone { schedule() }
        }
    }

    /// Runs one transaction.
    private func serve() {
        guard let first = next() else { return }
        let batch = WriteBatch()
        do {
            try writer.exclusiveAccess { db in
                try db.inTransaction {
                    batch.begin(db)
                    run(first, and: batch, db)
                    return .commit
                }
            }
            batch.end(.success(()))
        } catch {
            batch.end(.failure(error))
            guard !batch.hasBegun else { return }
            // These accesses would have run in the transaction.
            first.fail(error)
            for _ in 1..<maximumCount {
                guard let access = next() else { return }
                access.fail(error)
            }
        }
    }

    private func run(_ first: TaskAccess, and batch: WriteBatch, _ db: Database) {
        let end = Monotonic.nanoseconds &+ maximumDuration
        var access: TaskAccess? = first
        var count = 0
        while let current = access {
            current.run(in: batch, writer)
            db.endCursors()
            // The transaction was rolled back. The remaining accesses get another one.
            if db.raw.isInAutocommitMode { return }
            count += 1
            access = count < maximumCount && Monotonic.nanoseconds < end ? next() : nil
        }
    }

    private func next() -> TaskAccess? {
        waiting.withLock { $0.next() }
    }
}

/// A transaction that several tasks share.
///
/// `@unchecked Sendable`: `db` is used on the queue of the writer only.
final class WriteBatch: SharedTransaction, @unchecked Sendable {
    private struct State {
        var continuations: [CheckedContinuation<Void, any Error>] = []
        /// Nil until the transaction has ended.
        var result: Result<Void, any Error>?
    }

    private let state = Locked(State())
    private var db: Database?

    /// Whether the transaction was opened.
    var hasBegun: Bool { db != nil }

    func begin(_ db: Database) {
        self.db = db
    }

    /// Runs the closure in a savepoint, until it is cancelled.
    func write<T>(
        _ updates: (Database) throws -> T, until cancellation: AccessCancellation
    ) throws -> T {
        let db = db!
        db.cancellation = cancellation
        // Before the next write, so that the cancellation can't interrupt it.
        defer {
            cancellation.end()
            db.cancellation = nil
            // The savepoint has already thrown this failure.
            _ = db.takeKeptFailure()
        }
        var result: T?
        try db.inSavepoint {
            result = try updates(db)
            // Checked here, because otherwise the commit would fail for all writes.
            if db.raw.hasForeignKeyViolations {
                throw DatabaseError(
                    resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY,
                    message: "FOREIGN KEY constraint failed")
            }
            return .commit
        }
        return result!
    }

    /// Waits until the transaction has ended.
    ///
    /// - throws: the error of the commit, or the error that has rolled the transaction back.
    func waitForCommit() async throws {
        try await withCheckedThrowingContinuation { continuation in
            let result: Result<Void, any Error>? = state.withLock { state in
                if state.result == nil { state.continuations.append(continuation) }
                return state.result
            }
            if let result { continuation.resume(with: result) }
        }
    }

    func end(_ result: Result<Void, any Error>) {
        let continuations: [CheckedContinuation<Void, any Error>] = state.withLock { state in
            state.result = result
            defer { state.continuations = [] }
            return state.continuations
        }
        for continuation in continuations { continuation.resume(with: result) }
    }
}
