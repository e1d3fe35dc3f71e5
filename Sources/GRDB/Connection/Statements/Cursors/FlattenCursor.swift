/// A cursor of all the elements of the cursors that a base cursor returns.
///
/// See `joined()` and `flatMap(_:)`.
public final class FlattenCursor<Base: Cursor>: Cursor where Base.Element: Cursor {
    @usableFromInline let base: Base
    @usableFromInline var inner: Base.Element?

    @inlinable
    init(_ base: Base) {
        self.base = base
    }

    @inlinable
    public func next() throws -> Base.Element.Element? {
        while true {
            if let element = try inner?.next() { return element }
            // Free the finished cursor, and its statement, before the next one is created.
            inner = nil
            guard let cursor = try base.next() else { return nil }
            inner = cursor
        }
    }

    @inlinable
    public func forEach(_ body: (Base.Element.Element) throws -> Void) throws {
        try forEachInner { try $0.forEach(body) }
    }

    @inlinable
    public func _forEachOwned(
        _ body: (consuming Base.Element.Element) throws -> Void
    ) throws {
        try forEachInner { try $0._forEachOwned(body) }
    }

    /// Calls the closure on each remaining cursor. A cursor that fails remains the inner cursor,
    /// because it may continue.
    @inlinable
    func forEachInner(_ body: (Base.Element) throws -> Void) throws {
        if let inner { try body(inner) }
        inner = nil
        try base.forEach { cursor in
            inner = cursor
            try body(cursor)
            inner = nil
        }
    }
}

extension Cursor {
    /// Returns a cursor of all the elements of the cursors that a closure returns.
    ///
    /// ```swift
    /// let players = try db
    ///     .allStatements(sql: "SELECT * FROM player; SELECT * FROM formerPlayer")
    ///     .flatMap { statement in try Player.fetchCursor(statement) }
    /// ```
    @inlinable
    public func flatMap<SegmentOfResult: Cursor>(
        _ transform: @escaping (Element) throws -> SegmentOfResult
    ) -> FlattenCursor<MapCursor<Self, SegmentOfResult>> {
        map(transform).joined()
    }

    /// Returns a cursor of all the elements of the sequences that a closure returns.
    @inlinable
    public func flatMap<SegmentOfResult: Sequence>(
        _ transform: @escaping (Element) throws -> SegmentOfResult
    ) -> FlattenCursor<MapCursor<Self, AnyCursor<SegmentOfResult.Element>>> {
        flatMap { try AnyCursor(transform($0)) }
    }
}

extension Cursor where Element: Cursor {
    /// Returns a cursor of all the elements of the cursors that this cursor returns.
    @inlinable
    public func joined() -> FlattenCursor<Self> {
        FlattenCursor(self)
    }
}

extension Cursor where Element: Sequence {
    /// Returns a cursor of all the elements of the sequences that this cursor returns.
    @inlinable
    public func joined() -> FlattenCursor<MapCursor<Self, AnyCursor<Element.Element>>> {
        flatMap { $0 }
    }
}

extension Sequence {
    /// Returns a cursor of all the elements of the cursors that a closure returns.
    ///
    /// ```swift
    /// // All players, one team after the other
    /// let players = teams.flatMap { team in
    ///     try Player.filter { $0.teamID == team.id }.fetchCursor(db)
    /// }
    /// ```
    @inlinable
    public func flatMap<SegmentOfResult: Cursor>(
        _ transform: @escaping (Iterator.Element) throws -> SegmentOfResult
    ) -> FlattenCursor<MapCursor<AnyCursor<Iterator.Element>, SegmentOfResult>> {
        AnyCursor(self).flatMap(transform)
    }
}

// See `Database`.
@available(*, unavailable)
extension FlattenCursor: Sendable {}
