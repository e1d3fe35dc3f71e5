import Dispatch

extension SerializedDatabase {
    // MARK: - Callbacks

    /// Schedules the closure on the queue, and returns immediately.
    ///
    /// - parameter completion: called on the queue, after the access.
    func async(
        completion: (@Sendable () -> Void)? = nil,
        _ body: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        asyncIgnoringClosure(completion: completion) { db in
            do {
                try db.checkAccess()
            } catch {
                return body(.failure(error))
            }
            body(.success(db))
        }
    }

    /// Schedules the closure on the queue, and returns immediately, even if the connection is closed.
    /// All methods of a closed connection throw.
    ///
    /// - parameter completion: called on the queue, after the access.
    func asyncIgnoringClosure(
        completion: (@Sendable () -> Void)? = nil, _ body: @escaping @Sendable (Database) -> Void
    ) {
        let requestTime = requestTime
        queue.async { [self] in
            accessDidWait(since: requestTime)
            // Before the block ends, because the block may hold the last reference to the connection.
            defer { completion?() }
            beginAccess()
            defer { endAccess() }
            healTransaction()
            defer { preconditionNoTransaction() }
            body(db)
        }
    }

    // MARK: - Tasks

    /// Runs the closure on the queue, and waits for its result without blocking a thread.
    ///
    /// If the task is cancelled while it waits for its turn, this throws `CancellationError`
    /// immediately. If it is cancelled later, the running statement is interrupted, later statements
    /// fail, and `CancellationError` is thrown.
    func execute<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        let mayWait = WaitingThread.isCurrent
        if mayWait, waitingCount.withLock({ $0 == 0 }), !raw.isInAccess {
            return try await executeInPlace(body)
        }
        return try await TaskAccess.run(body) { access in
            guard access.wait(onCancel: {}) else { return }
            if mayWait { self.waitingCount.withLock { $0 += 1 } }
            self.start(access, isCounted: mayWait)
        }
    }

    /// Runs the closure on the current thread, which may wait for its turn.
    func executeInPlace<T: Sendable>(_ body: (Database) throws -> T) async throws -> T {
        let cancellation = AccessCancellation()
        return try await withTaskCancellationHandler {
            var result: T?
            try runInPlace(until: cancellation) { result = try body($0) }
            return result.unsafelyUnwrapped
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// Not generic: see `sync(_:)`.
    private func runInPlace(
        until cancellation: AccessCancellation, _ body: (Database) throws -> Void
    ) throws {
        let requestTime = requestTime
        try onQueueThrowing {
            accessDidWait(since: requestTime)
            guard cancellation.begin(raw) else { throw CancellationError() }
            try run(body, until: cancellation)
        }
    }

    /// Schedules an access on the queue, and returns immediately.
    ///
    /// - parameter isCounted: whether `waitingCount` counts the access.
    /// - parameter completion: called once, when the connection is no longer needed.
    func start(
        _ access: TaskAccess, isCounted: Bool = false, completion: (@Sendable () -> Void)? = nil
    ) {
        let requestTime = requestTime
        queue.async {
            if isCounted { self.waitingCount.withLock { $0 -= 1 } }
            self.accessDidWait(since: requestTime)
            access.run(with: self, completion: completion)
        }
    }

    /// Runs the closure until it is cancelled. Must be called on the queue.
    func run<T>(
        _ body: (Database) throws -> T, until cancellation: AccessCancellation
    ) throws -> T {
        try access { db in
            try db.checkAccess()
            db.cancellation = cancellation
            // Before the end of the transaction, which must not be interrupted.
            defer {
                cancellation.end()
                db.cancellation = nil
            }
            return try body(db)
        }
    }
}
