#if canImport(Combine)

import Combine
import Dispatch
import GRDB
import GRDBTestSupport
import Testing

/// Notes what an observation has delivered.
private struct RecordingScheduler: ValueObservationScheduler {
    let deliveries = Log<String>()
    private let queue = DispatchQueue(label: "RecordingScheduler")

    func immediateInitialValue() -> Bool { false }

    func schedule(_ action: @escaping @Sendable () -> Void) {
        queue.async {
            action()
            deliveries.append("delivery")
        }
    }
}

@Suite(.databases) struct ObservationPublisherTests {
    private let observation = ValueObservation.tracking { db in
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1
    }

    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        return writer
    }

    private func insert(into writer: any DatabaseWriter) throws {
        try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    }

    @Test(arguments: DatabaseKind.allCases)
    func publishesFreshValues(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let queue = DispatchQueue(label: "values")
        let subscriber = RecordingSubscriber<Int>()
        observation.publisher(in: writer, scheduling: .async(onQueue: queue)).subscribe(subscriber)
        expectEqual(subscriber.events.wait(forCount: 1), ["value 0"])
        try insert(into: writer)
        expectEqual(subscriber.events.wait(forCount: 2), ["value 0", "value 1"])
        subscriber.cancel()
        try insert(into: writer)
        queue.sync {}
        expectEqual(subscriber.events.elements, ["value 0", "value 1"])
    }

    @Test func failuresEndThePublisher() throws {
        let writer = try makeWriter(.queue)
        let observation = ValueObservation.tracking { db -> Int in
            let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1
            if count > 0 { throw TestError("enough") }
            return count
        }
        let subscriber = RecordingSubscriber<Int>()
        observation.publisher(in: writer, scheduling: .async(onQueue: DispatchQueue(label: "q")))
            .subscribe(subscriber)
        subscriber.events.wait(forCount: 1)
        try insert(into: writer)
        expectEqual(subscriber.events.wait(forCount: 2), ["value 0", "failure TestError enough"])
    }

    @Test func keepsTheLatestValueForLaterDemand() throws {
        let writer = try makeWriter(.queue)
        let scheduler = RecordingScheduler()
        let subscriber = RecordingSubscriber<Int>(demand: .max(1))
        observation.publisher(in: writer, scheduling: scheduler).subscribe(subscriber)
        scheduler.deliveries.wait(forCount: 1)
        // What each write leads to is delivered, and is not wanted.
        try insert(into: writer)
        scheduler.deliveries.wait(forCount: 2)
        try insert(into: writer)
        scheduler.deliveries.wait(forCount: 3)
        expectEqual(subscriber.events.elements, ["value 0"])
        subscriber.request(.max(1))
        expectEqual(subscriber.events.wait(forCount: 2), ["value 0", "value 2"])
        subscriber.cancel()
    }

    @Test func startsWithTheFirstDemand() throws {
        let writer = try makeWriter(.queue)
        let subscriber = RecordingSubscriber<Int>(demand: .none)
        observation.publisher(in: writer, scheduling: .async(onQueue: DispatchQueue(label: "q")))
            .subscribe(subscriber)
        try insert(into: writer)
        subscriber.request(.unlimited)
        expectEqual(subscriber.events.wait(forCount: 1), ["value 1"])
        subscriber.cancel()
    }

    @Test func publishesOnTheMainQueueByDefault() async throws {
        let writer = try makeWriter(.queue)
        let events = Log<String>()
        let cancellable = observation.publisher(in: writer).sink(
            receiveCompletion: { _ in },
            receiveValue: { value in
                dispatchPrecondition(condition: .onQueue(.main))
                events.append("\(value)")
            })
        await expectEqual(events.wait(forCount: 1), ["0"])
        cancellable.cancel()
    }

    @Test @MainActor func immediateSchedulingPublishesWithTheSubscription() throws {
        let writer = try makeWriter(.queue)
        let subscriber = RecordingSubscriber<Int>()
        observation.publisher(in: writer, scheduling: .immediate).subscribe(subscriber)
        expectEqual(subscriber.events.elements, ["value 0"])
        subscriber.cancel()
    }

    @Test func subscriptionsShareAnObservation() throws {
        let writer = try makeWriter(.queue)
        let shared = observation.shared(
            in: writer, scheduling: .async(onQueue: DispatchQueue(label: "q")),
            extent: .whileObserved)
        let first = RecordingSubscriber<Int>()
        let second = RecordingSubscriber<Int>()
        shared.publisher().subscribe(first)
        shared.publisher().subscribe(second)
        first.events.wait(forCount: 1)
        second.events.wait(forCount: 1)
        try insert(into: writer)
        expectEqual(first.events.wait(forCount: 2), ["value 0", "value 1"])
        expectEqual(second.events.wait(forCount: 2), ["value 0", "value 1"])
        first.cancel()
        second.cancel()
    }

    @Test(arguments: DatabaseKind.allCases)
    func publishesTheConnectionAfterChangesOfARegion(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let subscriber = RecordingSubscriber<Database>(describe: { db in
            (try? Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")).map { "\($0)" } ?? "?"
        })
        DatabaseRegionObservation(tracking: Table("t")).publisher(in: writer).subscribe(subscriber)
        try insert(into: writer)
        try writer.write { try $0.execute(sql: "CREATE TABLE other (a)") }
        try insert(into: writer)
        expectEqual(subscriber.events.wait(forCount: 2), ["value 1", "value 2"])
        subscriber.cancel()
        try insert(into: writer)
        expectEqual(subscriber.events.elements, ["value 1", "value 2"])
    }
}

#endif
