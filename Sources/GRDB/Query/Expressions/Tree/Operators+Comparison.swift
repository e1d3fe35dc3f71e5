// The comparison operators.
//
// SQL has separate operators for comparisons with NULL: `a == nil` becomes `a IS NULL`, because
// `a = NULL` is never true. `===` and `!==` always become `IS` and `IS NOT`, for which NULL equals
// NULL.
//
// The compiler tries every overload for operands of unknown type, so each overload slows
// compilation: scripts/check-compile-time checks that common conditions stay far below the
// compiler's limits. The compiler infers the type of a literal for a generic parameter, but not for
// an optional existential parameter. The optional existential overloads are therefore for optional
// values and nil. The overloads with the value on the left are disfavored, so that a single
// overload matches two expressions.
//
// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html#operators>

extension SQLExpression {
    /// `left operator right`
    ///
    /// A collation on the left operand is written on the right, where `COLLATE` needs no
    /// parentheses. It still takes precedence over the collation of the right operand.
    package static func binary(
        _ left: some SQLExpressible, _ sqlOperator: BinaryOperation.Operator,
        _ right: some SQLExpressible
    ) -> SQLExpression {
        let left = left.sqlExpression
        let right = right.sqlExpression
        guard let collated = left.node(as: Collated.self) else {
            return SQLExpression(
                BinaryOperation(left: consume left, sqlOperator: sqlOperator, right: consume right))
        }
        return SQLExpression(
            BinaryOperation(
                left: collated.operand, sqlOperator: sqlOperator,
                right: SQLExpression(Collated(operand: right, collation: collated.collation))))
    }

    /// `left = right`, or `left IS NULL`
    static func equal(_ left: SQLExpression, _ right: SQLExpression) -> SQLExpression {
        if right.isNull { return binary(left, .is, right) }
        if left.isNull { return binary(right, .is, left) }
        return binary(left, .equal, right)
    }

    /// `left <> right`, or `left IS NOT NULL`
    fileprivate static func notEqual(
        _ left: SQLExpression, _ right: SQLExpression
    ) -> SQLExpression {
        if right.isNull { return binary(left, .isNot, right) }
        if left.isNull { return binary(right, .isNot, left) }
        return binary(left, .notEqual, right)
    }

    private var isNull: Bool { node(as: DatabaseValue.self)?.isNull ?? false }
}

extension Optional<any SQLExpressible> {
    /// The expression, or NULL for nil.
    ///
    /// Not written with `??`, which is an SQL function on expressions.
    package var orNull: SQLExpression {
        if let self { self.sqlExpression } else { DatabaseValue.null.sqlExpression }
    }
}

extension SQLSpecificExpressible {
    // MARK: - Equality

    /// `left = right`, or `left IS NULL`.
    ///
    /// ```swift
    /// // "name" = 'Arthur'
    /// Column("name") == "Arthur"
    /// // "name" IS NULL
    /// Column("name") == nil
    /// ```
    ///
    /// A boolean is 1 or 0. Use `expression` and `!expression` to test other numbers for truth.
    public static func == (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .equal(lhs.sqlExpression, rhs.sqlExpression)
    }

    /// `left = right`, or `left IS NULL`.
    public static func == (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression {
        .equal(lhs.sqlExpression, rhs.orNull)
    }

    /// `left = right`, or `left IS NULL`.
    public static func == (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression {
        // A boolean is always written on the right side.
        lhs is Bool
            ? .equal(rhs.sqlExpression, lhs.orNull) : .equal(lhs.orNull, rhs.sqlExpression)
    }

    /// `left <> right`, or `left IS NOT NULL`.
    ///
    /// ```swift
    /// // "name" <> 'Arthur'
    /// Column("name") != "Arthur"
    /// // "name" IS NOT NULL
    /// Column("name") != nil
    /// ```
    public static func != (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .notEqual(lhs.sqlExpression, rhs.sqlExpression)
    }

    /// `left <> right`, or `left IS NOT NULL`.
    public static func != (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression {
        .notEqual(lhs.sqlExpression, rhs.orNull)
    }

    /// `left <> right`, or `left IS NOT NULL`.
    public static func != (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression {
        lhs is Bool
            ? .notEqual(rhs.sqlExpression, lhs.orNull) : .notEqual(lhs.orNull, rhs.sqlExpression)
    }

    // MARK: - Identity

    /// `left IS right`: NULL equals NULL.
    ///
    /// ```swift
    /// // "name" IS 'Arthur'
    /// Column("name") === "Arthur"
    /// ```
    public static func === (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .binary(lhs, .is, rhs)
    }

    /// `left IS right`: NULL equals NULL.
    public static func === (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression {
        .binary(lhs, .is, rhs.orNull)
    }

    /// `left IS right`: NULL equals NULL.
    public static func === (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression {
        if let lhs { .binary(lhs.sqlExpression, .is, rhs) } else { rhs == nil }
    }

    /// `left IS NOT right`: NULL equals NULL.
    public static func !== (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .binary(lhs, .isNot, rhs)
    }

    /// `left IS NOT right`: NULL equals NULL.
    public static func !== (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression {
        .binary(lhs, .isNot, rhs.orNull)
    }

    /// `left IS NOT right`: NULL equals NULL.
    public static func !== (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression {
        if let lhs { .binary(lhs.sqlExpression, .isNot, rhs) } else { rhs != nil }
    }

    // MARK: - Order

    /// `left < right`
    public static func < (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .binary(lhs, .less, rhs)
    }

    /// `left < right`
    @_disfavoredOverload  // the other overload wins for two expressions
    public static func < (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .binary(lhs, .less, rhs)
    }

    /// `left <= right`
    public static func <= (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .binary(lhs, .lessOrEqual, rhs)
    }

    /// `left <= right`
    @_disfavoredOverload  // the other overload wins for two expressions
    public static func <= (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .binary(lhs, .lessOrEqual, rhs)
    }

    /// `left > right`
    public static func > (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .binary(lhs, .greater, rhs)
    }

    /// `left > right`
    @_disfavoredOverload  // the other overload wins for two expressions
    public static func > (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .binary(lhs, .greater, rhs)
    }

    /// `left >= right`
    public static func >= (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .binary(lhs, .greaterOrEqual, rhs)
    }

    /// `left >= right`
    @_disfavoredOverload  // the other overload wins for two expressions
    public static func >= (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .binary(lhs, .greaterOrEqual, rhs)
    }
}
