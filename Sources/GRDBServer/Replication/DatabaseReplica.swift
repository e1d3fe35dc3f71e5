import GRDB
import Dispatch
public import _GRDBSystem

/// A reader of a database copy that another program keeps up to date, page by page.
///
/// `litestream restore -f` restores a database and then follows its replica: it writes the pages of each
/// new transaction into the file. Open that file with this type:
///
/// ```swift
/// // litestream restore -f -o /var/lib/app/replica.sqlite s3://bucket/app
/// let replica = try DatabaseReplica(path: "/var/lib/app/replica.sqlite")
/// let count = try await replica.read { db in
///     try Player.fetchCount(db)
/// }
/// ```
///
/// Don't open it with a ``/GRDB/DatabasePool`` or a ``/GRDB/DatabaseQueue``. The follower does not increment
/// SQLite's change counter with each transaction, so an open connection would mix cached pages with
/// newer ones. A replica drops its cache whenever the file may have changed, prevents the follower
/// from writing during reads, and checks before each read that the last transaction was applied
/// completely.
///
/// ### Long reads
///
/// The follower waits for running reads, and later reads wait for the follower. Keep reads short: a
/// read that takes a minute delays the replica by a minute.
///
/// ### Observation
///
/// A `ValueObservation` of a replica fetches a value whenever transactions arrive, even if they
/// don't change its region: use `removeDuplicates()`.
///
/// ```swift
/// let observation = ValueObservation
///     .tracking { db in try Player.fetchCount(db) }
///     .removeDuplicates()
/// for try await count in observation.values(in: replica) {
///     print("\(count) players")
/// }
/// ```
///
/// ### Lag
///
/// ``status`` returns the ID of the last transaction and the time of its arrival.
/// ``waitForTransaction(_:timeout:)`` waits for a transaction, so that a client can read its own
/// writes. Stalled followers are reported: see ``Settings/stallLimit``.
///
/// ### Journal mode
///
/// Litestream restores a database in WAL mode in the same mode, in which an open reader prevents
/// the follower from writing. `DatabaseReplica` therefore switches the file to rollback mode when
/// it opens it, which requires permission to write the file. `litestream` does the same when it
/// applies the first transaction.
///
/// All methods may be called from any thread. The replica has up to
/// ``/GRDB/Configuration/maximumReaderCount`` connections, which never write.
public final class DatabaseReplica: ArrivingReader {
    /// Settings for following a database.
    public struct Settings: Sendable {
        /// The path of the file that contains the ID of the last transaction. If nil, the default,
        /// the file written by Litestream: the path of the database followed by `-txid`.
        public var transactionIDPath: String?

        /// The interval between checks for new transactions, in seconds. The default is 0.1.
        ///
        /// Reads always see the latest transaction. Observations and
        /// ``DatabaseReplica/onArrival(_:)`` wait for the next check.
        public var pollInterval: TimeInterval = 0.1

        /// The time without transactions, in seconds, after which the follower is reported as
        /// stalled. The default is nil, because an idle source can't be distinguished from a
        /// terminated follower.
        ///
        /// Set it if the source writes regularly, for example one row every ten seconds.
        public var stallLimit: TimeInterval?

        /// Called once per stall, with ``DatabaseReplicaError/stalled(_:)``, or with a persistent
        /// ``DatabaseReplicaError/incomplete(path:)`` or
        /// ``DatabaseReplicaError/notFollowed(path:)``. By default, the error is sent to
        /// ``/GRDB/Database/logError``.
        public var onStall: (@Sendable (DatabaseReplicaError) -> Void)?

        /// Whether reads throw ``DatabaseReplicaError/stalled(_:)`` while the follower is stalled.
        /// The default is false: reads then return the current content.
        public var refusesStalledReads = false

        /// The time, in seconds, that a read waits for the follower to finish a transaction. The
        /// default is 2.
        public var patience: TimeInterval = 2

        /// Creates settings with default values.
        public init() {}
    }

    public let configuration: Configuration

    /// The path with which the file was opened.
    public let path: String

    /// The settings of the replica.
    public let settings: Settings

    let readers: ReaderPool
    let files: ReplicaFiles
    let watcher: ReplicaWatcher

    // MARK: - Opening

    /// Opens a replica.
    ///
    /// - parameters:
    ///   - path: the path of the file that the follower writes. It must exist.
    ///   - configuration: a configuration, which is made read-only. Memory-mapped reads are
    ///     disabled.
    ///   - settings: settings for following the database.
    /// - throws: a ``DatabaseReplicaError`` if no follower has restored a database at this path; a
    ///   ``/GRDB/DatabaseError``, of code `SQLITE_CANTOPEN` if the file can't be opened, `SQLITE_MISUSE`
    ///   if `maximumReaderCount` is less than 1.
    public init(
        path: String, configuration: Configuration = Configuration(),
        settings: Settings = Settings()
    ) throws {
        try configuration.checkReaderCount()
        let configuration = configuration.forReader
        self.configuration = configuration
        self.path = path
        self.settings = settings
        let files = ReplicaFiles(
            databasePath: path, transactionIDPath: settings.transactionIDPath ?? path + "-txid")
        self.files = files
        _ = try files.stamp()
        let process = OwningProcess()
        readers = ReaderPool(
            maximumCount: configuration.maximumReaderCount, qos: configuration.readQoS,
            hasTargetQueue: configuration.targetQueue != nil,
            meter: configuration.accessMeter
        ) { number in
            try process.checkAccess()
            return try Self.openReader(
                path: path, configuration: configuration, number: number,
                patience: settings.patience)
        }
        watcher = ReplicaWatcher(files: files, settings: settings)
        try readers.giveBack(readers.borrow())
        watcher.start()
    }

    static let defaultLabel = "GRDB.DatabaseReplica"

    deinit { watcher.stop() }

    // MARK: - Following

    /// The last transaction that was applied.
    ///
    /// - throws: a ``DatabaseReplicaError``.
    public var status: ReplicaStatus {
        get throws {
            let (id, appliedAt) = try files.lastTransaction()
            return ReplicaStatus(transactionID: id, nanoseconds: appliedAt)
        }
    }

    /// The reason why the follower is considered stalled; nil if it is not, or if this is unknown:
    /// see ``Settings/stallLimit``.
    public var stall: DatabaseReplicaError? { watcher.stall }

    /// Waits until a transaction has arrived.
    ///
    /// The server that writes returns its position with the answer, and the server that reads waits
    /// for this position:
    ///
    /// ```swift
    /// try await replica.waitForTransaction(position.transactionID, timeout: 5)
    /// let player = try await replica.read { db in try Player.find(db, id: id) }
    /// ```
    ///
    /// - parameters:
    ///   - id: a transaction ID of Litestream: see ``ReplicationPosition``.
    ///   - timeout: the maximum time to wait, in seconds.
    /// - returns: the status of the replica.
    /// - throws: ``DatabaseReplicaError/behind(_:awaited:)`` if the transaction does not arrive in time;
    ///   another ``DatabaseReplicaError``; `CancellationError` when the task is cancelled.
    @discardableResult
    public func waitForTransaction(
        _ id: UInt64, timeout: TimeInterval = 10
    ) async throws -> ReplicaStatus {
        let start = Monotonic.nanoseconds
        let interval = UInt64(max(0.001, min(settings.pollInterval, 1)) * 1e9)
        while true {
            try Task.checkCancellation()
            let status = try status
            if status.transactionID >= id { return status }
            let elapsed = TimeInterval(Monotonic.nanoseconds - start) / 1e9
            if elapsed >= timeout { throw DatabaseReplicaError.behind(status, awaited: id) }
            try await Task.sleep(nanoseconds: interval)
        }
    }

    /// Calls a closure when transactions have arrived, until the returned cancellable is cancelled
    /// or deallocated.
    ///
    /// ```swift
    /// let cancellable = replica.onArrival { status in
    ///     print("transaction \(status.transactionID)")
    /// }
    /// ```
    ///
    /// Several transactions may share one call.
    ///
    /// - parameter onArrival: called on a queue of the replica. It may read the replica.
    public func onArrival(
        _ onArrival: @escaping @Sendable (ReplicaStatus) -> Void
    ) -> AnyDatabaseCancellable {
        watcher.add(onArrival)
    }

    package func observeArrivals(_ onArrival: @escaping @Sendable () -> Void)
        -> AnyDatabaseCancellable
    {
        watcher.add { _ in onArrival() }
    }

    // MARK: - Closing and interrupting

    /// Closes all connections, after previously requested accesses have ended.
    ///
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_BUSY` if live statements prevent a connection
    ///   from closing, in which case the replica can still be used, and closed later; of code
    ///   `SQLITE_MISUSE` if called in an access of the replica.
    public func close() throws {
        try checkNotInAccess()
        do {
            try readers.enterBarrier()
        } catch {
            // The replica is already closed.
            return
        }
        defer { readers.leaveBarrier() }
        _ = try readers.close()
        readers.refuseRequests()
        watcher.stop()
    }

    public func interrupt() {
        readers.interrupt()
    }

    func checkNotInAccess() throws {
        if AccessStack.first(where: { readers.owns($0) }) != nil {
            throw SerializedDatabase.reentrancyError
        }
    }
}

extension ReplicaStatus {
    init(transactionID: UInt64, nanoseconds: Int64) {
        self.init(
            transactionID: transactionID,
            appliedAt: Date(timeIntervalSince1970: TimeInterval(nanoseconds) / 1e9))
    }
}

extension DatabasePool {
    /// Opens a database copy that Litestream keeps up to date.
    ///
    /// ```swift
    /// let replica = try DatabasePool.replica(path: "/var/lib/app/replica.sqlite")
    /// ```
    ///
    /// Equivalent to ``DatabaseReplica/init(path:configuration:settings:)``.
    ///
    /// - throws: a ``DatabaseReplicaError``, or a ``/GRDB/DatabaseError``.
    public static func replica(
        path: String, configuration: Configuration = Configuration(),
        settings: DatabaseReplica.Settings = DatabaseReplica.Settings()
    ) throws -> DatabaseReplica {
        try DatabaseReplica(path: path, configuration: configuration, settings: settings)
    }
}
