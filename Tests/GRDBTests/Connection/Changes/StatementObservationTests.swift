import GRDB
import GRDBTestSupport
import Testing

/// Statements whose observation takes care: they return rows, are older than their observer, or run
/// inside of others.
@Suite(.databases) struct StatementObservationTests {
    private let dbQueue: DatabaseQueue
    private let recorder = TransactionRecorder()

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE);
                    CREATE TABLE log(id INTEGER PRIMARY KEY, x);
                    CREATE TABLE p(id INTEGER PRIMARY KEY);
                    """)
        }
        dbQueue.add(transactionObserver: recorder)
    }

    /// The callbacks of statements in autocommit mode.
    private func lines(of sql: String) throws -> [String] {
        try dbQueue.writeWithoutTransaction { try $0.execute(sql: sql) }
        return recorder.lines()
    }

    private let committed = ["willCommit", "didCommit"]

    // MARK: - Statements that return rows

    @Test func returningIsNotified() throws {
        try dbQueue.writeWithoutTransaction { db in
            let id = try Int.fetchOne(db, sql: "INSERT INTO t VALUES (7, 'x') RETURNING id")
            expectEqual(id, 7)
        }
        expectEqual(recorder.lines(), ["didChange insert main.t 7"] + committed)
        try dbQueue.writeWithoutTransaction { db in
            let ids = try Int.fetchAll(
                db, sql: "INSERT INTO t VALUES (8, 'y'), (9, 'z') RETURNING id")
            expectEqual(ids, [8, 9])
        }
        expectEqual(
            recorder.lines(),
            ["didChange insert main.t 8", "didChange insert main.t 9"]
                + committed)
    }

    /// All changes come with the first row. The transaction ends with the cursor.
    @Test func returningIsCommittedAtTheEndOfTheCursor() throws {
        try dbQueue.writeWithoutTransaction { db in
            let cursor = try Int.fetchCursor(
                db, sql: "INSERT INTO t VALUES (8, 'y'), (9, 'z') RETURNING id")
            expectEqual(recorder.lines(), [])
            try expectEqual(cursor.next(), 8)
            expectEqual(
                recorder.lines(),
                ["didChange insert main.t 8", "didChange insert main.t 9"])
            try expectEqual(cursor.next(), 9)
            expectEqual(recorder.lines(), [])
            try expectEqual(cursor.next(), nil)
            expectEqual(recorder.lines(), committed)
        }
    }

    @Test func returningIsCommittedWhenTheCursorIsFreed() throws {
        try dbQueue.writeWithoutTransaction { db in
            do {
                let cursor = try Int.fetchCursor(
                    db, sql: "INSERT INTO t VALUES (8, 'y'), (9, 'z') RETURNING id")
                try expectEqual(cursor.next(), 8)
            }
            expectEqual(
                recorder.lines(),
                ["didChange insert main.t 8", "didChange insert main.t 9"]
                    + committed)
        }
    }

    @Test func returningIsCommittedAtTheEndOfTheAccess() throws {
        let cursor = try dbQueue.unsafeRead { db in
            let cursor = try Int.fetchCursor(
                db, sql: "INSERT INTO t VALUES (8, 'y'), (9, 'z') RETURNING id")
            try expectEqual(cursor.next(), 8)
            return Living(cursor)
        }
        expectEqual(
            recorder.lines(),
            ["didChange insert main.t 8", "didChange insert main.t 9"]
                + committed)
        withExtendedLifetime(cursor) {}
        let ids = try dbQueue.read { try Int.fetchAll($0, sql: "SELECT id FROM t") }
        expectEqual(ids, [8, 9])
    }

    // MARK: - Statements that are older than the observer

    @Test func statementsCompiledBeforeTheFirstObserverAreObserved() throws {
        let dbQueue = try TestDatabases.makeQueue()
        let recorder = TransactionRecorder()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
            let insert = try db.makeStatement(sql: "INSERT INTO t VALUES (?)")
            let delete = try db.makeStatement(sql: "DELETE FROM t")
            try delete.execute()
            try insert.execute(arguments: [1])
            db.add(transactionObserver: recorder)
            try insert.execute(arguments: [2])
            expectEqual(recorder.lines(), ["didChange insert main.t 2"] + committed)
            try delete.execute()
            expectEqual(
                recorder.lines(),
                ["didChange delete main.t 1", "didChange delete main.t 2"] + committed)
        }
    }

    @Test func cachedStatementsAreObserved() throws {
        let dbQueue = try TestDatabases.makeQueue()
        let recorder = TransactionRecorder()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE t(a)")
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            try db.execute(sql: "DELETE FROM t")
            try db.execute(sql: "INSERT INTO t VALUES (1)")
        }
        dbQueue.add(transactionObserver: recorder)
        try dbQueue.write { db in
            try db.execute(sql: "DELETE FROM t")
            try db.execute(sql: "INSERT INTO t VALUES (1)")
        }
        expectEqual(
            recorder.lines(),
            ["didChange delete main.t 1", "didChange insert main.t 1"] + committed)
    }

    @Test func observerMayBeAddedUnderACursor() throws {
        let dbQueue = try TestDatabases.makeQueue()
        let recorder = TransactionRecorder()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)")
            let cursor = try Int.fetchCursor(db, sql: "SELECT a FROM t")
            try expectEqual(cursor.next(), 1)
            db.add(transactionObserver: recorder)
            try expectEqual(cursor.next(), 2)
            try db.execute(sql: "INSERT INTO t VALUES (4)")
            try expectEqual(cursor.next(), 3)
            try expectEqual(cursor.next(), 4)
            try expectEqual(cursor.next(), nil)
        }
        expectEqual(recorder.lines(), ["didChange insert main.t 4"] + committed)
    }

    /// A trigger that is created later changes what an older statement does.
    @Test func triggersOfOlderStatementsAreObserved() throws {
        let logRecorder = TransactionRecorder()
        logRecorder.filter = { $0.tableName == "log" }
        dbQueue.add(transactionObserver: logRecorder)
        try dbQueue.writeWithoutTransaction { db in
            let statement = try db.makeStatement(sql: "INSERT INTO p VALUES (?)")
            try statement.execute(arguments: [1])
            try db.execute(sql: "INSERT INTO p VALUES (2)")
            expectTrue(logRecorder.lines().allSatisfy { !$0.hasPrefix("didChange") })
            try db.execute(
                sql: """
                    CREATE TRIGGER late AFTER INSERT ON p BEGIN
                        INSERT INTO log(x) VALUES (NEW.id);
                    END
                    """)
            _ = logRecorder.lines()
            try db.execute(sql: "DELETE FROM p WHERE id = 2")
            _ = logRecorder.lines()
            try db.execute(sql: "INSERT INTO p VALUES (2)")
            expectEqual(logRecorder.lines(), ["didChange insert main.log 1"] + committed)
            try statement.execute(arguments: [3])
            expectEqual(logRecorder.lines(), ["didChange insert main.log 2"] + committed)
        }
    }

    /// The same, when another connection creates the trigger.
    @Test func triggersOfOtherConnectionsAreObserved() throws {
        let dbQueue = try TestDatabases.makeQueue(.file)
        let other = try TestDatabases.openQueue(dbQueue.path)
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE t(a); CREATE TABLE log(a)")
        }
        let recorder = TransactionRecorder()
        recorder.filter = { $0.tableName == "log" }
        dbQueue.add(transactionObserver: recorder)
        let insert = "INSERT INTO t VALUES (1)"
        try dbQueue.write { try $0.execute(sql: insert) }
        expectEqual(recorder.lines(), committed)
        try other.write { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO log VALUES (1); END
                    """)
        }
        try dbQueue.write { try $0.execute(sql: insert) }
        expectEqual(recorder.lines(), ["didChange insert main.log 1"] + committed)
    }

    @Test func observationRunsNoSQLOfItsOwn() throws {
        try expectSQL(
            """
            INSERT INTO t VALUES (1, 'x')
            BEGIN IMMEDIATE TRANSACTION
            UPDATE t SET a = 'y'
            DELETE FROM t
            COMMIT TRANSACTION
            """
        ) {
            try dbQueue.writeWithoutTransaction { db in
                try db.execute(sql: "INSERT INTO t VALUES (1, 'x')")
                try db.inTransaction {
                    try db.execute(sql: "UPDATE t SET a = 'y'")
                    try db.execute(sql: "DELETE FROM t")
                    return .commit
                }
            }
        }
    }

    /// Neither the counters of the connection.
    @Test func observationLeavesTheCounters() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO t VALUES (7, 'x'), (8, 'y')")
            expectEqual(db.changesCount, 2)
            expectEqual(db.lastInsertedRowID, 8)
            expectEqual(db.totalChangesCount, 2)
        }
    }

    // MARK: - Statements inside statements

    /// An SQL function that writes: its statement ends before the one that calls it.
    @Test func statementsOfFunctionsAreObserved() throws {
        dbQueue.writeWithoutTransaction { [unowned dbQueue] db in
            db.add(
                function: DatabaseFunction("writes", argumentCount: 1) { dbValues in
                    try dbQueue.unsafeReentrantWrite { db in
                        try db.execute(
                            sql: "INSERT INTO log(x) VALUES (?)", arguments: [dbValues[0]])
                    }
                    return dbValues[0]
                })
        }
        try expectEqual(
            lines(
                of: "INSERT INTO t(id, a) SELECT column1, writes(column1) FROM (VALUES (5), (6))"),
            [
                "didChange insert main.log 1", "didChange insert main.t 5",
                "didChange insert main.log 2", "didChange insert main.t 6",
                "willCommit", "didCommit",
            ])
        try expectEqual(
            lines(of: "SELECT writes(7)"),
            [
                "didChange insert main.log 3", "willCommit", "didCommit",
            ])
    }
}
