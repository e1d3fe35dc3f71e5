import Foundation

/// A list that any thread may append to.
///
/// `@unchecked Sendable`: the elements are only touched under the lock of the condition.
public final class Log<Element: Sendable>: @unchecked Sendable {
    private let condition = NSCondition()
    private var storage: [Element] = []

    public init() {}

    public func append(_ element: Element) {
        condition.withLock {
            storage.append(element)
            condition.broadcast()
        }
    }

    /// All elements since the log was made, or last emptied.
    public var elements: [Element] {
        condition.withLock { storage }
    }

    /// Waits until the log has that many elements, and returns all of them. Gives up after a long
    /// time.
    @discardableResult
    public func wait(forCount count: Int) -> [Element] {
        let deadline = Date(timeIntervalSinceNow: 600)
        return condition.withLock {
            while storage.count < count, condition.wait(until: deadline) {}
            return storage
        }
    }

    /// Waits without holding a thread that tasks run on.
    @discardableResult
    public func wait(forCount count: Int) async -> [Element] {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: self.wait(forCount: count))
            }
        }
    }

    /// Empties the log, and returns what was in it.
    @discardableResult
    public func removeAll() -> [Element] {
        condition.withLock {
            defer { storage = [] }
            return storage
        }
    }
}
