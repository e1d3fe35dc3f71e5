// Requests that update rows.

extension QueryInterfaceRequest {
    /// Updates the rows.
    ///
    /// ```swift
    /// // UPDATE "player" SET "score" = "score" + 10 WHERE "team" = 'Reds'
    /// try Player
    ///     .filter { $0.team == "Reds" }
    ///     .updateAll(db, [Column("score") += 10])
    /// ```
    ///
    /// - parameter db: a connection that can write.
    /// - parameter conflictResolution: what to do when a constraint is violated; nil for the policy
    ///   of the record type: see ``MutablePersistableRecord/persistenceConflictPolicy``.
    /// - parameter assignments: the assigned columns. If empty, nothing happens.
    /// - returns: the number of updated rows; for a view, the number of rows changed by its
    ///   `INSTEAD OF` triggers.
    /// - throws: a ``DatabaseError``: of code `SQLITE_MISUSE` if rows are grouped by anything but a
    ///   unique key.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> Int {
        var assignments = assignments
        // Don't copy the array in the common case, or its elements, as an iterator would.
        if assignments.indices.contains(where: { assignments[$0].keepsValue }) {
            assignments.removeAll(where: \.keepsValue)
        }
        if assignments.isEmpty { return 0 }
        let count = ChangeCount(db)
        try relation.update(
            db, conflictResolution ?? defaultConflictResolution, assignments
        ).execute()
        return try count.rows(db, changedIn: self)
    }

    /// Updates the rows.
    ///
    /// ```swift
    /// // UPDATE "player" SET "score" = "score" + 10, "bonus" = 0 WHERE "team" = 'Reds'
    /// try Player
    ///     .filter { $0.team == "Reds" }
    ///     .updateAll(db, Column("score") += 10, Column("bonus").set(to: 0))
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
        try updateAll(db, onConflict: conflictResolution, assignments)
    }

    /// Updates the rows.
    ///
    /// ```swift
    /// // UPDATE "player" SET "score" = "score" + 10, "bonus" = 0 WHERE "team" = 'Reds'
    /// try Player
    ///     .filter { $0.team == "Reds" }
    ///     .updateAll(db) { [$0.score += 10, $0.bonus.set(to: 0)] }
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
        try updateAll(
            db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
    }

    /// Updates the rows.
    ///
    /// ```swift
    /// // UPDATE "player" SET "score" = "score" + 10 WHERE "team" = 'Reds'
    /// try Player
    ///     .filter { $0.team == "Reds" }
    ///     .updateAll(db) { $0.score += 10 }
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
        try updateAll(
            db, onConflict: conflictResolution, [assignment(RowDecoder.databaseComponents)])
    }

    // MARK: - RETURNING

    /// Compiles a statement that updates the rows and returns them.
    ///
    /// ```swift
    /// // UPDATE "player" SET "score" = "score" + 10 WHERE "team" = 'Reds' RETURNING "score"
    /// let statement = try Player
    ///     .filter { $0.team == "Reds" }
    ///     .updateAndFetchStatement(db, [Column("score") += 10], selection: [Column("score")])
    /// let scores = try Int.fetchAll(statement)
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_returning.html>
    ///
    /// - parameter db: a connection that can write.
    /// - parameter conflictResolution: what to do when a constraint is violated; nil for the policy
    ///   of the record type: see ``MutablePersistableRecord/persistenceConflictPolicy``.
    /// - parameter assignments: the assigned columns. Must not be empty.
    /// - parameter selection: the returned columns. Must not be empty.
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a column does not exist.
    public func updateAndFetchStatement(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment], selection: [any SQLSelectable]
    ) throws -> Statement {
        let assignments = assignments.filter { !$0.keepsValue }
        guard !assignments.isEmpty else {
            throw DatabaseError(misuse: "Invalid empty assignments")
        }
        return try db.cachedStatement(
            BatchStatement(
                relation: relation,
                change: .update(conflictResolution ?? defaultConflictResolution, assignments),
                returning: returning(selection, db)))
    }

    /// Compiles a statement that updates the rows and returns them.
    ///
    /// ```swift
    /// // UPDATE "player" SET "score" = "score" + 10 WHERE "team" = 'Reds' RETURNING "score"
    /// let statement = try Player
    ///     .filter { $0.team == "Reds" }
    ///     .updateAndFetchStatement(db) { [$0.score += 10] } select: { [$0.score] }
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a column does not exist.
    public func updateAndFetchStatement(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment],
        select: (DatabaseComponents) throws -> [any SQLSelectable]
    ) throws -> Statement where RowDecoder: TableRecord {
        try updateAndFetchStatement(
            db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents),
            selection: select(RowDecoder.databaseComponents))
    }

    /// Updates the rows, and returns a cursor over them.
    ///
    /// The first step of the cursor updates all rows.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a column does not exist. The cursor
    ///   throws the errors of the update, such as `SQLITE_CONSTRAINT` if a constraint is violated.
    public func updateAndFetchCursor(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> RecordCursor<RowDecoder> where RowDecoder: FetchableRecord & TableRecord {
        try RowDecoder.fetchCursor(
            updateAndFetchStatement(
                db, onConflict: conflictResolution, assignments,
                selection: RowDecoder.databaseSelection))
    }

    /// Updates the rows, and returns a cursor over them.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a column does not exist. The cursor
    ///   throws the errors of the update, such as `SQLITE_CONSTRAINT` if a constraint is violated.
    public func updateAndFetchCursor(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> RecordCursor<RowDecoder> where RowDecoder: FetchableRecord & TableRecord {
        try updateAndFetchCursor(
            db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
    }

    /// Updates the rows, and returns them.
    ///
    /// - throws: a ``DatabaseError``, or the error of ``FetchableRecord/init(row:)``.
    public func updateAndFetchAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> [RowDecoder] where RowDecoder: FetchableRecord & TableRecord {
        try Array(updateAndFetchCursor(db, onConflict: conflictResolution, assignments))
    }

    /// Updates the rows, and returns them.
    ///
    /// ```swift
    /// // UPDATE "player" SET "score" = "score" + 10 WHERE "team" = 'Reds' RETURNING *
    /// let updatedPlayers = try Player
    ///     .filter { $0.team == "Reds" }
    ///     .updateAndFetchAll(db) { [$0.score += 10] }
    /// ```
    ///
    /// - throws: a ``DatabaseError``, or the error of ``FetchableRecord/init(row:)``.
    public func updateAndFetchAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> [RowDecoder] where RowDecoder: FetchableRecord & TableRecord {
        try updateAndFetchAll(
            db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
    }

    /// Updates the rows, and returns them as a set.
    ///
    /// - throws: a ``DatabaseError``, or the error of ``FetchableRecord/init(row:)``.
    public func updateAndFetchSet(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> Set<RowDecoder> where RowDecoder: FetchableRecord & TableRecord & Hashable {
        try Set(updateAndFetchCursor(db, onConflict: conflictResolution, assignments))
    }

    /// Updates the rows, and returns them as a set.
    ///
    /// - throws: a ``DatabaseError``, or the error of ``FetchableRecord/init(row:)``.
    public func updateAndFetchSet(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> Set<RowDecoder> where RowDecoder: FetchableRecord & TableRecord & Hashable {
        try updateAndFetchSet(
            db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
    }

    /// The policy of the record type.
    private var defaultConflictResolution: Database.ConflictResolution {
        PersistenceConflictPolicy(of: RowDecoder.self).conflictResolutionForUpdate
    }
}
