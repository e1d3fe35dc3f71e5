import GRDBChanges
import Dispatch
import Foundation
@testable import GRDB
import GRDBSQLite
import GRDBTestSupport
import Testing

/// Once a transaction has ended, neither the cancellation of its task nor its time limit stops what
/// follows on the connection: observers may belong to anyone.
@Suite(.databases) struct CommittedAccessTests {
    /// What happens once, in the middle of the next query that is disturbed.
    private final class Disturbance: Sendable {
        private let action = Locked<(@Sendable () -> Void)?>(nil)

        func arm(_ newAction: @escaping @Sendable () -> Void) {
            action.withLock { $0 = newAction }
        }

        func callAsFunction() {
            let taken = action.withLock { action in
                defer { action = nil }
                return action
            }
            taken?()
        }

        var isArmed: Bool { action.withLock { $0 != nil } }
    }

    /// An expression that takes thousands of steps, is disturbed in the midst of them, and is positive.
    private static let slowSQL = """
        (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) \
        SELECT COUNT(CASE i WHEN 100 THEN disturb() END) FROM n)
        """

    @Sendable private static func count(_ db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t WHERE \(slowSQL) > 0") ?? 0
    }

    private struct Item: FetchableRecord, TableRecord, Equatable, Identifiable {
        static let databaseTableName = "t"
        var id: Int64

        init(row: Row) { id = row["id"] }
    }

    private func makeWriter(
        _ kind: DatabaseKind, _ disturbance: Disturbance, isOld: Bool = false
    ) throws -> any DatabaseWriter {
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { db in
            db.add(
                function: DatabaseFunction("disturb", argumentCount: 0) { _ in
                    disturbance()
                    return 1
                })
        }
        let writer = try TestDatabases.makeWriter(kind, configuration)
        try writer.write { try $0.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)") }
        if isOld {
            for _ in 0..<20 {
                try writer.write { try $0.execute(sql: "INSERT INTO t(a) VALUES (0)") }
                _ = try writer.read(Self.count)
            }
            try writer.write { try $0.execute(sql: "DELETE FROM t") }
        }
        return writer
    }

    private static func insert(_ db: Database) throws {
        try db.execute(sql: "INSERT INTO t(a) VALUES (1)")
    }

    /// A task that is cancelled in the middle of the next query that is disturbed.
    private func cancelledTask<Value: Sendable>(
        _ disturbance: Disturbance, _ body: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        let tasks = Log<Task<Value, any Error>>()
        disturbance.arm { tasks.wait(forCount: 1)[0].cancel() }
        let task = Task { try await body() }
        tasks.append(task)
        return task
    }

    // MARK: - Observers

    enum Observer: CaseIterable {
        case transactionObserver, region, value, varyingValue, writingValue, sharedValue, list
        case changeFeed

        /// Writes down the number of rows after each commit, or an error.
        fileprivate func start(in writer: any DatabaseWriter, _ log: Transcript) -> Any {
            let onError: @Sendable (any Error) -> Void = { log.append("\($0)") }
            let onChange: @Sendable (Int) -> Void = { log.append("\($0)") }
            let appendCount: @Sendable (Database) -> Void = { db in
                do { onChange(try count(db)) } catch { onError(error) }
            }
            let scheduler = EagerScheduler()
            switch self {
            case .transactionObserver:
                let observer = TransactionRecorder()
                observer.onCommit = appendCount
                writer.add(transactionObserver: observer)
                return observer
            case .region:
                return DatabaseRegionObservation(tracking: Table("t"))
                    .start(in: writer, onError: onError, onChange: appendCount)
            case .value:
                return ValueObservation.trackingConstantRegion(count)
                    .start(
                        in: writer, scheduling: scheduler, onError: onError, onChange: onChange)
            case .varyingValue:
                return ValueObservation.tracking(count)
                    .start(
                        in: writer, scheduling: scheduler, onError: onError, onChange: onChange)
            case .writingValue:
                var observation = ValueObservation.tracking(count)
                observation.requiresWriteAccess = true
                return observation.start(
                    in: writer, scheduling: scheduler, onError: onError, onChange: onChange)
            case .sharedValue:
                return ValueObservation.tracking(count)
                    .shared(in: writer, scheduling: scheduler)
                    .start(onError: onError, onChange: onChange)
            case .list:
                return ListObservation.tracking(
                    Item.filter(sql: "\(slowSQL) > 0").orderByPrimaryKey()
                )
                .start(
                    in: writer, scheduling: scheduler, onError: onError,
                    onChange: { onChange($0.elements.count) })
            case .changeFeed:
                return DatabaseChangeFeed(tracking: .table("t"))
                    .start(in: writer, onError: onError) { _ in
                        writer.unsafeReentrantWrite(appendCount)
                    }
            }
        }
    }

    @Test(arguments: DatabaseKind.allCases, Observer.allCases)
    func cancellationsSpareObservers(kind: DatabaseKind, observer: Observer) async throws {
        for isOld in [false, true] {
            let disturbance = Disturbance()
            let log = Transcript()
            let writer = try makeWriter(kind, disturbance, isOld: isOld)
            let observation = observer.start(in: writer, log)
            waitForWriter(writer)
            let value = try await cancelledTask(disturbance) {
                try await writer.write { db in
                    try Self.insert(db)
                    return db.lastInsertedRowID
                }
            }.value
            expectEqual(value, 1)
            log.wait(last: "1")
            expectTrue(!disturbance.isArmed)
            // Observers go on, and the connection is not interrupted.
            try await writer.write(Self.insert)
            log.wait(last: "2")
            expectTrue(!log.all.contains { $0.contains("error") || $0.contains("Cancel") })
            withExtendedLifetime(observation) {}
        }
    }

    /// The limit is longer when the time has elapsed before the commit, which happens on a busy machine.
    @Test(arguments: DatabaseKind.allCases, Observer.allCases)
    func timeLimitsSpareObservers(kind: DatabaseKind, observer: Observer) async throws {
        for isAsynchronous in [false, true] {
            let disturbance = Disturbance()
            let log = Transcript()
            let writer = try makeWriter(kind, disturbance, isOld: isAsynchronous)
            let observation = observer.start(in: writer, log)
            waitForWriter(writer)
            var value: Int64?
            for limit in [0.05, 1, 20] where value == nil {
                let access: @Sendable (Database) throws -> Int64? = { db in
                    let isCommitted = Locked(false)
                    db.afterNextTransaction { _ in isCommitted.withLock { $0 = true } }
                    do {
                        return try db.withTimeLimit(limit) {
                            let end = Date(timeIntervalSinceNow: limit + 0.01)
                            disturbance.arm { Thread.sleep(until: end) }
                            try db.inTransaction {
                                try Self.insert(db)
                                return .commit
                            }
                            return db.lastInsertedRowID
                        }
                    } catch DatabaseError.SQLITE_INTERRUPT where !isCommitted.withLock({ $0 }) {
                        return nil
                    }
                }
                value =
                    isAsynchronous
                    ? try await writer.writeWithoutTransaction(access)
                    : try writer.tryWriteWithoutTransaction(access)
            }
            expectEqual(value, 1)
            log.wait(last: "1")
            expectTrue(!disturbance.isArmed)
            try await writer.write(Self.insert)
            log.wait(last: "2")
            expectTrue(!log.all.contains { $0.contains("error") })
            withExtendedLifetime(observation) {}
        }
    }

    /// Statements outside of transactions commit as well.
    @Test(arguments: DatabaseKind.allCases)
    func cancellationsSpareObserversOfSingleStatements(kind: DatabaseKind) async throws {
        let disturbance = Disturbance()
        let log = Transcript()
        let writer = try makeWriter(kind, disturbance)
        let observation = Observer.region.start(in: writer, log)
        let task = cancelledTask(disturbance) {
            try await writer.writeWithoutTransaction { db in
                try Self.insert(db)
                log.append("inserted")
                try Self.insert(db)
            }
        }
        // What follows in the access is cancelled.
        await expectError(CancellationError.self) { try await task.value }
        expectEqual(log.all, ["1", "inserted"])
        try await expectEqual(writer.read(Self.count), 1)
        withExtendedLifetime(observation) {}
    }

    @Test(arguments: DatabaseKind.allCases)
    func completionHandlersAreSpared(kind: DatabaseKind) async throws {
        let disturbance = Disturbance()
        let log = Transcript()
        let writer = try makeWriter(kind, disturbance)
        let completion: @Sendable (Database) -> Void = { db in
            log.append("\(Result { try Self.count(db) })")
        }
        try await cancelledTask(disturbance) {
            try await writer.write { db in
                db.afterNextTransaction(onCommit: completion)
                try Self.insert(db)
            }
        }.value
        expectEqual(log.removeAll(), ["success(1)"])

        // Those of a rollback, too, be it that of an error or of the cancellation.
        for isCancelledBefore in [false, true] {
            let task = cancelledTask(disturbance) {
                try await writer.write { db in
                    db.afterNextTransaction(onCommit: { _ in }, onRollback: completion)
                    try Self.insert(db)
                    if isCancelledBefore { _ = try Self.count(db) }
                    throw TestError("mine")
                }
            }
            if isCancelledBefore {
                await expectError(CancellationError.self) { try await task.value }
            } else {
                await expectError(TestError("mine")) { try await task.value }
            }
            expectEqual(log.removeAll(), ["success(1)"])
        }
        try await expectEqual(writer.read(Self.count), 1)
    }

    @Test(arguments: DatabaseKind.allCases)
    func timeLimitsSpareRollbackHandlers(kind: DatabaseKind) throws {
        let disturbance = Disturbance()
        let log = Transcript()
        let writer = try makeWriter(kind, disturbance)
        expectError("TestError mine") {
            try writer.tryWriteWithoutTransaction { db in
                try db.withTimeLimit(1) {
                    let end = Date(timeIntervalSinceNow: 1.05)
                    try db.inTransaction {
                        db.afterNextTransaction(onCommit: { _ in }) { db in
                            log.append("\(Result { try Self.count(db) })")
                        }
                        try Self.insert(db)
                        disturbance.arm { Thread.sleep(until: end) }
                        throw TestError("mine")
                    }
                }
            }
        }
        expectEqual(log.all, ["success(0)"])
    }

    /// The limits that an observer sets itself hold.
    @Test(arguments: [false, true])
    func observersHaveTimeLimitsOfTheirOwn(isRollback: Bool) throws {
        let log = Transcript()
        let writer = try makeWriter(.queue, Disturbance())
        let completion: @Sendable (Database) -> Void = { db in
            do {
                try db.withTimeLimit(0.02) { try db.execute(sql: endlessSQL) }
            } catch {
                log.append("\(error)")
            }
        }
        try writer.tryWriteWithoutTransaction { db in
            try db.withTimeLimit(patience) {
                db.afterNextTransaction(onCommit: completion, onRollback: completion)
                try db.inTransaction {
                    try Self.insert(db)
                    return isRollback ? .rollback : .commit
                }
            }
        }
        expectEqual(
            log.all,
            ["SQLite error 9: Time limit exceeded - while executing `\(endlessSQL)`"])
    }

    // MARK: - During a commit

    /// While observers are asked for their consent, nothing is committed yet. The access may end
    /// either way, but says what has happened.
    ///
    /// SQLite asks whether to stop every few thousand steps of a statement, counted over all of its
    /// runs: now and then just after the commit.
    @Test(arguments: DatabaseKind.allCases, [false, true])
    func cancelledDuringTheCommit(kind: DatabaseKind, isInTransaction: Bool) async throws {
        let writer = try makeWriter(kind, Disturbance())
        let observer = TransactionRecorder()
        let log = Transcript()
        observer.onWillCommit = { withUnsafeCurrentTask { $0?.cancel() } }
        observer.onCommit = { db in
            log.append("\(Result { try Int.fetchOne(db, sql: "SELECT 1") ?? 0 })")
        }
        writer.add(transactionObserver: observer)
        var expectedCount = 0
        for _ in 0..<2_200 {
            let task = Task {
                if isInTransaction {
                    try await writer.write { try $0.execute(sql: "INSERT INTO t(a) VALUES (1)") }
                } else {
                    try await writer.writeWithoutTransaction {
                        try $0.execute(sql: "INSERT INTO t(a) VALUES (1)")
                    }
                }
            }
            if case .success = await task.result { expectedCount += 1 }
        }
        let count = try await writer.unsafeRead {
            try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t")
        }
        expectEqual(count, expectedCount)
        #expect(expectedCount > 0)
        expectEqual(log.all, Array(repeating: "success(1)", count: expectedCount))
    }

    @Test(arguments: DatabaseKind.allCases)
    func timeLimitExceededDuringTheCommit(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind, Disturbance())
        let observer = TransactionRecorder()
        let end = Locked(Date.distantPast)
        observer.onWillCommit = { waitForDate(after: end.withLock { $0 }) }
        writer.add(transactionObserver: observer)
        var successCount = 0
        try writer.tryWriteWithoutTransaction { db in
            for _ in 0..<1_000 {
                do {
                    end.withLock { $0 = Date(timeIntervalSinceNow: 0.000_2) }
                    try db.withTimeLimit(0.000_2) {
                        try db.execute(sql: "INSERT INTO t(a) VALUES (1)")
                    }
                    successCount += 1
                } catch DatabaseError.SQLITE_INTERRUPT {
                }
            }
        }
        try expectEqual(
            writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") },
            successCount)
    }

    /// Transactions that change nothing, and rollbacks, end as well: `ROLLBACK` does not fail when
    /// it has rolled back.
    @Test(arguments: DatabaseKind.allCases)
    func endsOfTransactionsAreNotStopped(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind, Disturbance())
        try writer.tryWriteWithoutTransaction { db in
            for end in ["COMMIT", "ROLLBACK", "RELEASE s"] {
                for _ in 0..<2_200 {
                    try db.execute(sql: end == "RELEASE s" ? "SAVEPOINT s" : "BEGIN")
                    let statement = try db.cachedStatement(sql: end)
                    // The time elapses while the statement runs.
                    let trace = StoppingTrace(db)
                    try statement.execute()
                    trace.end()
                    expectTrue(!db.isInsideTransaction)
                }
            }
        }
    }

    /// Exceeds the time limit of a connection when its next statement starts.
    private final class StoppingTrace {
        private let db: Database

        init(_ db: Database) {
            self.db = db
            // Installs the handler that stops statements.
            db.deadline = .max
            db.trace { [unowned db] _ in db.deadline = 1 }
        }

        func end() {
            db.trace(nil)
            db.deadline = nil
        }
    }

    // MARK: - What is left

    /// With a cursor on a row, SQLite would interrupt statements that start later, too.
    @Test(arguments: DatabaseKind.allCases)
    func cursorsKeepNoInterruption(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind, Disturbance())
        let log = Transcript()
        let task = Task {
            try await writer.writeWithoutTransaction { db in
                for _ in 0..<3 { try Self.insert(db) }
                let observer = TransactionRecorder()
                observer.onWillCommit = { withUnsafeCurrentTask { $0?.cancel() } }
                observer.onCommit = { db in log.append("\(Result { try Self.count(db) })") }
                db.add(transactionObserver: observer)
                defer { withExtendedLifetime(observer) {} }
                let cursor = try Int.fetchCursor(db, sql: "SELECT id FROM t")
                try expectEqual(cursor.next(), 1)
                try Self.insert(db)
                log.append("inserted")
                // What the task does itself is cancelled.
                _ = try cursor.next()
                log.append("not cancelled")
            }
        }
        await expectError(CancellationError.self) { try await task.value }
        expectEqual(log.all, ["success(4)", "inserted"])
        try await expectEqual(writer.unsafeRead(Self.count), 4)
    }

    @Test(arguments: DatabaseKind.allCases)
    func noInterruptionIsLeft(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind, Disturbance())
        for isReading in [false, true] {
            let task = Task {
                let access: @Sendable (Database) throws -> Void = { db in
                    let cursor = try Int.fetchCursor(db, sql: "SELECT 1 UNION SELECT 2")
                    _ = try cursor.next()
                    withUnsafeCurrentTask { $0?.cancel() }
                    #expect(sqlite3_is_interrupted(db.sqliteConnection) != 0)
                }
                if isReading {
                    try await writer.read(access)
                } else {
                    try await writer.writeWithoutTransaction(access)
                }
            }
            _ = await task.result
            let check: @Sendable (Database) -> Void = { db in
                expectEqual(sqlite3_is_interrupted(db.sqliteConnection), 0)
                expectTrue(!db.mustStop)
            }
            if isReading {
                try await writer.unsafeRead(check)
            } else {
                try await writer.writeWithoutTransaction(check)
            }
        }
    }
}
