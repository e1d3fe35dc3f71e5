import GRDB
import GRDBSQLite
import GRDBTestSupport
import Testing

/// `makeStatement`, `cachedStatement` and `execute` on all kinds of SQL text.
@Suite(.databases) struct DatabaseStatementsTests {
    private func withDatabase(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t(a, b)")
            try body(db)
        }
    }

    private func rows(_ db: Database) throws -> [String] {
        try Row.fetchAll(db, sql: "SELECT a, b FROM t").map { "\($0[0]!),\($0[1]!)" }
    }

    // MARK: - One statement

    @Test(arguments: [
        "", "   ", " \n\t ", "-- comment", "/* c */", ";", " ; ", "-- c\n;", "/* unterminated",
    ])
    func textWithoutStatement(sql: String) throws {
        try withDatabase { db in
            for compile in [
                { _ = try db.makeStatement(sql: sql) },
                { _ = try db.cachedStatement(sql: sql) },
                { _ = try Row.fetchAll(db, sql: sql) },
                { _ = try Int.fetchOne(db, sql: sql) },
            ] as [() throws -> Void] {
                let error = expectError(DatabaseError.self) { try compile() }
                expectEqual(error?.resultCode, .SQLITE_ERROR)
                expectEqual(error?.message, "empty statement")
                expectEqual(error?.sql, sql)
            }
            try db.execute(sql: sql)
            try expectTrue(Array(db.allStatements(sql: sql)).isEmpty)
        }
    }

    @Test func descriptionOfAnErrorTrimsTheSQL() throws {
        try withDatabase { db in
            let error = expectError(DatabaseError.self) { try db.makeStatement(sql: "-- c\n;") }
            expectEqual(
                error?.description,
                "SQLite error 1: empty statement - while executing `-- c`")
        }
    }

    @Test(arguments: [
        ("SELECT 1;", "SELECT 1"), ("SELECT 1; ", "SELECT 1"), ("SELECT 1; -- c", "SELECT 1"),
        ("SELECT 1; /* c */ ", "SELECT 1"), ("SELECT 1;;", "SELECT 1"),
        ("SELECT 1; ;", "SELECT 1"), ("; SELECT 1", "SELECT 1"), ("  SELECT 1\n", "SELECT 1"),
        ("-- c\nSELECT 1", "-- c\nSELECT 1"), ("SELECT 1 -- c", "SELECT 1 -- c"),
    ])
    func textWithOneStatement(sql: String, statementSQL: String) throws {
        try withDatabase { db in
            try expectEqual(db.makeStatement(sql: sql).sql, statementSQL)
            try expectEqual(db.cachedStatement(sql: sql).sql, statementSQL)
            try expectEqual(db.cachedStatement(sql: sql).sql, statementSQL)
            try expectEqual(Array(db.allStatements(sql: sql)).map(\.sql), [statementSQL])
            try expectEqual(Int.fetchOne(db, sql: sql), 1)
        }
    }

    @Test(arguments: ["SELECT 1; SELECT 2", "SELECT 1; FOO", "BEGIN; COMMIT", "SELECT 1; -- c\nx"])
    func textWithSeveralStatements(sql: String) throws {
        try withDatabase { db in
            for compile in [
                { _ = try db.makeStatement(sql: sql) },
                { _ = try db.cachedStatement(sql: sql) },
                { _ = try Row.fetchAll(db, sql: sql) },
                { _ = try Int.fetchOne(db, sql: sql) },
                { _ = try SQLRequest<Int>(sql: sql).fetchOne(db) },
            ] as [() throws -> Void] {
                let error = expectError(DatabaseError.self) { try compile() }
                expectEqual(error?.resultCode, .SQLITE_MISUSE)
                expectEqual(
                    error?.message,
                    """
                    Multiple statements found. To execute multiple statements, use \
                    Database.execute(sql:) or Database.allStatements(sql:) instead.
                    """)
                expectEqual(error?.sql, sql)
            }
        }
    }

    /// SQLite would ignore all that follows.
    @Test(arguments: ["SELECT 1\0; SELECT 2", "\0", "SELECT '\0'", "SELECT 1; SELECT 2\0"])
    func textWithNUL(sql: String) throws {
        try withDatabase { db in
            for compile in [
                { _ = try db.makeStatement(sql: sql) },
                { _ = try db.cachedStatement(sql: sql) },
                { try db.execute(sql: sql) },
                { _ = try db.allStatements(sql: sql).next() },
            ] as [() throws -> Void] {
                let error = expectError(DatabaseError.self) { try compile() }
                expectEqual(error?.resultCode, .SQLITE_MISUSE)
                let offset = sql.utf8.prefix { $0 != 0 }.count
                expectEqual(error?.message, "The SQL holds a NUL character, at byte \(offset)")
                expectEqual(error?.sql, sql)
            }
        }
    }

    @Test func syntaxErrors() throws {
        try withDatabase { db in
            let error = expectError(DatabaseError.self) {
                try db.makeStatement(sql: " SELECT * FORM t; ")
            }
            expectEqual(error?.resultCode, .SQLITE_ERROR)
            expectEqual(error?.message, #"near "FORM": syntax error"#)
            expectEqual(error?.sql, " SELECT * FORM t; ")
            expectEqual(error?.offset, 10)
            expectEqual(
                error?.description,
                #"SQLite error 1: near "FORM": syntax error - while executing `SELECT * FORM t`"#)
        }
    }

    @Test func textOfAnyLength() throws {
        try withDatabase { db in
            let text = String(repeating: "é", count: 1_000_000)
            try expectEqual(String.fetchOne(db, sql: "SELECT '\(text)'"), text)
            let terms = (0..<20_000).map(String.init).joined(separator: ", ")
            try expectEqual(Bool.fetchOne(db, sql: "SELECT 19999 IN (\(terms))"), true)
            try db.execute(
                sql: String(repeating: "INSERT INTO t VALUES (1, 'é');", count: 1000))
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 1000)
        }
    }

    @Test func limitsOfSQLite() throws {
        try withDatabase { db in
            let sum = Array(repeating: "1", count: 2000).joined(separator: " + ")
            let depth = expectError(DatabaseError.self) {
                try Int.fetchOne(db, sql: "SELECT \(sum)")
            }
            expectEqual(depth?.message, "Expression tree is too large (maximum depth 1000)")

            let count = db.maximumStatementArgumentCount
            let values = StatementArguments(0..<count)
            let marks = databaseQuestionMarks(count: count)
            let sql = "SELECT COUNT(*) FROM (VALUES (\(marks.replacingCommas(with: "), (")))) "
            try expectEqual(Int.fetchOne(db, sql: sql, arguments: values), count)
            let variables = expectError(DatabaseError.self) {
                try Row.fetchAll(db, sql: "SELECT 1 IN (\(marks),?)")
            }
            expectEqual(variables?.message, "too many SQL variables")

            sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_SQL_LENGTH, 1000)
            let length = expectError(DatabaseError.self) {
                try db.execute(sql: "SELECT '\(String(repeating: "x", count: 1000))'")
            }
            expectEqual(length?.resultCode, .SQLITE_TOOBIG)
        }
    }

    // MARK: - Execution of several statements

    @Test func argumentsGoFromStatementToStatement() throws {
        try withDatabase { db in
            let insert = "INSERT INTO t VALUES (?, ?)"
            try db.execute(sql: "\(insert); \(insert)", arguments: [1, 2, 3, 4])
            try db.execute(
                sql: "INSERT INTO t VALUES (:a, :b); INSERT INTO t VALUES (:b, :a);",
                arguments: ["a": 5, "b": 6, "unused": 7])
            try db.execute(
                sql: "INSERT INTO t VALUES (:a, ?); INSERT INTO t VALUES (?, :a)",
                arguments: [7, 8] + ["a": 9])
            try expectEqual(rows(db), ["1,2", "3,4", "5,6", "6,5", "9,7", "8,9"])
        }
    }

    @Test(
        arguments: [
            (
                "INSERT INTO t VALUES (?, ?); INSERT INTO t VALUES (?, ?)", [1, 2, 3],
                "wrong number of statement arguments: 1, expected 2", "INSERT INTO t VALUES (?, ?)"
            ),
            (
                "INSERT INTO t VALUES (?, ?); INSERT INTO t VALUES (?, ?)", [1, 2, 3, 4, 5],
                "wrong number of statement arguments: 5, expected 4", nil
            ),
            (
                "INSERT INTO t VALUES (:a, 0); INSERT INTO t VALUES (:b, 0)", ["a": 1],
                "missing statement argument: b", "INSERT INTO t VALUES (:b, 0)"
            ),
            ("", [1], "wrong number of statement arguments: 1, expected 0", nil),
            (
                "DELETE FROM t; -- comment", [1],
                "wrong number of statement arguments: 1, expected 0", nil
            ),
        ] as [(String, StatementArguments, String, String?)])
    func argumentsThatDoNotFitThrow(
        sql: String, arguments: StatementArguments, message: String, errorSQL: String?
    ) throws {
        try withDatabase { db in
            let error = expectError(DatabaseError.self) {
                try db.execute(sql: sql, arguments: arguments)
            }
            expectEqual(error?.resultCode, .SQLITE_MISUSE)
            expectEqual(error?.message, message)
            expectEqual(error?.sql, errorSQL)
        }
    }

    /// Whether the statement comes from the cache makes no difference.
    @Test func tooManyArgumentsThrowTheSameErrorAgain() throws {
        try withDatabase { db in
            let sql = "INSERT INTO t VALUES (?, 0)"
            func description() -> String? {
                let error = expectError(DatabaseError.self) {
                    try db.execute(sql: sql, arguments: [1, 2])
                }
                return error?.description
            }
            let first = description()
            try expectEqual(rows(db), [])
            try db.execute(sql: sql, arguments: [1])
            expectEqual(description(), first)
            try expectEqual(rows(db), ["1,0"])
        }
    }

    @Test func namedArgumentsMayBeUnused() throws {
        try withDatabase { db in
            try db.execute(sql: "", arguments: ["a": 1])
            try db.execute(sql: "INSERT INTO t VALUES (1, 2)", arguments: ["a": 1])
            try expectEqual(rows(db), ["1,2"])
        }
    }

    @Test func statementsBeforeAnErrorHaveRun() throws {
        try withDatabase { db in
            let error = expectError(DatabaseError.self) {
                try db.execute(sql: "INSERT INTO t VALUES (1, 2); FOO; INSERT INTO t VALUES (3, 4)")
            }
            expectEqual(error?.message, #"near "FOO": syntax error"#)
            expectEqual(error?.sql, " FOO; INSERT INTO t VALUES (3, 4)")
            expectEqual(
                error?.description,
                "SQLite error 1: near \"FOO\": syntax error - while executing "
                    + "`FOO; INSERT INTO t VALUES (3, 4)`")
            try expectEqual(rows(db), ["1,2"])
        }
    }

    @Test func statementsDependOnFormerOnes() throws {
        try withDatabase { db in
            for _ in 0..<2 {
                try db.execute(
                    sql: """
                        CREATE TABLE u(a);
                        INSERT INTO u VALUES ('x');
                        INSERT INTO t SELECT a, a FROM u;
                        DROP TABLE u;
                        """)
            }
            try expectEqual(rows(db), ["x,x", "x,x"])
        }
    }

    @Test func executeRunsQueriesToTheirEnd() throws {
        try withDatabase { db in
            try db.execute(
                sql: "SELECT 1; INSERT INTO t VALUES (1, 1), (2, 2) RETURNING a; SELECT 2")
            try expectEqual(rows(db), ["1,1", "2,2"])
        }
    }

    /// A pragma may act when it is compiled.
    @Test func pragmasCompileEachTime() throws {
        try withDatabase { db in
            for value in [0, 1, 0, 1] {
                try db.execute(sql: "PRAGMA recursive_triggers = \(value)")
                try expectEqual(Int.fetchOne(db, sql: "PRAGMA recursive_triggers"), value)
            }
        }
    }

    // MARK: - Literals

    @Test func literals() throws {
        try withDatabase { db in
            try db.execute(literal: "INSERT INTO t VALUES (\("it's"), \(1))")
            try db.execute(
                literal: """
                    INSERT INTO t VALUES (\(2), \(Int?.none));
                    INSERT INTO t VALUES (\(3), \(sql: "?", arguments: ["x"]))
                    """)
            try expectEqual(
                Row.fetchAll(db, sql: "SELECT * FROM t").map(\.description),
                [#"[a:"it\'s" b:1]"#, "[a:2 b:NULL]", #"[a:3 b:"x"]"#])
            let statement = try db.makeStatement(literal: "SELECT \(1) + \(2)")
            expectEqual(statement.sql, "SELECT ? + ?")
            expectEqual(statement.arguments, [1, 2])
            try expectEqual(Int.fetchOne(statement), 3)
            let cached = try db.cachedStatement(literal: "SELECT \(1) + \(5)")
            try expectEqual(Int.fetchOne(cached), 6)
            let error = expectError(DatabaseError.self) {
                try db.makeStatement(literal: "SELECT \(1); SELECT \(2)")
            }
            expectEqual(error?.resultCode, .SQLITE_MISUSE)
        }
    }
}

extension String {
    fileprivate func replacingCommas(with separator: String) -> String {
        split(separator: ",").joined(separator: separator)
    }
}
