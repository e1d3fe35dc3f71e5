/// The interpolations that an ``SQL`` literal or an ``SQLRequest`` supports.
///
/// ```swift
/// let name = "O'Brien"
/// let scores = [100, 200]
/// // SELECT * FROM player WHERE name = ? AND score IN (?, ?) ORDER BY "score"
/// let request: SQLRequest<Row> = """
///     SELECT * FROM player \
///     WHERE name = \(name) AND score IN \(scores) \
///     ORDER BY \(Column("score"))
///     """
/// ```
public struct SQLInterpolation: StringInterpolationProtocol, Sendable {
    private(set) var sql = SQL()

    public init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func append(_ node: any SQLNode) {
        sql.append(node)
    }

    mutating func append(fragment: any SQLFragment) {
        append(EmbeddedFragment(fragment: fragment))
    }

    // MARK: - SQL

    /// Raw SQL text.
    public mutating func appendLiteral(_ sql: String) {
        if !sql.isEmpty {
            self.sql.append(sql: sql)
        }
    }

    /// `\(sql: "score > ?", arguments: [1000])`: raw SQL, and its arguments.
    public mutating func appendInterpolation(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) {
        self.sql.append(sql: sql, arguments: arguments)
    }

    /// `\(literal: condition)`: an SQL literal.
    public mutating func appendInterpolation(literal sqlLiteral: SQL) {
        sql.append(literal: sqlLiteral)
    }

    /// `\(condition)`: an SQL literal.
    public mutating func appendInterpolation(_ sqlLiteral: SQL) {
        sql.append(literal: sqlLiteral)
    }

    /// `\(identifier: "my table")`: the quoted name of a table, a column...
    public mutating func appendInterpolation(identifier: String) {
        sql.append(sql: identifier.quotedDatabaseIdentifier)
    }

    // MARK: - Values and expressions

    /// `\(name)`: a value, or NULL.
    public mutating func appendInterpolation(_ expressible: (any SQLExpressible)?) {
        append(expressible?.sqlExpression.node ?? DatabaseValue.null)
    }

    /// `\(Column("name"))`: an expression.
    public mutating func appendInterpolation(
        _ expressible: some SQLExpressible & SQLSelectable & SQLOrderingTerm
    ) {
        append(expressible.sqlExpression.node)
    }

    /// `\(substring)`: a string.
    public mutating func appendInterpolation<S: StringProtocol>(_ string: S) {
        append(String(string).databaseValue)
    }

    /// `\(data)`: a value that is also a sequence. It is interpolated as a single value.
    public mutating func appendInterpolation<S>(_ expressible: S)
    where S: SQLExpressible, S: Sequence, S.Element: SQLExpressible {
        append(expressible.sqlExpression.node)
    }

    /// `\(selection)`: a selection.
    public mutating func appendInterpolation(_ selection: some SQLSelectable) {
        append(selection.sqlSelection.node)
    }

    /// `\(selection)`: a selection, or NULL.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ selection: (any SQLSelectable)?) {
        append(selection?.sqlSelection.node ?? DatabaseValue.null)
    }

    /// `\(ordering)`: an ordering term.
    public mutating func appendInterpolation(_ orderingTerm: some SQLOrderingTerm) {
        append(orderingTerm.sqlOrdering.node)
    }

    /// `\(ordering)`: an ordering term.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ orderingTerm: any SQLOrderingTerm) {
        append(orderingTerm.sqlOrdering.node)
    }

    /// `id IN (\(request))`: a subquery, without parentheses.
    public mutating func appendInterpolation(_ subquery: some SQLSubqueryable) {
        append(EmbeddedQuery(subquery: subquery.sqlSubquery))
    }

    // MARK: - Sequences

    /// `id IN \([1, 2, 3])`: a list of values in parentheses.
    public mutating func appendInterpolation<S>(_ sequence: S)
    where S: Sequence, S.Element: SQLExpressible {
        append(list: sequence.map { $0.sqlExpression })
    }

    /// `value IN \(expressions)`: a list of expressions in parentheses.
    public mutating func appendInterpolation<S>(_ sequence: S)
    where S: Sequence, S.Element == any SQLExpressible {
        append(list: sequence.map { $0.sqlExpression })
    }

    private mutating func append(list expressions: [SQLExpression]) {
        append(ExpressionList(expressions: expressions))
    }

    // MARK: - Coding keys

    /// `\(CodingKeys.name)`: the quoted name of a column.
    public mutating func appendInterpolation(_ key: some CodingKey) {
        appendInterpolation(identifier: key.stringValue)
    }

    /// `\(key)`: the quoted name of a column.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ key: any CodingKey) {
        appendInterpolation(identifier: key.stringValue)
    }

    /// `\(CodingKeys.name)`: a coding key that is also a column.
    public mutating func appendInterpolation(
        _ key: some SQLExpressible & SQLSelectable & SQLOrderingTerm & CodingKey
    ) {
        append(key.sqlExpression.node)
    }

    // MARK: - Collations

    /// `ORDER BY name COLLATE \(.nocase)`: the name of a collation.
    public mutating func appendInterpolation(_ collation: Database.CollationName) {
        appendInterpolation(identifier: collation.rawValue)
    }

    /// `ORDER BY name COLLATE \(collation)`: the name of a collation.
    public mutating func appendInterpolation(_ collation: DatabaseCollation) {
        appendInterpolation(identifier: collation.name)
    }
}

/// `(expression, …)`
struct ExpressionList: SQLOperation {
    let expressions: [SQLExpression]

    /// The maximum number of columns and of function arguments. A longer list is on the right of
    /// `IN`, where a query can replace it.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/limits.html>
    private static let maximumRowSize = 2000

    var traits: SQLTraits { expressions.inheritedTraits }

    var operands: [SQLExpression] { expressions }

    func write(to writer: SQLWriter) throws {
        if expressions.isEmpty {
            // SQLite does not accept `()` everywhere, and it is not standard SQL.
            writer.append(sql: "(SELECT NULL WHERE NULL)")
            return
        }
        if expressions.count > Self.maximumRowSize, writer.valueStyle == .placeholder,
            let arrays = ValueArrays(expressions)
        {
            return arrays.write(to: writer)
        }
        writer.append(sql: "(")
        for (index, expression) in expressions.enumerated() {
            if index > 0 { writer.append(sql: ",") }
            try expression.write(to: writer)
        }
        writer.append(sql: ")")
    }
}

/// A query inside a literal. The columns of the query belong to its own tables, not to the tables
/// of the surrounding query.
struct EmbeddedQuery: SQLLeaf {
    let subquery: SQLSubquery

    var traits: SQLTraits { [] }

    func write(to writer: SQLWriter) throws {
        if writer.context.isInQuery {
            try subquery.write(to: writer)
        } else {
            // The literal contains only this query, or a statement that contains the query.
            try writer.withQualifier(nil) { try subquery.node.write(to: writer) }
        }
    }
}

/// A part of a statement that is not an expression, inside an SQL literal.
struct EmbeddedFragment: SQLLeaf {
    let fragment: any SQLFragment

    var traits: SQLTraits { [] }

    func write(to writer: SQLWriter) throws {
        try fragment.write(to: writer)
    }
}
