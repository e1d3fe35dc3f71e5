// Deriving the rows that a query reads from its filters.

extension ResolvedQuery: RegionRefinement {
    /// Returns the region of the statement, without the rows that the filters exclude, and with the
    /// region of prefetched rows.
    package func refine(_ region: DatabaseRegion) throws -> DatabaseRegion {
        let rowIDs = try possibleRowIDs(ofTableAt: 0)
        if let rowIDs, rowIDs.isEmpty, try !mayAggregateNoRows() { return DatabaseRegion() }
        var result = region
        if let rowIDs, try readsTableOnce() {
            result = result.limiting(relation.table, toRowIDs: rowIDs)
        }
        return relation.hasPrefetches ? try result.union(prefetchedRegion()) : result
    }

    /// Whether the query may return a row even if no row satisfies the filters: the row of an
    /// aggregate without `GROUP BY`, which may contain the values of subqueries.
    private func mayAggregateNoRows() throws -> Bool {
        if relation.grouping != nil { return false }
        // Only a selected aggregate can make the query an aggregate: SQLite rejects all others.
        var parts = windows.flatMap(\.definition.children)
        for table in tables {
            parts += try table.selection(db).map(\.node)
        }
        // A literal may contain an aggregate.
        return parts.contains { $0.isAggregate || $0.contains(.opaque) }
    }

    /// Whether no other part of the statement reads the first table: filters do not restrict the
    /// rows of subqueries.
    private func readsTableOnce() throws -> Bool {
        guard !holdsQueries, tables.allSatisfy(\.relation.commonTables.isEmpty),
            !literalTexts.contains(where: SQLText.mayHoldQuery)
        else { return false }
        // A view may read the same table.
        for (index, table) in tables.enumerated() {
            let name = table.relation.tableName
            if index > 0, ASCIICase.equal(name.name, relation.table) { return false }
            guard try db.hasTable(name.name, in: name.schema) else { return false }
        }
        return true
    }

    /// Returns the rowids of the only rows of a table that can satisfy its filters; nil if they are
    /// not known.
    func possibleRowIDs(ofTableAt index: Int) throws -> Set<Int64>? {
        let filters = try tables[index].filters(db)
        if filters.isEmpty { return nil }
        let relation = tables[index].relation
        let name = relation.tableName
        var rowIDColumn: String?
        var isRowIDNamed = false
        if try db.hasTable(name.name, in: name.schema) {
            let key = try db.primaryKey(name.name, in: name.schema)
            rowIDColumn = key.rowIDColumn
            // A column may hide the rowid.
            isRowIDNamed =
                try key.tableHasRowID
                && !db.columns(in: name.name, in: name.schema)
                    .contains { ASCIICase.equal($0.name, "rowid") }
        }
        let facts = TableFacts(aliases: relation.aliases) { column in
            isRowIDNamed && ASCIICase.equal(column, "rowid")
                || rowIDColumn.map { ASCIICase.equal($0, column) } ?? false
        }
        return filters.compactMap { facts.possibleRowIDs($0.node) }
            .reduce(nil) { $0?.intersection($1) ?? $1 }
    }

    /// Whether the query returns at most one row.
    func selectsOneRow() throws -> Bool {
        guard tables.count == 1 else { return false }
        if relation.grouping == nil, relation.groupFilters.isEmpty,
            try tables[0].selection(db).contains(where: \.isAggregate)
        {
            return true
        }
        var columns: [String] = []
        let facts = TableFacts(aliases: relation.aliases)
        for filter in try tables[0].filters(db) {
            facts.forEachRestriction(filter.node) { column, values in
                if values.count == 1, !columns.contains(where: { ASCIICase.equal($0, column) }) {
                    columns.append(column)
                }
            }
        }
        let table = relation.tableName
        guard !columns.isEmpty, try db.hasTable(table.name, in: table.schema) else {
            return false
        }
        return try db.containsUniqueKey(columns, in: table)
    }
}

/// Derives the rows of one table that can satisfy conditions.
private struct TableFacts {
    let aliases: [TableAliasBase]
    var isRowID: (String) -> Bool = { _ in false }

    /// Returns the rowids of the only rows that can satisfy the condition; nil if they are not
    /// known.
    func possibleRowIDs(_ node: any SQLNode) -> Set<Int64>? {
        switch node.condition {
        case .constant(let value):
            return value.isNull || value.storage == .int64(0) ? [] : nil
        case .all(let conditions):
            return conditions.compactMap { possibleRowIDs($0.node) }
                .reduce(nil) { $0?.intersection($1) ?? $1 }
        case .any(let conditions):
            var rowIDs: Set<Int64> = []
            for condition in conditions {
                guard let others = possibleRowIDs(condition.node) else { return nil }
                rowIDs.formUnion(others)
            }
            return rowIDs
        case .onTable(let alias, let condition):
            return aliases.contains { $0 === alias } ? possibleRowIDs(condition) : nil
        case .equal, .oneOf:
            var result: Set<Int64>?
            forEachRestriction(node) { column, values in
                if isRowID(column) { result = Set(rowIDs: values) }
            }
            return result
        case .unknown:
            return nil
        }
    }

    /// Calls the closure with each column of the table that the condition restricts to some values.
    func forEachRestriction(
        _ node: any SQLNode, _ body: (_ column: String, _ values: [DatabaseValue]) -> Void
    ) {
        switch node.condition {
        case .all(let conditions):
            for condition in conditions { forEachRestriction(condition.node, body) }
        case .equal(let left, let right):
            if let value = right.node(as: DatabaseValue.self) {
                if let column = columnName(left) { body(column, [value]) }
            } else if let value = left.node(as: DatabaseValue.self) {
                if let column = columnName(right) { body(column, [value]) }
            }
        case .oneOf(let operand, let expressions):
            guard let column = columnName(operand) else { return }
            let values = expressions.compactMap { $0.node(as: DatabaseValue.self) }
            if values.count == expressions.count { body(column, values) }
        case .onTable(let alias, let condition):
            if aliases.contains(where: { $0 === alias }) { forEachRestriction(condition, body) }
        case .any, .constant, .unknown:
            break
        }
    }

    private func columnName(_ expression: SQLExpression) -> String? {
        expression.node.columnName(aliases: aliases)
    }
}

extension Set<Int64> {
    /// The rowids that equal one of the values; nil if they are not known.
    fileprivate init?(rowIDs values: [DatabaseValue]) {
        self = []
        for value in values {
            switch value.storage {
            case .int64(let rowID): insert(rowID)
            case .null: break
            // Texts and reals may convert to integers.
            default: return nil
            }
        }
    }
}
