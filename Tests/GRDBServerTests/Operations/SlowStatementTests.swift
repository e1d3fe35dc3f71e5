@testable import GRDBServer
import Foundation
import GRDB
import GRDBSchema
import GRDBTestSupport
import Testing

@Suite(.databases) struct SlowStatementTests {
    private func makeConfiguration(
        _ log: Log<SlowStatement>, threshold: TimeInterval
    ) -> Configuration {
        var configuration = TestDatabases.makeConfiguration()
        configuration.metricsCollector = DatabaseMetricsCollector()
        configuration.reportSlowStatements(threshold: threshold) { log.append($0) }
        return configuration
    }

    private static let slowSQL = """
        WITH RECURSIVE i(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i LIMIT 200000) \
        SELECT COUNT(*) FROM i, t WHERE i > ?
        """

    @Test(arguments: DatabaseKind.allCases)
    func slowStatementsAreReportedWithTheirPlans(kind: DatabaseKind) async throws {
        let log = Log<SlowStatement>()
        let writer = try TestDatabases.makeWriter(kind, makeConfiguration(log, threshold: 0.01))
        try await writer.write {
            try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        }
        _ = log.removeAll()
        let count = try await writer.read(label: "slow") { db in
            try Int.fetchOne(db, sql: Self.slowSQL, arguments: [0])
        }
        expectEqual(count, 200_000)
        let statement = try unwrap(log.elements.first)
        expectEqual(log.elements.count, 1)
        expectEqual(statement.sql, Self.slowSQL)
        #expect(statement.duration >= 0.01)
        expectEqual(statement.plan?.scannedTables.contains("t"), true)
        expectEqual(statement.label?.name, "slow")
        expectTrue(statement.connection.hasPrefix("GRDB.Database"))
        expectTrue(statement.description.contains("SCAN t"))
        #expect(writer.metrics.slowStatementCount >= 1)
    }

    @Test func fastStatementsAreNot() throws {
        let log = Log<SlowStatement>()
        let queue = try TestDatabases.makeQueue(.memory, makeConfiguration(log, threshold: 60))
        try queue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        expectTrue(log.elements.isEmpty)
        expectEqual(queue.metrics.slowStatementCount, 0)
    }

    /// A function of the app that traces is not replaced.
    @Test func tracesGoOn() throws {
        let log = Log<SlowStatement>()
        let traces = Log<String>()
        let queue = try TestDatabases.makeQueue(.memory, makeConfiguration(log, threshold: 0))
        try queue.writeWithoutTransaction { db in
            db.trace(options: .profile) { traces.append("\($0)") }
            try db.execute(sql: "CREATE TABLE t(a)")
            db.trace(options: .statement) { traces.append("\($0)") }
            try db.execute(sql: "DROP TABLE t")
            db.trace(nil)
            try db.execute(sql: "CREATE TABLE u(a)")
        }
        expectEqual(traces.elements.count, 2)
        expectTrue(traces.elements[0].hasSuffix("CREATE TABLE t(a)"))
        expectEqual(traces.elements[1], "DROP TABLE t")
        let reported = log.elements.map(\.sql)
        for sql in ["CREATE TABLE t(a)", "DROP TABLE t", "CREATE TABLE u(a)"] {
            expectTrue(reported.contains(sql))
        }
    }

    @Test func statementOfALostTableHasNoPlan() throws {
        let log = Log<SlowStatement>()
        let queue = try TestDatabases.makeQueue(.memory, makeConfiguration(log, threshold: 0))
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t(a)")
            _ = try Int.fetchOne(db, sql: "SELECT a FROM t")
            try db.execute(sql: "DROP TABLE t")
        }
        let statement = try unwrap(log.elements.first { $0.sql == "SELECT a FROM t" })
        expectEqual(statement.plan, nil)
    }
}
