import GRDB

/// A type that implements a custom SQL window function.
///
/// A window function is an aggregate from which rows can be removed. When the window moves from row
/// to row, SQLite adds the rows that enter, removes the rows that leave, and requests the value,
/// instead of starting over for each row:
///
/// ```swift
/// struct Product: DatabaseWindowAggregate {
///     private var product = 1.0
///
///     mutating func step(_ dbValues: [DatabaseValue]) {
///         product *= Double.fromDatabaseValue(dbValues[0]) ?? 1
///     }
///
///     mutating func inverse(_ dbValues: [DatabaseValue]) {
///         product /= Double.fromDatabaseValue(dbValues[0]) ?? 1
///     }
///
///     func value() -> (any DatabaseValueConvertible)? { product }
/// }
///
/// let product = DatabaseFunction("product", argumentCount: 1, pure: true, window: Product.self)
/// db.add(function: product)
///
/// // SELECT product("factor") OVER (ORDER BY "date" ROWS 2 PRECEDING) FROM "rate"
/// let request = Rate.select {
///     product($0.factor).over(orderBy: $0.date, frame: .rows(from: .preceding(2)))
/// }
/// ```
///
/// Without `OVER`, the function is called as an aggregate.
///
/// Related SQLite documentation: <https://www.sqlite.org/windowfunctions.html#udfwinfunc>
public protocol DatabaseWindowAggregate: DatabaseAggregate {
    /// Called for each row that leaves the window, in the order in which the rows entered it, with
    /// the arguments that `step` received.
    ///
    /// - throws: any error. The statement throws the same error.
    mutating func inverse(_ dbValues: [DatabaseValue]) throws

    /// Returns the result for the rows that are currently in the window. More rows may follow.
    ///
    /// - throws: any error. The statement throws the same error.
    func value() throws -> (any DatabaseValueConvertible)?
}

extension DatabaseWindowAggregate {
    /// Returns the result for the last rows: the ``value()``.
    ///
    /// - throws: the error of ``value()``. The statement throws the same error.
    public func finalize() throws -> (any DatabaseValueConvertible)? { try value() }
}

extension DatabaseFunction {
    /// Creates an SQL window function.
    ///
    /// See ``DatabaseWindowAggregate`` for an example.
    ///
    /// - parameter name: the function name.
    /// - parameter argumentCount: the number of arguments; nil for any number.
    /// - parameter pure: whether the function always returns the same result for the same rows.
    /// - parameter aggregate: the type of the aggregate. Each partition has its own instance.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/windowfunctions.html#udfwinfunc>
    public convenience init<Aggregate: DatabaseWindowAggregate>(
        _ name: String, argumentCount: Int? = nil, pure: Bool = false,
        window aggregate: Aggregate.Type
    ) {
        self.init(
            name, argumentCount: argumentCount, pure: pure,
            kind: .aggregate(
                {
                    ReducingAggregateState(
                        state: aggregate.init(), reduce: { try $0.step($1) },
                        inverse: { try $0.inverse($1) }, result: { try $0.value() })
                }, isWindow: true))
    }

    /// Creates an SQL window function from an initial value, and closures that add and remove rows.
    ///
    /// ```swift
    /// let sum = DatabaseFunction(
    ///     "swiftSum", argumentCount: 1, initialValue: 0,
    ///     reduce: { $0 += Int.fromDatabaseValue($1[0]) ?? 0 },
    ///     inverse: { $0 -= Int.fromDatabaseValue($1[0]) ?? 0 },
    ///     value: { $0 })
    /// ```
    ///
    /// - parameter name: the name of the function in SQL.
    /// - parameter argumentCount: the number of arguments; nil for any number.
    /// - parameter pure: whether the function returns the same result for the same rows.
    /// - parameter initialValue: the state of a window without rows.
    /// - parameter reduce: updates the state with the arguments of a row that enters the window.
    /// - parameter inverse: updates the state with the arguments of a row that leaves the window.
    /// - parameter value: returns the result for the rows in the window.
    public convenience init<State: Sendable>(
        _ name: String, argumentCount: Int? = nil, pure: Bool = false, initialValue: State,
        reduce: @escaping @Sendable (inout State, [DatabaseValue]) throws -> Void,
        inverse: @escaping @Sendable (inout State, [DatabaseValue]) throws -> Void,
        value: @escaping @Sendable (State) throws -> (any DatabaseValueConvertible)?
    ) {
        self.init(
            name, argumentCount: argumentCount, pure: pure,
            kind: .aggregate(
                {
                    ReducingAggregateState(
                        state: initialValue, reduce: reduce, inverse: inverse, result: value)
                }, isWindow: true))
    }
}
