/// A single connection to an SQLite database, used by one access at a time.
///
/// Open one queue per file, and keep it for as long as you use the file. SQLite creates the file if
/// it does not exist:
///
/// ```swift
/// let dbQueue = try DatabaseQueue(path: "/path/to/database.sqlite")
///
/// try dbQueue.write { db in
///     try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Arthur"])
/// }
///
/// let count = try dbQueue.read { db in
///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
/// }
/// ```
///
/// A queue can be used from any thread. Accesses run one after the other, on a serial dispatch
/// queue, so two threads never use the connection at the same time. `read` and `write` block the
/// calling thread until the closure has run. In an async function, `await` them instead: the task is
/// then suspended, and no thread is blocked.
///
/// `write` runs its closure in a transaction. It commits if the closure returns, and rolls everything
/// back if it throws. `read` prevents changes, so use it unless you want to write. Both return the
/// result of their closure.
///
/// ## In memory
///
/// A queue without a path opens a database in memory, which suits tests and previews, because there
/// is no file to delete:
///
/// ```swift
/// let dbQueue = try DatabaseQueue()
///
/// // Two connections to the same database in memory
/// let dbQueue1 = try DatabaseQueue(named: "shared")
/// let dbQueue2 = try DatabaseQueue(named: "shared")
/// ```
///
/// ## Queue or pool?
///
/// A queue is the simple choice: one connection, little memory, and reads that wait for writes. If
/// reads must not wait, for example because a view reads on the main thread while a download is
/// stored, open a ``DatabasePool``. Both are a ``DatabaseWriter``, so most code works with either.
///
/// The connection is closed when the queue is deallocated, or by ``close()``. See <doc:Connections>
/// for opening, and <doc:Concurrency> for what accesses guarantee.
public final class DatabaseQueue: DatabaseWriter {
    let writer: SerializedDatabase
    private let memoryObserver: MemoryObserver?

    public var configuration: Configuration { writer.configuration }

    public var path: String { writer.path }

    package init(_ writer: SerializedDatabase) {
        self.writer = writer
        memoryObserver =
            writer.configuration.automaticMemoryManagement && MemoryObserver.isUseful
            ? MemoryObserver { [weak writer] in
                writer?.asyncIgnoringClosure { $0.releaseMemory() }
            } : nil
    }

    // MARK: - Opening

    /// Opens a database file, and creates it if it does not exist.
    ///
    /// ```swift
    /// let dbQueue = try DatabaseQueue(path: "/path/to/database.sqlite")
    /// ```
    ///
    /// - parameter path: the path of a file. `:memory:` opens an in-memory database, the empty string
    ///   a temporary database on disk. A `file:…` path is a URI.
    /// - parameter configuration: a configuration.
    /// - throws: a ``DatabaseError``, of code `SQLITE_CANTOPEN` if the file can't be opened or
    ///   created, `SQLITE_NOTADB` if it is not a database; or the error of a closure of
    ///   ``Configuration/prepareDatabase(_:)``.
    public convenience init(
        path: String, configuration: Configuration = Configuration()
    ) throws {
        self.init(
            try SerializedDatabase(
                path: path, configuration: configuration,
                defaultLabel: "GRDB.DatabaseQueue",
                setUp: { db in
                    if configuration.journalMode == .wal, !configuration.readonly {
                        // Tests and previews may replace the file by an in-memory database.
                        try db.setUpWALMode(acceptsMemory: true)
                    }
                }))
    }

    /// Opens a database in memory.
    ///
    /// ```swift
    /// let dbQueue = try DatabaseQueue()
    ///
    /// // Two connections to the same in-memory database
    /// let dbQueue1 = try DatabaseQueue(named: "myDatabase")
    /// let dbQueue2 = try DatabaseQueue(named: "myDatabase")
    /// ```
    ///
    /// - parameter name: connections of the process that use the same name share a database, which is
    ///   deleted when the last of them is closed. Nil opens a private database.
    /// - parameter configuration: the options of the connection.
    /// - throws: a ``DatabaseError``, or the error of a closure of
    ///   ``Configuration/prepareDatabase(_:)``.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/inmemorydb.html>
    public convenience init(
        named name: String? = nil, configuration: Configuration = Configuration()
    ) throws {
        if let name {
            // Not a shared cache, whose locks ignore the busy timeout. The memdb VFS only shares databases
            // whose name starts with a slash and has another character.
            let uri = try DatabasePath.checkedURI("/grdb/" + name, [("vfs", "memdb")])
            try self.init(path: uri, configuration: configuration)
        } else {
            try self.init(path: ":memory:", configuration: configuration)
        }
    }

    /// Copies the database file at `path` into memory, and opens the copy. The file is not changed.
    /// Changes to the copy are lost when it is closed.
    ///
    /// ```swift
    /// let path = Bundle.main.path(forResource: "db", ofType: "sqlite")!
    /// let dbQueue = try DatabaseQueue.inMemoryCopy(fromPath: path)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_CANTOPEN` if the file can't be opened,
    ///   `SQLITE_NOTADB` if it is not a database; or the error of a closure of
    ///   ``Configuration/prepareDatabase(_:)``.
    public static func inMemoryCopy(
        fromPath path: String, configuration: Configuration = Configuration()
    ) throws -> DatabaseQueue {
        try copy(ofPath: path, at: ":memory:", configuration: configuration)
    }

    /// Copies the database file at `path` into a temporary file that SQLite deletes when the
    /// connection is closed, and opens the copy.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_CANTOPEN` if the file can't be opened,
    ///   `SQLITE_NOTADB` if it is not a database; or the error of a closure of
    ///   ``Configuration/prepareDatabase(_:)``.
    public static func temporaryCopy(
        fromPath path: String, configuration: Configuration = Configuration()
    ) throws -> DatabaseQueue {
        try copy(ofPath: path, at: "", configuration: configuration)
    }

    private static func copy(
        ofPath path: String, at copyPath: String, configuration: Configuration
    ) throws -> DatabaseQueue {
        var sourceConfiguration = Configuration()
        sourceConfiguration.readonly = true
        sourceConfiguration.busyMode = configuration.busyMode
        let source = try DatabaseQueue(path: path, configuration: sourceConfiguration)
        // The copy is opened for writing even if it is read-only afterwards.
        let writer = try SerializedDatabase(
            path: copyPath, configuration: configuration,
            defaultLabel: "GRDB.DatabaseQueue", opensForWriting: true)
        let copy = DatabaseQueue(writer)
        try source.backup(to: copy)
        if configuration.readonly {
            try writer.sync { $0.forbidWriting() }
        }
        try source.close()
        return copy
    }

    // MARK: - Connection

    public func close() throws {
        try writer.close()
    }

    public func interrupt() {
        writer.interrupt()
    }

    /// Frees the memory that the connection can do without, and returns when this is done.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/db_release_memory.html>
    public func releaseMemory() {
        writer.reentrantSyncOrTrap { $0.releaseMemory() }
    }

    // MARK: - Reading

    @inlinable
    public func read<T>(_ value: (Database) throws -> T) throws -> T {
        var result: T?
        try syncRead { result = try value($0) }
        return result.unsafelyUnwrapped
    }

    @usableFromInline
    func syncRead(_ body: (Database) throws -> Void) throws {
        try writer.sync { db in
            try db.inReadAccess { try body(db) }
        }
    }

    public func read<T: Sendable>(
        _ value: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writer.execute { db in
            try db.inReadAccess { try value(db) }
        }
    }

    public func asyncRead(
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        writer.async { result in
            do {
                let db = try result.get()
                try db.startReadAccess { value(.success(db)) }
            } catch {
                value(.failure(error))
            }
        }
    }

    public func unsafeRead<T, Failure: Error>(
        _ value: (Database) throws(Failure) -> T
    ) throws(Failure) -> T {
        try writer.syncOrThrow(value)
    }

    public func unsafeRead<T: Sendable>(
        _ value: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writer.execute(value)
    }

    public func asyncUnsafeRead(
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        writer.async(value)
    }

    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) rethrows -> T {
        try writer.reentrantSyncOrTrap(value)
    }

    // MARK: - Writing

    /// Runs a closure with the connection, without a transaction, and returns its result. An alias of
    /// `writeWithoutTransaction`.
    ///
    /// ```swift
    /// try dbQueue.inDatabase { db in
    ///     try db.execute(sql: "PRAGMA user_version = 1")
    /// }
    /// ```
    ///
    /// - precondition: the call is not made from another access of this queue, and leaves no
    ///   transaction open.
    public func inDatabase<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try writer.syncOrTrap(updates)
    }

    /// Runs a closure in a transaction, which the closure commits or rolls back.
    ///
    /// ```swift
    /// try dbQueue.inTransaction { db in
    ///     try db.execute(sql: "INSERT ...")
    ///     return .commit
    /// }
    /// ```
    ///
    /// When the closure throws, or when the commit fails, all changes are reverted, and the error
    /// is rethrown. When it returns `.rollback`, changes are reverted without an error.
    ///
    /// - parameter kind: the kind of the transaction. The default is IMMEDIATE, or DEFERRED for a
    ///   read-only connection.
    /// - parameter updates: the operations. Returns whether to commit.
    /// - throws: the error of the closure, or a ``DatabaseError``.
    public func inTransaction(
        _ kind: Database.TransactionKind? = nil,
        _ updates: (Database) throws -> Database.TransactionCompletion
    ) throws {
        try writer.sync { db in
            try db.inTransaction(kind) { try updates(db) }
        }
    }

    public func writeWithoutTransaction<T>(
        _ updates: (Database) throws -> T
    ) rethrows -> T {
        try writer.syncOrTrap(updates)
    }

    public func _syncWriteWithoutTransaction(_ updates: (Database) throws -> Void) throws {
        try writer.sync(updates)
    }

    public func writeWithoutTransaction<T: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writer.execute(updates)
    }

    @inlinable
    public func barrierWriteWithoutTransaction<T>(
        _ updates: (Database) throws -> T
    ) throws -> T {
        var result: T?
        try _syncWriteWithoutTransaction { result = try updates($0) }
        return result.unsafelyUnwrapped
    }

    public func barrierWriteWithoutTransaction<T: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writer.execute(updates)
    }

    public func asyncBarrierWriteWithoutTransaction(
        _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        writer.async(updates)
    }

    public func asyncWriteWithoutTransaction(
        _ updates: @escaping @Sendable (Database) -> Void
    ) {
        writer.asyncIgnoringClosure(updates)
    }

    public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try writer.reentrantSyncOrTrap(updates)
    }

    public func spawnConcurrentRead(
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        // There is no other connection, so the read runs right here: later changes can't affect it.
        do {
            try writer.execute { db in
                guard db.raw.isInAutocommitMode else {
                    throw DatabaseError(
                        misuse: """
                            spawnConcurrentRead must not be called from inside a transaction.
                            """)
                }
                try db.startReadAccess { value(.success(db)) }
            }
        } catch {
            value(.failure(error))
        }
    }
}
