import Dispatch
import GRDB
import GRDBChanges
import GRDBTestSupport
import Testing

/// Observations of the number of entries that wait.
@Suite(.databases) struct OutboxObservationTests {
    @Test(arguments: DatabaseKind.allCases)
    func pendingCountIsObserved(kind: DatabaseKind) async throws {
        let writer = try TestDatabases.makeWriter(kind)
        try await writer.write { db in
            try db.execute(sql: "CREATE TABLE t(a INTEGER PRIMARY KEY); CREATE TABLE other(a)")
        }
        let outbox = try writer.outbox(named: "Test", tables: ["t"])
        let counts = Log<Int>()
        let queue = DispatchQueue(label: "counts")
        let cancellable = ValueObservation.tracking { db in try outbox.pendingCount(db) }
            .removeDuplicates()
            .start(in: writer, scheduling: .async(onQueue: queue)) { error in
                Issue.record(error)
            } onChange: {
                counts.append($0)
            }
        defer { cancellable.cancel() }
        await counts.wait(forCount: 1)
        try await writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1), (2), (3)") }
        await counts.wait(forCount: 2)
        // Rolled back, and not recorded
        expectError(TestError.self) {
            try writer.write { db -> Void in
                try db.execute(sql: "INSERT INTO t VALUES (4)")
                throw TestError()
            }
        }
        try await writer.write { try $0.execute(sql: "INSERT INTO other VALUES (4)") }
        try await outbox.acknowledge(through: 2)
        await counts.wait(forCount: 3)
        try await writer.write { try $0.execute(sql: "DELETE FROM t WHERE a = 1") }
        await counts.wait(forCount: 4)
        expectEqual(counts.elements, [0, 3, 1, 2])
    }

    /// The other tables of this library remain invisible.
    @MainActor @Test func otherObservationsIgnoreOutboxes() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a); CREATE TABLE other(a)") }
        let outbox = try dbQueue.outbox(named: "test", tables: ["t"])
        let changes = Log<Int>()
        let observation = ValueObservation.tracking { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM other, grdb_outbox") ?? 0
        }
        let cancellable = observation.start(in: dbQueue, scheduling: .immediate) { error in
            Issue.record(error)
        } onChange: {
            changes.append($0)
        }
        defer { cancellable.cancel() }
        try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        letOthersRun()
        expectEqual(changes.elements, [0])
        expectEqual(try dbQueue.read { try outbox.pendingCount($0) }, 1)
    }
}
