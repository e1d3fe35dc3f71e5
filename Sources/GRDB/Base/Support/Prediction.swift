/// Predicts that accesses happen in the same order as in the previous round.
///
/// Loops over rows and records look up the same names in the same order, again and again. The *n*th
/// access therefore most likely needs the same element as the *n*th access of the previous round, such
/// as a column or its decoder. Comparing the predicted element with the requested name costs much less
/// than a search.
///
/// ```swift
/// if let expected = prediction.expected, expected.pointee.name == name {
///     prediction.advance()
///     return expected.pointee.column
/// }
/// // Search, then add the result to the prediction.
/// ```
///
/// Invariants:
///
/// - Predictions may be wrong: callers compare `expected` before they use it. A wrong prediction costs
///   time, but never changes the result. Builds with `GRDB_NO_FAST_PATHS` predict nothing.
/// - Elements keep their indexes. They are never removed.
/// - `position` is the number of the next access. If it is beyond the elements, nothing is expected.
/// - The memory belongs to the owner of the prediction, which must call `deallocate()`. Don't copy
///   the value: copies would share the memory.
///
/// Uses raw memory instead of a class, so that accesses retain nothing. Used by one thread at a time.
@usableFromInline
struct Prediction<Element> {
    @usableFromInline private(set) var elements: UnsafeMutablePointer<Element>

    /// The number of elements.
    private(set) var count = 0

    private var capacity: Int

    /// The number of the next access.
    @usableFromInline private(set) var position = 0

    /// The number of expected elements: `count`, or 0 if suspended.
    @usableFromInline private(set) var expectedCount = 0

    /// - parameter capacity: the number of elements for which to allocate memory.
    init(capacity: Int = 0) {
        self.capacity = capacity
        elements =
            capacity > 0
            ? .allocate(capacity: capacity)
            : UnsafeMutablePointer(bitPattern: MemoryLayout<Element>.alignment).unsafelyUnwrapped
    }

    /// Frees the elements. The prediction must not be used afterwards.
    func deallocate() {
        if capacity == 0 { return }
        elements.deinitialize(count: count)
        elements.deallocate()
    }

    // MARK: - Predicting

    /// The element that the next access is expected to need; nil if there is no prediction.
    @inlinable
    @inline(__always)
    var expected: UnsafeMutablePointer<Element>? {
        FastPaths.areEnabled && position < expectedCount ? elements + position : nil
    }

    /// Moves to the next access.
    @inlinable
    @inline(__always)
    mutating func advance() {
        position &+= 1
    }

    /// Moves to the access that follows that of an element.
    @inline(__always)
    mutating func advance(past index: Int) {
        position = index &+ 1
    }

    /// Starts a new round.
    @inline(__always)
    mutating func restart() {
        position = 0
        expectedCount = count
    }

    /// Stops predicting in this round.
    mutating func suspend() {
        expectedCount = 0
    }

    /// Whether there are no predictions in this round, because it is suspended or there are no elements.
    var isSuspended: Bool { expectedCount == 0 }

    // MARK: - Learning

    subscript(index: Int) -> Element {
        get { elements[index] }
        nonmutating set { elements[index] = newValue }
    }

    /// The index of the next matching element, or else of the first one.
    func firstIndex(where predicate: (Element) -> Bool) -> Int? {
        for index in min(position, count)..<count where predicate(elements[index]) { return index }
        for index in 0..<min(position, count) where predicate(elements[index]) { return index }
        return nil
    }

    /// Adds an element.
    ///
    /// - returns: its index.
    @discardableResult
    mutating func append(_ element: Element) -> Int {
        if count == capacity { grow() }
        (elements + count).initialize(to: element)
        count += 1
        expectedCount = count
        return count - 1
    }

    /// Sets the element expected at an access: replaces it, or appends it after all others.
    ///
    /// - parameter limit: the maximum number of elements.
    mutating func learn(_ element: Element, at index: Int, limit: Int) {
        if index < count {
            elements[index] = element
        } else if index == count, count < limit {
            append(element)
        }
    }

    private mutating func grow() {
        let newCapacity = max(16, 2 * capacity)
        let newElements = UnsafeMutablePointer<Element>.allocate(capacity: newCapacity)
        newElements.moveInitialize(from: elements, count: count)
        if capacity > 0 { elements.deallocate() }
        elements = newElements
        capacity = newCapacity
    }
}
