// Updates of typed columns, of types that may differ.

extension MutablePersistableRecord {
    /// Stores the values of some columns.
    ///
    /// ```swift
    /// // UPDATE "player" SET "name"='Arthur', "score"=1010 WHERE "id"=1
    /// try player.update(db, columns: [Player.Columns.name, Player.Columns.score])
    /// ```
    @_disfavoredOverload  // the overload for untyped columns wins
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: [any _NamedColumn]
    ) throws {
        try update(db, onConflict: conflictResolution, columns: columns.map(\.name))
    }

    /// Executes an `UPDATE RETURNING` statement on the provided columns, and returns what is
    /// fetched from the updated row.
    @_disfavoredOverload  // the overload for untyped columns wins
    public func updateAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: [any _NamedColumn], selection: [any SQLSelectable],
        fetch: (Statement) throws -> T
    ) throws -> T {
        try updateAndFetch(
            db, onConflict: conflictResolution, columns: columns.map(\.name),
            selection: selection, fetch: fetch)
    }
}
