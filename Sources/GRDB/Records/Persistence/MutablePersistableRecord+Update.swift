// Updates of whole records.

extension MutablePersistableRecord {
    /// Updates the row of the record, in all columns.
    ///
    /// ```swift
    /// try dbQueue.write { db in
    ///     var player = try Player.find(db, id: 1)
    ///     player.score += 10
    ///     // UPDATE "player" SET "name"='Arthur', "score"=1010 WHERE "id"=1
    ///     try player.update(db)
    /// }
    /// ```
    ///
    /// Texts that are not valid UTF-8 are read with U+FFFD in the place of invalid bytes. An update keeps
    /// the stored bytes of a text that still equals what was read.
    ///
    /// - parameter db: a connection that can write.
    /// - parameter conflictResolution: nil for the policy of ``persistenceConflictPolicy``.
    /// - throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if no row was updated; a
    ///   ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access; or the error of a callback or of `encode(to:)`.
    @inlinable
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        try update(db, columns: nil, onConflict: conflictResolution)
    }

    /// - parameter columns: nil for all columns.
    @inlinable
    @inline(__always)
    func update(
        _ db: Database, columns: [String]?,
        onConflict conflictResolution: Database.ConflictResolution?
    ) throws {
        if let plan = try db.plan(
            .update, for: ObjectIdentifier(Self.self), table: Self.databaseTableName,
            columns: columns,
            onConflict: conflictResolution
                ?? Self.persistenceConflictPolicy.conflictResolutionForUpdate)
        {
            try willSave(db)
            try willUpdate(db, columns: plan.updatedColumns)
            let outcome = try run(plan)
            if outcome == .row, !plan.hasReceiver { return }
            try didUpdate(
                db, by: plan, outcome, columns: columns, onConflict: conflictResolution)
        } else {
            try updateAndCallBack(db, columns: columns, onConflict: conflictResolution)
        }
    }

    /// Updates the row of the record, with assignments besides its values.
    ///
    /// ```swift
    /// // UPDATE "player" SET "name"='Arthur', "version"="version" + 1 WHERE "id"=1
    /// try player.update(db, setting: [Column("version") += 1])
    /// ```
    ///
    /// - parameter db: a connection that can write.
    /// - parameter conflictResolution: nil for the policy of ``persistenceConflictPolicy``.
    /// - parameter assignments: additional assignments, which replace the values that the record
    ///   sets.
    /// - parameter userInfo: contextual information for the `encode(to:)` method of `Encodable`, in
    ///   addition to ``EncodableRecord/databaseEncodingUserInfo``.
    /// - throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if no row was updated; a
    ///   ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access; or the error of a callback or of `encode(to:)`.
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        setting assignments: [ColumnAssignment], userInfo: [CodingUserInfoKey: Any] = [:]
    ) throws {
        try updateAndCallBack(
            db,
            PersistenceOptions(
                conflictResolution: conflictResolution, assignments: assignments,
                userInfo: userInfo))
    }

    /// Stores the values of some columns.
    ///
    /// ```swift
    /// // UPDATE "player" SET "score"=1010 WHERE "id"=1
    /// try player.update(db, columns: ["score"])
    /// ```
    ///
    /// Columns that are not in the table, or that the record does not set, are ignored.
    ///
    /// - throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if no row was updated; a
    ///   ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access; or the error of a callback or of `encode(to:)`.
    @inlinable
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<String>
    ) throws {
        try update(db, columns: Array(columns), onConflict: conflictResolution)
    }

    /// Stores the values of some columns.
    ///
    /// ```swift
    /// // UPDATE "player" SET "score"=1010 WHERE "id"=1
    /// try player.update(db, columns: [Column("score")])
    /// ```
    ///
    /// - throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if no row was updated; a
    ///   ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access; or the error of a callback or of `encode(to:)`.
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<any ColumnExpression>
    ) throws {
        try update(db, onConflict: conflictResolution, columns: columns.map(\.name))
    }
}

// MARK: - RETURNING

extension MutablePersistableRecord {
    /// Updates all columns, and returns the row as the statement wrote it, with generated values.
    ///
    /// - throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if no row was updated; a
    ///   ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access; or the error of a callback, of `encode(to:)` or
    ///   `init(row:)`.
    public func updateAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self where Self: FetchableRecord {
        try PersistenceOptions(conflictResolution: conflictResolution)
            .fetching(Self.self) { try updateAndCallBack(db, $0) }
    }

    /// Updates all columns, and returns the stored row as a record of another type.
    ///
    /// - throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if no row was updated; a
    ///   ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access; or the error of a callback, of `encode(to:)` or
    ///   `init(row:)`.
    public func updateAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        as returnedType: T.Type
    ) throws -> T {
        try PersistenceOptions(conflictResolution: conflictResolution)
            .fetching(T.self) { try updateAndCallBack(db, $0) }
    }

    /// Updates all columns, and returns values that a closure fetches from the stored row.
    ///
    /// ```swift
    /// // UPDATE "player" SET "name"='Arthur' WHERE "id"=1 RETURNING "score"
    /// let score = try player.updateAndFetch(db, selection: [Column("score")]) {
    ///     try Int.fetchOne($0)
    /// }
    /// ```
    ///
    /// - parameter db: a connection that can write.
    /// - parameter conflictResolution: nil for the policy of ``persistenceConflictPolicy``.
    /// - parameter selection: the returned columns. Must not be empty.
    /// - parameter fetch: a closure that executes its statement by fetching from it.
    /// - throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if no row was updated; a
    ///   ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access, `SQLITE_MISUSE` if the selection is empty or
    ///   `fetch` does not execute its statement; or the error of `fetch`, of a callback or of
    ///   `encode(to:)`.
    public func updateAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        try PersistenceOptions(conflictResolution: conflictResolution)
            .fetching(selection, fetch) { try updateAndCallBack(db, $0) }
    }

    /// Updates some columns, and returns values that a closure fetches from the stored row.
    ///
    /// - throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if no row was updated; a
    ///   ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access, `SQLITE_MISUSE` if the selection is empty or
    ///   `fetch` does not execute its statement; or the error of `fetch`, of a callback or of
    ///   `encode(to:)`.
    public func updateAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<String>, selection: [any SQLSelectable],
        fetch: (Statement) throws -> T
    ) throws -> T {
        try PersistenceOptions(conflictResolution: conflictResolution, columns: Array(columns))
            .fetching(selection, fetch) { try updateAndCallBack(db, $0) }
    }

    /// Updates some columns, and returns values that a closure fetches from the stored row.
    ///
    /// - throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if no row was updated; a
    ///   ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access, `SQLITE_MISUSE` if the selection is empty or
    ///   `fetch` does not execute its statement; or the error of `fetch`, of a callback or of
    ///   `encode(to:)`.
    public func updateAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<any ColumnExpression>, selection: [any SQLSelectable],
        fetch: (Statement) throws -> T
    ) throws -> T {
        try updateAndFetch(
            db, onConflict: conflictResolution, columns: columns.map(\.name),
            selection: selection, fetch: fetch)
    }
}
