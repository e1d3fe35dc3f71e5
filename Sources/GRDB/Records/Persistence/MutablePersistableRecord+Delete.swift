extension MutablePersistableRecord {
    /// Deletes the row with the primary key of the record.
    ///
    /// ```swift
    /// // DELETE FROM "player" WHERE "id" = 1
    /// try player.delete(db)
    /// ```
    ///
    /// - returns: whether a row was deleted.
    /// - throws: a ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a foreign key prevents the
    ///   deletion, `SQLITE_READONLY` in a read-only access; or the error of a callback or of
    ///   `encode(to:)`.
    @discardableResult
    @inlinable
    public func delete(_ db: Database) throws -> Bool {
        guard
            let plan = try db.plan(
                .delete, for: ObjectIdentifier(Self.self), table: Self.databaseTableName)
        else {
            return try deleteAndCallBack(db)
        }
        try willDelete(db)
        let outcome = try run(plan)
        let isDeleted = try outcome == .unfit ? deleteRow(db) : outcome == .row
        didDelete(deleted: isDeleted)
        return isDeleted
    }

    /// Whether the table has a row with the primary key of this record.
    ///
    /// ```swift
    /// if try player.exists(db) { ... }
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if the table does not exist; or the
    ///   error of `encode(to:)`.
    @inlinable
    public func exists(_ db: Database) throws -> Bool {
        if let plan = try db.plan(
            .exists, for: ObjectIdentifier(Self.self), table: Self.databaseTableName)
        {
            let outcome = try run(plan)
            if outcome != .unfit { return outcome == .row }
        }
        return try rowExists(db)
    }
}

extension TableRecord where Self: EncodableRecord {
    /// Returns the error that updates throw when the table has no row with the primary key of the
    /// record.
    ///
    /// - returns: ``RecordError/recordNotFound(databaseTableName:key:)``, or the error that
    ///   prevents the key from being determined.
    public func recordNotFound(_ db: Database) -> any Error {
        do {
            let plans = try db.recordPlans(for: type(of: self))
            return plans.recordNotFound(try plans.key(in: encodedContainer()))
        } catch {
            return error
        }
    }
}
