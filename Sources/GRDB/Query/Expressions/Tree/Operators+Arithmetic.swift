// The arithmetic operators. They convert texts to numbers. To concatenate texts, use
// `SQLExpression.AssociativeBinaryOperator.concat`.
//
// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html#operators>

extension SQLSpecificExpressible {
    /// `left + right`
    ///
    /// ```swift
    /// // "score" + 1
    /// Column("score") + 1
    /// ```
    public static func + (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .associative(.add, lhs.sqlExpression, rhs.sqlExpression)
    }

    /// `left + right`
    @_disfavoredOverload  // the other overload wins for two expressions
    public static func + (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .associative(.add, lhs.sqlExpression, rhs.sqlExpression)
    }

    /// `-value`
    public static prefix func - (value: Self) -> SQLExpression {
        SQLExpression(UnaryOperation(sqlOperator: .minus, operand: value.sqlExpression))
    }

    /// `left - right`
    public static func - (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .binary(lhs, .subtract, rhs)
    }

    /// `left - right`
    @_disfavoredOverload  // the other overload wins for two expressions
    public static func - (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .binary(lhs, .subtract, rhs)
    }

    /// `left * right`
    public static func * (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .associative(.multiply, lhs.sqlExpression, rhs.sqlExpression)
    }

    /// `left * right`
    @_disfavoredOverload  // the other overload wins for two expressions
    public static func * (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .associative(.multiply, lhs.sqlExpression, rhs.sqlExpression)
    }

    /// `left / right`: an integer if both operands are integers.
    public static func / (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .binary(lhs, .divide, rhs)
    }

    /// `left / right`: an integer if both operands are integers.
    @_disfavoredOverload  // the other overload wins for two expressions
    public static func / (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .binary(lhs, .divide, rhs)
    }

    /// `left % right`: the remainder of the integer division.
    public static func % (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .binary(lhs, .modulo, rhs)
    }

    /// `left % right`: the remainder of the integer division.
    @_disfavoredOverload  // the other overload wins for two expressions
    public static func % (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .binary(lhs, .modulo, rhs)
    }
}
