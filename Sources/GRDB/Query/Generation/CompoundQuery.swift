/// `SELECT … UNION SELECT … ORDER BY … LIMIT …`
struct CompoundQuery: SQLFragment {
    enum Operator: String, Sendable {
        case union = " UNION "
        case unionAll = " UNION ALL "
        case intersect = " INTERSECT "
        case except = " EXCEPT "
    }

    /// The position of a query in the compound.
    enum Position {
        case first, inside

        /// Before `ORDER BY` or `LIMIT`.
        case beforeEnding
    }

    var first: SQLSubquery

    /// One or more queries. SQLite evaluates them from left to right: no operator binds tighter than
    /// another.
    var others: [(sqlOperator: Operator, query: SQLSubquery)]

    var ordering = Relation.Ordering()
    var limit: Relation.Limit?
    var commonTables: [CommonTable] = []

    /// Whether only the first row matters.
    var isSingleResult = false

    /// Whether another query can be appended.
    var isOpen: Bool { ordering.isEmpty && limit == nil && commonTables.isEmpty }

    func write(to writer: SQLWriter) throws {
        _ = try writeResolving(to: writer.context, commonTables: CommonTables())
    }

    func writeResolving(
        to context: StatementWriter, commonTables outerTables: CommonTables
    ) throws -> ResolvedQuery? {
        var knownTables = outerTables
        if !commonTables.isEmpty {
            var commonTables = commonTables
            if isFirstMemberApart(in: context) {
                // The first query defines the tables, too. Write them once, because their closures
                // must be called only once.
                for index in commonTables.indices {
                    let query = commonTables[index].query
                    commonTables[index].writtenQuery = try context.fragment {
                        try query.write(to: $0)
                    }.written
                }
            }
            let start = context.position
            try commonTables.write(to: context)
            knownTables = CommonTables(tables: commonTables, sql: context.sql(from: start))
        }
        let start = context.position
        let firstQuery = try writeFirstMember(to: context, knownTables)
        let orderings = try ordering.resolve(context.db) {
            let count = try columnCount(
                firstQuery, context.db,
                sql: { "\(knownTables.sql)SELECT * FROM (\(context.sql(from: start)))" })
            return (0..<count).map { SQLExpression.resultColumn($0 + 1) }
        }
        let hasEnding = !orderings.isEmpty || limit != nil || isSingleResult
        for (index, (sqlOperator, query)) in others.enumerated() {
            context.append(sql: sqlOperator.rawValue)
            let isBeforeEnding = hasEnding && index == others.count - 1
            _ = try query.writeMember(
                isBeforeEnding ? .beforeEnding : .inside, to: context, knownTables)
        }
        if !orderings.isEmpty {
            context.append(sql: " ORDER BY ")
            try context.append(list: orderings)
        }
        if let limit {
            limit.write(to: context)
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
            let columns = names.indices.map { "column\($0 + 1)" }
            context.append(sql: "SELECT ")
            try context.append(
                list: zip(columns, names).map { column, name in Column(column).forKey(name) })
            // Only a common table expression can name all columns.
            let list = columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
            context.append(sql: " FROM (WITH \"grdb_first\"(\(list)) AS (")
            try context.append(fragment)
            context.append(sql: ") SELECT * FROM grdb_first)")
        }
        return firstQuery
    }
}

extension Relation {
    /// Returns the relation with additional common table expressions.
    func defining(_ commonTables: [CommonTable]) -> Relation {
        with { $0.commonTables = commonTables.replaced(by: $0.commonTables) }
    }
}

extension [CommonTable] {
    /// The common table expressions, except those shadowed by `others`.
    fileprivate func replaced(by others: [CommonTable]) -> [CommonTable] {
        filter { table in !others.contains { ASCIICase.equal($0.name, table.name) } } + others
    }
}

// MARK: - Members

extension SQLSubquery {
    /// The query in a form that can be combined with others.
    fileprivate var member: any SQLQueryNode { node.withoutEnd }

    /// Writes a member of a compound query.
    fileprivate func writeMember(
        _ position: CompoundQuery.Position, to context: StatementWriter,
        _ commonTables: CommonTables
    ) throws -> ResolvedQuery? {
        let node = member
        var query: ResolvedQuery?
        func write() throws {
            query = try node.writeResolving(to: context, commonTables: commonTables)
        }
        if node.isCompoundMember(position) {
            // Not as a subquery, which recursive common table expressions don't accept.
            try context.withQualifier(nil, write)
        } else {
            context.append(sql: "SELECT * FROM (")
            try context.checkStack()
            try context.withSubquery(write)
            context.append(sql: ")")
        }
        return query
    }
}

extension SelectQuery: SQLQueryNode {
    func defining(_ commonTables: [CommonTable]) -> (any SQLQueryNode)? {
        SelectQuery(relation: relation.defining(commonTables))
    }

    func isCompoundMember(_ position: CompoundQuery.Position) -> Bool { relation.isCompoundMember }

    var selectsDistinctRows: Bool { relation.isDistinct }

    var skipsDistinctRows: Bool { relation.isDistinct && relation.limit?.offset != nil }

    var hasPrefetches: Bool { relation.hasPrefetches }
}

extension Relation {
    fileprivate var isCompoundMember: Bool { limit == nil && isPlain }

    /// Whether neither the relation nor a joined one has an order, or defines common tables.
    private var isPlain: Bool {
        ordering.isEmpty && commonTables.isEmpty && joins.allSatisfy(\.relation.isPlain)
    }
}

extension CompoundQuery: SQLQueryNode {
    func defining(_ commonTables: [CommonTable]) -> (any SQLQueryNode)? {
        var query = self
        query.commonTables = commonTables.replaced(by: query.commonTables)
        return query
    }

    func isCompoundMember(_ position: Position) -> Bool { position == .first && isOpen }

    var openCompoundQuery: CompoundQuery? { isOpen ? self : nil }

    var selectsDistinctRows: Bool {
        first.node.selectsDistinctRows || others.contains { $0.query.node.selectsDistinctRows }
    }

    var skipsDistinctRows: Bool { limit?.offset != nil && selectsDistinctRows }

    var hasPrefetches: Bool { first.node.hasPrefetches }
}

extension SQL: SQLQueryNode {
    /// The literal without the semicolons at its end, and the comments after them.
    var withoutEnd: any SQLQueryNode {
        var pieces = pieces.array
        while case .text(let sql, let arguments) = pieces.last {
            let trimmed = SQLText.withoutEnd(sql)
            pieces.removeLast()
            if trimmed.isEmpty, arguments.isEmpty { continue }
            // White space separates the text from the previous piece, and a line break ends a
            // comment.
            let start = sql.first!.isWhitespace && !pieces.isEmpty ? " " : ""
            let end = trimmed.contains("--") ? "\n" : ""
            pieces.append(.text(start + trimmed + end, arguments))
            break
        }
        return SQL(pieces: pieces)
    }

    func defining(_ commonTables: [CommonTable]) -> (any SQLQueryNode)? {
        commonTables.isEmpty ? self : nil
    }

    func writeResolving(
        to context: StatementWriter, commonTables: CommonTables
    ) throws -> ResolvedQuery? {
        try write(to: context)
        return nil
    }

    var selectsDistinctRows: Bool { words.contains("DISTINCT") }

    var skipsDistinctRows: Bool {
        let words = words
        return words.contains("LIMIT") && words.contains("DISTINCT")
    }

    /// The unquoted words outside of parentheses, in upper case.
    private var words: [String] {
        let texts = pieces.array.map { piece in
            switch piece {
            case .text(let sql, _): sql
            case .node: "?"
            }
        }
        return SQLText.outerWords(texts.joined())
    }

    func isCompoundMember(_ position: CompoundQuery.Position) -> Bool {
        // The end of a query inside of the literal is not known.
        for case .node(let node) in pieces where node is EmbeddedQuery { return false }
        let words = words
        if words.first == "WITH" { return false }
        // ORDER BY and LIMIT belong to the SELECT before them: SQLite does not accept them after
        // VALUES.
        if words.first == "VALUES", position == .beforeEnding { return false }
        return !words.contains { word in
            switch word {
            case "ORDER", "LIMIT": true
            case "UNION", "INTERSECT", "EXCEPT": position != .first
            default: false
            }
        }
    }
}

/// `SELECT COUNT(*) FROM (SELECT … UNION SELECT …)`
struct CompoundCount: SQLFragment {
    let query: CompoundQuery

    func write(to writer: SQLWriter) throws {
        writer.append(sql: "SELECT COUNT(*) FROM (")
        try SQLSubquery(query).write(to: writer)
        writer.append(sql: ")")
    }
}
