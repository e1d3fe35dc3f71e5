// Typed columns, and the requests that select values of their type.
//
// Requests that select values of another type are refused. Such a request is also a selection whose
// type is not known, and would be accepted as one. So each method has two more overloads for
// requests of any values, neither of them better than the other: where no overload for the right
// type fits, the call is ambiguous, and does not compile.
//
// There are no comparison operators here: with more overloads of `==`, the compiler gives up on
// ordinary conditions.

extension TypedColumn {
    /// Assigns the value that a request selects.
    ///
    /// ```swift
    /// // UPDATE "player" SET "score" = (SELECT MAX("score") FROM "player")
    /// let maximumScore = Player.select { max($0.score) }
    /// try Player.updateAll(db) { $0.score.set(to: maximumScore) }
    /// ```
    ///
    /// The value is NULL if the request has no rows.
    public func set(to subquery: some FetchRequest<Value>) -> ColumnAssignment
    where Value: DatabaseValueConvertible {
        column.set(to: subquery.sqlExpression)
    }

    /// Assigns the value that a request selects to a column that may be NULL.
    public func set<Wrapped: DatabaseValueConvertible>(
        to subquery: some FetchRequest<Wrapped>
    ) -> ColumnAssignment where Value == Wrapped? {
        column.set(to: subquery.sqlExpression)
    }

    /// Assigns the value that a request selects, and which may be NULL. The assignment throws where
    /// it is, if the column is `NOT NULL`.
    public func set(to subquery: some FetchRequest<Value?>) -> ColumnAssignment
    where Value: DatabaseValueConvertible {
        column.set(to: subquery.sqlExpression)
    }

    /// Makes the assignment of values of another type ambiguous.
    public func set<R: FetchRequest>(to subquery: R) -> ColumnAssignment
    where R.RowDecoder: DatabaseValueConvertible {
        column.set(to: subquery.sqlExpression)
    }

    /// Makes the assignment of values of another type ambiguous.
    public func set<Other: DatabaseValueConvertible>(
        to subquery: some FetchRequest<Other>
    ) -> ColumnAssignment {
        column.set(to: subquery.sqlExpression)
    }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible {
    /// Whether an expression is among the selected values: `IN`.
    ///
    /// ```swift
    /// // "teamId" IN (SELECT "id" FROM "team" WHERE "color" = 'red')
    /// let redTeams = Team.filter { $0.color == "red" }.select(\.id)
    /// redTeams.contains(Player.Columns.teamId)
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html#in_op>
    public func contains(_ element: some TypedExpressible<RowDecoder>) -> SQLExpression {
        contains(element.untyped)
    }

    /// Whether an expression that may be NULL is among the selected values: `IN`.
    public func contains(_ element: some TypedExpressible<RowDecoder?>) -> SQLExpression {
        contains(element.untyped)
    }

    /// Whether an expression is among the selected values, which may be NULL: `IN`.
    public func contains<Wrapped>(_ element: some TypedExpressible<Wrapped>) -> SQLExpression
    where RowDecoder == Wrapped? {
        contains(element.untyped)
    }

    /// Makes the search for a value of another type ambiguous.
    public func contains<Element: TypedExpressible>(_ element: Element) -> SQLExpression {
        contains(element.untyped)
    }

    /// Makes the search for a value of another type ambiguous.
    public func contains<Other>(_ element: some TypedExpressible<Other>) -> SQLExpression {
        contains(element.untyped)
    }
}
