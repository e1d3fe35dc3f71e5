import GRDB
import GRDBTestSupport
import Testing

/// Statements that fail outside of a transaction: only those who were told something are told that it
/// did not happen.
@Suite(.databases) struct FailedStatementObservationTests {
    private let recorder = TransactionRecorder()
    private let schema = """
        CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE);
        CREATE TABLE u(id INTEGER PRIMARY KEY);
        CREATE TABLE c(uid REFERENCES u(id) DEFERRABLE INITIALLY DEFERRED);
        CREATE TRIGGER tr BEFORE INSERT ON u WHEN NEW.id = 666
            BEGIN SELECT RAISE(ROLLBACK, 'no'); END;
        INSERT INTO t VALUES (1, 'x');
        """

    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.writeWithoutTransaction { try $0.execute(sql: schema) }
        writer.add(transactionObserver: recorder)
        return writer
    }

    private func fail(_ writer: some DatabaseWriter, _ sql: String) {
        writer.writeWithoutTransaction { db in
            expectError(DatabaseError.self) { try db.execute(sql: sql) }
            expectTrue(!db.isInsideTransaction)
        }
    }

    @Test(
        arguments: DatabaseKind.allCases,
        [
            // The first row fails: no hook is called.
            "INSERT INTO t VALUES (2, 'x')",
            "INSERT OR ABORT INTO t VALUES (2, 'x'), (3, 'y')",
            "INSERT OR ROLLBACK INTO t VALUES (2, 'x')",
            "INSERT INTO nope VALUES (1)",
            "INSERT INTO u VALUES (666)",
            "SELECT abs(-9223372036854775808)",
            "CREATE TABLE t(a)",
            "PRAGMA wrong(", "",
        ])
    func silentFailureIsNoRollback(kind: DatabaseKind, sql: String) throws {
        if sql.isEmpty { return }
        let writer = try makeWriter(kind)
        fail(writer, sql)
        expectEqual(recorder.lines(), [])
    }

    @Test(arguments: DatabaseKind.allCases)
    func failureAfterAChangeIsARollback(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        fail(writer, "INSERT INTO t VALUES (2, 'y'), (3, 'x')")
        expectEqual(recorder.lines(), ["didChange insert main.t 2", "didRollback"])
        fail(writer, "INSERT OR ROLLBACK INTO t VALUES (2, 'y'), (3, 'x')")
        expectEqual(recorder.lines(), ["didChange insert main.t 2", "didRollback"])
        fail(writer, "INSERT INTO u VALUES (5), (666)")
        expectEqual(recorder.lines(), ["didChange insert main.u 5", "didRollback"])
        // When SQLite checks the constraint, it commits already.
        fail(writer, "INSERT INTO c VALUES (999)")
        expectEqual(recorder.lines(), ["didChange insert main.c 1", "didRollback"])
    }

    /// What `OR FAIL` did before it failed stays, and is committed.
    @Test func failureThatCommitsIsACommit() throws {
        let writer = try makeWriter(.queue)
        fail(writer, "INSERT OR FAIL INTO t VALUES (2, 'y'), (3, 'x')")
        expectEqual(recorder.lines(), ["didChange insert main.t 2", "willCommit", "didCommit"])
    }

    @Test func observerThatIsNotInterestedKnowsNothing() throws {
        let writer = try makeWriter(.queue)
        let other = TransactionRecorder()
        other.filter = { $0.tableName == "u" }
        writer.add(transactionObserver: other)
        fail(writer, "INSERT INTO t VALUES (2, 'y'), (3, 'x')")
        expectEqual(recorder.lines(), ["didChange insert main.t 2", "didRollback"])
        expectEqual(other.lines(), [])
    }

    @Test func observerOfPreupdatesIsTold() throws {
        let writer = try makeWriter(.queue)
        let observer = TransactionRecorder(nil, [.willChange, .others])
        writer.add(transactionObserver: observer)
        fail(writer, "INSERT INTO t VALUES (2, 'y'), (3, 'x')")
        expectEqual(
            observer.lines(),
            [
                "willChange insert main.t 2", "didChange insert main.t 2", "didRollback",
            ])
    }

    @Test func observerThatWasAskedToCommitIsTold() throws {
        let writer = try makeWriter(.queue)
        recorder.filter = { _ in false }
        recorder.onWillCommit = { throw TestError("no") }
        _ = writer.writeWithoutTransaction { db in
            expectError(TestError("no")) {
                try db.execute(sql: "INSERT INTO t VALUES (2, 'y')")
            }
        }
        recorder.onWillCommit = nil
        expectEqual(recorder.lines(), ["willCommit", "didRollback"])
    }

    /// Inside of a transaction, the end of the transaction is always told.
    @Test func failureThatEndsATransactionIsARollback() throws {
        let writer = try makeWriter(.queue)
        _ = writer.writeWithoutTransaction { db in
            expectError(DatabaseError.self) {
                try db.execute(sql: "BEGIN; INSERT OR ROLLBACK INTO t VALUES (2, 'x')")
            }
        }
        expectEqual(recorder.lines(), ["didRollback"])
        fail(writer, "BEGIN; INSERT INTO u VALUES (666)")
        expectEqual(recorder.lines(), ["didRollback"])
    }

    /// What was told before the last transaction does not count.
    @Test func eachStatementCountsForItself() throws {
        let writer = try makeWriter(.queue)
        try writer.writeWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO t VALUES (2, 'y')")
            _ = recorder.lines()
        }
        fail(writer, "INSERT INTO t VALUES (3, 'x')")
        expectEqual(recorder.lines(), [])
    }
}
