/// A part of an SQL text, which writes itself with its arguments.
protocol SQLFragment: Sendable {
    func write(to writer: SQLWriter) throws

    /// Adds what the text of the fragment depends on, and the values of its parameters in their order;
    /// gives up if it depends on more.
    func append(to shape: inout QueryShapeWriter)
}

extension SQLFragment {
    func append(to shape: inout QueryShapeWriter) {
        shape.giveUp()
    }
}

/// A node of the tree of an expression, a selected column or an ordering term.
///
/// Each node states its traits, its children and its depth: none of them has a default that a new node
/// could forget to replace. ``SQLLeaf`` and ``SQLOperation`` provide the children and the depth of nodes
/// of their kinds. All other requirements are about what only few nodes know. Without them, a request is
/// written in another way, with the same result.
protocol SQLNode: SQLFragment {
    /// What requests must know about the node.
    var traits: SQLTraits { get }

    /// The children of the node. A subquery counts as a leaf.
    var children: [any SQLNode] { get }

    /// The number of levels of the tree: 1 for a node without children.
    var depth: Int { get }

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
}

/// What requests must know about a node.
struct SQLTraits: OptionSet, Sendable {
    let rawValue: UInt16

    /// The node needs parentheses as the operand of another one.
    static let compound = SQLTraits(rawValue: 1)

    /// A compound node that needs no parentheses as the right operand of another one.
    static let bindsTightly = SQLTraits(rawValue: 1 << 1)

    /// The node makes one value of all rows of a group, or one of its children does.
    static let aggregate = SQLTraits(rawValue: 1 << 2)

    /// The node is a row of several values.
    static let row = SQLTraits(rawValue: 1 << 3)

    /// The value of the node is JSON, as far as the tree knows.
    static let json = SQLTraits(rawValue: 1 << 4)

    /// The node searches a virtual table.
    static let match = SQLTraits(rawValue: 1 << 5)

    /// The node can be written twice: both have the same value, and the text is short.
    static let repeatable = SQLTraits(rawValue: 1 << 6)

    /// The node is text that was written by hand, and that may hold several expressions, or an
    /// aggregate.
    static let opaque = SQLTraits(rawValue: 1 << 7)

    /// The node calls a window function.
    static let windowFunction = SQLTraits(rawValue: 1 << 8)

    /// The node is an expression with a name: `expression AS "name"`.
    static let named = SQLTraits(rawValue: 1 << 9)

    /// The traits that a node has because one of its operands has them.
    private static let inherited: SQLTraits = .aggregate

    /// The traits that a node gets from its operands.
    static func inherited(from operands: SQLExpression...) -> SQLTraits {
        operands.inheritedTraits
    }

    /// The traits that a node gets from these traits of an operand.
    var whenInherited: SQLTraits { intersection(.inherited) }
}

extension Sequence<SQLExpression> {
    /// The traits that a node gets from these operands.
    var inheritedTraits: SQLTraits {
        reduce(into: []) { $0.formUnion($1.traits.whenInherited) }
    }
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

    /// Whether the node makes one value of all rows of a group.
    var isAggregate: Bool { traits.contains(.aggregate) }

    /// Whether the node, or one that it is made of, has a trait.
    func contains(_ trait: SQLTraits) -> Bool {
        traits.contains(trait) || children.contains { $0.contains(trait) }
    }
}

/// A node without children.
protocol SQLLeaf: SQLNode {}

extension SQLLeaf {
    var children: [any SQLNode] { [] }

    var depth: Int { 1 }
}

/// A node that is made of expressions.
protocol SQLOperation: SQLNode {
    var operands: [SQLExpression] { get }
}

extension SQLOperation {
    var children: [any SQLNode] { operands.nodes }

    var depth: Int { 1 + operands.maximumDepth }
}
