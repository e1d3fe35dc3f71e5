import GRDBFunctions
import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabasePreUpdateEventTests {
    private let dbQueue: DatabaseQueue
    private let recorder = TransactionRecorder(nil, [.willChange, .others])
    private let log = Log<String>()

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a, b);
                    CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID;
                    """)
        }
        dbQueue.add(transactionObserver: recorder)
        recorder.onWillChange = { [log] in log.append(describe($0)) }
    }

    private func execute(_ sql: String, _ arguments: StatementArguments = []) throws {
        try dbQueue.writeWithoutTransaction { try $0.execute(sql: sql, arguments: arguments) }
    }

    // MARK: - Order

    @Test func eventPrecedesTheChange() throws {
        try execute("INSERT INTO t VALUES (1, 'x', 2.5), (2, 'y', NULL)")
        expectEqual(
            recorder.lines(),
            [
                "willChange insert main.t 1", "didChange insert main.t 1",
                "willChange insert main.t 2", "didChange insert main.t 2",
                "willCommit", "didCommit",
            ])
        try execute("UPDATE t SET id = 10 WHERE id = 1")
        expectEqual(
            recorder.lines(),
            [
                "willChange update main.t 1→10", "didChange update main.t 10",
                "willCommit", "didCommit",
            ])
    }

    // MARK: - Values

    @Test func insertionHasFinalValues() throws {
        try execute("INSERT INTO t VALUES (?, ?, ?)", [7, "it's", Data([1, 2])])
        expectEqual(log.elements, [#"insert main.t nil→7 nil → [7, "it\'s", Data(2 bytes)]"#])
    }

    @Test func deletionHasInitialValues() throws {
        try execute("INSERT INTO t VALUES (7, 1.5, NULL)")
        log.removeAll()
        try execute("DELETE FROM t")
        expectEqual(log.elements, ["delete main.t 7→nil [7, 1.5, NULL] → nil"])
    }

    @Test func updateHasBoth() throws {
        try execute("INSERT INTO t VALUES (7, 'x', 1)")
        log.removeAll()
        try execute("UPDATE t SET a = 'y'")
        try execute("UPDATE t SET id = 8, b = NULL")
        expectEqual(
            log.elements,
            [
                "update main.t 7→7 [7, \"x\", 1] → [7, \"y\", 1]",
                "update main.t 7→8 [7, \"y\", 1] → [8, \"y\", NULL]",
            ])
    }

    @Test func valuesAreReadByIndex() throws {
        try execute("INSERT INTO t VALUES (1, 'x', 2)")
        let events = Log<Bool>()
        recorder.onWillChange = { event in
            expectEqual(event.count, 3)
            expectEqual(event.initialDatabaseValue(atIndex: 1), "x".databaseValue)
            expectEqual(event.finalDatabaseValue(atIndex: 1), "y".databaseValue)
            expectEqual(event.initialDatabaseValue(atIndex: 2), 2.databaseValue)
            expectEqual(event.initialDatabaseValue(atIndex: -1), nil)
            expectEqual(event.initialDatabaseValue(atIndex: 3), nil)
            expectEqual(event.finalDatabaseValue(atIndex: 3), nil)
            events.append(true)
        }
        try execute("UPDATE t SET a = 'y'")
        recorder.onWillChange = { event in
            expectEqual(event.initialDatabaseValue(atIndex: 1), "y".databaseValue)
            expectEqual(event.finalDatabaseValue(atIndex: 1), nil)
            expectEqual(event.finalDatabaseValues, nil)
            expectEqual(event.finalRowID, nil)
            events.append(true)
        }
        try execute("DELETE FROM t")
        recorder.onWillChange = { event in
            expectEqual(event.initialDatabaseValue(atIndex: 1), nil)
            expectEqual(event.initialDatabaseValues, nil)
            expectEqual(event.initialRowID, nil)
            expectEqual(event.finalDatabaseValue(atIndex: 1), "z".databaseValue)
            events.append(true)
        }
        try execute("INSERT INTO t(a) VALUES ('z')")
        expectEqual(events.elements.count, 3)
    }

    /// Rows written before a column was added are shorter than the table.
    @Test func addedColumnsHaveTheirDefault() throws {
        try execute("INSERT INTO t VALUES (1, 'x', 2)")
        try execute("ALTER TABLE t ADD COLUMN c DEFAULT 'd'")
        log.removeAll()
        try execute("UPDATE t SET a = 'y'")
        expectEqual(
            log.elements,
            [
                "update main.t 1→1 [1, \"x\", 2, \"d\"] → [1, \"y\", 2, \"d\"]"
            ])
    }

    @Test func columnAffinityHasBeenApplied() throws {
        try execute("CREATE TABLE typed(i INTEGER, r REAL, t TEXT)")
        try execute("INSERT INTO typed VALUES ('12', '3.5', 4)")
        try execute("DELETE FROM typed")
        expectEqual(
            log.elements,
            [
                "insert main.typed nil→1 nil → [12, 3.5, \"4\"]",
                "delete main.typed 1→nil [12, 3.5, \"4\"] → nil",
            ])
    }

    // MARK: - Kinds of tables and changes

    @Test func tablesWithoutRowIDAreReported() throws {
        try execute("INSERT INTO w VALUES ('k', 1)")
        try execute("UPDATE w SET v = 2")
        try execute("DELETE FROM w")
        expectEqual(
            log.elements.map(withoutRowIDs),
            [
                "insert main.w nil → [\"k\", 1]",
                "update main.w [\"k\", 1] → [\"k\", 2]",
                "delete main.w [\"k\", 2] → nil",
            ])
        expectTrue(recorder.lines().allSatisfy { !$0.hasPrefix("didChange") })
    }

    @Test func rowsThatAreReplacedAreReported() throws {
        try execute("CREATE UNIQUE INDEX i ON t(a)")
        try execute("INSERT INTO t VALUES (1, 'x', 1)")
        log.removeAll()
        recorder.filter = { _ in true }
        try execute("INSERT OR REPLACE INTO t VALUES (2, 'x', 2)")
        expectEqual(
            log.elements,
            [
                "delete main.t 1→nil [1, \"x\", 1] → nil",
                "insert main.t nil→2 nil → [2, \"x\", 2]",
            ])
    }

    @Test func deleteWithoutWhereIsReportedRowByRow() throws {
        try execute("INSERT INTO t VALUES (1, 'x', 1), (2, 'y', 2)")
        log.removeAll()
        try execute("DELETE FROM t")
        expectEqual(
            log.elements,
            [
                "delete main.t 1→nil [1, \"x\", 1] → nil",
                "delete main.t 2→nil [2, \"y\", 2] → nil",
            ])
    }

    @Test func temporaryAndAttachedTablesAreReported() throws {
        try execute("CREATE TEMP TABLE tmp(a)")
        try execute("ATTACH ':memory:' AS att")
        try execute("CREATE TABLE att.u(a)")
        try execute("INSERT INTO tmp VALUES (1)")
        try execute("INSERT INTO att.u VALUES (2)")
        expectEqual(
            log.elements,
            ["insert temp.tmp nil→1 nil → [1]", "insert att.u nil→1 nil → [2]"])
    }

    @Test(arguments: [
        "CREATE TABLE n(a)", "DROP TABLE t", "ALTER TABLE t ADD COLUMN c", "ANALYZE",
        "CREATE VIRTUAL TABLE ft USING fts5(a)",
        "CREATE TABLE auto(id INTEGER PRIMARY KEY AUTOINCREMENT)",
    ])
    func internalTablesAreNotReported(sql: String) throws {
        try execute(sql)
        expectEqual(log.elements, [])
    }

    /// Like the events that follow.
    @Test func shadowTablesAreReported() throws {
        try execute("CREATE VIRTUAL TABLE ft USING fts5(a)")
        try execute("INSERT INTO ft VALUES ('x')")
        expectEqual(log.elements.first, #"insert main.ft_content nil→1 nil → [1, "x"]"#)
    }

    @Test func sequencesAreNotReported() throws {
        try execute("CREATE TABLE auto(id INTEGER PRIMARY KEY AUTOINCREMENT, a)")
        try execute("INSERT INTO auto(a) VALUES ('x')")
        expectEqual(log.elements, ["insert main.auto nil→1 nil → [1, \"x\"]"])
    }

    @Test func changesThatAreNotObservedAreNotReported() throws {
        recorder.filter = { if case .update = $0 { true } else { false } }
        try execute("INSERT INTO t VALUES (1, 'x', 1)")
        try execute("UPDATE t SET a = 'y'")
        try execute("DELETE FROM t")
        expectEqual(log.elements, ["update main.t 1→1 [1, \"x\", 1] → [1, \"y\", 1]"])
    }

    // MARK: - Depth

    @Test func depthIsThatOfTriggers() throws {
        try execute("CREATE TABLE a(x)")
        try execute("CREATE TABLE b(x)")
        try execute("CREATE TABLE c(x)")
        try execute("CREATE TRIGGER ta AFTER INSERT ON a BEGIN INSERT INTO b VALUES (NEW.x); END")
        try execute("CREATE TRIGGER tb AFTER INSERT ON b BEGIN INSERT INTO c VALUES (NEW.x); END")
        recorder.onWillChange = { [log] in log.append("\($0.tableName) \($0.depth)") }
        try execute("INSERT INTO a VALUES (1)")
        expectEqual(log.elements, ["a 0", "b 1", "c 2"])
    }

    @Test func depthIsThatOfForeignKeyActions() throws {
        try execute("CREATE TABLE p(id INTEGER PRIMARY KEY)")
        try execute("CREATE TABLE c(pid REFERENCES p(id) ON DELETE CASCADE)")
        try execute("INSERT INTO p VALUES (1)")
        try execute("INSERT INTO c VALUES (1)")
        recorder.onWillChange = { [log] in log.append("\($0.tableName) \($0.depth)") }
        log.removeAll()
        try execute("DELETE FROM p")
        expectEqual(Set(log.elements), ["p 0", "c 1"])
    }

    // MARK: - Copies

    @Test func copiesOutliveTheChange() throws {
        var events: [DatabasePreUpdateEvent] = []
        recorder.onWillChange = { events.append($0.copy()) }
        try execute("INSERT INTO t VALUES (1, 'x', NULL)")
        try execute("UPDATE t SET a = x'0102'")
        try execute("DELETE FROM t")
        try dbQueue.close()
        expectEqual(
            events.map(describe),
            [
                "insert main.t nil→1 nil → [1, \"x\", NULL]",
                "update main.t 1→1 [1, \"x\", NULL] → [1, Data(2 bytes), NULL]",
                "delete main.t 1→nil [1, Data(2 bytes), NULL] → nil",
            ])
        expectEqual(events.map(\.count), [3, 3, 3])
        expectEqual(events.map(\.depth), [0, 0, 0])
        expectEqual(events[1].initialDatabaseValue(atIndex: 1), "x".databaseValue)
        expectEqual(events[1].finalDatabaseValue(atIndex: 1), Data([1, 2]).databaseValue)
        expectEqual(events[1].finalDatabaseValue(atIndex: 3), nil)
        // A copy of a copy is one.
        expectEqual(events.map { describe($0.copy()) }, events.map(describe))
    }
}

/// `kind table rowIDs initial values → final values`
private func describe(_ event: DatabasePreUpdateEvent) -> String {
    func text(_ rowID: Int64?) -> String { rowID.map(String.init) ?? "nil" }
    func text(_ values: [DatabaseValue]?) -> String { values.map { "\($0)" } ?? "nil" }
    return """
        \(event.kind) \(event.databaseName).\(event.tableName) \
        \(text(event.initialRowID))→\(text(event.finalRowID)) \
        \(text(event.initialDatabaseValues)) → \(text(event.finalDatabaseValues))
        """
}

/// Row ids mean nothing in tables without them.
private func withoutRowIDs(_ description: String) -> String {
    description.replacingOccurrences(
        of: #" \S+→\S+ "#, with: " ", options: .regularExpression)
}
