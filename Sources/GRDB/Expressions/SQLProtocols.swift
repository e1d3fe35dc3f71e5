/// An SQL expression that is not a mere value: a column, an operation, a subquery.
///
/// The methods and operators of the query interface are those of this protocol, so that they are
/// not offered for plain strings and numbers.
public protocol SQLSpecificExpressible: SQLExpressible, SQLSelectable, SQLOrderingTerm {}

extension SQLSpecificExpressible {
    public var sqlSelection: SQLSelection { SQLSelection(sqlExpression.node) }

    public var sqlOrdering: SQLOrdering { SQLOrdering(sqlExpression.node) }
}

extension SQLExpression: SQLSpecificExpressible {}

/// A type that can be selected: an expression, or all columns of a table.
public protocol SQLSelectable {
    /// The SQL selection.
    var sqlSelection: SQLSelection { get }
}

/// A selection, as in `SELECT selection FROM …`.
public struct SQLSelection: Sendable {
    let node: any SQLNode

    init(_ node: any SQLNode) {
        self.node = node
    }
}

extension SQLSelection: SQLSelectable {
    public var sqlSelection: SQLSelection { self }
}

/// A type that can sort rows: an expression, in ascending or descending order.
public protocol SQLOrderingTerm {
    /// The SQL ordering.
    var sqlOrdering: SQLOrdering { get }
}

/// An ordering term, as in `ORDER BY term`.
public struct SQLOrdering: Sendable {
    let node: any SQLNode

    init(_ node: any SQLNode) {
        self.node = node
    }
}

extension SQLOrdering: SQLOrderingTerm {
    public var sqlOrdering: SQLOrdering { self }
}

extension Optional: SQLOrderingTerm where Wrapped: SQLOrderingTerm {
    public var sqlOrdering: SQLOrdering {
        self?.sqlOrdering ?? SQLOrdering(DatabaseValue.null)
    }
}

extension Optional: SQLSelectable where Wrapped: SQLSelectable {
    public var sqlSelection: SQLSelection {
        self?.sqlSelection ?? SQLSelection(DatabaseValue.null)
    }
}

extension Optional: SQLSpecificExpressible where Wrapped: SQLSpecificExpressible {}

extension DatabaseValue: SQLSpecificExpressible {}

/// A type that can be used as a subquery.
public protocol SQLSubqueryable: SQLSpecificExpressible {
    /// The SQL subquery.
    var sqlSubquery: SQLSubquery { get }
}

/// A subquery, without its parentheses.
public struct SQLSubquery: Sendable {
    let node: any SQLNode

    init(_ node: any SQLNode) {
        self.node = node
    }
}

extension SQLSubquery: SQLSubqueryable {
    public var sqlSubquery: SQLSubquery { self }
}

extension SQLSubqueryable {
    public var sqlExpression: SQLExpression {
        SQLExpression(SubqueryExpression(query: sqlSubquery.node))
    }
}

/// `(SELECT …)`
struct SubqueryExpression: SQLNode {
    let query: any SQLNode

    func write(to writer: any SQLWriter) throws {
        writer.append(sql: "(")
        try query.write(to: writer)
        writer.append(sql: ")")
    }
}

extension SQLExpression: SQLNode {
    func write(to writer: any SQLWriter) throws {
        try node.write(to: writer)
    }
}
