/// A cursor of a number of initial elements of a base cursor. It does not consume other elements.
///
/// See ``Cursor/prefix(_:)``.
public final class PrefixCursor<Base: Cursor>: Cursor {
    @usableFromInline let base: Base
    /// The number of elements that may still be consumed.
    @usableFromInline var remaining: Int

    @inlinable
    init(_ base: Base, maxLength: Int) {
        self.base = base
        self.remaining = maxLength
    }

    @inlinable
    public func next() throws -> Base.Element? {
        guard remaining > 0 else { return nil }
        guard let element = try base.next() else {
            remaining = 0
            return nil
        }
        remaining -= 1
        return element
    }
}

extension Cursor {
    /// Returns a cursor of the first `maxLength` elements, or of all of them if there are fewer.
    /// The cursor is empty if `maxLength` is negative.
    @inlinable
    public func prefix(_ maxLength: Int) -> PrefixCursor<Self> {
        PrefixCursor(self, maxLength: maxLength)
    }
}

// See `Database`.
@available(*, unavailable)
extension PrefixCursor: Sendable {}
