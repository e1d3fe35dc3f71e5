/// A cursor that hides the type of another one.
///
/// It forwards its operations to another cursor, or creates elements with an iterator or a closure:
///
/// ```swift
/// let cursor = AnyCursor(["Arthur", "Barbara"])
///
/// var countdown = 3
/// let numbers = AnyCursor<Int> {
///     countdown -= 1
///     return countdown > 0 ? countdown : nil
/// }
/// ```
public final class AnyCursor<Element>: Cursor {
    /// Nil once the cursor has ended, so that the captures of the closure are released.
    @usableFromInline var nextElement: (() throws -> Element?)?

    /// Whether the closure can be called again after it has thrown an error, as a wrapped cursor
    /// can.
    @usableFromInline let endsOnError: Bool

    /// Calls a closure on each remaining element of the wrapped cursor; nil if there is none, and
    /// once the cursor has ended.
    @usableFromInline
    var forEachElement: ((_ body: (consuming Element) throws -> Void) throws -> Void)?

    /// Creates a cursor that wraps another cursor.
    @inlinable
    public init<C: Cursor>(_ base: C) where C.Element == Element {
        nextElement = base.next
        forEachElement = base._forEachOwned
        endsOnError = false
    }

    /// Creates a cursor of the elements that a closure returns.
    ///
    /// The closure is no longer called, and is freed, once it has returned nil or thrown an error.
    @inlinable
    public init(_ next: @escaping () throws -> Element?) {
        nextElement = next
        endsOnError = true
    }

    /// Creates a cursor of the remaining elements of an iterator.
    @inlinable
    public convenience init(iterator: some IteratorProtocol<Element>) {
        var iterator = iterator
        self.init { iterator.next() }
    }

    /// Creates a cursor of the elements of a sequence.
    @inlinable
    public convenience init(_ sequence: some Sequence<Element>) {
        self.init(iterator: sequence.makeIterator())
    }

    @inlinable
    public func next() throws -> Element? {
        guard let nextElement else { return nil }
        do {
            if let element = try nextElement() { return element }
            end()
            return nil
        } catch {
            if endsOnError { end() }
            throw error
        }
    }

    @inlinable
    public func forEach(_ body: (Element) throws -> Void) throws {
        try _forEachOwned { try body($0) }
    }

    @inlinable
    public func _forEachOwned(_ body: (consuming Element) throws -> Void) throws {
        if let forEachElement {
            try forEachElement(body)
            end()
        } else {
            while let element = try next() { try body(element) }
        }
    }

    @inlinable
    func end() {
        nextElement = nil
        forEachElement = nil
    }
}

// See `Database`.
@available(*, unavailable)
extension AnyCursor: Sendable {}
