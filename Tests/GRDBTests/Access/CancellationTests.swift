import Dispatch
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Accesses of tasks that are cancelled, sooner or later.
@Suite(.databases) struct CancellationTests {
    private func makeWriter(
        _ kind: DatabaseKind, _ configuration: Configuration? = nil
    ) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind, configuration)
        try writer.write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        }
        return writer
    }

    /// Each asynchronous access, with the closure that it is given.
    enum Access: CaseIterable {
        case read, write, unsafeRead, writeWithoutTransaction, barrierWriteWithoutTransaction

        func callAsFunction(
            _ writer: any DatabaseWriter, _ body: @escaping @Sendable (Database) throws -> Void
        ) async throws {
            switch self {
            case .read: try await writer.read(body)
            case .write: try await writer.write(body)
            case .unsafeRead: try await writer.unsafeRead(body)
            case .writeWithoutTransaction: try await writer.writeWithoutTransaction(body)
            case .barrierWriteWithoutTransaction:
                try await writer.barrierWriteWithoutTransaction(body)
            }
        }
    }

    /// The database is as it was, in autocommit mode, writable, and not cancelled any more.
    private func expectUntouched(
        _ writer: any DatabaseWriter, _ values: [Int] = [1], line: Int = #line
    ) async throws {
        let isInside = try await writer.writeWithoutTransaction { $0.isInsideTransaction }
        expectTrue(!isInside, line: line)
        let result = try await writer.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }
        expectEqual(result, values, line: line)
        try await writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1000)") }
        try await writer.write { try $0.execute(sql: "DELETE FROM t WHERE a = 1000") }
    }

    /// Lets an access have its own task cancelled.
    private struct Canceller: Sendable {
        let request = DispatchSemaphore(value: 0)
        let response = DispatchSemaphore(value: 0)

        /// Asks for the cancellation, which comes soon.
        func cancelSoon() {
            request.signal()
        }

        /// Has the task cancelled.
        func cancel() {
            request.signal()
            response.wait()
        }
    }

    /// Runs an access in a task, and describes how it ends.
    private func outcome(
        _ writer: any DatabaseWriter, of access: Access,
        _ body: @escaping @Sendable (Database, Canceller) throws -> Void
    ) async -> String {
        let canceller = Canceller()
        let task = Task {
            try await access(writer) { try body($0, canceller) }
        }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                canceller.request.wait()
                task.cancel()
                canceller.response.signal()
                continuation.resume()
            }
        }
        do {
            try await task.value
            return "success"
        } catch {
            return "\(error)"
        }
    }

    // MARK: - When

    @Test(arguments: DatabaseKind.allCases, Access.allCases)
    func cancelledBeforeTheAccess(kind: DatabaseKind, access: Access) async throws {
        let writer = try makeWriter(kind)
        let log = Log<String>()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await access(writer) { _ in log.append("called") }
        }
        await expectError(CancellationError.self) { try await task.value }
        expectEqual(log.elements, [])
        try await expectUntouched(writer)
    }

    @Test(arguments: DatabaseKind.allCases)
    func otherOperationsCancelledBeforeTheAccess(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let path = TestDatabases.makePath()
        let operations: [@Sendable (any DatabaseWriter) async throws -> Void] = [
            { try await $0.erase() }, { try await $0.vacuum() },
            { try await $0.vacuum(into: path) },
        ]
        for operation in operations {
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await operation(writer)
            }
            await expectError(CancellationError.self) { try await task.value }
        }
        expectTrue(!FileManager.default.fileExists(atPath: path))
        try await expectUntouched(writer)
    }

    @Test(arguments: DatabaseKind.allCases, Access.allCases)
    func cancelledWhileWaitingForTheConnection(kind: DatabaseKind, access: Access) async throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.maximumReaderCount = 1
        let writer = try makeWriter(kind, configuration)
        let log = Log<String>()
        let isHeld = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)
        // A pool would serve a read while its writer is occupied.
        let connectionCount = kind == .pool ? 2 : 1
        writer.asyncWriteWithoutTransaction { _ in
            isHeld.signal()
            mayGoOn.wait()
        }
        if kind == .pool {
            writer.asyncUnsafeRead { _ in
                isHeld.signal()
                mayGoOn.wait()
            }
        }
        let task = Task {
            try await access(writer) { _ in log.append("called") }
        }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                for _ in 0..<connectionCount { isHeld.wait() }
                letOthersRun()
                task.cancel()
                for _ in 0..<connectionCount { mayGoOn.signal() }
                continuation.resume()
            }
        }
        await expectError(CancellationError.self) { try await task.value }
        expectEqual(log.elements, [])
        try await expectUntouched(writer)
    }

    @Test(arguments: DatabaseKind.allCases, Access.allCases)
    func cancelledDuringAStatement(kind: DatabaseKind, access: Access) async throws {
        let writer = try makeWriter(kind)
        let result = await outcome(writer, of: access) { db, canceller in
            canceller.cancelSoon()
            _ = try Int.fetchOne(db, sql: endlessSQL)
        }
        expectEqual(result, "CancellationError()")
        try await expectUntouched(writer)
    }

    @Test(arguments: DatabaseKind.allCases, [Access.write, .writeWithoutTransaction])
    func cancelledDuringAChange(kind: DatabaseKind, access: Access) async throws {
        let writer = try makeWriter(kind)
        let result = await outcome(writer, of: access) { db, canceller in
            canceller.cancelSoon()
            try db.execute(sql: "INSERT INTO t \(endlessSQL)")
        }
        expectEqual(result, "CancellationError()")
        try await expectUntouched(writer)
    }

    @Test(arguments: DatabaseKind.allCases, Access.allCases)
    func cancelledBetweenStatements(kind: DatabaseKind, access: Access) async throws {
        let writer = try makeWriter(kind)
        let result = await outcome(writer, of: access) { db, canceller in
            _ = try Int.fetchOne(db, sql: "SELECT 1")
            canceller.cancel()
            _ = try Int.fetchOne(db, sql: "SELECT 2")
        }
        expectEqual(result, "CancellationError()")
        try await expectUntouched(writer)
    }

    @Test(arguments: DatabaseKind.allCases)
    func writeCancelledAfterItsLastStatementIsReverted(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let result = await outcome(writer, of: .write) { db, canceller in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            canceller.cancel()
        }
        expectEqual(result, "CancellationError()")
        try await expectUntouched(writer)
    }

    /// A read that has run to its end has nothing that could be cancelled.
    @Test(arguments: DatabaseKind.allCases)
    func readCancelledAfterItsLastStatementSucceeds(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let result = await outcome(writer, of: .read) { db, canceller in
            _ = try Int.fetchOne(db, sql: "SELECT 1")
            canceller.cancel()
        }
        expectEqual(result, "success")
        try await expectUntouched(writer)
    }

    /// What is committed can't be cancelled, nor can what follows the commit.
    @Test(arguments: DatabaseKind.allCases)
    func completionHandlersAreNotCancelled(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let result = await outcome(writer, of: .write) { db, canceller in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            db.afterNextTransaction { db in
                canceller.cancel()
                try! db.execute(sql: "INSERT INTO t VALUES (3)")
            }
        }
        expectEqual(result, "success")
        try await expectUntouched(writer, [1, 2, 3])
    }

    @Test(arguments: DatabaseKind.allCases)
    func rollbackHandlersOfACancelledWriteAreNotCancelled(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let result = await outcome(writer, of: .write) { db, canceller in
            db.afterNextTransaction { _ in
            } onRollback: { db in
                try! db.execute(sql: "INSERT INTO t VALUES (3)")
            }
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            canceller.cancelSoon()
            _ = try Int.fetchOne(db, sql: endlessSQL)
        }
        expectEqual(result, "CancellationError()")
        try await expectUntouched(writer, [1, 3])
    }

    /// What was done without a transaction is done.
    @Test(arguments: DatabaseKind.allCases)
    func changesBeforeTheCancellationRemainWithoutATransaction(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let result = await outcome(writer, of: .writeWithoutTransaction) { db, canceller in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            canceller.cancelSoon()
            _ = try Int.fetchOne(db, sql: endlessSQL)
        }
        expectEqual(result, "CancellationError()")
        try await expectUntouched(writer, [1, 2])
    }

    @Test(arguments: DatabaseKind.allCases)
    func cancelledInATransactionByHand(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let result = await outcome(writer, of: .writeWithoutTransaction) { db, canceller in
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO t VALUES (2)")
                try db.inSavepoint {
                    try db.execute(sql: "INSERT INTO t VALUES (3)")
                    canceller.cancelSoon()
                    _ = try Int.fetchOne(db, sql: endlessSQL)
                    return .commit
                }
                return .commit
            }
        }
        expectEqual(result, "CancellationError()")
        try await expectUntouched(writer)
    }

    @Test(arguments: DatabaseKind.allCases)
    func cancelledUnderACursor(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let result = await outcome(writer, of: .write) { db, canceller in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            let cursor = try Int.fetchCursor(db, sql: "SELECT a FROM t")
            _ = try cursor.next()
            canceller.cancelSoon()
            _ = try Int.fetchOne(db, sql: endlessSQL)
            _ = try cursor.next()
        }
        expectEqual(result, "CancellationError()")
        try await expectUntouched(writer)
    }

    // MARK: - Swallowed

    @Test(arguments: DatabaseKind.allCases)
    func swallowedCancellationOfAWriteIsThrown(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let result = await outcome(writer, of: .write) { db, canceller in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            canceller.cancelSoon()
            _ = try? Int.fetchOne(db, sql: endlessSQL)
        }
        expectEqual(result, "CancellationError()")
        try await expectUntouched(writer)
    }

    @Test(arguments: DatabaseKind.allCases)
    func nothingRunsAfterASwallowedCancellation(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let log = Log<String>()
        let result = await outcome(writer, of: .writeWithoutTransaction) { db, canceller in
            canceller.cancelSoon()
            _ = try? Int.fetchOne(db, sql: endlessSQL)
            do {
                try db.execute(sql: "INSERT INTO t VALUES (2)")
            } catch {
                log.append("\(error)")
                throw error
            }
        }
        expectEqual(result, "CancellationError()")
        expectEqual(log.elements, ["CancellationError()"])
        try await expectUntouched(writer)
    }

    @Test(arguments: DatabaseKind.allCases)
    func swallowedCancellationInATransactionByHandIsThrown(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let result = await outcome(writer, of: .writeWithoutTransaction) { db, canceller in
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO t VALUES (2)")
                canceller.cancelSoon()
                _ = try? Int.fetchOne(db, sql: endlessSQL)
                return .commit
            }
        }
        expectEqual(result, "CancellationError()")
        try await expectUntouched(writer)
    }

    @Test(arguments: DatabaseKind.allCases)
    func ownErrorWins(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let result = await outcome(writer, of: .write) { db, canceller in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            canceller.cancelSoon()
            _ = try? Int.fetchOne(db, sql: endlessSQL)
            throw TestError("mine")
        }
        expectEqual(result, "TestError mine")
        try await expectUntouched(writer)
    }

    /// An interruption of somebody else is no cancellation.
    @Test(arguments: DatabaseKind.allCases)
    func interruptionIsNoCancellation(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        await expectError("SQLite error 9: interrupted - while executing `\(endlessSQL)`") {
            try await writer.write { db in
                _ = try writer.whileInterrupting {
                    try db.withTimeLimit(patience) { try Int.fetchOne(db, sql: endlessSQL) }
                }
            }
        }
        try await expectUntouched(writer)
    }

    // MARK: - Races

    /// Cancels at moments all over the access: whatever it hits, the next access is not hit.
    @Test(arguments: DatabaseKind.allCases)
    func cancellationHitsItsOwnAccessOnly(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        var outcomes: Set<String> = []
        for index in 0..<150 {
            // Those that don't end by themselves are cancelled, however late that comes.
            let limit = index % 50 == 0 ? "" : "WHERE i < 2000"
            let task = Task {
                try await writer.write { db in
                    try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [index + 10])
                    _ = try Int.fetchOne(
                        db,
                        sql: """
                            WITH RECURSIVE n(i) AS (
                                SELECT 1 UNION ALL SELECT i + 1 FROM n \(limit))
                            SELECT COUNT(*) FROM n
                            """)
                }
            }
            Thread.detachNewThread {
                passTurns(index * 13 % 900)
                task.cancel()
            }
            do {
                try await task.value
                outcomes.insert("success")
                // A success is a commit.
                let count = try await writer.read { db in
                    try Int.fetchOne(
                        db, sql: "SELECT COUNT(*) FROM t WHERE a = ?", arguments: [index + 10])
                }
                expectEqual(count, 1)
            } catch is CancellationError {
                outcomes.insert("cancelled")
                let count = try await writer.read { db in
                    try Int.fetchOne(
                        db, sql: "SELECT COUNT(*) FROM t WHERE a = ?", arguments: [index + 10])
                }
                expectEqual(count, 0)
            }
            let isInside = try await writer.writeWithoutTransaction { $0.isInsideTransaction }
            expectTrue(!isInside)
        }
        expectTrue(outcomes.contains("cancelled"))
        try await writer.write { try $0.execute(sql: "DELETE FROM t WHERE a >= 10") }
        try await expectUntouched(writer)
    }

    @Test func cancelledTasksLeaveNoConnection() async throws {
        for index in 0..<20 {
            let other = try TestDatabases.makeWriter([.queue, .pool][index % 2])
            let task = Task { try await other.write { try $0.execute(sql: endlessSQL) } }
            task.cancel()
            await expectError(CancellationError.self) { try await task.value }
        }
    }
}
