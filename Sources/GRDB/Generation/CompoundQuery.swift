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
        try first.writeMember(.first, to: context)
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

/// Where a query of a compound one stands.
private enum MemberPosition {
    case first, inside

    /// Before `ORDER BY` or `LIMIT`.
    case beforeEnding
}

extension SQLSubquery {
    /// Writes a query of a compound one.
    fileprivate func writeMember(
        _ position: MemberPosition, to context: SQLGenerationContext
    ) throws {
        let node = (node as? SQL)?.trimmed ?? node
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
    /// The literal without the semicolons and comments at its end.
    fileprivate var trimmed: SQL {
        var elements = elements
        while case .sql(let sql, let arguments) = elements.last {
            let trimmed = SQLText.trimmed(sql)
            elements.removeLast()
            if trimmed.isEmpty, arguments.isEmpty { continue }
            // White space separates the text from what precedes it, and a line break ends a comment.
            let start = sql.first!.isWhitespace && !elements.isEmpty ? " " : ""
            let end = trimmed.contains("--") ? "\n" : ""
            elements.append(.sql(start + trimmed + end, arguments))
            break
        }
        return SQL(elements: elements)
    }

    fileprivate func isCompoundMember(_ position: MemberPosition) -> Bool {
        var text = ""
        for element in elements {
            switch element {
            case .sql(let sql, _):
                text += sql
            case .node(let node):
                if node is SelectQuery || node is CompoundQuery { return false }
                text += "?"
            }
        }
        let words = SQLText.outerWords(text)
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
