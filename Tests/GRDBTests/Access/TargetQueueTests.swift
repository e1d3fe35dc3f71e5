import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Accesses run on the target queue of the configuration, and nested ones don't wait for it.
@Suite(.databases) struct TargetQueueTests {
    private static let key = DispatchSpecificKey<Int>()

    private func makeConfiguration() -> Configuration {
        let queue = DispatchQueue(label: "serial")
        queue.setSpecific(key: Self.key, value: 1)
        var configuration = TestDatabases.makeConfiguration()
        configuration.targetQueue = queue
        return configuration
    }

    private func makePool(_ configuration: Configuration) throws -> DatabasePool {
        let dbPool = try TestDatabases.makePool(configuration)
        try dbPool.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        return dbPool
    }

    private static var isOnTarget: Bool { DispatchQueue.getSpecific(key: key) != nil }

    @Test func connectionsArePreparedOnTheTarget() throws {
        let log = Log<Bool>()
        var configuration = makeConfiguration()
        configuration.prepareDatabase { _ in log.append(Self.isOnTarget) }
        let dbPool = try makePool(configuration)
        try dbPool.read { _ in }
        _ = try dbPool.makeSnapshot()
        expectEqual(log.elements, [true, true, true])
    }

    /// An access of another database is no reason to leave the target queue.
    @Test func accessesInsideOfOthersRunOnTheTarget() throws {
        let configuration = makeConfiguration()
        let dbPool = try makePool(configuration)
        let other = try TestDatabases.makeQueue()
        try other.read { _ throws in
            try expectTrue(dbPool.read { _ in Self.isOnTarget })
            try expectTrue(dbPool.write { _ in Self.isOnTarget })
            try expectTrue(dbPool.makeSnapshotPool().read { _ in Self.isOnTarget })
        }
        // A block of the target queue excludes them.
        let isBusy = Log<Bool>()
        let hasBegun = DispatchSemaphore(value: 0)
        configuration.targetQueue!.async {
            isBusy.append(true)
            hasBegun.signal()
            letOthersRun()
            isBusy.removeAll()
        }
        hasBegun.wait()
        try other.read { _ throws in
            try expectEqual(dbPool.read { _ in isBusy.elements }, [])
        }
    }

    @Test func nestedAccessesOfOneDatabase() throws {
        let dbPool = try makePool(makeConfiguration())
        func count(_ db: Database) throws -> Int {
            expectTrue(Self.isOnTarget)
            return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")!
        }
        try expectEqual(dbPool.read { _ in try dbPool.write { try count($0) } }, 1)
        try expectEqual(dbPool.write { _ in try dbPool.read { try count($0) } }, 1)
        try dbPool.writeWithoutTransaction { _ throws in
            let snapshot = try dbPool.makeSnapshot()
            try expectEqual(snapshot.read { try count($0) }, 1)
            try expectEqual(snapshot.unsafeReentrantRead { try count($0) }, 1)
        }
        try dbPool.read { _ in dbPool.releaseMemory() }
        try dbPool.close()
    }

    @Test func nestedAccessesOfDatabasesOnOneTarget() throws {
        let configuration = makeConfiguration()
        let dbPool = try makePool(configuration)
        let dbQueue = try TestDatabases.makeQueue(.memory, configuration)
        try dbPool.backup(to: dbQueue)
        try dbPool.write { _ in
            try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        }
        try dbQueue.write { _ in
            try dbPool.write { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
        }
        func values(_ reader: some DatabaseReader) throws -> [Int] {
            try reader.read { try Int.fetchAll($0, sql: "SELECT a FROM t ORDER BY a") }
        }
        try expectEqual(values(dbQueue), [1, 2])
        try expectEqual(values(dbPool), [1, 3])
    }

    @Test func readOnlyConnectionsIgnoreTheTargetOfWrites() throws {
        let path = TestDatabases.makePath()
        try DatabaseQueue(path: path).close()
        var configuration = makeConfiguration()
        configuration.writeTargetQueue = configuration.targetQueue
        configuration.targetQueue = nil
        try DatabaseQueue(path: path, configuration: configuration).read { _ in
            expectTrue(Self.isOnTarget)
        }
        configuration.readonly = true
        try DatabaseQueue(path: path, configuration: configuration).read { _ in
            expectTrue(!Self.isOnTarget)
        }
        expectEqual(configuration.writeQoS, configuration.qos)
    }

    @Test func writesHaveATargetOfTheirOwn() throws {
        var configuration = makeConfiguration()
        configuration.writeTargetQueue = configuration.targetQueue
        configuration.targetQueue = nil
        let dbPool = try makePool(configuration)
        try dbPool.write { _ throws in
            expectTrue(Self.isOnTarget)
            try expectEqual(dbPool.read { try Int.fetchOne($0, sql: "SELECT a FROM t") }, 1)
        }
        try expectTrue(!dbPool.read { _ in Self.isOnTarget })
    }

    /// A concurrent target queue does not keep threads from each other: the connection must.
    @Test func nestedWritesOnAConcurrentTarget() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.targetQueue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let dbPool = try makePool(configuration)
        let group = DispatchGroup()
        for index in 0..<8 {
            Thread.detach(in: group) {
                for _ in 0..<20 {
                    if index.isMultiple(of: 2) {
                        try! dbPool.read { _ in
                            try dbPool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
                        }
                    } else {
                        try! dbPool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
                    }
                }
            }
        }
        group.wait()
        try expectEqual(dbPool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }, 161)
    }
}
