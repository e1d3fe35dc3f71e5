/// A type that reads and writes an SQLite database: a queue or a pool.
///
/// ```swift
/// try writer.write { db in
///     try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Arthur"])
/// }
/// ```
public protocol DatabaseWriter: DatabaseReader {
    /// Runs a closure with the writer connection, outside of a transaction, and returns its result.
    ///
    /// Use it for statements that can't run in a transaction, and for transactions that you begin yourself:
    ///
    /// ```swift
    /// try writer.writeWithoutTransaction { db in
    ///     try db.execute(sql: "VACUUM")
    /// }
    /// ```
    ///
    /// Each statement commits on its own, so changes made before an error remain. If statements belong
    /// together, prefer `write`. The calling thread is blocked until the closure has run.
    ///
    /// See <doc:Transactions#Explicit-transactions>.
    ///
    /// - parameter updates: a closure that runs on the queue of the writer.
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
    /// Use it for changes that no read may see half done, or that need the whole file, such as a
    /// checkpoint that empties the write-ahead log:
    ///
    /// ```swift
    /// try dbPool.barrierWriteWithoutTransaction { db in
    ///     try db.checkpoint(.truncate)
    /// }
    /// ```
    ///
    /// In a queue, it is `writeWithoutTransaction`, because accesses of a queue never overlap. A long read of
    /// a pool delays it, and all reads that begin later.
    ///
    /// - parameter updates: a closure that runs on the queue of the writer.
    /// - throws: the error of the closure, or a ``DatabaseError``: of code `SQLITE_MISUSE` if the method is
    ///   called from another access of this writer, or after ``DatabaseReader/close()``.
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
    /// // SELECT COUNT(*) FROM player
    /// // COMMIT TRANSACTION
    /// let count = try writer.write { db in
    ///     try Player(name: "Arthur").insert(db)
    ///     return try Player.fetchCount(db)
    /// }
    /// ```
    ///
    /// The calling thread is blocked until the transaction has ended. In an async function, call the
    /// method with `await` instead.
    ///
    /// Changes that belong together belong in one `write`: either all of them are stored, or none.
    /// When the closure throws, or when the commit fails, all changes are reverted, and the error
    /// is rethrown. Other connections don't see the changes before the commit.
    ///
    /// Writes of one queue or pool run one after the other. Each commit has a price, and in a queue it waits
    /// for the disk, so many small writes are much faster in one transaction.
    ///
    /// The connection is valid only while the closure runs. Don't keep it for later.
    ///
    /// See <doc:Transactions> for savepoints and transactions of other kinds.
    ///
    /// - parameter updates: a closure that reads and writes. It runs on the queue of the writer.
    /// - throws: the error of the closure, or a ``DatabaseError``: of code `SQLITE_MISUSE` if the
    ///   method is called from another access of this writer, or after ``DatabaseReader/close()``.
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
            misuse: "\(type(of: self)) did not call the closure of writeWithoutTransaction")
    }

    /// Runs a closure in a transaction, and returns its result. The transaction is committed unless
    /// the closure throws. The task is suspended until its turn comes.
    ///
    /// ```swift
    /// let count = try await writer.write { db in
    ///     try Player(name: "Arthur").insert(db)
    ///     return try Player.fetchCount(db)
    /// }
    /// ```
    ///
    /// The closure runs on a thread of the connection, so it can't use values that are isolated to an
    /// actor: read them before, and return the result. See <doc:SwiftConcurrency>.
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
    /// A pool copies its last commit on a read-only connection, so writes continue meanwhile. Other writers
    /// wait.
    ///
    /// - parameter filePath: a path with no file, or with an empty file.
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if there is a database at this path,
    ///   `SQLITE_CANTOPEN` if the file can't be created, `SQLITE_MISUSE` inside an access of the same
    ///   writer, except for a write of a pool.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_vacuum.html#vacuuminto>
    public func vacuum(into filePath: String) throws {
        if let pool = _underlyingReader as? DatabasePool {
            return try pool.unsafeRead { try $0.vacuum(into: filePath) }
        }
        try _syncWriteWithoutTransaction { try $0.vacuum(into: filePath) }
    }

    /// Writes a compact copy of the database into a file, without blocking the current task.
    ///
    /// A pool copies its last commit on a read-only connection, so writes continue meanwhile.
    ///
    /// - parameter filePath: a path with no file, or with an empty file.
    /// - throws: a ``DatabaseError``, or `CancellationError` when the task is cancelled.
    public func vacuum(into filePath: String) async throws {
        if let pool = _underlyingReader as? DatabasePool {
            return try await pool.unsafeRead { try $0.vacuum(into: filePath) }
        }
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
            throw DatabaseError(misuse: "A database can't be erased from inside a transaction")
        }
        // SQLite requires that the schema is already loaded.
        try execute(sql: "SELECT * FROM sqlite_master LIMIT 1")
        let version = try raw.mainSchemaVersion()
        do {
            raw.set(.resetsDatabase, true)
            defer { raw.set(.resetsDatabase, false) }
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
