import Dispatch
public import Foundation

extension DatabaseReader {
    /// What the connections have done, and the size of the write-ahead log.
    ///
    /// All but that size is 0 if ``Configuration/metricsCollector`` is nil.
    ///
    /// May be called from any thread. Waits for no connection.
    public var metrics: DatabaseMetrics {
        var metrics = configuration.metricsCollector?.metrics ?? DatabaseMetrics()
        metrics.walByteCount = FileSize.ofWAL(path)
        return metrics
    }

    /// Calls a function with the metrics regularly, until the result is cancelled or deallocated.
    ///
    /// ```swift
    /// let cancellable = dbPool.observeMetrics(every: 10) { metrics in
    ///     Gauge(label: "sqlite.wal.bytes").record(metrics.walByteCount)
    /// }
    /// ```
    ///
    /// The database is not kept open by this.
    ///
    /// - parameters:
    ///   - interval: the number of seconds between two calls.
    ///   - onMetrics: called on a queue of its own.
    /// - precondition: the interval is positive.
    public func observeMetrics(
        every interval: TimeInterval, _ onMetrics: @escaping @Sendable (DatabaseMetrics) -> Void
    ) -> AnyDatabaseCancellable {
        precondition(interval > 0, "The interval must be positive")
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "GRDB.metrics"))
        timer.schedule(deadline: .now() + interval, repeating: interval)
        timer.setEventHandler { [weak self] in
            if let self { onMetrics(metrics) }
        }
        timer.resume()
        let source = Locked(timer)
        return AnyDatabaseCancellable { source.withLock { $0.cancel() } }
    }
}
