import GRDB
import Dispatch

/// Collects the writes that are waiting for the writer at the same time, and commits them together.
///
/// One block on the writer's queue serves all writes that are waiting when it begins, and those that
/// arrive before it ends. Each write runs in a savepoint of one shared transaction, as part of the task
/// that requested it. The task continues after the commit.
final class WriteBatcher: Sendable {
    private struct Waiting: Sendable {
        var accesses = FIFO<TaskAccess>()
        /// Whether a block on the queue of the writer will serve the accesses.
        var isScheduled = false

        mutating func next(joining isOpen: Bool) -> TaskAccess? {
            if isOpen, accesses.first?.isAlone == true { return nil }
            return accesses.popFirst()
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

    /// Runs the closure in a savepoint of a shared transaction, and waits for the commit. If the
    /// transaction is lost because of another write, runs the closure again, alone.
    func write<T: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        do {
            return try await write(alone: false, updates)
        } catch is WriteBatch.Lost {
            return try await write(alone: true, updates)
        }
    }

    private func write<T: Sendable>(
        alone: Bool, _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await TaskAccess.runInBatch(alone: alone, updates) { [self] access in
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
                waiting.isScheduled = !waiting.accesses.isEmpty
                return !waiting.isScheduled
            }
            // Not in a loop, so that other accesses get their turn.
            if !isDone { schedule() }
        }
    }

    /// Runs one transaction.
    private func serve() {
        guard let first = next(joining: false) else { return }
        let batch = WriteBatch()
        var isCommitted = false
        do {
            try writer.exclusiveAccess { db in
                try db.inTransaction {
                    batch.begin(db)
                    run(first, and: batch, db)
                    return .commit
                }
                isCommitted = true
            }
            batch.end(nil)
        } catch {
            // What fails after the commit concerns no write.
            batch.end(isCommitted ? nil : error)
            guard !batch.hasBegun else { return }
            // These accesses would have run in the transaction.
            first.fail(error)
            if first.isAlone { return }
            for _ in 1..<maximumCount {
                guard let access = next(joining: true) else { return }
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
            // The transaction was rolled back. The remaining accesses get another one.
            if db.raw.isInAutocommitMode { return }
            count += 1
            let isOpen = !current.isAlone && count < maximumCount && Monotonic.nanoseconds < end
            access = isOpen ? next(joining: true) : nil
        }
    }

    private func next(joining isOpen: Bool) -> TaskAccess? {
        waiting.withLock { $0.next(joining: isOpen) }
    }
}

/// A transaction that several tasks share.
///
/// SQLite rolls the transaction back when it interrupts a change, when a statement fails with
/// `OR ROLLBACK` or `SQLITE_FULL`, and when the commit fails. The write that caused this throws its own
/// error. The other writes have seen changes that no longer exist, so they run again, even if they have
/// thrown.
///
/// `@unchecked Sendable`: what is not in `state` is used on the queue of the writer only, or after the
/// transaction has ended.
final class WriteBatch: SharedTransaction, @unchecked Sendable {
    /// The transaction was rolled back because of another write.
    struct Lost: Error {}

    private struct State {
        var continuations: [CheckedContinuation<(any Error)?, Never>] = []
        /// Nil until the transaction has ended.
        var failure: (any Error)??
    }

    private let state = Locked(State())
    private var db: Database?

    /// Whether the transaction was opened.
    var hasBegun: Bool { db != nil }

    /// The number of writes that have run.
    private var count = 0

    /// The write that has ended the transaction.
    private var culprit: ObjectIdentifier?

    func begin(_ db: Database) {
        self.db = db
    }

    /// Runs the closure in a savepoint, until it is cancelled.
    func write<T>(_ updates: (Database) throws -> T, as access: TaskAccess) throws -> T {
        let db = db!
        count += 1
        db.cancellation = access.cancellation
        // Before the next write, which none of this may affect.
        defer {
            access.cancellation.end()
            db.cancellation = nil
            db.endCursors()
            // The savepoint has already thrown this failure.
            _ = db.takeKeptFailure()
            db.raw.resetDeferredForeignKeys()
            if db.raw.isInAutocommitMode { culprit = ObjectIdentifier(access) }
        }
        var result: T?
        try db.inSharedTransaction {
            result = try updates(db)
            // Checked here, because otherwise the commit would fail for all writes.
            if db.raw.hasForeignKeyViolations {
                throw DatabaseError(
                    resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY,
                    message: "FOREIGN KEY constraint failed")
            }
        }
        return result!
    }

    /// Waits until the transaction has ended.
    ///
    /// - parameter result: the result of a write.
    /// - throws: the error of the write; the error of the commit; `Lost` if the write must run again.
    func end<T>(_ access: TaskAccess, _ result: Result<T, any Error>) async throws -> T {
        let failure: (any Error)? = await withCheckedContinuation { continuation in
            let failure: (any Error)?? = state.withLock { state in
                if state.failure == nil { state.continuations.append(continuation) }
                return state.failure
            }
            if let failure { continuation.resume(returning: failure) }
        }
        guard let failure else { return try result.get() }
        if culprit != ObjectIdentifier(access), count > 1, !isIndependent(failure) { throw Lost() }
        _ = try result.get()
        throw failure
    }

    /// Whether the commit has failed for a reason that has nothing to do with the writes. After an error
    /// of the file system, the changes may be in the file nevertheless: they must not happen twice.
    private func isIndependent(_ failure: any Error) -> Bool {
        guard culprit == nil, let code = (failure as? DatabaseError)?.resultCode else {
            return false
        }
        return code == .SQLITE_IOERR || code == .SQLITE_BUSY
    }

    func end(_ failure: (any Error)?) {
        let continuations = state.withLock { state in
            state.failure = .some(failure)
            defer { state.continuations = [] }
            return state.continuations
        }
        for continuation in continuations { continuation.resume(returning: failure) }
    }
}
