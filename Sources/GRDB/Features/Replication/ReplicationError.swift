public import Foundation

/// An error of ``DatabaseWriter/waitForReplication(timeout:socketPath:databasePath:)``.
///
/// All of these errors leave the database as it is: what was committed stays committed on this
/// machine, but is not known to be replicated.
///
/// ```swift
/// do {
///     try await dbPool.waitForReplication(timeout: 5)
/// } catch ReplicationError.timedOut {
///     // Answer that the request was accepted, but not yet replicated.
/// }
/// ```
public enum ReplicationError: Error, Hashable, Sendable {
    /// No replicator answers on the socket: it does not run, or its socket is elsewhere.
    case unavailable(socketPath: String, reason: String)

    /// The replicator answered with an error: it does not know the database, has stopped replicating
    /// it, or can't reach its storage.
    case refused(status: Int, message: String)

    /// The replicator has copied less than what was committed when it was asked.
    case behind(ReplicationPosition)

    /// The replicator did not answer in time.
    case timedOut(timeout: TimeInterval)

    /// The replicator answered something that is no answer of Litestream.
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

/// How far a database was replicated.
///
/// The numbers are transaction IDs of Litestream. It gives one to each batch of commits that it
/// copies, so that several transactions of SQLite can share an ID.
///
/// A ``DatabaseReplica`` can wait for a position, so that a client reads its own writes.
public struct ReplicationPosition: Hashable, Codable, Sendable {
    /// The ID of the last transaction that the replicator has read from the database.
    public var transactionID: UInt64

    /// The ID of the last transaction that the replica storage has.
    public var replicatedTransactionID: UInt64

    /// Creates a position.
    public init(transactionID: UInt64, replicatedTransactionID: UInt64) {
        self.transactionID = transactionID
        self.replicatedTransactionID = replicatedTransactionID
    }
}
