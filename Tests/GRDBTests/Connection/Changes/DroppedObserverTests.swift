import GRDBTestSupport
import Testing

@testable import GRDB

/// Observers that are freed cost nothing, and leave nothing behind.
@Suite(.databases) struct DroppedObserverTests {
    private final class Observer: TransactionObserver {
        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }

    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { try $0.execute(sql: "CREATE TABLE t(a UNIQUE)") }
        return writer
    }

    /// One after the other: most of them have the same address.
    @Test(arguments: DatabaseKind.allCases)
    func observersThatAreDroppedAtOnceDoNotPileUp(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        try writer.writeWithoutTransaction { db in
            for _ in 0..<50_000 {
                db.add(transactionObserver: Observer())
            }
            #expect(db.broker.observationCount <= 32)
            try db.execute(sql: "INSERT INTO t VALUES (NULL)")
            expectEqual(db.broker.observationCount, 0)
            expectTrue(!db.broker.isActive)
        }
    }

    /// All at the same time: each has its own address.
    @Test(arguments: DatabaseKind.allCases)
    func observersThatAreDroppedTogetherAreForgottenByTheNextStatement(
        kind: DatabaseKind
    ) throws {
        let writer = try makeWriter(kind)
        try writer.writeWithoutTransaction { db in
            var observers = (0..<50_000).map { _ in Observer() }
            for observer in observers {
                db.add(transactionObserver: observer)
            }
            expectEqual(db.broker.observationCount, 50_000)
            observers = []
            try db.execute(sql: "INSERT INTO t VALUES (NULL)")
            expectEqual(db.broker.observationCount, 0)
        }
    }

    /// In both orders, so that no end of the list is the expensive one.
    @Test(arguments: DatabaseKind.allCases, [false, true])
    func observersAreRemovedInConstantTime(kind: DatabaseKind, isReversed: Bool) throws {
        let writer = try makeWriter(kind)
        try writer.writeWithoutTransaction { db in
            let observers = (0..<50_000).map { _ in Observer() }
            for observer in observers {
                db.add(transactionObserver: observer)
            }
            for observer in isReversed ? observers.reversed() : observers {
                db.remove(transactionObserver: observer)
            }
            #expect(db.broker.observationCount <= 16)
            expectTrue(!db.broker.isActive)
            try db.execute(sql: "INSERT INTO t VALUES (NULL)")
        }
    }

    /// The next write may fail, or be rolled back.
    @Test(arguments: DatabaseKind.allCases)
    func observersAreForgottenByWritesThatFail(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        func drop(_ count: Int, _ extent: Database.TransactionObservationExtent) throws {
            writer.unsafeReentrantWrite { db in
                let observers = (0..<count).map { _ in Observer() }
                for observer in observers {
                    db.add(transactionObserver: observer, extent: extent)
                }
            }
        }
        func count() -> Int { writer.unsafeReentrantWrite { $0.broker.observationCount } }

        try drop(10_000, .observerLifetime)
        expectError(DatabaseError.self) {
            try writer.writeWithoutTransaction { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        }
        expectEqual(count(), 0)
        try drop(10_000, .observerLifetime)
        expectError(TestError()) {
            try writer.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (2)")
                throw TestError()
            }
        }
        expectEqual(count(), 0)
        // Those are kept alive until the end of the transaction, whatever it is.
        try drop(10_000, .nextTransaction)
        expectEqual(count(), 10_000)
        expectError(TestError()) {
            try writer.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (2)")
                throw TestError()
            }
        }
        expectEqual(count(), 0)
        try expectEqual(writer.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }, [1])
    }

    @Test(arguments: DatabaseKind.allCases)
    func observersOfTheNextTransactionAreForgotten(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        try writer.writeWithoutTransaction { db in
            for _ in 0..<10_000 {
                db.add(transactionObserver: Observer(), extent: .nextTransaction)
            }
            try db.execute(sql: "INSERT INTO t VALUES (NULL)")
            expectEqual(db.broker.observationCount, 0)
        }
    }

    /// An observer may be added several times. It is then removed as often.
    @Test(arguments: DatabaseKind.allCases)
    func registrationsOfOneObserverAreCounted(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let observer = TransactionRecorder()
        try writer.writeWithoutTransaction { db in
            for _ in 0..<3 { db.add(transactionObserver: observer) }
            try db.execute(sql: "INSERT INTO t VALUES (NULL)")
            expectEqual(observer.lines().filter { $0.hasPrefix("didChange") }.count, 3)
            db.remove(transactionObserver: observer)
            try db.execute(sql: "INSERT INTO t VALUES (NULL)")
            expectEqual(observer.lines().filter { $0.hasPrefix("didChange") }.count, 2)
            db.remove(transactionObserver: observer)
            db.remove(transactionObserver: observer)
            db.remove(transactionObserver: observer)
            try db.execute(sql: "INSERT INTO t VALUES (NULL)")
            expectEqual(observer.lines(), [])
        }
    }
}
