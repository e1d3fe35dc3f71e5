import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct SQLStatementCursorTests {
    private func withDatabase(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().writeWithoutTransaction { try body($0) }
    }

    @Test func statementsCompileWhenTheirTurnComes() throws {
        try withDatabase { db in
            let statements = try db.allStatements(
                sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1); SELECT * FROM t")
            var sql: [String] = []
            while let statement = try statements.next() {
                sql.append(statement.sql)
                try statement.execute()
            }
            expectEqual(sql, ["CREATE TABLE t(a)", "INSERT INTO t VALUES (1)", "SELECT * FROM t"])
            try expectEqual(Int.fetchAll(db, sql: "SELECT a FROM t"), [1])
            try expectNil(statements.next())
        }
    }

    @Test func statementsThatNeedTheFormerOnesDoNotMakeAnArray() throws {
        try withDatabase { db in
            expectError(DatabaseError.self) {
                try Array(db.allStatements(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)"))
            }
            let statements = try Array(db.allStatements(sql: "SELECT 1;; -- c\n; SELECT 2;"))
            expectEqual(statements.count, 2)
            try expectEqual(statements.map { try Int.fetchOne($0) }, [1, 2])
        }
    }

    @Test func argumentsGoFromStatementToStatement() throws {
        try withDatabase { db in
            let statements = try db.allStatements(
                sql: "SELECT ?, ?; SELECT :x; SELECT ?", arguments: [1, 2, 3] + ["x": "X"])
            var results: [String] = []
            while let statement = try statements.next() {
                results.append("\(try Row.fetchOne(statement)!) \(statement.arguments)")
            }
            expectEqual(results, ["[?:1 ?:2] [1, 2]", #"[:x:"X"] ["X"]"#, "[?:3] [3]"])
        }
    }

    @Test func argumentsThatRemainThrowAtTheEnd() throws {
        try withDatabase { db in
            let statements = try db.allStatements(sql: "SELECT ?; SELECT ?", arguments: [1, 2, 3])
            try expectEqual(statements.next()?.arguments, [1])
            try expectEqual(statements.next()?.arguments, [2])
            let error = expectError(DatabaseError.self) { try statements.next() }
            expectEqual(
                error?.description,
                "SQLite error 21: wrong number of statement arguments: 3, expected 2")
        }
    }

    @Test func argumentsThatAreMissingThrow() throws {
        try withDatabase { db in
            let statements = try db.allStatements(sql: "SELECT ?; SELECT ?", arguments: [1])
            try expectEqual(statements.next()?.arguments, [1])
            let error = expectError(DatabaseError.self) { try statements.next() }
            expectEqual(
                error?.description,
                "SQLite error 21: wrong number of statement arguments: 0, expected 1 - "
                    + "while executing `SELECT ?`")
        }
    }

    @Test func withoutArgumentsTheyAreSetLater() throws {
        try withDatabase { db in
            let statements = try db.allStatements(sql: "SELECT ?; SELECT ?")
            let first = try unwrap(statements.next())
            expectEqual(first.arguments, [])
            expectError(DatabaseError.self) { try Row.fetchOne(first) }
            try expectEqual(Int.fetchOne(first, arguments: [5]), 5)
            let second = try unwrap(statements.next())
            try expectEqual(Int.fetchOne(second, arguments: [6]), 6)
        }
    }

    @Test func aSyntaxErrorIsThrownAgain() throws {
        try withDatabase { db in
            let statements = try db.allStatements(sql: "SELECT 1; FOO; SELECT 3")
            try expectEqual(statements.next()?.sql, "SELECT 1")
            for _ in 0..<3 {
                let error = expectError(DatabaseError.self) { try statements.next() }
                expectEqual(
                    error?.description,
                    "SQLite error 1: near \"FOO\": syntax error - while executing "
                        + "`FOO; SELECT 3`")
                expectEqual(error?.sql, " FOO; SELECT 3")
            }
        }
    }

    @Test func literals() throws {
        try withDatabase { db in
            let statements = try db.allStatements(literal: "SELECT \(1); SELECT \("x"), 2")
            try expectEqual(
                Array(statements.map { "\($0.sql) \($0.arguments)" }),
                ["SELECT ? [1]", #"SELECT ?, 2 ["x"]"#])
        }
    }

    @Test func rowsOfSeveralStatements() throws {
        try withDatabase { db in
            let statements = try db.allStatements(sql: "SELECT 1 UNION ALL SELECT 2; SELECT 3")
            try expectEqual(Array(statements.flatMap { try Int.fetchCursor($0) }), [1, 2, 3])
        }
    }

    @Test func aCursorIsOnlyValidInItsAccess() throws {
        let dbQueue = try TestDatabases.makeQueue()
        let statements = try dbQueue.write { try $0.allStatements(sql: "SELECT 1; SELECT 2") }
        let error = expectError(DatabaseError.self) { try statements.next() }
        expectEqual(error?.resultCode, .SQLITE_MISUSE)
        try dbQueue.write { _ in try expectEqual(statements.next()?.sql, "SELECT 1") }
    }
}
