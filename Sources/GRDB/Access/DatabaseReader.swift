/// A type that reads an SQLite database: a queue, a pool or a snapshot.
///
/// ```swift
/// let count = try reader.read { db in
///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
/// }
/// ```
///
/// All methods can be called from any thread. Misuse (reentrant accesses, closed connections, open
/// transactions at the end of an access) throws a ``DatabaseError`` of code `SQLITE_MISUSE`. Methods
/// that only throw the error of their closure trap instead.
public protocol DatabaseReader: AnyObject, Sendable {
    /// The database configuration.
    var configuration: Configuration { get }

    /// The path to the database file, `:memory:` for an in-memory database, or the empty string for
    /// a temporary one.
    var path: String { get }

    /// Closes the database connection.
    ///
    /// When this returns, all future accesses throw a ``DatabaseError`` of code `SQLITE_MISUSE`.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_BUSY` when unfinalized statements prevent the
    ///   connection from closing. The connection then remains open, and each statement is reported to
    ///   ``Database/logError``: `unfinalized statement: SELECT * FROM player`.
    func close() throws

    /// Stops the statements running on any connection of this reader, as soon as SQLite checks for
    /// the interruption.
    ///
    /// A stopped statement throws a ``DatabaseError`` of code `SQLITE_INTERRUPT` or `SQLITE_ABORT`:
    /// see ``DatabaseError/isInterruptionError``. Later statements run as usual.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/interrupt.html>
    func interrupt()

    /// Runs a closure with a connection that can read but not write, and returns its result.
    ///
    /// ```swift
    /// // BEGIN DEFERRED TRANSACTION
    /// // SELECT COUNT(*) FROM player
    /// // COMMIT TRANSACTION
    /// let count = try reader.read { db in
    ///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
    /// }
    /// ```
    ///
    /// The operations are isolated in a transaction: they don't see changes made by other connections.
    /// Attempts to write throw a ``DatabaseError`` of code `SQLITE_READONLY`.
    ///
    /// - throws: the error of the closure, or a ``DatabaseError``.
    func read<T>(_ value: (Database) throws -> T) throws -> T

    /// Runs a closure with a connection that can read but not write, and returns its result. The
    /// task is suspended until its turn comes. The closure runs on a thread chosen by the connection.
    ///
    /// - throws: the error of the closure, or a ``DatabaseError``. `CancellationError` when the
    ///   task is cancelled: running statements are then interrupted.
    func read<T: Sendable>(
        _ value: @escaping @Sendable (Database) throws -> T
    ) async throws -> T

    /// Schedules a read, and returns immediately.
    ///
    /// - parameter value: receives a connection that can read but not write, in a transaction, or
    ///   the error that prevents the read. Called on the queue of the connection.
    func asyncRead(
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

    /// Runs a closure with a connection that is in no transaction, and returns its result.
    ///
    /// The closure may see changes made by other connections between two statements. The connection of
    /// a queue can write. The read-only connections of a pool can't.
    ///
    /// - throws: the error of the closure, or a ``DatabaseError``.
    func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T

    /// Runs a closure with a connection that is in no transaction, and returns its result. The task
    /// is suspended until its turn comes.
    ///
    /// - throws: the error of the closure, or a ``DatabaseError``. `CancellationError` when the
    ///   task is cancelled: running statements are then interrupted.
    func unsafeRead<T: Sendable>(
        _ value: @escaping @Sendable (Database) throws -> T
    ) async throws -> T

    /// Schedules a read outside of any transaction, and returns immediately.
    ///
    /// - parameter value: receives a connection, or the error that prevents the read. Called on the
    ///   queue of the connection.
    func asyncUnsafeRead(
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

    /// Runs a closure with a connection, and returns its result. Inside another access of this
    /// reader, the closure gets the connection of that access, in its transaction. Otherwise, the
    /// connection is in no transaction.
    ///
    /// - throws: the error of the closure, or a ``DatabaseError``.
    func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T

    /// The reader that owns the connections: `self`, or the reader that this one forwards to.
    ///
    /// A type of the app that wraps a reader or writer returns the underlying reader of the wrapped
    /// object. Observations and backups then treat both alike.
    var _underlyingReader: any DatabaseReader { get }
}

extension DatabaseReader {
    public var _underlyingReader: any DatabaseReader { self }

    /// Copies the database contents into another database.
    ///
    /// ```swift
    /// let source: DatabaseQueue = ...
    /// let destination: DatabaseQueue = ...
    /// try source.backup(to: destination)
    ///
    /// try source.backup(to: destination, pagesPerStep: 100) { progress in
    ///     print("\(progress.completedPageCount) of \(progress.totalPageCount) pages")
    /// }
    /// ```
    ///
    /// Both connections are held from start to finish. The destination can't be used in `progress`.
    ///
    /// - parameter writer: the destination.
    /// - parameter pagesPerStep: the number of pages between two calls of `progress`. A negative
    ///   number, the default, copies all pages in one step.
    /// - parameter progress: called after each step. An error thrown before completion aborts the
    ///   backup, leaves the destination as it was, and is rethrown. An error from the last call is
    ///   ignored, because the copy is complete.
    /// - throws: the error of `progress`, or a ``DatabaseError``: see ``DatabaseBackup/step(pages:)``.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/backup.html>
    public func backup(
        to writer: any DatabaseWriter, pagesPerStep: CInt = -1,
        progress: ((DatabaseBackupProgress) throws -> Void)? = nil
    ) throws {
        let source = _underlyingReader
        if source !== self {
            return try source.backup(to: writer, pagesPerStep: pagesPerStep, progress: progress)
        }
        if writer._underlyingReader === self {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "The source and the destination of a backup must be distinct")
        }
        func readSource(_ value: (Database) throws -> Void) throws {
            // The writer can't copy its uncommitted changes. A reader copies the last commit.
            if let pool = self as? DatabasePool, pool.writer.isInTransactionOfCurrentThread {
                try pool.unsafeRead(value)
            } else {
                try unsafeReentrantRead(value)
            }
        }
        func copy(_ source: Database, _ destination: Database) throws {
            func copy() throws {
                try source.backup(to: destination, pagesPerStep: pagesPerStep, progress: progress)
            }
            // In WAL mode, writers continue. Without isolation, each of their commits would restart the
            // backup.
            guard source.raw.isInWALMode else { return try copy() }
            func copyIsolated() throws {
                try source.isolateTransaction()
                try copy()
            }
            try source.isInsideTransaction
                ? copyIsolated() : source.inReadOnlyTransaction(copyIsolated)
        }
        // Lock in a fixed order, so that two backups in opposite directions don't deadlock.
        if ObjectIdentifier(self) < ObjectIdentifier(writer) {
            try readSource { source in
                try writer.barrierWriteWithoutTransaction { try copy(source, $0) }
            }
        } else {
            try writer.barrierWriteWithoutTransaction { destination in
                try readSource { try copy($0, destination) }
            }
        }
    }
}
