/// A type that can be converted to an SQL expression.
///
/// Database values, columns and SQL literals conform. They can be used wherever the API expects a
/// value or an expression.
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
/// Use `SQLExpression` as a result type. For function parameters, prefer ``SQLExpressible``, or
/// `SQLSpecificExpressible`, to which plain Swift values don't conform:
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
    /// The node of the expression tree. Higher layers define the nodes that they build.
    let node: any SQLNode

    /// The traits of the node. They are stored, because the traits of an operation depend on its
    /// operands.
    let traits: SQLTraits

    private let storedDepth: UInt16

    /// The number of levels of the tree.
    var depth: Int { Int(storedDepth) }

    init(_ node: consuming some SQLNode) {
        let depth = node.depth
        if depth <= Self.maximumDepth {
            traits = node.traits
            self.node = node
            storedDepth = UInt16(truncatingIfNeeded: depth)
        } else {
            self.node = TooDeepExpression()
            traits = []
            storedDepth = 1
        }
    }

    /// SQLite accepts 1000 levels. Some nodes add no level in SQL.
    ///
    /// Trees must not be deeper, because all operations on them are recursive, including
    /// deallocation.
    private static var maximumDepth: Int { 1010 }
}

/// A placeholder for an expression that is too deep for SQLite.
private struct TooDeepExpression: SQLLeaf {
    var traits: SQLTraits { [] }

    func write(to writer: SQLWriter) throws {
        throw DatabaseError(message: "Expression tree is too large (maximum depth 1000)")
    }
}

extension SQLExpression {
    /// The node, if it has the type.
    ///
    /// Most nodes do not have the requested type. Comparing types needs only a few instructions; a
    /// cast would call the runtime.
    @inline(__always)
    func node<Node: SQLNode>(as nodeType: Node.Type) -> Node? {
        guard hasNode(nodeType) else { return nil }
        // Generic over the type of the node, which is `Node`.
        func converted<Other: SQLNode>(_ node: Other) -> Node {
            unsafeBitCast(node, to: Node.self)
        }
        let node: any SQLNode = self.node
        return converted(node)
    }

    /// Whether the node has the type.
    @inline(__always)
    func hasNode<Node: SQLNode>(_ nodeType: Node.Type) -> Bool {
        node.isInstance(of: nodeType)
    }
}

extension SQLNode {
    /// Whether the node has the type. Unlike `type(of:)`, which copies the node and calls the runtime, a method knows
    /// the type of its receiver.
    fileprivate func isInstance<Node: SQLNode>(of type: Node.Type) -> Bool { Self.self == type }
}

extension SQLExpression {
    /// Whether the expression is the value NULL.
    package var isNullValue: Bool { node(as: DatabaseValue.self)?.isNull == true }
}

extension SQLExpression: SQLExpressible {
    public var sqlExpression: SQLExpression { self }
}

extension SQLExpression: SQLFragment {
    func write(to writer: SQLWriter) throws {
        try writer.checkStack()
        try node.write(to: writer)
    }

    /// Writes the expression as an operand of another expression.
    func writeOperand(to writer: SQLWriter) throws {
        if !traits.contains(.compound) { return try write(to: writer) }
        writer.append(sql: "(")
        try write(to: writer)
        writer.append(sql: ")")
    }
}

extension Sequence<SQLExpression> {
    /// The maximum depth of the expressions; 0 if there are none.
    var maximumDepth: Int { reduce(0) { Swift.max($0, $1.depth) } }

    /// The nodes of the expressions.
    var nodes: [any SQLNode] { map(\.node) }
}
