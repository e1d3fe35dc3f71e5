import GRDBChanges
import GRDB
import GRDBSQLite
import GRDBTestSupport
import Testing

/// When observers are asked what they want to know, and what statements do that nobody wants to know of.
@Suite(.databases) struct InterestTests {
    private let dbQueue: DatabaseQueue
    private let recorder = TransactionRecorder(nil, [.observes, .others])

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a);
                    CREATE TABLE u(a);
                    CREATE VIRTUAL TABLE f USING fts5(x);
                    INSERT INTO t VALUES (1, 'x'), (2, 'y');
                    INSERT INTO u VALUES (1), (2), (3);
                    """)
        }
    }

    // MARK: - Asking

    @Test func answersHoldUntilTheEndOfTheTransaction() throws {
        dbQueue.add(transactionObserver: recorder)
        var isWanted = false
        recorder.filter = { _ in isWanted }
        try dbQueue.writeWithoutTransaction { db in
            let statement = try db.makeStatement(sql: "UPDATE t SET a = 'z' WHERE id = 1")
            try db.inTransaction {
                try statement.execute()
                expectEqual(recorder.lines(), ["observes update(t, a): no"])
                isWanted = true
                try statement.execute()
                expectEqual(recorder.lines(), [])
                return .commit
            }
            expectEqual(recorder.lines(), ["willCommit", "didCommit"])
            try db.inTransaction {
                try statement.execute()
                expectEqual(
                    recorder.lines(), ["observes update(t, a)", "didChange update main.t 1"])
                isWanted = false
                try statement.execute()
                expectEqual(recorder.lines(), ["didChange update main.t 1"])
                return .rollback
            }
            expectEqual(recorder.lines(), ["didRollback"])
            // A transaction each.
            try statement.execute()
            try statement.execute()
            expectEqual(
                recorder.lines(),
                [
                    "observes update(t, a): no", "willCommit", "didCommit",
                    "observes update(t, a): no", "willCommit", "didCommit",
                ])
        }
    }

    @Test func newObserversAreAsked() throws {
        dbQueue.add(transactionObserver: recorder)
        recorder.filter = { _ in false }
        let other = TransactionRecorder(nil, [.observes, .others])
        try dbQueue.write { db in
            let statement = try db.makeStatement(sql: "UPDATE t SET a = 'z' WHERE id = 1")
            try statement.execute()
            db.add(transactionObserver: other)
            try statement.execute()
            expectEqual(other.lines(), ["observes update(t, a)", "didChange update main.t 1"])
            db.remove(transactionObserver: other)
            try statement.execute()
            expectEqual(other.lines(), [])
        }
    }

    @Test func statementsThatDoMoreAreAskedAboutAgain() throws {
        dbQueue.add(transactionObserver: recorder)
        recorder.filter = { $0.tableName == "u" }
        try dbQueue.write { db in
            let statement = try db.makeStatement(sql: "UPDATE t SET a = 'z' WHERE id = 1")
            try statement.execute()
            _ = recorder.lines()
            try db.execute(
                sql: """
                    CREATE TRIGGER tr AFTER UPDATE ON t BEGIN INSERT INTO u VALUES (9); END
                    """)
            _ = recorder.lines()
            try statement.execute()
            expectEqual(
                recorder.lines(),
                [
                    "observes update(t, a): no", "observes insert(u)", "didChange insert main.u 4",
                ])
        }
    }

    /// Those who have stopped are asked again in the next transaction.
    @Test func stoppedObserversComeBack() throws {
        let recorder = TransactionRecorder()
        recorder.onChange = { [unowned recorder] _ in
            recorder.stopObservingDatabaseChangesUntilNextTransaction()
        }
        dbQueue.add(transactionObserver: recorder)
        let sql = "UPDATE t SET a = 'z' WHERE id = 1"
        for _ in 0..<2 {
            try dbQueue.write { db in
                for _ in 0..<3 { try db.execute(sql: sql) }
            }
            expectEqual(recorder.lines(), ["didChange update main.t 1", "willCommit", "didCommit"])
        }
    }

    /// An observer of the changes that a function makes, inside of a statement that is of no interest to
    /// it, forgets them when the statement fails.
    @Test func changesInsideOfFailedStatementsAreForgotten() throws {
        let feed = DatabaseChangeFeed(tracking: .table("u"))
        let log = Log<String>()
        let cancellable = feed.start(in: dbQueue) { transaction in
            log.append(transaction.changes.map { "\($0)" }.joined(separator: ", "))
        }
        try dbQueue.write { [unowned dbQueue] db in
            db.add(
                function: DatabaseFunction("writes", argumentCount: 1) { values in
                    try dbQueue.unsafeReentrantWrite { db in
                        try db.execute(sql: "INSERT INTO u VALUES (?)", arguments: [values[0]])
                    }
                    return 1
                })
            let statement = try db.makeStatement(
                sql: """
                    INSERT INTO t SELECT column1, writes(column1) FROM (VALUES (?), (?))
                    """)
            try statement.execute(arguments: [11, 12])
            expectError(DatabaseError.self) { try statement.execute(arguments: [13, 11]) }
            try db.execute(sql: "INSERT INTO u VALUES (99)")
        }
        let rows = try dbQueue.read { try Int.fetchAll($0, sql: "SELECT a FROM u WHERE a > 10") }
        expectEqual(log.elements, [rows.map { "insert main.u [a:\($0)]" }.joined(separator: ", ")])
        cancellable.cancel()
    }

    // MARK: - Deletions of all rows

    /// The number of rows that SQLite deletes one by one.
    private func steps(of statement: Statement) throws -> Int {
        try statement.execute()
        return Int(
            sqlite3_stmt_status(statement.sqliteStatement, SQLITE_STMTSTATUS_VM_STEP, 1))
    }

    /// Deletes all rows of a table of a hundred.
    private func deletionSteps(_ db: Database, _ table: String, _ delete: Statement) throws -> Int {
        try db.execute(
            sql: """
                INSERT INTO \(table)(a) WITH RECURSIVE n(i) AS (
                    SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100
                ) SELECT i FROM n
                """)
        return try steps(of: delete)
    }

    /// SQLite clears a table at once, unless somebody wants to know of each row.
    @Test func tablesAreClearedAtOnceUnlessTheyAreObserved() throws {
        recorder.filter = { $0.tableName == "t" }
        dbQueue.add(transactionObserver: recorder)
        try dbQueue.writeWithoutTransaction { db in
            let deleteT = try db.makeStatement(sql: "DELETE FROM t")
            let deleteU = try db.makeStatement(sql: "DELETE FROM u")
            try deleteT.execute()
            try deleteU.execute()
            #expect(try deletionSteps(db, "u", deleteU) < 30)
            expectEqual(db.changesCount, 100)
            _ = recorder.lines()
            #expect(try deletionSteps(db, "t", deleteT) > 100)
            expectEqual(recorder.lines().count { $0.hasPrefix("didChange delete main.t") }, 100)
            // One does not slow down the other.
            #expect(try deletionSteps(db, "u", deleteU) < 30)
            db.remove(transactionObserver: recorder)
            let latter = try db.makeStatement(sql: "DELETE FROM t")
            #expect(try deletionSteps(db, "t", latter) < 30)
            // The next observer is told all the same.
            db.add(transactionObserver: recorder)
            _ = recorder.lines()
            #expect(try deletionSteps(db, "t", latter) > 100)
            expectEqual(recorder.lines().count { $0.hasPrefix("didChange delete main.t") }, 100)
        }
    }

    /// Full-text tables clear the tables in which they keep their content by statements of their own.
    @Test func contentOfVirtualTablesIsObservedRowByRow() throws {
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO f VALUES ('one'), ('two')")
            try db.execute(sql: "INSERT INTO f(f) VALUES ('rebuild')")
        }
        let recorder = TransactionRecorder()
        recorder.filter = { $0.tableName == "f" }
        dbQueue.add(transactionObserver: recorder)
        try dbQueue.write { try $0.execute(sql: "INSERT INTO f(f) VALUES ('rebuild')") }
        expectTrue(recorder.lines().contains { $0.hasPrefix("didChange delete main.f_") })
    }
}
