import Dispatch
import Foundation
import GRDB
import GRDBSQLite

#if !AGAINST_GRDB
import GRDBServer
#endif

// 20,000 reads of one value each that tasks wait for, and 10,000 writes of 64 tasks. What is measured is
// the CPU time of all threads; the twin stays on its own thread. Where it hops, it has a thread per
// connection, and two semaphores.

/// Where a task runs.
private enum Place {
    /// On the threads of all tasks, and with each access on that of a connection.
    case ofTasks
    /// On the executor of the queue, or of the pool.
    case queue, pool
}

/// Waits for a task.
private func waiting(
    _ place: Place = .ofTasks, _ body: @escaping @Sendable () async throws -> Int
) throws -> Int {
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var result: Result<Int, any Error>?
    Task {
        do {
            #if !AGAINST_GRDB
            if place != .ofTasks, #available(macOS 15.0, *) {
                let executor = place == .queue ? dbQueue.taskExecutor : dbPool.taskExecutor
                result = .success(try await withTaskExecutorPreference(executor, operation: body))
            } else {
                result = .success(try await body())
            }
            #else
            result = .success(try await body())
            #endif
        } catch {
            result = .failure(error)
        }
        done.signal()
    }
    done.wait()
    return try result!.get()
}

/// A thread that runs a closure each time that another thread asks for it, and waits.
///
/// `@unchecked Sendable`: the semaphores order all accesses to the closure and to what it captures.
private final class RawThread: @unchecked Sendable {
    private let requested = DispatchSemaphore(value: 0)
    private let done = DispatchSemaphore(value: 0)
    private var isEnding = false

    init(_ body: @escaping () -> Void) {
        nonisolated(unsafe) let body = body
        Thread { [self] in
            while true {
                requested.wait()
                let isEnding = isEnding
                if !isEnding { body() }
                done.signal()
                if isEnding { return }
            }
        }.start()
    }

    func run() {
        requested.signal()
        done.wait()
    }

    func end() {
        isEnding = true
        run()
    }
}

/// A pool whose readers run on threads that Dispatch may share with those of tasks.
private let poolOfTarget: DatabasePool = {
    var configuration = Configuration()
    configuration.targetQueue = .global()
    return try! DatabasePool(path: poolPath, configuration: configuration)
}()

func awaitingWorkloads() -> [Workload] {
    let sql = "SELECT name FROM mixed WHERE id = ?"

    /// - parameter hops: whether a thread of the connection runs each access, for which the caller waits.
    func rawReads(_ database: RawDatabase, hops: Bool = false) -> Int {
        let begin = database.prepare("BEGIN DEFERRED TRANSACTION")
        let commit = database.prepare("COMMIT TRANSACTION")
        let s = database.prepare(sql)
        defer { for statement in [begin, commit, s] { sqlite3_finalize(statement) } }
        var sum = 0
        var id = 0
        func access() {
            sqlite3_step(begin)
            sqlite3_reset(begin)
            sqlite3_bind_int64(s, 1, Int64(id))
            precondition(sqlite3_step(s) == SQLITE_ROW)
            sum &+= rawText(s, 0).utf8.count
            sqlite3_reset(s)
            sqlite3_step(commit)
            sqlite3_reset(commit)
        }
        let thread = hops ? RawThread(access) : nil
        for number in 1...20_000 {
            id = number
            if let thread { thread.run() } else { access() }
        }
        thread?.end()
        return sum
    }

    func rawUpdates(_ database: RawDatabase) -> Int {
        let statements = ["BEGIN IMMEDIATE", "UPDATE awaited SET score = score + ?", "COMMIT"]
            .map(database.prepare)
        defer { for statement in statements { sqlite3_finalize(statement) } }
        for _ in 1...10_000 {
            for statement in statements {
                if statement == statements[1] { sqlite3_bind_int64(statement, 1, 1) }
                precondition(sqlite3_step(statement) == SQLITE_DONE)
                sqlite3_reset(statement)
            }
        }
        return 10_000
    }

    rawBesidePool.execute("CREATE TABLE awaited (score INTEGER); INSERT INTO awaited VALUES (0)")

    /// Adds 10,000 times 1 in 64 tasks, and returns the difference.
    func updates(
        _ place: Place = .ofTasks, _ write: @escaping @Sendable () async throws -> Void
    ) throws -> Int {
        func score() throws -> Int {
            try dbPool.read { try Int.fetchOne($0, sql: "SELECT score FROM awaited")! }
        }
        let formerScore = try score()
        _ = try waiting(place) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<64 {
                    group.addTask {
                        for _ in stride(from: task, to: 10_000, by: 64) { try await write() }
                    }
                }
                try await group.waitForAll()
                return 0
            }
        }
        return try score() - formerScore
    }

    @Sendable func update(_ db: Database) throws {
        try db.execute(sql: "UPDATE awaited SET score = score + ?", arguments: [1])
    }

    @Sendable func read(_ id: Int, _ reader: any DatabaseReader) async throws -> Int {
        try await reader.read { db in
            try String.fetchOne(db, sql: sql, arguments: [id])!.utf8.count
        }
    }

    func reads(_ place: Place, _ reader: any DatabaseReader) throws -> Int {
        try waiting(place) {
            var sum = 0
            for id in 1...20_000 { sum &+= try await read(id, reader) }
            return sum
        }
    }

    func readsOfTasks(_ place: Place) throws -> Int {
        try waiting(place) {
            try await withThrowingTaskGroup(of: Int.self) { group in
                for task in 0..<64 {
                    group.addTask {
                        var sum = 0
                        for id in stride(from: task + 1, through: 20_000, by: 64) {
                            sum &+= try await read(id, dbPool)
                        }
                        return sum
                    }
                }
                return try await group.reduce(0, &+)
            }
        }
    }

    var workloads = [
        Workload(name: "await queue.read of one row", count: 20_000) {
            rawReads(raw)
        } library: {
            try reads(.ofTasks, dbQueue)
        },
        Workload(name: "await pool.read of one row", count: 20_000) {
            rawReads(rawBesidePool)
        } library: {
            try reads(.ofTasks, dbPool)
        },
        Workload(name: "await queue.read of one row, to a hop in C", count: 20_000) {
            rawReads(raw, hops: true)
        } library: {
            try reads(.ofTasks, dbQueue)
        },
        Workload(name: "await pool.read of one row, to a hop in C", count: 20_000) {
            rawReads(rawBesidePool, hops: true)
        } library: {
            try reads(.ofTasks, dbPool)
        },
        Workload(name: "64 tasks that await pool.read", count: 20_000) {
            rawReads(rawBesidePool)
        } library: {
            try readsOfTasks(.ofTasks)
        },
        Workload(name: "64 tasks that await pool.write", count: 10_000) {
            rawUpdates(rawBesidePool)
        } library: {
            try updates { try await dbPool.write(update) }
        },
    ]
    #if !AGAINST_GRDB
    workloads += [
        Workload(name: "64 tasks that await pool.batchedWrite", count: 10_000) {
            rawUpdates(rawBesidePool)
        } library: {
            try updates { try await dbPool.batchedWrite(update) }
        },
        Workload(name: "await pool.read of one row, global target queue", count: 20_000) {
            rawReads(rawBesidePool)
        } library: {
            try reads(.ofTasks, poolOfTarget)
        },
        Workload(name: "await queue.read of one row, in place", count: 20_000) {
            rawReads(raw)
        } library: {
            try reads(.queue, dbQueue)
        },
        Workload(name: "await pool.read of one row, in place", count: 20_000) {
            rawReads(rawBesidePool)
        } library: {
            try reads(.pool, dbPool)
        },
        Workload(name: "64 tasks that await pool.read, in place", count: 20_000) {
            rawReads(rawBesidePool)
        } library: {
            try readsOfTasks(.pool)
        },
        Workload(name: "64 tasks that await pool.write, in place", count: 10_000) {
            rawUpdates(rawBesidePool)
        } library: {
            try updates(.pool) { try await dbPool.write(update) }
        },
    ]
    #endif
    return workloads
}
