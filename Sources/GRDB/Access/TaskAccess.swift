import Dispatch

/// The turn of one task to use a connection.
///
/// The task is suspended until the connection is free, and then runs its access itself, so that the
/// closure is a part of the task: it sees the values and the cancellation of the task. It does so on
/// the very thread, and at the very moment, that the connection gives it. For this, the access is an
/// executor, with the rest of the task as its only job.
///
/// The threads of tasks take no part in it. They might all be waiting for the very connection.
///
/// The two changes of threads cost about 5 µs of CPU time. Threads of our own, spinning or not, cost
/// more than the threads of Dispatch, and continuations cost as much. A task executor for the whole
/// task costs less, but callers would have to opt in. Global queues cost less, too, but seem to share
/// the threads of tasks on Linux: long reads could then keep all tasks of the process waiting.
///
/// `@unchecked Sendable`: `job` and `turn` are set before the one who runs the job learns of them.
final class TaskAccess: SerialExecutor, @unchecked Sendable {
    /// What the task finds when it goes on.
    fileprivate enum Turn {
        case connection(SerializedDatabase, completion: (@Sendable () -> Void)?)
        case batch(WriteBatch)
        case failure(any Error)
    }

    let cancellation = AccessCancellation()
    private let start: @Sendable (TaskAccess) -> Void
    private var job: UnownedJob?
    fileprivate var turn: Turn?

    private init(start: @escaping @Sendable (TaskAccess) -> Void) {
        self.start = start
    }

    /// Runs the closure in the current task when it is its turn.
    ///
    /// - parameter start: puts the access in line, and then runs it.
    /// - throws: `CancellationError` if the task is cancelled while it waits; and the error of the
    ///   closure.
    static func run<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T,
        _ start: @escaping @Sendable (TaskAccess) -> Void
    ) async throws -> T {
        let access = TaskAccess(start: start)
        let runner = Runner(access: access)
        return try await withTaskCancellationHandler {
            try await runner.run(body)
        } onCancel: {
            access.cancellation.cancel()
        }
    }

    /// Runs the closure in the current task when it is its turn, and waits until the transaction that it
    /// shares with others has ended.
    ///
    /// - parameter start: puts the access in line, and then runs it.
    /// - throws: `CancellationError` if the task is cancelled before the closure has returned; the error
    ///   of the closure; the error of the commit.
    static func runInBatch<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T,
        _ start: @escaping @Sendable (TaskAccess) -> Void
    ) async throws -> T {
        let access = TaskAccess(start: start)
        let runner = Runner(access: access)
        let result: T
        do {
            result = try await withTaskCancellationHandler {
                try await runner.run(body)
            } onCancel: {
                access.cancellation.cancel()
            }
        } catch {
            // The first error is the one that matters.
            if case .batch(let batch) = access.turn { try? await batch.waitForCommit() }
            throw error
        }
        if case .batch(let batch) = access.turn { try await batch.waitForCommit() }
        return result
    }

    // MARK: - Executor

    func enqueue(_ job: UnownedJob) {
        self.job = job
        // Only the task keeps its executor alive. A quick cancellation may end the task, on another
        // thread, before `start` returns.
        let access = Unmanaged.passRetained(self)
        defer { access.release() }
        start(self)
    }

    @available(macOS 14.0, iOS 17.0, watchOS 10.0, tvOS 17.0, *)
    func enqueue(_ job: consuming ExecutorJob) {
        enqueue(UnownedJob(job))
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    // MARK: - Turns

    /// Lets the task go on if it is cancelled while the access waits.
    ///
    /// - parameter onCancel: what there is to do besides.
    /// - returns: whether to wait.
    func wait(onCancel: @escaping @Sendable () -> Void) -> Bool {
        cancellation.wait {
            onCancel()
            self.resume(throwing: CancellationError())
        }
    }

    /// Runs the access on the current thread.
    ///
    /// - parameter completion: called once, when the connection is not needed any more: before the
    ///   task goes on, which may want the connection again.
    func run(
        with connection: SerializedDatabase, completion: (@Sendable () -> Void)?
    ) {
        guard cancellation.begin(connection.raw) else {
            completion?()
            return
        }
        go(on: .connection(connection, completion: completion))
    }

    /// Runs the access on the current thread, in a transaction that is open.
    func run(in batch: WriteBatch, _ connection: SerializedDatabase) {
        guard cancellation.begin(connection.raw) else { return }
        go(on: .batch(batch))
    }

    /// Ends an access that can't begin.
    func fail(_ error: any Error) {
        if cancellation.fail() {
            resume(throwing: error)
        }
    }

    /// Never resumes a task on the thread that cancels it, or that gives a connection back. A
    /// serial queue always gets a thread, unlike the global ones.
    private static let queue = DispatchQueue(label: "GRDB.TaskAccess")

    private func resume(throwing error: any Error) {
        Self.queue.async { self.go(on: .failure(error)) }
    }

    private func go(on turn: Turn) {
        self.turn = turn
        job!.runSynchronously(on: asUnownedSerialExecutor())
    }

    /// What the task does in its turn.
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
            case .batch(let batch):
                return try batch.write(body, until: access.cancellation)
            case .failure(let error):
                throw error
            }
        }
    }
}
