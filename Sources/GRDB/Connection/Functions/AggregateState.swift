/// The state of an aggregate for one group of rows, or one partition of a window function.
package class AggregateState {
    /// Whether a call has thrown an error, so that the statement has failed.
    final var hasFailed = false

    func step(_ call: RawFunctionCall) throws {}
    func setFinalValue(of call: RawFunctionCall) throws {}

    // Called for window functions only.
    func inverse(_ call: RawFunctionCall) throws {}
    func setValue(of call: RawFunctionCall) throws {}

    /// The state that a call concerns. It is created for the first row, and released by `finalize`.
    ///
    /// - returns: nil if SQLite has no memory.
    static func of(
        _ call: RawFunctionCall, _ operation: RawFunction.AggregateOperation,
        _ make: () -> AggregateState
    ) -> AggregateState? {
        switch operation {
        case .step, .inverse:
            return call.aggregateState(make).map { unsafeDowncast($0, to: AggregateState.self) }
        // There may be no rows.
        case .value:
            guard let state = call.existingAggregateState else { return make() }
            return unsafeDowncast(state, to: AggregateState.self)
        case .finalize:
            guard let state = call.takeAggregateState() else { return make() }
            return unsafeDowncast(state, to: AggregateState.self)
        }
    }

    final func perform(
        _ operation: RawFunction.AggregateOperation, _ call: RawFunctionCall
    ) throws {
        switch operation {
        case .step: try step(call)
        case .inverse: try inverse(call)
        case .value: try setValue(of: call)
        case .finalize: try setFinalValue(of: call)
        }
    }
}

/// Generic, so that the calls for a row need no existential box.
final class TypedAggregateState<Aggregate: DatabaseAggregate>: AggregateState {
    private var aggregate: Aggregate

    init(_ aggregate: Aggregate) {
        self.aggregate = aggregate
    }

    override func step(_ call: RawFunctionCall) throws {
        try aggregate.step(call.databaseValues)
    }

    override func setFinalValue(of call: RawFunctionCall) throws {
        try call.setResult(aggregate.finalize())
    }
}

package final class ReducingAggregateState<State>: AggregateState {
    package typealias Update = @Sendable (inout State, [DatabaseValue]) throws -> Void

    private var state: State
    private let reduce: Update
    private let removeRow: Update
    private let result: @Sendable (State) throws -> (any DatabaseValueConvertible)?

    package init(
        state: State, reduce: @escaping Update, inverse: @escaping Update = { _, _ in },
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

    override func setFinalValue(of call: RawFunctionCall) throws { try setValue(of: call) }
}
