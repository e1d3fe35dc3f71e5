extension SQLExpression {
    /// An associative binary operator, such as `+`, `AND` or `||`. Its operands can be grouped in
    /// any way.
    ///
    /// ```swift
    /// // "firstName" || ' ' || "lastName"
    /// let name = [Column("firstName"), " ".databaseValue, Column("lastName")]
    ///     .joined(operator: .concat)
    /// ```
    public struct AssociativeBinaryOperator: Hashable, Sendable {
        /// The operator, with spaces around it.
        let sql: String

        /// The value of an operation without operands.
        let neutralValue: DatabaseValue

        /// Whether the grouping of operands never affects the result. It does for sums and
        /// products: reals are rounded, and integers that overflow become reals.
        let isExact: Bool

        /// `a + b + c`; 0 if there are no operands.
        ///
        /// For strings, see ``concat``.
        public static let add = AssociativeBinaryOperator(
            sql: " + ", neutralValue: 0.databaseValue, isExact: false)

        /// `a * b * c`; 1 if there are no operands.
        public static let multiply = AssociativeBinaryOperator(
            sql: " * ", neutralValue: 1.databaseValue, isExact: false)

        /// `a AND b AND c`; true if there are no operands.
        public static let and = AssociativeBinaryOperator(
            sql: " AND ", neutralValue: true.databaseValue, isExact: true)

        /// `a OR b OR c`; false if there are no operands.
        public static let or = AssociativeBinaryOperator(
            sql: " OR ", neutralValue: false.databaseValue, isExact: true)

        /// `a & b & c`; -1 if there are no operands.
        public static let bitwiseAnd = AssociativeBinaryOperator(
            sql: " & ", neutralValue: (-1).databaseValue, isExact: true)

        /// `a | b | c`; 0 if there are no operands.
        public static let bitwiseOr = AssociativeBinaryOperator(
            sql: " | ", neutralValue: 0.databaseValue, isExact: true)

        /// `a || b || c`; the empty string if there are no operands.
        public static let concat = AssociativeBinaryOperator(
            sql: " || ", neutralValue: "".databaseValue, isExact: true)

        // The text determines the other properties.
        public static func == (lhs: Self, rhs: Self) -> Bool { lhs.sql.hasSameBytes(as: rhs.sql) }
    }

    /// The operation on two operands.
    static func associative(
        _ sqlOperator: AssociativeBinaryOperator, _ left: SQLExpression, _ right: SQLExpression
    ) -> SQLExpression {
        guard left.hasNode(AssociativeOperation.self) || right.hasNode(AssociativeOperation.self)
        else {
            // The common case, with one array.
            return SQLExpression(
                AssociativeOperation(
                    sqlOperator: sqlOperator, operands: [left, right],
                    operandDepth: max(left.depth, right.depth),
                    operandTraits: left.traits.union(right.traits)))
        }
        return associative(sqlOperator, [left, right])
    }

    /// The operation on all operands.
    static func associative(
        _ sqlOperator: AssociativeBinaryOperator, _ operands: [SQLExpression]
    ) -> SQLExpression {
        switch operands.count {
        case 0: return sqlOperator.neutralValue.sqlExpression
        case 1: return operands[0]
        default: break
        }
        guard sqlOperator.isExact else {
            return SQLExpression(
                AssociativeOperation(sqlOperator: sqlOperator, operands: operands))
        }
        var flattened: Rope<SQLExpression> = []
        var operandDepth = 0
        var operandTraits: SQLTraits = []
        for operand in operands {
            operandTraits.formUnion(operand.traits)
            if let operation = operand.node(as: AssociativeOperation.self),
                operation.sqlOperator == sqlOperator
            {
                flattened += operation.operands
                operandDepth = max(operandDepth, operation.depth - 1)
            } else {
                flattened.append(operand)
                operandDepth = max(operandDepth, operand.depth)
            }
        }
        return SQLExpression(
            AssociativeOperation(
                sqlOperator: sqlOperator, operands: flattened, operandDepth: operandDepth,
                operandTraits: operandTraits))
    }
}

extension Sequence where Element: SQLSpecificExpressible {
    /// Joins expressions with an operator.
    ///
    /// ```swift
    /// // "score" + "bonus" + "extra"
    /// [Column("score"), Column("bonus"), Column("extra")].joined(operator: .add)
    /// ```
    ///
    /// If there are no expressions, the result is the neutral value of the operator, for example
    /// true for ``SQLExpression/AssociativeBinaryOperator/and``, and 0 for
    /// ``SQLExpression/AssociativeBinaryOperator/add``.
    public func joined(
        operator: SQLExpression.AssociativeBinaryOperator
    ) -> SQLExpression {
        .associative(`operator`, map { $0.sqlExpression })
    }
}

extension Sequence where Element == any SQLSpecificExpressible {
    /// Joins expressions with an operator.
    ///
    /// ```swift
    /// // "isVerified" AND ("score" >= 1000) AND ("name" IS NOT NULL)
    /// Player.filter {
    ///     [$0.isVerified, $0.score >= 1000, $0.name != nil].joined(operator: .and)
    /// }
    /// ```
    ///
    /// If there are no expressions, the result is the neutral value of the operator, for example
    /// true for ``SQLExpression/AssociativeBinaryOperator/and``, and 0 for
    /// ``SQLExpression/AssociativeBinaryOperator/add``.
    public func joined(
        operator: SQLExpression.AssociativeBinaryOperator
    ) -> SQLExpression {
        .associative(`operator`, map { $0.sqlExpression })
    }
}
