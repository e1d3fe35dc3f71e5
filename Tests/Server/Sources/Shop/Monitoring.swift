#if !SERVER_PEER
import GRDB
import GRDBServer
import Logging
import Metrics
import Synchronization

// What the guide on servers shows: the database reports to swift-log and swift-metrics.

extension Configuration {
    /// Counts accesses, and reports slow statements and messages of SQLite to a logger.
    mutating func report(to logger: Logger) {
        metricsCollector = DatabaseMetricsCollector()
        reportSlowStatements(threshold: 1) { statement in
            var metadata: Logger.Metadata = [
                "sql": "\(statement.sql)", "seconds": "\(statement.duration)",
            ]
            metadata["access"] = statement.label.map { "\($0)" }
            metadata["plan"] = statement.plan.map { "\($0)" }
            logger.warning("slow statement", metadata: metadata)
        }
        Database.logError = { code, message in
            logger.warning("\(message)", metadata: ["code": "\(code)"])
        }
    }
}

/// Passes the metrics of a database on to swift-metrics, whose counters take differences.
final class MetricsReporter: Sendable {
    private let former = Mutex<DatabaseMetrics?>(nil)
    private let reads = Counter(label: "sqlite.reads")
    private let writes = Counter(label: "sqlite.writes")
    private let commits = Counter(label: "sqlite.commits")
    private let writeWaitMilliseconds = Counter(label: "sqlite.write.wait.ms")
    private let walBytes = Gauge(label: "sqlite.wal.bytes")
    private let oldestReadSeconds = Gauge(label: "sqlite.oldest.read.seconds")

    func report(_ metrics: DatabaseMetrics) {
        let former = self.former.withLock { former in
            defer { former = metrics }
            return former
        }
        reads.increment(by: metrics.readCount - (former?.readCount ?? 0))
        writes.increment(by: metrics.writeCount - (former?.writeCount ?? 0))
        commits.increment(by: metrics.commitCount - (former?.commitCount ?? 0))
        let wait = metrics.writeWaitTime - (former?.writeWaitTime ?? 0)
        writeWaitMilliseconds.increment(by: Int(wait * 1000))
        walBytes.record(metrics.walByteCount)
        oldestReadSeconds.record(metrics.oldestRead?.age ?? 0)
    }
}
#endif
