// The built-in aggregate functions.
//
// Related SQLite documentation: <https://www.sqlite.org/lang_aggfunc.html>

extension SQLExpression {
    /// `NAME(value)`, on distinct values, or on the rows that meet a condition.
    package static func aggregate(
        _ name: String, _ value: some SQLSpecificExpressible, distinct: Bool = false,
        filter: (any SQLExpressible)? = nil
    ) -> SQLExpression {
        aggregate(name, [value.sqlExpression], distinct: distinct, filter: filter)
    }

    /// `NAME(DISTINCT argument, … ORDER BY …) FILTER (WHERE …)`
    package static func aggregate(
        _ name: String, _ arguments: [SQLExpression], distinct: Bool = false,
        orderBy orderings: [any SQLOrderingTerm] = [], filter: (any SQLExpressible)?
    ) -> SQLExpression {
        SQLExpression(
            FunctionCall(
                name: name, arguments: arguments, isAggregateFunction: true, isDistinct: distinct,
                orderings: orderings.map(\.sqlOrdering), filter: filter?.sqlExpression))
    }
}

/// All rows, as the argument of ``count(_:)``.
///
/// ```swift
/// // SELECT COUNT(*) FROM "player"
/// Player.select(count(.all))
/// ```
extension SQLSpecificExpressible where Self == SQLExpression {
    /// `*`, as the argument of `count(_:)`.
    public static var all: SQLExpression { SQLExpression(AnyRow()) }
}

/// `*`, the argument of `COUNT`.
struct AnyRow: SQLLeaf {
    var traits: SQLTraits { [] }

    func write(to writer: SQLWriter) throws {
        writer.append(sql: "*")
    }
}

// MARK: - Counts

/// The `COUNT` SQL function: the number of values that are not NULL.
///
/// ```swift
/// // COUNT("email")
/// count(Column("email"))
/// ```
public func count(_ counted: some SQLSpecificExpressible) -> SQLExpression {
    .aggregate("COUNT", counted)
}

/// The `COUNT` SQL function, on distinct values.
///
/// ```swift
/// // COUNT(DISTINCT "email")
/// count(distinct: Column("email"))
/// ```
public func count(distinct value: some SQLSpecificExpressible) -> SQLExpression {
    .aggregate("COUNT", value, distinct: true)
}

// MARK: - Average

/// The `AVG` SQL function: the average of numbers, a real.
///
/// ```swift
/// // AVG("score")
/// average(Column("score"))
/// ```
///
/// The result is NULL if there are no non-NULL values.
public func average(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .aggregate("AVG", value)
}

/// The `AVG` SQL function, on the rows that meet a condition.
///
/// ```swift
/// // AVG("score") FILTER (WHERE "isActive")
/// average(Column("score"), filter: Column("isActive"))
/// ```
public func average(
    _ value: some SQLSpecificExpressible, filter: some SQLSpecificExpressible
) -> SQLExpression {
    .aggregate("AVG", value, filter: filter)
}

// MARK: - Sum

/// The `SUM` SQL function: the sum of numbers. It is an integer if all numbers are integers.
///
/// ```swift
/// // SUM("score")
/// sum(Column("score"))
/// ```
///
/// The result is NULL if there are no non-NULL values; ``total(_:)`` returns 0 instead. SQLite
/// throws an error if a sum of integers overflows.
public func sum(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .aggregate("SUM", value)
}

/// The `SUM` SQL function, on the rows that meet a condition.
///
/// ```swift
/// // SUM("score") FILTER (WHERE "isActive")
/// sum(Column("score"), filter: Column("isActive"))
/// ```
public func sum(
    _ value: some SQLSpecificExpressible, filter: some SQLSpecificExpressible
) -> SQLExpression {
    .aggregate("SUM", value, filter: filter)
}

// MARK: - Total

/// The `TOTAL` SQL function: the sum of numbers, always a real.
///
/// ```swift
/// // TOTAL("score")
/// total(Column("score"))
/// ```
///
/// The result is 0 if there are no non-NULL values.
public func total(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .aggregate("TOTAL", value)
}

/// The `TOTAL` SQL function, on the rows that meet a condition.
///
/// ```swift
/// // TOTAL("score") FILTER (WHERE "isActive")
/// total(Column("score"), filter: Column("isActive"))
/// ```
public func total(
    _ value: some SQLSpecificExpressible, filter: some SQLSpecificExpressible
) -> SQLExpression {
    .aggregate("TOTAL", value, filter: filter)
}

// MARK: - Maximum

/// The `MAX` SQL function: the greatest value that is not NULL.
///
/// ```swift
/// // MAX("score")
/// max(Column("score"))
/// ```
public func max(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .aggregate("MAX", value)
}

/// The `MAX` SQL function, on the rows that meet a condition.
///
/// ```swift
/// // MAX("score") FILTER (WHERE "isActive")
/// max(Column("score"), filter: Column("isActive"))
/// ```
public func max(
    _ value: some SQLSpecificExpressible, filter: some SQLSpecificExpressible
) -> SQLExpression {
    .aggregate("MAX", value, filter: filter)
}

/// The `MAX` SQL function with several arguments: the greatest argument, or NULL if an argument is
/// NULL.
///
/// ```swift
/// // MAX("score", "bonus", 1000)
/// max(Column("score"), Column("bonus"), 1000)
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_corefunc.html#max_scalar>
public func max(
    _ value1: any SQLSpecificExpressible, _ value2: any SQLExpressible,
    _ values: any SQLExpressible...
) -> SQLExpression {
    .function(
        "MAX",
        arguments: [value1.sqlExpression, value2.sqlExpression] + values.map(\.sqlExpression))
}

// MARK: - Minimum

/// The `MIN` SQL function: the least value that is not NULL.
///
/// ```swift
/// // MIN("score")
/// min(Column("score"))
/// ```
public func min(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .aggregate("MIN", value)
}

/// The `MIN` SQL function, on the rows that meet a condition.
///
/// ```swift
/// // MIN("score") FILTER (WHERE "isActive")
/// min(Column("score"), filter: Column("isActive"))
/// ```
public func min(
    _ value: some SQLSpecificExpressible, filter: some SQLSpecificExpressible
) -> SQLExpression {
    .aggregate("MIN", value, filter: filter)
}

/// The `MIN` SQL function with several arguments: the least argument, or NULL if an argument is
/// NULL.
///
/// ```swift
/// // MIN("score", "bonus", 1000)
/// min(Column("score"), Column("bonus"), 1000)
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_corefunc.html#min_scalar>
public func min(
    _ value1: any SQLSpecificExpressible, _ value2: any SQLExpressible,
    _ values: any SQLExpressible...
) -> SQLExpression {
    .function(
        "MIN",
        arguments: [value1.sqlExpression, value2.sqlExpression] + values.map(\.sqlExpression))
}
