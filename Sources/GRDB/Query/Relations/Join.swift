/// A relation that is joined to another relation.
struct Join: Sendable {
    enum Kind: Sendable {
        /// `JOIN`
        case required
        /// `LEFT JOIN`
        case optional
    }

    /// The name of the scope of the joined columns in fetched rows.
    var key: String

    /// The key of the association when its rows are prefetched; nil if it is `key`.
    var prefetchedKey: String?

    var kind: Kind

    var condition: JoinCondition

    var relation: Relation
}

/// The condition that determines which rows are joined.
enum JoinCondition: Sendable {
    /// Every row is joined to every row.
    case none

    /// A condition on the columns of both tables.
    case expression(
        @Sendable (_ left: TableAliasBase, _ right: TableAliasBase) throws -> any SQLExpressible)

    /// The columns of a foreign key are equal.
    case foreignKey(ForeignKeyJoin)

    /// The condition from the other side.
    var reversed: JoinCondition {
        switch self {
        case .none: .none
        case .expression(let condition): .expression { try condition($1, $0) }
        case .foreignKey(let join): .foreignKey(join.reversed)
        }
    }

    /// The conditions, all of which must be satisfied.
    func expressions(
        _ db: Database, left: TableAliasBase, right: TableAliasBase
    ) throws -> [SQLExpression] {
        switch self {
        case .none: []
        case .expression(let condition): [try condition(left, right).sqlExpression]
        case .foreignKey(let join):
            try join.columns(db).map { right[Column($0.right)] == left[Column($0.left)] }
        }
    }

    /// Whether both conditions certainly differ. Closures can't be compared: the last condition
    /// wins, even if it is `none`.
    fileprivate func differs(from other: JoinCondition) -> Bool {
        switch (self, other) {
        case (.none, .none), (.expression, .expression), (.none, .expression),
            (.expression, .none):
            false
        case (.foreignKey(let join), .foreignKey(let otherJoin)): join != otherJoin
        default: true
        }
    }
}

/// A join or a prefetch, which is added to a relation. Internal.
public struct _RelationJoin: Sendable {
    let add: @Sendable (inout Relation) -> Void

    init(_ join: Join) { add = { $0.join(join) } }

    /// Joins an association, and appends its columns to those of the relation.
    init(annotating association: _AssociationJoin, _ kind: Join.Kind) {
        let alias = TableAliasBase(name: nil)
        let parts = association.join.relation.selection
        let join = association.joined(kind) { join in
            join.relation.selection = .init()
            join.relation.aliases.append(alias)
        }
        add = { relation in
            if !parts.isEmpty {
                relation.selection.append { db in
                    try parts.resolve(db).map { $0.qualified(by: alias) }
                }
            }
            relation.join(join)
        }
    }

    init(_ prefetch: Prefetch) { add = { $0.prefetch(prefetch) } }
}

extension SQLSelectable {
    /// The selection, with the columns of the aliased table.
    fileprivate func qualified(by alias: TableAliasBase) -> SQLSelection { alias[self] }
}

extension Relation {
    /// Joins a relation, or refines the relation that was joined with the same key.
    mutating func join(_ newJoin: Join) {
        guard let index = joins.firstIndex(where: { $0.key == newJoin.key }) else {
            if prefetches.contains(where: { $0.keyPath == [newJoin.key] }) {
                ambiguousKey = newJoin.key
            }
            joins.append(newJoin)
            return
        }
        if !joins[index].merge(newJoin) {
            ambiguousKey = newJoin.key
        }
    }

    /// Prefetches a relation, or refines the prefetch with the same path.
    fileprivate mutating func prefetch(_ newPrefetch: Prefetch) {
        let keyPath = newPrefetch.keyPath
        guard let index = prefetches.firstIndex(where: { $0.keyPath == keyPath }) else {
            if keyPath.count == 1, joins.contains(where: { $0.key == newPrefetch.key }) {
                ambiguousKey = newPrefetch.key
            }
            prefetches.append(newPrefetch)
            return
        }
        for step in newPrefetch.path.indices
        where !prefetches[index].path[step].merge(newPrefetch.path[step]) {
            ambiguousKey = newPrefetch.key
        }
    }

    /// Adds the parts of another relation on the same table.
    fileprivate mutating func merge(_ other: Relation) {
        aliases += other.aliases
        if let arguments = other.arguments { self.arguments = arguments }
        if !other.selection.isEmpty { selection = other.selection }
        isDistinct = isDistinct || other.isDistinct
        filters += other.filters
        grouping = other.grouping ?? grouping
        groupFilters += other.groupFilters
        if !other.ordering.isEmpty { ordering = other.ordering }
        limit = other.limit ?? limit
        for join in other.joins { self.join(join) }
        for prefetch in other.prefetches { self.prefetch(prefetch) }
        for commonTable in other.commonTables {
            commonTables.define(commonTable)
        }
        if let key = other.ambiguousKey { ambiguousKey = key }
    }
}

extension Join {
    /// Merges another join with the same key. If one of them is required, the result is required.
    ///
    /// - returns: whether both join the same table in the same way.
    fileprivate mutating func merge(_ other: Join) -> Bool {
        guard relation.tableName.name.hasSameBytes(as: other.relation.tableName.name),
            relation.tableName.schema == other.relation.tableName.schema
        else { return false }
        if condition.differs(from: other.condition) { return false }
        // Of several closures, the last one wins.
        condition = other.condition
        if other.kind == .required { kind = .required }
        relation.merge(other.relation)
        return true
    }
}
