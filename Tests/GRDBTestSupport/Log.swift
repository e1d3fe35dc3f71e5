import Foundation

/// A thread-safe list of elements.
///
/// `@unchecked Sendable`: the elements are only accessed under the lock of the condition.
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

    /// All elements since the log was created or last emptied.
    public var elements: [Element] {
        condition.withLock { storage }
    }

    /// Waits until the log has at least the given number of elements, and returns all elements.
    /// Gives up after ``patience``.
    @discardableResult
    public func wait(forCount count: Int) -> [Element] {
        let deadline = Date(timeIntervalSinceNow: patience)
        return condition.withLock {
            while storage.count < count, condition.wait(until: deadline) {}
            return storage
        }
    }

    /// Waits without blocking a thread of the cooperative pool.
    @discardableResult
    public func wait(forCount count: Int) async -> [Element] {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: self.wait(forCount: count))
            }
        }
    }

    /// Removes and returns all elements.
    @discardableResult
    public func removeAll() -> [Element] {
        condition.withLock {
            defer { storage = [] }
            return storage
        }
    }
}
