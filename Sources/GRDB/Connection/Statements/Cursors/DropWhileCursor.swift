/// A cursor of the elements of a base cursor, without the initial elements that satisfy a
/// predicate.
///
/// See ``Cursor/drop(while:)``.
public final class DropWhileCursor<Base: Cursor>: Cursor {
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
        guard let predicate else { return try base.next() }
        while let element = try base.next() {
            if try !predicate(element) {
                self.predicate = nil
                return element
            }
        }
        return nil
    }

    @inlinable
    public func forEach(_ body: (Base.Element) throws -> Void) throws {
        guard let first = try next() else { return }
        try body(first)
        try base.forEach(body)
    }

    @inlinable
    public func _forEachOwned(_ body: (consuming Base.Element) throws -> Void) throws {
        guard let first = try next() else { return }
        try body(first)
        try base._forEachOwned(body)
    }
}

extension Cursor {
    /// Returns a cursor that skips the initial elements that satisfy a predicate.
    @inlinable
    public func drop(
        while predicate: @escaping (Element) throws -> Bool
    ) -> DropWhileCursor<Self> {
        DropWhileCursor(self, predicate: predicate)
    }
}

// See `Database`.
@available(*, unavailable)
extension DropWhileCursor: Sendable {}
