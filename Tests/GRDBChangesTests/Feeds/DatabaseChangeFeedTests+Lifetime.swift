@testable import GRDBChanges
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Subscriptions begin and end.
extension DatabaseChangeFeedTests {
    @Test func subscriptionEnds() throws {
        let writer = try makeWriter(.queue)
        var subscription: AnyDatabaseCancellable? = start(DatabaseChangeFeed(), in: writer)
        try writer.write { try $0.execute(sql: "INSERT INTO parent VALUES (1)") }
        try writer.write { db in
            try db.execute(sql: "INSERT INTO parent VALUES (2)")
            subscription?.cancel()
        }
        try writer.write { try $0.execute(sql: "INSERT INTO parent VALUES (3)") }
        expectEqual(log.removeAll(), ["insert main.parent [id:1]"])
        subscription = start(DatabaseChangeFeed(), in: writer)
        try writer.write { try $0.execute(sql: "INSERT INTO parent VALUES (4)") }
        subscription = nil
        try writer.write { try $0.execute(sql: "INSERT INTO parent VALUES (5)") }
        expectEqual(log.removeAll(), ["insert main.parent [id:4]"])
        _ = subscription
    }

    @Test(arguments: DatabaseKind.allCases)
    func closedDatabaseEndsTheFeed(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let subscription = start(DatabaseChangeFeed(), in: writer)
        try writer.write { try $0.execute(sql: "INSERT INTO parent VALUES (1)") }
        try writer.close()
        expectEqual(
            log.elements,
            [
                "insert main.parent [id:1]", "error: SQLite error 21: Connection is closed",
            ])
        subscription.cancel()
        let late = start(DatabaseChangeFeed(), in: writer)
        writer.writeWithoutTransaction { _ in }
        expectEqual(log.elements.last, "error: SQLite error 21: Connection is closed")
        late.cancel()
    }

    @Test func startInsideOfAWriteTellsTheNextOne() throws {
        let writer = try makeWriter(.queue)
        let subscription = try writer.write { db in
            try db.execute(sql: "INSERT INTO parent VALUES (1)")
            return start(DatabaseChangeFeed(), in: writer)
        }
        try writer.write { try $0.execute(sql: "INSERT INTO parent VALUES (2)") }
        subscription.cancel()
        expectEqual(log.elements, ["insert main.parent [id:2]"])
    }

    /// The rows of a table that is dropped or renamed are not reported.
    @Test(arguments: [
        "DROP TABLE t; CREATE TABLE t(id INTEGER PRIMARY KEY, a, b)", "ALTER TABLE t RENAME TO s",
    ])
    func trackedTablesThatGo(sql: String) throws {
        let writer = try makeWriter(.queue)
        let cancellable = DatabaseChangeFeed(tracking: .table("T"), .table("audit")).start(
            in: writer, onError: { log.append("\($0)") }, onChange: { log.append("\($0.changes)") })
        defer { cancellable.cancel() }
        try? writer.write {
            try $0.execute(sql: sql)
            throw TestError()
        }
        try writer.writeWithoutTransaction { try $0.execute(sql: "ALTER TABLE t ADD COLUMN c") }
        try writer.writeWithoutTransaction {
            try $0.execute(sql: "CREATE TEMP TABLE t(a); DROP TABLE temp.t; DROP TABLE child")
        }
        expectEqual(log.elements, [])
        try writer.writeWithoutTransaction { try $0.execute(sql: sql) }
        expectEqual(
            log.elements,
            [
                """
                The content of the table T was replaced. The change feed can't report the differences.
                """
            ])
    }

    /// Values of a tracked column that is renamed or dropped would be missing.
    @Test(arguments: [
        "ALTER TABLE t RENAME COLUMN a TO c; INSERT INTO t VALUES (1, 2, 3)",
        "ALTER TABLE t DROP COLUMN b; INSERT INTO t VALUES (1, 2)",
    ])
    func trackedColumnsThatGo(sql: String) throws {
        let writer = try makeWriter(.queue)
        let cancellable = DatabaseChangeFeed(tracking: .table("t", columns: ["a", "b"])).start(
            in: writer, onError: { log.append("\($0)") }, onChange: { log.append("\($0.changes)") })
        defer { cancellable.cancel() }
        // What is rolled back changes nothing.
        try? writer.write {
            try $0.execute(sql: sql)
            throw TestError()
        }
        try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (5, 6, 7)") }
        try writer.write { try $0.execute(sql: sql) }
        try writer.write { try $0.execute(sql: "DELETE FROM t") }
        let column = sql.contains("RENAME") ? "a" : "b"
        expectEqual(
            log.elements,
            [
                "[insert main.t [a:6 b:7]]",
                """
                SQLite error 1: A change feed tracks the column \(column), which the table t does not have
                """,
            ])
    }
}
