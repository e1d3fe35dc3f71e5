import GRDB
import GRDBTestSupport
import Testing

/// Changes inside savepoints are held back until it is known whether they stay.
@Suite(.databases) struct SavepointObservationTests {
    private let dbQueue: DatabaseQueue
    private let recorder = TransactionRecorder()

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)") }
        dbQueue.add(transactionObserver: recorder)
    }

    /// Runs a script of numbers, which are inserted, and of SQL, with a mark for each statement.
    private func lines(_ script: String, in db: Database) throws -> [String] {
        for word in script.split(separator: ";").map({ $0.drop(while: \.isWhitespace) }) {
            let sql = Int(word).map { "INSERT INTO t VALUES (\($0))" } ?? String(word)
            try db.execute(sql: sql)
            recorder.mark(String(word))
        }
        return recorder.lines().map { line in
            line.hasPrefix("didChange insert main.t ") ? "+" + line.dropFirst(24) : line
        }
    }

    private func lines(_ script: String) throws -> [String] {
        try dbQueue.writeWithoutTransaction { try lines(script, in: $0) }
    }

    // MARK: - Raw savepoints

    @Test func changesAreNotifiedByTheRelease() throws {
        try expectEqual(
            lines("BEGIN; 1; SAVEPOINT s; 2; 3; RELEASE s; 4; COMMIT"),
            [
                "BEGIN", "+1", "1", "SAVEPOINT s", "2", "3", "+2", "+3", "RELEASE s", "+4", "4",
                "willCommit", "didCommit", "COMMIT",
            ])
    }

    @Test func changesThatAreRolledBackAreForgotten() throws {
        try expectEqual(
            lines("BEGIN; 1; SAVEPOINT s; 2; ROLLBACK TO s; 3; RELEASE s; COMMIT"),
            [
                "BEGIN", "+1", "1", "SAVEPOINT s", "2", "ROLLBACK TO s", "3", "+3", "RELEASE s",
                "willCommit", "didCommit", "COMMIT",
            ])
    }

    @Test func changesAreHeldByTheOutermostSavepoint() throws {
        try expectEqual(
            lines("BEGIN; SAVEPOINT a; 1; SAVEPOINT b; 2; RELEASE b; 3; RELEASE a; COMMIT"),
            [
                "BEGIN", "SAVEPOINT a", "1", "SAVEPOINT b", "2", "RELEASE b", "3",
                "+1", "+2", "+3", "RELEASE a", "willCommit", "didCommit", "COMMIT",
            ])
    }

    @Test func innerRollbackForgetsInnerChanges() throws {
        try expectEqual(
            lines(
                "BEGIN; SAVEPOINT a; 1; SAVEPOINT b; 2; ROLLBACK TO b; 3; RELEASE a; COMMIT"),
            [
                "BEGIN", "SAVEPOINT a", "1", "SAVEPOINT b", "2", "ROLLBACK TO b", "3",
                "+1", "+3", "RELEASE a", "willCommit", "didCommit", "COMMIT",
            ])
    }

    @Test func outerRollbackForgetsAll() throws {
        try expectEqual(
            lines(
                "BEGIN; SAVEPOINT a; 1; SAVEPOINT b; 2; RELEASE b; 3; ROLLBACK TO a; COMMIT"),
            [
                "BEGIN", "SAVEPOINT a", "1", "SAVEPOINT b", "2", "RELEASE b", "3",
                "ROLLBACK TO a", "willCommit", "didCommit", "COMMIT",
            ])
    }

    /// ROLLBACK TO leaves the savepoint open.
    @Test func changesAfterARollbackAreHeldAgain() throws {
        try expectEqual(
            lines("BEGIN; SAVEPOINT a; 1; ROLLBACK TO a; 2; ROLLBACK TO a; 3; COMMIT"),
            [
                "BEGIN", "SAVEPOINT a", "1", "ROLLBACK TO a", "2", "ROLLBACK TO a", "3",
                "+3", "willCommit", "didCommit", "COMMIT",
            ])
    }

    @Test func commitReleasesSavepoints() throws {
        try expectEqual(
            lines("BEGIN; SAVEPOINT a; 1; SAVEPOINT b; 2; COMMIT"),
            [
                "BEGIN", "SAVEPOINT a", "1", "SAVEPOINT b", "2",
                "+1", "+2", "willCommit", "didCommit", "COMMIT",
            ])
    }

    @Test func rollbackForgetsSavepoints() throws {
        try expectEqual(
            lines("BEGIN; 1; SAVEPOINT a; 2; ROLLBACK"),
            [
                "BEGIN", "+1", "1", "SAVEPOINT a", "2", "didRollback", "ROLLBACK",
            ])
        try expectEqual(lines("3"), ["+3", "willCommit", "didCommit", "3"])
    }

    @Test func releaseOfAnOuterSavepointReleasesTheInnerOnes() throws {
        try expectEqual(
            lines("BEGIN; SAVEPOINT a; 1; SAVEPOINT b; 2; RELEASE a; 3; COMMIT"),
            [
                "BEGIN", "SAVEPOINT a", "1", "SAVEPOINT b", "2", "+1", "+2", "RELEASE a",
                "+3", "3", "willCommit", "didCommit", "COMMIT",
            ])
    }

    @Test func namesIgnoreCase() throws {
        try expectEqual(
            lines("BEGIN; SAVEPOINT foo; 1; ROLLBACK TO FOO; RELEASE Foo; 2; COMMIT"),
            [
                "BEGIN", "SAVEPOINT foo", "1", "ROLLBACK TO FOO", "RELEASE Foo", "+2", "2",
                "willCommit", "didCommit", "COMMIT",
            ])
    }

    @Test func sameNameMeansTheInnermostSavepoint() throws {
        try expectEqual(
            lines(
                "SAVEPOINT s; SAVEPOINT s; 1; ROLLBACK TO s; RELEASE s; 2; RELEASE s"),
            [
                "SAVEPOINT s", "SAVEPOINT s", "1", "ROLLBACK TO s", "RELEASE s", "2",
                "+2", "willCommit", "didCommit", "RELEASE s",
            ])
    }

    @Test func quotedNamesAreNames() throws {
        try expectEqual(
            lines("BEGIN; SAVEPOINT \"a b\"; 1; ROLLBACK TO [a b]; RELEASE `A B`; COMMIT"),
            [
                "BEGIN", "SAVEPOINT \"a b\"", "1", "ROLLBACK TO [a b]", "RELEASE `A B`",
                "willCommit", "didCommit", "COMMIT",
            ])
    }

    // MARK: - Outermost raw savepoints

    @Test func outermostSavepointIsATransaction() throws {
        try expectEqual(
            lines("SAVEPOINT s; 1; RELEASE s"),
            [
                "SAVEPOINT s", "1", "+1", "willCommit", "didCommit", "RELEASE s",
            ])
        try expectEqual(
            lines("SAVEPOINT s; 2; ROLLBACK TO s; RELEASE s"),
            [
                "SAVEPOINT s", "2", "ROLLBACK TO s", "willCommit", "didCommit", "RELEASE s",
            ])
        try expectEqual(
            lines("SAVEPOINT a; SAVEPOINT b; 3; ROLLBACK"),
            [
                "SAVEPOINT a", "SAVEPOINT b", "3", "didRollback", "ROLLBACK",
            ])
        try expectEqual(
            lines("SAVEPOINT a; 4; SAVEPOINT b; 5; RELEASE a"),
            [
                "SAVEPOINT a", "4", "SAVEPOINT b", "5", "+4", "+5", "willCommit", "didCommit",
                "RELEASE a",
            ])
    }

    @Test func failedReleaseLeavesTheSavepoint() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE df(a REFERENCES t(id) DEFERRABLE INITIALLY DEFERRED)
                    """)
            _ = recorder.lines()
            _ = try lines("SAVEPOINT s; INSERT INTO df VALUES (999)", in: db)
            expectError(DatabaseError.self) { try db.execute(sql: "RELEASE s") }
            expectTrue(db.isInsideTransaction)
            try expectEqual(
                lines("DELETE FROM df; RELEASE s", in: db).filter { $0.contains("did") },
                [
                    "didChange insert main.df 1", "didChange delete main.df 1", "didCommit",
                ])
        }
    }

    /// SQLite forgets the savepoints of a transaction that it rolls back on its own.
    @Test func orRollbackForgetsSavepoints() throws {
        _ = try lines("1")
        try dbQueue.writeWithoutTransaction { db in
            _ = try lines("BEGIN; SAVEPOINT s; 2", in: db)
            expectError(DatabaseError.self) {
                try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
            }
            expectEqual(recorder.lines(), ["didRollback"])
            try expectEqual(lines("3", in: db), ["+3", "willCommit", "didCommit", "3"])
        }
    }

    // MARK: - Methods

    @Test func nestedMethodsHoldTheirChanges() throws {
        try dbQueue.write { db in
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                try db.inSavepoint {
                    try db.execute(sql: "INSERT INTO t VALUES (2)")
                    return .rollback
                }
                try db.execute(sql: "INSERT INTO t VALUES (3)")
                recorder.mark("in savepoint")
                return .commit
            }
            recorder.mark("after savepoint")
        }
        expectEqual(
            recorder.lines(),
            [
                "in savepoint", "didChange insert main.t 1", "didChange insert main.t 3",
                "after savepoint", "willCommit", "didCommit",
            ])
    }

    @Test func rolledBackMethodForgetsItsChanges() throws {
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO t VALUES (2)")
                try db.inSavepoint {
                    try db.execute(sql: "INSERT INTO t VALUES (3)")
                    return .commit
                }
                return .rollback
            }
            try db.execute(sql: "INSERT INTO t VALUES (4)")
        }
        expectEqual(
            recorder.lines(),
            [
                "didChange insert main.t 1", "didChange insert main.t 4",
                "willCommit", "didCommit",
            ])
    }

    @Test func outermostMethodHoldsNothing() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                recorder.mark("inside")
                return .commit
            }
        }
        expectEqual(
            recorder.lines(),
            [
                "didChange insert main.t 1", "inside", "willCommit", "didCommit",
            ])
        try dbQueue.writeWithoutTransaction { db in
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO t VALUES (2)")
                return .rollback
            }
        }
        expectEqual(recorder.lines(), ["didChange insert main.t 2", "didRollback"])
    }

    @Test func errorInASavepointIsARollbackOfTheTransaction() throws {
        expectError(TestError()) {
            try dbQueue.write { db in
                try db.inSavepoint {
                    try db.execute(sql: "INSERT INTO t VALUES (1)")
                    throw TestError()
                }
            }
        }
        expectEqual(recorder.lines(), ["didRollback"])
    }

    // MARK: - Preupdate events

    /// A recorder of both callbacks, that describes rows before and after their change.
    private func makePreUpdateRecorder(_ log: Log<String>) -> TransactionRecorder {
        let recorder = TransactionRecorder(log: log)
        recorder.onWillChange = { event in
            func id(_ value: DatabaseValue?) -> String { value.map { "\($0)" } ?? "nil" }
            log.append(
                """
                willChange \(event.kind) \(id(event.initialDatabaseValue(atIndex: 0))) → \
                \(id(event.finalDatabaseValue(forColumn: "ID")))
                """)
        }
        return recorder
    }

    @Test func preupdateEventsAreHeldInOrder() throws {
        let log = Log<String>()
        let recorder = makePreUpdateRecorder(log)
        dbQueue.add(transactionObserver: recorder)
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            expectEqual(
                log.removeAll(), ["willChange insert nil → 1", "didChange insert main.t 1"])
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO t VALUES (2)")
                try db.execute(sql: "UPDATE t SET id = 3 WHERE id = 2")
                try db.execute(sql: "DELETE FROM t WHERE id = 1")
                expectEqual(log.removeAll(), [])
                return .commit
            }
            expectEqual(
                log.removeAll(),
                [
                    "willChange insert nil → 2", "didChange insert main.t 2",
                    "willChange update 2 → 3", "didChange update main.t 3",
                    "willChange delete 1 → nil", "didChange delete main.t 1",
                ])
        }
    }

    @Test func preupdateEventsThatAreRolledBackAreForgotten() throws {
        let log = Log<String>()
        let recorder = makePreUpdateRecorder(log)
        dbQueue.add(transactionObserver: recorder)
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    BEGIN;
                    SAVEPOINT a; INSERT INTO t VALUES (1);
                    SAVEPOINT b; INSERT INTO t VALUES (2); ROLLBACK TO b;
                    INSERT INTO t VALUES (3);
                    RELEASE b;
                    INSERT INTO t VALUES (4)
                    """)
            expectEqual(log.removeAll(), [])
            try db.execute(sql: "RELEASE a")
            expectEqual(
                log.removeAll(),
                [
                    "willChange insert nil → 1", "didChange insert main.t 1",
                    "willChange insert nil → 3", "didChange insert main.t 3",
                    "willChange insert nil → 4", "didChange insert main.t 4",
                ])
            try db.execute(sql: "SAVEPOINT a; DELETE FROM t; ROLLBACK TO a; COMMIT")
            expectEqual(log.removeAll(), ["willCommit", "didCommit"])
        }
    }

    /// SQLite tells of no update, but of the row that is about to be replaced.
    @Test func preupdateEventsOfReplacedRowsAreHeld() throws {
        let log = Log<String>()
        let recorder = makePreUpdateRecorder(log)
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE w(id PRIMARY KEY, v) WITHOUT ROWID")
            try db.execute(sql: "INSERT INTO w VALUES (1, 'a')")
        }
        dbQueue.add(transactionObserver: recorder)
        try dbQueue.write { db in
            try db.inSavepoint {
                try db.execute(sql: "REPLACE INTO w VALUES (1, 'b')")
                return .commit
            }
        }
        expectEqual(
            log.removeAll(),
            [
                "willChange delete 1 → nil", "willChange insert nil → 1", "willCommit",
                "didCommit",
            ])
    }

    /// What is told late is what the row was then.
    @Test func heldPreupdateEventsAreCopies() throws {
        let values = Log<String>()
        let recorder = TransactionRecorder()
        recorder.onWillChange = { event in
            let row = event.finalRow ?? event.initialRow
            values.append("\(event.columnNames) \(row!["v"] as String) \(event.depth)")
        }
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE v(id INTEGER PRIMARY KEY, v);
                    CREATE TABLE copy(v);
                    CREATE TRIGGER tr AFTER INSERT ON v BEGIN
                        INSERT INTO copy VALUES (NEW.v || '!');
                    END
                    """)
        }
        dbQueue.add(transactionObserver: recorder)
        try dbQueue.write { db in
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO v VALUES (1, 'a')")
                try db.execute(sql: "UPDATE v SET v = 'b'")
                try db.execute(sql: "DROP TABLE v")
                return .commit
            }
        }
        expectEqual(
            values.elements,
            [
                #"["id", "v"] a 0"#, #"["v"] a! 1"#, #"["id", "v"] b 0"#,
            ])
    }

    @Test func stopHoldsForHeldPreupdateEvents() throws {
        let recorder = TransactionRecorder(nil, [.willChange, .others])
        recorder.onWillChange = { [unowned recorder] _ in
            recorder.stopObservingDatabaseChangesUntilNextTransaction()
        }
        dbQueue.add(transactionObserver: recorder)
        try dbQueue.write { db in
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO t VALUES (1), (2)")
                return .commit
            }
            try db.execute(sql: "INSERT INTO t VALUES (3)")
        }
        expectEqual(recorder.lines(), ["willChange insert main.t 1", "willCommit", "didCommit"])
    }

    // MARK: - Observers that come and go

    @Test func observerIsToldOfTheChangesThatItHasObserved() throws {
        let late = TransactionRecorder()
        try dbQueue.write { db in
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                db.add(transactionObserver: late)
                try db.execute(sql: "INSERT INTO t VALUES (2)")
                return .commit
            }
        }
        expectEqual(late.lines(), ["didChange insert main.t 2", "willCommit", "didCommit"])
    }

    @Test func removedObserverIsNotToldOfHeldChanges() throws {
        try dbQueue.write { db in
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                db.remove(transactionObserver: recorder)
                return .commit
            }
        }
        expectEqual(recorder.lines(), [])
    }

    @Test func deallocatedObserverIsNotToldOfHeldChanges() throws {
        let log = Log<String>()
        try dbQueue.write { db in
            try db.inSavepoint {
                var observer: TransactionRecorder? = TransactionRecorder(log: log)
                db.add(transactionObserver: observer!)
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                observer = nil
                return .commit
            }
        }
        expectEqual(log.elements, [])
    }
}
