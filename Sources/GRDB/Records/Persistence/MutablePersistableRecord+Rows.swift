// The statements of persistence methods, without any callback.

// MARK: - Insertion

extension MutablePersistableRecord {
    /// Inserts the record with the statement of a plan.
    ///
    /// - returns: false if the record does not fit: it must then be collected.
    @inlinable
    func insertRow(_ plan: PersistencePlan) throws -> Bool {
        guard try plan.begin() else { return false }
        defer { plan.end() }
        var container = PersistenceContainer(storage: plan.bindingStorage)
        try encode(to: &container)
        do {
            return try plan.run(container)
        } catch {
            throw statementError(error, plan)
        }
    }

    func insertRow(_ db: Database, _ options: PersistenceOptions) throws -> InsertionSuccess {
        let recordType = type(of: self)
        let plans = try db.recordPlans(for: recordType)
        let conflictResolution =
            options.conflictResolution
            ?? recordType.persistenceConflictPolicy.conflictResolutionForInsert
        guard options.isPlain else {
            let container = try encodedContainer(userInfo: options.userInfo)
            try db.execute(
                plans.insertion(container, conflictResolution, options.assignments))
            return insertionSuccess(db, plans, container)
        }

        let plan = plans.plan(for: .insert, conflictResolution)
        if plans.isBindable, let plan, try insertRow(plan) {
            return insertionSuccess(db, plans, plan.boundContainer())
        }

        let container = try encodedContainer()
        if container.storage.wasRead { plans.isBindable = false }
        let columns = container.columns
        let insertion = InsertStatement(
            intoTable: plans.table, onConflict: conflictResolution, columns: columns, rows: nil)
        try db.execute(
            container.values, plan: plan, columns: columns,
            sql: { try insertion.build(db).sql },
            remember: { statement in
                let slots = columns.enumerated().map {
                    ColumnSlot(name: $0.element, parameter: CInt($0.offset + 1), isKey: false)
                }
                plans.add(
                    PersistencePlan(
                        statement: statement, conflictResolution: conflictResolution,
                        slots: slots), for: .insert)
            })
        return insertionSuccess(db, plans, container)
    }

    /// What the callbacks of a record without `around` callbacks receive. Inserts the record first,
    /// if need be.
    ///
    /// - parameter isInserted: false if the record must still be inserted.
    @usableFromInline
    func insertionSuccess(
        _ db: Database, _ plan: PersistencePlan, isInserted: Bool,
        _ conflictResolution: Database.ConflictResolution?
    ) throws -> InsertionSuccess {
        if isInserted {
            let plans = try db.recordPlans(for: type(of: self))
            return insertionSuccess(db, plans, plan.boundContainer())
        }
        return try insertRow(db, PersistenceOptions(conflictResolution: conflictResolution))
    }

    func insertRow<Value>(
        _ db: Database, _ options: PersistenceOptions, selection: [SQLSelection],
        fetch: (Statement) throws -> Value
    ) throws -> (InsertionSuccess, Value) {
        let plans = try db.recordPlans(for: type(of: self))
        let container = try encodedContainer(userInfo: options.userInfo)
        let conflictResolution =
            options.conflictResolution
            ?? type(of: self).persistenceConflictPolicy.conflictResolutionForInsert
        var insertion = plans.insertion(container, conflictResolution, options.assignments)
        insertion.returning = selection
        let value = try db.cachedStatement(insertion).executed(by: fetch)
        return (insertionSuccess(db, plans, container), value)
    }

    private func insertionSuccess(
        _ db: Database, _ plans: RecordPlans, _ container: PersistenceContainer
    ) -> InsertionSuccess {
        insertionSuccess(rowID: db.lastInsertedRowID, plans, container)
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

    /// Runs the statement that the record is bound to.
    private func run(_ plan: PersistencePlan) throws {
        do {
            try plan.statement.run()
        } catch {
            throw statementError(error, plan)
        }
    }

    /// The error of the statement of a plan, with the arguments that it was given.
    @usableFromInline
    func statementError(_ error: any Error, _ plan: PersistencePlan) -> any Error {
        guard let error = error as? DatabaseError, error.sql == plan.statement.sql,
            error.arguments == nil
        else {
            return error
        }
        return DatabaseError(
            resultCode: error.extendedResultCode, message: error.message, sql: error.sql,
            arguments: StatementArguments(values: plan.boundValues, namedValues: [:]),
            publicStatementArguments: plan.statement.database.configuration
                .publicStatementArguments)
    }
}

extension RecordPlans {
    /// The insertion of a record, and of assignments, which replace what the record sets.
    fileprivate func insertion(
        _ container: PersistenceContainer, _ conflictResolution: Database.ConflictResolution,
        _ assignments: [ColumnAssignment]
    ) -> InsertStatement {
        if assignments.isEmpty {
            return InsertStatement(
                intoTable: table, onConflict: conflictResolution, columns: container.columns,
                rows: [container.values])
        }
        // The last assignment of a column wins, as in an update. In an insertion, SQLite takes the
        // first one.
        var assigned: Set<CaseInsensitiveIdentifier> = []
        let lastAssignments = assignments.reversed()
            .filter { assigned.insert(CaseInsensitiveIdentifier($0.columnName)).inserted }
        let rest = container.filter { !assigned.contains(CaseInsensitiveIdentifier($0.0)) }
        let columns = rest.map(\.0)
        container.storage.savedColumns = columns
        return InsertStatement(
            intoTable: table, onConflict: conflictResolution, columns: columns,
            rows: [rest.map(\.1)],
            // A column that is not to be overwritten is not to be inserted either.
            assignments: lastAssignments.reversed().filter { $0.value != nil })
    }
}

// MARK: - Upsert

extension MutablePersistableRecord {
    /// - parameter decode: decodes the row of the selection. Not called when there is none.
    func upsertRow<Value>(
        _ db: Database, onConflict conflictTarget: [String],
        updating strategy: UpsertUpdateStrategy,
        doUpdate assignments: ((TableAlias<Self>) -> [ColumnAssignment])?,
        selection: [SQLSelection], decode: (Row) throws -> Value
    ) throws -> (InsertionSuccess, Value?) {
        let plans = try db.recordPlans(for: type(of: self))
        let container = try encodedContainer()
        if container.isEmpty {
            // SQLite accepts no ON CONFLICT after DEFAULT VALUES.
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "can't upsert into \(plans.table): the record sets no column")
        }
        var statement = InsertStatement(
            intoTable: plans.table, columns: container.columns, rows: [container.values])
        let excluded = TableAlias<Self>(name: "excluded")
        statement.upsert = InsertStatement.Upsert(
            columns: container.columns, keyColumns: plans.primaryKey.columns,
            conflictTarget: conflictTarget, assignments: assignments?(excluded) ?? [],
            overwritesColumns: !strategy.contains(.noColumnUnlessSpecified))
        statement.returning = selection
        if let name = plans.rowIDName {
            // The last inserted rowid is not that of a row that was updated.
            statement.returning.append(Column(name).sqlSelection)
        }
        var rowID: Int64?
        let value = try db.cachedStatement(statement).fetchReturnedRow { row in
            if plans.rowIDName != nil { rowID = row[row.count - 1] }
            return try decode(row)
        }
        return (
            insertionSuccess(rowID: rowID ?? db.lastInsertedRowID, plans, container), value
        )
    }
}

// MARK: - Update

extension MutablePersistableRecord {
    /// Updates all columns that the record sets.
    ///
    /// - throws: ``RecordError/recordNotFound(databaseTableName:key:)``
    func updateRow(_ db: Database, _ options: PersistenceOptions) throws -> PersistenceSuccess {
        let recordType = type(of: self)
        let plans = try db.recordPlans(for: recordType)
        let conflictResolution =
            options.conflictResolution
            ?? recordType.persistenceConflictPolicy.conflictResolutionForUpdate
        let plan = options.isPlain ? plans.plan(for: .update, conflictResolution) : nil
        if plans.isBindable, let plan, try plan.begin() {
            defer { plan.end() }
            var container = PersistenceContainer(storage: plan.bindingStorage)
            try encode(to: &container)
            if try plan.isBound(container) {
                if plan.hasKey {
                    let formerTotal = plans.totalChangesCount(db)
                    try run(plan)
                    if plans.hasChangedRows(db, since: formerTotal) {
                        plan.missCount = 0
                        return PersistenceSuccess(persistenceContainer: plan.boundContainer())
                    }
                }
                let container = try encodedContainer()
                throw plans.recordNotFound(plans.key(in: container))
            }
        }

        let container = try encodedContainer(userInfo: options.userInfo)
        if container.storage.wasRead { plans.isBindable = false }
        let update = try plans.update(
            container, columns: nil, conflictResolution, options.assignments)
        let recordColumns = container.columns
        let slots = recordColumns.map { update.slot(forColumn: $0) }
        let formerTotal = plans.totalChangesCount(db)
        // A plan does not keep the columns that are not in the table.
        if options.isPlain, !update.columns.isEmpty, update.isFixed,
            slots.allSatisfy({ $0.parameter > 0 })
        {
            let values = update.statement.values ?? []
            try db.execute(
                values, plan: plan, columns: recordColumns,
                sql: { try update.statement.withoutValues.build(db).sql },
                remember: { statement in
                    plans.add(
                        PersistencePlan(
                            statement: statement, conflictResolution: conflictResolution,
                            slots: slots), for: .update)
                })
        } else {
            try db.execute(update.statement)
        }
        guard plans.hasChangedRows(db, since: formerTotal) else {
            throw plans.recordNotFound(update.key)
        }
        return PersistenceSuccess(persistenceContainer: container)
    }

    /// Updates some columns.
    ///
    /// - parameter columns: nil for all that the record sets.
    /// - parameter fetch: executes the statement.
    /// - throws: ``RecordError/recordNotFound(databaseTableName:key:)``
    func updateRow<Value>(
        _ db: Database, columns: Set<String>?, _ options: PersistenceOptions,
        selection: [SQLSelection], fetch: (Statement) throws -> Value
    ) throws -> (PersistenceSuccess, Value) {
        let recordType = type(of: self)
        let plans = try db.recordPlans(for: recordType)
        let container = try encodedContainer(userInfo: options.userInfo)
        let conflictResolution =
            options.conflictResolution
            ?? recordType.persistenceConflictPolicy.conflictResolutionForUpdate
        var update = try plans.update(
            container, columns: columns, conflictResolution, options.assignments)
        update.statement.returning = selection
        let formerTotal = plans.totalChangesCount(db)
        let value = try db.cachedStatement(update.statement).executed(by: fetch)
        guard plans.hasChangedRows(db, since: formerTotal) else {
            throw plans.recordNotFound(update.key)
        }
        return (PersistenceSuccess(persistenceContainer: container), value)
    }
}

/// The update of one row.
struct RowUpdate {
    var statement: UpdateStatement
    var columns: [String]
    var keyColumns: [String]
    var key: [DatabaseValue]

    /// Whether the record sets all columns of the key, so that one statement fits all records.
    var isFixed: Bool

    /// Where a column of the record is bound.
    func slot(forColumn name: String) -> ColumnSlot {
        func index(in columns: [String]) -> Int? {
            columns.firstIndex { ASCIICase.equal($0, name) }
        }
        if let index = index(in: keyColumns) {
            return .init(name: name, parameter: CInt(columns.count + index + 1), isKey: true)
        }
        return .init(
            name: name, parameter: CInt(index(in: columns).map { $0 + 1 } ?? 0), isKey: false)
    }
}

extension RecordPlans {
    /// The update of the row of a record.
    ///
    /// - parameter columns: the columns to update; nil for all.
    /// - throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if the key is NULL.
    fileprivate func update(
        _ container: PersistenceContainer, columns updatedColumns: Set<String>?,
        _ conflictResolution: Database.ConflictResolution, _ assignments: [ColumnAssignment]
    ) throws -> RowUpdate {
        let key = key(in: container)
        if key.allSatisfy(\.isNull) { throw recordNotFound(key) }

        let excluded = Set(
            (primaryKey.columns + assignments.map(\.columnName))
                .map { CaseInsensitiveIdentifier($0) })
        let wanted = updatedColumns.map { Set($0.map { CaseInsensitiveIdentifier($0) }) }
        var columns: [String] = []
        var values: [DatabaseValue] = []
        for column in self.columns {
            let id = CaseInsensitiveIdentifier(column)
            if excluded.contains(id) || wanted?.contains(id) == false { continue }
            guard let value = container.databaseValue(forColumn: column) else { continue }
            columns.append(column)
            values.append(value)
        }
        if updatedColumns != nil || !assignments.isEmpty {
            container.storage.savedColumns = primaryKey.columns + columns
        }
        var statementColumns = columns
        if columns.isEmpty, assignments.isEmpty {
            // The row is updated all the same: it may be missing, and there may be observers.
            statementColumns = primaryKey.columns
            values = key
        }
        return RowUpdate(
            statement: UpdateStatement(
                table: table, conflictResolution: conflictResolution, columns: statementColumns,
                keyColumns: primaryKey.columns, values: values + key, assignments: assignments),
            columns: columns, keyColumns: primaryKey.columns, key: key,
            isFixed: primaryKey.columns.allSatisfy {
                container.databaseValue(forColumn: $0) != nil
            })
    }
}

extension UpdateStatement {
    fileprivate var withoutValues: UpdateStatement {
        var statement = self
        statement.values = nil
        return statement
    }
}

// MARK: - Counting

extension RecordPlans {
    /// What `hasChangedRows` needs to know from before the statement.
    fileprivate func totalChangesCount(_ db: Database) -> Int {
        isView ? db.totalChangesCount : 0
    }

    /// Whether the last statement has changed a row of the table, or any row through the view.
    fileprivate func hasChangedRows(_ db: Database, since formerTotal: Int) -> Bool {
        if db.changesCount > 0 { return true }
        return isView && db.totalChangesCount > formerTotal
    }
}

// MARK: - Deletion and existence

extension MutablePersistableRecord {
    func deleteRow(_ db: Database) throws -> Bool {
        let plans = try db.recordPlans(for: type(of: self))
        let key = try plans.key(in: encodedContainer())
        if key.allSatisfy(\.isNull) { return false }
        let deletion = RowDeletion(table: plans.table, keyColumns: plans.primaryKey.columns)
        let formerTotal = plans.totalChangesCount(db)
        try db.cachedStatement(sql: deletion.build(db).sql)
            .execute(arguments: StatementArguments(key))
        return plans.hasChangedRows(db, since: formerTotal)
    }

    func rowExists(_ db: Database) throws -> Bool {
        let plans = try db.recordPlans(for: type(of: self))
        let key = try plans.key(in: encodedContainer())
        if key.allSatisfy(\.isNull) { return false }
        let existence = RowExistence(table: plans.table, keyColumns: plans.primaryKey.columns)
        let statement = try db.cachedStatement(sql: existence.build(db).sql)
        return try Bool.fetchOne(statement, arguments: StatementArguments(key)) ?? false
    }
}

// MARK: - Statements

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

    /// Executes the statement up to its end, and decodes its first row. Nil if there is none.
    func fetchReturnedRow<Value>(_ decode: (Row) throws -> Value) throws -> Value? {
        let rows = try RowCursor(statement: self, adapter: nil)
        guard let row = try rows.next() else { return nil }
        let value = try decode(row)
        // The end may fail: it commits outside of a transaction.
        while try rows.next() != nil {}
        return value
    }
}

extension Database {
    /// Executes the statement of a plan with the values that were collected. Makes a plan when
    /// there is none.
    fileprivate func execute(
        _ values: [DatabaseValue], plan: PersistencePlan?, columns: [String],
        sql: () throws -> String, remember: (Statement) -> Void
    ) throws {
        let arguments = StatementArguments(values: values, namedValues: [:])
        if let plan, !plan.isInUse, plan.columns == columns {
            plan.releaseBoundStorage()
            plan.isInUse = true
            defer { plan.isInUse = false }
            try plan.statement.execute(arguments: arguments)
            return
        }
        if let plan {
            plan.missCount += 1
            guard plan.missCount > 10, !plan.isInUse else {
                try cachedStatement(sql: sql()).execute(arguments: arguments)
                return
            }
        }
        let sql = try sql()
        guard let (statement, _) = try compile(sql, from: 0, persistent: true) else { return }
        try statement.execute(arguments: arguments)
        remember(statement)
    }
}
