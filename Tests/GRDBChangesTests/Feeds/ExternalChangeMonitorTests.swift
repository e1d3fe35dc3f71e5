@testable import GRDBChanges
import Dispatch
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Another connection to the same file stands for another process: SQLite tells no difference.
@Suite(.databases) struct ExternalChangeMonitorTests {
    private struct Files {
        let writer: any DatabaseWriter
        let other: DatabaseQueue

        func change() throws {
            try other.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        }
    }

    /// The connections wait for one another: without WAL, a commit waits for who reads.
    private func makeFiles(_ kind: DatabaseKind) throws -> Files {
        var configuration = TestDatabases.makeConfiguration()
        configuration.busyMode = .timeout(10)
        let writer: any DatabaseWriter =
            switch kind {
            case .queue: try TestDatabases.makeQueue(.file, configuration)
            case .pool: try TestDatabases.makePool(configuration)
            }
        try writer.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t(a); CREATE TABLE u(a)")
        }
        return Files(writer: writer, other: try TestDatabases.openQueue(writer.path, configuration))
    }

    @Test(arguments: DatabaseKind.allCases)
    func observersAreTold(kind: DatabaseKind) throws {
        let files = try makeFiles(kind)
        let recorder = TransactionRecorder()
        files.writer.add(transactionObserver: recorder)
        let monitor = try ExternalChangeMonitor(files.writer)
        try expectTrue(!monitor.check())
        expectEqual(recorder.lines(), [])
        try files.change()
        try expectTrue(monitor.check())
        expectEqual(recorder.lines(), ["didChange", "willCommit", "didCommit"])
        try expectTrue(!monitor.check())
        expectEqual(recorder.lines(), [])
    }

    @Test(arguments: DatabaseKind.allCases)
    func ownChangesAreNone(kind: DatabaseKind) throws {
        let files = try makeFiles(kind)
        let monitor = try ExternalChangeMonitor(files.writer)
        try files.writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        try expectTrue(!monitor.check())
    }

    @Test func onlyTheRegionIsNotified() throws {
        let files = try makeFiles(.pool)
        let ofT = TransactionRecorder()
        ofT.filter = { $0.tableName == "t" }
        let ofU = TransactionRecorder()
        ofU.filter = { $0.tableName == "u" }
        files.writer.add(transactionObserver: ofT)
        files.writer.add(transactionObserver: ofU)
        let monitor = try ExternalChangeMonitor(files.writer, notifying: Table("t"))
        try files.change()
        try monitor.check()
        expectEqual(ofT.lines(), ["didChange", "willCommit", "didCommit"])
        expectEqual(ofU.lines(), ["willCommit", "didCommit"])
    }

    /// Others who write don't have to be waited for.
    @Test func checkNeedsNoLock() throws {
        let files = try makeFiles(.pool)
        let recorder = TransactionRecorder()
        files.writer.add(transactionObserver: recorder)
        let monitor = try ExternalChangeMonitor(files.writer)
        try files.change()
        try files.other.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            let isChanged = try monitor.check()
            expectTrue(isChanged)
        }
        expectEqual(recorder.lines().first, "didChange")
        try expectTrue(monitor.check())
    }

    @Test func checkInsideOfAnAccess() throws {
        let files = try makeFiles(.pool)
        let recorder = TransactionRecorder()
        files.writer.add(transactionObserver: recorder)
        let monitor = try ExternalChangeMonitor(files.writer)
        try files.change()
        try files.writer.write { _ in
            let isChanged = try monitor.check()
            expectTrue(isChanged)
            expectEqual(recorder.lines(), ["didChange"])
        }
        expectEqual(recorder.lines(), ["willCommit", "didCommit"])
    }

    /// Observers learn of a change from a commit. If there is none, they are told by the next call.
    @Test(arguments: DatabaseKind.allCases)
    func changeIsToldAfterARollback(kind: DatabaseKind) throws {
        let files = try makeFiles(kind)
        let recorder = TransactionRecorder()
        files.writer.add(transactionObserver: recorder)
        let monitor = try ExternalChangeMonitor(files.writer)
        try files.change()
        expectError(TestError("no")) {
            try files.writer.write { (_: Database) throws in
                try expectTrue(monitor.check())
                // The same change is told once in a transaction.
                try expectTrue(!monitor.check())
                throw TestError("no")
            }
        }
        expectEqual(recorder.lines(), ["didChange", "didRollback"])
        try expectTrue(monitor.check())
        expectEqual(recorder.lines(), ["didChange", "willCommit", "didCommit"])
        try expectTrue(!monitor.check())
        // A rollback by hand, and another transaction of the same access.
        try files.change()
        try files.writer.writeWithoutTransaction { (db: Database) throws in
            try db.inTransaction { () throws in
                try expectTrue(monitor.check())
                return .rollback
            }
            try db.inTransaction { () throws in
                try expectTrue(monitor.check())
                return .commit
            }
            try expectTrue(!monitor.check())
        }
        expectEqual(
            recorder.lines(),
            [
                "didChange", "didRollback", "didChange", "willCommit", "didCommit",
            ])
    }

    /// An observer refuses the commit.
    @Test(arguments: DatabaseKind.allCases, [true, false])
    func changeIsToldAfterARefusedCommit(kind: DatabaseKind, isInTransaction: Bool) throws {
        let files = try makeFiles(kind)
        let recorder = TransactionRecorder()
        recorder.onWillCommit = { throw TestError("refused") }
        files.writer.add(transactionObserver: recorder)
        let monitor = try ExternalChangeMonitor(files.writer)
        try files.change()
        expectError(TestError("refused")) {
            if isInTransaction {
                try files.writer.write { (db: Database) throws in
                    try expectTrue(monitor.check())
                    try db.execute(sql: "INSERT INTO u VALUES (1)")
                }
            } else {
                try monitor.check()
            }
        }
        recorder.onWillCommit = nil
        _ = recorder.lines()
        try expectTrue(monitor.check())
        expectEqual(recorder.lines(), ["didChange", "willCommit", "didCommit"])
    }

    /// A savepoint that is rolled back takes no notification back.
    @Test func changeIsToldOnceInARolledBackSavepoint() throws {
        let files = try makeFiles(.pool)
        let recorder = TransactionRecorder()
        files.writer.add(transactionObserver: recorder)
        let monitor = try ExternalChangeMonitor(files.writer)
        try files.change()
        try files.writer.write { (db: Database) throws in
            try db.inSavepoint { () throws in
                try expectTrue(monitor.check())
                return .rollback
            }
        }
        expectEqual(recorder.lines(), ["didChange", "willCommit", "didCommit"])
        try expectTrue(!monitor.check())
    }

    /// Observers can't be told from a read-only access, and the change must not be lost.
    @Test(arguments: DatabaseKind.allCases)
    func checkInAReadOnlyAccess(kind: DatabaseKind) throws {
        let files = try makeFiles(kind)
        let recorder = TransactionRecorder()
        files.writer.add(transactionObserver: recorder)
        let monitor = try ExternalChangeMonitor(files.writer)
        let message =
            "SQLite error 21: ExternalChangeMonitor can't notify observers in a read-only access"
        for _ in 0..<2 {
            files.writer.writeWithoutTransaction { db in
                expectError(message) { try db.readOnly { try monitor.check() } }
            }
            if kind == .queue {
                try files.writer.read { _ in expectError(message) { try monitor.check() } }
            }
            expectEqual(recorder.lines(), [])
            // Now there is something to tell.
            try files.change()
        }
        try expectTrue(monitor.check())
        expectEqual(recorder.lines(), ["didChange", "willCommit", "didCommit"])
    }

    /// The readers of a pool are other connections than the one that notifies.
    @Test func checkInAReadOfAPool() throws {
        let files = try makeFiles(.pool)
        let recorder = TransactionRecorder()
        files.writer.add(transactionObserver: recorder)
        let monitor = try ExternalChangeMonitor(files.writer)
        try files.change()
        try expectTrue(files.writer.read { _ in try monitor.check() })
        expectEqual(recorder.lines(), ["didChange", "willCommit", "didCommit"])
    }

    /// An error of the region must not lose the change.
    @Test func changeIsToldAfterAnError() throws {
        let files = try makeFiles(.queue)
        let recorder = TransactionRecorder()
        files.writer.add(transactionObserver: recorder)
        let fails = Log<Bool>()
        let monitor = try ExternalChangeMonitor(
            files.writer,
            notifying: AnyDatabaseRegionConvertible { _ in
                if fails.elements.isEmpty {
                    fails.append(true)
                    throw TestError("no")
                }
                return .fullDatabase
            })
        try files.change()
        expectError(TestError("no")) { try monitor.check() }
        _ = recorder.lines()
        try expectTrue(monitor.check())
        expectEqual(recorder.lines().first, "didChange")
    }

    @Test(.disabled(if: TestDatabases.encryptsDatabases, "Opens its file without a key"))
    func readOnlyConnectionsCanBeMonitored() throws {
        let files = try makeFiles(.pool)
        var configuration = Configuration()
        configuration.readonly = true
        let reader = try TestDatabases.openQueue(files.writer.path, configuration)
        let monitor = try ExternalChangeMonitor(reader)
        try expectTrue(!monitor.check())
        try files.change()
        try expectTrue(monitor.check())
        try expectTrue(!monitor.check())
    }

    @Test func changedSchemaIsNoticed() throws {
        let files = try makeFiles(.pool)
        let monitor = try ExternalChangeMonitor(files.writer)
        let recorder = TransactionRecorder()
        recorder.filter = { $0.tableName == "late" }
        files.writer.add(transactionObserver: recorder)
        try files.other.write { try $0.execute(sql: "CREATE TABLE late(a)") }
        try monitor.check()
        expectEqual(recorder.lines(), ["didChange", "willCommit", "didCommit"])
    }

    /// A value observation of one connection follows what another one commits.
    @Test(arguments: DatabaseKind.allCases)
    func valueObservationFollowsOtherConnections(kind: DatabaseKind) throws {
        let files = try makeFiles(kind)
        let values = Log<Int>()
        let cancellable = ValueObservation.tracking(
            region: Table("t"), fetch: { try Table("t").fetchCount($0) }
        ).start(
            in: files.writer, scheduling: .async(onQueue: DispatchQueue(label: "values")),
            onError: { Issue.record($0) }, onChange: { values.append($0) })
        expectEqual(values.wait(forCount: 1), [0])
        // Until it tracks.
        files.writer.writeWithoutTransaction { _ in }
        let monitor = try ExternalChangeMonitor(files.writer, notifying: Table("t"))
        for count in 1...3 {
            try files.change()
            expectEqual(values.elements.count, count)
            try expectTrue(monitor.check())
            expectEqual(values.wait(forCount: count + 1).last, count)
        }
        // Changes of both.
        try files.change()
        try files.writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        expectEqual(values.wait(forCount: 5).last, 5)
        try expectTrue(monitor.check())
        expectEqual(values.wait(forCount: 6).last, 5)
        // Those of other tables are of no interest.
        try files.other.write { try $0.execute(sql: "INSERT INTO u VALUES (1)") }
        cancellable.cancel()
    }

    /// The same without asking: a timer looks.
    @Test(arguments: DatabaseKind.allCases)
    func valuesComeByThemselves(kind: DatabaseKind) async throws {
        let files = try makeFiles(kind)
        let monitor = try ExternalChangeMonitor(files.writer)
        monitor.start(interval: 0.005)
        var expected = 0
        for try await count in ValueObservation.tracking({ try Table("t").fetchCount($0) })
            .values(in: files.writer)
        {
            // What another has committed before the first look may be delivered twice.
            if count < expected { continue }
            expectEqual(count, expected)
            if count == 3 { break }
            expected += 1
            try files.change()
        }
        monitor.stop()
    }

    // MARK: - Regularly

    /// Waits for the calls of a callback.
    private struct Calls {
        let stream: AsyncStream<Void>
        let continuation: AsyncStream<Void>.Continuation

        init() {
            (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        }

        func one() async { for await _ in stream { return } }
    }

    @Test(arguments: DatabaseKind.allCases)
    func timerNoticesChanges(kind: DatabaseKind) async throws {
        let files = try makeFiles(kind)
        let monitor = try ExternalChangeMonitor(files.writer)
        let calls = Calls()
        let continuation = calls.continuation
        monitor.start(
            interval: 0.005, usesFileEvents: false,
            onChange: { db in
                expectTrue(!db.isInsideTransaction)
                continuation.yield()
            })
        for _ in 0..<3 {
            try files.change()
            await calls.one()
        }
        monitor.stop()
    }

    /// There is no timer that could help.
    #if os(Linux) && canImport(Glibc)
    @Test(arguments: DatabaseKind.allCases)
    func fileEventsNoticeChanges(kind: DatabaseKind) async throws {
        let files = try makeFiles(kind)
        let monitor = try ExternalChangeMonitor(files.writer)
        let calls = Calls()
        let continuation = calls.continuation
        monitor.start(interval: nil, onChange: { _ in continuation.yield() })
        for _ in 0..<3 {
            try files.change()
            await calls.one()
        }
        monitor.stop()
    }
    #endif

    @Test func startSeesWhatHasHappenedBefore() async throws {
        let files = try makeFiles(.pool)
        let monitor = try ExternalChangeMonitor(files.writer)
        try files.change()
        let calls = Calls()
        let continuation = calls.continuation
        monitor.start(
            interval: nil, usesFileEvents: false, onChange: { _ in continuation.yield() })
        await calls.one()
    }

    @Test func stoppedMonitorIsSilent() async throws {
        let files = try makeFiles(.pool)
        let monitor = try ExternalChangeMonitor(files.writer)
        let log = Log<String>()
        monitor.start(interval: 0.001) { _ in log.append("first") }
        monitor.stop()
        try files.change()
        let calls = Calls()
        let continuation = calls.continuation
        monitor.start(interval: 0.001) { _ in
            log.append("second")
            continuation.yield()
        }
        await calls.one()
        expectEqual(log.elements, ["second"])
    }

    @Test func closedDatabaseStopsTheMonitor() async throws {
        let files = try makeFiles(.pool)
        let monitor = try ExternalChangeMonitor(files.writer)
        let (errors, continuation) = AsyncStream.makeStream(of: String.self)
        monitor.start(interval: 0.001, onError: { continuation.yield("\($0)") })
        try files.writer.close()
        for await error in errors {
            expectTrue(error.contains("closed"))
            break
        }
    }

    private struct Weak {
        weak var monitor: ExternalChangeMonitor?
    }

    @Test func monitorIsFreed() async throws {
        let files = try makeFiles(.pool)
        var monitor: ExternalChangeMonitor? = try ExternalChangeMonitor(files.writer)
        let weak = Weak(monitor: monitor)
        monitor?.start(interval: 0.001)
        monitor = nil
        while weak.monitor != nil { await Task.yield() }
    }
}
