import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Asynchronous accesses are a part of the task that awaits them.
@Suite(.databases) struct TaskContextTests {
    enum Local {
        @TaskLocal static var value = 0
    }

    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        return writer
    }

    private func inEachAccess<T: Sendable>(
        of writer: any DatabaseWriter, _ value: @escaping @Sendable (Database) throws -> T
    ) async throws -> [T] {
        [
            try await writer.read(value),
            try await writer.unsafeRead(value),
            try await writer.write(value),
            try await writer.writeWithoutTransaction(value),
            try await writer.barrierWriteWithoutTransaction(value),
        ]
    }

    @Test(arguments: DatabaseKind.allCases)
    func valuesOfTheTask(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let values = try await Local.$value.withValue(7) {
            try await inEachAccess(of: writer) { _ in Local.value }
        }
        expectEqual(values, [7, 7, 7, 7, 7])
    }

    @Test(arguments: DatabaseKind.allCases)
    func currentTask(kind: DatabaseKind) async throws {
        let isThere = try await inEachAccess(of: makeWriter(kind)) { _ in
            withUnsafeCurrentTask { $0 != nil }
        }
        expectEqual(isThere, [true, true, true, true, true])
    }

    @Test func valuesInSnapshots() async throws {
        let dbPool = try TestDatabases.makePool()
        try await dbPool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        let snapshot = try dbPool.makeSnapshot()
        let snapshotPool = try dbPool.makeSnapshotPool()
        let values = try await Local.$value.withValue(7) {
            try await (
                snapshot.read { _ in Local.value }, snapshotPool.read { _ in Local.value }
            )
        }
        #expect(values == (7, 7))
    }

    @Test(arguments: DatabaseKind.allCases)
    func cancellationIsSeenByTheClosure(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let log = Log<String>()
        let isRunning = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)
        let task = Task {
            try await writer.write { _ in
                log.append("\(Task.isCancelled)")
                isRunning.signal()
                mayGoOn.wait()
                log.append("\(Task.isCancelled)")
                try Task.checkCancellation()
                log.append("not cancelled")
            }
        }
        await isRunning.waitInTask()
        task.cancel()
        mayGoOn.signal()
        await expectError(CancellationError.self) { try await task.value }
        expectEqual(log.elements, ["false", "true"])
    }

    /// The statement that is interrupted throws what those that follow throw.
    @Test(arguments: DatabaseKind.allCases)
    func statementsThrowTheCancellation(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let log = Log<String>()
        let isRunning = DispatchSemaphore(value: 0)
        let task = Task {
            try await writer.write { db in
                isRunning.signal()
                for sql in [endlessSQL, "SELECT 1", "DELETE FROM t"] {
                    do {
                        try db.execute(sql: sql)
                    } catch {
                        log.append("\(error)")
                    }
                }
                throw TestError("mine")
            }
        }
        await isRunning.waitInTask()
        task.cancel()
        await expectError(TestError("mine")) { try await task.value }
        expectEqual(log.elements, Array(repeating: "CancellationError()", count: 3))
        try await writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    }

    /// An error of another database is no business of the task.
    @Test func interruptionOfAnotherDatabaseIsNoCancellation() async throws {
        let dbQueue = try TestDatabases.makeQueue()
        let isRunning = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)
        let task = Task {
            try await dbQueue.write { _ in
                isRunning.signal()
                mayGoOn.wait()
                throw DatabaseError(resultCode: .SQLITE_INTERRUPT, message: "other")
            }
        }
        await isRunning.waitInTask()
        task.cancel()
        mayGoOn.signal()
        await expectError("SQLite error 9: other") { try await task.value }
    }

    actor Counter {
        private(set) var count = 0

        func count(_ writer: any DatabaseWriter) async throws {
            count += try await writer.read { try Int.fetchOne($0, sql: "SELECT 1")! }
            assertIsolated()
            count += try await writer.write { try Int.fetchOne($0, sql: "SELECT 1")! }
            assertIsolated()
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func actorsGetBackToTheirExecutor(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let counter = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { try await counter.count(writer) } }
            try await group.waitForAll()
        }
        await expectEqual(counter.count, 100)
        try await onMainActor(writer)
    }

    @MainActor private func onMainActor(_ writer: any DatabaseWriter) async throws {
        _ = try await writer.read { try Int.fetchOne($0, sql: "SELECT 1") }
        MainActor.assertIsolated()
    }

    /// Rows can't be sent, so that these are synchronous accesses. The compiler has to see it.
    @Test func accessesThatReturnWhatCanNotBeSent() async throws {
        func rowCount(_ reader: any DatabaseReader) async throws -> Int {
            try reader.read { try Row.fetchAll($0, sql: "SELECT 1") }.count
        }
        let writer: any DatabaseWriter = try TestDatabases.makeQueue()
        try await expectEqual(rowCount(writer), 1)
    }
}
