import GRDB

// Calls of custom aggregates with distinct values, orderings and filters.

extension DatabaseFunction {
    /// Returns an SQL expression that calls the aggregate on distinct values.
    ///
    /// ```swift
    /// // SELECT product(DISTINCT "factor") FROM "rate"
    /// Rate.select { product(distinct: $0.factor) }
    /// ```
    ///
    /// The expression throws a ``/GRDB/DatabaseError`` of code `SQLITE_MISUSE` if the function is not an
    /// aggregate.
    ///
    /// - parameter value: an expression. SQLite accepts only one argument with `DISTINCT`.
    public func callAsFunction(distinct value: some SQLSpecificExpressible) -> SQLExpression {
        aggregate([value.sqlExpression], isDistinct: true)
    }

    /// Returns an SQL expression that calls the aggregate on distinct values of the rows that meet a
    /// condition.
    ///
    /// ```swift
    /// // SELECT product(DISTINCT "factor") FILTER (WHERE "isActive") FROM "rate"
    /// Rate.select { product(distinct: $0.factor, filter: $0.isActive) }
    /// ```
    ///
    /// - parameter value: an expression. SQLite accepts only one argument with `DISTINCT`.
    /// - parameter condition: a condition on the aggregated rows.
    public func callAsFunction(
        distinct value: some SQLSpecificExpressible, filter condition: some SQLSpecificExpressible
    ) -> SQLExpression {
        aggregate([value.sqlExpression], isDistinct: true, filter: condition.sqlExpression)
    }

    /// Returns an SQL expression that calls the aggregate on the rows that meet a condition.
    ///
    /// ```swift
    /// // SELECT product("factor") FILTER (WHERE "isActive") FROM "rate"
    /// Rate.select { product($0.factor, filter: $0.isActive) }
    /// ```
    ///
    /// The expression throws a ``/GRDB/DatabaseError`` of code `SQLITE_MISUSE` if the function is not an
    /// aggregate.
    ///
    /// - parameter arguments: the arguments.
    /// - parameter condition: a condition on the aggregated rows.
    public func callAsFunction(
        _ arguments: any SQLExpressible..., filter condition: some SQLSpecificExpressible
    ) -> SQLExpression {
        aggregate(arguments.map(\.sqlExpression), filter: condition.sqlExpression)
    }

    /// Returns an SQL expression that calls the aggregate on sorted rows.
    ///
    /// ```swift
    /// // SELECT letters("name" ORDER BY "date") FROM "player"
    /// Player.select { letters($0.name, orderBy: [$0.date]) }
    /// ```
    ///
    /// The expression throws a ``/GRDB/DatabaseError`` of code `SQLITE_MISUSE` if the function is not an
    /// aggregate.
    ///
    /// - parameter arguments: the arguments.
    /// - parameter orderings: the order in which the aggregate receives the rows.
    /// - parameter condition: a condition on the aggregated rows; nil for all rows.
    public func callAsFunction(
        _ arguments: any SQLExpressible..., orderBy orderings: [any SQLOrderingTerm],
        filter condition: (any SQLSpecificExpressible)? = nil
    ) -> SQLExpression {
        aggregate(
            arguments.map(\.sqlExpression), orderings: orderings.map(\.sqlOrdering),
            filter: condition?.sqlExpression)
    }

    private func aggregate(
        _ arguments: [SQLExpression], isDistinct: Bool = false, orderings: [SQLOrdering] = [],
        filter: SQLExpression? = nil
    ) -> SQLExpression {
        let name = name
        guard isAggregate else {
            return .dependingOnTable { _, _, _ in
                throw DatabaseError(
                    misuse: """
                        The function \(name) is not an aggregate: it takes neither distinct values, \
                        nor an order or a filter
                        """)
            }
        }
        return .aggregate(
            name.quotedIfNeeded, arguments, distinct: isDistinct, orderBy: orderings,
            filter: filter)
    }
}
