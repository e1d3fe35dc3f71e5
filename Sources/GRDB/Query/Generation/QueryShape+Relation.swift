// The shapes of relations: of their clauses, their joined tables, and their aliases.

extension Relation {
    /// Writes the shape of a statement on the rows of the relation, or gives up.
    func writeShape(
        to shape: inout QueryShapeWriter, of use: ResolvedQuery.Use, isOrdered: Bool,
        _ db: Database, _ parts: inout WrittenQueryPlan.Parts,
        _ rest: (inout QueryShapeWriter) -> Void
    ) throws {
        shape.append(.query)
        shape.append(Int(use.rawValue))
        shape.append(tableName)
        shape.append(isDistinct)
        let selects =
            switch use {
            case .fetchAll, .fetchOne, .count, .exist: true
            case .delete, .update: false
            }
        let isOfOneTable = isOfOneTable
        if !isOfOneTable {
            guard selects else { return shape.giveUp() }
            appendTables(to: &shape)
            // Before closures are called.
            guard shape.isComplete else { return }
        }
        if selects {
            parts.selection = try selection.append(to: &shape, isJoined: false, db)
            if !isOfOneTable {
                try forEachJoinedRelation {
                    _ = try $0.selection.append(to: &shape, isJoined: true, db)
                }
            }
        }
        rest(&shape)
        guard shape.isComplete else { return }
        // Values have the order of the text, in which the joins come first.
        if !isOfOneTable { forEachJoinedRelation { $0.filters.append(to: &shape) } }
        if filters.areOnKey {
            // The schema determines the column of the key, so the text depends on the schema.
            shape.append(.keyFilters)
            filters.append(to: &shape)
        } else {
            shape.append(.filters)
            if filters.areGiven {
                // Without closures, the filters may be resolved again later.
                filters.append(to: &shape)
            } else {
                let filters = try resolvedFilters(db)
                parts.filters = filters
                shape.append(conditions: filters)
            }
        }
        guard shape.isComplete else { return }
        if let grouping {
            let terms = try grouping(db).map { $0.sqlExpression }
            parts.grouping = terms
            shape.append(.grouping)
            shape.append(nodes: terms)
        }
        if isOrdered, !isOfOneTable {
            shape.append(.ordering)
            _ = try ordering.append(to: &shape, isOfOneTable: false, db)
            try forEachJoinedRelation {
                _ = try $0.ordering.append(to: &shape, isOfOneTable: false, db)
            }
        } else if isOrdered, !ordering.isEmpty {
            guard selects, !ordering.isStable else { return shape.giveUp() }
            shape.append(.ordering)
            parts.orderings = try ordering.append(to: &shape, isOfOneTable: true, db)
        }
        if let limit {
            guard selects else { return shape.giveUp() }
            shape.append(.limit)
            shape.append(limit.count)
            shape.append(limit.offset != nil)
            shape.append(limit.offset ?? 0)
        }
    }
}

// MARK: - Clauses

extension Relation.SelectionList {
    /// Adds the selection to a shape.
    ///
    /// - parameter isJoined: whether the relation is joined. The closures of joined relations are not called: the
    ///   shape is given up.
    /// - returns: the selection, unless it can be resolved again with the same result.
    fileprivate func append(
        to shape: inout QueryShapeWriter, isJoined: Bool, _ db: Database
    ) throws -> [any SQLSelectable]? {
        if recordType == nil, areGiven {
            shape.append(parts.count)
            for case .given(let selection) in parts { shape.append(node: selection) }
            return nil
        }
        if isJoined, !areGiven {
            shape.giveUp()
            return nil
        }
        let selection = try resolve(db)
        shape.append(selection.count)
        for selectable in selection { shape.append(node: selectable.sqlSelection) }
        return selection
    }
}

extension Relation.Filters {
    fileprivate func append(to shape: inout QueryShapeWriter) {
        let conditions = conditions.array
        shape.append(conditions.count)
        // By index: an iterator would copy the conditions.
        for index in conditions.indices {
            switch conditions[index].content {
            case .closure: shape.giveUp()
            case .given(let condition): shape.append(condition: condition)
            case .key(let key):
                shape.append(key)
                // A blob may be refused: see `checkKey(_:table:)`.
                if case .blob = key.storage { shape.append(true) } else { shape.append(false) }
            }
        }
    }
}

extension Relation.Ordering {
    /// Adds the order to a shape.
    ///
    /// - parameter isOfOneTable: whether no other table is part of the query. Otherwise, the shape is given up if the
    ///   order depends on a closure or on the whole query, or if it is reversed.
    /// - returns: the terms, unless they can be resolved again with the same result.
    fileprivate func append(
        to shape: inout QueryShapeWriter, isOfOneTable: Bool, _ db: Database
    ) throws -> [SQLOrdering]? {
        if areGiven, !isReversed {
            shape.append(terms.count)
            for case .given(let term) in terms { shape.append(node: term) }
            return nil
        }
        guard isOfOneTable else {
            shape.giveUp()
            return nil
        }
        let orderings = try resolve(db, stableTerms: { [] })
        shape.append(nodes: orderings)
        return orderings
    }
}

// MARK: - Tables

extension Relation {
    /// Adds the tables of a query to a shape: their aliases, and the conditions and scopes of joins.
    ///
    /// Aliases are declared before all nodes that refer to them.
    private func appendTables(to shape: inout QueryShapeWriter) {
        shape.append(.tables)
        appendAliases(to: &shape, tableNumber: 0)
        var tableCount = 1
        appendJoins(to: &shape, &tableCount)
    }

    private func appendAliases(to shape: inout QueryShapeWriter, tableNumber: Int) {
        shape.append(aliases.count)
        for alias in aliases {
            shape.append(alias.name)
            shape.declare(alias, ofTable: tableNumber)
        }
    }

    /// - parameter tableCount: the number of tables before the joined tables.
    private func appendJoins(to shape: inout QueryShapeWriter, _ tableCount: inout Int) {
        shape.append(joins.count)
        for join in joins {
            let relation = join.relation
            guard relation.mayHaveShape, !relation.isDistinct, relation.grouping == nil,
                relation.limit == nil, relation.filters.areGiven,
                // The order of values differs inside of parentheses.
                join.kind == .required || relation.joins.allSatisfy({ $0.kind == .optional })
            else { return shape.giveUp() }
            shape.append(join.key)
            shape.append(join.kind == .required)
            join.condition.append(to: &shape)
            shape.append(relation.tableName)
            relation.appendAliases(to: &shape, tableNumber: tableCount)
            tableCount += 1
            relation.appendJoins(to: &shape, &tableCount)
        }
    }

    /// Calls the closure for each joined relation, in the order of the tables.
    fileprivate func forEachJoinedRelation(_ body: (Relation) throws -> Void) rethrows {
        for join in joins {
            try body(join.relation)
            try join.relation.forEachJoinedRelation(body)
        }
    }
}

extension QueryShapeWriter {
    mutating func append(_ table: Relation.TableName) {
        append(table.schema)
        append(table.name)
    }
}

extension JoinCondition {
    /// Adds the condition to a shape, or gives up if the condition is a closure.
    fileprivate func append(to shape: inout QueryShapeWriter) {
        switch self {
        case .none: shape.append(false)
        case .expression: shape.giveUp()
        case .foreignKey(let join):
            shape.append(true)
            shape.append(join.origin)
            shape.append(join.destination)
            shape.append(join.isOriginLeft)
            shape.append(names: join.foreignKey?.originColumns)
            shape.append(names: join.foreignKey?.destinationColumns)
        }
    }
}

extension QueryShapeWriter {
    fileprivate mutating func append(names: [String]?) {
        append(names != nil)
        guard let names else { return }
        append(names.count)
        for name in names { append(name) }
    }
}
