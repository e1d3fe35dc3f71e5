import GRDB
import Dispatch
import _GRDBSystem

/// A queue of requests to one replicator about one database, shared by concurrent waiters.
///
/// A request covers the transactions that were committed before it was sent. Waiters that arrive
/// during a request share the next one, so that a thousand commits cost few requests. Each waiter
/// has its own time limit. A request without waiters is aborted.
final class ReplicatorQueue: Sendable {
    struct Key: Hashable {
        var socketPath: String
        var databasePath: String
    }

    /// The identity of a waiting task.
    private final class Waiter: Sendable {
        let isCancelled = Locked(false)
    }

    private struct Waiting {
        var deadline: UInt64
        var timeout: TimeInterval
        var continuation: CheckedContinuation<ReplicationPosition, any Error>
    }

    private struct State {
        /// The waiters of the running request.
        var served: [ObjectIdentifier: Waiting] = [:]
        /// The waiters of the next request.
        var next: [ObjectIdentifier: Waiting] = [:]
        var connection: UnixSocketConnection?
        var isRunning = false
        /// The time of the next scheduled check for expired waiters.
        var nextCheck: UInt64?

        mutating func remove(_ id: ObjectIdentifier) -> Waiting? {
            next.removeValue(forKey: id) ?? served.removeValue(forKey: id)
        }

        /// The connection of the running request, if it has no waiters.
        var abandonedConnection: UnixSocketConnection? { served.isEmpty ? connection : nil }
    }

    private let key: Key
    private let state = Locked(State())
    /// The queue that requests block.
    private let requestQueue = DispatchQueue(label: "GRDB.ReplicatorQueue")
    /// A queue that is never blocked.
    private static let timerQueue = DispatchQueue(label: "GRDB.ReplicatorQueue.timer")

    private struct Reference {
        weak var queue: ReplicatorQueue?
    }

    /// The queues that have waiters: at most one per database.
    private static let queues = Locked<[Key: Reference]>([:])

    static func queue(_ key: Key) -> ReplicatorQueue {
        queues.withLock { queues in
            if let queue = queues[key]?.queue { return queue }
            queues = queues.filter { $0.value.queue != nil }
            let queue = ReplicatorQueue(key)
            queues[key] = Reference(queue: queue)
            return queue
        }
    }

    private init(_ key: Key) {
        self.key = key
    }

    // MARK: - Waiting

    /// Waits until the replicator has all transactions committed before this call.
    func wait(timeout: TimeInterval) async throws -> ReplicationPosition {
        let waiter = Waiter()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(waiter, timeout: timeout, continuation)
            }
        } onCancel: {
            waiter.isCancelled.withLock { $0 = true }
            // Never resume a task on the thread that cancels it.
            Self.timerQueue.async { self.cancel(waiter) }
        }
    }

    private func add(
        _ waiter: Waiter, timeout: TimeInterval,
        _ continuation: CheckedContinuation<ReplicationPosition, any Error>
    ) {
        // NaN and infinity can't be converted to nanoseconds.
        let seconds = timeout > 0 ? min(timeout, 1e9) : 0
        let deadline = Monotonic.nanoseconds + UInt64(seconds * 1e9)
        let waiting = Waiting(deadline: deadline, timeout: timeout, continuation: continuation)
        let (isCancelled, mustStart) = state.withLock { state in
            // A cancellation from here on finds the waiter in the state.
            if waiter.isCancelled.withLock({ $0 }) { return (true, false) }
            state.next[ObjectIdentifier(waiter)] = waiting
            scheduleCheck(at: deadline, &state)
            defer { state.isRunning = true }
            return (false, !state.isRunning)
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
        if mustStart { requestQueue.async { self.serve() } }
    }

    private func cancel(_ waiter: Waiter) {
        let (waiting, connection) = state.withLock { state in
            (state.remove(ObjectIdentifier(waiter)), state.abandonedConnection)
        }
        connection?.abort()
        waiting?.continuation.resume(throwing: CancellationError())
    }

    /// Schedules a check, unless an earlier one is already scheduled.
    private func scheduleCheck(at time: UInt64, _ state: inout State) {
        if let nextCheck = state.nextCheck, nextCheck <= time { return }
        state.nextCheck = time
        let now = Monotonic.nanoseconds
        let delay = time > now ? time - now : 0
        Self.timerQueue.asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: delay))) {
            [weak self] in
            self?.endLateWaits(time)
        }
    }

    private func endLateWaits(_ time: UInt64) {
        let now = Monotonic.nanoseconds
        let (late, connection) = state.withLock { state in
            if state.nextCheck == time { state.nextCheck = nil }
            var late: [Waiting] = []
            for (id, waiting) in Array(state.next) + Array(state.served) {
                if waiting.deadline <= now {
                    _ = state.remove(id)
                    late.append(waiting)
                } else {
                    scheduleCheck(at: waiting.deadline, &state)
                }
            }
            return (late, state.abandonedConnection)
        }
        connection?.abort()
        for waiting in late {
            waiting.continuation.resume(
                throwing: ReplicationError.timedOut(timeout: waiting.timeout))
        }
    }

    // MARK: - Requests

    /// Sends one request for all waiters, and repeats until there are none.
    private func serve() {
        let waitings: [Waiting]? = state.withLock { state in
            if state.next.isEmpty {
                state.isRunning = false
                return nil
            }
            state.served = state.next
            state.next = [:]
            return Array(state.served.values)
        }
        guard let waitings else { return }
        let deadline = waitings.map(\.deadline).max()!
        let timeout = waitings.map(\.timeout).max()!
        let result = Result {
            try position(
                ReplicatorRequest(databasePath: key.databasePath, timeout: timeout), deadline)
        }
        let served = state.withLock { state in
            state.connection = nil
            defer { state.served = [:] }
            return state.served
        }
        for waiting in served.values {
            if case .failure(UnixSocketConnection.Failure.timedOut) = result {
                waiting.continuation.resume(
                    throwing: ReplicationError.timedOut(timeout: waiting.timeout))
            } else {
                waiting.continuation.resume(with: result)
            }
        }
        requestQueue.async { self.serve() }
    }

    /// Repeats the request until the storage has all transactions up to the position in the first
    /// answer.
    ///
    /// Litestream reads transactions that are committed during an upload, but does not upload them:
    /// its answer then names a transaction that is not in the storage, and that no waiter needs.
    /// Any position that the replicator has read after the commits of the waiters serves them all,
    /// such as the position in the first answer.
    private func position(
        _ request: ReplicatorRequest, _ deadline: UInt64
    ) throws -> ReplicationPosition {
        var goal: UInt64?
        var former: UInt64?
        while true {
            let answer = try send(request, deadline)
            let position = answer.position
            let wanted = goal ?? position.transactionID
            if answer.isSynced, position.replicatedTransactionID >= wanted {
                return ReplicationPosition(
                    transactionID: wanted,
                    replicatedTransactionID: position.replicatedTransactionID)
            }
            // The replicator makes no progress.
            if !answer.isSynced || former == position.replicatedTransactionID {
                throw ReplicationError.behind(position)
            }
            goal = wanted
            former = position.replicatedTransactionID
        }
    }

    private func send(
        _ request: ReplicatorRequest, _ deadline: UInt64
    ) throws -> ReplicatorRequest.Answer {
        let connection = UnixSocketConnection(path: key.socketPath)
        let isAbandoned = state.withLock { state in
            state.connection = connection
            return state.served.isEmpty
        }
        // There are no waiters left.
        if isAbandoned { connection.abort() }
        let answer: [UInt8]
        do {
            answer = try connection.exchange(request.bytes(), deadline: deadline)
        } catch UnixSocketConnection.Failure.system(let reason) {
            throw ReplicationError.unavailable(socketPath: key.socketPath, reason: reason)
        }
        if answer.isEmpty {
            throw ReplicationError.unavailable(
                socketPath: key.socketPath, reason: "it has closed the connection")
        }
        return try ReplicatorRequest.answer(answer)
    }
}
