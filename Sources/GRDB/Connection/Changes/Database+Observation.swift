extension Database {
    /// Tells `transactionObserver` of the changes, commits and rollbacks of this connection.
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
    /// From now on, the observer is called on the queue of the connection, and on no other. It needs not
    /// be sendable, but other threads must not touch what its callbacks use, which the compiler does not
    /// check: see ``TransactionObserver`` for how an observer hands out what it has found.
    ///
    /// - precondition: called in an access of the database.
    /// - parameter transactionObserver: the observer. Nothing happens on a read-only connection, which
    ///   changes nothing.
    /// - parameter extent: how long the observer is notified. By default, as long as it lives: the
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

    /// Tells `transactionObserver` nothing more.
    public func remove(transactionObserver: some TransactionObserver) {
        preconditionAccess()
        broker.remove(transactionObserver)
    }

    /// Calls one of two closures when the current transaction ends, or the next one if none is
    /// open.
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
    /// One of the closures is called, once. Both run on the queue of the connection, and may use
    /// it. They are dropped when the connection is closed.
    ///
    /// Read-only accesses of a connection that can write don't count. On a connection that can't,
    /// such as those that a pool reads with, they do.
    public func afterNextTransaction(
        onCommit: @escaping @Sendable (Database) -> Void,
        onRollback: @escaping @Sendable (Database) -> Void = { _ in }
    ) {
        preconditionAccess()
        broker.add(
            TransactionCompletionHandler((commit: onCommit, rollback: onRollback)),
            extent: .nextTransaction)
    }

    /// Tells observers that a region has changed in a way that SQLite does not report.
    ///
    /// For changes that SQLite does not report: those of other processes or connections, or of
    /// tables `WITHOUT ROWID`. Observers that are interested in the region receive
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
    /// - throws: the error of the region.
    public func notifyChanges(in region: some DatabaseRegionConvertible) throws {
        try checkAccess()
        if isReadOnly { return }
        let kinds = try region.databaseRegion(self).modifyingEventKinds(in: self)
        broker.notifyChanges(withEventsOfKind: kinds)
    }

    /// Tells observations of a region that anything may have changed, the schema included, without a
    /// statement that shows it.
    func notifyReplacedContent() {
        schemaGeneration &+= 1
        isContentReplaced = true
        guard broker.isActive, raw.isInAutocommitMode, !isReadOnly else { return }
        // They listen to commits.
        broker.ignoresObjections = true
        defer { broker.ignoresObjections = false }
        try? inTransaction(.deferred) { .commit }
    }

    /// Tells observations that anything may have changed if the content was being replaced when the error came.
    ///
    /// SQLite reports a replacement as failed even if only its last steps fail: to delete the journal for good,
    /// and to unlock the file.
    func noteFailedReplacement(_ error: any Error) {
        guard (error as? DatabaseError)?.resultCode == .SQLITE_IOERR, broker.isActive,
            raw.isInAutocommitMode, !isReadOnly
        else { return }
        broker.mayHaveCommitted = true
        defer { broker.mayHaveCommitted = false }
        try? inTransaction(.deferred) { .rollback }
    }
}

/// Runs one of two closures at the end of a transaction.
private final class TransactionCompletionHandler: LastingInterestObserver {
    typealias Closures = (
        commit: @Sendable (Database) -> Void, rollback: @Sendable (Database) -> Void
    )

    private let closures: Closures

    init(_ closures: Closures) { self.closures = closures }

    func databaseDidCommit(_ db: Database) { closures.commit(db) }

    func databaseDidRollback(_ db: Database) { closures.rollback(db) }

    // It takes no interest in changes.

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }

    func databaseDidChange(with event: DatabaseEvent) {}
}
