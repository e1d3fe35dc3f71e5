import Dispatch
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite(.databases) struct TimedImmediateSchedulerTests {
    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { try $0.execute(sql: "CREATE TABLE t(a INTEGER PRIMARY KEY)") }
        return writer
    }

    private let observation = ValueObservation.tracking { db in
        try Int.fetchOne(db, sql: "SELECT count(*) FROM t") ?? 0
    }

    @Test(arguments: DatabaseKind.allCases) @MainActor
    func valueInTime(_ kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let values = Log<Int>()
        let cancellable = observation.start(in: writer, scheduling: .immediate(within: patience)) {
            Issue.record($0)
        } onChange: {
            values.append($0)
        }
        expectEqual(values.elements, [0])
        try await writer.write { try $0.execute(sql: "INSERT INTO t DEFAULT VALUES") }
        await expectEqual(values.wait(forCount: 2), [0, 1])
        cancellable.cancel()
    }

    /// The connection is held until the start has returned.
    @Test(arguments: DatabaseKind.allCases, [0, -1, 0.001, Double.nan]) @MainActor
    func lateValue(_ kind: DatabaseKind, _ duration: Double) async throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.maximumReaderCount = 1
        let writer = try TestDatabases.makeWriter(kind, configuration)
        try await writer.write { try $0.execute(sql: "CREATE TABLE t(a INTEGER PRIMARY KEY)") }
        let isHeld = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            try? writer.read { _ in
                isHeld.signal()
                mayEnd.wait()
            }
        }
        waitForSemaphore(isHeld)
        let values = Log<Int>()
        let cancellable = observation.start(in: writer, scheduling: .immediate(within: duration)) {
            Issue.record($0)
        } onChange: {
            values.append($0)
        }
        expectEqual(values.elements, [])
        mayEnd.signal()
        await expectEqual(values.wait(forCount: 1), [0])
        try await writer.write { try $0.execute(sql: "INSERT INTO t DEFAULT VALUES") }
        await expectEqual(values.wait(forCount: 2), [0, 1])
        cancellable.cancel()
    }

    @Test(arguments: DatabaseKind.allCases) @MainActor
    func errorInTime(_ kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let errors = Log<String>()
        let cancellable = ValueObservation.tracking { db in
            try Int.fetchOne(db, sql: "SELECT * FROM nowhere")
        }.start(in: writer, scheduling: .immediate(within: patience)) {
            errors.append("\($0)")
        } onChange: { _ in
            Issue.record("a value")
        }
        expectEqual(errors.elements.count, 1)
        cancellable.cancel()
    }

    @Test(arguments: DatabaseKind.allCases) @MainActor
    func sharedObservations(_ kind: DatabaseKind) throws {
        let shared = try observation.shared(
            in: makeWriter(kind), scheduling: .immediate(within: patience))
        let values = Log<Int>()
        let first = shared.start {
            Issue.record($0)
        } onChange: {
            values.append($0)
        }
        let second = shared.start {
            Issue.record($0)
        } onChange: {
            values.append($0)
        }
        expectEqual(values.elements, [0, 0])
        first.cancel()
        second.cancel()
    }
}

private func waitForSemaphore(_ semaphore: DispatchSemaphore) {
    semaphore.wait()
}
