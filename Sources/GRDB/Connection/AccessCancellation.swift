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

    private let state = Locked((state: State.waiting(onCancel: nil), isCancelled: false))

    init() {}

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Has the function called if the access is cancelled while it waits. The access then never
    /// begins.
    ///
    /// - returns: false if it is cancelled already. The function is not called.
    func wait(onCancel: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if state.isCancelled {
                state.state = .ended
                return false
            }
            state.state = .waiting(onCancel: onCancel)
            return true
        }
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

    /// From now on, the connection is not interrupted.
    func end() {
        state.withLock { $0.state = .ended }
    }

    func cancel() {
        let onCancel: (@Sendable () -> Void)? = state.withLock { state in
            switch state.state {
            case .waiting(let onCancel):
                state.isCancelled = true
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
