import Foundation

/// Runs the closure on a thread that has just been made, and waits for its end.
///
/// Unlike a dispatch queue, this never borrows the current thread.
func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
    let end = DispatchSemaphore(value: 0)
    let thread = Thread {
        body()
        end.signal()
    }
    thread.start()
    end.wait()
}
