// The statements of records whose columns and values were collected.

/// A statement on the row of a record, before it is compiled.
struct RowStatement {
    let node: any SQLFragment

    /// The parameters of the columns of the record.
    let slots: [ColumnSlot]

    /// Whether the statement fits other records that set the same columns.
    let fitsOthers: Bool

    /// The parameters of the primary key.
    var keyParameters: [CInt] = []
}

extension RecordPlans {
    func isKey(_ column: String) -> Bool {
        primaryKey.columns.contains { ASCIICase.equal($0, column) }
    }

    /// Calls a closure with the statement of an operation on a record, whose arguments are set.
    /// Creates a plan if there is none for the columns of the record.
    func withStatement(
        _ db: Database, _ operation: PersistenceOperation, _ container: PersistenceContainer,
        _ options: PersistenceOptions, execute: (Statement) throws -> RowOutcome
    ) throws -> RowOutcome {
        if options.usesPlans,
            let plan = plan(for: operation, settingColumns: container.columns), !plan.isInUse
        {
            plan.releaseBoundStorage()
            plan.isInUse = true
            defer { plan.isInUse = false }
            if operation.details != nil { noteSavedColumns(operation, container) }
            try plan.statement.setArguments(plan.arguments(container))
            try plan.roundedParameters.check(plan.statement, table: table)
            try keepInvalidTexts(in: plan.statement, operation, container, [])
            return try execute(plan.statement)
        }
        let row = try rowStatement(
            operation, container, options.assignments, returning: options.returnedSelection)
        let (sql, arguments) = try row.node.build(db)
        var planned: Statement?
        if options.usesPlans, row.fitsOthers, wantsPlan() {
            planned = try db.compile(sql, from: 0, persistent: true)?.0
        }
        let statement = try planned ?? db.cachedStatement(sql: sql)
        try statement.setArguments(arguments)
        let roundedParameters = RoundedParameters(operation, row, roundingColumns)
        try roundedParameters.check(statement, table: table)
        try keepInvalidTexts(in: statement, operation, container, options.assignments)
        let outcome = try execute(statement)
        if let planned {
            add(
                PersistencePlan(
                    operation, table: table, statement: planned, row: row,
                    updatedColumns: operation.updatedColumns.map(Set.init) ?? columnSet,
                    roundedParameters: roundedParameters, isView: isView))
        }
        return outcome
    }

    private func rowStatement(
        _ operation: PersistenceOperation, _ container: PersistenceContainer,
        _ assignments: [ColumnAssignment], returning selection: [SQLSelection]
    ) throws -> RowStatement {
        switch operation.verb {
        case .insert: insertion(operation, container, assignments, returning: selection)
        case .upsert: try upsert(operation, container, assignments, returning: selection)
        case .update: update(operation, container, assignments, returning: selection)
        case .delete:
            keyStatement("DELETE FROM \(table.quotedDatabaseIdentifier)", container)
        case .exists:
            keyStatement(
                "SELECT EXISTS (SELECT 1 FROM \(table.quotedDatabaseIdentifier)", tail: ")",
                container)
        }
    }

    // MARK: - Insertion

    /// The insertion of a record with assignments, which replace the values that the record sets.
    private func insertion(
        _ operation: PersistenceOperation, _ container: PersistenceContainer,
        _ assignments: [ColumnAssignment], returning selection: [SQLSelection]
    ) -> RowStatement {
        var columns = container.columns
        var values = container.values
        var assigned: Set<CaseInsensitiveIdentifier> = []
        // The last assignment of a column wins, as in an update. In an insertion, SQLite uses the
        // first one.
        let lastAssignments = assignments.reversed()
            .filter { assigned.insert(CaseInsensitiveIdentifier($0.columnName)).inserted }
        if !assignments.isEmpty {
            let rest = columns.indices.filter {
                !assigned.contains(CaseInsensitiveIdentifier(columns[$0]))
            }
            values = rest.map { values[$0] }
            columns = rest.map { columns[$0] }
            container.storage.savedColumns = columns
        }
        var statement = InsertStatement(
            intoTable: table, onConflict: operation.conflictResolution, columns: columns,
            rows: [values],
            // Columns assigned with `noOverwrite` are not inserted either.
            assignments: lastAssignments.reversed().filter { !$0.keepsValue })
        statement.returning = selection
        return RowStatement(
            node: statement, slots: slots(ofInsertedColumns: columns),
            fitsOthers: assignments.isEmpty)
    }

    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the record sets no column.
    private func upsert(
        _ operation: PersistenceOperation, _ container: PersistenceContainer,
        _ assignments: [ColumnAssignment], returning selection: [SQLSelection]
    ) throws -> RowStatement {
        if container.isEmpty {
            // SQLite accepts no ON CONFLICT after DEFAULT VALUES.
            throw DatabaseError(misuse: "can't upsert into \(table): the record sets no column")
        }
        let columns = container.columns
        var statement = InsertStatement(
            intoTable: table, columns: columns, rows: [container.values])
        statement.upsert = InsertStatement.Upsert(
            columns: columns, keyColumns: primaryKey.columns,
            conflictTarget: operation.details?.columns ?? [], assignments: assignments,
            overwritesColumns: operation.details?.overwritesColumns ?? true)
        statement.returning = selection
        if let rowIDName {
            // `lastInsertedRowID` is not the rowid of an updated row.
            statement.returning.append(Column(rowIDName).sqlSelection)
        }
        return RowStatement(
            node: statement, slots: slots(ofInsertedColumns: columns),
            fitsOthers: assignments.isEmpty)
    }

    private func slots(ofInsertedColumns columns: [String]) -> [ColumnSlot] {
        columns.enumerated().map {
            ColumnSlot(name: $0.element, parameter: CInt($0.offset + 1))
        }
    }

    // MARK: - Update

    private func update(
        _ operation: PersistenceOperation, _ container: PersistenceContainer,
        _ assignments: [ColumnAssignment], returning selection: [SQLSelection]
    ) -> RowStatement {
        let key = key(in: container)
        var columns = updatedColumns(operation, container, assignments)
        var values = columns.map { container.databaseValue(at: $0) }
        noteSavedColumns(operation, container, assignments)
        var fitsOthers =
            assignments.isEmpty && !columns.isEmpty
            && primaryKey.columns.allSatisfy { container.databaseValue(forColumn: $0) != nil }
        if columns.isEmpty, assignments.isEmpty {
            // Execute the update anyway, in order to detect a missing row, and to notify observers.
            columns = primaryKey.columns
            values = key
        }
        let statement = UpdateStatement(
            table: table, conflictResolution: operation.conflictResolution, columns: columns,
            keyColumns: primaryKey.columns, values: values + key, assignments: assignments,
            returning: selection)
        let slots = container.columns.map { name in
            func parameter(in columns: [String]) -> CInt? {
                columns.firstIndex { ASCIICase.equal($0, name) }.map { CInt($0 + 1) }
            }
            let parameter =
                parameter(in: primaryKey.columns).map { CInt(columns.count) + $0 }
                ?? parameter(in: columns)
            return ColumnSlot(name: name, parameter: parameter ?? 0)
        }
        // Callbacks also receive the columns that are not in the table. Callbacks of a partial
        // update receive the collected values.
        if operation.details == nil, slots.contains(where: { $0.parameter == 0 }) {
            fitsOthers = false
        }
        return RowStatement(
            node: statement, slots: slots, fitsOthers: fitsOthers,
            keyParameters: key.indices.map { CInt(columns.count + $0 + 1) })
    }

    /// The columns of the table that an update sets, from left to right.
    func updatedColumns(
        _ operation: PersistenceOperation, _ container: PersistenceContainer,
        _ assignments: [ColumnAssignment]
    ) -> [String] {
        let excluded = Set(
            (primaryKey.columns + assignments.map(\.columnName))
                .map { CaseInsensitiveIdentifier($0) })
        let wanted = operation.updatedColumns.map { columns in
            Set(columns.map { CaseInsensitiveIdentifier($0) })
        }
        return columns.filter {
            let id = CaseInsensitiveIdentifier($0)
            return !excluded.contains(id) && wanted?.contains(id) != false
                && container.databaseValue(forColumn: $0) != nil
        }
    }

    /// Records the columns that an update stores, unless it stores all of them.
    private func noteSavedColumns(
        _ operation: PersistenceOperation, _ container: PersistenceContainer,
        _ assignments: [ColumnAssignment] = []
    ) {
        guard operation.verb == .update,
            operation.updatedColumns != nil || !assignments.isEmpty
        else { return }
        container.storage.savedColumns =
            primaryKey.columns + updatedColumns(operation, container, assignments)
    }

    // MARK: - Deletion and existence

    /// Returns a statement whose only arguments are the values of the key.
    private func keyStatement(
        _ head: String, tail: String = "", _ container: PersistenceContainer
    ) -> RowStatement {
        let slots = container.columns.map { name in
            let index = primaryKey.columns.firstIndex { ASCIICase.equal($0, name) }
            return ColumnSlot(name: name, parameter: CInt(index.map { $0 + 1 } ?? 0))
        }
        let hasAllParameters =
            slots.count { $0.parameter > 0 } == primaryKey.columns.count
        return RowStatement(
            node: KeyedStatement(
                head: head, tail: tail, keyColumns: primaryKey.columns, key: key(in: container)),
            slots: slots, fitsOthers: hasAllParameters,
            keyParameters: primaryKey.columns.indices.map { CInt($0 + 1) })
    }
}
