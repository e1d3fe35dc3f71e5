import Dispatch

/// A read-only connection to the content of a database at the time the snapshot was created.
///
/// ```swift
/// let dbPool = try DatabasePool(path: "/path/to/database.sqlite")
/// let snapshot = try dbPool.makeSnapshot()
/// let count = try snapshot.read { db in
///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
/// }
/// ```
///
/// On a database in WAL mode, a snapshot does not prevent other connections from writing, but it
/// prevents the WAL file from being reset: don't keep it longer than needed. In other journal modes,
/// which read-only pools support, a snapshot prevents all changes while it exists.
///
/// A snapshot can be used from any thread. Its accesses run on one serial dispatch queue. Its
/// connection is closed when it is deallocated, or by ``close()``.
///
/// Related SQLite documentation: <https://www.sqlite.org/isolation.html>
public final class DatabaseSnapshot: DatabaseSnapshotReader {
    private let reader: SerializedDatabase

    /// The registration of the snapshot with the meter of accesses. Freed when the snapshot is closed.
    private let hold = Locked<AnyObject?>(nil)

    public var configuration: Configuration { reader.configuration }

    /// The path with which the file was opened.
    public var path: String { reader.path }

    /// - parameter fileIdentity: the expected identity of the file at the path.
    init(
        path: String, configuration: Configuration, defaultLabel: String, purpose: String,
        fileIdentity: FileIdentity?
    ) throws {
        let snapshot = Locked<WALSnapshot?>(nil)
        reader = try SerializedDatabase(
            path: DatabasePath.readOnlyPath(path), configuration: configuration.forSnapshot,
            defaultLabel: defaultLabel,
            purpose: purpose, isReader: true,
            setUp: { db in
                try db.checkFile(is: fileIdentity)
                try db.beginSnapshot()
                // Taking the WAL snapshot starts the read transaction, as reading does.
                let walSnapshot = try? WALSnapshot(db)
                snapshot.withLock { $0 = walSnapshot }
                if walSnapshot == nil {
                    try db.isolateTransaction()
                }
            },
            onEnd: { db in
                try db.restoreSnapshot(snapshot.withLock { $0 })
            })
        let description = reader.db.description
        hold.withLock { $0 = configuration.accessMeter?.holdSnapshot(description) }
    }

    public func close() throws {
        try reader.close()
        hold.withLock { $0 = nil }
    }

    public func interrupt() {
        reader.interrupt()
    }

    // MARK: - Reading

    // These methods only throw the error of the closure. Other errors trap, or are thrown by the
    // statements in the closure.

    public func read<T>(_ block: (Database) throws -> T) rethrows -> T {
        try reader.syncOrTrap { db in
            db.requiresTransaction = true
            defer { db.requiresTransaction = false }
            return try block(db)
        }
    }

    public func read<T: Sendable>(
        _ value: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await reader.execute { db in
            try db.inSnapshotAccess { try value(db) }
        }
    }

    public func asyncRead(
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        reader.async { Database.inSnapshotAccess($0, value) }
    }

    public func unsafeRead<T>(_ value: (Database) throws -> T) rethrows -> T {
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
        if reader.isOwnedByCurrentThread { return try reader.execute(value) }
        var result: T?
        try reader.sync { db in
            result = try db.inSnapshotAccess { try value(db) }
        }
        return result!
    }
}

extension Database {
    /// Reopens the snapshot's transaction if it has ended, because of a `COMMIT` or an I/O error.
    func restoreSnapshot(_ snapshot: WALSnapshot?) throws {
        guard raw.handle != nil, raw.isInAutocommitMode else { return }
        guard let snapshot else {
            // The state can't be restored. Failing is better than reading another state.
            loseSnapshot()
            throw Self.lostSnapshotError
        }
        try beginSnapshot()
        do {
            try snapshot.open(in: self)
        } catch {
            rollbackAfterError()
            loseSnapshot()
            throw error
        }
    }
}

extension DatabasePool {
    // MARK: - Snapshots

    /// Creates a connection that keeps reading the current content, unaffected by later writes.
    ///
    /// ```swift
    /// let snapshot = try dbPool.writeWithoutTransaction { db in
    ///     try db.inTransaction {
    ///         try db.execute(sql: "DELETE FROM player")
    ///         return .commit
    ///     }
    ///     // Nobody writes in between: the snapshot has no player.
    ///     return try dbPool.makeSnapshot()
    /// }
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` when called inside a transaction of the
    ///   writer, whose changes the snapshot would not see, or when the pool is closed.
    public func makeSnapshot() throws -> DatabaseSnapshot {
        try writer.checkOutsideOfTransaction("makeSnapshot()", mustBeInAccess: false)
        return try whileOpen {
            try DatabaseSnapshot(
                path: writer.db.openedPath(), configuration: configuration,
                defaultLabel: Self.defaultLabel,
                purpose: "snapshot.\(nextSnapshotNumber())", fileIdentity: fileIdentity)
        }
    }

    /// Creates a pool of connections that keep reading the current content, unaffected by later
    /// writes.
    ///
    /// ```swift
    /// let snapshot = try dbPool.makeSnapshotPool()
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` when called inside a transaction of the
    ///   writer, whose changes the snapshot would not see, or when the pool is closed; of code
    ///   `SQLITE_ERROR` when the database is not in WAL mode.
    public func makeSnapshotPool() throws -> DatabaseSnapshotPool {
        try writer.checkOutsideOfTransaction("makeSnapshotPool()", mustBeInAccess: false)
        return try whileOpen {
            try DatabaseSnapshotPool(
                path: writer.db.openedPath(), configuration: configuration,
                defaultLabel: Self.defaultLabel,
                purpose: "snapshot.\(nextSnapshotNumber())", snapshot: nil,
                fileIdentity: fileIdentity)
        }
    }

    /// Opens a separate connection to the file of the pool. If the pool is closed meanwhile, which
    /// removes the WAL file, the error reports the closed pool.
    private func whileOpen<T>(_ open: () throws -> T) throws -> T {
        try process.checkAccess()
        if readers.isClosed { throw ReaderPool.closedError }
        do {
            return try open()
        } catch {
            throw readers.isClosingOrClosed ? ReaderPool.closedError : error
        }
    }

    private func nextSnapshotNumber() -> Int {
        snapshotCount.withLock { count in
            count += 1
            return count
        }
    }
}
