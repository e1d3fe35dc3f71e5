extension Database {
    /// Notifies `transactionObserver` of the changes, commits and rollbacks of this connection.
    ///
    /// ```swift
    /// // As long as the closure of the access runs, and no longer
    /// let observer = PlayerObserver()
    /// db.add(transactionObserver: observer)
    /// // INSERT INTO player (name) VALUES ('Arthur')
    /// try Player(name: "Arthur").insert(db)
    /// db.remove(transactionObserver: observer)
    /// ```
    ///
    /// From now on, the observer is called only on the queue of the connection. The observer does not
    /// have to be sendable, but no other thread may access the state that its callbacks use, and the
    /// compiler does not check this. See ``TransactionObserver`` for how an observer can share its results.
    ///
    /// - precondition: called in an access of the database.
    /// - parameter transactionObserver: the observer. Nothing happens if the connection is read-only.
    /// - parameter extent: how long the observer is notified. By default, while it is alive: the
    ///   connection does not retain it.
    public func add(
        transactionObserver: some TransactionObserver,
        extent: TransactionObservationExtent = .observerLifetime
    ) {
        preconditionAccess()
        // Read-only connections change nothing.
        if configuration.readonly { return }
        broker.add(transactionObserver, extent: extent)
    }

    /// Stops notifying `transactionObserver`.
    public func remove(transactionObserver: some TransactionObserver) {
        preconditionAccess()
        broker.remove(transactionObserver)
    }

    /// Calls one of two closures when the current transaction ends. If no transaction is open, waits
    /// for the end of the next one.
    ///
    /// ```swift
    /// try dbQueue.write { db in
    ///     try db.execute(sql: "INSERT ...")
    ///     db.afterNextTransaction { _ in
    ///         print("the row is saved")
    ///     }
    /// }
    /// ```
    ///
    /// Exactly one of the closures is called, once. Both run on the queue of the connection, and may
    /// use it. They are released without being called if the connection is closed first.
    ///
    /// Read-only accesses of a connection that can write don't count as transactions. Those of a
    /// read-only connection, such as the readers of a pool, do.
    public func afterNextTransaction(
        onCommit: @escaping @Sendable (Database) -> Void,
        onRollback: @escaping @Sendable (Database) -> Void = { _ in }
    ) {
        preconditionAccess()
        broker.add(
            TransactionCompletionHandler(onCommit, onRollback), extent: .nextTransaction)
    }

    /// Notifies observers that a region has changed in an unspecified way.
    ///
    /// Call this method for changes that SQLite does not report: changes by other processes or
    /// connections, and changes of tables `WITHOUT ROWID`. Observers of the region receive
    /// ``TransactionObserver/databaseDidChange()``.
    ///
    /// ```swift
    /// try dbQueue.write { db in
    ///     try db.notifyChanges(in: .fullDatabase)
    /// }
    /// ```
    ///
    /// Does nothing in a read-only access.
    ///
    /// - throws: the error of `region`.
    public func notifyChanges(in region: some DatabaseRegionConvertible) throws {
        try checkAccess()
        if isReadOnly { return }
        let kinds = try region.databaseRegion(self).modifyingEventKinds(in: self)
        broker.notifyChanges(withEventsOfKind: kinds)
    }
}

/// Runs one of two closures at the end of a transaction.
private final class TransactionCompletionHandler: LastingInterestObserver {
    private let onCommit: (Database) -> Void
    private let onRollback: (Database) -> Void

    init(_ onCommit: @escaping (Database) -> Void, _ onRollback: @escaping (Database) -> Void) {
        self.onCommit = onCommit
        self.onRollback = onRollback
    }

    func databaseDidCommit(_ db: Database) { onCommit(db) }

    func databaseDidRollback(_ db: Database) { onRollback(db) }

    // Observes no changes.

    func contentWasReplaced(in schemaName: String?, _ db: Database) {}

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }

    func databaseDidChange(with event: DatabaseEvent) {}
}
