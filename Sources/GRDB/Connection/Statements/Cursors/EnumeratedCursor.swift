/// A cursor of pairs of an integer, counted from zero, and an element of a base cursor.
///
/// See ``Cursor/enumerated()``.
public final class EnumeratedCursor<Base: Cursor>: Cursor {
    @usableFromInline let base: Base
    @usableFromInline var index = 0

    @inlinable
    init(_ base: Base) {
        self.base = base
    }

    @inlinable
    public func next() throws -> (Int, Base.Element)? {
        guard let element = try base.next() else { return nil }
        defer { index += 1 }
        return (index, element)
    }

    @inlinable
    public func forEach(_ body: ((Int, Base.Element)) throws -> Void) throws {
        try base.forEach { element in
            defer { index += 1 }
            try body((index, element))
        }
    }

    @inlinable
    public func _forEachOwned(_ body: (consuming (Int, Base.Element)) throws -> Void) throws {
        try base._forEachOwned { element in
            defer { index += 1 }
            try body((index, element))
        }
    }
}

extension Cursor {
    /// Numbers the elements: returns a cursor of their offsets, from zero, and the elements.
    ///
    /// ```swift
    /// // 0: Arthur, 1: Barbara
    /// let names = try String.fetchCursor(db, sql: "SELECT name FROM player")
    /// try names.enumerated().forEach { (n, name) in
    ///     print("\(n): \(name)")
    /// }
    /// ```
    @inlinable
    public func enumerated() -> EnumeratedCursor<Self> {
        EnumeratedCursor(self)
    }
}

// See `Database`.
@available(*, unavailable)
extension EnumeratedCursor: Sendable {}
