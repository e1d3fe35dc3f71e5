/// An SQL expression that is not a mere value: a column, an operation, a subquery.
///
/// The operators and functions of the query interface take such expressions, so that they are not
/// offered for plain strings and numbers.
public protocol SQLSpecificExpressible: SQLExpressible, SQLSelectable, SQLOrderingTerm {}

extension SQLSpecificExpressible {
    public var sqlSelection: SQLSelection { SQLSelection(sqlExpression.node) }

    public var sqlOrdering: SQLOrdering { SQLOrdering(sqlExpression.node) }
}

extension SQLExpression: SQLSpecificExpressible {}

extension DatabaseValue: SQLSpecificExpressible {}

extension Optional: SQLSpecificExpressible where Wrapped: SQLSpecificExpressible {}
