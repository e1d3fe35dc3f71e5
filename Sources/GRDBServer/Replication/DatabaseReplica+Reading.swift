import GRDB
import Dispatch
import _GRDBSystem

extension DatabaseReplica {
    /// The reasons why a read can't start on a connection, or not yet.
    private enum Obstacle: Error {
        /// The file may have changed since the cache was filled.
        case staleCache
        /// The connection has opened another file than the one that is now at the path.
        case replacedFile
        /// The follower is writing, or has terminated.
        case failure(DatabaseReplicaError)
    }

    // MARK: - Verifying

    /// Runs the closure in a read transaction that sees a complete transaction of the source.
    ///
    /// - throws: an `Obstacle` if the connection must be reopened.
    private func verified<T>(
        _ db: Database, _ body: () throws -> T
    ) throws -> T {
        // The time limit starts here, after the wait for a connection.
        let deadline = deadline
        var keepsCache = true
        while true {
            let stamp = keepsCache ? try? files.stamp() : nil
            if stamp == nil || stamp != db[ReplicaCacheKey.self] {
                // Drops all cached pages: none is in use outside of a transaction.
                db.raw.releaseMemory()
                keepsCache = false
            }
            do {
                return try db.inReadOnlyTransaction(isIsolated: true) {
                    // From here on, the lock prevents the follower from writing.
                    let current = try checkFiles(db)
                    if keepsCache, current != stamp { throw Obstacle.staleCache }
                    db[ReplicaCacheKey.self] = current.isSettled ? current : nil
                    db[ReplicaTransactionKey.self] = current.transactionID
                    let result = try body()
                    // If the file was replaced or removed in the meantime, this connection has read
                    // the old file, which is intact. The file of the ID may be replaced at any
                    // time, without the lock.
                    if let end = try? files.stamp(), end.file == current.file,
                        end.writtenAt != current.writtenAt || end.size != current.size
                    {
                        throw DatabaseReplicaError.changedDuringRead
                    }
                    return result
                }
            } catch Obstacle.staleCache {
                keepsCache = false
            } catch Obstacle.failure(let error) {
                keepsCache = false
                if Monotonic.nanoseconds >= deadline { throw error }
                if db.cancellation?.isCancelled ?? false { throw CancellationError() }
                usleep(2000)
            }
        }
    }

    private func checkFiles(_ db: Database) throws(Obstacle) -> ReplicaFiles.Stamp {
        let stamp: ReplicaFiles.Stamp
        do throws(DatabaseReplicaError) {
            stamp = try files.stamp()
        } catch {
            throw .failure(error)
        }
        if let identity = db.raw.fileIdentity, identity != stamp.file { throw .replacedFile }
        guard stamp.isComplete else { throw .failure(.incomplete(path: path)) }
        return stamp
    }

    private var deadline: UInt64 {
        Monotonic.nanoseconds + UInt64(max(0, min(settings.patience, 1e6)) * 1e9)
    }

    private func checkStall() throws {
        guard settings.refusesStalledReads else { return }
        watcher.look()
        if let stall { throw stall }
    }

    /// Closes the connections after the file was replaced.
    ///
    /// - parameter end: the end of the time limit, which starts with the first call.
    /// - returns: whether to try again.
    private func reopens(after error: any Error, until end: inout UInt64?) -> Bool {
        guard case Obstacle.replacedFile = error else { return false }
        readers.invalidate()
        if let end { return Monotonic.nanoseconds < end }
        end = deadline
        return true
    }

    private func shown(_ error: any Error) -> any Error {
        guard case Obstacle.replacedFile = error else { return error }
        return DatabaseReplicaError.incomplete(path: path)
    }

    // MARK: - Reading

    public func read<T>(_ value: (Database) throws -> T) throws -> T {
        try checkNotInAccess()
        try checkStall()
        var end: UInt64?
        while true {
            do {
                let reader = try readers.borrow()
                defer { readers.giveBack(reader) }
                var result: T?
                try reader.syncExclusively { db in
                    result = try verified(db) { try value(db) }
                }
                return result!
            } catch {
                if !reopens(after: error, until: &end) { throw shown(error) }
            }
        }
    }

    public func read<T: Sendable>(
        _ value: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try checkStall()
        var end: UInt64?
        while true {
            do {
                return try await readers.execute { db in
                    try self.verified(db) { try value(db) }
                }
            } catch {
                if !reopens(after: error, until: &end) { throw shown(error) }
            }
        }
    }

    public func asyncRead(
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        do {
            try checkStall()
        } catch {
            // Never call the closure on the thread of the caller.
            watcher.callbackQueue.async { value(.failure(error)) }
            return
        }
        asyncRead(until: nil, value)
    }

    private func asyncRead(
        until end: UInt64?, _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        readers.async { result in
            var didStart = false
            var end = end
            do {
                let db = try result.get()
                try self.verified(db) {
                    didStart = true
                    value(.success(db))
                }
            } catch {
                // The closure was already called: the error can't be reported.
                if didStart { return }
                if self.reopens(after: error, until: &end) {
                    self.asyncRead(until: end, value)
                } else {
                    value(.failure(self.shown(error)))
                }
            }
        }
    }

    // MARK: - Unsafe methods, which are as safe as the others

    // All reads run in a transaction. Without one, the follower could write between two statements,
    // and the connection would keep its stale cache.

    public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
        try read(value)
    }

    public func unsafeRead<T: Sendable>(
        _ value: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await read(value)
    }

    public func asyncUnsafeRead(
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        asyncRead(value)
    }

    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        if let current = AccessStack.first(where: { readers.owns($0) }) {
            return try current.execute(value)
        }
        return try read(value)
    }
}

/// The state of the files when a connection filled its cache; nil if the cache must not be reused.
private enum ReplicaCacheKey: DatabaseStorageKey {
    static var defaultValue: ReplicaFiles.Stamp? { nil }
}

private enum ReplicaTransactionKey: DatabaseStorageKey {
    static var defaultValue: UInt64? { nil }
}

extension Database {
    /// The ID of the last transaction that the current read of a ``DatabaseReplica`` sees; nil for
    /// other connections.
    ///
    /// ```swift
    /// let (id, count) = try await replica.read { db in
    ///     (db.replicaTransactionID, try Player.fetchCount(db))
    /// }
    /// ```
    public var replicaTransactionID: UInt64? {
        preconditionAccess()
        return self[ReplicaTransactionKey.self]
    }
}
