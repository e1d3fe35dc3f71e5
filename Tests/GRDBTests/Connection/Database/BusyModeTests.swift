import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct BusyModeTests {
    private let locked =
        "SQLite error 5: database is locked - while executing `BEGIN IMMEDIATE TRANSACTION`"

    /// A connection to the database of the other one, with its own busy mode.
    private func makeQueues(
        _ busyMode: Database.BusyMode
    ) throws -> (holder: DatabaseQueue, dbQueue: DatabaseQueue) {
        let holder = try TestDatabases.makeQueue(.file)
        try holder.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        var configuration = TestDatabases.makeConfiguration()
        configuration.busyMode = busyMode
        return (holder, try TestDatabases.openQueue(holder.path, configuration))
    }

    @Test func immediateErrorIsImmediate() throws {
        let (holder, dbQueue) = try makeQueues(.immediateError)
        try dbQueue.writeWithoutTransaction { db throws in
            try expectEqual(Int.fetchOne(db, sql: "PRAGMA busy_timeout"), 0)
        }
        try holder.inTransaction(.immediate) { _ in
            expectError(locked) { try dbQueue.write { _ in } }
            return .commit
        }
        try dbQueue.write { _ in }
    }

    @Test func timeoutWaitsBeforeItFails() throws {
        let (holder, dbQueue) = try makeQueues(.timeout(0.2))
        try dbQueue.writeWithoutTransaction { db throws in
            try expectEqual(Int.fetchOne(db, sql: "PRAGMA busy_timeout"), 200)
        }
        try holder.inTransaction(.immediate) { _ in
            let start = Date()
            expectError(locked) { try dbQueue.write { _ in } }
            #expect(Date().timeIntervalSince(start) > 0.15)
            return .commit
        }
    }

    @Test func timeoutWaitsForTheLock() async throws {
        let (holder, dbQueue) = try makeQueues(.timeout(patience))
        let isHeld = DispatchSemaphore(value: 0)
        holder.asyncWriteWithoutTransaction { db in
            try? db.inTransaction(.immediate) {
                isHeld.signal()
                letOthersRun(for: 0.1)
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                return .commit
            }
        }
        let count = try await dbQueue.writeWithoutTransaction { db in
            isHeld.wait()
            var count: Int?
            try db.inTransaction {
                count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
                return .commit
            }
            return count
        }
        expectEqual(count, 1)
    }

    @Test func callbackDecides() throws {
        let tries = Log<Int>()
        let (holder, dbQueue) = try makeQueues(
            .callback { numberOfTries in
                tries.append(numberOfTries)
                return numberOfTries < 3
            })
        try holder.inTransaction(.immediate) { _ in
            expectError(locked) { try dbQueue.write { _ in } }
            return .commit
        }
        expectEqual(tries.removeAll(), [0, 1, 2, 3])
        try dbQueue.write { _ in }
        expectEqual(tries.elements, [])
    }

    @Test func commitThatIsPreventedByAReaderRollsBack() throws {
        let (holder, dbQueue) = try makeQueues(.immediateError)
        try holder.read { reader in
            _ = try Int.fetchOne(reader, sql: "SELECT COUNT(*) FROM t")
            expectError(
                "SQLite error 5: database is locked - while executing `COMMIT TRANSACTION`"
            ) {
                try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
            }
        }
        let count = try dbQueue.write { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
        }
        expectEqual(count, 0)
    }

    @Test func openingALockedDatabaseFails() throws {
        let (holder, _) = try makeQueues(.immediateError)
        try holder.inTransaction(.exclusive) { _ in
            expectError(
                """
                SQLite error 5: database is locked \
                - while executing `SELECT * FROM sqlite_master LIMIT 1`
                """
            ) {
                try TestDatabases.openQueue(holder.path)
            }
            return .commit
        }
    }

    // MARK: - Interruptions

    /// Whoever waits for a lock can be told to give up.
    @Test(arguments: [true, false])
    func interruptionEndsTheWait(usesCallback: Bool) throws {
        let (holder, dbQueue) = try makeQueues(
            usesCallback ? .callback { _ in true } : .timeout(patience))
        let group = DispatchGroup()
        try holder.inTransaction(.immediate) { _ in
            let start = Date()
            let isDone = DispatchSemaphore(value: 0)
            Thread.detach(in: group) {
                while isDone.wait(timeout: .now() + .milliseconds(20)) == .timedOut {
                    dbQueue.interrupt()
                }
            }
            expectError(
                "SQLite error 9: interrupted - while executing `BEGIN IMMEDIATE TRANSACTION`"
            ) {
                try dbQueue.write { _ in }
            }
            isDone.signal()
            #expect(Date().timeIntervalSince(start) < patience / 2)
            return .commit
        }
        // The last interruption may come late on a busy machine, and must not meet the next access.
        group.wait()
        try dbQueue.write { _ in }
    }

    @Test func cancellationEndsTheWait() async throws {
        let (holder, dbQueue) = try makeQueues(.timeout(patience))
        let isHeld = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        holder.asyncWriteWithoutTransaction { db in
            try? db.inTransaction(.immediate) {
                isHeld.signal()
                mayEnd.wait()
                return .commit
            }
        }
        await isHeld.waitInTask()
        let start = Date()
        let task = Task { try await dbQueue.write { _ in } }
        await letOthersRun()
        task.cancel()
        await expectError(CancellationError.self) { try await task.value }
        #expect(Date().timeIntervalSince(start) < patience / 2)
        mayEnd.signal()
        try await dbQueue.write { _ in }
    }

    // MARK: - Open connections

    @Test func modeOfAnOpenConnectionCanBeChanged() throws {
        let (holder, dbQueue) = try makeQueues(.immediateError)
        let tries = Log<Int>()
        func attempt() throws {
            try holder.inTransaction(.immediate) { _ in
                expectError(locked) { try dbQueue.write { _ in } }
                return .commit
            }
        }

        try dbQueue.writeWithoutTransaction { db in
            try db.setBusyMode(
                .callback { numberOfTries in
                    tries.append(numberOfTries)
                    return false
                })
        }
        try attempt()
        expectEqual(tries.removeAll(), [0])

        // A timeout replaces the callback.
        try dbQueue.writeWithoutTransaction { try $0.setBusyMode(.timeout(0.05)) }
        let start = Date()
        try attempt()
        #expect(Date().timeIntervalSince(start) > 0.03)
        expectEqual(tries.elements, [])

        try dbQueue.writeWithoutTransaction { db in
            try db.setBusyMode(.callback { _ in true })
            try db.setBusyMode(.immediateError)
        }
        try attempt()
    }

    @Test func changeOfModeLeavesTheConfiguration() throws {
        let (_, dbQueue) = try makeQueues(.immediateError)
        try dbQueue.writeWithoutTransaction { db in
            try db.setBusyMode(.timeout(1))
            expectEqual("\(db.configuration.busyMode)", "immediateError")
        }
    }

    @Test(arguments: [-1, TimeInterval(Int32.max), .infinity, .nan])
    func impossibleTimeoutIsAnError(duration: TimeInterval) throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.busyMode = .timeout(duration)
        expectError("SQLite error 21: Invalid busy timeout: \(duration)") {
            try TestDatabases.makeQueue(.memory, configuration)
        }
        let dbQueue = try TestDatabases.makeQueue()
        dbQueue.writeWithoutTransaction { db in
            expectError("SQLite error 21: Invalid busy timeout: \(duration)") {
                try db.setBusyMode(.timeout(duration))
            }
        }
    }

    @Test func fractionsOfAMillisecondWait() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.busyMode = .timeout(0.0001)
        try TestDatabases.makeQueue(.memory, configuration).writeWithoutTransaction { db throws in
            try expectEqual(Int.fetchOne(db, sql: "PRAGMA busy_timeout"), 1)
        }
    }

    /// The callback belongs to the connection, and goes away with it.
    @Test func callbackIsReleased() throws {
        final class Token: Sendable {}
        weak var weakToken: Token?
        do {
            let token = Token()
            weakToken = token
            let (_, dbQueue) = try makeQueues(
                .callback { _ in
                    _ = token
                    return false
                })
            try dbQueue.writeWithoutTransaction { try $0.setBusyMode(.immediateError) }
            expectTrue(weakToken != nil)
        }
        expectNil(weakToken)
    }
}
