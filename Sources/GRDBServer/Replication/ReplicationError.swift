import GRDB
public import _GRDBSystem

/// An error of ``GRDB/DatabaseWriter/waitForReplication(timeout:socketPath:databasePath:)``.
///
/// None of these errors changes the database: committed transactions remain committed on this
/// machine, but may not be replicated.
///
/// ```swift
/// do {
///     try await dbPool.waitForReplication(timeout: 5)
/// } catch ReplicationError.timedOut {
///     // Answer that the request was accepted, but is not replicated yet.
/// }
/// ```
public enum ReplicationError: Error, Hashable, Sendable {
    /// No replicator answers on the socket: it is not running, or uses another socket.
    case unavailable(socketPath: String, reason: String)

    /// The replicator returned an error: it does not know the database, has stopped replicating it,
    /// or can't reach its storage.
    case refused(status: Int, message: String)

    /// The replicator has not copied all transactions that were committed before the request.
    case behind(ReplicationPosition)

    /// The replicator did not answer in time.
    case timedOut(timeout: TimeInterval)

    /// The response is not a valid response of Litestream.
    case invalidAnswer(String)
}

extension ReplicationError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unavailable(let socketPath, let reason):
            "No replicator answers at \(socketPath): \(reason)"
        case .refused(let status, let message):
            "The replicator answered with status \(status): \(message)"
        case .behind(let position):
            """
            The replicator is behind: it has replicated transaction \(position.replicatedTransactionID) \
            of \(position.transactionID)
            """
        case .timedOut(let timeout):
            "The replicator did not answer within \(timeout) seconds"
        case .invalidAnswer(let answer):
            "The replicator gave an unexpected answer: \(answer)"
        }
    }
}

extension ReplicationError: LocalizedError {
    public var errorDescription: String? { description }
}

/// The replication progress of a database.
///
/// Positions are transaction IDs of Litestream, which assigns one ID to each batch of commits that
/// it copies. Several transactions of SQLite may share an ID.
///
/// A ``DatabaseReplica`` can wait for a position, so that a client can read its own writes.
public struct ReplicationPosition: Hashable, Codable, Sendable {
    /// The ID of the last transaction that the replicator has read from the database.
    public var transactionID: UInt64

    /// The ID of the last transaction in the replica storage.
    public var replicatedTransactionID: UInt64

    /// Creates a position.
    public init(transactionID: UInt64, replicatedTransactionID: UInt64) {
        self.transactionID = transactionID
        self.replicatedTransactionID = replicatedTransactionID
    }
}
