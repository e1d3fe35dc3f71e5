// The position of joined columns in fetched rows.

extension ResolvedQuery {
    /// Returns the adapter that presents the columns of the relation, with a scope for each joined
    /// relation that has selected columns.
    ///
    /// - parameter columnCount: the number of columns of the statement.
    func rowAdapter(columnCount: Int) throws -> (any RowAdapter)? {
        let counts = try selectedColumnCounts(total: columnCount)
        var index = 0
        var position = 0
        func node(_ relation: Relation) -> AdapterNode {
            let start = position
            position += counts[index]
            index += 1
            return AdapterNode(
                columns: start..<position,
                scopes: relation.joins.map { ($0.key, node($0.relation)) })
        }
        let root = node(relation)
        return root.isWholeRow(columnCount) ? nil : root.adapter
    }

    /// Returns the number of selected columns of each table.
    ///
    /// - parameter total: the number of columns of the statement, if it is known.
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if literals make them unknown.
    package func selectedColumnCounts(total: Int? = nil) throws -> [Int] {
        var counts: [Int?] = []
        for table in tables {
            var sum: Int? = 0
            for selection in try table.selection(db) {
                let count = try columnCount(selection.node, of: table)
                sum = count.flatMap { count in sum.map { $0 + count } }
            }
            counts.append(sum)
        }
        let known = counts.reduce(0) { $0 + ($1 ?? 0) }
        switch counts.count(where: { $0 == nil }) {
        case 0:
            if let total, known != total { throw Self.unknownCount }
            return counts.compactMap { $0 }
        case 1:
            // The remaining columns belong to the only table with an unknown number.
            guard let total else { throw Self.unknownCount }
            return counts.map { $0 ?? total - known }
        default:
            throw Self.unknownCount
        }
    }

    /// Returns the number of selected columns of a table before the first column of another table,
    /// which may have the same name as a column of this table; nil if there is no column of another
    /// table.
    func ownColumnCount(ofTableAt index: Int) throws -> Int? {
        let table = tables[index]
        if table.relation.joins.isEmpty { return nil }
        var sum = 0
        for selection in try table.selection(db) {
            if let alias = selection.node.tableAlias,
                !table.relation.aliases.contains(where: { $0 === alias })
            {
                return sum
            }
            guard let count = try columnCount(selection.node, of: table) else {
                throw Self.unknownCount
            }
            sum += count
        }
        return nil
    }

    private static var unknownCount: DatabaseError {
        DatabaseError(
            misuse: """
                Selection literals don't know how many columns they contain. To resolve this error, \
                select one or several expressions instead.
                """)
    }

    /// Returns the number of columns that a node selects; nil if it is not known.
    private func columnCount(_ node: any SQLNode, of table: Table) throws -> Int? {
        switch node.selectedColumns {
        case .count(let count):
            return count
        case .ofTable(excluding: let excluded):
            // The columns belong to the table of the alias, if the node has an alias.
            let alias = node.tableAlias
            let table = alias.flatMap { alias in tables.first { $0.isCalled(alias) } } ?? table
            let name = table.relation.tableName
            if excluded.isEmpty, let commonTable = commonTables[name.name] {
                return try columnCount(commonTable)
            }
            return try db.columns(in: name.name, in: name.schema)
                .count { !excluded.contains(CaseInsensitiveIdentifier($0.name)) }
        case .unknown:
            return nil
        }
    }

    private func columnCount(_ commonTable: CommonTable) throws -> Int {
        if let columns = commonTable.columns { return columns.count }
        // SQLite knows the number. The definition of the table was already written.
        let sql = "\(commonTables.sql)SELECT * FROM \(commonTable.name.quotedDatabaseIdentifier)"
        return try db.cachedStatementOfCurrentSchema(sql: sql).columnCount
    }
}

/// The columns of a relation in the rows of a statement.
private struct AdapterNode {
    let columns: Range<Int>
    let scopes: [(key: String, node: AdapterNode)]

    /// Whether any column is selected.
    var isEmpty: Bool { columns.isEmpty && scopes.allSatisfy(\.node.isEmpty) }

    /// Whether there is nothing to adapt.
    func isWholeRow(_ columnCount: Int) -> Bool {
        columns == 0..<columnCount && scopes.allSatisfy(\.node.isEmpty)
    }

    var adapter: any RowAdapter {
        let base: any RowAdapter = columns.isEmpty ? EmptyRowAdapter() : RangeRowAdapter(columns)
        var adapters: [String: any RowAdapter] = [:]
        for (key, node) in scopes where !node.isEmpty {
            adapters[key] = node.adapter
        }
        return base.addingScopes(adapters)
    }
}
