/// A cursor of the elements of a base cursor, without a number of initial elements.
///
/// See ``Cursor/dropFirst(_:)``.
public final class DropFirstCursor<Base: Cursor>: Cursor {
    @usableFromInline let base: Base
    /// The number of elements that must still be dropped.
    @usableFromInline var remaining: Int

    @inlinable
    init(_ base: Base, count: Int) {
        self.base = base
        self.remaining = count
    }

    @inlinable
    public func next() throws -> Base.Element? {
        try drop() ? base.next() : nil
    }

    /// Drops the elements, and returns whether more elements may follow.
    @inlinable
    func drop() throws -> Bool {
        while remaining > 0 {
            remaining -= 1
            guard try base.next() != nil else {
                remaining = 0
                return false
            }
        }
        return true
    }

    @inlinable
    public func forEach(_ body: (Base.Element) throws -> Void) throws {
        if try drop() { try base.forEach(body) }
    }

    @inlinable
    public func _forEachOwned(_ body: (consuming Base.Element) throws -> Void) throws {
        if try drop() { try base._forEachOwned(body) }
    }
}

extension Cursor {
    /// Returns a cursor of all elements but the first.
    @inlinable
    public func dropFirst() -> DropFirstCursor<Self> {
        dropFirst(1)
    }

    /// Returns a cursor of all but the first `n` elements.
    ///
    /// - precondition: `n` is not negative.
    @inlinable
    public func dropFirst(_ n: Int) -> DropFirstCursor<Self> {
        require(n >= 0, "Can't drop a negative number of elements from a cursor")
        return DropFirstCursor(self, count: n)
    }
}

// See `Database`.
@available(*, unavailable)
extension DropFirstCursor: Sendable {}
