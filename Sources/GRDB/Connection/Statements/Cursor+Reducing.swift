// Methods that consume all elements and return one value.

extension Cursor {
    /// Returns the result of combining the elements, one after the other, with a value.
    ///
    /// ```swift
    /// let total = try Int.fetchCursor(db, sql: "SELECT score FROM player").reduce(0, +)
    /// ```
    ///
    /// - throws: the error of the cursor, or of the closure.
    @inlinable
    public func reduce<Result>(
        _ initialResult: Result,
        _ nextPartialResult: (Result, Element) throws -> Result
    ) throws -> Result {
        var result = initialResult
        try forEach { element in
            result = try nextPartialResult(result, element)
        }
        return result
    }

    /// Returns the result of updating a value with the elements, one after the other. Prefer this
    /// method to ``reduce(_:_:)`` for arrays and other collections, because it does not copy the
    /// value.
    ///
    /// - throws: the error of the cursor, or of the closure.
    @inlinable
    public func reduce<Result>(
        into initialResult: Result,
        _ updateAccumulatingResult: (inout Result, Element) throws -> Void
    ) throws -> Result {
        var result = initialResult
        try forEach { element in
            try updateAccumulatingResult(&result, element)
        }
        return result
    }

    /// Returns the maximum element: the first one, if several are equally great.
    ///
    /// - parameter areInIncreasingOrder: whether the first argument is less than the second.
    /// - throws: the error of the cursor, or of the closure.
    @inlinable
    public func max(
        by areInIncreasingOrder: (Element, Element) throws -> Bool
    ) throws -> Element? {
        guard var result = try next() else { return nil }
        try forEach { element in
            if try areInIncreasingOrder(result, element) { result = element }
        }
        return result
    }

    /// Returns the minimum element: the first one, if several are equally small.
    ///
    /// - parameter areInIncreasingOrder: whether the first argument is less than the second.
    /// - throws: the error of the cursor, or of the closure.
    @inlinable
    public func min(
        by areInIncreasingOrder: (Element, Element) throws -> Bool
    ) throws -> Element? {
        guard var result = try next() else { return nil }
        try forEach { element in
            if try areInIncreasingOrder(element, result) { result = element }
        }
        return result
    }
}

extension Cursor where Element: Comparable {
    /// Returns the maximum element.
    ///
    /// - throws: the error of the cursor.
    @inlinable
    public func max() throws -> Element? {
        try max(by: <)
    }

    /// Returns the minimum element.
    ///
    /// - throws: the error of the cursor.
    @inlinable
    public func min() throws -> Element? {
        try min(by: <)
    }
}

extension Cursor where Element: StringProtocol {
    /// Returns the concatenated strings, with the separator between them.
    ///
    /// - throws: the error of the cursor.
    @inlinable
    public func joined(separator: String = "") throws -> String {
        guard let first = try next() else { return "" }
        var result = String(first)
        try forEach { element in
            result += separator
            result += element
        }
        return result
    }
}
