// Inserting many records.

extension MutablePersistableRecord {
    /// Inserts all records, or none if an insertion fails.
    ///
    /// ```swift
    /// var players = [Player(id: nil, name: "Arthur"), Player(id: nil, name: "Barbara")]
    /// // INSERT INTO "player" ("id", "name") VALUES (NULL,'Arthur')
    /// // INSERT INTO "player" ("id", "name") VALUES (NULL,'Barbara')
    /// try Player.insertMany(db, &players)
    /// print(players[1].id) // Some id that is not nil
    /// ```
    ///
    /// Inserts each record as ``insert(_:onConflict:)`` does, with its callbacks. The statement is
    /// compiled once. The insertions run in a savepoint; outside of transactions, the savepoint is
    /// a transaction.
    ///
    /// - parameters:
    ///     - db: a connection that can write.
    ///     - records: the records, which their callbacks may change.
    ///     - conflictResolution: nil for the policy of ``persistenceConflictPolicy``.
    /// - throws: a ``DatabaseError``, or the error of a callback or of `encode(to:)`. No record is then
    ///   inserted, but the records in the array may have been changed by their callbacks.
    /// - complexity: O(*n*) statements, where *n* is the number of records.
    @inlinable
    public static func insertMany(
        _ db: Database, _ records: inout [Self],
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        try db.insertAllOrNone(records.count) {
            for index in records.indices {
                try records[index].insert(db, onConflict: conflictResolution)
            }
        }
    }

    /// Inserts all records, or none if an insertion fails, and returns records built from the
    /// inserted rows.
    ///
    /// ```swift
    /// // INSERT INTO "player" ("name") VALUES ('Arthur') RETURNING *
    /// // INSERT INTO "player" ("name") VALUES ('Barbara') RETURNING *
    /// var partialPlayers = [PartialPlayer(name: "Arthur"), PartialPlayer(name: "Barbara")]
    /// let players = try PartialPlayer.insertManyAndFetch(db, &partialPlayers, as: Player.self)
    /// ```
    ///
    /// - returns: one record per inserted record, in the same order.
    /// - throws: the errors of ``insertMany(_:_:onConflict:)``, and
    ///   ``RecordError/recordNotFound(databaseTableName:key:)`` if a conflict was ignored, or the
    ///   error of `init(row:)`.
    public static func insertManyAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, _ records: inout [Self],
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        as returnedType: T.Type
    ) throws -> [T] {
        var fetched: [T] = []
        fetched.reserveCapacity(records.count)
        try db.insertAllOrNone(records.count) {
            for index in records.indices {
                try fetched.append(
                    records[index].insertAndFetch(
                        db, onConflict: conflictResolution, as: returnedType))
            }
        }
        return fetched
    }
}

extension PersistableRecord {
    /// Inserts all records, or none if an insertion fails.
    ///
    /// ```swift
    /// // INSERT INTO "country" ("code", "name") VALUES ('FR','France')
    /// // INSERT INTO "country" ("code", "name") VALUES ('IT','Italy')
    /// try Country.insertMany(db, countries)
    /// ```
    ///
    /// See ``MutablePersistableRecord/insertMany(_:_:onConflict:)``.
    ///
    /// - throws: a ``DatabaseError``, or the error of a callback or of `encode(to:)`. No record is then
    ///   inserted.
    @inlinable
    public static func insertMany(
        _ db: Database, _ records: some Sequence<Self>,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        let records = Array(records)
        try db.insertAllOrNone(records.count) {
            for record in records { try record.insert(db, onConflict: conflictResolution) }
        }
    }

    /// Inserts all records, or none if an insertion fails, and returns records built from the
    /// inserted rows.
    ///
    /// See ``MutablePersistableRecord/insertManyAndFetch(_:_:onConflict:as:)``.
    ///
    /// - throws: the errors of ``MutablePersistableRecord/insertManyAndFetch(_:_:onConflict:as:)``.
    public static func insertManyAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, _ records: some Sequence<Self>,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        as returnedType: T.Type
    ) throws -> [T] {
        var records = Array(records)
        return try insertManyAndFetch(
            db, &records, onConflict: conflictResolution, as: returnedType)
    }
}

extension Database {
    /// Calls a closure that inserts records in a savepoint.
    @usableFromInline
    func insertAllOrNone(_ count: Int, _ insert: () throws -> Void) throws {
        if count == 0 { return }
        try inSavepoint {
            try insert()
            return .commit
        }
    }
}
