import GRDB
import Dispatch
import _GRDBSystem

/// Polls for the transactions that a follower has applied.
final class ReplicaWatcher: Sendable {
    typealias Arrival = @Sendable (ReplicaStatus) -> Void

    private struct State {
        var timer: (any DispatchSourceTimer)?
        var isStopped = false
        var callbacks: [Int: Arrival] = [:]
        var callbackCount = 0
        /// The last transaction, and when it was applied.
        var last: (id: UInt64, appliedAt: Int64)?
        /// The start of the period without a complete transaction, in nanoseconds of the monotonic
        /// clock.
        var failingSince: UInt64?
        var stall: DatabaseReplicaError?
    }

    private let files: ReplicaFiles
    private let settings: DatabaseReplica.Settings
    private let state = Locked(State())
    private let queue = DispatchQueue(label: "GRDB.DatabaseReplica.watcher")
    /// A separate queue, so that slow callbacks never delay the next check.
    let callbackQueue = DispatchQueue(label: "GRDB.DatabaseReplica.arrivals")

    init(files: ReplicaFiles, settings: DatabaseReplica.Settings) {
        self.files = files
        self.settings = settings
    }

    deinit { stop() }

    var stall: DatabaseReplicaError? { state.withLock { $0.stall } }

    func start() {
        look()
        let timer = DispatchSource.makeTimerSource(queue: queue)
        // Dispatch traps if the number of nanoseconds is too large.
        let interval = min(max(0.001, settings.pollInterval), 1e9)
        timer.schedule(
            deadline: .now() + interval, repeating: interval,
            leeway: .milliseconds(Int(min(interval, 10) * 100)))
        timer.setEventHandler { [weak self] in self?.look() }
        timer.resume()
        let isStopped = state.withLock { state in
            state.timer = timer
            return state.isStopped
        }
        if isStopped { timer.cancel() }
    }

    func stop() {
        let timer = state.withLock { state in
            state.isStopped = true
            state.callbacks = [:]
            defer { state.timer = nil }
            return state.timer
        }
        timer?.cancel()
    }

    func add(_ onArrival: @escaping Arrival) -> AnyDatabaseCancellable {
        let number = state.withLock { state in
            state.callbackCount += 1
            if !state.isStopped { state.callbacks[state.callbackCount] = onArrival }
            return state.callbackCount
        }
        return AnyDatabaseCancellable { [weak self] in
            // A deallocated callback may call this method again, so it is released outside of the
            // lock.
            _ = self?.state.withLock { $0.callbacks.removeValue(forKey: number) }
        }
    }

    /// Checks the files once. Reads call this method, too, so that they detect a stall immediately.
    func look() {
        let stamp: ReplicaFiles.Stamp
        do throws(DatabaseReplicaError) {
            stamp = try files.stamp()
        } catch {
            return noteFailure(error)
        }
        // The stall limit only applies while the last transaction is complete: an incomplete one
        // may be about to complete.
        if !stamp.isComplete {
            noteFailure(.incomplete(path: files.databasePath))
        } else {
            state.withLock { $0.failingSince = nil }
        }
        let status = ReplicaStatus(
            transactionID: stamp.transactionID, nanoseconds: stamp.appliedAt)
        let callbacks: [Arrival] = state.withLock { state in
            let isKnown =
                state.last.map { $0 == (stamp.transactionID, stamp.appliedAt) } ?? false
            let isFirst = state.last == nil
            state.last = (stamp.transactionID, stamp.appliedAt)
            return isKnown || isFirst ? [] : Array(state.callbacks.values)
        }
        if !callbacks.isEmpty {
            callbackQueue.async { callbacks.forEach { $0(status) } }
        }
        if stamp.isComplete {
            let isStalled = settings.stallLimit.map { status.age > $0 } ?? false
            setStall(isStalled ? .stalled(status) : nil)
        }
    }

    /// Reports a failure that persists longer than the patience as a stall.
    private func noteFailure(_ error: DatabaseReplicaError) {
        let now = Monotonic.nanoseconds
        let patience = UInt64(max(0, min(settings.patience, 1e6)) * 1e9)
        let isLasting = state.withLock { state in
            let since = state.failingSince ?? now
            state.failingSince = since
            return now - since >= patience
        }
        if isLasting { setStall(error) }
    }

    private func setStall(_ error: DatabaseReplicaError?) {
        let isNew = state.withLock { state in
            defer { state.stall = error }
            return state.stall == nil && error != nil && !state.isStopped
        }
        guard isNew, let error else { return }
        callbackQueue.async { [settings] in
            if let onStall = settings.onStall {
                onStall(error)
            } else {
                RawLog.write(
                    ResultCode.SQLITE_NOTICE.rawValue, "GRDB.DatabaseReplica: \(error)")
            }
        }
    }
}
