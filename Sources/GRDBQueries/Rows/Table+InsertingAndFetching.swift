import GRDB

// Inserting rows without a record type, and fetching values of the inserted rows.

extension Table {
    /// Returns an `INSERT RETURNING` prepared statement.
    ///
    /// ```swift
    /// // INSERT INTO "user" ("email") VALUES ('alice@example.com') RETURNING "id", "createdAt"
    /// let statement = try Table("user").insertAndFetchStatement(
    ///     db, [[Column("email").set(to: "alice@example.com")]],
    ///     selection: [Column("id"), Column("createdAt")])
    /// let row = try Row.fetchOne(statement)
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_returning.html>
    ///
    /// - parameter db: a connection that can write.
    /// - parameter conflictResolution: what to do when a constraint is violated; nil for the policy
    ///   of the record type: see ``/GRDB/MutablePersistableRecord/persistenceConflictPolicy``.
    /// - parameter rows: the assigned columns of each row, the same in all rows. Must not be empty.
    /// - parameter selection: the returned columns. Must not be empty.
    /// - throws: a ``/GRDB/DatabaseError``: of code `SQLITE_MISUSE` unless all rows assign the same
    ///   columns.
    public func insertAndFetchStatement(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ rows: [[ColumnAssignment]], selection: [any SQLSelectable]
    ) throws -> Statement {
        let insertion = try RowInsertion(db, rows, into: self, onConflict: conflictResolution)
        return try db.cachedStatement(
            literal: insertion.sql(returning: all().returning(selection, db)))
    }

    /// Inserts a row, and returns it.
    ///
    /// ```swift
    /// // INSERT INTO "user" ("email") VALUES ('alice@example.com') RETURNING *
    /// let row = try Table("user").insertAndFetch(
    ///     db, [Column("email").set(to: "alice@example.com")])
    /// ```
    ///
    /// - returns: the row; nil if it was ignored because of a conflict.
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access, `SQLITE_ERROR` if a column does not exist.
    public func insertAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> Row? where RowDecoder == Row {
        try insertAndFetchStatement(
            db, onConflict: conflictResolution, [assignments], selection: [AllColumns()]
        ).fetchReturnedRow { $0.copy() }
    }

    /// Inserts a row, and returns a record built from it.
    ///
    /// ```swift
    /// // INSERT INTO "player" ("name") VALUES ('Arthur') RETURNING *
    /// let player = try Table<Player>("player").insertAndFetch(
    ///     db, [Column("name").set(to: "Arthur")])
    /// ```
    ///
    /// - returns: the record; nil if the row was ignored because of a conflict.
    /// - throws: a ``/GRDB/DatabaseError``, or the error of ``/GRDB/FetchableRecord/init(row:)``.
    public func insertAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> RowDecoder? where RowDecoder: FetchableRecord {
        try insertAndFetchStatement(
            db, onConflict: conflictResolution, [assignments], selection: [AllColumns()]
        ).fetchReturnedRow { try RowDecoder(row: $0) }
    }

    /// Inserts rows, several per `INSERT RETURNING` statement, and returns them.
    ///
    /// If an insertion fails, no row is inserted.
    ///
    /// - returns: the inserted rows, in no particular order.
    /// - throws: a ``/GRDB/DatabaseError``: see ``GRDB/Table/insertMany(_:onConflict:_:)``.
    public func insertManyAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ rows: [[ColumnAssignment]]
    ) throws -> [Row] where RowDecoder == Row {
        var result: [Row] = []
        try insertBatches(
            db, rows, onConflict: conflictResolution, returning: [AllColumns().sqlSelection]
        ) { insertion in
            result += try Row.fetchAll(db.cachedStatement(literal: insertion))
        }
        return result
    }

    /// Inserts rows, several per `INSERT RETURNING` statement, and returns records built from them.
    ///
    /// If an insertion fails, no row is inserted.
    ///
    /// - returns: the records of the inserted rows, in no particular order.
    /// - throws: a ``/GRDB/DatabaseError``: see ``GRDB/Table/insertMany(_:onConflict:_:)``, or the error of
    ///   ``/GRDB/FetchableRecord/init(row:)``.
    public func insertManyAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ rows: [[ColumnAssignment]]
    ) throws -> [RowDecoder] where RowDecoder: FetchableRecord {
        var result: [RowDecoder] = []
        try insertBatches(
            db, rows, onConflict: conflictResolution, returning: [AllColumns().sqlSelection]
        ) { insertion in
            result += try RowDecoder.fetchAll(db.cachedStatement(literal: insertion))
        }
        return result
    }

    /// Inserts a row, or updates the row it conflicts with, and returns the row.
    ///
    /// See ``GRDB/Table/upsert(_:_:onConflict:updating:doUpdate:)``.
    ///
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access, `SQLITE_ERROR` if a column does not exist.
    public func upsertAndFetch(
        _ db: Database, _ assignments: [ColumnAssignment],
        onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate updates: ((TableAlias<RowDecoder>) -> [ColumnAssignment])? = nil
    ) throws -> Row? where RowDecoder == Row {
        let upsert = try upsertion(db, assignments, conflictTarget, strategy, updates)
            .sql(returning: [AllColumns().sqlSelection])
        return try db.cachedStatement(literal: upsert).fetchReturnedRow { $0.copy() }
    }

    /// Inserts a row, or updates the row it conflicts with, and returns a record built from the
    /// row.
    ///
    /// See ``GRDB/Table/upsert(_:_:onConflict:updating:doUpdate:)``.
    ///
    /// - throws: a ``/GRDB/DatabaseError``, or the error of ``/GRDB/FetchableRecord/init(row:)``.
    public func upsertAndFetch(
        _ db: Database, _ assignments: [ColumnAssignment],
        onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate updates: ((TableAlias<RowDecoder>) -> [ColumnAssignment])? = nil
    ) throws -> RowDecoder? where RowDecoder: FetchableRecord {
        let upsert = try upsertion(db, assignments, conflictTarget, strategy, updates)
            .sql(returning: [AllColumns().sqlSelection])
        return try db.cachedStatement(literal: upsert).fetchReturnedRow { try RowDecoder(row: $0) }
    }
}
