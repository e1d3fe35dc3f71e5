import GRDB
import GRDBSQLite
import GRDBTestSupport
import Testing

/// A cursor as other packages write them: its statement is bound through C, and cleaned up in
/// `deinit`.
private final class BoundCursor: DatabaseCursor {
    typealias Element = Int64

    let _statement: Statement
    var _isDone = false

    init(statement: Statement, minimum: Int64) {
        _statement = statement
        sqlite3_reset(statement.sqliteStatement)
        sqlite3_bind_int64(statement.sqliteStatement, 1, minimum)
    }

    deinit {
        sqlite3_reset(_statement.sqliteStatement)
        sqlite3_clear_bindings(_statement.sqliteStatement)
    }

    struct Odd: Error {}

    func _element(sqliteStatement: SQLiteStatement) throws -> Int64 {
        let value = sqlite3_column_int64(sqliteStatement, 0)
        if value == 3 { throw Odd() }
        return value
    }
}

@Suite(.databases) struct ClientCursorTests {
    private func withStatement(_ body: (Database, Statement) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (4), (5)")
            try body(db, db.makeStatement(sql: "SELECT a FROM t WHERE a >= ? ORDER BY a"))
        }
    }

    @Test func aCursorOfAnotherModuleIterates() throws {
        try withStatement { db, statement in
            let cursor = BoundCursor(statement: statement, minimum: 2)
            expectEqual(cursor.sql, statement.sql)
            expectEqual(cursor.columnNames, ["a"])
            expectEqual(cursor.databaseRegion.description, "t(a)")
            try expectEqual(cursor.next(), 2)
            expectTrue(!cursor._isDone)
            var others: [Int64] = []
            try cursor.forEach { others.append($0) }
            expectEqual(others, [4, 5])
            expectTrue(cursor._isDone)
            try expectEqual(cursor.next(), nil)
        }
    }

    @Test func adaptersWork() throws {
        try withStatement { db, statement in
            try expectEqual(Array(BoundCursor(statement: statement, minimum: 0)), [1, 2, 4, 5])
            let doubled = BoundCursor(statement: statement, minimum: 2).map { $0 * 2 }
            try expectEqual(Array(doubled), [4, 8, 10])
            let even = BoundCursor(statement: statement, minimum: 1).filter { $0 % 2 == 0 }
            try expectEqual(Array(even.prefix(1)), [2])
        }
    }

    @Test func theStatementCanBeUsedAgain() throws {
        try withStatement { db, statement in
            do {
                let cursor = BoundCursor(statement: statement, minimum: 4)
                try expectEqual(cursor.next(), 4)
            }
            // The deinit has reset it, and cleared its binding.
            expectEqual(sqlite3_stmt_busy(statement.sqliteStatement), 0)
            try expectEqual(Int64.fetchAll(statement, arguments: [5]), [5])
            try expectEqual(Array(BoundCursor(statement: statement, minimum: 5)), [5])
        }
    }

    @Test func aCursorGoesOnAfterARowThatIsRefused() throws {
        try withStatement { db, statement in
            try db.execute(sql: "INSERT INTO t VALUES (3)")
            let cursor = BoundCursor(statement: statement, minimum: 2)
            try expectEqual(cursor.next(), 2)
            expectError(BoundCursor.Odd.self) { try cursor.next() }
            try expectEqual(Array(cursor), [4, 5])
        }
    }

    @Test func anErrorOfADatabaseIsThrown() throws {
        try withStatement { db, _ in
            let statement = try db.makeStatement(
                sql:
                    "SELECT abs(CASE a WHEN 4 THEN -9223372036854775808 ELSE a END) FROM t WHERE a > ?"
            )
            let cursor = BoundCursor(statement: statement, minimum: 1)
            try expectEqual(cursor.next(), 2)
            expectError(DatabaseError.self) { try cursor.next() }
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 4)
        }
    }
}
