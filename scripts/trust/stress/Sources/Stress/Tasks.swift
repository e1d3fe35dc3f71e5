import Dispatch
import Foundation
import GRDB

private let slowSQL = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
    SELECT COUNT(*) FROM n
    """

/// Cancels tasks at random moments of mixed work. The next access always succeeds, in autocommit, and
/// in its right mode.
func cancellations(count: Int) async throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let cancelled = Counter()
    let completed = Counter()
    for usesPool in [true, false] {
        let writer: any DatabaseWriter =
            usesPool
            ? try DatabasePool(path: folder + "/db.sqlite")
            : try DatabaseQueue(path: folder + "/queue.sqlite")
        try await writer.write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        }
        for index in 0..<count / 2 {
            let task = Task {
                switch index % 6 {
                case 0: try await writer.read { _ = try Int.fetchOne($0, sql: slowSQL) }
                case 1: try await writer.unsafeRead { _ = try Int.fetchOne($0, sql: slowSQL) }
                case 2:
                    try await writer.write { db in
                        try db.execute(sql: "INSERT INTO t VALUES (2)")
                        _ = try Int.fetchOne(db, sql: slowSQL)
                        try db.execute(sql: "DELETE FROM t WHERE a = 2")
                    }
                case 3:
                    try await writer.writeWithoutTransaction { db in
                        try db.inTransaction {
                            try db.execute(sql: "UPDATE t SET a = a + 1")
                            try db.inSavepoint {
                                _ = try Int.fetchOne(db, sql: slowSQL)
                                return .commit
                            }
                            return .rollback
                        }
                    }
                case 4:
                    try await writer.barrierWriteWithoutTransaction { db in
                        let cursor = try Int.fetchCursor(db, sql: slowSQL)
                        while try cursor.next() != nil {}
                    }
                default:
                    try await writer.write { db in
                        // Swallows what it should not.
                        _ = try? Int.fetchOne(db, sql: slowSQL)
                        try? db.execute(sql: "UPDATE t SET a = 1")
                    }
                }
            }
            let delay = UInt64.random(in: 0..<4_000_000)
            let canceller = Task {
                try? await Task.sleep(nanoseconds: delay)
                task.cancel()
            }
            do {
                try await task.value
                completed.add()
            } catch is CancellationError {
                cancelled.add()
            } catch {
                failures.append("\(error)")
            }
            await canceller.value
            do {
                let values = try await writer.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }
                expect(values == [1], "\(values) after case \(index % 6)")
                try await writer.writeWithoutTransaction { db in
                    expect(!db.isInsideTransaction, "not in autocommit")
                    try db.execute(sql: "UPDATE t SET a = 1")
                }
                do {
                    try await writer.read { try $0.execute(sql: "DELETE FROM t") }
                    failures.append("a read has written")
                } catch DatabaseError.SQLITE_READONLY {}
            } catch {
                failures.append("next access: \(error)")
            }
        }
        try checkIntegrity(writer)
    }
    print(
        """
        cancel, \(count) times: \(cancelled.value) cancelled, \(completed.value) completed, \
        \(failures.count) failures
        """)
}

/// Cancels tasks while they get in line: the line, and what waits in it, must not go away too early.
func hurriedCancellations(count: Int) async throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let cancelled = Counter()
    let completed = Counter()
    let writers: [any DatabaseWriter] = [
        try DatabasePool(path: folder + "/db.sqlite"),
        try DatabaseQueue(path: folder + "/queue.sqlite"),
    ]
    await withTaskGroup(of: Void.self) { group in
        for worker in 0..<8 {
            let writer = writers[worker % 2]
            let canceller = DispatchQueue(label: "canceller \(worker)")
            group.addTask {
                for index in 0..<count / 8 {
                    let task = Task {
                        switch index % 3 {
                        case 0: try await writer.read { _ = $0 }
                        case 1: try await writer.writeWithoutTransaction { _ = $0 }
                        default: try await writer.barrierWriteWithoutTransaction { _ = $0 }
                        }
                    }
                    canceller.async { task.cancel() }
                    do {
                        try await task.value
                        completed.add()
                    } catch is CancellationError {
                        cancelled.add()
                    } catch {
                        failures.append("\(error)")
                    }
                }
            }
        }
    }
    for writer in writers { try checkIntegrity(writer) }
    print(
        """
        hurry, \(count) times: \(cancelled.value) cancelled, \(completed.value) completed, \
        \(failures.count) failures
        """)
}

/// Many tasks over few readers: how long does each wait?
func manyTasks(count: Int) async throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for isSerial in [false, true] {
        var configuration = Configuration()
        if isSerial {
            configuration.targetQueue = DispatchQueue(label: "serial")
        }
        let dbPool = try DatabasePool(
            path: folder + "/\(isSerial).sqlite", configuration: configuration)
        try await dbPool.write {
            try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        }
        let waits = Durations()
        let total = Durations()
        let start = DispatchTime.now().uptimeNanoseconds
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<count {
                group.addTask {
                    let start = DispatchTime.now().uptimeNanoseconds
                    if index % 20 == 19 {
                        try await dbPool.write { db in
                            try db.execute(sql: "INSERT INTO t VALUES (1)")
                            _ = try dbPool.read {
                                try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t")
                            }
                        }
                    } else {
                        try await dbPool.read { db in
                            waits.append(since: start)
                            _ = try Int.fetchOne(db, sql: slowSQL)
                        }
                    }
                    total.append(since: start)
                }
            }
            try await group.waitForAll()
        }
        let seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
        print(
            """
            tasks, \(count) over 5 readers\(isSerial ? ", serial target queue" : ""): \
            \(String(format: "%.2f", seconds)) s; waits: \(waits.summary)
            """)
    }
}
