/// A type that can be used as a subquery: a request, or an SQL literal that selects rows.
///
/// ```swift
/// // SELECT * FROM "player" WHERE "score" = (SELECT MAX("score") FROM "player")
/// let maximumScore = Player.select { max($0.score) }
/// Player.filter { $0.score == maximumScore }
///
/// // SELECT * FROM "player" WHERE "teamId" IN (SELECT "id" FROM "team" WHERE "color" = 'red')
/// let redTeams = Team.filter { $0.color == "red" }.select(\.id)
/// Player.filter { redTeams.contains($0.teamId) }
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html#subq>
public protocol SQLSubqueryable: SQLSpecificExpressible {
    /// The SQL subquery.
    var sqlSubquery: SQLSubquery { get }
}

/// A subquery, without its parentheses.
public struct SQLSubquery: Sendable {
    private let content: Content

    package var node: any SQLQueryNode { content.node.unsafelyUnwrapped }

    package init(_ node: any SQLQueryNode) {
        content = Content(node)
    }

    /// The limit on the depth of expressions does not include subqueries, whose conditions may be
    /// closures. This object therefore deallocates deep trees without deep recursion.
    ///
    /// `@unchecked Sendable`: the node changes only when a single reference is left.
    private final class Content: @unchecked Sendable {
        private(set) var node: (any SQLQueryNode)?

        init(_ node: any SQLQueryNode) {
            self.node = node
        }

        deinit {
            let level = UInt(bitPattern: Self.level.value)
            if level >= 16 {
                // A deallocation further up the stack frees the node.
                Self.pending.withLock { $0.append(node) }
                return
            }
            Self.level.value = UnsafeMutableRawPointer(bitPattern: level + 1)
            node = nil
            if level == 0 {
                while let next = Self.pending.withLock({ $0.popLast() }) { _ = next }
            }
            Self.level.value = UnsafeMutableRawPointer(bitPattern: level)
        }

        /// The depth of nested deallocations on the current thread, stored as a pointer.
        private static let level = ThreadLocalPointer()

        private static let pending = Locked<[(any SQLQueryNode)?]>([])
    }
}

extension SQLSubquery: SQLSubqueryable {
    public var sqlSubquery: SQLSubquery { self }
}

extension SQLSubquery: SQLFragment {
    func write(to writer: SQLWriter) throws {
        try writer.context.withSubquery { try node.write(to: writer) }
    }
}

extension SQLSubqueryable {
    /// The subquery as an expression: the first column of its first row.
    public var sqlExpression: SQLExpression {
        SQLExpression(SubqueryExpression(subquery: sqlSubquery))
    }
}

/// `(SELECT …)`
struct SubqueryExpression: SQLLeaf {
    let subquery: SQLSubquery

    var traits: SQLTraits { [] }

    func write(to writer: SQLWriter) throws {
        writer.append(sql: "(")
        try subquery.write(to: writer)
        writer.append(sql: ")")
    }
}
