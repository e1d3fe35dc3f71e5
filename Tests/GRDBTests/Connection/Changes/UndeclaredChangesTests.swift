import GRDBChanges
import Foundation
import GRDB
import GRDBSQLite
import GRDBTestSupport
import Testing

/// Changes that no statement of the toolkit declares: those of functions that write, and of C code.
@Suite(.databases) struct UndeclaredChangesTests {
    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { db in
            try WritingFunctions.add(to: db)
            try WritingFunctions.addSwiftFunctions(to: db)
        }
        let writer = try TestDatabases.makeWriter(kind, configuration)
        try writer.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a, b);
                    CREATE TABLE u(id INTEGER PRIMARY KEY, a);
                    CREATE TABLE w(k PRIMARY KEY, v) WITHOUT ROWID;
                    CREATE VIRTUAL TABLE f USING fts5(x);
                    INSERT INTO t VALUES (1, 'x', 'y'), (2, 'x', 'y');
                    INSERT INTO u VALUES (1, 'x');
                    """)
        }
        return writer
    }

    private static let cases = DatabaseKind.allCases.flatMap { kind in
        WritingFunctions.names.map { (kind, $0) }
    }

    // MARK: - Functions

    @Test(arguments: cases)
    func observersAreNotifiedOfFunctionsThatWrite(kind: DatabaseKind, function: String) throws {
        let writer = try makeWriter(kind)
        let recorder = TransactionRecorder()
        recorder.filter = { $0.tableName == "t" }
        writer.add(transactionObserver: recorder)
        for _ in 0..<2 {
            try writer.write { db in
                try db.execute(sql: "SELECT \(function)('INSERT INTO t(id) VALUES (3)')")
                try db.execute(sql: "SELECT \(function)('UPDATE t SET a = ''z'' WHERE id = 3')")
                try db.execute(sql: "SELECT \(function)('DELETE FROM t WHERE id = 3')")
                try db.execute(sql: "SELECT \(function)('INSERT INTO u(a) VALUES (3)')")
            }
            expectEqual(
                recorder.lines(),
                [
                    "didChange insert main.t 3", "didChange update main.t 3",
                    "didChange delete main.t 3", "willCommit", "didCommit",
                ])
        }
    }

    @Test(arguments: cases)
    func clearedTablesAreNotifiedRowByRow(kind: DatabaseKind, function: String) throws {
        let writer = try makeWriter(kind)
        // Compiles it once without observers.
        try writer.writeWithoutTransaction { db in
            try db.inTransaction {
                try db.execute(sql: "SELECT \(function)('DELETE FROM t')")
                return .rollback
            }
        }
        let recorder = TransactionRecorder()
        writer.add(transactionObserver: recorder)
        try writer.write { try $0.execute(sql: "SELECT \(function)('DELETE FROM t')") }
        expectEqual(
            recorder.lines(),
            [
                "didChange delete main.t 1", "didChange delete main.t 2", "willCommit", "didCommit",
            ])
    }

    @Test(arguments: cases)
    func triggersThatCallFunctions(kind: DatabaseKind, function: String) throws {
        let writer = try makeWriter(kind)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER tr AFTER UPDATE ON t BEGIN
                        SELECT \(function)('INSERT INTO u(a) VALUES (' || NEW.id || ')');
                    END
                    """)
        }
        let recorder = TransactionRecorder()
        recorder.filter = { $0.tableName == "u" }
        writer.add(transactionObserver: recorder)
        for id in 0..<2 {
            try writer.write { try $0.execute(sql: "UPDATE t SET a = 'z'") }
            expectEqual(
                recorder.lines(),
                [
                    "didChange insert main.u \(2 * id + 2)",
                    "didChange insert main.u \(2 * id + 3)",
                    "willCommit", "didCommit",
                ])
        }
    }

    /// A statement that declares a change of one column, and changes another one by a function.
    @Test func functionsChangeOtherColumnsThanTheirStatement() throws {
        let writer = try makeWriter(.queue)
        let recorder = TransactionRecorder()
        recorder.filter = { kind in
            if case .update("t", let columns) = kind { columns.contains("b") } else { false }
        }
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER tr AFTER UPDATE OF a ON t BEGIN
                        SELECT c_execute('UPDATE t SET b = ''z'' WHERE id = ' || NEW.id);
                    END
                    """)
        }
        writer.add(transactionObserver: recorder)
        try writer.write { try $0.execute(sql: "UPDATE t SET a = 'z' WHERE id = 1") }
        _ = recorder.lines()
        try writer.write { try $0.execute(sql: "UPDATE t SET a = 'z' WHERE id = 1") }
        let lines = recorder.lines()
        expectEqual(lines.first, "didChange update main.t 1")
        expectEqual(lines.suffix(2), ["willCommit", "didCommit"])
    }

    /// C code may have replaced them.
    @Test func hooksAreInstalledAgain() throws {
        let writer = try makeWriter(.queue)
        try writer.write { try $0.execute(sql: "SELECT c_execute('DELETE FROM w')") }
        let recorder = TransactionRecorder(nil, [.willChange, .others])
        writer.add(transactionObserver: recorder)
        try writer.write { db in
            for value in ["1", "2", "3"] {
                sqlite3_preupdate_hook(db.sqliteConnection, nil, nil)
                sqlite3_update_hook(db.sqliteConnection, nil, nil)
                try db.execute(sql: "UPDATE u SET a = \(value)")
            }
            try db.execute(sql: "SELECT c_execute('DELETE FROM u')")
        }
        expectEqual(
            recorder.lines(),
            [
                "willChange update main.u 1", "didChange update main.u 1",
                "willChange update main.u 1", "didChange update main.u 1",
                "willChange update main.u 1", "didChange update main.u 1",
                "willChange delete main.u 1", "didChange delete main.u 1",
                "willCommit", "didCommit",
            ])
    }

    /// Statements that declare their changes are asked about as before.
    @Test func declaredChangesStayAsTheyWere() throws {
        let writer = try makeWriter(.queue)
        try writer.write { try $0.execute(sql: "SELECT c_execute('DELETE FROM u')") }
        let recorder = TransactionRecorder(nil, [.observes, .others])
        recorder.filter = { kind in
            if case .update("t", let columns) = kind { columns.contains("b") } else { false }
        }
        writer.add(transactionObserver: recorder)
        try writer.write { db in
            try db.execute(sql: "UPDATE t SET a = 'z'")
            try db.execute(sql: "UPDATE t SET b = 'z' WHERE id = 2")
        }
        expectEqual(
            recorder.lines(),
            [
                "observes update(t, a): no", "observes update(t, b)",
                "didChange update main.t 2", "willCommit", "didCommit",
            ])
    }

    // MARK: - C code

    @Test(arguments: DatabaseKind.allCases)
    func observersAreNotifiedOfCCode(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let recorder = TransactionRecorder()
        writer.add(transactionObserver: recorder)
        try writer.write { db in
            expectEqual(WritingFunctions.execute(db, "INSERT INTO t(id) VALUES (3)"), SQLITE_OK)
        }
        expectEqual(recorder.lines(), ["didChange insert main.t 3", "willCommit", "didCommit"])
        // A transaction of its own, and no statement of the toolkit after it.
        writer.writeWithoutTransaction { db in
            _ = WritingFunctions.execute(db, "DELETE FROM t WHERE id = 3")
        }
        expectEqual(recorder.lines(), ["didChange delete main.t 3", "willCommit", "didCommit"])
        writer.writeWithoutTransaction { db in
            _ = WritingFunctions.execute(
                db, "BEGIN; INSERT INTO t(id) VALUES (4); ROLLBACK")
        }
        expectEqual(recorder.lines(), ["didChange insert main.t 4", "didRollback"])
    }

    /// A statement that C code has compiled before there was an observer.
    @Test func statementsOfCThatAreOlderThanObservers() throws {
        let writer = try makeWriter(.queue)
        try writer.writeWithoutTransaction { db in
            var statement: OpaquePointer?
            expectEqual(
                sqlite3_prepare_v2(db.sqliteConnection, "DELETE FROM t", -1, &statement, nil),
                SQLITE_OK)
            defer { sqlite3_finalize(statement) }
            let recorder = TransactionRecorder()
            db.add(transactionObserver: recorder)
            try db.inTransaction {
                expectEqual(sqlite3_step(statement), SQLITE_DONE)
                return .commit
            }
            expectEqual(
                recorder.lines(),
                [
                    "didChange delete main.t 1", "didChange delete main.t 2", "willCommit",
                    "didCommit",
                ])
        }
    }

    @Test func observersThatRefuseAreAsked() throws {
        let writer = try makeWriter(.queue)
        let recorder = TransactionRecorder()
        recorder.onWillCommit = { throw TestError("refused") }
        writer.add(transactionObserver: recorder)
        try writer.writeWithoutTransaction { db in
            expectError("TestError refused") {
                try db.execute(sql: "SELECT c_execute('DELETE FROM t')")
            }
            let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
            expectEqual(count, 2)
        }
    }

    // MARK: - Savepoints

    @Test(arguments: cases)
    func changesInSavepointsWait(kind: DatabaseKind, function: String) throws {
        let writer = try makeWriter(kind)
        let recorder = TransactionRecorder()
        writer.add(transactionObserver: recorder)
        try writer.write { db in
            try db.inSavepoint {
                try db.execute(sql: "SELECT \(function)('INSERT INTO t(id) VALUES (3)')")
                try db.inSavepoint {
                    try db.execute(sql: "SELECT \(function)('INSERT INTO t(id) VALUES (4)')")
                    return .rollback
                }
                recorder.mark("inside")
                return .commit
            }
            recorder.mark("outside")
        }
        expectEqual(
            recorder.lines(),
            [
                "inside", "didChange insert main.t 3", "outside", "willCommit", "didCommit",
            ])
        try writer.writeWithoutTransaction { db in
            try db.inTransaction {
                try db.execute(sql: "SELECT \(function)('INSERT INTO t(id) VALUES (5)')")
                return .rollback
            }
        }
        expectEqual(recorder.lines(), ["didChange insert main.t 5", "didRollback"])
    }

    // MARK: - Observations

    @Test(arguments: cases)
    func valueObservationsNotice(kind: DatabaseKind, function: String) throws {
        let writer = try makeWriter(kind)
        let log = Log<Int>()
        let observation = ValueObservation.tracking {
            try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t")!
                + Int.fetchOne($0, sql: "SELECT COUNT(*) FROM w")!
                + Int.fetchOne($0, sql: "SELECT COUNT(*) FROM f")!
        }
        let cancellable = observation.start(
            in: writer, scheduling: .async(onQueue: DispatchQueue(label: "values"))
        ) { error in
            Issue.record(error)
        } onChange: {
            log.append($0)
        }
        log.wait(forCount: 1)
        try writer.write {
            try $0.execute(sql: "SELECT \(function)('INSERT INTO t(a) VALUES (3)')")
        }
        log.wait(forCount: 2)
        try writer.write {
            try $0.execute(sql: "SELECT \(function)('INSERT INTO w VALUES (1, 2)')")
        }
        log.wait(forCount: 3)
        try writer.write {
            try $0.execute(sql: "SELECT \(function)('INSERT INTO f VALUES (''x'')')")
        }
        log.wait(forCount: 4)
        try writer.write { try $0.execute(sql: "SELECT \(function)('DELETE FROM t')") }
        expectEqual(log.wait(forCount: 5), [2, 3, 4, 5, 2])
        cancellable.cancel()
    }

    @Test(arguments: cases)
    func feedsReportTheChanges(kind: DatabaseKind, function: String) throws {
        let writer = try makeWriter(kind)
        let log = Log<String>()
        let cancellable = DatabaseChangeFeed().start(in: writer) { error in
            Issue.record(error)
        } onChange: { transaction in
            log.append(transaction.changes.map(\.description).joined(separator: "; "))
        }
        try writer.write { try $0.execute(sql: "UPDATE u SET a = 'old'") }
        try writer.write {
            try $0.execute(sql: "SELECT \(function)('UPDATE u SET a = ''new''')")
        }
        let declared = log.elements[0]
        expectEqual(log.elements.count, 2)
        expectEqual(
            log.elements.last,
            declared.replacing("old", with: "new").replacing("'x'", with: "'old'")
                .replacing("\"x\"", with: "\"old\""))
        cancellable.cancel()
    }

    // MARK: - Strategy

    private final class Counter: TransactionObserver {
        var lines: [String] = []
        var databaseEventObservationStrategy: DatabaseEventObservationStrategy {
            var strategy = DatabaseEventObservationStrategy.default
            strategy.requiresDatabaseEventKind = false
            return strategy
        }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
            Issue.record("asked about \(eventKind)")
            return false
        }

        func databaseDidChange(with event: DatabaseEvent) {
            lines.append("\(event.kind) \(event.tableName) \(event.rowID)")
        }

        func databaseDidCommit(_ db: Database) { lines.append("commit") }
        func databaseDidRollback(_ db: Database) { lines.append("rollback") }
    }

    @Test(arguments: DatabaseKind.allCases)
    func observersWithoutKindsAreNotifiedOfAllChanges(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        // Compiled so that it clears the table at once.
        try writer.writeWithoutTransaction { db in
            try db.inTransaction {
                try db.execute(sql: "DELETE FROM t")
                return .rollback
            }
        }
        let counter = Counter()
        writer.add(transactionObserver: counter)
        try writer.writeWithoutTransaction { db in
            try db.inTransaction {
                try db.execute(sql: "UPDATE u SET a = 'z'")
                try db.execute(sql: "DELETE FROM t")
                _ = WritingFunctions.execute(db, "INSERT INTO t(id) VALUES (7)")
                try db.execute(sql: "SELECT c_execute('INSERT INTO t(id) VALUES (8)')")
                try db.inSavepoint {
                    try db.execute(sql: "INSERT INTO t(id) VALUES (9)")
                    return .rollback
                }
                return .commit
            }
        }
        expectEqual(
            counter.lines,
            [
                "update u 1", "delete t 1", "delete t 2", "insert t 7", "insert t 8", "commit",
            ])
        counter.lines = []
        writer.remove(transactionObserver: counter)
        try writer.write { try $0.execute(sql: "DELETE FROM t") }
        expectEqual(counter.lines, [])
    }

    @Test func strategiesAreTheDefaultOne() {
        expectEqual(TransactionRecorder().databaseEventObservationStrategy, .default)
        expectTrue(DatabaseEventObservationStrategy.default.requiresDatabaseEventKind)
    }

    // MARK: - What is not undeclared

    /// Statements that SQLite compiles on its own are no reason to keep the hooks.
    @Test func statementsOfSQLiteItself() throws {
        let writer = try makeWriter(.queue)
        let recorder = TransactionRecorder(nil, [.observes, .others])
        recorder.filter = { _ in false }
        writer.add(transactionObserver: recorder)
        try writer.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    INSERT INTO f VALUES ('a');
                    INSERT INTO f(f) VALUES ('optimize');
                    CREATE VIRTUAL TABLE r USING rtree(id, x0, x1);
                    INSERT INTO r VALUES (1, 2, 3);
                    CREATE VIRTUAL TABLE f4 USING fts4(x);
                    INSERT INTO f4 VALUES ('a');
                    ANALYZE;
                    ALTER TABLE u RENAME COLUMN a TO c;
                    ALTER TABLE u DROP COLUMN c;
                    VACUUM;
                    DROP TABLE r;
                    """)
            _ = recorder.lines()
            // Changes that nobody asked for are not asked about again, row by row.
            try db.execute(sql: "UPDATE t SET a = 'z'")
            expectEqual(recorder.lines(), ["observes update(t, a): no", "willCommit", "didCommit"])
            // The hook is not there.
            let former = sqlite3_update_hook(db.sqliteConnection, nil, nil)
            expectEqual(former, nil)
        }
    }
}
