/// A cursor of the initial elements of a base cursor that satisfy a predicate.
///
/// The element that ends the cursor is consumed and lost.
///
/// See ``Cursor/prefix(while:)``.
public final class PrefixWhileCursor<Base: Cursor>: Cursor {
    @usableFromInline let base: Base
    /// Nil once an element was found that does not satisfy the predicate.
    @usableFromInline var predicate: ((Base.Element) throws -> Bool)?

    @inlinable
    init(_ base: Base, predicate: @escaping (Base.Element) throws -> Bool) {
        self.base = base
        self.predicate = predicate
    }

    @inlinable
    public func next() throws -> Base.Element? {
        guard let predicate else { return nil }
        if let element = try base.next(), try predicate(element) {
            return element
        }
        self.predicate = nil
        return nil
    }
}

extension Cursor {
    /// Returns a cursor of the initial elements that satisfy a predicate.
    @inlinable
    public func prefix(
        while predicate: @escaping (Element) throws -> Bool
    ) -> PrefixWhileCursor<Self> {
        PrefixWhileCursor(self, predicate: predicate)
    }
}

// See `Database`.
@available(*, unavailable)
extension PrefixWhileCursor: Sendable {}
