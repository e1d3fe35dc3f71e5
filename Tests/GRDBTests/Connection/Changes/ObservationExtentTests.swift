import Dispatch
import GRDB
import GRDBTestSupport
import Testing

/// How long observers are told of changes, and who keeps them alive.
@Suite(.databases) struct ObservationExtentTests {
    private let dbQueue: DatabaseQueue
    private let log = Log<String>()

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)") }
    }

    /// An observer that nobody but the database may retain.
    private func addObserver(
        _ name: String? = nil, _ extent: Database.TransactionObservationExtent
    ) -> WeakRecorder {
        let recorder = TransactionRecorder(name, log: log)
        dbQueue.add(transactionObserver: recorder, extent: extent)
        return WeakRecorder(recorder: recorder)
    }

    private struct WeakRecorder {
        weak var recorder: TransactionRecorder?
    }

    private func insert() throws {
        try dbQueue.write { try $0.execute(sql: "INSERT INTO t DEFAULT VALUES") }
    }

    // MARK: - Observer lifetime

    @Test func observerIsNotRetainedByDefault() throws {
        let recorder = TransactionRecorder(log: log)
        dbQueue.add(transactionObserver: recorder)
        try insert()
        expectEqual(log.removeAll(), ["didChange insert main.t 1", "willCommit", "didCommit"])

        let weakObserver = addObserver("weak", .observerLifetime)
        expectNil(weakObserver.recorder)
        try insert()
        expectEqual(log.elements, ["didChange insert main.t 2", "willCommit", "didCommit"])
        withExtendedLifetime(recorder) {}
    }

    @Test func observerMayBeDeallocatedInATransaction() throws {
        try dbQueue.write { db in
            var recorder: TransactionRecorder? = TransactionRecorder(log: log)
            db.add(transactionObserver: recorder!)
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            recorder = nil
            try db.execute(sql: "INSERT INTO t VALUES (2)")
        }
        expectEqual(log.elements, ["didChange insert main.t 1"])
    }

    @Test func deallocationOnAnotherThreadIsSafe() async throws {
        for _ in 0..<50 {
            let recorder = Living(TransactionRecorder(log: log))
            dbQueue.add(transactionObserver: recorder.value)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { _ = consume recorder }
                group.addTask {
                    try? await dbQueue.write { db in
                        try db.execute(sql: "INSERT INTO t DEFAULT VALUES")
                    }
                }
            }
        }
        // Each row was told to one recorder at most.
        try await expectEqual(
            dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") },
            50)
        let lines = log.removeAll()
        expectTrue(lines.count { $0.hasPrefix("didChange") } <= 50)
        expectTrue(lines.allSatisfy { !$0.hasPrefix("didRollback") })
        try insert()
        expectEqual(log.elements, [])
    }

    // MARK: - Database lifetime

    @Test func databaseMayRetainTheObserver() throws {
        let observer = addObserver(nil, .databaseLifetime)
        expectTrue(observer.recorder != nil)
        try insert()
        try insert()
        expectEqual(
            log.elements,
            [
                "didChange insert main.t 1", "willCommit", "didCommit",
                "didChange insert main.t 2", "willCommit", "didCommit",
            ])
        try dbQueue.close()
        expectNil(observer.recorder)
    }

    @Test func observerGoesAwayWithTheDatabase() throws {
        weak var weakRecorder: TransactionRecorder?
        do {
            let dbQueue = try TestDatabases.makeQueue()
            let recorder = TransactionRecorder()
            weakRecorder = recorder
            dbQueue.add(transactionObserver: recorder, extent: .databaseLifetime)
        }
        expectNil(weakRecorder)
    }

    // MARK: - Next transaction

    @Test func observerMayWatchTheNextTransactionOnly() throws {
        let observer = addObserver(nil, .nextTransaction)
        expectTrue(observer.recorder != nil)
        try insert()
        expectEqual(log.removeAll(), ["didChange insert main.t 1", "willCommit", "didCommit"])
        expectNil(observer.recorder)
        try insert()
        expectEqual(log.elements, [])
    }

    @Test func readsAreNoNextTransaction() throws {
        let observer = addObserver(nil, .nextTransaction)
        try dbQueue.read { _ in }
        try dbQueue.read { try $0.execute(sql: "SELECT 1") }
        try dbQueue.writeWithoutTransaction { try $0.execute(sql: "SELECT 1") }
        expectTrue(observer.recorder != nil)
        expectEqual(log.elements, [])
        try dbQueue.write { _ in }
        expectEqual(log.elements, ["willCommit", "didCommit"])
        expectNil(observer.recorder)
    }

    @Test func rollbackIsANextTransaction() throws {
        let observer = addObserver(nil, .nextTransaction)
        try? dbQueue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            throw TestError()
        }
        expectEqual(log.elements, ["didChange insert main.t 1", "didRollback"])
        expectNil(observer.recorder)
    }

    @Test func currentTransactionIsTheNextOne() throws {
        var observer: WeakRecorder?
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            observer = addObserver(nil, .nextTransaction)
            try db.execute(sql: "INSERT INTO t VALUES (2)")
        }
        expectEqual(log.removeAll(), ["didChange insert main.t 2", "willCommit", "didCommit"])
        expectNil(observer?.recorder)
        try insert()
        expectEqual(log.elements, [])
    }

    @Test func savepointIsNoNextTransaction() throws {
        try dbQueue.write { db in
            let observer = addObserver(nil, .nextTransaction)
            try db.inSavepoint { .commit }
            try db.inSavepoint { .rollback }
            expectTrue(observer.recorder != nil)
            expectEqual(log.elements, [])
        }
        expectEqual(log.elements, ["willCommit", "didCommit"])
    }

    // MARK: - Several registrations

    @Test func observerThatIsAddedTwiceIsToldTwice() throws {
        let recorder = TransactionRecorder(log: log)
        dbQueue.add(transactionObserver: recorder)
        dbQueue.add(transactionObserver: recorder)
        try insert()
        expectEqual(
            log.elements,
            [
                "didChange insert main.t 1", "didChange insert main.t 1",
                "willCommit", "willCommit", "didCommit", "didCommit",
            ])
    }

    @Test func removalEndsOneRegistration() throws {
        let recorder = TransactionRecorder(log: log)
        dbQueue.add(transactionObserver: recorder)
        dbQueue.add(transactionObserver: recorder)
        dbQueue.remove(transactionObserver: recorder)
        try insert()
        expectEqual(log.removeAll(), ["didChange insert main.t 1", "willCommit", "didCommit"])
        dbQueue.remove(transactionObserver: recorder)
        try insert()
        expectEqual(log.elements, [])
    }

    // MARK: - Removal

    @Test func removedObserverIsReleased() throws {
        let observer = addObserver(nil, .databaseLifetime)
        dbQueue.remove(transactionObserver: try unwrap(observer.recorder))
        expectNil(observer.recorder)
        try insert()
        expectEqual(log.elements, [])
    }

    @Test func removalOfAStrangerDoesNothing() throws {
        let recorder = TransactionRecorder(log: log)
        dbQueue.add(transactionObserver: recorder)
        dbQueue.remove(transactionObserver: TransactionRecorder())
        try insert()
        expectEqual(log.elements.count, 3)
    }

    @Test func observerMayBeRemovedInATransaction() throws {
        let recorder = TransactionRecorder(log: log)
        dbQueue.add(transactionObserver: recorder)
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            db.remove(transactionObserver: recorder)
            try db.execute(sql: "INSERT INTO t VALUES (2)")
        }
        expectEqual(log.elements, ["didChange insert main.t 1"])
    }

    @Test func observerMayRemoveItselfOnAChange() throws {
        let recorder = TransactionRecorder("one", log: log)
        let other = TransactionRecorder("other", log: log)
        recorder.onChange = { [unowned recorder, dbQueue] _ in
            dbQueue.remove(transactionObserver: recorder)
        }
        dbQueue.add(transactionObserver: recorder)
        dbQueue.add(transactionObserver: other)
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1), (2)")
            try db.execute(sql: "INSERT INTO t VALUES (3)")
        }
        recorder.onChange = nil
        expectEqual(
            log.elements,
            [
                "one: didChange insert main.t 1", "other: didChange insert main.t 1",
                "other: didChange insert main.t 2", "other: didChange insert main.t 3",
                "other: willCommit", "other: didCommit",
            ])
    }

    @Test func lastObserverMayRemoveItselfOnAChange() throws {
        let recorder = TransactionRecorder(log: log)
        recorder.onChange = { [unowned recorder, dbQueue] _ in
            dbQueue.remove(transactionObserver: recorder)
        }
        dbQueue.add(transactionObserver: recorder)
        try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1), (2)") }
        recorder.onChange = nil
        expectEqual(log.elements, ["didChange insert main.t 1"])
        try insert()
        expectEqual(log.elements, ["didChange insert main.t 1"])
    }

    @Test func observerMayRemoveItselfInItsCompletion() throws {
        let recorder = TransactionRecorder("one", log: log)
        let other = TransactionRecorder("other", log: log)
        recorder.onCommit = { [unowned recorder] db in
            db.remove(transactionObserver: recorder)
        }
        dbQueue.add(transactionObserver: recorder)
        dbQueue.add(transactionObserver: other)
        try dbQueue.write { _ in }
        try dbQueue.write { _ in }
        recorder.onCommit = nil
        expectEqual(
            log.elements,
            [
                "one: willCommit", "other: willCommit", "one: didCommit", "other: didCommit",
                "other: willCommit", "other: didCommit",
            ])
    }

    @Test func observerMayAddAnotherOneInItsCompletion() throws {
        let other = TransactionRecorder("other", log: log)
        let recorder = TransactionRecorder("one", log: log)
        var isAdded = false
        recorder.onCommit = { db in
            if isAdded { return }
            isAdded = true
            db.add(transactionObserver: other)
        }
        dbQueue.add(transactionObserver: recorder)
        try dbQueue.write { _ in }
        expectEqual(log.removeAll(), ["one: willCommit", "one: didCommit"])
        try dbQueue.write { _ in }
        recorder.onCommit = nil
        expectEqual(
            log.elements,
            [
                "one: willCommit", "other: willCommit", "one: didCommit", "other: didCommit",
            ])
    }

    @Test func observerMayAddAnotherOneInTheMiddleOfAStatement() throws {
        let other = TransactionRecorder("other", log: log)
        let recorder = TransactionRecorder("one", log: log)
        var isAdded = false
        recorder.onChange = { [dbQueue] _ in
            if isAdded { return }
            isAdded = true
            dbQueue.add(transactionObserver: other)
        }
        dbQueue.add(transactionObserver: recorder)
        try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1), (2)") }
        recorder.onChange = nil
        expectEqual(
            log.elements,
            [
                "one: didChange insert main.t 1", "one: didChange insert main.t 2",
                "one: willCommit", "other: willCommit", "one: didCommit", "other: didCommit",
            ])
    }

    @Test func observerThatJoinsATransactionSeesItsRest() throws {
        let recorder = TransactionRecorder("one", log: log)
        let other = TransactionRecorder("other", log: log)
        dbQueue.add(transactionObserver: recorder)
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            db.add(transactionObserver: other)
            try db.execute(sql: "INSERT INTO t VALUES (2)")
        }
        expectEqual(
            log.elements,
            [
                "one: didChange insert main.t 1", "one: didChange insert main.t 2",
                "other: didChange insert main.t 2",
                "one: willCommit", "other: willCommit", "one: didCommit", "other: didCommit",
            ])
    }

    // MARK: - Observers that leave when they are freed

    private final class LeavingObserver: TransactionObserver {
        private weak var dbQueue: DatabaseQueue?

        init(_ dbQueue: DatabaseQueue) { self.dbQueue = dbQueue }

        deinit { dbQueue?.remove(transactionObserver: self) }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }

    @Test func observersMayLeaveWhenTheDatabaseIsClosed() throws {
        var observer: LeavingObserver? = LeavingObserver(dbQueue)
        let weakObserver = Weak(observer: observer)
        dbQueue.add(transactionObserver: observer!, extent: .databaseLifetime)
        observer = nil
        expectTrue(weakObserver.observer != nil)
        try dbQueue.close()
        expectNil(weakObserver.observer)
    }

    private struct Weak {
        weak var observer: LeavingObserver?
    }

    /// One observer on several connections, which add and remove it at the same time.
    @Test func oneObserverOfSeveralConnections() throws {
        let queues = try (0..<4).map { _ in try TestDatabases.makeQueue() }
        let observer = Living(TransactionRecorder(log: log))
        DispatchQueue.concurrentPerform(iterations: 4) { n in
            for _ in 0..<2_000 {
                queues[n].add(transactionObserver: observer.value)
                queues[n].remove(transactionObserver: observer.value)
            }
        }
        for queue in queues {
            try queue.write { try $0.execute(sql: "CREATE TABLE u(a)") }
        }
        expectTrue(log.elements.isEmpty)
    }
}
