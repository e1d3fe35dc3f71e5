import GRDB

// Aggregate functions of typed expressions. Their results are typed as well.
//
// Related SQLite documentation: <https://www.sqlite.org/lang_aggfunc.html>

// MARK: - Counts

/// The `COUNT` SQL function: the number of values that are not NULL.
///
/// ```swift
/// // COUNT("email") FILTER (WHERE "isActive")
/// count(Player.Columns.email, filter: Player.Columns.isActive)
/// ```
///
/// - parameter value: the values, a column for example.
/// - parameter filter: a condition on the rows; nil for all rows.
public func count(
    _ value: some TypedExpressible, filter: (any SQLExpressible)? = nil
) -> TypedExpression<Int> {
    TypedExpression(SQLExpression.aggregate("COUNT", value.untyped, filter: filter))
}

/// The `COUNT` SQL function, on distinct values.
public func count(
    distinct value: some TypedExpressible, filter: (any SQLExpressible)? = nil
) -> TypedExpression<Int> {
    TypedExpression(SQLExpression.aggregate("COUNT", value.untyped, distinct: true, filter: filter))
}

// MARK: - Averages and totals

/// The `AVG` SQL function: the average of numbers; NULL if there are no non-NULL values.
///
/// - parameter value: the values, a column for example.
/// - parameter filter: a condition on the rows; nil for all rows.
public func average(
    _ value: some TypedExpressible, filter: (any SQLExpressible)? = nil
) -> TypedExpression<Double?> {
    TypedExpression(SQLExpression.aggregate("AVG", value.untyped, filter: filter))
}

/// The `AVG` SQL function, on distinct values.
public func average(
    distinct value: some TypedExpressible, filter: (any SQLExpressible)? = nil
) -> TypedExpression<Double?> {
    TypedExpression(SQLExpression.aggregate("AVG", value.untyped, distinct: true, filter: filter))
}

/// The `TOTAL` SQL function: the sum of numbers, always a real; 0 if there are no non-NULL values.
///
/// - parameter value: the values, a column for example.
/// - parameter filter: a condition on the rows; nil for all rows.
public func total(
    _ value: some TypedExpressible, filter: (any SQLExpressible)? = nil
) -> TypedExpression<Double> {
    TypedExpression(SQLExpression.aggregate("TOTAL", value.untyped, filter: filter))
}

/// The `TOTAL` SQL function, on distinct values.
public func total(
    distinct value: some TypedExpressible, filter: (any SQLExpressible)? = nil
) -> TypedExpression<Double> {
    TypedExpression(SQLExpression.aggregate("TOTAL", value.untyped, distinct: true, filter: filter))
}

// MARK: - Sums

/// The `SUM` SQL function: the sum of numbers; NULL if there are no non-NULL values.
///
/// - parameter value: the values, a column for example.
/// - parameter filter: a condition on the rows; nil for all rows.
public func sum<Value: Numeric>(
    _ value: some TypedExpressible<Value>, filter: (any SQLExpressible)? = nil
) -> TypedExpression<Value?> {
    TypedExpression(SQLExpression.aggregate("SUM", value.untyped, filter: filter))
}

/// The `SUM` SQL function, on distinct values.
public func sum<Value: Numeric>(
    distinct value: some TypedExpressible<Value>, filter: (any SQLExpressible)? = nil
) -> TypedExpression<Value?> {
    TypedExpression(SQLExpression.aggregate("SUM", value.untyped, distinct: true, filter: filter))
}

/// The `SUM` SQL function: the sum of numbers; NULL if there are no non-NULL values.
///
/// - parameter value: the values, a column for example.
/// - parameter filter: a condition on the rows; nil for all rows.
public func sum<Value: Numeric>(
    _ value: some TypedExpressible<Value?>, filter: (any SQLExpressible)? = nil
) -> TypedExpression<Value?> {
    TypedExpression(SQLExpression.aggregate("SUM", value.untyped, filter: filter))
}

/// The `SUM` SQL function, on distinct values.
public func sum<Value: Numeric>(
    distinct value: some TypedExpressible<Value?>, filter: (any SQLExpressible)? = nil
) -> TypedExpression<Value?> {
    TypedExpression(SQLExpression.aggregate("SUM", value.untyped, distinct: true, filter: filter))
}

// MARK: - Maximum and minimum

/// The `MAX` SQL function: the greatest value; NULL if there are no non-NULL values.
///
/// - parameter value: the values, a column for example.
/// - parameter filter: a condition on the rows; nil for all rows.
public func max<Value>(
    _ value: some TypedExpressible<Value>, filter: (any SQLExpressible)? = nil
) -> TypedExpression<Value?> {
    TypedExpression(SQLExpression.aggregate("MAX", value.untyped, filter: filter))
}

/// The `MAX` SQL function: the greatest value; NULL if there are no non-NULL values.
///
/// - parameter value: the values, a column for example.
/// - parameter filter: a condition on the rows; nil for all rows.
public func max<Value>(
    _ value: some TypedExpressible<Value?>, filter: (any SQLExpressible)? = nil
) -> TypedExpression<Value?> {
    TypedExpression(SQLExpression.aggregate("MAX", value.untyped, filter: filter))
}

/// The `MIN` SQL function: the least value; NULL if there are no non-NULL values.
///
/// - parameter value: the values, a column for example.
/// - parameter filter: a condition on the rows; nil for all rows.
public func min<Value>(
    _ value: some TypedExpressible<Value>, filter: (any SQLExpressible)? = nil
) -> TypedExpression<Value?> {
    TypedExpression(SQLExpression.aggregate("MIN", value.untyped, filter: filter))
}

/// The `MIN` SQL function: the least value; NULL if there are no non-NULL values.
///
/// - parameter value: the values, a column for example.
/// - parameter filter: a condition on the rows; nil for all rows.
public func min<Value>(
    _ value: some TypedExpressible<Value?>, filter: (any SQLExpressible)? = nil
) -> TypedExpression<Value?> {
    TypedExpression(SQLExpression.aggregate("MIN", value.untyped, filter: filter))
}

// MARK: - Texts

/// The `GROUP_CONCAT` SQL function: the non-NULL values, as one text; NULL if there are none. See
/// ``groupConcat(_:separator:orderBy:filter:)-(SQLSpecificExpressible,_,_,_)``.
///
/// - parameters:
///     - value: an expression.
///     - separator: the text between two values; a comma by default.
///     - orderings: the order of the values. Without orderings, the order is undefined.
///     - filter: a condition on the rows; nil for all rows.
public func groupConcat(
    _ value: some TypedExpressible, separator: String? = nil,
    orderBy orderings: any SQLOrderingTerm..., filter: (any SQLExpressible)? = nil
) -> TypedExpression<String?> {
    TypedExpression(
        SQLExpression.groupConcat(
            value.untyped, separator: separator?.sqlExpression, orderBy: orderings, filter: filter))
}

/// The `GROUP_CONCAT` SQL function, on distinct values, separated with commas.
public func groupConcat(
    distinct value: some TypedExpressible, orderBy orderings: any SQLOrderingTerm...,
    filter: (any SQLExpressible)? = nil
) -> TypedExpression<String?> {
    TypedExpression(
        SQLExpression.groupConcat(
            value.untyped, isDistinct: true, orderBy: orderings, filter: filter))
}
