import _GRDBSystem

/// Counts and times the accesses of the connections configured with it.
///
/// ```swift
/// let collector = DatabaseMetricsCollector()
/// var configuration = Configuration()
/// configuration.metricsCollector = collector
/// let dbPool = try DatabasePool(path: path, configuration: configuration)
/// ```
///
/// Use a separate collector for each database. With a collector, an access takes less than a
/// microsecond more. Without one, there is no cost.
///
/// All members can be used from any thread.
public final class DatabaseMetricsCollector: Sendable {
    private struct State {
        var metrics = DatabaseMetrics()
        var running: [ObjectIdentifier: Running] = [:]
        var snapshots: [ObjectIdentifier: Running] = [:]
    }

    private struct Running {
        var access: DatabaseMetrics.RunningAccess
        var isReader: Bool
    }

    private let state = Locked(State())

    /// Creates a collector.
    public init() {}

    /// The metrics so far, without the size of the write-ahead log, which only the database knows.
    public var metrics: DatabaseMetrics {
        state.withLock { state in
            var metrics = state.metrics
            metrics.runningAccessCount = state.running.count
            for accesses in [state.running, state.snapshots] {
                for (_, running) in accesses where running.isReader {
                    if let oldest = metrics.oldestRead, oldest.start <= running.access.start {
                        continue
                    }
                    metrics.oldestRead = running.access
                }
            }
            return metrics
        }
    }

    // MARK: - Accesses

    func didBegin(_ raw: RawConnection, description: String, isReader: Bool) {
        let access = DatabaseMetrics.RunningAccess(
            label: nil, connection: description, isSnapshot: false, start: Monotonic.nanoseconds)
        state.withLock {
            $0.running[ObjectIdentifier(raw)] = Running(access: access, isReader: isReader)
        }
    }

    func didEnd(_ raw: RawConnection, _ counters: AccessCounters) {
        let now = Monotonic.nanoseconds
        state.withLock { state in
            guard let running = state.running.removeValue(forKey: ObjectIdentifier(raw)) else {
                return
            }
            let duration = TimeInterval(now - running.access.start) / 1e9
            if running.isReader {
                state.metrics.readCount += 1
                state.metrics.readBusyTime += duration
                state.metrics.longestReadTime = max(state.metrics.longestReadTime, duration)
            } else {
                state.metrics.writeCount += 1
                state.metrics.writeBusyTime += duration
            }
            state.metrics.commitCount += counters.commitCount
            state.metrics.rollbackCount += counters.rollbackCount
            state.metrics.cacheHitCount += counters.cacheHitCount
            state.metrics.cacheMissCount += counters.cacheMissCount
        }
    }

    func setLabel(_ label: AccessLabel?, of raw: RawConnection) {
        state.withLock { state in
            guard let running = state.running[ObjectIdentifier(raw)] else { return }
            state.running[ObjectIdentifier(raw)]!.access = DatabaseMetrics.RunningAccess(
                label: label, connection: running.access.connection, isSnapshot: false,
                start: running.access.start)
        }
    }

    /// Records the time that an access has waited.
    ///
    /// - parameter isCertain: whether the connection was not free when the access was requested. Otherwise,
    ///   waits below a millisecond are not counted: they include the change of threads.
    func didWait(since requestTime: UInt64, isReader: Bool, isCertain: Bool = false) {
        let wait = TimeInterval(Monotonic.nanoseconds - requestTime) / 1e9
        state.withLock { state in
            state.metrics.longestWaitTime = max(state.metrics.longestWaitTime, wait)
            let isCounted = isCertain || wait >= 0.001
            if isReader {
                if isCounted { state.metrics.readWaitCount += 1 }
                state.metrics.readWaitTime += wait
            } else {
                if isCounted { state.metrics.writeWaitCount += 1 }
                state.metrics.writeWaitTime += wait
            }
        }
    }

    package func countSlowStatement() {
        state.withLock { $0.metrics.slowStatementCount += 1 }
    }

    // MARK: - Snapshots

    /// Records that a snapshot exists, while the returned object exists.
    func holdSnapshot(_ connection: String) -> AnyObject {
        let hold = Hold(self)
        let access = DatabaseMetrics.RunningAccess(
            label: nil, connection: connection, isSnapshot: true, start: Monotonic.nanoseconds)
        state.withLock {
            $0.snapshots[ObjectIdentifier(hold)] = Running(access: access, isReader: true)
        }
        return hold
    }

    private final class Hold {
        private let collector: DatabaseMetricsCollector

        init(_ collector: DatabaseMetricsCollector) {
            self.collector = collector
        }

        deinit {
            let id = ObjectIdentifier(self)
            collector.state.withLock { $0.snapshots[id] = nil }
        }
    }
}

/// The counts of a connection in one access.
struct AccessCounters {
    var commitCount = 0
    var rollbackCount = 0
    var cacheHitCount = 0
    var cacheMissCount = 0
}

extension Database {
    /// Returns the counts since the last call.
    func takeAccessCounters() -> AccessCounters {
        let total = AccessCounters(
            commitCount: broker.commitCount, rollbackCount: broker.rollbackCount,
            cacheHitCount: raw.cacheHitCount, cacheMissCount: raw.cacheMissCount)
        let former = countedAccesses
        countedAccesses = total
        return AccessCounters(
            commitCount: total.commitCount - former.commitCount,
            rollbackCount: total.rollbackCount - former.rollbackCount,
            // The counters of a closed connection are zero.
            cacheHitCount: max(0, total.cacheHitCount - former.cacheHitCount),
            cacheMissCount: max(0, total.cacheMissCount - former.cacheMissCount))
    }
}
