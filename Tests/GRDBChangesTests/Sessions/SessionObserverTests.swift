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
                #expect(recorder.lines() == ["willChange update main.t 1"])
            }
            var session: Session? = try db.makeSession()
            try session!.attachAllTables()
            if !observerFirst { db.add(transactionObserver: recorder) }
            try db.execute(sql: "UPDATE t SET b = 1 WHERE id = 1")
            #expect(recorder.lines() == ["willChange update main.t 1"])
            #expect(try session!.changeset().lines.count == 1)

            let second = try db.makeSession()
            try second.attachAllTables()
            try db.execute(sql: "UPDATE t SET b = 2 WHERE id = 2")
            #expect(recorder.lines() == ["willChange update main.t 2"])
            #expect(try session!.changeset().changeCount == 2)
            #expect(try second.changeset().changeCount == 1)

            // Either may go.
            if observerFirst {
                db.remove(transactionObserver: recorder)
            } else {
                session = nil
            }
            try db.execute(sql: "DELETE FROM w")
            #expect(recorder.lines() == (observerFirst ? [] : ["willChange delete main.w 0"]))
            #expect(try second.changeset().changeCount == 2)
            if observerFirst {
                session = nil
                db.add(transactionObserver: recorder)
            } else {
                db.remove(transactionObserver: recorder)
            }
            try db.execute(sql: "INSERT INTO t VALUES (9, 9, 9)")
            #expect(recorder.lines() == (observerFirst ? ["willChange insert main.t 9"] : []))
            #expect(try second.changeset().changeCount == 3)
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
            #expect(sqlite3session_create(db.sqliteConnection, "main", &raw) == SQLITE_OK)
            #expect(sqlite3session_attach(raw, nil) == SQLITE_OK)
            var count = 0
            withUnsafeMutablePointer(to: &count) { count in
                sqlite3_preupdate_hook(
                    db.sqliteConnection,
                    { count, _, _, _, _, _, _ in
                        count!.assumingMemoryBound(to: Int.self).pointee += 1
                    }, count)
                sqlite3_exec(db.sqliteConnection, "UPDATE t SET b = 4", nil, nil, nil)
                let former = sqlite3_preupdate_hook(db.sqliteConnection, nil, nil)
                #expect(former == UnsafeMutableRawPointer(count))
            }
            #expect(count == 2)
            #expect(sqlite3session_isempty(raw) == 0)
            sqlite3session_delete(raw)
            try db.execute(sql: "UPDATE w SET v = 4")
            #expect(recorder.lines().last == "willChange update main.w 0")
            #expect(try session.changeset().changeCount == 3)
        }
    }

    @Test func observerMayRecordInAnAccessOfItsOwn() throws {
        try dbQueue.writeWithoutTransaction { db in
            let recorder = TransactionRecorder()
            var changeset: Changeset?
            var session: Session?
            recorder.onChange = { _ in
                // In the middle of a change: SQLite opens no savepoint.
                #expect(throws: DatabaseError.self) { try session?.changeset() }
            }
            recorder.onCommit = { _ in changeset = try? session?.changeset() }
            db.add(transactionObserver: recorder)
            session = try db.makeSession()
            try session?.attachAllTables()
            try db.execute(sql: "DELETE FROM w")
            #expect(changeset?.lines == ["delete w [0:\"x\" 1:1 2:Data(2 bytes)]"])
        }
    }
}
