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

    var node: any SQLNode { content.node.unsafelyUnwrapped }

    init(_ node: any SQLNode) {
        content = Content(node)
    }

    /// The limit on the depth of expressions does not look into subqueries, whose conditions may be
    /// closures. So it is here that deep trees are kept from being deallocated by deep recursion.
    ///
    /// `@unchecked Sendable`: the node only changes when there is one reference left.
    private final class Content: @unchecked Sendable {
        private(set) var node: (any SQLNode)?

        init(_ node: any SQLNode) {
            self.node = node
        }

        deinit {
            let level = UInt(bitPattern: Self.level.value)
            if level >= 16 {
                // Freed further up.
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

        /// The number of deallocations that the thread is in, as if it were a pointer.
        private static let level = ThreadLocalPointer()

        private static let pending = Locked<[(any SQLNode)?]>([])
    }
}

extension SQLSubquery: SQLSubqueryable {
    public var sqlSubquery: SQLSubquery { self }
}

extension SQLSubquery: SQLNode {
    func write(to writer: SQLWriter) throws {
        try writer.checkStack()
        try writer.context.withSubquery { try node.write(to: writer) }
    }
}

extension SQLSubqueryable {
    /// The subquery as an expression: the value of the first column of its first row.
    public var sqlExpression: SQLExpression {
        SQLExpression(SubqueryExpression(subquery: sqlSubquery))
    }
}

/// `(SELECT …)`
struct SubqueryExpression: SQLNode {
    let subquery: SQLSubquery

    func write(to writer: SQLWriter) throws {
        writer.append(sql: "(")
        try subquery.write(to: writer)
        writer.append(sql: ")")
    }
}
