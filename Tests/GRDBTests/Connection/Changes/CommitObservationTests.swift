import GRDB
import GRDBTestSupport
import Testing

/// Commits that fail, or that an observer turns down.
@Suite(.databases) struct CommitObservationTests {
    private let dbQueue: DatabaseQueue
    private let recorder = TransactionRecorder()

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a);
                    CREATE TABLE p(id INTEGER PRIMARY KEY);
                    CREATE TABLE df(
                        id INTEGER PRIMARY KEY,
                        pid REFERENCES p(id) DEFERRABLE INITIALLY DEFERRED);
                    """)
        }
        dbQueue.add(transactionObserver: recorder)
    }

    private func expectEmpty(line: Int = #line) throws {
        try dbQueue.writeWithoutTransaction { db in
            expectTrue(!db.isInsideTransaction, line: line)
            let count = try Int.fetchOne(
                db, sql: "SELECT COUNT(*) FROM (SELECT id FROM t UNION ALL SELECT id FROM df)")
            expectEqual(count, 0, line: line)
        }
    }

    // MARK: - Constraints

    private let violation = "SQLite error 19: FOREIGN KEY constraint failed"

    @Test func commitThatFailsIsARollback() throws {
        expectError("\(violation) - while executing `COMMIT TRANSACTION`") {
            try dbQueue.write { try $0.execute(sql: "INSERT INTO df VALUES (1, 999)") }
        }
        expectEqual(recorder.lines(), ["didChange insert main.df 1", "didRollback"])
        try expectEmpty()
    }

    @Test func statementThatFailsToCommitIsNotCommitted() throws {
        expectError("\(violation) - while executing `INSERT INTO df VALUES (1, 999)`") {
            try dbQueue.writeWithoutTransaction { db in
                try db.execute(sql: "INSERT INTO df VALUES (1, 999)")
            }
        }
        let lines = recorder.lines()
        expectEqual(lines.first, "didChange insert main.df 1")
        expectTrue(!lines.contains("willCommit"))
        expectTrue(!lines.contains("didCommit"))
        try expectEmpty()
    }

    @Test func failedCommitByHandIsSilentUntilTheRollback() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN; INSERT INTO df VALUES (1, 999)")
            expectError(DatabaseError.self) { try db.execute(sql: "COMMIT") }
            expectError(DatabaseError.self) { try db.commit() }
            expectTrue(db.isInsideTransaction)
            expectEqual(recorder.lines(), ["didChange insert main.df 1"])
            try db.rollback()
            expectEqual(recorder.lines(), ["didRollback"])
        }
        try expectEmpty()
    }

    @Test func failedCommitByHandCanBeMended() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN; INSERT INTO df VALUES (1, 999)")
            expectError(DatabaseError.self) { try db.commit() }
            try db.execute(sql: "DELETE FROM df")
            try db.commit()
            expectEqual(
                recorder.lines(),
                [
                    "didChange insert main.df 1", "didChange delete main.df 1",
                    "willCommit", "didCommit",
                ])
        }
    }

    @Test func busyCommitIsARollback() throws {
        let dbQueue = try TestDatabases.makeQueue(.file)
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        let reader = try TestDatabases.openQueue(dbQueue.path)
        dbQueue.add(transactionObserver: recorder)
        try reader.read { readerDb in
            _ = try Int.fetchOne(readerDb, sql: "SELECT COUNT(*) FROM t")
            expectError(DatabaseError.self) {
                try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
            }
        }
        // The commit was about to happen.
        let lines = recorder.lines()
        expectEqual(lines.first, "didChange insert main.t 1")
        expectEqual(lines.last, "didRollback")
        expectTrue(!lines.contains("didCommit"))
        // The same connection may try again.
        try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        expectEqual(recorder.lines(), ["didChange insert main.t 1", "willCommit", "didCommit"])
    }

    // MARK: - Observers that throw

    private let turnedDown = ["didChange insert main.t 1", "willCommit", "didRollback"]

    private func turnDown() {
        recorder.onWillCommit = { throw TestError("no") }
    }

    @Test func observerTurnsDownAWrite() throws {
        turnDown()
        expectError(TestError("no")) {
            try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1, 'x')") }
        }
        expectEqual(recorder.lines(), turnedDown)
        try expectEmpty()
    }

    @Test func observerTurnsDownAStatement() throws {
        turnDown()
        expectError(TestError("no")) {
            try dbQueue.writeWithoutTransaction { db in
                try db.execute(sql: "INSERT INTO t VALUES (1, 'x')")
            }
        }
        expectEqual(recorder.lines(), turnedDown)
        try expectEmpty()
    }

    @Test(arguments: ["BEGIN; INSERT INTO t VALUES (1, 'x'); COMMIT"])
    func observerTurnsDownARawTransaction(sql: String) throws {
        turnDown()
        expectError(TestError("no")) {
            try dbQueue.writeWithoutTransaction { try $0.execute(sql: sql) }
        }
        expectEqual(recorder.lines(), turnedDown)
        try expectEmpty()
    }

    @Test(arguments: [
        "SAVEPOINT s; INSERT INTO t VALUES (1, 'x'); RELEASE s",
        "SAVEPOINT s; INSERT INTO t VALUES (1, 'x'); COMMIT",
        "SAVEPOINT s; SAVEPOINT r; INSERT INTO t VALUES (1, 'x'); RELEASE s",
        "BEGIN; SAVEPOINT s; INSERT INTO t VALUES (1, 'x'); RELEASE s; COMMIT",
    ])
    func observerTurnsDownARawSavepoint(sql: String) throws {
        turnDown()
        expectError(TestError("no")) {
            try dbQueue.writeWithoutTransaction { try $0.execute(sql: sql) }
        }
        expectEqual(recorder.lines(), turnedDown)
        try expectEmpty()
        // Nothing is held back.
        recorder.onWillCommit = nil
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO t VALUES (2, 'x')")
        }
        expectEqual(recorder.lines(), ["didChange insert main.t 2", "willCommit", "didCommit"])
    }

    @Test func observerTurnsDownASavepoint() throws {
        turnDown()
        expectError(TestError("no")) {
            try dbQueue.writeWithoutTransaction { db in
                try db.inSavepoint {
                    try db.execute(sql: "INSERT INTO t VALUES (1, 'x')")
                    return .commit
                }
            }
        }
        expectEqual(recorder.lines(), turnedDown)
        try expectEmpty()
    }

    @Test func observerTurnsDownAnEmptyTransaction() throws {
        turnDown()
        expectError(TestError("no")) { try dbQueue.write { _ in } }
        expectEqual(recorder.lines(), ["willCommit", "didRollback"])
        try dbQueue.read { _ in }
        expectEqual(recorder.lines(), [])
        try expectEmpty()
    }

    @Test func observerTurnsDownAStatementThatReturnsARow() throws {
        turnDown()
        try dbQueue.writeWithoutTransaction { db throws in
            expectError(TestError("no")) {
                try Int.fetchOne(db, sql: "INSERT INTO t VALUES (1, 'x') RETURNING id")
            }
            expectError(TestError("no")) {
                try Row.fetchAll(db, sql: "INSERT INTO t VALUES (1, 'x') RETURNING id")
            }
        }
        expectEqual(recorder.lines(), turnedDown + turnedDown)
        try expectEmpty()
    }

    @Test func observerTurnsDownAnAsyncWrite() async throws {
        turnDown()
        let result = await withCheckedContinuation { continuation in
            dbQueue.asyncWrite { db in
                try db.execute(sql: "INSERT INTO t VALUES (1, 'x')")
            } completion: { _, result in
                continuation.resume(returning: "\(result)")
            }
        }
        expectEqual(result, "failure(TestError no)")
        expectEqual(recorder.lines(), turnedDown)
    }

    @Test func firstObserverThatThrowsIsTheLastOneAsked() throws {
        let log = Log<String>()
        let observers = ["A", "B", "C"].map { TransactionRecorder($0, log: log) }
        for observer in observers {
            dbQueue.add(transactionObserver: observer)
        }
        observers[1].onWillCommit = { throw TestError("B") }
        expectError(TestError("B")) {
            try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1, 'x')") }
        }
        expectEqual(
            log.elements,
            [
                "A: didChange insert main.t 1", "B: didChange insert main.t 1",
                "C: didChange insert main.t 1",
                "A: willCommit", "B: willCommit",
                "A: didRollback", "B: didRollback", "C: didRollback",
            ])
        try expectEmpty()
    }

    @Test func statementMayBeTriedAgain() throws {
        var isFirst = true
        recorder.onWillCommit = {
            defer { isFirst = false }
            if isFirst { throw TestError("no") }
        }
        try dbQueue.writeWithoutTransaction { db in
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (1, 'x')")
            expectError(TestError("no")) { try statement.execute() }
            try statement.execute()
        }
        expectEqual(
            recorder.lines(),
            turnedDown + [
                "didChange insert main.t 1", "willCommit", "didCommit",
            ])
        recorder.onWillCommit = nil
    }

    @Test func rollbackAfterATurnedDownCommitMayWrite() throws {
        turnDown()
        recorder.onRollback = { [recorder] db in
            recorder.onWillCommit = nil
            try! db.execute(sql: "INSERT INTO t VALUES (2, 'y')")
        }
        expectError(TestError("no")) {
            try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1, 'x')") }
        }
        recorder.onRollback = nil
        expectEqual(
            recorder.lines(),
            turnedDown + [
                "didChange insert main.t 2", "willCommit", "didCommit",
            ])
        let ids = try dbQueue.read { try Int.fetchAll($0, sql: "SELECT id FROM t") }
        expectEqual(ids, [2])
    }
}
