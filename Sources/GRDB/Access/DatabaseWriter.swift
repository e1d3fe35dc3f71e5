/// A type that reads and writes an SQLite database: a queue or a pool.
///
/// ```swift
/// try writer.write { db in
///     try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Arthur"])
/// }
/// ```
public protocol DatabaseWriter: DatabaseReader {
    /// Runs a closure with the writer connection, and returns its result.
    ///
    /// No transaction is opened: changes made before an error remain.
    ///
    /// - precondition: the call is not made from another access of this writer, and leaves no
    ///   transaction open. `tryWriteWithoutTransaction` throws in these cases.
    func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T

    /// Runs a closure with the writer connection, and returns its result. The task is suspended
    /// until its turn comes. The closure runs on a thread chosen by the connection.
    ///
    /// - throws: the error of the closure, or a ``DatabaseError``. `CancellationError` when the
    ///   task is cancelled: running statements are then interrupted, and earlier changes remain.
    func writeWithoutTransaction<T: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T

    /// Runs a closure with the writer connection, without a transaction, while no other access of
    /// this writer runs. Waits for current reads to end, and makes later reads wait.
    ///
    /// - throws: the error of the closure, or a ``DatabaseError``.
    func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T

    /// Runs a closure with the writer connection, without a transaction, while no other access of
    /// this writer runs. The task is suspended until its turn comes.
    ///
    /// - throws: the error of the closure, or a ``DatabaseError``. `CancellationError` when the
    ///   task is cancelled: running statements are then interrupted, and earlier changes remain.
    func barrierWriteWithoutTransaction<T: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T

    /// Schedules a write without a transaction, while no other access of this writer runs, and
    /// returns immediately.
    ///
    /// - parameter updates: receives the connection, or the error that prevents the access. Called
    ///   on the queue of the writer.
    func asyncBarrierWriteWithoutTransaction(
        _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void)

    /// Schedules a write without a transaction, and returns immediately.
    ///
    /// - parameter updates: receives the connection, on the queue of the writer. If the connection
    ///   is closed, all its methods throw.
    func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void)

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
    /// cancellation, a time limit or ``DatabaseReader/interrupt()``, `OR ROLLBACK`, `RAISE(ROLLBACK)`,
    /// `SQLITE_FULL`, and an observer or an outbox that refuses the commit. Only the write that failed
    /// throws. The other writes of the transaction run again, each in a transaction of its own. The closure
    /// may therefore run twice: its result and its changes are those of the second time.
    ///
    /// The closure can't end the transaction: `COMMIT` and `ROLLBACK` throw an error of code `SQLITE_MISUSE`.
    /// Savepoints are allowed.
    ///
    /// ``Configuration/maximumBatchedWriteCount`` and ``Configuration/maximumBatchedWriteDuration`` limit
    /// the number of writes per transaction. Writers other than ``DatabaseQueue`` and ``DatabasePool`` run
    /// each write in its own transaction.
    ///
    /// - parameter updates: the operations. They run on the queue of the writer.
    /// - returns: the result of the closure, after the commit.
    /// - throws: the error of the closure, or a ``DatabaseError``; all changes of the closure are then
    ///   reverted. `CancellationError` when the task is cancelled before the closure has returned.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_savepoint.html>
    func batchedWrite<T: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T

    /// Runs a closure with the writer connection, and returns its result. Inside another access of
    /// the writer, the closure runs in the transaction of that access. Otherwise, the connection is
    /// in no transaction.
    ///
    /// - precondition: outside of an access, the closure leaves no transaction open.
    func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T

    /// Reads the database in its current state, while the writer continues.
    ///
    /// Must be called from an access of the writer, outside of a transaction. A queue runs the closure
    /// before this method returns. A pool runs it concurrently.
    ///
    /// - parameter value: receives a connection that can read but not write, or the error that
    ///   prevents the read.
    func spawnConcurrentRead(
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

    /// `writeWithoutTransaction`, except that misuse throws instead of trapping.
    func _syncWriteWithoutTransaction(_ updates: (Database) throws -> Void) throws
}

extension DatabaseWriter {
    public func _syncWriteWithoutTransaction(_ updates: (Database) throws -> Void) throws {
        try writeWithoutTransaction(updates)
    }

    // MARK: - Writing

    /// Runs a closure in a transaction, and returns its result. The transaction is committed unless
    /// the closure throws.
    ///
    /// ```swift
    /// // BEGIN IMMEDIATE TRANSACTION
    /// // INSERT INTO player ...
    /// // COMMIT TRANSACTION
    /// try writer.write { db in
    ///     try db.execute(sql: "INSERT INTO player ...")
    /// }
    /// ```
    ///
    /// When the closure throws, or when the commit fails, all changes are reverted, and the error
    /// is rethrown.
    ///
    /// - throws: the error of the closure, or a ``DatabaseError``.
    @inlinable
    public func write<T>(_ updates: (Database) throws -> T) throws -> T {
        var result: T?
        try _syncWriteWithoutTransaction { db in
            try db.inTransaction {
                result = try updates(db)
                return .commit
            }
        }
        guard let result else { throw _missingAccessError }
        return result
    }

    /// Executes database operations without a transaction, like `writeWithoutTransaction`, but throws
    /// where that method traps.
    ///
    /// ```swift
    /// try writer.tryWriteWithoutTransaction { db in
    ///     try db.execute(sql: "BEGIN IMMEDIATE TRANSACTION")
    ///     try db.execute(sql: "INSERT INTO player ...")
    ///     // The forgotten COMMIT is an error. The insertion is rolled back.
    /// }
    /// ```
    ///
    /// - throws: the error of the closure; a ``DatabaseError`` of code `SQLITE_MISUSE` when the method
    ///   is called from another access of this writer, when the connection is closed, or when the
    ///   closure leaves a transaction open, which is then rolled back.
    @inlinable
    public func tryWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        var result: T?
        try _syncWriteWithoutTransaction { result = try updates($0) }
        guard let result else { throw _missingAccessError }
        return result
    }

    /// The error for a writer that returned from an access without calling the closure.
    @usableFromInline
    var _missingAccessError: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "\(type(of: self)) did not call the closure of writeWithoutTransaction")
    }

    /// Runs a closure in a transaction, and returns its result. The transaction is committed unless
    /// the closure throws. The task is suspended until its turn comes.
    ///
    /// - throws: the error of the closure, or a ``DatabaseError``; all changes are then reverted.
    ///   `CancellationError` when the task is cancelled: running statements are then interrupted,
    ///   and all changes reverted.
    public func write<T: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writeWithoutTransaction { db in
            try db.inTransaction(returning: { try updates(db) })
        }
    }

    /// Writes in a transaction that is not shared.
    ///
    /// - throws: the errors of `write(_:)`.
    public func batchedWrite<T: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await write(updates)
    }

    /// Schedules a write in a transaction, and returns immediately.
    ///
    /// ```swift
    /// writer.asyncWrite { db in
    ///     try db.execute(sql: "INSERT ...")
    /// } completion: { db, result in
    ///     if case .failure(let error) = result { print(error) }
    /// }
    /// ```
    ///
    /// - parameter updates: the operations.
    /// - parameter completion: called on the queue of the writer, with the result of the operations,
    ///   or the error that reverted them, which may come from the commit.
    public func asyncWrite<T>(
        _ updates: @escaping @Sendable (Database) throws -> T,
        completion: @escaping @Sendable (Database, Result<T, any Error>) -> Void
    ) {
        asyncWriteWithoutTransaction { db in
            completion(db, Result { try db.inTransaction(returning: { try updates(db) }) })
        }
    }

    // MARK: - Observation

    /// Notifies `transactionObserver` of the changes, commits and rollbacks of the writer
    /// connection. Waits for running accesses to end.
    ///
    /// ```swift
    /// // What the observer finds is handed out by a continuation, which is sendable.
    /// let (modifications, continuation) = AsyncStream.makeStream(of: Set<String>.self)
    /// dbQueue.add(
    ///     transactionObserver: ModificationObserver(continuation), extent: .databaseLifetime)
    ///
    /// for await tableNames in modifications {
    ///     print("modified: \(tableNames)")
    /// }
    /// ```
    ///
    /// From now on, the observer is called only on the queue of the writer connection. The observer
    /// does not have to be sendable, but no other thread may access the state that its callbacks
    /// use. This includes the thread that adds the observer, and the compiler does not check it:
    /// don't read `observer.count` after a write. To share state with other threads, send it after
    /// the commit through a sendable closure or continuation, or guard it with a lock: see
    /// ``TransactionObserver``, which defines the class of this example.
    ///
    /// - parameter transactionObserver: the observer. Nothing happens if the database is read-only.
    /// - parameter extent: how long the observer is notified. By default, while it is alive: the
    ///   database does not retain it.
    public func add(
        transactionObserver: some TransactionObserver,
        extent: Database.TransactionObservationExtent = .observerLifetime
    ) {
        unsafeReentrantWrite { db in
            db.add(transactionObserver: transactionObserver, extent: extent)
        }
    }

    /// Stops notifying `transactionObserver`. Waits for running accesses to end.
    public func remove(transactionObserver: some TransactionObserver) {
        unsafeReentrantWrite { db in
            db.remove(transactionObserver: transactionObserver)
        }
    }

    // MARK: - Other operations

    /// Erases the content of the database: tables, views, triggers, indexes, `user_version`. The
    /// file remains.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` inside an access of the same
    ///   writer.
    ///
    /// Related SQLite documentation: `SQLITE_DBCONFIG_RESET_DATABASE` in
    /// <https://www.sqlite.org/c3ref/c_dbconfig_defensive.html>
    public func erase() throws {
        try barrierWriteWithoutTransaction { try $0.erase() }
    }

    /// Erases the content of the database, without blocking the current task.
    ///
    /// - throws: a ``DatabaseError``, or `CancellationError` when the task is cancelled.
    public func erase() async throws {
        try await barrierWriteWithoutTransaction { try $0.erase() }
    }

    /// Rebuilds the whole database file, which returns the space of deleted rows to the file system.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_BUSY` if another connection writes,
    ///   `SQLITE_MISUSE` inside an access of the same writer.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_vacuum.html>
    public func vacuum() throws {
        try _syncWriteWithoutTransaction { try $0.execute(sql: "VACUUM") }
    }

    /// Rebuilds the whole database file, without blocking the current task.
    ///
    /// - throws: a ``DatabaseError``, or `CancellationError` when the task is cancelled.
    public func vacuum() async throws {
        try await writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
    }

    /// Writes a compact copy of the database into a file, without changing the original.
    ///
    /// - parameter filePath: a path with no file, or with an empty file.
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if there is a database at this path,
    ///   `SQLITE_CANTOPEN` if the file can't be created, `SQLITE_MISUSE` inside an access of the same
    ///   writer.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_vacuum.html#vacuuminto>
    public func vacuum(into filePath: String) throws {
        try _syncWriteWithoutTransaction { try $0.vacuum(into: filePath) }
    }

    /// Writes a compact copy of the database into a file, without blocking the current task.
    ///
    /// - parameter filePath: a path with no file, or with an empty file.
    /// - throws: a ``DatabaseError``, or `CancellationError` when the task is cancelled.
    public func vacuum(into filePath: String) async throws {
        try await writeWithoutTransaction { try $0.vacuum(into: filePath) }
    }
}

extension Database {
    fileprivate func vacuum(into filePath: String) throws {
        // SQLite would cut the path at the NUL character.
        if filePath.utf8.contains(0) {
            throw DatabaseError(
                resultCode: .SQLITE_CANTOPEN, message: "The path contains a NUL character")
        }
        try execute(sql: "VACUUM INTO ?", arguments: [filePath])
    }

    /// Erases the content of the database, outside of any transaction.
    func erase() throws {
        try checkAccess()
        guard raw.isInAutocommitMode else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "A database can't be erased from inside a transaction")
        }
        // SQLite requires that the schema is already loaded.
        try execute(sql: "SELECT * FROM sqlite_master LIMIT 1")
        let version = try raw.mainSchemaVersion()
        do {
            raw.setResetsDatabase(true)
            defer { raw.setResetsDatabase(false) }
            try execute(sql: "VACUUM")
        } catch {
            contentWasReplaced(in: "main", failure: error)
            throw error
        }
        // The version has started again, and other connections may know it from another schema.
        contentWasReplaced(
            in: "main", finally: "PRAGMA main.schema_version = \(version &+ 1)")
    }
}
