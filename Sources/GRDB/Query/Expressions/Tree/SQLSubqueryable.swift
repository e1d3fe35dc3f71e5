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
    let node: any SQLNode

    init(_ node: any SQLNode) {
        self.node = node
    }
}

extension SQLSubquery: SQLSubqueryable {
    public var sqlSubquery: SQLSubquery { self }
}

extension SQLSubquery: SQLNode {
    func write(to writer: SQLWriter) throws {
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
