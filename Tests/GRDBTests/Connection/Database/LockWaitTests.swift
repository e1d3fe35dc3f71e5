import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct LockWaitTests {
    private func makePools(_ count: Int) throws -> [DatabasePool] {
        var configuration = TestDatabases.makeConfiguration()
        configuration.busyMode = .timeout(patience)
        let first = try TestDatabases.makePool(configuration)
        try first.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        return try [first]
            + (1..<count).map { _ in try TestDatabases.openPool(first.path, configuration) }
    }

    /// Connections of several processes are no different.
    @Test func allWritersGetTheLock() async throws {
        let pools = try makePools(4)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for pool in pools {
                group.addTask {
                    for _ in 0..<20 {
                        try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
                    }
                }
            }
            try await group.waitForAll()
        }
        let count = try await pools[0].read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
        expectEqual(count, 80)
    }

    @Test(arguments: [0.001, 0.05, 0.2])
    func waitEndsInTime(timeout: TimeInterval) throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.busyMode = .timeout(timeout)
        let pool = try TestDatabases.makePool(configuration)
        let other = try TestDatabases.openPool(pool.path, configuration)
        try pool.write { _ in
            let start = Date()
            expectError(DatabaseError.self) { try other.write { _ in } }
            #expect(Date().timeIntervalSince(start) >= timeout)
        }
        try other.write { _ in }
    }
}
