import GRDB

extension DatabaseWriter {
    /// Writes in a transaction shared with the other batched writes that are waiting at the same time.
    ///
    /// A commit waits for the disk. When many tasks write concurrently, such as the requests of a
    /// server, a shared transaction lets them wait together:
    ///
    /// ```swift
    /// // BEGIN IMMEDIATE TRANSACTION
    /// // SAVEPOINT grdb
    /// // INSERT INTO "visit" ...
    /// // RELEASE SAVEPOINT grdb
    /// // ... the writes of other tasks, each in its savepoint
    /// // COMMIT TRANSACTION
    /// try await dbPool.batchedWrite { db in
    ///     try Visit(page: page, date: .now).insert(db)
    /// }
    /// ```
    ///
    /// Each write runs in its own savepoint. An error, a foreign key violation, or the cancellation of the
    /// task only undoes the changes of this write. The task continues after the commit, even if its write
    /// throws, so its changes are as durable as after `write(_:)`. Transaction observers are notified of one
    /// transaction. Batched writes run in the order in which they were requested, and see the changes of
    /// earlier ones.
    ///
    /// When the commit fails, all writes of the transaction throw its error. When an error of one write,
    /// such as `SQLITE_FULL`, makes SQLite roll the transaction back, the other writes throw an error of
    /// code `SQLITE_ABORT`.
    ///
    /// ``/GRDB/Configuration/maximumBatchedWriteCount`` and ``/GRDB/Configuration/maximumBatchedWriteDuration`` limit
    /// the number of writes per transaction. Writers other than ``/GRDB/DatabaseQueue`` and ``/GRDB/DatabasePool`` run
    /// each write in its own transaction.
    ///
    /// - parameter updates: the operations. They run on the queue of the writer.
    /// - returns: the result of the closure, after the commit.
    /// - throws: the error of the closure, or a ``/GRDB/DatabaseError``; all changes of the closure are then
    ///   reverted. `CancellationError` when the task is cancelled before the closure has returned.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_savepoint.html>
    public func batchedWrite<T: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        guard let writer = _underlyingReader.serializedWriter else {
            return try await write(updates)
        }
        return try await writer.companion { WriteBatcher(writer) }.write(updates)
    }
}
