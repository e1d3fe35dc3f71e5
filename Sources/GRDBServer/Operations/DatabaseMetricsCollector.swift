import GRDB
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
public final class DatabaseMetricsCollector: AccessMeter {
    private struct State {
        var metrics = DatabaseMetrics()
        var running: [ObjectIdentifier: Running] = [:]
        var snapshots: [ObjectIdentifier: Running] = [:]
    }

    private struct Running {
        var access: DatabaseMetrics.RunningAccess
        var isReader: Bool
        /// The counters of the connection when the access began.
        var counters = AccessCounters()
    }

    private struct AccessCounters {
        var transactions = (commits: 0, rollbacks: 0)
        var cacheHitCount = 0
        var cacheMissCount = 0

        init() {}

        init(_ db: Database) {
            transactions = db.transactionCounts
            cacheHitCount = db.raw.cacheHitCount
            cacheMissCount = db.raw.cacheMissCount
        }
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

    package func accessDidBegin(_ db: Database, isReader: Bool) {
        let access = DatabaseMetrics.RunningAccess(
            label: nil, connection: db.description, isSnapshot: false, start: Monotonic.nanoseconds)
        let running = Running(access: access, isReader: isReader, counters: AccessCounters(db))
        state.withLock { $0.running[ObjectIdentifier(db.raw)] = running }
    }

    package func accessDidEnd(_ db: Database) {
        let now = Monotonic.nanoseconds
        let counters = AccessCounters(db)
        state.withLock { state in
            guard let running = state.running.removeValue(forKey: ObjectIdentifier(db.raw)) else {
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
            let former = running.counters
            state.metrics.commitCount += counters.transactions.commits - former.transactions.commits
            state.metrics.rollbackCount +=
                counters.transactions.rollbacks - former.transactions.rollbacks
            // The counters of a closed connection are zero.
            state.metrics.cacheHitCount += max(0, counters.cacheHitCount - former.cacheHitCount)
            state.metrics.cacheMissCount += max(0, counters.cacheMissCount - former.cacheMissCount)
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
    package func accessDidWait(since requestTime: UInt64, isReader: Bool, isCertain: Bool) {
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

    func countSlowStatement() {
        state.withLock { $0.metrics.slowStatementCount += 1 }
    }

    // MARK: - Snapshots

    /// Records that a snapshot exists, while the returned object exists.
    package func holdSnapshot(_ connection: String) -> AnyObject {
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

extension Configuration {
    /// The object that counts and times the accesses. The default is nil.
    ///
    /// ```swift
    /// configuration.metricsCollector = DatabaseMetricsCollector()
    /// ```
    ///
    /// See ``DatabaseMetrics``.
    public var metricsCollector: DatabaseMetricsCollector? {
        get { accessMeter as? DatabaseMetricsCollector }
        set { accessMeter = newValue }
    }
}
