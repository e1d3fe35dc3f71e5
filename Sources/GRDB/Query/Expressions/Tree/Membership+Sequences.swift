// `IN`, `BETWEEN` and `EXISTS`.

extension Sequence where Element: SQLExpressible {
    /// Whether an expression is an element of the sequence: `IN`.
    ///
    /// ```swift
    /// // "id" IN (1, 2, 3)
    /// [1, 2, 3].contains(Column("id"))
    /// ```
    ///
    /// The number of values is not limited. Many values are bound as a single argument, so that the
    /// same prepared statement can be reused for any number of values.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html#in_op>
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        .membership(of: element.sqlExpression, in: map { $0.sqlExpression })
    }
}

extension Sequence where Element == any SQLExpressible {
    /// Whether an expression is an element of the sequence: `IN`.
    ///
    /// ```swift
    /// // "name" IN ("nickname", 'Arthur')
    /// let names: [any SQLExpressible] = [Column("nickname"), "Arthur"]
    /// names.contains(Column("name"))
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html#in_op>
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        .membership(of: element.sqlExpression, in: map { $0.sqlExpression })
    }
}

extension SQLExpression {
    /// `operand IN (…)`
    static func membership(
        of operand: SQLExpression, in expressions: [SQLExpression]
    ) -> SQLExpression {
        switch expressions.count {
        case 0: SQLExpression(false.databaseValue)
        case 1: .binary(operand, .equal, expressions[0])
        default: SQLExpression(Membership(operand: operand, list: .expressions(expressions)))
        }
    }
}

extension ClosedRange where Bound: SQLExpressible {
    /// Whether an expression is in the range: `BETWEEN`.
    ///
    /// ```swift
    /// // "score" BETWEEN 0 AND 1000
    /// (0...1000).contains(Column("score"))
    /// ```
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(
            Between(
                operand: element.sqlExpression, lowerBound: lowerBound.sqlExpression,
                upperBound: upperBound.sqlExpression))
    }
}

extension Range where Bound: SQLExpressible {
    /// Whether an expression is in the range.
    ///
    /// ```swift
    /// // ("score" >= 0) AND ("score" < 1000)
    /// (0..<1000).contains(Column("score"))
    /// ```
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        element >= lowerBound && element < upperBound
    }
}

extension PartialRangeFrom where Bound: SQLExpressible {
    /// Whether an expression is in the range.
    ///
    /// ```swift
    /// // "score" >= 1000
    /// (1000...).contains(Column("score"))
    /// ```
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        element >= lowerBound
    }
}

extension PartialRangeThrough where Bound: SQLExpressible {
    /// Whether an expression is in the range.
    ///
    /// ```swift
    /// // "score" <= 1000
    /// (...1000).contains(Column("score"))
    /// ```
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        element <= upperBound
    }
}

extension PartialRangeUpTo where Bound: SQLExpressible {
    /// Whether an expression is in the range.
    ///
    /// ```swift
    /// // "score" < 1000
    /// (..<1000).contains(Column("score"))
    /// ```
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        element < upperBound
    }
}

extension SQLSubqueryable {
    /// Whether an expression is among the rows of the subquery: `IN`.
    ///
    /// ```swift
    /// // "teamId" IN (SELECT "id" FROM "team" WHERE "color" = 'red')
    /// let redTeams = Team.filter { $0.color == "red" }.select(\.id)
    /// redTeams.contains(Column("teamId"))
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html#in_op>
    public func contains(_ element: some SQLExpressible) -> SQLExpression {
        SQLExpression(
            Membership(operand: element.sqlExpression, list: .subquery(sqlSubquery)))
    }

    /// Whether the subquery has rows: `EXISTS`.
    ///
    /// ```swift
    /// // SELECT * FROM "team"
    /// // WHERE EXISTS (SELECT * FROM "player" WHERE "teamId" = "team"."id")
    /// let teamAlias = TableAlias<Team>()
    /// let player = Player.filter { $0.teamId == teamAlias.id }
    /// let teams = Team.aliased(teamAlias).filter(player.exists())
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html#exists_op>
    public func exists() -> SQLExpression {
        SQLExpression(Existence(subquery: sqlSubquery))
    }
}
