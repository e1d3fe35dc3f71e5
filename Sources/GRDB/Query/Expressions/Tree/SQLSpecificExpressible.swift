/// An SQL expression that is not a plain value: a column, an operation, a subquery.
///
/// The operators and functions of the query interface take such expressions, so that they don't
/// apply to plain strings and numbers.
public protocol SQLSpecificExpressible: SQLExpressible, SQLSelectable, SQLOrderingTerm {}

extension SQLSpecificExpressible {
    public var sqlSelection: SQLSelection { SQLSelection(sqlExpression.node) }

    public var sqlOrdering: SQLOrdering { SQLOrdering(sqlExpression.node) }
}

// Types with a raw value behave like their raw value. The conformances are empty.

extension SQLSelectable where Self: RawRepresentable, RawValue: SQLSelectable {
    public var sqlSelection: SQLSelection { rawValue.sqlSelection }
}

extension SQLOrderingTerm where Self: RawRepresentable, RawValue: SQLOrderingTerm {
    public var sqlOrdering: SQLOrdering { rawValue.sqlOrdering }
}

extension SQLSpecificExpressible
where Self: RawRepresentable, RawValue: SQLSelectable & SQLOrderingTerm {
    public var sqlSelection: SQLSelection { rawValue.sqlSelection }

    public var sqlOrdering: SQLOrdering { rawValue.sqlOrdering }
}

extension SQLExpression: SQLSpecificExpressible {}

extension DatabaseValue: SQLSpecificExpressible {}

extension Optional: SQLSpecificExpressible where Wrapped: SQLSpecificExpressible {}
