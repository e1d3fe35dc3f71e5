// The shapes of queries of several tables, and of tables with aliases.

extension Relation {
    /// Adds the tables of a query to a shape: their aliases, and the conditions and scopes of joins.
    ///
    /// Aliases are declared before all nodes that refer to them.
    func appendTables(to shape: inout QueryShapeWriter) {
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
    func forEachJoinedRelation(_ body: (Relation) -> Void) {
        for join in joins {
            body(join.relation)
            join.relation.forEachJoinedRelation(body)
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
