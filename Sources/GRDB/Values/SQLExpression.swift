/// A type that can be turned into an SQL expression.
///
/// Database values, columns and SQL literals are expressible: they are accepted wherever the API
/// wants a value or an expression.
public protocol SQLExpressible {
    /// The SQL expression of this value.
    var sqlExpression: SQLExpression { get }
}

/// An SQL expression: a value, a column, or an operation on other expressions.
///
/// ```swift
/// // CAPITALIZE(name)
/// let capitalize = DatabaseFunction.capitalize
/// let expression = capitalize(Column("name"))
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html>
public struct SQLExpression: Sendable {
    /// The node of the expression tree. The nodes themselves live with the layer that builds them.
    let node: any SQLNode

    init(_ node: some SQLNode) {
        self.node = node
    }
}

/// A node of an SQL syntax tree, which writes itself as SQL text and arguments.
protocol SQLNode: Sendable {
    func write(to writer: any SQLWriter) throws
}

/// What a node writes to. The only implementation is the generation context; the protocol stands
/// here because values, which are below it, are nodes too.
protocol SQLWriter: AnyObject {
    func append(sql: String)
    /// Writes a placeholder or a literal for the value.
    func append(value: DatabaseValue)
    /// Writes the name of a column, qualified where the table must be told.
    func append(column: String)
    /// Has columns written in the closure belong to a table.
    func withQualifier(_ qualifier: String, _ body: () throws -> Void) rethrows
    /// Adds the arguments of SQL that has its own placeholders.
    func append(arguments: StatementArguments) throws
}

extension SQLExpression: SQLExpressible {
    public var sqlExpression: SQLExpression { self }
}
