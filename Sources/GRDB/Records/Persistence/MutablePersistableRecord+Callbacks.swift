// Persistence methods, with their callbacks.

extension MutablePersistableRecord {
    @usableFromInline
    mutating func insertAndCallBack(
        _ db: Database, _ verb: PersistenceOperation.Verb,
        onConflict conflictResolution: Database.ConflictResolution?
    ) throws {
        try insertAndCallBack(
            db,
            PersistenceOptions(conflictResolution: conflictResolution, isUpsert: verb == .upsert))
    }

    /// Performs an insertion or upsert, with its callbacks.
    mutating func insertAndCallBack(_ db: Database, _ options: PersistenceOptions) throws {
        try callBack(db) { try $0.insertInsideSave(db, options) }
    }

    @usableFromInline
    func updateAndCallBack(
        _ db: Database, columns: [String]?,
        onConflict conflictResolution: Database.ConflictResolution?
    ) throws {
        try updateAndCallBack(
            db, PersistenceOptions(conflictResolution: conflictResolution, columns: columns))
    }

    /// Performs an update, with its callbacks.
    func updateAndCallBack(_ db: Database, _ options: PersistenceOptions) throws {
        var record = self
        try record.callBack(db) { record in
            try record.updateInsideSave(db, options) { try $0.updateRow(db, options) }
        }
    }

    /// Performs an update, and then, if there is no row to update, an insertion, with their
    /// callbacks.
    mutating func saveAndCallBack(_ db: Database, _ options: PersistenceOptions) throws {
        try callBack(db) { record in
            if let updated = try record.updateIfPossible(db, options) { return updated }
            return try record.insertInsideSave(db, options)
        }
    }

    /// Deletes the row, with its callbacks.
    @usableFromInline
    func deleteAndCallBack(_ db: Database) throws -> Bool {
        try willDelete(db)
        let isDeleted = try result(of: "aroundDelete") { keep in
            try aroundDelete(db) { try keep(deleteRow(db)) }
        }
        didDelete(deleted: isDeleted)
        return isDeleted
    }

    /// Calls the callbacks that follow an insertion or upsert by a plan. If the record did not fit,
    /// first executes the operation without the plan.
    @usableFromInline
    mutating func didInsert(
        _ db: Database, by plan: PersistencePlan, _ outcome: PersistencePlan.Outcome,
        onConflict conflictResolution: Database.ConflictResolution?
    ) throws {
        let inserted: InsertionSuccess
        if outcome == .unfit {
            inserted = try insertRow(
                db,
                PersistenceOptions(
                    conflictResolution: conflictResolution,
                    isUpsert: plan.operation.verb == .upsert))
        } else {
            let plans = try db.recordPlans(for: type(of: self))
            inserted = plans.insertionSuccess(
                rowID: plan.returnedRowID ?? db.lastInsertedRowID, plan.boundContainer())
        }
        didInsert(inserted)
        didSave(PersistenceSuccess(inserted))
    }

    /// Calls the callbacks that follow an update by a plan. If the record did not fit, first
    /// executes the update without the plan.
    ///
    /// - throws: ``RecordError/recordNotFound(databaseTableName:key:)``
    @usableFromInline
    func didUpdate(
        _ db: Database, by plan: PersistencePlan, _ outcome: PersistencePlan.Outcome,
        columns: [String]?, onConflict conflictResolution: Database.ConflictResolution?
    ) throws {
        let updated: PersistenceSuccess
        switch outcome {
        case .unfit:
            updated = try updateRow(
                db, PersistenceOptions(conflictResolution: conflictResolution, columns: columns))
        case .row:
            let plans = try db.recordPlans(for: type(of: self))
            updated = PersistenceSuccess(persistenceContainer: plan.boundContainer())
            updated.persistenceContainer.storage.defaultCallbacks = plans.defaultCallbacks
        case .noRow:
            throw recordNotFound(db)
        }
        didUpdate(updated)
        didSave(updated)
    }

    // MARK: - Callbacks

    /// Calls the callbacks of a save around a closure.
    private mutating func callBack(
        _ db: Database, _ save: (inout Self) throws -> PersistenceSuccess
    ) throws {
        try willSave(db)
        // A copy for the callbacks that are not mutating: it must not change while they run.
        let record = self
        let saved = try record.result(of: "aroundSave") { keep in
            try record.aroundSave(db) { try keep(save(&self)) }
        }
        didSave(saved)
    }

    private mutating func insertInsideSave(
        _ db: Database, _ options: PersistenceOptions
    ) throws -> PersistenceSuccess {
        try willInsert(db)
        let record = self
        let inserted = try result(of: "aroundInsert") { keep in
            try record.aroundInsert(db) { try keep(record.insertRow(db, options)) }
        }
        didInsert(inserted)
        return PersistenceSuccess(inserted)
    }

    private func updateInsideSave(
        _ db: Database, _ options: PersistenceOptions,
        update: (Self) throws -> PersistenceSuccess
    ) throws -> PersistenceSuccess {
        let columns =
            try options.columns.map { Set($0) } ?? db.recordPlans(for: type(of: self)).columnSet
        try willUpdate(db, columns: columns)
        let updated = try result(of: "aroundUpdate") { keep in
            try aroundUpdate(db, columns: columns) { try keep(update(self)) }
        }
        didUpdate(updated)
        return updated
    }

    /// - returns: nil if the record has no key, or if there is no row with this key.
    private func updateIfPossible(
        _ db: Database, _ options: PersistenceOptions
    ) throws -> PersistenceSuccess? {
        let plans = try db.recordPlans(for: type(of: self))
        let key = try plans.key(in: encodedContainer())
        if key.allSatisfy(\.isNull) { return nil }
        // Callbacks may throw a `RecordError`, too. It must not be mistaken for the error of the
        // update.
        var isMissing = false
        do {
            return try updateInsideSave(db, options) { record in
                do {
                    return try record.updateRow(db, options)
                } catch let error as RecordError {
                    isMissing = true
                    throw error
                }
            }
        } catch is RecordError where isMissing {
            return nil
        }
    }

    /// Returns the result of the action of an `around` callback.
    ///
    /// - parameter call: calls the callback with an action that passes its result to `keep`.
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the callback did not call its action.
    private func result<Success>(
        of callback: String, _ call: (_ keep: (Success) -> Success) throws -> Void
    ) throws -> Success {
        var result: Success?
        try call {
            result = $0
            return $0
        }
        if let result { return result }
        throw DatabaseError(
            misuse: """
                Incorrect implementation of the `\(type(of: self)).\(callback)` persistence \
                callback: the action function was not called, or its error was not rethrown.
                """)
    }
}
