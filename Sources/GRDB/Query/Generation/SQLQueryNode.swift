/// A node that is a whole query.
///
/// GRDBQueries defines the only one outside of this module, which combines others, as in
/// `SELECT … UNION SELECT …`.
package protocol SQLQueryNode: Sendable {
    /// Writes the query, after the given common table expressions have been written.
    ///
    /// - returns: the query that returns the first rows, if its columns are known.
    func writeResolving(
        to context: StatementWriter, commonTables: CommonTables
    ) throws -> ResolvedQuery?

    /// Whether the query begins with an offset in distinct rows. Such an offset skips the right
    /// rows only if duplicates are removed.
    var skipsDistinctRows: Bool { get }

    // MARK: What queries that combine others ask their members

    /// The query without the clauses that are only allowed at the end of a statement.
    var withoutEnd: any SQLQueryNode { get }

    /// The query with access to the common table expressions; nil if the query does not support
    /// them.
    func defining(_ commonTables: [CommonTable]) -> (any SQLQueryNode)?

    /// Whether the query can be an operand of a compound query. Such a query has no order and no
    /// limit, and defines no common table. It is not compound, unless it comes first, and not a
    /// list of values if an order or a limit follows.
    func isCompoundMember(_ position: CompoundPosition) -> Bool

    /// Whether the query, or one of its members, selects distinct rows.
    var selectsDistinctRows: Bool { get }

    /// Whether associated rows are fetched after the rows of the query.
    var hasPrefetches: Bool { get }
}

/// The position of a query in a compound query.
package enum CompoundPosition {
    case first, inside

    /// Before `ORDER BY` or `LIMIT`.
    case beforeEnding
}

extension SQLQueryNode {
    func write(to writer: SQLWriter) throws {
        _ = try writeResolving(to: writer.context, commonTables: CommonTables())
    }

    package var withoutEnd: any SQLQueryNode { self }

    package var hasPrefetches: Bool { false }
}

extension SelectQuery: SQLQueryNode {
    func writeResolving(
        to context: StatementWriter, commonTables: CommonTables
    ) throws -> ResolvedQuery? {
        let query = try ResolvedQuery(relation, context.db)
        query.isSingleResult = isSingleResult
        query.commonTables = commonTables
        try query.write(to: context)
        return query
    }

    func defining(_ commonTables: [CommonTable]) -> (any SQLQueryNode)? {
        SelectQuery(
            relation: relation.with {
                $0.commonTables = commonTables.replaced(by: $0.commonTables)
            })
    }

    func isCompoundMember(_ position: CompoundPosition) -> Bool {
        relation.limit == nil && relation.isPlain
    }

    var selectsDistinctRows: Bool { relation.isDistinct }

    var skipsDistinctRows: Bool { relation.skipsDistinctRows }

    var hasPrefetches: Bool { relation.hasPrefetches }
}

extension Relation {
    /// Whether neither the relation nor a joined one has an order, or defines common tables.
    fileprivate var isPlain: Bool {
        ordering.isEmpty && commonTables.isEmpty && joins.allSatisfy(\.relation.isPlain)
    }

    /// See ``SQLQueryNode/skipsDistinctRows``.
    var skipsDistinctRows: Bool { isDistinct && limit?.offset != nil }
}

extension SQL: SQLQueryNode {
    /// The literal without the semicolons at its end, and the comments after them.
    package var withoutEnd: any SQLQueryNode {
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

    package func defining(_ commonTables: [CommonTable]) -> (any SQLQueryNode)? {
        commonTables.isEmpty ? self : nil
    }

    package func writeResolving(
        to context: StatementWriter, commonTables: CommonTables
    ) throws -> ResolvedQuery? {
        try write(to: context)
        return nil
    }

    package var selectsDistinctRows: Bool { words.contains("DISTINCT") }

    package var skipsDistinctRows: Bool {
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

    package func isCompoundMember(_ position: CompoundPosition) -> Bool {
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
