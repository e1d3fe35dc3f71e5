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
    ///   ``insertDefaultValues(_:onConflict:)``.
    /// - returns: the rowid of the row; 0 if it was ignored because of a conflict. Meaningless for
    ///   views and tables without rowid.
    /// - throws: a ``DatabaseError``: of code `SQLITE_MISUSE` if a column is assigned twice, or if
    ///   no column is assigned.
    @discardableResult
    public func insert(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> Int64 {
        try db.insertRow(insertion([assignments], onConflict: conflictResolution))
    }

    /// Inserts a row.
    ///
    /// ```swift
    /// // INSERT INTO "user" ("email") VALUES ('alice@example.com')
    /// let id = try Table("user").insert(db, Column("email").set(to: "alice@example.com"))
    /// ```
    ///
    /// - returns: the rowid of the row: see `insert(_:onConflict:_:)`.
    /// - throws: a ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
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
    /// - throws: a ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
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
    ///   of the record type: see ``MutablePersistableRecord/persistenceConflictPolicy``.
    /// - parameter values: the values by column name. Must not be empty: see
    ///   ``insertDefaultValues(_:onConflict:)``.
    /// - returns: the rowid of the row: see `insert(_:onConflict:_:)`.
    /// - throws: a ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
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
    /// - throws: a ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access, `SQLITE_ERROR` if a column does not exist.
    @discardableResult
    public func insertDefaultValues(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Int64 {
        try db.insertRow(
            InsertStatement(
                table: relation.tableName,
                conflictResolution: insertionPolicy(conflictResolution), source: .defaultValues))
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
    /// - throws: a ``DatabaseError``: of code `SQLITE_MISUSE` unless all rows assign the same
    ///   columns.
    @discardableResult
    public func insertMany(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ rows: [[ColumnAssignment]]
    ) throws -> Int {
        var count = 0
        try insertBatches(db, rows, onConflict: conflictResolution) { insertion in
            let batchCount = ChangeCount(db)
            try db.execute(insertion)
            count += try batchCount.rows(db, changedIn: relation.tableName)
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
    /// - throws: a ``DatabaseError``: of code `SQLITE_MISUSE` if the list of columns is empty.
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
        let count = ChangeCount(db)
        try db.execute(
            InsertStatement(
                table: relation.tableName,
                conflictResolution: insertionPolicy(conflictResolution),
                columns: columns?.map(\.name) ?? [], source: .query(request.sqlSubquery)))
        return try count.rows(db, changedIn: relation.tableName)
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
    /// - throws: a ``DatabaseError``: of code `SQLITE_MISUSE` if a column is assigned twice, or if
    ///   no column is assigned.
    @discardableResult
    public func upsert(
        _ db: Database, _ assignments: [ColumnAssignment],
        onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate updates: ((TableAlias<RowDecoder>) -> [ColumnAssignment])? = nil
    ) throws -> Int64 {
        var upsert = try upsertion(db, assignments, conflictTarget, strategy, updates)
        // `lastInsertedRowID` is not the rowid of an updated row.
        guard let name = try db.returnedRowIDName(in: tableName, schemaName) else {
            try db.execute(upsert)
            return 0
        }
        upsert.returning = [Column(name).sqlSelection]
        return try db.cachedStatement(upsert).fetchReturnedRow { $0[0] } ?? 0
    }
}

// MARK: - Statements

extension Table {
    /// Returns the given policy, or else the policy of the record type.
    func insertionPolicy(
        _ conflictResolution: Database.ConflictResolution?
    ) -> Database.ConflictResolution {
        conflictResolution
            ?? PersistenceConflictPolicy(of: RowDecoder.self).conflictResolutionForInsert
    }

    func insertion(
        _ rows: [[ColumnAssignment]], onConflict conflictResolution: Database.ConflictResolution?
    ) throws -> InsertStatement {
        try InsertStatement(
            rows, into: relation.tableName, onConflict: insertionPolicy(conflictResolution))
    }

    func upsertion(
        _ db: Database, _ assignments: [ColumnAssignment], _ conflictTarget: [String],
        _ strategy: UpsertUpdateStrategy,
        _ updates: ((TableAlias<RowDecoder>) -> [ColumnAssignment])?
    ) throws -> InsertStatement {
        var insertion = try InsertStatement(
            [assignments], into: relation.tableName, onConflict: .abort)
        let excluded = TableAlias<RowDecoder>(name: "excluded")
        insertion.upsert = try InsertStatement.Upsert(
            columns: insertion.columns,
            keyColumns: db.primaryKey(tableName, in: schemaName).columns,
            conflictTarget: conflictTarget, assignments: updates?(excluded) ?? [],
            overwritesColumns: !strategy.contains(.noColumnUnlessSpecified))
        return insertion
    }

    /// Calls the closure with one insertion per batch, each with as many rows as fit into one
    /// statement. All insertions are rolled back if one fails.
    func insertBatches(
        _ db: Database, _ rows: [[ColumnAssignment]],
        onConflict conflictResolution: Database.ConflictResolution?,
        returning selection: [SQLSelection] = [], _ insert: (InsertStatement) throws -> Void
    ) throws {
        if rows.isEmpty { return }
        let insertion = try insertion(rows, onConflict: conflictResolution)
        guard case .expressions(let values) = insertion.source else { return }
        // Divided by four, because expressions may have several arguments.
        let size = max(1, min(256, db.maximumStatementArgumentCount / 4 / insertion.columns.count))
        func insertBatch(_ batch: ArraySlice<[SQLExpression]>) throws {
            var insertion = insertion
            insertion.source = .expressions(Array(batch))
            insertion.returning = selection
            try insert(insertion)
        }
        let isOneStatement = values.count <= size
        if isOneStatement, try values.count == 1 || !db.mayKeepRows(ofFailed: insertion) {
            return try insertBatch(values[...])
        }
        try db.inSavepoint {
            for start in stride(from: 0, to: values.count, by: size) {
                try insertBatch(values[start..<min(start + size, values.count)])
            }
            return .commit
        }
    }
}

/// Whether the schema has a policy, or a trigger, that keeps the former rows of a statement that fails.
private final class PartialFailures {
    let arePossible: Bool

    init(arePossible: Bool) {
        self.arePossible = arePossible
    }
}

extension Database {
    /// Whether an insertion of several rows may keep some of them when it fails: the policy of the statement or
    /// of its table is `FAIL`, or a trigger calls `RAISE(FAIL)`.
    ///
    /// SQLite does not tell, so this looks for the word in the schema. An extra savepoint does no harm.
    fileprivate func mayKeepRows(ofFailed insertion: InsertStatement) throws -> Bool {
        if insertion.conflictResolution == .fail { return true }
        let cache = try validSchemaCache()
        let id = ObjectIdentifier(PartialFailures.self)
        if let known = cache.derivedValue(for: id) as? PartialFailures { return known.arePossible }
        let arePossible = try schemaIDs(named: nil).contains { schemaID in
            try schemaObjects(in: schemaID).all.contains { object in
                SQLToken.tokens(of: object.sql ?? "").contains { $0.isWord("FAIL") }
            }
        }
        cache.setDerivedValue(PartialFailures(arePossible: arePossible), for: id)
        return arePossible
    }

    /// Inserts one row.
    ///
    /// - returns: its rowid; 0 if it was ignored.
    fileprivate func insertRow(_ insertion: InsertStatement) throws -> Int64 {
        try execute(insertion)
        // If the row was ignored, `lastInsertedRowID` is the rowid of an earlier insertion.
        return changesCount == 0 ? 0 : lastInsertedRowID
    }
}
