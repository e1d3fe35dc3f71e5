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
    /// How the connections were opened. Changing a copy of it does not change them.
    var configuration: Configuration { get }

    /// Where the database is: the path of its file, `:memory:` if it is in memory, or the empty
    /// string if it is in a temporary file.
    var path: String { get }

    /// Closes the connections to the database.
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
    /// // SELECT * FROM player ORDER BY score DESC LIMIT 10
    /// // COMMIT TRANSACTION
    /// let (count, best) = try reader.read { db in
    ///     let count = try Player.fetchCount(db)
    ///     let best = try Player.order(\.score.desc).limit(10).fetchAll(db)
    ///     return (count, best)
    /// }
    /// ```
    ///
    /// The calling thread is blocked until the closure has run. In an async function, call the method
    /// with `await` instead.
    ///
    /// The statements of the closure run in one transaction, so they see one state of the database,
    /// even if other connections write meanwhile. Fetch values that belong together in *one* access: between
    /// two accesses, the database may change. A pool begins with the state at the beginning of the
    /// closure, and a queue with the state at its first statement.
    ///
    /// Attempts to write throw a ``DatabaseError`` of code `SQLITE_READONLY`.
    ///
    /// The connection is valid only while the closure runs. Don't keep it, nor its cursors and
    /// statements, for later: return the values you need.
    ///
    /// See <doc:Concurrency>.
    ///
    /// - throws: the error of the closure, or a ``DatabaseError``: of code `SQLITE_MISUSE` if the
    ///   method is called from another access of this reader, or after ``close()``.
    func read<T>(_ value: (Database) throws -> T) throws -> T

    /// Runs a closure with a connection that can read but not write, and returns its result. The
    /// task is suspended until its turn comes. The closure runs on a thread chosen by the connection.
    ///
    /// ```swift
    /// let players = try await reader.read { db in
    ///     try Player.fetchAll(db)
    /// }
    /// ```
    ///
    /// The statements of the closure run in one transaction, so they see one state of the database.
    /// Awaiting an access switches to the connection's thread and back, which takes longer than a
    /// small query. Fetch what belongs together in one access.
    ///
    /// See <doc:SwiftConcurrency>.
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
    /// ```swift
    /// let mode = try reader.unsafeRead { db in
    ///     try String.fetchOne(db, sql: "PRAGMA journal_mode")
    /// }
    /// ```
    ///
    /// It is unsafe because it lifts two guarantees of `read`. The closure may see changes made by other
    /// connections between two statements, and the connection of a queue can write. The read-only
    /// connections of a pool can't. Use it for single statements, and for those that can't run in a
    /// transaction. See <doc:Concurrency#What-the-other-accesses-lift>.
    ///
    /// - throws: the error of the closure, or a ``DatabaseError``: of code `SQLITE_MISUSE` if the method is
    ///   called from another access of this reader, or after ``close()``.
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

    /// The connection of a queue, or the one of a pool that writes.
    package var serializedWriter: SerializedDatabase? {
        switch _underlyingReader {
        case let queue as DatabaseQueue: queue.writer
        case let pool as DatabasePool: pool.writer
        default: nil
        }
    }

    /// Replaces the content of another database by a copy of this one.
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
                misuse: "The source and the destination of a backup must be distinct")
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
