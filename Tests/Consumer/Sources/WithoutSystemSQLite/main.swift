// The features that many a system's SQLite lacks, in a program that links no other SQLite:
// scripts/check-consumer looks at what it is linked with.

import Checks
import Foundation
import GRDB
import GRDBSQLite

/// Notes what rows were, and what they become.
final class PreUpdateObserver: TransactionObserver {
    var changes: [String] = []

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}

    func databaseWillChange(with event: DatabasePreUpdateEvent) {
        let old = event.initialDatabaseValues.map { "\($0)" } ?? "nothing"
        let new = event.finalDatabaseValues.map { "\($0)" } ?? "nothing"
        changes.append("\(event.tableName): \(old) -> \(new)")
    }
}

try withTemporaryFolder { folder in
    let path = folder.appendingPathComponent("database.sqlite").path
    let queue = try DatabaseQueue(path: path)

    // FTS5
    try queue.write { db in
        try db.execute(
            sql: """
                CREATE VIRTUAL TABLE book USING fts5(title, tokenize = 'porter unicode61');
                INSERT INTO book VALUES ('Connecting databases'), ('Cooking');
                """)
        let title = try String.fetchOne(
            db, sql: "SELECT highlight(book, 0, '[', ']') FROM book('connection')")
        check(title == "[Connecting] databases", "FTS5 finds, stems and highlights")
    }

    // JSON
    try queue.read { db in
        let sum = try Int.fetchOne(
            db, sql: "SELECT sum(value) FROM json_each(?, '$.scores')",
            arguments: [#"{"scores": [1, 2, 39]}"#])
        check(sum == 42, "JSON functions read documents")
        let binary = try String.fetchOne(
            db, sql: "SELECT json(jsonb_set(jsonb('{\"a\": 1}'), '$.a', 2))")
        check(binary == #"{"a":2}"#, "and JSONB")
    }

    // Pre-update hook
    let observer = PreUpdateObserver()
    try queue.write { db in
        try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, score INTEGER)")
        db.add(transactionObserver: observer)
        try db.execute(sql: "INSERT INTO player VALUES (1, 10)")
        try db.execute(sql: "UPDATE player SET score = 20")
        try db.execute(sql: "DELETE FROM player")
        db.remove(transactionObserver: observer)
    }
    check(
        observer.changes == [
            "player: nothing -> [1, 10]",
            "player: [1, 10] -> [1, 20]",
            "player: [1, 20] -> nothing",
        ], "the pre-update hook tells old and new values")

    // Session: what one database recorded is applied to another.
    let twin = try DatabaseQueue()
    try twin.write { db in
        try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, score INTEGER)")
    }
    try queue.write { db in
        var session: OpaquePointer?
        check(
            sqlite3session_create(db.sqliteConnection, "main", &session) == SQLITE_OK
                && sqlite3session_attach(session, "player") == SQLITE_OK, "a session begins")
        defer { sqlite3session_delete(session) }
        try db.execute(sql: "INSERT INTO player VALUES (7, 70), (8, 80)")

        var count: Int32 = 0
        var changeset: UnsafeMutableRawPointer?
        check(
            sqlite3session_changeset(session, &count, &changeset) == SQLITE_OK && count > 0,
            "and makes a changeset")
        defer { sqlite3_free(changeset) }
        try twin.write { twin in
            let code = sqlite3changeset_apply(
                twin.sqliteConnection, count, changeset, nil,
                { _, _, _ in SQLITE_CHANGESET_ABORT }, nil)
            let scores = try Int.fetchAll(twin, sql: "SELECT score FROM player ORDER BY id")
            check(code == SQLITE_OK && scores == [70, 80], "which another database applies")
        }
    }

    // Snapshot: a past state of a WAL database.
    let writer = try DatabaseQueue(path: folder.appendingPathComponent("wal.sqlite").path)
    try writer.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA journal_mode = WAL")
        try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    }
    let reader = try DatabaseQueue(path: writer.path)
    try reader.inDatabase { db in
        try db.execute(sql: "BEGIN")
        let before = try Int.fetchOne(db, sql: "SELECT count(*) FROM t")
        var snapshot: UnsafeMutablePointer<sqlite3_snapshot>?
        check(
            sqlite3_snapshot_get(db.sqliteConnection, "main", &snapshot) == SQLITE_OK,
            "a snapshot is taken")
        defer { sqlite3_snapshot_free(snapshot) }
        try writer.write { db in try db.execute(sql: "INSERT INTO t VALUES (2), (3)") }
        try db.execute(sql: "COMMIT")

        try db.execute(sql: "BEGIN")
        let code = sqlite3_snapshot_open(db.sqliteConnection, "main", snapshot)
        let then = try Int.fetchOne(db, sql: "SELECT count(*) FROM t")
        try db.execute(sql: "COMMIT")
        let now = try Int.fetchOne(db, sql: "SELECT count(*) FROM t")
        check(
            code == SQLITE_OK && before == 1 && then == 1 && now == 3,
            "and shows the past after a commit")
    }
}
