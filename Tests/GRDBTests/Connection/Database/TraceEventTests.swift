import GRDBFunctions
import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct TraceEventTests {
    private func makeQueue(publicStatementArguments: Bool = false) throws -> DatabaseQueue {
        var configuration = TestDatabases.makeConfiguration()
        configuration.publicStatementArguments = publicStatementArguments
        let dbQueue = try TestDatabases.makeQueue(.memory, configuration)
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a, b)") }
        return dbQueue
    }

    /// The events of the closure, by one of their texts.
    private func trace(
        _ db: Database, _ options: Database.TracingOptions = .statement,
        by text: @escaping (Database.TraceEvent) -> String = { $0.description },
        of body: () throws -> Void
    ) rethrows -> [String] {
        let log = Log<String>()
        db.trace(options: options) { log.append(text($0)) }
        defer { db.trace() }
        try body()
        return log.elements
    }

    // MARK: - Statements

    @Test func argumentsAreHiddenByDefault() throws {
        try makeQueue().writeWithoutTransaction { db throws in
            let insert = {
                try db.execute(
                    sql: "INSERT INTO t VALUES (?, :x)", arguments: ["it's"] + ["x": Data([1])])
            }
            let hidden = ["INSERT INTO t VALUES (?, :x)"]
            let shown = ["INSERT INTO t VALUES ('it''s', x'01')"]
            try expectEqual(trace(db, of: insert), hidden)
            try expectEqual(trace(db, by: { $0.expandedDescription }, of: insert), shown)
            try expectEqual(trace(db, by: { "\($0.statement)" }, of: insert), hidden)
            try expectEqual(trace(db, by: { $0.statement.sql }, of: insert), hidden)
            try expectEqual(trace(db, by: { $0.statement.expandedSQL }, of: insert), shown)
        }
    }

    @Test func argumentsAreShownWhenPublic() throws {
        try makeQueue(publicStatementArguments: true).writeWithoutTransaction { db throws in
            let insert = {
                try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [1, nil])
            }
            let hidden = ["INSERT INTO t VALUES (?, ?)"]
            let shown = ["INSERT INTO t VALUES (1, NULL)"]
            try expectEqual(trace(db, of: insert), shown)
            try expectEqual(trace(db, by: { $0.expandedDescription }, of: insert), shown)
            try expectEqual(trace(db, by: { "\($0.statement)" }, of: insert), shown)
            try expectEqual(trace(db, by: { $0.statement.sql }, of: insert), hidden)
            try expectEqual(trace(db, by: { $0.statement.expandedSQL }, of: insert), shown)
        }
    }

    @Test func eachStatementIsAnEvent() throws {
        try makeQueue().writeWithoutTransaction { db throws in
            let events = try trace(db) {
                try db.execute(
                    sql: """
                          INSERT INTO t VALUES (1, 2) ;
                        SELECT *
                        FROM t;
                        """)
            }
            expectEqual(events, ["INSERT INTO t VALUES (1, 2)", "SELECT *\nFROM t"])
        }
    }

    @Test func triggersAreEvents() throws {
        try makeQueue().writeWithoutTransaction { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE log(a);
                    CREATE TRIGGER tr AFTER DELETE ON t BEGIN INSERT INTO log VALUES (9); END;
                    INSERT INTO t VALUES (1, 2);
                    """)
            let events = try trace(db) { try db.execute(sql: "DELETE FROM t") }
            expectEqual(
                events, ["DELETE FROM t", "-- TRIGGER tr", "-- INSERT INTO log VALUES (9)"])
        }
    }

    @Test func transactionsOfAccessesAreEvents() throws {
        let dbQueue = try makeQueue()
        try expectSQL(
            """
            BEGIN DEFERRED TRANSACTION
            SELECT 1
            COMMIT TRANSACTION
            """
        ) {
            try dbQueue.read { try $0.execute(sql: "SELECT 1") }
        }
    }

    // MARK: - Profile

    @Test func profileEventsTellTheDuration() throws {
        try makeQueue().writeWithoutTransaction { db throws in
            let log = Log<(String, String, TimeInterval)>()
            db.trace(options: .profile) { event in
                guard case .profile(let statement, let duration) = event else { return }
                log.append((event.description, statement.sql, duration))
            }
            try db.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
                    SELECT COUNT(*) FROM n
                    """)
            db.trace()
            let (description, sql, duration) = try unwrap(log.elements.first)
            expectEqual(log.elements.count, 1)
            expectTrue(sql.hasPrefix("WITH RECURSIVE"))
            #expect(duration > 0.0005)
            #expect(duration < 60)
            let seconds = String(format: "%.3f", duration)
            expectEqual(description, "\(seconds)s \(sql)")
        }
    }

    @Test func profileEventsHideArguments() throws {
        let insert: (Database) throws -> Void = { db in
            try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: ["x", 1])
        }
        // Durations are of no interest.
        func withoutDuration(_ text: String) -> String {
            text.replacingOccurrences(
                of: #"^\d+\.\d{3}s "#, with: "_ ", options: .regularExpression)
        }
        try makeQueue().writeWithoutTransaction { db throws in
            try expectEqual(
                trace(db, .profile, by: { withoutDuration($0.description) }) { try insert(db) },
                ["_ INSERT INTO t VALUES (?, ?)"])
            try expectEqual(
                trace(db, .profile, by: { withoutDuration($0.expandedDescription) }) {
                    try insert(db)
                },
                ["_ INSERT INTO t VALUES ('x', 1)"])
        }
        try makeQueue(publicStatementArguments: true).writeWithoutTransaction { db throws in
            try expectEqual(
                trace(db, .profile, by: { withoutDuration($0.description) }) { try insert(db) },
                ["_ INSERT INTO t VALUES ('x', 1)"])
        }
    }

    // MARK: - Options

    @Test func bothKindsOfEventsCanBeTraced() throws {
        try makeQueue().writeWithoutTransaction { db throws in
            let kinds = try trace(
                db, [.statement, .profile],
                by: { event in
                    switch event {
                    case .statement(let statement): "statement \(statement.sql)"
                    case .profile(let statement, _): "profile \(statement.sql)"
                    }
                },
                of: { try db.execute(sql: "SELECT 1") })
            expectEqual(kinds, ["statement SELECT 1", "profile SELECT 1"])
        }
    }

    @Test func noFunctionStopsTracing() throws {
        try makeQueue().writeWithoutTransaction { db throws in
            let log = Log<String>()
            db.trace { log.append("\($0)") }
            try db.execute(sql: "SELECT 1")
            db.trace(options: .profile)
            try db.execute(sql: "SELECT 2")
            expectEqual(log.elements, ["SELECT 1"])
        }
    }

    @Test func noOptionStopsTracing() throws {
        try makeQueue().writeWithoutTransaction { db throws in
            try expectEqual(trace(db, []) { try db.execute(sql: "SELECT 1") }, [])
        }
    }

    @Test func newFunctionReplacesTheFormerOne() throws {
        try makeQueue().writeWithoutTransaction { db throws in
            let log = Log<String>()
            db.trace { log.append("first \($0)") }
            db.trace { log.append("second \($0)") }
            try db.execute(sql: "SELECT 1")
            expectEqual(log.elements, ["second SELECT 1"])
        }
    }

    @Test func functionOfThePreparationSeesTheSetUp() throws {
        let log = Log<String>()
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { db in
            db.trace { log.append("\($0)") }
        }
        _ = try TestDatabases.makeQueue(.memory, configuration)
        expectEqual(log.elements, ["SELECT * FROM sqlite_master LIMIT 1"])
    }
}

extension Database.TraceEvent {
    fileprivate var statement: Statement {
        switch self {
        case .statement(let statement): statement
        case .profile(let statement, _): statement
        }
    }
}
