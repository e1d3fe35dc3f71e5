// The logical operators.

extension SQLExpression {
    /// `NOT expression`, or a simpler expression with the same value.
    fileprivate var negated: SQLExpression {
        // Not written with `??`, which is an SQL operator here.
        if let negation = node.negation { return negation }
        return SQLExpression(UnaryOperation(sqlOperator: .not, operand: self))
    }
}

// These functions take existentials, because the compiler tries no generic operator if a
// non-generic operator fits. With generic operators, compiling a chain of conditions takes
// exponential time.

/// `NOT value`, or the opposite operator.
///
/// ```swift
/// // NOT "isActive"
/// !Column("isActive")
/// // "id" NOT IN (1, 2, 3)
/// ![1, 2, 3].contains(Column("id"))
/// ```
public prefix func ! (value: any SQLSpecificExpressible) -> SQLExpression {
    value.sqlExpression.negated
}

/// `left AND right`
///
/// ```swift
/// // "isActive" AND ("score" > 0)
/// Column("isActive") && Column("score") > 0
/// ```
public func && (lhs: any SQLSpecificExpressible, rhs: any SQLSpecificExpressible) -> SQLExpression {
    .associative(.and, lhs.sqlExpression, rhs.sqlExpression)
}

/// `left AND right`: ``&&(_:_:)`` for expressions, without existential boxes.
@_documentation(visibility: internal)
public func && (lhs: SQLExpression, rhs: SQLExpression) -> SQLExpression {
    .associative(.and, lhs, rhs)
}

/// `left OR right`: ``||(_:_:)`` for expressions, without existential boxes.
@_documentation(visibility: internal)
public func || (lhs: SQLExpression, rhs: SQLExpression) -> SQLExpression {
    .associative(.or, lhs, rhs)
}

/// `left OR right`
///
/// ```swift
/// // "isActive" OR ("score" > 0)
/// Column("isActive") || Column("score") > 0
/// ```
public func || (lhs: any SQLSpecificExpressible, rhs: any SQLSpecificExpressible) -> SQLExpression {
    .associative(.or, lhs.sqlExpression, rhs.sqlExpression)
}

extension SQLSpecificExpressible {
    /// `left AND value`
    @_disfavoredOverload
    public static func && (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .associative(.and, lhs.sqlExpression, rhs.sqlExpression)
    }

    /// `value AND right`
    @_disfavoredOverload
    public static func && (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .associative(.and, lhs.sqlExpression, rhs.sqlExpression)
    }

    /// `left OR value`
    @_disfavoredOverload
    public static func || (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .associative(.or, lhs.sqlExpression, rhs.sqlExpression)
    }

    /// `value OR right`
    @_disfavoredOverload
    public static func || (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .associative(.or, lhs.sqlExpression, rhs.sqlExpression)
    }
}
