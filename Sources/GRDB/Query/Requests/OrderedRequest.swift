/// A request whose rows can be sorted.
public protocol OrderedRequest {
    /// Sorts rows by terms that depend on the database.
    ///
    /// Any previous ordering is replaced.
    func orderWhenConnected(
        _ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]
    ) -> Self

    /// Sorts rows by terms that don't depend on the database.
    ///
    /// It has a default implementation. The requests of this library implement it without a
    /// closure.
    @_documentation(visibility: internal)
    func _order(_ ordering: SQLOrdering, _ others: [SQLOrdering]) -> Self

    /// Reverses the ordering. It has no effect if there is none.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "score" ASC, "name" DESC
    /// let request = Player.order { [$0.score.desc, $0.name] }.reversed()
    /// ```
    func reversed() -> Self

    /// Removes the ordering of the request, and the orderings of the associations that it already
    /// has.
    func unordered() -> Self

    /// Makes the order of rows deterministic: rows that compare equal in the current ordering are
    /// sorted by primary key.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "score", "id"
    /// let request = Player.order(\.score).withStableOrder()
    /// ```
    ///
    /// This includes the rows of the associations that the request already has, joined or
    /// prefetched, at all levels:
    ///
    /// ```swift
    /// // SELECT * FROM "team" ORDER BY "id"
    /// // SELECT *, "teamId" AS "grdb_teamId" FROM "player" WHERE "teamId" IN (1, 2) ORDER BY "id"
    /// let request = Team.including(all: Team.players).withStableOrder()
    /// ```
    func withStableOrder() -> Self
}

extension OrderedRequest {
    @_documentation(visibility: internal)
    public func _order(_ ordering: SQLOrdering, _ others: [SQLOrdering]) -> Self {
        orderWhenConnected { _ in [ordering] + others }
    }
}

extension OrderedRequest {
    /// Sorts rows.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
    /// let request = Player.all().order([Column("score").desc, Column("name")])
    /// ```
    ///
    /// Any previous ordering is replaced.
    ///
    /// SQLite sorts NULL before other values: use `ascNullsLast` to have it at the end. Rows with equal
    /// values come in any order, which may differ between two fetches, unless the last term is unique.
    ///
    /// See <doc:Queries#Sort-and-limit>.
    public func order(_ orderings: [any SQLOrderingTerm]) -> Self {
        guard let first = orderings.first else { return orderWhenConnected { _ in [] } }
        return _order(first.sqlOrdering, orderings.dropFirst().map(\.sqlOrdering))
    }

    /// Sorts rows.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
    /// let request = Player.all().order(Column("score").desc, Column("name"))
    /// ```
    ///
    /// Any previous ordering is replaced.
    ///
    /// See <doc:Queries#Sort-and-limit>.
    public func order(_ orderings: any SQLOrderingTerm...) -> Self {
        order(orderings)
    }

    /// Sorts the rows by terms written in SQL.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY score DESC
    /// let request = Player.all().order(sql: "score DESC")
    /// ```
    public func order(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> Self {
        order(literal: SQL(sql: sql, arguments: arguments))
    }

    /// Sorts rows according to an ``SQL`` literal.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY score DESC
    /// let request = Player.all().order(literal: "score DESC")
    /// ```
    public func order(literal sqlLiteral: SQL) -> Self {
        orderWhenConnected { _ in [sqlLiteral] }
    }
}
