import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabaseSavepointTests {
    private let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
    }

    private func values() throws -> [Int] {
        try dbQueue.read { try Int.fetchAll($0, sql: "SELECT a FROM t ORDER BY a") }
    }

    // MARK: - Outermost savepoints

    @Test func outermostSavepointIsATransaction() throws {
        try dbQueue.writeWithoutTransaction { db in
            try expectSQL(
                """
                BEGIN IMMEDIATE TRANSACTION
                INSERT INTO t VALUES (1)
                COMMIT TRANSACTION
                """
            ) {
                try db.inSavepoint {
                    expectTrue(db.isInsideTransaction)
                    try db.execute(sql: "INSERT INTO t VALUES (1)")
                    return .commit
                }
            }
            try expectSQL(
                """
                BEGIN IMMEDIATE TRANSACTION
                INSERT INTO t VALUES (2)
                ROLLBACK TRANSACTION
                """
            ) {
                try db.inSavepoint {
                    try db.execute(sql: "INSERT INTO t VALUES (2)")
                    return .rollback
                }
            }
        }
        try expectEqual(values(), [1])
    }

    @Test func outermostSavepointThatThrowsRollsBack() throws {
        dbQueue.writeWithoutTransaction { db in
            expectSQL(
                """
                BEGIN IMMEDIATE TRANSACTION
                INSERT INTO t VALUES (1)
                ROLLBACK TRANSACTION
                """
            ) {
                expectError(TestError()) {
                    try db.inSavepoint {
                        try db.execute(sql: "INSERT INTO t VALUES (1)")
                        throw TestError()
                    }
                }
            }
        }
        try expectEqual(values(), [])
    }

    @Test func outermostSavepointOfAReadOnlyScopeIsDeferred() throws {
        try dbQueue.writeWithoutTransaction { db in
            try expectSQL(
                """
                BEGIN DEFERRED TRANSACTION
                COMMIT TRANSACTION
                """
            ) {
                try db.readOnly {
                    try db.inSavepoint { .commit }
                }
            }
        }
    }

    // MARK: - Nested savepoints

    @Test func committedSavepointIsReleased() throws {
        try dbQueue.write { db in
            try expectSQL(
                """
                SAVEPOINT grdb
                INSERT INTO t VALUES (1)
                RELEASE SAVEPOINT grdb
                """
            ) {
                try db.inSavepoint {
                    try db.execute(sql: "INSERT INTO t VALUES (1)")
                    return .commit
                }
            }
            expectTrue(db.isInsideTransaction)
        }
        try expectEqual(values(), [1])
    }

    @Test func rollbackRevertsTheSavepointOnly() throws {
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            try expectSQL(
                """
                SAVEPOINT grdb
                INSERT INTO t VALUES (2)
                ROLLBACK TRANSACTION TO SAVEPOINT grdb
                RELEASE SAVEPOINT grdb
                """
            ) {
                try db.inSavepoint {
                    try db.execute(sql: "INSERT INTO t VALUES (2)")
                    return .rollback
                }
            }
            try db.execute(sql: "INSERT INTO t VALUES (3)")
        }
        try expectEqual(values(), [1, 3])
    }

    @Test func errorRevertsTheSavepointOnly() throws {
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            expectSQL(
                """
                SAVEPOINT grdb
                INSERT INTO t VALUES (2)
                ROLLBACK TRANSACTION TO SAVEPOINT grdb
                RELEASE SAVEPOINT grdb
                """
            ) {
                expectError(TestError()) {
                    try db.inSavepoint {
                        try db.execute(sql: "INSERT INTO t VALUES (2)")
                        throw TestError()
                    }
                }
            }
        }
        try expectEqual(values(), [1])
    }

    @Test func savepointsNest() throws {
        try dbQueue.writeWithoutTransaction { db in
            try expectSQL(
                """
                BEGIN IMMEDIATE TRANSACTION
                INSERT INTO t VALUES (1)
                SAVEPOINT grdb
                INSERT INTO t VALUES (2)
                SAVEPOINT grdb
                INSERT INTO t VALUES (3)
                ROLLBACK TRANSACTION TO SAVEPOINT grdb
                RELEASE SAVEPOINT grdb
                INSERT INTO t VALUES (4)
                RELEASE SAVEPOINT grdb
                COMMIT TRANSACTION
                """
            ) {
                try db.inSavepoint {
                    try db.execute(sql: "INSERT INTO t VALUES (1)")
                    try db.inSavepoint {
                        try db.execute(sql: "INSERT INTO t VALUES (2)")
                        try db.inSavepoint {
                            try db.execute(sql: "INSERT INTO t VALUES (3)")
                            return .rollback
                        }
                        try db.execute(sql: "INSERT INTO t VALUES (4)")
                        return .commit
                    }
                    return .commit
                }
            }
        }
        try expectEqual(values(), [1, 2, 4])
    }

    @Test func rollbackOfTheOuterSavepointRevertsTheInnerOne() throws {
        try dbQueue.write { db in
            try db.inSavepoint {
                try db.inSavepoint {
                    try db.execute(sql: "INSERT INTO t VALUES (1)")
                    return .commit
                }
                return .rollback
            }
        }
        try expectEqual(values(), [])
    }

    @Test func errorOfANestedSavepointGoesThroughTheOuterOnes() throws {
        expectError(TestError("inner")) {
            try dbQueue.write { db in
                try db.inSavepoint {
                    try db.execute(sql: "INSERT INTO t VALUES (1)")
                    try db.inSavepoint {
                        throw TestError("inner")
                    }
                    return .commit
                }
            }
        }
        try expectEqual(values(), [])
    }

    // MARK: - Raw savepoints

    @Test func rawSavepointsOfTheSameNameNest() throws {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    SAVEPOINT s;
                    INSERT INTO t VALUES (1);
                    SAVEPOINT s;
                    INSERT INTO t VALUES (2);
                    ROLLBACK TO s;
                    RELEASE S;
                    INSERT INTO t VALUES (3);
                    RELEASE s;
                    """)
        }
        try expectEqual(values(), [1, 3])
    }

    @Test func methodsNestInRawSavepoints() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "SAVEPOINT grdb")
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO t VALUES (2)")
                return .rollback
            }
            expectTrue(db.isInsideTransaction)
            try db.execute(sql: "RELEASE grdb")
            expectTrue(!db.isInsideTransaction)
        }
        try expectEqual(values(), [1])
    }

    // MARK: - Savepoints that lose their transaction

    @Test func savepointWhoseTransactionIsGoneIsAborted() throws {
        expectError("SQLite error 4: Transaction was aborted") {
            try dbQueue.write { db in
                try db.inSavepoint {
                    try db.rollback()
                    return .commit
                }
            }
        }
    }

    @Test func ownErrorWinsOverAnAbortedSavepoint() throws {
        expectError(TestError()) {
            try dbQueue.write { db in
                try db.inSavepoint {
                    try db.rollback()
                    throw TestError()
                }
            }
        }
    }
}
