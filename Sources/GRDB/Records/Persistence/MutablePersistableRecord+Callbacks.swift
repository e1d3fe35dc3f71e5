// Persistence methods, with their callbacks.

extension MutablePersistableRecord {
    /// Performs an insertion or upsert, with its callbacks.
    mutating func insertAndCallBack<Value>(
        _ db: Database, _ insert: (Self) throws -> (InsertionSuccess, Value)
    ) throws -> Value {
        try willSave(db)
        // A copy for the callbacks that are not mutating: it must not change while they run.
        let record = self
        var outcome: (saved: PersistenceSuccess, value: Value)?
        try record.aroundSave(db) {
            let (inserted, value) = try insertInsideSave(db, insert)
            let saved = PersistenceSuccess(inserted)
            outcome = (saved, value)
            return saved
        }
        guard let outcome else { throw callbackError(type(of: self), "aroundSave") }
        didSave(outcome.saved)
        return outcome.value
    }

    private mutating func insertInsideSave<Value>(
        _ db: Database, _ insert: (Self) throws -> (InsertionSuccess, Value)
    ) throws -> (InsertionSuccess, Value) {
        try willInsert(db)
        let record = self
        var outcome: (InsertionSuccess, Value)?
        try record.aroundInsert(db) {
            let result = try insert(record)
            outcome = result
            return result.0
        }
        guard let outcome else { throw callbackError(type(of: self), "aroundInsert") }
        didInsert(outcome.0)
        return outcome
    }

    /// Calls the callbacks that follow an insertion or upsert by a plan. If the record did not fit,
    /// first executes the operation without the plan.
    @usableFromInline
    mutating func didInsert(
        _ db: Database, by plan: PersistencePlan, _ outcome: PersistencePlan.Outcome,
        onConflict conflictResolution: Database.ConflictResolution?
    ) throws {
        let inserted = try insertionSuccess(
            db, plan, isInserted: outcome != .unfit, conflictResolution)
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
                db, columns: columns, PersistenceOptions(conflictResolution: conflictResolution))
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

    /// Performs an update, with its callbacks.
    ///
    /// - parameter columns: the columns for the callbacks; nil for all columns of the table.
    func updateAndCallBack<Value>(
        _ db: Database, columns: [String]?,
        _ update: (Self) throws -> (PersistenceSuccess, Value)
    ) throws -> Value {
        let columns = columns.map { Set($0) }
        try willSave(db)
        var outcome: (saved: PersistenceSuccess, value: Value)?
        try aroundSave(db) {
            let result = try updateInsideSave(db, columns: columns, update)
            outcome = result
            return result.0
        }
        guard let outcome else { throw callbackError(type(of: self), "aroundSave") }
        didSave(outcome.saved)
        return outcome.value
    }

    private func updateInsideSave<Value>(
        _ db: Database, columns: Set<String>?,
        _ update: (Self) throws -> (PersistenceSuccess, Value)
    ) throws -> (PersistenceSuccess, Value) {
        let columns = try columns ?? db.recordPlans(for: type(of: self)).columnSet
        try willUpdate(db, columns: columns)
        var outcome: (saved: PersistenceSuccess, value: Value)?
        try aroundUpdate(db, columns: columns) {
            let result = try update(self)
            outcome = result
            return result.0
        }
        guard let outcome else { throw callbackError(type(of: self), "aroundUpdate") }
        didUpdate(outcome.saved)
        return outcome
    }

    /// Performs an update, and then, if there is no row to update, an insertion, with their
    /// callbacks.
    mutating func saveAndCallBack<Value>(
        _ db: Database,
        update: (Self) throws -> (PersistenceSuccess, Value),
        insert: (Self) throws -> (InsertionSuccess, Value)
    ) throws -> Value {
        try willSave(db)
        let record = self
        var outcome: (saved: PersistenceSuccess, value: Value)?
        try record.aroundSave(db) {
            var result = try updateIfPossible(db, update)
            if result == nil {
                let (inserted, value) = try insertInsideSave(db, insert)
                result = (PersistenceSuccess(inserted), value)
            }
            outcome = result
            return result!.0
        }
        guard let outcome else { throw callbackError(type(of: self), "aroundSave") }
        didSave(outcome.saved)
        return outcome.value
    }

    /// - returns: nil if the record has no key, or if there is no row with this key.
    private func updateIfPossible<Value>(
        _ db: Database, _ update: (Self) throws -> (PersistenceSuccess, Value)
    ) throws -> (PersistenceSuccess, Value)? {
        let plans = try db.recordPlans(for: type(of: self))
        let key = try plans.key(in: encodedContainer())
        if key.allSatisfy(\.isNull) { return nil }
        // Callbacks may throw a `RecordError`, too. It must not be mistaken for the error of the
        // update.
        var isMissing = false
        do {
            return try updateInsideSave(db, columns: nil) { record in
                do {
                    return try update(record)
                } catch let error as RecordError {
                    isMissing = true
                    throw error
                }
            }
        } catch is RecordError where isMissing {
            return nil
        }
    }

    @usableFromInline
    func deleteAndCallBack(_ db: Database) throws -> Bool {
        try willDelete(db)
        var outcome: Bool?
        try aroundDelete(db) {
            let deleted = try deleteRow(db)
            outcome = deleted
            return deleted
        }
        guard let outcome else { throw callbackError(type(of: self), "aroundDelete") }
        didDelete(deleted: outcome)
        return outcome
    }
}

// MARK: - Operations

extension MutablePersistableRecord {
    @usableFromInline
    mutating func insertAndCallBack(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution?
    ) throws {
        try insertAndCallBack(db, PersistenceOptions(conflictResolution: conflictResolution))
    }

    /// The most common case, without the cost of generic results.
    mutating func insertAndCallBack(_ db: Database, _ options: PersistenceOptions) throws {
        try willSave(db)
        let record = self
        var outcome: PersistenceSuccess?
        try record.aroundSave(db) {
            let saved = try PersistenceSuccess(insertInsideSave(db, options))
            outcome = saved
            return saved
        }
        guard let outcome else { throw callbackError(type(of: self), "aroundSave") }
        didSave(outcome)
    }

    private mutating func insertInsideSave(
        _ db: Database, _ options: PersistenceOptions
    ) throws -> InsertionSuccess {
        try willInsert(db)
        let record = self
        var outcome: InsertionSuccess?
        try record.aroundInsert(db) {
            let inserted = try record.insertRow(db, options)
            outcome = inserted
            return inserted
        }
        guard let outcome else { throw callbackError(type(of: self), "aroundInsert") }
        didInsert(outcome)
        return outcome
    }

    mutating func insertAndCallBack<Value>(
        _ db: Database, _ options: PersistenceOptions, selection: [any SQLSelectable],
        fetch: (Statement) throws -> Value
    ) throws -> Value {
        let selection = try returningSelection(selection)
        return try insertAndCallBack(db) {
            try $0.insertRow(db, options, selection: selection, fetch: fetch)
        }
    }

    mutating func insertAndCallBack<T: FetchableRecord & TableRecord>(
        _ db: Database, _ options: PersistenceOptions, as returnedType: T.Type
    ) throws -> T {
        try insertAndCallBack(db) { try $0.insertRow(db, options, as: T.self) }
    }

    /// - parameter columns: nil for all columns.
    @usableFromInline
    func updateAndCallBack(
        _ db: Database, columns: [String]?,
        onConflict conflictResolution: Database.ConflictResolution?
    ) throws {
        try updateAndCallBack(db, columns: columns, .init(conflictResolution: conflictResolution))
    }

    func updateAndCallBack(
        _ db: Database, columns: [String]?, _ options: PersistenceOptions
    ) throws {
        try updateAndCallBack(db, columns: columns) {
            (try $0.updateRow(db, columns: columns, options), ())
        }
    }

    func updateAndCallBack<Value>(
        _ db: Database, columns: [String]?, _ options: PersistenceOptions,
        selection: [any SQLSelectable], fetch: (Statement) throws -> Value
    ) throws -> Value {
        let selection = try returningSelection(selection)
        return try updateAndCallBack(db, columns: columns) {
            try $0.updateRow(db, columns: columns, options, selection: selection, fetch: fetch)
        }
    }

    func updateAndCallBack<T: FetchableRecord & TableRecord>(
        _ db: Database, columns: [String]?, _ options: PersistenceOptions,
        as returnedType: T.Type
    ) throws -> T {
        try updateAndCallBack(db, columns: columns) {
            try $0.updateRow(db, columns: columns, options, as: T.self)
        }
    }

    mutating func saveAndCallBack(_ db: Database, _ options: PersistenceOptions) throws {
        try saveAndCallBack(
            db, update: { (try $0.updateRow(db, columns: nil, options), ()) },
            insert: { (try $0.insertRow(db, options), ()) })
    }

    mutating func saveAndCallBack<Value>(
        _ db: Database, _ options: PersistenceOptions, selection: [any SQLSelectable],
        fetch: (Statement) throws -> Value
    ) throws -> Value {
        let selection = try returningSelection(selection)
        return try saveAndCallBack(
            db,
            update: {
                try $0.updateRow(db, columns: nil, options, selection: selection, fetch: fetch)
            },
            insert: { try $0.insertRow(db, options, selection: selection, fetch: fetch) })
    }

    mutating func saveAndCallBack<T: FetchableRecord & TableRecord>(
        _ db: Database, _ options: PersistenceOptions, as returnedType: T.Type
    ) throws -> T {
        try saveAndCallBack(
            db,
            update: { try $0.updateRow(db, columns: nil, options, as: T.self) },
            insert: { try $0.insertRow(db, options, as: T.self) })
    }

    @usableFromInline
    mutating func upsertAndCallBack(_ db: Database) throws {
        try insertAndCallBack(db) { (try $0.upsertRow(db), ()) }
    }

    mutating func upsertAndCallBack<T: FetchableRecord>(
        _ db: Database, as returnedType: T.Type, selection: [any SQLSelectable],
        onConflict conflictTarget: [String], updating strategy: UpsertUpdateStrategy,
        doUpdate assignments: ((TableAlias<Self>) -> [ColumnAssignment])?
    ) throws -> T {
        try insertAndCallBack(db) {
            try $0.upsertRow(
                db, onConflict: conflictTarget, updating: strategy, selection: selection,
                doUpdate: assignments, as: T.self)
        }
    }

    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if nothing is selected.
    private func returningSelection(_ selection: [any SQLSelectable]) throws -> [SQLSelection] {
        if selection.isEmpty {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "The selection of returned columns is empty")
        }
        return selection.map(\.sqlSelection)
    }
}
