// Methods that consume elements until they know the answer.

extension Cursor {
    /// Whether there is no further element. Consumes an element if there is one.
    ///
    /// - throws: the error of the cursor.
    @inlinable
    public var isEmpty: Bool {
        get throws { try next() == nil }
    }

    /// Returns whether an element satisfies the predicate.
    ///
    /// - throws: the error of the cursor, or of the closure.
    @inlinable
    public func contains(where predicate: (Element) throws -> Bool) throws -> Bool {
        while let element = try next() {
            if try predicate(element) { return true }
        }
        return false
    }

    /// Returns the first element that satisfies the predicate, nil if none does.
    ///
    /// - throws: the error of the cursor, or of the closure.
    @inlinable
    public func first(where predicate: (Element) throws -> Bool) throws -> Element? {
        while let element = try next() {
            if try predicate(element) { return element }
        }
        return nil
    }
}

extension Cursor where Element: Equatable {
    /// Returns whether an element equals the given one.
    ///
    /// - throws: the error of the cursor.
    @inlinable
    public func contains(_ element: Element) throws -> Bool {
        try contains(where: { $0 == element })
    }
}
