import GRDB
public import _GRDBSystem

extension DatabaseWriter {
    /// Waits until Litestream has replicated all transactions committed before this call.
    ///
    /// Call it after a write and before answering the client, so that no acknowledged write is lost
    /// with this machine:
    ///
    /// ```swift
    /// try await dbPool.write { db in try order.insert(db) }
    /// try await dbPool.waitForReplication(timeout: 5)
    /// // The order survives the loss of this machine.
    /// ```
    ///
    /// Litestream 0.5.17 or later must run on the same machine, with its control socket enabled:
    ///
    /// ```yaml
    /// socket:
    ///   enabled: true
    ///   path: /var/run/litestream.sock
    /// ```
    ///
    /// Concurrent calls share requests, so that many writes per second need only few round trips to
    /// the storage. No thread of the cooperative pool is blocked.
    ///
    /// This method may be called from any task. It uses no database connection: call it outside of
    /// accesses.
    ///
    /// - parameters:
    ///   - timeout: the number of seconds after which this method throws, even if Litestream keeps
    ///     retrying because it can't reach its storage.
    ///   - socketPath: the path of the control socket of Litestream.
    ///   - databasePath: the path of the database in the configuration of Litestream. If nil, the
    ///     ``/GRDB/DatabaseReader/path`` of this database, with symbolic links resolved if Litestream
    ///     does not know that path.
    /// - returns: the replicated position, which a ``DatabaseReplica`` can wait for.
    /// - throws: a ``ReplicationError``, or `CancellationError` when the task is cancelled.
    ///   Committed transactions remain committed.
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
        guard let path = DatabasePath.absolutePath(path) else {
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
    /// Equivalent to `write` followed by ``waitForReplication(timeout:socketPath:databasePath:)``.
    /// Other writes can proceed while this method waits for the replicator.
    ///
    /// - parameters:
    ///   - timeout: the number of seconds to wait for the replicator after the commit.
    ///   - socketPath: the path of the control socket of Litestream.
    ///   - databasePath: the path of the database in the configuration of Litestream; nil for the
    ///     path of this database.
    ///   - updates: a closure that changes the database.
    /// - returns: the result of the closure.
    /// - throws: the error of the closure, or a ``/GRDB/DatabaseError``, if nothing was committed. A
    ///   ``ReplicationError`` if the transaction was committed, but may not be replicated.
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

extension DatabasePath {
    /// Returns the absolute path of a database file; nil for a URI or a database in memory.
    fileprivate static func absolutePath(_ path: String) -> String? {
        if path.isEmpty || path.hasPrefix("file:") || isInMemory(path) { return nil }
        return URL(fileURLWithPath: path).standardizedFileURL.path
    }
}
