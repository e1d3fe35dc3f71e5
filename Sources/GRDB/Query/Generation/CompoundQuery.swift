/// `SELECT … UNION SELECT … ORDER BY … LIMIT …`
struct CompoundQuery: SQLNode {
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

    var ordering = Relation.Ordering()
    var limit: Relation.Limit?
    var commonTables: [CommonTable] = []

    /// Whether only the first row matters.
    var isSingleResult = false

    /// Whether another query can be appended.
    var isOpen: Bool { ordering.terms.isEmpty && limit == nil && commonTables.isEmpty }

    func write(to writer: SQLWriter) throws {
        let context = writer.context
        try commonTables.write(to: context)
        let orderings = try ordering.resolve(context.db, stableTerms: { [] })
        let hasEnding = !orderings.isEmpty || limit != nil || isSingleResult
        if let names = repeatedNames(context) {
            try first.writeMember(naming: names, to: context)
        } else {
            try first.writeMember(.first, to: context)
        }
        for (index, (sqlOperator, query)) in others.enumerated() {
            context.append(sql: sqlOperator.rawValue)
            let isBeforeEnding = hasEnding && index == others.count - 1
            try query.writeMember(isBeforeEnding ? .beforeEnding : .inside, to: context)
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
    }
}

// MARK: - The names of columns

extension CompoundQuery {
    /// The names of the columns of the first query, if it must be a subquery, which would change
    /// them: SQLite makes the columns of a subquery have different names. Nil if they differ anyway.
    private func repeatedNames(_ context: SQLGenerationContext) -> [String]? {
        // The names of columns don't show in a query inside of another one, which may not even
        // compile alone.
        guard !context.isInSubquery, !first.member.isCompoundMember(.first),
            let query = first.member.defining(commonTables),
            let names = try? context.db.cachedStatement(query).columnNames
        else { return nil }
        let differentNames = Set(names.map { CaseInsensitiveIdentifier($0) })
        return differentNames.count == names.count ? nil : names
    }
}

extension SQLNode {
    /// The query, which may use the common table expressions; nil if it can't.
    fileprivate func defining(_ commonTables: [CommonTable]) -> (any SQLNode)? {
        switch self {
        case let query as SelectQuery:
            return SelectQuery(relation: query.relation.defining(commonTables))
        case var query as CompoundQuery:
            query.commonTables = commonTables.replaced(by: query.commonTables)
            return query
        default:
            return commonTables.isEmpty ? self : nil
        }
    }
}

extension Relation {
    /// The relation, which may use the common table expressions.
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

/// Where a query of a compound one stands.
private enum MemberPosition {
    case first, inside

    /// Before `ORDER BY` or `LIMIT`.
    case beforeEnding
}

extension SQLSubquery {
    /// The query, as it can stand next to others.
    fileprivate var member: any SQLNode { (node as? SQL)?.trimmed ?? node }

    /// Writes the first query of a compound one as a subquery, and names its columns.
    fileprivate func writeMember(
        naming names: [String], to context: SQLGenerationContext
    ) throws {
        let columns = names.indices.map { "column\($0 + 1)" }
        context.append(sql: "SELECT ")
        try context.append(
            list: zip(columns, names).map { column, name in Column(column).forKey(name) })
        // Only a common table expression names all columns.
        context.append(sql: " FROM (WITH ")
        try CommonTable(
            name: "grdb_first", columns: columns, isRecursive: false, materialization: nil,
            query: SQLSubquery(member)
        ).write(to: context)
        context.append(sql: " SELECT * FROM grdb_first)")
    }

    /// Writes a query of a compound one.
    fileprivate func writeMember(
        _ position: MemberPosition, to context: SQLGenerationContext
    ) throws {
        let node = member
        if node.isCompoundMember(position) {
            // Not as a subquery: recursive common table expressions accept none.
            try context.withQualifier(nil) { try node.write(to: context) }
        } else {
            context.append(sql: "SELECT * FROM (")
            try SQLSubquery(node).write(to: context)
            context.append(sql: ")")
        }
    }
}

extension SQLNode {
    /// Whether the query can stand next to the operator of a compound query: it has no order, no
    /// limit, and defines no common table; nor is it compound, unless it comes first; nor a list of
    /// values, if an order or a limit follows.
    fileprivate func isCompoundMember(_ position: MemberPosition) -> Bool {
        switch self {
        case let query as SelectQuery:
            query.relation.isCompoundMember
        case let query as CompoundQuery:
            position == .first && query.isOpen
        case let literal as SQL:
            literal.isCompoundMember(position)
        default:
            false
        }
    }
}

extension Relation {
    fileprivate var isCompoundMember: Bool { limit == nil && isPlain }

    /// Whether nothing, joined relations included, has an order, or defines common tables.
    private var isPlain: Bool {
        ordering.terms.isEmpty && commonTables.isEmpty && joins.allSatisfy(\.relation.isPlain)
    }
}

extension SQL {
    /// The literal without the semicolons at its end, and the comments after them.
    fileprivate var trimmed: SQL {
        var pieces = pieces.array
        while case .text(let sql, let arguments) = pieces.last {
            let trimmed = SQLText.withoutEnd(sql)
            pieces.removeLast()
            if trimmed.isEmpty, arguments.isEmpty { continue }
            // White space separates the text from what precedes it, and a line break ends a comment.
            let start = sql.first!.isWhitespace && !pieces.isEmpty ? " " : ""
            let end = trimmed.contains("--") ? "\n" : ""
            pieces.append(.text(start + trimmed + end, arguments))
            break
        }
        return SQL(pieces: pieces)
    }

    /// The unquoted words outside of parentheses, in upper case.
    var words: [String] {
        let texts = pieces.map { piece in
            switch piece {
            case .text(let sql, _): sql
            case .node: "?"
            }
        }
        return SQLText.outerWords(texts.joined())
    }

    fileprivate func isCompoundMember(_ position: MemberPosition) -> Bool {
        // Nobody knows how a query inside of the literal ends.
        for case .node(let node) in pieces where node is EmbeddedQuery { return false }
        let words = words
        if words.first == "WITH" { return false }
        // ORDER BY and LIMIT belong to the SELECT before them: SQLite accepts none after VALUES.
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
struct CompoundCount: SQLNode {
    let query: CompoundQuery

    func write(to writer: SQLWriter) throws {
        writer.append(sql: "SELECT COUNT(*) FROM (")
        try SQLSubquery(query).write(to: writer)
        writer.append(sql: ")")
    }
}
