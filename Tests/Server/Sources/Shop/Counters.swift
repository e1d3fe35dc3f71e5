import Foundation
import GRDB
import Hummingbird
import Synchronization

#if !SERVER_PEER
import GRDBServer
#endif

/// Counts requests, for `GET /metrics`.
final class Counters: Sendable {
    private struct State {
        var requests = 0
        var failures = 0
        var busy: Duration = .zero
    }
    private let state = Mutex(State())

    func record(_ duration: Duration, failed: Bool) {
        state.withLock {
            $0.requests += 1
            $0.failures += failed ? 1 : 0
            $0.busy += duration
        }
    }

    /// In the text format of Prometheus.
    func text(pool: DatabasePool) -> String {
        let state = state.withLock { $0 }
        let seconds =
            Double(state.busy.components.seconds)
            + Double(state.busy.components.attoseconds) / 1e18
        var lines = [
            "# TYPE shop_requests_total counter",
            "shop_requests_total \(state.requests)",
            "# TYPE shop_failures_total counter",
            "shop_failures_total \(state.failures)",
            "# TYPE shop_request_seconds_total counter",
            "shop_request_seconds_total \(seconds)",
        ]
        #if !SERVER_PEER
        let metrics = pool.metrics
        lines += [
            "# TYPE shop_database_reads_total counter",
            "shop_database_reads_total \(metrics.readCount)",
            "# TYPE shop_database_commits_total counter",
            "shop_database_commits_total \(metrics.commitCount)",
            "# TYPE shop_database_write_wait_seconds_total counter",
            "shop_database_write_wait_seconds_total \(metrics.writeWaitTime)",
            "# TYPE shop_wal_bytes gauge",
            "shop_wal_bytes \(metrics.walByteCount)",
        ]
        #endif
        return lines.joined(separator: "\n") + "\n"
    }
}

struct CountRequests<Context: RequestContext>: RouterMiddleware {
    let counters: Counters

    func handle(
        _ request: Request, context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let clock = ContinuousClock()
        let start = clock.now
        do {
            let response = try await next(request, context)
            counters.record(clock.now - start, failed: response.status.code >= 500)
            return response
        } catch {
            let status = (error as? any HTTPResponseError)?.status ?? .internalServerError
            counters.record(clock.now - start, failed: status.code >= 500)
            throw error
        }
    }
}
