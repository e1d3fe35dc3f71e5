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
    ///
    /// - parameter completion: called once, when the connection is not needed any more.
    func execute<T: Sendable>(
        completion: (@Sendable () -> Void)? = nil,
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        let cancellation = AccessCancellation()
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                let isWaiting = cancellation.wait {
                    continuation.resume(throwing: CancellationError())
                }
                guard isWaiting else {
                    completion?()
                    continuation.resume(throwing: CancellationError())
                    return
                }
                queue.async { [self] in
                    guard cancellation.begin(raw) else {
                        completion?()
                        return
                    }
                    let result = Result { try access(cancellation, body) }
                    completion?()
                    continuation.resume(with: result)
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// Runs the closure as the owner of the connection, until it is cancelled.
    private func access<T>(
        _ cancellation: AccessCancellation, _ body: (Database) throws -> T
    ) throws -> T {
        do {
            return try access { db in
                try db.checkAccess()
                db.cancellation = cancellation
                // Before the transaction ends: what ends it must not be interrupted.
                defer {
                    cancellation.end()
                    db.cancellation = nil
                }
                return try body(db)
            }
        } catch let error as DatabaseError where error.isInterruptionError {
            throw cancellation.isCancelled ? CancellationError() : error
        }
    }
}
