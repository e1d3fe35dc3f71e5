/// `DELETE FROM "table" WHERE …`
struct DeleteStatement: SQLNode {
    let relation: Relation
    var returning: [SQLSelection] = []

    func write(to writer: SQLWriter) throws {
        try BatchStatement(relation: relation, verb: "delete").write(to: writer.context) { name in
            writer.append(sql: "DELETE FROM ")
            name()
        }
        try writer.append(returning: returning)
    }
}

/// `UPDATE "table" SET … WHERE …`
struct BatchUpdateStatement: SQLNode {
    let relation: Relation
    let conflictResolution: Database.ConflictResolution
    let assignments: [ColumnAssignment]
    var returning: [SQLSelection] = []

    func write(to writer: SQLWriter) throws {
        try BatchStatement(relation: relation, verb: "update").write(to: writer.context) { name in
            writer.append(sql: "UPDATE")
            writer.append(conflictResolution)
            writer.append(sql: " ")
            name()
            writer.append(sql: " SET ")
            for (index, assignment) in assignments.enumerated() {
                if index > 0 { writer.append(sql: ", ") }
                // The name of an assigned column stands alone.
                writer.append(identifier: assignment.columnName)
                writer.append(sql: " = ")
                try assignment.assignedValue.write(to: writer)
            }
        }
        try writer.append(returning: returning)
    }
}

/// A statement that changes the rows of a relation.
private struct BatchStatement {
    let relation: Relation

    /// What the statement does, in error messages.
    let verb: String

    /// Writes the statement.
    ///
    /// - parameter body: writes what comes before `WHERE`, and calls its argument to write the name
    ///   of the table.
    func write(
        to context: SQLGenerationContext, _ body: (_ name: () -> Void) throws -> Void
    ) throws {
        let key = try keySelection(context.db)
        // The changed rows are those of a subquery, where the statement itself can't tell them. Its
        // common table expressions go with it.
        let changed =
            key == nil
            ? relation.with { $0.ordering = .init() }
            : Relation(table: relation.tableName, selection: []).with {
                $0.aliases = relation.joins.isEmpty ? relation.aliases : []
                $0.commonTables = relation.joins.isEmpty ? relation.commonTables : []
            }
        let query = try ResolvedQuery(changed, context)
        try context.withSources(query.tables.map(\.source)) {
            try query.writeCommonTables(to: context)
            try context.withQualifier(query.tables[0].source.columnQualifier) {
                try body { query.tables[0].writeName(to: context, joinedBy: " AS ") }
            }
            if let key {
                context.append(sql: " WHERE ")
                try context.withQualifier(query.tables[0].source.columnQualifier) {
                    try key.write(to: context)
                }
            } else {
                try query.writeFilters(to: context)
            }
        }
    }

    /// The condition on the primary key, when the changed rows are those of a subquery.
    private func keySelection(_ db: Database) throws -> SQLExpression? {
        let grouping = try relation.grouping?(db) ?? []
        if !grouping.isEmpty || !relation.groupFilters.isEmpty {
            try checkGroups(grouping, db)
        } else if relation.joins.isEmpty, relation.limit == nil {
            return nil
        }
        let columns = try db.rowKeyColumns(of: relation.tableName)
        let subquery = relation.with { relation in
            relation.selection = [{ _ in columns }]
            relation.isDistinct = false
            // An order has no influence on the set of rows, unless it is limited.
            if relation.limit == nil { relation.removeOrder() }
            if relation.joins.isEmpty { relation.commonTables = [] }
            relation.joins = relation.joins.map(\.withoutSelection)
        }
        let operand =
            columns.count == 1
            ? columns[0].sqlExpression
            : SQLExpression(RowValue(expressions: columns.map(\.sqlExpression)))
        return SQLExpression(
            Membership(
                operand: operand, list: .subquery(SQLSubquery(SelectQuery(relation: subquery)))))
    }

    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if groups are not single rows.
    private func checkGroups(_ grouping: [any SQLExpressible], _ db: Database) throws {
        let names = grouping.compactMap { ($0.sqlExpression.node as? ColumnNode)?.name }
        if names.count == grouping.count {
            // NULLs form one group, and a unique index lets in many of them.
            let table = relation.tableName
            let names = try names.filter { try db.isNeverNull($0, in: table) }
            if !names.isEmpty, try db.containsUniqueKey(names, in: table) { return }
        }
        let clause = grouping.isEmpty ? "HAVING" : "GROUP BY"
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE, message: "Can't \(verb) query with \(clause) clause")
    }
}

extension Database {
    /// The columns that identify the rows of a table, the fastest ones.
    func rowKeyColumns(of table: Relation.TableName) throws -> [Column] {
        let primaryKey = try primaryKey(table.name, in: table.schema)
        let columns = try columns(in: table.name, in: table.schema)
        if primaryKey.tableHasRowID, primaryKey.rowIDColumn == nil {
            if let name = rowIDName(besides: columns) { return [Column(name)] }
            // Columns have all names of the rowid, and a primary key may hold NULL.
            let isKey = columns.contains { $0.primaryKeyIndex > 0 }
            guard isKey, try primaryKey.columns.allSatisfy({ try isNeverNull($0, in: table) })
            else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: """
                        Can't identify the rows of the table \(table.name): its columns hide the \
                        rowid, and it has no primary key without NULL
                        """)
            }
        }
        return primaryKey.columns.map { Column($0) }
    }
}
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if no columns do.
