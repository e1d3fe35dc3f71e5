import GRDB

// Window functions of typed expressions.

extension TypedExpression {
    /// Calls an aggregate as a window function, over the rows around each row. See
    /// ``SQLSpecificExpressible/over(partitionBy:orderBy:frame:)``.
    ///
    /// ```swift
    /// // SUM("score") OVER (PARTITION BY "team")
    /// sum(Player.Columns.score).over(partitionBy: Player.Columns.team)
    /// ```
    public func over(
        partitionBy partitions: any SQLExpressible..., orderBy orderings: any SQLOrderingTerm...,
        frame: SQLWindowFrame? = nil
    ) -> TypedExpression<Value> {
        over(SQLWindow(partitionBy: partitions, orderBy: orderings, frame: frame))
    }

    /// Calls an aggregate as a window function, over the rows of a window.
    public func over(_ window: SQLWindow) -> TypedExpression<Value> {
        TypedExpression(untyped.over(window))
    }
}

/// A window function whose values have a Swift type. See ``SQLWindowFunction``.
public struct TypedWindowFunction<Value>: Sendable {
    private let function: SQLWindowFunction

    fileprivate init(_ function: SQLWindowFunction) {
        self.function = function
    }

    /// The function, on a window.
    ///
    /// ```swift
    /// // LAG("score") OVER (ORDER BY "day")
    /// lag(Player.Columns.score).over(orderBy: Player.Columns.day)
    /// ```
    public func over(
        partitionBy partitions: any SQLExpressible..., orderBy orderings: any SQLOrderingTerm...,
        frame: SQLWindowFrame? = nil
    ) -> TypedExpression<Value> {
        over(SQLWindow(partitionBy: partitions, orderBy: orderings, frame: frame))
    }

    /// The function, on a window.
    public func over(_ window: SQLWindow) -> TypedExpression<Value> {
        TypedExpression(function.over(window))
    }
}

// MARK: - Values of other rows

/// The `LAG` SQL function: the value of an expression in a preceding row.
///
/// - parameter value: the expression, for example a column.
/// - parameter offset: the distance to the preceding row, in rows; nil for 1.
/// - parameter defaultValue: the result if the partition has no such row; nil for NULL.
public func lag<Value: SQLExpressible>(
    _ value: some TypedExpressible<Value>, _ offset: Int? = nil, default defaultValue: Value? = nil
) -> TypedWindowFunction<Value?> {
    TypedWindowFunction(lag(value.untyped, offset, default: defaultValue))
}

/// The `LAG` SQL function: the value of an expression in a preceding row.
///
/// - parameter value: the expression, for example a column.
/// - parameter offset: the distance to the preceding row, in rows; nil for 1.
/// - parameter defaultValue: the result if the partition has no such row; nil for NULL.
public func lag<Value: SQLExpressible>(
    _ value: some TypedExpressible<Value?>, _ offset: Int? = nil, default defaultValue: Value? = nil
) -> TypedWindowFunction<Value?> {
    TypedWindowFunction(lag(value.untyped, offset, default: defaultValue))
}

/// The `LEAD` SQL function: the value of an expression in a following row.
///
/// - parameter value: the expression, for example a column.
/// - parameter offset: the distance to the following row, in rows; nil for 1.
/// - parameter defaultValue: the result if the partition has no such row; nil for NULL.
public func lead<Value: SQLExpressible>(
    _ value: some TypedExpressible<Value>, _ offset: Int? = nil, default defaultValue: Value? = nil
) -> TypedWindowFunction<Value?> {
    TypedWindowFunction(lead(value.untyped, offset, default: defaultValue))
}

/// The `LEAD` SQL function: the value of an expression in a following row.
///
/// - parameter value: the expression, for example a column.
/// - parameter offset: the distance to the following row, in rows; nil for 1.
/// - parameter defaultValue: the result if the partition has no such row; nil for NULL.
public func lead<Value: SQLExpressible>(
    _ value: some TypedExpressible<Value?>, _ offset: Int? = nil, default defaultValue: Value? = nil
) -> TypedWindowFunction<Value?> {
    TypedWindowFunction(lead(value.untyped, offset, default: defaultValue))
}

/// The `FIRST_VALUE` SQL function: the value in the first row of the frame, or NULL if the frame is
/// empty.
public func firstValue<Value>(
    _ value: some TypedExpressible<Value>
) -> TypedWindowFunction<Value?> {
    TypedWindowFunction(firstValue(value.untyped))
}

/// The `FIRST_VALUE` SQL function: the value in the first row of the frame, or NULL if the frame is
/// empty.
public func firstValue<Value>(
    _ value: some TypedExpressible<Value?>
) -> TypedWindowFunction<Value?> {
    TypedWindowFunction(firstValue(value.untyped))
}

/// The `LAST_VALUE` SQL function: the value in the last row of the frame, or NULL if the frame is
/// empty.
public func lastValue<Value>(
    _ value: some TypedExpressible<Value>
) -> TypedWindowFunction<Value?> {
    TypedWindowFunction(lastValue(value.untyped))
}

/// The `LAST_VALUE` SQL function: the value in the last row of the frame, or NULL if the frame is
/// empty.
public func lastValue<Value>(
    _ value: some TypedExpressible<Value?>
) -> TypedWindowFunction<Value?> {
    TypedWindowFunction(lastValue(value.untyped))
}

/// The `NTH_VALUE` SQL function: the value in a given row of the frame, or NULL if there is no such
/// row.
///
/// - parameter value: the expression, for example a column.
/// - parameter number: the number of the row in the frame, counted from 1.
public func nthValue<Value>(
    _ value: some TypedExpressible<Value>, _ number: Int
) -> TypedWindowFunction<Value?> {
    TypedWindowFunction(nthValue(value.untyped, number))
}

/// The `NTH_VALUE` SQL function: the value in a given row of the frame, or NULL if there is no such
/// row.
///
/// - parameter value: the expression, for example a column.
/// - parameter number: the number of the row in the frame, counted from 1.
public func nthValue<Value>(
    _ value: some TypedExpressible<Value?>, _ number: Int
) -> TypedWindowFunction<Value?> {
    TypedWindowFunction(nthValue(value.untyped, number))
}
