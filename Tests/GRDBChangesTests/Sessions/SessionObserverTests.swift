@testable import GRDBChanges
import GRDBSQLite
import GRDBTestSupport
import Testing

@testable import GRDB

/// Sessions beside observers and sessions of C code, which share a hook.
@Suite(.databases) struct SessionObserverTests {
    private let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { try $0.createSessionTables() }
    }

    /// SQLite has one place for the preupdate hook of observers and the one of sessions.
    @Test(arguments: [false, true]) func sessionsAndObserversGetAlong(observerFirst: Bool) throws {
        try dbQueue.writeWithoutTransaction { db in
            let recorder = TransactionRecorder(nil, .willChange)
            if observerFirst {
                db.add(transactionObserver: recorder)
                try db.execute(sql: "UPDATE t SET b = 0 WHERE id = 1")
                expectEqual(recorder.lines(), ["willChange update main.t 1"])
            }
            var session: Session? = try db.makeSession()
            try session!.attachAllTables()
            if !observerFirst { db.add(transactionObserver: recorder) }
            try db.execute(sql: "UPDATE t SET b = 1 WHERE id = 1")
            expectEqual(recorder.lines(), ["willChange update main.t 1"])
            try expectEqual(session!.changeset().lines.count, 1)

            let second = try db.makeSession()
            try second.attachAllTables()
            try db.execute(sql: "UPDATE t SET b = 2 WHERE id = 2")
            expectEqual(recorder.lines(), ["willChange update main.t 2"])
            try expectEqual(session!.changeset().changeCount, 2)
            try expectEqual(second.changeset().changeCount, 1)

            // Either may go.
            if observerFirst {
                db.remove(transactionObserver: recorder)
            } else {
                session = nil
            }
            try db.execute(sql: "DELETE FROM w")
            expectEqual(recorder.lines(), (observerFirst ? [] : ["willChange delete main.w 0"]))
            try expectEqual(second.changeset().changeCount, 2)
            if observerFirst {
                session = nil
                db.add(transactionObserver: recorder)
            } else {
                db.remove(transactionObserver: recorder)
            }
            try db.execute(sql: "INSERT INTO t VALUES (9, 9, 9)")
            expectEqual(recorder.lines(), (observerFirst ? ["willChange insert main.t 9"] : []))
            try expectEqual(second.changeset().changeCount, 3)
        }
    }

    /// The C functions under their plain names are those of sessions in Swift.
    @Test func sessionsOfCGetAlong() throws {
        try dbQueue.writeWithoutTransaction { db in
            let recorder = TransactionRecorder(nil, .willChange)
            db.add(transactionObserver: recorder)
            try db.execute(sql: "UPDATE t SET b = 0 WHERE id = 1")
            var raw: OpaquePointer?
            let session = try db.makeSession()
            try session.attachAllTables()
            expectEqual(sqlite3session_create(db.sqliteConnection, "main", &raw), SQLITE_OK)
            expectEqual(sqlite3session_attach(raw, nil), SQLITE_OK)
            var count = 0
            withUnsafeMutablePointer(to: &count) { count in
                sqlite3_preupdate_hook(
                    db.sqliteConnection,
                    { count, _, _, _, _, _, _ in
                        count!.assumingMemoryBound(to: Int.self).pointee += 1
                    }, count)
                sqlite3_exec(db.sqliteConnection, "UPDATE t SET b = 4", nil, nil, nil)
                let former = sqlite3_preupdate_hook(db.sqliteConnection, nil, nil)
                expectEqual(former, UnsafeMutableRawPointer(count))
            }
            expectEqual(count, 2)
            expectEqual(sqlite3session_isempty(raw), 0)
            sqlite3session_delete(raw)
            try db.execute(sql: "UPDATE w SET v = 4")
            expectEqual(recorder.lines().last, "willChange update main.w 0")
            try expectEqual(session.changeset().changeCount, 3)
        }
    }

    @Test func observerMayRecordInAnAccessOfItsOwn() throws {
        try dbQueue.writeWithoutTransaction { db in
            let recorder = TransactionRecorder()
            var changeset: Changeset?
            var session: Session?
            recorder.onChange = { _ in
                // In the middle of a change: SQLite opens no savepoint.
                expectError(DatabaseError.self) { try session?.changeset() }
            }
            recorder.onCommit = { _ in changeset = try? session?.changeset() }
            db.add(transactionObserver: recorder)
            session = try db.makeSession()
            try session?.attachAllTables()
            try db.execute(sql: "DELETE FROM w")
            expectEqual(changeset?.lines, ["delete w [0:\"x\" 1:1 2:Data(2 bytes)]"])
        }
    }
}
