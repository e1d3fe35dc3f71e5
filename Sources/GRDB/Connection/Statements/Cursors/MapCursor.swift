/// A cursor of the elements of a base cursor, transformed by a closure.
///
/// See ``Cursor/map(_:)``.
public final class MapCursor<Base: Cursor, Element>: Cursor {
    @usableFromInline let base: Base
    @usableFromInline let transform: (Base.Element) throws -> Element

    @inlinable
    init(_ base: Base, _ transform: @escaping (Base.Element) throws -> Element) {
        self.base = base
        self.transform = transform
    }

    @inlinable
    public func next() throws -> Element? {
        guard let element = try base.next() else { return nil }
        return try transform(element)
    }

    @inlinable
    public func forEach(_ body: (Element) throws -> Void) throws {
        try base.forEach { try body(transform($0)) }
    }

    @inlinable
    public func _forEachOwned(_ body: (consuming Element) throws -> Void) throws {
        try base.forEach { try body(transform($0)) }
    }
}

extension Cursor {
    /// Returns a cursor of the elements transformed by a closure.
    ///
    /// ```swift
    /// let names = try Row
    ///     .fetchCursor(db, sql: "SELECT * FROM player")
    ///     .map { row in row["name"] as String }
    /// ```
    @inlinable
    public func map<T>(_ transform: @escaping (Element) throws -> T) -> MapCursor<Self, T> {
        MapCursor(self, transform)
    }

    /// Returns a cursor of the results of a closure that are not nil.
    @inlinable
    public func compactMap<ElementOfResult>(
        _ transform: @escaping (Element) throws -> ElementOfResult?
    ) -> MapCursor<FilterCursor<MapCursor<Self, ElementOfResult?>>, ElementOfResult> {
        map(transform).filter { $0 != nil }.map { $0! }
    }
}

// See `Database`.
@available(*, unavailable)
extension MapCursor: Sendable {}
