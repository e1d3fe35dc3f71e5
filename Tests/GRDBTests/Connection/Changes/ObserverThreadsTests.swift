import GRDB
import GRDBTestSupport
import Testing

/// Observers that are not sendable, as the documentation of `TransactionObserver` has them: this file is
/// compiled with complete checking of concurrency.
@Suite(.databases) struct ObserverThreadsTests {
    private final class ModificationObserver: TransactionObserver {
        private var tableNames: Set<String> = []
        private let continuation: AsyncStream<Set<String>>.Continuation

        init(_ continuation: AsyncStream<Set<String>>.Continuation) {
            self.continuation = continuation
        }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }

        func databaseDidChange(with event: DatabaseEvent) {
            tableNames.insert(event.tableName)
        }

        func databaseDidCommit(_ db: Database) {
            continuation.yield(tableNames)
            tableNames = []
        }

        func databaseDidRollback(_ db: Database) {
            tableNames = []
        }
    }

    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { try $0.execute(sql: "CREATE TABLE a(x); CREATE TABLE b(x)") }
        return writer
    }

    @Test(arguments: DatabaseKind.allCases)
    func changesAreHandedOut(kind: DatabaseKind) async throws {
        let dbQueue = try makeWriter(kind)
        let (modifications, continuation) = AsyncStream.makeStream(of: Set<String>.self)
        dbQueue.add(
            transactionObserver: ModificationObserver(continuation), extent: .databaseLifetime)
        try await dbQueue.write { try $0.execute(sql: "INSERT INTO a VALUES (1)") }
        await expectError(TestError()) {
            try await dbQueue.write { db in
                try db.execute(sql: "INSERT INTO a VALUES (2)")
                throw TestError()
            }
        }
        try await dbQueue.write { db in
            try db.execute(sql: "INSERT INTO a VALUES (3); INSERT INTO b VALUES (3)")
        }
        try dbQueue.close()
        continuation.finish()
        var all: [Set<String>] = []
        for await tableNames in modifications { all.append(tableNames) }
        expectEqual(all, [["a"], ["a", "b"]])
    }

    /// Counts without a lock.
    private final class Counter: TransactionObserver {
        private var count = 0
        private var pendingCount = 0
        private var labels: Set<String> = []
        private let report: @Sendable (Int, Set<String>) -> Void

        init(report: @escaping @Sendable (Int, Set<String>) -> Void) {
            self.report = report
        }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
            labels.insert(currentQueueLabel())
            return true
        }

        func databaseDidChange(with event: DatabaseEvent) {
            labels.insert(currentQueueLabel())
            pendingCount += 1
        }

        func databaseDidCommit(_ db: Database) {
            labels.insert(currentQueueLabel())
            count += pendingCount
            pendingCount = 0
            report(count, labels)
        }

        func databaseDidRollback(_ db: Database) {
            labels.insert(currentQueueLabel())
            pendingCount = 0
        }
    }

    /// Tasks write at the same time, and some of them fail: all callbacks run on one queue.
    @Test(arguments: DatabaseKind.allCases)
    func callbacksRunOnOneQueue(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let counts = Log<Int>()
        let labels = Log<Set<String>>()
        writer.add(
            transactionObserver: Counter {
                counts.append($0); labels.append($1)
            },
            extent: .databaseLifetime)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    try? await writer.write { db in
                        try db.execute(sql: "INSERT INTO a VALUES (1), (2)")
                        if number % 4 == 0 { throw TestError() }
                    }
                }
            }
        }
        expectEqual(counts.elements, (1...150).map { $0 * 2 })
        expectEqual(labels.elements.last?.count, 1)
        let count = try await writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM a") }
        expectEqual(count, 300)
    }
}
