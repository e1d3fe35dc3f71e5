import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Errors thrown by functions come out as they were thrown.
@Suite(.databases) struct DatabaseFunctionErrorTests {
    private func withFunction(
        throwing error: any Error, pure: Bool = false, _ body: (Database) throws -> Void
    ) throws {
        try TestDatabases.makeQueue().writeWithoutTransaction { db in
            db.add(
                function: DatabaseFunction("fail", argumentCount: 0, pure: pure) { _ in
                    throw error
                })
            db.add(
                function: DatabaseFunction("failIf", argumentCount: 1, pure: pure) { dbValues in
                    if Bool.fromDatabaseValue(dbValues[0]) == true { throw error }
                    return dbValues[0]
                })
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (0), (1), (2)")
            try body(db)
        }
    }

    @Test func customErrors() throws {
        try withFunction(throwing: TestError("1")) { db in
            for use in [
                { try db.execute(sql: "SELECT fail()") },
                { _ = try Int.fetchOne(db, sql: "SELECT fail()") },
                { _ = try Row.fetchAll(db, sql: "SELECT failIf(a) FROM t") },
                { _ = try Int.fetchSet(db, sql: "SELECT a FROM t WHERE failIf(a)") },
                { try db.execute(sql: "UPDATE t SET a = fail()") },
                { try db.execute(sql: "INSERT INTO t SELECT failIf(a) FROM t") },
                { try db.execute(sql: "DELETE FROM t WHERE fail()") },
                { try db.makeStatement(sql: "SELECT failIf(?)").execute(values: 1) },
            ] as [() throws -> Void] {
                expectError(TestError("1")) { try use() }
            }
            // Nothing of the failed statements is left.
            try expectEqual(Int.fetchAll(db, sql: "SELECT a FROM t"), [0, 1, 2])
            try expectEqual(Int.fetchOne(db, sql: "SELECT failIf(0)"), 0)
        }
    }

    @Test func errorsOfFoundation() throws {
        let error = NSError(domain: "D", code: 7)
        try withFunction(throwing: error) { db in
            let thrown = expectError((any Error).self) { try db.execute(sql: "SELECT fail()") }
            expectEqual(thrown as NSError?, error)
        }
    }

    @Test func aCursorThrowsWhereTheFunctionDoes() throws {
        try withFunction(throwing: TestError()) { db in
            let cursor = try Int.fetchCursor(db, sql: "SELECT failIf(a) FROM t")
            try expectEqual(cursor.next(), 0)
            expectError(TestError()) { try cursor.next() }
            // Not nil, which would tell that there are no more rows.
            expectError(TestError()) { try cursor.next() }
        }
    }

    @Test(arguments: [
        (DatabaseError(message: "m"), "SQLite error 1: m"),
        (DatabaseError(resultCode: .SQLITE_BUSY), "SQLite error 5: database is locked"),
        (DatabaseError(resultCode: .SQLITE_BUSY, message: "m"), "SQLite error 5: m"),
        (
            DatabaseError(resultCode: .SQLITE_CONSTRAINT_UNIQUE),
            "SQLite error 19: constraint failed"
        ),
        (DatabaseError(resultCode: ResultCode(rawValue: 123)), "SQLite error 123: unknown error"),
    ])
    func databaseErrorsGetTheSQL(error: DatabaseError, description: String) throws {
        try withFunction(throwing: error) { db in
            let thrown = expectError(DatabaseError.self) {
                try db.execute(sql: "SELECT failIf(?)", arguments: [1])
            }
            expectEqual(thrown?.extendedResultCode, error.extendedResultCode)
            expectEqual(thrown?.message, error.message)
            expectEqual(thrown?.sql, "SELECT failIf(?)")
            expectEqual(thrown?.arguments, [1])
            expectEqual(thrown?.description, "\(description) - while executing `SELECT failIf(?)`")
        }
    }

    @Test func databaseErrorsWithSQLKeepIt() throws {
        let error = DatabaseError(message: "m", sql: "SELECT elsewhere")
        try withFunction(throwing: error) { db in
            let thrown = expectError(DatabaseError.self) {
                try db.execute(sql: "SELECT fail()")
            }
            expectEqual(thrown?.sql, "SELECT elsewhere")
        }
    }

    /// Codes that mean no error for SQLite.
    @Test(arguments: [ResultCode.SQLITE_OK, .SQLITE_ROW, .SQLITE_DONE, ResultCode(rawValue: -1)])
    func codesThatAreNoErrors(code: ResultCode) throws {
        try withFunction(throwing: DatabaseError(resultCode: code, message: "m")) { db in
            for use in [
                { try db.execute(sql: "SELECT fail()") },
                { _ = try Row.fetchAll(db, sql: "SELECT failIf(a) FROM t") },
                { try db.execute(sql: "UPDATE t SET a = failIf(a)") },
            ] as [() throws -> Void] {
                let thrown = expectError(DatabaseError.self) { try use() }
                expectEqual(thrown?.extendedResultCode, code)
                expectEqual(thrown?.message, "m")
            }
            try expectEqual(Int.fetchAll(db, sql: "SELECT a FROM t"), [0, 1, 2])
            // The next error is another one.
            expectError("SQLite error 1: integer overflow - while executing `SELECT abs(?)`") {
                try Int.fetchOne(db, sql: "SELECT abs(?)", arguments: [Int64.min])
            }
        }
    }

    @Test func theFirstErrorWins() throws {
        try TestDatabases.makeQueue().write { db in
            let log = Log<Int>()
            db.add(
                function: DatabaseFunction("fail", argumentCount: 1) { dbValues in
                    let number = Int.fromDatabaseValue(dbValues[0])!
                    log.append(number)
                    throw TestError("\(number)")
                })
            expectError(TestError("1")) { try db.execute(sql: "SELECT fail(1), fail(2)") }
            expectEqual(log.elements, [1])
        }
    }

    @Test func triggersThrow() throws {
        try withFunction(throwing: TestError()) { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER tr AFTER UPDATE ON t BEGIN SELECT failIf(new.a); END;
                    UPDATE t SET a = 0 WHERE a = 0;
                    """)
            expectError(TestError()) { try db.execute(sql: "UPDATE t SET a = a + 1") }
            expectError(TestError()) {
                try db.execute(sql: "UPDATE OR IGNORE t SET a = a + 1")
            }
            try expectEqual(Int.fetchAll(db, sql: "SELECT a FROM t"), [0, 1, 2])
        }
    }

    @Test func indexesThrow() throws {
        try withFunction(throwing: TestError(), pure: true) { db in
            expectError(TestError()) { try db.execute(sql: "CREATE INDEX i ON t(failIf(a))") }
            try db.execute(sql: "DELETE FROM t; CREATE INDEX i ON t(failIf(a))")
            expectError(TestError()) { try db.execute(sql: "INSERT INTO t VALUES (1)") }
            try db.execute(sql: "INSERT INTO t VALUES (0)")
            try expectEqual(Int.fetchAll(db, sql: "SELECT a FROM t"), [0])
        }
    }

    /// With statistics, SQLite calls pure functions when it compiles.
    @Test func functionsThatThrowDuringCompilation() throws {
        try withFunction(throwing: TestError(), pure: true) { db in
            try db.execute(
                sql: """
                    CREATE TABLE u(a, b);
                    CREATE INDEX i ON u(a);
                    CREATE INDEX j ON u(b);
                    """)
            for index in 0..<200 {
                try db.execute(sql: "INSERT INTO u VALUES (?, ?)", arguments: [index % 7, index])
            }
            try db.execute(sql: "ANALYZE")
            for sql in [
                "SELECT * FROM u WHERE a > fail()", "SELECT * FROM u WHERE a = fail() AND b > 3",
                "SELECT * FROM u WHERE a BETWEEN fail() AND 3",
            ] {
                expectError(TestError()) { try Row.fetchAll(db, sql: sql) }
            }
            // The next error is another one.
            expectError("SQLite error 1: integer overflow - while executing `SELECT abs(?)`") {
                try Int.fetchOne(db, sql: "SELECT abs(?)", arguments: [Int64.min])
            }
        }
    }

    @Test func anErrorRollsTheTransactionBack() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            db.add(function: DatabaseFunction("fail") { _ in throw TestError() })
            try db.execute(sql: "CREATE TABLE t(a)")
        }
        expectError(TestError()) {
            try dbQueue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                try db.execute(sql: "SELECT fail()")
            }
        }
        try expectEqual(dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }, 0)
    }

    @Test func errorsThatAreIgnoredLeaveNoTrace() throws {
        try withFunction(throwing: TestError()) { db in
            try? db.execute(sql: "SELECT fail()")
            expectError("SQLite error 1: no such table: u - while executing `SELECT * FROM u`") {
                try db.execute(sql: "SELECT * FROM u")
            }
            expectError("SQLite error 1: integer overflow - while executing `SELECT abs(?)`") {
                try Int.fetchOne(db, sql: "SELECT abs(?)", arguments: [Int64.min])
            }
        }
    }
}
