import GRDB

// Updates of typed columns, whose types may differ.

extension MutablePersistableRecord {
    /// Stores the values of some columns.
    ///
    /// ```swift
    /// // UPDATE "player" SET "name"='Arthur', "score"=1010 WHERE "id"=1
    /// try player.update(db, columns: [Player.Columns.name, Player.Columns.score])
    /// ```
    ///
    /// - throws: ``/GRDB/RecordError/recordNotFound(databaseTableName:key:)`` if no row was updated; a
    ///   ``/GRDB/DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access; or the error of a callback or of `encode(to:)`.
    @_disfavoredOverload  // the overload for untyped columns wins
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: [any _NamedColumn]
    ) throws {
        try update(db, onConflict: conflictResolution, columns: columns.map(\.name))
    }

    /// Updates some columns, and returns values that a closure fetches from the stored row.
    ///
    /// - throws: ``/GRDB/RecordError/recordNotFound(databaseTableName:key:)`` if no row was updated; a
    ///   ``/GRDB/DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access, `SQLITE_MISUSE` if the selection is empty or
    ///   `fetch` does not execute its statement; or the error of `fetch`, of a callback or of
    ///   `encode(to:)`.
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
