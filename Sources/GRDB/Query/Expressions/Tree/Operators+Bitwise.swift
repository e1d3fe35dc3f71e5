// The bitwise operators, on 64-bit integers.
//
// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html#operators>

extension SQLSpecificExpressible {
    /// `left & right`
    public static func & (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .associative(.bitwiseAnd, lhs.sqlExpression, rhs.sqlExpression)
    }

    /// `left & right`
    @_disfavoredOverload  // the other overload wins for two expressions
    public static func & (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .associative(.bitwiseAnd, lhs.sqlExpression, rhs.sqlExpression)
    }

    /// `left | right`
    public static func | (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .associative(.bitwiseOr, lhs.sqlExpression, rhs.sqlExpression)
    }

    /// `left | right`
    @_disfavoredOverload  // the other overload wins for two expressions
    public static func | (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .associative(.bitwiseOr, lhs.sqlExpression, rhs.sqlExpression)
    }

    /// The bits that differ, as `(left | right) - (left & right)`, because SQLite has no XOR
    /// operator.
    ///
    /// Operands other than columns and values are computed only once, by an SQL function of this
    /// library: `swiftExclusiveOr(left | 0, right | 0)`.
    public static func ^ (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .exclusiveOr(lhs.sqlExpression, rhs.sqlExpression)
    }

    /// The bits that differ, as `(left | right) - (left & right)`, because SQLite has no XOR
    /// operator.
    @_disfavoredOverload  // the other overload wins for two expressions
    public static func ^ (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .exclusiveOr(lhs.sqlExpression, rhs.sqlExpression)
    }

    /// `left << right`
    public static func << (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .binary(lhs, .shiftLeft, rhs)
    }

    /// `left << right`
    @_disfavoredOverload  // the other overload wins for two expressions
    public static func << (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .binary(lhs, .shiftLeft, rhs)
    }

    /// `left >> right`
    public static func >> (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .binary(lhs, .shiftRight, rhs)
    }

    /// `left >> right`
    @_disfavoredOverload  // the other overload wins for two expressions
    public static func >> (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .binary(lhs, .shiftRight, rhs)
    }

    /// `~value`
    public static prefix func ~ (value: Self) -> SQLExpression {
        SQLExpression(UnaryOperation(sqlOperator: .bitwiseNot, operand: value.sqlExpression))
    }
}

extension SQLExpression {
    static func exclusiveOr(_ left: SQLExpression, _ right: SQLExpression) -> SQLExpression {
        if left.traits.contains(.repeatable), right.traits.contains(.repeatable) {
            return .binary(
                SQLExpression.associative(.bitwiseOr, left, right), .subtract,
                SQLExpression.associative(.bitwiseAnd, left, right))
        }
        // An operator converts all values to integers, like SQLite's own bitwise operators.
        let zero = SQLExpression(Keyword(sql: "0"))
        return DatabaseFunction.exclusiveOr(
            SQLExpression.associative(.bitwiseOr, left, zero),
            SQLExpression.associative(.bitwiseOr, right, zero))
    }
}
