import GRDB
import GRDBTestSupport
import Testing

/// Accesses that end inside a transaction.
@Suite(.databases) struct OpenTransactionTests {
    private let leftOpen =
        "SQLite error 21: A transaction has been left opened at the end of a database access"

    private func expectUsable(_ dbQueue: DatabaseQueue) throws {
        try dbQueue.write { db throws in
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master"), 0)
        }
    }

    // MARK: - Errors

    @Test(arguments: ["BEGIN", "SAVEPOINT s", "BEGIN; SAVEPOINT s"])
    func openTransactionIsRolledBackAndReported(sql: String) throws {
        let dbQueue = try TestDatabases.makeQueue()
        expectError(leftOpen) {
            try dbQueue.barrierWriteWithoutTransaction { db in
                try db.execute(sql: sql)
                try db.execute(sql: "CREATE TABLE t(a)")
            }
        }
        try expectUsable(dbQueue)
    }

    @Test(arguments: ["BEGIN", "SAVEPOINT s", "BEGIN; SAVEPOINT s"])
    func openTransactionOfATaskIsRolledBackAndReported(sql: String) async throws {
        let dbQueue = try TestDatabases.makeQueue()
        let leave: @Sendable (Database) throws -> Void = { db in
            try db.execute(sql: sql)
            try db.execute(sql: "CREATE TABLE t(a)")
        }
        await expectError(leftOpen) { try await dbQueue.writeWithoutTransaction(leave) }
        await expectError(leftOpen) { try await dbQueue.barrierWriteWithoutTransaction(leave) }
        await expectError(leftOpen) { try await dbQueue.unsafeRead(leave) }
        try expectUsable(dbQueue)
    }

    /// The error of the closure matters more, and the transaction is rolled back all the same.
    @Test func ownErrorWins() async throws {
        let dbQueue = try TestDatabases.makeQueue()
        await expectError(TestError()) {
            try await dbQueue.writeWithoutTransaction { db in
                try db.beginTransaction()
                try db.execute(sql: "CREATE TABLE t(a)")
                throw TestError()
            }
        }
        try expectUsable(dbQueue)
    }

    /// It does not trap on top.
    @Test func ownErrorWinsWithoutATransaction() throws {
        let dbQueue = try TestDatabases.makeQueue()
        for access in [
            { try dbQueue.writeWithoutTransaction($0) }, { try dbQueue.inDatabase($0) },
            { try dbQueue.unsafeRead($0) }, { try dbQueue.unsafeReentrantWrite($0) },
        ] as [((Database) throws -> Void) throws -> Void] {
            expectError(TestError()) {
                try access { db in
                    try db.beginTransaction()
                    try db.execute(sql: "CREATE TABLE t(a)")
                    throw TestError()
                }
            }
            try expectUsable(dbQueue)
        }
    }

    /// Reads and writes own their transaction: one that is begun after its end can't be.
    @Test func readsAndWritesCanNotLeaveATransaction() throws {
        let dbQueue = try TestDatabases.makeQueue()
        let aborted = "SQLite error 4: Transaction was aborted - while executing `BEGIN`"
        expectError(aborted) { try dbQueue.write { try $0.execute(sql: "COMMIT; BEGIN") } }
        expectError(aborted) { try dbQueue.read { try $0.execute(sql: "COMMIT; BEGIN") } }
        try expectUsable(dbQueue)
    }

    // MARK: - Traps

    @Test func writeWithoutTransactionTraps() async {
        await #expect(processExitsWith: .failure) {
            try DatabaseQueue().writeWithoutTransaction { try $0.beginTransaction() }
        }
    }

    /// Also in release builds.
    @Test func theTrapNamesTheMethodThatThrows() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            try DatabaseQueue().writeWithoutTransaction { try $0.execute(sql: "BEGIN") }
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
        expectEqual(
            text?.contains(
                "A transaction has been left opened at the end of a database access: "
                    + "tryWriteWithoutTransaction and the methods of tasks throw this as an error"),
            true)
    }

    @Test func inDatabaseTraps() async {
        await #expect(processExitsWith: .failure) {
            try DatabaseQueue().inDatabase { try $0.execute(sql: "SAVEPOINT s") }
        }
    }

    @Test func unsafeReadTraps() async {
        await #expect(processExitsWith: .failure) {
            try DatabaseQueue().unsafeRead { try $0.execute(sql: "BEGIN") }
        }
    }

    @Test func unsafeReentrantWriteTraps() async {
        await #expect(processExitsWith: .failure) {
            try DatabaseQueue().unsafeReentrantWrite { try $0.execute(sql: "BEGIN") }
        }
    }

    @Test func asyncWriteWithoutTransactionTraps() async {
        await #expect(processExitsWith: .failure) {
            let dbQueue = try DatabaseQueue()
            dbQueue.asyncWriteWithoutTransaction { try! $0.beginTransaction() }
            try dbQueue.read { _ in }
        }
    }

    /// The trap is that of the access, not of the reentrant one in it.
    @Test func reentrantAccessMayLeaveATransactionToTheOuterOne() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try dbQueue.unsafeReentrantWrite { try $0.beginTransaction() }
            expectTrue(db.isInsideTransaction)
            try db.commit()
        }
    }

    // MARK: - Unsafe transactions

    private func makeUnsafeQueue() throws -> DatabaseQueue {
        var configuration = TestDatabases.makeConfiguration()
        configuration.allowsUnsafeTransactions = true
        return try TestDatabases.makeQueue(.memory, configuration)
    }

    @Test func transactionMaySpanAccesses() throws {
        let dbQueue = try makeUnsafeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try db.beginTransaction()
            try db.execute(sql: "CREATE TABLE t(a)")
        }
        try dbQueue.writeWithoutTransaction { db in
            expectTrue(db.isInsideTransaction)
            try db.execute(sql: "INSERT INTO t VALUES (1)")
        }
        try dbQueue.writeWithoutTransaction { try $0.rollback() }
        try expectUsable(dbQueue)
    }

    @Test func readJoinsTheOpenTransaction() throws {
        let dbQueue = try makeUnsafeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try db.beginTransaction()
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        }
        try expectSQL("SELECT COUNT(*) FROM t") {
            try dbQueue.read { db throws in
                try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 1)
                expectTrue(db.isInsideTransaction)
            }
        }
        expectError(DatabaseError.self) {
            try dbQueue.read { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        }
        try dbQueue.writeWithoutTransaction { db in
            expectTrue(db.isInsideTransaction)
            try db.commit()
        }
    }

    @Test func writeCanNotJoinTheOpenTransaction() throws {
        let dbQueue = try makeUnsafeQueue()
        try dbQueue.writeWithoutTransaction { try $0.beginTransaction() }
        expectError(
            """
            SQLite error 1: cannot start a transaction within a transaction \
            - while executing `BEGIN IMMEDIATE TRANSACTION`
            """
        ) {
            try dbQueue.write { _ in }
        }
        try dbQueue.writeWithoutTransaction { db in
            expectTrue(db.isInsideTransaction)
            try db.rollback()
        }
    }

    @Test func transactionMaySpanAsynchronousAccesses() async throws {
        let dbQueue = try makeUnsafeQueue()
        try await dbQueue.writeWithoutTransaction { try $0.beginTransaction() }
        let isInside = try await dbQueue.writeWithoutTransaction { $0.isInsideTransaction }
        expectTrue(isInside)
        try await dbQueue.writeWithoutTransaction { try $0.rollback() }
    }

    /// The end of the connection is the end of the transaction.
    @Test func openTransactionIsLostWithTheConnection() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.allowsUnsafeTransactions = true
        let path = TestDatabases.makePath()
        do {
            let dbQueue = try TestDatabases.openQueue(path, configuration)
            try dbQueue.writeWithoutTransaction { db in
                try db.beginTransaction()
                try db.execute(sql: "CREATE TABLE t(a)")
            }
        }
        try expectUsable(TestDatabases.openQueue(path))
    }
}
