/// A request whose rows can be filtered.
public protocol FilteredRequest {
    /// Filters rows with a condition, once the database is known.
    ///
    /// Conditions add up: all must be met.
    func filterWhenConnected(
        _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
    ) -> Self

    /// Filters rows with a condition that does not need the database.
    ///
    /// Has a default implementation. Requests of this library spare the closure.
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
    /// Filters rows with a condition.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "name" = 'Arthur'
    /// let request = Player.all().filter(Column("name") == "Arthur")
    /// ```
    ///
    /// Conditions add up: all must be met.
    public func filter(_ predicate: any SQLSpecificExpressible) -> Self {
        _filter(predicate.sqlExpression)
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
        _filter(false.sqlExpression)
    }
}
