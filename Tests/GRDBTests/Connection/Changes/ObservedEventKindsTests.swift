import GRDB
import GRDBTestSupport
import Testing

/// What `observes(eventsOfKind:)` is asked, and what follows from its answers.
@Suite(.databases) struct ObservedEventKindsTests {
    private let dbQueue: DatabaseQueue
    private let recorder = TransactionRecorder(nil, [.observes, .others])

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE);
                    CREATE TABLE log(id INTEGER PRIMARY KEY, x);
                    CREATE TABLE tt(id INTEGER PRIMARY KEY, x);
                    CREATE TRIGGER tr AFTER INSERT ON tt BEGIN INSERT INTO log(x) VALUES (NEW.x); END;
                    CREATE TABLE p(id INTEGER PRIMARY KEY);
                    CREATE TABLE c(
                        id INTEGER PRIMARY KEY,
                        pid REFERENCES p(id) ON DELETE CASCADE ON UPDATE CASCADE);
                    CREATE TEMP TABLE tmp(id INTEGER PRIMARY KEY);
                    """)
        }
        dbQueue.add(transactionObserver: recorder)
    }

    private func lines(of sql: String) throws -> [String] {
        try dbQueue.writeWithoutTransaction { try $0.execute(sql: sql) }
        return recorder.lines()
    }

    private func questions(of sql: String) throws -> [String] {
        try lines(of: sql).filter { $0.hasPrefix("observes") }
    }

    // MARK: - Questions

    @Test func questionsPrecedeEvents() throws {
        try expectEqual(
            lines(of: "INSERT INTO t VALUES (1, 'x'), (2, 'y')"),
            [
                "observes insert(t)", "didChange insert main.t 1", "didChange insert main.t 2",
                "willCommit", "didCommit",
            ])
    }

    @Test(
        arguments: [
            ("INSERT INTO t(a) VALUES ('x')", ["insert(t)"]),
            ("INSERT OR REPLACE INTO t(a) VALUES ('x')", ["insert(t)"]),
            ("REPLACE INTO t(a) VALUES ('x')", ["insert(t)"]),
            ("UPDATE t SET a = 'x'", ["update(t, a)"]),
            ("UPDATE t SET A = 'x', ID = 4", ["update(t, a id)"]),
            ("UPDATE t SET rowid = 5", ["update(t, ROWID)"]),
            // The rows that make room may have any values.
            ("UPDATE OR REPLACE t SET a = 'x'", ["update(t, a id)"]),
            ("DELETE FROM t WHERE id = 1", ["delete(t)"]),
            ("DELETE FROM t", ["delete(t)"]),
            ("INSERT INTO tmp VALUES (1)", ["insert(tmp)"]),
            ("INSERT INTO tt(x) VALUES (1)", ["insert(tt)", "insert(log)"]),
            ("DELETE FROM p", ["delete(p)", "delete(c)"]),
            ("UPDATE p SET id = 8", ["update(p, id)", "update(c, pid)"]),
            (
                "INSERT INTO t VALUES (1, 'x') ON CONFLICT(a) DO UPDATE SET a = 'y'",
                ["insert(t)", "update(t, a)"]
            ),
            ("INSERT INTO T(a) VALUES ('x')", ["insert(t)"]),
        ] as [(String, [String])])
    func statementsAreAskedAbout(sql: String, kinds: [String]) throws {
        try expectEqual(questions(of: sql), kinds.map { "observes \($0)" })
    }

    @Test(arguments: [
        "SELECT * FROM t", "PRAGMA user_version = 4", "CREATE TABLE n(a)", "DROP TABLE tt",
        "ALTER TABLE tt ADD COLUMN b", "ALTER TABLE tt RENAME TO nn", "CREATE INDEX i ON tt(x)",
        "ANALYZE", "BEGIN; COMMIT", "SAVEPOINT s; RELEASE s", "ATTACH ':memory:' AS att",
    ])
    func internalTablesAreNotAskedAbout(sql: String) throws {
        try expectEqual(questions(of: sql), [])
    }

    /// See also `InterestTests`.
    @Test func eachTransactionIsAskedAbout() throws {
        for id in [1, 3] {
            try dbQueue.write { db in
                let statement = try db.cachedStatement(sql: "INSERT INTO t DEFAULT VALUES")
                expectEqual(recorder.lines(), [])
                try statement.execute()
                expectEqual(
                    recorder.lines(),
                    ["observes insert(t)", "didChange insert main.t \(id)"])
                try statement.execute()
                expectEqual(recorder.lines(), ["didChange insert main.t \(id + 1)"])
            }
            expectEqual(recorder.lines(), ["willCommit", "didCommit"])
        }
    }

    // MARK: - Answers

    @Test func kindsThatAreNotObservedAreNotNotified() throws {
        recorder.filter = { if case .insert = $0 { false } else { true } }
        try expectEqual(
            lines(of: "INSERT INTO t VALUES (1, 'x')"),
            [
                "observes insert(t): no", "willCommit", "didCommit",
            ])
        try expectEqual(
            lines(of: "UPDATE t SET a = 'y'"),
            [
                "observes update(t, a)", "didChange update main.t 1", "willCommit", "didCommit",
            ])
    }

    @Test func partOfAStatementMayBeObserved() throws {
        recorder.filter = { $0.tableName == "log" }
        try expectEqual(
            lines(of: "INSERT INTO tt(x) VALUES (1)"),
            [
                "observes insert(tt): no", "observes insert(log)", "didChange insert main.log 1",
                "willCommit", "didCommit",
            ])
        recorder.filter = { $0.tableName == "tt" }
        try expectEqual(
            lines(of: "INSERT INTO tt(x) VALUES (1)"),
            [
                "observes insert(tt)", "observes insert(log): no", "didChange insert main.tt 2",
                "willCommit", "didCommit",
            ])
    }

    @Test func upsertMayBeObservedInPart() throws {
        recorder.filter = { if case .update = $0 { true } else { false } }
        let upsert = """
            INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, 'x')
            ON CONFLICT(a) DO UPDATE SET a = excluded.a
            """
        try expectEqual(
            lines(of: upsert).filter { $0.hasPrefix("didChange") },
            [
                "didChange update main.t 1"
            ])
    }

    @Test func columnsMayBeObserved() throws {
        recorder.filter = { kind in
            if case .update(_, let columns) = kind { columns.contains("a") } else { false }
        }
        _ = try lines(of: "INSERT INTO t VALUES (1, 'x')")
        try expectEqual(lines(of: "UPDATE t SET id = 2").filter { $0.hasPrefix("didChange") }, [])
        try expectEqual(
            lines(of: "UPDATE t SET a = 'y'").filter { $0.hasPrefix("didChange") },
            [
                "didChange update main.t 2"
            ])
    }

    @Test func deletionsThatAreNotObservedAreNotNotified() throws {
        recorder.filter = { _ in false }
        _ = try lines(of: "INSERT INTO t VALUES (1, 'x'), (2, 'y')")
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "DELETE FROM t")
            expectEqual(db.changesCount, 2)
        }
        expectEqual(recorder.lines(), ["observes delete(t): no", "willCommit", "didCommit"])
    }

    @Test func rowsThatAreReplacedAreNoDeletions() throws {
        recorder.filter = { if case .delete = $0 { true } else { false } }
        _ = try lines(of: "INSERT INTO t VALUES (1, 'x')")
        try expectEqual(
            lines(of: "REPLACE INTO t VALUES (2, 'x')"),
            [
                "observes insert(t): no", "willCommit", "didCommit",
            ])
    }

    @Test func observersAnswerForThemselves() throws {
        let other = TransactionRecorder()
        other.filter = { $0.tableName == "log" }
        recorder.filter = { $0.tableName == "tt" }
        dbQueue.add(transactionObserver: other)
        _ = try lines(of: "INSERT INTO tt(x) VALUES (1)")
        expectEqual(other.lines(), ["didChange insert main.log 1", "willCommit", "didCommit"])
    }

    /// The answer for a kind holds for its table, whatever the case of its name.
    @Test func tableNamesAreThoseOfTheSchema() throws {
        var names: Set<String> = []
        recorder.filter = { kind in
            names.insert(kind.tableName)
            return true
        }
        try expectTrue(
            lines(of: "INSERT INTO LOG(X) VALUES (1)").contains("didChange insert main.log 1"))
        expectEqual(names, ["log"])
    }

    // MARK: - Kinds

    @Test func kindKnowsItsTable() {
        expectEqual(DatabaseEventKind.insert(tableName: "x").tableName, "x")
        expectEqual(DatabaseEventKind.delete(tableName: "y").tableName, "y")
        expectEqual(DatabaseEventKind.update(tableName: "z", columnNames: ["a"]).tableName, "z")
    }
}
