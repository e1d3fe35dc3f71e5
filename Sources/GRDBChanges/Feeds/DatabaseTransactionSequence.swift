import GRDB
import Dispatch
import _GRDBSystem

/// The committed transactions of a ``DatabaseChangeFeed``, as an asynchronous sequence.
public struct DatabaseTransactionSequence: AsyncSequence, Sendable {
    public typealias Element = DatabaseTransactionChanges

    let feed: DatabaseChangeFeed
    let writer: any DatabaseWriter
    let policy: DatabaseChangeFeed.BufferingPolicy

    /// Starts the feed, which reports the transactions that are committed from now on.
    ///
    /// If you call this method in an access that writes to the database, the feed starts at the end
    /// of this access.
    public func makeAsyncIterator() -> AsyncIterator {
        let buffer = TransactionBuffer(policy)
        let collector = ChangeCollector(
            feed, willCommit: { try buffer.reserve() }, onChange: { buffer.append($0) },
            onEnd: { buffer.end($0) })
        collector.start(in: writer)
        return AsyncIterator(Feeding(writer: writer, collector: collector, buffer: buffer))
    }

    /// Iterates the transactions of one feed.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let feeding: Feeding

        fileprivate init(_ feeding: Feeding) {
            self.feeding = feeding
        }

        /// Waits for the next transaction.
        ///
        /// - returns: the next transaction; nil when the task is cancelled.
        /// - throws: a ``/GRDB/DatabaseError`` if the database is closed, or can't be observed; a
        ///   ``DatabaseChangeFeed/OverflowError``.
        public mutating func next() async throws -> DatabaseTransactionChanges? {
            try await feeding.buffer.next()
        }
    }

    /// Ends the feed when the iterator is deallocated.
    fileprivate final class Feeding: Sendable {
        let writer: any DatabaseWriter
        let collector: ChangeCollector
        let buffer: TransactionBuffer

        init(writer: any DatabaseWriter, collector: ChangeCollector, buffer: TransactionBuffer) {
            self.writer = writer
            self.collector = collector
            self.buffer = buffer
        }

        deinit {
            collector.cancel()
            buffer.end(nil)
        }
    }
}

/// Buffers transactions between the connection that commits them and the task that reads them.
final class TransactionBuffer: Sendable {
    private struct State {
        var transactions: [DatabaseTransactionChanges] = []
        /// The index of the first transaction.
        var start = 0
        var count: Int { transactions.count - start }

        /// The task that waits for a transaction.
        var reader: CheckedContinuation<DatabaseTransactionChanges?, any Error>?
        /// The write that waits for free capacity.
        var writer: DispatchSemaphore?
        var isEnded = false
        /// The error to throw once after all transactions are read.
        var error: (any Error)?

        mutating func popFirst() -> DatabaseTransactionChanges? {
            guard start < transactions.count else { return nil }
            defer {
                start += 1
                if start > 32, start * 2 > transactions.count {
                    transactions.removeSubrange(..<start)
                    start = 0
                }
            }
            return transactions[start]
        }
    }

    private let policy: DatabaseChangeFeed.BufferingPolicy
    private let state = Locked(State())

    init(_ policy: DatabaseChangeFeed.BufferingPolicy) {
        self.policy = policy
    }

    private var overflowError: DatabaseChangeFeed.OverflowError {
        DatabaseChangeFeed.OverflowError(capacity: policy.capacity)
    }

    // MARK: - The connection

    /// Throws an error if the next transaction exceeds the capacity, and must not be committed.
    func reserve() throws {
        guard case .refuse = policy.overflow else { return }
        let isFull = state.withLock { $0.count >= policy.capacity && !$0.isEnded }
        if isFull { throw overflowError }
    }

    func append(_ transaction: DatabaseTransactionChanges) {
        var deadline: DispatchTime?
        while true {
            enum Outcome {
                case done
                case resume(CheckedContinuation<DatabaseTransactionChanges?, any Error>)
                case full
                case wait(DispatchSemaphore)
            }
            let outcome: Outcome = state.withLock { state in
                if state.isEnded { return .done }
                if let reader = state.reader {
                    state.reader = nil
                    return .resume(reader)
                }
                if state.count < policy.capacity {
                    state.transactions.append(transaction)
                    return .done
                }
                guard case .wait = policy.overflow else { return .full }
                let semaphore = DispatchSemaphore(value: 0)
                state.writer = semaphore
                return .wait(semaphore)
            }
            switch outcome {
            case .done:
                return
            case .resume(let reader):
                return reader.resume(returning: transaction)
            case .full:
                return end(overflowError)
            case .wait(let semaphore):
                if deadline == nil, case .wait(let timeout) = policy.overflow {
                    deadline = .now() + max(0, timeout)
                }
                if semaphore.wait(timeout: deadline ?? .now()) == .timedOut {
                    return end(overflowError)
                }
            }
        }
    }

    /// Ends the sequence after the buffered transactions.
    func end(_ error: (any Error)?) {
        let (reader, writer) = state.withLock { state in
            defer {
                state.reader = nil
                state.writer = nil
            }
            let isFirstEnd = !state.isEnded
            state.isEnded = true
            if isFirstEnd, state.reader == nil { state.error = error }
            return (state.reader, state.writer)
        }
        writer?.signal()
        if let error {
            reader?.resume(throwing: error)
        } else {
            reader?.resume(returning: nil)
        }
    }

    // MARK: - The reader

    func next() async throws -> DatabaseTransactionChanges? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                read(continuation)
            }
        } onCancel: {
            cancel()
        }
    }

    /// Called when the task is cancelled.
    private func cancel() {
        state.withLock { state in
            state.transactions = []
            state.start = 0
            state.error = nil
        }
        end(nil)
    }

    private func read(
        _ continuation: CheckedContinuation<DatabaseTransactionChanges?, any Error>
    ) {
        enum Outcome {
            case transaction(DatabaseTransactionChanges, DispatchSemaphore?)
            case end((any Error)?)
            case wait
        }
        let outcome: Outcome = state.withLock { state in
            if let transaction = state.popFirst() {
                defer { state.writer = nil }
                return .transaction(transaction, state.writer)
            }
            if state.isEnded {
                defer { state.error = nil }
                return .end(state.error)
            }
            precondition(state.reader == nil, "An iterator is used by two tasks at the same time")
            state.reader = continuation
            return .wait
        }
        switch outcome {
        case .transaction(let transaction, let writer):
            writer?.signal()
            continuation.resume(returning: transaction)
        case .end(let error?):
            continuation.resume(throwing: error)
        case .end(nil):
            continuation.resume(returning: nil)
        case .wait:
            break
        }
    }
}
