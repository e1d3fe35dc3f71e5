#if canImport(Combine)

import Combine
import Dispatch
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct AccessPublisherTests {
    private let scheduler = DispatchQueue(label: "AccessPublisherTests")

    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        return writer
    }

    private func count(_ db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1
    }

    // MARK: - Reading

    @Test(arguments: DatabaseKind.allCases)
    func readsOnEachSubscription(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let publisher = writer.readPublisher(receiveOn: scheduler) { try self.count($0) }
        let first = RecordingSubscriber<Int>()
        publisher.subscribe(first)
        expectEqual(first.events.wait(forCount: 2), ["value 0", "finished"])
        try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        let second = RecordingSubscriber<Int>()
        publisher.subscribe(second)
        expectEqual(second.events.wait(forCount: 2), ["value 1", "finished"])
    }

    @Test(arguments: DatabaseKind.allCases)
    func readsCanNotWrite(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let subscriber = RecordingSubscriber<Int>()
        writer.readPublisher(receiveOn: scheduler) { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            return 1
        }.subscribe(subscriber)
        let events = subscriber.events.wait(forCount: 1)
        expectEqual(events.count, 1)
        expectTrue(events[0].hasPrefix("failure SQLite error 8: "))
        try expectEqual(writer.read { try count($0) }, 0)
    }

    @Test func nothingHappensWithoutDemand() throws {
        let writer = try makeWriter(.queue)
        let accesses = Log<Int>()
        let subscriber = RecordingSubscriber<Int>(demand: .none)
        writer.readPublisher(receiveOn: scheduler) { _ in
            accesses.append(1)
            return 1
        }.subscribe(subscriber)
        letOthersRun()
        expectTrue(accesses.elements.isEmpty)
        // More demand later changes nothing: there is one value.
        subscriber.request(.max(1))
        subscriber.request(.max(1))
        expectEqual(subscriber.events.wait(forCount: 2), ["value 1", "finished"])
        expectEqual(accesses.elements, [1])
    }

    @Test func aCancelledSubscriptionIsToldNothing() throws {
        let writer = try makeWriter(.queue)
        let isRunning = DispatchSemaphore(value: 0)
        let goesOn = DispatchSemaphore(value: 0)
        let subscriber = RecordingSubscriber<Int>()
        writer.writePublisher(receiveOn: scheduler) { db in
            isRunning.signal()
            goesOn.wait()
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            return 1
        }.subscribe(subscriber)
        isRunning.wait()
        subscriber.cancel()
        goesOn.signal()
        // The write goes on all the same.
        try expectEqual(writer.read { try count($0) }, 1)
        scheduler.sync {}
        expectTrue(subscriber.events.elements.isEmpty)
    }

    @Test func deliversOnTheMainQueueByDefault() async throws {
        let writer = try makeWriter(.queue)
        let events = Log<String>()
        let cancellable = writer.readPublisher { try self.count($0) }.sink(
            receiveCompletion: { _ in
                dispatchPrecondition(condition: .onQueue(.main))
                events.append("completion")
            },
            receiveValue: { value in
                dispatchPrecondition(condition: .onQueue(.main))
                events.append("\(value)")
            })
        await expectEqual(events.wait(forCount: 2), ["0", "completion"])
        cancellable.cancel()
    }

    // MARK: - Writing

    @Test(arguments: DatabaseKind.allCases)
    func writesCommit(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let subscriber = RecordingSubscriber<Int>()
        writer.writePublisher(receiveOn: scheduler) { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            return try self.count(db)
        }.subscribe(subscriber)
        expectEqual(subscriber.events.wait(forCount: 2), ["value 1", "finished"])
        try expectEqual(writer.read { try count($0) }, 1)
    }

    @Test(arguments: DatabaseKind.allCases)
    func failedWritesAreRolledBack(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let subscriber = RecordingSubscriber<Int>()
        writer.writePublisher(receiveOn: scheduler) { db -> Int in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            throw TestError("no")
        }.subscribe(subscriber)
        expectEqual(subscriber.events.wait(forCount: 1), ["failure TestError no"])
        try expectEqual(writer.read { try count($0) }, 0)
    }

    @Test(arguments: DatabaseKind.allCases)
    func theReadSeesTheWrite(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let subscriber = RecordingSubscriber<String>()
        writer.writePublisher(
            receiveOn: scheduler,
            updates: { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                return "written"
            },
            thenRead: { db, text in "\(text) \(try self.count(db))" }
        ).subscribe(subscriber)
        expectEqual(subscriber.events.wait(forCount: 2), ["value written 1", "finished"])
    }

    @Test(arguments: DatabaseKind.allCases)
    func failuresOfBothHalvesAreTold(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let first = RecordingSubscriber<Int>()
        writer.writePublisher(
            receiveOn: scheduler,
            updates: { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                throw TestError("update")
            },
            thenRead: { db, _ in try self.count(db) }
        ).subscribe(first)
        expectEqual(first.events.wait(forCount: 1), ["failure TestError update"])
        let second = RecordingSubscriber<Int>()
        writer.writePublisher(
            receiveOn: scheduler,
            updates: { db in try db.execute(sql: "INSERT INTO t VALUES (2)") },
            thenRead: { _, _ -> Int in throw TestError("read") }
        ).subscribe(second)
        expectEqual(second.events.wait(forCount: 1), ["failure TestError read"])
        try expectEqual(writer.read { try count($0) }, 1)
    }

    @Test func closedDatabasesFail() throws {
        let writer = try makeWriter(.queue)
        try writer.close()
        let subscriber = RecordingSubscriber<Int>()
        writer.readPublisher(receiveOn: scheduler) { _ in 1 }.subscribe(subscriber)
        let events = subscriber.events.wait(forCount: 1)
        expectEqual(events.count, 1)
        expectTrue(events[0].hasPrefix("failure SQLite error 21: "))
    }

    // MARK: - Migrating

    @Test(arguments: DatabaseKind.allCases)
    func migrates(kind: DatabaseKind) throws {
        let writer = try TestDatabases.makeWriter(kind)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { try $0.execute(sql: "CREATE TABLE t (a)") }
        let subscriber = RecordingSubscriber<Void>(describe: { "done" })
        migrator.migratePublisher(writer, receiveOn: scheduler).subscribe(subscriber)
        expectEqual(subscriber.events.wait(forCount: 2), ["value done", "finished"])
        try expectEqual(writer.read { try count($0) }, 0)
    }

    @Test func failedMigrationsAreTold() throws {
        let writer = try TestDatabases.makeWriter(.queue)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { _ in throw TestError("v1") }
        let subscriber = RecordingSubscriber<Void>(describe: { "done" })
        migrator.migratePublisher(writer, receiveOn: scheduler).subscribe(subscriber)
        expectEqual(subscriber.events.wait(forCount: 1), ["failure TestError v1"])
        try expectTrue(writer.read { try $0.tableExists("t") } == false)
    }
}

#endif
