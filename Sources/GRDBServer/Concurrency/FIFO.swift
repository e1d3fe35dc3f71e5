/// A list whose elements are removed in the order in which they were appended.
///
/// Removed elements leave a gap at the start of an array, which is closed from time to time, so that its memory is
/// reused. In a list of `n` waiting elements, a removal moves `n / 512` of them on average.
struct FIFO<Element> {
    private var elements: [Element?] = []

    /// The index of the first element that was not removed.
    private var start = 0

    /// The length of a gap that is closed.
    private static var maximumGap: Int { 512 }

    init() {}

    var isEmpty: Bool { start == elements.count }

    /// The element that is removed next.
    var first: Element? { isEmpty ? nil : elements[start] }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        if isEmpty { return nil }
        let element = elements[start].take()
        start += 1
        if isEmpty {
            elements.removeAll(keepingCapacity: true)
            start = 0
        } else if start == Self.maximumGap {
            elements.removeFirst(start)
            start = 0
        }
        return element
    }
}

extension FIFO: Sendable where Element: Sendable {}
