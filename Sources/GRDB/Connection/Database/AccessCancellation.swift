/// The cancellation of a single asynchronous access.
///
/// An access waits, runs, and ends. Cancelling a waiting access is reported immediately. Cancelling a
/// running access interrupts its connection, except while observers are notified of the end of a
/// transaction: observers may not belong to the task, and a commit can't be cancelled. Cancelling an
/// ended access has no effect.
package final class AccessCancellation: Sendable {
    private enum State: Sendable {
        case waiting(onCancel: (@Sendable () -> Void)?)
        case running(RawConnection)
        /// Observers are notified of the end of a transaction.
        case paused(RawConnection)
        case ended
    }

    private struct Guarded {
        var state = State.waiting(onCancel: nil)
        var isCancelled = false
        /// Whether the function of `wait(onCancel:)` was called.
        var isTold = false

        /// The connection that the cancellation has interrupted.
        var interruptedConnection: RawConnection? {
            guard isCancelled, case .running(let raw) = state else { return nil }
            return raw
        }
    }

    private let state = Locked(Guarded())

    init() {}

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Calls the function once, if the access is cancelled while it waits, or was already cancelled.
    /// The access never begins in this case.
    ///
    /// May be called several times. The last function replaces the others.
    ///
    /// - returns: whether to wait.
    func wait(onCancel: @escaping @Sendable () -> Void) -> Bool {
        let isToldNow: Bool? = state.withLock { state in
            guard state.isCancelled else {
                state.state = .waiting(onCancel: onCancel)
                return nil
            }
            defer { state.isTold = true }
            return !state.isTold
        }
        guard let isToldNow else { return true }
        if isToldNow { onCancel() }
        return false
    }

    /// Ends the wait.
    ///
    /// - returns: false if the access was cancelled while it waited.
    func begin(_ raw: RawConnection) -> Bool {
        state.withLock { state in
            if state.isCancelled { return false }
            state.state = .running(raw)
            return true
        }
    }

    /// Ends the wait of an access that fails before it begins.
    ///
    /// - returns: false if the access was cancelled while it waited.
    func fail() -> Bool {
        state.withLock { state in
            if state.isCancelled { return false }
            state.state = .ended
            return true
        }
    }

    /// Ends the access. From now on, the connection is not interrupted.
    package func end() {
        let raw: RawConnection? = state.withLock { state in
            defer { state.state = .ended }
            return state.interruptedConnection
        }
        raw?.clearInterruption()
    }

    /// Prevents interruptions of the connection until `resume()`, and clears an earlier interruption.
    /// While a cursor is on a row, SQLite would also interrupt statements that start later.
    func pause() {
        let raw: RawConnection? = state.withLock { state in
            let interruptedConnection = state.interruptedConnection
            if case .running(let raw) = state.state { state.state = .paused(raw) }
            return interruptedConnection
        }
        raw?.clearInterruption()
    }

    /// Ends a pause. If the access was cancelled during the pause, interrupts the connection now.
    func resume() {
        state.withLock { state in
            guard case .paused(let raw) = state.state else { return }
            state.state = .running(raw)
            if state.isCancelled { raw.interrupt() }
        }
    }

    func cancel() {
        let onCancel: (@Sendable () -> Void)? = state.withLock { state in
            switch state.state {
            case .waiting(let onCancel):
                if state.isCancelled { return nil }
                state.isCancelled = true
                state.isTold = onCancel != nil
                state.state = .waiting(onCancel: nil)
                return onCancel
            case .running(let raw):
                state.isCancelled = true
                // Interrupt under the lock, so that the next access is not interrupted instead.
                raw.interrupt()
                return nil
            case .paused:
                state.isCancelled = true
                return nil
            case .ended:
                return nil
            }
        }
        onCancel?()
    }
}
