/// A reader whose database never changes.
///
/// All accesses of one snapshot see the same content, even if other connections write. Accesses
/// therefore need no isolation, and may be nested: see ``reentrantRead(_:)``.
public protocol DatabaseSnapshotReader: DatabaseReader {}

extension DatabaseSnapshotReader {
    /// Executes read-only database operations, even from inside another access of the snapshot. In
    /// this case, the closure gets the connection of that access.
    ///
    /// ```swift
    /// let count = try snapshot.reentrantRead { db in
    ///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
    /// }
    /// ```
    ///
    /// - throws: the error of the closure, or a ``DatabaseError``.
    public func reentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        try unsafeReentrantRead(value)
    }

    // Accesses of a snapshot need no isolation, so the unsafe methods equal the safe ones.

    public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
        try read(value)
    }

    public func unsafeRead<T: Sendable>(
        _ value: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await read(value)
    }

    public func asyncUnsafeRead(
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        asyncRead(value)
    }
}

extension Configuration {
    /// The configuration of a connection that remains in one transaction.
    var forSnapshot: Configuration {
        var configuration = forReader
        // The transaction outlives the access.
        configuration.allowsUnsafeTransactions = true
        return configuration
    }
}

extension Database {
    /// Runs the closure in the transaction that holds the connection's snapshot.
    func inSnapshotAccess<T>(_ value: () throws -> T) throws -> T {
        requiresTransaction = true
        defer { requiresTransaction = false }
        return try value()
    }

    /// Runs a closure of `asyncRead` in the transaction that holds the connection's snapshot.
    static func inSnapshotAccess(
        _ result: Result<Database, any Error>, _ value: (Result<Database, any Error>) -> Void
    ) {
        guard case .success(let db) = result else { return value(result) }
        db.requiresTransaction = true
        defer { db.requiresTransaction = false }
        value(result)
    }

    /// Opens the transaction that holds a snapshot.
    func beginSnapshot() throws {
        try execute(sql: "BEGIN DEFERRED TRANSACTION")
    }
}
