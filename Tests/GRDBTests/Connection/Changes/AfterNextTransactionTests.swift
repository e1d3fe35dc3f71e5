import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct AfterNextTransactionTests {
    private let dbQueue: DatabaseQueue
    private let log = Log<String>()

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY);
                    CREATE TABLE df(a REFERENCES t(id) DEFERRABLE INITIALLY DEFERRED);
                    """)
        }
    }

    private func register(_ name: String = "", in db: Database) {
        db.afterNextTransaction { [log] db in
            log.append("\(name)commit\(db.isInsideTransaction ? " inside" : "")")
        } onRollback: { [log] db in
            log.append("\(name)rollback\(db.isInsideTransaction ? " inside" : "")")
        }
    }

    @Test func handlerFollowsTheCommit() throws {
        try dbQueue.write { db in
            register(in: db)
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            expectEqual(log.elements, [])
        }
        expectEqual(log.elements, ["commit"])
        try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        expectEqual(log.elements, ["commit"])
    }

    @Test func handlerFollowsTheRollback() throws {
        try? dbQueue.write { db in
            register(in: db)
            throw TestError()
        }
        expectEqual(log.elements, ["rollback"])
        try dbQueue.inTransaction { db in
            register(in: db)
            return .rollback
        }
        expectEqual(log.elements, ["rollback", "rollback"])
    }

    @Test func rollbackHandlerIsOptional() throws {
        try dbQueue.write { db in
            db.afterNextTransaction { [log] _ in log.append("commit") }
        }
        try? dbQueue.write { db in
            db.afterNextTransaction { [log] _ in log.append("never") }
            throw TestError()
        }
        try dbQueue.write { _ in }
        expectEqual(log.elements, ["commit"])
    }

    @Test func emptyTransactionsCount() throws {
        try dbQueue.write { register(in: $0) }
        expectEqual(log.elements, ["commit"])
    }

    @Test func handlerOutsideOfATransactionWaitsForOne() throws {
        try dbQueue.writeWithoutTransaction { db in
            register(in: db)
            try db.execute(sql: "SELECT 1")
            expectEqual(log.elements, [])
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            expectEqual(log.elements, ["commit"])
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            expectEqual(log.elements, ["commit"])
        }
    }

    @Test func handlerWaitsForTheNextAccess() throws {
        dbQueue.writeWithoutTransaction { register(in: $0) }
        try dbQueue.read { _ in }
        expectEqual(log.elements, [])
        try dbQueue.write { _ in }
        expectEqual(log.elements, ["commit"])
    }

    @Test func handlerThatIsRegisteredInAReadWaitsForAWrite() throws {
        try dbQueue.read { register(in: $0) }
        expectEqual(log.elements, [])
        try dbQueue.write { _ in }
        expectEqual(log.elements, ["commit"])
    }

    @Test func savepointsAreNoTransactions() throws {
        try dbQueue.write { db in
            try db.inSavepoint {
                register("1 ", in: db)
                return .rollback
            }
            try db.inSavepoint {
                register("2 ", in: db)
                return .commit
            }
            expectEqual(log.elements, [])
        }
        expectEqual(log.elements, ["1 commit", "2 commit"])
    }

    @Test func outermostSavepointIsATransaction() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.inSavepoint {
                register("1 ", in: db)
                return .rollback
            }
            expectEqual(log.elements, ["1 rollback"])
            try db.inSavepoint {
                register("2 ", in: db)
                return .commit
            }
        }
        expectEqual(log.elements, ["1 rollback", "2 commit"])
    }

    @Test func failedCommitIsARollback() throws {
        expectError(DatabaseError.self) {
            try dbQueue.write { db in
                register(in: db)
                try db.execute(sql: "INSERT INTO df VALUES (999)")
            }
        }
        expectEqual(log.elements, ["rollback"])
    }

    @Test func commitThatIsTurnedDownIsARollback() throws {
        let recorder = TransactionRecorder(log: log)
        recorder.onWillCommit = { throw TestError() }
        dbQueue.add(transactionObserver: recorder)
        expectError(TestError()) {
            try dbQueue.write { db in
                register(in: db)
                try db.execute(sql: "INSERT INTO t VALUES (1)")
            }
        }
        expectEqual(
            log.elements,
            [
                "didChange insert main.t 1", "willCommit", "didRollback", "rollback",
            ])
    }

    @Test func handlersAreCalledInTheirOrder() throws {
        let recorder = TransactionRecorder(log: log)
        dbQueue.add(transactionObserver: recorder)
        try dbQueue.write { db in
            register("1 ", in: db)
            register("2 ", in: db)
        }
        expectEqual(log.elements, ["willCommit", "didCommit", "1 commit", "2 commit"])
    }

    @Test func handlerMayWrite() throws {
        try dbQueue.write { db in
            db.afterNextTransaction { [log] db in
                try! db.execute(sql: "INSERT INTO t VALUES (2)")
                try! db.inTransaction {
                    try db.execute(sql: "INSERT INTO t VALUES (3)")
                    return .commit
                }
                log.append("written")
            }
            try db.execute(sql: "INSERT INTO t VALUES (1)")
        }
        expectEqual(log.elements, ["written"])
        let ids = try dbQueue.read { try Int.fetchAll($0, sql: "SELECT id FROM t") }
        expectEqual(ids, [1, 2, 3])
    }

    @Test func handlerMayRegisterAnother() throws {
        try dbQueue.write { db in
            db.afterNextTransaction { [log] db in
                log.append("first")
                db.afterNextTransaction { [log] _ in log.append("second") }
            }
        }
        expectEqual(log.elements, ["first"])
        try dbQueue.write { _ in }
        expectEqual(log.elements, ["first", "second"])
        try dbQueue.write { _ in }
        expectEqual(log.elements, ["first", "second"])
    }

    @Test func handlerThatRegistersAndWritesIsCalledOnce() throws {
        try dbQueue.write { db in
            db.afterNextTransaction { [log] db in
                log.append("first")
                db.afterNextTransaction { [log] _ in log.append("nested") }
                try! db.execute(sql: "INSERT INTO t VALUES (1)")
                log.append("written")
            }
        }
        expectEqual(log.elements, ["first", "nested", "written"])
    }

    /// Connections that can't write have no other transactions than those that read.
    @Test func readTransactionsOfReadOnlyConnectionsCount() throws {
        let dbPool = try TestDatabases.makePool()
        try dbPool.read { register("1 ", in: $0) }
        expectEqual(log.removeAll(), ["1 commit"])
        try? dbPool.read { db in
            register("2 ", in: db)
            throw TestError()
        }
        expectEqual(log.removeAll(), ["2 rollback"])
        try dbPool.unsafeRead { register("3 ", in: $0) }
        expectEqual(log.elements, [])
        try dbPool.read { _ in }
        expectEqual(log.removeAll(), ["3 commit"])
        try dbPool.read { _ in }
        expectEqual(log.elements, [])

        var configuration = TestDatabases.makeConfiguration()
        configuration.readonly = true
        let readOnlyQueue = try TestDatabases.openQueue(dbPool.path, configuration)
        try readOnlyQueue.write { register("4 ", in: $0) }
        expectEqual(log.removeAll(), ["4 commit"])
        try readOnlyQueue.inTransaction { db in
            register("5 ", in: db)
            return .rollback
        }
        expectEqual(log.removeAll(), ["5 rollback"])
        try readOnlyQueue.read { register("6 ", in: $0) }
        expectEqual(log.removeAll(), ["6 commit"])
    }

    @Test func handlersAreReleased() throws {
        final class Token: Sendable {}
        weak var weakToken: Token?
        try dbQueue.write { db in
            let token = Token()
            weakToken = token
            db.afterNextTransaction { _ in
                _ = token
            } onRollback: { _ in
                _ = token
            }
            expectTrue(weakToken != nil)
        }
        expectNil(weakToken)
    }

    @Test func asyncWriteRunsHandlersBeforeItsCompletion() async throws {
        await withCheckedContinuation { continuation in
            dbQueue.asyncWrite { [log] db in
                db.afterNextTransaction { _ in log.append("handler") }
            } completion: { [log] _, _ in
                log.append("completion")
                continuation.resume()
            }
        }
        expectEqual(log.elements, ["handler", "completion"])
    }

    /// Such a statement is no transaction that anybody waits for.
    @Test func handlerOutlivesAStatementThatFailsOutsideOfTransactions() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            register(in: db)
            try? db.execute(sql: "INSERT INTO t VALUES (1)")
            try? db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
            try? db.execute(sql: "SELECT * FROM nope")
            try? db.execute(sql: "INSERT INTO df VALUES (42)")
            expectEqual(log.elements, [])
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            expectEqual(log.elements, ["commit"])
        }
    }

    @Test func handlerFollowsTheRollbackByAConflict() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            try db.beginTransaction()
            register(in: db)
            try? db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
            expectEqual(log.elements, ["rollback"])
        }
    }
}
