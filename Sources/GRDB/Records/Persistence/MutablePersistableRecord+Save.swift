extension MutablePersistableRecord {
    /// Executes an `UPDATE` statement, and then, if there is no row to update, an `INSERT`
    /// statement. Records whose key is nil are inserted without a previous update.
    ///
    /// ```swift
    /// try dbQueue.write { db in
    ///     try player.save(db)
    /// }
    /// ```
    ///
    /// - parameter db: a connection that can write.
    /// - parameter conflictResolution: nil for the policies of
    ///   ``MutablePersistableRecord/persistenceConflictPolicy``.
    /// - throws: a ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access; or the error of a callback or of `encode(to:)`.
    public mutating func save(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        try saveAndCallBack(db, PersistenceOptions(conflictResolution: conflictResolution))
    }

    /// Saves the record, and returns its row as the statement wrote it, with default and generated
    /// values.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access;
    ///   ``RecordError/recordNotFound(databaseTableName:key:)`` if a conflict was ignored; or the
    ///   error of a callback, of `encode(to:)` or `init(row:)`.
    public mutating func saveAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        as returnedType: T.Type
    ) throws -> T {
        try PersistenceOptions(conflictResolution: conflictResolution)
            .fetching(T.self) { try saveAndCallBack(db, $0) }
    }

    /// Executes an `UPDATE RETURNING` or `INSERT RETURNING` statement, and returns values fetched
    /// from the saved row.
    ///
    /// - parameter db: a connection that can write.
    /// - parameter conflictResolution: what to do when a constraint is violated; nil for the policy
    ///   of the record type: see ``MutablePersistableRecord/persistenceConflictPolicy``.
    /// - parameter selection: the returned columns. Must not be empty.
    /// - parameter fetch: a closure that executes its statement by fetching from it. It is called
    ///   for the update, and again for the insertion if there is no row to update.
    /// - throws: a ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access, `SQLITE_MISUSE` if the selection is empty or
    ///   `fetch` does not execute its statement; or the error of a closure, of a callback or of
    ///   `encode(to:)`.
    public mutating func saveAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        try PersistenceOptions(conflictResolution: conflictResolution)
            .fetching(selection, fetch) { try saveAndCallBack(db, $0) }
    }

    /// Saves the record, and returns its row as the statement wrote it, with default and generated
    /// values.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access;
    ///   ``RecordError/recordNotFound(databaseTableName:key:)`` if a conflict was ignored; or the
    ///   error of a callback, of `encode(to:)` or `init(row:)`.
    public func saveAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self where Self: FetchableRecord {
        var record = self
        return try PersistenceOptions(conflictResolution: conflictResolution)
            .fetching(Self.self) { try record.saveAndCallBack(db, $0) }
    }

    /// Saves a copy of the record, and returns it as its callbacks have changed it: `didInsert` may set the
    /// rowid.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access; or the error of a callback or of `encode(to:)`.
    public func saved(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self {
        var record = self
        try record.saveAndCallBack(db, .init(conflictResolution: conflictResolution))
        return record
    }
}
