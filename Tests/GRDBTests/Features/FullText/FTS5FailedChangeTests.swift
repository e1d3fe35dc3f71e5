import GRDB
import GRDBTestSupport
import Testing

private struct Boom: Error, Equatable {}

/// Fails on the word "boom", unless it is told not to.
private final class BoomTokenizer: UnicodeWrapper, FTS5WrapperTokenizer {
    static let name = "boom"
    @TaskLocal static var isHarmless = false

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        if token == "boom", !Self.isHarmless { throw Boom() }
        try tokenCallback(token, flags)
    }
}

private struct Doc: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "doc"
    var rowid: Int64?
    var a: String
    var b: String
}

/// After the error of a tokenizer, nothing of its statement stays.
@Suite(.databases)
struct FTS5FailedChangeTests {
    private func withWriter(
        _ kind: DatabaseKind, options: String = "", _ body: (any DatabaseWriter) throws -> Void
    ) throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { db in
            try db.tryAdd(tokenizer: BoomTokenizer.self)
        }
        let writer = try TestDatabases.makeWriter(kind, configuration)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE doc USING fts5(a, b, tokenize = 'boom'\(options));
                    INSERT INTO doc(rowid, a, b) VALUES (1, 'one', 'first'), (2, 'two', 'second');
                    """)
        }
        try body(writer)
    }

    private func expectRows(
        _ rows: [String] = ["one", "two"], in writer: any DatabaseWriter, line: Int = #line
    ) throws {
        try writer.writeWithoutTransaction { db in
            expectTrue(!db.isInsideTransaction, line: line)
            try expectEqual(
                String.fetchAll(db, sql: "SELECT a FROM doc ORDER BY rowid"), rows, line: line)
            expectNoError(line: line) {
                try db.execute(sql: "INSERT INTO doc(doc, rank) VALUES ('integrity-check', 1)")
            }
            // All rows can still be changed.
            try db.execute(sql: "UPDATE doc SET b = b || ' changed'; DELETE FROM doc")
            try db.execute(sql: "INSERT INTO doc(doc, rank) VALUES ('integrity-check', 1)")
        }
    }

    static let oneRowStatements = [
        "INSERT INTO doc VALUES ('a boom', 'b')",
        "INSERT INTO doc VALUES ('a', 'b boom')",
        "INSERT OR REPLACE INTO doc(rowid, a, b) VALUES (1, 'a', 'b boom')",
        "REPLACE INTO doc(rowid, a, b) VALUES (1, 'boom', 'b')",
        "INSERT OR IGNORE INTO doc(rowid, a, b) VALUES (30, 'boom', 'b')",
        "INSERT OR FAIL INTO doc(rowid, a, b) VALUES (30, 'boom', 'b')",
        "UPDATE doc SET b = 'a boom' WHERE rowid = 2",
        "UPDATE doc SET rowid = 7, b = 'a boom' WHERE rowid = 2",
    ]

    static let otherStatements = [
        "UPDATE doc SET b = 'a boom'",
        "INSERT INTO doc SELECT 'a', 'b' UNION ALL SELECT 'a boom', 'b'",
        "INSERT INTO doc VALUES ('a', 'b'), ('a boom', 'b')",
        "WITH x(a) AS (VALUES ('x'), ('boom')) INSERT INTO doc SELECT a, a FROM x",
    ]

    @Test(arguments: DatabaseKind.allCases, oneRowStatements + otherStatements)
    func outsideOfTransactions(kind: DatabaseKind, sql: String) throws {
        try withWriter(kind) { writer in
            writer.writeWithoutTransaction { db in
                for _ in 1...2 {
                    expectError(Boom()) { try db.execute(sql: sql) }
                }
            }
            try expectRows(in: writer)
        }
    }

    /// A transaction in which such an error was ignored can't be committed.
    @Test(arguments: DatabaseKind.allCases, oneRowStatements)
    func transactionsMustBeRolledBack(kind: DatabaseKind, sql: String) throws {
        try withWriter(kind) { writer in
            let error = expectError(DatabaseError.self) {
                try writer.write { db in
                    try db.execute(sql: "INSERT INTO doc VALUES ('three', 'third')")
                    expectError(Boom()) { try db.execute(sql: sql) }
                }
            }
            expectEqual(error?.resultCode, .SQLITE_ABORT)
            expectEqual(error?.message, "Transaction must be rolled back: Boom()")
            try expectRows(in: writer)
        }
    }

    @Test(arguments: DatabaseKind.allCases, oneRowStatements)
    func nothingElseRunsInTheTransaction(kind: DatabaseKind, sql: String) throws {
        try withWriter(kind) { writer in
            try writer.writeWithoutTransaction { db in
                try db.beginTransaction()
                expectError(Boom()) { try db.execute(sql: sql) }
                for sql in [
                    "COMMIT", "SAVEPOINT s", "SELECT * FROM doc", sql,
                    "INSERT INTO doc VALUES ('a', 'b')",
                ] {
                    let error = expectError(DatabaseError.self) { try db.execute(sql: sql) }
                    expectEqual(
                        error?.description,
                        """
                        SQLite error 4: Transaction must be rolled back: Boom() \
                        - while executing `\(sql)`
                        """)
                }
                expectTrue(db.isInsideTransaction)
                try db.rollback()
                try db.execute(sql: "INSERT INTO doc VALUES ('three', 'third')")
            }
            try expectRows(["one", "two", "three"], in: writer)
        }
    }

    /// A savepoint around the statement keeps the rest of the transaction.
    @Test(arguments: DatabaseKind.allCases, oneRowStatements)
    func savepointsUndoTheStatement(kind: DatabaseKind, sql: String) throws {
        try withWriter(kind) { writer in
            try writer.write { db in
                try db.execute(sql: "INSERT INTO doc VALUES ('three', 'third')")
                expectError(Boom()) {
                    try db.inSavepoint {
                        try db.execute(sql: "INSERT INTO doc VALUES ('four', 'fourth')")
                        try db.execute(sql: sql)
                        return .commit
                    }
                }
                // Ignored inside of the savepoint
                expectError(DatabaseError.self) {
                    try db.inSavepoint {
                        try? db.execute(sql: sql)
                        return .commit
                    }
                }
                try db.execute(sql: "SAVEPOINT outer; SAVEPOINT inner")
                expectError(Boom()) { try db.execute(sql: sql) }
                expectError(DatabaseError.self) {
                    try db.execute(sql: "RELEASE SAVEPOINT inner")
                }
                try db.execute(sql: "ROLLBACK TO outer; RELEASE outer")
                try db.execute(sql: "INSERT INTO doc VALUES ('five', 'fifth')")
            }
            try expectRows(["one", "two", "three", "five"], in: writer)
        }
    }

    /// SQLite undoes them alone.
    @Test(arguments: DatabaseKind.allCases, otherStatements)
    func transactionsGoOnAfterOtherStatements(kind: DatabaseKind, sql: String) throws {
        try withWriter(kind) { writer in
            try writer.write { db in
                try db.execute(sql: "INSERT INTO doc VALUES ('three', 'third')")
                expectError(Boom()) { try db.execute(sql: sql) }
                try db.execute(sql: "INSERT INTO doc VALUES ('four', 'fourth')")
            }
            try expectRows(["one", "two", "three", "four"], in: writer)
        }
    }

    /// What fails without changing anything has no consequence.
    @Test(arguments: DatabaseKind.allCases)
    func failedSearchesLeaveNothing(kind: DatabaseKind) throws {
        try withWriter(kind) { writer in
            try writer.write { db in
                try db.execute(sql: "INSERT INTO doc VALUES ('three', 'third')")
                expectError(Boom()) { try db.execute(sql: "SELECT * FROM doc('boom')") }
                expectError(Boom()) {
                    try db.makeTokenizer(BoomTokenizer.tokenizerDescriptor())
                        .tokenize(document: "boom")
                }
                expectError(DatabaseError.self) {
                    try db.execute(sql: "INSERT INTO doc(rowid, a, b) VALUES (1, 'a', 'b')")
                }
                try db.execute(sql: "INSERT INTO doc VALUES ('four', 'fourth')")
            }
            try expectRows(["one", "two", "three", "four"], in: writer)
        }
    }

    /// A row that can't be tokenized any more, so that deleting it fails half-way.
    @Test(
        arguments: DatabaseKind.allCases,
        [
            "DELETE FROM doc WHERE rowid = 3",
            "UPDATE doc SET b = 'fine' WHERE rowid = 3",
            "REPLACE INTO doc(rowid, a, b) VALUES (3, 'x', 'y')",
            "INSERT INTO doc(doc) VALUES ('rebuild')",
        ])
    func deletionsThatFail(kind: DatabaseKind, sql: String) throws {
        try withWriter(kind) { writer in
            try BoomTokenizer.$isHarmless.withValue(true) {
                try writer.write { db in
                    try db.execute(sql: "INSERT INTO doc VALUES ('three boom', 'third')")
                }
            }
            try writer.writeWithoutTransaction { db in
                expectError(Boom()) { try db.execute(sql: sql) }
                try db.beginTransaction()
                expectError(Boom()) { try db.execute(sql: sql) }
                expectError(DatabaseError.self) { try db.commit() }
                try db.rollback()
            }
            try BoomTokenizer.$isHarmless.withValue(true) {
                try expectRows(["one", "two", "three boom"], in: writer)
            }
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func statementsAndRecords(kind: DatabaseKind) throws {
        try withWriter(kind) { writer in
            let changes: [(Database) throws -> Void] = [
                {
                    try $0.cachedStatement(sql: "INSERT INTO doc VALUES (?, ?)")
                        .execute(arguments: ["boom", "b"])
                },
                {
                    try $0.makeStatement(sql: "INSERT INTO doc VALUES (?, ?)")
                        .execute(values: "boom", "b")
                },
                { try Doc(a: "boom", b: "b").insert($0) },
                { try Doc(rowid: 1, a: "a", b: "boom").update($0) },
                { try Doc(rowid: 1, a: "a", b: "boom").save($0) },
                {
                    _ = try Doc.filter(Column("rowid") == 1)
                        .updateAll($0, Column("a").set(to: "boom"))
                },
            ]
            for change in changes {
                writer.writeWithoutTransaction { db in
                    for _ in 1...2 {
                        expectError(Boom()) { try change(db) }
                        expectError(Boom()) {
                            try db.inTransaction {
                                try Doc(a: "a", b: "b").insert(db)
                                try change(db)
                                return .commit
                            }
                        }
                        expectError(DatabaseError.self) {
                            try db.inTransaction {
                                try Doc(a: "a", b: "b").insert(db)
                                try? change(db)
                                return .commit
                            }
                        }
                    }
                }
            }
            try expectRows(in: writer)
        }
    }

    /// External content tables, filled by triggers of the content table: also by upserts.
    @Test(
        arguments: DatabaseKind.allCases,
        [
            "INSERT INTO content(id, a, b) VALUES (30, 'boom', 'b')",
            "INSERT OR REPLACE INTO content(id, a, b) VALUES (1, 'a', 'boom')",
            "UPDATE content SET b = 'boom' WHERE id = 1",
            """
            INSERT INTO content(id, a, b) VALUES (1, 'a', 'boom')
            ON CONFLICT DO UPDATE SET b = excluded.b
            """,
        ])
    func synchronizedTables(kind: DatabaseKind, sql: String) throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { $0.add(tokenizer: BoomTokenizer.self) }
        let writer = try TestDatabases.makeWriter(kind, configuration)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE content(id INTEGER PRIMARY KEY, a, b);
                    CREATE VIRTUAL TABLE doc USING fts5(
                        a, b, content = 'content', content_rowid = 'id', tokenize = 'boom');
                    CREATE TRIGGER ai AFTER INSERT ON content BEGIN
                        INSERT INTO doc(rowid, a, b) VALUES (new.id, new.a, new.b);
                    END;
                    CREATE TRIGGER ad AFTER DELETE ON content BEGIN
                        INSERT INTO doc(doc, rowid, a, b) VALUES ('delete', old.id, old.a, old.b);
                    END;
                    CREATE TRIGGER au AFTER UPDATE ON content BEGIN
                        INSERT INTO doc(doc, rowid, a, b) VALUES ('delete', old.id, old.a, old.b);
                        INSERT INTO doc(rowid, a, b) VALUES (new.id, new.a, new.b);
                    END;
                    INSERT INTO content VALUES (1, 'one', 'first'), (2, 'two', 'second');
                    """)
        }
        try writer.write { db in
            expectError(Boom()) { try db.execute(sql: sql) }
            try db.execute(sql: "INSERT INTO content(a, b) VALUES ('three', 'third')")
            expectError(Boom()) { try db.execute(sql: sql) }
        }
        try writer.writeWithoutTransaction { db in
            expectError(Boom()) { try db.execute(sql: sql) }
            try db.execute(sql: "INSERT INTO doc(doc, rank) VALUES ('integrity-check', 1)")
            try expectEqual(
                String.fetchAll(db, sql: "SELECT a FROM content"),
                ["one", "two", "three"])
            try expectEqual(
                String.fetchAll(db, sql: "SELECT a FROM doc('one OR two OR three')"),
                ["one", "two", "three"])
        }
    }

    /// A function that changes a table, and ignores the error, in a statement that commits alone.
    @Test(arguments: DatabaseKind.allCases)
    func statementsInsideOfStatements(kind: DatabaseKind) throws {
        try withWriter(kind) { writer in
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "CREATE TABLE t(x)")
                nonisolated(unsafe) let inner = db
                db.add(
                    function: DatabaseFunction("insertBoom", argumentCount: 0) { _ in
                        expectError(Boom()) {
                            try inner.execute(sql: "INSERT INTO doc VALUES ('a boom', 'b')")
                        }
                        return 1
                    })
                let error = expectError(DatabaseError.self) {
                    try db.execute(sql: "INSERT INTO t VALUES (insertBoom())")
                }
                expectEqual(error?.message, "Transaction must be rolled back: Boom()")
                // Without a change around, SQLite has undone all.
                try db.execute(sql: "SELECT insertBoom()")
                try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 0)
            }
            try expectRows(in: writer)
        }
    }

    /// FTS5 makes the tokenizer of a table when it first needs it.
    @Test(arguments: [false, true])
    func tokenizersThatAreMadeLate(isMissing: Bool) throws {
        let path = TestDatabases.makePath()
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { try $0.tryAdd(tokenizer: LateTokenizer.self) }
        try LateTokenizer.$isBroken.withValue(false) {
            let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
            try dbQueue.write { db in
                try db.execute(
                    sql: """
                        CREATE VIRTUAL TABLE doc USING fts5(a, tokenize = 'late');
                        INSERT INTO doc VALUES ('one');
                        """)
            }
            try dbQueue.close()
        }
        try LateTokenizer.$isBroken.withValue(true) {
            let dbQueue = try DatabaseQueue(
                path: path,
                configuration: isMissing ? TestDatabases.makeConfiguration() : configuration)
            expectError((any Error).self) {
                try dbQueue.write { db in
                    try? db.execute(sql: "INSERT INTO doc VALUES ('two')")
                    try? db.execute(sql: "DELETE FROM doc")
                }
            }
            try dbQueue.close()
        }
        try LateTokenizer.$isBroken.withValue(false) {
            let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
            try dbQueue.write { db in
                try expectEqual(String.fetchAll(db, sql: "SELECT a FROM doc"), ["one"])
                try db.execute(sql: "INSERT INTO doc(doc, rank) VALUES ('integrity-check', 1)")
            }
            try dbQueue.close()
        }
    }

    private final class LateTokenizer: FTS5WrapperTokenizer {
        static let name = "late"
        @TaskLocal static var isBroken = false
        let wrappedTokenizer: any FTS5Tokenizer

        init(db: Database, arguments: [String]) throws {
            if Self.isBroken { throw Boom() }
            wrappedTokenizer = try db.makeTokenizer(.unicode61())
        }

        func accept(
            token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
            tokenCallback: FTS5WrapperTokenCallback
        ) throws {
            try tokenCallback(token, flags)
        }
    }
}
