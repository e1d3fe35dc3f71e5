import Foundation
import GRDB
import Hummingbird
import Logging

#if !SERVER_PEER
import GRDBServer
#endif

/// A small shop, to see what the package does under load, and after a crash.
///
///     Shop FILE PORT
///
/// Environment: LITESTREAM_SOCKET, the path of the control socket of a Litestream that replicates FILE;
/// SHOP_READERS, how many connections read; SHOP_IN_PLACE, requests run on threads that access the database in place.
@main
struct Main {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let port = Int(arguments[2]) else {
            print("usage: Shop FILE PORT")
            exit(2)
        }
        let environment = ProcessInfo.processInfo.environment
        let socket = environment["LITESTREAM_SOCKET"]

        var logger = Logger(label: "shop")
        logger.logLevel = .warning
        var configuration = Configuration()
        configuration.maximumReaderCount = environment["SHOP_READERS"].flatMap(Int.init) ?? 4
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { db in
            // Litestream moves the WAL into the file.
            if socket != nil { try db.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
        }
        #if !SERVER_PEER
        configuration.report(to: logger)
        #endif
        let pool = try DatabasePool(path: arguments[1], configuration: configuration)
        try migrator.migrate(pool)
        #if !SERVER_PEER
        let reporter = MetricsReporter()
        let metricsObserver = pool.observeMetrics(every: 1) { reporter.report($0) }
        defer { metricsObserver.cancel() }
        #endif

        let application = Application(
            router: makeRouter(Shop(pool: pool), Counters(), Replication(socket: socket)),
            configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { _ in
                // What the script waits for.
                FileHandle.standardOutput.write(Data("listening\n".utf8))
            },
            logger: logger)
        // Returns after SIGTERM or SIGINT, when the requests that were running are answered.
        #if SERVER_PEER
        try await application.runService()
        #else
        if environment["SHOP_IN_PLACE"] != nil {
            // The tasks of the requests inherit it.
            try await withTaskExecutorPreference(pool.taskExecutor) {
                try await application.runService()
            }
        } else {
            try await application.runService()
        }
        #endif
        try pool.close()
        FileHandle.standardOutput.write(Data("closed\n".utf8))
    }
}
