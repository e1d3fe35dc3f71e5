import GRDB
import Dispatch
public import _GRDBSystem

extension DatabaseReader {
    /// The metrics of all connections, and the size of the write-ahead log.
    ///
    /// All metrics except that size are 0 if ``GRDB/Configuration/metricsCollector`` is nil.
    ///
    /// This property may be read from any thread, and waits for no connection.
    public var metrics: DatabaseMetrics {
        var metrics = configuration.metricsCollector?.metrics ?? DatabaseMetrics()
        metrics.walByteCount = FileSize.ofWAL(path)
        return metrics
    }

    /// Calls a closure with the metrics at regular intervals, until the returned cancellable is
    /// cancelled or deallocated.
    ///
    /// ```swift
    /// let cancellable = dbPool.observeMetrics(every: 10) { metrics in
    ///     Gauge(label: "sqlite.wal.bytes").record(metrics.walByteCount)
    /// }
    /// ```
    ///
    /// The calls don't retain the database.
    ///
    /// - parameters:
    ///   - interval: the number of seconds between calls.
    ///   - onMetrics: called on a dedicated queue.
    /// - precondition: the interval is positive.
    public func observeMetrics(
        every interval: TimeInterval, _ onMetrics: @escaping @Sendable (DatabaseMetrics) -> Void
    ) -> AnyDatabaseCancellable {
        precondition(interval > 0, "The interval must be positive")
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "GRDB.metrics"))
        // Dispatch traps if the number of nanoseconds is too large.
        let interval = min(interval, 1e9)
        timer.schedule(deadline: .now() + interval, repeating: interval)
        timer.setEventHandler { [weak self] in
            if let self { onMetrics(metrics) }
        }
        timer.resume()
        let source = Locked(timer)
        return AnyDatabaseCancellable { source.withLock { $0.cancel() } }
    }
}
