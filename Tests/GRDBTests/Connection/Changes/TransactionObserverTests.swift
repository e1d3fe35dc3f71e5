import GRDB
import GRDBTestSupport
import Testing

/// Which callbacks a statement makes, and in which order.
@Suite(.databases) struct TransactionObserverTests {
    private let dbQueue: DatabaseQueue
    private let recorder = TransactionRecorder()

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE);
                    CREATE TABLE w(k PRIMARY KEY, v) WITHOUT ROWID;
                    CREATE TABLE log(id INTEGER PRIMARY KEY, x);
                    CREATE TABLE tt(x);
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

    /// The callbacks of statements in autocommit mode.
    private func lines(of sql: String) throws -> [String] {
        try dbQueue.writeWithoutTransaction { try $0.execute(sql: sql) }
        return recorder.lines()
    }

    private let committed = ["willCommit", "didCommit"]

    // MARK: - Autocommit mode

    @Test func insertIsNotifiedThenCommitted() throws {
        try expectEqual(
            lines(of: "INSERT INTO t(a) VALUES ('x')"),
            [
                "didChange insert main.t 1", "willCommit", "didCommit",
            ])
    }

    @Test func updateIsNotifiedWithTheFinalRowID() throws {
        _ = try lines(of: "INSERT INTO t VALUES (1, 'x')")
        try expectEqual(
            lines(of: "UPDATE t SET a = 'y'"),
            ["didChange update main.t 1"] + committed)
        try expectEqual(
            lines(of: "UPDATE t SET id = 10"),
            ["didChange update main.t 10"] + committed)
    }

    @Test func deleteIsNotified() throws {
        _ = try lines(of: "INSERT INTO t VALUES (10, 'x')")
        try expectEqual(
            lines(of: "DELETE FROM t WHERE id = 10"),
            ["didChange delete main.t 10"] + committed)
    }

    @Test(arguments: [
        "UPDATE t SET a = 'y' WHERE 0", "DELETE FROM t", "DELETE FROM t WHERE 0",
        "INSERT INTO t SELECT * FROM t", "PRAGMA user_version = 3",
    ])
    func statementThatChangesNoRowIsCommitted(sql: String) throws {
        try expectEqual(lines(of: sql), committed)
    }

    @Test(arguments: [
        "SELECT 1", "SELECT * FROM t", "PRAGMA user_version", "EXPLAIN DELETE FROM t",
    ])
    func statementThatCanNotChangeAnythingIsSilent(sql: String) throws {
        try expectEqual(lines(of: sql), [])
    }

    @Test func eachStatementIsATransaction() throws {
        try expectEqual(
            lines(of: "INSERT INTO t VALUES (1, 'x'); INSERT INTO t VALUES (2, 'y')"),
            [
                "didChange insert main.t 1", "willCommit", "didCommit",
                "didChange insert main.t 2", "willCommit", "didCommit",
            ])
    }

    @Test func eachRowIsAnEvent() throws {
        try expectEqual(
            lines(of: "INSERT INTO t VALUES (1, 'x'), (5, 'y')"),
            ["didChange insert main.t 1", "didChange insert main.t 5"] + committed)
    }

    @Test func failedStatementIsRolledBack() throws {
        _ = try lines(of: "INSERT INTO t VALUES (1, 'x')")
        expectError(DatabaseError.self) {
            try lines(of: "INSERT INTO t VALUES (2, 'y'), (3, 'x')")
        }
        expectEqual(recorder.lines(), ["didChange insert main.t 2", "didRollback"])
    }

    /// FAIL keeps the changes that precede the error.
    @Test func statementThatFailsHalfwayMayBeCommitted() throws {
        _ = try lines(of: "INSERT INTO t VALUES (1, 'x')")
        expectError(DatabaseError.self) {
            try lines(of: "INSERT OR FAIL INTO t VALUES (2, 'y'), (3, 'x')")
        }
        expectEqual(recorder.lines(), ["didChange insert main.t 2"] + committed)
        let ids = try dbQueue.read { try Int.fetchAll($0, sql: "SELECT id FROM t") }
        expectEqual(ids, [1, 2])
    }

    @Test func statementThatDoesNotCompileIsSilent() throws {
        expectError(DatabaseError.self) { try lines(of: "INSERT INTO nope VALUES (1)") }
        expectEqual(recorder.lines(), [])
    }

    @Test func ignoredConflictIsNoEvent() throws {
        _ = try lines(of: "INSERT INTO t VALUES (1, 'x')")
        try expectEqual(lines(of: "INSERT OR IGNORE INTO t VALUES (2, 'x')"), committed)
    }

    // MARK: - Transactions

    @Test func writeIsNotifiedOnce() throws {
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1, 'x')")
            recorder.mark("between")
            try db.execute(sql: "INSERT INTO t VALUES (2, 'y')")
        }
        expectEqual(
            recorder.lines(),
            [
                "didChange insert main.t 1", "between", "didChange insert main.t 2",
                "willCommit", "didCommit",
            ])
    }

    @Test func writeWithoutChangesIsNotified() throws {
        try dbQueue.write { _ in }
        expectEqual(recorder.lines(), committed)
        try dbQueue.write { try $0.execute(sql: "SELECT * FROM t") }
        expectEqual(recorder.lines(), committed)
    }

    @Test func readsAreSilent() throws {
        try dbQueue.read { _ in }
        try dbQueue.read { try $0.execute(sql: "SELECT * FROM t") }
        try? dbQueue.read { _ in throw TestError() }
        expectEqual(recorder.lines(), [])
        try dbQueue.writeWithoutTransaction { db in
            try db.readOnly {
                try db.inTransaction { .commit }
                try db.inTransaction { .rollback }
                try? db.inTransaction { throw TestError() }
                try db.execute(sql: "SAVEPOINT s; ROLLBACK TO s; RELEASE s")
            }
        }
        expectEqual(recorder.lines(), [])
    }

    @Test func transactionsThatLeaveAReadOnlyScopeAreNotified() throws {
        try dbQueue.writeWithoutTransaction { db in
            for (id, end) in ["COMMIT", "ROLLBACK"].enumerated() {
                try db.readOnly { try db.execute(sql: "BEGIN") }
                try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [id, id])
                try db.readOnly { try db.execute(sql: end) }
            }
            for end in ["COMMIT", "ROLLBACK"] {
                try db.execute(sql: "BEGIN")
                try db.readOnly { try db.execute(sql: end) }
            }
        }
        expectEqual(
            recorder.lines(),
            ["didChange insert main.t 0"] + committed
                + ["didChange insert main.t 1", "didRollback"] + committed + ["didRollback"])
    }

    @Test func unsafeReadsThatWriteAreNotified() throws {
        try dbQueue.unsafeRead { try $0.execute(sql: "INSERT INTO t VALUES (1, 'x')") }
        expectEqual(recorder.lines(), ["didChange insert main.t 1"] + committed)
    }

    @Test func errorIsARollback() throws {
        expectError(TestError()) {
            try dbQueue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1, 'x')")
                throw TestError()
            }
        }
        expectEqual(recorder.lines(), ["didChange insert main.t 1", "didRollback"])
        try? dbQueue.write { _ in throw TestError() }
        expectEqual(recorder.lines(), ["didRollback"])
    }

    @Test func rollbackIsNotified() throws {
        try dbQueue.inTransaction { db in
            try db.execute(sql: "INSERT INTO t VALUES (1, 'x')")
            return .rollback
        }
        expectEqual(recorder.lines(), ["didChange insert main.t 1", "didRollback"])
        try dbQueue.inTransaction { _ in .rollback }
        expectEqual(recorder.lines(), ["didRollback"])
    }

    @Test(arguments: [
        "BEGIN; COMMIT", "BEGIN; SELECT * FROM t; COMMIT", "BEGIN IMMEDIATE; END",
        "BEGIN EXCLUSIVE; COMMIT", "SAVEPOINT s; RELEASE s",
        "SAVEPOINT s; SELECT * FROM t; RELEASE s", "SAVEPOINT s; COMMIT",
    ])
    func emptyTransactionIsCommitted(sql: String) throws {
        try expectEqual(lines(of: sql), committed)
    }

    @Test(arguments: [
        "BEGIN; ROLLBACK", "BEGIN; SELECT * FROM t; ROLLBACK", "BEGIN EXCLUSIVE; ROLLBACK",
        "SAVEPOINT s; ROLLBACK",
    ])
    func emptyTransactionIsRolledBack(sql: String) throws {
        try expectEqual(lines(of: sql), ["didRollback"])
    }

    @Test func statementThatFailsInATransactionLeavesIt() throws {
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1, 'x')")
            try? db.execute(sql: "INSERT INTO t VALUES (2, 'x')")
            try db.execute(sql: "INSERT INTO t VALUES (3, 'y')")
        }
        expectEqual(
            recorder.lines(),
            ["didChange insert main.t 1", "didChange insert main.t 3"]
                + committed)
    }

    @Test func orRollbackIsARollback() throws {
        _ = try lines(of: "INSERT INTO t VALUES (1, 'x')")
        expectError(DatabaseError.self) {
            try dbQueue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (2, 'y')")
                do {
                    try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (3, 'x')")
                } catch {
                    recorder.mark("error")
                    throw error
                }
            }
        }
        expectEqual(recorder.lines(), ["didChange insert main.t 2", "didRollback", "error"])
    }

    @Test func transactionThatIsEndedByStatementsIsNotified() throws {
        try? dbQueue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1, 'x'); ROLLBACK")
            recorder.mark("after")
        }
        expectEqual(recorder.lines(), ["didChange insert main.t 1", "didRollback", "after"])
        try? dbQueue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1, 'x'); COMMIT")
            recorder.mark("after")
        }
        expectEqual(
            recorder.lines(),
            ["didChange insert main.t 1", "willCommit", "didCommit", "after"])
    }

    // MARK: - Kinds of changes

    @Test func replaceIsAnInsertion() throws {
        _ = try lines(of: "INSERT INTO t VALUES (1, 'x')")
        try expectEqual(
            lines(of: "INSERT OR REPLACE INTO t VALUES (100, 'x')"),
            ["didChange insert main.t 100"] + committed)
    }

    @Test func upsertIsAnUpdate() throws {
        _ = try lines(of: "INSERT INTO t VALUES (100, 'x')")
        try expectEqual(
            lines(
                of: """
                    INSERT INTO t VALUES (100, 'z') ON CONFLICT(id) DO UPDATE SET a = 'upserted'
                    """),
            ["didChange update main.t 100"] + committed)
    }

    @Test func tablesWithoutRowIDAreCommittedOnly() throws {
        try expectEqual(lines(of: "INSERT INTO w VALUES ('k', 1)"), committed)
        try expectEqual(lines(of: "UPDATE w SET v = 2"), committed)
        try expectEqual(lines(of: "DELETE FROM w"), committed)
    }

    @Test func triggersAreNotified() throws {
        try expectEqual(
            lines(of: "INSERT INTO tt VALUES (1)"),
            ["didChange insert main.tt 1", "didChange insert main.log 1"] + committed)
    }

    @Test func foreignKeyActionsAreNotified() throws {
        _ = try lines(of: "INSERT INTO p VALUES (1); INSERT INTO c VALUES (1, 1), (2, 1)")
        try expectEqual(
            lines(of: "UPDATE p SET id = 5"),
            [
                "didChange update main.p 5", "didChange update main.c 1",
                "didChange update main.c 2",
            ] + committed)
        try expectEqual(
            lines(of: "DELETE FROM p WHERE id = 5"),
            [
                "didChange delete main.p 5", "didChange delete main.c 1",
                "didChange delete main.c 2",
            ] + committed)
    }

    /// SQLite would drop all rows at once, and tell nobody.
    @Test func deleteWithoutWhereIsNotifiedRowByRow() throws {
        _ = try lines(of: "INSERT INTO t VALUES (1, 'x'), (2, 'y'), (30, 'z')")
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "DELETE FROM t")
            expectEqual(db.changesCount, 3)
        }
        expectEqual(
            recorder.lines(),
            [
                "didChange delete main.t 1", "didChange delete main.t 2",
                "didChange delete main.t 30",
            ] + committed)
    }

    @Test func temporaryTablesAreNotified() throws {
        try expectEqual(
            lines(of: "INSERT INTO tmp VALUES (3)"),
            ["didChange insert temp.tmp 3"] + committed)
    }

    @Test func attachedDatabasesAreNotified() throws {
        _ = try lines(of: "ATTACH ':memory:' AS att; CREATE TABLE att.t(a)")
        try expectEqual(
            lines(of: "INSERT INTO att.t VALUES (1)"),
            ["didChange insert att.t 1"] + committed)
        try expectEqual(lines(of: "DETACH att"), [])
    }

    /// Changes of a virtual table are told as those of its shadow tables.
    @Test func fullTextTablesAreNotified() throws {
        func shadows(_ sql: String) throws -> Set<String> {
            let lines = try lines(of: sql)
            expectEqual(lines.suffix(committed.count), committed[...])
            return Set(
                lines.dropLast(committed.count).map {
                    $0.split(separator: " ").dropFirst().prefix(2).joined(separator: " ")
                })
        }
        try expectTrue(shadows("CREATE VIRTUAL TABLE ft USING fts5(a)").isEmpty)
        try expectTrue(
            shadows("INSERT INTO ft VALUES ('hello')")
                .isSuperset(of: ["insert main.ft_content", "insert main.ft_docsize"]))
        try expectTrue(shadows("UPDATE ft SET a = 'bye'").contains("insert main.ft_content"))
        try expectTrue(
            shadows("INSERT INTO ft(ft) VALUES ('optimize')").contains("insert main.ft_data"))
        try expectTrue(shadows("DELETE FROM ft").contains("delete main.ft_content"))
        try expectTrue(shadows("DROP TABLE ft").isEmpty)
    }

    /// When the last row of an FTS4 table is deleted, SQLite clears its shadow tables, which usually calls no hook.
    @Test(arguments: [false, true])
    func theLastRowOfAFullTextTableIsNotified(isFirstUse: Bool) throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE ft USING fts4(a)")
            if isFirstUse { return }
            // Compiles the statement without an observer.
            try db.execute(sql: "INSERT INTO ft VALUES ('a'); DELETE FROM ft")
        }
        try dbQueue.write { try $0.execute(sql: "INSERT INTO ft(rowid, a) VALUES (7, 'a')") }
        let recorder = TransactionRecorder()
        recorder.filter = { $0.tableName == "ft" }
        dbQueue.add(transactionObserver: recorder)
        try dbQueue.write { try $0.execute(sql: "DELETE FROM ft") }
        expectTrue(recorder.lines().contains("didChange delete main.ft_content 7"))
    }

    @Test func observersOfAFullTextTableAreNotified() throws {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE ft USING fts5(a);
                    CREATE TABLE ft_log(a);
                    CREATE TRIGGER ft_insert AFTER INSERT ON p BEGIN
                      INSERT INTO ft_log VALUES (NEW.id); INSERT INTO ft(a) VALUES (NEW.id);
                    END
                    """)
        }
        let observedLog = Log<String>()
        let observed = TransactionRecorder(log: observedLog)
        observed.filter = { $0.tableName == "ft" }
        let otherLog = Log<String>()
        let other = TransactionRecorder(log: otherLog)
        other.filter = { $0.tableName == "log" }
        dbQueue.add(transactionObserver: observed)
        dbQueue.add(transactionObserver: other)
        try dbQueue.write { try $0.execute(sql: "INSERT INTO p VALUES (1)") }
        let tables = observedLog.elements.filter { $0.hasPrefix("didChange") }
        expectTrue(!tables.isEmpty)
        expectTrue(tables.allSatisfy { $0.contains(" main.ft_") && !$0.contains("ft_log") })
        expectEqual(otherLog.elements, committed)
        try withExtendedLifetime((observed, other)) {
            try dbQueue.write { try $0.execute(sql: "INSERT INTO ft_log VALUES (1)") }
        }
        expectEqual(observedLog.elements.count, tables.count + 2 * committed.count)
    }

    @Test func viewsAreNotifiedByTheirTriggers() throws {
        _ = try lines(
            of: """
                CREATE VIEW v AS SELECT * FROM log;
                CREATE TRIGGER vt INSTEAD OF INSERT ON v
                BEGIN INSERT INTO log VALUES (NEW.id, NEW.x); END;
                """)
        try expectEqual(
            lines(of: "INSERT INTO v VALUES (7, 'x')"),
            ["didChange insert main.log 7"] + committed)
    }

    @Test(arguments: [
        "CREATE TABLE nt(a)", "ALTER TABLE log ADD COLUMN b", "CREATE INDEX i ON log(x)",
        "ALTER TABLE log RENAME TO log2", "CREATE TABLE nt AS SELECT * FROM p",
        "CREATE VIEW v AS SELECT 1", "DROP TABLE w", "DROP TABLE log", "ANALYZE", "REINDEX",
    ])
    func schemaChangesAreCommittedOnly(sql: String) throws {
        _ = try lines(of: "INSERT INTO p VALUES (1); INSERT INTO log VALUES (1, 'x')")
        try expectEqual(lines(of: sql), committed)
    }

    @Test func droppedTableIsGone() throws {
        _ = try lines(of: "INSERT INTO log VALUES (1, 'x'); INSERT INTO tmp VALUES (1)")
        try expectEqual(lines(of: "DROP TABLE log"), committed)
        try expectEqual(lines(of: "DROP TABLE tmp"), committed)
        let names = try dbQueue.read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT name FROM sqlite_master WHERE name = 'log'
                    UNION ALL SELECT name FROM sqlite_temp_master
                    """)
        }
        expectEqual(names, [])
    }

    /// With foreign keys, SQLite deletes the rows of a table before it drops it.
    @Test func referencedTableCanBeDropped() throws {
        _ = try lines(of: "INSERT INTO p VALUES (1); INSERT INTO c VALUES (1, 1)")
        try dbQueue.write { db in
            try db.execute(sql: "DROP TABLE c")
            try db.execute(sql: "DROP TABLE p")
        }
        expectEqual(recorder.lines().suffix(2), committed)
        let names = try dbQueue.read { db in
            try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE name IN ('c', 'p')")
        }
        expectEqual(names, [])
    }

    @Test func viewsCanBeDropped() throws {
        _ = try lines(of: "CREATE VIEW v AS SELECT 1; CREATE TEMP VIEW tv AS SELECT 1")
        try expectEqual(lines(of: "DROP VIEW v"), committed)
        try expectEqual(lines(of: "DROP VIEW tv"), committed)
        let count = try dbQueue.read { db in
            try Int.fetchOne(
                db,
                sql: """
                    SELECT COUNT(*) FROM (
                        SELECT type FROM sqlite_master UNION ALL SELECT type FROM sqlite_temp_master)
                    WHERE type = 'view'
                    """)
        }
        expectEqual(count, 0)
    }

    @Test func vacuumIsSilent() throws {
        try dbQueue.vacuum()
        expectEqual(recorder.lines(), [])
    }

    // MARK: - Several observers

    @Test func observersAreCalledInTheirOrder() throws {
        let log = Log<String>()
        dbQueue.remove(transactionObserver: recorder)
        let observers = ["A", "B"].map { TransactionRecorder($0, log: log) }
        for observer in observers {
            dbQueue.add(transactionObserver: observer)
        }
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1, 'x'), (2, 'y')")
        }
        expectEqual(
            log.elements,
            [
                "A: didChange insert main.t 1", "B: didChange insert main.t 1",
                "A: didChange insert main.t 2", "B: didChange insert main.t 2",
                "A: willCommit", "B: willCommit", "A: didCommit", "B: didCommit",
            ])
        log.removeAll()
        try? dbQueue.write { _ in throw TestError() }
        expectEqual(log.elements, ["A: didRollback", "B: didRollback"])
        withExtendedLifetime(observers) {}
    }

    @Test func connectionsHaveTheirOwnObservers() throws {
        let dbQueue1 = try TestDatabases.makeQueue(.file)
        let dbQueue2 = try TestDatabases.openQueue(dbQueue1.path)
        dbQueue1.add(transactionObserver: recorder)
        try dbQueue1.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        expectEqual(recorder.lines(), committed)
        try dbQueue2.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        expectEqual(recorder.lines(), [])
    }

    @Test func observerMayWatchSeveralConnections() throws {
        let other = try TestDatabases.makeQueue()
        other.add(transactionObserver: recorder)
        try other.write { try $0.execute(sql: "CREATE TABLE u(a); INSERT INTO u VALUES (1)") }
        try dbQueue.write { try $0.execute(sql: "INSERT INTO log VALUES (2, 'x')") }
        expectEqual(
            recorder.lines(),
            ["didChange insert main.u 1"] + committed + ["didChange insert main.log 2"]
                + committed)
    }

    @Test func observersOfReadOnlyConnectionsAreIgnored() throws {
        let file = try TestDatabases.makeQueue(.file)
        try file.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        var configuration = TestDatabases.makeConfiguration()
        configuration.readonly = true
        let dbQueue = try TestDatabases.openQueue(file.path, configuration)
        dbQueue.add(transactionObserver: recorder)
        try dbQueue.write { _ in }
        expectEqual(recorder.lines(), [])
    }

    // MARK: - Events

    @Test func eventsCanBeStored() throws {
        var events: [DatabaseEvent] = []
        recorder.onChange = { events.append($0.copy()) }
        _ = try lines(of: "INSERT INTO t VALUES (1, 'x'), (2, 'y'); DELETE FROM t WHERE id = 1")
        expectEqual(events.map(\.kind), [.insert, .insert, .delete])
        expectEqual(events.map(\.rowID), [1, 2, 1])
        expectEqual(events.map(\.tableName), ["t", "t", "t"])
        expectEqual(events.map(\.databaseName), ["main", "main", "main"])
    }

    @Test func kindsAreThoseOfSQLite() {
        expectEqual(DatabaseEvent.Kind.insert.rawValue, 18)
        expectEqual(DatabaseEvent.Kind.delete.rawValue, 9)
        expectEqual(DatabaseEvent.Kind.update.rawValue, 23)
        expectEqual(DatabaseEvent.Kind(rawValue: 1), nil)
        expectEqual(DatabasePreUpdateEvent.Kind.insert.rawValue, 18)
        expectEqual(DatabasePreUpdateEvent.Kind.delete.rawValue, 9)
        expectEqual(DatabasePreUpdateEvent.Kind.update.rawValue, 23)
    }

    // MARK: - Observers that use the database

    @Test func completionMayWrite() throws {
        var hasWritten = false
        recorder.onCommit = { [recorder] db in
            if hasWritten { return }
            hasWritten = true
            recorder.mark("writing")
            try! db.execute(sql: "INSERT INTO t VALUES (2, 'y')")
            recorder.mark("written")
        }
        try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1, 'x')") }
        expectEqual(
            recorder.lines(),
            [
                "didChange insert main.t 1", "willCommit", "didCommit",
                "writing", "didChange insert main.t 2", "willCommit", "didCommit", "written",
            ])
        let count = try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
        expectEqual(count, 2)
        recorder.onCommit = nil
    }

    @Test func rollbackCompletionMayWrite() throws {
        recorder.onRollback = { db in
            try! db.inTransaction {
                try db.execute(sql: "INSERT INTO t VALUES (2, 'y')")
                return .commit
            }
        }
        try? dbQueue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1, 'x')")
            throw TestError()
        }
        expectEqual(
            recorder.lines(),
            [
                "didChange insert main.t 1", "didRollback",
                "didChange insert main.t 2", "willCommit", "didCommit",
            ])
        recorder.onRollback = nil
        let ids = try dbQueue.read { try Int.fetchAll($0, sql: "SELECT id FROM t") }
        expectEqual(ids, [2])
    }
}
