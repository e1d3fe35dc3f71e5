// The bitwise operators, on 64-bit integers.
//
// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html#operators>

extension SQLSpecificExpressible {
    /// `left & right`
    public static func & (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .associative(.bitwiseAnd, [lhs.sqlExpression, rhs.sqlExpression])
    }

    /// `left & right`
    public static func & (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .associative(.bitwiseAnd, [lhs.sqlExpression, rhs.sqlExpression])
    }

    /// `left & right`
    public static func & (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        .associative(.bitwiseAnd, [lhs.sqlExpression, rhs.sqlExpression])
    }

    /// `left | right`
    public static func | (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .associative(.bitwiseOr, [lhs.sqlExpression, rhs.sqlExpression])
    }

    /// `left | right`
    public static func | (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .associative(.bitwiseOr, [lhs.sqlExpression, rhs.sqlExpression])
    }

    /// `left | right`
    public static func | (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        .associative(.bitwiseOr, [lhs.sqlExpression, rhs.sqlExpression])
    }

    /// The bits that differ: `(left | right) - (left & right)`, for SQLite has no such operator.
    ///
    /// Each operand is written twice.
    public static func ^ (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .exclusiveOr(lhs.sqlExpression, rhs.sqlExpression)
    }

    /// The bits that differ: `(left | right) - (left & right)`, for SQLite has no such operator.
    public static func ^ (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .exclusiveOr(lhs.sqlExpression, rhs.sqlExpression)
    }

    /// The bits that differ: `(left | right) - (left & right)`, for SQLite has no such operator.
    public static func ^ (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        .exclusiveOr(lhs.sqlExpression, rhs.sqlExpression)
    }

    /// `left << right`
    public static func << (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .binary(lhs, .shiftLeft, rhs)
    }

    /// `left << right`
    public static func << (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .binary(lhs, .shiftLeft, rhs)
    }

    /// `left << right`
    public static func << (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        .binary(lhs, .shiftLeft, rhs)
    }

    /// `left >> right`
    public static func >> (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .binary(lhs, .shiftRight, rhs)
    }

    /// `left >> right`
    public static func >> (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .binary(lhs, .shiftRight, rhs)
    }

    /// `left >> right`
    public static func >> (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        .binary(lhs, .shiftRight, rhs)
    }

    /// `~value`
    public static prefix func ~ (value: Self) -> SQLExpression {
        SQLExpression(UnaryOperation(sqlOperator: .bitwiseNot, operand: value.sqlExpression))
    }
}

extension SQLExpression {
    static func exclusiveOr(_ left: SQLExpression, _ right: SQLExpression) -> SQLExpression {
        .binary(
            SQLExpression.associative(.bitwiseOr, [left, right]), .subtract,
            SQLExpression.associative(.bitwiseAnd, [left, right]))
    }
}
