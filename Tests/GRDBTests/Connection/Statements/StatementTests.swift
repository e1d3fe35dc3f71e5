import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct StatementTests {
    @Test func columns() throws {
        try TestDatabases.makeQueue().write { db in
            let sql = "SELECT 1 AS foo, 2 AS bar, 3 AS FOO, 'x' || 'y'"
            let statement = try db.makeStatement(sql: sql)
            expectEqual(statement.columnCount, 4)
            expectEqual(statement.columnNames, ["foo", "bar", "FOO", "'x' || 'y'"])
            expectEqual(statement.index(ofColumn: "foo"), 0)
            expectEqual(statement.index(ofColumn: "FOO"), 0)
            expectEqual(statement.index(ofColumn: "Bar"), 1)
            expectEqual(statement.index(ofColumn: "nope"), nil)
        }
    }

    @Test func statementsWithoutColumns() throws {
        try TestDatabases.makeQueue().write { db in
            let statement = try db.makeStatement(sql: "CREATE TABLE t(a)")
            expectEqual(statement.columnCount, 0)
            expectEqual(statement.columnNames, [])
            expectEqual(statement.index(ofColumn: "a"), nil)
        }
    }

    @Test func descriptionIsTheSQL() throws {
        try TestDatabases.makeQueue().write { db in
            let statement = try db.makeStatement(sql: "SELECT ?")
            try statement.setArguments(["secret"])
            expectEqual(statement.sql, "SELECT ?")
            expectEqual(statement.description, "SELECT ?")
            expectEqual("\(statement)", "SELECT ?")
        }
    }

    @Test(arguments: [
        ("SELECT * FROM t", true), ("INSERT INTO t VALUES (1)", false),
        ("UPDATE t SET a = 1", false),
        ("DELETE FROM t", false), ("CREATE TABLE u(a)", false), ("SAVEPOINT s", true),
        ("COMMIT", true), ("BEGIN IMMEDIATE", false), ("EXPLAIN SELECT 1", true),
        ("PRAGMA user_version", true), ("INSERT INTO t VALUES (1) RETURNING a", false),
    ])
    func isReadonly(sql: String, isReadonly: Bool) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a)")
            try expectEqual(db.makeStatement(sql: sql).isReadonly, isReadonly)
        }
    }

    // MARK: - Executing

    @Test func executeRunsToTheEnd() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a)")
            let statement = try db.makeStatement(
                sql: "INSERT INTO t VALUES (1), (2), (3) RETURNING a")
            try statement.execute()
            try statement.execute()
            try expectEqual(Int.fetchAll(db, sql: "SELECT a FROM t"), [1, 2, 3, 1, 2, 3])
            // Rows are ignored, but computed: an error in the last one is thrown.
            let select = try db.makeStatement(
                sql: "SELECT abs(a) FROM (SELECT 1 AS a UNION ALL SELECT -9223372036854775808)")
            expectError(DatabaseError.self) { try select.execute() }
        }
    }

    @Test func executeKeepsTheArguments() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a)")
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (?)")
            try statement.execute(arguments: [1])
            try statement.execute()
            statement.arguments = [2]
            try statement.execute()
            expectEqual(statement.arguments, [2])
            try expectEqual(Int.fetchAll(db, sql: "SELECT a FROM t"), [1, 1, 2])
        }
    }

    @Test func aStatementIsUsableAfterAnError() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a INTEGER NOT NULL)")
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (?)")
            for _ in 0..<2 {
                let error = expectError(DatabaseError.self) {
                    try statement.execute(arguments: [nil])
                }
                expectEqual(error?.extendedResultCode, .SQLITE_CONSTRAINT_NOTNULL)
                expectEqual(error?.sql, "INSERT INTO t VALUES (?)")
                expectEqual(error?.arguments, [nil])
            }
            try statement.execute(arguments: [1])
            try expectEqual(Int.fetchAll(db, sql: "SELECT a FROM t"), [1])
        }
    }

    @Test func aStatementOutlivesItsQueue() throws {
        var dbQueue: DatabaseQueue? = try TestDatabases.makeQueue()
        let statement = try dbQueue?.write { try $0.makeStatement(sql: "SELECT 1") }
        dbQueue = nil
        expectEqual(statement?.sql, "SELECT 1")
        let error = expectError(DatabaseError.self) { try statement?.execute() }
        expectEqual(error?.resultCode, .SQLITE_MISUSE)
    }

    @Test func aStatementCanOnlyBeUsedInAnAccess() throws {
        let dbQueue = try TestDatabases.makeQueue()
        let statement = try dbQueue.write { try $0.makeStatement(sql: "SELECT ?") }
        for use in [
            { try statement.execute(arguments: [1]) },
            { try statement.setArguments([1]) },
            { try statement.execute(values: 1) },
            { _ = try Int.fetchOne(statement, arguments: [1]) },
            { _ = try Row.fetchCursor(statement) },
        ] as [() throws -> Void] {
            let error = expectError(DatabaseError.self) { try use() }
            expectEqual(error?.message, "Database was not used on the correct thread.")
        }
        try dbQueue.write { _ in
            try expectEqual(Int.fetchOne(statement, arguments: [1]), 1)
        }
    }

    // MARK: - Changes of the schema

    @Test func columnsFollowTheSchema() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
            let statement = try db.makeStatement(sql: "SELECT * FROM t")
            try expectEqual(Row.fetchAll(statement), [["a": 1]])
            try db.execute(sql: "ALTER TABLE t ADD COLUMN b DEFAULT 2")
            try expectEqual(Row.fetchAll(statement), [["a": 1, "b": 2]])
            expectEqual(statement.columnNames, ["a", "b"])
            expectEqual(statement.columnCount, 2)
            expectEqual(statement.index(ofColumn: "b"), 1)
            try db.execute(sql: "ALTER TABLE t RENAME COLUMN a TO c")
            try expectEqual(Row.fetchOne(statement), ["c": 1, "b": 2])
            let rows = try Row.fetchCursor(statement)
            try expectEqual(rows.next()?["c"], 1)
        }
    }

    @Test func valuesFollowTheSchema() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a, b); INSERT INTO t VALUES ('a', 'b')")
            let sql = "SELECT * FROM t"
            let adapter = ColumnMapping(["value": "b"])
            try expectEqual(String.fetchOne(db, sql: sql, adapter: adapter), "b")
            try expectEqual(Row.fetchOne(db, sql: sql, adapter: adapter), ["value": "b"])
            try db.execute(
                sql: "DROP TABLE t; CREATE TABLE t(b, a); INSERT INTO t VALUES ('b', 'a')")
            try expectEqual(String.fetchOne(db, sql: sql, adapter: adapter), "b")
            try expectEqual(Row.fetchOne(db, sql: sql, adapter: adapter), ["value": "b"])
        }
    }

    @Test func adaptersSeeNewColumns() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
            let sql = "SELECT * FROM t"
            try expectEqual(Row.fetchAll(db, sql: sql).count, 1)
            try db.execute(sql: "ALTER TABLE t ADD COLUMN b DEFAULT 2")
            let adapter = ColumnMapping(["value": "b"])
            try expectEqual(Row.fetchAll(db, sql: sql, adapter: adapter), [["value": 2]])
            try db.execute(sql: "ALTER TABLE t ADD COLUMN c DEFAULT 3")
            let rows = try Row.fetchCursor(db, sql: sql, adapter: ColumnMapping(["value": "c"]))
            try expectEqual(rows.next(), ["value": 3])
            try db.execute(sql: "CREATE TABLE other(a)")
            try expectEqual(Int.fetchAll(db, sql: sql, adapter: ColumnMapping(["value": "c"])), [3])
        }
    }

    private final class Observer: TransactionObserver {
        let log = Log<String>()

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
            eventKind.tableName == "u"
        }

        func databaseDidChange(with event: DatabaseEvent) {
            log.append("\(event.tableName) \(event.rowID)")
        }

        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }

    /// A trigger may change tables that the statement does not name.
    @Test func observersLearnOfNewTriggers() throws {
        let dbQueue = try TestDatabases.makeQueue()
        let observer = Observer()
        dbQueue.add(transactionObserver: observer, extent: .observerLifetime)
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE t(a); CREATE TABLE u(a)")
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (1)")
            try statement.execute()
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            try db.execute(
                sql: "CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO u VALUES (1); END")
            try statement.execute()
            expectEqual(observer.log.removeAll(), ["u 1"])
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            expectEqual(observer.log.removeAll(), ["u 2"])
        }
    }

    @Test func aMissingTableIsAnErrorUntilItIsBack() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
            let statement = try db.makeStatement(sql: "SELECT a FROM t")
            try expectEqual(Int.fetchOne(statement), 1)
            try db.execute(sql: "DROP TABLE t")
            let error = expectError(DatabaseError.self) { try Int.fetchOne(statement) }
            expectEqual(error?.message, "no such table: t")
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (2)")
            try expectEqual(Int.fetchOne(statement), 2)
        }
    }
}
