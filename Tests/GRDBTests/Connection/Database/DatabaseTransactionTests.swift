import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabaseTransactionTests {
    private let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(a UNIQUE);
                    CREATE TABLE parent(id INTEGER PRIMARY KEY);
                    CREATE TABLE child(
                        id INTEGER PRIMARY KEY,
                        parentId REFERENCES parent(id) DEFERRABLE INITIALLY DEFERRED);
                    """)
        }
    }

    private func values() throws -> [Int] {
        try dbQueue.read { try Int.fetchAll($0, sql: "SELECT a FROM t ORDER BY a") }
    }

    private let aborted = "SQLite error 4: Transaction was aborted"

    // MARK: - Kinds

    @Test func transactionsAreImmediateByDefault() throws {
        try dbQueue.writeWithoutTransaction { db in
            try expectSQL(
                """
                BEGIN IMMEDIATE TRANSACTION
                COMMIT TRANSACTION
                """
            ) {
                try db.inTransaction { .commit }
            }
        }
    }

    @Test func transactionKindIsThatOfTheCall() throws {
        try dbQueue.writeWithoutTransaction { db in
            try expectSQL(
                """
                BEGIN DEFERRED TRANSACTION
                COMMIT TRANSACTION
                BEGIN IMMEDIATE TRANSACTION
                ROLLBACK TRANSACTION
                BEGIN EXCLUSIVE TRANSACTION
                COMMIT TRANSACTION
                """
            ) {
                try db.inTransaction(.deferred) { .commit }
                try db.inTransaction(.immediate) { .rollback }
                try db.inTransaction(.exclusive) { .commit }
            }
            try expectSQL(
                """
                BEGIN DEFERRED TRANSACTION
                COMMIT TRANSACTION
                BEGIN IMMEDIATE TRANSACTION
                COMMIT TRANSACTION
                BEGIN EXCLUSIVE TRANSACTION
                ROLLBACK TRANSACTION
                BEGIN IMMEDIATE TRANSACTION
                COMMIT TRANSACTION
                """
            ) {
                try db.beginTransaction(.deferred)
                try db.commit()
                try db.beginTransaction(.immediate)
                try db.commit()
                try db.beginTransaction(.exclusive)
                try db.rollback()
                try db.beginTransaction()
                try db.commit()
            }
        }
    }

    @Test func transactionsOfReadOnlyScopesAreDeferred() throws {
        try dbQueue.writeWithoutTransaction { db in
            try expectSQL(
                """
                BEGIN DEFERRED TRANSACTION
                COMMIT TRANSACTION
                """
            ) {
                try db.readOnly {
                    try db.inTransaction { .commit }
                }
            }
        }
    }

    // MARK: - Completion

    @Test func commitKeepsChanges() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.inTransaction {
                expectTrue(db.isInsideTransaction)
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                return .commit
            }
            expectTrue(!db.isInsideTransaction)
        }
        try expectEqual(values(), [1])
    }

    @Test func rollbackRevertsChangesWithoutAnError() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                return .rollback
            }
            expectTrue(!db.isInsideTransaction)
        }
        try expectEqual(values(), [])
    }

    @Test func errorRevertsChangesAndIsRethrown() throws {
        dbQueue.writeWithoutTransaction { db in
            expectError(TestError("mine")) {
                try db.inTransaction {
                    try db.execute(sql: "INSERT INTO t VALUES (1)")
                    throw TestError("mine")
                }
            }
            expectTrue(!db.isInsideTransaction)
        }
        try expectEqual(values(), [])
    }

    @Test func failedStatementDoesNotEndTheTransaction() throws {
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            expectError(
                """
                SQLite error 19: UNIQUE constraint failed: t.a \
                - while executing `INSERT INTO t VALUES (1)`
                """
            ) {
                try db.execute(sql: "INSERT INTO t VALUES (1)")
            }
            expectTrue(db.isInsideTransaction)
            try db.execute(sql: "INSERT INTO t VALUES (2)")
        }
        try expectEqual(values(), [1, 2])
    }

    // MARK: - By hand

    @Test func transactionsCanBeDrivenByHand() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.beginTransaction()
            expectTrue(db.isInsideTransaction)
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            try db.commit()
            expectTrue(!db.isInsideTransaction)

            try db.execute(sql: "BEGIN TRANSACTION")
            expectTrue(db.isInsideTransaction)
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            try db.execute(sql: "ROLLBACK")
            expectTrue(!db.isInsideTransaction)

            try db.execute(sql: "SAVEPOINT s")
            expectTrue(db.isInsideTransaction)
            try db.execute(sql: "RELEASE s")
            expectTrue(!db.isInsideTransaction)
        }
        try expectEqual(values(), [1])
    }

    @Test func commitNeedsATransaction() throws {
        dbQueue.writeWithoutTransaction { db in
            expectError(
                """
                SQLite error 1: cannot commit - no transaction is active \
                - while executing `COMMIT TRANSACTION`
                """
            ) {
                try db.commit()
            }
        }
    }

    @Test func rollbackDoesNothingOutsideOfATransaction() throws {
        try dbQueue.writeWithoutTransaction { db in
            try expectSQL("") {
                try db.rollback()
            }
        }
    }

    // MARK: - Nesting

    private let nested = """
        SQLite error 1: cannot start a transaction within a transaction \
        - while executing `BEGIN IMMEDIATE TRANSACTION`
        """

    @Test func transactionsCanNotBeNested() throws {
        dbQueue.writeWithoutTransaction { db in
            expectError(nested) {
                try db.inTransaction {
                    try db.execute(sql: "INSERT INTO t VALUES (1)")
                    try db.inTransaction { .commit }
                    return .commit
                }
            }
            expectTrue(!db.isInsideTransaction)
        }
        try expectEqual(values(), [])
    }

    /// The failed attempt must not undo what surrounds it.
    @Test func nestedTransactionThatIsCaughtLeavesTheOuterOne() throws {
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            expectError(nested) {
                try db.inTransaction { .rollback }
            }
            expectError(nested) {
                try db.beginTransaction()
            }
            expectTrue(db.isInsideTransaction)
        }
        try expectEqual(values(), [1])
    }

    @Test func transactionsCanNotBeginInSavepoints() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.inSavepoint {
                expectError(nested) {
                    try db.inTransaction { .commit }
                }
                return .commit
            }
            expectTrue(!db.isInsideTransaction)
        }
    }

    // MARK: - Transactions that end too early

    @Test func transactionThatWasCommittedByHandIsAborted() throws {
        expectError(aborted) {
            try dbQueue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                try db.commit()
            }
        }
        try expectEqual(values(), [1])
    }

    @Test func transactionThatWasRolledBackByHandIsAborted() throws {
        expectError(aborted) {
            try dbQueue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                try db.execute(sql: "ROLLBACK")
            }
        }
        try expectEqual(values(), [])
    }

    @Test func nothingRunsAfterTheEndOfTheTransaction() throws {
        expectError("\(aborted) - while executing `SELECT 1`") {
            try dbQueue.write { db in
                try db.rollback()
                try db.execute(sql: "SELECT 1")
            }
        }
        expectError("\(aborted) - while executing `BEGIN IMMEDIATE TRANSACTION`") {
            try dbQueue.write { db in
                try db.commit()
                try db.beginTransaction()
            }
        }
        expectError("\(aborted) - while executing `INSERT INTO t VALUES (1)`") {
            try dbQueue.write { db in
                try db.rollback()
                let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (1)")
                try statement.execute()
            }
        }
        try expectEqual(values(), [])
    }

    @Test func ownErrorWinsOverAbortion() throws {
        expectError(TestError("mine")) {
            try dbQueue.write { db in
                try db.rollback()
                throw TestError("mine")
            }
        }
    }

    @Test func rollbackMayFollowTheEndOfTheTransaction() throws {
        try dbQueue.inTransaction { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            try db.rollback()
            return .rollback
        }
        try dbQueue.inTransaction { db in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            try db.commit()
            return .rollback
        }
        try expectEqual(values(), [2])
    }

    @Test func requirementOfATransactionEndsWithIt() {
        dbQueue.writeWithoutTransaction { db in
            try? db.inTransaction {
                try db.rollback()
                return .commit
            }
            expectNoError { try db.execute(sql: "SELECT 1") }
        }
    }

    // MARK: - Rollbacks by SQLite

    /// What follows must not be committed alone.
    @Test func swallowedOrRollbackAbortsTheTransaction() throws {
        try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        expectError(aborted) {
            try dbQueue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (2)")
                expectError(
                    """
                    SQLite error 19: UNIQUE constraint failed: t.a \
                    - while executing `INSERT OR ROLLBACK INTO t VALUES (1)`
                    """
                ) {
                    try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
                }
                expectTrue(!db.isInsideTransaction)
                for sql in ["INSERT INTO t VALUES (3)", "SELECT 1"] {
                    expectError("\(aborted) - while executing `\(sql)`") {
                        try db.execute(sql: sql)
                    }
                }
            }
        }
        try expectEqual(values(), [1])
    }

    @Test func swallowedOrRollbackInASavepointAbortsTheTransaction() throws {
        try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        expectError(aborted) {
            try dbQueue.write { db in
                try db.inSavepoint {
                    try? db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
                    return .commit
                }
            }
        }
        expectError(aborted) {
            try dbQueue.writeWithoutTransaction { db in
                try db.inSavepoint {
                    try? db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
                    return .commit
                }
            }
        }
    }

    /// Rolling back is what was asked for.
    @Test func swallowedOrRollbackMayBeFollowedByARollback() throws {
        try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        try dbQueue.inTransaction { db in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            try? db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
            return .rollback
        }
        try expectEqual(values(), [1])
    }

    @Test func orRollbackOutsideOfTheTransactionMethodsEndsTheTransactionOnly() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            try db.beginTransaction()
            try? db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
            try db.execute(sql: "INSERT INTO t VALUES (2)")
        }
        try expectEqual(values(), [1, 2])
    }

    // MARK: - Commits that fail

    private let violation = """
        SQLite error 19: FOREIGN KEY constraint failed - while executing `COMMIT TRANSACTION`
        """

    @Test func failedCommitRollsBack() throws {
        expectError(violation) {
            try dbQueue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                try db.execute(sql: "INSERT INTO child VALUES (1, 999)")
            }
        }
        try expectEqual(values(), [])
        dbQueue.writeWithoutTransaction { expectTrue(!$0.isInsideTransaction) }
    }

    @Test func failedCommitOfASavepointRollsBack() throws {
        dbQueue.writeWithoutTransaction { db in
            expectError(violation) {
                try db.inSavepoint {
                    try db.execute(sql: "INSERT INTO t VALUES (1)")
                    try db.execute(sql: "INSERT INTO child VALUES (1, 999)")
                    return .commit
                }
            }
            expectTrue(!db.isInsideTransaction)
        }
        try expectEqual(values(), [])
    }

    @Test func failedCommitByHandCanBeMended() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.beginTransaction()
            try db.execute(sql: "INSERT INTO child VALUES (1, 999)")
            expectError(violation) { try db.commit() }
            expectTrue(db.isInsideTransaction)
            try db.execute(sql: "INSERT INTO parent VALUES (999)")
            try db.commit()
            expectTrue(!db.isInsideTransaction)
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM child"), 1)
        }
    }

    @Test func failedCommitByHandCanBeRolledBack() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.beginTransaction()
            try db.execute(sql: "INSERT INTO child VALUES (1, 999)")
            expectError(violation) { try db.commit() }
            try db.rollback()
            expectTrue(!db.isInsideTransaction)
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM child"), 0)
        }
    }

    @Test func violationInAutocommitModeRevertsTheStatement() throws {
        try dbQueue.writeWithoutTransaction { db in
            expectError(
                """
                SQLite error 19: FOREIGN KEY constraint failed \
                - while executing `INSERT INTO child VALUES (1, 999)`
                """
            ) {
                try db.execute(sql: "INSERT INTO child VALUES (1, 999)")
            }
            let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM child")
            expectEqual(count, 0)
        }
    }

    /// The statement commits when it is reset, after its row was read.
    @Test func violationOfAStatementThatReturnsARowIsThrown() throws {
        try dbQueue.writeWithoutTransaction { db in
            expectError(
                """
                SQLite error 19: FOREIGN KEY constraint failed \
                - while executing `INSERT INTO child VALUES (1, 999) RETURNING id`
                """
            ) {
                try Int.fetchOne(db, sql: "INSERT INTO child VALUES (1, 999) RETURNING id")
            }
            expectError(
                """
                SQLite error 19: FOREIGN KEY constraint failed \
                - while executing `INSERT INTO child VALUES (1, 999) RETURNING id`
                """
            ) {
                try Row.fetchOne(db, sql: "INSERT INTO child VALUES (1, 999) RETURNING id")
            }
            let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM child")
            expectEqual(count, 0)
        }
    }

    // MARK: - First errors

    /// A rollback that fails as well must not hide why it was needed.
    @Test func rollbackDoesNotHideTheFirstError() throws {
        try dbQueue.writeWithoutTransaction { db in
            let statement = try db.makeStatement(sql: "SELECT a FROM t")
            try db.execute(sql: "INSERT INTO t VALUES (1), (2)")
            expectError(TestError("first")) {
                try db.inTransaction {
                    // A cursor on a row, which a rollback aborts.
                    let cursor = try Int.fetchCursor(statement)
                    _ = try cursor.next()
                    try db.execute(sql: "DROP TABLE IF EXISTS other")
                    throw TestError("first")
                }
            }
            expectTrue(!db.isInsideTransaction)
        }
    }
}
