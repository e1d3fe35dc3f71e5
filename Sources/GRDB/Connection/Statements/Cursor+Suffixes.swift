// Methods that must read all elements, and therefore can't be lazy.

extension Cursor {
    /// Returns all elements but the last.
    ///
    /// - throws: the error of the cursor.
    @inlinable
    public func dropLast() throws -> [Element] {
        try dropLast(1)
    }

    /// Returns all but the last `n` elements.
    ///
    /// - precondition: `n` is not negative.
    /// - throws: the error of the cursor.
    @inlinable
    public func dropLast(_ n: Int) throws -> [Element] {
        require(n >= 0, "Can't drop a negative number of elements from a cursor")
        var elements = try Array(self)
        elements.removeLast(Swift.min(n, elements.count))
        return elements
    }

    /// Returns the last `maxLength` elements, or all of them if there are fewer.
    ///
    /// - precondition: `maxLength` is not negative.
    /// - complexity: consumes all elements, and keeps `maxLength` of them in memory.
    /// - throws: the error of the cursor.
    @inlinable
    public func suffix(_ maxLength: Int) throws -> [Element] {
        require(maxLength >= 0, "Can't take a suffix of negative length from a cursor")
        if maxLength == 0 { return [] }
        // Once full, the array is a ring. The oldest element is at `start`.
        var ring: [Element] = []
        var start = 0
        try forEach { element in
            if ring.count < maxLength {
                ring.append(element)
            } else {
                ring[start] = element
                start += 1
                if start == maxLength { start = 0 }
            }
        }
        return Array(ring[start...] + ring[..<start])
    }
}
