/// Interrupts one access, and no other.
final class AccessCancellation: Sendable {
    private enum State {
        case waiting
        case running
        case ended
    }

    private let raw: RawConnection
    private let state = Locked((state: State.waiting, isCancelled: false))

    init(_ raw: RawConnection) {
        self.raw = raw
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Throws if the access was cancelled while it waited.
    func begin() throws {
        try state.withLock { state in
            if state.isCancelled { throw CancellationError() }
            state.state = .running
        }
    }

    /// From now on, the connection is not interrupted.
    func end() {
        state.withLock { $0.state = .ended }
    }

    func cancel() {
        state.withLock { state in
            switch state.state {
            case .waiting:
                state.isCancelled = true
            case .running:
                state.isCancelled = true
                // Under the lock, so that the next access is not hit.
                raw.interrupt()
            case .ended:
                break
            }
        }
    }
}
