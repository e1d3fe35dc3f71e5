extension DatabasePool {
    // MARK: - Writing

    public func writeWithoutTransaction<T>(
        _ updates: (Database) throws -> T
    ) rethrows -> T {
        try waitingForWriter { try writer.syncOrTrap(updates) }
    }

    public func _syncWriteWithoutTransaction(_ updates: (Database) throws -> Void) throws {
        try waitingForWriter { try writer.sync(updates) }
    }

    public func writeWithoutTransaction<T: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writer.execute(updates)
    }

    public func asyncWriteWithoutTransaction(
        _ updates: @escaping @Sendable (Database) -> Void
    ) {
        writer.asyncIgnoringClosure(updates)
    }

    public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try waitingForWriter { try writer.reentrantSyncOrTrap(updates) }
    }

    /// Runs a closure in a transaction, which the closure commits or rolls back.
    ///
    /// ```swift
    /// try dbPool.writeInTransaction { db in
    ///     try db.execute(sql: "INSERT ...")
    ///     return .commit
    /// }
    /// ```
    ///
    /// When the closure throws, or when the commit fails, all changes are reverted, and the error
    /// is rethrown. When it returns `.rollback`, changes are reverted without an error.
    ///
    /// - parameter kind: the kind of the transaction. The default is IMMEDIATE, or DEFERRED for a
    ///   read-only pool.
    /// - parameter updates: the operations. Returns whether to commit.
    /// - throws: the error of the closure, or a ``DatabaseError``.
    public func writeInTransaction(
        _ kind: Database.TransactionKind? = nil,
        _ updates: (Database) throws -> Database.TransactionCompletion
    ) throws {
        try _syncWriteWithoutTransaction { db in
            try db.inTransaction(kind) { try updates(db) }
        }
    }

    // MARK: - Barriers

    // A barrier requires that no reader is in use, and its turn to write. Reads may write, and writes
    // may read, so a barrier can't hold either one while it waits for the other. It waits for the
    // readers first, but lets through the reads of writers ahead of it, and starts over if such a
    // read is still running when its turn to write comes.

    public func barrierWriteWithoutTransaction<T>(
        _ updates: (Database) throws -> T
    ) throws -> T {
        try checkNotInAccess()
        var result: T?
        while result == nil {
            try readers.enterBarrier()
            defer { readers.leaveBarrier() }
            try writer.sync { db in
                if readers.isUnused {
                    result = try updates(db)
                }
            }
        }
        return result!
    }

    public func barrierWriteWithoutTransaction<T: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await TaskAccess.run(updates) { self.startInBarrier($0) }
    }

    private func startInBarrier(_ access: TaskAccess) {
        let waiter = ReaderPool.Waiter()
        guard access.wait(onCancel: { self.readers.cancel(waiter) }) else { return }
        readers.enterBarrier(waiter) { [self] result in
            if case .failure(let error) = result {
                access.fail(error)
                return
            }
            writer.queue.async { [self] in
                if readers.isUnused {
                    access.run(with: writer) { self.readers.leaveBarrier() }
                } else {
                    readers.leaveBarrier()
                    startInBarrier(access)
                }
            }
        }
        // If the cancellation came before the barrier was queued, it found no request to remove.
        if access.cancellation.isCancelled {
            readers.cancel(waiter)
        }
    }

    public func asyncBarrierWriteWithoutTransaction(
        _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        readers.enterBarrier { [self] result in
            if case .failure(let error) = result {
                updates(.failure(error))
                return
            }
            writer.async(completion: { self.readers.leaveBarrier() }) { [self] result in
                if readers.isUnused {
                    updates(result)
                } else {
                    asyncBarrierWriteWithoutTransaction(updates)
                }
            }
        }
    }

    // MARK: - Concurrent reads

    /// Reads the database in its current state, while the writer continues.
    ///
    /// ```swift
    /// try dbPool.writeWithoutTransaction { db in
    ///     try db.inTransaction {
    ///         try db.execute(sql: "INSERT INTO player ...")
    ///         return .commit
    ///     }
    ///
    ///     // Not in a transaction here
    ///     dbPool.asyncConcurrentRead { dbResult in
    ///         do {
    ///             let db = try dbResult.get()
    ///             // Guaranteed greater than zero
    ///             let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
    ///         } catch {
    ///             // Handle error
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// Must be called from an access of the writer, outside of a transaction. May be called from
    /// `databaseDidCommit(_:)` in transaction observers. Blocks until a connection is available and
    /// isolated; from then on, the connection does not see later changes. Does not wait for the
    /// connections of reads that are themselves waiting for the writer. The closure then runs on the
    /// queue of that connection.
    ///
    /// - parameter value: receives a connection, or the ``DatabaseError`` that prevents the read:
    ///   `SQLITE_MISUSE` when called outside of an access of the writer, or inside a transaction.
    public func asyncConcurrentRead(
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        let reader: SerializedDatabase
        do {
            reader = try isolatedReader()
        } catch {
            value(.failure(error))
            return
        }
        reader.asyncIsolatedRead(completion: { self.readers.giveBack(reader) }) { db in
            value(.success(db))
        }
    }

    public func spawnConcurrentRead(
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        asyncConcurrentRead(value)
    }

    /// Returns a connection in a transaction that sees the writer's last commit.
    private func isolatedReader() throws -> SerializedDatabase {
        try writer.checkOutsideOfTransaction("asyncConcurrentRead", mustBeInAccess: true)
        let reader = try readers.borrow(writer.isOwnedByCurrentThread ? .urgent : .normal)
        do {
            try reader.beginIsolatedRead()
            return reader
        } catch {
            readers.giveBack(reader)
            throw error
        }
    }
}
