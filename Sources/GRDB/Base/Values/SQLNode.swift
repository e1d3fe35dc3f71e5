/// A part of an SQL text that writes itself with its arguments.
protocol SQLFragment: Sendable {
    func write(to writer: SQLWriter) throws

    /// Adds all data that determines the text of the fragment, and the values of its parameters in
    /// order. Gives up if the text depends on other data.
    func append(to shape: inout QueryShapeWriter)
}

extension SQLFragment {
    func append(to shape: inout QueryShapeWriter) {
        shape.giveUp()
    }
}

/// A node in the tree of an expression, a selected column or an ordering term.
///
/// Each node defines its traits, its children and its depth. They have no default that a new node
/// could forget to override. ``SQLLeaf`` and ``SQLOperation`` provide the children and the depth
/// for their kinds of nodes. The other requirements apply to few nodes. If a node does not
/// implement them, requests are written in another way, with the same result.
protocol SQLNode: SQLFragment {
    /// The properties of the node that affect requests.
    var traits: SQLTraits { get }

    /// The children of the node. A subquery counts as a leaf.
    var children: [any SQLNode] { get }

    /// The number of levels of the tree: 1 for a node without children.
    var depth: Int { get }

    /// The columns that the node adds to the result when it is selected.
    var selectedColumns: SelectedColumns { get }

    /// The selected expression without its name; nil if there may be several.
    var selectedExpression: SQLExpression? { get }

    /// The columns of its table that the node excludes, so that the other columns must be written
    /// out; nil if the node can be written unchanged.
    var excludedColumns: Set<CaseInsensitiveIdentifier>? { get }

    /// The alias of the table that the columns of the node belong to, or nil.
    var tableAlias: AnyObject? { get }

    /// The node without its `tableAlias`; nil if the node has no alias.
    var unqualified: (any SQLNode)? { get }

    /// The name of the column; nil if the node is not a column.
    ///
    /// - parameter aliases: the aliases of the table. Columns of other tables are ignored.
    func columnName(aliases: [AnyObject]) -> String?

    /// The operand of a numeric negation; nil if the node is not a negation.
    var oppositeNumber: SQLExpression? { get }

    /// A more readable expression with the value of `NOT node`, or nil.
    var negation: SQLExpression? { get }

    /// The node with transformed operands, for operands to which a collation applies; nil if the
    /// collation applies to the node itself.
    func mapCollatedOperands(
        _ transform: (SQLExpression) -> SQLExpression
    ) -> (any SQLNode)?

    /// The ordering term with the reversed order; nil if it is `node DESC`.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the reversed order can't be
    ///   determined.
    func reversedOrdering() throws -> (any SQLNode)?

    /// The node with a transformed sort expression.
    func mapOrderedTerm(_ transform: (any SQLNode) -> any SQLNode) -> any SQLNode

    /// The known properties of the rows for which the node is true.
    var condition: SQLCondition { get }
}

/// The properties of a node that affect requests.
struct SQLTraits: OptionSet, Sendable {
    let rawValue: UInt16

    /// The node needs parentheses as an operand of another node.
    static let compound = SQLTraits(rawValue: 1)

    /// A compound node that needs no parentheses as the right operand of another node.
    static let bindsTightly = SQLTraits(rawValue: 1 << 1)

    /// The node, or one of its children, computes one value from all rows of a group.
    static let aggregate = SQLTraits(rawValue: 1 << 2)

    /// The node is a row of several values.
    static let row = SQLTraits(rawValue: 1 << 3)

    /// The value of the node is JSON, as far as the tree shows.
    static let json = SQLTraits(rawValue: 1 << 4)

    /// The node searches a virtual table.
    static let match = SQLTraits(rawValue: 1 << 5)

    /// The node can be written twice: its value is the same both times, and its text is short.
    static let repeatable = SQLTraits(rawValue: 1 << 6)

    /// The node is raw SQL text, which may contain several expressions, or an aggregate.
    static let opaque = SQLTraits(rawValue: 1 << 7)

    /// The node calls a window function.
    static let windowFunction = SQLTraits(rawValue: 1 << 8)

    /// The node is an expression with a name: `expression AS "name"`.
    static let named = SQLTraits(rawValue: 1 << 9)

    /// The traits that a node inherits from its operands.
    private static let inherited: SQLTraits = .aggregate

    /// The traits that a node inherits from an operand with these traits.
    var whenInherited: SQLTraits { intersection(.inherited) }
}

extension Sequence<SQLExpression> {
    /// The traits that a node inherits from these operands.
    var inheritedTraits: SQLTraits {
        reduce(into: []) { $0.formUnion($1.traits.whenInherited) }
    }
}

/// The columns that a node adds to the result when it is selected.
enum SelectedColumns {
    case count(Int)
    /// The columns of its table, except the excluded columns.
    case ofTable(excluding: Set<CaseInsensitiveIdentifier>)
    case unknown
}

/// The known properties of the rows that meet a condition.
enum SQLCondition {
    case unknown
    /// The condition has the same value for all rows.
    case constant(DatabaseValue)
    case all([SQLExpression])
    case any([SQLExpression])
    /// Both sides are equal.
    case equal(SQLExpression, SQLExpression)
    /// The first expression equals one of the other expressions.
    case oneOf(SQLExpression, [SQLExpression])
    /// A condition on the columns of an aliased table.
    case onTable(alias: AnyObject, any SQLNode)
}

extension SQLNode {
    var selectedColumns: SelectedColumns { .count(1) }

    var selectedExpression: SQLExpression? {
        @_semantics("optimize.sil.specialize.generic.never")  // 300 bytes per type of node
        get { SQLExpression(self) }
    }

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

    /// Whether the node computes one value from all rows of a group.
    var isAggregate: Bool { traits.contains(.aggregate) }

    /// Whether the node, or one of its descendants, has a trait.
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

/// A node whose children are expressions.
protocol SQLOperation: SQLNode {
    var operands: [SQLExpression] { get }
}

extension SQLOperation {
    var children: [any SQLNode] { operands.nodes }

    var depth: Int { 1 + operands.maximumDepth }
}
