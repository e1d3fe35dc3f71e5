/// A cursor of the elements of a base cursor but a number of initial ones.
///
/// See ``Cursor/dropFirst(_:)``.
public final class DropFirstCursor<Base: Cursor>: Cursor {
    @usableFromInline let base: Base
    /// How many elements must still be dropped.
    @usableFromInline var remaining: Int

    @inlinable
    init(_ base: Base, count: Int) {
        self.base = base
        self.remaining = count
    }

    @inlinable
    public func next() throws -> Base.Element? {
        while remaining > 0 {
            remaining -= 1
            guard try base.next() != nil else {
                remaining = 0
                return nil
            }
        }
        return try base.next()
    }
}

extension Cursor {
    /// Returns a cursor of all elements but the first.
    @inlinable
    public func dropFirst() -> DropFirstCursor<Self> {
        dropFirst(1)
    }

    /// Returns a cursor of all elements but the `n` first.
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
