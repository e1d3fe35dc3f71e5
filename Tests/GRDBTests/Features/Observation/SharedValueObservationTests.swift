import Dispatch
import Foundation
@testable import GRDB
import GRDBTestSupport
import Testing

/// Observations with several clients, and asynchronous sequences.
@Suite(.databases) struct SharedValueObservationTests {
    @Sendable private static func count(_ db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? 0
    }

    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        return writer
    }

    private func insert(_ writer: any DatabaseWriter) throws {
        try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    }

    private func start(
        _ observation: SharedValueObservation<Int>, _ log: Transcript, _ name: String
    ) -> AnyDatabaseCancellable {
        observation.start(
            onError: { log.append("\(name) error \($0)") },
            onChange: { log.append("\(name) \($0)") })
    }

    @Test(arguments: DatabaseKind.allCases, [true, false])
    func clientsShareFetches(kind: DatabaseKind, isImmediate: Bool) throws {
        let writer = try makeWriter(kind)
        for extent in [SharedValueObservationExtent.whileObserved, .observationLifetime] {
            try writer.write { try $0.execute(sql: "DELETE FROM t; INSERT INTO t VALUES (1)") }
            let log = Transcript()
            let events = Transcript()
            let observation = ValueObservation.tracking(Self.count).handleEvents(
                willStart: { events.append("start") }, willFetch: { events.append("fetch") },
                didCancel: { events.append("cancel") })
            var shared: SharedValueObservation<Int>? =
                isImmediate
                ? observation.shared(in: writer, scheduling: EagerScheduler(), extent: extent)
                : observation.shared(
                    in: writer, scheduling: .async(onQueue: DispatchQueue(label: "values")),
                    extent: extent)
            expectEqual(events.all, [])
            let first = start(shared!, log, "1")
            log.wait(last: "1 1")
            let second = start(shared!, log, "2")
            log.wait(last: "2 1")
            waitForWriter(writer)
            expectEqual(events.removeAll(), ["start", "fetch"])
            try insert(writer)
            log.wait(last: "2 2")
            expectEqual(log.removeAll(), ["1 1", "2 1", "1 2", "2 2"])
            expectEqual(events.removeAll(), ["fetch"])
            first.cancel()
            expectEqual(events.all, [])
            second.cancel()
            expectEqual(events.removeAll(), (extent == .whileObserved ? ["cancel"] : []))
            let third = start(shared!, log, "3")
            log.wait(last: "3 2")
            waitForWriter(writer)
            expectEqual(events.removeAll(), (extent == .whileObserved ? ["start", "fetch"] : []))
            // The last client keeps the observation alive.
            shared = nil
            try insert(writer)
            log.wait(last: "3 3")
            expectEqual(log.all, ["3 2", "3 3"])
            third.cancel()
            if extent == .whileObserved {
                expectEqual(events.all, ["fetch", "cancel"])
            }
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func errorsOfSharedObservations(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        for extent in [SharedValueObservationExtent.whileObserved, .observationLifetime] {
            let isFailing = Log<Int>()
            let log = Transcript()
            let shared =
                ValueObservation
                .tracking { db in
                    if isFailing.elements.count == 1 { throw TestError() }
                    return try Self.count(db)
                }
                .map { _ in 0 }
                .shared(in: writer, scheduling: EagerScheduler(), extent: extent)
            let cancellables = Log<AnyDatabaseCancellable>()
            cancellables.append(start(shared, log, "1"))
            waitForWriter(writer)
            isFailing.append(1)
            try insert(writer)
            log.wait(last: "1 error TestError")
            cancellables.append(start(shared, log, "2"))
            log.wait(last: "2 error TestError")
            isFailing.append(1)
            cancellables.append(start(shared, log, "3"))
            expectEqual(
                log.all,
                [
                    "1 0", "1 error TestError", "2 error TestError",
                    extent == .whileObserved ? "3 0" : "3 error TestError",
                ])
        }
    }

    /// A client that another one cancels gets nothing more.
    @Test(arguments: DatabaseKind.allCases, [true, false])
    func clientsCancelOthers(kind: DatabaseKind, cancelsInError: Bool) throws {
        let writer = try makeWriter(kind)
        for extent in [SharedValueObservationExtent.whileObserved, .observationLifetime] {
            let isFailing = Locked(false)
            let log = Transcript()
            let shared =
                ValueObservation
                .tracking { db in
                    _ = try Self.count(db)
                    if isFailing.withLock({ $0 }) { throw TestError() }
                    return 0
                }
                .shared(in: writer, scheduling: EagerScheduler(), extent: extent)
            let cancellables = Locked<[AnyDatabaseCancellable]>([])
            // Whoever comes first cancels the second one.
            let first = shared.start { error in
                log.append("1 error \(error)")
                if cancelsInError { cancellables.withLock { $0.first }?.cancel() }
            } onChange: { value in
                log.append("1 \(value)")
                if !cancelsInError { cancellables.withLock { $0.first }?.cancel() }
            }
            let second = start(shared, log, "2")
            let third = start(shared, log, "3")
            log.wait(last: "3 0")
            cancellables.withLock { $0 = [second, third] }
            waitForWriter(writer)
            if !cancelsInError {
                try insert(writer)
                log.wait(count: 5)
            }
            isFailing.withLock { $0 = true }
            try insert(writer)
            log.wait(last: "3 error TestError")
            expectEqual(
                log.all,
                ["1 0", "2 0", "3 0"] + (cancelsInError ? [] : ["1 0", "3 0"])
                    + ["1 error TestError", "3 error TestError"])
            for cancellable in [first, second, third] { cancellable.cancel() }
            cancellables.withLock { $0 = [] }
        }
    }

    // MARK: - Sequences

    @Test(arguments: DatabaseKind.allCases)
    func sequences(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let events = Transcript()
        let observation = ValueObservation.tracking(Self.count)
            .handleEvents(didCancel: { events.append("cancel") })
        var values: [Int] = []
        for try await value in observation.values(in: writer) {
            values.append(value)
            if value == 3 { break }
            try await writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        }
        expectEqual(values.first, 1)
        expectEqual(values.last, 3)
        expectEqual(values, values.sorted())
        events.wait(count: 1)

        // The end of the task ends the loop.
        let task = Task {
            var count = 0
            for try await _ in observation.values(
                in: writer, bufferingPolicy: .bufferingNewest(1))
            {
                count += 1
                withUnsafeCurrentTask { $0?.cancel() }
            }
            return count
        }
        try await expectEqual(task.value, 1)
        events.wait(count: 2)
        expectEqual(events.all, ["cancel", "cancel"])

        let failing = ValueObservation.tracking { _ -> Int in throw TestError() }
        await expectError(TestError.self) {
            for try await _ in failing.values(in: writer) {}
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func sequencesOfSharedObservations(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let shared = ValueObservation.tracking(Self.count).shared(in: writer, scheduling: .task)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for try await value in shared.values() where value == 2 { return value }
                    return 0
                }
            }
            try insert(writer)
            for try await value in group { expectEqual(value, 2) }
        }
    }
}
