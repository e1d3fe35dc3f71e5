import GRDB

// Inserting rows without a record type.

extension Table {
    // MARK: - One row

    /// Inserts a row.
    ///
    /// ```swift
    /// // INSERT INTO "user" ("email", "name") VALUES ('alice@example.com', 'Alice')
    /// let id = try Table("user").insert(db, [
    ///     Column("email").set(to: "alice@example.com"),
    ///     Column("name").set(to: "Alice"),
    /// ])
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_insert.html>
    ///
    /// - parameter db: a connection that can write.
    /// - parameter conflictResolution: what to do when a constraint is violated; nil for the policy
    ///   of the record type.
    /// - parameter assignments: the assigned columns. Must not be empty: see
    ///   ``GRDB/Table/insertDefaultValues(_:onConflict:)``.
    /// - returns: the rowid of the row; 0 if it was ignored because of a conflict. Meaningless for
    ///   views and tables without rowid.
    /// - throws: a ``/GRDB/DatabaseError``: of code `SQLITE_MISUSE` if a column is assigned twice, or if
    ///   no column is assigned.
    @discardableResult
    public func insert(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> Int64 {
        try db.insertRow(
            RowInsertion(db, [assignments], into: self, onConflict: conflictResolution).sql())
    }

    /// Inserts a row.
    ///
    /// ```swift
    /// // INSERT INTO "user" ("email") VALUES ('alice@example.com')
    /// let id = try Table("user").insert(db, Column("email").set(to: "alice@example.com"))
    /// ```
    ///
    /// - returns: the rowid of the row: see `insert(_:onConflict:_:)`.
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access, `SQLITE_ERROR` if a column does not exist.
    @discardableResult
    public func insert(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignment: ColumnAssignment, _ assignments: ColumnAssignment...
    ) throws -> Int64 {
        try insert(db, onConflict: conflictResolution, [assignment] + assignments)
    }

    /// Inserts a row.
    ///
    /// ```swift
    /// // INSERT INTO "player" ("name", "score") VALUES ('Arthur', 0)
    /// let id = try Table<Player>("player").insert(db) {
    ///     [$0.name.set(to: "Arthur"), $0.score.set(to: 0)]
    /// }
    /// ```
    ///
    /// - returns: the rowid of the row: see `insert(_:onConflict:_:)`.
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access, `SQLITE_ERROR` if a column does not exist.
    @discardableResult
    public func insert(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> Int64 where RowDecoder: TableRecord {
        try insert(
            db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
    }

    /// Inserts a row from a dictionary.
    ///
    /// ```swift
    /// // INSERT INTO "user" ("email", "name") VALUES ('alice@example.com', NULL)
    /// let id = try Table("user").insert(db, ["name": nil, "email": "alice@example.com"])
    /// ```
    ///
    /// - parameter db: a connection that can write.
    /// - parameter conflictResolution: what to do when a constraint is violated; nil for the policy
    ///   of the record type: see ``/GRDB/MutablePersistableRecord/persistenceConflictPolicy``.
    /// - parameter values: the values by column name. Must not be empty: see
    ///   ``GRDB/Table/insertDefaultValues(_:onConflict:)``.
    /// - returns: the rowid of the row: see `insert(_:onConflict:_:)`.
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access, `SQLITE_ERROR` if a column does not exist.
    @discardableResult
    public func insert(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ values: [String: (any DatabaseValueConvertible)?]
    ) throws -> Int64 {
        // Dictionaries have no order: use the column order of the table.
        let columns = try db.columns(in: tableName, in: schemaName).map(\.name)
        func index(_ name: String) -> Int {
            columns.firstIndex { ASCIICase.equal($0, name) } ?? columns.count
        }
        let assignments = values.ordered { (index($0.key), $0.key) < (index($1.key), $1.key) }
            .map { Column($0.key).set(to: $0.value) }
        return try insert(db, onConflict: conflictResolution, assignments)
    }

    /// Inserts a row of default values.
    ///
    /// ```swift
    /// // INSERT INTO "user" DEFAULT VALUES
    /// let id = try Table("user").insertDefaultValues(db)
    /// ```
    ///
    /// - parameter db: a connection that can write.
    /// - parameter conflictResolution: what to do when a constraint is violated; nil for the policy
    ///   of the record type.
    /// - returns: the rowid of the row: see `insert(_:onConflict:_:)`.
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access, `SQLITE_ERROR` if a column does not exist.
    @discardableResult
    public func insertDefaultValues(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Int64 {
        try db.insertRow(SQL(sql: "\(insertionVerb(conflictResolution)) DEFAULT VALUES"))
    }

    // MARK: - Many rows

    /// Inserts rows, several per `INSERT` statement.
    ///
    /// ```swift
    /// // INSERT INTO "user" ("email") VALUES ('alice@example.com'), ('bob@example.com')
    /// try Table("user").insertMany(db, [
    ///     [Column("email").set(to: "alice@example.com")],
    ///     [Column("email").set(to: "bob@example.com")],
    /// ])
    /// ```
    ///
    /// If an insertion fails, no row is inserted.
    ///
    /// - parameter db: a connection that can write.
    /// - parameter conflictResolution: what to do when a constraint is violated; nil for the policy
    ///   of the record type.
    /// - parameter rows: the assigned columns of each row, the same in all rows. If empty, nothing
    ///   happens.
    /// - returns: the number of inserted rows.
    /// - throws: a ``/GRDB/DatabaseError``: of code `SQLITE_MISUSE` unless all rows assign the same
    ///   columns.
    @discardableResult
    public func insertMany(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ rows: [[ColumnAssignment]]
    ) throws -> Int {
        var count = 0
        try insertBatches(db, rows, onConflict: conflictResolution) { insertion in
            let batchCount = ChangeCount(db)
            try db.cachedStatement(literal: insertion).execute()
            count += try batchCount.rows(db, changedIn: all())
        }
        return count
    }

    /// Inserts the rows of a request.
    ///
    /// ```swift
    /// // INSERT INTO "archive" SELECT * FROM "player" WHERE "score" = 0
    /// try Table("archive").insertAll(db, from: Player.filter { $0.score == 0 })
    ///
    /// // INSERT INTO "name" ("value") SELECT "name" FROM "player"
    /// try Table("name").insertAll(
    ///     db, columns: [Column("value")], from: Player.select(\.name))
    /// ```
    ///
    /// - parameters:
    ///     - db: a connection that can write.
    ///     - conflictResolution: what to do when a constraint is violated; nil for the policy of the
    ///       record type.
    ///     - columns: the assigned columns, as many as the request selects. Nil for all columns of
    ///       the table, in order.
    ///     - request: the request whose rows are inserted.
    /// - returns: the number of inserted rows.
    /// - throws: a ``/GRDB/DatabaseError``: of code `SQLITE_MISUSE` if the list of columns is empty.
    @discardableResult
    public func insertAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: [any ColumnExpression]? = nil, from request: some SQLSubqueryable
    ) throws -> Int {
        if let columns, columns.isEmpty {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "can't insert into \(tableName): the list of columns is empty")
        }
        var sql = SQL(sql: insertionVerb(conflictResolution))
        if let columns { sql.append(sql: " \(columns.map(\.name).listOfIdentifiers)") }
        sql += " \(request.sqlSubquery)"
        let count = ChangeCount(db)
        try db.cachedStatement(literal: sql).execute()
        return try count.rows(db, changedIn: all())
    }

    // MARK: - Upsert

    /// Inserts a row, or updates the row it conflicts with.
    ///
    /// ```swift
    /// // INSERT INTO "user" ("email", "name") VALUES ('alice@example.com', 'Alice')
    /// // ON CONFLICT("email") DO UPDATE SET "name" = "excluded"."name"
    /// // RETURNING "rowid"
    /// let id = try Table("user").upsert(
    ///     db,
    ///     [
    ///         Column("email").set(to: "alice@example.com"),
    ///         Column("name").set(to: "Alice"),
    ///     ],
    ///     onConflict: ["email"])
    ///
    /// // INSERT INTO "word" ("text") VALUES ('jovial')
    /// // ON CONFLICT("text") DO UPDATE SET "count" = "count" + 1
    /// // RETURNING "rowid"
    /// try Table("word").upsert(
    ///     db, [Column("text").set(to: "jovial")], onConflict: ["text"],
    ///     doUpdate: { _ in [Column("count") += 1] })
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_upsert.html>
    ///
    /// - parameters:
    ///     - db: a connection that can write.
    ///     - assignments: the assigned columns of the inserted row.
    ///     - conflictTarget: the columns of the unique constraint that triggers the update. Empty
    ///       for any constraint.
    ///     - strategy: what happens to the columns that `doUpdate` does not assign.
    ///     - updates: a closure that returns the assignments of the update. Its argument refers to
    ///       the values that could not be inserted.
    /// - returns: the rowid of the inserted or updated row; 0 if the table has no rowid, or if its
    ///   columns hide all names of the rowid.
    /// - throws: a ``/GRDB/DatabaseError``: of code `SQLITE_MISUSE` if a column is assigned twice, or if
    ///   no column is assigned.
    @discardableResult
    public func upsert(
        _ db: Database, _ assignments: [ColumnAssignment],
        onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate updates: ((TableAlias<RowDecoder>) -> [ColumnAssignment])? = nil
    ) throws -> Int64 {
        let upsert = try upsertion(db, assignments, conflictTarget, strategy, updates)
        // `lastInsertedRowID` is not the rowid of an updated row.
        guard let name = try db.returnedRowIDName(in: tableName, schemaName) else {
            try db.cachedStatement(literal: upsert.sql()).execute()
            return 0
        }
        let sql = upsert.sql(returning: [Column(name).sqlSelection])
        return try db.cachedStatement(literal: sql).fetchReturnedRow { $0[0] } ?? 0
    }
}
