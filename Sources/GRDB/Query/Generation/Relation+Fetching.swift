// From relations to prepared statements.

extension Relation {
    /// The statement that fetches the rows, and the adapter that gives joined columns their scopes.
    func prepare(_ db: Database, forSingleResult isSingleResult: Bool) throws -> PreparedRequest {
        let query = SelectQuery(relation: self, isSingleResult: isSingleResult)
        let statement = try db.cachedStatement(query)
        if db.isRecordingRegion, let rowIDs = try possibleRowIDs(of: statement, db) {
            db.recordRows(rowIDs, ofTable: table, by: statement)
        }
        if joins.isEmpty, prefetches.isEmpty { return PreparedRequest(statement: statement) }
        var request = try PreparedRequest(
            statement: statement,
            adapter: joins.isEmpty ? nil : rowAdapter(db, columnCount: statement.columnCount))
        if hasPrefetches {
            request.prefetchingRelation = self
            // Without rows, no statement shows what would be prefetched.
            try db.registerAccess(to: PrefetchedRegion(relation: self))
        }
        return request
    }

    /// The number of rows.
    func fetchCount(_ db: Database) throws -> Int {
        try Int.fetchOne(db.cachedStatement(CountQuery(relation: self))) ?? 0
    }

    /// The region that the rows depend on: some rows of the table when the filters tell which.
    func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        let region = try statementRegion(db)
        return hasPrefetches ? try region.union(prefetchedRegion(db)) : region
    }

    private func statementRegion(_ db: Database) throws -> DatabaseRegion {
        let statement = try db.cachedStatement(SelectQuery(relation: self))
        let region = statement.databaseRegion
        return try possibleRowIDs(of: statement, db).map {
            region.tableIntersection(table, rowIDs: $0)
        } ?? region
    }

    /// The only rows of the table that the statement reads; nil if they are not known.
    private func possibleRowIDs(of statement: Statement, _ db: Database) throws -> Set<Int64>? {
        // The filters tell nothing about the rows of subqueries.
        statement.sql.containsSubquery ? nil : try possibleRowIDs(db)
    }
}

extension String {
    /// Whether the text may hold another `SELECT` than the first word, but for those on values.
    fileprivate var containsSubquery: Bool {
        let select = Array("SELECT".utf8)
        let text = Array(utf8.dropFirst(select.count))
        guard text.count > select.count else { return false }
        return (0...(text.count - select.count)).contains { index in
            // The sixth bit tells the case of a letter.
            zip(select, text[index...]).allSatisfy { $0 == $1 & ~0x20 }
                && !ValueArrays.isQuery(text[index...])
        }
    }
}

/// `SELECT COUNT(*) FROM …`
struct CountQuery: SQLNode {
    let relation: Relation

    func write(to writer: SQLWriter) throws {
        let context = writer.context
        // The order has no influence on the number of rows.
        let relation = relation.with { $0.ordering = Relation.Ordering() }
        if let counted = try counted(context.db) {
            let counting = relation.with { relation in
                relation.selection = [{ _ in [counted] }]
                relation.windows = []
                relation.isDistinct = false
            }
            try SelectQuery(relation: counting).write(to: writer)
        } else {
            writer.append(sql: "SELECT COUNT(*) FROM (")
            try SQLSubquery(SelectQuery(relation: relation)).write(to: writer)
            writer.append(sql: ")")
        }
    }

    /// What can be counted instead of the rows of a subquery; nil if there is nothing.
    private func counted(_ db: Database) throws -> SQLExpression? {
        guard relation.grouping == nil, relation.groupFilters.isEmpty, relation.limit == nil,
            relation.joins.isEmpty, relation.commonTables.isEmpty
        else { return nil }
        let selection = try relation.selection.flatMap { try $0(db) }.map(\.sqlSelection.node)
        // No row can be fetched: the error is that of the subquery.
        if selection.isEmpty { return nil }
        // Aggregates fetch one row, and a literal may hold an aggregate.
        let parts = selection + relation.windows as [any SQLNode]
        if parts.contains(where: { $0.isAggregate || $0.contains(where: \.isLiteral) }) {
            return nil
        }
        // The names of several terms may be those of other columns.
        if selection.count > 1, selection.contains(where: { $0 is NamedExpression }) { return nil }
        guard relation.isDistinct else { return count(SQLExpression(AnyRow())) }
        // A window function can't be the argument of an aggregate.
        guard selection.count == 1, !selection[0].contains(where: \.isWindowFunction) else {
            return nil
        }
        return selection[0].selectedExpression.map { count(distinct: $0) }
    }
}

extension SQLNode {
    /// Whether the node is text that was written by hand, and that may hold several expressions, or
    /// an aggregate.
    fileprivate var isLiteral: Bool {
        switch self {
        case is SQL: true
        case let literal as ExpressionLiteral: literal.sql.mayCallFunctions
        default: false
        }
    }

    /// Whether the node calls a window function.
    fileprivate var isWindowFunction: Bool { (self as? FunctionCall)?.window != nil }

    /// The selected expression, without its name; nil if there may be several.
    fileprivate var selectedExpression: SQLExpression? {
        switch self {
        case is AllColumnsNode, is AllColumnsExcludingNode: nil
        case let named as NamedExpression: named.expression
        case let qualified as QualifiedNode:
            qualified.base.selectedExpression.map { qualified.alias[$0] }
        default: SQLExpression(self)
        }
    }
}

extension SQL {
    /// Whether the text may call functions, which takes a parenthesis.
    fileprivate var mayCallFunctions: Bool {
        pieces.contains { piece in
            switch piece {
            case .text(let sql, _): sql.utf8.contains(UInt8(ascii: "("))
            case .node: true
            }
        }
    }
}

// MARK: - What filters tell

extension ResolvedQuery {
    /// Whether there is one row at most.
    func selectsOneRow(_ db: Database) throws -> Bool {
        guard tables.count == 1 else { return false }
        if relation.grouping == nil, relation.groupFilters.isEmpty,
            try tables[0].selection(db).contains(where: \.isAggregate)
        {
            return true
        }
        var columns: [String] = []
        for filter in try tables[0].filters(db) {
            filter.node.forEachRestriction(aliases: relation.aliases) { column, values in
                if values.count == 1, !columns.contains(where: { ASCIICase.equal($0, column) }) {
                    columns.append(column)
                }
            }
        }
        let table = relation.tableName
        guard !columns.isEmpty, try db.tableExists(table.name, in: table.schema) else {
            return false
        }
        return try db.containsUniqueKey(columns, in: table)
    }
}

extension Relation {

    /// Whether all joined relations are tables other than this one. A view may read this table.
    private func joinsOnlyTables(besides name: String, _ db: Database) throws -> Bool {
        try joins.allSatisfy { join in
            let joined = join.relation
            return try !ASCIICase.equal(joined.table, name)
                && db.tableExists(joined.table, in: joined.tableName.schema)
                && joined.joinsOnlyTables(besides: name, db)
        }
    }

    /// The rowids of the only rows that can meet the filters; nil if they are not known.
    fileprivate func possibleRowIDs(_ db: Database) throws -> Set<Int64>? {
        guard !filters.isEmpty, try joinsOnlyTables(besides: table, db), allCommonTables.isEmpty,
            try db.tableExists(table, in: tableName.schema)
        else { return nil }
        let rowIDColumn = try db.primaryKey(table, in: tableName.schema).rowIDColumn
        // A column may have taken the name of the rowid.
        let isRowIDNamed = try !db.columns(in: table, in: tableName.schema)
            .contains { ASCIICase.equal($0.name, "rowid") }
        func isRowID(_ column: String) -> Bool {
            isRowIDNamed && ASCIICase.equal(column, "rowid")
                || rowIDColumn.map { ASCIICase.equal($0, column) } ?? false
        }
        var result: Set<Int64>?
        for filter in filters {
            let condition = try filter(db).sqlExpression.node
            if let rowIDs = condition.possibleRowIDs(aliases: aliases, isRowID) {
                result = result.map { $0.intersection(rowIDs) } ?? rowIDs
            }
        }
        return result
    }
}

extension SQLNode {
    /// The rowids of the only rows that can meet the condition; nil if they are not known.
    ///
    /// - parameter aliases: those of the table.
    fileprivate func possibleRowIDs(
        aliases: [TableAliasBase], _ isRowID: (String) -> Bool
    ) -> Set<Int64>? {
        switch self {
        case let value as DatabaseValue:
            return value.isNull || value.storage == .int64(0) ? [] : nil
        case let operation as AssociativeOperation where operation.sqlOperator == .and:
            return operation.operands
                .compactMap { $0.node.possibleRowIDs(aliases: aliases, isRowID) }
                .reduce(nil) { $0?.intersection($1) ?? $1 }
        case let operation as AssociativeOperation where operation.sqlOperator == .or:
            var rowIDs: Set<Int64> = []
            for operand in operation.operands {
                guard let others = operand.node.possibleRowIDs(aliases: aliases, isRowID) else {
                    return nil
                }
                rowIDs.formUnion(others)
            }
            return rowIDs
        case let qualified as QualifiedNode:
            guard aliases.contains(qualified.alias) else { return nil }
            return qualified.base.possibleRowIDs(aliases: aliases, isRowID)
        default:
            var result: Set<Int64>?
            forEachRestriction(aliases: aliases) { column, values in
                if isRowID(column) { result = Set(rowIDs: values) }
            }
            return result
        }
    }

    /// Calls the closure with the columns of a table that are restricted to some values, in the rows
    /// that meet the condition.
    ///
    /// - parameter aliases: those of the table.
    fileprivate func forEachRestriction(
        aliases: [TableAliasBase], _ body: (_ column: String, _ values: [DatabaseValue]) -> Void
    ) {
        switch self {
        case let operation as AssociativeOperation where operation.sqlOperator == .and:
            for operand in operation.operands {
                operand.node.forEachRestriction(aliases: aliases, body)
            }
        case let operation as BinaryOperation
        where operation.sqlOperator == .equal || operation.sqlOperator == .is:
            let (left, right) = (operation.left.node, operation.right.node)
            if let value = right as? DatabaseValue {
                if let column = left.columnName(aliases: aliases) { body(column, [value]) }
            } else if let value = left as? DatabaseValue {
                if let column = right.columnName(aliases: aliases) { body(column, [value]) }
            }
        case let membership as Membership where !membership.isNegated:
            guard case .expressions(let expressions) = membership.list,
                let column = membership.operand.node.columnName(aliases: aliases)
            else { return }
            let values = expressions.compactMap { $0.node as? DatabaseValue }
            if values.count == expressions.count {
                body(column, values)
            }
        case let qualified as QualifiedNode where aliases.contains(qualified.alias):
            qualified.base.forEachRestriction(aliases: aliases, body)
        default:
            break
        }
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
