import Dispatch
import Foundation

/// Asks one replicator about one database, for all who wait at the same moment.
///
/// A request covers what was committed before it was sent. Those who come while one is under way
/// share the next one, so that a thousand commits cost few requests. Each waiter has a time limit of
/// its own; a request that nobody waits for any more is aborted.
final class ReplicatorQueue: Sendable {
    struct Key: Hashable {
        var socketPath: String
        var databasePath: String
    }

    /// One who waits.
    private final class Waiter: Sendable {
        let isCancelled = Locked(false)
    }

    private struct Waiting {
        var deadline: UInt64
        var timeout: TimeInterval
        var continuation: CheckedContinuation<ReplicationPosition, any Error>
    }

    private struct State {
        /// Those whom the request that is under way will answer.
        var served: [ObjectIdentifier: Waiting] = [:]
        /// Those whom the next request will answer.
        var next: [ObjectIdentifier: Waiting] = [:]
        var connection: UnixSocketConnection?
        var isRunning = false
        /// When somebody looks for those whose time is over.
        var nextCheck: UInt64?

        mutating func remove(_ id: ObjectIdentifier) -> Waiting? {
            next.removeValue(forKey: id) ?? served.removeValue(forKey: id)
        }

        /// Whether nobody waits for the request that is under way.
        var abandonedConnection: UnixSocketConnection? { served.isEmpty ? connection : nil }
    }

    private let key: Key
    private let state = Locked(State())
    /// Blocked by requests.
    private let requestQueue = DispatchQueue(label: "GRDB.ReplicatorQueue")
    /// Not blocked by anything.
    private static let timerQueue = DispatchQueue(label: "GRDB.ReplicatorQueue.timer")

    /// The queues that somebody has used. There are as many as databases, and they hold no resources
    /// while nobody waits.
    private static let queues = Locked<[Key: ReplicatorQueue]>([:])

    static func queue(_ key: Key) -> ReplicatorQueue {
        queues.withLock { queues in
            if let queue = queues[key] { return queue }
            let queue = ReplicatorQueue(key)
            queues[key] = queue
            return queue
        }
    }

    private init(_ key: Key) {
        self.key = key
    }

    // MARK: - Waiting

    /// Waits until the replicator has all that was committed before this call.
    func wait(timeout: TimeInterval) async throws -> ReplicationPosition {
        let waiter = Waiter()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(waiter, timeout: timeout, continuation)
            }
        } onCancel: {
            waiter.isCancelled.withLock { $0 = true }
            // Never resumes a task on the thread that cancels it.
            Self.timerQueue.async { self.cancel(waiter) }
        }
    }

    private func add(
        _ waiter: Waiter, timeout: TimeInterval,
        _ continuation: CheckedContinuation<ReplicationPosition, any Error>
    ) {
        // Neither NaN nor infinity is a number of nanoseconds.
        let seconds = timeout > 0 ? min(timeout, 1e9) : 0
        let deadline = Monotonic.nanoseconds + UInt64(seconds * 1e9)
        let waiting = Waiting(deadline: deadline, timeout: timeout, continuation: continuation)
        let (isCancelled, mustStart) = state.withLock { state in
            // A later cancellation finds the waiter.
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

    /// One timer serves all, unless one of them has less time than those before.
    private func scheduleCheck(at time: UInt64, _ state: inout State) {
        if let nextCheck = state.nextCheck, nextCheck <= time { return }
        state.nextCheck = time
        let now = Monotonic.nanoseconds
        let delay = time > now ? time - now : 0
        Self.timerQueue.asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: delay))) {
            self.endLateWaits(time)
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

    /// Sends one request for all who wait, and then another one if there are others.
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

    /// Asks until the storage has what the replicator had read when it answered for the first time.
    ///
    /// What is committed while it uploads is read at once, but not uploaded: the answer names a
    /// transaction that the storage doesn't have, and that nobody has waited for. All who wait are
    /// served by a position that the replicator had after their commits, such as that of the first
    /// answer.
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
            // It makes no progress.
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
        // Nobody is left to be told.
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
