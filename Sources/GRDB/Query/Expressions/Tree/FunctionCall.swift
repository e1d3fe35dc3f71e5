/// `name(argument, …)`: a call of a scalar, aggregate or window function.
struct FunctionCall: SQLNode {
    let name: String
    let arguments: [SQLExpression]
    /// Whether the function computes one value from all rows of a group.
    var isAggregateFunction = false
    /// Whether the aggregate ignores duplicate values.
    var isDistinct = false
    /// The order in which the aggregate receives the rows.
    var orderings: [SQLOrdering] = []
    /// The condition on the rows that the aggregate receives.
    var filter: SQLExpression?
    /// The window of the function: the text after `OVER`.
    var window: Syntax?

    func write(to writer: SQLWriter) throws {
        writer.append(sql: name)
        writer.append(sql: isDistinct ? "(DISTINCT " : "(")
        try writer.append(list: arguments)
        if !orderings.isEmpty {
            writer.append(sql: " ORDER BY ")
            try writer.append(list: orderings)
        }
        writer.append(sql: ")")
        if let filter {
            writer.append(sql: " FILTER (WHERE ")
            try filter.write(to: writer)
            writer.append(sql: ")")
        }
        if let window {
            writer.append(sql: " OVER ")
            try window.write(to: writer)
        }
    }

    var traits: SQLTraits {
        var traits = arguments.inheritedTraits
        for ordering in orderings { traits.formUnion(ordering.node.traits.whenInherited) }
        if let filter {
            traits.formUnion(.compound)
            traits.formUnion(filter.traits.whenInherited)
        }
        if let window {
            // A window function does not reduce the number of rows.
            traits.formUnion([.compound, .windowFunction])
            if window.isAggregate { traits.formUnion(.aggregate) }
        } else if isAggregateFunction {
            traits.formUnion(.aggregate)
        }
        return traits
    }

    var children: [any SQLNode] {
        var children = arguments.nodes + orderings.map(\.node)
        if let filter { children.append(filter.node) }
        if let window { children += window.children }
        return children
    }

    var depth: Int {
        let depth = 1 + arguments.maximumDepth
        if orderings.isEmpty, filter == nil, window == nil { return depth }
        return max(depth, 1 + children.reduce(0) { max($0, $1.depth) })
    }
}

extension SQLExpression {
    /// `NAME(argument, …)`
    package static func function(_ name: String, _ arguments: SQLExpression...) -> SQLExpression {
        SQLExpression(FunctionCall(name: name, arguments: arguments))
    }

    /// `NAME(argument, …)`
    package static func function(_ name: String, arguments: [SQLExpression]) -> SQLExpression {
        SQLExpression(FunctionCall(name: name, arguments: arguments))
    }
}

extension DatabaseFunction {
    /// Returns an SQL expression that calls the function.
    ///
    /// ```swift
    /// // SELECT reverse("name") FROM "player"
    /// let reverse = DatabaseFunction("reverse", argumentCount: 1) { dbValues in ... }
    /// Player.select { reverse($0.name) }
    /// ```
    public func callAsFunction(_ arguments: any SQLExpressible...) -> SQLExpression {
        SQLExpression(
            FunctionCall(
                name: name.quotedIfNeeded, arguments: arguments.map(\.sqlExpression),
                isAggregateFunction: isAggregate))
    }
}

extension String {
    /// The name of a function or collation in SQL text, without quotes unless it needs them.
    package var quotedIfNeeded: String { isPlainIdentifier ? self : quotedDatabaseIdentifier }

    /// Whether the string needs no quotes as a function name.
    private var isPlainIdentifier: Bool {
        guard let first = utf8.first, !(0x30...0x39 ~= first) else { return false }
        return utf8.allSatisfy {
            0x30...0x39 ~= $0 || 0x41...0x5a ~= $0 || 0x61...0x7a ~= $0 || $0 == 0x5f
        } && !RawSQLite.isKeyword(self)
    }
}
