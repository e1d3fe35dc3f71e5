import Dispatch
import Foundation

/// Turns Ctrl-C, and a request to terminate, into something that can be asked for.
///
/// `@unchecked Sendable`: the lock guards all that changes.
final class Interruption: @unchecked Sendable {
    private let lock = NSLock()
    private var received: Int32?
    private var secondAction: (@Sendable () -> Void)?
    private var sources: [any DispatchSourceSignal] = []

    /// The first signal that was received.
    var signal: Int32? { lock.withLock { received } }

    var isRequested: Bool { signal != nil }

    /// Notes signals from now on, which no longer end the process.
    func listen() {
        let sources = [SIGINT, SIGTERM].map { number in
            // The source does not see a signal that has its default effect.
            Foundation.signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [weak self] in self?.receive(number) }
            source.resume()
            return source
        }
        lock.withLock { self.sources += sources }
    }

    /// Signals end the process again.
    func stopListening() {
        let sources = lock.withLock {
            defer { self.sources = [] }
            return self.sources
        }
        if sources.isEmpty { return }
        sources.forEach { $0.cancel() }
        for number in [SIGINT, SIGTERM] {
            Foundation.signal(number, SIG_DFL)
        }
    }

    /// Notes a signal.
    func receive(_ number: Int32) {
        let action: (@Sendable () -> Void)? = lock.withLock {
            if received == nil {
                received = number
                return nil
            }
            return secondAction
        }
        if let action {
            // A third signal ends the process at once, which SQLite survives.
            Foundation.signal(number, SIG_DFL)
            action()
        }
    }

    /// Runs the operation. A second signal meanwhile runs the action, on another thread.
    func onSecondSignal<T>(
        _ action: @escaping @Sendable () -> Void, during operation: () throws -> T
    ) rethrows -> T {
        lock.withLock { secondAction = action }
        defer { lock.withLock { secondAction = nil } }
        return try operation()
    }
}
