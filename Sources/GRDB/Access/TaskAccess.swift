import Dispatch

/// A transaction in which several tasks write, each in its turn, and whose commit they await.
package protocol SharedTransaction: AnyObject, Sendable {
    /// Runs the closure of one task, until it is cancelled.
    func write<T>(_ updates: (Database) throws -> T, as access: TaskAccess) throws -> T

    /// Waits until the transaction has ended.
    ///
    /// - parameter result: the result of the closure.
    /// - returns: the value of the result.
    /// - throws: the error of the result, the error of the commit, or the error that has rolled the transaction
    ///   back.
    func end<T>(_ access: TaskAccess, _ result: Result<T, any Error>) async throws -> T
}

/// The turn of one task to use a connection.
///
/// The task is suspended until the connection is available, and then runs its access itself: the
/// closure is part of the task, and sees its task-local values and its cancellation. The task resumes
/// on the thread, and at the moment, that the connection determines. To make this possible, the access
/// is an executor whose only job is the continuation of the task.
///
/// The threads of tasks are not used, because all of them may be waiting for this connection.
///
/// The two thread switches cost about 5 µs of CPU time on one processor, and several times as much if
/// the kernel wakes an idle one each time. Dedicated threads, spinning or not, cost more
/// than the threads of Dispatch, and continuations cost as much. A task executor for the whole task
/// costs less, but callers would have to opt in. Global queues cost less, too, but seem to share
/// the threads of tasks on Linux, so that long reads could block all tasks of the process.
///
/// `@unchecked Sendable`: `job` and `turn` are set before the job runs.
package final class TaskAccess: SerialExecutor, @unchecked Sendable {
    /// The state in which the task resumes.
    fileprivate enum Turn {
        case connection(SerializedDatabase, completion: (@Sendable () -> Void)?)
        case shared(any SharedTransaction)
        case failure(any Error)
    }

    package let cancellation = AccessCancellation()

    /// Whether the access shares its transaction with no other one.
    package let isAlone: Bool
    private let start: @Sendable (TaskAccess) -> Void
    private var job: UnownedJob?
    fileprivate var turn: Turn?

    private init(alone: Bool = true, start: @escaping @Sendable (TaskAccess) -> Void) {
        isAlone = alone
        self.start = start
    }

    /// Runs the closure in the current task when its turn comes.
    ///
    /// - parameter start: queues the access, and later runs it.
    /// - throws: `CancellationError` if the task is cancelled while it waits, or the error of the
    ///   closure.
    static func run<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T,
        _ start: @escaping @Sendable (TaskAccess) -> Void
    ) async throws -> T {
        try await TaskAccess(start: start).run(body)
    }

    /// Runs the closure in the current task when its turn comes, and waits for the end of the
    /// transaction that it shares with other tasks.
    ///
    /// - parameter start: queues the access, and later runs it.
    /// - throws: `CancellationError` if the task is cancelled before the closure has returned, the error
    ///   of the closure, the error of the commit, or that of `SharedTransaction.end(_:_:)`.
    package static func runInBatch<T: Sendable>(
        alone: Bool, _ body: @escaping @Sendable (Database) throws -> T,
        _ start: @escaping @Sendable (TaskAccess) -> Void
    ) async throws -> T {
        let access = TaskAccess(alone: alone, start: start)
        let result: Result<T, any Error>
        do {
            result = .success(try await access.run(body))
        } catch {
            result = .failure(error)
        }
        guard case .shared(let transaction) = access.turn else { return try result.get() }
        return try await transaction.end(access, result)
    }

    private func run<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        let runner = Runner(access: self)
        return try await withTaskCancellationHandler {
            try await runner.run(body)
        } onCancel: {
            cancellation.cancel()
        }
    }

    // MARK: - Executor

    package func enqueue(_ job: UnownedJob) {
        self.job = job
        // Only the task retains its executor. A quick cancellation may end the task, on another thread,
        // before `start` returns.
        let access = Unmanaged.passRetained(self)
        defer { access.release() }
        start(self)
    }

    @available(macOS 14.0, iOS 17.0, watchOS 10.0, tvOS 17.0, *)
    package func enqueue(_ job: consuming ExecutorJob) {
        enqueue(UnownedJob(job))
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    // MARK: - Turns

    /// Resumes the task if it is cancelled while the access waits.
    ///
    /// - parameter onCancel: additional work on cancellation.
    /// - returns: whether to wait. False if the task is already cancelled.
    package func wait(onCancel: @escaping @Sendable () -> Void) -> Bool {
        cancellation.wait {
            onCancel()
            self.resume(throwing: CancellationError())
        }
    }

    /// Runs the access on the current thread.
    ///
    /// - parameter completion: called once, when the connection is no longer needed, and before the
    ///   task continues, because it may request the connection again.
    package func run(
        with connection: SerializedDatabase, completion: (@Sendable () -> Void)?
    ) {
        guard cancellation.begin(connection.raw) else {
            completion?()
            return
        }
        go(on: .connection(connection, completion: completion))
    }

    /// Runs the access on the current thread, in an open transaction.
    package func run(in transaction: any SharedTransaction, _ connection: SerializedDatabase) {
        guard cancellation.begin(connection.raw) else { return }
        go(on: .shared(transaction))
    }

    /// Resumes the task of an access that can't begin, with an error.
    package func fail(_ error: any Error) {
        if cancellation.fail() {
            resume(throwing: error)
        }
    }

    /// Resumes tasks, so that they never continue on the thread that cancels them or that returns a
    /// connection. A serial queue always gets a thread, unlike the global queues.
    private static let queue = DispatchQueue(label: "GRDB.TaskAccess")

    private func resume(throwing error: any Error) {
        Self.queue.async { self.go(on: .failure(error)) }
    }

    private func go(on turn: Turn) {
        self.turn = turn
        job!.runSynchronously(on: asUnownedSerialExecutor())
    }

    /// Runs the task's closure when its turn comes.
    private actor Runner {
        private let access: TaskAccess

        init(access: TaskAccess) {
            self.access = access
        }

        nonisolated var unownedExecutor: UnownedSerialExecutor {
            access.asUnownedSerialExecutor()
        }

        func run<T: Sendable>(_ body: (Database) throws -> T) throws -> T {
            switch access.turn! {
            case .connection(let connection, let completion):
                defer { completion?() }
                return try connection.run(body, until: access.cancellation)
            case .shared(let transaction):
                return try transaction.write(body, as: access)
            case .failure(let error):
                throw error
            }
        }
    }
}
