extension ResolvedQuery {
    /// `SELECT COUNT(*) FROM …`
    func writeCount(to context: StatementWriter) throws {
        if let counted = try counted() {
            select(counted)
            try write(to: context)
        } else {
            context.append(sql: "SELECT COUNT(*) FROM (")
            try context.withSubquery { try write(to: context) }
            context.append(sql: ")")
        }
    }

    /// Returns the expression that counts the rows without a subquery; nil if a subquery is needed.
    fileprivate func counted() throws -> SQLExpression? {
        guard relation.grouping == nil, relation.groupFilters.isEmpty, relation.limit == nil,
            tables.count == 1, relation.commonTables.isEmpty
        else { return nil }
        let selection = try tables[0].selection(db).map(\.node)
        // An empty selection is an error, which the subquery throws.
        if selection.isEmpty { return nil }
        // A query with aggregates returns one row, and a literal may contain an aggregate.
        let parts = selection + windows.flatMap(\.definition.children)
        if parts.contains(where: { $0.isAggregate || $0.contains(.opaque) }) {
            return nil
        }
        // The names of several terms may be names of other columns.
        if selection.count > 1, selection.contains(where: { $0.traits.contains(.named) }) {
            return nil
        }
        guard isDistinct else { return count(SQLExpression(AnyRow())) }
        // A window function can't be the argument of an aggregate.
        guard selection.count == 1, !selection[0].contains(.windowFunction) else {
            return nil
        }
        // COUNT(DISTINCT x) ignores NULL, which is one of the distinct rows.
        guard try isNeverNull(selection[0]) else { return nil }
        return selection[0].selectedExpression.map { count(distinct: $0) }
    }

    /// Whether a selected expression is a column of the table that, according to the schema,
    /// contains no NULL.
    private func isNeverNull(_ selection: any SQLNode) throws -> Bool {
        let table = tables[0].relation.tableName
        guard
            let name = selection.selectedExpression?.node.columnName(
                aliases: tables[0].relation.aliases),
            // SQLite enforces no constraint on the columns of views and virtual tables.
            let (id, info) = try db.tableOrView(table.name, in: table.schema),
            let info, info.kind == .table, !info.isVirtualTable
        else { return false }
        let columns = try db.columns(in: table.name, in: table.schema)
        guard let column = columns.first(where: { ASCIICase.equal($0.name, name) }) else {
            return try db.isRowIDName(name, in: id)
        }
        if column.isNotNull { return true }
        let rowIDColumn = try db.primaryKey(table.name, in: table.schema).rowIDColumn
        return rowIDColumn.map { ASCIICase.equal($0, name) } ?? false
    }
}

extension SQL {
    /// Whether the text may call functions, which requires a parenthesis.
    var mayCallFunctions: Bool {
        pieces.contains { piece in
            switch piece {
            case .text(let sql, _): sql.utf8.contains(UInt8(ascii: "("))
            case .node: true
            }
        }
    }
}
