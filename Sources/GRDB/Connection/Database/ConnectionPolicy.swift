/// Limits what the statements of a connection may do, for GRDBServer.
package protocol ConnectionPolicy: Sendable {
    /// Called when a connection is open, before the app prepares it.
    func connectionDidOpen(_ db: Database)

    /// Called when the app has prepared the connection.
    func connectionIsPrepared(_ db: Database)
}
