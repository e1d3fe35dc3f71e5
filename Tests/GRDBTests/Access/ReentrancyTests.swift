import Dispatch
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct ReentrancyTests {
    private let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
    }

    private let reentrant = "SQLite error 21: Database methods are not reentrant."

    /// Expects an error of all accesses that throw, and that they leave no trace.
    private func expectReentrancyErrors() throws {
        try expectSQL("") {
            expectError(reentrant) { try dbQueue.read { _ in } }
            expectError(reentrant) { try dbQueue.write { _ in } }
            expectError(reentrant) { try dbQueue.inTransaction { _ in .commit } }
            expectError(reentrant) { try dbQueue.barrierWriteWithoutTransaction { _ in } }
            expectError(reentrant) { try dbQueue.vacuum() }
            expectError(reentrant) { try dbQueue.erase() }
            expectError(reentrant) { try dbQueue.close() }
            expectError(reentrant) { try dbQueue.unsafeRead { try $0.execute(sql: "SELECT 1") } }
            let reader: any DatabaseReader = dbQueue
            expectError(reentrant) { try reader.unsafeRead { _ in } }
            expectError(reentrant) { try AnyDatabaseReader(dbQueue).unsafeRead { _ in } }
            let other = try DatabaseQueue()
            expectError(reentrant) { try other.backup(to: dbQueue) }
        }
    }

    @Test func accessesAreNotReentrant() throws {
        try dbQueue.read { _ in try expectReentrancyErrors() }
        try dbQueue.write { _ in try expectReentrancyErrors() }
        try dbQueue.inDatabase { _ in try expectReentrancyErrors() }
        try dbQueue.unsafeRead { _ in try expectReentrancyErrors() }
        try dbQueue.unsafeReentrantRead { _ in try expectReentrancyErrors() }
        try dbQueue.unsafeReentrantWrite { _ in try expectReentrancyErrors() }
        // All is well afterwards.
        try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    }

    /// A dispatch queue may run a block on the thread that waits for it.
    @Test func accessesAreNotReentrantThroughADispatchQueue() throws {
        let queue = DispatchQueue(label: "other")
        try dbQueue.read { _ in
            queue.sync {
                expectError(reentrant) { try dbQueue.read { _ in } }
            }
        }
    }

    @Test func accessesOfOtherQueuesAreNoReentrancy() throws {
        let other = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try other.write { otherDb in
                dbQueue.unsafeReentrantRead { #expect($0 === db) }
                try otherDb.execute(sql: "CREATE TABLE t(a)")
                try db.execute(sql: "INSERT INTO t VALUES (1)")
            }
            try db.execute(sql: "INSERT INTO t VALUES (2)")
        }
    }

    // MARK: - Reentrant accesses

    @Test func reentrantAccessesGetTheConnectionOfTheAccess() throws {
        try dbQueue.write { db in
            expectSQL("") {
                dbQueue.unsafeReentrantRead { #expect($0 === db) }
                dbQueue.unsafeReentrantWrite { #expect($0 === db) }
                dbQueue.unsafeReentrantRead { _ in
                    dbQueue.unsafeReentrantWrite { #expect($0 === db) }
                }
                dbQueue.unsafeReentrantWrite { expectTrue($0.isInsideTransaction) }
            }
        }
    }

    @Test func reentrantAccessesAreAccessesOfTheirOwn() throws {
        try dbQueue.unsafeReentrantWrite { db in
            expectTrue(!db.isInsideTransaction)
            try db.execute(sql: "INSERT INTO t VALUES (1)")
        }
        let count = try dbQueue.unsafeReentrantRead { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
        }
        expectEqual(count, 1)
    }

    @Test func unsafeReadMayWrite() throws {
        try dbQueue.unsafeRead { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        try dbQueue.unsafeReentrantRead { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        try dbQueue.write { _ in
            try dbQueue.unsafeReentrantRead { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
        }
        let values = try dbQueue.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }
        expectEqual(values, [1, 2, 3])
    }

    /// An error of the inner access is that of its closure: it ends nothing.
    @Test func errorOfAReentrantAccessLeavesTheTransaction() throws {
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            expectError(TestError()) {
                try dbQueue.unsafeReentrantWrite { _ in throw TestError() }
            }
            expectTrue(db.isInsideTransaction)
        }
        let count = try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
        expectEqual(count, 1)
    }

    @Test func observersCanBeAddedInAnAccess() throws {
        let recorder = TransactionRecorder()
        try dbQueue.write { db in
            dbQueue.add(transactionObserver: recorder)
            try db.execute(sql: "INSERT INTO t VALUES (1)")
        }
        dbQueue.writeWithoutTransaction { _ in
            dbQueue.remove(transactionObserver: recorder)
        }
        try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        expectEqual(recorder.lines(), ["didChange insert main.t 1", "willCommit", "didCommit"])
    }

    @Test func memoryCanBeReleasedInAnAccess() throws {
        let value = try dbQueue.read { db in
            dbQueue.releaseMemory()
            return try Int.fetchOne(db, sql: "SELECT 1")
        }
        expectEqual(value, 1)
        dbQueue.releaseMemory()
    }

    // MARK: - Traps

    @Test func writeWithoutTransactionTrapsWhenReentrant() async {
        await #expect(processExitsWith: .failure) {
            let dbQueue = try DatabaseQueue()
            try dbQueue.read { _ in dbQueue.writeWithoutTransaction { _ in } }
        }
    }

    @Test func inDatabaseTrapsWhenReentrant() async {
        await #expect(processExitsWith: .failure) {
            let dbQueue = try DatabaseQueue()
            dbQueue.inDatabase { _ in dbQueue.inDatabase { _ in } }
        }
    }

    @Test func unsafeReadTrapsWhenReentrant() async {
        await #expect(processExitsWith: .failure) {
            let dbQueue = try DatabaseQueue()
            dbQueue.unsafeRead { _ in dbQueue.unsafeRead { _ in } }
        }
    }

    #if DEBUG
    @Test func trapSaysWhy() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let dbQueue = try DatabaseQueue()
            dbQueue.inDatabase { _ in dbQueue.inDatabase { _ in } }
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
        expectEqual(text?.contains("Database methods are not reentrant."), true)
    }
    #endif
}
