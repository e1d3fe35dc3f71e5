/// A cursor of a number of initial elements of a base cursor. It consumes no more than these.
///
/// See ``Cursor/prefix(_:)``.
public final class PrefixCursor<Base: Cursor>: Cursor {
    @usableFromInline let base: Base
    /// How many elements may still be consumed.
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
    /// Returns a cursor of the `maxLength` first elements, or of all of them if there are fewer. A
    /// negative length makes an empty cursor.
    @inlinable
    public func prefix(_ maxLength: Int) -> PrefixCursor<Self> {
        PrefixCursor(self, maxLength: maxLength)
    }
}

// See `Database`.
@available(*, unavailable)
extension PrefixCursor: Sendable {}
