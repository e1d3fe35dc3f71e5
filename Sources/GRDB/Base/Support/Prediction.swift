/// Guesses that accesses come in the same order as the last time.
///
/// Loops over rows and records ask for the same names in the same order, again and again. So the
/// *n*th access most likely wants what the *n*th one wanted in the former round: a column, or what
/// decodes it. Comparing it with what is wanted costs much less than looking for it.
///
/// ```swift
/// if let expected = prediction.expected, expected.pointee.name == name {
///     prediction.advance()
///     return expected.pointee.column
/// }
/// // Search, then tell the prediction what was found.
/// ```
///
/// What always holds:
///
/// - It is a guess: callers compare `expected` before they use it. A wrong guess costs time, and
///   never gives another result than the search does. Built with `GRDB_NO_FAST_PATHS`, there is no
///   guess.
/// - Elements are found by their index as long as the prediction lives. None is ever removed.
/// - `position` is the number of the next access. It may be beyond the elements, where nothing is
///   expected.
/// - The memory belongs to the owner of the prediction, which must call `deallocate()`. Don't copy
///   the value: copies would refer to the same memory.
///
/// Plain memory and no class: nothing is retained for an access. Used by one thread at a time.
@usableFromInline
struct Prediction<Element> {
    @usableFromInline private(set) var elements: UnsafeMutablePointer<Element>

    /// How many elements there are.
    private(set) var count = 0

    private var capacity: Int

    /// The number of the next access.
    @usableFromInline private(set) var position = 0

    /// How many elements are expected: all of them, or none.
    @usableFromInline private(set) var expectedCount = 0

    /// - parameter capacity: how many elements there is room for at first.
    init(capacity: Int = 0) {
        self.capacity = capacity
        elements =
            capacity > 0
            ? .allocate(capacity: capacity)
            : UnsafeMutablePointer(bitPattern: MemoryLayout<Element>.alignment).unsafelyUnwrapped
    }

    /// Frees the elements. The prediction must not be used any more.
    func deallocate() {
        if capacity == 0 { return }
        elements.deinitialize(count: count)
        elements.deallocate()
    }

    // MARK: - Guessing

    /// What the next access is expected to want; nil if nothing is known of it.
    @inlinable
    @inline(__always)
    var expected: UnsafeMutablePointer<Element>? {
        #if GRDB_NO_FAST_PATHS
        return nil
        #else
        return position < expectedCount ? elements + position : nil
        #endif
    }

    /// Passes to the next access.
    @inlinable
    @inline(__always)
    mutating func advance() {
        position &+= 1
    }

    /// Passes to the access that follows the one of an element.
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

    /// Expects nothing any more in this round.
    mutating func suspend() {
        expectedCount = 0
    }

    /// Whether nothing is expected in this round, because it is suspended or has nothing to expect yet.
    var isSuspended: Bool { expectedCount == 0 }

    // MARK: - Learning

    subscript(index: Int) -> Element {
        get { elements[index] }
        nonmutating set { elements[index] = newValue }
    }

    /// The index of an element: of the next one that fits, or else of the first one.
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

    /// Expects an element at an access, instead of the former one or after all others.
    ///
    /// - parameter limit: how many elements there may be.
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
