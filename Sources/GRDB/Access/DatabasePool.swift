import Dispatch

/// A writer connection and concurrent read-only connections to one SQLite database.
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
/// connections, opened on demand. Unless it is read-only, the pool puts the database in WAL mode,
/// in which reads and writes don't wait for each other. Writes are serialized. Reads run in
/// parallel, each in its own transaction. When all read-only connections are in use, a read waits
/// for its turn.
///
/// A pool can be used from any thread. Writes run on one dispatch queue. Each read-only connection has
/// a queue of its own. The connections are closed when the pool is deallocated, or by ``close()``.
///
/// See <doc:Connections> for the choice between a queue and a pool.
///
/// Related SQLite documentation: <https://www.sqlite.org/wal.html>
public final class DatabasePool: DatabaseWriter {
    let writer: SerializedDatabase
    let readers: ReaderPool

    /// The file that the writer has open.
    let fileIdentity: FileIdentity?

    /// The process that may open connections for the pool.
    let process: OwningProcess

    /// The number of snapshots created so far, used in their labels.
    let snapshotCount = Locked(0)

    public var configuration: Configuration { writer.configuration }

    /// The path with which the file was opened.
    public var path: String { writer.path }

    // MARK: - Opening

    /// Opens a database file, and creates it if it does not exist.
    ///
    /// ```swift
    /// let dbPool = try DatabasePool(path: "/path/to/database.sqlite")
    /// ```
    ///
    /// - parameter path: the path of a file, or a `file:…` URI.
    /// - parameter configuration: a configuration.
    /// - throws: a ``DatabaseError``: of code `SQLITE_MISUSE` when `maximumReaderCount` is less than
    ///   1, of code `SQLITE_ERROR` when the database can't use WAL mode because it is in memory.
    public init(path: String, configuration: Configuration = Configuration()) throws {
        try configuration.checkReaderCount()
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
        let fileIdentity = writer.fileIdentity
        self.fileIdentity = fileIdentity
        let process = OwningProcess()
        self.process = process
        let readerConfiguration = configuration.forReader
        let suspension = writer.db.suspension
        let readerPath = DatabasePath.readOnlyPath(path)
        readers = ReaderPool(
            maximumCount: configuration.maximumReaderCount, qos: configuration.readQoS,
            hasTargetQueue: configuration.targetQueue != nil,
            meter: configuration.accessMeter
        ) { number in
            try process.checkAccess()
            let reader = try SerializedDatabase(
                path: readerPath, configuration: readerConfiguration,
                defaultLabel: Self.defaultLabel,
                purpose: "reader.\(number)", isReader: true, isPooled: true,
                setUp: { try $0.checkFile(is: fileIdentity) })
            // A reader that is opened after the pool was resumed does not begin suspended.
            if suspension?.isSuspended == false { reader.db.suspension?.resume() }
            return reader
        }
        if configuration.automaticMemoryManagement, MemoryObserver.isUseful {
            memoryObserver.withLock { observer in
                observer = MemoryObserver { [weak self] in self?.releaseMemoryEventually() }
            }
        }
    }

    private let memoryObserver = Locked<MemoryObserver?>(nil)

    static let defaultLabel = "GRDB.DatabasePool"

    deinit {
        // Close the readers before the writer: the last connection to close removes the WAL file, which
        // a read-only connection can't do.
        readers.invalidate()
    }

    // MARK: - Closing and interrupting

    /// Closes all connections, after the accesses requested before have ended.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_BUSY` when unfinalized statements prevent a
    ///   connection from closing: the pool remains usable, and can be closed later. Of code
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

    /// Frees the memory that the connections can do without, and returns when this is done. Waits
    /// for running accesses to end, unless called from one of them.
    ///
    /// Read-only connections are closed, unless the configuration makes them persistent.
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

    /// Starts to free the memory that the connections can do without, and returns at once.
    ///
    /// Read-only connections are closed as soon as they are idle, unless the configuration makes them
    /// persistent.
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

    /// The connection of the current thread's innermost read.
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

    /// Runs a closure that waits for the writer. If the current thread holds a read-only connection,
    /// reads made inside of writes don't wait for it meanwhile.
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
    /// - throws: an error if pools could have no reader.
    package func checkReaderCount() throws {
        if maximumReaderCount >= 1 { return }
        throw DatabaseError(misuse: "configuration.maximumReaderCount must be at least 1")
    }

    /// The configuration of a read-only connection next to a writer connection.
    package var forReader: Configuration {
        var configuration = self
        configuration.readonly = true
        // A transaction that is left open would hide later changes.
        configuration.allowsUnsafeTransactions = false
        // Readers next to a writer take no lock that the system objects to in a suspended app.
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
    /// Writes a frame to an empty WAL file, without changing any content. SQLite can't take snapshots
    /// while the WAL file is empty.
    fileprivate func makeFirstWALFrame() throws {
        let isEmpty = try inReadOnlyTransaction { (try? RawSnapshot(raw)) == nil }
        guard isEmpty else { return }
        do {
            try inTransaction(.immediate) {
                let version = try Int.fetchOne(self, sql: "PRAGMA main.user_version") ?? 0
                try execute(sql: "PRAGMA main.user_version = \(version)")
                return .commit
            }
        } catch DatabaseError.SQLITE_BUSY {
            // Another connection is writing, and so creates a frame.
        } catch DatabaseError.SQLITE_READONLY {
            // A read-only file can still be read.
        }
    }
}
