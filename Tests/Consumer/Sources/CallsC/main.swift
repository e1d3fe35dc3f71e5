// C calls under SQLite's own names, on a connection that the toolkit has opened.

import Checks
import Foundation
import GRDB
import GRDBSQLite

let queue = try DatabaseQueue()
try queue.write { db in
    let connection = db.sqliteConnection
    check(connection != nil, "the toolkit hands out its connection")
    try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES ('one'), ('two')")
    check(sqlite3_total_changes64(connection) == 2, "C sees what the toolkit did")

    var statement: OpaquePointer?
    check(
        sqlite3_prepare_v2(connection, "INSERT INTO t VALUES (?)", -1, &statement, nil)
            == SQLITE_OK, "C prepares a statement on it")
    // SQLITE_TRANSIENT, a macro that Swift does not import.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    sqlite3_bind_text(statement, 1, "three", -1, transient)
    check(sqlite3_step(statement) == SQLITE_DONE, "and runs it")
    sqlite3_finalize(statement)
    let values = try String.fetchAll(db, sql: "SELECT a FROM t")
    check(values == ["one", "two", "three"], "the toolkit sees what C did")

    let version = try String.fetchOne(db, sql: "SELECT sqlite_source_id()")
    check(version == String(cString: sqlite3_sourceid()), "both are the same SQLite")
    check(version == SQLITE_SOURCE_ID, "and so is the header")
}

// A function written in C's terms, called from SQL that the toolkit runs.
try queue.write { db in
    let code = sqlite3_create_function_v2(
        db.sqliteConnection, "twice", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
        { context, _, values in
            sqlite3_result_int64(context, 2 * sqlite3_value_int64(values?[0]))
        }, nil, nil, nil)
    check(code == SQLITE_OK, "C adds a function")
    check(try Int.fetchOne(db, sql: "SELECT twice(21)") == 42, "which SQL of the toolkit calls")
}
