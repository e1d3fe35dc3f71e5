import GRDB
import Hummingbird

#if !SERVER_PEER
import GRDBServer
#endif

/// Where the replicator listens, if there is one.
struct Replication: Sendable {
    var socket: String?

    /// Returns when the replica has what the pool has committed.
    func wait(_ pool: DatabasePool) async throws {
        guard let socket else { throw HTTPError(.notImplemented, message: "no replicator") }
        #if SERVER_PEER
        throw HTTPError(.notImplemented, message: "no wait for \(socket)")
        #else
        do {
            try await pool.waitForReplication(timeout: 10, socketPath: socket)
        } catch let error as ReplicationError {
            // The purchase is stored, and may be replicated later: the client can ask again.
            throw HTTPError(.serviceUnavailable, message: "not replicated: \(error)")
        }
        #endif
    }
}
