import Foundation
@testable import GRDB
import GRDBSQLite
import Testing

/// Rollbacks for which SQLite gets no memory. Limits of memory hold for a whole process: each test has its
/// own.
struct RollbackMemoryTests {
    /// Changes of the schema have SQLite compile statements again, and so does the rollback of them.
    @Test(arguments: ["CREATE TABLE u(a)", "DROP TABLE t", "ALTER TABLE t ADD COLUMN b"])
    func changesOfTheSchema(sql: String) async {
        await #expect(processExitsWith: .success) { [sql] in
            guard RawSQLite.countMemory() == RawStatement.ok else {
                fatalError("SQLite has started")
            }
            let dbQueue = try DatabaseQueue()
            try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
            do {
                try dbQueue.write { db in
                    try db.execute(sql: sql)
                    // From now on, SQLite gets no memory, but for what the connection has reserved.
                    _ = sqlite3_hard_heap_limit64(1)
                    try db.execute(sql: "CREATE TABLE v AS SELECT * FROM sqlite_master")
                }
                fatalError("no error")
            } catch let error as DatabaseError where error.resultCode == .SQLITE_NOMEM {}
            dbQueue.unsafeReentrantWrite { db in
                if db.isInsideTransaction { fatalError("the transaction is open") }
            }
            _ = sqlite3_hard_heap_limit64(0)
            let content = try dbQueue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (2)")
                return try [
                    String.fetchAll(db, sql: "SELECT name FROM sqlite_master"),
                    String.fetchAll(db, sql: "SELECT * FROM t"),
                ]
            }
            if content != [["t"], ["1", "2"]] { fatalError("\(content)") }
        }
    }
}
