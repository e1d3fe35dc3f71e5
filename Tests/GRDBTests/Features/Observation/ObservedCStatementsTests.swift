import Foundation
import GRDB
import GRDBSQLite
import GRDBTestSupport
import Testing

/// Transactions of C code outside of transactions, before statements of the library.
@Suite(.databases) struct ObservedCStatementsTests {
    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER NOT NULL);
                    INSERT INTO t VALUES (1, 0);
                    """)
        }
        return writer
    }

    /// Runs statements that the library does not see.
    private static func runInC(_ sql: String, _ db: Database) -> CInt {
        sqlite3_exec(db.sqliteConnection, sql, nil, nil, nil)
    }

    private static let failing = "INSERT INTO t SELECT 2, 1 UNION ALL SELECT 3, NULL"

    private static let sequels: [String: @Sendable (Database) throws -> Void] = [
        "nothing": { _ in },
        "a failing statement": { db in
            expectError(DatabaseError.self) { try db.execute(sql: failing) }
        },
        "a statement that aborts": { db in
            expectError(DatabaseError.self) {
                try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (5, NULL)")
            }
        },
        "a failing statement of C": { db in
            expectEqual(runInC(failing, db) & 0xff, SQLITE_CONSTRAINT)
        },
        "a rollback": { db in
            try db.beginTransaction(.deferred)
            try db.execute(sql: "UPDATE t SET a = 77")
            try db.rollback()
        },
        "a rollback of IMMEDIATE": { db in
            try db.beginTransaction(.immediate)
            try db.execute(sql: "UPDATE t SET a = 77")
            try db.rollback()
        },
        "a rollback of C": { db in
            expectEqual(runInC("BEGIN; UPDATE t SET a = 77; ROLLBACK", db), SQLITE_OK)
        },
        "a savepoint that is rolled back": { db in
            try db.execute(sql: "SAVEPOINT s; UPDATE t SET a = 77; ROLLBACK TO s; RELEASE s")
        },
        "an empty transaction": { db in try db.execute(sql: "BEGIN; COMMIT") },
        "a read": { db in _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") },
        "a failing read": { db in
            expectError(DatabaseError.self) {
                try Int.fetchOne(db, sql: "SELECT abs(-9223372036854775807 - 1)")
            }
        },
        "a change of another table": { db in
            try db.execute(sql: "CREATE TEMP TABLE IF NOT EXISTS o(a); INSERT INTO o VALUES (1)")
        },
    ]

    @Test(arguments: DatabaseKind.allCases, sequels.keys.sorted())
    func commitOfCIsObserved(kind: DatabaseKind, sequel: String) throws {
        let writer = try makeWriter(kind)
        let log = Transcript()
        let fetch: @Sendable (Database) throws -> Int = { db in
            try Int.fetchOne(db, sql: "SELECT a FROM t WHERE id = 1") ?? 0
        }
        let cancellables = [
            ValueObservation.tracking(fetch), ValueObservation.trackingConstantRegion(fetch),
            ValueObservation.tracking(region: DatabaseRegion.fullDatabase, fetch: fetch),
        ].map { $0.removeDuplicates().start(in: writer, log) }
        log.wait(count: 3)
        for a in 1...3 {
            log.removeAll()
            try writer.writeWithoutTransaction { db in
                expectEqual(Self.runInC("UPDATE t SET a = \(a)", db), SQLITE_OK)
                try Self.sequels[sequel]!(db)
            }
            let lines = log.wait(count: 3)
            expectEqual(lines, Array(repeating: "\(a)", count: 3), "\(sequel)")
        }
        for cancellable in cancellables { cancellable.cancel() }
    }

    /// The hooks can't tell two transactions of C code apart: observations fetch again.
    @Test(arguments: DatabaseKind.allCases)
    func commitOfCBeforeAFailureOfCIsObserved(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let log = Transcript()
        let cancellable =
            ValueObservation
            .tracking { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") ?? 0 }
            .start(in: writer, log)
        log.wait(last: "1")
        writer.writeWithoutTransaction { db in
            let code = Self.runInC("INSERT INTO t VALUES (2, 0); \(Self.failing)", db)
            expectEqual(code & 0xff, SQLITE_CONSTRAINT)
        }
        log.wait(last: "2")
        cancellable.cancel()
    }

    private final class Guard: TransactionObserver {
        var refuses = false
        var events: [String] = []

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) { events.append("change") }
        func databaseWillCommit() throws {
            events.append("will")
            if refuses { throw TestError("no") }
        }
        func databaseDidCommit(_ db: Database) { events.append("commit") }
        func databaseDidRollback(_ db: Database) { events.append("rollback") }
    }

    /// The end of a transaction of C code is told before the next statement runs.
    @Test func observersSeeTheTransactionsOneByOne() throws {
        let queue = try makeWriter(.queue)
        let observer = Guard()
        queue.add(transactionObserver: observer)
        try queue.writeWithoutTransaction { db in
            let code = Self.runInC("UPDATE t SET a = 1", db)
            expectEqual(code, SQLITE_OK)
            try db.execute(sql: "UPDATE t SET a = 2")
            expectEqual(observer.events, ["change", "will", "commit", "change", "will", "commit"])
            observer.events = []
            observer.refuses = true
            expectEqual(Self.runInC("UPDATE t SET a = 3", db) & 0xff, SQLITE_CONSTRAINT)
            observer.refuses = false
            // The refusal is not the error of this statement.
            try db.execute(sql: "UPDATE t SET a = 4")
            expectEqual(
                observer.events, ["change", "will", "rollback", "change", "will", "commit"])
            try expectEqual(Int.fetchOne(db, sql: "SELECT a FROM t"), 4)
        }
    }
}
