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
        #expect(values.elements == [0])
        try await writer.write { try $0.execute(sql: "INSERT INTO t DEFAULT VALUES") }
        #expect(await values.wait(forCount: 2) == [0, 1])
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
        #expect(values.elements == [])
        mayEnd.signal()
        #expect(await values.wait(forCount: 1) == [0])
        try await writer.write { try $0.execute(sql: "INSERT INTO t DEFAULT VALUES") }
        #expect(await values.wait(forCount: 2) == [0, 1])
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
        #expect(errors.elements.count == 1)
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
        #expect(values.elements == [0, 0])
        first.cancel()
        second.cancel()
    }

    // MARK: - Lists

    private func makePlayers(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        var configuration = TestDatabases.makeConfiguration()
        configuration.maximumReaderCount = 1
        let writer = try TestDatabases.makeWriter(kind, configuration)
        try writer.write { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, team TEXT, score INTEGER);
                    INSERT INTO player VALUES (1, 'Arthur', 'red', 10), (2, 'Barbara', 'blue', 20);
                    """)
        }
        return writer
    }

    private let playerList = ListObservation.tracking(ListedPlayer.order(Column("score")))

    @Test(arguments: DatabaseKind.allCases) @MainActor
    func listInTime(_ kind: DatabaseKind) async throws {
        let writer = try makePlayers(kind)
        let changes = Log<[String]>()
        let list = playerList.start(in: writer, scheduling: .immediate(within: patience)) {
            Issue.record($0)
        } onChange: { change in
            changes.append(change.elements.map(\.name))
        }
        #expect(changes.elements == [["Arthur", "Barbara"]])
        #expect(list.elements.map(\.id) == [1, 2])
        try await writer.write { try $0.execute(sql: "DELETE FROM player WHERE id = 1") }
        #expect(await changes.wait(forCount: 2).last == ["Barbara"])
        list.cancel()
    }

    @Test(arguments: DatabaseKind.allCases, [0, 0.001]) @MainActor
    func lateList(_ kind: DatabaseKind, _ duration: Double) async throws {
        let writer = try makePlayers(kind)
        let isHeld = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            try? writer.read { _ in
                isHeld.signal()
                mayEnd.wait()
            }
        }
        waitForSemaphore(isHeld)
        let changes = Log<[String]>()
        let list = playerList.start(in: writer, scheduling: .immediate(within: duration)) {
            Issue.record($0)
        } onChange: { change in
            changes.append(change.elements.map(\.name))
        }
        #expect(changes.elements == [])
        mayEnd.signal()
        #expect(await changes.wait(forCount: 1) == [["Arthur", "Barbara"]])
        try await writer.write { try $0.execute(sql: "DELETE FROM player WHERE id = 1") }
        #expect(await changes.wait(forCount: 2).last == ["Barbara"])
        list.cancel()
    }
}

private func waitForSemaphore(_ semaphore: DispatchSemaphore) {
    semaphore.wait()
}
