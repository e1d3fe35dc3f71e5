import Dispatch

extension SerializedDatabase {
    // MARK: - Callbacks

    /// Runs the closure on the queue, and returns at once.
    ///
    /// - parameter completion: called on the queue, after the access.
    func async(
        completion: (@Sendable () -> Void)? = nil,
        _ body: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        queue.async { [self] in
            // Before the end of the block, which may be the last to know the connection.
            defer { completion?() }
            beginAccess()
            defer { endAccess() }
            defer { preconditionNoTransaction() }
            do {
                try db.checkAccess()
            } catch {
                body(.failure(error))
                return
            }
            body(.success(db))
        }
    }

    /// Runs the closure on the queue, and returns at once, also if the connection is closed:
    /// whatever the closure does with it then throws.
    func asyncIgnoringClosure(_ body: @escaping @Sendable (Database) -> Void) {
        queue.async { [self] in
            beginAccess()
            defer { endAccess() }
            defer { preconditionNoTransaction() }
            body(db)
        }
    }

    // MARK: - Tasks

    /// Runs the closure on the queue, and waits for its result without blocking a thread.
    ///
    /// When the task is cancelled, this throws `CancellationError`: at once if it still waits for
    /// its turn; else running statements are interrupted, and those that follow fail.
    func execute<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await TaskAccess.run(body) { access in
            guard access.wait(onCancel: {}) else { return }
            self.start(access)
        }
    }

    /// Runs an access on the queue, and returns at once.
    ///
    /// - parameter completion: called once, when the connection is not needed any more.
    func start<T: Sendable>(
        _ access: TaskAccess<T>, completion: (@Sendable () -> Void)? = nil
    ) {
        queue.async { [self] in run(access, completion: completion) }
    }

    /// Runs an access. To be called on the queue.
    func run<T: Sendable>(_ access: TaskAccess<T>, completion: (@Sendable () -> Void)?) {
        guard access.cancellation.begin(raw) else {
            completion?()
            return
        }
        let result = Result { try run(access) }
        // Before the task, which may want the connection again.
        completion?()
        access.continuation.resume(with: result)
    }

    /// Runs an access until it is cancelled.
    private func run<T: Sendable>(_ access: TaskAccess<T>) throws -> T {
        let cancellation = access.cancellation
        do {
            return try self.access { db in
                try db.checkAccess()
                db.cancellation = cancellation
                // Before the transaction ends: what ends it must not be interrupted.
                defer {
                    cancellation.end()
                    db.cancellation = nil
                }
                return try access.body(db)
            }
        } catch let error as DatabaseError where error.isInterruptionError {
            throw cancellation.isCancelled ? CancellationError() : error
        }
    }
}

/// The access that a task is suspended for.
///
/// The task takes no part in what happens until the end: it might not get a thread before others have
/// got out of the way, which wait for the very connection that it was given.
struct TaskAccess<T: Sendable>: Sendable {
    let cancellation: AccessCancellation
    let continuation: UnsafeContinuation<T, any Error>
    let body: @Sendable (Database) throws -> T

    private init(
        _ cancellation: AccessCancellation, _ continuation: UnsafeContinuation<T, any Error>,
        _ body: @escaping @Sendable (Database) throws -> T
    ) {
        self.cancellation = cancellation
        self.continuation = continuation
        self.body = body
    }

    /// Suspends the current task until the access has ended, or is cancelled while it waits.
    ///
    /// - parameter start: has the access wait, and then run.
    static func run(
        _ body: @escaping @Sendable (Database) throws -> T,
        _ start: (TaskAccess) -> Void
    ) async throws -> T {
        let cancellation = AccessCancellation()
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                start(TaskAccess(cancellation, continuation, body))
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// Has the task go on if it is cancelled while the access waits.
    ///
    /// - parameter onCancel: what there is to do besides.
    /// - returns: whether to wait.
    func wait(onCancel: @escaping @Sendable () -> Void) -> Bool {
        cancellation.wait { [continuation] in
            onCancel()
            continuation.resume(throwing: CancellationError())
        }
    }

    /// Ends an access that can't begin.
    func fail(_ error: any Error) {
        if cancellation.fail() {
            continuation.resume(throwing: error)
        }
    }
}
