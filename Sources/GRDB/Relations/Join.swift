/// A relation that is joined to another one.
struct Join: Sendable {
    enum Kind: Sendable {
        /// `JOIN`
        case required
        /// `LEFT JOIN`
        case optional
    }

    /// The name of the scope of the joined columns in fetched rows.
    var key: String

    var kind: Kind

    /// Whether the selected columns are those of the origin of the join, and not of a scope.
    var isAnnotation = false

    var condition: JoinCondition

    var relation: Relation
}

/// What tells which rows are joined.
enum JoinCondition: Sendable {
    /// All rows are.
    case none

    /// A condition on the columns of both tables.
    case expression(
        @Sendable (_ left: TableAliasBase, _ right: TableAliasBase) throws -> any SQLExpressible)
}

extension Relation {
    /// Joins a relation, or refines the one that was joined under the same key.
    mutating func join(_ newJoin: _AssociationJoin) {
        let newJoin = newJoin.join
        guard let index = joins.firstIndex(where: { $0.key == newJoin.key }) else {
            joins.append(newJoin)
            return
        }
        joins[index].merge(newJoin)
    }

    /// Adds what another relation on the same table asks for.
    fileprivate mutating func merge(_ other: Relation) {
        aliases += other.aliases
        if !other.selection.isEmpty { selection = other.selection }
        isDistinct = isDistinct || other.isDistinct
        filters += other.filters
        grouping = other.grouping ?? grouping
        groupFilters += other.groupFilters
        if !other.ordering.terms.isEmpty { ordering = other.ordering }
        limit = other.limit ?? limit
        for join in other.joins {
            self.join(_AssociationJoin(join: join))
        }
        for commonTable in other.commonTables {
            add(commonTable)
        }
    }
}

extension Join {
    /// Adds another join under the same key. What one of them requires is required.
    fileprivate mutating func merge(_ other: Join) {
        if other.kind == .required { kind = .required }
        if !other.relation.selection.isEmpty { isAnnotation = other.isAnnotation }
        relation.merge(other.relation)
    }
}
