import Dispatch
import GRDBChanges
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite(.databases) struct TimedImmediateListTests {
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
        expectEqual(changes.elements, [["Arthur", "Barbara"]])
        expectEqual(list.elements.map(\.id), [1, 2])
        try await writer.write { try $0.execute(sql: "DELETE FROM player WHERE id = 1") }
        await expectEqual(changes.wait(forCount: 2).last, ["Barbara"])
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
        expectEqual(changes.elements, [])
        mayEnd.signal()
        await expectEqual(changes.wait(forCount: 1), [["Arthur", "Barbara"]])
        try await writer.write { try $0.execute(sql: "DELETE FROM player WHERE id = 1") }
        await expectEqual(changes.wait(forCount: 2).last, ["Barbara"])
        list.cancel()
    }
}

private func waitForSemaphore(_ semaphore: DispatchSemaphore) {
    semaphore.wait()
}
