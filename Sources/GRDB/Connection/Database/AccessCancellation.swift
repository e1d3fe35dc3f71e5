/// The cancellation of one asynchronous access, and of no other.
///
/// An access waits, runs, and ends. As long as it waits, its cancellation is told at once; while it
/// runs, its connection is interrupted; afterwards, nothing happens.
final class AccessCancellation: Sendable {
    private enum State: Sendable {
        case waiting(onCancel: (@Sendable () -> Void)?)
        case running(RawConnection)
        case ended
    }

    /// `isTold`: whether the function of `wait(onCancel:)` was called.
    private let state = Locked(
        (state: State.waiting(onCancel: nil), isCancelled: false, isTold: false))

    init() {}

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Calls the function, once, if the access is cancelled while it waits, or was cancelled
    /// before. The access then never begins.
    ///
    /// May be called several times: the last function counts.
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

    /// From now on, the connection is not interrupted.
    func end() {
        state.withLock { $0.state = .ended }
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
                // Under the lock, so that the next access is not hit.
                raw.interrupt()
                return nil
            case .ended:
                return nil
            }
        }
        onCancel?()
    }
}
