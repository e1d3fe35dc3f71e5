import Dispatch
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// `asyncConcurrentRead` of pools, and `spawnConcurrentRead` of all writers.
@Suite(.databases) struct ConcurrentReadTests {
    private func makePool(maximumReaderCount: Int = 5) throws -> DatabasePool {
        var configuration = TestDatabases.makeConfiguration()
        configuration.maximumReaderCount = maximumReaderCount
        let dbPool = try TestDatabases.makePool(configuration)
        try dbPool.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        return dbPool
    }

    private func describe(_ result: Result<Database, any Error>) -> String {
        do {
            let db = try result.get()
            let values = try Int.fetchAll(db, sql: "SELECT a FROM t ORDER BY a")
            return "\(values) \(db.isInsideTransaction) \(db.configuration.readonly)"
        } catch {
            return "\(error)"
        }
    }

    /// The read sees the database as the writer has left it before the call, although it runs after
    /// later changes.
    @Test func readSeesTheLastCommit() throws {
        let dbPool = try makePool()
        let log = Log<String>()
        let mayRead = DispatchSemaphore(value: 0)
        let hasRead = DispatchSemaphore(value: 0)
        try dbPool.writeWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            dbPool.asyncConcurrentRead { result in
                mayRead.wait()
                log.append(describe(result))
                hasRead.signal()
            }
            // The writer goes on.
            try db.execute(sql: "INSERT INTO t VALUES (3)")
            mayRead.signal()
        }
        hasRead.wait()
        expectEqual(log.elements, ["[1, 2] true true"])
    }

    @Test func spawnedReadsSeeTheLastCommit() throws {
        for kind in DatabaseKind.allCases {
            let writer = try TestDatabases.makeWriter(kind)
            let hasRead = DispatchSemaphore(value: 0)
            let log = Log<String>()
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
                writer.spawnConcurrentRead { result in
                    let values = try? Int.fetchAll(result.get(), sql: "SELECT a FROM t")
                    log.append("\(values ?? [])")
                    hasRead.signal()
                }
                try db.execute(sql: "INSERT INTO t VALUES (2)")
            }
            hasRead.wait()
            expectEqual(log.elements, ["[1]"])
        }
    }

    @Test func readIsMadeFromDidCommit() throws {
        let dbPool = try makePool()
        let log = Log<String>()
        let hasRead = DispatchSemaphore(value: 0)
        let recorder = TransactionRecorder()
        recorder.onCommit = { [unowned dbPool] _ in
            dbPool.asyncConcurrentRead { result in
                log.append(describe(result))
                hasRead.signal()
            }
        }
        dbPool.add(transactionObserver: recorder)
        try dbPool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        try dbPool.write { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
        hasRead.wait()
        hasRead.wait()
        expectEqual(log.elements.sorted(), ["[1, 2, 3] true true", "[1, 2] true true"])
        dbPool.remove(transactionObserver: recorder)
    }

    @Test func readIsMadeAfterTheNextTransaction() throws {
        let dbPool = try makePool()
        let log = Log<String>()
        let hasRead = DispatchSemaphore(value: 0)
        try dbPool.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            db.afterNextTransaction { [unowned dbPool] _ in
                dbPool.asyncConcurrentRead { result in
                    log.append(describe(result))
                    hasRead.signal()
                }
            }
        }
        hasRead.wait()
        expectEqual(log.elements, ["[1, 2] true true"])
    }

    @Test func misuseIsTold() throws {
        let dbPool = try makePool()
        let log = Log<String>()
        try dbPool.write { _ in
            dbPool.asyncConcurrentRead { log.append(describe($0)) }
            dbPool.spawnConcurrentRead { log.append(describe($0)) }
        }
        dbPool.asyncConcurrentRead { log.append(describe($0)) }
        try dbPool.read { _ in
            dbPool.asyncConcurrentRead { log.append(describe($0)) }
        }
        let inside =
            "SQLite error 21: asyncConcurrentRead must not be called from inside a transaction."
        let elsewhere = """
            SQLite error 21: asyncConcurrentRead must be called from an access that can write.
            """
        expectEqual(log.elements, [inside, inside, elsewhere, elsewhere])
    }

    @Test func readIsReadOnly() throws {
        let dbPool = try makePool()
        let log = Log<String>()
        let hasRead = DispatchSemaphore(value: 0)
        dbPool.writeWithoutTransaction { _ in
            dbPool.asyncConcurrentRead { result in
                do {
                    try result.get().execute(sql: "INSERT INTO t VALUES (2)")
                } catch {
                    log.append("\(error)")
                }
                do {
                    try result.get().execute(sql: "COMMIT; SELECT 1")
                } catch {
                    log.append("\(error)")
                }
                hasRead.signal()
            }
        }
        hasRead.wait()
        expectEqual(
            log.elements,
            [
                """
                SQLite error 8: attempt to write a readonly database \
                - while executing `INSERT INTO t VALUES (2)`
                """,
                "SQLite error 4: Transaction was aborted - while executing `SELECT 1`",
            ])
        // The connection is as good as new.
        try expectEqual(dbPool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }, 1)
    }

    /// However many writes ask for it, there are no more connections than there may be.
    @Test(arguments: [1, 2])
    func readWaitsForAConnection(maximumReaderCount: Int) throws {
        let count = Log<Int>()
        var configuration = TestDatabases.makeConfiguration()
        configuration.maximumReaderCount = maximumReaderCount
        configuration.prepareDatabase { if $0.configuration.readonly { count.append(1) } }
        let dbPool = try TestDatabases.makePool(configuration)
        let group = DispatchGroup()
        let running = Log<Int>()
        for _ in 0..<20 {
            group.enter()
            dbPool.writeWithoutTransaction { _ in
                dbPool.asyncConcurrentRead { _ in
                    running.append(1)
                    letOthersRun(for: 0.001)
                    #expect(running.elements.reduce(0, +) <= maximumReaderCount)
                    running.append(-1)
                    group.leave()
                }
            }
        }
        group.wait()
        #expect(count.elements.count <= maximumReaderCount)
    }

    /// Reads that wait for the writer are not waited for.
    @Test func readDoesNotWaitForThoseWhoWaitForTheWriter() throws {
        let dbPool = try makePool(maximumReaderCount: 1)
        let log = Log<String>()
        try dbPool.read { _ in
            dbPool.writeWithoutTransaction { _ in
                let hasRead = DispatchSemaphore(value: 0)
                dbPool.asyncConcurrentRead { result in
                    log.append(describe(result))
                    hasRead.signal()
                }
                hasRead.wait()
            }
        }
        expectEqual(log.elements, ["[1] true true"])
    }

    /// The transaction is not committed yet, although SQLite says that there is none any more.
    @Test func noConcurrentReadNorSnapshotBeforeTheCommit() throws {
        final class Observer: TransactionObserver {
            let dbPool: DatabasePool
            let log = Log<String>()

            init(_ dbPool: DatabasePool) { self.dbPool = dbPool }

            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
            func databaseDidChange(with event: DatabaseEvent) {}
            func databaseWillCommit() throws {
                dbPool.asyncConcurrentRead { [log] result in
                    if case .failure(let error) = result { log.append("\(error)") }
                }
                do {
                    _ = try dbPool.makeSnapshot()
                } catch {
                    log.append("\(error)")
                }
            }
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }
        let dbPool = try makePool()
        let observer = Observer(dbPool)
        dbPool.add(transactionObserver: observer)
        try dbPool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        dbPool.remove(transactionObserver: observer)
        let message = "must not be called from inside a transaction."
        expectEqual(
            observer.log.elements,
            [
                "SQLite error 21: asyncConcurrentRead \(message)",
                "SQLite error 21: makeSnapshot() \(message)",
            ])
    }

    @Test func closedPoolTellsTheRead() throws {
        let dbPool = try makePool()
        try dbPool.close()
        let log = Log<String>()
        dbPool.writeWithoutTransaction { _ in
            dbPool.asyncConcurrentRead { log.append(describe($0)) }
        }
        expectEqual(log.elements, ["SQLite error 21: Connection is closed"])
    }
}
