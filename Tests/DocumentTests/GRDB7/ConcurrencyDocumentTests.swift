import Dispatch
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The snippets of the pages "Concurrency", "DatabasePool", "DatabaseReader", "DatabaseWriter" and of
/// their methods.
@Suite(.databases) struct ConcurrencyDocumentTests {
    struct Player: Codable, FetchableRecord, PersistableRecord {
        var name: String
    }

    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { try $0.execute(sql: "CREATE TABLE player (name TEXT)") }
        return writer
    }

    private func makePool() throws -> DatabasePool {
        let dbPool = try TestDatabases.makePool()
        try dbPool.write { try $0.execute(sql: "CREATE TABLE player (name TEXT)") }
        return dbPool
    }

    // MARK: - Synchronous accesses

    @Test(arguments: DatabaseKind.allCases)
    func synchronousAccesses(kind: DatabaseKind) throws {
        let dbQueue = try makeWriter(kind)
        let playerCount = try dbQueue.read { db in
            try Player.fetchCount(db)
        }
        let newPlayerCount = try dbQueue.write { db -> Int in
            try Player(name: "Arthur").insert(db)
            return try Player.fetchCount(db)
        }
        expectEqual(playerCount, 0)
        expectEqual(newPlayerCount, 1)
    }

    @Test(arguments: DatabaseKind.allCases)
    func accessesAreNotReentrant(kind: DatabaseKind) throws {
        let dbQueue = try makeWriter(kind)
        try dbQueue.write { _ in
            expectError("SQLite error 21: Database methods are not reentrant.") {
                try dbQueue.write { _ in }
            }
        }
    }

    // MARK: - Asynchronous accesses

    @Test(arguments: DatabaseKind.allCases)
    func swiftConcurrency(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        // Read
        let playerCount = try await writer.read { db in
            try Player.fetchCount(db)
        }

        // Write
        let newPlayerCount = try await writer.write { db in
            try Player(name: "Arthur").insert(db)
            return try Player.fetchCount(db)
        }
        expectEqual(playerCount, 0)
        expectEqual(newPlayerCount, 1)

        // One asynchronous access...
        try await writer.write { db in
            // ... always performs synchronous database operations:
            try Player(name: "Barbara").insert(db)
            try Player(name: "Craig").insert(db)
            let players = try Player.fetchAll(db)
            expectEqual(players.count, 3)
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func shorthandClosureNotation(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let count = try await writer.read(Player.fetchCount)
        expectEqual(count, 0)
        func players() throws -> [Player] {
            try writer.read(Player.fetchAll)
        }
        try expectTrue(players().isEmpty)
    }

    @Test(arguments: DatabaseKind.allCases)
    func completionBlocks(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let log = Log<String>()
        await withCheckedContinuation { continuation in
            writer.asyncWrite { db in
                try Player(name: "Arthur").insert(db)
                return try Player.fetchCount(db)
            } completion: { _, result in
                switch result {
                case .success(let newPlayerCount):
                    log.append("write \(newPlayerCount)")
                case .failure(let error):
                    log.append("\(error)")
                }
                continuation.resume()
            }
        }
        await withCheckedContinuation { continuation in
            writer.asyncRead { dbResult in
                do {
                    let db = try dbResult.get()
                    let count = try Player.fetchCount(db)
                    log.append("read \(count)")
                } catch {
                    log.append("\(error)")
                }
                continuation.resume()
            }
        }
        expectEqual(log.elements, ["write 1", "read 1"])
    }

    @Test(arguments: DatabaseKind.allCases)
    func tasksHonorCancellation(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let task = Task {
            try await writer.write { db in
                try Player(name: "Arthur").insert(db)
                withUnsafeCurrentTask { $0?.cancel() }
                _ = try Int.fetchOne(db, sql: endlessSQL)
            }
        }
        await expectError(CancellationError.self) { try await task.value }
        let count = try await writer.read(Player.fetchCount)
        expectEqual(count, 0)
    }

    // MARK: - Unsafe accesses

    @Test(arguments: DatabaseKind.allCases)
    func unsafeAccesses(kind: DatabaseKind) throws {
        let dbQueue = try makeWriter(kind)
        try dbQueue.writeWithoutTransaction { db in
            expectTrue(!db.isInsideTransaction)
            try db.inTransaction {
                try Player(name: "Arthur").insert(db)
                return .commit
            }
        }
        let count = try dbQueue.unsafeRead { db in
            try Player.fetchCount(db)
        }
        expectEqual(count, 1)
        let reentrantCount = try dbQueue.unsafeReentrantRead { db in
            try Player.fetchCount(db)
        }
        expectEqual(reentrantCount, 1)
        let newPlayerCount = try dbQueue.unsafeReentrantWrite { db in
            try Player(name: "Barbara").insert(db)
            return try Player.fetchCount(db)
        }
        expectEqual(newPlayerCount, 2)
    }

    /// Writes can only be allowed in the reads of a queue, where `query_only` forbids them again.
    @Test func forbiddenWrites() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.unsafeRead { try $0.execute(sql: "CREATE TABLE player (name TEXT)") }
        try dbQueue.unsafeRead { db in
            try db.execute(sql: "PRAGMA query_only = 1")
            expectError(DatabaseError.self) { try Player(name: "Arthur").insert(db) }
            try db.execute(sql: "PRAGMA query_only = 0")
        }
        let dbPool = try makePool()
        _ = try dbPool.unsafeRead { db in
            expectError(DatabaseError.self) { try Player(name: "Arthur").insert(db) }
        }
    }

    // MARK: - Advanced DatabasePool

    @Test func asyncConcurrentRead() throws {
        let dbPool = try makePool()
        let counts = Log<Int>()
        let isDone = DispatchSemaphore(value: 0)
        try dbPool.writeWithoutTransaction { db in
            // Increment the number of players
            try db.inTransaction {
                try Player(name: "Arthur").insert(db)
                return .commit
            }

            // <- Not in a transaction here
            dbPool.asyncConcurrentRead { dbResult in
                do {
                    // Handle the new player count - guaranteed greater than zero
                    let db = try dbResult.get()
                    let newPlayerCount = try Player.fetchCount(db)
                    counts.append(newPlayerCount)
                } catch {
                    // Handle error
                    Issue.record("\(error)")
                }
                isDone.signal()
            }
            try Player.deleteAll(db)
        }
        isDone.wait()
        expectEqual(counts.elements, [1])
    }

    /// "Types that conform to `TransactionObserver` can also use those methods in their
    /// `databaseDidCommit(_:)` method".
    @Test(arguments: DatabaseKind.allCases)
    func concurrentReadsOfObservers(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let counts = Log<Int>()
        let observer = TransactionRecorder()
        observer.onCommit = { [unowned writer] _ in
            writer.spawnConcurrentRead { dbResult in
                // A pool lets the next transaction begin meanwhile.
                counts.append((try? Player.fetchCount(dbResult.get())) ?? -1)
            }
        }
        writer.add(transactionObserver: observer)
        for name in ["Arthur", "Barbara", "Craig"] {
            try writer.write { try Player(name: name).insert($0) }
        }
        expectEqual(counts.wait(forCount: 3).sorted(), [1, 2, 3])
    }

    // MARK: - Snapshots

    @Test func snapshots() throws {
        let dbPool = try makePool()
        try dbPool.write { try Player(name: "Arthur").insert($0) }
        let snapshot = try dbPool.makeSnapshot()
        let playerCount = try snapshot.read { db in
            try Player.fetchCount(db)
        }
        expectEqual(playerCount, 1)

        let snapshot1 = try dbPool.writeWithoutTransaction { db -> DatabaseSnapshot in
            try db.inTransaction {
                try Player.deleteAll(db)
                return .commit
            }

            return try dbPool.makeSnapshot()
        }
        // <- Other threads may have created some players here
        try dbPool.write { try Player(name: "Barbara").insert($0) }
        let snapshot2 = try dbPool.makeSnapshot()

        // Guaranteed to be zero
        let count1 = try snapshot1.read { db in
            try Player.fetchCount(db)
        }

        // Could be anything
        let count2 = try snapshot2.read { db in
            try Player.fetchCount(db)
        }
        expectEqual(count1, 0)
        expectEqual(count2, 1)

        let snapshotPool = try dbPool.makeSnapshotPool()
        try expectEqual(snapshotPool.read(Player.fetchCount), 1)
    }

    // MARK: - Configuration

    @Test(.disabled(if: TestDatabases.encryptsDatabases, "Opens its file without a key"))
    func configuration() throws {
        let dbPool = try makePool()
        var config = Configuration()
        config.readonly = true
        config.maximumReaderCount = 2  // (DatabasePool only) The default is 5

        let dbQueue = try DatabaseQueue(  // or DatabasePool
            path: dbPool.path,
            configuration: config)
        try expectEqual(dbQueue.read(Player.fetchCount), 0)
        let readOnlyPool = try DatabasePool(path: dbPool.path, configuration: config)
        try expectEqual(readOnlyPool.read(Player.fetchCount), 0)
    }

    // MARK: - Transactions

    @Test func accessesWithoutTransactions() throws {
        let dbPool = try makePool()
        try dbPool.writeWithoutTransaction { db in
            try Player(name: "Arthur").insert(db)
            // <- Here a concurrent read sees a partial db update
            try expectEqual(dbPool.read(Player.fetchCount), 1)
            try Player(name: "Barbara").insert(db)
        }
        let counts = try dbPool.unsafeRead { db in
            let count1 = try Player.fetchCount(db)
            // <- Here a concurrent write can modify the players
            try dbPool.write { try Player(name: "Craig").insert($0) }
            let count2 = try Player.fetchCount(db)
            return [count1, count2]
        }
        expectEqual(counts, [2, 3])
    }

    @Test func writeInTransaction() throws {
        let dbPool = try makePool()
        try dbPool.writeInTransaction { db in
            try Player(name: "Arthur").insert(db)
            return .commit
        }
        try dbPool.writeInTransaction { db in
            try Player(name: "Barbara").insert(db)
            return .rollback
        }
        expectError(TestError()) {
            try dbPool.writeInTransaction { db in
                try Player(name: "Craig").insert(db)
                throw TestError()
            }
        }
        try expectEqual(dbPool.read(Player.fetchCount), 1)
    }
}
