import GRDB
public import _GRDBSystem

/// An error of a ``DatabaseReplica``.
public enum DatabaseReplicaError: Error, Hashable, Sendable {
    /// There is no replica at the path, or no transaction ID file next to it: no follower has
    /// restored the database yet.
    case notFollowed(path: String)

    /// The file with the ID of the last transaction has invalid content.
    case invalidTransactionID(path: String, text: String)

    /// The database was written after its last transaction ID: the follower has terminated while
    /// applying a transaction. Restart the follower, or restore the replica again.
    case incomplete(path: String)

    /// The follower changed the database during a read, which may have seen an incomplete
    /// transaction. Followers that lock the database, such as Litestream 0.5.17, never cause this
    /// error.
    case changedDuringRead

    /// No transaction has arrived for too long: see ``DatabaseReplica/Settings/stallLimit``.
    case stalled(ReplicaStatus)

    /// A transaction did not arrive in time.
    case behind(ReplicaStatus, awaited: UInt64)
}

extension DatabaseReplicaError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notFollowed(let path):
            "No follower has restored a database: there is no file at \(path)"
        case .invalidTransactionID(let path, let text):
            "The file \(path) holds no transaction ID, but \(text.debugDescription)"
        case .incomplete(let path):
            """
            The replica at \(path) may hold a part of a transaction: its follower has ended, or stands \
            still, in the middle of it
            """
        case .changedDuringRead:
            "The follower changed the replica during a read"
        case .stalled(let status):
            """
            The replica stands still: transaction \(status.transactionID) was the last one, \
            \(Int(status.age)) seconds ago
            """
        case .behind(let status, let awaited):
            "The replica is at transaction \(status.transactionID), and not yet at \(awaited)"
        }
    }
}

extension DatabaseReplicaError: LocalizedError {
    public var errorDescription: String? { description }
}

/// The progress of a replica.
public struct ReplicaStatus: Hashable, Sendable {
    /// The ID of the last transaction that was applied.
    public var transactionID: UInt64

    /// When that transaction was applied, by the clock of this machine.
    public var appliedAt: Date

    /// The time since the last transaction was applied, in seconds.
    ///
    /// The age equals the lag if the source commits all the time. An idle source sends nothing:
    /// have it write a row regularly to use the age as the lag.
    public var age: TimeInterval { max(0, Date().timeIntervalSince(appliedAt)) }

    /// Returns the number of Litestream transactions that the replica is behind a position.
    ///
    /// ```swift
    /// // On the server that writes
    /// let position = try await dbPool.waitForReplication()
    /// // On the server that reads
    /// let lag = try replica.status.lag(behind: position)
    /// ```
    public func lag(behind position: ReplicationPosition) -> UInt64 {
        position.transactionID > transactionID ? position.transactionID - transactionID : 0
    }
}
