import Dispatch
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Accesses of tasks that are cancelled, sooner or later.
@Suite(.databases) struct CancellationTests {
    private let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        }
    }

    /// Each asynchronous access, with the closure that it is given.
    enum Access: CaseIterable {
        case read, write, unsafeRead, writeWithoutTransaction, barrierWriteWithoutTransaction

        func callAsFunction(
            _ dbQueue: DatabaseQueue, _ body: @escaping @Sendable (Database) throws -> Void
        ) async throws {
            switch self {
            case .read: try await dbQueue.read(body)
            case .write: try await dbQueue.write(body)
            case .unsafeRead: try await dbQueue.unsafeRead(body)
            case .writeWithoutTransaction: try await dbQueue.writeWithoutTransaction(body)
            case .barrierWriteWithoutTransaction:
                try await dbQueue.barrierWriteWithoutTransaction(body)
            }
        }
    }

    /// The database is as it was, in autocommit mode, writable, and not cancelled any more.
    private func expectUntouched(
        _ values: [Int] = [1], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let isInside = try await dbQueue.writeWithoutTransaction { $0.isInsideTransaction }
        #expect(!isInside, sourceLocation: sourceLocation)
        let result = try await dbQueue.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }
        #expect(result == values, sourceLocation: sourceLocation)
        try await dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1000)") }
        try await dbQueue.write { try $0.execute(sql: "DELETE FROM t WHERE a = 1000") }
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
        of access: Access,
        _ body: @escaping @Sendable (Database, Canceller) throws -> Void
    ) async -> String {
        let canceller = Canceller()
        let task = Task { [dbQueue] in
            try await access(dbQueue) { try body($0, canceller) }
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

    @Test(arguments: Access.allCases)
    func cancelledBeforeTheAccess(access: Access) async throws {
        let log = Log<String>()
        let task = Task { [dbQueue] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await access(dbQueue) { _ in log.append("called") }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(log.elements == [])
        try await expectUntouched()
    }

    @Test func otherOperationsCancelledBeforeTheAccess() async throws {
        let path = TestDatabases.makePath()
        let operations: [@Sendable (DatabaseQueue) async throws -> Void] = [
            { try await $0.erase() }, { try await $0.vacuum() },
            { try await $0.vacuum(into: path) },
        ]
        for operation in operations {
            let task = Task { [dbQueue] in
                withUnsafeCurrentTask { $0?.cancel() }
                try await operation(dbQueue)
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(!FileManager.default.fileExists(atPath: path))
        try await expectUntouched()
    }

    @Test(arguments: Access.allCases)
    func cancelledWhileWaitingForTheConnection(access: Access) async throws {
        let log = Log<String>()
        let isHeld = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)
        dbQueue.asyncWriteWithoutTransaction { _ in
            isHeld.signal()
            mayGoOn.wait()
        }
        let task = Task { [dbQueue] in
            try await access(dbQueue) { _ in log.append("called") }
        }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                isHeld.wait()
                Thread.sleep(forTimeInterval: 0.02)
                task.cancel()
                mayGoOn.signal()
                continuation.resume()
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(log.elements == [])
        try await expectUntouched()
    }

    @Test(arguments: Access.allCases)
    func cancelledDuringAStatement(access: Access) async throws {
        let result = await outcome(of: access) { db, canceller in
            canceller.cancelSoon()
            _ = try Int.fetchOne(db, sql: endlessSQL)
        }
        #expect(result == "CancellationError()")
        try await expectUntouched()
    }

    @Test(arguments: [Access.write, .writeWithoutTransaction])
    func cancelledDuringAChange(access: Access) async throws {
        let result = await outcome(of: access) { db, canceller in
            canceller.cancelSoon()
            try db.execute(sql: "INSERT INTO t \(endlessSQL)")
        }
        #expect(result == "CancellationError()")
        try await expectUntouched()
    }

    @Test(arguments: Access.allCases)
    func cancelledBetweenStatements(access: Access) async throws {
        let result = await outcome(of: access) { db, canceller in
            _ = try Int.fetchOne(db, sql: "SELECT 1")
            canceller.cancel()
            _ = try Int.fetchOne(db, sql: "SELECT 2")
        }
        #expect(result == "CancellationError()")
        try await expectUntouched()
    }

    @Test func writeCancelledAfterItsLastStatementIsReverted() async throws {
        let result = await outcome(of: .write) { db, canceller in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            canceller.cancel()
        }
        #expect(result == "CancellationError()")
        try await expectUntouched()
    }

    /// A cancelled read has no result to return, even if it ran to its end.
    @Test func readCancelledAfterItsLastStatementThrows() async throws {
        let result = await outcome(of: .read) { db, canceller in
            _ = try Int.fetchOne(db, sql: "SELECT 1")
            canceller.cancel()
        }
        #expect(result == "CancellationError()")
        try await expectUntouched()
    }

    /// What is committed can't be cancelled, nor can what follows the commit.
    @Test func completionHandlersAreNotCancelled() async throws {
        let result = await outcome(of: .write) { db, canceller in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            db.afterNextTransaction { db in
                canceller.cancel()
                try! db.execute(sql: "INSERT INTO t VALUES (3)")
            }
        }
        #expect(result == "success")
        try await expectUntouched([1, 2, 3])
    }

    @Test func rollbackHandlersOfACancelledWriteAreNotCancelled() async throws {
        let result = await outcome(of: .write) { db, canceller in
            db.afterNextTransaction { _ in
            } onRollback: { db in
                try! db.execute(sql: "INSERT INTO t VALUES (3)")
            }
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            canceller.cancelSoon()
            _ = try Int.fetchOne(db, sql: endlessSQL)
        }
        #expect(result == "CancellationError()")
        try await expectUntouched([1, 3])
    }

    /// What was done without a transaction is done.
    @Test func changesBeforeTheCancellationRemainWithoutATransaction() async throws {
        let result = await outcome(of: .writeWithoutTransaction) { db, canceller in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            canceller.cancelSoon()
            _ = try Int.fetchOne(db, sql: endlessSQL)
        }
        #expect(result == "CancellationError()")
        try await expectUntouched([1, 2])
    }

    @Test func cancelledInATransactionByHand() async throws {
        let result = await outcome(of: .writeWithoutTransaction) { db, canceller in
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
        #expect(result == "CancellationError()")
        try await expectUntouched()
    }

    @Test func cancelledUnderACursor() async throws {
        let result = await outcome(of: .write) { db, canceller in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            let cursor = try Int.fetchCursor(db, sql: "SELECT a FROM t")
            _ = try cursor.next()
            canceller.cancelSoon()
            _ = try Int.fetchOne(db, sql: endlessSQL)
            _ = try cursor.next()
        }
        #expect(result == "CancellationError()")
        try await expectUntouched()
    }

    // MARK: - Swallowed

    @Test func swallowedCancellationOfAWriteIsThrown() async throws {
        let result = await outcome(of: .write) { db, canceller in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            canceller.cancelSoon()
            _ = try? Int.fetchOne(db, sql: endlessSQL)
        }
        #expect(result == "CancellationError()")
        try await expectUntouched()
    }

    @Test func nothingRunsAfterASwallowedCancellation() async throws {
        let log = Log<String>()
        let result = await outcome(of: .writeWithoutTransaction) { db, canceller in
            canceller.cancelSoon()
            _ = try? Int.fetchOne(db, sql: endlessSQL)
            do {
                try db.execute(sql: "INSERT INTO t VALUES (2)")
            } catch {
                log.append("\(error)")
                throw error
            }
        }
        #expect(result == "CancellationError()")
        #expect(log.elements == ["CancellationError()"])
        try await expectUntouched()
    }

    @Test func swallowedCancellationInATransactionByHandIsThrown() async throws {
        let result = await outcome(of: .writeWithoutTransaction) { db, canceller in
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO t VALUES (2)")
                canceller.cancelSoon()
                _ = try? Int.fetchOne(db, sql: endlessSQL)
                return .commit
            }
        }
        #expect(result == "CancellationError()")
        try await expectUntouched()
    }

    @Test func ownErrorWins() async throws {
        let result = await outcome(of: .write) { db, canceller in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            canceller.cancelSoon()
            _ = try? Int.fetchOne(db, sql: endlessSQL)
            throw TestError("mine")
        }
        #expect(result == "TestError mine")
        try await expectUntouched()
    }

    /// An interruption of somebody else is no cancellation.
    @Test func interruptionIsNoCancellation() async throws {
        await expectError("SQLite error 9: interrupted - while executing `\(endlessSQL)`") {
            try await dbQueue.write { [dbQueue] db in
                Thread.detachNewThread {
                    Thread.sleep(forTimeInterval: 0.05)
                    dbQueue.interrupt()
                }
                _ = try Int.fetchOne(db, sql: endlessSQL)
            }
        }
        try await expectUntouched()
    }

    // MARK: - Races

    /// Cancels at moments all over the access: whatever it hits, the next access is not hit.
    @Test func cancellationHitsItsOwnAccessOnly() async throws {
        var outcomes: Set<String> = []
        for index in 0..<300 {
            let task = Task { [dbQueue] in
                try await dbQueue.write { db in
                    try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [index + 10])
                    _ = try Int.fetchOne(
                        db,
                        sql: """
                            WITH RECURSIVE n(i) AS (
                                SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
                            SELECT COUNT(*) FROM n
                            """)
                }
            }
            let microseconds = UInt64(index * 7 % 900)
            Thread.detachNewThread {
                usleep(UInt32(microseconds))
                task.cancel()
            }
            do {
                try await task.value
                outcomes.insert("success")
                // A success is a commit.
                let count = try await dbQueue.read { db in
                    try Int.fetchOne(
                        db, sql: "SELECT COUNT(*) FROM t WHERE a = ?", arguments: [index + 10])
                }
                #expect(count == 1)
            } catch is CancellationError {
                outcomes.insert("cancelled")
                let count = try await dbQueue.read { db in
                    try Int.fetchOne(
                        db, sql: "SELECT COUNT(*) FROM t WHERE a = ?", arguments: [index + 10])
                }
                #expect(count == 0)
            }
            let isInside = try await dbQueue.writeWithoutTransaction { $0.isInsideTransaction }
            #expect(!isInside)
        }
        #expect(outcomes.contains("cancelled"))
        try await dbQueue.write { try $0.execute(sql: "DELETE FROM t WHERE a >= 10") }
        try await expectUntouched()
    }

    @Test func cancelledTasksLeaveNoConnection() async throws {
        for _ in 0..<20 {
            let other = try TestDatabases.makeQueue()
            let task = Task { try await other.write { try $0.execute(sql: endlessSQL) } }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}
