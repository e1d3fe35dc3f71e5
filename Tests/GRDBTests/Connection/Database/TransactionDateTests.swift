import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct TransactionDateTests {
    /// Returns 1, 2, 3... and remembers whether the database was in a transaction.
    private final class CountingClock: TransactionClock {
        let calls = Log<Bool>()

        func now(_ db: Database) throws -> Date {
            calls.append(db.isInsideTransaction)
            return Date(timeIntervalSince1970: TimeInterval(calls.elements.count))
        }
    }

    private let clock = CountingClock()
    private let dbQueue: DatabaseQueue

    init() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.transactionClock = clock
        dbQueue = try TestDatabases.makeQueue(.memory, configuration)
        try dbQueue.writeWithoutTransaction { try $0.execute(sql: "CREATE TABLE t(a UNIQUE)") }
    }

    private func seconds(_ db: Database) throws -> Int {
        Int(try db.transactionDate.timeIntervalSince1970)
    }

    @Test func dateIsNewAtEachCallOutsideOfTransactions() throws {
        try dbQueue.writeWithoutTransaction { db in
            try expectEqual(seconds(db), 1)
            try expectEqual(seconds(db), 2)
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            try expectEqual(seconds(db), 3)
        }
        expectEqual(clock.calls.elements, [false, false, false])
    }

    @Test func dateIsConstantInATransaction() throws {
        try dbQueue.write { db in
            try expectEqual(seconds(db), 1)
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            try expectEqual(seconds(db), 1)
            try db.inSavepoint { () throws in
                try expectEqual(seconds(db), 1)
                return .commit
            }
            try db.inSavepoint { .rollback }
            try expectEqual(seconds(db), 1)
        }
        expectEqual(clock.calls.elements, [true])
        try dbQueue.write { db throws in
            try expectEqual(seconds(db), 2)
        }
    }

    /// The date is that of the BEGIN statement, not that of the first question.
    @Test func dateIsSetWhenTheTransactionBegins() throws {
        try dbQueue.write { _ in }
        expectEqual(clock.calls.elements, [true])
        try dbQueue.read { _ in }
        expectEqual(clock.calls.elements, [true, true])
        try dbQueue.writeWithoutTransaction { db in
            try db.inTransaction(.deferred) { .commit }
            expectEqual(clock.calls.elements, [true, true, true])
            try db.execute(sql: "BEGIN; COMMIT")
            expectEqual(clock.calls.elements, [true, true, true, true])
        }
    }

    @Test func statementsInAutocommitModeHaveNoDate() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
        }
        expectEqual(clock.calls.elements, [])
    }

    @Test func dateIsConstantInARead() throws {
        try dbQueue.read { db throws in
            try expectEqual(seconds(db), 1)
            try expectEqual(seconds(db), 1)
        }
        try dbQueue.unsafeRead { db throws in
            try expectEqual(seconds(db), 2)
            try expectEqual(seconds(db), 3)
        }
    }

    @Test func dateIsConstantInARawTransaction() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN")
            try expectEqual(seconds(db), 1)
            try expectEqual(seconds(db), 1)
            try db.execute(sql: "COMMIT")
            try expectEqual(seconds(db), 2)

            try db.execute(sql: "BEGIN")
            try expectEqual(seconds(db), 3)
            try db.execute(sql: "ROLLBACK")
            try expectEqual(seconds(db), 4)
        }
    }

    @Test func dateIsConstantInARawSavepoint() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "SAVEPOINT a")
            try expectEqual(seconds(db), 1)
            try db.execute(sql: "SAVEPOINT b")
            try db.execute(sql: "ROLLBACK TO a")
            try expectEqual(seconds(db), 1)
            try db.execute(sql: "RELEASE a")
            try expectEqual(seconds(db), 2)
        }
    }

    @Test func dateEndsWithTheTransactionThatSQLiteRollsBack() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            try db.beginTransaction()
            try expectEqual(seconds(db), 1)
            try? db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
            try expectEqual(seconds(db), 2)
            try expectEqual(seconds(db), 3)
            try db.beginTransaction()
            try expectEqual(seconds(db), 4)
            try db.commit()
        }
    }

    /// A commit that fails leaves the transaction, and so its date.
    @Test func dateSurvivesAFailedCommit() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE c(a REFERENCES t(a) DEFERRABLE INITIALLY DEFERRED);
                    """)
            try db.beginTransaction()
            try db.execute(sql: "INSERT INTO c VALUES (1)")
            expectError(DatabaseError.self) { try db.commit() }
            try expectEqual(seconds(db), 1)
            try db.rollback()
            try expectEqual(seconds(db), 2)
        }
    }

    @Test func dateIsNewInCompletionHandlers() throws {
        try dbQueue.write { db throws in
            try expectEqual(seconds(db), 1)
            db.afterNextTransaction { db in
                expectEqual(try! seconds(db), 2)
                expectEqual(try! seconds(db), 3)
            }
        }
        expectEqual(clock.calls.elements, [true, false, false])
    }

    @Test func errorOfTheClockIsThrownByTheDateAlone() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.transactionClock = .custom { _ in throw TestError("clock") }
        let dbQueue = try TestDatabases.makeQueue(.memory, configuration)
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE t(a)")
            expectError(TestError("clock")) { try db.transactionDate }
        }
        try dbQueue.read { db throws in
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 0)
        }
        dbQueue.writeWithoutTransaction { db in
            expectError("TestError clock") { try db.transactionDate }
        }
    }

    @Test func clockMayUseTheDatabase() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.transactionClock = .custom { db in
            try Date(timeIntervalSince1970: Double.fetchOne(db, sql: "SELECT 42.0")!)
        }
        let dbQueue = try TestDatabases.makeQueue(.memory, configuration)
        try dbQueue.write { db throws in
            try expectEqual(seconds(db), 42)
        }
    }

    @Test func defaultClockTellsTheTime() throws {
        try TestDatabases.makeQueue().writeWithoutTransaction { db in
            let before = Date()
            try db.inTransaction {
                let date = try db.transactionDate
                #expect(before <= date)
                #expect(date <= Date())
                waitForDate(after: date)
                try expectEqual(db.transactionDate, date)
                return .commit
            }
            let date = try db.transactionDate
            waitForDate(after: date)
            #expect(try db.transactionDate > date)
        }
    }
}
