@testable import GRDBChanges
import Dispatch
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// A process that is idle does nothing, and its own writes are no changes of others.
@Suite(.databases) struct IdleMonitorTests {
    @Test(arguments: DatabaseKind.allCases)
    func ownWritesDoNotWakeTheMonitor(kind: DatabaseKind) async throws {
        let writer: any DatabaseWriter =
            switch kind {
            case .queue: try TestDatabases.makeQueue(.file)
            case .pool: try TestDatabases.makePool()
            }
        try await writer.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        let fetches = Log<Bool>()
        let values = Log<Int>()
        let observation = ValueObservation.tracking { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")!
        }.handleEvents(willFetch: { fetches.append(true) })
        let cancellable = observation.start(
            in: writer, scheduling: .async(onQueue: DispatchQueue(label: "values")),
            onError: { _ in }, onChange: { values.append($0) })
        defer { cancellable.cancel() }
        _ = await values.wait(forCount: 1)

        let monitor = try ExternalChangeMonitor(writer)
        let wakes = Log<Bool>()
        monitor.start(interval: 0.001) { _ in wakes.append(true) }
        defer { monitor.stop() }
        for count in 1...20 {
            try await writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
            _ = await values.wait(forCount: count + 1)
        }
        let fetchCount = fetches.elements.count
        expectTrue(wakes.elements.isEmpty)

        // Many looks later.
        await letOthersRun(for: 0.1)
        expectTrue(wakes.elements.isEmpty)
        expectEqual(fetches.elements.count, fetchCount)
        expectEqual(values.elements, Array(0...20))

        // It is awake, though.
        var configuration = TestDatabases.makeConfiguration()
        configuration.busyMode = .timeout(10)
        let other = try TestDatabases.openQueue(writer.path, configuration)
        try await other.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        _ = await wakes.wait(forCount: 1)
        await expectEqual(values.wait(forCount: 22).last, 21)
        expectEqual(fetches.elements.count, fetchCount + 1)
    }
}
