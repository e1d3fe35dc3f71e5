import GRDB

extension QueryInterfaceRequest {
    /// Limits the rows to those that follow a row in the order of the request: a page of keys.
    ///
    /// ```swift
    /// let request = Player.order { [$0.name, $0.id] }
    ///
    /// // SELECT * FROM "player" ORDER BY "name", "id" LIMIT 20
    /// let first = try request.limit(20, after: nil).fetchAll(db)
    ///
    /// // SELECT * FROM "player" WHERE ("name", "id") > ('Barbara', 7) ORDER BY "name", "id" LIMIT 20
    /// let second = try request.limit(20, after: first.last.map { [$0.name, $0.id] }).fetchAll(db)
    /// ```
    ///
    /// Unlike an offset, it skips no row and repeats none when rows before it are inserted or deleted, and an index
    /// on the terms of the order finds the page without reading the rows before it. Terms may have different
    /// directions: an index then serves the first terms that have one direction.
    ///
    /// The order must distinguish all rows: let it end with the primary key. Its terms must not be NULL: rows in which
    /// one of them is NULL are on no page but the first.
    ///
    /// Call this method after the request is ordered and filtered. Any previous limit is replaced.
    ///
    /// - parameter count: the maximum number of rows.
    /// - parameter values: the values of the terms of the order in the last row of the page before; nil for the first
    ///   page. The statement fails with an error of code `SQLITE_MISUSE` if a value is NULL, if there is not one
    ///   value for each term, or if a term is an SQL literal or the number of a result column.
    public func limit(_ count: Int, after values: [any SQLExpressible]?) -> Self {
        guard let values else { return limit(count) }
        let expressions = values.map(\.sqlExpression)
        return limit(count).filterWhenConnected { db in
            try PageOrder(orderings(db) ?? [], expressions).condition
        }
    }
}

/// The terms of an order, and the values of a row.
private struct PageOrder {
    private var terms: ArraySlice<(expression: SQLExpression, isDescending: Bool)> = []
    private var values: ArraySlice<SQLExpression>

    init(_ orderings: [SQLOrdering], _ values: [SQLExpression]) throws {
        if orderings.isEmpty { throw Self.error("has no terms") }
        if orderings.count != values.count {
            throw Self.error("has \(orderings.count) terms, not \(values.count)")
        }
        if values.contains(where: { $0.isNullValue }) {
            throw Self.error("can't follow NULL")
        }
        self.values = values[...]
        for ordering in orderings {
            guard let term = try ordering.directedTerm else {
                throw Self.error("has the number of a result column")
            }
            terms.append(term)
        }
    }

    static func error(_ problem: String) -> DatabaseError {
        DatabaseError(misuse: "limit(_:after:): the order of the request \(problem)")
    }

    /// The condition that a row comes after the values.
    var condition: SQLExpression {
        let isDescending = terms.first!.isDescending
        let count = terms.prefix { $0.isDescending == isDescending }.count
        let (left, right) = (
            Self.row(terms.prefix(count).map(\.expression)), Self.row(Array(values.prefix(count)))
        )
        let follows = isDescending ? left < right : left > right
        if count == terms.count { return follows }
        var rest = self
        rest.terms.removeFirst(count)
        rest.values.removeFirst(count)
        // An index finds the first part.
        return (isDescending ? left <= right : left >= right) && (follows || rest.condition)
    }

    private static func row(_ expressions: [SQLExpression]) -> SQLExpression {
        if expressions.count == 1 { return expressions[0] }
        return .row(expressions)
    }
}
