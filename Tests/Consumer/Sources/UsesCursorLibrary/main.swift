// A program that uses a library over GRDB, and names C functions itself, while it depends on the
// product GRDB alone.

import Checks
import CursorLibrary
import GRDB
import GRDBSQLite

let queue = try DatabaseQueue()
try queue.write { db in
    try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)")
    check(db.changesOfC == 3, "the library calls C on the connection")
    let statement = try db.makeStatement(sql: "SELECT a FROM t WHERE a >= ? ORDER BY a")

    func cursor(_ minimum: sqlite3_int64) -> BoundCursor {
        BoundCursor(statement: statement) { sqlite3_bind_int64($0, 1, minimum) }
    }
    let values = cursor(2)
    check(try values.next() == 2, "a cursor of the library iterates")
    check(try values.next() == 3, "and goes on")
    check(try values.next() == nil, "to its end")
    check(values._isDone, "which it remembers")
    check(try Array(cursor(1)) == [1, 2, 3], "it makes an array")
    check(try Array(cursor(1).map { $0 * 10 }) == [10, 20, 30], "it is mapped")
    check(try Array(cursor(1).filter { $0 != 2 }) == [1, 3], "and filtered")
    check(sqlite3_stmt_busy(statement.sqliteStatement) == 0, "it leaves its statement reset")
    check(
        try Int64.fetchAll(statement, arguments: [3]) == [3],
        "which the toolkit can use again")
    let version = try String.fetchOne(db, sql: "SELECT sqlite_version()")
    check(version == String(cString: sqlite3_libversion()), "C is the same SQLite")
}
