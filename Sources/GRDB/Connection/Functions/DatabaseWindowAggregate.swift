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
            kind: .window { TypedWindowState(aggregate.init()) })
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
            kind: .window {
                ReducingWindowState(
                    state: initialValue, reduce: reduce, inverse: inverse, result: value)
            })
    }
}

/// The state of a window function for one partition.
class WindowState {
    /// Whether a call has thrown an error, so that the statement has failed.
    final var hasFailed = false

    func step(_ call: RawFunctionCall) throws {}
    func inverse(_ call: RawFunctionCall) throws {}
    func setValue(of call: RawFunctionCall) throws {}
    func setFinalValue(of call: RawFunctionCall) throws { try setValue(of: call) }
}

/// Generic, so that the calls for a row need no existential box.
private final class TypedWindowState<Aggregate: DatabaseWindowAggregate>: WindowState {
    private var aggregate: Aggregate

    init(_ aggregate: Aggregate) {
        self.aggregate = aggregate
    }

    override func step(_ call: RawFunctionCall) throws {
        try aggregate.step(call.databaseValues)
    }

    override func inverse(_ call: RawFunctionCall) throws {
        try aggregate.inverse(call.databaseValues)
    }

    override func setValue(of call: RawFunctionCall) throws {
        try call.setResult(aggregate.value())
    }

    override func setFinalValue(of call: RawFunctionCall) throws {
        try call.setResult(aggregate.finalize())
    }
}

private final class ReducingWindowState<State: Sendable>: WindowState {
    private var state: State
    private let reduce: @Sendable (inout State, [DatabaseValue]) throws -> Void
    private let removeRow: @Sendable (inout State, [DatabaseValue]) throws -> Void
    private let result: @Sendable (State) throws -> (any DatabaseValueConvertible)?

    init(
        state: State,
        reduce: @escaping @Sendable (inout State, [DatabaseValue]) throws -> Void,
        inverse: @escaping @Sendable (inout State, [DatabaseValue]) throws -> Void,
        result: @escaping @Sendable (State) throws -> (any DatabaseValueConvertible)?
    ) {
        self.state = state
        self.reduce = reduce
        removeRow = inverse
        self.result = result
    }

    override func step(_ call: RawFunctionCall) throws {
        try reduce(&state, call.databaseValues)
    }

    override func inverse(_ call: RawFunctionCall) throws {
        try removeRow(&state, call.databaseValues)
    }

    override func setValue(of call: RawFunctionCall) throws {
        try call.setResult(result(state))
    }
}

extension DatabaseFunction {
    /// The callbacks for SQLite. The state of a partition is created for its first row, and
    /// released by `finalize`, which is called once, even after an error.
    func windowImplementation(
        _ makeState: @escaping @Sendable () -> WindowState, in raw: RawConnection
    ) -> RawFunction.Implementation {
        func run(
            _ call: RawFunctionCall, _ raw: RawConnection, _ state: WindowState,
            _ body: (WindowState) throws -> Void
        ) {
            if state.hasFailed { return }
            do {
                try body(state)
            } catch {
                state.hasFailed = true
                raw.fail(call, error)
            }
        }
        func makeStateIfNeeded(_ call: RawFunctionCall) -> WindowState? {
            call.aggregateState(makeState).map { unsafeDowncast($0, to: WindowState.self) }
        }
        return .window(
            step: { [unowned raw] call in
                guard let state = makeStateIfNeeded(call) else { return }
                run(call, raw, state) { try $0.step(call) }
            },
            inverse: { [unowned raw] call in
                guard let state = makeStateIfNeeded(call) else { return }
                run(call, raw, state) { try $0.inverse(call) }
            },
            value: { [unowned raw] call in
                // A window may have no rows yet.
                let state =
                    call.existingAggregateState
                    .map { unsafeDowncast($0, to: WindowState.self) } ?? makeState()
                run(call, raw, state) { try $0.setValue(of: call) }
            },
            finalize: { [unowned raw] call in
                let state =
                    call.takeAggregateState()
                    .map { unsafeDowncast($0, to: WindowState.self) } ?? makeState()
                run(call, raw, state) { try $0.setFinalValue(of: call) }
            })
    }
}
