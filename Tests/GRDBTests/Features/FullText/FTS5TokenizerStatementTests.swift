import GRDB
import GRDBTestSupport
import Testing

/// Runs the SQL that its test sets, on the connection that it tokenizes for, at the word "run".
private final class RunningTokenizer: FTS5WrapperTokenizer {
    static let name = "running"

    /// What to do with the connection.
    @TaskLocal static var action: (@Sendable (Database) throws -> Void)?

    /// Whether to do so before the index gets the word.
    @TaskLocal static var isEarly = false

    let wrappedTokenizer: any FTS5Tokenizer
    private weak var db: Database?

    init(db: Database, arguments: [String]) throws {
        self.db = db
        wrappedTokenizer = try db.makeTokenizer(.unicode61())
    }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        if Self.isEarly, token == "run", let db { try Self.action?(db) }
        try tokenCallback(token, flags)
        if !Self.isEarly, token == "run", let db { try Self.action?(db) }
    }
}

/// Tokenizers that use their connection.
@Suite(.databases) struct FTS5TokenizerStatementTests {
    private func withWriter(
        _ kind: DatabaseKind, _ body: (any DatabaseWriter) throws -> Void
    ) throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { db in
            try db.tryAdd(tokenizer: RunningTokenizer.self)
        }
        let writer = try TestDatabases.makeWriter(kind, configuration)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE log (text TEXT);
                    CREATE TABLE source (text TEXT);
                    CREATE VIRTUAL TABLE doc USING fts5(a, b, tokenize = 'running');
                    CREATE VIRTUAL TABLE vocabulary USING fts5vocab(doc, row);
                    CREATE TRIGGER t AFTER INSERT ON source BEGIN
                        INSERT INTO doc VALUES (new.text, new.text);
                    END;
                    INSERT INTO doc(rowid, a, b) VALUES (1, 'one', 'first'), (5, 'five', 'fifth');
                    """)
        }
        try body(writer)
    }

    private func check(
        _ writer: any DatabaseWriter, line: Int = #line
    ) throws {
        expectNoError(line: line) {
            try writer.write { db in
                try db.execute(sql: "INSERT INTO doc(doc, rank) VALUES ('integrity-check', 1)")
            }
        }
    }

    private static let refusedStatements = [
        ("INSERT INTO doc VALUES ('new', 'row')", "doc"),
        ("INSERT INTO doc(rowid, a, b) VALUES (3, 'new', 'row')", "doc"),
        ("UPDATE doc SET b = 'changed' WHERE rowid = 1", "doc"),
        ("DELETE FROM doc", "doc"),
        ("INSERT INTO doc(doc) VALUES ('rebuild')", "doc"),
        ("INSERT INTO source VALUES ('by a trigger')", "doc"),
        ("UPDATE DOC_content SET c0 = 'x'", "doc"),
        ("DELETE FROM doc_data", "doc"),
        ("DROP TABLE doc", "doc"),
    ]

    @Test(arguments: DatabaseKind.allCases, refusedStatements)
    func changesOfTheIndexedTableAreRefused(
        kind: DatabaseKind, statement: (sql: String, table: String)
    ) throws {
        try withWriter(kind) { writer in
            for isCaught in [false, true] {
                let log = Log<String>()
                try RunningTokenizer.$action.withValue({ db in
                    do {
                        try db.execute(sql: statement.sql)
                    } catch {
                        log.append("\(error)")
                        if !isCaught { throw error }
                    }
                }) {
                    let insert = {
                        try writer.write { db in
                            try db.execute(
                                sql: "INSERT INTO doc(rowid, a, b) VALUES (7, 'run a a', 'a run')")
                        }
                    }
                    if isCaught {
                        try insert()
                    } else {
                        let error = expectError(DatabaseError.self) { try insert() }
                        expectEqual(error?.resultCode, .SQLITE_MISUSE)
                        expectEqual(
                            error?.message,
                            """
                            tokenizer running: a tokenizer can't change the table that it \
                            indexes, \(statement.table)
                            """)
                        expectEqual(error?.sql, statement.sql)
                    }
                }
                expectEqual(log.elements.count, (isCaught ? 2 : 1))
                try check(writer)
                try writer.read { db in
                    let ids = try Int.fetchAll(db, sql: "SELECT rowid FROM doc ORDER BY rowid")
                    expectEqual(ids, (isCaught ? [1, 5, 7] : [1, 5]))
                    let found = try Int.fetchAll(db, sql: "SELECT rowid FROM doc('a')")
                    expectEqual(found, (isCaught ? [7] : []))
                }
            }
        }
    }

    @Test(
        arguments: DatabaseKind.allCases,
        ["COMMIT", "ROLLBACK", "END", "ROLLBACK TO sp", "RELEASE sp"])
    func transactionsCannotBeEnded(kind: DatabaseKind, sql: String) throws {
        try withWriter(kind) { writer in
            let log = Log<String>()
            try RunningTokenizer.$action.withValue({ db in
                do {
                    try db.execute(sql: sql)
                } catch {
                    log.append("\(error)")
                }
            }) {
                try writer.write { db in
                    try db.execute(sql: "SAVEPOINT sp; INSERT INTO log VALUES ('before')")
                    try db.execute(sql: "INSERT INTO doc(rowid, a, b) VALUES (7, 'run', 'x')")
                    _ = try Int.fetchAll(db, sql: "SELECT rowid FROM doc('run')")
                    expectTrue(db.isInsideTransaction)
                    try db.execute(sql: "RELEASE sp")
                }
            }
            let isSavepoint = sql.hasSuffix("sp")
            #expect(log.elements.count >= 2)
            for message in log.elements {
                expectTrue(message.contains("tokenizer running: a tokenizer can't end a "))
                expectTrue(message.contains(isSavepoint ? "savepoint" : "transaction"))
            }
            try check(writer)
            try writer.read { db in
                try expectEqual(Int.fetchAll(db, sql: "SELECT rowid FROM doc('run')"), [7])
                try expectEqual(String.fetchAll(db, sql: "SELECT text FROM log"), ["before"])
            }
        }
    }

    @Test(
        arguments: DatabaseKind.allCases,
        [
            "SELECT rowid FROM doc('one')", "SELECT COUNT(*) FROM doc", "SELECT a FROM reader",
            "SELECT b FROM main.DOC WHERE rowid = 1", "INSERT INTO copied VALUES (1)",
            "SELECT 1 FROM log WHERE text IN (SELECT a FROM doc)",
        ])
    func readsOfTheIndexedTableAreRefused(kind: DatabaseKind, sql: String) throws {
        try withWriter(kind) { writer in
            try writer.write { db in
                try db.execute(
                    sql: """
                        CREATE VIEW reader AS SELECT * FROM doc;
                        CREATE TABLE copied (n);
                        CREATE TRIGGER copying AFTER INSERT ON copied BEGIN
                            INSERT INTO log SELECT a FROM doc('one');
                        END;
                        """)
            }
            for isCaught in [false, true] {
                let log = Log<String>()
                try RunningTokenizer.$action.withValue({ db in
                    do {
                        // Compiled before, too: reading is refused when it begins.
                        _ = try Row.fetchAll(db.cachedStatement(sql: sql))
                    } catch {
                        log.append("\(error)")
                        if !isCaught { throw error }
                    }
                }) {
                    let insert = {
                        try writer.write { db in
                            _ = try db.cachedStatement(sql: sql)
                            try db.execute(
                                sql: "INSERT INTO doc(rowid, a, b) VALUES (7, 'a a run b', 'a run')"
                            )
                        }
                    }
                    if isCaught {
                        try insert()
                    } else {
                        let error = expectError(DatabaseError.self) { try insert() }
                        expectEqual(error?.resultCode, .SQLITE_MISUSE)
                        expectEqual(
                            error?.message,
                            """
                            tokenizer running: a tokenizer can't read the table that it \
                            indexes, doc
                            """)
                    }
                }
                expectEqual(log.elements.count, (isCaught ? 2 : 1))
                try check(writer)
                try writer.read { db in
                    let found = try Int.fetchAll(db, sql: "SELECT rowid FROM doc('a')")
                    expectEqual(found, (isCaught ? [7] : []))
                }
            }
        }
    }

    /// Another table of the same name, in another schema, can be read.
    @Test(arguments: DatabaseKind.allCases)
    func tablesOfOtherSchemasCanBeRead(kind: DatabaseKind) throws {
        try withWriter(kind) { writer in
            try writer.writeWithoutTransaction { db in
                try db.execute(
                    sql: """
                        CREATE VIRTUAL TABLE temp.other USING fts5(a);
                        INSERT INTO temp.other VALUES ('one');
                        """)
            }
            let log = Log<Int>()
            try RunningTokenizer.$action.withValue({ db in
                try log.append(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM other('one')")!)
            }) {
                try writer.write { db in
                    try db.execute(sql: "INSERT INTO doc(rowid, a, b) VALUES (7, 'run', 'x')")
                }
            }
            expectEqual(log.elements, [1])
            try check(writer)
        }
    }

    /// FTS5 saves the index for such statements, even when it has seen half of a row.
    @Test(arguments: DatabaseKind.allCases, ["SELECT * FROM vocabulary"])
    func statementsThatSaveTheIndexFail(kind: DatabaseKind, sql: String) throws {
        try withWriter(kind) { writer in
            RunningTokenizer.$action.withValue({ db in
                _ = try Row.fetchAll(db, sql: sql)
            }) {
                let error = expectError(DatabaseError.self) {
                    try writer.write { db in
                        try db.execute(
                            sql: "INSERT INTO doc(rowid, a, b) VALUES (7, 'a a run a a', 'a run')")
                    }
                }
                expectEqual(
                    error?.message?.hasPrefix(
                        "tokenizer running: the index was saved in the middle of a row"), true)
            }
            try check(writer)
            try writer.read { db in
                try expectEqual(Int.fetchAll(db, sql: "SELECT rowid FROM doc"), [1, 5])
            }
        }
    }

    /// FTS5 saves the totals of the index at each savepoint, also if the row has no token yet.
    @Test(arguments: DatabaseKind.allCases)
    func indexIsNotSavedBeforeTheFirstToken(kind: DatabaseKind) throws {
        try withWriter(kind) { writer in
            RunningTokenizer.$isEarly.withValue(true) {
                RunningTokenizer.$action.withValue({ try $0.execute(sql: "CREATE TABLE made (a)") })
                {
                    let error = expectError(DatabaseError.self) {
                        try writer.write {
                            try $0.execute(sql: "INSERT INTO doc(rowid, a) VALUES (7, 'run')")
                        }
                    }
                    expectEqual(error?.resultCode, .SQLITE_MISUSE)
                    expectEqual(
                        error?.message?.hasPrefix(
                            "tokenizer running: the index was saved in the middle of a row"), true)
                }
            }
            try check(writer)
            try writer.read { db in
                try expectEqual(Int.fetchAll(db, sql: "SELECT rowid FROM doc"), [1, 5])
            }
        }
    }

    /// Whether such a statement opens a savepoint of SQLite depends on the table: the index stays sound.
    @Test(
        arguments: DatabaseKind.allCases,
        ["SAVEPOINT sp; RELEASE sp", "INSERT INTO log VALUES ('one'), ('two')"])
    func indexStaysSoundBeforeTheFirstToken(kind: DatabaseKind, sql: String) throws {
        try withWriter(kind) { writer in
            RunningTokenizer.$isEarly.withValue(true) {
                RunningTokenizer.$action.withValue({ try $0.execute(sql: sql) }) {
                    let result = Result {
                        try writer.write {
                            try $0.execute(sql: "INSERT INTO doc(rowid, a) VALUES (7, 'run')")
                        }
                    }
                    if case .failure(let error) = result { expectTrue(error is DatabaseError) }
                }
            }
            try check(writer)
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func otherStatementsRun(kind: DatabaseKind) throws {
        try withWriter(kind) { writer in
            try RunningTokenizer.$action.withValue({ db in
                try db.execute(sql: "INSERT INTO log VALUES ('seen')")
                _ = try String.fetchAll(db, sql: "SELECT text FROM log")
            }) {
                try writer.write { db in
                    try db.execute(
                        sql: "INSERT INTO doc(rowid, a, b) VALUES (7, 'a run a', 'x')")
                    try db.execute(sql: "UPDATE doc SET b = 'y' WHERE rowid = 7")
                    try db.execute(sql: "DELETE FROM doc WHERE rowid = 7")
                }
            }
            try check(writer)
            try writer.read { db in
                try #expect(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM log")! >= 2)
            }
        }
    }

    /// While a search is tokenized, a tokenizer may use transactions of its own.
    @Test(arguments: DatabaseKind.allCases)
    func searchesCanUseTransactionsOfTheirOwn(kind: DatabaseKind) throws {
        try withWriter(kind) { writer in
            try RunningTokenizer.$action.withValue({ db in
                try db.inSavepoint {
                    try db.execute(sql: "INSERT INTO log VALUES ('searched'), ('again')")
                    return .commit
                }
            }) {
                try writer.write { db in
                    try expectEqual(
                        Int.fetchAll(db, sql: "SELECT rowid FROM doc('run OR one')"), [1])
                }
                try writer.writeWithoutTransaction { db in
                    try expectEqual(
                        Int.fetchAll(db, sql: "SELECT rowid FROM doc('run OR one')"), [1])
                }
            }
            try check(writer)
            try writer.read { db in
                try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM log"), 4)
            }
        }
    }
}
