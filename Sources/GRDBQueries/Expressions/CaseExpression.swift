import GRDB

/// A `CASE` SQL expression: the value of the first branch whose condition is true. If there is no
/// such branch, the value of ``else(_:)``, NULL by default.
///
/// ```swift
/// // CASE WHEN "score" >= 1000 THEN 'gold' WHEN "score" >= 500 THEN 'silver' ELSE 'bronze' END
/// let medal = SQLExpression
///     .case(when: Column("score") >= 1000, then: "gold")
///     .when(Column("score") >= 500, then: "silver")
///     .else("bronze")
///
/// // CASE "color" WHEN 'red' THEN 1 WHEN 'blue' THEN 2 END
/// let number = SQLExpression
///     .case(Column("color"), when: "red", then: 1)
///     .when("blue", then: 2)
/// ```
///
/// See <doc:TypedQueries#Choose-a-value-by-a-condition>.
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html#the_case_expression>
public struct CaseExpression: SQLSpecificExpressible, Sendable {
    /// `CASE operand WHEN condition THEN value …`
    private let pieces: [SyntaxPiece]

    fileprivate init(_ pieces: [SyntaxPiece]) {
        self.pieces = pieces
    }

    public var sqlExpression: SQLExpression { SQLExpression(syntax: pieces + [" END"]) }

    /// Adds a branch, which applies if no previous branch does.
    ///
    /// - parameter condition: a condition, or, if the expression has an operand, a value to compare
    ///   the operand with. NULL equals no operand.
    /// - parameter value: the value of the branch.
    public func when(
        _ condition: some SQLExpressible, then value: (any SQLExpressible)?
    ) -> CaseExpression {
        CaseExpression(
            pieces + [
                " WHEN ", .expression(condition.sqlExpression), " THEN ", .expression(value.orNull),
            ])
    }

    /// Sets the value of the expression if no branch applies.
    public func `else`(_ value: (any SQLExpressible)?) -> SQLExpression {
        SQLExpression(syntax: pieces + [" ELSE ", .expression(value.orNull), " END"])
    }
}

extension SQLExpression {
    /// A `CASE` expression with conditions.
    ///
    /// ```swift
    /// // SELECT "name", CASE WHEN "score" >= 1000 THEN 'gold' ELSE 'silver' END AS "medal"
    /// // FROM "player"
    /// Player.select {
    ///     [
    ///         $0.name,
    ///         SQLExpression
    ///             .case(when: $0.score >= 1000, then: "gold")
    ///             .else("silver")
    ///             .forKey("medal"),
    ///     ]
    /// }
    /// ```
    ///
    /// See ``CaseExpression`` for several conditions.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html#the_case_expression>
    ///
    /// - parameter condition: a condition. NULL counts as false.
    /// - parameter value: the value of the expression if the condition is true.
    public static func `case`(
        when condition: some SQLExpressible, then value: (any SQLExpressible)?
    ) -> CaseExpression {
        CaseExpression(["CASE"]).when(condition, then: value)
    }

    /// A `CASE` expression that compares an operand with values.
    ///
    /// ```swift
    /// // CASE "color" WHEN 'red' THEN 1 WHEN 'blue' THEN 2 ELSE 0 END
    /// SQLExpression
    ///     .case(Column("color"), when: "red", then: 1)
    ///     .when("blue", then: 2)
    ///     .else(0)
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html#the_case_expression>
    ///
    /// - parameter operand: an expression, which is computed once.
    /// - parameter comparedValue: a value to compare the operand with. NULL equals no operand.
    /// - parameter value: the value of the expression if both are equal.
    public static func `case`(
        _ operand: some SQLSpecificExpressible, when comparedValue: some SQLExpressible,
        then value: (any SQLExpressible)?
    ) -> CaseExpression {
        CaseExpression(["CASE ", .expression(operand.sqlExpression)])
            .when(comparedValue, then: value)
    }
}
