import GRDB
import GRDBTestSupport
import Testing

/// The type-erased reader and writer.
@Suite(.databases) struct AnyDatabaseTests {
    private let dbQueue: DatabaseQueue

    init() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.label = "base"
        dbQueue = try TestDatabases.makeQueue(.memory, configuration)
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
    }

    private static func count(_ db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")!
    }

    private static func insert(_ db: Database) throws {
        try db.execute(sql: "INSERT INTO t VALUES (1)")
    }

    @Test func readerForwardsItsProperties() {
        let reader = AnyDatabaseReader(dbQueue)
        expectEqual(reader.path, ":memory:")
        expectEqual(reader.configuration.label, "base")
    }

    @Test func writerForwardsItsProperties() {
        let writer = AnyDatabaseWriter(dbQueue)
        expectEqual(writer.path, ":memory:")
        expectEqual(writer.configuration.label, "base")
    }

    @Test func readerForwardsReads() throws {
        let reader = AnyDatabaseReader(dbQueue)
        try expectEqual(reader.read(Self.count), 0)
        try expectEqual(reader.unsafeRead(Self.count), 0)
        try expectEqual(reader.unsafeReentrantRead(Self.count), 0)
        try reader.read { db throws in
            try expectTrue(reader.unsafeReentrantRead { $0 === db })
        }
        expectError(DatabaseError.self) { try reader.read(Self.insert) }
    }

    @Test func readerForwardsAwaitedReads() async throws {
        let reader = AnyDatabaseReader(dbQueue)
        try await expectEqual(reader.read(Self.count), 0)
        try await expectEqual(reader.unsafeRead(Self.count), 0)
    }

    @Test func readerForwardsCallbacks() async {
        let reader = AnyDatabaseReader(dbQueue)
        let isInRead = await withCheckedContinuation { continuation in
            reader.asyncRead { result in
                continuation.resume(returning: (try? result.get().isInsideTransaction) ?? false)
            }
        }
        expectTrue(isInRead)
        let isInUnsafeRead = await withCheckedContinuation { continuation in
            reader.asyncUnsafeRead { result in
                continuation.resume(returning: (try? result.get().isInsideTransaction) ?? true)
            }
        }
        expectTrue(!isInUnsafeRead)
    }

    @Test func readerForwardsBackupsAndTheEnd() throws {
        try dbQueue.write(Self.insert)
        let reader = AnyDatabaseReader(dbQueue)
        let copy = try TestDatabases.makeQueue()
        try reader.backup(to: copy)
        try expectEqual(copy.read(Self.count), 1)
        reader.interrupt()
        try reader.close()
        expectError(DatabaseError.self) { try dbQueue.read { _ in } }
    }

    @Test func writerForwardsWrites() throws {
        let writer = AnyDatabaseWriter(dbQueue)
        try expectSQL(
            """
            BEGIN IMMEDIATE TRANSACTION
            INSERT INTO t VALUES (1)
            COMMIT TRANSACTION
            INSERT INTO t VALUES (1)
            INSERT INTO t VALUES (1)
            INSERT INTO t VALUES (1)
            VACUUM
            """
        ) {
            try writer.write(Self.insert)
            try writer.writeWithoutTransaction(Self.insert)
            try writer.barrierWriteWithoutTransaction(Self.insert)
            try writer.unsafeReentrantWrite(Self.insert)
            try writer.vacuum()
        }
        try expectEqual(writer.read(Self.count), 4)
        try expectEqual(writer.unsafeRead(Self.count), 4)
        try expectEqual(writer.unsafeReentrantRead(Self.count), 4)
        try writer.erase()
        expectError(DatabaseError.self) { try writer.read(Self.count) }
    }

    @Test func writerForwardsAwaitedWrites() async throws {
        let writer = AnyDatabaseWriter(dbQueue)
        try await writer.write(Self.insert)
        try await writer.writeWithoutTransaction(Self.insert)
        try await writer.barrierWriteWithoutTransaction(Self.insert)
        try await expectEqual(writer.read(Self.count), 3)
        try await expectEqual(writer.unsafeRead(Self.count), 3)
        try await writer.vacuum()
        try await writer.erase()
    }

    @Test func writerForwardsCallbacks() async {
        let writer = AnyDatabaseWriter(dbQueue)
        let log = Log<String>()
        writer.asyncRead { log.append("1 \($0.map { $0.isInsideTransaction })") }
        writer.asyncUnsafeRead { log.append("2 \($0.map { $0.isInsideTransaction })") }
        writer.asyncWrite(Self.insert) { _, result in log.append("3 \(result)") }
        writer.asyncBarrierWriteWithoutTransaction { result in
            log.append("4 \(result.map { $0.isInsideTransaction })")
        }
        await withCheckedContinuation { continuation in
            writer.asyncWriteWithoutTransaction { db in
                writer.spawnConcurrentRead { result in
                    log.append("5 \(result.map { $0.isInsideTransaction })")
                }
                continuation.resume()
            }
        }
        expectEqual(
            log.elements,
            [
                "1 success(true)", "2 success(false)", "3 success()", "4 success(false)",
                "5 success(true)",
            ])
    }

    @Test func writerThrowsWhatItsBaseThrows() throws {
        let writer = AnyDatabaseWriter(dbQueue)
        try writer.write { _ in
            expectError("SQLite error 21: Database methods are not reentrant.") {
                try writer.write { _ in }
            }
        }
        try writer.close()
        expectError("SQLite error 21: Connection is closed") { try writer.write { _ in } }
    }

    @Test func writerForwardsObservers() throws {
        let writer = AnyDatabaseWriter(dbQueue)
        let recorder = TransactionRecorder()
        writer.add(transactionObserver: recorder)
        try writer.write(Self.insert)
        expectEqual(recorder.lines(), ["didChange insert main.t 1", "willCommit", "didCommit"])
        writer.remove(transactionObserver: recorder)
        try writer.write(Self.insert)
        expectEqual(recorder.lines(), [])
    }
}
