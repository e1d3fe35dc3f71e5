import Dispatch
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// `Database.suspendNotification` and `Database.resumeNotification`, which are for the whole
/// process: other suites don't observe them.
@Suite(.databases, .serialized) struct SuspensionTests {
    private func makeWriter(
        _ kind: DatabaseKind = .queue, observesNotifications: Bool = true,
        journalMode: Configuration.JournalModeConfiguration
    ) throws -> any DatabaseWriter {
        var configuration = TestDatabases.makeConfiguration()
        configuration.observesSuspensionNotifications = observesNotifications
        configuration.journalMode = journalMode
        let writer: any DatabaseWriter =
            switch kind {
            case .queue: try TestDatabases.makeQueue(.file, configuration)
            case .pool: try TestDatabases.makePool(configuration)
            }
        try writer.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        return writer
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

    /// A backup holds a lock of its source from its first step to the last.
    @Test func suspendedDatabaseIsNoSourceOfABackup() throws {
        for (journalMode, isRefused) in [
            (Configuration.JournalModeConfiguration.default, true), (.wal, false),
        ] {
            let writer = try makeWriter(journalMode: journalMode)
            let destination = try TestDatabases.makeQueue()
            suspend()
            defer { resume() }
            if isRefused {
                expectError("SQLite error 4: Database is suspended") {
                    try writer.backup(to: destination)
                }
            } else {
                try writer.backup(to: destination)
            }
        }
    }

    private func count(_ writer: any DatabaseWriter) throws -> Int? {
        try writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
    }

    @Test(arguments: DatabaseKind.allCases)
    func suspendedDatabaseTakesNoWriteLock(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind, journalMode: .wal)
        suspend()
        defer { resume() }
        expectError(suspended("BEGIN IMMEDIATE TRANSACTION")) {
            try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        }
        expectError(suspended("INSERT INTO t VALUES (1)")) {
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
            }
        }
        let error = expectError(DatabaseError.self) { try writer.write { _ in } }
        expectEqual(error?.isInterruptionError, true)
    }

    /// In WAL mode, readers take no lock that the system minds.
    @Test(arguments: DatabaseKind.allCases)
    func suspendedDatabaseIsReadInWALMode(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind, journalMode: .wal)
        suspend()
        defer { resume() }
        try expectEqual(count(writer), 0)
    }

    @Test func suspendedDatabaseIsNotReadOtherwise() throws {
        let writer = try makeWriter(journalMode: .default)
        suspend()
        defer { resume() }
        expectError(DatabaseError.self) { try count(writer) }
    }

    @Test func resumedDatabaseWorks() throws {
        let writer = try makeWriter(journalMode: .default)
        suspend()
        resume()
        try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        try expectEqual(count(writer), 1)
    }

    @Test(arguments: DatabaseKind.allCases)
    func suspensionInATransactionRollsItBack(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind, journalMode: .wal)
        defer { resume() }
        expectError(suspended("INSERT INTO t VALUES (2)")) {
            try writer.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                suspend()
                defer { expectTrue(!db.isInsideTransaction) }
                try db.execute(sql: "INSERT INTO t VALUES (2)")
            }
        }
        try expectEqual(count(writer), 0)
    }

    /// The commit gives the lock back, as well as a rollback would.
    @Test(arguments: [Configuration.JournalModeConfiguration.wal, .default])
    func suspensionBeforeTheCommitLetsItEnd(
        journalMode: Configuration.JournalModeConfiguration
    ) throws {
        let writer = try makeWriter(journalMode: journalMode)
        do {
            defer { resume() }
            try writer.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                suspend()
            }
        }
        try expectEqual(count(writer), 1)
    }

    @Test func suspensionBeforeCommitsByHandLetsThemEnd() throws {
        let writer = try makeWriter(journalMode: .default)
        for (begin, commit) in [("BEGIN IMMEDIATE", "COMMIT"), ("SAVEPOINT s", "RELEASE s")] {
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "\(begin); INSERT INTO t VALUES (1)")
                suspend()
                defer { resume() }
                try db.execute(sql: commit)
            }
        }
        try expectEqual(count(writer), 2)
    }

    /// The readers of a pool take no lock that the system minds.
    @Test func suspensionLeavesTheReadersOfAPool() throws {
        let writer = try makeWriter(.pool, journalMode: .wal)
        defer { resume() }
        try writer.read { db throws in
            let cursor = try Int.fetchCursor(
                db, sql: "WITH n(i) AS (SELECT 1 UNION ALL SELECT 2) SELECT i FROM n")
            try expectEqual(cursor.next(), 1)
            suspend()
            try expectEqual(cursor.next(), 2)
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 0)
        }
        try writer.unsafeRead { db throws in
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 0)
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func suspensionInterruptsStatements(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind, journalMode: .wal)
        let group = DispatchGroup()
        let isRunning = DispatchSemaphore(value: 0)
        Thread.detach(in: group) {
            isRunning.wait()
            NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
        }
        let error = await expectError(DatabaseError.self) {
            try await writer.write { db in
                db.trace { if "\($0)".hasPrefix("INSERT") { isRunning.signal() } }
                try db.execute(sql: "INSERT INTO t \(endlessSQL)")
            }
        }
        expectEqual(error?.isInterruptionError, true)
        // The notification interrupts, too, and must not meet the next access.
        await group.waitInTask()
        resume()
        try expectEqual(count(writer), 0)
    }

    @Test(arguments: DatabaseKind.allCases)
    func suspendedTransactionMayBeRolledBack(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind, journalMode: .wal)
        defer { resume() }
        try writer.writeWithoutTransaction { db in
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                suspend()
                return .rollback
            }
        }
        try writer.writeWithoutTransaction { db in
            resume()
            try db.execute(sql: "BEGIN; INSERT INTO t VALUES (1)")
            suspend()
            try db.execute(sql: "ROLLBACK")
        }
        try expectEqual(count(writer), 0)
    }

    @Test func databaseDoesNotListenByDefault() throws {
        let writer = try makeWriter(observesNotifications: false, journalMode: .default)
        suspend()
        defer { resume() }
        try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        try expectEqual(count(writer), 1)
    }

    /// There is no file that could be locked.
    @Test(arguments: [nil, "SuspensionTests"])
    func inMemoryDatabaseIsNotSuspended(name: String?) throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.observesSuspensionNotifications = true
        let dbQueue = try DatabaseQueue(named: name, configuration: configuration)
        suspend()
        defer { resume() }
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        try expectEqual(count(dbQueue), 1)
    }

    /// What takes locks without a statement is refused as well.
    @Test(
        .disabled(
            if: TestDatabases.encryptsDatabases, "The source is in memory, and the file encrypted"))
    func checkpointsAndBackupsAreSuspended() throws {
        let writer = try makeWriter(journalMode: .wal)
        try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        let source = try TestDatabases.makeQueue()
        suspend()
        defer { resume() }
        let suspended = "SQLite error 4: Database is suspended"
        writer.writeWithoutTransaction { db in
            expectError(suspended) { try db.checkpoint(.truncate) }
        }
        expectError(suspended) { try source.backup(to: writer) }
        resume()
        try writer.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try expectEqual(count(writer), 1)
        try source.backup(to: writer)
    }

    @Test func closedDatabaseIsNotSuspended() throws {
        let writer = try makeWriter(journalMode: .default)
        try writer.close()
        suspend()
        resume()
        expectError("SQLite error 21: Connection is closed") { try count(writer) }
    }

    #if os(Linux)
    /// The kernel shows them.
    @Test(arguments: [Configuration.JournalModeConfiguration.wal, .default])
    func suspensionLeavesNoLockOnTheFile(
        journalMode: Configuration.JournalModeConfiguration
    ) throws {
        for begin in ["BEGIN", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"] {
            let writer = try makeWriter(journalMode: journalMode)
            defer { resume() }
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "\(begin); INSERT INTO t VALUES (1)")
                try expectTrue(FileLocks(path: writer.path).hasWriteLock)
                suspend()
                // The next statement notices, and is refused.
                expectError(DatabaseError.self) { try db.execute(sql: "DELETE FROM t") }
                let locks = try FileLocks(path: writer.path)
                expectTrue(!locks.hasWriteLock, "\(locks)")
                if journalMode != .wal { expectTrue(locks.isEmpty, "\(locks)") }
            }
            let locks = try FileLocks(path: writer.path)
            expectTrue(!locks.hasWriteLock, "\(locks)")
            if journalMode != .wal { expectTrue(locks.isEmpty, "\(locks)") }
            resume()
            try expectEqual(count(writer), 0)
        }
    }

    @Test(arguments: [Configuration.JournalModeConfiguration.wal, .default])
    func interruptedStatementLeavesNoLockOnTheFile(
        journalMode: Configuration.JournalModeConfiguration
    ) throws {
        let writer = try makeWriter(journalMode: journalMode)
        defer { resume() }
        let endless = """
            INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT suspending(i) FROM n) \
            SELECT i FROM n
            """
        expectError(DatabaseError.self) {
            try writer.write { db in
                db.add(
                    function: DatabaseFunction("suspending", argumentCount: 1) { values in
                        if values[0] == 100.databaseValue { suspend() }
                        return Int.fromDatabaseValue(values[0])! + 1
                    })
                try db.execute(sql: endless)
            }
        }
        let locks = try FileLocks(path: writer.path)
        expectTrue(!locks.hasWriteLock, "\(locks)")
        if journalMode != .wal { expectTrue(locks.isEmpty, "\(locks)") }
        // Refused while suspended, so that no lock is taken.
        expectError(DatabaseError.self) { try writer.write { _ in } }
        try expectTrue(!FileLocks(path: writer.path).hasWriteLock)
    }
    #endif
}
