import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabaseCursorTests {
    private static let sql = "SELECT a FROM t WHERE a > ?"

    private func withDatabase(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)")
            try body(db)
        }
    }

    @Test func informations() throws {
        try withDatabase { db in
            let cursor = try Row.fetchCursor(db, sql: Self.sql, arguments: [1])
            expectEqual(cursor.sql, Self.sql)
            expectEqual(cursor.arguments, [1])
            expectEqual(cursor.columnNames, ["a"])
            expectEqual(cursor.columnCount, 1)
            expectEqual(cursor.databaseRegion.description, "t(a)")
            try expectEqual(cursor.next(), ["a": 2])
            let values = try Int.fetchCursor(db, sql: Self.sql, arguments: [2])
            expectEqual(values.arguments, [2])
            try expectEqual(Array(values), [3])
        }
    }

    @Test func aCursorStaysAtItsEnd() throws {
        try withDatabase { db in
            let cursor = try Row.fetchCursor(db, sql: Self.sql, arguments: [1])
            try expectEqual(
                (0..<5).map { _ in try cursor.next()?[0] as Int? },
                [2, 3, nil, nil, nil])
        }
    }

    @Test func aCursorStaysAtItsError() throws {
        try withDatabase { db in
            let sql = "SELECT abs(CASE a WHEN 2 THEN -9223372036854775808 ELSE a END) FROM t"
            let cursor = try Int.fetchCursor(db, sql: sql)
            try expectEqual(cursor.next(), 1)
            let error = expectError(DatabaseError.self) { try cursor.next() }
            expectEqual(
                error?.description,
                "SQLite error 1: integer overflow - while executing `\(sql)`")
            // Neither from the start again, nor as if there were no more rows.
            expectError(DatabaseError.self) { try cursor.next() }
        }
    }

    // MARK: - One cursor a statement

    private func expectInvalid(_ cursor: some DatabaseCursor) throws {
        let error = expectError(DatabaseError.self) { _ = try cursor.next() }
        expectEqual(error?.resultCode, .SQLITE_MISUSE)
        expectEqual(error?.message, "The statement of the cursor was executed again")
        expectEqual(error?.sql, cursor.sql)
        expectError(DatabaseError.self) { _ = try cursor.next() }
    }

    @Test func anotherCursorOfTheStatementEndsTheFormer() throws {
        try withDatabase { db in
            let statement = try db.makeStatement(sql: "SELECT a FROM t")
            let first = try Row.fetchCursor(statement)
            try expectEqual(first.next(), ["a": 1])
            let second = try Int.fetchCursor(statement)
            try expectInvalid(first)
            try expectEqual(Array(second), [1, 2, 3])
        }
    }

    @Test func executionEndsTheCursor() throws {
        try withDatabase { db in
            let statement = try db.makeStatement(sql: Self.sql)
            for execute in [
                { try statement.execute() },
                { try statement.execute(arguments: [0]) },
                { try statement.execute(values: 0) },
                { _ = try Int.fetchAll(statement) },
                { _ = try Row.fetchOne(statement, arguments: [0]) },
            ] as [() throws -> Void] {
                let cursor = try Int.fetchCursor(statement, arguments: [1])
                try expectEqual(cursor.next(), 2)
                try execute()
                try expectInvalid(cursor)
            }
        }
    }

    /// The statement no longer has the arguments that the cursor was made with.
    @Test func newArgumentsEndTheCursor() throws {
        try withDatabase { db in
            let statement = try db.makeStatement(sql: Self.sql)
            for setArguments in [
                { try statement.setArguments([0]) },
                { statement.arguments = [0] },
                { statement.setUncheckedArguments([0]) },
            ] as [() throws -> Void] {
                for steps in 0...1 {
                    let cursor = try Int.fetchCursor(statement, arguments: [1])
                    for _ in 0..<steps { try expectEqual(cursor.next(), 2) }
                    try setArguments()
                    try expectInvalid(cursor)
                }
            }
        }
    }

    @Test func anEndedCursorDoesNotResetItsSuccessor() throws {
        try withDatabase { db in
            let statement = try db.makeStatement(sql: "SELECT a FROM t")
            var first: RowCursor? = try Row.fetchCursor(statement)
            _ = try first?.next()
            let second = try Int.fetchCursor(statement)
            try expectEqual(second.next(), 1)
            first = nil
            try expectEqual(second.next(), 2)
            expectNil(first)
        }
    }

    // MARK: - Changes while a cursor runs

    @Test func rowsMayChangeWhileACursorRuns() throws {
        try withDatabase { db in
            let cursor = try Int.fetchCursor(db, sql: "SELECT a FROM t")
            try expectEqual(cursor.next(), 1)
            try db.execute(sql: "INSERT INTO t VALUES (4)")
            try expectEqual(cursor.next(), 2)
            try db.execute(sql: "DELETE FROM t WHERE a = 3")
            try expectEqual(cursor.next(), 4)
            try expectEqual(cursor.next(), nil)
        }
    }

    @Test func aRunningCursorLocksItsTable() throws {
        try withDatabase { db in
            var cursor: FastDatabaseValueCursor<Int>? = try Int.fetchCursor(
                db, sql: "SELECT a FROM t")
            try expectEqual(cursor?.next(), 1)
            try db.execute(sql: "ALTER TABLE t ADD COLUMN b")
            try expectEqual(cursor?.next(), 2)
            let error = expectError(DatabaseError.self) { try db.execute(sql: "DROP TABLE t") }
            expectEqual(error?.resultCode, .SQLITE_LOCKED)
            cursor = nil
            try db.execute(sql: "DROP TABLE t")
        }
    }

    @Test func aCursorGoesOnAfterARollback() throws {
        try withDatabase { db in
            try db.beginTransaction()
            let cursor = try Int.fetchCursor(db, sql: "SELECT a FROM t")
            try expectEqual(cursor.next(), 1)
            try db.execute(sql: "DELETE FROM t WHERE a = 2")
            try db.rollback()
            try expectEqual(cursor.next(), 2)
            try expectEqual(cursor.next(), 3)
        }
    }

    @Test func aCursorIsOnlyValidInItsAccess() throws {
        let dbQueue = try TestDatabases.makeQueue()
        let cursor = try dbQueue.write {
            try Int.fetchCursor($0, sql: "SELECT 1 UNION ALL SELECT 2")
        }
        let error = expectError(DatabaseError.self) { try cursor.next() }
        expectEqual(error?.message, "Database was not used on the correct thread.")
    }

    /// A cursor that outlives its access must not keep its snapshot of the database.
    @Test(arguments: [false, true]) func aForgottenCursorHoldsNoTransaction(
        keepsRow: Bool
    ) throws {
        let path = TestDatabases.makePath()
        let first = try TestDatabases.openQueue(path)
        let second = try TestDatabases.openQueue(path)
        try first.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    PRAGMA journal_mode = WAL;
                    CREATE TABLE t(a);
                    INSERT INTO t VALUES (1), (2);
                    """)
        }
        var cursor: RowCursor?
        var row: Row?
        try first.read { db in
            cursor = try Row.fetchCursor(db, sql: "SELECT a FROM t")
            row = try cursor?.next()
        }
        if keepsRow { cursor = nil }
        try second.write { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
        try expectEqual(first.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }, 3)
        try withExtendedLifetime((cursor, row)) {
            try first.write { db in
                if let cursor {
                    expectError(DatabaseError.self) { try cursor.next() }
                }
                try db.execute(sql: "DROP TABLE t")
            }
        }
    }
}
