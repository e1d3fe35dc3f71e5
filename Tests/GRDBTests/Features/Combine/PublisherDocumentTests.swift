#if canImport(Combine)

import Combine
import Dispatch
import GRDB
import GRDBTestSupport
import Testing

/// What the pages of the reference show of publishers: `readPublisher(receiveOn:value:)`,
/// `writePublisher(receiveOn:updates:)`, `DatabasePublishers`, and the page "Concurrency".
@Suite(.databases) struct PublisherDocumentTests {
    private struct Player: Codable, FetchableRecord, PersistableRecord {
        var name: String
    }

    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { try $0.execute(sql: "CREATE TABLE player (name TEXT)") }
        return writer
    }

    /// The events of a publisher, which come on the main queue.
    private func events<P: Publisher>(
        of publisher: P, count: Int
    ) async -> [String] where P.Output: Sendable, P.Failure == any Error {
        let events = Log<String>()
        let cancellable = publisher.sink(
            receiveCompletion: { completion in
                dispatchPrecondition(condition: .onQueue(.main))
                switch completion {
                case .finished: events.append("finished")
                case .failure(let error): events.append("\(error)")
                }
            },
            receiveValue: { value in
                dispatchPrecondition(condition: .onQueue(.main))
                events.append("\(value)")
            })
        let elements = await events.wait(forCount: count)
        cancellable.cancel()
        return elements
    }

    /// Publishers do not access the database until they are subscribed, and complete on the main
    /// queue.
    @Test(arguments: DatabaseKind.allCases)
    func readsAndWrites(kind: DatabaseKind) async throws {
        let dbQueue = try makeWriter(kind)
        // DatabasePublishers.Read<Int>
        let playerCountPublisher: DatabasePublishers.Read<Int> = dbQueue.readPublisher { db in
            try Player.fetchCount(db)
        }

        // DatabasePublishers.Write<Int>
        let newPlayerCountPublisher: DatabasePublishers.Write<Int> = dbQueue.writePublisher { db in
            try Player(name: "Arthur").insert(db)
            return try Player.fetchCount(db)
        }
        await expectEqual(events(of: playerCountPublisher, count: 2), ["0", "finished"])
        await expectEqual(events(of: newPlayerCountPublisher, count: 2), ["1", "finished"])
        await expectEqual(events(of: newPlayerCountPublisher, count: 2), ["2", "finished"])
        await expectEqual(events(of: playerCountPublisher, count: 2), ["2", "finished"])
    }

    /// Attempts to write throw, and an error rolls back.
    @Test(arguments: DatabaseKind.allCases)
    func failures(kind: DatabaseKind) async throws {
        let dbQueue = try makeWriter(kind)
        let readOnly = dbQueue.readPublisher { try Player(name: "Arthur").insert($0) }
        let readOnlyEvents = await events(of: readOnly, count: 1)
        expectEqual(readOnlyEvents.count, 1)
        expectTrue(readOnlyEvents[0].hasPrefix("SQLite error 8: "))
        let failing = dbQueue.writePublisher { db in
            try Player(name: "Arthur").insert(db)
            throw TestError("no")
        }
        await expectEqual(events(of: failing, count: 1), ["TestError no"])
        try await expectEqual(dbQueue.read { try Player.fetchCount($0) }, 0)
    }

    @Test(arguments: DatabaseKind.allCases)
    func observedValuesAndRegions(kind: DatabaseKind) async throws {
        let dbQueue = try makeWriter(kind)
        let observation = ValueObservation.tracking { db in
            try Player.fetchAll(db).map(\.name).joined(separator: " ")
        }
        let names = Log<String>()
        let changes = Log<Int>()
        let cancellables = [
            // DatabasePublishers.Value<String>
            observation.publisher(in: dbQueue).sink(
                receiveCompletion: { _ in }, receiveValue: { names.append($0) }),
            // DatabasePublishers.DatabaseRegion
            DatabaseRegionObservation(tracking: Player.all()).publisher(in: dbQueue).sink(
                receiveCompletion: { _ in },
                receiveValue: { db in changes.append((try? Player.fetchCount(db)) ?? -1) }),
        ]
        await expectEqual(names.wait(forCount: 1), [""])
        try await dbQueue.writeWithoutTransaction { _ in }
        try await dbQueue.write { try Player(name: "Arthur").insert($0) }
        await expectEqual(names.wait(forCount: 2), ["", "Arthur"])
        try await dbQueue.write { try Player(name: "Barbara").insert($0) }
        await expectEqual(names.wait(forCount: 3).last, "Arthur Barbara")
        expectEqual(changes.elements, [1, 2])
        for cancellable in cancellables { cancellable.cancel() }
    }
}

#endif
