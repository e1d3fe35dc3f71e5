import Foundation

/// A list that any thread may append to.
///
/// `@unchecked Sendable`: the elements are only touched under the lock.
public final class Log<Element: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var storage: [Element] = []

    public init() {}

    public func append(_ element: Element) {
        lock.withLock { storage.append(element) }
    }

    /// All elements since the log was made, or last emptied.
    public var elements: [Element] {
        lock.withLock { storage }
    }

    /// Empties the log, and returns what was in it.
    @discardableResult
    public func removeAll() -> [Element] {
        lock.withLock {
            defer { storage = [] }
            return storage
        }
    }
}
