public import Foundation

extension DatabaseWriter {
    /// Waits until Litestream has replicated all that was committed before this call.
    ///
    /// Call it between a write and the answer to the client who asked for it, so that nothing that was
    /// acknowledged is lost with this machine:
    ///
    /// ```swift
    /// try await dbPool.write { db in try order.insert(db) }
    /// try await dbPool.waitForReplication(timeout: 5)
    /// // The order survives the loss of this machine.
    /// ```
    ///
    /// Litestream must run beside the program, 0.5.17 or later, with its control socket enabled:
    ///
    /// ```yaml
    /// socket:
    ///   enabled: true
    ///   path: /var/run/litestream.sock
    /// ```
    ///
    /// Tasks that wait at the same moment share one request, so that many writes per second wait for
    /// few round trips to the storage. No thread of tasks is blocked.
    ///
    /// May be called from any task. It asks the replicator, and uses no connection of the database:
    /// call it outside of accesses.
    ///
    /// - parameters:
    ///   - timeout: the number of seconds after which this throws. Litestream tries again for a long
    ///     time when its storage can't be reached: this limit does not depend on Litestream.
    ///   - socketPath: the path of the control socket of Litestream.
    ///   - databasePath: the path of the database in the configuration of Litestream. Nil for
    ///     the ``DatabaseReader/path`` of this database, without symbolic links if Litestream does not
    ///     know that path.
    /// - returns: the position that was reached. A ``DatabaseReplica`` can wait for it.
    /// - throws: a ``ReplicationError``, or `CancellationError` when the task is cancelled. What was
    ///   committed stays committed.
    @discardableResult
    public func waitForReplication(
        timeout: TimeInterval = 30, socketPath: String = "/var/run/litestream.sock",
        databasePath: String? = nil
    ) async throws -> ReplicationPosition {
        func wait(_ path: String, _ timeout: TimeInterval) async throws -> ReplicationPosition {
            try await ReplicatorQueue.queue(
                ReplicatorQueue.Key(socketPath: socketPath, databasePath: path)
            ).wait(timeout: timeout)
        }
        try Task.checkCancellation()
        if let databasePath { return try await wait(databasePath, timeout) }
        guard let path = DatabaseURI.absolutePath(path) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "A database in memory, or at a URI, has no path that a replicator knows")
        }
        let start = Monotonic.nanoseconds
        do {
            return try await wait(path, timeout)
        } catch ReplicationError.refused(status: 404, let message) {
            let resolvedPath = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
            guard resolvedPath != path else {
                throw ReplicationError.refused(status: 404, message: message)
            }
            let elapsed = TimeInterval(Monotonic.nanoseconds - start) / 1e9
            do {
                return try await wait(resolvedPath, timeout - elapsed)
            } catch ReplicationError.timedOut {
                throw ReplicationError.timedOut(timeout: timeout)
            }
        }
    }

    /// Writes in a transaction, and waits until Litestream has replicated it.
    ///
    /// ```swift
    /// // BEGIN IMMEDIATE TRANSACTION
    /// // INSERT INTO "order" ...
    /// // COMMIT TRANSACTION
    /// let id = try await dbPool.replicatedWrite(timeout: 5) { db in
    ///     try Order(item: "Book").inserted(db).id
    /// }
    /// ```
    ///
    /// The same as `write` followed by ``waitForReplication(timeout:socketPath:databasePath:)``. Other
    /// writes go on while this one waits for the replicator.
    ///
    /// - parameters:
    ///   - timeout: the number of seconds to wait for the replicator after the commit.
    ///   - socketPath: the path of the control socket of Litestream.
    ///   - databasePath: the path of the database in the configuration of Litestream; nil for that of
    ///     this database.
    ///   - updates: the operations.
    /// - returns: the result of the closure.
    /// - throws: the error of the closure, or a ``DatabaseError``: nothing was committed. A
    ///   ``ReplicationError``: the transaction was committed, but may not be replicated.
    ///   `CancellationError` when the task is cancelled, before the commit or after it.
    public func replicatedWrite<T: Sendable>(
        timeout: TimeInterval = 30, socketPath: String = "/var/run/litestream.sock",
        databasePath: String? = nil, _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        let result = try await write(updates)
        try await waitForReplication(
            timeout: timeout, socketPath: socketPath, databasePath: databasePath)
        return result
    }
}

extension DatabaseURI {
    /// The absolute path of a database file; nil if the text is a URI, or of no file.
    fileprivate static func absolutePath(_ path: String) -> String? {
        if path.isEmpty || path.hasPrefix("file:") || isInMemory(path) { return nil }
        return URL(fileURLWithPath: path).standardizedFileURL.path
    }
}
