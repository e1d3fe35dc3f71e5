extension Relation {
    /// Returns a cached statement that deletes the rows, with its arguments set.
    func deletion(_ db: Database) throws -> Statement {
        let plan = try batchPlan(of: .delete, db) { _ in }
        #if !DEBUG
        // A statement for the rows would copy the relation.
        if let statement = plan.statement { return statement }
        #endif
        return try BatchStatement(relation: self, change: .delete).statement(db, plan)
    }

    /// Returns a cached statement that updates the rows, with its arguments set.
    func update(
        _ db: Database, _ conflictResolution: Database.ConflictResolution,
        _ assignments: [ColumnAssignment]
    ) throws -> Statement {
        let plan = try batchPlan(of: .update, db) { shape in
            shape.append(conflictResolution.rawValue)
            // By index: an iterator would copy the assignments.
            for index in assignments.indices {
                shape.append(.assignment)
                shape.append(assignments[index].columnName)
                shape.append(node: assignments[index].value)
            }
        }
        #if !DEBUG
        if let statement = plan.statement { return statement }
        #endif
        return try BatchStatement(relation: self, change: .update(conflictResolution, assignments))
            .statement(db, plan)
    }

    /// The plan of a statement whose conditions select the rows.
    ///
    /// - parameter assignments: adds to the shape what the text depends on before the conditions.
    private func batchPlan(
        of use: ResolvedQuery.Use, _ db: Database, _ assignments: (inout QueryShapeWriter) -> Void
    ) throws -> WrittenQueryPlan {
        // Relations of several tables, or with conditions on groups, have no plan.
        guard limit == nil, grouping == nil else { return WrittenQueryPlan() }
        return try plan(of: use, isOrdered: false, db, assignments)
    }
}

/// A statement that changes the rows of a relation: `DELETE FROM "table" WHERE …`, or
/// `UPDATE "table" SET … WHERE …`.
struct BatchStatement: SQLFragment {
    enum Change {
        case delete
        case update(Database.ConflictResolution, [ColumnAssignment])
    }

    let relation: Relation
    let change: Change
    var returning: [SQLSelection] = []

    /// The verb for the statement in error messages.
    private var verb: String {
        switch change {
        case .delete: "delete"
        case .update: "update"
        }
    }

    func write(to writer: SQLWriter) throws {
        let context = writer.context
        if let rows = try relation.selectedRows(toChangeBy: verb, context.db) {
            return try write(rows, to: context)
        }
        try write(rowsOf: ResolvedQuery(relation.conditions, context.db), to: context)
    }

    /// Returns a cached statement, with its arguments set.
    fileprivate func statement(_ db: Database, _ plan: borrowing WrittenQueryPlan) throws
        -> Statement
    {
        if let statement = plan.statement {
            try ResolvedQuery.check(plan, statement, of: relation.conditions, db) {
                query, context in
                try write(rowsOf: query, to: context)
            }
            return statement
        }
        let query = try ResolvedQuery(relation.conditions, db, plan.parts)
        return try query.statement(plan) { context in
            if relation.selectsRowsByConditions {
                try write(rowsOf: query, to: context)
            } else {
                try write(to: context)
            }
        }
    }

    private func write(rowsOf query: ResolvedQuery, to context: StatementWriter) throws {
        try context.withSources(of: query) {
            try query.writeCommonTables(to: context)
            try writeHead(of: query, to: context)
            try query.writeFilters(to: context)
        }
        try context.append(returning: returning, ofTable: relation.tableName)
    }

    /// Writes the text before `WHERE`.
    private func writeHead(of query: ResolvedQuery, to context: StatementWriter) throws {
        let table = query.tables[0]
        try context.withQualifier(table.columnQualifier) {
            switch change {
            case .delete:
                context.append(sql: "DELETE FROM ")
                table.writeName(to: context, joinedBy: " AS ")
            case .update(let conflictResolution, let assignments):
                context.append(sql: "UPDATE")
                context.append(conflictResolution)
                context.append(sql: " ")
                table.writeName(to: context, joinedBy: " AS ")
                context.append(sql: " SET ")
                try context.append(list: assignments)
            }
        }
    }

    // MARK: - Rows selected by a subquery

    /// Writes a statement whose rows are selected by a query: `… WHERE "id" IN (SELECT "id" …)`.
    private func write(_ rows: ResolvedQuery, to context: StatementWriter) throws {
        let commonTables = relation.commonTables
        let query = try ResolvedQuery(
            Relation(table: relation.tableName, selection: []).with {
                $0.aliases = relation.joins.isEmpty ? relation.aliases : []
                $0.commonTables = commonTables
            }, context.db)
        let beginning = try context.fragment { context in
            try context.withSources(of: query) { try writeHead(of: query, to: context) }
        }
        let ending = try context.fragment { context in
            try context.append(returning: returning, ofTable: relation.tableName)
        }
        // Joined common table expressions are written in the query for the rows, unless they are
        // also used outside of it.
        rows.inheritsCommonTables =
            relation.joins.isEmpty || beginning.mayRead(commonTables)
            || ending.mayRead(commonTables)

        if rows.inheritsCommonTables {
            try query.writeCommonTables(to: context)
            rows.commonTables = query.commonTables
        }
        try context.append(beginning)
        context.append(sql: " WHERE ")
        let columns = try context.db.rowKeyColumns(of: relation.tableName).map(\.sqlExpression)
        try context.withSources(of: query) {
            try context.withQualifier(query.tables[0].columnQualifier) {
                let key = columns.count == 1 ? columns[0] : .init(RowValue(expressions: columns))
                try key.write(to: context)
            }
            context.append(sql: " IN (")
            if rows.addedSelection.isEmpty {
                try context.withSubquery { try rows.write(to: context) }
            } else {
                context.append(sql: "SELECT ")
                for index in columns.indices {
                    if index > 0 { context.append(sql: ", ") }
                    context.append(identifier: ResolvedQuery.keyName(index))
                }
                context.append(sql: " FROM (")
                try context.withSubquery { try rows.write(to: context) }
                context.append(sql: ")")
            }
            context.append(sql: ")")
        }
        try context.append(ending)
    }
}

extension Relation {
    /// Whether conditions are enough to select the changed rows.
    fileprivate var selectsRowsByConditions: Bool {
        grouping == nil && groupFilters.isEmpty && joins.isEmpty && limit == nil
    }

    /// The relation that selects the changed rows, if conditions are enough to select them.
    fileprivate var conditions: Relation { with { $0.ordering = .init() } }

    /// The query for the keys of the changed rows; nil if conditions select these rows.
    ///
    /// - parameter verb: the verb for the statement in error messages.
    fileprivate func selectedRows(
        toChangeBy verb: String, _ db: Database
    ) throws -> ResolvedQuery? {
        if selectsRowsByConditions { return nil }
        let rows = try ResolvedQuery(
            with { relation in
                // The order and duplicates do not affect the set of rows, unless the set is limited.
                if relation.limit != nil { return }
                relation.isDistinct = false
                relation.removeOrder()
            }, db)
        let key = try db.rowKeyColumns(of: tableName)
        if limit != nil, try rows.selectionDeterminesRows() {
            if rows.isDistinct, try !rows.selectsUniqueKey() {
                throw DatabaseError(
                    misuse: """
                        Can't \(verb) query with DISTINCT and LIMIT clauses: its selection does not \
                        identify the rows of the table \(tableName.name)
                        """)
            }
            rows.select(alsoKey: key)
        } else {
            rows.select(onlyKey: key)
        }
        let grouping = try rows.grouping()
        if !grouping.isEmpty || !groupFilters.isEmpty {
            try checkGroups(grouping, toChangeBy: verb, db)
            return rows
        }
        return joins.isEmpty && limit == nil ? nil : rows
    }

    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if groups are not single rows.
    private func checkGroups(
        _ grouping: [SQLExpression], toChangeBy verb: String, _ db: Database
    ) throws {
        let names = try grouping.compactMap {
            try $0.node.identifiedColumn(of: self, db)
        }
        // NULLs form one group.
        if names.count == grouping.count, try db.identifiesRows(names, in: tableName) { return }
        let clause = grouping.isEmpty ? "HAVING" : "GROUP BY"
        throw DatabaseError(misuse: "Can't \(verb) query with \(clause) clause")
    }
}

extension SQLNode {
    /// The column that the expression identifies: different values of the column always give the
    /// expression different values.
    fileprivate func identifiedColumn(of relation: Relation, _ db: Database) throws -> String? {
        if let name = columnName(aliases: relation.aliases) { return name }
        guard let name = oppositeNumber?.node.columnName(aliases: relation.aliases)
        else { return nil }
        // Only rowids are always integers. Different texts may have the same negation.
        let table = relation.tableName
        let rowID = try db.primaryKey(table.name, in: table.schema).rowIDColumn
        return rowID.map { ASCIICase.equal($0, name) } ?? false ? name : nil
    }
}

extension Database {
    /// Returns the columns that identify the rows of a table, and find them fastest.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if no columns do.
    func rowKeyColumns(of table: Relation.TableName) throws -> [Column] {
        let primaryKey = try primaryKey(table.name, in: table.schema)
        let columns = try columns(in: table.name, in: table.schema)
        if primaryKey.tableHasRowID, primaryKey.rowIDColumn == nil {
            if let name = rowIDName(besides: columns) { return [Column(name)] }
            // Columns hide all names of the rowid, and a primary key may contain NULL.
            let isKey = columns.contains { $0.primaryKeyIndex > 0 }
            guard isKey, try primaryKey.columns.allSatisfy({ try isNeverNull($0, in: table) })
            else {
                throw DatabaseError(
                    misuse: """
                        Can't identify the rows of the table \(table.name): its columns hide the \
                        rowid, and it has no primary key without NULL
                        """)
            }
        }
        return primaryKey.columns.map { Column($0) }
    }
}
