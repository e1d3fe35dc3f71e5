import Dispatch

/// Read-only connections that all see the content of a database at the time the snapshot was
/// created.
///
/// ```swift
/// let dbPool = try DatabasePool(path: "/path/to/database.sqlite")
/// let snapshot = try dbPool.makeSnapshotPool()
/// let count = try snapshot.read { db in
///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
/// }
/// ```
///
/// A snapshot pool has up to ``Configuration/maximumReaderCount`` read-only connections, opened on
/// demand. The database must be in WAL mode. The snapshot prevents the WAL file from being reset:
/// don't keep it longer than needed.
///
/// A snapshot pool can be used from any thread. Each connection has its own dispatch queue. The
/// connections are closed when the snapshot is deallocated, or by ``close()``.
///
/// Related SQLite documentation: <https://www.sqlite.org/c3ref/snapshot.html>
public final class DatabaseSnapshotPool: DatabaseSnapshotReader {
    public let configuration: Configuration

    /// The path with which the file was opened.
    public let path: String

    private let readers: ReaderPool

    /// The registration of the snapshot with the meter of accesses. Freed when the snapshot is closed.
    private let hold = Locked<AnyObject?>(nil)

    // MARK: - Creating

    /// Creates a snapshot of the content that a connection sees in its transaction, or now if it is in
    /// no transaction.
    ///
    /// ```swift
    /// let snapshot = try dbPool.read { db in
    ///     try DatabaseSnapshotPool(db)
    /// }
    /// ```
    ///
    /// - parameter db: a connection, in no transaction or in one that has changed nothing.
    /// - parameter configuration: the configuration of the snapshot's connections. Nil, the default, uses
    ///   the configuration of `db`.
    /// - throws: a ``DatabaseError`` of code `SQLITE_ERROR` when the database is not in WAL mode, its WAL
    ///   file is empty, or the transaction has changed something.
    public convenience init(_ db: Database, configuration: Configuration? = nil) throws {
        func make() throws -> DatabaseSnapshotPool.Parts {
            let snapshot = try WALSnapshot(db)
            return try Parts(
                path: db.openedPath(), configuration: configuration ?? db.configuration,
                defaultLabel: Self.defaultLabel, purpose: nil, snapshot: snapshot,
                fileIdentity: db.raw.fileIdentity)
        }
        // The transaction protects the snapshot until a connection has opened it.
        try self.init(db.isInsideTransaction ? make() : db.inReadOnlyTransaction(make))
    }

    /// Creates a snapshot of the database at a path.
    ///
    /// - parameter path: the path of a database in WAL mode.
    /// - parameter configuration: a configuration.
    /// - throws: a ``DatabaseError`` of code `SQLITE_ERROR` when the database is not in WAL mode, or its
    ///   WAL file is empty.
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
        path = SQLText.pathWithoutKeys(parts.path)
        readers = parts.readers
        let description = configuration.queueLabel(
            default: Self.defaultLabel, purpose: parts.purpose)
        hold.withLock { [configuration] in
            $0 = configuration.accessMeter?.holdSnapshot(description)
        }
    }

    private static let defaultLabel = "GRDB.DatabaseSnapshotPool"

    /// The stored properties of a snapshot pool. All its connections open the same snapshot.
    ///
    /// A class, because the functions that copy such a structure take 3 KB.
    private final class Parts {
        let path: String
        let configuration: Configuration
        let readers: ReaderPool
        let purpose: String?

        /// - parameter snapshot: nil for the current content of the database.
        /// - parameter fileIdentity: the file that all connections must have open; nil for the file that the
        ///   first connection opens.
        init(
            path: String, configuration: Configuration, defaultLabel: String, purpose: String?,
            snapshot: WALSnapshot?, fileIdentity: FileIdentity?
        ) throws {
            try configuration.checkReaderCount()
            self.path = path
            self.purpose = purpose
            let configuration = configuration.forSnapshot
            self.configuration = configuration
            let sharedSnapshot = Locked(snapshot)
            let sharedIdentity = Locked(fileIdentity)
            let process = OwningProcess()
            readers = ReaderPool(
                maximumCount: configuration.maximumReaderCount, qos: configuration.readQoS,
                meter: configuration.accessMeter
            ) { number in
                try process.checkAccess()
                return try SerializedDatabase(
                    path: DatabasePath.readOnlyPath(path), configuration: configuration,
                    defaultLabel: defaultLabel,
                    purpose: [purpose, "reader.\(number)"].compactMap { $0 }
                        .joined(separator: "."),
                    isReader: true, isPooled: true,
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
                            // This is the first connection. Its transaction protects the snapshot.
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

    /// Closes all connections, after the accesses requested before have ended.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_BUSY` when unfinalized statements prevent a
    ///   connection from closing: the snapshot remains usable, and can be closed later. Of code
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
        // If a connection can't close, it protects the snapshot for connections opened later.
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
