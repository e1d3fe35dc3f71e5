/// The state of an aggregate for one group of rows, or one partition of a window function.
package class AggregateState {
    /// Whether a call has thrown an error, so that the statement has failed.
    final var hasFailed = false

    func perform(_ operation: RawFunction.AggregateOperation, _ call: RawFunctionCall) throws {}

    /// The state that a call concerns. It is created for the first row, and released by `finalize`.
    ///
    /// - returns: nil if SQLite has no memory.
    static func of(
        _ call: RawFunctionCall, _ operation: RawFunction.AggregateOperation,
        _ make: () -> AggregateState
    ) -> AggregateState? {
        let state =
            switch operation {
            case .step, .inverse: call.aggregateState(make)
            // There may be no rows.
            case .value: call.existingAggregateState ?? make()
            case .finalize: call.takeAggregateState() ?? make()
            }
        return state.map { unsafeDowncast($0, to: AggregateState.self) }
    }
}

/// Generic, so that the calls for a row need no existential box.
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

    override func perform(
        _ operation: RawFunction.AggregateOperation, _ call: RawFunctionCall
    ) throws {
        switch operation {
        case .step: try reduce(&state, call.databaseValues)
        case .inverse: try removeRow(&state, call.databaseValues)
        case .value, .finalize: try call.setResult(result(state))
        }
    }
}
