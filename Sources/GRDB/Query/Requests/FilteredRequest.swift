/// A request whose rows can be filtered.
public protocol FilteredRequest {
    /// Filters rows with a condition, once the database is known.
    ///
    /// Conditions add up: all must be met.
    func filterWhenConnected(
        _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
    ) -> Self
}

extension FilteredRequest {
    /// Filters rows with a condition.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "name" = 'Arthur'
    /// let request = Player.all().filter(Column("name") == "Arthur")
    /// ```
    ///
    /// Conditions add up: all must be met.
    public func filter(_ predicate: any SQLSpecificExpressible) -> Self {
        let predicate = predicate.sqlExpression
        return filterWhenConnected { _ in predicate }
    }

    /// Filters rows with an SQL string, and optional arguments.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE name = 'Arthur'
    /// let request = Player.all().filter(sql: "name = ?", arguments: ["Arthur"])
    /// ```
    public func filter(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> Self {
        filter(literal: SQL(sql: sql, arguments: arguments))
    }

    /// Filters rows with an ``SQL`` literal.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE name = 'Arthur'
    /// let request = Player.all().filter(literal: "name = \("Arthur")")
    /// ```
    public func filter(literal sqlLiteral: SQL) -> Self {
        filter(sqlLiteral.sqlExpression)
    }

    /// Returns the request itself. It makes it possible to write `.all()` on any request.
    public func all() -> Self { self }

    /// Adds a condition that no row meets.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE 0
    /// let request = Player.none()
    /// ```
    public func none() -> Self {
        filterWhenConnected { _ in false }
    }
}
