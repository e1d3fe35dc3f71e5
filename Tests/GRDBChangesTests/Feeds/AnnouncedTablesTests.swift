@testable import GRDBChanges
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Monitors that know which tables other connections have changed.
@Suite(.databases) struct AnnouncedTablesTests {
    /// A database whose monitor notifies one observer of each table.
    private final class Side {
        let pool: DatabasePool
        let monitor: ExternalChangeMonitor
        private var recorders: [(name: String, recorder: TransactionRecorder)] = []

        init(
            _ pool: DatabasePool,
            notifying region: any DatabaseRegionConvertible = DatabaseRegion.fullDatabase
        ) throws {
            self.pool = pool
            monitor = try ExternalChangeMonitor(pool, notifying: region, announcesTables: true)
            for name in ["t", "u", "v"] {
                let recorder = TransactionRecorder()
                recorder.filter = { $0.tableName.lowercased() == name }
                pool.add(transactionObserver: recorder)
                recorders.append((name, recorder))
            }
        }

        func write(_ sql: String) throws {
            try pool.write { try $0.execute(sql: sql) }
            _ = recorders.map { $0.recorder.lines() }
        }

        /// The tables whose observers the monitor notifies; nil if it finds no change.
        func notified() throws -> String? {
            guard try monitor.check() else { return nil }
            return recorders.filter { $0.recorder.lines().contains("didChange") }.map(\.name)
                .joined()
        }
    }

    private func makePool() throws -> DatabasePool {
        var configuration = TestDatabases.makeConfiguration()
        configuration.busyMode = .timeout(10)
        let pool = try TestDatabases.makePool(configuration)
        try pool.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a);
                    CREATE TABLE u(id INTEGER PRIMARY KEY, t REFERENCES t ON DELETE CASCADE);
                    CREATE TABLE v(text TEXT PRIMARY KEY) WITHOUT ROWID;
                    """)
        }
        return pool
    }

    private func makeSides() throws -> (Side, Side) {
        let pool = try makePool()
        return (
            try Side(pool), try Side(TestDatabases.openPool(pool.path, pool.configuration))
        )
    }

    @Test func onlyChangedTablesAreNotified() throws {
        let (one, two) = try makeSides()
        try expectEqual(one.notified(), nil)
        try two.write("INSERT INTO u VALUES (1, NULL)")
        try expectEqual(one.notified(), "u")
        try expectEqual(one.notified(), nil)
        try two.write("INSERT INTO V VALUES ('a'); UPDATE t SET a = 1 WHERE id = 7")
        // A statement that finds no row may have changed the table, as far as is known.
        try expectEqual(one.notified(), "tv")
        try two.write("INSERT INTO t VALUES (1, 1)")
        try two.write("INSERT INTO v VALUES ('b')")
        try expectEqual(one.notified(), "tv")
        // The other way round.
        try one.write("INSERT INTO u VALUES (2, 1)")
        try expectEqual(two.notified(), "u")
    }

    /// The library reads the schema before it inserts the first record.
    @Test func pragmasDoNotHideChanges() throws {
        struct V: Codable, PersistableRecord { var text: String }
        let (one, two) = try makeSides()
        try two.pool.write { db in
            _ = try (db.columns(in: "t"), db.foreignKeys(on: "u"))
            try db.execute(sql: "PRAGMA cache_size = 500")
            try V(text: "a").insert(db)
        }
        try expectEqual(one.notified(), "v")
    }

    @Test func actionsAndTriggersAreAnnounced() throws {
        let (one, two) = try makeSides()
        try two.write(
            """
            CREATE TRIGGER x AFTER DELETE ON u BEGIN INSERT INTO v VALUES (OLD.id); END;
            """)
        // A change of the schema.
        try expectEqual(one.notified(), "tuv")
        try two.write("INSERT INTO t VALUES (1, 1)")
        _ = try one.notified()
        try two.write("INSERT INTO u VALUES (1, 1)")
        try expectEqual(one.notified(), "u")
        try two.write("DELETE FROM t")
        try expectEqual(one.notified(), "tuv")
    }

    /// Own changes are none, but don't hide those of others.
    @Test func ownChangesAreLeftOut() throws {
        let (one, two) = try makeSides()
        try one.write("INSERT INTO t VALUES (1, 1)")
        try expectEqual(one.notified(), nil)
        try two.write("INSERT INTO u VALUES (1, 1)")
        try one.write("INSERT INTO v VALUES ('a')")
        try expectEqual(one.notified(), "u")
        try two.write("INSERT INTO u VALUES (2, 1)")
        try one.write("INSERT INTO u VALUES (3, 1)")
        try one.write("INSERT INTO u VALUES (4, 1)")
        try expectEqual(one.notified(), "u")
        try one.write("INSERT INTO u VALUES (5, 1)")
        try two.write("INSERT INTO t VALUES (2, 1)")
        try expectEqual(one.notified(), "t")
    }

    /// Nothing says which tables a program has changed that does not announce it.
    @Test func unannouncedChangesAreChangesOfAllTables() throws {
        let (one, two) = try makeSides()
        let other = try TestDatabases.openPool(one.pool.path, one.pool.configuration)
        try other.write { try $0.execute(sql: "INSERT INTO t VALUES (1, 1)") }
        try two.write("INSERT INTO u VALUES (1, 1)")
        try expectEqual(one.notified(), "tuv")
        try two.write("INSERT INTO u VALUES (2, 1)")
        try expectEqual(one.notified(), "u")
        // Without COMMIT.
        try two.pool.writeWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO v VALUES ('a')")
        }
        try expectEqual(one.notified(), "tuv")
        try two.pool.writeWithoutTransaction { db in
            try db.execute(sql: "SAVEPOINT s; INSERT INTO v VALUES ('b'); RELEASE s")
        }
        try expectEqual(one.notified(), "tuv")
        // Own changes may be unannounced as well: it is not known whose they are.
        try one.pool.writeWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO v VALUES ('c')")
        }
        _ = try one.notified()
        try two.write("INSERT INTO u VALUES (3, 1)")
        try expectEqual(one.notified(), "tuv")
        try two.write("INSERT INTO u VALUES (4, 1)")
        try expectEqual(one.notified(), "u")
    }

    @Test func droppedTableIsAChangeOfAllTables() throws {
        let (one, two) = try makeSides()
        try two.write("DROP TABLE v; INSERT INTO t VALUES (1, 1)")
        try expectEqual(one.notified()?.contains("t"), true)
        try two.write("CREATE TABLE v(a); INSERT INTO u VALUES (1, 1)")
        try expectEqual(one.notified(), "tuv")
    }

    @Test func transactionsWithoutChangesWakeNobody() throws {
        let (one, two) = try makeSides()
        try two.write("DELETE FROM t")
        try two.write("UPDATE u SET id = 1")
        try two.pool.write { _ in }
        expectError(TestError("no")) {
            try two.pool.write { (db: Database) throws in
                try db.execute(sql: "INSERT INTO t VALUES (1, 1)")
                throw TestError("no")
            }
        }
        try expectEqual(one.notified(), nil)
        try two.write("INSERT INTO v VALUES ('a')")
        try expectEqual(one.notified(), "v")
    }

    /// A transaction that is committed at the second attempt is counted once.
    @Test func failedCommitsAreCountedOnce() throws {
        let (one, two) = try makeSides()
        try two.pool.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    PRAGMA defer_foreign_keys = ON;
                    BEGIN; PRAGMA defer_foreign_keys = ON; INSERT INTO u VALUES (1, 1)
                    """)
            expectError(DatabaseError.self) { try db.execute(sql: "COMMIT") }
            expectError(DatabaseError.self) { try db.execute(sql: "COMMIT") }
            try db.execute(sql: "INSERT INTO v VALUES ('a'); DELETE FROM u; COMMIT")
        }
        // An unannounced change would hide behind a second count.
        try two.pool.writeWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO t VALUES (1, 1)")
        }
        try expectEqual(one.notified(), "tuv")
        try two.write("INSERT INTO u VALUES (1, 1)")
        try expectEqual(one.notified(), "u")
    }

    @Test func checkpointsDoNotMatter() throws {
        let (one, two) = try makeSides()
        for mode in [Database.CheckpointMode.passive, .restart, .truncate] {
            try two.write("INSERT INTO t(a) VALUES (1)")
            try expectEqual(one.notified(), "t")
            try one.pool.writeWithoutTransaction { _ = try $0.checkpoint(mode) }
            try two.write("DELETE FROM v; INSERT INTO v VALUES ('a')")
            try expectEqual(one.notified(), "v")
        }
    }

    @Test func checkInsideOfAWriteIsAboutAllTables() throws {
        let (one, two) = try makeSides()
        try two.write("INSERT INTO v VALUES ('a')")
        try one.pool.write { db in
            try expectEqual(one.notified(), "tuv")
            try db.execute(sql: "INSERT INTO t VALUES (1, 1)")
        }
        // It is not known what has been announced until then.
        try two.write("INSERT INTO v VALUES ('b')")
        try expectEqual(one.notified(), "tuv")
        try two.write("INSERT INTO v VALUES ('c')")
        try expectEqual(one.notified(), "v")
    }

    @Test func regionLimitsTheTables() throws {
        let pool = try makePool()
        let one = try Side(pool, notifying: Table("T"))
        let two = try Side(TestDatabases.openPool(pool.path, pool.configuration))
        try two.write("INSERT INTO u VALUES (1, NULL)")
        try expectEqual(one.notified(), "")
        try two.write("INSERT INTO u VALUES (2, NULL); INSERT INTO t VALUES (1, 1)")
        try expectEqual(one.notified(), "t")
    }

    /// The tables of outboxes change when the others have been announced.
    @Test func outboxesAreAnnounced() throws {
        let (one, two) = try makeSides()
        let outbox = try two.pool.outbox(named: "test", tables: ["t"])
        // The transaction after a change of the schema.
        try two.write("INSERT INTO u VALUES (1, NULL)")
        _ = try one.notified()
        let recorder = TransactionRecorder()
        recorder.filter = { $0.tableName == DatabaseOutbox.tableName("test") }
        one.pool.add(transactionObserver: recorder)
        try two.write("INSERT INTO v VALUES ('a')")
        try expectEqual(one.notified(), "v")
        expectTrue(!recorder.lines().contains("didChange"))
        try two.write("INSERT INTO t VALUES (1, 1)")
        try expectEqual(one.notified(), "t")
        expectTrue(recorder.lines().contains("didChange"))
        try expectEqual(two.pool.read { try outbox.pendingCount($0) }, 1)
    }

    @Test func fullTextTablesAreAnnounced() throws {
        let (one, two) = try makeSides()
        try two.write("CREATE VIRTUAL TABLE text USING fts5(a)")
        _ = try one.notified()
        try two.write("INSERT INTO t VALUES (1, 1)")
        _ = try one.notified()
        let recorder = TransactionRecorder()
        recorder.filter = { $0.tableName == "text" }
        one.pool.add(transactionObserver: recorder)
        try two.write("INSERT INTO text VALUES ('hello')")
        try expectEqual(one.notified(), "")
        expectTrue(recorder.lines().contains("didChange"))
    }

    /// Without a write-ahead log, nobody counts commits.
    @Test(.disabled(if: TestDatabases.encryptsDatabases, "Opens its file without a key"))
    func rollbackModeIsAsBefore() throws {
        let queue = try TestDatabases.makeQueue(.file)
        try queue.write { try $0.execute(sql: "CREATE TABLE t(a); CREATE TABLE u(a)") }
        let recorder = TransactionRecorder()
        recorder.filter = { $0.tableName == "u" }
        queue.add(transactionObserver: recorder)
        let monitor = try ExternalChangeMonitor(queue, announcesTables: true)
        let other = try TestDatabases.openQueue(queue.path)
        _ = try ExternalChangeMonitor(other, announcesTables: true)
        _ = try monitor.check()
        _ = recorder.lines()
        try other.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        try expectTrue(monitor.check())
        expectTrue(recorder.lines().contains("didChange"))
    }

    @Test func readOnlyDatabasesAnnounceNothing() throws {
        let pool = try makePool()
        var configuration = pool.configuration
        configuration.readonly = true
        let reader = try TestDatabases.openQueue(pool.path, configuration)
        let monitor = try ExternalChangeMonitor(reader, announcesTables: true)
        try expectTrue(pool.read { try !$0.tableExists("grdb_changed_table") })
        try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1, 1)") }
        try expectTrue(monitor.check())
    }
}
