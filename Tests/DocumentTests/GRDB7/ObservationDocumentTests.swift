import Dispatch
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// What the documents show of `ValueObservation`, `SharedValueObservation` and
/// `DatabaseRegionObservation`.
@Suite(.databases) struct ObservationDocumentTests {
    private struct Player: Codable, Sendable, Equatable, Identifiable, FetchableRecord,
        PersistableRecord
    {
        var id: Int64
        var name: String
        var score: Int

        enum Columns {
            static let score = Column(CodingKeys.score)
        }
    }

    private struct Team: Codable, Sendable, FetchableRecord, PersistableRecord {
        var id: Int64
    }

    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db in
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text)
                t.column("score", .integer)
            }
            try db.create(table: "team") { t in
                t.autoIncrementedPrimaryKey("id")
            }
            try Player(id: 1, name: "Arthur", score: 100).insert(db)
        }
        return writer
    }

    /// Values that arrive on any thread.
    private final class Received<Value: Sendable>: Sendable {
        private let log = Log<Value>()
        private let semaphore = DispatchSemaphore(value: 0)

        func append(_ value: Value) {
            log.append(value)
            semaphore.signal()
        }

        /// Waits for one more value.
        func next() -> Value? {
            guard semaphore.wait(timeout: .now() + patience) == .success else { return nil }
            return log.elements.last
        }

        var count: Int { log.elements.count }
    }

    @Test(arguments: DatabaseKind.allCases) @MainActor
    func usage(kind: DatabaseKind) async throws {
        let dbQueue = try makeWriter(kind)
        let observation = ValueObservation.tracking { db in
            try Player.fetchAll(db)
        }
        let shorthand = ValueObservation.tracking(Player.fetchAll)

        var printed: [String] = []
        let (stream, continuation) = AsyncStream.makeStream(of: [Player].self)
        let cancellable = observation.start(in: dbQueue) { error in
            printed.append("\(error)")
        } onChange: { (players: [Player]) in
            printed.append("Fresh players")
            continuation.yield(players)
        }
        var iterator = stream.makeAsyncIterator()
        expectEqual(printed, [])
        await expectEqual(iterator.next()?.map(\.name), ["Arthur"])
        cancellable.cancel()

        for try await players in shorthand.values(in: dbQueue) {
            expectEqual(players.count, 1)
            break
        }
        expectEqual(printed, ["Fresh players"])
    }

    @Test(arguments: DatabaseKind.allCases) @MainActor
    func immediateScheduling(kind: DatabaseKind) throws {
        let dbQueue = try makeWriter(kind)
        let observation = ValueObservation.tracking(Player.fetchCount)
        var printed: [String] = []
        let cancellable =
            observation
            .start(in: dbQueue, scheduling: .immediate) { error in
                printed.append("\(error)")
            } onChange: { value in
                printed.append("Fresh value \(value)")
            }
        expectEqual(printed, ["Fresh value 1"])
        cancellable.cancel()
    }

    @Test(arguments: DatabaseKind.allCases)
    func asyncScheduling(kind: DatabaseKind) throws {
        let dbQueue = try makeWriter(kind)
        let observation = ValueObservation.tracking { db in try Player.fetchAll(db) }
        let received = Received<Int>()
        let myQueue = DispatchQueue(label: "myQueue")
        let cancellable = observation.start(
            in: dbQueue,
            scheduling: .async(onQueue: myQueue)
        ) { error in
            Issue.record(error)
        } onChange: { value in
            dispatchPrecondition(condition: .onQueue(myQueue))
            received.append(value.count)
        }
        expectEqual(received.next(), 1)
        cancellable.cancel()
    }

    @Test(arguments: DatabaseKind.allCases)
    func sharing(kind: DatabaseKind) async throws {
        let dbQueue = try makeWriter(kind)
        // SharedValueObservation<[Player]>
        let sharedObservation: SharedValueObservation<[Player]> =
            ValueObservation
            .tracking { db in try Player.fetchAll(db) }
            .shared(in: dbQueue, scheduling: .task)
        for try await players in sharedObservation.values() {
            expectEqual(players.count, 1)
            break
        }
    }

    /// The score of one player wakes the observation, what else changes does not.
    @Test(arguments: DatabaseKind.allCases)
    func trackedRegion(kind: DatabaseKind) throws {
        let dbQueue = try makeWriter(kind)
        let observation = ValueObservation.tracking(
            region: Player.select(\.score).filter(id: 1),
            fetch: { db in try Player.fetchOne(db, id: 1) }
        )
        let received = Received<Player?>()
        let cancellable = observation.start(
            in: dbQueue, scheduling: .async(onQueue: DispatchQueue(label: "values")),
            onError: { Issue.record($0) }, onChange: { received.append($0) })
        expectEqual(received.next(), Player(id: 1, name: "Arthur", score: 100))
        try dbQueue.write { db in
            try db.execute(sql: "UPDATE player SET name = 'Barbara'")
            try Player(id: 2, name: "Craig", score: 0).insert(db)
        }
        try dbQueue.write { db in
            try db.execute(sql: "UPDATE player SET score = 200")
        }
        expectEqual(received.next(), Player(id: 1, name: "Barbara", score: 200))
        expectEqual(received.count, 2)
        cancellable.cancel()
    }

    @Test(arguments: DatabaseKind.allCases)
    func undetectedChanges(kind: DatabaseKind) throws {
        let dbQueue = try makeWriter(kind)
        let received = Received<Int>()
        let cancellable = ValueObservation.tracking(Player.fetchCount).start(
            in: dbQueue, scheduling: .async(onQueue: DispatchQueue(label: "values")),
            onError: { Issue.record($0) }, onChange: { received.append($0) })
        expectEqual(received.next(), 1)
        dbQueue.writeWithoutTransaction { _ in }
        try dbQueue.write { try $0.notifyChanges(in: .fullDatabase) }
        expectEqual(received.next(), 1)
        try dbQueue.write { try $0.notifyChanges(in: Player.all()) }
        expectEqual(received.next(), 1)
        try dbQueue.write { try $0.notifyChanges(in: Table("player")) }
        expectEqual(received.next(), 1)
        cancellable.cancel()
        expectEqual(received.count, 4)
    }

    @Test(arguments: DatabaseKind.allCases)
    func mappedValues(kind: DatabaseKind) throws {
        let dbQueue = try makeWriter(kind)
        let observation =
            ValueObservation
            .tracking { db in try Player.fetchAll(db) }
            .map { players in players.map(\.name).joined() }
        let received = Received<String>()
        let cancellable = observation.start(
            in: dbQueue, scheduling: .async(onQueue: DispatchQueue(label: "values")),
            onError: { Issue.record($0) }, onChange: { received.append($0) })
        expectEqual(received.next(), "Arthur")
        cancellable.cancel()
    }

    @Test(arguments: DatabaseKind.allCases)
    func snapshotsOfObservedStates(kind: DatabaseKind) throws {
        guard kind == .pool else { return }
        let dbPool = try makeWriter(kind)
        let observation = ValueObservation.tracking { db in
            // Track some tables
            _ = try Player.fetchCount(db)
            return try DatabaseSnapshotPool(db)
        }
        let received = Received<DatabaseSnapshotPool>()
        let cancellable = observation.start(
            in: dbPool, scheduling: .async(onQueue: DispatchQueue(label: "values")),
            onError: { Issue.record($0) }, onChange: { received.append($0) })
        try expectEqual(received.next()?.read(Player.fetchCount), 1)
        cancellable.cancel()
    }

    /// The page "DatabaseSnapshotPool": values are fetched later, from the state that was notified.
    @Test @MainActor func freshSnapshots() async throws {
        let dbPool = try makeWriter(.pool)
        // An observation of the 'player' table
        // that notifies fresh database snapshots:
        let observation = ValueObservation.tracking { db in
            // Don't fetch players now, and return a snapshot instead.
            // Register an access to the player table so that the
            // observation tracks changes to this table.
            try db.registerAccess(to: Player.all())
            return try DatabaseSnapshotPool(db)
        }

        // Start observing the 'player' table
        let (stream, continuation) = AsyncStream.makeStream(of: DatabaseSnapshotPool.self)
        let cancellable = observation.start(in: dbPool) { error in
            // Handle error
            Issue.record(error)
        } onChange: { (snapshot: DatabaseSnapshotPool) in
            // Handle a fresh snapshot
            continuation.yield(snapshot)
        }
        var snapshots = stream.makeAsyncIterator()
        let first = try await unwrap(snapshots.next())
        // From here on, changes are tracked.
        try await dbPool.writeWithoutTransaction { _ in }
        try await dbPool.write { try Team(id: 1).insert($0) }
        try await dbPool.write { try Player(id: 2, name: "Barbara", score: 0).insert($0) }
        let second = try await unwrap(snapshots.next())
        try await dbPool.write { _ = try Player.deleteAll($0) }
        let third = try await unwrap(snapshots.next())
        let count: @Sendable (Database) throws -> Int = { try Player.fetchCount($0) }
        try await expectEqual(
            [first.read(count), second.read(count), third.read(count)], [1, 2, 0])
        cancellable.cancel()
    }

    @Test(arguments: DatabaseKind.allCases)
    func regionObservation(kind: DatabaseKind) throws {
        let dbQueue = try makeWriter(kind)
        let received = Received<String>()
        let observation = DatabaseRegionObservation(tracking: Player.all())
        let cancellable = observation.start(in: dbQueue) { error in
            Issue.record(error)
        } onChange: { (db: Database) in
            received.append("Players were changed")
        }
        try dbQueue.write { db in
            try Player(id: 2, name: "Barbara", score: 0).insert(db)
        }
        expectEqual(received.next(), "Players were changed")
        try dbQueue.write { try Team(id: 1).insert($0) }
        cancellable.cancel()
        try dbQueue.write { _ = try Player.deleteAll($0) }
        expectEqual(received.count, 1)
    }

    /// All that can be tracked, and the transactions that are told.
    @Test(arguments: DatabaseKind.allCases)
    func regions(kind: DatabaseKind) throws {
        let dbQueue = try makeWriter(kind)
        let observations = [
            DatabaseRegionObservation(tracking: Player.select(\.score)),
            DatabaseRegionObservation(tracking: SQLRequest<Int>("SELECT score FROM player")),
            DatabaseRegionObservation(tracking: Table("player"), Table("team")),
            DatabaseRegionObservation(tracking: Player.all(), Team.all()),
            DatabaseRegionObservation(tracking: .fullDatabase),
        ]
        let log = Log<Int>()
        let cancellables = observations.enumerated().map { index, observation in
            observation.start(
                in: dbQueue, onError: { Issue.record($0) }, onChange: { _ in log.append(index) })
        }
        try dbQueue.write { try $0.execute(sql: "UPDATE player SET score = 1") }
        expectEqual(log.removeAll(), [0, 1, 2, 3, 4])
        try dbQueue.write { try $0.execute(sql: "UPDATE player SET name = ''") }
        expectEqual(log.removeAll(), [2, 3, 4])
        try dbQueue.write { try Team(id: 1).insert($0) }
        expectEqual(log.removeAll(), [2, 3, 4])
        for cancellable in cancellables { cancellable.cancel() }
    }

    // MARK: - Low-level observers

    /// The page "Database Observation" lists how observers are added to connections and writers, and
    /// removed from them.
    @Test(arguments: DatabaseKind.allCases)
    func transactionObservers(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let log = Log<String>()
        let onWriter = TransactionRecorder("writer", log: log)
        let onConnection = TransactionRecorder("connection", log: log)
        let once = TransactionRecorder("once", log: log)
        writer.add(transactionObserver: onWriter, extent: .observerLifetime)
        try writer.writeWithoutTransaction { db in
            db.add(transactionObserver: onConnection, extent: .databaseLifetime)
            db.add(transactionObserver: once, extent: .nextTransaction)
            db.afterNextTransaction { _ in
                log.append("committed")
            } onRollback: { _ in
                log.append("rolled back")
            }
            try Team(id: 1).insert(db)
            expectEqual(
                log.removeAll(),
                [
                    "writer: didChange insert main.team 1",
                    "connection: didChange insert main.team 1",
                    "once: didChange insert main.team 1", "writer: willCommit",
                    "connection: willCommit", "once: willCommit", "writer: didCommit",
                    "connection: didCommit", "once: didCommit", "committed",
                ])
            db.remove(transactionObserver: onConnection)
        }
        expectError("TestError") {
            try writer.write { db in
                db.afterNextTransaction { _ in
                    log.append("committed")
                } onRollback: { _ in
                    log.append("rolled back")
                }
                try Team(id: 2).insert(db)
                throw TestError()
            }
        }
        expectEqual(
            log.removeAll(),
            [
                "writer: didChange insert main.team 2", "writer: didRollback", "rolled back",
            ])
        writer.remove(transactionObserver: onWriter)
        try writer.write { try Team(id: 3).insert($0) }
        expectEqual(log.elements, [])
    }
}
