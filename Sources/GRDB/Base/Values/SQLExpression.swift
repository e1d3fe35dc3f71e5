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
/// // "score" + "bonus"
/// Column("score") + Column("bonus")
///
/// // "score" BETWEEN 0 AND 1000
/// (0...1000).contains(Column("score"))
///
/// // IFNULL(name, 'Anonymous')
/// SQL("IFNULL(name, \("Anonymous"))").sqlExpression
///
/// // (SELECT MAX("score") FROM "player")
/// Player.select(max(Column("score"))).sqlExpression
/// ```
///
/// `SQLExpression` is best used as the type of a result. For the arguments of functions, prefer
/// ``SQLExpressible``, or `SQLSpecificExpressible`, which is not met by plain Swift values:
///
/// ```swift
/// func date(_ value: some SQLSpecificExpressible) -> SQLExpression {
///     SQL("DATE(\(value))").sqlExpression
/// }
///
/// // SELECT * FROM "player" WHERE DATE("createdAt") = '2020-01-23'
/// let request = Player.filter { date($0.createdAt) == "2020-01-23" }
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html>
public struct SQLExpression: Sendable {
    /// The node of the expression tree. The nodes themselves live with the layer that builds them.
    let node: any SQLNode

    /// The number of levels of the tree.
    let depth: Int

    init(_ node: some SQLNode) {
        let depth = node.depth
        if depth <= Self.maximumDepth {
            self.node = node
            self.depth = depth
        } else {
            self.node = TooDeepExpression()
            self.depth = 1
        }
    }

    /// SQLite accepts 1000 levels. Some nodes make none in SQL.
    ///
    /// Trees must not get deeper, because all that is done with them recurses, up to their
    /// deallocation.
    private static var maximumDepth: Int { 1010 }
}

/// A placeholder for an expression that SQLite would not accept.
private struct TooDeepExpression: SQLNode {
    func write(to writer: SQLWriter) throws {
        throw DatabaseError(message: "Expression tree is too large (maximum depth 1000)")
    }
}

/// A node of an SQL syntax tree, which writes itself as SQL text and arguments.
protocol SQLNode: Sendable {
    func write(to writer: SQLWriter) throws

    /// Adds what the text of the node depends on, and the values of its parameters in their order;
    /// gives up if it depends on more.
    func append(to shape: inout QueryShapeWriter)

    /// Whether the node needs no parentheses as the operand of another one.
    var isAtom: Bool { get }

    /// Whether the node needs no parentheses as the right operand of another one.
    var isRightAtom: Bool { get }

    /// Whether the node makes one value of all rows of a group.
    var isAggregate: Bool { get }

    /// Whether the node is a row of several values.
    var isRow: Bool { get }

    /// Whether the value of the node is JSON, as far as the tree knows.
    var isJSON: Bool { get }

    /// Whether the node searches a virtual table.
    var isMatch: Bool { get }

    /// Whether the node can be written twice: both have the same value, and the text is short.
    var isRepeatable: Bool { get }

    /// Whether the node is a query inside of an SQL literal.
    var isEmbeddedQuery: Bool { get }

    /// Whether the node is an SQL literal without any text.
    var isEmptyLiteral: Bool { get }

    /// Whether the node is text that was written by hand, and that may hold several expressions, or
    /// an aggregate.
    var isOpaque: Bool { get }

    /// Whether the node calls a window function.
    var isWindowFunction: Bool { get }

    /// Whether the node is an expression with a name: `expression AS "name"`.
    var isNamed: Bool { get }

    /// The columns that the node makes when it is selected.
    var selectedColumns: SelectedColumns { get }

    /// The selected expression, without its name; nil if there may be several.
    var selectedExpression: SQLExpression? { get }

    /// The columns of its table that the node leaves out, so that the others must be spelled out;
    /// nil if the node can be written as it is.
    var excludedColumns: Set<CaseInsensitiveIdentifier>? { get }

    /// The alias of the table that the columns of the node belong to; nil if it has none.
    var tableAlias: AnyObject? { get }

    /// The node without its `tableAlias`; nil if it has none.
    var unqualified: (any SQLNode)? { get }

    /// The name of the column that the node is; nil if it is something else.
    ///
    /// - parameter aliases: the aliases of the table. Columns of other tables don't count.
    func columnName(aliases: [AnyObject]) -> String?

    /// The expression whose opposite number the node is; nil if it is something else.
    var oppositeNumber: SQLExpression? { get }

    /// A more readable expression with the value of `NOT node`; nil if there is none.
    var negation: SQLExpression? { get }

    /// The node, after the operands that a collation applies to were changed; nil if it applies to
    /// the node itself.
    func mapCollatedOperands(
        _ transform: (SQLExpression) -> SQLExpression
    ) -> (any SQLNode)?

    /// The ordering term that sorts the other way around; nil if it is `node DESC`.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if nobody can know.
    func reversedOrdering() throws -> (any SQLNode)?

    /// The node, after what it sorts by was changed.
    func mapOrderedTerm(_ transform: (any SQLNode) -> any SQLNode) -> any SQLNode

    /// What is known about the rows for which the node is true.
    var condition: SQLCondition { get }

    /// The children of the node. A subquery counts as a leaf.
    var children: [any SQLNode] { get }

    /// The number of levels of the tree: 1 for a node that is not made of others.
    var depth: Int { get }
}

/// The columns that a node makes when it is selected.
enum SelectedColumns {
    case count(Int)
    /// Those of its table, but some.
    case ofTable(excluding: Set<CaseInsensitiveIdentifier>)
    case unknown
}

/// What is known about the rows that meet a condition.
enum SQLCondition {
    case unknown
    /// The same for all rows.
    case constant(DatabaseValue)
    case all([SQLExpression])
    case any([SQLExpression])
    /// Both sides are equal.
    case equal(SQLExpression, SQLExpression)
    /// The first one equals one of the others.
    case oneOf(SQLExpression, [SQLExpression])
    /// A condition on the columns of an aliased table.
    case onTable(alias: AnyObject, any SQLNode)
}

extension SQLNode {
    var isAtom: Bool { true }

    var isRightAtom: Bool { isAtom }

    var isAggregate: Bool { false }

    var isRow: Bool { false }

    var isJSON: Bool { false }

    var isMatch: Bool { false }

    var isRepeatable: Bool { false }

    var isEmbeddedQuery: Bool { false }

    var isEmptyLiteral: Bool { false }

    var isOpaque: Bool { false }

    var isWindowFunction: Bool { false }

    var isNamed: Bool { false }

    var selectedColumns: SelectedColumns { .count(1) }

    var selectedExpression: SQLExpression? { SQLExpression(self) }

    var excludedColumns: Set<CaseInsensitiveIdentifier>? { nil }

    var tableAlias: AnyObject? { nil }

    var unqualified: (any SQLNode)? { nil }

    func columnName(aliases: [AnyObject]) -> String? { nil }

    var oppositeNumber: SQLExpression? { nil }

    var negation: SQLExpression? { nil }

    func mapCollatedOperands(
        _ transform: (SQLExpression) -> SQLExpression
    ) -> (any SQLNode)? { nil }

    func reversedOrdering() throws -> (any SQLNode)? { nil }

    func mapOrderedTerm(_ transform: (any SQLNode) -> any SQLNode) -> any SQLNode {
        transform(self)
    }

    var condition: SQLCondition { .unknown }

    var children: [any SQLNode] { [] }

    var depth: Int { 1 + children.reduce(0) { max($0, $1.depth) } }

    /// Whether the node, or one that it is made of, passes a test.
    func contains(where test: (any SQLNode) -> Bool) -> Bool {
        test(self) || children.contains { $0.contains(where: test) }
    }

    /// Writes the node as the operand of another one.
    func writeOperand(to writer: SQLWriter) throws {
        if isAtom {
            try write(to: writer)
        } else {
            writer.append(sql: "(")
            try write(to: writer)
            writer.append(sql: ")")
        }
    }
}

extension SQLExpression {
    /// The node, if it is of the type.
    ///
    /// Most nodes are of another type than they are asked for. Comparing types says so in a few
    /// instructions, where a cast would call the runtime.
    @inline(__always)
    func node<Node: SQLNode>(as nodeType: Node.Type) -> Node? {
        guard hasNode(nodeType) else { return nil }
        // Generic over what the node is, which is `Node`.
        func converted<Other: SQLNode>(_ node: Other) -> Node {
            unsafeBitCast(node, to: Node.self)
        }
        let node: any SQLNode = self.node
        return converted(node)
    }

    /// Whether the node is of the type.
    @inline(__always)
    func hasNode<Node: SQLNode>(_ nodeType: Node.Type) -> Bool {
        type(of: node) == nodeType
    }
}

extension SQLExpression: SQLExpressible {
    public var sqlExpression: SQLExpression { self }
}

extension SQLExpression: SQLNode {
    func write(to writer: SQLWriter) throws {
        try writer.checkStack()
        try node.write(to: writer)
    }

    var isAtom: Bool { node.isAtom }

    var isAggregate: Bool { node.isAggregate }

    var isRepeatable: Bool { node.isRepeatable }

    var children: [any SQLNode] { [node] }
}

extension Sequence<SQLExpression> {
    /// The greatest depth of the expressions, 0 without any.
    var maximumDepth: Int { reduce(0) { Swift.max($0, $1.depth) } }
}
