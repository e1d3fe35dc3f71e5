// Two copies of SQLite in one file: the package's, through the toolkit, and the system's, through C.
// Each has a database file of its own, since two copies must never open the same file.

import Checks
import Foundation
import GRDB
import SystemSQLite

// First, on the lines that scripts/check-consumer compares with system-facts.c.
print("SQLITE_VERSION_NUMBER = \(SQLITE_VERSION_NUMBER)")
print("sizeof(sqlite3_module) = \(MemoryLayout<sqlite3_module>.size)")
print("sizeof(Fts5ExtensionApi) = \(MemoryLayout<Fts5ExtensionApi>.size)")
print("sqlite3_libversion() = \(String(cString: sqlite3_libversion()))")

try withTemporaryFolder { folder in
    let ours = folder.appendingPathComponent("ours.sqlite").path
    let theirs = folder.appendingPathComponent("theirs.sqlite").path

    let queue = try DatabaseQueue(path: ours)
    // A mistake of libraries that link the system's SQLite. It crashed, most of all before the system's SQLite
    // had a connection of its own.
    try queue.inDatabase { db in
        var statement: OpaquePointer?
        let mistaken = db.sqliteConnection
        check(
            sqlite3_prepare_v2(mistaken, "SELECT 1", -1, &statement, nil) == SQLITE_MISUSE
                && statement == nil, "the system's SQLite refuses to prepare on our connection")
        check(
            sqlite3_exec(mistaken, "SELECT 1", nil, nil, nil) == SQLITE_MISUSE,
            "and to execute on it")
        check(sqlite3_close(mistaken) == SQLITE_MISUSE, "and to close it")
        check(try Int.fetchOne(db, sql: "SELECT 1") == 1, "and the connection goes on")
    }

    var system: OpaquePointer?
    check(sqlite3_open(theirs, &system) == SQLITE_OK, "the system's SQLite opens a file")
    defer { sqlite3_close(system) }

    try queue.write { db in
        try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT)")
        for i in 1...100 {
            try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [i, "ours \(i)"])
        }
    }
    let script = """
        CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
        INSERT INTO t SELECT i, 'theirs ' || i FROM n;
        """
    check(sqlite3_exec(system, script, nil, nil, nil) == SQLITE_OK, "the system's SQLite writes")

    // Alternating, so that a call which reached the wrong library would meet a foreign statement.
    // The toolkit's row accessors are inlined here, beside the system's declarations.
    var statement: OpaquePointer?
    check(
        sqlite3_prepare_v2(system, "SELECT id, name FROM t ORDER BY id", -1, &statement, nil)
            == SQLITE_OK, "the system's SQLite prepares")
    var pairs: [(Int, String, Int, String)] = []
    try queue.read { db in
        let rows = try Row.fetchCursor(db, sql: "SELECT id, name FROM t ORDER BY id")
        while let row = try rows.next(), sqlite3_step(statement) == SQLITE_ROW {
            let id: Int = row[0]
            let name: String = row["name"]
            pairs.append(
                (
                    id, name, Int(sqlite3_column_int64(statement, 0)),
                    String(cString: sqlite3_column_text(statement, 1))
                ))
        }
    }
    sqlite3_finalize(statement)
    check(pairs.count == 50, "rows of both files are read in turn")
    check(
        pairs.allSatisfy { $0.0 == $0.2 && $0.1 == "ours \($0.0)" && $0.3 == "theirs \($0.2)" },
        "and each comes from its own file")

    let version = try queue.read { db in try String.fetchOne(db, sql: "SELECT sqlite_version()") }
    print("version of the package's SQLite: \(version ?? "none")")
    print("version of the system's SQLite: \(String(cString: sqlite3_libversion()))")
    check(
        version != String(cString: sqlite3_libversion()) || version == SQLITE_VERSION,
        "each version is the version of its own library")
}
