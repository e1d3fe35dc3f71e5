@testable import GRDBServer
import Dispatch
import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabaseMaintenanceTests {
    private typealias Report = DatabaseMaintenance.CheckpointReport

    private func makePool(collector: Bool = true) throws -> DatabasePool {
        var configuration = TestDatabases.makeConfiguration()
        if collector { configuration.metricsCollector = DatabaseMetricsCollector() }
        let pool = try TestDatabases.makePool(configuration)
        try pool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        return pool
    }

    private func fill(_ pool: DatabasePool, byteCount: Int) throws {
        try pool.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (zeroblob(?))", arguments: [byteCount])
        }
    }

    @Test func checkpointEmptiesTheFile() throws {
        let pool = try makePool()
        let reports = Log<Report>()
        let maintenance = try DatabaseMaintenance(
            pool, onCheckpoint: { reports.append($0) })
        try fill(pool, byteCount: 200_000)
        let report = try maintenance.checkpoint()
        #expect(report.formerWALByteCount > 200_000)
        expectEqual(report.walByteCount, 0)
        expectTrue(!report.isBlocked)
        expectEqual(report.oldestRead, nil)
        expectEqual(reports.elements.count, 1)
        expectEqual(pool.metrics.walByteCount, 0)
    }

    /// There is nothing to copy, and nobody is in the way.
    @Test(arguments: [DatabaseStorage.memory, .file])
    func checkpointWithoutLog(storage: DatabaseStorage) throws {
        let queue = try TestDatabases.makeQueue(storage)
        try queue.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        let report = try DatabaseMaintenance(queue).checkpoint()
        expectTrue(!report.isBlocked)
        expectEqual(report.walByteCount, 0)
        // Not in an access.
        let maintenance = try DatabaseMaintenance(queue)
        _ = try queue.write { _ in
            expectError(DatabaseError.self) { try maintenance.checkpoint() }
        }
    }

    @Test func readThatHoldsTheFileIsNamed() throws {
        let pool = try makePool()
        let messages = Log<String>()
        var settings = DatabaseMaintenance.Settings()
        settings.maximumWALByteCount = 100_000
        let maintenance = try DatabaseMaintenance(pool, settings: settings)
        let former = Database.logError
        defer { Database.logError = former }
        Database.logError = {
            former?($0, $1); messages.append($1)
        }
        let report = try pool.read(label: "report", file: "a.swift", line: 7) { db in
            _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
            try fill(pool, byteCount: 200_000)
            return try maintenance.checkpoint()
        }
        expectTrue(report.isBlocked)
        expectEqual(report.oldestRead?.label, AccessLabel("report", file: "a.swift", line: 7))
        let line = messages.elements.first { $0.contains("can't be reset") }
        expectEqual(
            line?.contains(
                "read report (a.swift:7), GRDB.DatabasePool.reader.1 has held it for"), true)
        try expectEqual(maintenance.checkpoint().walByteCount, 0)
    }

    @Test func snapshotThatHoldsTheFileIsNamed() throws {
        let pool = try makePool()
        let maintenance = try DatabaseMaintenance(pool)
        let snapshot = try pool.makeSnapshot()
        try fill(pool, byteCount: 200_000)
        let report = try maintenance.checkpoint()
        expectTrue(report.isBlocked)
        expectEqual(report.oldestRead?.isSnapshot, true)
        try snapshot.close()
        try expectTrue(!maintenance.checkpoint().isBlocked)
    }

    /// A write must not wait behind a checkpoint that waits for a read.
    @Test func checkpointWaitsForNobody() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.busyMode = .timeout(patience)
        let pool = try TestDatabases.makePool(configuration)
        try pool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        let maintenance = try DatabaseMaintenance(pool)
        try pool.read { db in
            _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
            let isBlocked = try maintenance.checkpoint().isBlocked
            // The read sees the last commit, which is all in the database now.
            expectTrue(isBlocked)
        }
        try expectEqual(
            pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA busy_timeout") },
            3_600_000)
    }

    @Test func scheduleRunsCheckpoints() async throws {
        let pool = try makePool()
        let reports = Log<Report>()
        var settings = DatabaseMaintenance.Settings()
        settings.checkpointInterval = 0.005
        settings.minimumWALByteCount = 100_000
        settings.optimizationInterval = 0.005
        let maintenance = try DatabaseMaintenance(
            pool, settings: settings, onCheckpoint: { reports.append($0) })
        maintenance.start()
        await letOthersRun()
        // The file is small.
        expectTrue(reports.elements.isEmpty)
        try fill(pool, byteCount: 200_000)
        await expectEqual(reports.wait(forCount: 1)[0].walByteCount, 0)
        maintenance.stop()
        try fill(pool, byteCount: 200_000)
        await letOthersRun()
        #expect(pool.metrics.walByteCount > 200_000)
    }

    @Test(arguments: DatabaseKind.allCases)
    func scheduleReturnsFreePages(kind: DatabaseKind) async throws {
        let slices = Log<String>()
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { db in
            if db.configuration.readonly { return }
            try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            db.trace { event in
                let sql = "\(event)"
                if sql.contains("incremental_vacuum") { slices.append(sql) }
            }
        }
        let writer = try TestDatabases.makeWriter(kind, configuration)
        try await writer.write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(200000))")
            try db.execute(sql: "DELETE FROM t")
        }
        func freePageCount() async throws -> Int? {
            try await writer.read { try Int.fetchOne($0, sql: "PRAGMA freelist_count") }
        }
        let freeCount = try unwrap(await freePageCount())
        var settings = DatabaseMaintenance.Settings()
        settings.checkpointInterval = nil
        settings.optimizationInterval = nil
        settings.vacuumInterval = 0.005
        settings.vacuumPageCount = 20
        let maintenance = try DatabaseMaintenance(writer, settings: settings)
        maintenance.start()
        let sliceCount = (freeCount + 19) / 20
        #expect(sliceCount > 1)
        _ = await slices.wait(forCount: sliceCount)
        await letOthersRun()
        maintenance.stop()
        // Without free pages, nothing runs.
        expectEqual(
            slices.elements,
            Array(repeating: "PRAGMA main.incremental_vacuum(20)", count: sliceCount))
        try await expectEqual(freePageCount(), 0)
    }

    @Test func limitsOfTheFileAreSet() throws {
        let pool = try makePool()
        var settings = DatabaseMaintenance.Settings()
        settings.journalSizeLimit = 12_345
        settings.automaticCheckpointPageCount = 0
        _ = try DatabaseMaintenance(pool, settings: settings)
        let limits = try pool.writeWithoutTransaction { db in
            try ["journal_size_limit", "wal_autocheckpoint"].map {
                try Int.fetchOne(db, sql: "PRAGMA \($0)")
            }
        }
        expectEqual(limits, [12_345, 0])
    }

    @Test func closedDatabaseEndsTheMaintenance() async throws {
        let pool = try makePool()
        let errors = Log<String>()
        var settings = DatabaseMaintenance.Settings()
        settings.optimizationInterval = 0.005
        let maintenance = try DatabaseMaintenance(
            pool, settings: settings, onError: { errors.append("\($0)") })
        maintenance.start()
        try pool.close()
        await expectTrue(
            errors.wait(forCount: 1)[0].hasPrefix("SQLite error 21: Connection is closed"))
    }

    // MARK: - Upkeep

    @Test func statisticsAreUpdated() throws {
        let queue = try TestDatabases.makeQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(a); CREATE INDEX i ON t(a);
                    WITH RECURSIVE i(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i LIMIT 100)
                    INSERT INTO t SELECT i FROM i
                    """)
            try expectTrue(!db.tableExists("sqlite_stat1"))
            try db.optimize(.allTables)
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_stat1"), 1)
            try db.optimize()
        }
    }

    @Test(arguments: [true, false])
    func statisticsAreUpdatedWhenClosing(optimizes: Bool) throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.optimizesWhenClosing = optimizes
        let pool = try TestDatabases.makePool(configuration)
        try pool.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(a); CREATE INDEX i ON t(a);
                    WITH RECURSIVE i(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i LIMIT 100)
                    INSERT INTO t SELECT i FROM i
                    """)
            _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t WHERE a > 3")
        }
        try pool.close()
        let queue = try TestDatabases.openQueue(pool.path)
        try expectEqual(queue.read { try $0.tableExists("sqlite_stat1") }, optimizes)
    }

    @Test(arguments: DatabaseKind.allCases)
    func vacuumRunsInSlices(kind: DatabaseKind) async throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { db in
            if db.configuration.readonly { return }
            try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
        }
        let writer = try TestDatabases.makeWriter(kind, configuration)
        try await writer.write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(200000))")
        }
        try await writer.write { try $0.execute(sql: "DELETE FROM t") }
        let left = Log<Int>()
        let count = try await writer.incrementalVacuum(pagesPerSlice: 10, maximumPageCount: 15) {
            left.append($0)
        }
        expectEqual(count, 15)
        expectEqual(left.elements.count, 2)
        #expect(try await writer.incrementalVacuum() > 20)
        try await expectEqual(writer.incrementalVacuum(), 0)
        try await expectEqual(writer.read { try Int.fetchOne($0, sql: "PRAGMA freelist_count") }, 0)
    }

    @Test func vacuumNeedsItsMode() async throws {
        let queue = try TestDatabases.makeQueue()
        await expectError("SQLite error 21: The database does not have auto_vacuum = INCREMENTAL") {
            try await queue.incrementalVacuum()
        }
    }

    @Test func integrityCheckShowsItsProgress() async throws {
        let pool = try makePool()
        try await pool.write { try $0.execute(sql: "CREATE TABLE u(a UNIQUE)") }
        for quick in [true, false] {
            let steps = Log<String>()
            let problems = try await pool.integrityProblems(quick: quick) { progress in
                steps.append(
                    "\(progress.completedStepCount)/\(progress.totalStepCount) "
                        + (progress.tableName ?? "-"))
            }
            expectEqual(problems, [])
            expectEqual(steps.elements, ["0/3 -", "1/3 t", "2/3 u", "3/3 -"])
        }
    }

    @Test func damageIsFound() async throws {
        let pool = try makePool()
        try await pool.write { db in
            try db.execute(sql: "CREATE TABLE u(a UNIQUE); INSERT INTO u VALUES (1), (2)")
        }
        try await pool.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_master SET rootpage =
                        (SELECT rootpage FROM sqlite_master WHERE name = 't') WHERE name = 'u';
                    PRAGMA writable_schema = RESET
                    """)
        }
        let problems = try await pool.integrityProblems()
        expectTrue(!problems.isEmpty)
        try await expectEqual(pool.integrityProblems(limit: 1).count, 1)
    }

    @Test func integrityCheckIsCancelled() async throws {
        let pool = try makePool()
        let task = Task {
            try await pool.integrityProblems { _ in withUnsafeCurrentTask { $0?.cancel() } }
        }
        await expectError(CancellationError.self) { try await task.value }
    }
}
