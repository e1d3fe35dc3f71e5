import GRDB

// Typed columns, with requests that select values of the same type.
//
// Requests that select values of another type don't compile. The overloads for untyped expressions
// would accept such requests. To prevent this, each method has two additional, equally ranked
// overloads for requests of any type. If no overload for the right type fits, the call is ambiguous
// and does not compile.
//
// There are no comparison operators in this file: with more overloads of `==`, the compiler can't
// type-check ordinary conditions in reasonable time.

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

    /// Assigns the value that a request selects, and which may be NULL. If it is NULL and the
    /// column is `NOT NULL`, the statement fails.
    public func set(to subquery: some FetchRequest<Value?>) -> ColumnAssignment
    where Value: DatabaseValueConvertible {
        column.set(to: subquery.sqlExpression)
    }

    /// Makes assigning values of another type ambiguous, so that it does not compile.
    public func set<R: FetchRequest>(to subquery: R) -> ColumnAssignment
    where R.RowDecoder: DatabaseValueConvertible {
        column.set(to: subquery.sqlExpression)
    }

    /// Makes assigning values of another type ambiguous, so that it does not compile.
    public func set<Other: DatabaseValueConvertible>(
        to subquery: some FetchRequest<Other>
    ) -> ColumnAssignment {
        column.set(to: subquery.sqlExpression)
    }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible {
    /// Returns the condition that an expression is among the selected values: `IN`.
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

    /// Returns the condition that an expression that may be NULL is among the selected values:
    /// `IN`.
    public func contains(_ element: some TypedExpressible<RowDecoder?>) -> SQLExpression {
        contains(element.untyped)
    }

    /// Returns the condition that an expression is among the selected values, which may be NULL:
    /// `IN`.
    public func contains<Wrapped>(_ element: some TypedExpressible<Wrapped>) -> SQLExpression
    where RowDecoder == Wrapped? {
        contains(element.untyped)
    }

    /// Makes searching for values of another type ambiguous, so that it does not compile.
    public func contains<Element: TypedExpressible>(_ element: Element) -> SQLExpression {
        contains(element.untyped)
    }

    /// Makes searching for values of another type ambiguous, so that it does not compile.
    public func contains<Other>(_ element: some TypedExpressible<Other>) -> SQLExpression {
        contains(element.untyped)
    }
}
