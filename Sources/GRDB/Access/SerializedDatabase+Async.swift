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
        let requestTime = isReader ? 0 : requestTime
        queue.async { [self] in
            if requestTime > 0 { accessDidWait(since: requestTime) }
            // Before the end of the block, which may be the last to know the connection.
            defer { completion?() }
            beginAccess()
            defer { endAccess() }
            healTransaction()
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

    /// Runs the closure on the queue, and returns at once, also if the connection is closed. All
    /// methods of a closed connection throw.
    func asyncIgnoringClosure(_ body: @escaping @Sendable (Database) -> Void) {
        let requestTime = requestTime
        queue.async { [self] in
            if requestTime > 0 { accessDidWait(since: requestTime) }
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
    func start(_ access: TaskAccess, completion: (@Sendable () -> Void)? = nil) {
        let requestTime = isReader ? 0 : requestTime
        queue.async {
            if requestTime > 0 { self.accessDidWait(since: requestTime) }
            access.run(with: self, completion: completion)
        }
    }

    /// Runs the closure until it is cancelled. To be called on the queue.
    func run<T>(
        _ body: (Database) throws -> T, until cancellation: AccessCancellation
    ) throws -> T {
        try access { db in
            try db.checkAccess()
            db.cancellation = cancellation
            // Before the transaction ends: what ends it must not be interrupted.
            defer {
                cancellation.end()
                db.cancellation = nil
            }
            return try body(db)
        }
    }
}
