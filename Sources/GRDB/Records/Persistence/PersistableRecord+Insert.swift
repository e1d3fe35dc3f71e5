extension PersistableRecord {
    /// Inserts the record into its table.
    ///
    /// ```swift
    /// try dbQueue.write { db in
    ///     let player = Player(id: 1, name: "Arthur")
    ///     // INSERT INTO "player" ("id", "name") VALUES (1, 'Arthur')
    ///     try player.insert(db)
    /// }
    /// ```
    ///
    /// - parameter db: a connection that can write.
    /// - parameter conflictResolution: nil for the policy of
    ///   ``MutablePersistableRecord/persistenceConflictPolicy``.
    /// - throws: a ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access; or the error of a callback or of `encode(to:)`.
    @inlinable
    public func insert(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        let plan = try db.plan(
            .insert, for: ObjectIdentifier(Self.self), table: Self.databaseTableName,
            onConflict: conflictResolution
                ?? Self.persistenceConflictPolicy.conflictResolutionForInsert)
        try insert(db, by: plan, .insert, onConflict: conflictResolution)
    }

    /// Inserts or upserts the record, with a plan if there is one, and with its callbacks.
    ///
    /// Like the method for records that can change, but copies the record only for callbacks.
    @inlinable
    @inline(__always)
    func insert(
        _ db: Database, by plan: PersistencePlan?, _ verb: PersistenceOperation.Verb,
        onConflict conflictResolution: Database.ConflictResolution?
    ) throws {
        guard let plan else {
            var record = self
            return try record.insertAndCallBack(db, verb, onConflict: conflictResolution)
        }
        try willSave(db)
        try willInsert(db)
        let outcome = try run(plan)
        if outcome != .unfit, !plan.hasReceiver { return }
        var record = self
        try record.didInsert(db, by: plan, outcome, onConflict: conflictResolution)
    }

    /// Executes an `INSERT` statement with additional assignments.
    ///
    /// ```swift
    /// // INSERT INTO "player" ("id", "name", "score") VALUES (NULL, 'Arthur', 10)
    /// try player.insert(db, setting: [Column("score").set(to: 10)])
    /// ```
    ///
    /// - parameter db: a connection that can write.
    /// - parameter conflictResolution: what to do when a constraint is violated; nil for the policy
    ///   of the record type: see ``MutablePersistableRecord/persistenceConflictPolicy``.
    /// - parameter assignments: additional assignments, which replace the values that the record
    ///   sets.
    /// - parameter userInfo: contextual information for the `encode(to:)` method of `Encodable`, in
    ///   addition to ``EncodableRecord/databaseEncodingUserInfo``.
    /// - throws: a ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access; or the error of a callback or of `encode(to:)`.
    public func insert(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        setting assignments: [ColumnAssignment], userInfo: [CodingUserInfoKey: Any] = [:]
    ) throws {
        let options = PersistenceOptions(
            conflictResolution: conflictResolution, assignments: assignments, userInfo: userInfo)
        var record = self
        try record.insertAndCallBack(db, options)
    }

    /// Inserts the record, and returns its row as the statement wrote it, with default and generated
    /// values.
    ///
    /// Use it to read default values and generated columns:
    ///
    /// ```swift
    /// // INSERT INTO "player" ("name") VALUES ('Alice') RETURNING *
    /// let partialPlayer = PartialPlayer(name: "Alice")
    /// let player = try partialPlayer.insertAndFetch(db, as: Player.self)
    /// print(player.score) // The default score
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access;
    ///   ``RecordError/recordNotFound(databaseTableName:key:)`` if a conflict was ignored; or the
    ///   error of a callback, of `encode(to:)` or `init(row:)`.
    public func insertAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        as returnedType: T.Type
    ) throws -> T {
        var record = self
        return try PersistenceOptions(conflictResolution: conflictResolution)
            .fetching(T.self) { try record.insertAndCallBack(db, $0) }
    }

    /// Inserts the record, and fetches values from the inserted row.
    ///
    /// ```swift
    /// // INSERT INTO "player" ("name") VALUES ('Alice') RETURNING "score"
    /// let score = try partialPlayer.insertAndFetch(db, selection: [Column("score")]) {
    ///     try Int.fetchOne($0)
    /// }
    /// ```
    ///
    /// - parameter db: a connection that can write.
    /// - parameter conflictResolution: what to do when a constraint is violated; nil for the policy
    ///   of the record type: see ``MutablePersistableRecord/persistenceConflictPolicy``.
    /// - parameter selection: the returned columns. Must not be empty.
    /// - parameter fetch: a closure that executes its statement by fetching from it.
    /// - throws: a ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access, `SQLITE_MISUSE` if the selection is empty or
    ///   `fetch` does not execute its statement; or the error of a closure, of a callback or of
    ///   `encode(to:)`.
    public func insertAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        var record = self
        return try PersistenceOptions(conflictResolution: conflictResolution)
            .fetching(selection, fetch) { try record.insertAndCallBack(db, $0) }
    }

    /// Inserts the record, and fetches values from the inserted row.
    ///
    /// ```swift
    /// // INSERT INTO "player" ("name") VALUES ('Alice') RETURNING "score"
    /// let score = try partialPlayer.insertAndFetch(db) { statement in
    ///     try Int.fetchOne(statement)
    /// } select: {
    ///     [$0.score]
    /// }
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access, `SQLITE_MISUSE` if the selection is empty or
    ///   `fetch` does not execute its statement; or the error of a closure, of a callback or of
    ///   `encode(to:)`.
    public func insertAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        fetch: (Statement) throws -> T,
        select: (DatabaseComponents) throws -> [any SQLSelectable]
    ) throws -> T {
        try insertAndFetch(
            db, onConflict: conflictResolution, selection: select(Self.databaseComponents),
            fetch: fetch)
    }
}
