/// The name of a table in a statement. See ``TableAlias``.
public class TableAliasBase: @unchecked Sendable {
    // `@unchecked Sendable`: the only property is constant, and the only subclass is final.

    let name: String?

    /// The alias that this alias refers to; nil if it refers to no other alias.
    private let original: TableAliasBase?

    init(name: String?, standingFor original: TableAliasBase? = nil) {
        self.name = name
        self.original = original
    }

    /// The alias that queries use.
    var root: TableAliasBase { original ?? self }

    /// A column of the aliased table.
    public subscript(_ column: String) -> SQLExpression {
        self[Column(column)]
    }

    /// An expression whose columns belong to the aliased table.
    public subscript(_ expression: some SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(QualifiedNode(base: expression.sqlExpression.node, alias: root))
    }

    /// A typed expression whose columns belong to the aliased table.
    public subscript<Value>(
        _ expression: some TypedExpressible<Value>
    ) -> TypedExpression<Value> {
        TypedExpression(self[expression.untyped])
    }

    /// A JSON expression whose columns belong to the aliased table.
    public subscript(_ expression: some SQLJSONExpressible) -> AnySQLJSONExpressible {
        AnySQLJSONExpressible(json: self[expression.sqlExpression])
    }

    /// An ordering whose columns belong to the aliased table.
    public subscript(_ ordering: some SQLOrderingTerm) -> SQLOrdering {
        SQLOrdering(
            ordering.sqlOrdering.node.mapOrderedTerm { QualifiedNode(base: $0, alias: root) })
    }

    /// A selection whose columns belong to the aliased table.
    public subscript(_ selectable: some SQLSelectable) -> SQLSelection {
        SQLSelection(QualifiedNode(base: selectable.sqlSelection.node, alias: root))
    }
}

/// Two aliases are equal if they are the same object. Two aliases of the same name may refer to
/// different tables.
extension TableAliasBase: Hashable {
    public static func == (lhs: TableAliasBase, rhs: TableAliasBase) -> Bool {
        lhs === rhs
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

/// A name for a table in a statement, so that other parts of the statement can refer to its
/// columns.
///
/// ```swift
/// // SELECT * FROM "team"
/// // WHERE EXISTS (SELECT * FROM "player" WHERE "teamId" = "team"."id")
/// let teamAlias = TableAlias<Team>()
/// let player = Player.filter { $0.teamId == teamAlias.id }
/// let teams = Team.aliased(teamAlias).filter(player.exists())
/// ```
///
/// Give the alias a name if the same table is used twice:
///
/// ```swift
/// // SELECT "coach".* FROM "player" "coach"
/// // WHERE EXISTS (SELECT * FROM "player" WHERE "coachId" = "coach"."id")
/// let coachAlias = TableAlias<Player>(name: "coach")
/// let coachedPlayer = Player.filter { $0.coachId == coachAlias.id }
/// let coaches = Player.aliased(coachAlias).filter(coachedPlayer.exists())
/// ```
///
/// The `doUpdate` closure of an upsert receives an alias for the values that were not inserted:
///
/// ```swift
/// let upserted = try player.upsertAndFetch(db, doUpdate: { excluded in
///     [Column("score").set(to: excluded["score"])]
/// })
/// ```
///
/// See <doc:JoinedRequests#Filter-by-the-other-table>.
@dynamicMemberLookup
public final class TableAlias<RowDecoder>: TableAliasBase, @unchecked Sendable {
    /// Creates an alias for the table of a record type.
    ///
    /// - parameter name: the name of the table in the statement; nil for the name of the table
    ///   itself.
    /// - parameter record: the record type.
    public init(name: String? = nil, for record: RowDecoder.Type = RowDecoder.self) {
        super.init(name: name)
    }

    /// Creates an alias that refers to another alias, with the columns of the record type.
    init(standingFor original: TableAliasBase) {
        super.init(name: original.name, standingFor: original)
    }
}

extension TableAlias where RowDecoder == Never {
    /// Never called: `@dynamicMemberLookup` requires a subscript in the class. Extensions with a
    /// known record type define the useful subscripts.
    public subscript(dynamicMember keyPath: KeyPath<Never, Never>) -> Never? { nil }
}

extension TableAlias where RowDecoder == Void {
    /// Creates an alias for a table without a record type.
    ///
    /// - parameter name: the name of the table in the statement; nil for the name of the table
    ///   itself.
    public convenience init(name: String? = nil) {
        self.init(name: name, for: Void.self)
    }
}

/// A node on the columns of one table.
struct QualifiedNode: SQLNode {
    let base: any SQLNode
    let alias: TableAliasBase

    func write(to writer: SQLWriter) throws {
        try writer.withQualifier(writer.context.qualifier(for: alias)) {
            try base.write(to: writer)
        }
    }

    /// The traits of the base. The base is also a child, so its other traits are found there.
    var traits: SQLTraits {
        base.traits.intersection([.compound, .bindsTightly, .aggregate, .json, .repeatable])
    }

    var children: [any SQLNode] { [base] }

    var depth: Int { 1 + base.depth }

    var selectedColumns: SelectedColumns { base.selectedColumns }

    var selectedExpression: SQLExpression? { base.selectedExpression.map { alias[$0] } }

    var tableAlias: AnyObject? { alias }

    var unqualified: (any SQLNode)? { base }

    func columnName(aliases: [AnyObject]) -> String? {
        aliases.contains { $0 === alias } ? base.columnName(aliases: aliases) : nil
    }

    var condition: SQLCondition { .onTable(alias: alias, base) }
}
