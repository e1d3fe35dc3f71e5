import Dispatch
import Foundation
@testable import GRDB
import GRDBTestSupport
import Testing

/// Errors, cancellations, closed databases, other schemas.
@Suite(.databases) struct ObservationEndingTests {
    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER);
                    INSERT INTO t VALUES (1, 1);
                    """)
        }
        return writer
    }

    @Sendable private static func count(_ db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? 0
    }

    private func insert(_ writer: any DatabaseWriter) throws {
        try writer.write { try $0.execute(sql: "INSERT INTO t(a) VALUES (1)") }
    }

    // MARK: - Errors

    @Test(arguments: DatabaseKind.allCases, [true, false])
    func aFailingStartDeliversOneError(kind: DatabaseKind, isImmediate: Bool) throws {
        let writer = try makeWriter(kind)
        let log = Transcript()
        let observation = ValueObservation.tracking { db in
            try Int.fetchOne(db, sql: "SELECT a FROM missing")
        }
        let traced = observation.traced(log)
        let cancellable =
            isImmediate
            ? traced.start(in: writer, log)
            : traced.start(
                in: writer, log, scheduling: .async(onQueue: DispatchQueue(label: "values")))
        let error =
            "SQLite error 1: no such table: missing - while executing `SELECT a FROM missing`"
        log.wait(last: "error \(error)")
        try insert(writer)
        cancellable.cancel()
        waitForWriter(writer)
        expectEqual(log.all, ["willStart", "willFetch", "didFail \(error)", "error \(error)"])
    }

    @Test(arguments: DatabaseKind.allCases, [true, false])
    func anErrorEndsTheObservation(kind: DatabaseKind, isConstant: Bool) throws {
        let writer = try makeWriter(kind)
        let log = Transcript()
        let fetch: @Sendable (Database) throws -> Int = { db in
            let count = try Self.count(db)
            if count == 3 { throw TestError("three") }
            return count
        }
        let observation: ValueObservation<ValueReducers.Fetch<Int>> =
            isConstant ? .trackingConstantRegion(fetch) : .tracking(fetch)
        let cancellable = observation.start(in: writer, log)
        waitForWriter(writer)
        try insert(writer)
        log.wait(last: "2")
        try insert(writer)
        log.wait(last: "error TestError three")
        try insert(writer)
        waitForWriter(writer)
        expectEqual(log.all, ["1", "2", "error TestError three"])
        cancellable.cancel()
    }

    @Test(arguments: DatabaseKind.allCases)
    func anErrorOfAnOperatorEndsTheObservation(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let log = Transcript()
        let cancellable = ValueObservation.tracking(Self.count)
            .map { count -> Int in
                if count == 2 { throw TestError("two") }
                return count
            }
            .start(in: writer, log)
        waitForWriter(writer)
        try insert(writer)
        log.wait(last: "error TestError two")
        try insert(writer)
        waitForWriter(writer)
        expectEqual(log.all, ["1", "error TestError two"])
        cancellable.cancel()
    }

    // MARK: - Cancellation

    @Test(arguments: DatabaseKind.allCases)
    func nothingComesAfterACancellation(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let log = Transcript()
        let queue = DispatchQueue(label: "values")
        let cancellable = ValueObservation.tracking(Self.count)
            .start(in: writer, log, scheduling: .async(onQueue: queue))
        log.wait(count: 1)
        waitForWriter(writer)
        queue.sync {
            for _ in 0..<5 { try? insert(writer) }
            cancellable.cancel()
        }
        try insert(writer)
        queue.sync {}
        expectEqual(log.all, ["1"])
    }

    @Test(arguments: DatabaseKind.allCases)
    func theObservationDiesWithItsCancellable(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let log = Transcript()
        var cancellable: AnyDatabaseCancellable? =
            ValueObservation.tracking(Self.count).traced(log).start(in: writer, log)
        waitForWriter(writer)
        expectTrue(cancellable != nil)
        log.removeAll()
        cancellable = nil
        try insert(writer)
        expectEqual(log.all, ["didCancel"])
    }

    @Test(arguments: DatabaseKind.allCases)
    func aClientMayCancelWhileItReceives(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let log = Transcript()
        let cancellable = Locked<AnyDatabaseCancellable?>(nil)
        let observation = ValueObservation.tracking(Self.count)
        let started = observation.start(
            in: writer, scheduling: .async(onQueue: DispatchQueue(label: "values")),
            onError: { log.append("\($0)") },
            onChange: { value in
                log.append("\(value)")
                if value == 2 { cancellable.withLock { $0 }?.cancel() }
            })
        cancellable.withLock { $0 = started }
        log.wait(last: "1")
        waitForWriter(writer)
        try insert(writer)
        log.wait(last: "2")
        try insert(writer)
        waitForWriter(writer)
        expectEqual(log.all, ["1", "2"])
        cancellable.withLock { $0 = nil }
    }

    /// The observation keeps the connection alive, and nothing of it stays when it has ended. The suite
    /// fails when a connection leaks.
    @Test(arguments: DatabaseKind.allCases)
    func theConnectionLivesAsLongAsTheObservation(kind: DatabaseKind) throws {
        let log = Transcript()
        var writer: (any DatabaseWriter)? = try makeWriter(kind)
        weak let weakWriter = writer
        let cancellable = ValueObservation.tracking(Self.count).start(in: writer!, log)
        waitForWriter(writer!)
        writer = nil
        expectTrue(weakWriter != nil)
        if let writer = weakWriter { try insert(writer) }
        log.wait(last: "2")
        cancellable.cancel()
    }

    // MARK: - Closing

    @Test(arguments: DatabaseKind.allCases)
    func closingEndsTheObservation(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let log = Transcript()
        let cancellables = [
            ValueObservation.tracking(Self.count).start(in: writer, log),
            ValueObservation.trackingConstantRegion(Self.count).start(in: writer, log),
        ]
        waitForWriter(writer)
        expectEqual(log.removeAll(), ["1", "1"])
        try writer.close()
        let closed = "error SQLite error 21: Connection is closed"
        log.wait(count: 2)
        expectEqual(log.removeAll(), [closed, closed])
        for cancellable in cancellables { cancellable.cancel() }

        let late = ValueObservation.tracking { _ in 1 }.start(in: writer, log)
        expectEqual(log.all, [closed])
        late.cancel()
    }

    @Test(arguments: DatabaseKind.allCases)
    func closingEndsTheObservationOfARegion(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let log = Transcript()
        let cancellable = DatabaseRegionObservation(tracking: .fullDatabase).start(
            in: writer, onError: { log.append("error \($0)") }, onChange: { _ in })
        try writer.close()
        expectEqual(log.all, ["error SQLite error 21: Connection is closed"])
        cancellable.cancel()
    }

    // MARK: - Schema

    @Test(arguments: DatabaseKind.allCases, [true, false])
    func otherColumnsRefreshTheObservation(kind: DatabaseKind, isConstant: Bool) throws {
        let writer = try makeWriter(kind)
        let log = Transcript()
        let fetch: @Sendable (Database) throws -> [String] = { db in
            try Row.fetchAll(db, sql: "SELECT * FROM t").map(\.description)
        }
        let observation: ValueObservation<ValueReducers.Fetch<[String]>> =
            isConstant ? .trackingConstantRegion(fetch) : .tracking(fetch)
        let cancellable = observation.start(in: writer, log)
        waitForWriter(writer)
        expectEqual(log.removeAll(), [#"["[id:1 a:1]"]"#])
        try writer.write { try $0.execute(sql: "CREATE TABLE other(a); CREATE INDEX i ON t(a)") }
        try writer.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN b DEFAULT 7") }
        log.wait(count: 1)
        expectEqual(log.removeAll(), [#"["[id:1 a:1 b:7]"]"#])
        // A column that was not there when the observation has begun.
        try writer.write { try $0.execute(sql: "UPDATE t SET b = 8") }
        log.wait(count: 1)
        expectEqual(log.removeAll(), [#"["[id:1 a:1 b:8]"]"#])
        try writer.write { db in
            try db.execute(sql: "DROP TABLE t; CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER)")
        }
        log.wait(last: "[]")
        try writer.write { try $0.execute(sql: "DROP TABLE t") }
        log.wait(count: 2)
        expectEqual(
            log.all,
            [
                "[]",
                """
                error SQLite error 1: no such table: t - while executing `SELECT * FROM t`
                """,
            ])
        cancellable.cancel()
    }

    @Test(arguments: DatabaseKind.allCases, [true, false])
    func renamedTableEndsTheObservation(kind: DatabaseKind, isConstant: Bool) throws {
        let writer = try makeWriter(kind)
        let log = Transcript()
        let observation: ValueObservation<ValueReducers.Fetch<Int>> =
            isConstant ? .trackingConstantRegion(Self.count) : .tracking(Self.count)
        let cancellable = observation.start(in: writer, log)
        waitForWriter(writer)
        // A table that has its name again is another one, or the same.
        try writer.execute("ALTER TABLE t RENAME TO u; ALTER TABLE u RENAME TO t")
        try insert(writer)
        log.wait(last: "2")
        try writer.execute(
            "ALTER TABLE t RENAME TO u; CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)")
        log.wait(last: "3")
        log.removeAll()
        try writer.execute("ALTER TABLE t RENAME TO v")
        log.wait(count: 1)
        expectEqual(
            log.all,
            [
                "error SQLite error 1: no such table: t - while executing `SELECT COUNT(*) FROM t`"
            ])
        cancellable.cancel()
    }

    @Test(arguments: DatabaseKind.allCases, ["DROP TABLE t", "ALTER TABLE t RENAME TO u"])
    func regionObservationIsToldOfATableThatIsGone(kind: DatabaseKind, sql: String) throws {
        let writer = try makeWriter(kind)
        let log = Transcript()
        let cancellable = DatabaseRegionObservation(tracking: DatabaseRegion(table: "t")).start(
            in: writer, onError: { log.append("error \($0)") },
            onChange: { _ in log.append("change") })
        try writer.execute(sql)
        expectEqual(log.removeAll(), ["change"])
        try writer.execute("CREATE TABLE t(a)")
        log.removeAll()
        try writer.execute("INSERT INTO t VALUES (1)")
        expectEqual(log.all, ["change"])
        cancellable.cancel()
    }

    @Test(arguments: DatabaseKind.allCases)
    func tablesAreObserved(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let log = Transcript()
        let cancellable =
            ValueObservation
            .tracking { db in
                try String.fetchAll(db, sql: "SELECT name FROM sqlite_master ORDER BY name")
            }
            .start(in: writer, log)
        waitForWriter(writer)
        try writer.write { try $0.execute(sql: "CREATE TABLE other(a)") }
        log.wait(count: 2)
        expectEqual(log.all, [#"["t"]"#, #"["other", "t"]"#])
        cancellable.cancel()
    }

    @Test(
        .disabled(
            if: TestDatabases.encryptsDatabases, "The source is in memory, and the file encrypted"),
        arguments: DatabaseKind.allCases)
    func replacedContentRefreshesTheObservation(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let source = try makeWriter(.queue)
        try insert(source)
        let log = Transcript()
        let cancellable = ValueObservation.trackingConstantRegion(Self.count).start(in: writer, log)
        waitForWriter(writer)
        try source.backup(to: writer)
        log.wait(last: "2")
        try writer.erase()
        log.wait(count: 3)
        expectEqual(
            log.all,
            [
                "1", "2",
                "error SQLite error 1: no such table: t - while executing `SELECT COUNT(*) FROM t`",
            ])
        cancellable.cancel()
    }

    /// What was replaced can't be kept by an error of `databaseWillCommit`.
    @Test(
        .disabled(
            if: TestDatabases.encryptsDatabases, "The source is in memory, and the file encrypted"),
        arguments: DatabaseKind.allCases)
    func replacedContentRefreshesTheObservationInSpiteOfAnObjection(kind: DatabaseKind) throws {
        final class Objection: TransactionObserver {
            struct Refusal: Error {}

            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
            func databaseDidChange(with event: DatabaseEvent) {}
            func databaseWillCommit() throws { throw Refusal() }
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }

        let writer = try makeWriter(kind)
        let source = try makeWriter(.queue)
        try insert(source)
        let log = Transcript()
        let cancellable = ValueObservation.trackingConstantRegion(Self.count).start(in: writer, log)
        waitForWriter(writer)
        writer.add(transactionObserver: Objection(), extent: .databaseLifetime)
        try source.backup(to: writer)
        log.wait(last: "2")
        expectError(Objection.Refusal.self) { try insert(writer) }
        cancellable.cancel()
    }

    // MARK: - Starts in odd places

    @Test(arguments: DatabaseKind.allCases)
    func startInAWrite(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let log = Transcript()
        var cancellables: [AnyDatabaseCancellable] = []
        try? writer.write { db in
            try db.execute(sql: "INSERT INTO t(a) VALUES (1)")
            cancellables.append(ValueObservation.tracking(Self.count).start(in: writer, log))
            throw TestError()
        }
        // A pool tells what is committed. A queue has nothing but the transaction to look into, and
        // then tells that it was undone.
        log.wait(last: "1")
        waitForWriter(writer)
        expectEqual(log.removeAll().last, "1")
        try writer.write { db in
            cancellables.append(
                ValueObservation.tracking(Self.count).start(in: writer, log, name: "second "))
            try db.execute(sql: "INSERT INTO t(a) VALUES (1)")
        }
        log.wait { $0.contains("second 2") && $0.contains("2") }
        for cancellable in cancellables { cancellable.cancel() }
    }

    @Test(arguments: DatabaseKind.allCases)
    func noChangeIsLostBeforeTracking(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let log = Transcript()
        let mayWrite = DispatchSemaphore(value: 0)
        let isWriting = DispatchSemaphore(value: 0)
        let isDone = DispatchSemaphore(value: 0)
        // A write that began before the observation, and ends after the first value of a pool.
        DispatchQueue.global().async {
            try? writer.write { db in
                isWriting.signal()
                if kind == .pool { mayWrite.wait() }
                try db.execute(sql: "INSERT INTO t(a) VALUES (1)")
            }
            isDone.signal()
        }
        isWriting.wait()
        let cancellable = ValueObservation.trackingConstantRegion(Self.count).start(in: writer, log)
        mayWrite.signal()
        isDone.wait()
        log.wait(last: "2")
        expectEqual(log.all, (kind == .pool ? ["1", "2"] : ["2"]))
        cancellable.cancel()
    }

    /// The writer goes on while a value is fetched, and one value follows for all that was committed
    /// meanwhile.
    @Test func poolsCoalesce() throws {
        let dbPool = try makeWriter(.pool)
        let log = Transcript()
        let isFetching = DispatchSemaphore(value: 0)
        let mayFetch = DispatchSemaphore(value: 0)
        let fetches = Log<Int>()
        let cancellable =
            ValueObservation
            .trackingConstantRegion { db -> Int in
                fetches.append(1)
                if fetches.elements.count == 2 {
                    isFetching.signal()
                    mayFetch.wait()
                }
                return try Self.count(db)
            }
            .start(in: dbPool, log)
        waitForWriter(dbPool)
        try insert(dbPool)
        isFetching.wait()
        for _ in 0..<10 { try insert(dbPool) }
        mayFetch.signal()
        log.wait(last: "12")
        // The second fetch sees the commit that asked for it.
        expectEqual(log.all, ["1", "2", "12"])
        expectEqual(fetches.elements.count, 3)
        cancellable.cancel()
    }
}
