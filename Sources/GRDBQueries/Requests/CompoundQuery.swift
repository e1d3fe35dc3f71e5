import GRDB

/// `SELECT … UNION SELECT … ORDER BY … LIMIT …`
struct CompoundQuery {
    enum Operator: String, Sendable {
        case union = " UNION "
        case unionAll = " UNION ALL "
        case intersect = " INTERSECT "
        case except = " EXCEPT "
    }

    var first: SQLSubquery

    /// One or more queries. SQLite evaluates them from left to right: no operator binds tighter than
    /// another.
    var others: [(sqlOperator: Operator, query: SQLSubquery)]

    var ordering = Ordering()
    var limit: (count: Int, offset: Int?)?
    var commonTables: [CommonTable] = []

    /// Whether only the first row matters.
    var isSingleResult = false

    /// Whether another query can be appended.
    var isOpen: Bool { ordering.isEmpty && limit == nil && commonTables.isEmpty }

    /// The order of rows.
    struct Ordering {
        var terms: (@Sendable (Database) throws -> [any SQLOrderingTerm])?

        /// Whether rows that are still tied are sorted by all columns.
        var isStable = false

        var isReversed = false

        var isEmpty: Bool { terms == nil && !isStable }

        /// - parameter columnCount: returns the number of columns.
        func resolve(_ db: Database, columnCount: () throws -> Int) throws -> [SQLOrdering] {
            var orderings = try terms?(db).map(\.sqlOrdering) ?? []
            if isStable {
                orderings += try (0..<columnCount()).map {
                    SQLExpression.resultColumn($0 + 1).sqlOrdering
                }
            }
            return isReversed ? try orderings.map { try $0.reversed() } : orderings
        }
    }
}

// MARK: - Text

extension CompoundQuery: SQLQueryNode {
    func writeResolving(
        to context: StatementWriter, commonTables outerTables: CommonTables
    ) throws -> ResolvedQuery? {
        var knownTables = outerTables
        if !commonTables.isEmpty {
            var commonTables = commonTables
            if isFirstMemberApart(in: context) {
                // The first query defines the tables, too.
                for index in commonTables.indices {
                    try commonTables[index].writeQuery(context)
                }
            }
            knownTables = CommonTables()
            try knownTables.define(commonTables, to: context)
        }
        let start = context.position
        let firstQuery = try writeFirstMember(to: context, knownTables)
        let orderings = try ordering.resolve(context.db) {
            try columnCount(
                firstQuery, context.db,
                sql: { "\(knownTables.sql)SELECT * FROM (\(context.sql(from: start)))" })
        }
        let hasEnding = !orderings.isEmpty || limit != nil || isSingleResult
        for (index, (sqlOperator, query)) in others.enumerated() {
            context.append(sql: sqlOperator.rawValue)
            let isBeforeEnding = hasEnding && index == others.count - 1
            _ = try query.writeMember(
                isBeforeEnding ? .beforeEnding : .inside, to: context, knownTables)
        }
        for (index, ordering) in orderings.enumerated() {
            context.append(sql: index > 0 ? ", " : " ORDER BY ")
            try context.append(syntax: [.ordering(ordering)])
        }
        if let limit {
            context.append(sql: " LIMIT \(limit.count)")
            if let offset = limit.offset { context.append(sql: " OFFSET \(offset)") }
        } else if isSingleResult {
            context.append(sql: " LIMIT 1")
        }
        return firstQuery
    }

    /// Returns the number of columns, which is the same for all queries.
    ///
    /// - parameter sql: returns a statement with the columns of the first query.
    private func columnCount(
        _ firstQuery: ResolvedQuery?, _ db: Database, sql: () -> String
    ) throws -> Int {
        if let counts = try? firstQuery?.selectedColumnCounts() { return counts.reduce(0, +) }
        // Only SQLite knows the number.
        return try db.cachedStatementOfCurrentSchema(sql: sql()).columnCount
    }
}

// MARK: - The names of columns

extension CompoundQuery {
    /// Whether the first query is compiled separately, so that SQLite returns the names of its
    /// columns.
    ///
    /// As a subquery, the first query does not determine the names of the columns, because SQLite
    /// makes the column names of a subquery unique. The names don't matter in a query inside of
    /// another query.
    private func isFirstMemberApart(in context: StatementWriter) -> Bool {
        !context.isInSubquery && !first.member.isCompoundMember(.first)
    }

    private func writeFirstMember(
        to context: StatementWriter, _ commonTables: CommonTables
    ) throws -> ResolvedQuery? {
        guard isFirstMemberApart(in: context),
            let query = first.member.defining(commonTables.tables)
        else {
            return try first.writeMember(.first, to: context, commonTables)
        }
        // Compiled separately, because the rest can only be written after SQLite has returned the
        // names.
        var firstQuery: ResolvedQuery?
        let fragment = try context.fragment { context in
            try context.withSubquery {
                firstQuery = try query.writeResolving(to: context, commonTables: commonTables)
            }
        }
        // If the query does not compile, the whole statement fails later.
        let names = (try? context.db.cachedStatement(sql: fragment.sql).columnNames) ?? []
        if Set(names.map { CaseInsensitiveIdentifier($0) }).count == names.count {
            context.append(sql: "SELECT * FROM (")
            try context.append(fragment)
            context.append(sql: ")")
        } else {
            let columns = names.indices.map { "\"column\($0 + 1)\"" }
            let selection = zip(columns, names).map { "\($0) AS \($1.quotedDatabaseIdentifier)" }
                .joined(separator: ", ")
            // Only a common table expression can name all columns.
            let list = columns.joined(separator: ", ")
            context.append(
                sql: "SELECT \(selection) FROM (WITH \"grdb_first\"(\(list)) AS (")
            try context.append(fragment)
            context.append(sql: ") SELECT * FROM grdb_first)")
        }
        return firstQuery
    }
}

// MARK: - Members

extension SQLSubquery {
    /// The query in a form that can be combined with others.
    fileprivate var member: any SQLQueryNode { node.withoutEnd }

    /// Writes a member of a compound query.
    fileprivate func writeMember(
        _ position: CompoundPosition, to context: StatementWriter,
        _ commonTables: CommonTables
    ) throws -> ResolvedQuery? {
        let node = member
        var query: ResolvedQuery?
        func write() throws {
            query = try node.writeResolving(to: context, commonTables: commonTables)
        }
        if node.isCompoundMember(position) {
            // Not as a subquery, which recursive common table expressions don't accept.
            try write()
        } else {
            context.append(sql: "SELECT * FROM (")
            try context.withSubquery(write)
            context.append(sql: ")")
        }
        return query
    }
}

// MARK: - As a member

extension CompoundQuery {
    func defining(_ commonTables: [CommonTable]) -> (any SQLQueryNode)? {
        var query = self
        query.commonTables = commonTables.replaced(by: query.commonTables)
        return query
    }

    func isCompoundMember(_ position: CompoundPosition) -> Bool { position == .first && isOpen }

    var selectsDistinctRows: Bool {
        first.node.selectsDistinctRows || others.contains { $0.query.node.selectsDistinctRows }
    }

    var skipsDistinctRows: Bool { limit?.offset != nil && selectsDistinctRows }

    var hasPrefetches: Bool { first.node.hasPrefetches }
}
