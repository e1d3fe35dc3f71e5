import GRDBChanges
@testable import GRDBServer
import Dispatch
import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabaseMetricsTests {
    private func makeConfiguration() -> Configuration {
        var configuration = TestDatabases.makeConfiguration()
        configuration.metricsCollector = DatabaseMetricsCollector()
        return configuration
    }

    /// No call of Dispatch receives a number that it can't convert.
    @Test(arguments: [1e10, 1e300, .greatestFiniteMagnitude, .infinity])
    func timersAcceptAnyInterval(interval: Double) throws {
        let dbQueue = try TestDatabases.makeQueue(.file)
        dbQueue.observeMetrics(every: interval) { _ in }.cancel()
        let monitor = try ExternalChangeMonitor(dbQueue)
        monitor.start(interval: interval)
        monitor.stop()
        var settings = DatabaseMaintenance.Settings()
        settings.checkpointInterval = interval
        settings.optimizationInterval = interval
        settings.vacuumInterval = interval
        let maintenance = try DatabaseMaintenance(dbQueue, settings: settings)
        maintenance.start()
        maintenance.stop()
    }

    /// A wait below a millisecond may be the change of threads.
    @Test func aShortWaitCountsIfTheConnectionWasNotFree() {
        let collector = DatabaseMetricsCollector()
        for isReader in [false, true] {
            collector.accessDidWait(
                since: Monotonic.nanoseconds, isReader: isReader, isCertain: true)
        }
        expectEqual(collector.metrics.readWaitCount, 1)
        expectEqual(collector.metrics.writeWaitCount, 1)
    }

    @Test func accessesOfAPoolAreCounted() async throws {
        let pool = try TestDatabases.makePool(makeConfiguration())
        let start = pool.metrics
        expectEqual(start.readCount, 0)
        func access() throws {
            try pool.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
            try? pool.write { (_: Database) throws in throw TestError("no") }
            try pool.writeWithoutTransaction { db in
                try db.execute(sql: "INSERT INTO t VALUES (3)")
            }
            _ = try pool.read { try Int.fetchOne($0, sql: "SELECT a FROM t") }
            try pool.barrierWriteWithoutTransaction { _ in }
        }
        try access()
        try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        _ = try await pool.read { try Int.fetchOne($0, sql: "SELECT a FROM t") }
        let isDone = Log<Bool>()
        pool.asyncRead { _ in isDone.append(true) }
        _ = await isDone.wait(forCount: 1)
        // The access has ended when the next one has the connection.
        _ = try await pool.write { _ in try pool.read { _ in } }
        let metrics = pool.metrics
        #expect(metrics.readCount >= 3)
        expectEqual(metrics.writeCount - start.writeCount, 6)
        expectEqual(metrics.commitCount - start.commitCount, 4)
        expectEqual(metrics.rollbackCount - start.rollbackCount, 1)
        #expect(metrics.cacheHitCount > 0)
        #expect(metrics.cacheMissCount > 0)
        #expect(metrics.readBusyTime > 0)
        #expect(metrics.writeBusyTime > 0)
        #expect(metrics.longestReadTime > 0)
        #expect(metrics.writeWaitTime > 0)
        #expect(metrics.walByteCount > 0)
        expectEqual(metrics.runningAccessCount, 0)
        expectEqual(metrics.oldestRead, nil)
    }

    /// The counts of connections that were closed are not lost.
    @Test func countersDoNotDecrease() throws {
        let pool = try TestDatabases.makePool(makeConfiguration())
        try pool.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        func counters() -> [Double] {
            let metrics = pool.metrics
            return [
                Double(metrics.readCount), Double(metrics.writeCount),
                Double(metrics.cacheHitCount), Double(metrics.cacheMissCount),
                Double(metrics.commitCount), metrics.readBusyTime, metrics.writeBusyTime,
            ]
        }
        var former = counters()
        for _ in 0..<3 {
            for _ in 0..<5 {
                _ = try pool.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }
            }
            pool.releaseMemory()
            try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
            let latter = counters()
            expectTrue(zip(former, latter).allSatisfy { $0 <= $1 }, "\(former) \(latter)")
            #expect(former[0] < latter[0])
            former = latter
        }
    }

    @Test func accessesOfAQueueAreWrites() throws {
        let queue = try TestDatabases.makeQueue(.memory, makeConfiguration())
        try queue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        try queue.read { _ in }
        expectEqual(queue.metrics.writeCount, 2)
        expectEqual(queue.metrics.readCount, 0)
        expectEqual(queue.metrics.walByteCount, 0)
    }

    @Test func nothingIsCountedWithoutACollector() throws {
        let pool = try TestDatabases.makePool()
        try pool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        let metrics = pool.metrics
        #expect(metrics.walByteCount > 0)
        expectEqual(metrics.readCount + metrics.writeCount + metrics.commitCount, 0)
        expectEqual(metrics.cacheHitCount, 0)
    }

    @Test func waitsForReadersAreCounted() throws {
        var configuration = makeConfiguration()
        configuration.maximumReaderCount = 1
        let pool = try TestDatabases.makePool(configuration)
        let isReading = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {
            try? pool.read { _ in
                isReading.signal()
                mayEnd.wait()
            }
        }
        isReading.wait()
        let hasRead = Log<Bool>()
        // In line when this returns.
        pool.asyncRead { _ in hasRead.append(true) }
        letOthersRun()
        mayEnd.signal()
        group.wait()
        _ = hasRead.wait(forCount: 1)
        let metrics = pool.metrics
        expectEqual(metrics.readWaitCount, 1)
        #expect(metrics.readWaitTime >= 0.01)
        #expect(metrics.longestWaitTime >= 0.01)
    }

    @Test func waitsForASnapshotAreReads() throws {
        let pool = try TestDatabases.makePool(makeConfiguration())
        try pool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        let snapshot = try pool.makeSnapshot()
        let formerMetrics = pool.metrics
        let isReading = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        snapshot.asyncRead { _ in
            isReading.signal()
            mayEnd.wait()
        }
        isReading.wait()
        let hasRead = Log<Bool>()
        snapshot.asyncRead { _ in hasRead.append(true) }
        Thread.detachNewThread {
            snapshot.read { _ in }
            hasRead.append(true)
        }
        letOthersRun()
        mayEnd.signal()
        _ = hasRead.wait(forCount: 2)
        let metrics = pool.metrics
        #expect(metrics.readWaitCount > formerMetrics.readWaitCount)
        #expect(metrics.readWaitTime - formerMetrics.readWaitTime >= 0.01)
        expectEqual(metrics.writeWaitTime, formerMetrics.writeWaitTime)
    }

    @Test(arguments: ["file:", "file://", "file://localhost"])
    func writeAheadLogOfAURI(scheme: String) throws {
        let path = TestDatabases.makePath("with space.sqlite")
        let pool = try DatabasePool(
            path: scheme + path.replacingOccurrences(of: " ", with: "%20") + "?cache=private",
            configuration: makeConfiguration())
        try pool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
        expectEqual(pool.metrics.walByteCount, size)
        try expectEqual(DatabaseQueue(path: "file::memory:").metrics.walByteCount, 0)
    }

    @Test func oldestReadIsNamed() throws {
        let pool = try TestDatabases.makePool(makeConfiguration())
        try pool.read(label: "outer") { _ in
            let read = pool.metrics.oldestRead
            expectEqual(read?.label?.name, "outer")
            expectEqual(read?.label?.file.hasSuffix("DatabaseMetricsTests.swift"), true)
            expectEqual(read?.isSnapshot, false)
            expectEqual(read?.connection, "GRDB.DatabasePool.reader.1")
            expectTrue(read.map { $0.age >= 0 } == true)
            expectEqual(pool.metrics.runningAccessCount, 1)
        }
        expectEqual(pool.metrics.oldestRead, nil)
    }

    @Test func snapshotsAreReads() throws {
        let pool = try TestDatabases.makePool(makeConfiguration())
        var snapshot: DatabaseSnapshot? = try pool.makeSnapshot()
        expectEqual(pool.metrics.oldestRead?.isSnapshot, true)
        expectEqual(pool.metrics.oldestRead?.description, "snapshot GRDB.DatabasePool.snapshot.1")
        snapshot?.read { _ in }
        expectEqual(pool.metrics.oldestRead?.isSnapshot, true)
        snapshot = nil
        expectEqual(pool.metrics.oldestRead, nil)
        let snapshotPool = try pool.makeSnapshotPool()
        expectEqual(pool.metrics.oldestRead?.isSnapshot, true)
        try snapshotPool.close()
        expectEqual(pool.metrics.oldestRead, nil)
    }

    @Test func metricsAreReported() async throws {
        let pool = try TestDatabases.makePool(makeConfiguration())
        let reports = Log<DatabaseMetrics>()
        let cancellable = pool.observeMetrics(every: 0.005) { reports.append($0) }
        #expect(await reports.wait(forCount: 2)[0].walByteCount > 0)
        cancellable.cancel()
    }

    // MARK: - Long reads

    @Test func longReadIsEnded() async throws {
        var configuration = makeConfiguration()
        configuration.maximumReadDuration = 0.05
        let pool = try TestDatabases.makePool(configuration)
        func expectLimit(_ error: (any Error)?) {
            let error = error as? DatabaseError
            expectEqual(error?.resultCode, .SQLITE_INTERRUPT)
            expectEqual(error?.message, "Time limit exceeded")
        }
        expectLimit(
            expectError(DatabaseError.self) {
                try pool.read { try $0.execute(sql: endlessSQL) }
            })
        let error = await expectError(DatabaseError.self) {
            try await pool.read(label: "report") { try $0.execute(sql: endlessSQL) }
        }
        expectLimit(error)
        expectEqual(
            error?.accessLabel?.contains("DatabaseMetricsTests.swift:"), true)
        // Between two statements.
        expectLimit(
            expectError(DatabaseError.self) {
                try pool.read { db in
                    letOthersRun(for: 0.06)
                    _ = try Int.fetchOne(db, sql: "SELECT 1")
                }
            })
        // Later reads, and writes, are not affected.
        try await expectEqual(pool.read { try Int.fetchOne($0, sql: "SELECT 1") }, 1)
        try await pool.write { db in
            letOthersRun(for: 0.06)
            try db.execute(sql: "CREATE TABLE t(a)")
        }
    }
}
