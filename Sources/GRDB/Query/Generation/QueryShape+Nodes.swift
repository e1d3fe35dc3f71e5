// The nodes whose text is determined by their shape. All other nodes give up, which is the default:
// their queries are always written.

extension SQLSelection {
    func append(to shape: inout QueryShapeWriter) { shape.append(node: node) }
}

extension SQLOrdering {
    func append(to shape: inout QueryShapeWriter) { shape.append(node: node) }
}

// MARK: - Columns

extension ColumnNode {
    func append(to shape: inout QueryShapeWriter) {
        shape.append(.column)
        shape.append(name)
    }
}

extension DetachedColumnNode {
    func append(to shape: inout QueryShapeWriter) {
        shape.append(.detachedColumn)
        shape.append(name)
    }
}

extension QualifiedNode {
    func append(to shape: inout QueryShapeWriter) {
        shape.append(.qualified)
        shape.append(alias: alias)
        shape.append(node: base)
    }
}

extension AllColumnsNode {
    func append(to shape: inout QueryShapeWriter) { shape.append(.allColumns) }
}

extension NamedExpression {
    func append(to shape: inout QueryShapeWriter) {
        shape.append(.named)
        shape.append(name)
        shape.append(node: expression)
    }
}

extension DirectedOrdering {
    func append(to shape: inout QueryShapeWriter) {
        shape.append(.directed)
        shape.append(direction.rawValue)
        shape.append(node: term)
    }
}

// MARK: - Functions

extension FunctionCall {
    func append(to shape: inout QueryShapeWriter) {
        if !orderings.isEmpty || filter != nil || window != nil { return shape.giveUp() }
        shape.append(.function)
        shape.append(name)
        shape.append(isAggregateFunction)
        shape.append(isDistinct)
        shape.append(nodes: arguments)
    }
}

extension AnyRow {
    func append(to shape: inout QueryShapeWriter) { shape.append(.anyRow) }
}

extension Keyword {
    func append(to shape: inout QueryShapeWriter) {
        shape.append(.keyword)
        shape.append(sql)
    }
}

extension Cast {
    func append(to shape: inout QueryShapeWriter) {
        shape.append(.cast)
        shape.append(type)
        shape.append(node: operand)
    }
}

// MARK: - Operations

extension BinaryOperation {
    func append(to shape: inout QueryShapeWriter) {
        shape.append(.binary)
        shape.append(sqlOperator.rawValue)
        shape.append(node: left)
        shape.append(node: right)
    }
}

extension AssociativeOperation {
    func append(to shape: inout QueryShapeWriter) {
        shape.append(.associative)
        shape.append(sqlOperator.sql)
        if sqlOperator == .and || sqlOperator == .or {
            shape.append(conditions: operands.array)
        } else {
            shape.append(nodes: operands.array)
        }
    }
}

extension UnaryOperation {
    func append(to shape: inout QueryShapeWriter) {
        shape.append(.unary)
        shape.append(sqlOperator.rawValue)
        shape.append(node: operand)
    }
}

extension Between {
    func append(to shape: inout QueryShapeWriter) {
        shape.append(.between)
        shape.append(isNegated)
        shape.append(node: operand)
        shape.append(node: lowerBound)
        shape.append(node: upperBound)
    }
}

extension Membership {
    func append(to shape: inout QueryShapeWriter) {
        // Many values become array arguments, depending on their types.
        guard case .expressions(let expressions) = list,
            expressions.count < ValueArrays.minimumCount
        else { return shape.giveUp() }
        shape.append(.membership)
        shape.append(isNegated)
        shape.append(node: operand)
        shape.append(nodes: expressions)
    }
}

extension Like {
    func append(to shape: inout QueryShapeWriter) {
        shape.append(.like)
        shape.append(isNegated)
        shape.append(node: operand)
        shape.append(node: pattern)
        shape.append(escape != nil)
        if let escape { shape.append(node: escape) }
    }
}

extension Collated {
    func append(to shape: inout QueryShapeWriter) {
        shape.append(.collated)
        shape.append(collation)
        shape.append(node: operand)
    }
}

extension RowValue {
    func append(to shape: inout QueryShapeWriter) {
        shape.append(.row)
        shape.append(nodes: expressions)
    }
}
