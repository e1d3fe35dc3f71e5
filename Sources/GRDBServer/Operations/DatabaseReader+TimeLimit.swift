import GRDB

extension DatabaseReader {
    /// Executes asynchronous accesses with a time limit, which includes the wait for a connection.
    ///
    /// Use it for the deadline of a request:
    ///
    /// ```swift
    /// let player = try await dbPool.withTimeLimit(2) { dbPool in
    ///     try await dbPool.read { db in try Player.fetchOne(db, id: 42) }
    /// }
    /// ```
    ///
    /// After the time limit, the task of the accesses is cancelled: an access that waits for a connection
    /// does not start, the running statement is interrupted, and a write is rolled back. Swift code is not
    /// interrupted: the method returns when the closure has returned. If a write was committed
    /// before, the method returns the value of the closure, because a successful commit must not look like a failure.
    ///
    /// ``/GRDB/Database/withTimeLimit(_:_:)`` limits the statements of an access, and not the wait before it.
    ///
    /// The method may be called in any task. If that task is cancelled, so are the accesses.
    ///
    /// - parameter duration: the time limit, in seconds.
    /// - parameter accesses: the accesses, in a child task. The closure receives the database.
    /// - throws: the error of the closure; or a ``/GRDB/DatabaseError`` of code `SQLITE_INTERRUPT` and
    ///   message "Time limit exceeded"; or a `CancellationError` if the task was cancelled.
    public func withTimeLimit<T: Sendable>(
        _ duration: Double, _ accesses: @escaping @Sendable (Self) async throws -> T
    ) async throws -> T {
        try await withThrowingTaskGroup(of: TimedResult<T>.self) { group in
            group.addTask {
                do {
                    return .ended(.success(try await accesses(self)))
                } catch {
                    return .ended(.failure(error))
                }
            }
            group.addTask {
                // NaN expires immediately, an infinite duration never.
                let nanoseconds = min(max(duration.isNaN ? 0 : duration, 0), 1.0e9) * 1.0e9
                try? await Task.sleep(nanoseconds: UInt64(nanoseconds))
                return .expired
            }
            var hasExpired = false
            while let result = try await group.next() {
                group.cancelAll()
                switch result {
                case .ended(.success(let value)):
                    return value
                case .ended(.failure(let error)):
                    guard hasExpired, error is CancellationError else { throw error }
                    throw DatabaseError(
                        resultCode: .SQLITE_INTERRUPT, message: "Time limit exceeded")
                case .expired:
                    // The cancellation of the calling task ends the wait as well.
                    hasExpired = !Task.isCancelled
                }
            }
            throw CancellationError()
        }
    }
}

private enum TimedResult<T: Sendable>: Sendable {
    case ended(Result<T, any Error>)
    case expired
}
