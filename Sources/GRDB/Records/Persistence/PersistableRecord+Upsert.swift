extension PersistableRecord {
    /// Inserts the record, or updates the row that it conflicts with.
    ///
    /// In case of a conflict with any unique constraint, the columns of the record are overwritten,
    /// except the primary key. Columns that the record does not have are kept:
    ///
    /// ```swift
    /// // INSERT INTO "player" ("id", "name", "score") VALUES (1, 'Arthur', 1000)
    /// // ON CONFLICT DO UPDATE SET
    /// //   "name" = "excluded"."name", "score" = "excluded"."score"
    /// // RETURNING "rowid"
    /// try player.upsert(db)
    /// ```
    ///
    /// Texts that are not valid UTF-8 are read with U+FFFD in the place of invalid bytes. An upsert keeps
    /// the stored bytes of a text that still equals what was read. But a key with U+FFFD does not equal a
    /// stored key with invalid bytes.
    ///
    /// Calls the callbacks of an insertion.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access; or the error of a callback or of `encode(to:)`.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_UPSERT.html>
    @inlinable
    public func upsert(_ db: Database) throws {
        let plan = try db.plan(
            .upsert, for: ObjectIdentifier(Self.self), table: Self.databaseTableName)
        try insert(db, by: plan, .upsert, onConflict: nil)
    }

    /// Inserts the record, or updates the row that it conflicts with, and returns a record built
    /// from the inserted or updated row.
    ///
    /// ```swift
    /// // INSERT INTO "vocabulary" ("word", "kind", "isTainted") VALUES ('jovial', 'adjective', 0)
    /// // ON CONFLICT("word") DO UPDATE SET
    /// //   "count" = "count" + 1, "kind" = "excluded"."kind"
    /// // RETURNING *, "rowid"
    /// let upserted = try vocabulary.upsertAndFetch(
    ///     db, onConflict: ["word"],
    ///     doUpdate: { _ in
    ///         [Column("count") += 1, Column("isTainted").noOverwrite]
    ///     })
    /// ```
    ///
    /// - parameters:
    ///     - db: a connection that can write.
    ///     - conflictTarget: the columns of the unique constraint that triggers the update. Empty
    ///       for any constraint.
    ///     - strategy: what happens to the columns that `doUpdate` does not assign.
    ///     - assignments: a closure that returns the assignments of the update. Its argument refers
    ///       to the values that could not be inserted.
    /// - throws: a ``DatabaseError``, of code `SQLITE_CONSTRAINT` if another constraint is
    ///   violated, `SQLITE_ERROR` if `conflictTarget` is not a unique key, `SQLITE_READONLY` in a
    ///   read-only access; or the error of a callback, of `encode(to:)` or `init(row:)`.
    public func upsertAndFetch(
        _ db: Database, onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate assignments: ((TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws -> Self where Self: FetchableRecord {
        var record = self
        return try record.upsertAndFetch(
            db, as: Self.self, selection: type(of: self).databaseSelection, conflictTarget,
            strategy, assignments)
    }

    /// Inserts the record or updates the row in its place, and returns the stored row as a record
    /// of another type.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_CONSTRAINT` if another constraint is
    ///   violated, `SQLITE_ERROR` if `conflictTarget` is not a unique key, `SQLITE_READONLY` in a
    ///   read-only access; or the error of a callback, of `encode(to:)` or `init(row:)`.
    public func upsertAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, as returnedType: T.Type, onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate assignments: ((TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws -> T {
        var record = self
        return try record.upsertAndFetch(
            db, as: T.self, selection: nil, conflictTarget, strategy, assignments)
    }
}
