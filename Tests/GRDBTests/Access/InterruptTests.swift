import Dispatch
import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct InterruptTests {
    private let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)")
        }
    }

    private func expectUsable() throws {
        try dbQueue.write { db throws in
            try expectEqual(Int.fetchAll(db, sql: "SELECT a FROM t"), [1, 2, 3])
        }
    }

    private let interrupted = "SQLite error 9: interrupted - while executing `\(endlessSQL)`"

    @Test func interruptStopsARead() throws {
        expectError(interrupted) {
            try dbQueue.read { db in
                try dbQueue.whileInterrupting { try Int.fetchOne(db, sql: endlessSQL) }
            }
        }
        try expectUsable()
    }

    @Test func interruptStopsAWriteAndRevertsIt() throws {
        expectError(
            "SQLite error 9: interrupted - while executing `INSERT INTO t \(endlessSQL)`"
        ) {
            try dbQueue.write { db in
                try dbQueue.whileInterrupting {
                    try db.execute(sql: "INSERT INTO t \(endlessSQL)")
                }
            }
        }
        try expectUsable()
    }

    @Test func interruptionIsKnownAsSuch() throws {
        let error = expectError(DatabaseError.self) {
            try dbQueue.read { db in
                try dbQueue.whileInterrupting { try Int.fetchOne(db, sql: endlessSQL) }
            }
        }
        expectEqual(error?.isInterruptionError, true)
        expectEqual(error?.resultCode, .SQLITE_INTERRUPT)
    }

    /// Outside of tasks, an interruption hits one statement: the caller may go on.
    @Test func interruptedStatementCanBeSwallowed() throws {
        try dbQueue.write { db in
            dbQueue.whileInterrupting {
                expectError(interrupted) { try Int.fetchOne(db, sql: endlessSQL) }
            }
            try db.execute(sql: "INSERT INTO t VALUES (4)")
        }
        let count = try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
        expectEqual(count, 4)
    }

    /// As long as a cursor is on a row, SQLite fails each statement, ROLLBACK too.
    @Test func interruptedTransactionIsRolledBackUnderACursor() throws {
        expectError(DatabaseError.self) {
            try dbQueue.write { db in
                let cursor = try Int.fetchCursor(db, sql: "SELECT a FROM t")
                try expectEqual(cursor.next(), 1)
                try db.execute(sql: "INSERT INTO t VALUES (4)")
                try dbQueue.whileInterrupting {
                    _ = try Int.fetchOne(db, sql: endlessSQL)
                }
                try expectEqual(cursor.next(), nil)
            }
        }
        try expectUsable()
    }

    @Test func interruptedCursorThrows() throws {
        try dbQueue.read { db in
            let cursor = try Int.fetchCursor(
                db,
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n
                    """)
            try expectEqual(cursor.next(), 1)
            try expectEqual(cursor.next(), 2)
            dbQueue.interrupt()
            let error = expectError(DatabaseError.self) { try cursor.next() }
            expectEqual(error?.resultCode, .SQLITE_INTERRUPT)
            let nextError = expectError(DatabaseError.self) { try cursor.next() }
            expectEqual(nextError?.resultCode, .SQLITE_INTERRUPT)
        }
    }

    @Test func interruptOfAnIdleConnectionDoesNothing() throws {
        dbQueue.interrupt()
        try expectUsable()
        dbQueue.interrupt()
        try dbQueue.close()
        dbQueue.interrupt()
    }

    @Test func interruptDoesNotStopABackup() throws {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10000)
                    INSERT INTO t SELECT randomblob(100) FROM n
                    """)
        }
        // Backups are no statements.
        let destination = try TestDatabases.makeQueue()
        try dbQueue.backup(to: destination, pagesPerStep: 10) { _ in
            dbQueue.interrupt()
            destination.interrupt()
        }
        let count = try destination.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
        expectEqual(count, 10003)
    }
}
