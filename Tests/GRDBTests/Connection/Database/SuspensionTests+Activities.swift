import Dispatch
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Stands in for the system, which begins and ends activities.
private final class Activities: Sendable {
    private let blocks = Log<@Sendable (Bool) -> Void>()
    private let reasonLog = Log<String>()
    private let ends = Log<Bool>()
    private let isRefusing: Bool

    init(isRefusing: Bool = false) {
        self.isRefusing = isRefusing
    }

    var reasons: [String] { reasonLog.elements }

    /// Waits for the end of activities: the app may be suspended from then on.
    func waitForEnd(_ count: Int) async { await ends.wait(forCount: count) }

    func perform(_ reason: String, _ block: @escaping @Sendable (Bool) -> Void) {
        reasonLog.append(reason)
        blocks.append(block)
        Thread.detachNewThread { [isRefusing, ends] in
            block(isRefusing)
            ends.append(true)
        }
    }

    /// The time is over.
    func expire() { blocks.elements.forEach { $0(true) } }
}

// In this suite, because notifications are for the whole process.
extension SuspensionTests {
    private func makeWriter(
        _ kind: DatabaseKind, _ activities: Activities, beginsSuspended: Bool = true,
        observesNotifications: Bool = true
    ) throws -> any DatabaseWriter {
        let path = TestDatabases.makePath()
        try TestDatabases.openPool(path).write { try $0.execute(sql: "CREATE TABLE t(a)") }
        var configuration = TestDatabases.makeConfiguration()
        configuration.observesSuspensionNotifications = observesNotifications
        configuration.beginsSuspended = beginsSuspended
        configuration.performExpiringActivity = { activities.perform($0, $1) }
        return switch kind {
        case .queue: try TestDatabases.openQueue(path, configuration)
        case .pool: try TestDatabases.openPool(path, configuration)
        }
    }

    private func count(_ writer: any DatabaseWriter) throws -> Int? {
        try writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
    }

    private func insert(_ writer: any DatabaseWriter) throws {
        try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    }

    private func expectSuspended(
        _ writer: any DatabaseWriter, line: Int = #line
    ) {
        let message =
            "SQLite error 4: Database is suspended - while executing `BEGIN IMMEDIATE TRANSACTION`"
        expectError(message, line: line) { try insert(writer) }
    }

    @Test(arguments: DatabaseKind.allCases)
    func databaseBeginsSuspended(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind, Activities())
        for _ in 0..<2 { expectSuspended(writer) }
        // In WAL mode
        expectEqual(try count(writer), 0)
        NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
        try insert(writer)
        expectEqual(try count(writer), 1)
        NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
        defer { NotificationCenter.default.post(name: Database.resumeNotification, object: nil) }
        expectSuspended(writer)
    }

    /// A read-only pool opens its readers when they are needed.
    @Test func readersOpenedAfterTheResumptionAreResumed() throws {
        let path = TestDatabases.makePath()
        try TestDatabases.openQueue(path).write { try $0.execute(sql: "CREATE TABLE t(a)") }
        var configuration = TestDatabases.makeConfiguration()
        configuration.readonly = true
        configuration.observesSuspensionNotifications = true
        configuration.beginsSuspended = true
        let dbPool = try TestDatabases.openPool(path, configuration)
        expectError(DatabaseError.self) { try count(dbPool) }
        dbPool.releaseMemory()
        NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
        for _ in 0..<2 {
            try expectEqual(count(dbPool), 0)
            dbPool.releaseMemory()
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func databaseBeginsResumedWithoutNotifications(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind, Activities(), observesNotifications: false)
        try insert(writer)
        expectEqual(try count(writer), 1)
    }

    @Test(arguments: DatabaseKind.allCases)
    func suspendedDatabaseWritesInAnActivity(kind: DatabaseKind) async throws {
        let activities = Activities()
        let writer = try makeWriter(kind, activities)
        for number in 1...2 {
            let result = try await writer.writeInExpiringActivity("Sync \(number)") { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
            }
            expectEqual(result, number)
            // The activity ends with the access, and so does the exemption.
            await activities.waitForEnd(number)
            expectSuspended(writer)
        }
        expectEqual(activities.reasons, ["Sync 1", "Sync 2"])
        let error = await expectError(TestError.self) {
            try await writer.writeInExpiringActivity("Sync") { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                throw TestError("stop")
            }
        }
        expectEqual(error, TestError("stop"))
        await activities.waitForEnd(3)
        expectEqual(try count(writer), 2)
    }

    @Test(arguments: DatabaseKind.allCases)
    func expiredActivityRollsBack(kind: DatabaseKind) async throws {
        for beginsSuspended in [true, false] {
            let activities = Activities()
            let writer = try makeWriter(kind, activities, beginsSuspended: beginsSuspended)
            let error = await expectError(DatabaseError.self) {
                try await writer.writeInExpiringActivity("Sync") { db in
                    try db.execute(sql: "INSERT INTO t VALUES (1)")
                    activities.expire()
                    defer { expectTrue(!db.isInsideTransaction) }
                    try db.execute(sql: "INSERT INTO t VALUES (2)")
                }
            }
            expectEqual(error?.isInterruptionError, true)
            await activities.waitForEnd(1)
            expectEqual(try count(writer), 0)
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func suspensionDoesNotInterruptAnActivity(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind, Activities(), beginsSuspended: false)
        defer { NotificationCenter.default.post(name: Database.resumeNotification, object: nil) }
        let suspend = DatabaseFunction("suspend", argumentCount: 0) { _ in
            NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
            return 1
        }
        try await writer.writeInExpiringActivity("Sync") { db in
            db.add(function: suspend)
            try db.execute(
                sql: """
                    INSERT INTO t SELECT suspend() FROM (VALUES (1), (2));
                    INSERT INTO t VALUES (3)
                    """)
        }
        try expectEqual(count(writer), 3)
        expectSuspended(writer)
    }

    /// The lock must not wait for the next statement.
    @Test(arguments: DatabaseKind.allCases)
    func expirationInterruptsStatements(kind: DatabaseKind) async throws {
        let activities = Activities()
        let writer = try makeWriter(kind, activities)
        let error = await expectError(DatabaseError.self) {
            try await writer.writeInExpiringActivity("Sync") { db in
                db.trace {
                    guard "\($0)".hasPrefix("INSERT") else { return }
                    Thread.detachNewThread { activities.expire() }
                }
                try db.execute(sql: "INSERT INTO t \(endlessSQL)")
            }
        }
        expectEqual(error?.isInterruptionError, true)
        await activities.waitForEnd(1)
        expectEqual(try count(writer), 0)
    }

    @Test func refusedActivityWritesNothing() async throws {
        let activities = Activities(isRefusing: true)
        for beginsSuspended in [true, false] {
            let writer = try makeWriter(.pool, activities, beginsSuspended: beginsSuspended)
            let error = await expectError(DatabaseError.self) {
                try await writer.writeInExpiringActivity("Sync") { db in
                    try db.execute(sql: "INSERT INTO t VALUES (1)")
                }
            }
            expectEqual(error?.isInterruptionError, true)
            expectEqual(try count(writer), 0)
        }
    }

    /// Another access is not interrupted.
    @Test func expirationOfAnEndedActivityHasNoEffect() async throws {
        let activities = Activities()
        let writer = try makeWriter(.pool, activities, beginsSuspended: false)
        try await writer.writeInExpiringActivity("Sync") {
            try $0.execute(sql: "INSERT INTO t VALUES (1)")
        }
        try await writer.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            activities.expire()
            try db.execute(sql: "INSERT INTO t VALUES (3)")
        }
        expectEqual(try count(writer), 3)
    }

    @Test(arguments: DatabaseKind.allCases)
    func cancelledTaskEndsItsActivity(kind: DatabaseKind) async throws {
        let activities = Activities()
        let writer = try makeWriter(kind, activities)
        let task = Task {
            try await writer.writeInExpiringActivity("Sync") { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                withUnsafeCurrentTask { $0?.cancel() }
                try db.execute(sql: "INSERT INTO t VALUES (2)")
            }
        }
        await expectError(CancellationError.self) { try await task.value }
        await activities.waitForEnd(1)
        expectEqual(try count(writer), 0)
    }

    /// Other systems than those of iPhones suspend no program.
    @Test func activitiesBeginByDefault() async throws {
        let path = TestDatabases.makePath()
        let dbQueue = try TestDatabases.openQueue(path)
        try await dbQueue.writeInExpiringActivity("Sync") { db in
            try db.execute(sql: "CREATE TABLE t(a)")
        }
        try insert(dbQueue)
    }
}
