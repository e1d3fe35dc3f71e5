/// A cursor of the elements of a base cursor that satisfy a predicate.
///
/// See ``Cursor/filter(_:)``.
public final class FilterCursor<Base: Cursor>: Cursor {
    @usableFromInline let base: Base
    @usableFromInline let isIncluded: (Base.Element) throws -> Bool

    @inlinable
    init(_ base: Base, _ isIncluded: @escaping (Base.Element) throws -> Bool) {
        self.base = base
        self.isIncluded = isIncluded
    }

    @inlinable
    public func next() throws -> Base.Element? {
        while let element = try base.next() {
            if try isIncluded(element) { return element }
        }
        return nil
    }

    @inlinable
    public func forEach(_ body: (Base.Element) throws -> Void) throws {
        try base.forEach { element in
            if try isIncluded(element) { try body(element) }
        }
    }

    @inlinable
    public func _forEachOwned(_ body: (consuming Base.Element) throws -> Void) throws {
        try base._forEachOwned { element in
            if try isIncluded(element) { try body(element) }
        }
    }
}

extension Cursor {
    /// Returns a cursor of the elements that satisfy a predicate.
    @inlinable
    public func filter(
        _ isIncluded: @escaping (Element) throws -> Bool
    ) -> FilterCursor<Self> {
        FilterCursor(self, isIncluded)
    }
}

// See `Database`.
@available(*, unavailable)
extension FilterCursor: Sendable {}
