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

    func insertRow(_ db: Database, _ options: PersistenceOptions) throws -> InsertionSuccess {
        let plans = try db.recordPlans(for: type(of: self))
        let (outcome, container) = try runRow(
            db, plans, options.isUpsert ? .upsert : .insert, options)
        return plans.insertionSuccess(rowID: outcome.rowID ?? db.lastInsertedRowID, container)
    }

    /// - throws: ``RecordError/recordNotFound(databaseTableName:key:)``
    func updateRow(_ db: Database, _ options: PersistenceOptions) throws -> PersistenceSuccess {
        let plans = try db.recordPlans(for: type(of: self))
        let (outcome, container) = try runRow(db, plans, .update, options)
        guard outcome.hasRow else { throw plans.recordNotFound(plans.key(in: container)) }
        container.storage.defaultCallbacks = plans.defaultCallbacks
        return PersistenceSuccess(persistenceContainer: container)
    }

    @usableFromInline
    func deleteRow(_ db: Database) throws -> Bool {
        let plans = try db.recordPlans(for: type(of: self))
        return try runRow(db, plans, .delete).0.hasRow
    }

    @usableFromInline
    func rowExists(_ db: Database) throws -> Bool {
        let plans = try db.recordPlans(for: type(of: self))
        return try runRow(db, plans, .exists).0.hasRow
    }

    /// Executes the statement of an operation, with a plan if one fits.
    ///
    /// - returns: the outcome; and the columns and values of the record, unless the operation
    ///   stores none.
    private func runRow(
        _ db: Database, _ plans: RecordPlans, _ verb: PersistenceOperation.Verb,
        _ options: PersistenceOptions = PersistenceOptions()
    ) throws -> (RowOutcome, PersistenceContainer) {
        let operation = options.operation(verb, of: type(of: self))
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
        if operation.needsKey, plans.key(in: container).allSatisfy(\.isNull) {
            return (RowOutcome(hasRow: false), container)
        }
        var returnsRow = true
        let outcome = try plans.withStatement(db, operation, container, options) { statement in
            switch options.returned {
            case .nothing:
                return try operation.execute(statement, isView: plans.isView)
            case .row(_, _, let decode):
                var rowID: Int64?
                let hasRow = try operation.hasRow(db, isView: plans.isView) {
                    let decoded: Void? = try statement.fetchReturnedRow { row in
                        if verb == .upsert, plans.rowIDName != nil { rowID = row[row.count - 1] }
                        try decode(row)
                    }
                    returnsRow = decoded != nil
                }
                return RowOutcome(hasRow: hasRow, rowID: rowID)
            case .result(let fetch, _):
                let formerRunCount = statement.runCount
                let hasRow = try operation.hasRow(db, isView: plans.isView) { try fetch(statement) }
                if statement.runCount > formerRunCount { return RowOutcome(hasRow: hasRow) }
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: "The `fetch` closure did not execute its statement",
                    sql: statement.sql)
            }
        }
        if !returnsRow { throw plans.recordNotFound(plans.key(in: container)) }
        return (outcome, container)
    }

    /// The columns and values of the record.
    private func collected(
        _ plans: RecordPlans, _ operation: PersistenceOperation,
        userInfo: [CodingUserInfoKey: Any]
    ) throws -> PersistenceContainer {
        let container = try encodedContainer(userInfo: userInfo) { column in
            switch operation.verb {
            case .insert, .upsert: true
            case .update: operation.updates(column) || plans.isKey(column)
            case .delete, .exists: plans.isKey(column)
            }
        }
        if container.storage.wasRead { plans.isBindable = false }
        return container
    }
}

extension RecordPlans {
    /// The result that the callbacks of an insertion receive.
    func insertionSuccess(rowID: Int64, _ container: PersistenceContainer) -> InsertionSuccess {
        container.storage.setRowID(rowID, column: primaryKey.rowIDColumn)
        container.storage.defaultCallbacks = defaultCallbacks
        return InsertionSuccess(
            rowID: rowID, rowIDColumn: primaryKey.rowIDColumn, persistenceContainer: container)
    }
}
