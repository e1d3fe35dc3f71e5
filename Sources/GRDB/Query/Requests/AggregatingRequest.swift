/// A request whose rows can be grouped.
public protocol AggregatingRequest {
    /// Groups rows by expressions that depend on the database.
    ///
    /// Any previous grouping is replaced.
    func groupWhenConnected(
        _ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]
    ) -> Self

    /// Filters groups with a condition that depends on the database.
    ///
    /// Multiple conditions are combined with `AND`.
    func havingWhenConnected(
        _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
    ) -> Self
}

extension AggregatingRequest {
    /// Groups rows by the given expressions.
    ///
    /// ```swift
    /// // SELECT "team", MAX("score") FROM "player" GROUP BY "team"
    /// let request = Player
    ///     .select(Column("team"), max(Column("score")))
    ///     .group([Column("team")])
    /// ```
    ///
    /// Any previous grouping is replaced.
    public func group(_ expressions: [any SQLExpressible]) -> Self {
        let expressions = expressions.map { $0.sqlExpression }
        return groupWhenConnected { _ in expressions }
    }

    /// Groups rows by the given expressions.
    ///
    /// ```swift
    /// // SELECT "team", MAX("score") FROM "player" GROUP BY "team"
    /// let request = Player
    ///     .select(Column("team"), max(Column("score")))
    ///     .group(Column("team"))
    /// ```
    ///
    /// Any previous grouping is replaced.
    public func group(_ expressions: any SQLExpressible...) -> Self {
        group(expressions)
    }

    /// Groups the rows by terms written in SQL.
    public func group(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> Self {
        group(literal: SQL(sql: sql, arguments: arguments))
    }

    /// Groups rows by an ``SQL`` literal.
    public func group(literal sqlLiteral: SQL) -> Self {
        groupWhenConnected { _ in [sqlLiteral] }
    }

    /// Filters groups with a condition.
    ///
    /// ```swift
    /// // SELECT "team", MAX("score") FROM "player" GROUP BY "team" HAVING MAX("score") > 1000
    /// let request = Player
    ///     .select(Column("team"), max(Column("score")))
    ///     .group(Column("team"))
    ///     .having(max(Column("score")) > 1000)
    /// ```
    ///
    /// Multiple conditions are combined with `AND`.
    public func having(_ predicate: any SQLExpressible) -> Self {
        let predicate = predicate.sqlExpression
        return havingWhenConnected { _ in predicate }
    }

    /// Keeps the groups that meet a condition, written in SQL.
    public func having(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> Self {
        having(literal: SQL(sql: sql, arguments: arguments))
    }

    /// Filters groups with an ``SQL`` literal.
    public func having(literal sqlLiteral: SQL) -> Self {
        having(sqlLiteral)
    }
}
