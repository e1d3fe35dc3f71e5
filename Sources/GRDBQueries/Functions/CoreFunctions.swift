import GRDB

// The built-in scalar functions that GRDB 7 does not have, except functions of texts, numbers and dates.
//
// Related SQLite documentation: <https://www.sqlite.org/lang_corefunc.html>

// MARK: - Conditional values

/// The `NULLIF` SQL function: NULL if both values are equal, the first value otherwise.
///
/// ```swift
/// // NULLIF("name", '')
/// nullIf(Column("name"), "")
/// ```
public func nullIf(
    _ value: some SQLSpecificExpressible, _ other: some SQLExpressible
) -> SQLExpression {
    .function("NULLIF", value.sqlExpression, other.sqlExpression)
}

/// The `IIF` SQL function: one of two values, depending on a condition.
///
/// ```swift
/// // IIF("score" >= 1000, 'gold', 'silver')
/// iif(Column("score") >= 1000, "gold", else: "silver")
/// ```
///
/// For more conditions, see `SQLExpression.case(when:then:)`.
///
/// - parameter condition: a condition. NULL counts as false.
/// - parameter value: the result if the condition is true.
/// - parameter otherValue: the result if the condition is false or NULL.
public func iif(
    _ condition: some SQLSpecificExpressible, _ value: (any SQLExpressible)?,
    else otherValue: (any SQLExpressible)?
) -> SQLExpression {
    .function(
        "IIF", condition.sqlExpression, value.orNull, otherValue.orNull)
}

/// The `TYPEOF` SQL function: the name of the storage class of a value, in lower case.
///
/// ```swift
/// // TYPEOF("value") = 'integer'
/// typeOf(Column("value")) == "integer"
/// ```
public func typeOf(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("TYPEOF", value.sqlExpression)
}

// MARK: - Hints to the query planner

/// The `LIKELIHOOD` SQL function: returns the condition, with its probability as a hint for the
/// query planner.
///
/// ```swift
/// // LIKELIHOOD("isActive", 0.9)
/// likelihood(Column("isActive"), 0.9)
/// ```
///
/// - parameter condition: the condition to return.
/// - parameter probability: a number from 0 to 1. SQLite throws an error for other numbers.
public func likelihood(
    _ condition: some SQLSpecificExpressible, _ probability: Double
) -> SQLExpression {
    // A literal: the value of a parameter is unknown when SQLite plans the query.
    .function("LIKELIHOOD", condition.sqlExpression, .keyword("\(probability)"))
}

/// The `LIKELY` SQL function: returns the condition, with a hint for the query planner that it is
/// usually true.
///
/// ```swift
/// // LIKELY("isActive")
/// likely(Column("isActive"))
/// ```
public func likely(_ condition: some SQLSpecificExpressible) -> SQLExpression {
    .function("LIKELY", condition.sqlExpression)
}

/// The `UNLIKELY` SQL function: returns the condition, with a hint for the query planner that it is
/// usually false.
///
/// ```swift
/// // UNLIKELY("isBanned")
/// unlikely(Column("isBanned"))
/// ```
public func unlikely(_ condition: some SQLSpecificExpressible) -> SQLExpression {
    .function("UNLIKELY", condition.sqlExpression)
}
