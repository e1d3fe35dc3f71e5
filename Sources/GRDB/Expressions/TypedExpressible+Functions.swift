// Functions of typed expressions, whose results carry a type as well.

// MARK: - Aggregates

/// The `COUNT` SQL function: the number of values that are not NULL.
public func count(_ counted: some TypedExpressible) -> TypedExpression<Int> {
    TypedExpression(count(counted.untyped))
}

/// The `COUNT` SQL function, on distinct values.
public func count(distinct value: some TypedExpressible) -> TypedExpression<Int> {
    TypedExpression(count(distinct: value.untyped))
}

/// The `AVG` SQL function: the average of numbers; NULL without any.
public func average(_ value: some TypedExpressible) -> TypedExpression<Double?> {
    TypedExpression(average(value.untyped))
}

/// The `TOTAL` SQL function: the sum of numbers, always a real; 0 without any.
public func total(_ value: some TypedExpressible) -> TypedExpression<Double> {
    TypedExpression(total(value.untyped))
}

/// The `SUM` SQL function: the sum of numbers; NULL without any.
public func sum<Value: Numeric>(_ value: some TypedExpressible<Value>) -> TypedExpression<Value?> {
    TypedExpression(sum(value.untyped))
}

/// The `SUM` SQL function: the sum of numbers; NULL without any.
public func sum<Value: Numeric>(_ value: some TypedExpressible<Value?>) -> TypedExpression<Value?> {
    TypedExpression(sum(value.untyped))
}

/// The `MAX` SQL function: the greatest value; NULL without any.
public func max<Value>(_ value: some TypedExpressible<Value>) -> TypedExpression<Value?> {
    TypedExpression(max(value.untyped))
}

/// The `MAX` SQL function: the greatest value; NULL without any.
public func max<Value>(_ value: some TypedExpressible<Value?>) -> TypedExpression<Value?> {
    TypedExpression(max(value.untyped))
}

/// The `MIN` SQL function: the least value; NULL without any.
public func min<Value>(_ value: some TypedExpressible<Value>) -> TypedExpression<Value?> {
    TypedExpression(min(value.untyped))
}

/// The `MIN` SQL function: the least value; NULL without any.
public func min<Value>(_ value: some TypedExpressible<Value?>) -> TypedExpression<Value?> {
    TypedExpression(min(value.untyped))
}

// MARK: - Scalars

/// The `ABS` SQL function: the absolute value.
public func abs<Value>(_ value: some TypedExpressible<Value>) -> TypedExpression<Value> {
    TypedExpression(abs(value.untyped))
}

/// The `LENGTH` SQL function. See ``length(_:)-(SQLSpecificExpressible)``.
public func length(_ value: some TypedExpressible<String>) -> TypedExpression<Int> {
    TypedExpression(length(value.untyped))
}

/// The `LENGTH` SQL function.
public func length(_ value: some TypedExpressible<String?>) -> TypedExpression<Int?> {
    TypedExpression(length(value.untyped))
}

/// The `CAST` SQL expression: converts to a storage class, and to the type.
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
