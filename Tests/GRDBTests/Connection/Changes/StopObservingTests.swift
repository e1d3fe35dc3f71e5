import GRDB
import GRDBTestSupport
import Testing

/// `stopObservingDatabaseChangesUntilNextTransaction()`
@Suite(.databases) struct StopObservingTests {
    private let dbQueue: DatabaseQueue
    private let recorder = TransactionRecorder()

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)") }
        dbQueue.add(transactionObserver: recorder)
        recorder.onChange = { [unowned recorder] _ in
            recorder.stopObservingDatabaseChangesUntilNextTransaction()
        }
    }

    private func insert(_ ids: Int...) throws {
        try dbQueue.write { db in
            for id in ids {
                try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [id])
            }
        }
    }

    @Test func changesAreNotNotifiedUntilTheNextTransaction() throws {
        try insert(1, 2, 3)
        expectEqual(recorder.lines(), ["didChange insert main.t 1", "willCommit", "didCommit"])
        try insert(4, 5, 6)
        expectEqual(recorder.lines(), ["didChange insert main.t 4", "willCommit", "didCommit"])
    }

    @Test func rollbackEndsTheStop() throws {
        try? dbQueue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1), (2)")
            throw TestError()
        }
        expectEqual(recorder.lines(), ["didChange insert main.t 1", "didRollback"])
        try insert(3, 4)
        expectEqual(recorder.lines(), ["didChange insert main.t 3", "willCommit", "didCommit"])
    }

    @Test func stopHoldsInTheMiddleOfAStatement() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO t VALUES (1), (2), (3)")
        }
        expectEqual(recorder.lines(), ["didChange insert main.t 1", "willCommit", "didCommit"])
    }

    @Test func stoppedObserverIsNotAsked() throws {
        let recorder = TransactionRecorder(nil, [.observes, .others])
        recorder.onChange = { [unowned recorder] _ in
            recorder.stopObservingDatabaseChangesUntilNextTransaction()
        }
        dbQueue.add(transactionObserver: recorder)
        try insert(1, 2)
        expectEqual(
            recorder.lines(),
            [
                "observes insert(t)", "didChange insert main.t 1", "willCommit", "didCommit",
            ])
    }

    @Test func otherObserversGoOn() throws {
        let other = TransactionRecorder()
        dbQueue.add(transactionObserver: other)
        try insert(1, 2)
        expectEqual(
            other.lines(),
            [
                "didChange insert main.t 1", "didChange insert main.t 2",
                "willCommit", "didCommit",
            ])
    }

    @Test func stopHoldsForHeldChanges() throws {
        try dbQueue.write { db in
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO t VALUES (1), (2)")
                try db.execute(sql: "INSERT INTO t VALUES (3)")
                return .commit
            }
            try db.execute(sql: "INSERT INTO t VALUES (4)")
        }
        expectEqual(recorder.lines(), ["didChange insert main.t 1", "willCommit", "didCommit"])
    }

    @Test func stopHoldsForPreupdateEvents() throws {
        let recorder = TransactionRecorder(nil, [.willChange, .others])
        recorder.onWillChange = { [unowned recorder] _ in
            recorder.stopObservingDatabaseChangesUntilNextTransaction()
        }
        dbQueue.add(transactionObserver: recorder)
        try insert(1, 2)
        expectEqual(recorder.lines(), ["willChange insert main.t 1", "willCommit", "didCommit"])
    }

    @Test func stopHoldsForUnspecifiedChanges() throws {
        recorder.onChange = nil
        recorder.onUnspecifiedChange = { [unowned recorder] in
            recorder.stopObservingDatabaseChangesUntilNextTransaction()
        }
        try dbQueue.write { db in
            try db.notifyChanges(in: .fullDatabase)
            try db.notifyChanges(in: .fullDatabase)
            try db.execute(sql: "INSERT INTO t VALUES (1)")
        }
        expectEqual(recorder.lines(), ["didChange", "willCommit", "didCommit"])
    }

    /// One of two connections that the observer watches.
    @Test func stopIsThatOfOneConnection() throws {
        let other = try TestDatabases.makeQueue()
        try other.write { try $0.execute(sql: "CREATE TABLE u(id INTEGER PRIMARY KEY)") }
        other.add(transactionObserver: recorder)
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            try other.write { try $0.execute(sql: "INSERT INTO u VALUES (1), (2)") }
            try db.execute(sql: "INSERT INTO t VALUES (2)")
        }
        expectEqual(
            recorder.lines().filter { $0.hasPrefix("didChange") }.first,
            "didChange insert main.t 1")
        try other.write { try $0.execute(sql: "INSERT INTO u VALUES (3)") }
        expectEqual(recorder.lines(), ["didChange insert main.u 3", "willCommit", "didCommit"])
    }
}
