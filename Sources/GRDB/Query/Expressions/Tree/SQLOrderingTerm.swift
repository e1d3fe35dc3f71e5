/// A type that can sort rows: an expression, or an expression with a direction.
///
/// ```swift
/// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
/// Player.order { [$0.score.desc, $0.name] }
/// ```
///
/// Related SQLite documentation:
/// <https://www.sqlite.org/lang_select.html#the_order_by_clause>
public protocol SQLOrderingTerm {
    /// The SQL ordering.
    var sqlOrdering: SQLOrdering { get }
}

/// An ordering term, as in `ORDER BY term`.
public struct SQLOrdering: Sendable {
    let node: any SQLNode

    init(_ node: any SQLNode) {
        self.node = node
    }

    /// The ordering with reversed directions.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the term is an SQL literal, because
    ///   a literal may contain several terms and directions.
    package func reversed() throws -> SQLOrdering {
        try SQLOrdering(
            node.reversedOrdering() ?? DirectedOrdering(term: node, direction: .descending))
    }

    /// The sorted expression and its direction, for pages; nil for the number of a result column.
    ///
    /// - throws: as `reversed()` does.
    package var directedTerm: (expression: SQLExpression, isDescending: Bool)? {
        get throws {
            _ = try reversed()
            let directed = node as? DirectedOrdering
            let term = directed?.term ?? node
            if term is Keyword { return nil }
            let direction = directed?.direction ?? .ascending
            let isDescending = direction == .descending || direction == .descendingNullsFirst
            return (SQLExpression(term), isDescending)
        }
    }
}

extension SQLOrdering: SQLOrderingTerm {
    public var sqlOrdering: SQLOrdering { self }
}

extension SQLOrdering: SQLFragment {
    func write(to writer: SQLWriter) throws {
        try node.write(to: writer)
    }
}

extension Optional: SQLOrderingTerm where Wrapped: SQLOrderingTerm {
    public var sqlOrdering: SQLOrdering {
        self?.sqlOrdering ?? SQLOrdering(DatabaseValue.null)
    }
}

// MARK: - Directions

extension SQLSpecificExpressible {
    /// Sorts in ascending order: `"score" ASC`.
    public var asc: SQLOrdering { directed(.ascending) }

    /// Sorts in descending order: `"score" DESC`.
    public var desc: SQLOrdering { directed(.descending) }

    /// Sorts in ascending order, with NULL values at the end: `"score" ASC NULLS LAST`.
    public var ascNullsLast: SQLOrdering { directed(.ascendingNullsLast) }

    /// Sorts in descending order, with NULL values at the beginning: `"score" DESC NULLS FIRST`.
    public var descNullsFirst: SQLOrdering { directed(.descendingNullsFirst) }

    private func directed(_ direction: DirectedOrdering.Direction) -> SQLOrdering {
        SQLOrdering(DirectedOrdering(term: sqlExpression.node, direction: direction))
    }
}

/// `expression DESC`
struct DirectedOrdering: SQLNode {
    enum Direction: String {
        case ascending = " ASC"
        case descending = " DESC"
        case ascendingNullsLast = " ASC NULLS LAST"
        case descendingNullsFirst = " DESC NULLS FIRST"

        var reversed: Direction {
            switch self {
            case .ascending: .descending
            case .descending: .ascending
            case .ascendingNullsLast: .descendingNullsFirst
            case .descendingNullsFirst: .ascendingNullsLast
            }
        }
    }

    let term: any SQLNode
    let direction: Direction

    func write(to writer: SQLWriter) throws {
        try term.write(to: writer)
        writer.append(sql: direction.rawValue)
    }

    func reversedOrdering() -> (any SQLNode)? {
        DirectedOrdering(term: term, direction: direction.reversed)
    }

    func mapOrderedTerm(_ transform: (any SQLNode) -> any SQLNode) -> any SQLNode {
        // The direction remains the outermost node, so that it can be reversed.
        DirectedOrdering(term: transform(term), direction: direction)
    }

    var traits: SQLTraits { term.traits.whenInherited }

    var children: [any SQLNode] { [term] }

    var depth: Int { 1 + term.depth }
}
