// Updates of changed columns.

extension MutablePersistableRecord {
    /// Stores the columns whose values differ from those of another record.
    ///
    /// ```swift
    /// if let oldPlayer = try Player.fetchOne(db, id: 42) {
    ///     var newPlayer = oldPlayer
    ///     newPlayer.score = 100
    ///     // UPDATE "player" SET "score"=100 WHERE "id"=42
    ///     try newPlayer.updateChanges(db, from: oldPlayer)
    /// }
    /// ```
    ///
    /// - returns: whether the record had changes. If not, no statement and no callback runs.
    /// - throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if no row was updated; a
    ///   ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access; or the error of a callback or of `encode(to:)`.
    @discardableResult
    public func updateChanges<Record: MutablePersistableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        from record: Record
    ) throws -> Bool {
        let columns = try encodedContainer().changes(from: record.encodedContainer()).columns
            .ordered()
        if columns.isEmpty { return false }
        try update(db, onConflict: conflictResolution, columns: columns)
        return true
    }

    /// Lets a closure modify the record, and updates the columns whose values differ afterwards.
    ///
    /// ```swift
    /// var player = try Player.find(db, id: 1)
    /// // UPDATE "player" SET "score"=1000 WHERE "id"=1
    /// let modified = try player.updateChanges(db) {
    ///     $0.score = 1000
    /// }
    /// ```
    ///
    /// - returns: whether the record was changed. If not, no statement and no callback runs.
    /// - throws: the error of the closure, whose modifications are kept;
    ///   ``RecordError/recordNotFound(databaseTableName:key:)`` if no row was updated; a
    ///   ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access; or the error of a callback or of `encode(to:)`.
    @discardableResult
    public mutating func updateChanges(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        modify: (inout Self) throws -> Void
    ) throws -> Bool {
        let columns = try changes(modify: modify).columns.ordered()
        if columns.isEmpty { return false }
        try update(db, onConflict: conflictResolution, columns: columns)
        return true
    }

    /// Lets a closure modify the record, updates the columns whose values differ afterwards, and
    /// returns the stored row.
    ///
    /// - returns: a record built from the updated row; nil if the record was not changed.
    /// - throws: the error of the closure, whose modifications are kept;
    ///   ``RecordError/recordNotFound(databaseTableName:key:)`` if no row was updated; a
    ///   ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access; or the error of a callback, of `encode(to:)` or
    ///   `init(row:)`.
    public mutating func updateChangesAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        modify: (inout Self) throws -> Void
    ) throws -> Self? where Self: FetchableRecord {
        try updateChangesAndFetch(
            db, onConflict: conflictResolution, as: Self.self, modify: modify)
    }

    /// Lets a closure modify the record, updates the columns whose values differ afterwards, and
    /// returns the stored row as a record of another type.
    ///
    /// - returns: a record of another type, built from the updated row; nil if the record was not
    ///   changed.
    /// - throws: the error of the closure, whose modifications are kept;
    ///   ``RecordError/recordNotFound(databaseTableName:key:)`` if no row was updated; a
    ///   ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access; or the error of a callback, of `encode(to:)` or
    ///   `init(row:)`.
    public mutating func updateChangesAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        as returnedType: T.Type, modify: (inout Self) throws -> Void
    ) throws -> T? {
        let columns = try changes(modify: modify).columns.ordered()
        if columns.isEmpty { return nil }
        return try PersistenceOptions(conflictResolution: conflictResolution, columns: columns)
            .fetching(T.self) { try updateAndCallBack(db, $0) }
    }

    /// Lets a closure modify the record, updates the columns whose values differ afterwards, and
    /// returns values that a closure fetches from the stored row.
    ///
    /// - parameter db: a connection that can write.
    /// - parameter conflictResolution: nil for the policy of
    ///   ``MutablePersistableRecord/persistenceConflictPolicy``.
    /// - parameter selection: the returned columns. Must not be empty.
    /// - parameter fetch: a closure that executes its statement by fetching from it.
    /// - parameter modify: a closure that modifies the record.
    /// - returns: the result of `fetch`; nil if the record was not changed.
    /// - throws: the error of `modify`, whose modifications are kept;
    ///   ``RecordError/recordNotFound(databaseTableName:key:)`` if no row was updated; a
    ///   ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access, `SQLITE_MISUSE` if the selection is empty or
    ///   `fetch` does not execute its statement; or the error of `fetch`, of a callback or of
    ///   `encode(to:)`.
    public mutating func updateChangesAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T,
        modify: (inout Self) throws -> Void
    ) throws -> T? {
        let columns = try changes(modify: modify).columns.ordered()
        if columns.isEmpty { return nil }
        return try PersistenceOptions(conflictResolution: conflictResolution, columns: columns)
            .fetching(selection, fetch) { try updateAndCallBack(db, $0) }
    }
}
