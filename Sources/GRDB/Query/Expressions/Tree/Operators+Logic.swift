// The logical operators.

extension SQLExpression {
    /// `NOT expression`, or a nicer expression of the same value.
    fileprivate var negated: SQLExpression {
        switch node {
        case let operation as BinaryOperation:
            if let negated = operation.sqlOperator.negated {
                return SQLExpression(
                    BinaryOperation(
                        left: operation.left, sqlOperator: negated, right: operation.right))
            }
        case let value as DatabaseValue:
            // A value stays a value where SQLite knows what its opposite is.
            switch value.storage {
            case .null: return self
            case .int64(0): return true.sqlExpression
            case .int64(1): return false.sqlExpression
            default: break
            }
        case var between as Between:
            between.isNegated.toggle()
            return SQLExpression(between)
        case var membership as Membership:
            membership.isNegated.toggle()
            return SQLExpression(membership)
        case var existence as Existence:
            existence.isNegated.toggle()
            return SQLExpression(existence)
        case var existence as RowExistenceNode:
            existence.isNegated.toggle()
            return SQLExpression(existence)
        case var like as Like:
            like.isNegated.toggle()
            return SQLExpression(like)
        default:
            break
        }
        return SQLExpression(UnaryOperation(sqlOperator: .not, operand: self))
    }
}

extension SQLSpecificExpressible {
    /// `NOT value`, or the opposite operator.
    ///
    /// ```swift
    /// // NOT "isActive"
    /// !Column("isActive")
    /// // "id" NOT IN (1, 2, 3)
    /// ![1, 2, 3].contains(Column("id"))
    /// ```
    public static prefix func ! (value: Self) -> SQLExpression {
        value.sqlExpression.negated
    }

    /// `left AND right`
    ///
    /// ```swift
    /// // "isActive" AND ("score" > 0)
    /// Column("isActive") && Column("score") > 0
    /// ```
    public static func && (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        [lhs.sqlExpression, rhs.sqlExpression].joined(operator: .and)
    }

    /// `left AND right`
    public static func && (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        [lhs.sqlExpression, rhs.sqlExpression].joined(operator: .and)
    }

    /// `left AND right`
    public static func && (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        [lhs.sqlExpression, rhs.sqlExpression].joined(operator: .and)
    }

    /// `left OR right`
    ///
    /// ```swift
    /// // "isActive" OR ("score" > 0)
    /// Column("isActive") || Column("score") > 0
    /// ```
    public static func || (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        [lhs.sqlExpression, rhs.sqlExpression].joined(operator: .or)
    }

    /// `left OR right`
    public static func || (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        [lhs.sqlExpression, rhs.sqlExpression].joined(operator: .or)
    }

    /// `left OR right`
    public static func || (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        [lhs.sqlExpression, rhs.sqlExpression].joined(operator: .or)
    }
}
