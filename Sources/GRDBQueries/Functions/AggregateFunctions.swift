import GRDB

// The forms of the built-in aggregate functions that GRDB 7 does not have.
//
// Related SQLite documentation: <https://www.sqlite.org/lang_aggfunc.html>

// MARK: - Numbers

/// The `COUNT` SQL function, on the rows that meet a condition.
///
/// ```swift
/// // COUNT("email") FILTER (WHERE "isActive")
/// count(Column("email"), filter: Column("isActive"))
/// ```
public func count(
    _ counted: some SQLSpecificExpressible, filter: some SQLSpecificExpressible
) -> SQLExpression {
    .aggregate("COUNT", counted, filter: filter)
}

/// The `COUNT` SQL function, on distinct values of the rows that meet a condition.
public func count(
    distinct value: some SQLSpecificExpressible, filter: some SQLSpecificExpressible
) -> SQLExpression {
    .aggregate("COUNT", value, distinct: true, filter: filter)
}

/// The `AVG` SQL function, on distinct values.
///
/// ```swift
/// // AVG(DISTINCT "score")
/// average(distinct: Column("score"))
/// ```
public func average(distinct value: some SQLSpecificExpressible) -> SQLExpression {
    .aggregate("AVG", value, distinct: true)
}

/// The `AVG` SQL function, on distinct values of the rows that meet a condition.
public func average(
    distinct value: some SQLSpecificExpressible, filter: some SQLSpecificExpressible
) -> SQLExpression {
    .aggregate("AVG", value, distinct: true, filter: filter)
}

/// The `SUM` SQL function, on distinct values.
///
/// ```swift
/// // SUM(DISTINCT "score")
/// sum(distinct: Column("score"))
/// ```
public func sum(distinct value: some SQLSpecificExpressible) -> SQLExpression {
    .aggregate("SUM", value, distinct: true)
}

/// The `SUM` SQL function, on distinct values of the rows that meet a condition.
public func sum(
    distinct value: some SQLSpecificExpressible, filter: some SQLSpecificExpressible
) -> SQLExpression {
    .aggregate("SUM", value, distinct: true, filter: filter)
}

/// The `TOTAL` SQL function, on distinct values.
///
/// ```swift
/// // TOTAL(DISTINCT "score")
/// total(distinct: Column("score"))
/// ```
public func total(distinct value: some SQLSpecificExpressible) -> SQLExpression {
    .aggregate("TOTAL", value, distinct: true)
}

/// The `TOTAL` SQL function, on distinct values of the rows that meet a condition.
public func total(
    distinct value: some SQLSpecificExpressible, filter: some SQLSpecificExpressible
) -> SQLExpression {
    .aggregate("TOTAL", value, distinct: true, filter: filter)
}

// MARK: - Texts

/// The `GROUP_CONCAT` SQL function: the concatenation of all non-NULL values, as text.
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
/// Without orderings, the order of the values is undefined. The result is NULL if there are no
/// non-NULL values.
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

/// The `GROUP_CONCAT` SQL function, on distinct values, separated with commas.
///
/// ```swift
/// // GROUP_CONCAT(DISTINCT "team" ORDER BY "team")
/// groupConcat(distinct: Column("team"), orderBy: Column("team"))
/// ```
///
/// SQLite accepts no other separator for distinct values.
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
        aggregate(
            "GROUP_CONCAT", [value] + (separator.map { [$0] } ?? []), distinct: isDistinct,
            orderBy: orderings, filter: filter)
    }
}
