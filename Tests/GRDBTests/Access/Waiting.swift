import Dispatch
import Foundation
import GRDBTestSupport

@testable import GRDB

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

extension DatabaseReader {
    /// Interrupts until the closure has returned: one interruption may come before the statement
    /// runs, and SQLite then forgets it.
    ///
    /// To be called from the access that is to be hit, since what begins it would be hit as well on
    /// a busy machine.
    func whileInterrupting<T>(_ body: () throws -> T) rethrows -> T {
        let isDone = DispatchSemaphore(value: 0)
        let group = DispatchGroup()
        defer {
            isDone.signal()
            // The last interruption must not meet the next access.
            group.wait()
        }
        Thread.detach(in: group) {
            while isDone.wait(timeout: .now() + .milliseconds(5)) == .timedOut {
                self.interrupt()
            }
        }
        return try body()
    }
}

extension DatabasePool {
    /// Waits until a barrier stands in line, or the end of the pool.
    ///
    /// - precondition: a connection is idle, which is why nothing but a barrier makes others wait.
    func waitForBarrier() async throws {
        while true {
            let grants = Log<Bool>()
            let waiter = ReaderPool.Waiter()
            readers.borrow(waiter) { [readers] result in
                guard let reader = try? result.get() else { return }
                grants.append(true)
                readers.giveBack(reader)
            }
            if grants.elements.isEmpty {
                readers.cancel(waiter)
                return
            }
            await Task.yield()
        }
    }
}

extension DatabasePool {
    /// Waits until that many requests, barriers included, stand in line for connections that read.
    func waitForReaderRequests(_ count: Int) async {
        while readers.waitingCount < count { await Task.yield() }
    }
}

/// Where threads come and go.
///
/// `@unchecked Sendable`: the condition guards both numbers.
final class MeetingPlace: @unchecked Sendable {
    private let condition = NSCondition()
    private var count = 0
    private var maximum = 0

    /// The number of threads that were there at once.
    var maximumCount: Int { condition.withLock { maximum } }

    /// Comes, and stays until that many threads have been there at once. Gives up after a long time.
    func meet(_ expectedCount: Int) {
        condition.withLock {
            count += 1
            maximum = max(maximum, count)
            condition.broadcast()
            let deadline = Date(timeIntervalSinceNow: patience)
            while maximum < expectedCount, condition.wait(until: deadline) {}
        }
        // For those who must not come.
        letOthersRun()
        condition.withLock { count -= 1 }
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
