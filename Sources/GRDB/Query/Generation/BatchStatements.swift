/// `DELETE FROM "table" WHERE …`
struct DeleteStatement: SQLNode {
    let relation: Relation
    var returning: [SQLSelection] = []

    func write(to writer: SQLWriter) throws {
        let statement = BatchStatement(relation: relation, verb: "delete", returning: returning)
        try statement.write(to: writer.context) { context, name in
            context.append(sql: "DELETE FROM ")
            name()
        }
    }
}

/// `UPDATE "table" SET … WHERE …`
struct BatchUpdateStatement: SQLNode {
    let relation: Relation
    let conflictResolution: Database.ConflictResolution
    let assignments: [ColumnAssignment]
    var returning: [SQLSelection] = []

    func write(to writer: SQLWriter) throws {
        let statement = BatchStatement(relation: relation, verb: "update", returning: returning)
        try statement.write(to: writer.context) { context, name in
            context.append(sql: "UPDATE")
            context.append(conflictResolution)
            context.append(sql: " ")
            name()
            context.append(sql: " SET ")
            for (index, assignment) in assignments.enumerated() {
                if index > 0 { context.append(sql: ", ") }
                // The name of an assigned column stands alone.
                context.append(identifier: assignment.columnName)
                context.append(sql: " = ")
                try assignment.assignedValue.write(to: context)
            }
        }
    }
}

/// A statement that changes the rows of a relation.
private struct BatchStatement {
    let relation: Relation

    /// What the statement does, in error messages.
    let verb: String

    let returning: [SQLSelection]

    /// Writes what comes before `WHERE`, and calls its last argument to write the name of the table.
    typealias Head = (SQLGenerationContext, _ name: () -> Void) throws -> Void

    /// Writes the statement.
    func write(to context: SQLGenerationContext, _ head: Head) throws {
        var changed = relation.with { $0.ordering = .init() }
        var key: SQLExpression?
        if try needsKey(context.db) {
            changed = Relation(table: relation.tableName, selection: []).with {
                $0.aliases = relation.joins.isEmpty ? relation.aliases : []
                $0.commonTables = relation.commonTables
            }
            // The changed rows are those of a subquery, where the statement itself can't tell them.
            // Common table expressions that are joined move into the subquery, unless they are also
            // used outside of it.
            if !relation.joins.isEmpty, try !refersToCommonTables(changed, context.db, head) {
                changed.commonTables = []
            }
            key = try keySelection(commonTables: changed.commonTables.isEmpty, context.db)
        }
        let query = try ResolvedQuery(changed, context.db)
        try context.withSources(of: query) {
            try query.writeCommonTables(to: context)
            try context.withQualifier(query.tables[0].columnQualifier) {
                try head(context) { query.tables[0].writeName(to: context, joinedBy: " AS ") }
            }
            if let key {
                context.append(sql: " WHERE ")
                try context.withQualifier(query.tables[0].columnQualifier) {
                    try key.write(to: context)
                }
            } else {
                try query.writeFilters(to: context)
            }
        }
        try context.append(returning: returning, ofTable: relation.tableName)
    }

    /// Whether the head of the statement, or what it returns, refers to the common table expressions
    /// of the relation.
    private func refersToCommonTables(
        _ changed: Relation, _ db: Database, _ head: Head
    ) throws -> Bool {
        if relation.commonTables.isEmpty { return false }
        // Writing these parts shows it.
        let context = SQLGenerationContext(db)
        let query = try ResolvedQuery(changed, context.db)
        try context.withSources(of: query) {
            try head(context, {})
        }
        try context.append(returning: returning, ofTable: relation.tableName)
        let text = context.sql.lowercased()
        return relation.commonTables.contains { text.contains($0.name.lowercased()) }
    }

    /// Whether the changed rows are those of a subquery.
    private func needsKey(_ db: Database) throws -> Bool {
        let grouping = try relation.grouping?(db) ?? []
        if !grouping.isEmpty || !relation.groupFilters.isEmpty {
            try checkGroups(grouping, db)
            return true
        }
        return !relation.joins.isEmpty || relation.limit != nil
    }

    /// The condition on the primary key, when the changed rows are those of a subquery.
    ///
    /// - parameter definesCommonTables: whether the subquery defines the common table expressions of
    ///   the relation.
    private func keySelection(
        commonTables definesCommonTables: Bool, _ db: Database
    ) throws -> SQLExpression {
        let columns = try db.rowKeyColumns(of: relation.tableName)
        let subquery = relation.with { relation in
            relation.selection = [{ _ in columns }]
            relation.isDistinct = false
            // An order has no influence on the set of rows, unless it is limited.
            if relation.limit == nil { relation.removeOrder() }
            if !definesCommonTables { relation.commonTables = [] }
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
        let names = try grouping.compactMap {
            try $0.sqlExpression.node.identifiedColumn(of: relation, db)
        }
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

extension SQLNode {
    /// The column that has another value where the expression has another one.
    fileprivate func identifiedColumn(of relation: Relation, _ db: Database) throws -> String? {
        if let name = columnName(aliases: relation.aliases) { return name }
        guard let operation = self as? UnaryOperation, operation.sqlOperator == .minus,
            let name = operation.operand.node.columnName(aliases: relation.aliases)
        else { return nil }
        // Rowids are integers: all texts have the same negation.
        let table = relation.tableName
        let rowID = try db.primaryKey(table.name, in: table.schema).rowIDColumn
        return rowID.map { ASCIICase.equal($0, name) } ?? false ? name : nil
    }
}

extension Database {
    /// The columns that identify the rows of a table, the fastest ones.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if no columns do.
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
