import Dispatch
import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabasePoolReadingTests {
    private let reentrant = "SQLite error 21: Database methods are not reentrant."

    private func makePool(maximumReaderCount: Int = 5) throws -> DatabasePool {
        var configuration = TestDatabases.makeConfiguration()
        configuration.maximumReaderCount = maximumReaderCount
        let dbPool = try TestDatabases.makePool(configuration)
        try dbPool.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        return dbPool
    }

    private func count(_ db: Database) throws -> Int? {
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
    }

    // MARK: - Guarantees

    @Test func readsAreIsolated() throws {
        let dbPool = try makePool()
        try dbPool.read { db throws in
            try expectEqual(count(db), 1)
            try dbPool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
            try expectEqual(count(db), 1)
            expectTrue(db.isInsideTransaction)
        }
        try expectEqual(dbPool.read { try count($0) }, 2)
    }

    @Test func unsafeReadsAreNotIsolated() throws {
        let dbPool = try makePool()
        try dbPool.unsafeRead { db throws in
            try expectEqual(count(db), 1)
            try dbPool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
            try expectEqual(count(db), 2)
            expectTrue(!db.isInsideTransaction)
        }
    }

    @Test func asynchronousUnsafeReadsAreNotIsolated() async throws {
        let dbPool = try makePool()
        let isInside = try await dbPool.unsafeRead { $0.isInsideTransaction }
        expectTrue(!isInside)
        await withCheckedContinuation { continuation in
            dbPool.asyncUnsafeRead { result in
                expectEqual((try? result.get().isInsideTransaction), false)
                continuation.resume()
            }
        }
    }

    @Test(
        arguments: [
            "INSERT INTO t VALUES (7)", "CREATE TABLE u(a)", "PRAGMA user_version = 1",
            "DELETE FROM t", "DROP TABLE t",
        ])
    func readsCanNotWrite(sql: String) async throws {
        let dbPool = try makePool()
        let error =
            "SQLite error 8: attempt to write a readonly database - while executing `\(sql)`"
        func readAtOnce() {
            expectError(error) { try dbPool.read { try $0.execute(sql: sql) } }
            expectError(error) { try dbPool.unsafeRead { try $0.execute(sql: sql) } }
            expectError(error) { try dbPool.unsafeReentrantRead { try $0.execute(sql: sql) } }
        }
        readAtOnce()
        await expectError(error) { try await dbPool.read { try $0.execute(sql: sql) } }
        await expectError(error) { try await dbPool.unsafeRead { try $0.execute(sql: sql) } }
        let result = try await dbPool.read { try count($0) }
        expectEqual(result, 1)
    }

    @Test func errorsEndTheReadAlone() throws {
        let dbPool = try makePool()
        for _ in 0..<20 {
            expectError(TestError()) { try dbPool.read { _ in throw TestError() } }
        }
        expectError("SQLite error 4: Transaction was aborted") {
            try dbPool.read { try $0.execute(sql: "COMMIT") }
        }
        expectError(
            "SQLite error 21: A transaction has been left opened at the end of a database access"
        ) {
            try dbPool.unsafeRead { try $0.execute(sql: "BEGIN") }
        }
        try dbPool.read { db throws in
            expectEqual(db.description, "GRDB.DatabasePool.reader.1")
            try expectEqual(count(db), 1)
        }
    }

    @Test func readsThatLeaveACursorSeeLaterChanges() throws {
        let dbPool = try makePool()
        try dbPool.write { try $0.execute(sql: "INSERT INTO t VALUES (2), (3)") }
        let cursor = try dbPool.unsafeRead { db in
            let cursor = try Int.fetchCursor(db, sql: "SELECT a FROM t")
            _ = try cursor.next()
            return Living(cursor)
        }.value
        try dbPool.write { try $0.execute(sql: "INSERT INTO t VALUES (4)") }
        try dbPool.unsafeRead { db throws in
            expectEqual(db.description, "GRDB.DatabasePool.reader.1")
            try expectEqual(count(db), 4)
        }
        withExtendedLifetime(cursor) {}
    }

    // MARK: - Schema changes

    @Test func readersSeeSchemaChanges() throws {
        let dbPool = try makePool()
        let other = try TestDatabases.openPool(dbPool.path)
        func names(_ dbPool: DatabasePool) throws -> [String] {
            try dbPool.read { try $0.columns(in: "t").map(\.name) }
        }
        func rows(_ dbPool: DatabasePool) throws -> [Row] {
            try dbPool.read { try Row.fetchAll($0, sql: "SELECT * FROM t") }
        }
        try expectEqual(names(dbPool), ["a"])
        try expectEqual(names(other), ["a"])
        try expectEqual(rows(dbPool), [["a": 1]])
        try dbPool.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN b") }
        try expectEqual(names(dbPool), ["a", "b"])
        try expectEqual(names(other), ["a", "b"])
        try expectEqual(rows(dbPool), [["a": 1, "b": nil]])
        try other.write { try $0.execute(sql: "DROP TABLE t; CREATE TABLE t(c)") }
        try expectEqual(names(dbPool), ["c"])
        try expectEqual(rows(dbPool), [])
    }

    /// What a read has learned of the schema holds to its end, and no longer.
    @Test func readsSeeOneSchema() throws {
        let dbPool = try makePool()
        try dbPool.read { db throws in
            try expectEqual(db.columns(in: "t").map(\.name), ["a"])
            try dbPool.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN b") }
            try expectEqual(db.columns(in: "t").map(\.name), ["a"])
            try expectEqual(db.primaryKey("t").columns, ["rowid"])
            try expectEqual(Row.fetchAll(db, sql: "SELECT * FROM t"), [["a": 1]])
        }
        try dbPool.unsafeRead { db throws in
            try expectEqual(db.columns(in: "t").map(\.name), ["a", "b"])
            try dbPool.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN c") }
            try expectEqual(db.columns(in: "t").map(\.name), ["a", "b", "c"])
        }
    }

    // MARK: - Parallel reads

    @Test func readsRunInParallelUpToTheLimit() throws {
        let dbPool = try makePool(maximumReaderCount: 3)
        let names = Log<String>()
        let place = MeetingPlace()
        let group = DispatchGroup()
        for _ in 0..<12 {
            Thread.detach(in: group) {
                do {
                    try dbPool.read { db in
                        names.append(db.description)
                        place.meet(3)
                    }
                } catch {
                    Issue.record("\(error)")
                }
            }
        }
        group.wait()
        expectEqual(place.maximumCount, 3)
        expectEqual(Set(names.elements).count, 3)
    }

    /// Whoever waits is served in order, threads and tasks alike.
    @Test func waitingReadsAreServedInOrder() async throws {
        let dbPool = try makePool(maximumReaderCount: 1)
        let isHeld = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        let log = Log<Int>()
        let group = DispatchGroup()
        Thread.detach(in: group) {
            try? dbPool.read { _ in
                isHeld.signal()
                mayEnd.wait()
            }
        }
        await isHeld.waitInTask()
        for index in 0..<9 {
            switch index % 3 {
            case 0:
                Thread.detach(in: group) {
                    try? dbPool.read { _ in log.append(index) }
                }
            case 1:
                group.enter()
                Task {
                    try await dbPool.read { _ in log.append(index) }
                    group.leave()
                }
            default:
                group.enter()
                dbPool.asyncRead { _ in
                    log.append(index)
                    group.leave()
                }
            }
            await dbPool.waitForReaderRequests(index + 1)
        }
        mayEnd.signal()
        await group.waitInTask()
        expectEqual(log.elements, Array(0..<9))
    }

    /// Tasks that wait for a reader hold no thread: there are more of them than threads.
    @Test func waitingTasksHoldNoThread() async throws {
        let dbPool = try makePool(maximumReaderCount: 2)
        let mayEnd = DispatchSemaphore(value: 0)
        let isHeld = DispatchSemaphore(value: 0)
        for _ in 0..<2 {
            dbPool.asyncRead { _ in
                isHeld.signal()
                mayEnd.wait()
            }
        }
        for _ in 0..<2 { await isHeld.waitInTask() }
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<200 {
                group.addTask { try await dbPool.read { _ in index } }
            }
            // Runs, while the others wait.
            group.addTask {
                mayEnd.signal()
                mayEnd.signal()
                return 0
            }
            return try await group.reduce(0, +)
        }
        expectEqual(sum, 199 * 100)
    }

    // MARK: - Nested accesses

    @Test func readsAreNotReentrant() throws {
        let dbPool = try makePool()
        try dbPool.read { _ in
            expectError(reentrant) { try dbPool.read { _ in } }
            expectError(reentrant) { try dbPool.unsafeRead { _ in } }
            expectError(reentrant) { try dbPool.barrierWriteWithoutTransaction { _ in } }
            expectError(reentrant) { try dbPool.close() }
        }
        try dbPool.unsafeReentrantRead { _ in
            expectError(reentrant) { try dbPool.read { _ in } }
        }
        try dbPool.read { _ in }
    }

    @Test func readInAWriteSeesTheLastCommit() throws {
        let dbPool = try makePool()
        try dbPool.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            try expectEqual(dbPool.read { try count($0) }, 1)
            try expectEqual(dbPool.unsafeRead { try count($0) }, 1)
            try expectEqual(dbPool.unsafeReentrantRead { try count($0) }, 2)
        }
    }

    /// The write would not end, and all other writes would wait for it.
    @Test func readInAWriteDoesNotWaitForReaders() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.maximumReaderCount = 2
        let dbPool = try TestDatabases.makePool(configuration)
        let (starts, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for _ in 1...2 {
            dbPool.asyncRead { _ in
                starts.signal()
                end.wait()
            }
        }
        for _ in 1...2 { starts.wait() }
        let reads = Log<Int>()
        let isDone = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            try? dbPool.write { _ in
                try reads.append(dbPool.read { _ in 1 })
                try reads.append(dbPool.unsafeRead { _ in 2 })
            }
            isDone.signal()
        }
        _ = isDone.wait(timeout: .now() + 20)
        expectEqual(reads.elements, [1, 2])
        for _ in 1...2 { end.signal() }
        try dbPool.barrierWriteWithoutTransaction { _ in }
    }

    @Test func writeInARead() throws {
        let dbPool = try makePool()
        try dbPool.read { db throws in
            try expectEqual(count(db), 1)
            try dbPool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
            try expectEqual(count(db), 1)
            try dbPool.write { writer in
                expectError("SQLite error 21: Database methods are not reentrant.") {
                    try dbPool.read { _ in }
                }
                // The innermost access counts.
                try dbPool.unsafeReentrantRead { #expect($0 === writer) }
            }
            try dbPool.unsafeReentrantRead { #expect($0 === db) }
            try dbPool.unsafeReentrantWrite { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
        }
        try expectEqual(dbPool.read { try count($0) }, 3)
    }

    @Test func reentrantWriteInAReadOfAWrite() throws {
        let dbPool = try makePool()
        try dbPool.write { writer in
            try writer.execute(sql: "INSERT INTO t VALUES (2)")
            try dbPool.read { reader in
                try dbPool.unsafeReentrantRead { #expect($0 === reader) }
                try dbPool.unsafeReentrantWrite { db in
                    #expect(db === writer)
                    try expectEqual(dbPool.unsafeReentrantRead { try count($0) }, 2)
                    expectError(reentrant) { try dbPool.read { _ in } }
                    try dbPool.unsafeReentrantWrite { _ in
                        try dbPool.unsafeReentrantRead { #expect($0 === writer) }
                    }
                }
                try expectEqual(dbPool.unsafeReentrantRead { try count($0) }, 1)
                expectError(TestError()) {
                    try dbPool.unsafeReentrantWrite { _ in throw TestError() }
                }
                try dbPool.unsafeReentrantRead { #expect($0 === reader) }
            }
            try dbPool.unsafeReentrantRead { #expect($0 === writer) }
        }
        // The accesses have ended in their order.
        try dbPool.read { _ in }
        try dbPool.write { _ in }
    }

    @Test func reentrantReadsGetTheConnectionOfTheAccess() throws {
        let dbPool = try makePool()
        try dbPool.read { db in
            try dbPool.unsafeReentrantRead { #expect($0 === db) }
            try dbPool.unsafeReentrantRead { _ in
                try dbPool.unsafeReentrantRead { #expect($0 === db) }
            }
        }
        try dbPool.write { db in
            try dbPool.unsafeReentrantRead { #expect($0 === db) }
            dbPool.unsafeReentrantWrite { #expect($0 === db) }
        }
        try dbPool.unsafeReentrantRead { expectEqual($0.description, "GRDB.DatabasePool.reader.1") }
    }

    @Test func nestedAccessesOfSeveralPools() throws {
        let pools = try (0..<3).map { _ in try makePool() }
        try pools[0].read { db0 in
            try pools[1].read { db1 in
                try pools[2].write { db2 throws in
                    try pools[0].unsafeReentrantRead { #expect($0 === db0) }
                    try pools[1].unsafeReentrantRead { #expect($0 === db1) }
                    try pools[2].unsafeReentrantRead { #expect($0 === db2) }
                    expectError(reentrant) { try pools[0].read { _ in } }
                    try expectEqual(count(db0), 1)
                    try expectEqual(count(db1), 1)
                    try expectEqual(count(db2), 1)
                }
            }
        }
    }

    /// With as many readers as there may be, each in a write's way.
    @Test func readInAWriteDoesNotWaitForThoseWhoWaitForTheWriter() throws {
        let dbPool = try makePool(maximumReaderCount: 2)
        let isWriting = DispatchSemaphore(value: 0)
        let mayRead = DispatchSemaphore(value: 0)
        let log = Log<String>()
        let group = DispatchGroup()
        Thread.detach(in: group) {
            try? dbPool.write { _ in
                isWriting.signal()
                mayRead.wait()
                try dbPool.read { _ in log.append("read in a write") }
            }
        }
        isWriting.wait()
        Thread.detach(in: group) {
            try? dbPool.read { _ in
                mayRead.signal()
                try dbPool.write { _ in log.append("write in a read") }
            }
        }
        group.wait()
        expectEqual(log.elements, ["read in a write", "write in a read"])
    }

    // MARK: - Serial target queues

    /// All connections share one queue: nested accesses must not wait for it.
    @Test func nestedReadsWithASerialTargetQueue() async throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.targetQueue = DispatchQueue(label: "serial")
        configuration.maximumReaderCount = 1
        let dbPool = try TestDatabases.makePool(configuration)
        try await dbPool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<40 {
                group.addTask {
                    switch index % 4 {
                    case 0: try await dbPool.read { _ in }
                    case 1: try { try dbPool.read { _ in } }()
                    case 2:
                        try await dbPool.write { db in
                            try db.execute(sql: "INSERT INTO t VALUES (1)")
                            _ = try dbPool.read { try count($0) }
                        }
                    default:
                        try await dbPool.writeWithoutTransaction { _ in
                            dbPool.asyncConcurrentRead { _ = $0 }
                            _ = try dbPool.read { try count($0) }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let result = try await dbPool.read { try count($0) }
        expectEqual(result, 10)
    }
}
