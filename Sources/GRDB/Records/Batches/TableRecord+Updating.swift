// Updating all rows of a table.

extension TableRecord {
    /// Updates all rows.
    ///
    /// ```swift
    /// // UPDATE "player" SET "score" = 0
    /// try Player.updateAll(db, [Column("score").set(to: 0)])
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
    public static func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments)
    }

    /// Updates all rows.
    ///
    /// ```swift
    /// // UPDATE "player" SET "score" = 0
    /// try Player.updateAll(db, Column("score").set(to: 0))
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
    public static func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: ColumnAssignment...
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments)
    }

    /// Updates all rows.
    ///
    /// ```swift
    /// // UPDATE "player" SET "score" = 0, "bonus" = 0
    /// try Player.updateAll(db) { [$0.score.set(to: 0), $0.bonus.set(to: 0)] }
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
    public static func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments: assignments)
    }

    /// Updates all rows.
    ///
    /// ```swift
    /// // UPDATE "player" SET "score" = 0
    /// try Player.updateAll(db) { $0.score.set(to: 0) }
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
    public static func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignment: (DatabaseComponents) throws -> ColumnAssignment
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignment: assignment)
    }
}
