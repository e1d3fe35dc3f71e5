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

    private func makeQueue() throws -> DatabaseQueue {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        return dbQueue
    }

    /// One after the other: most of them have the same address.
    @Test func observersThatAreDroppedAtOnceDoNotPileUp() throws {
        let dbQueue = try makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            for _ in 0..<50_000 {
                db.add(transactionObserver: Observer())
            }
            #expect(db.broker.observationCount <= 32)
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            #expect(db.broker.observationCount == 0)
            #expect(!db.broker.isActive)
        }
    }

    /// All at the same time: each has its own address.
    @Test func observersThatAreDroppedTogetherAreForgottenByTheNextStatement() throws {
        let dbQueue = try makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            var observers = (0..<50_000).map { _ in Observer() }
            for observer in observers {
                db.add(transactionObserver: observer)
            }
            #expect(db.broker.observationCount == 50_000)
            observers = []
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            #expect(db.broker.observationCount == 0)
        }
    }

    /// In both orders, so that no end of the list is the expensive one.
    @Test(arguments: [false, true])
    func observersAreRemovedInConstantTime(isReversed: Bool) throws {
        let dbQueue = try makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            let observers = (0..<50_000).map { _ in Observer() }
            for observer in observers {
                db.add(transactionObserver: observer)
            }
            for observer in isReversed ? observers.reversed() : observers {
                db.remove(transactionObserver: observer)
            }
            #expect(db.broker.observationCount <= 16)
            #expect(!db.broker.isActive)
            try db.execute(sql: "INSERT INTO t VALUES (1)")
        }
    }

    @Test func observersOfTheNextTransactionAreForgotten() throws {
        let dbQueue = try makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            for _ in 0..<10_000 {
                db.add(transactionObserver: Observer(), extent: .nextTransaction)
            }
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            #expect(db.broker.observationCount == 0)
        }
    }

    /// An observer may be added several times. It is then removed as often.
    @Test func registrationsOfOneObserverAreCounted() throws {
        let dbQueue = try makeQueue()
        let observer = TransactionRecorder()
        try dbQueue.writeWithoutTransaction { db in
            for _ in 0..<3 { db.add(transactionObserver: observer) }
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            #expect(observer.lines().filter { $0.hasPrefix("didChange") }.count == 3)
            db.remove(transactionObserver: observer)
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            #expect(observer.lines().filter { $0.hasPrefix("didChange") }.count == 2)
            db.remove(transactionObserver: observer)
            db.remove(transactionObserver: observer)
            db.remove(transactionObserver: observer)
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            #expect(observer.lines() == [])
        }
    }
}
