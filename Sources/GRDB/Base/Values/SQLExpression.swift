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

    /// The traits of the node. They are asked for once, because those of an operation depend on its operands.
    let traits: SQLTraits

    private let storedDepth: UInt16

    /// The number of levels of the tree.
    var depth: Int { Int(storedDepth) }

    init(_ node: some SQLNode) {
        let depth = node.depth
        if depth <= Self.maximumDepth {
            self.node = node
            traits = node.traits
            storedDepth = UInt16(truncatingIfNeeded: depth)
        } else {
            self.node = TooDeepExpression()
            traits = []
            storedDepth = 1
        }
    }

    /// SQLite accepts 1000 levels. Some nodes make none in SQL.
    ///
    /// Trees must not get deeper, because all that is done with them recurses, up to their
    /// deallocation.
    private static var maximumDepth: Int { 1010 }
}

/// A placeholder for an expression that SQLite would not accept.
private struct TooDeepExpression: SQLLeaf {
    var traits: SQLTraits { [] }

    func write(to writer: SQLWriter) throws {
        throw DatabaseError(message: "Expression tree is too large (maximum depth 1000)")
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

extension SQLExpression: SQLFragment {
    func write(to writer: SQLWriter) throws {
        try writer.checkStack()
        try node.write(to: writer)
    }

    /// Writes the expression as the operand of another one.
    func writeOperand(to writer: SQLWriter) throws {
        if !traits.contains(.compound) { return try write(to: writer) }
        writer.append(sql: "(")
        try write(to: writer)
        writer.append(sql: ")")
    }

    /// Whether the expression makes one value of all rows of a group.
    var isAggregate: Bool { traits.contains(.aggregate) }
}

extension Sequence<SQLExpression> {
    /// The greatest depth of the expressions, 0 without any.
    var maximumDepth: Int { reduce(0) { Swift.max($0, $1.depth) } }

    /// The nodes of the expressions.
    var nodes: [any SQLNode] { map(\.node) }
}
