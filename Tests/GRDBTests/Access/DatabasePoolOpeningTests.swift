import Dispatch
import Foundation
import GRDB
import GRDBServer
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabasePoolOpeningTests {
    private let closed = "SQLite error 21: Connection is closed"

    private func makePool(_ configuration: Configuration? = nil) throws -> DatabasePool {
        let dbPool = try TestDatabases.makePool(configuration)
        try dbPool.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        return dbPool
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    // MARK: - Files

    @Test func poolOpensTheDatabaseInWALMode() throws {
        let dbPool = try makePool()
        let modes = try dbPool.writeWithoutTransaction { db in
            try [
                String.fetchOne(db, sql: "PRAGMA journal_mode"),
                String.fetchOne(db, sql: "PRAGMA synchronous"),
            ]
        }
        expectEqual(modes, ["wal", "1"])
        let readerMode = try dbPool.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
        expectEqual(readerMode, "wal")
    }

    /// Connections that put one new file in WAL mode wait for one another.
    @Test func poolsOpenOneNewFileTogether() throws {
        let errors = Log<String>()
        for _ in 1...150 {
            let path = TestDatabases.makePath()
            DispatchQueue.concurrentPerform(iterations: 6) { _ in
                do {
                    var configuration = Configuration()
                    configuration.busyMode = .timeout(20)
                    try DatabasePool(path: path, configuration: configuration).close()
                } catch {
                    errors.append("\(error)")
                }
            }
        }
        expectEqual(errors.elements, [])
    }

    @Test func openingAnExistingDatabasePutsItInWALMode() throws {
        let path = TestDatabases.makePath()
        try TestDatabases.openQueue(path).write { try $0.execute(sql: "CREATE TABLE t(a)") }
        let dbPool = try TestDatabases.openPool(path)
        let exists = try dbPool.read { try $0.tableExists("t") }
        expectTrue(exists)
    }

    @Test func databasesInMemoryHaveNoPool() throws {
        for path in [":memory:", ""] {
            expectError("SQLite error 1: could not activate WAL Mode at path: \(path)") {
                try TestDatabases.openPool(path)
            }
        }
    }

    @Test(arguments: [0, -1])
    func poolsHaveAReader(maximumReaderCount: Int) throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.maximumReaderCount = maximumReaderCount
        expectError("SQLite error 21: configuration.maximumReaderCount must be at least 1") {
            try TestDatabases.makePool(configuration)
        }
    }

    @Test func walFilesGoAwayWhenThePoolCloses() throws {
        let dbPool = try makePool()
        let path = dbPool.path
        try dbPool.read { _ in }
        expectTrue(exists(path + "-wal"))
        expectTrue(exists(path + "-shm"))
        try dbPool.close()
        expectTrue(!exists(path + "-wal"))
        expectTrue(!exists(path + "-shm"))
    }

    @Test func walFilesGoAwayWhenThePoolIsReleased() throws {
        let path: String
        do {
            let dbPool = try makePool()
            path = dbPool.path
            try dbPool.read { _ in }
        }
        expectTrue(!exists(path + "-wal"))
    }

    @Test func poolOpensByURI() throws {
        let path = TestDatabases.makePath()
        let uri = DatabaseURI(path: path, parameters: [.mode(.readWriteCreate)])
        let dbPool = try DatabasePool(uri: uri, configuration: TestDatabases.makeConfiguration())
        try dbPool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        let tableExists = try dbPool.read { try $0.tableExists("t") }
        expectTrue(tableExists)
        expectTrue(exists(path))
    }

    // MARK: - Read-only pools

    @Test func readOnlyPoolReads() throws {
        let dbPool = try makePool()
        var configuration = TestDatabases.makeConfiguration()
        configuration.readonly = true
        let readOnlyPool = try TestDatabases.openPool(dbPool.path, configuration)
        try dbPool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        let values = try readOnlyPool.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }
        expectEqual(values, [1, 2])
        try readOnlyPool.write { _ in }
        expectError(
            """
            SQLite error 8: attempt to write a readonly database \
            - while executing `INSERT INTO t VALUES (3)`
            """
        ) {
            try readOnlyPool.write { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
        }
        let count = try readOnlyPool.makeSnapshot().read { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
        }
        expectEqual(count, 2)
    }

    @Test func readOnlyPoolLeavesTheJournalMode() throws {
        let path = TestDatabases.makePath()
        let dbQueue = try TestDatabases.openQueue(path)
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        var configuration = TestDatabases.makeConfiguration()
        configuration.readonly = true
        let dbPool = try TestDatabases.openPool(path, configuration)
        let mode = try dbPool.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
        expectEqual(mode, "delete")
        expectError("SQLite error 1: No snapshot can be taken of the database") {
            try dbPool.makeSnapshotPool()
        }
    }

    @Test func readOnlyPoolDoesNotCreateTheFile() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.readonly = true
        let path = TestDatabases.makePath()
        expectError(
            "SQLite error 14: unable to open database file: \(path) (No such file or directory)"
        ) {
            try TestDatabases.openPool(path, configuration)
        }
    }

    // MARK: - Connections

    @Test func readersAreReadOnly() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.allowsUnsafeTransactions = true
        let prepared = Log<String>()
        configuration.prepareDatabase { db in
            prepared.append("\(db.description) \(db.configuration.readonly)")
        }
        let dbPool = try makePool(configuration)
        expectTrue(!dbPool.configuration.readonly)
        try dbPool.read { db in
            expectTrue(db.configuration.readonly)
            expectTrue(!db.configuration.allowsUnsafeTransactions)
            expectEqual(db.configuration.label, nil)
        }
        _ = try dbPool.makeSnapshot()
        expectEqual(
            prepared.elements,
            [
                "GRDB.DatabasePool.writer false", "GRDB.DatabasePool.reader.1 true",
                "GRDB.DatabasePool.snapshot.1 true",
            ])
    }

    @Test func readersAreOpenedWhenTheyAreWanted() throws {
        let count = Log<String>()
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { count.append($0.description) }
        let dbPool = try makePool(configuration)
        expectEqual(count.removeAll(), ["GRDB.DatabasePool.writer"])
        for _ in 0..<3 { try dbPool.read { _ in } }
        expectEqual(count.elements, ["GRDB.DatabasePool.reader.1"])
    }

    @Test func failureToOpenAReaderIsThrown() async throws {
        let fails = Log<Bool>()
        var configuration = TestDatabases.makeConfiguration()
        configuration.maximumReaderCount = 1
        configuration.prepareDatabase { db in
            if db.configuration.readonly, !fails.elements.isEmpty { throw TestError("opening") }
        }
        let dbPool = try makePool(configuration)
        fails.append(true)
        func readAtOnce() throws { try dbPool.read { _ in } }
        expectError(TestError("opening")) { try readAtOnce() }
        await expectError(TestError("opening")) { try await dbPool.read { _ in } }
        expectError(TestError("opening")) { try dbPool.makeSnapshot() }
        let log = Log<String>()
        await withCheckedContinuation { continuation in
            dbPool.asyncRead { result in
                log.append("\(result)")
                continuation.resume()
            }
        }
        expectEqual(log.elements, ["failure(TestError opening)"])
        // The place is free for the next attempt.
        fails.removeAll()
        try readAtOnce()
    }

    @Test func readersWaitForLocks() throws {
        for (mode, expected) in [
            (.immediateError, 10_000), (.timeout(1.5), 10_000), (.timeout(20), 20_000),
        ] as [(Database.BusyMode, Int)] {
            var configuration = TestDatabases.makeConfiguration()
            configuration.busyMode = mode
            let dbPool = try makePool(configuration)
            let timeout = try dbPool.read { try Int.fetchOne($0, sql: "PRAGMA busy_timeout") }
            expectEqual(timeout, expected)
        }
    }

    @Test(arguments: [(nil, "GRDB.DatabasePool"), ("L", "L")] as [(String?, String)])
    func labelsNameConnectionsAndTheirQueues(label: String?, prefix: String) async throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.label = label
        let dbPool = try makePool(configuration)
        @Sendable func check(_ db: Database, _ suffix: String) {
            expectEqual(db.description, "\(prefix).\(suffix)")
            expectEqual(currentQueueLabel(), "\(prefix).\(suffix)")
        }
        func checkAtOnce() throws {
            try dbPool.write { check($0, "writer") }
            try dbPool.barrierWriteWithoutTransaction { check($0, "writer") }
            try dbPool.read { check($0, "reader.1") }
            try dbPool.unsafeRead { check($0, "reader.1") }
            try dbPool.makeSnapshot().read { check($0, "snapshot.1") }
        }
        try checkAtOnce()
        try await dbPool.write { check($0, "writer") }
        try await dbPool.barrierWriteWithoutTransaction { check($0, "writer") }
        try await dbPool.read { check($0, "reader.1") }
        try await dbPool.unsafeRead { check($0, "reader.1") }
        try await dbPool.makeSnapshot().read { check($0, "snapshot.2") }
        try await dbPool.makeSnapshotPool().read { check($0, "snapshot.3.reader.1") }
        dbPool.invalidateReadOnlyConnections()
        try await dbPool.read { check($0, "reader.2") }
    }

    @Test func targetQueuesAreHonoured() async throws {
        let key = DispatchSpecificKey<String>()
        let target = DispatchQueue(label: "target", attributes: .concurrent)
        let writeTarget = DispatchQueue(label: "write target")
        target.setSpecific(key: key, value: "target")
        writeTarget.setSpecific(key: key, value: "write target")
        var configuration = TestDatabases.makeConfiguration()
        configuration.targetQueue = target
        let specific: @Sendable (Database) -> String? = { _ in
            DispatchQueue.getSpecific(key: key)
        }
        func specifics(_ dbPool: DatabasePool) throws -> [String?] {
            try [dbPool.read(specific), dbPool.write(specific)]
        }
        func asyncSpecifics(_ dbPool: DatabasePool) async throws -> [String?] {
            try await [dbPool.read(specific), dbPool.write(specific)]
        }
        var dbPool = try makePool(configuration)
        var expected = ["target", "target"]
        try expectEqual(specifics(dbPool), expected)
        var actual = try await asyncSpecifics(dbPool)
        expectEqual(actual, expected)

        configuration.writeTargetQueue = writeTarget
        dbPool = try makePool(configuration)
        expected = ["target", "write target"]
        try expectEqual(specifics(dbPool), expected)
        actual = try await asyncSpecifics(dbPool)
        expectEqual(actual, expected)
    }

    @Test func emptyAccessesRunLittleSQL() throws {
        let dbPool = try makePool()
        expectSQL("") { dbPool.writeWithoutTransaction { _ in } }
        try expectSQL("SELECT * FROM sqlite_master LIMIT 1") { try dbPool.unsafeRead { _ in } }
        let read = "BEGIN DEFERRED TRANSACTION\nCOMMIT TRANSACTION"
        try expectSQL(read) { try dbPool.read { _ in } }
        try expectSQL("") { try dbPool.unsafeRead { _ in } }
        try expectSQL("") { try dbPool.barrierWriteWithoutTransaction { _ in } }
        try expectSQL("BEGIN IMMEDIATE TRANSACTION\nCOMMIT TRANSACTION") {
            try dbPool.write { _ in }
        }
        let snapshot = try dbPool.makeSnapshot()
        expectSQL("") { snapshot.read { _ in } }
    }

    // MARK: - One file, several pools

    @Test func poolsShareAFile() throws {
        let path = TestDatabases.makePath()
        var configuration = TestDatabases.makeConfiguration()
        configuration.busyMode = .timeout(patience)
        let pools = try (0..<3).map { _ in try TestDatabases.openPool(path, configuration) }
        try pools[0].write { try $0.execute(sql: "CREATE TABLE t(a)") }
        DispatchQueue.concurrentPerform(iterations: 30) { index in
            let dbPool = pools[index % 3]
            do {
                try dbPool.write { db in
                    try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [index])
                }
                _ = try dbPool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
            } catch {
                Issue.record("\(error)")
            }
        }
        for dbPool in pools {
            let count = try dbPool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
            expectEqual(count, 30)
        }
    }

    @Test func poolsAreOpenedAtOnce() throws {
        let path = TestDatabases.makePath()
        var configuration = TestDatabases.makeConfiguration()
        configuration.busyMode = .timeout(patience)
        let pools = Log<DatabasePool>()
        DispatchQueue.concurrentPerform(iterations: 8) { [configuration] _ in
            do {
                pools.append(try DatabasePool(path: path, configuration: configuration))
            } catch {
                Issue.record("\(error)")
            }
        }
        expectEqual(pools.elements.count, 8)
        pools.removeAll()
    }

    @Test func poolCanWriteWhileAQueueReads() throws {
        let dbPool = try makePool()
        let dbQueue = try TestDatabases.openQueue(dbPool.path)
        try dbQueue.read { db in
            let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
            try dbPool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), count)
        }
    }
}
