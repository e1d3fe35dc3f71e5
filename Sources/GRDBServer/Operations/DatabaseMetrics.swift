import GRDB
public import _GRDBSystem

/// The activity of a database, for a metrics system.
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
/// Counters never decrease: subtract an earlier value to get a difference. Times are in seconds.
public struct DatabaseMetrics: Hashable, Sendable {
    /// The number of finished accesses of read-only connections.
    public internal(set) var readCount = 0

    /// The number of finished accesses of connections that can write, including the connection of a
    /// queue.
    public internal(set) var writeCount = 0

    /// The total time during which read-only connections were in use.
    public internal(set) var readBusyTime: TimeInterval = 0

    /// The total time during which connections that can write were in use.
    public internal(set) var writeBusyTime: TimeInterval = 0

    /// The number of reads that had to wait for a connection of a pool, or that waited for their turn on another
    /// read-only connection for a millisecond or more.
    public internal(set) var readWaitCount = 0

    /// The total time that reads waited for a connection.
    public internal(set) var readWaitTime: TimeInterval = 0

    /// The number of writes that waited for their turn for a millisecond or more.
    public internal(set) var writeWaitCount = 0

    /// The total time that writes waited for their turn.
    public internal(set) var writeWaitTime: TimeInterval = 0

    /// The longest time that a read or write waited.
    public internal(set) var longestWaitTime: TimeInterval = 0

    /// The number of committed transactions, excluding empty ones and those of reads.
    public internal(set) var commitCount = 0

    /// The number of transactions that were rolled back.
    public internal(set) var rollbackCount = 0

    /// The number of pages found in the cache of a connection.
    public internal(set) var cacheHitCount = 0

    /// The number of pages not found in the cache, and so read from the file.
    public internal(set) var cacheMissCount = 0

    /// The number of statements that took longer than the threshold of
    /// `Configuration.reportSlowStatements(threshold:onSlowStatement:)`.
    public internal(set) var slowStatementCount = 0

    /// The duration of the longest finished read.
    public internal(set) var longestReadTime: TimeInterval = 0

    /// The read or snapshot that has been running for the longest time.
    public internal(set) var oldestRead: RunningAccess?

    /// The number of running accesses.
    public internal(set) var runningAccessCount = 0

    /// The size of the write-ahead log, in bytes; 0 if there is none.
    public internal(set) var walByteCount = 0

    /// A running access, or an existing snapshot.
    public struct RunningAccess: Hashable, Sendable {
        /// The label of the access, if it has one.
        public let label: AccessLabel?

        /// The name of the connection, such as `GRDB.DatabasePool.reader.2`.
        public let connection: String

        /// Whether this is a snapshot, which keeps its transaction open until it is released.
        public let isSnapshot: Bool

        /// The start of the access, in nanoseconds of the monotonic clock.
        let start: UInt64

        /// The time since the access began, in seconds.
        public var age: TimeInterval { TimeInterval(Monotonic.nanoseconds - start) / 1e9 }
    }

    init() {}
}

extension DatabaseMetrics.RunningAccess: CustomStringConvertible {
    public var description: String {
        let kind = isSnapshot ? "snapshot" : "read"
        return "\(kind) \(label.map { "\($0), " } ?? "")\(connection)"
    }
}
