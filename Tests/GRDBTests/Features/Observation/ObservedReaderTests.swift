import Dispatch
import Foundation
@testable import GRDB
import GRDBTestSupport
import Testing

/// Observations of all kinds of readers and writers, by all schedulers.
@Suite(.databases) struct ObservedReaderTests {
    @Sendable private static func count(_ db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? 0
    }

    private func makePool() throws -> DatabasePool {
        let dbPool = try TestDatabases.makePool()
        try dbPool.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        return dbPool
    }

    private func insert(_ writer: any DatabaseWriter) throws {
        try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    }

    @Test func unchangingReadersDeliverOneValue() throws {
        let dbPool = try makePool()
        var configuration = TestDatabases.makeConfiguration()
        configuration.readonly = true
        let readers: [any DatabaseReader] = [
            try dbPool.makeSnapshot(), try dbPool.makeSnapshotPool(),
            try TestDatabases.openQueue(dbPool.path, configuration),
            try TestDatabases.openPool(dbPool.path, configuration),
            AnyDatabaseReader(try dbPool.makeSnapshot()),
        ]
        for reader in readers {
            let log = Transcript()
            let cancellables = [
                ValueObservation.tracking(Self.count).start(in: reader, log),
                ValueObservation.tracking(Self.count).start(
                    in: reader, log, scheduling: .async(onQueue: DispatchQueue(label: "values"))),
            ]
            log.wait(count: 2)
            expectEqual(log.all, ["1", "1"])
            // From inside an access of the reader, too.
            try reader.read { _ in
                _ = ValueObservation.tracking(Self.count).start(in: reader, log)
            }
            expectEqual(log.all.count, 3)
            for cancellable in cancellables { cancellable.cancel() }
        }
        try insert(dbPool)
    }

    @Test func snapshotsAreNotFollowed() throws {
        let dbPool = try makePool()
        let snapshot = try dbPool.makeSnapshot()
        let log = Transcript()
        let cancellable = ValueObservation.tracking(Self.count).start(in: snapshot, log)
        try insert(dbPool)
        waitForWriter(dbPool)
        expectEqual(log.all, ["1"])
        cancellable.cancel()
    }

    /// A writer of an app, which does not say what it is made of.
    private final class CustomWriter: DatabaseWriter {
        let base: DatabaseQueue
        init(_ base: DatabaseQueue) { self.base = base }
        var configuration: Configuration { base.configuration }
        var path: String { base.path }
        func close() throws { try base.close() }
        func interrupt() { base.interrupt() }
        func read<T>(_ value: (Database) throws -> T) throws -> T { try base.read(value) }
        func read<T: Sendable>(
            _ value: @escaping @Sendable (Database) throws -> T
        ) async throws -> T { try await base.read(value) }
        func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
            base.asyncRead(value)
        }
        func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
            try base.unsafeRead(value)
        }
        func unsafeRead<T: Sendable>(
            _ value: @escaping @Sendable (Database) throws -> T
        ) async throws -> T { try await base.unsafeRead(value) }
        func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
            base.asyncUnsafeRead(value)
        }
        func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
            try base.unsafeReentrantRead(value)
        }
        func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T {
            try base.writeWithoutTransaction(updates)
        }
        func writeWithoutTransaction<T: Sendable>(
            _ updates: @escaping @Sendable (Database) throws -> T
        ) async throws -> T { try await base.writeWithoutTransaction(updates) }
        func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
            try base.barrierWriteWithoutTransaction(updates)
        }
        func barrierWriteWithoutTransaction<T: Sendable>(
            _ updates: @escaping @Sendable (Database) throws -> T
        ) async throws -> T { try await base.barrierWriteWithoutTransaction(updates) }
        func asyncBarrierWriteWithoutTransaction(
            _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
        ) { base.asyncBarrierWriteWithoutTransaction(updates) }
        func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
            base.asyncWriteWithoutTransaction(updates)
        }
        func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T {
            try base.unsafeReentrantWrite(updates)
        }
        func spawnConcurrentRead(
            _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
        ) { base.spawnConcurrentRead(value) }
    }

    @Test func writersOfApps() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        let dbPool = try makePool()
        let writers: [any DatabaseWriter] = [
            CustomWriter(dbQueue), AnyDatabaseWriter(dbPool), AnyDatabaseWriter(dbQueue),
        ]
        for writer in writers {
            let log = Transcript()
            try writer.write { try $0.execute(sql: "DELETE FROM t") }
            let cancellable = ValueObservation.tracking(Self.count).start(in: writer, log)
            waitForWriter(writer)
            try insert(writer)
            log.wait(last: "1")
            expectEqual(log.all, ["0", "1"])
            cancellable.cancel()
        }
        let log = Transcript()
        let cancellable = ValueObservation.tracking(Self.count)
            .start(in: AnyDatabaseReader(dbPool), log)
        waitForWriter(dbPool)
        try insert(dbPool)
        log.wait(last: "2")
        cancellable.cancel()
    }

    @Test func snapshotsInObservations() throws {
        let dbPool = try makePool()
        let log = Transcript()
        let cancellable =
            ValueObservation
            .trackingConstantRegion { db in
                try db.registerAccess(to: Table("t"))
                return try DatabaseSnapshotPool(db)
            }
            .start(
                in: dbPool, scheduling: EagerScheduler(), onError: { log.append("\($0)") },
                onChange: { snapshot in
                    let count = try? snapshot.read { try Self.count($0) }
                    log.append("\(count ?? -1)")
                })
        waitForWriter(dbPool)
        try insert(dbPool)
        log.wait(last: "2")
        expectEqual(log.all, ["1", "2"])
        cancellable.cancel()
    }

    // MARK: - Schedulers

    @Test(arguments: DatabaseKind.allCases) @MainActor
    func mainActor(kind: DatabaseKind) async throws {
        let writer = try TestDatabases.makeWriter(kind)
        try await writer.write {
            try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        }
        let observation = ValueObservation.tracking(Self.count)
        let values = Log<Int>()
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        var received = stream.makeAsyncIterator()
        let immediate = observation.start(in: writer, scheduling: .immediate) { _ in
        } onChange: { value in
            values.append(value)
            continuation.yield(value)
        }
        expectEqual(values.elements, [1])
        await expectEqual(received.next(), 1)
        try await writer.writeWithoutTransaction { _ in }
        try await writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        await expectEqual(received.next(), 2)
        immediate.cancel()

        let delayed = observation.start(in: writer) { _ in
        } onChange: { value in
            values.append(value)
            continuation.yield(value)
        }
        expectEqual(values.elements, [1, 2])
        await expectEqual(received.next(), 2)
        delayed.cancel()
        let explicit = observation.start(in: writer, scheduling: .mainActor) { _ in
        } onChange: { value in
            values.append(value)
            continuation.yield(value)
        }
        await expectEqual(received.next(), 2)
        explicit.cancel()
    }

    @Test(arguments: DatabaseKind.allCases)
    func tasks(kind: DatabaseKind) async throws {
        let writer = try TestDatabases.makeWriter(kind)
        try await writer.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        for scheduler in [TaskValueObservationScheduler.task, .task(priority: .background)] {
            try await writer.write { try $0.execute(sql: "DELETE FROM t") }
            let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
            let cancellable = ValueObservation.tracking(Self.count).start(
                in: writer, scheduling: scheduler, onError: { _ in continuation.finish() },
                onChange: { continuation.yield($0) })
            var values: [Int] = []
            for await value in stream {
                values.append(value)
                if value == 20 { break }
                try await writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
            }
            expectEqual(values.first, 0)
            expectEqual(values.last, 20)
            expectEqual(values, values.sorted())
            cancellable.cancel()
        }
    }

    @Test func anImmediateStartElsewhereTraps() async {
        await #expect(processExitsWith: .failure) {
            let scheduler = ImmediateValueObservationScheduler()
            let hasEnded = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                _ = scheduler.immediateInitialValue()
                hasEnded.signal()
            }
            hasEnded.wait()
        }
    }
}
