import Dispatch
import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB
@testable import GRDBServer

/// Tasks that access a database in place.
@Suite(.databases) struct DatabaseTaskExecutorTests {
    private func makeWriter(
        _ kind: DatabaseKind, _ configuration: Configuration? = nil
    ) throws -> (writer: any DatabaseWriter, executor: DatabaseTaskExecutor) {
        let writer = try TestDatabases.makeWriter(kind, configuration)
        try writer.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        let executor =
            switch writer {
            case let queue as DatabaseQueue: queue.taskExecutor
            case let pool as DatabasePool: pool.taskExecutor
            default: fatalError("no executor")
            }
        return (writer, executor)
    }

    @TaskLocal private static var requestID = 0

    @Test(arguments: DatabaseKind.allCases)
    func accessesRunInPlace(_ kind: DatabaseKind) async throws {
        let (writer, executor) = try makeWriter(kind)
        let threads = try await Self.$requestID.withValue(7) {
            try await withTaskExecutorPreference(executor) {
                var threads = [currentThreadID()]
                threads.append(try await writer.read { _ in currentThreadID() })
                threads.append(currentThreadID())
                threads.append(
                    try await writer.write { db in
                        expectEqual(Self.requestID, 7)
                        try db.execute(sql: "INSERT INTO t VALUES (2)")
                        return currentThreadID()
                    })
                threads.append(try await writer.unsafeRead { _ in currentThreadID() })
                threads.append(currentThreadID())
                return threads
            }
        }
        expectEqual(Set(threads).count, 1)
        try await expectEqual(writer.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }, [1, 2])
        // Not without the preference.
        let isOwned = try await writer.read { _ in WaitingThread.isCurrent }
        expectTrue(!isOwned)
    }

    @MainActor private static func readOnMainActor(
        _ writer: any DatabaseWriter
    ) async throws -> [Bool] {
        var areOwned = [WaitingThread.isCurrent]
        areOwned.append(try await writer.read { _ in WaitingThread.isCurrent })
        areOwned.append(WaitingThread.isCurrent)
        return areOwned
    }

    @Test(arguments: DatabaseKind.allCases)
    func accessesOfTheMainActorDoNotBlockIt(_ kind: DatabaseKind) async throws {
        let (writer, executor) = try makeWriter(kind)
        let task = Task(executorPreference: executor) { try await Self.readOnMainActor(writer) }
        try await expectEqual(task.value, [false, true, false])
    }

    @Test(arguments: DatabaseKind.allCases)
    func cancellation(_ kind: DatabaseKind) async throws {
        let (writer, executor) = try makeWriter(kind)
        for isWriting in [false, true] {
            let hasBegun = DispatchSemaphore(value: 0)
            let body: @Sendable (Database) throws -> Void = { db in
                if isWriting { try db.execute(sql: "DELETE FROM t") }
                hasBegun.signal()
                _ = try Int.fetchOne(db, sql: endlessSQL)
            }
            let task = Task(executorPreference: executor) {
                if isWriting { try await writer.write(body) } else { try await writer.read(body) }
            }
            try await signal(of: hasBegun)
            task.cancel()
            await expectError(CancellationError.self) { try await task.value }
            // Before its beginning.
            let late = Task(executorPreference: executor) {
                withUnsafeCurrentTask { $0?.cancel() }
                try await writer.write { try $0.execute(sql: "DELETE FROM t") }
            }
            await expectError(CancellationError.self) { try await late.value }
        }
        try await expectEqual(writer.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }, [1])
        try await writer.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
    }

    @Test(arguments: DatabaseKind.allCases)
    func limitsAndErrors(_ kind: DatabaseKind) async throws {
        let (writer, executor) = try makeWriter(kind)
        await withTaskExecutorPreference(executor) {
            let error = await expectError(DatabaseError.self) {
                try await writer.read { db in
                    try db.withTimeLimit(0.05) { _ = try Int.fetchOne(db, sql: endlessSQL) }
                }
            }
            expectEqual(error?.resultCode, .SQLITE_INTERRUPT)
            await expectError(DatabaseError.self) {
                try await writer.write { db in
                    try db.execute(sql: "DELETE FROM t")
                    try db.execute(sql: "oops")
                }
            }
        }
        try await expectEqual(writer.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }, [1])
    }

    @Test(arguments: DatabaseKind.allCases)
    func moreTasksThanThreadsAndConnections(_ kind: DatabaseKind) async throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.maximumReaderCount = 1
        let (writer, executor) = try makeWriter(kind, configuration)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                // Some tasks have the preference, and others don't.
                group.addTask(executorPreference: number % 4 == 0 ? nil : executor) {
                    for _ in 0..<10 {
                        try await writer.write { try $0.execute(sql: "UPDATE t SET a = a + 1") }
                        _ = try await writer.read { try Int.fetchOne($0, sql: "SELECT a FROM t") }
                        // A read of a writer's transaction.
                        try await writer.write { _ in
                            _ = try writer.unsafeReentrantRead {
                                try Int.fetchOne($0, sql: "SELECT a FROM t")
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        try await expectEqual(writer.read { try Int.fetchOne($0, sql: "SELECT a FROM t") }, 1001)
    }

    /// A task that waits for a connection leaves its thread to others, among them the one it waits for.
    @Test(arguments: DatabaseKind.allCases)
    func waitingTasksBlockNoThread(_ kind: DatabaseKind) async throws {
        let (writer, executor) = try makeWriter(kind)
        let isHeld = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        let holder = Task.detached {
            try await writer.write { _ in
                isHeld.signal()
                wait(for: mayEnd)
            }
        }
        try await signal(of: isHeld)
        let waiting = (0..<20).map { _ in
            Task(executorPreference: executor) {
                try await writer.write { try $0.execute(sql: "UPDATE t SET a = a + 1") }
            }
        }
        for task in waiting.prefix(5) { task.cancel() }
        for task in waiting.prefix(5) {
            await expectError(CancellationError.self) { try await task.value }
        }
        // It would not run if the tasks before it blocked the threads.
        await Task(executorPreference: executor) { _ = mayEnd.signal() }.value
        try await holder.value
        for task in waiting.dropFirst(5) { try await task.value }
        try await expectEqual(writer.read { try Int.fetchOne($0, sql: "SELECT a FROM t") }, 16)
        // No task waits any more, so the next one does not wait behind others.
        let isInPlace = try await withTaskExecutorPreference(executor) {
            let thread = currentThreadID()
            return try await writer.write { _ in currentThreadID() == thread }
        }
        expectTrue(isInPlace)
    }

    @Test(arguments: DatabaseKind.allCases)
    func theExecutorEndsWithItsDatabase(_ kind: DatabaseKind) async throws {
        weak var weakExecutor: DatabaseTaskExecutor?
        do {
            let (writer, executor) = try makeWriter(kind)
            weakExecutor = executor
            try await withTaskExecutorPreference(executor) { try await writer.read { _ in } }
            try writer.close()
            await expectError(DatabaseError.self) {
                try await withTaskExecutorPreference(executor) { try await writer.read { _ in } }
            }
        }
        for _ in 0..<1000 where weakExecutor != nil { try await Task.sleep(nanoseconds: 1_000_000) }
        expectNil(weakExecutor)
    }
}

private func wait(for semaphore: DispatchSemaphore) {
    semaphore.wait()
}

/// Waits without holding a thread that other tasks need.
private func signal(of semaphore: DispatchSemaphore) async throws {
    func isSignaled() -> Bool { semaphore.wait(timeout: .now()) == .success }
    while !isSignaled() { try await Task.sleep(nanoseconds: 1_000_000) }
}
