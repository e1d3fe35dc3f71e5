import GRDB

// The built-in window functions, and `OVER`.
//
// The functions without arguments are disfavored overloads, so that they don't hide functions of
// the same names in an app.
//
// Related SQLite documentation: <https://www.sqlite.org/windowfunctions.html>

/// A function that can only be called on a window.
///
/// ```swift
/// // RANK() OVER (ORDER BY "score" DESC)
/// rank().over(orderBy: Column("score").desc)
/// ```
public struct SQLWindowFunction: Sendable {
    private let call: SQLExpression

    fileprivate init(_ name: String, _ arguments: [SQLExpression] = []) {
        call = .function(name, arguments: arguments)
    }

    /// Calls the function on a window.
    ///
    /// ```swift
    /// // RANK() OVER (PARTITION BY "team" ORDER BY "score" DESC)
    /// rank().over(partitionBy: Column("team"), orderBy: Column("score").desc)
    /// ```
    ///
    /// - parameters:
    ///     - partitions: the expressions that divide the rows into partitions.
    ///     - orderings: the order of the rows within a partition.
    ///     - frame: the rows of the partition that belong to the window.
    public func over(
        partitionBy partitions: any SQLExpressible..., orderBy orderings: any SQLOrderingTerm...,
        frame: SQLWindowFrame? = nil
    ) -> SQLExpression {
        over(SQLWindow(partitionBy: partitions, orderBy: orderings, frame: frame))
    }

    /// Calls the function on a window.
    ///
    /// ```swift
    /// // RANK() OVER "byScore"
    /// rank().over(.named("byScore"))
    /// ```
    public func over(_ window: SQLWindow) -> SQLExpression {
        call.calling(over: window.reference)
    }
}

extension SQLSpecificExpressible {
    /// Calls an aggregate on a window. The query keeps all its rows.
    ///
    /// ```swift
    /// // SUM("score") OVER (PARTITION BY "team" ORDER BY "date")
    /// sum(Column("score")).over(partitionBy: Column("team"), orderBy: Column("date"))
    ///
    /// // COUNT(*) FILTER (WHERE "isActive") OVER ()
    /// count(.all, filter: Column("isActive")).over()
    /// ```
    ///
    /// The expression must be a call of an aggregate without orderings and distinct values. A
    /// custom aggregate must be a window function: see `DatabaseWindowAggregate` of the product `GRDBFunctions`. Other
    /// expressions throw a ``/GRDB/DatabaseError``.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/windowfunctions.html>
    ///
    /// - parameters:
    ///     - partitions: the expressions that divide the rows into partitions.
    ///     - orderings: the order of the rows within a partition.
    ///     - frame: the rows of the partition that belong to the window. By default, the rows up to
    ///       the current row and its ties; without orderings, all rows of the partition.
    public func over(
        partitionBy partitions: any SQLExpressible..., orderBy orderings: any SQLOrderingTerm...,
        frame: SQLWindowFrame? = nil
    ) -> SQLExpression {
        over(SQLWindow(partitionBy: partitions, orderBy: orderings, frame: frame))
    }

    /// Calls an aggregate on a window. The query keeps all its rows.
    ///
    /// ```swift
    /// // SUM("score") OVER "byTeam"
    /// sum(Column("score")).over(.named("byTeam"))
    /// ```
    public func over(_ window: SQLWindow) -> SQLExpression {
        sqlExpression.calling(over: window.reference)
    }
}

// MARK: - Ranks

/// The `ROW_NUMBER` SQL function: the number of the row in its partition, from 1.
///
/// ```swift
/// // ROW_NUMBER() OVER (ORDER BY "name")
/// rowNumber().over(orderBy: Column("name"))
/// ```
@_disfavoredOverload
public func rowNumber() -> SQLWindowFunction {
    SQLWindowFunction("ROW_NUMBER")
}

/// The `RANK` SQL function: the row number of the first of the tied rows.
///
/// ```swift
/// // RANK() OVER (ORDER BY "score" DESC)
/// rank().over(orderBy: Column("score").desc)
/// ```
@_disfavoredOverload
public func rank() -> SQLWindowFunction {
    SQLWindowFunction("RANK")
}

/// The `DENSE_RANK` SQL function: the number of the group of tied rows, without gaps.
///
/// ```swift
/// // DENSE_RANK() OVER (ORDER BY "score" DESC)
/// denseRank().over(orderBy: Column("score").desc)
/// ```
@_disfavoredOverload
public func denseRank() -> SQLWindowFunction {
    SQLWindowFunction("DENSE_RANK")
}

/// The `PERCENT_RANK` SQL function: the rank, scaled to numbers from 0 to 1.
///
/// ```swift
/// // PERCENT_RANK() OVER (ORDER BY "score")
/// percentRank().over(orderBy: Column("score"))
/// ```
@_disfavoredOverload
public func percentRank() -> SQLWindowFunction {
    SQLWindowFunction("PERCENT_RANK")
}

/// The `CUME_DIST` SQL function: the fraction of rows that precede the row or are tied with it.
///
/// ```swift
/// // CUME_DIST() OVER (ORDER BY "score")
/// cumeDist().over(orderBy: Column("score"))
/// ```
@_disfavoredOverload
public func cumeDist() -> SQLWindowFunction {
    SQLWindowFunction("CUME_DIST")
}

/// The `NTILE` SQL function: the number of the row's group, if the partition is divided into groups
/// of nearly equal size.
///
/// ```swift
/// // NTILE(4) OVER (ORDER BY "score")
/// ntile(4).over(orderBy: Column("score"))
/// ```
///
/// - parameter count: the number of groups. SQLite throws an error if it is not positive.
@_disfavoredOverload
public func ntile(_ count: some SQLExpressible) -> SQLWindowFunction {
    SQLWindowFunction("NTILE", [count.sqlExpression])
}

// MARK: - Values of other rows

/// The `LAG` SQL function: the value of an expression in a preceding row.
///
/// ```swift
/// // LAG("score") OVER (ORDER BY "date")
/// lag(Column("score")).over(orderBy: Column("date"))
/// // LAG("score", 7, 0) OVER (ORDER BY "date")
/// lag(Column("score"), 7, default: 0).over(orderBy: Column("date"))
/// ```
///
/// - parameters:
///     - value: an expression.
///     - offset: the distance to the preceding row, in rows. It must not be negative.
///     - defaultValue: the result if the partition has no such row; NULL by default.
public func lag(
    _ value: some SQLSpecificExpressible, _ offset: (any SQLExpressible)? = nil,
    default defaultValue: (any SQLExpressible)? = nil
) -> SQLWindowFunction {
    SQLWindowFunction("LAG", value, offset, defaultValue)
}

/// The `LEAD` SQL function: the value of an expression in a following row.
///
/// ```swift
/// // LEAD("score") OVER (ORDER BY "date")
/// lead(Column("score")).over(orderBy: Column("date"))
/// // LEAD("score", 7, 0) OVER (ORDER BY "date")
/// lead(Column("score"), 7, default: 0).over(orderBy: Column("date"))
/// ```
///
/// - parameters:
///     - value: an expression.
///     - offset: the distance to the following row, in rows. It must not be negative.
///     - defaultValue: the result if the partition has no such row; NULL by default.
public func lead(
    _ value: some SQLSpecificExpressible, _ offset: (any SQLExpressible)? = nil,
    default defaultValue: (any SQLExpressible)? = nil
) -> SQLWindowFunction {
    SQLWindowFunction("LEAD", value, offset, defaultValue)
}

extension SQLWindowFunction {
    fileprivate init(
        _ name: String, _ value: some SQLSpecificExpressible, _ offset: (any SQLExpressible)?,
        _ defaultValue: (any SQLExpressible)?
    ) {
        var arguments = [value.sqlExpression]
        if let offset {
            arguments.append(offset.sqlExpression)
        } else if defaultValue != nil {
            arguments.append(1.sqlExpression)
        }
        if let defaultValue { arguments.append(defaultValue.sqlExpression) }
        self.init(name, arguments)
    }
}

/// The `FIRST_VALUE` SQL function: the value of an expression in the first row of the frame.
///
/// ```swift
/// // FIRST_VALUE("name") OVER (ORDER BY "score" DESC)
/// firstValue(Column("name")).over(orderBy: Column("score").desc)
/// ```
public func firstValue(_ value: some SQLSpecificExpressible) -> SQLWindowFunction {
    SQLWindowFunction("FIRST_VALUE", [value.sqlExpression])
}

/// The `LAST_VALUE` SQL function: the value of an expression in the last row of the frame.
///
/// ```swift
/// // LAST_VALUE("name") OVER (
/// //   ORDER BY "score" ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
/// lastValue(Column("name")).over(
///     orderBy: Column("score"),
///     frame: .rows(from: .currentRow, to: .unboundedFollowing))
/// ```
///
/// By default, the frame ends at the current row.
public func lastValue(_ value: some SQLSpecificExpressible) -> SQLWindowFunction {
    SQLWindowFunction("LAST_VALUE", [value.sqlExpression])
}

/// The `NTH_VALUE` SQL function: the value of an expression in a given row of the frame, or NULL if
/// there is no such row.
///
/// ```swift
/// // NTH_VALUE("name", 2) OVER (ORDER BY "score" DESC)
/// nthValue(Column("name"), 2).over(orderBy: Column("score").desc)
/// ```
///
/// - parameter value: the expression, for example a column.
/// - parameter number: the number of the row in the frame, counted from 1.
public func nthValue(
    _ value: some SQLSpecificExpressible, _ number: some SQLExpressible
) -> SQLWindowFunction {
    SQLWindowFunction("NTH_VALUE", [value.sqlExpression, number.sqlExpression])
}
