import Dispatch
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Tasks that use pools. See `CancellationTests` for cancellations that concern all writers.
@Suite(.databases) struct DatabasePoolTaskTests {
    private func makePool(maximumReaderCount: Int = 5) throws -> DatabasePool {
        var configuration = TestDatabases.makeConfiguration()
        configuration.maximumReaderCount = maximumReaderCount
        let dbPool = try TestDatabases.makePool(configuration)
        try dbPool.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        return dbPool
    }

    /// Takes all readers until the returned semaphore is signalled.
    private func holdReaders(_ dbPool: DatabasePool, count: Int) async -> DispatchSemaphore {
        let areHeld = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        for _ in 0..<count {
            dbPool.asyncRead { _ in
                areHeld.signal()
                mayEnd.wait()
                mayEnd.signal()
            }
        }
        for _ in 0..<count { await areHeld.waitInTask() }
        return mayEnd
    }

    @Test func cancelledWhileWaitingForAReader() async throws {
        let dbPool = try makePool(maximumReaderCount: 2)
        let mayEnd = await holdReaders(dbPool, count: 2)
        let log = Log<String>()
        let tasks = (0..<10).map { index in
            Task {
                if index % 2 == 0 {
                    try await dbPool.read { _ in log.append("read") }
                } else {
                    try await dbPool.unsafeRead { _ in log.append("read") }
                }
            }
        }
        await dbPool.waitForReaderRequests(10)
        tasks.forEach { $0.cancel() }
        // At once, although the readers are still held.
        for task in tasks {
            await expectError(CancellationError.self) { try await task.value }
        }
        mayEnd.signal()
        expectEqual(log.elements, [])
        let count = try await dbPool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
        expectEqual(count, 1)
    }

    @Test(arguments: DatabaseKind.allCases)
    func cancelledWhileWaitingForTheWriter(kind: DatabaseKind) async throws {
        let writer = try TestDatabases.makeWriter(kind)
        let isHeld = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        writer.asyncWriteWithoutTransaction { _ in
            isHeld.signal()
            mayEnd.wait()
        }
        await isHeld.waitInTask()
        let log = Log<String>()
        let task = Task { try await writer.write { _ in log.append("write") } }
        let barrier = Task {
            try await writer.barrierWriteWithoutTransaction { _ in log.append("barrier") }
        }
        await letOthersRun()
        task.cancel()
        barrier.cancel()
        // At once, although the writer is still held.
        await expectError(CancellationError.self) { try await task.value }
        await expectError(CancellationError.self) { try await barrier.value }
        mayEnd.signal()
        try await writer.write { _ in log.append("later") }
        expectEqual(log.elements, ["later"])
    }

    @Test func cancelledWhileWaitingForABarrier() async throws {
        let dbPool = try makePool()
        let mayEnd = await holdReaders(dbPool, count: 1)
        try await dbPool.read { _ in }
        let log = Log<String>()
        let barrier = Task {
            try await dbPool.barrierWriteWithoutTransaction { _ in log.append("barrier") }
        }
        try await dbPool.waitForBarrier()
        // Stands behind the barrier.
        let read = Task { try await dbPool.read { _ in log.append("read") } }
        await dbPool.waitForReaderRequests(2)
        expectEqual(log.elements, [])
        barrier.cancel()
        await expectError(CancellationError.self) { try await barrier.value }
        // The way is free.
        try await read.value
        expectEqual(log.elements, ["read"])
        mayEnd.signal()
    }

    /// Wherever the cancellation comes, also on the way to the line, the barrier does not stay there.
    @Test func cancelledBarrierNeverStays() async throws {
        let dbPool = try makePool()
        let mayEnd = await holdReaders(dbPool, count: 1)
        defer { mayEnd.signal() }
        for index in 0..<2000 {
            let log = Log<String>()
            let barrier = Task {
                log.append("start")
                try await dbPool.barrierWriteWithoutTransaction { _ in }
            }
            while log.elements.isEmpty { await Task.yield() }
            for _ in 0..<index % 100 { _ = log.elements }
            barrier.cancel()
            await expectError(CancellationError.self) { try await barrier.value }
            dbPool.asyncRead { _ in log.append("read") }
            // Else it waits for the reader that is held.
            try await #require(log.wait(forCount: 2) == ["start", "read"])
        }
    }

    /// A barrier that is cancelled while it waits for the writer lets the readers go on.
    @Test func cancelledBarrierLeaves() async throws {
        let dbPool = try makePool()
        let isHeld = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        dbPool.asyncWriteWithoutTransaction { _ in
            isHeld.signal()
            mayEnd.wait()
        }
        await isHeld.waitInTask()
        let barrier = Task { try await dbPool.barrierWriteWithoutTransaction { _ in } }
        await letOthersRun()
        barrier.cancel()
        await expectError(CancellationError.self) { try await barrier.value }
        mayEnd.signal()
        try await dbPool.read { _ in }
    }

    /// Cancels at random moments of mixed work: the next access always succeeds.
    @Test func cancellationLeavesAllConnectionsUsable() async throws {
        let dbPool = try makePool(maximumReaderCount: 2)
        let slowSQL = """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            SELECT COUNT(*) FROM n
            """
        for index in 0..<200 {
            let task = Task {
                switch index % 5 {
                case 0: try await dbPool.read { _ = try Int.fetchOne($0, sql: slowSQL) }
                case 1: try await dbPool.unsafeRead { _ = try Int.fetchOne($0, sql: slowSQL) }
                case 2:
                    try await dbPool.write { db in
                        try db.execute(sql: "INSERT INTO t VALUES (2)")
                        _ = try Int.fetchOne(db, sql: slowSQL)
                        try db.execute(sql: "DELETE FROM t WHERE a = 2")
                    }
                case 3:
                    try await dbPool.writeWithoutTransaction { db in
                        try db.inTransaction {
                            try db.execute(sql: "UPDATE t SET a = a + 1")
                            _ = try Int.fetchOne(db, sql: slowSQL)
                            return .rollback
                        }
                    }
                default:
                    try await dbPool.barrierWriteWithoutTransaction { db in
                        _ = try Int.fetchOne(db, sql: slowSQL)
                    }
                }
            }
            Thread.detachNewThread {
                passTurns(index * 7 % 900)
                task.cancel()
            }
            do {
                try await task.value
            } catch is CancellationError {}
            let values = try await dbPool.read { db in
                try Int.fetchAll(db, sql: "SELECT a FROM t")
            }
            expectEqual(values, [1])
            let isInside = try await dbPool.writeWithoutTransaction { $0.isInsideTransaction }
            expectTrue(!isInside)
        }
    }

    @Test func thousandTasksOverFewReaders() async throws {
        let dbPool = try makePool()
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<1000 {
                group.addTask {
                    try await dbPool.read { db in
                        try Int.fetchOne(db, sql: "SELECT ? + a FROM t", arguments: [index])!
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        expectEqual(sum, 1000 + 999 * 500)
    }

    // MARK: - Isolation

    /// An actor that keeps what it reads: the compiler lets its closures send values only.
    private actor Counter {
        private let dbPool: DatabasePool
        private(set) var count = 0

        init(_ dbPool: DatabasePool) {
            self.dbPool = dbPool
        }

        func refresh() async throws {
            count = try await dbPool.read { db in
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")!
            }
        }

        func increment() async throws -> Int {
            let next = count + 1
            return try await dbPool.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [next])
                return next
            }
        }
    }

    @Test func actorsUseThePool() async throws {
        let counter = Counter(try makePool())
        try await counter.refresh()
        let next = try await counter.increment()
        try await counter.refresh()
        let count = await counter.count
        expectEqual(next, 2)
        expectEqual(count, 2)
    }

    @MainActor @Test func mainActorUsesThePool() async throws {
        let dbPool = try makePool()
        let count = try await dbPool.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
        }
        MainActor.assertIsolated()
        expectEqual(count, 2)
    }
}
