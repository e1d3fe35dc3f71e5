import Dispatch

/// Several read-only connections, which all see the content that a database had when the snapshot
/// was made.
///
/// ```swift
/// let dbPool = try DatabasePool(path: "/path/to/database.sqlite")
/// let snapshot = try dbPool.makeSnapshotPool()
/// let count = try snapshot.read { db in
///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
/// }
/// ```
///
/// A snapshot pool has up to ``Configuration/maximumReaderCount`` read-only connections, which are
/// opened when they are wanted. The database must be in WAL mode. The snapshot keeps the WAL file
/// from being reset: don't hold on to it longer than needed.
///
/// A snapshot pool can be used from any thread. The accesses of each connection run on a dispatch
/// queue of their own. The connections are closed when the snapshot is deallocated, or by
/// ``close()``.
///
/// Related SQLite documentation: <https://www.sqlite.org/c3ref/snapshot.html>
public final class DatabaseSnapshotPool: DatabaseSnapshotReader {
    public let configuration: Configuration

    /// The path to the database file.
    public let path: String

    private let readers: ReaderPool

    /// What the collector of metrics knows the snapshot by. Freed when the snapshot is closed.
    private let hold = Locked<AnyObject?>(nil)

    // MARK: - Creating

    /// Creates a snapshot of what a connection sees: in its transaction, or else now.
    ///
    /// ```swift
    /// let snapshot = try dbPool.read { db in
    ///     try DatabaseSnapshotPool(db)
    /// }
    /// ```
    ///
    /// - parameter db: a connection, outside of a transaction that has changed something.
    /// - parameter configuration: the configuration of the connections of the snapshot; nil for that
    ///   of `db`.
    /// - throws: a ``DatabaseError``: of code `SQLITE_ERROR` when the database is not in WAL mode, or
    ///   has nothing in its WAL file, or when the transaction has changed something.
    public convenience init(_ db: Database, configuration: Configuration? = nil) throws {
        func make() throws -> DatabaseSnapshotPool.Parts {
            let snapshot = try WALSnapshot(db)
            return try Parts(
                path: db.path, configuration: configuration ?? db.configuration,
                defaultLabel: Self.defaultLabel, purpose: nil, snapshot: snapshot,
                fileIdentity: db.raw.fileIdentity)
        }
        // The transaction keeps the snapshot until a connection has opened it.
        try self.init(db.isInsideTransaction ? make() : db.inReadOnlyTransaction(make))
    }

    /// Creates a snapshot of the database at a path.
    ///
    /// - parameter path: the path of a database in WAL mode.
    /// - parameter configuration: a configuration.
    /// - throws: a ``DatabaseError``: of code `SQLITE_ERROR` when the database is not in WAL mode, or
    ///   has nothing in its WAL file.
    public convenience init(
        path: String, configuration: Configuration = Configuration()
    ) throws {
        try self.init(
            path: path, configuration: configuration, defaultLabel: Self.defaultLabel,
            purpose: nil, snapshot: nil)
    }

    convenience init(
        path: String, configuration: Configuration, defaultLabel: String, purpose: String?,
        snapshot: WALSnapshot?, fileIdentity: FileIdentity? = nil
    ) throws {
        try self.init(
            Parts(
                path: path, configuration: configuration, defaultLabel: defaultLabel,
                purpose: purpose, snapshot: snapshot, fileIdentity: fileIdentity))
    }

    private init(_ parts: Parts) {
        configuration = parts.configuration
        path = parts.path
        readers = parts.readers
        let description = configuration.queueLabel(
            default: Self.defaultLabel, purpose: parts.purpose)
        hold.withLock { [configuration] in
            $0 = configuration.metricsCollector?.holdSnapshot(description)
        }
    }

    private static let defaultLabel = "GRDB.DatabaseSnapshotPool"

    /// The connections of a snapshot pool, which all open the same snapshot.
    private struct Parts {
        let path: String
        let configuration: Configuration
        let readers: ReaderPool
        let purpose: String?

        /// - parameter snapshot: nil for what the database holds now.
        /// - parameter fileIdentity: the file that all connections must have open; nil for that of the
        ///   first one.
        init(
            path: String, configuration: Configuration, defaultLabel: String, purpose: String?,
            snapshot: WALSnapshot?, fileIdentity: FileIdentity?
        ) throws {
            guard configuration.maximumReaderCount >= 1 else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: "configuration.maximumReaderCount must be at least 1")
            }
            self.path = path
            self.purpose = purpose
            let configuration = configuration.forSnapshot
            self.configuration = configuration
            let sharedSnapshot = Locked(snapshot)
            let sharedIdentity = Locked(fileIdentity)
            let process = OwningProcess()
            readers = ReaderPool(
                maximumCount: configuration.maximumReaderCount, qos: configuration.readQoS
            ) { number in
                try process.checkAccess()
                return try SerializedDatabase(
                    path: DatabaseURI.readOnlyPath(path), configuration: configuration,
                    defaultLabel: defaultLabel,
                    purpose: [purpose, "reader.\(number)"].compactMap { $0 }
                        .joined(separator: "."),
                    isReader: true,
                    setUp: { db in
                        let identity = sharedIdentity.withLock { identity in
                            identity = identity ?? db.raw.fileIdentity
                            return identity
                        }
                        try db.checkFile(is: identity)
                        try db.beginSnapshot()
                        if let snapshot = sharedSnapshot.withLock({ $0 }) {
                            try snapshot.open(in: db)
                        } else {
                            // The first connection. Its transaction keeps the snapshot.
                            let snapshot = try WALSnapshot(db)
                            sharedSnapshot.withLock { $0 = snapshot }
                        }
                    },
                    onEnd: { db in
                        try db.restoreSnapshot(sharedSnapshot.withLock { $0 })
                    })
            }
            try readers.giveBack(readers.borrow())
        }
    }

    // MARK: - Closing and interrupting

    /// Closes all connections, when the accesses that were asked for before have ended.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_BUSY` when living statements prevent a
    ///   connection from closing. The snapshot can then still be used, and closed later. Of code
    ///   `SQLITE_MISUSE` when called from an access of the snapshot.
    public func close() throws {
        try checkNotInAccess()
        do {
            try readers.enterBarrier()
        } catch {
            // Closed already.
            return
        }
        defer { readers.leaveBarrier() }
        // A connection that stays open keeps the snapshot for those that are opened again.
        _ = try readers.close()
        readers.refuseRequests()
        hold.withLock { $0 = nil }
    }

    public func interrupt() {
        readers.interrupt()
    }

    // MARK: - Reading

    private func checkNotInAccess() throws {
        if AccessStack.first(where: { readers.owns($0) }) != nil {
            throw SerializedDatabase.reentrancyError
        }
    }

    public func read<T>(_ value: (Database) throws -> T) throws -> T {
        try checkNotInAccess()
        let reader = try readers.borrow()
        defer { readers.giveBack(reader) }
        var result: T?
        try reader.syncExclusively { db in
            result = try db.inSnapshotAccess { try value(db) }
        }
        return result!
    }

    public func read<T: Sendable>(
        _ value: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await readers.execute { db in
            try db.inSnapshotAccess { try value(db) }
        }
    }

    public func asyncRead(
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        readers.async { Database.inSnapshotAccess($0, value) }
    }

    public func unsafeRead<T: Sendable>(
        _ value: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await read(value)
    }

    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        if let current = AccessStack.first(where: { readers.owns($0) }) {
            return try current.execute(value)
        }
        return try read(value)
    }
}
