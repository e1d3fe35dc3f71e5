import Dispatch
import Foundation
import GRDB
import GRDBSQLite
import GRDBTestSupport
import Testing

/// Statements and cursors that are deallocated away from their connection, which has no mutex.
/// The thread sanitizer watches these tests.
@Suite(.databases) struct HandleReleaseTests {
    private let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)")
        }
    }

    /// The number of statements that SQLite knows.
    private func statementCount(_ db: Database) -> Int {
        var count = 0
        var statement = sqlite3_next_stmt(db.sqliteConnection, nil)
        while let current = statement {
            count += 1
            statement = sqlite3_next_stmt(db.sqliteConnection, current)
        }
        return count
    }

    @Test func statementFreedElsewhereIsFinalizedByTheNextAccess() throws {
        let count = dbQueue.unsafeRead(statementCount)
        var statement: Statement? = try dbQueue.unsafeRead { db in
            try Living(db.makeStatement(sql: "SELECT 1"))
        }.value
        expectEqual(dbQueue.unsafeRead(statementCount), count + 1)
        expectTrue(statement != nil)
        statement = nil
        expectEqual(dbQueue.unsafeRead(statementCount), count)
    }

    @Test func statementFreedInItsAccessIsFinalizedAtOnce() throws {
        try dbQueue.unsafeRead { db in
            let count = statementCount(db)
            var statement: Statement? = try db.makeStatement(sql: "SELECT 1")
            expectTrue(statement != nil)
            expectEqual(statementCount(db), count + 1)
            statement = nil
            expectEqual(statementCount(db), count)
        }
    }

    /// On a row, it would lock the table, and keep a snapshot.
    @Test func cursorThatOutlivesItsAccessHoldsNoLock() throws {
        let cursor = try dbQueue.unsafeRead { db in
            let cursor = try Int.fetchCursor(db, sql: "SELECT a FROM t")
            _ = try cursor.next()
            return Living(cursor)
        }.value
        try dbQueue.writeWithoutTransaction { try $0.execute(sql: "DROP TABLE t") }
        expectEqual(cursor.sql, "SELECT a FROM t")
    }

    @Test func cursorThatOutlivesItsAccessThrows() throws {
        let cursor = try dbQueue.unsafeRead { db in
            let cursor = try Int.fetchCursor(db, sql: "SELECT a FROM t")
            try expectEqual(cursor.next(), 1)
            return Living(cursor)
        }.value
        expectError("SQLite error 21: Database was not used on the correct thread.") {
            try cursor.next()
        }
        let other = try dbQueue.unsafeRead { db in
            let other = try Int.fetchCursor(db, sql: "SELECT a FROM t")
            try expectEqual(other.next(), 1)
            return Living(other)
        }.value
        try dbQueue.unsafeRead { _ throws in
            let error = expectError(DatabaseError.self) { try other.next() }
            expectEqual(error?.resultCode, .SQLITE_MISUSE)
            expectError(DatabaseError.self) { try other.next() }
        }
    }

    @Test func statementsAreFreedWhileTheConnectionWorks() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<200 {
                        let statement = try await dbQueue.unsafeRead { db in
                            try Living(db.makeStatement(sql: "SELECT a FROM t WHERE a > ?"))
                        }
                        // Freed here, while the other task uses the connection.
                        _ = consume statement
                    }
                }
                group.addTask {
                    for _ in 0..<200 {
                        try await dbQueue.write { db in
                            try db.execute(sql: "UPDATE t SET a = a + 1")
                            try db.execute(sql: "UPDATE t SET a = a - 1")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let values = try await dbQueue.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }
        expectEqual(values, [1, 2, 3])
    }

    @Test func cursorsAreFreedWhileTheConnectionWorks() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for _ in 0..<200 {
                    let cursor = try await dbQueue.unsafeRead { db in
                        let cursor = try Row.fetchCursor(db, sql: "SELECT a FROM t")
                        _ = try cursor.next()
                        return Living(cursor)
                    }
                    _ = consume cursor
                }
            }
            group.addTask {
                for _ in 0..<200 {
                    let values = try await dbQueue.read { db in
                        try Int.fetchAll(db, sql: "SELECT a FROM t")
                    }
                    expectEqual(values, [1, 2, 3])
                }
            }
            try await group.waitForAll()
        }
    }

    /// A cached statement that a cursor has brought away is not given to somebody else meanwhile.
    @Test func cachedStatementOfALivingCursorIsNotShared() throws {
        let sql = "SELECT a FROM t"
        let cursor = try dbQueue.unsafeRead { db in
            try Living(Int.fetchCursor(db.cachedStatement(sql: sql)))
        }.value
        try dbQueue.unsafeRead { db in
            let other = try Int.fetchCursor(db.cachedStatement(sql: sql))
            try expectEqual(other.next(), 1)
            expectEqual(cursor.sql, sql)
            try expectEqual(other.next(), 2)
        }
    }

    /// The reset of a cursor that is freed elsewhere comes late. It must not hit who uses the
    /// statement next.
    @Test func lateResetHitsNobodyElse() async throws {
        let sql = "SELECT a FROM t"
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for _ in 0..<300 {
                    let cursor = try await dbQueue.unsafeRead { db in
                        let cursor = try Int.fetchCursor(db.cachedStatement(sql: sql))
                        _ = try cursor.next()
                        return Living(cursor)
                    }
                    _ = consume cursor
                }
            }
            group.addTask {
                for index in 0..<300 {
                    let values = try await dbQueue.unsafeRead { db in
                        var values: [Int] = []
                        let cursor = try Int.fetchCursor(db.cachedStatement(sql: sql))
                        while let value = try cursor.next() {
                            values.append(value)
                            // Drains what was released elsewhere.
                            _ = try db.makeStatement(sql: "SELECT \(index)")
                        }
                        return values
                    }
                    expectEqual(values, [1, 2, 3])
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func queuesAreFreedWhileTheirStatementsAre() async throws {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    guard let dbQueue = try? DatabaseQueue(),
                        let statement = try? await dbQueue.unsafeRead({ db in
                            try Living(db.makeStatement(sql: "SELECT 1"))
                        })
                    else {
                        Issue.record("no statement")
                        return
                    }
                    Thread.detachNewThread { _ = statement }
                }
            }
        }
    }

    @Test func interruptRacesWithClosing() async throws {
        for _ in 0..<50 {
            let dbQueue = try TestDatabases.makeQueue()
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for _ in 0..<20 { dbQueue.interrupt() }
                }
                group.addTask {
                    try? dbQueue.close()
                }
            }
            await expectError("SQLite error 21: Connection is closed") {
                try await dbQueue.read { _ in }
            }
        }
    }

    // MARK: - Callbacks of a reset

    /// Drops a cursor when it is asked for its consent to a commit.
    private final class CursorHolder: TransactionObserver {
        var cursor: RowCursor?
        var consentCount = 0

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseWillCommit() {
            consentCount += 1
            cursor = nil
        }
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }

    /// The end of the access resets the statement, which commits.
    @Test func cursorFreedByTheCommitOfItsStatement() throws {
        let holder = CursorHolder()
        let count = dbQueue.unsafeRead(statementCount)
        try dbQueue.inDatabase { db in
            db.add(transactionObserver: holder)
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (4), (5) RETURNING a")
            holder.cursor = try Row.fetchCursor(statement)
            _ = try holder.cursor?.next()
        }
        expectNil(holder.cursor)
        expectEqual(holder.consentCount, 1)
        #expect(dbQueue.unsafeRead(statementCount) <= count + 1)
        try expectEqual(dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }, 5)
    }

    @Test func cursorFreedByATraceFunction() throws {
        let cursor = Log<Living<RowCursor>>()
        try dbQueue.inDatabase { db in
            db.trace(options: .profile) { _ in _ = cursor.removeAll() }
            let rows = try Row.fetchCursor(db.makeStatement(sql: "SELECT a FROM t"))
            _ = try rows.next()
            cursor.append(Living(rows))
        }
        expectTrue(cursor.elements.isEmpty)
        try expectEqual(dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }, 3)
    }
}
