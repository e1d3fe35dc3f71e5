#if GRDB_FOUNDATION || !canImport(FoundationEssentials)
extension DatabaseWriter {
    /// Writes in a transaction, while the system does not suspend the app.
    ///
    /// iOS terminates an app that is suspended while it holds a lock on a file in a shared container. An app
    /// that runs in the background can be suspended at any time, so it asks for an activity first:
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.observesSuspensionNotifications = true
    /// config.beginsSuspended = true
    /// let dbPool = try DatabasePool(path: path, configuration: config)
    ///
    /// try await dbPool.writeInExpiringActivity("Store a message") { db in
    ///     try message.insert(db)
    /// }
    /// ```
    ///
    /// The write runs even if the database is suspended before or meanwhile. When the activity expires, it stops like a
    /// write of a database that is being suspended: its transaction is rolled back. If the system refuses the activity,
    /// nothing is written. Both require ``Configuration/observesSuspensionNotifications``.
    ///
    /// See <doc:SharingFiles>.
    ///
    /// - parameters:
    ///   - reason: the reason for the activity, for debugging.
    ///   - updates: writes into the database. Called on a thread chosen by the connection.
    /// - throws: the error of the closure, or a ``DatabaseError``: an interruption
    ///   (``DatabaseError/isInterruptionError``) when the activity expires, or is refused. `CancellationError` when the task is cancelled.
    public func writeInExpiringActivity<T: Sendable>(
        _ reason: String, _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        let activity = ExpiringActivity()
        let writer = serializedWriter
        await activity.begin { [configuration] in
            configuration.performExpiringActivity(reason, $0)
        } onExpiration: { [weak writer] in
            // A running statement may hold a lock for long.
            guard let writer else { return }
            writer.db.suspension?.whileRunning(activity) { writer.interrupt() }
        }
        defer { activity.end() }
        return try await writeWithoutTransaction { db in
            func write() throws -> T {
                var result: T?
                try db.inTransaction(.immediate) {
                    result = try updates(db)
                    return .commit
                }
                return result!
            }
            guard let suspension = db.suspension else { return try write() }
            return try suspension.withActivity(activity, write)
        }
    }
}
#endif
