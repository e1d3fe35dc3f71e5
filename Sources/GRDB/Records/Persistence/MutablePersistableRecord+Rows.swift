// The statements of persistence methods, without callbacks.

extension MutablePersistableRecord {
    /// Binds the record to the statement of a plan, and executes it.
    ///
    /// Inlinable, so that the encoding of a known type binds its values without boxing them.
    @inlinable
    func run(_ plan: PersistencePlan) throws -> PersistencePlan.Outcome {
        guard var container = try plan.begin() else { return .unfit }
        defer { plan.end() }
        try encode(to: &container)
        do {
            return try plan.run(container)
        } catch {
            throw plan.completed(error)
        }
    }

    /// Executes the statement of an operation, with a plan if one fits.
    ///
    /// - returns: the outcome; and the columns and values of the record, unless the operation
    ///   stores none.
    func runRow(
        _ db: Database, _ plans: RecordPlans, _ operation: PersistenceOperation,
        _ options: PersistenceOptions = PersistenceOptions()
    ) throws -> (RowOutcome, PersistenceContainer) {
        // A partial update does not bind all columns that callbacks receive.
        if options.isPlain, plans.isBindable, operation.details == nil,
            let plan = plans.plan(for: operation)
        {
            let outcome = try run(plan)
            if outcome != .unfit {
                return (
                    RowOutcome(hasRow: outcome == .row, rowID: plan.returnedRowID),
                    operation.storesColumns ? plan.boundContainer() : PersistenceContainer()
                )
            }
        }
        let container = try collected(plans, operation, userInfo: options.userInfo)
        guard try plans.hasKey(for: operation, container) else {
            return (RowOutcome(hasRow: false), container)
        }
        let outcome = try plans.withStatement(
            db, operation, container, options.assignments, returning: [],
            execute: { try operation.execute($0, isView: plans.isView) })
        return (outcome, container)
    }

    /// Executes the statement of an operation that returns a row.
    ///
    /// - parameter decode: decodes the row. Not called when there is no row.
    func runRow<Value>(
        _ db: Database, _ plans: RecordPlans, _ operation: PersistenceOperation,
        _ options: PersistenceOptions, returning selection: [SQLSelection],
        decode: (Row) throws -> Value
    ) throws -> (RowOutcome, PersistenceContainer, Value?) {
        let container = try collected(plans, operation, userInfo: options.userInfo)
        guard try plans.hasKey(for: operation, container) else {
            return (RowOutcome(hasRow: false), container, nil)
        }
        let (outcome, value) = try plans.withStatement(
            db, operation, container, options.assignments, returning: selection,
            execute: { try operation.execute($0, isView: plans.isView, decode: decode) })
        return (outcome, container, value)
    }

    /// The columns and values of the record.
    private func collected(
        _ plans: RecordPlans, _ operation: PersistenceOperation,
        userInfo: [CodingUserInfoKey: Any]
    ) throws -> PersistenceContainer {
        var container = PersistenceContainer()
        if !userInfo.isEmpty { container.userInfo = userInfo }
        try encode(to: &container)
        container.storage.complete()
        if container.storage.wasRead { plans.isBindable = false }
        // Values that are not stored need not be valid.
        try container.storage.checkRefusedValues { column in
            switch operation.verb {
            case .insert, .upsert: true
            case .update: operation.updates(column) || plans.isKey(column)
            case .delete, .exists: plans.isKey(column)
            }
        }
        return container
    }
}

// MARK: - Insertion and upsert

extension MutablePersistableRecord {
    func insertRow(_ db: Database, _ options: PersistenceOptions) throws -> InsertionSuccess {
        let plans = try db.recordPlans(for: type(of: self))
        let (_, container) = try runRow(
            db, plans, plans.insertion(of: type(of: self), options), options)
        return insertionSuccess(rowID: db.lastInsertedRowID, plans, container)
    }

    /// Returns the result that the callbacks of a record without `around` callbacks receive.
    /// Inserts the record first, if it was not inserted yet.
    ///
    /// - parameter isInserted: false if the record must still be inserted.
    @usableFromInline
    func insertionSuccess(
        _ db: Database, _ plan: PersistencePlan, isInserted: Bool,
        _ conflictResolution: Database.ConflictResolution?
    ) throws -> InsertionSuccess {
        if isInserted {
            let plans = try db.recordPlans(for: type(of: self))
            return insertionSuccess(
                rowID: plan.returnedRowID ?? db.lastInsertedRowID, plans, plan.boundContainer())
        }
        if case .upsert = plan.operation.verb { return try upsertRow(db) }
        return try insertRow(db, PersistenceOptions(conflictResolution: conflictResolution))
    }

    /// - parameter fetch: executes the statement.
    func insertRow<Value>(
        _ db: Database, _ options: PersistenceOptions, selection: [SQLSelection],
        fetch: (Statement) throws -> Value
    ) throws -> (InsertionSuccess, Value) {
        let plans = try db.recordPlans(for: type(of: self))
        let container = try encodedContainer(userInfo: options.userInfo)
        let statement = try plans.rowStatement(
            plans.insertion(of: type(of: self), options), container, options.assignments,
            returning: selection)
        let value = try db.cachedStatement(statement.node).executed(by: fetch)
        return (insertionSuccess(rowID: db.lastInsertedRowID, plans, container), value)
    }

    /// - throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if a conflict was ignored.
    func insertRow<T: FetchableRecord & TableRecord>(
        _ db: Database, _ options: PersistenceOptions, as returnedType: T.Type
    ) throws -> (InsertionSuccess, T) {
        let plans = try db.recordPlans(for: type(of: self))
        var operation = plans.insertion(of: type(of: self), options)
        operation.details = .init(returned: (ObjectIdentifier(T.self), T.databaseSelection))
        let (_, container, record) = try runRow(
            db, plans, operation, options, returning: T.sqlSelection, decode: { try T(row: $0) })
        guard let record else { throw plans.recordNotFound(plans.key(in: container)) }
        return (insertionSuccess(rowID: db.lastInsertedRowID, plans, container), record)
    }

    func upsertRow(_ db: Database) throws -> InsertionSuccess {
        let plans = try db.recordPlans(for: type(of: self))
        let (outcome, container) = try runRow(db, plans, PersistenceOperation(.upsert))
        return insertionSuccess(rowID: outcome.rowID ?? db.lastInsertedRowID, plans, container)
    }

    /// - throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if no row is returned.
    func upsertRow<T: FetchableRecord>(
        _ db: Database, onConflict conflictTarget: [String],
        updating strategy: UpsertUpdateStrategy, selection: [any SQLSelectable],
        doUpdate assignments: ((TableAlias<Self>) -> [ColumnAssignment])?, as returnedType: T.Type
    ) throws -> (InsertionSuccess, T) {
        let plans = try db.recordPlans(for: type(of: self))
        var options = PersistenceOptions()
        options.assignments = assignments?(TableAlias(name: "excluded")) ?? []
        let operation = PersistenceOperation(
            .upsert,
            .init(
                columns: conflictTarget,
                overwritesColumns: !strategy.contains(.noColumnUnlessSpecified),
                returned: (ObjectIdentifier(T.self), selection)))
        var rowID: Int64?
        let (_, container, record) = try runRow(
            db, plans, operation, options, returning: selection.map(\.sqlSelection)
        ) { row in
            if plans.rowIDName != nil { rowID = row[row.count - 1] }
            return try T(row: row)
        }
        guard let record else { throw plans.recordNotFound(plans.key(in: container)) }
        return (insertionSuccess(rowID: rowID ?? db.lastInsertedRowID, plans, container), record)
    }

    func insertionSuccess(
        rowID: Int64, _ plans: RecordPlans, _ container: PersistenceContainer
    ) -> InsertionSuccess {
        container.storage.setRowID(rowID, column: plans.primaryKey.rowIDColumn)
        container.storage.defaultCallbacks = plans.defaultCallbacks
        return InsertionSuccess(
            rowID: rowID, rowIDColumn: plans.primaryKey.rowIDColumn,
            persistenceContainer: container)
    }
}

// MARK: - Update

extension MutablePersistableRecord {
    /// - parameter columns: the columns to update; nil for all that the record sets.
    /// - throws: ``RecordError/recordNotFound(databaseTableName:key:)``
    func updateRow(
        _ db: Database, columns: [String]?, _ options: PersistenceOptions
    ) throws -> PersistenceSuccess {
        let plans = try db.recordPlans(for: type(of: self))
        let operation = plans.update(of: type(of: self), columns: columns, options)
        let (outcome, container) = try runRow(db, plans, operation, options)
        return try plans.updateSuccess(outcome, container)
    }

    /// - parameter columns: the columns to update; nil for all that the record sets.
    /// - parameter fetch: executes the statement.
    /// - throws: ``RecordError/recordNotFound(databaseTableName:key:)``
    func updateRow<Value>(
        _ db: Database, columns: [String]?, _ options: PersistenceOptions,
        selection: [SQLSelection], fetch: (Statement) throws -> Value
    ) throws -> (PersistenceSuccess, Value) {
        let plans = try db.recordPlans(for: type(of: self))
        let operation = plans.update(of: type(of: self), columns: columns, options)
        let container = try encodedContainer(userInfo: options.userInfo)
        guard try plans.hasKey(for: operation, container) else {
            throw plans.recordNotFound(plans.key(in: container))
        }
        let statement = try plans.rowStatement(
            operation, container, options.assignments, returning: selection)
        let formerTotal = db.raw.ownChangesCount
        let update = try db.cachedStatement(statement.node)
        try plans.keepInvalidTexts(in: update, operation, container, options.assignments)
        let value = try update.executed(by: fetch)
        let hasRow = db.changesCount > 0 || plans.isView && db.raw.ownChangesCount > formerTotal
        return try (plans.updateSuccess(RowOutcome(hasRow: hasRow), container), value)
    }

    /// - throws: ``RecordError/recordNotFound(databaseTableName:key:)``
    func updateRow<T: FetchableRecord & TableRecord>(
        _ db: Database, columns: [String]?, _ options: PersistenceOptions, as returnedType: T.Type
    ) throws -> (PersistenceSuccess, T) {
        let plans = try db.recordPlans(for: type(of: self))
        var operation = plans.update(of: type(of: self), columns: columns, options)
        operation.details = .init(
            columns: columns, returned: (ObjectIdentifier(T.self), T.databaseSelection))
        let (outcome, container, record) = try runRow(
            db, plans, operation, options, returning: T.sqlSelection, decode: { try T(row: $0) })
        let success = try plans.updateSuccess(outcome, container)
        guard let record else { throw plans.recordNotFound(plans.key(in: container)) }
        return (success, record)
    }
}

extension RecordPlans {
    fileprivate func updateSuccess(
        _ outcome: RowOutcome, _ container: PersistenceContainer
    ) throws -> PersistenceSuccess {
        guard outcome.hasRow else { throw recordNotFound(key(in: container)) }
        container.storage.defaultCallbacks = defaultCallbacks
        return PersistenceSuccess(persistenceContainer: container)
    }
}

// MARK: - Deletion and existence

extension MutablePersistableRecord {
    @usableFromInline
    func deleteRow(_ db: Database) throws -> Bool {
        let plans = try db.recordPlans(for: type(of: self))
        return try runRow(db, plans, PersistenceOperation(.delete)).0.hasRow
    }

    @usableFromInline
    func rowExists(_ db: Database) throws -> Bool {
        let plans = try db.recordPlans(for: type(of: self))
        return try runRow(db, plans, PersistenceOperation(.exists)).0.hasRow
    }
}

extension Statement {
    /// Calls a closure that must execute the statement.
    ///
    /// - throws: the error of the closure, or a ``DatabaseError`` of code `SQLITE_MISUSE` if the
    ///   closure does not execute the statement.
    fileprivate func executed<Value>(by fetch: (Statement) throws -> Value) throws -> Value {
        let formerRunCount = runCount
        let value = try fetch(self)
        if runCount == formerRunCount {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "The `fetch` closure did not execute its statement", sql: sql)
        }
        return value
    }
}
