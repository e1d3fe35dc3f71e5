// Aggregates of texts, and percentiles.
//
// Related SQLite documentation: <https://www.sqlite.org/lang_aggfunc.html>

// MARK: - Texts

/// The `GROUP_CONCAT` SQL function: the texts of all values that are not NULL, one after the other.
///
/// ```swift
/// // GROUP_CONCAT("name")
/// groupConcat(Column("name"))
/// // GROUP_CONCAT("name", '; ' ORDER BY "score" DESC) FILTER (WHERE "isActive")
/// groupConcat(
///     Column("name"), separator: "; ", orderBy: Column("score").desc,
///     filter: Column("isActive"))
/// ```
///
/// Without an order, that of the texts is not defined. Without any value, the result is NULL.
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_aggfunc.html#group_concat>
///
/// - parameters:
///     - value: an expression.
///     - separator: the text between two values; a comma by default.
///     - orderings: the order of the values.
///     - filter: a condition on the rows.
public func groupConcat(
    _ value: some SQLSpecificExpressible, separator: (any SQLExpressible)? = nil,
    orderBy orderings: any SQLOrderingTerm..., filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
    .groupConcat(
        value.sqlExpression, separator: separator?.sqlExpression, orderBy: orderings, filter: filter
    )
}

/// The `GROUP_CONCAT` SQL function, on distinct values, with commas between them.
///
/// ```swift
/// // GROUP_CONCAT(DISTINCT "team" ORDER BY "team")
/// groupConcat(distinct: Column("team"), orderBy: Column("team"))
/// ```
///
/// SQLite accepts no other separator between distinct values.
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_aggfunc.html#group_concat>
public func groupConcat(
    distinct value: some SQLSpecificExpressible, orderBy orderings: any SQLOrderingTerm...,
    filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
    .groupConcat(value.sqlExpression, isDistinct: true, orderBy: orderings, filter: filter)
}

extension SQLExpression {
    static func groupConcat(
        _ value: SQLExpression, separator: SQLExpression? = nil, isDistinct: Bool = false,
        orderBy orderings: [any SQLOrderingTerm], filter: (any SQLExpressible)?
    ) -> SQLExpression {
        SQLExpression(
            FunctionCall(
                aggregate: "GROUP_CONCAT", arguments: [value] + (separator.map { [$0] } ?? []),
                isDistinct: isDistinct, orderings: orderings.map(\.sqlOrdering),
                filter: filter?.sqlExpression))
    }
}

// MARK: - Percentiles

/// The `MEDIAN` SQL function: the number in the middle of all that are not NULL, a real.
///
/// ```swift
/// // MEDIAN("score")
/// median(Column("score"))
/// ```
///
/// The median of an even number of values lies between two of them. Without any value, the result is
/// NULL. Texts and blobs are an error.
///
/// Related SQLite documentation: <https://www.sqlite.org/percentile.html>
public func median(
    _ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
    SQLExpression(
        FunctionCall(
            aggregate: "MEDIAN", arguments: [value.sqlExpression], filter: filter?.sqlExpression))
}

/// The `MEDIAN` SQL function, on distinct values.
///
/// ```swift
/// // MEDIAN(DISTINCT "score")
/// median(distinct: Column("score"))
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/percentile.html>
public func median(
    distinct value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
    SQLExpression(
        FunctionCall(
            aggregate: "MEDIAN", arguments: [value.sqlExpression], isDistinct: true,
            filter: filter?.sqlExpression))
}

/// The `PERCENTILE` SQL function: the number that a percentage of all others is less than or equal
/// to.
///
/// ```swift
/// // PERCENTILE("duration", 95)
/// percentile(Column("duration"), 95)
/// ```
///
/// The result may lie between two values. Without any value, it is NULL.
///
/// Related SQLite documentation: <https://www.sqlite.org/percentile.html>
///
/// - parameter value: the values, a column for example.
/// - parameter percentage: from 0 to 100, the same for all rows.
/// - parameter filter: a condition on the rows; nil for all rows.
public func percentile(
    _ value: some SQLSpecificExpressible, _ percentage: some SQLExpressible,
    filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
    SQLExpression(
        FunctionCall(
            aggregate: "PERCENTILE", arguments: [value.sqlExpression, percentage.sqlExpression],
            filter: filter?.sqlExpression))
}

/// The `PERCENTILE_CONT` SQL function: as ``percentile(_:_:filter:)``, with a fraction.
///
/// ```swift
/// // PERCENTILE_CONT("duration", 0.95)
/// percentileCont(Column("duration"), 0.95)
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/percentile.html>
///
/// - parameter value: the values, a column for example.
/// - parameter fraction: from 0 to 1, the same for all rows.
/// - parameter filter: a condition on the rows; nil for all rows.
public func percentileCont(
    _ value: some SQLSpecificExpressible, _ fraction: some SQLExpressible,
    filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
    SQLExpression(
        FunctionCall(
            aggregate: "PERCENTILE_CONT",
            arguments: [value.sqlExpression, fraction.sqlExpression],
            filter: filter?.sqlExpression))
}

/// The `PERCENTILE_DISC` SQL function: as ``percentileCont(_:_:filter:)``, but always one of the
/// values.
///
/// ```swift
/// // PERCENTILE_DISC("duration", 0.95)
/// percentileDisc(Column("duration"), 0.95)
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/percentile.html>
///
/// - parameter value: the values, a column for example.
/// - parameter fraction: from 0 to 1, the same for all rows.
/// - parameter filter: a condition on the rows; nil for all rows.
public func percentileDisc(
    _ value: some SQLSpecificExpressible, _ fraction: some SQLExpressible,
    filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
    SQLExpression(
        FunctionCall(
            aggregate: "PERCENTILE_DISC",
            arguments: [value.sqlExpression, fraction.sqlExpression],
            filter: filter?.sqlExpression))
}
