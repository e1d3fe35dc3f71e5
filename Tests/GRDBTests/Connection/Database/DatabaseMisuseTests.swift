import Dispatch
import GRDB
import GRDBTestSupport
import Testing

/// A connection that is used where it must not: on another thread, after its access, closed.
@Suite(.databases) struct DatabaseMisuseTests {
    /// Lets a connection out of its access, which the compiler forbids.
    private struct Escaped<Value>: @unchecked Sendable {
        var value: Value
    }

    private let wrongThread = "SQLite error 21: Database was not used on the correct thread."

    @Test func connectionIsOnlyUsableInItsAccess() throws {
        let dbQueue = try TestDatabases.makeQueue()
        let db = try dbQueue.read { Escaped(value: $0) }.value
        expectError(wrongThread) { try db.execute(sql: "SELECT 1") }
        expectError(wrongThread) { try db.makeStatement(sql: "SELECT 1") }
        expectError(wrongThread) { try db.cachedStatement(sql: "SELECT 1") }
        expectError(wrongThread) { try db.allStatements(sql: "SELECT 1") }
        expectError(wrongThread) { try Row.fetchOne(db, sql: "SELECT 1") }
        expectError(wrongThread) { try db.inTransaction { .commit } }
        expectError(wrongThread) { try db.inSavepoint { .commit } }
        expectError(wrongThread) { try db.beginTransaction() }
        expectError(wrongThread) { try db.commit() }
        expectError(wrongThread) { try db.rollback() }
        expectError(wrongThread) { try db.readOnly {} }
        expectError(wrongThread) { try db.checkpoint() }
        expectError(wrongThread) { try db.transactionDate }
        expectError(wrongThread) { try db.notifyChanges(in: .fullDatabase) }
        expectError(wrongThread) { try db.setBusyMode(.immediateError) }
        expectEqual(db.description, "GRDB.DatabaseQueue")
        expectEqual(db.configuration.label, nil)
        // A cached statement is no way in.
        try dbQueue.read { try $0.execute(sql: "SELECT 1") }
        expectError(wrongThread) { try db.execute(sql: "SELECT 1") }
    }

    @Test func connectionIsOnlyUsableOnItsThread() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.read { db in
            let escaped = Escaped(value: db)
            onAnotherThread {
                expectError(wrongThread) { try escaped.value.execute(sql: "SELECT 1") }
            }
            try db.execute(sql: "SELECT 1")
        }
    }

    @Test func statementIsOnlyUsableInAnAccess() throws {
        let dbQueue = try TestDatabases.makeQueue()
        let statement = try dbQueue.read { db in
            try Escaped(value: db.makeStatement(sql: "SELECT ? AS a"))
        }.value
        expectError(wrongThread) { try statement.execute(arguments: [1]) }
        expectError(wrongThread) { try statement.setArguments([1]) }
        expectError(wrongThread) { try Row.fetchAll(statement, arguments: [1]) }
        expectEqual(statement.sql, "SELECT ? AS a")
        expectEqual(statement.columnNames, ["a"])
        expectTrue(statement.databaseRegion.isFullDatabase)
        try dbQueue.read { _ throws in
            try expectEqual(Int.fetchOne(statement, arguments: [1]), 1)
        }
    }

    @Test func cursorIsOnlyUsableInAnAccess() throws {
        let dbQueue = try TestDatabases.makeQueue()
        let cursor = try dbQueue.unsafeRead { db in
            let cursor = try Int.fetchCursor(db, sql: "SELECT 1 UNION ALL SELECT 2")
            try expectEqual(cursor.next(), 1)
            return Escaped(value: cursor)
        }.value
        expectError(wrongThread) { try cursor.next() }
    }

    /// Another connection is no help.
    @Test func statementIsOnlyUsableWithItsOwnConnection() throws {
        let dbQueue = try TestDatabases.makeQueue()
        let other = try TestDatabases.makeQueue()
        let statement = try dbQueue.read { db in
            try Escaped(value: db.makeStatement(sql: "SELECT 1"))
        }.value
        try other.read { _ in
            expectError(wrongThread) { try statement.execute() }
        }
    }

    // MARK: - Closed connections

    private let closed = "SQLite error 21: Connection is closed"

    @Test func closedConnectionThrows() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.close()
        try dbQueue.writeWithoutTransaction { db throws in
            expectError(closed) { try db.execute(sql: "SELECT 1") }
            expectError(closed) { try db.makeStatement(sql: "SELECT 1") }
            expectError(closed) { try Row.fetchOne(db, sql: "SELECT 1") }
            expectError(closed) { try db.inTransaction { .commit } }
            expectError(closed) { try db.inSavepoint { .commit } }
            expectError(closed) { try db.rollback() }
            expectError(closed) { try db.readOnly {} }
            expectError(closed) { try db.checkpoint() }
            expectError(closed) { try db.setBusyMode(.immediateError) }
            expectError(closed) { try db.notifyChanges(in: .fullDatabase) }
            expectError(closed) { try db.transactionDate }
        }
    }

    @Test func closedConnectionAnswersWithoutSQLite() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        }
        try dbQueue.close()
        dbQueue.writeWithoutTransaction { db in
            expectEqual(db.sqliteConnection, nil)
            expectTrue(!db.isInsideTransaction)
            expectEqual(db.lastInsertedRowID, 0)
            expectEqual(db.changesCount, 0)
            expectEqual(db.totalChangesCount, 0)
            expectEqual(db.lastErrorCode, .SQLITE_MISUSE)
            expectEqual(db.lastErrorMessage, nil)
            expectEqual(db.maximumStatementArgumentCount, 0)
            db.trace { _ in }
            db.releaseMemory()
            db.clearSchemaCache()
            db.add(function: DatabaseFunction("f") { _ in 1 })
            db.add(transactionObserver: TransactionRecorder())
            db.afterNextTransaction { _ in }
        }
    }

    // MARK: - Traps

    @Test func lastInsertedRowIDTrapsOutsideOfTheAccess() async {
        await #expect(processExitsWith: .failure) {
            let db = try DatabaseQueue().read { Escaped(value: $0) }.value
            _ = db.lastInsertedRowID
        }
    }

    @Test func isInsideTransactionTrapsOutsideOfTheAccess() async {
        await #expect(processExitsWith: .failure) {
            let dbQueue = try DatabaseQueue()
            let db = try dbQueue.read { Escaped(value: $0) }.value
            _ = db.isInsideTransaction
        }
    }

    @Test func observersTrapOutsideOfTheAccess() async {
        await #expect(processExitsWith: .failure) {
            let dbQueue = try DatabaseQueue()
            let db = try dbQueue.read { Escaped(value: $0) }.value
            db.afterNextTransaction { _ in }
        }
    }

    @Test func missingArgumentsTrapInTheSubscriptForm() async {
        await #expect(processExitsWith: .failure) {
            try DatabaseQueue().read { db in
                let statement = try db.makeStatement(sql: "SELECT ?")
                statement.arguments = []
            }
        }
    }
}
