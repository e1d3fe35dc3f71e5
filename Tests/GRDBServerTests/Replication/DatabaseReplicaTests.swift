@testable import GRDBServer
import Dispatch
import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(
    .databases,
    .disabled(if: TestDatabases.encryptsDatabases, "FollowedFile changes bytes of a plain header"))
struct DatabaseReplicaTests {
    private static let sums = "SELECT MIN(n), MAX(n), COUNT(*) FROM t"

    /// A table of several pages, whose rows all have the number of the transaction.
    private func makeFile() throws -> FollowedFile {
        let file = try FollowedFile()
        try file.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER, content BLOB);
                    WITH RECURSIVE i(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i LIMIT 50)
                    INSERT INTO t SELECT i, 1, zeroblob(2000) FROM i
                    """)
        }
        try file.restore(1)
        return file
    }

    private func change(_ file: FollowedFile, to number: Int) throws {
        try file.write { try $0.execute(sql: "UPDATE t SET n = ?", arguments: [number]) }
    }

    private func makeReplica(
        _ file: FollowedFile, settings change: (inout DatabaseReplica.Settings) -> Void = { _ in }
    ) throws -> DatabaseReplica {
        var settings = DatabaseReplica.Settings()
        settings.pollInterval = 0.005
        change(&settings)
        return try DatabaseReplica(
            path: file.path, configuration: TestDatabases.makeConfiguration(), settings: settings)
    }

    @Test func anyIntervalIsAccepted() throws {
        let file = try makeFile()
        for interval in [1e10, .greatestFiniteMagnitude, .infinity] {
            let replica = try makeReplica(file) {
                $0.pollInterval = interval
                $0.patience = interval
                $0.stallLimit = interval
            }
            try expectEqual(replica.read(numbers), [1, 1])
        }
    }

    private func numbers(_ db: Database) throws -> [Int] {
        // The first rows are in the cache of the connection already.
        let row = try Row.fetchOne(db, sql: Self.sums)!
        return [row[0], row[1]]
    }

    private func sums(_ replica: DatabaseReplica) throws -> [Int] { try replica.read(numbers) }

    private func fillCache(_ replica: DatabaseReplica) throws {
        _ = try replica.read { try Int.fetchOne($0, sql: "SELECT SUM(n) FROM t WHERE id < 10") }
    }

    /// Reads of replicas have labels, limits and metrics like others.
    @Test func longReadIsEndedAndCounted() async throws {
        let file = try makeFile()
        var configuration = TestDatabases.makeConfiguration()
        configuration.maximumReadDuration = 0.05
        configuration.metricsCollector = DatabaseMetricsCollector()
        let replica = try DatabaseReplica(path: file.path, configuration: configuration)
        let error = await expectError(DatabaseError.self) {
            try await replica.read(label: "report") { try $0.execute(sql: endlessSQL) }
        }
        expectEqual(error?.resultCode, .SQLITE_INTERRUPT)
        expectEqual(error?.accessLabel?.hasPrefix("report ("), true)
        // The follower goes on.
        try change(file, to: 2)
        try file.apply(2)
        try expectEqual(sums(replica), [2, 2])
        #expect(replica.metrics.readCount >= 2)
        expectEqual(replica.metrics.oldestRead, nil)
    }

    /// The reason why replicas are no queues: a connection that stays open mixes old and new pages.
    @Test func queueMixesPages() throws {
        let file = try makeFile()
        var configuration = TestDatabases.makeConfiguration()
        configuration.readonly = true
        let queue = try TestDatabases.openQueue(file.path, configuration)
        _ = try queue.read { try Int.fetchOne($0, sql: "SELECT SUM(n) FROM t WHERE id < 10") }
        try change(file, to: 2)
        try file.apply(2)
        try expectEqual(queue.read(numbers), [1, 2])
    }

    @Test func readsSeeWholeTransactions() async throws {
        let file = try makeFile()
        let replica = try makeReplica(file)
        for number in 2...20 {
            try fillCache(replica)
            try change(file, to: number)
            try file.apply(UInt64(number))
            let expected = [number, number]
            switch number % 4 {
            case 0: try expectEqual(sums(replica), expected)
            case 1: try await expectTrue(replica.read { try numbers($0) } == expected)
            case 2: try expectEqual(replica.unsafeReentrantRead(numbers), expected)
            default:
                let seen = Log<[Int]>()
                replica.asyncRead { result in
                    seen.append((try? numbers(result.get())) ?? [])
                }
                await expectEqual(seen.wait(forCount: 1), [expected])
            }
        }
        try await expectEqual(replica.read { $0.replicaTransactionID }, 20)
    }

    /// The cache may only be kept while the files are old enough to show any change.
    @Test func cacheOfAnOldFileIsKept() throws {
        let file = try makeFile()
        for path in [file.path, file.transactionIDPath] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -60)], ofItemAtPath: path)
        }
        try file.ageID(by: 30)
        let replica = try makeReplica(file)
        func misses() throws -> Int {
            try replica.read { db in
                let before = try db.status.cacheMissCount
                _ = try numbers(db)
                return try db.status.cacheMissCount - before
            }
        }
        #expect(try misses() > 10)
        try expectEqual(misses(), 0)
        try change(file, to: 2)
        try file.apply(2)
        #expect(try misses() > 10)
        #expect(try misses() > 10)
        try expectEqual(sums(replica), [2, 2])
    }

    @Test func schemaChangesArrive() throws {
        let file = try makeFile()
        let replica = try makeReplica(file)
        try expectEqual(replica.read { try $0.columns(in: "t").count }, 3)
        try file.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN z DEFAULT 7") }
        try file.apply(2)
        try expectEqual(replica.read { try $0.columns(in: "t").count }, 4)
        try expectEqual(replica.read { try Int.fetchOne($0, sql: "SELECT z FROM t") }, 7)
    }

    @Test func restoredFileIsOpenedAnew() async throws {
        let file = try makeFile()
        let replica = try makeReplica(file)
        try expectEqual(sums(replica), [1, 1])
        try change(file, to: 2)
        try file.restore(2)
        try expectEqual(sums(replica), [2, 2])
        try change(file, to: 3)
        try file.restore(3)
        try await expectEqual(replica.read { try numbers($0) }, [3, 3])
        try change(file, to: 4)
        try file.restore(4)
        let seen = Log<[Int]>()
        replica.asyncRead { result in
            seen.append((try? numbers(result.get())) ?? [])
        }
        await expectEqual(seen.wait(forCount: 1), [[4, 4]])
    }

    @Test func replicaCannotBeWritten() throws {
        let replica = try makeReplica(makeFile())
        expectError(DatabaseError.self) {
            try replica.read { try $0.execute(sql: "DELETE FROM t") }
        }
        expectError(DatabaseError.self) {
            try replica.unsafeRead { try $0.execute(sql: "DELETE FROM t") }
        }
        try expectEqual(replica.read { try Int.fetchOne($0, sql: "PRAGMA mmap_size") }, 0)
    }

    @Test func errorsOfClosuresAreThrown() async throws {
        let replica = try makeReplica(makeFile())
        expectError(TestError("no")) { try replica.read { _ in throw TestError("no") } }
        await expectError(TestError("no")) {
            try await replica.read { _ in throw TestError("no") }
        }
        expectError(DatabaseError.self) {
            try replica.read { _ in try replica.read { _ in } }
        }
        try await replica.read { _ in try replica.unsafeReentrantRead { _ in } }
    }

    // MARK: - Followers that fail

    @Test func databaseWithoutFollowerIsRefused() throws {
        let file = try FollowedFile()
        expectError(
            "No follower has restored a database: there is no file at \(file.transactionIDPath)"
        ) { try makeReplica(file) }
        try file.writeID(1)
        expectError("No follower has restored a database: there is no file at \(file.path)") {
            try makeReplica(file)
        }
        try file.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        try file.restore(1)
        try Data("hello".utf8).write(to: URL(fileURLWithPath: file.transactionIDPath))
        expectError(
            #"The file \#(file.transactionIDPath) holds no transaction ID, but "hello""#
        ) { try makeReplica(file) }
    }

    @Test func incompleteTransactionIsAnError() async throws {
        let file = try makeFile()
        let stalls = Log<DatabaseReplicaError>()
        let replica = try makeReplica(file) {
            $0.patience = 0.02
            $0.onStall = { stalls.append($0) }
        }
        try change(file, to: 2)
        try file.applyPages()
        try file.ageID(by: 10)
        let error = DatabaseReplicaError.incomplete(path: file.path)
        expectError(error) { try sums(replica) }
        await expectError(error) { try await replica.read { try numbers($0) } }
        let seen = Log<String>()
        replica.asyncRead { result in
            do {
                _ = try result.get()
            } catch {
                seen.append("\(error)")
            }
        }
        await expectEqual(seen.wait(forCount: 1), ["\(error)"])
        await expectEqual(stalls.wait(forCount: 1).first, error)
        expectEqual(replica.stall, error)
        // Once, although the replica goes on looking.
        await letOthersRun(for: 0.2)
        expectEqual(stalls.elements, [error])
        // The follower starts again.
        try file.apply(2)
        try expectEqual(sums(replica), [2, 2])
    }

    @Test func readsWaitForTheTransactionID() throws {
        let file = try makeFile()
        let replica = try makeReplica(file) { $0.patience = patience }
        try change(file, to: 2)
        try file.applyPages()
        try file.ageID(by: 10)
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { try? file.writeID(2) }
        try expectEqual(sums(replica), [2, 2])
    }

    @Test func followerWithoutLocksIsNoticed() throws {
        let file = try makeFile()
        let replica = try makeReplica(file)
        expectError(DatabaseReplicaError.changedDuringRead) {
            try replica.read { db in
                _ = try numbers(db)
                // The clock of files is coarse.
                letOthersRun(for: 0.05)
                try change(file, to: 2)
                try file.apply(2)
            }
        }
    }

    @Test func stallIsReported() async throws {
        let file = try makeFile()
        try file.ageID(by: 0)
        let stalls = Log<DatabaseReplicaError>()
        let replica = try makeReplica(file) {
            $0.stallLimit = 0.05
            $0.onStall = { stalls.append($0) }
        }
        guard case .stalled(let status) = await stalls.wait(forCount: 1)[0] else {
            Issue.record("another error")
            return
        }
        expectEqual(status.transactionID, 1)
        expectTrue(replica.stall != nil)
        // Reads go on.
        try expectEqual(sums(replica), [1, 1])
    }

    @Test func readsOfAStalledReplicaAreRefused() async throws {
        let file = try makeFile()
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -60)], ofItemAtPath: file.path)
        try file.ageID(by: 50)
        let replica = try makeReplica(file) {
            $0.stallLimit = 10
            $0.refusesStalledReads = true
            $0.onStall = { _ in }
        }
        expectError(DatabaseReplicaError.self) { try replica.read { _ in } }
        await expectError(DatabaseReplicaError.self) { try await replica.read { _ in } }
        let seen = Log<Bool>()
        replica.asyncRead { result in
            seen.append((try? result.get()) == nil)
        }
        await expectEqual(seen.wait(forCount: 1), [true])
        try change(file, to: 2)
        try file.apply(2)
        try expectEqual(sums(replica), [2, 2])
        expectEqual(replica.stall, nil)
    }

    // MARK: - Following

    @Test func statusShowsTheLastTransaction() throws {
        let file = try makeFile()
        let replica = try makeReplica(file)
        try expectEqual(replica.status.transactionID, 1)
        try file.apply(0x2a)
        let status = try replica.status
        expectEqual(status.transactionID, 42)
        #expect(status.age < 60)
        let position = ReplicationPosition(transactionID: 45, replicatedTransactionID: 45)
        expectEqual(status.lag(behind: position), 3)
        expectEqual(
            status.lag(
                behind: ReplicationPosition(transactionID: 1, replicatedTransactionID: 1)),
            0)
    }

    @Test func transactionIsAwaited() async throws {
        let file = try makeFile()
        let replica = try makeReplica(file)
        try await expectEqual(replica.waitForTransaction(1).transactionID, 1)
        let task = Task { try await replica.waitForTransaction(5, timeout: patience) }
        try file.apply(6)
        try await expectEqual(task.value.transactionID, 6)
        await expectError(DatabaseReplicaError.self) {
            try await replica.waitForTransaction(7, timeout: 0.02)
        }
        let cancelled = Task { try await replica.waitForTransaction(8, timeout: patience) }
        cancelled.cancel()
        await expectError(CancellationError.self) { try await cancelled.value }
    }

    @Test func arrivalsAreReported() async throws {
        let file = try makeFile()
        let replica = try makeReplica(file)
        let arrivals = Log<UInt64>()
        let cancellable = replica.onArrival { arrivals.append($0.transactionID) }
        try file.apply(2)
        _ = await arrivals.wait(forCount: 1)
        try file.apply(3)
        await expectEqual(arrivals.wait(forCount: 2), [2, 3])
        cancellable.cancel()
        try file.apply(4)
        try await replica.waitForTransaction(4)
        await letOthersRun()
        expectEqual(arrivals.elements, [2, 3])
    }

    @Test(arguments: [true, false])
    func observationFetchesAfterArrivals(isImmediate: Bool) async throws {
        let file = try makeFile()
        let replica = try makeReplica(file)
        let observation = ValueObservation.tracking { db in
            try Int.fetchOne(db, sql: "SELECT MAX(n) FROM t")!
        }.removeDuplicates()
        let values = Log<Int>()
        let queue = DispatchQueue(label: "observation")
        var cancellable: AnyDatabaseCancellable?
        if isImmediate {
            cancellable = await MainActor.run {
                observation.start(
                    in: AnyDatabaseReader(replica), scheduling: .immediate,
                    onError: { _ in }, onChange: { values.append($0) })
            }
            expectEqual(values.elements, [1])
        } else {
            cancellable = observation.start(
                in: replica, scheduling: .async(onQueue: queue), onError: { _ in },
                onChange: { values.append($0) })
            await expectEqual(values.wait(forCount: 1), [1])
        }
        for number in 2...5 {
            try change(file, to: number)
            try file.apply(UInt64(number))
            await expectEqual(values.wait(forCount: number).last, number)
        }
        cancellable?.cancel()
        try change(file, to: 6)
        try file.apply(6)
        try await replica.waitForTransaction(6)
        await letOthersRun()
        expectEqual(values.elements, [1, 2, 3, 4, 5])
    }

    @Test func closedReplicaIsRefused() async throws {
        let replica = try makeReplica(makeFile())
        try replica.close()
        expectError(DatabaseError.self) { try replica.read { _ in } }
        await expectError(DatabaseError.self) { try await replica.read { _ in } }
        try replica.close()
    }

    @Test func poolOpensReplicas() throws {
        let file = try makeFile()
        let replica = try DatabasePool.replica(
            path: file.path, configuration: TestDatabases.makeConfiguration())
        expectEqual(replica.path, file.path)
        expectTrue(replica.configuration.readonly)
        try expectEqual(sums(replica), [1, 1])
    }
}
