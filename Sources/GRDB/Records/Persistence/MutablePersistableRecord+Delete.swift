extension MutablePersistableRecord {
    /// Executes a `DELETE` statement.
    ///
    /// ```swift
    /// // DELETE FROM "player" WHERE "id" = 1
    /// try player.delete(db)
    /// ```
    ///
    /// - returns: whether a row was deleted.
    /// - throws: a ``DatabaseError``, or the error of a callback or of `encode(to:)`.
    @discardableResult
    public func delete(_ db: Database) throws -> Bool {
        try deleteAndCallBack(db)
    }

    /// Whether the table has a row with the primary key of this record.
    ///
    /// ```swift
    /// if try player.exists(db) { ... }
    /// ```
    public func exists(_ db: Database) throws -> Bool {
        try rowExists(db)
    }
}

extension TableRecord where Self: EncodableRecord {
    /// What updates of a record throw when its table has no row with its primary key.
    ///
    /// - returns: ``RecordError/recordNotFound(databaseTableName:key:)``, or the error that
    ///   prevents the key from being known.
    public func recordNotFound(_ db: Database) -> any Error {
        do {
            let plans = try db.recordPlans(for: type(of: self))
            return plans.recordNotFound(try plans.key(in: encodedContainer()))
        } catch {
            return error
        }
    }
}
