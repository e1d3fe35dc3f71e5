import GRDB
import Dispatch

/// Runs tasks on threads that may wait for the database, so that they access it in place.
///
/// Awaiting an access usually costs two switches of threads, which take several times as long as a short
/// query. They keep SQLite away from the threads that all tasks of the process share. A task that prefers
/// the executor of a queue or a pool runs on other threads, which belong to the executor: if a connection
/// is available, it accesses the database without being suspended, and goes on on the same thread.
///
/// ```swift
/// try await withTaskExecutorPreference(dbPool.taskExecutor) {
///     let player = try await dbPool.read { db in try Player.find(db, id: 1) }
///     let team = try await dbPool.read { db in try Team.find(db, id: player.teamId) }
/// }
///
/// Task(executorPreference: dbPool.taskExecutor) {
///     try await handle(request)
/// }
/// ```
///
/// If no connection is available, or tasks of the executor already wait for one, the task is suspended until its turn,
/// like other tasks. Cancellation, time limits, priorities of accesses and task-local values are the same in both
/// cases. Each task can use the executors of other databases, too: accesses in place depend on the thread, not on the
/// database.
///
/// Many tasks that write at once wait for each other most of the time, with or without the executor. They are faster
/// with ``GRDB/DatabaseWriter/batchedWrite(_:)``.
///
/// The functions of an actor run on its own executor, such as the main thread for `@MainActor`. The accesses
/// that they await run on this executor if the task prefers it.
///
/// There are as many threads as processors, at least two. A closure that blocks its thread until another task
/// of the same executor has done something, such as with a semaphore, may wait forever.
@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
public final class DatabaseTaskExecutor: TaskExecutor {
    /// What the threads share. They don't retain the executor, and end with it.
    private final class Jobs: Sendable {
        private let waiting = Locked(FIFO<UnownedJob>())
        private let count = DispatchSemaphore(value: 0)

        func append(_ job: UnownedJob) {
            waiting.withLock { $0.append(job) }
            count.signal()
        }

        /// Waits for a job. Nil at the end.
        func next() -> UnownedJob? {
            count.wait()
            return waiting.withLock { $0.popFirst() }
        }

        func end(_ threadCount: Int) {
            for _ in 0..<threadCount { count.signal() }
        }
    }

    private let jobs = Jobs()
    private let threadCount = max(2, processorCount)

    init() {
        for _ in 0..<threadCount {
            // A job that waits keeps the executor alive.
            startThread { [jobs, unowned self] in
                WaitingThread.mark(owner: jobs)
                while let job = jobs.next() {
                    job.runSynchronously(on: asUnownedTaskExecutor())
                }
            }
        }
    }

    deinit { jobs.end(threadCount) }

    public func enqueue(_ job: consuming ExecutorJob) {
        jobs.append(UnownedJob(job))
    }
}

extension DatabaseQueue {
    /// The executor of tasks that access the database in place: see ``DatabaseTaskExecutor``. It is created when it is
    /// first used.
    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
    public var taskExecutor: DatabaseTaskExecutor {
        serializedWriter!.companion { DatabaseTaskExecutor() }
    }
}

extension DatabasePool {
    /// The executor of tasks that access the database in place: see ``DatabaseTaskExecutor``. It is created when it is
    /// first used.
    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
    public var taskExecutor: DatabaseTaskExecutor {
        serializedWriter!.companion { DatabaseTaskExecutor() }
    }
}
