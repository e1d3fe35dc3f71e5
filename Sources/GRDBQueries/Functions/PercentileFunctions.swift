import GRDB

// The median and other percentiles.
//
// Related SQLite documentation: <https://www.sqlite.org/percentile.html>

/// The `MEDIAN` SQL function: the median of all non-NULL values, as a real.
///
/// ```swift
/// // MEDIAN("score")
/// median(Column("score"))
/// ```
///
/// The median of an even number of values is the average of the two middle values. The result is
/// NULL if there are no non-NULL values. SQLite throws an error for texts and blobs.
///
/// Related SQLite documentation: <https://www.sqlite.org/percentile.html>
public func median(
    _ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
    .aggregate("MEDIAN", value, filter: filter)
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
    .aggregate("MEDIAN", value, distinct: true, filter: filter)
}

/// The `PERCENTILE` SQL function: the number below which a given percentage of the values lie.
///
/// ```swift
/// // PERCENTILE("duration", 95)
/// percentile(Column("duration"), 95)
/// ```
///
/// The result may lie between two values. It is NULL if there are no non-NULL values.
///
/// Related SQLite documentation: <https://www.sqlite.org/percentile.html>
///
/// - parameter value: the values, for example a column.
/// - parameter percentage: a number from 0 to 100, the same for all rows.
/// - parameter filter: a condition on the rows; nil for all rows.
public func percentile(
    _ value: some SQLSpecificExpressible, _ percentage: some SQLExpressible,
    filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
    .aggregate("PERCENTILE", [value.sqlExpression, percentage.sqlExpression], filter: filter)
}

/// The `PERCENTILE_CONT` SQL function: like ``percentile(_:_:filter:)``, with a fraction instead of
/// a percentage.
///
/// ```swift
/// // PERCENTILE_CONT("duration", 0.95)
/// percentileCont(Column("duration"), 0.95)
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/percentile.html>
///
/// - parameter value: the values, for example a column.
/// - parameter fraction: a number from 0 to 1, the same for all rows.
/// - parameter filter: a condition on the rows; nil for all rows.
public func percentileCont(
    _ value: some SQLSpecificExpressible, _ fraction: some SQLExpressible,
    filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
    .aggregate("PERCENTILE_CONT", [value.sqlExpression, fraction.sqlExpression], filter: filter)
}

/// The `PERCENTILE_DISC` SQL function: like ``percentileCont(_:_:filter:)``, but the result is
/// always one of the values.
///
/// ```swift
/// // PERCENTILE_DISC("duration", 0.95)
/// percentileDisc(Column("duration"), 0.95)
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/percentile.html>
///
/// - parameter value: the values, for example a column.
/// - parameter fraction: a number from 0 to 1, the same for all rows.
/// - parameter filter: a condition on the rows; nil for all rows.
public func percentileDisc(
    _ value: some SQLSpecificExpressible, _ fraction: some SQLExpressible,
    filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
    .aggregate("PERCENTILE_DISC", [value.sqlExpression, fraction.sqlExpression], filter: filter)
}
