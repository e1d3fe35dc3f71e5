import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// `Database.suspendNotification` and `Database.resumeNotification`, which are for the whole
/// process: other suites don't observe them.
@Suite(.databases, .serialized) struct SuspensionTests {
    private func makeQueue(
        observesNotifications: Bool = true, journalMode: Configuration.JournalModeConfiguration
    ) throws -> DatabaseQueue {
        var configuration = TestDatabases.makeConfiguration()
        configuration.observesSuspensionNotifications = observesNotifications
        configuration.journalMode = journalMode
        let dbQueue = try TestDatabases.makeQueue(.file, configuration)
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        return dbQueue
    }

    private func suspend() {
        NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
    }

    private func resume() {
        NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
    }

    private func suspended(_ sql: String) -> String {
        "SQLite error 4: Database is suspended - while executing `\(sql)`"
    }

    private func count(_ dbQueue: DatabaseQueue) throws -> Int? {
        try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
    }

    @Test func suspendedDatabaseTakesNoWriteLock() throws {
        let dbQueue = try makeQueue(journalMode: .wal)
        suspend()
        defer { resume() }
        expectError(suspended("BEGIN IMMEDIATE TRANSACTION")) {
            try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        }
        expectError(suspended("INSERT INTO t VALUES (1)")) {
            try dbQueue.writeWithoutTransaction { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
            }
        }
        let error = #expect(throws: DatabaseError.self) { try dbQueue.write { _ in } }
        #expect(error?.isInterruptionError == true)
    }

    /// In WAL mode, readers take no lock that the system minds.
    @Test func suspendedDatabaseIsReadInWALMode() throws {
        let dbQueue = try makeQueue(journalMode: .wal)
        suspend()
        defer { resume() }
        #expect(try count(dbQueue) == 0)
    }

    @Test func suspendedDatabaseIsNotReadOtherwise() throws {
        let dbQueue = try makeQueue(journalMode: .default)
        suspend()
        defer { resume() }
        #expect(throws: DatabaseError.self) { try count(dbQueue) }
    }

    @Test func resumedDatabaseWorks() throws {
        let dbQueue = try makeQueue(journalMode: .default)
        suspend()
        resume()
        try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        #expect(try count(dbQueue) == 1)
    }

    @Test func suspensionInATransactionRollsItBack() throws {
        let dbQueue = try makeQueue(journalMode: .wal)
        defer { resume() }
        expectError(suspended("INSERT INTO t VALUES (2)")) {
            try dbQueue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                suspend()
                defer { #expect(!db.isInsideTransaction) }
                try db.execute(sql: "INSERT INTO t VALUES (2)")
            }
        }
        #expect(try count(dbQueue) == 0)
    }

    /// The commit gives the lock back, as well as a rollback would.
    @Test func suspensionBeforeTheCommitLetsItEnd() throws {
        let dbQueue = try makeQueue(journalMode: .wal)
        defer { resume() }
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            suspend()
        }
        #expect(try count(dbQueue) == 1)
    }

    @Test func suspensionInterruptsStatements() async throws {
        let dbQueue = try makeQueue(journalMode: .wal)
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 0.05)
            NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
        }
        let error = await #expect(throws: DatabaseError.self) {
            try await dbQueue.write { try $0.execute(sql: "INSERT INTO t \(endlessSQL)") }
        }
        #expect(error?.isInterruptionError == true)
        resume()
        #expect(try count(dbQueue) == 0)
    }

    @Test func suspendedTransactionMayBeRolledBack() throws {
        let dbQueue = try makeQueue(journalMode: .wal)
        defer { resume() }
        try dbQueue.inTransaction { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            suspend()
            return .rollback
        }
        try dbQueue.writeWithoutTransaction { db in
            resume()
            try db.execute(sql: "BEGIN; INSERT INTO t VALUES (1)")
            suspend()
            try db.execute(sql: "ROLLBACK")
        }
        #expect(try count(dbQueue) == 0)
    }

    @Test func databaseDoesNotListenByDefault() throws {
        let dbQueue = try makeQueue(observesNotifications: false, journalMode: .default)
        suspend()
        defer { resume() }
        try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        #expect(try count(dbQueue) == 1)
    }

    @Test func closedDatabaseIsNotSuspended() throws {
        let dbQueue = try makeQueue(journalMode: .default)
        try dbQueue.close()
        suspend()
        resume()
        expectError("SQLite error 21: Connection is closed") { try count(dbQueue) }
    }
}
