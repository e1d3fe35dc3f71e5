import GRDB

// Functions of typed expressions. Their results are typed as well.

// MARK: - Maximum and minimum of several values

/// The `MAX` SQL function with several arguments: the greatest argument, or NULL if an argument is
/// NULL.
///
/// ```swift
/// // MAX("score", 0)
/// max(Player.Columns.score, 0)
/// ```
public func max<Value: SQLExpressible>(
    _ value1: some TypedExpressible<Value>, _ value2: Value, _ values: Value...
) -> TypedExpression<Value> {
    TypedExpression(SQLExpression.function("MAX", [value1, value2] + values))
}

/// The `MAX` SQL function with two arguments: the greater argument, or NULL if an argument is NULL.
public func max<Value>(
    _ value1: some TypedExpressible<Value>, _ value2: some TypedExpressible<Value>
) -> TypedExpression<Value> {
    TypedExpression(SQLExpression.function("MAX", [value1, value2]))
}

/// The `MIN` SQL function with several arguments: the least argument, or NULL if an argument is
/// NULL.
///
/// ```swift
/// // MIN("score", 1000)
/// min(Player.Columns.score, 1000)
/// ```
public func min<Value: SQLExpressible>(
    _ value1: some TypedExpressible<Value>, _ value2: Value, _ values: Value...
) -> TypedExpression<Value> {
    TypedExpression(SQLExpression.function("MIN", [value1, value2] + values))
}

/// The `MIN` SQL function with two arguments: the lesser argument, or NULL if an argument is NULL.
public func min<Value>(
    _ value1: some TypedExpressible<Value>, _ value2: some TypedExpressible<Value>
) -> TypedExpression<Value> {
    TypedExpression(SQLExpression.function("MIN", [value1, value2]))
}

extension SQLExpression {
    fileprivate static func function(
        _ name: String, _ arguments: [any SQLExpressible]
    ) -> SQLExpression {
        .function(name, arguments: arguments.map(\.sqlExpression))
    }
}

// MARK: - Conditional values

/// The `IIF` SQL function: one of two values, depending on a condition.
///
/// ```swift
/// // IIF("score" >= 1000, "name", 'beginner')
/// iif(Player.Columns.score >= 1000, Player.Columns.name, else: "beginner")
/// ```
///
/// - parameter condition: a condition. NULL counts as false.
/// - parameter value: the result if the condition is true.
/// - parameter otherValue: the result if the condition is false or NULL.
public func iif<Value: SQLExpressible>(
    _ condition: some SQLSpecificExpressible, _ value: some TypedExpressible<Value>,
    else otherValue: Value
) -> TypedExpression<Value> {
    TypedExpression(iif(condition, value.untyped, else: otherValue))
}

/// The `IIF` SQL function: one of two values, depending on a condition.
///
/// - parameter condition: a condition. NULL counts as false.
/// - parameter value: the result if the condition is true.
/// - parameter otherValue: the result if the condition is false or NULL.
public func iif<Value: SQLExpressible>(
    _ condition: some SQLSpecificExpressible, _ value: Value,
    else otherValue: some TypedExpressible<Value>
) -> TypedExpression<Value> {
    TypedExpression(iif(condition, value, else: otherValue.untyped))
}

/// The `IIF` SQL function: one of two values, depending on a condition.
///
/// - parameter condition: a condition. NULL counts as false.
/// - parameter value: the result if the condition is true.
/// - parameter otherValue: the result if the condition is false or NULL.
public func iif<Value>(
    _ condition: some SQLSpecificExpressible, _ value: some TypedExpressible<Value>,
    else otherValue: some TypedExpressible<Value>
) -> TypedExpression<Value> {
    TypedExpression(iif(condition, value.untyped, else: otherValue.untyped))
}

/// The `IIF` SQL function: one of two values, depending on a typed condition. The result is
/// untyped: see ``/GRDB/TypedExpression/init(_:)``.
public func iif(
    _ condition: some TypedExpressible<Bool>, _ value: (any SQLExpressible)?,
    else otherValue: (any SQLExpressible)?
) -> SQLExpression {
    iif(condition.untyped, value, else: otherValue)
}

/// The `IIF` SQL function: one of two values, depending on a typed condition. The result is
/// untyped: see ``/GRDB/TypedExpression/init(_:)``.
public func iif(
    _ condition: some TypedExpressible<Bool?>, _ value: (any SQLExpressible)?,
    else otherValue: (any SQLExpressible)?
) -> SQLExpression {
    iif(condition.untyped, value, else: otherValue)
}

extension TypedExpressible {
    /// The `BETWEEN` SQL operator: whether the value lies between two bounds, which are included.
    /// See ``/GRDB/SQLSpecificExpressible/isBetween(_:and:)``.
    public func isBetween(_ lowerBound: Value, and upperBound: Value) -> SQLExpression
    where Value: SQLExpressible {
        untyped.isBetween(lowerBound, and: upperBound)
    }

    /// The `BETWEEN` SQL operator: whether the value lies between two bounds, which are included.
    public func isBetween(
        _ lowerBound: some TypedExpressible<Value>, and upperBound: some TypedExpressible<Value>
    ) -> SQLExpression {
        untyped.isBetween(lowerBound.untyped, and: upperBound.untyped)
    }

    /// The `IS DISTINCT FROM` SQL operator: whether two values differ. NULL equals NULL. See
    /// ``/GRDB/SQLSpecificExpressible/isDistinct(from:)``.
    public func isDistinct(from other: Value) -> SQLExpression where Value: SQLExpressible {
        untyped.isDistinct(from: other)
    }

    /// The `IS DISTINCT FROM` SQL operator: whether two values differ. NULL equals NULL.
    public func isDistinct(from other: some TypedExpressible<Value>) -> SQLExpression {
        untyped.isDistinct(from: other.untyped)
    }
}

// MARK: - Scalars

/// The `ROUND` SQL function: the nearest integer, as a real.
public func round(_ value: some TypedExpressible<Double>) -> TypedExpression<Double> {
    TypedExpression(round(value.untyped))
}

/// The `ROUND` SQL function: the nearest integer, as a real.
public func round(_ value: some TypedExpressible<Double?>) -> TypedExpression<Double?> {
    TypedExpression(round(value.untyped))
}

/// The `ROUND` SQL function, with a number of digits after the decimal point.
public func round(
    _ value: some TypedExpressible<Double>, digits: Int
) -> TypedExpression<Double> {
    TypedExpression(round(value.untyped, digits: digits))
}

/// The `ROUND` SQL function, with a number of digits after the decimal point.
public func round(
    _ value: some TypedExpressible<Double?>, digits: Int
) -> TypedExpression<Double?> {
    TypedExpression(round(value.untyped, digits: digits))
}

/// The `ABS` SQL function: the absolute value.
public func abs<Value>(_ value: some TypedExpressible<Value>) -> TypedExpression<Value> {
    TypedExpression(abs(value.untyped))
}

/// The number of characters of a string, or of bytes of a blob. See
/// ``/GRDB/length(_:)-(SQLSpecificExpressible)``.
public func length(_ value: some TypedExpressible<String>) -> TypedExpression<Int> {
    TypedExpression(length(value.untyped))
}

/// The number of characters of a string, or of bytes of a blob.
public func length(_ value: some TypedExpressible<String?>) -> TypedExpression<Int?> {
    TypedExpression(length(value.untyped))
}

/// The `CAST` SQL expression: converts a value to a storage class. The result is untyped.
public func cast(
    _ expression: some TypedExpressible, as storageClass: Database.StorageClass
) -> SQLExpression {
    cast(expression.untyped, as: storageClass)
}

/// The `CAST` SQL expression: converts a value to a storage class. The result has the given Swift
/// type.
///
/// ```swift
/// // CAST("wins" AS REAL)
/// cast(Player.Columns.wins, as: .real, of: Double.self)
/// ```
public func cast<Value>(
    _ expression: some TypedExpressible, as storageClass: Database.StorageClass,
    of type: Value.Type
) -> TypedExpression<Value> {
    TypedExpression(cast(expression.untyped, as: storageClass))
}

extension TypedExpressible<String> {
    /// Calls the Swift property `capitalized` of `String`.
    public var capitalized: TypedExpression<String> { TypedExpression(untyped.capitalized) }

    /// Calls the Swift method `lowercased()` of `String`.
    public var lowercased: TypedExpression<String> { TypedExpression(untyped.lowercased) }

    /// Calls the Swift method `uppercased()` of `String`.
    public var uppercased: TypedExpression<String> { TypedExpression(untyped.uppercased) }
}

extension TypedExpressible<String?> {
    /// Calls the Swift property `capitalized` of `String`.
    public var capitalized: TypedExpression<String?> { TypedExpression(untyped.capitalized) }

    /// Calls the Swift method `lowercased()` of `String`.
    public var lowercased: TypedExpression<String?> { TypedExpression(untyped.lowercased) }

    /// Calls the Swift method `uppercased()` of `String`.
    public var uppercased: TypedExpression<String?> { TypedExpression(untyped.uppercased) }
}
