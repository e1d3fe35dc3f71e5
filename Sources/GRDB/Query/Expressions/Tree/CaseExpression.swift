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
/// See [Choose a value by a condition](/documentation/grdbqueries/typedqueries#Choose-a-value-by-a-condition).
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html#the_case_expression>
public struct CaseExpression: SQLSpecificExpressible, Sendable {
    private let node: CaseNode

    fileprivate init(_ node: CaseNode) {
        self.node = node
    }

    public var sqlExpression: SQLExpression { SQLExpression(node) }

    /// Adds a branch, which applies if no previous branch does.
    ///
    /// - parameter condition: a condition, or, if the expression has an operand, a value to compare
    ///   the operand with. NULL equals no operand.
    /// - parameter value: the value of the branch.
    public func when(
        _ condition: some SQLExpressible, then value: (any SQLExpressible)?
    ) -> CaseExpression {
        CaseExpression(
            CaseNode(
                operand: node.operand,
                branches: node.branches + [(condition.sqlExpression, value.orNull)]))
    }

    /// Sets the value of the expression if no branch applies.
    public func `else`(_ value: (any SQLExpressible)?) -> SQLExpression {
        SQLExpression(
            CaseNode(operand: node.operand, branches: node.branches, otherwise: value.orNull))
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
        CaseExpression(
            CaseNode(operand: nil, branches: [(condition.sqlExpression, value.orNull)]))
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
        CaseExpression(
            CaseNode(
                operand: operand.sqlExpression,
                branches: [(comparedValue.sqlExpression, value.orNull)]))
    }
}

/// `CASE operand WHEN condition THEN value … ELSE otherwise END`
struct CaseNode: SQLOperation {
    var operand: SQLExpression?
    /// One or more.
    var branches: [(condition: SQLExpression, value: SQLExpression)]
    var otherwise: SQLExpression?

    func write(to writer: SQLWriter) throws {
        writer.append(sql: "CASE")
        if let operand {
            writer.append(sql: " ")
            try operand.write(to: writer)
        }
        for (condition, value) in branches {
            writer.append(sql: " WHEN ")
            try condition.write(to: writer)
            writer.append(sql: " THEN ")
            try value.write(to: writer)
        }
        if let otherwise {
            writer.append(sql: " ELSE ")
            try otherwise.write(to: writer)
        }
        writer.append(sql: " END")
    }

    var traits: SQLTraits { operands.inheritedTraits }

    var operands: [SQLExpression] {
        [operand, otherwise].compactMap { $0 } + branches.flatMap { [$0.condition, $0.value] }
    }
}
