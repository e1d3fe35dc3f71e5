import Dispatch
import GRDB
import GRDBServer
import GRDBTestSupport
import Testing

/// Asynchronous accesses with a time limit.
@Suite(.databases) struct TimeLimitedAccessTests {
    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        }
        return writer
    }

    /// The database is as it was, and may be used.
    private func expectUntouched(
        _ writer: any DatabaseWriter, line: Int = #line
    ) async throws {
        let isInside = try await writer.writeWithoutTransaction { $0.isInsideTransaction }
        expectEqual(isInside, false, line: line)
        let values = try await writer.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }
        expectEqual(values, [1], line: line)
    }

    @Test(arguments: DatabaseKind.allCases)
    func accessInTimeReturnsItsValue(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        for limit in [100, .infinity] {
            let value = try await writer.withTimeLimit(limit) { writer in
                try await writer.read { try Int.fetchOne($0, sql: "SELECT a FROM t") }
            }
            expectEqual(value, 1)
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func statementIsInterrupted(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let error = await expectError(DatabaseError.self) {
            try await writer.withTimeLimit(0.05) { writer in
                _ = try await writer.read { try Int.fetchOne($0, sql: endlessSQL) }
            }
        }
        expectEqual(error?.resultCode, .SQLITE_INTERRUPT)
        expectEqual(error?.message, "Time limit exceeded")
        try await expectUntouched(writer)
    }

    @Test(arguments: DatabaseKind.allCases)
    func writeIsRolledBack(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let error = await expectError(DatabaseError.self) {
            try await writer.withTimeLimit(0.05) { writer in
                try await writer.write { db in
                    try db.execute(sql: "INSERT INTO t VALUES (2)")
                    _ = try Int.fetchOne(db, sql: endlessSQL)
                }
            }
        }
        expectEqual(error?.message, "Time limit exceeded")
        try await expectUntouched(writer)
    }

    @Test(arguments: DatabaseKind.allCases)
    func waitForTheWriterCounts(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let isBusy = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        writer.asyncWriteWithoutTransaction { _ in
            isBusy.signal()
            mayEnd.wait()
        }
        isBusy.wait()
        let starts = Log<String>()
        let error = await expectError(DatabaseError.self) {
            try await writer.withTimeLimit(0.05) { writer in
                try await writer.write { _ in starts.append("started") }
            }
        }
        mayEnd.signal()
        expectEqual(error?.message, "Time limit exceeded")
        try await expectUntouched(writer)
        expectEqual(starts.elements, [])
    }

    @Test(arguments: DatabaseKind.allCases)
    func cancelledTaskCancelsTheAccess(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let hasStarted = DispatchSemaphore(value: 0)
        let task = Task {
            try await writer.withTimeLimit(100) { writer in
                try await writer.write { db in
                    try db.execute(sql: "INSERT INTO t VALUES (2)")
                    hasStarted.signal()
                    _ = try Int.fetchOne(db, sql: endlessSQL)
                }
            }
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                hasStarted.wait()
                continuation.resume()
            }
        }
        task.cancel()
        await expectError(CancellationError.self) { try await task.value }
        try await expectUntouched(writer)
    }

    @Test(arguments: DatabaseKind.allCases)
    func committedWriteIsNoFailure(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let value = try await writer.withTimeLimit(0) { writer in
            // The cancellation of this task does not reach that one.
            try await Task {
                try await writer.write { try $0.execute(sql: "UPDATE t SET a = 2") }
            }.value
            while !Task.isCancelled { await Task.yield() }
            return try await Task {
                try await writer.read { try Int.fetchOne($0, sql: "SELECT a FROM t") }
            }
            .value
        }
        expectEqual(value, 2)
    }

    @Test(arguments: DatabaseKind.allCases)
    func errorOfTheAppIsKept(kind: DatabaseKind) async throws {
        struct AppError: Error {}
        let writer = try makeWriter(kind)
        await expectError(AppError.self) {
            try await writer.withTimeLimit(0) { writer in
                while !Task.isCancelled { await Task.yield() }
                throw AppError()
            }
        }
    }
}
