import Dispatch

/// Several connections to one SQLite database: one that writes, and others that read at the same
/// time.
///
/// ```swift
/// let dbPool = try DatabasePool(path: "/path/to/database.sqlite")
///
/// try dbPool.write { db in
///     try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Arthur"])
/// }
///
/// let count = try dbPool.read { db in
///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
/// }
/// ```
///
/// A pool has one connection that writes, and up to ``Configuration/maximumReaderCount`` read-only
/// ones, which are opened when they are wanted. Unless it is read-only, it puts the database in the
/// WAL mode, in which reads and writes don't wait for each other. Writes are serialized. Reads run in
/// parallel, each in a transaction of its own; when all connections are taken, a read waits for its
/// turn.
///
/// A pool can be used from any thread. Writes run on one dispatch queue, the reads of each connection
/// on another. The connections are closed when the pool is deallocated, or by ``close()``.
///
/// Related SQLite documentation: <https://www.sqlite.org/wal.html>
public final class DatabasePool: DatabaseWriter {
    let writer: SerializedDatabase
    let batcher: WriteBatcher
    let readers: ReaderPool

    /// The file that the writer has open.
    let fileIdentity: FileIdentity?

    /// The process that opens connections for the pool.
    let process: OwningProcess

    /// The number of snapshots that were taken, for their labels.
    let snapshotCount = Locked(0)

    public var configuration: Configuration { writer.configuration }

    /// The path to the database.
    public var path: String { writer.path }

    // MARK: - Opening

    /// Opens or creates an SQLite database.
    ///
    /// ```swift
    /// let dbPool = try DatabasePool(path: "/path/to/database.sqlite")
    /// ```
    ///
    /// - parameter path: the path of a file, or a `file:…` URI.
    /// - parameter configuration: a configuration.
    /// - throws: a ``DatabaseError``: of code `SQLITE_MISUSE` when `maximumReaderCount` is less than
    ///   1, of code `SQLITE_ERROR` when the database can't be in WAL mode because it is in memory.
    public init(path: String, configuration: Configuration = Configuration()) throws {
        guard configuration.maximumReaderCount >= 1 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "configuration.maximumReaderCount must be at least 1")
        }
        writer = try SerializedDatabase(
            path: path, configuration: configuration, defaultLabel: Self.defaultLabel,
            purpose: "writer",
            setUp: { db in
                if configuration.readonly { return }
                try db.setUpWALMode()
                try db.makeFirstWALFrame()
                if case .immediateError = configuration.busyMode {
                    db.raw.setBusyGrace()
                }
            })
        batcher = WriteBatcher(writer)
        let fileIdentity = writer.fileIdentity
        self.fileIdentity = fileIdentity
        let process = OwningProcess()
        self.process = process
        let readerConfiguration = configuration.forReader
        let readerPath = DatabaseURI.readOnlyPath(path)
        readers = ReaderPool(
            maximumCount: configuration.maximumReaderCount, qos: configuration.readQoS,
            hasTargetQueue: configuration.targetQueue != nil,
            collector: configuration.metricsCollector
        ) { number in
            try process.checkAccess()
            return try SerializedDatabase(
                path: readerPath, configuration: readerConfiguration,
                defaultLabel: Self.defaultLabel,
                purpose: "reader.\(number)", isReader: true,
                setUp: { try $0.checkFile(is: fileIdentity) })
        }
    }

    /// Opens a database by URI, with typed parameters.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_CANTOPEN` if the file can't be opened or
    ///   created, `SQLITE_NOTADB` if it is not a database; or the error of a closure of
    ///   ``Configuration/prepareDatabase(_:)``.
    public convenience init(
        uri: DatabaseURI, configuration: Configuration = Configuration()
    ) throws {
        try self.init(path: uri.checkedString(), configuration: configuration)
    }

    static let defaultLabel = "GRDB.DatabasePool"

    deinit {
        // Before the writer: the connection that closes last removes the WAL file, which readers
        // can't.
        readers.invalidate()
    }

    // MARK: - Closing and interrupting

    /// Closes all connections, when the accesses that were asked for before have ended.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_BUSY` when living statements prevent a
    ///   connection from closing. The pool can then still be used, and closed later. Of code
    ///   `SQLITE_MISUSE` when called from an access of the pool.
    public func close() throws {
        try checkNotInAccess()
        var isDone = false
        while !isDone {
            do {
                try readers.enterBarrier()
            } catch {
                // Closed already.
                return
            }
            defer { readers.leaveBarrier() }
            try writer.whileUnused {
                guard try readers.close() else { return }
                isDone = true
                do {
                    try writer.closeExclusively()
                } catch {
                    readers.stayOpen()
                    throw error
                }
                readers.refuseRequests()
            }
        }
    }

    public func interrupt() {
        writer.interrupt()
        readers.interrupt()
    }

    // MARK: - Memory

    /// Frees as much memory as possible, and waits until it is done: it waits for the accesses that
    /// run, unless it is called from one of them.
    ///
    /// Read-only connections are closed, unless the configuration says that they are persistent.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/db_release_memory.html>
    public func releaseMemory() {
        releaseReaderMemory()
        if !isInAccess, (try? readers.enterBarrier()) != nil {
            releaseReaderMemory()
            readers.leaveBarrier()
        }
        waitingForWriter { writer.reentrantSyncOrTrap { $0.releaseMemory() } }
    }

    /// Frees as much memory as possible, soon, and returns immediately.
    ///
    /// Read-only connections are closed as soon as they are not used, unless the configuration says
    /// that they are persistent.
    public func releaseMemoryEventually() {
        releaseReaderMemory()
        writer.asyncIgnoringClosure { $0.releaseMemory() }
    }

    private func releaseReaderMemory() {
        if configuration.persistentReadOnlyConnections {
            readers.withIdleReaders { reader in
                try? reader.exclusiveAccess { $0.releaseMemory() }
            }
        } else {
            readers.invalidate()
        }
    }

    /// Closes the read-only connections. Connections in use are closed when their access ends.
    /// Later reads open new connections.
    ///
    /// ```swift
    /// // Functions are defined by `prepareDatabase`, when a connection is opened.
    /// dbPool.invalidateReadOnlyConnections()
    /// ```
    public func invalidateReadOnlyConnections() {
        readers.invalidate()
    }

    // MARK: - Accesses of the current thread

    /// The connection of the innermost read of the current thread.
    var currentReader: SerializedDatabase? {
        AccessStack.first { readers.owns($0) }
    }

    var isInAccess: Bool { writer.isOwnedByCurrentThread || currentReader != nil }

    func checkNotInAccess() throws {
        if isInAccess { throw SerializedDatabase.reentrancyError }
    }

    func checkNotInRead() throws {
        if currentReader != nil { throw SerializedDatabase.reentrancyError }
    }

    var readUrgency: ReaderPool.Urgency {
        writer.isOwnedByCurrentThread ? .urgent : .normal
    }

    /// Runs a closure that waits for the writer. Reads inside of writes must not wait for the
    /// connection that the current thread may hold.
    @inline(__always)
    func waitingForWriter<T>(_ body: () throws -> T) rethrows -> T {
        guard AccessStack.isInAccess, currentReader != nil, !writer.isOwnedByCurrentThread else {
            return try body()
        }
        readers.block()
        defer { readers.unblock() }
        return try body()
    }
}

extension Configuration {
    /// The configuration of a connection that reads, beside one that writes.
    var forReader: Configuration {
        var configuration = self
        configuration.readonly = true
        // A transaction that is left open would hide later changes.
        configuration.allowsUnsafeTransactions = false
        // They take no lock that the system minds.
        configuration.observesSuspensionNotifications = readonly && observesSuspensionNotifications
        if readonlyBusyMode != nil { return configuration }
        switch busyMode {
        case .callback:
            break
        case .immediateError:
            configuration.busyMode = .timeout(10)
        case .timeout(let duration):
            // In WAL mode, readers only wait when a connection opens, closes, or recovers the file.
            configuration.busyMode = .timeout(max(duration, 10))
        }
        return configuration
    }
}

extension Database {
    /// Writes something that changes nothing if the WAL file is empty: snapshots can only be taken
    /// when it isn't.
    fileprivate func makeFirstWALFrame() throws {
        let isEmpty = try inReadOnlyTransaction { (try? RawSnapshot(raw)) == nil }
        guard isEmpty else { return }
        do {
            try inTransaction(.immediate) {
                try setUserVersion(userVersion())
                return .commit
            }
        } catch DatabaseError.SQLITE_BUSY {
            // Another connection is writing a frame just now.
        } catch DatabaseError.SQLITE_READONLY {
            // A file that can't be written can still be read.
        }
    }
}
