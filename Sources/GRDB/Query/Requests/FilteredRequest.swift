/// A request whose rows can be filtered.
public protocol FilteredRequest {
    /// Filters rows with a condition that depends on the database.
    ///
    /// Multiple conditions are combined with `AND`.
    func filterWhenConnected(
        _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
    ) -> Self

    /// Filters rows with a condition that does not depend on the database.
    ///
    /// It has a default implementation. The requests of this library implement it without a
    /// closure.
    @_documentation(visibility: internal)
    func _filter(_ condition: SQLExpression) -> Self
}

extension FilteredRequest {
    @_documentation(visibility: internal)
    public func _filter(_ condition: SQLExpression) -> Self {
        filterWhenConnected { _ in condition }
    }
}

extension FilteredRequest {
    /// Keeps the rows that meet a condition.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "name" = 'Arthur'
    /// let request = Player.all().filter(Column("name") == "Arthur")
    /// ```
    ///
    /// Several calls are combined with `AND`, so a function can add its own condition to any
    /// request. Rows for which the condition is NULL are left out: a comparison with NULL is neither
    /// true nor false.
    ///
    /// In an association, the condition is a part of the join: see
    /// <doc:JoinedRequests#Filter-by-the-other-table>. See <doc:Queries#Operators> for the operators
    /// of conditions.
    public func filter(_ predicate: any SQLSpecificExpressible) -> Self {
        _filter(predicate.sqlExpression)
    }

    /// Keeps the rows that meet a condition, written in SQL.
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

    /// Returns the request itself, so that `.all()` can be called on any request.
    public func all() -> Self { self }

    /// Adds a condition that no row satisfies.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE 0
    /// let request = Player.none()
    /// ```
    public func none() -> Self {
        _filter(false.sqlExpression)
    }
}
