// Fetching, counting, deleting and updating all rows of a table, or rows with some keys.

extension Table {
    // MARK: - Counting and finding

    /// Returns the number of rows.
    ///
    /// ```swift
    /// // SELECT COUNT(*) FROM "player"
    /// let count = try Table("player").fetchCount(db)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if the table does not exist.
    public func fetchCount(_ db: Database) throws -> Int {
        try all().fetchCount(db)
    }

    /// Whether the table has a row with this primary key.
    ///
    /// ```swift
    /// // SELECT EXISTS (SELECT * FROM "player" WHERE "id" = 1)
    /// let playerExists = try Table("player").exists(db, key: 1)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if the primary key has several
    ///   columns.
    public func exists(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
        // No key equals NULL.
        try !key.databaseValue.isNull && !filter(key: key).isEmpty(db)
    }

    /// Whether the table has a row with these values in the columns of a primary or unique key.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if there is no such unique key.
    public func exists(
        _ db: Database, key: [String: (any DatabaseValueConvertible)?]
    ) throws -> Bool {
        try !filter(key: key).isEmpty(db)
    }

    // MARK: - Deleting

    /// Deletes all rows.
    ///
    /// ```swift
    /// // DELETE FROM "player"
    /// try Table("player").deleteAll(db)
    /// ```
    ///
    /// - returns: the number of deleted rows.
    /// - throws: a ``DatabaseError``, of code `SQLITE_READONLY` in a read-only access,
    ///   `SQLITE_CONSTRAINT` if a foreign key prevents the deletion.
    @discardableResult
    public func deleteAll(_ db: Database) throws -> Int {
        try all().deleteAll(db)
    }

    /// Deletes the rows with the given primary keys.
    ///
    /// ```swift
    /// // DELETE FROM "player" WHERE "id" IN (1, 2, 3)
    /// try Table("player").deleteAll(db, keys: [1, 2, 3])
    /// ```
    ///
    /// - returns: the number of deleted rows.
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if the primary key has several
    ///   columns.
    @discardableResult
    public func deleteAll(
        _ db: Database, keys: some Collection<some DatabaseValueConvertible>
    ) throws -> Int {
        if keys.isEmpty { return 0 }
        return try filter(keys: keys).deleteAll(db)
    }

    /// Deletes the rows with the given primary or unique keys.
    ///
    /// - returns: the number of deleted rows.
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if there is no such unique key.
    @discardableResult
    public func deleteAll(
        _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
    ) throws -> Int {
        if keys.isEmpty { return 0 }
        return try filter(keys: keys).deleteAll(db)
    }

    /// Deletes the row with the given primary key.
    ///
    /// ```swift
    /// // DELETE FROM "player" WHERE "id" = 1
    /// try Table("player").deleteOne(db, key: 1)
    /// ```
    ///
    /// - returns: whether a row was deleted.
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if the primary key has several
    ///   columns.
    @discardableResult
    public func deleteOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
        // No key equals NULL.
        try !key.databaseValue.isNull && filter(key: key).deleteAll(db) > 0
    }

    /// Deletes the row with the given primary or unique key.
    ///
    /// - returns: whether a row was deleted.
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if there is no such unique key.
    @discardableResult
    public func deleteOne(
        _ db: Database, key: [String: (any DatabaseValueConvertible)?]
    ) throws -> Bool {
        try filter(key: key).deleteAll(db) > 0
    }

    // MARK: - Updating

    /// Updates all rows.
    ///
    /// ```swift
    /// // UPDATE "player" SET "score" = 0
    /// try Table("player").updateAll(db, [Column("score").set(to: 0)])
    /// ```
    ///
    /// - parameter db: a connection that can write.
    /// - parameter conflictResolution: what to do when a constraint is violated; nil for the policy
    ///   of the record type.
    /// - parameter assignments: the assigned columns. If empty, nothing happens.
    /// - returns: the number of updated rows.
    /// - throws: a ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access, `SQLITE_ERROR` if a column does not exist.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments)
    }

    /// Updates all rows.
    ///
    /// ```swift
    /// // UPDATE "player" SET "score" = 0
    /// try Table("player").updateAll(db, Column("score").set(to: 0))
    /// ```
    ///
    /// - parameter db: a connection that can write.
    /// - parameter conflictResolution: what to do when a constraint is violated; nil for the policy
    ///   of the record type.
    /// - parameter assignments: the assigned columns. If empty, nothing happens.
    /// - returns: the number of updated rows.
    /// - throws: a ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access, `SQLITE_ERROR` if a column does not exist.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: ColumnAssignment...
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments)
    }

    /// Updates all rows.
    ///
    /// ```swift
    /// // UPDATE "player" SET "score" = 0, "bonus" = 0
    /// try Table<Player>("player").updateAll(db) { [$0.score.set(to: 0), $0.bonus.set(to: 0)] }
    /// ```
    ///
    /// - parameter db: a connection that can write.
    /// - parameter conflictResolution: what to do when a constraint is violated; nil for the policy
    ///   of the record type.
    /// - parameter assignments: a closure that returns the assigned columns. If empty, nothing
    ///   happens.
    /// - returns: the number of updated rows.
    /// - throws: a ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access, `SQLITE_ERROR` if a column does not exist.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> Int where RowDecoder: TableRecord {
        try all().updateAll(db, onConflict: conflictResolution, assignments: assignments)
    }

    /// Updates all rows.
    ///
    /// ```swift
    /// // UPDATE "player" SET "score" = 0
    /// try Table<Player>("player").updateAll(db) { $0.score.set(to: 0) }
    /// ```
    ///
    /// - parameter db: a connection that can write.
    /// - parameter conflictResolution: what to do when a constraint is violated; nil for the policy
    ///   of the record type.
    /// - parameter assignment: a closure that returns the assigned column.
    /// - returns: the number of updated rows.
    /// - throws: a ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access, `SQLITE_ERROR` if a column does not exist.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignment: (DatabaseComponents) throws -> ColumnAssignment
    ) throws -> Int where RowDecoder: TableRecord {
        try all().updateAll(db, onConflict: conflictResolution, assignment: assignment)
    }
}

extension Table where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
    /// Whether the table has a row with this primary key.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if the primary key has several
    ///   columns.
    public func exists(_ db: Database, id: RowDecoder.ID) throws -> Bool {
        try exists(db, key: id)
    }

    /// Deletes the rows with the given primary keys.
    ///
    /// - returns: the number of deleted rows.
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if the primary key has several
    ///   columns, `SQLITE_READONLY` in a read-only access.
    @discardableResult
    public func deleteAll(_ db: Database, ids: some Collection<RowDecoder.ID>) throws -> Int {
        try deleteAll(db, keys: ids)
    }

    /// Deletes the row with the given primary key.
    ///
    /// - returns: whether a row was deleted.
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if the primary key has several
    ///   columns, `SQLITE_READONLY` in a read-only access.
    @discardableResult
    public func deleteOne(_ db: Database, id: RowDecoder.ID) throws -> Bool {
        try deleteOne(db, key: id)
    }
}
