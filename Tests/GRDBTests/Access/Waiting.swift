import Dispatch
import Foundation

extension DispatchSemaphore {
    /// Waits without holding a thread that tasks run on.
    func waitInTask() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                self.wait()
                continuation.resume()
            }
        }
    }
}

extension DispatchGroup {
    /// Waits without holding a thread that tasks run on.
    func waitInTask() async {
        await withCheckedContinuation { continuation in
            notify(queue: .global()) { continuation.resume() }
        }
    }
}

extension Thread {
    /// Runs the closure on a thread of its own, as part of a group.
    static func detach(in group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
        group.enter()
        detachNewThread {
            body()
            group.leave()
        }
    }
}
