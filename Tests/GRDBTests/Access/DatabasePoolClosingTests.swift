import Dispatch
import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabasePoolClosingTests {
    private let closed = "SQLite error 21: Connection is closed"
    private let busy = """
        SQLite error 5: unable to close due to unfinalized statements or unfinished backups
        """

    private func makePool(_ configuration: Configuration? = nil) throws -> DatabasePool {
        let dbPool = try TestDatabases.makePool(configuration)
        try dbPool.write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
        }
        return dbPool
    }

    private func expectOpen(_ dbPool: DatabasePool) throws {
        try expectEqual(dbPool.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }, [1, 2])
        try expectEqual(dbPool.write { try Int.fetchAll($0, sql: "SELECT a FROM t") }, [1, 2])
    }

    // MARK: - Closed pools

    @Test func closedPoolThrows() throws {
        let dbPool = try makePool()
        try dbPool.close()
        expectError(closed) { try dbPool.read { _ in } }
        expectError(closed) { try dbPool.unsafeRead { _ in } }
        expectError(closed) { try dbPool.unsafeReentrantRead { _ in } }
        expectError(closed) { try dbPool.write { _ in } }
        expectError(closed) { try dbPool.writeInTransaction { _ in .commit } }
        expectError(closed) { try dbPool.barrierWriteWithoutTransaction { _ in } }
        expectError(closed) { try dbPool.writeWithoutTransaction { try $0.rollback() } }
        expectError(closed) { try dbPool.vacuum() }
        expectError(closed) { try dbPool.erase() }
        expectError(closed) { try dbPool.makeSnapshot() }
        expectError(closed) { try dbPool.makeSnapshotPool() }
        expectError(closed) { try dbPool.backup(to: TestDatabases.makeQueue()) }
        expectError(closed) { try TestDatabases.makeQueue().backup(to: dbPool) }
        try dbPool.close()
        dbPool.interrupt()
        dbPool.releaseMemory()
        dbPool.releaseMemoryEventually()
        dbPool.invalidateReadOnlyConnections()
        dbPool.add(transactionObserver: TransactionRecorder())
    }

    @Test func closedPoolThrowsInTasks() async throws {
        let dbPool = try makePool()
        try dbPool.close()
        await expectError(closed) { try await dbPool.read { _ in } }
        await expectError(closed) { try await dbPool.unsafeRead { _ in } }
        await expectError(closed) { try await dbPool.write { _ in } }
        await expectError(closed) { try await dbPool.writeWithoutTransaction { _ in } }
        await expectError(closed) { try await dbPool.barrierWriteWithoutTransaction { _ in } }
        let log = Log<String>()
        dbPool.asyncRead { log.append("1 \($0)") }
        dbPool.asyncUnsafeRead { log.append("2 \($0)") }
        dbPool.asyncBarrierWriteWithoutTransaction { log.append("3 \($0)") }
        await withCheckedContinuation { continuation in
            dbPool.asyncWrite { _ in
            } completion: { _, result in
                log.append("4 \(result)")
                continuation.resume()
            }
        }
        expectEqual(log.elements, (1...4).map { "\($0) failure(\(closed))" })
    }

    // MARK: - Accesses at work

    @Test func closingWaitsForItsTurn() throws {
        let dbPool = try makePool()
        let log = Log<String>()
        let isReading = DispatchSemaphore(value: 0)
        for _ in 0..<3 {
            dbPool.asyncRead { result in
                isReading.signal()
                letOthersRun()
                let count = try? Int.fetchOne(result.get(), sql: "SELECT COUNT(*) FROM t")
                log.append("read \(count ?? -1)")
            }
        }
        dbPool.asyncWriteWithoutTransaction { db in
            letOthersRun()
            log.append((try? String.fetchOne(db, sql: "SELECT 'write'")) ?? "none")
        }
        for _ in 0..<3 { isReading.wait() }
        try dbPool.close()
        expectEqual(log.elements.sorted(), ["read 2", "read 2", "read 2", "write"])
    }

    @Test func readsThatWaitBehindTheEndAreRefused() async throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.maximumReaderCount = 2
        let dbPool = try makePool(configuration)
        let isReading = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        dbPool.asyncRead { _ in
            isReading.signal()
            mayEnd.wait()
        }
        await isReading.waitInTask()
        try await dbPool.read { _ in }
        let group = DispatchGroup()
        Thread.detach(in: group) { try! dbPool.close() }
        try await dbPool.waitForBarrier()
        let outcomes = Log<String>()
        let task = Task {
            do { try await dbPool.read { _ in } } catch { outcomes.append("\(error)") }
        }
        Thread.detach(in: group) {
            do { try dbPool.read { _ in } } catch { outcomes.append("\(error)") }
        }
        await dbPool.waitForReaderRequests(3)
        mayEnd.signal()
        await group.waitInTask()
        await task.value
        expectEqual(outcomes.elements, [closed, closed])
    }

    @Test func closingFromAnAccessIsAnError() throws {
        let dbPool = try makePool()
        let reentrant = "SQLite error 21: Database methods are not reentrant."
        try dbPool.read { _ in expectError(reentrant) { try dbPool.close() } }
        try dbPool.write { _ in expectError(reentrant) { try dbPool.close() } }
        try expectOpen(dbPool)
    }

    @Test func closingWithASerialTargetQueue() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.targetQueue = DispatchQueue(label: "serial")
        let dbPool = try makePool(configuration)
        try expectOpen(dbPool)
        try dbPool.close()
        expectError(closed) { try dbPool.read { _ in } }
    }

    // MARK: - Living statements

    @Test(arguments: [true, false])
    func livingStatementPreventsClosing(isReaders: Bool) throws {
        let dbPool = try makePool()
        let make: (Database) throws -> Living<Statement?> = { db in
            try Living(db.makeStatement(sql: "SELECT * FROM t"))
        }
        var statement = try isReaders ? dbPool.read(make).value : dbPool.write(make).value
        expectError(busy) { try dbPool.close() }
        try expectOpen(dbPool)
        expectTrue(statement != nil)
        statement = nil
        try dbPool.close()
        expectError(closed) { try dbPool.read { _ in } }
    }

    @Test func livingCursorPreventsClosing() throws {
        let dbPool = try makePool()
        var cursor: RowCursor? = try dbPool.unsafeRead { db in
            let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM t")
            _ = try cursor.next()
            return Living(cursor)
        }.value
        expectError(busy) { try dbPool.close() }
        try expectOpen(dbPool)
        expectTrue(cursor != nil)
        cursor = nil
        try dbPool.close()
    }

    @Test func statementOutlivesThePool() throws {
        var statement: Statement?
        weak var weakPool: DatabasePool?
        do {
            let dbPool = try makePool()
            weakPool = dbPool
            statement = try dbPool.read { db in
                try Living(db.makeStatement(sql: "SELECT * FROM t"))
            }.value
        }
        expectNil(weakPool)
        expectError("SQLite error 21: Database was not used on the correct thread.") {
            try statement?.execute()
        }
        statement = nil
    }

    @Test func poolIsReleasedInItsOwnAccess() async throws {
        for _ in 0..<20 {
            var dbPool: DatabasePool? = try makePool()
            let values = Log<Int?>()
            let sql = "SELECT COUNT(*) FROM t"
            dbPool?.asyncRead { result in
                values.append(try? Int.fetchOne(result.get(), sql: sql))
            }
            dbPool?.asyncWriteWithoutTransaction { db in
                values.append(try? Int.fetchOne(db, sql: sql))
            }
            dbPool = nil
            await expectEqual(values.wait(forCount: 2), [2, 2])
        }
    }

    // MARK: - Memory

    @Test func releasedMemoryClosesReaders() throws {
        let dbPool = try makePool()
        func name() throws -> String { try dbPool.read(\.description) }
        try expectEqual(name(), "GRDB.DatabasePool.reader.1")
        dbPool.releaseMemory()
        try expectEqual(name(), "GRDB.DatabasePool.reader.2")
        dbPool.releaseMemoryEventually()
        try expectEqual(name(), "GRDB.DatabasePool.reader.3")
        dbPool.invalidateReadOnlyConnections()
        try expectEqual(name(), "GRDB.DatabasePool.reader.4")
        try expectEqual(name(), "GRDB.DatabasePool.reader.4")
    }

    @Test func persistentReadersStayOpen() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.persistentReadOnlyConnections = true
        let dbPool = try makePool(configuration)
        func name() throws -> String { try dbPool.read(\.description) }
        try expectEqual(name(), "GRDB.DatabasePool.reader.1")
        dbPool.releaseMemory()
        dbPool.releaseMemoryEventually()
        try expectEqual(name(), "GRDB.DatabasePool.reader.1")
        dbPool.invalidateReadOnlyConnections()
        try expectEqual(name(), "GRDB.DatabasePool.reader.2")
    }

    /// Those that are used go on, and are closed afterwards.
    @Test func usedReadersAreClosedAfterwards() throws {
        let dbPool = try makePool()
        for invalidate in [
            dbPool.invalidateReadOnlyConnections, dbPool.releaseMemory,
            dbPool.releaseMemoryEventually,
        ] {
            let name = try dbPool.read { db throws in
                invalidate()
                try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 2)
                return db.description
            }
            #expect(try dbPool.read(\.description) != name)
            try dbPool.write { _ in invalidate() }
        }
    }

    @Test func releasingMemoryWaitsForReads() throws {
        let dbPool = try makePool()
        let log = Log<String>()
        let isReading = DispatchSemaphore(value: 0)
        dbPool.asyncRead { _ in
            isReading.signal()
            letOthersRun()
            log.append("read")
        }
        isReading.wait()
        dbPool.releaseMemory()
        log.append("released")
        expectEqual(log.elements, ["read", "released"])
    }

    /// Functions and such that `prepareDatabase` defines are there in new connections.
    @Test func invalidatedReadersArePreparedAgain() throws {
        let answer = Log<Int>()
        answer.append(1)
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { db in
            let value = answer.elements.last!
            db.add(function: DatabaseFunction("answer", argumentCount: 0) { _ in value })
        }
        let dbPool = try makePool(configuration)
        func value() throws -> Int? {
            try dbPool.read { try Int.fetchOne($0, sql: "SELECT answer()") }
        }
        try expectEqual(value(), 1)
        answer.append(2)
        try expectEqual(value(), 1)
        dbPool.invalidateReadOnlyConnections()
        try expectEqual(value(), 2)
    }

    // MARK: - Interruption

    @Test func interruptStopsAllConnections() throws {
        let dbPool = try makePool()
        let log = Log<String>()
        let group = DispatchGroup()
        let areRunning = DispatchSemaphore(value: 0)
        for index in 0..<4 {
            Thread.detach(in: group) {
                do {
                    let body: (Database) throws -> Void = { db in
                        areRunning.signal()
                        _ = try Int.fetchOne(db, sql: endlessSQL)
                    }
                    if index == 0 { try dbPool.write(body) } else { try dbPool.read(body) }
                } catch {
                    log.append("\((error as? DatabaseError)?.resultCode.rawValue ?? 0)")
                }
            }
        }
        for _ in 0..<4 { areRunning.wait() }
        while group.wait(timeout: .now() + 0.01) == .timedOut {
            dbPool.interrupt()
        }
        expectEqual(log.elements, ["9", "9", "9", "9"])
        try expectOpen(dbPool)
    }
}
