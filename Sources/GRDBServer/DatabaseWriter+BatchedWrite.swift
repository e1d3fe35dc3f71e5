import GRDB

extension DatabaseWriter {
    /// Writes in a transaction shared with the other batched writes that are waiting at the same time.
    ///
    /// A commit waits for the disk. When many tasks write concurrently, such as the requests of a
    /// server, a shared transaction lets them wait together:
    ///
    /// ```swift
    /// // BEGIN IMMEDIATE TRANSACTION
    /// // SAVEPOINT "grdb batch"
    /// // INSERT INTO "visit" ...
    /// // RELEASE SAVEPOINT "grdb batch"
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
    /// Some failures make SQLite roll the whole transaction back: a change that is interrupted by
    /// cancellation, a time limit or ``/GRDB/DatabaseReader/interrupt()``, `OR ROLLBACK`, `RAISE(ROLLBACK)`,
    /// `SQLITE_FULL`, and an observer or an outbox that refuses the commit. Only the write that failed
    /// throws. The other writes of the transaction run again, each in a transaction of its own. The closure
    /// may therefore run twice: its result and its changes are those of the second time.
    ///
    /// The closure can't end the transaction: `COMMIT` and `ROLLBACK` throw an error of code `SQLITE_MISUSE`.
    /// Savepoints are allowed.
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
