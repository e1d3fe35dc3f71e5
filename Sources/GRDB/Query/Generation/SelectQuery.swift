/// `SELECT … FROM "table" …`
struct SelectQuery: SQLFragment {
    var relation: Relation

    /// Whether only the first row matters.
    var isSingleResult = false
}

extension ResolvedQuery {
    func write(to context: StatementWriter) throws {
        try context.withSources(of: self) {
            try writeCommonTables(to: context)
            context.append(sql: isDistinct ? "SELECT DISTINCT " : "SELECT ")
            try writeSelection(to: context)
            try writeSource(to: context)
            try writeFilters(to: context)
            try writeGroups(to: context)
            try writeWindows(to: context)
            try writeOrdering(to: context)
            try writeLimit(to: context)
        }
    }

    // MARK: - Clauses

    /// `WITH "name" AS (…) `
    func writeCommonTables(to context: StatementWriter) throws {
        var ownTables: [CommonTable] = []
        for (index, table) in tables.enumerated() where index > 0 || !inheritsCommonTables {
            for commonTable in table.relation.commonTables {
                ownTables.define(commonTable)
            }
        }
        try commonTables.define(ownTables, to: context)
    }

    func writeSelection(to context: StatementWriter) throws {
        var isFirst = true
        func write(_ selection: [SQLSelection], of table: Table) throws {
            try context.withQualifier(table.columnQualifier) {
                for selectable in selection {
                    if !isFirst { context.append(sql: ", ") }
                    isFirst = false
                    try selectable.write(to: context)
                }
            }
        }
        for table in tables { try write(selection(of: table, context.db), of: table) }
        try write(addedSelection, of: tables[0])
        if isFirst {
            throw DatabaseError(misuse: "Can't generate SQL with an empty selection")
        }
    }

    /// Returns the selected columns of a table. Selections that depend on the schema are spelled
    /// out.
    private func selection(of table: Table, _ db: Database) throws -> [SQLSelection] {
        var result: [SQLSelection] = []
        for selection in try table.selection(db) {
            guard let node = selection.node.unqualified, let alias = selection.node.tableAlias,
                let other = tables.first(where: { $0.isCalled(alias) })
            else {
                result += try expand(selection, of: table, db)
                continue
            }
            let reference = other.reference
            result += try expand(SQLSelection(node), of: other, db).map { reference[$0] }
        }
        return result
    }

    private func expand(
        _ selection: SQLSelection, of table: Table, _ db: Database
    ) throws -> [SQLSelection] {
        if selection.node.excludedColumns != nil {
            return try selection.spelledOut(ofTable: table.relation.tableName, db)
                .flatMap { try expand($0, of: table, db) }
        }
        // The columns of common tables are determined by their queries.
        if !isInGroup(table) || isCommonTable(table.relation.tableName) { return [selection] }
        return try selection.named(in: table.relation, db)
    }

    /// ` FROM "table" "alias" JOIN …`
    func writeSource(to context: StatementWriter) throws {
        context.append(sql: " FROM ")
        try writeName(ofTableAt: 0, to: context)
        try writeJoins(toTableAt: 0, to: context)
    }

    /// `"table" "alias"`, or `"function"(…) "alias"`
    private func writeName(ofTableAt index: Int, to context: StatementWriter) throws {
        let table = tables[index]
        guard let arguments = table.relation.arguments else {
            return table.writeName(to: context)
        }
        context.append(nameOf: table.relation.tableName)
        if !arguments.isEmpty {
            // Columns in the arguments belong to the table that the function is joined to. In the
            // arguments of the first table, they can only belong to a query around it.
            let qualifier =
                if let join = table.join {
                    tables[join.parent].columnQualifier
                } else {
                    try context.qualifierAroundQuery()
                }
            context.append(sql: "(")
            try context.withQualifier(qualifier) { try context.append(list: arguments) }
            context.append(sql: ")")
        }
        context.append(declarationOf: table, ofTable: table.relation.table, separator: " ")
    }

    /// Whether a table is required in its group.
    private func isRequiredInGroup(_ table: Table) -> Bool {
        guard let join = table.join, join.join.kind == .required else { return false }
        let parent = tables[join.parent]
        return parent.isGroup || isRequiredInGroup(parent)
    }

    /// Returns the filters on a joined table, and on the tables that its group requires. They are
    /// written outside of the parentheses of the group, because they may refer to tables that are
    /// not accessible from inside.
    private func filters(ofTableAt index: Int, _ db: Database) throws -> [SQLExpression] {
        let table = tables[index]
        let reference = table.reference
        var result = try table.filters(db).map { reference[$0] }
        if table.isGroup || isRequiredInGroup(table) {
            result.removeAll(where: \.isMatch)
        }
        for (child, table) in tables.enumerated()
        where table.join?.parent == index && isRequiredInGroup(table) {
            result += try filters(ofTableAt: child, db)
        }
        return result
    }

    /// Returns the filters of a table in a group that must be written inside of its parentheses:
    /// virtual tables are only searched there.
    private func innerFilters(ofTableAt index: Int, _ db: Database) throws -> [SQLExpression] {
        let reference = tables[index].reference
        return try tables[index].filters(db).map { reference[$0] }.filter(\.isMatch)
    }

    /// Whether a table is joined inside of parentheses.
    private func isInGroup(_ table: Table) -> Bool {
        guard let join = table.join else { return false }
        return table.isGroup || isInGroup(tables[join.parent])
    }

    /// ` JOIN "table" "alias" ON … LEFT JOIN …`
    private func writeJoins(toTableAt parent: Int, to context: StatementWriter) throws {
        var hasInnerFilters = false
        for (index, table) in tables.enumerated() {
            guard let join = table.join, join.parent == parent else { continue }
            context.append(sql: join.join.kind == .required ? " JOIN " : " LEFT JOIN ")
            // The tables that an optional table requires must not be required for all rows.
            let isGroup = table.isGroup
            if isGroup {
                context.append(sql: "(")
            }
            try writeName(ofTableAt: index, to: context)
            if isGroup {
                try writeJoins(toTableAt: index, to: context)
                context.append(sql: ")")
            }
            var conditions = try table.joinConditions(joinedTo: tables[parent], context.db)
            if isRequiredInGroup(table) {
                if !hasInnerFilters, tables[parent].isGroup {
                    // The first table of the group has no condition of its own in the parentheses.
                    conditions += try innerFilters(ofTableAt: parent, context.db)
                    hasInnerFilters = true
                }
                conditions += try innerFilters(ofTableAt: index, context.db)
            } else {
                conditions += try filters(ofTableAt: index, context.db)
            }
            if !conditions.isEmpty {
                context.append(sql: " ON ")
                try conditions.joined(operator: .and).write(to: context)
            }
            if !isGroup {
                try writeJoins(toTableAt: index, to: context)
            }
        }
    }

    /// ` WHERE …`
    func writeFilters(to context: StatementWriter) throws {
        try tables[0].write(" WHERE ", tables[0].filters(context.db), to: context)
    }

    /// ` GROUP BY … HAVING …`
    func writeGroups(to context: StatementWriter) throws {
        let expressions = try grouping()
        if !expressions.isEmpty {
            context.append(sql: " GROUP BY ")
            try context.withQualifier(tables[0].columnQualifier) {
                // A literal may contain several expressions.
                try context.append(list: expressions)
            }
        }
        let groupFilters = try relation.groupFilters.array.map {
            try $0.resolve(context.db, onTable: relation.tableName)
        }
        try tables[0].write(" HAVING ", groupFilters, to: context)
    }

    /// ` WINDOW "name" AS (…)`
    func writeWindows(to context: StatementWriter) throws {
        if windows.isEmpty { return }
        context.append(sql: " WINDOW ")
        try context.withQualifier(tables[0].columnQualifier) {
            try context.append(list: windows)
        }
    }

    /// ` ORDER BY …`
    func writeOrdering(to context: StatementWriter) throws {
        var separator = " ORDER BY "
        if !isOrdered { return }
        for (index, table) in tables.enumerated() {
            let orderings =
                try knownOrdering()
                ?? table.relation.ordering.resolve(
                    context.db, isQueryReversed: isOrderReversed(aroundTableAt: index)
                ) {
                    try stableOrder(ofTableAt: index, context.db)
                }
            if orderings.isEmpty { continue }
            context.append(sql: separator)
            separator = ", "
            try context.withQualifier(table.columnQualifier) {
                try context.append(list: orderings)
            }
        }
    }

    /// Whether the tables that lead to a joined table reverse its order.
    private func isOrderReversed(aroundTableAt index: Int) -> Bool {
        guard let parent = tables[index].join?.parent else { return false }
        return tables[parent].relation.ordering.isReversed
            != isOrderReversed(aroundTableAt: parent)
    }

    /// Whether the table is a common table expression.
    private func isCommonTable(_ table: Relation.TableName) -> Bool {
        table.schema == nil && commonTables[table.name] != nil
    }

    /// Returns the terms that sort all rows of a table.
    private func stableOrder(
        ofTableAt index: Int, _ db: Database
    ) throws -> [any SQLOrderingTerm] {
        let table = tables[index].relation.tableName
        if !isCommonTable(table) {
            if try !db.hasView(table.name, in: table.schema) {
                return try db.keyColumns(of: table)
            }
            if let columns = try db.viewKeyColumns(of: table) { return columns.map { Column($0) } }
        }
        // Without a key, sort by all selected columns, by number.
        let counts = try selectedColumnCounts()
        let start = counts[..<index].reduce(1, +)
        return (start..<(start + counts[index])).map { SQLExpression.resultColumn($0) }
    }

    /// ` LIMIT 10 OFFSET 20`
    func writeLimit(to context: StatementWriter) throws {
        if let limit = relation.limit {
            limit.write(to: context)
        } else if isSingleResult, try !selectsOneRow() {
            context.append(sql: " LIMIT 1")
        }
    }
}

extension CommonTables {
    /// `WITH "name" AS (…) `
    package mutating func define(_ ownTables: [CommonTable], to context: StatementWriter) throws {
        if ownTables.isEmpty { return }
        let start = context.position
        let isRecursive = ownTables.contains(where: \.isRecursive)
        context.append(sql: isRecursive ? "WITH RECURSIVE " : "WITH ")
        try context.append(list: ownTables)
        context.append(sql: " ")
        tables = ownTables + tables
        sql = context.sql(from: start)
    }
}

extension Relation.Limit {
    /// ` LIMIT 10 OFFSET 20`
    func write(to context: StatementWriter) {
        context.append(sql: " LIMIT ")
        context.append(sql: String(count))
        if let offset {
            context.append(sql: " OFFSET ")
            context.append(sql: String(offset))
        }
    }
}

extension SQLExpression {
    /// Whether the expression searches virtual tables with `MATCH`.
    fileprivate var isMatch: Bool {
        node.contains(.match)
    }
}

extension ResolvedQuery.Table {
    /// Whether the table and the tables joined to it are written in parentheses.
    fileprivate var isGroup: Bool {
        join?.join.kind == .optional && relation.joins.contains { $0.kind == .required }
    }

    /// `"schema"."table" "alias"`
    ///
    /// - parameter separator: the text before the alias.
    func writeName(to context: StatementWriter, joinedBy separator: String = " ") {
        context.append(nameOf: relation.tableName)
        context.append(declarationOf: self, ofTable: relation.table, separator: separator)
    }

    /// Returns the conditions that join the table to another table.
    fileprivate func joinConditions(
        joinedTo parent: ResolvedQuery.Table, _ db: Database
    ) throws -> [SQLExpression] {
        guard let condition = join?.join.condition else { return [] }
        return try condition.expressions(db, left: parent.reference, right: reference)
    }

    /// Writes a clause of conditions on the columns of the table.
    func write(
        _ clause: String, _ conditions: [SQLExpression], to context: StatementWriter
    ) throws {
        if conditions.isEmpty { return }
        context.append(sql: clause)
        try context.withQualifier(columnQualifier) {
            if conditions.count == 1 {
                return try conditions[0].write(to: context)
            }
            try conditions.joined(operator: .and).write(to: context)
        }
    }
}

extension SQLSelection {
    /// Returns the selection with explicit names, because SQLite renames the columns of joins in
    /// parentheses when several tables have columns of the same name.
    fileprivate func named(in relation: Relation, _ db: Database) throws -> [SQLSelection] {
        func named(_ name: String) -> SQLSelection { Column(name).forKey(name).sqlSelection }
        if let name = node.columnName(aliases: []) { return [named(name)] }
        guard node.tableAlias == nil, case .ofTable = node.selectedColumns,
            try relation.isTable(db)
        else { return [self] }
        return try db.columns(in: relation.table, in: relation.tableName.schema)
            .map { named($0.name) }
    }
}

extension Relation {
    /// Whether the schema has the columns, unlike the columns of a common table expression.
    fileprivate func isTable(_ db: Database) throws -> Bool {
        try db.hasTable(table, in: tableName.schema)
            || db.hasView(table, in: tableName.schema)
    }
}

/// `SELECT expression`
struct SelectionOnly: SQLFragment {
    let expression: SQLExpression

    func write(to writer: SQLWriter) throws {
        writer.append(sql: "SELECT ")
        try expression.write(to: writer)
    }
}
