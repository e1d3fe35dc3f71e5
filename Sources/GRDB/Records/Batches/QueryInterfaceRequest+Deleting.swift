// Requests that delete rows.

extension QueryInterfaceRequest {
    /// Deletes the rows.
    ///
    /// ```swift
    /// // DELETE FROM "player" WHERE "team" = 'Reds'
    /// try Player
    ///     .filter { $0.team == "Reds" }
    ///     .deleteAll(db)
    ///
    /// // DELETE FROM "player" WHERE "id" IN (SELECT "id" FROM "player" ORDER BY "score" LIMIT 10)
    /// try Player
    ///     .order(\.score)
    ///     .limit(10)
    ///     .deleteAll(db)
    /// ```
    ///
    /// - returns: the number of deleted rows; for a view, the number of rows changed by its
    ///   `INSTEAD OF` triggers.
    /// - throws: a ``DatabaseError``: of code `SQLITE_MISUSE` if rows are grouped by anything but a
    ///   unique key.
    @discardableResult
    public func deleteAll(_ db: Database) throws -> Int {
        let count = ChangeCount(db)
        try relation.deletion(db).execute()
        return try count.rows(db, changedIn: self)
    }

    /// Compiles a statement that deletes the rows and returns them.
    ///
    /// ```swift
    /// // DELETE FROM "player" WHERE "team" = 'Reds' RETURNING "name"
    /// let request = Player.filter { $0.team == "Reds" }
    /// let statement = try request.deleteAndFetchStatement(db, selection: [Column("name")])
    /// let names = try String.fetchSet(statement)
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_returning.html>
    ///
    /// - parameter db: a connection that can write.
    /// - parameter selection: the returned columns. Must not be empty.
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a column does not exist.
    public func deleteAndFetchStatement(
        _ db: Database, selection: [any SQLSelectable]
    ) throws -> Statement {
        try db.cachedStatement(
            BatchStatement(
                relation: relation, change: .delete,
                returning: returning(selection, db)))
    }

    /// Compiles a statement that deletes the rows and returns them.
    ///
    /// ```swift
    /// // DELETE FROM "player" WHERE "team" = 'Reds' RETURNING "name"
    /// let request = Player.filter { $0.team == "Reds" }
    /// let statement = try request.deleteAndFetchStatement(db) { [$0.name] }
    /// ```
    ///
    /// - parameter db: a connection that can write.
    /// - parameter select: a closure that returns the columns of the `RETURNING` clause. Must not
    ///   be empty.
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a column does not exist.
    public func deleteAndFetchStatement(
        _ db: Database, select: (DatabaseComponents) throws -> [any SQLSelectable]
    ) throws -> Statement where RowDecoder: TableRecord {
        try deleteAndFetchStatement(db, selection: select(RowDecoder.databaseComponents))
    }

    /// Deletes the rows, and returns a cursor over them.
    ///
    /// The first step of the cursor deletes all rows.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist.
    ///   The cursor throws the errors of the deletion, such as `SQLITE_READONLY` in a read-only
    ///   access.
    public func deleteAndFetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder>
    where RowDecoder: FetchableRecord & TableRecord {
        try RowDecoder.fetchCursor(
            deleteAndFetchStatement(db, selection: RowDecoder.databaseSelection))
    }

    /// Deletes the rows, and returns them.
    ///
    /// ```swift
    /// // DELETE FROM "player" WHERE "team" = 'Reds' RETURNING *
    /// let deletedPlayers = try Player
    ///     .filter { $0.team == "Reds" }
    ///     .deleteAndFetchAll(db)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, or the error of ``FetchableRecord/init(row:)``.
    public func deleteAndFetchAll(_ db: Database) throws -> [RowDecoder]
    where RowDecoder: FetchableRecord & TableRecord {
        try Array(deleteAndFetchCursor(db))
    }

    /// Deletes the rows, and returns them as a set.
    ///
    /// - throws: a ``DatabaseError``, or the error of ``FetchableRecord/init(row:)``.
    public func deleteAndFetchSet(_ db: Database) throws -> Set<RowDecoder>
    where RowDecoder: FetchableRecord & TableRecord & Hashable {
        try Set(deleteAndFetchCursor(db))
    }

    /// Deletes the rows, and returns their ids.
    ///
    /// ```swift
    /// // DELETE FROM "player" WHERE "team" = 'Reds' RETURNING "id"
    /// let deletedPlayerIds = try Player
    ///     .filter { $0.team == "Reds" }
    ///     .deleteAndFetchIds(db)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a foreign key prevents the
    ///   deletion, `SQLITE_READONLY` in a read-only access.
    public func deleteAndFetchIds(_ db: Database) throws -> Set<RowDecoder.ID>
    where
        RowDecoder: TableRecord & Identifiable,
        RowDecoder.ID: DatabaseValueConvertible & StatementColumnConvertible
    {
        try RowDecoder.ID.fetchSet(
            deleteAndFetchStatement(db, selection: db.keyColumns(of: relation.tableName)))
    }
}

extension QueryInterfaceRequest {
    /// Returns the columns of the `RETURNING` clause of a statement on the table of the request.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if `selection` is empty.
    package func returning(
        _ selection: [any SQLSelectable], _ db: Database
    ) throws -> [SQLSelection] {
        let columns = try selection.map(\.sqlSelection).expanded(ofTable: relation.tableName, db)
        guard !columns.isEmpty else {
            throw DatabaseError(misuse: "Invalid empty selection")
        }
        return columns
    }
}
