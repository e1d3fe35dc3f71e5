import Dispatch
import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct TimeLimitTests {
    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        return writer
    }

    private func exceeded(_ sql: String) -> String {
        "SQLite error 9: Time limit exceeded - while executing `\(sql)`"
    }

    @Test(arguments: DatabaseKind.allCases)
    func longQueriesAreStopped(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let start = Date()
        expectError(exceeded(endlessSQL)) {
            try writer.read { db in
                try db.withTimeLimit(0.05) { try Int.fetchOne(db, sql: endlessSQL) }
            }
        }
        let duration = Date().timeIntervalSince(start)
        expectTrue(duration > 0.04 && duration < patience / 2)
        try expectEqual(writer.read { try Int.fetchOne($0, sql: "SELECT a FROM t") }, 1)
    }

    @Test(arguments: DatabaseKind.allCases)
    func writesThatTakeTooLongAreReverted(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let error = expectError(DatabaseError.self) {
            try writer.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (2)")
                try db.withTimeLimit(0.02) {
                    try db.execute(sql: "INSERT INTO t \(endlessSQL)")
                }
            }
        }
        expectEqual(error?.isInterruptionError, true)
        try expectEqual(writer.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }, [1])
        writer.writeWithoutTransaction { expectTrue(!$0.isInsideTransaction) }
    }

    @Test func statementsFailOnceTheTimeHasElapsed() throws {
        try makeWriter(.queue).read { db in
            try db.withTimeLimit(0.02) {
                // What happens is that the time elapses: there is nothing else to wait for.
                Thread.sleep(forTimeInterval: 0.03)
                expectError(exceeded("SELECT 1")) { try db.execute(sql: "SELECT 1") }
            }
            try db.execute(sql: "SELECT 1")
        }
    }

    @Test func cursorsAreStopped() throws {
        try makeWriter(.queue).read { db in
            let sql = """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n
                """
            expectError(exceeded(sql)) {
                try db.withTimeLimit(0.02) {
                    let cursor = try Int.fetchCursor(db, sql: sql)
                    while try cursor.next() != nil {}
                }
            }
        }
    }

    @Test func transactionsAreRolledBack() throws {
        let writer = try makeWriter(.queue)
        try writer.writeWithoutTransaction { db throws in
            expectError("SQLite error 9: Time limit exceeded") {
                // Long enough for the insertion on a busy machine: the commit shall be what fails.
                try db.withTimeLimit(1) {
                    try db.inTransaction {
                        try db.execute(sql: "INSERT INTO t VALUES (2)")
                        // The limit elapses between two statements.
                        Thread.sleep(forTimeInterval: 1.05)
                        return .commit
                    }
                }
            }
            expectTrue(!db.isInsideTransaction)
            try expectEqual(Int.fetchAll(db, sql: "SELECT a FROM t"), [1])
        }
    }

    @Test func waitsForLocksAreGivenUp() throws {
        let holder = try TestDatabases.makeQueue(.file)
        var configuration = TestDatabases.makeConfiguration()
        for mode in [Database.BusyMode.timeout(patience), .callback { _ in true }] {
            configuration.busyMode = mode
            let dbQueue = try TestDatabases.openQueue(holder.path, configuration)
            try holder.inTransaction(.immediate) { _ in
                let start = Date()
                dbQueue.writeWithoutTransaction { db in
                    expectError(exceeded("BEGIN IMMEDIATE TRANSACTION")) {
                        try db.withTimeLimit(0.05) { try db.inTransaction { .commit } }
                    }
                }
                #expect(Date().timeIntervalSince(start) < patience / 2)
                return .commit
            }
            try dbQueue.write { _ in }
        }
    }

    @Test func shortestLimitCounts() throws {
        try makeWriter(.queue).read { db in
            for (outer, inner) in [(0.02, patience), (patience, 0.02)] {
                let start = Date()
                expectError(exceeded(endlessSQL)) {
                    try db.withTimeLimit(outer) {
                        try db.withTimeLimit(inner) { try Int.fetchOne(db, sql: endlessSQL) }
                    }
                }
                #expect(Date().timeIntervalSince(start) < patience / 2)
            }
            // The outer one goes on after the inner one.
            try db.withTimeLimit(patience) {
                expectError(exceeded("SELECT 1")) {
                    try db.withTimeLimit(0) { try db.execute(sql: "SELECT 1") }
                }
                try db.execute(sql: "SELECT 1")
            }
        }
    }

    @Test func strangeLimits() throws {
        try makeWriter(.queue).read { db in
            for limit in [0, -1, -TimeInterval.infinity, TimeInterval.nan] {
                expectError(exceeded("SELECT 1")) {
                    try db.withTimeLimit(limit) { try db.execute(sql: "SELECT 1") }
                }
            }
            for limit in [1e300, TimeInterval.infinity, TimeInterval.greatestFiniteMagnitude] {
                try db.withTimeLimit(limit) { try db.execute(sql: "SELECT 1") }
            }
        }
    }

    @Test func resultsAndErrorsPass() throws {
        try makeWriter(.queue).read { db throws in
            try expectEqual(
                db.withTimeLimit(patience) { try Int.fetchOne(db, sql: "SELECT a FROM t") },
                1)
            expectError(TestError()) { try db.withTimeLimit(patience) { throw TestError() } }
        }
    }

    @Test func cancellationWins() async throws {
        let writer = try makeWriter(.pool)
        let isReading = DispatchSemaphore(value: 0)
        let task = Task {
            try await writer.read { db in
                try db.withTimeLimit(patience) {
                    isReading.signal()
                    return try Int.fetchOne(db, sql: endlessSQL)
                }
            }
        }
        await isReading.waitInTask()
        task.cancel()
        await expectError(CancellationError.self) { try await task.value }
    }
}
