import Dispatch
public import Foundation

/// Reads a copy of a database that another program keeps up to date, page by page.
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
/// Don't open it with a ``DatabasePool`` or a ``DatabaseQueue``. The follower does not raise the change
/// counter of SQLite with each transaction, so that a connection that stays open mixes pages of its cache
/// with newer ones. A replica forgets its cache whenever the file may have changed, keeps the follower
/// from writing while it reads, and checks before each read that the last transaction was applied
/// completely.
///
/// ### Long reads
///
/// The follower waits for the reads that run, and later reads wait for the follower. Keep reads short:
/// one that takes a minute makes the replica a minute old.
///
/// ### Observation
///
/// A `ValueObservation` of a replica fetches again after each arrival, whatever was changed: use
/// `removeDuplicates()`.
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
/// ``status`` has the ID of the last transaction and the time of its arrival.
/// ``waitForTransaction(_:timeout:)`` waits for a transaction, so that a client reads its own writes. A
/// follower that stands still is reported: see ``Settings/stallLimit``.
///
/// ### The journal mode
///
/// A replica of a database in WAL mode is restored in WAL mode, in which a reader keeps the follower from
/// writing for as long as it is open. A replica switches the file to the rollback mode when it opens it:
/// the process must be allowed to write the file. `litestream` does the same when it applies the first
/// transaction.
///
/// All methods may be called from any thread. The replica has up to
/// ``Configuration/maximumReaderCount`` connections, which never write.
public final class DatabaseReplica: ArrivingReader {
    /// How a replica watches its follower.
    public struct Settings: Sendable {
        /// The path of the file that holds the ID of the last transaction. Nil, the default, for the file
        /// that Litestream writes: the path of the database and `-txid`.
        public var transactionIDPath: String?

        /// The time between two looks for new transactions, in seconds. The default is 0.1.
        ///
        /// Reads always see the latest transaction. Observations and ``DatabaseReplica/onArrival(_:)``
        /// wait for the next look.
        public var pollInterval: TimeInterval = 0.1

        /// The time without any transaction, in seconds, after which the follower is reported as stalled.
        /// The default is nil: an idle source can't be told from a follower that has died.
        ///
        /// Set it if the source writes regularly, a row every ten seconds for example.
        public var stallLimit: TimeInterval?

        /// Called when the follower has stalled, once for each stall, with a
        /// ``DatabaseReplicaError/stalled(_:)``, or a ``DatabaseReplicaError/incomplete(path:)`` or
        /// ``DatabaseReplicaError/notFollowed(path:)`` that lasts. By default, the error goes to
        /// ``Database/logError``.
        public var onStall: (@Sendable (DatabaseReplicaError) -> Void)?

        /// Whether reads throw ``DatabaseReplicaError/stalled(_:)`` while the follower is stalled. The
        /// default is false: they return what is there.
        public var refusesStalledReads = false

        /// The time, in seconds, that a read waits for a follower that has not finished a transaction.
        /// The default is 2.
        public var patience: TimeInterval = 2

        /// Creates the default settings.
        public init() {}
    }

    public let configuration: Configuration

    /// The path to the database file.
    public let path: String

    /// How the replica watches its follower.
    public let settings: Settings

    let readers: ReaderPool
    let files: ReplicaFiles
    let watcher: ReplicaWatcher

    // MARK: - Opening

    /// Opens a replica.
    ///
    /// - parameters:
    ///   - path: the path of the file that the follower writes. It must be there already.
    ///   - configuration: a configuration, which becomes read-only. Memory-mapped reads are switched off.
    ///   - settings: how to watch the follower.
    /// - throws: a ``DatabaseReplicaError`` if no follower has restored a database at this path; a
    ///   ``DatabaseError``, of code `SQLITE_CANTOPEN` if the file can't be opened, `SQLITE_MISUSE` when
    ///   `maximumReaderCount` is less than 1.
    public init(
        path: String, configuration: Configuration = Configuration(),
        settings: Settings = Settings()
    ) throws {
        guard configuration.maximumReaderCount >= 1 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "configuration.maximumReaderCount must be at least 1")
        }
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
            collector: configuration.metricsCollector
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

    /// Why the follower is considered to stand still; nil if it does not, or if this is not known: see
    /// ``Settings/stallLimit``.
    public var stall: DatabaseReplicaError? { watcher.stall }

    /// Waits until a transaction has arrived.
    ///
    /// Have the server that writes return its position with the answer, and wait for it on the server that
    /// reads:
    ///
    /// ```swift
    /// try await replica.waitForTransaction(position.transactionID, timeout: 5)
    /// let player = try await replica.read { db in try Player.find(db, id: id) }
    /// ```
    ///
    /// - parameters:
    ///   - id: an ID of Litestream, see ``ReplicationPosition``.
    ///   - timeout: the time to wait for it, in seconds.
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

    /// Calls a function when transactions have arrived, until the result is cancelled or deallocated.
    ///
    /// ```swift
    /// let cancellable = replica.onArrival { status in
    ///     print("transaction \(status.transactionID)")
    /// }
    /// ```
    ///
    /// Several transactions can share a call.
    ///
    /// - parameter onArrival: called on a queue of the replica. It may read the replica.
    public func onArrival(
        _ onArrival: @escaping @Sendable (ReplicaStatus) -> Void
    ) -> AnyDatabaseCancellable {
        watcher.add(onArrival)
    }

    func observeArrivals(_ onArrival: @escaping @Sendable () -> Void) -> AnyDatabaseCancellable {
        watcher.add { _ in onArrival() }
    }

    // MARK: - Closing and interrupting

    /// Closes all connections, when the accesses that were asked for before have ended.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_BUSY` when living statements prevent a connection
    ///   from closing. The replica can then still be used, and closed later. Of code `SQLITE_MISUSE` when
    ///   called from an access of the replica.
    public func close() throws {
        try checkNotInAccess()
        do {
            try readers.enterBarrier()
        } catch {
            // Closed already.
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
    /// Opens a copy of a database that a follower of Litestream keeps up to date.
    ///
    /// ```swift
    /// let replica = try DatabasePool.replica(path: "/var/lib/app/replica.sqlite")
    /// ```
    ///
    /// The same as ``DatabaseReplica/init(path:configuration:settings:)``.
    ///
    /// - throws: a ``DatabaseReplicaError``, or a ``DatabaseError``.
    public static func replica(
        path: String, configuration: Configuration = Configuration(),
        settings: DatabaseReplica.Settings = DatabaseReplica.Settings()
    ) throws -> DatabaseReplica {
        try DatabaseReplica(path: path, configuration: configuration, settings: settings)
    }
}
