public import Foundation

/// What a database has done, for a metrics system.
///
/// ```swift
/// var configuration = Configuration()
/// configuration.metricsCollector = DatabaseMetricsCollector()
/// let dbPool = try DatabasePool(path: path, configuration: configuration)
///
/// let metrics = dbPool.metrics
/// print(metrics.readCount, metrics.readWaitTime, metrics.walByteCount)
/// ```
///
/// Counters never decrease: subtract an earlier value. Times are in seconds.
public struct DatabaseMetrics: Hashable, Sendable {
    /// The number of accesses of read-only connections that have ended.
    public internal(set) var readCount = 0

    /// The number of accesses of connections that can write, those of a queue among them, that have
    /// ended.
    public internal(set) var writeCount = 0

    /// The time that read-only connections were in use.
    public internal(set) var readBusyTime: TimeInterval = 0

    /// The time that connections that can write were in use.
    public internal(set) var writeBusyTime: TimeInterval = 0

    /// The number of reads that had to wait for a connection.
    public internal(set) var readWaitCount = 0

    /// The time that reads waited for a connection.
    public internal(set) var readWaitTime: TimeInterval = 0

    /// The number of writes that waited for their turn for a millisecond or more.
    public internal(set) var writeWaitCount = 0

    /// The time that writes waited for their turn.
    public internal(set) var writeWaitTime: TimeInterval = 0

    /// The longest wait of a read or write.
    public internal(set) var longestWaitTime: TimeInterval = 0

    /// The number of transactions that were committed, empty ones and those of reads excluded.
    public internal(set) var commitCount = 0

    /// The number of transactions that were rolled back.
    public internal(set) var rollbackCount = 0

    /// How often a page was found in the cache of a connection.
    public internal(set) var cacheHitCount = 0

    /// How often a page was read from the file.
    public internal(set) var cacheMissCount = 0

    /// The number of statements that took longer than the threshold, see
    /// `Configuration.reportSlowStatements(threshold:onSlowStatement:)`.
    public internal(set) var slowStatementCount = 0

    /// The time of the longest read that has ended.
    public internal(set) var longestReadTime: TimeInterval = 0

    /// The read, or snapshot, that began before all others that still run.
    public internal(set) var oldestRead: RunningAccess?

    /// The number of accesses that run now.
    public internal(set) var runningAccessCount = 0

    /// The size of the write-ahead log, in bytes; 0 if there is none.
    public internal(set) var walByteCount = 0

    /// An access, or a snapshot, that has not ended.
    public struct RunningAccess: Hashable, Sendable {
        /// The label of the access, if it has one.
        public let label: AccessLabel?

        /// The name of the connection, such as `GRDB.DatabasePool.reader.2`.
        public let connection: String

        /// Whether it is a snapshot, which keeps its transaction open until it is released.
        public let isSnapshot: Bool

        /// When the access began, in nanoseconds of the monotonic clock.
        let start: UInt64

        /// How long the access has run, in seconds.
        public var age: TimeInterval { TimeInterval(Monotonic.nanoseconds - start) / 1e9 }
    }
}

extension DatabaseMetrics.RunningAccess: CustomStringConvertible {
    public var description: String {
        let kind = isSnapshot ? "snapshot" : "read"
        return "\(kind) \(label.map { "\($0), " } ?? "")\(connection)"
    }
}
